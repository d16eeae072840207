//! `kind = "compare"`: compares systems by the scores of any program, and measures by how they
//! order the systems.
//!
//! ```toml
//! [systems]                          # any source, see `systems`; a results folder gives all its data sets
//! # or several data sets, each with a label:
//! # [[dataset]]
//! # label = "TREC-8"
//! # systems = { values = ["trec/trec8/adhoc8_ap.csv"] }
//!
//! measures = ["ndcg@10", "ap"]       # any measures, or columns of values; absent: see `Compare`
//! test = "t"                         # a test of fivefold_stats::TESTS
//! correction = "none"                # of fivefold_stats::CORRECTIONS, over the comparisons of a measure
//! against = "bm25"                   # compare this system with every other, instead of all pairs
//! top = 10                           # number of systems in tables, the best first; files have all
//! draws = 1000                       # number of draws, for tests that draw
//! alpha = 0.05
//! differences = [0.01, 0.02, 0.05]   # how many queries find these with probability `power`?
//! power = 0.8
//! trials = 1000                      # random halves of the swap method
//! pad = "signed"                     # PAD divides by max(a, b), as in the paper; "abs": by max(|a|, |b|)
//! classes = { file = "classes.csv" } # or { quantiles = 3 }, or { sets = 500 }: see `classes`
//! dialect = "paper"                  # the dialect; [conventions] replaces single conventions
//! ```
//! A measure stands with all its cutoffs (`ndcg@5`, `ndcg@10`), as in Feng & Karmaker (2023). Its
//! comparisons are all pairs of systems at all cutoffs. Its score of a system is the mean over the
//! cutoffs.
//!
//! Reading order: `scores` (the input), `tested` (tests), `between` (measures against each other),
//! `across` (data sets), `classes` and `by_class` (classes of queries), `tables`, `diagrams`,
//! `charts`, `files`, `page`.

pub(crate) mod across;
pub(crate) mod between;
pub(crate) mod bounds;
mod by_class;
mod charts;
pub(crate) mod classes;
mod diagrams;
mod files;
mod page;
pub(crate) mod scores;
pub(crate) mod tables;
pub(crate) mod tested;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use fivefold_analysis::{Diagram, DifferenceTest, number_equal};
use fivefold_base::words::list;
use fivefold_core::ParamError;
use fivefold_metrics::Overrides;
use fivefold_results::config::PadConfig;
use fivefold_stats::TestOptions;
use serde::{Deserialize, Serialize};

pub use self::classes::Classes;
use self::tested::{Found, Tested};
use crate::study::{Findings, Study, StudyContext, StudyError, conventions};
use crate::systems::SystemsConfig;

/// The study of anyone's scores, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compare {
    /// The source of the systems.
    pub systems: SystemsConfig,
    /// Several data sets, instead of `systems`.
    pub dataset: Vec<CompareDataset>,
    /// Measures of rankings, or columns of values. If empty: all columns of values, or `ndcg@10`,
    /// `ap` and `rr` of rankings.
    pub measures: Vec<String>,
    /// The test of significance.
    pub test: String,
    /// The correction for several comparisons.
    pub correction: String,
    /// The system with which every other system is compared; `None` for all pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// Number of systems that tables show; `None` for up to ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<usize>,
    /// Number of draws, for tests that draw.
    pub draws: usize,
    /// The level below which a p-value is significant; intervals have the confidence 1 - alpha.
    pub alpha: f64,
    /// Differences for which the study computes the number of queries that a test needs.
    pub differences: Vec<f64>,
    /// The probability with which the test finds such a difference.
    pub power: f64,
    /// Number of random halves in the swap method.
    pub trials: usize,
    /// The divisor of a percentage absolute difference.
    pub pad: PadConfig,
    /// Classes of queries.
    #[serde(skip_serializing_if = "is_default")]
    pub classes: Classes,
    /// The dialect, whose conventions apply.
    pub dialect: String,
    /// Conventions that replace the dialect's.
    pub conventions: Overrides,
}

/// A data set, if there are several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareDataset {
    /// The name in tables.
    pub label: String,
    /// The source of the data set's systems.
    pub systems: SystemsConfig,
}

impl Default for Compare {
    fn default() -> Self {
        Compare {
            systems: SystemsConfig::default(),
            dataset: Vec::new(),
            measures: Vec::new(),
            test: "t".to_owned(),
            correction: "none".to_owned(),
            against: None,
            top: None,
            draws: TestOptions::default().draws,
            alpha: 0.05,
            differences: vec![0.01, 0.02, 0.05],
            power: 0.8,
            trials: 1000,
            pad: PadConfig::Signed,
            classes: Classes::default(),
            dialect: "paper".to_owned(),
            conventions: Overrides::default(),
        }
    }
}

fn is_default(classes: &Classes) -> bool {
    !classes.any()
}

impl Compare {
    fn difference_test(&self) -> Result<DifferenceTest, ParamError> {
        DifferenceTest::new(&self.test, &self.correction, self.draws, self.alpha)
    }

    /// The confidence of intervals in percent.
    fn confidence(&self) -> f64 {
        // The result is rounded, because 1 - .05 is not exactly .95.
        (100.0 * (1.0 - self.alpha) * 1e6).round() / 1e6
    }

    /// How the intervals of differences were found: by the test, or by Student's t.
    fn intervals<'t>(&self, all: impl Iterator<Item = &'t Tested>) -> String {
        let of =
            |tested: &'t Tested| tested.run.outcomes.iter().filter_map(|outcome| Some(outcome.interval.ok()?.method));
        let methods: Vec<&str> = all.flat_map(of).collect::<BTreeSet<&str>>().into_iter().collect();
        match methods.as_slice() {
            [] => "none".to_owned(),
            [only] if !fivefold_stats::test(&self.test).is_ok_and(|test| test.own_intervals) => {
                format!("{only}, whatever the test")
            }
            methods => list(methods),
        }
    }
}

/// The most random halves. More would not change the result, and take minutes for a hundred
/// systems.
const MOST_TRIALS: usize = 1_000_000;

impl Study for Compare {
    const KIND: &'static str = "compare";
    const SUMMARY: &'static str = "any program's scores: tests, effect sizes, power, and measures against each other";

    fn check(&self) -> Result<(), ParamError> {
        if self.dataset.is_empty() {
            self.systems.check()?;
        } else if self.systems != SystemsConfig::default() {
            return Err(ParamError::new("systems", "stands beside `dataset`: give `systems` or `dataset`"));
        }
        for (at, dataset) in self.dataset.iter().enumerate() {
            let within = |error: ParamError| ParamError::new("dataset", format!("`{}`: {error}", dataset.label));
            dataset.systems.check().map_err(within)?;
            if self.dataset[..at].iter().any(|other| other.label == dataset.label) {
                return Err(ParamError::new("dataset", format!("has the label `{}` twice", dataset.label)));
            }
        }
        self.difference_test()?;
        let share = |value: f64| value > 0.0 && value < 1.0;
        ParamError::unless(share(self.power), "power", self.power, "between 0 and 1")?;
        let trials = (1..=MOST_TRIALS).contains(&self.trials);
        ParamError::unless(trials, "trials", self.trials, &format!("from 1 to {MOST_TRIALS}"))?;
        ParamError::unless(self.top != Some(0), "top", 0, "at least 1")?;
        self.classes.check()?;
        if let Some(difference) = self.differences.iter().find(|value| !(**value > 0.0 && value.is_finite())) {
            return Err(ParamError::new("differences", format!("must be above 0 each, not {difference}")));
        }
        let of_values = Overrides { undefined: self.conventions.undefined, ..Overrides::default() };
        let ranks = self.dataset.iter().map(|dataset| &dataset.systems).chain([&self.systems]);
        if self.conventions != of_values && !ranks.into_iter().any(SystemsConfig::has_rankings) {
            let what = "can set `undefined` alone: the other conventions went into the values when they were computed";
            return Err(ParamError::new("conventions", what));
        }
        conventions(&self.dialect, &self.conventions).map(|_| ())
    }

    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        let datasets = scores::read(self, cx)?;
        let steps = datasets.iter().map(|dataset| dataset.scores.measures.len() as u64).sum();
        let mut findings = Findings::default();
        let mut done = 0;
        let mut all = Vec::with_capacity(datasets.len());
        for dataset in &datasets {
            findings.inputs.extend(dataset.inputs.iter().cloned());
            let mut compared: Vec<Found> = Vec::new();
            for measure in &dataset.scores.measures {
                cx.step(done, steps)?;
                compared.push(tested::compare(self, &dataset.scores, measure, cx.seed())?);
                done += 1;
            }
            all.push((&dataset.scores, compared));
        }
        for (scores, compared) in &all {
            let several = all.len() > 1;
            let shown = tables::Shown { study: self, scores, compared, several };
            shown.add(&mut findings)?;
            shown.add_classes(&by_class::of_classes(&shown, cx.seed())?, &mut findings)?;
            shown.add_diagrams(&mut findings)?;
            charts::add(self, scores, compared, several, &mut findings)?;
        }
        if let [_, _, ..] = all.as_slice() {
            let of_datasets: Vec<&scores::Scores> = all.iter().map(|(scores, _)| *scores).collect();
            findings.tables.extend(across::tables(&of_datasets)?);
        }
        files::add(self, &all, &mut findings)?;
        findings.page = page::data(self, &all)?;
        number_equal(findings.tables.iter_mut().map(|table| &mut table.id));
        number_equal(findings.diagrams.iter_mut().map(Diagram::id_mut));
        number_equal(findings.charts.iter_mut().map(|chart| &mut chart.id));
        Ok(findings)
    }
}
