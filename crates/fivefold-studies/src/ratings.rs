//! `kind = "ratings"`: how far measures agree with people, by ratings or side-by-side preferences.
//!
//! ```toml
//! measures = ["rouge1", "rouge1.v2"]        # any measures, or columns of values; absent: as for `compare`
//! level = ["system", "item", "pooled"]      # what the points of a correlation are
//! coefficients = ["kendall", "spearman", "pearson"]
//! against = "rouge1"                        # differences are taken to it; absent: to the original of a version
//! exchange = "both"                         # what the permutation test exchanges: "both", "items", "systems"
//! draws = 1000                              # of the bootstrap, and of the permutation test
//! alpha = 0.05                              # intervals have the confidence 1 - alpha
//! dialect = "paper"                         # the dialect; [conventions] replaces single conventions
//!
//! [systems]                                 # any source, see `systems`
//! values = ["rouge1.csv"]
//!
//! [ratings]
//! files = ["annotations/*_outputs_annotations.jsonl"]    # see `fivefold_data::ratings`
//! group = "expert"                          # of SummEval's two groups of raters; or "crowd"
//! dimensions = ["fluency"]                  # absent: all
//! preferences = ["preferences.csv"]         # beside `files`, or instead
//!
//! [[printed]]                               # a printed table of Feng's dissertation (2023) beside ours
//! table = "9.1"
//! measure = "rouge1"
//! ```
//! The rating of a system on an item is the mean over raters. An item is a query of the values. The
//! levels, the interval and the tests are those of [`fivefold_stats::rated`]; only systems and items
//! that both the values and the ratings have count, and all others are counted.
//!
//! PAI is `(corr_V - corr_A) / |corr_A| x 100`, or the difference x 100 if `corr_A` is 0 (Feng 2023,
//! Eq. 8.1). Near a correlation of 0 this number says nothing; a note says so under the table.
//!
//! Reading order: `input` (values, ratings, what they share), `computed` (correlations), `tables`,
//! `preferences`, `charts`, `files`, `words`.

mod charts;
mod computed;
mod files;
mod input;
mod preferences;
mod printed;
mod tables;
#[cfg(test)]
mod tests;
mod variance;
mod words;

use fivefold_analysis::number_equal;
use fivefold_base::words::nearest;
use fivefold_core::ParamError;
use fivefold_data::ratings::RaterGroup;
use fivefold_metrics::{MeasureSpec, Overrides};
use fivefold_stats::{Coefficient, CorrelationLevel, Exchange, TestOptions};
use serde::{Deserialize, Serialize};

use self::computed::Computed;
use self::input::Input;
pub use self::printed::PrintedConfig;
use crate::compare::{Compare, bounds};
use crate::study::{Findings, Study, StudyContext, StudyError, each_once, facts};
use crate::systems::SystemsConfig;

/// The study of agreement with people, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ratings {
    /// The source of the systems.
    pub systems: SystemsConfig,
    /// The files of ratings and preferences.
    pub ratings: RatingsConfig,
    /// Measures of rankings, or columns of values. If empty: as for the study `compare`.
    pub measures: Vec<String>,
    /// The levels of correlations.
    pub level: Vec<String>,
    /// The coefficients.
    pub coefficients: Vec<String>,
    /// The measure to which differences are taken; `None` for the original of each version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// What the permutation test exchanges at once.
    pub exchange: String,
    /// Number of draws of the bootstrap and of the permutation test.
    pub draws: usize,
    /// Intervals have the confidence 1 - alpha.
    pub alpha: f64,
    /// The dialect, whose conventions apply.
    pub dialect: String,
    /// Conventions that replace the dialect's.
    pub conventions: Overrides,
    /// Printed tables to show beside ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<PrintedConfig>,
}

/// The files of ratings, and what is taken from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RatingsConfig {
    /// Files of ratings: `[NAME=]PATH`, where a `*` stands for the names of systems.
    pub files: Vec<String>,
    /// Files of side-by-side preferences.
    pub preferences: Vec<String>,
    /// The group of raters, if a file has two: `expert` or `crowd`.
    pub group: String,
    /// The dimensions; all if empty.
    pub dimensions: Vec<String>,
}

impl Default for RatingsConfig {
    fn default() -> Self {
        let group = RaterGroup::default().name().to_owned();
        RatingsConfig { files: Vec::new(), preferences: Vec::new(), group, dimensions: Vec::new() }
    }
}

impl Default for Ratings {
    fn default() -> Self {
        let Compare { systems, measures, alpha, dialect, conventions, .. } = Compare::default();
        Ratings {
            systems,
            ratings: RatingsConfig::default(),
            measures,
            level: CorrelationLevel::ALL.map(|level| level.name().to_owned()).to_vec(),
            coefficients: Coefficient::ALL.map(|coefficient| coefficient.name().to_owned()).to_vec(),
            against: None,
            exchange: Exchange::Both.name().to_owned(),
            draws: TestOptions::default().draws,
            alpha,
            dialect,
            conventions,
            printed: Vec::new(),
        }
    }
}

/// The value with this name.
///
/// # Errors
/// An unknown name. The error is about the key `param`, and suggests the nearest name.
fn named<T: Copy>(param: &str, name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, ParamError> {
    all.iter().copied().find(|value| name_of(*value) == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().copied().map(name_of).collect();
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("possible here: {}", names.join(", ")),
        };
        let mut error = ParamError::new(param, format!("has the unknown name \"{name}\""));
        error.help = Some(help);
        error
    })
}

/// The values with these names, each once and at least one.
fn all_named<T: Copy>(
    param: &str,
    names: &[String],
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> Result<Vec<T>, ParamError> {
    each_once(param, names)?;
    if names.is_empty() {
        let all: Vec<&str> = all.iter().copied().map(name_of).collect();
        return Err(ParamError::new(param, format!("is empty; give at least one of: {}", all.join(", "))));
    }
    names.iter().map(|name| named(param, name, all, name_of)).collect()
}

impl Ratings {
    /// The comparison of the same systems, which reads and checks the settings that both share.
    fn as_compare(&self) -> Compare {
        let Ratings { systems, measures, alpha, dialect, conventions, .. } = self.clone();
        Compare { systems, measures, alpha, dialect, conventions, ..Compare::default() }
    }

    fn levels(&self) -> Result<Vec<CorrelationLevel>, ParamError> {
        all_named("level", &self.level, &CorrelationLevel::ALL, CorrelationLevel::name)
    }

    fn coefficients(&self) -> Result<Vec<Coefficient>, ParamError> {
        all_named("coefficients", &self.coefficients, &Coefficient::ALL, Coefficient::name)
    }

    fn exchange(&self) -> Result<Exchange, ParamError> {
        named("exchange", &self.exchange, &Exchange::ALL, Exchange::name)
    }

    fn group(&self) -> Result<RaterGroup, ParamError> {
        named("ratings", &self.ratings.group, &RaterGroup::ALL, RaterGroup::name)
    }

    /// The confidence of intervals in percent.
    fn confidence(&self) -> f64 {
        // The result is rounded, because 1 - .05 is not exactly .95.
        (100.0 * (1.0 - self.alpha) * 1e6).round() / 1e6
    }
}

impl Study for Ratings {
    const KIND: &'static str = "ratings";
    const SUMMARY: &'static str = "how far measures agree with people's ratings or preferences, at three levels";

    fn check(&self) -> Result<(), ParamError> {
        each_once("measures", &self.measures)?;
        self.levels()?;
        self.coefficients()?;
        self.exchange()?;
        self.group()?;
        let within = |error: ParamError| ParamError::new("ratings", format!("is wrong: {error}"));
        each_once("dimensions", &self.ratings.dimensions).map_err(within)?;
        if self.ratings.files.is_empty() && self.ratings.preferences.is_empty() {
            let what = "names no file: give `files` with ratings, or `preferences`";
            return Err(ParamError::new("ratings", what));
        }
        if self.ratings.files.is_empty() && !self.ratings.dimensions.is_empty() {
            return Err(ParamError::new("ratings", "has `dimensions`, which preferences do not have"));
        }
        let draws = (1..=MOST_DRAWS).contains(&self.draws);
        ParamError::unless(draws, "draws", self.draws, &format!("from 1 to {MOST_DRAWS}"))?;
        printed::check(self)?;
        self.as_compare().check()
    }

    fn measures(&self) -> Vec<MeasureSpec> {
        // Measures of other programs may have names that do not parse; they are left out.
        self.measures.iter().filter_map(|name| name.parse().ok()).collect()
    }

    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        let input = Input::read(self, cx)?;
        let computed = Computed::of(self, &input, cx)?;
        let mut findings = Findings { inputs: input.inputs.clone(), ..Findings::default() };
        let names: Vec<&str> = input.measures.iter().map(|measure| measure.name.as_str()).collect();
        findings.page.facts.push(facts(input.scores.systems.len(), input.scores.queries, &names));
        tables::add(self, &input, &computed, &mut findings)?;
        if !input.dimensions.is_empty() {
            findings.tables.extend(printed::tables(self, &input, &computed)?);
            findings.tables.extend(bounds::table(&input.scores, false));
            findings.tables.push(variance::table(&input)?);
        }
        preferences::add(&input, &mut findings);
        charts::add(self, &input, &computed, &mut findings)?;
        files::add(&input, &computed, &mut findings);
        words::add(self, &input, &computed, &mut findings)?;
        number_equal(findings.tables.iter_mut().map(|table| &mut table.id));
        number_equal(findings.charts.iter_mut().map(|chart| &mut chart.id));
        Ok(findings)
    }
}

/// The most draws. More would not change a number that is shown.
const MOST_DRAWS: usize = 1_000_000;
