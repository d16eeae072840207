//! `[tables]`: the tables of a report, and the settings of these tables.
//!
//! ```toml
//! [tables]
//! only = ["table-03"]        # ids of tables, or the beginnings of ids; default: all tables
//! alpha = 0.05               # level of the significance tests
//! pad = "signed"             # PAD divides by max(a, b); with "abs" by max(|a|, |b|)
//! test = "t"                 # for letters, heat maps and the summary: a name of `TESTS`
//! correction = "holm"        # of this test, over all comparisons of a measure: see `CORRECTIONS`
//! draws = 1000               # number of draws of a test that draws
//! ```
//! `fivefold compare` knows the same names of `test` and `correction`. The paper's tables
//! (conflicts, discriminative power) always use uncorrected t-tests, by definition. Tukey's test
//! itself corrects for all pairs, so its `correction` defaults to `none`, and any other correction
//! is an error.

use fivefold_analysis::difference_test::DifferenceTest;
use fivefold_stats::{CORRECTIONS, PadDenominator};
use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::read::{Section, read};

/// The tables of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TablesConfig {
    /// Ids of the tables to make, or the beginnings of ids. Empty for all tables.
    pub only: Vec<String>,
    /// Level of the significance tests, between 0 and 1.
    #[serde(deserialize_with = "level")]
    pub alpha: f64,
    /// The divisor of a percentage absolute difference.
    pub pad: PadConfig,
    /// The test behind letters of significance, heat maps and the summary.
    pub test: String,
    /// The correction of this test for several comparisons.
    pub correction: String,
    /// The number of draws of a test that draws.
    pub draws: usize,
}

/// The divisor of a percentage absolute difference of two method scores a and b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PadConfig {
    /// max(a, b), as in the paper.
    #[default]
    Signed,
    /// max(|a|, |b|), which stays meaningful if scores are negative.
    Abs,
}

impl PadConfig {
    /// All divisors, in the order in which help lists them.
    pub const ALL: [PadConfig; 2] = [PadConfig::Signed, PadConfig::Abs];

    /// The name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            PadConfig::Signed => "signed",
            PadConfig::Abs => "abs",
        }
    }

    /// The divisor as `fivefold_stats` names it.
    pub fn denominator(self) -> PadDenominator {
        match self {
            PadConfig::Signed => PadDenominator::Signed,
            PadConfig::Abs => PadDenominator::Abs,
        }
    }
}

impl Default for TablesConfig {
    fn default() -> Self {
        TablesConfig {
            only: Vec::new(),
            alpha: 0.05,
            pad: PadConfig::Signed,
            test: "t".to_owned(),
            correction: "holm".to_owned(),
            draws: 1000,
        }
    }
}

impl TablesConfig {
    pub(super) fn read(section: Section<'_>) -> Result<Self, Fault> {
        let keys = ["test", "correction", "draws"];
        let spans = keys.map(|key| section.span_of(key));
        let corrected = section.has("correction");
        let mut tables: TablesConfig = read(section.into_value())?;
        if !corrected && fivefold_stats::test(&tables.test).is_ok_and(|test| test.corrects_itself) {
            tables.correction = CORRECTIONS[0].name.to_owned();
        }
        if let Err(error) = tables.difference_test() {
            let at = keys.iter().position(|key| error.param.as_deref() == Some(key)).unwrap_or_default();
            return Err(Fault::with_advice(&error.to_string(), spans[at].clone()));
        }
        Ok(tables)
    }

    /// The test behind letters of significance, with its correction.
    ///
    /// # Errors
    /// If a name is unknown, or if test and correction do not fit together.
    fn difference_test(&self) -> Result<DifferenceTest, fivefold_core::ParamError> {
        DifferenceTest::new(&self.test, &self.correction, self.draws, self.alpha)
    }
}

fn level<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let alpha = f64::deserialize(deserializer)?;
    if alpha > 0.0 && alpha < 1.0 {
        Ok(alpha)
    } else {
        Err(serde::de::Error::custom(format!("`alpha` must be between 0 and 1, not {alpha}")))
    }
}
