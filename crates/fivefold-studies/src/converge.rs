//! `kind = "converge"`: the limits of measures as the number of documents grows, and the number of
//! documents from which the order of rankers is stable.
//!
//! ```toml
//! measures = ["ndcg@10", "ndcg", "ap.v2@10"]      # any measures and versions; absent: the paper's six
//! documents = 20000      # the largest number of documents
//! step = 100             # measured at step, 2 step, ...
//! from = 1000            # crossings count from this number of documents
//! trials = 10
//! angles = [0, 30, 60]   # linear rankers of the simulation; absent: 0, 30, .., 330
//! population = { shares = [0.4, 0.3, 0.3], means = [[0, 0], [0.3, 0.3], [0.5, 0.6]] }
//! discounts = ["zipf"]   # further discounts in the table of types
//! dialect = "paper"      # the dialect; [conventions] replaces single conventions
//!
//! [systems]              # systems on real queries instead of the simulation: see `systems`
//! ```
//! After He, Wang, Chen & Liu, Convergence analysis of ranking measures. A trial of the simulation
//! draws documents, and all rankers score the same documents. A trial on real data puts the
//! documents of each query into a random order. Its value is the mean over the queries that have
//! enough documents. In both cases the first n documents are ranked, for growing n.
//!
//! Reading order: `population` (the simulated documents), `growing` (rankings that grow), `curves`
//! (all values), `crossings`, `limit` (Corollary 11), `discount` (types of discounts), `tables`,
//! `words`.

mod crossings;
mod curves;
pub(crate) mod discount;
mod growing;
mod limit;
pub(crate) mod population;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::ops::RangeInclusive;

use fivefold_base::words::counted;
use fivefold_core::ParamError;
use fivefold_core::grades::HIGHEST_GRADE;
use fivefold_metrics::conventions::Discount;
use fivefold_metrics::{Evaluator, MeasureSpec, Overrides};
use serde::{Deserialize, Serialize};

use self::curves::{Curves, Grid};
pub use self::population::Population;
use crate::study::{Findings, Study, StudyContext, StudyError, conventions, each_once};
use crate::systems::{Content, SystemsConfig};

/// The study of convergence, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Converge {
    /// The source of real systems; `None` for the simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub systems: Option<SystemsConfig>,
    /// The measures.
    pub measures: Vec<MeasureSpec>,
    /// The largest number of documents. Queries of real data with fewer documents are left out.
    pub documents: usize,
    /// The rankings are measured at every multiple of this number of documents.
    pub step: usize,
    /// Crossings are counted from this number of documents on.
    pub from: usize,
    /// Number of trials. In each trial, documents are drawn or put into a new order.
    pub trials: usize,
    /// The linear rankers of the simulation, in degrees.
    pub angles: Vec<f64>,
    /// The population from which the simulation draws.
    pub population: Population,
    /// Discounts in the table of types, besides the discounts of the measures.
    pub discounts: Vec<Discount>,
    /// The dialect, whose conventions apply.
    pub dialect: String,
    /// Conventions that replace the dialect's.
    pub conventions: Overrides,
}

/// The measures of the paper's simulation.
pub const MEASURES: [&str; 6] = ["ndcg@10", "p@10", "wta", "neru", "ndcg", "ndcg(discount=power:0.5)"];

/// The most documents of a trial: fifty times as many as the curves need.
const MOST_DOCUMENTS: usize = 1_000_000;
/// The most rankings of a ranker, since all values are kept until the end.
const MOST_RANKINGS: usize = 1_000_000;

impl Default for Converge {
    fn default() -> Self {
        Converge {
            systems: None,
            // Names of registered measures always parse.
            measures: MEASURES.iter().filter_map(|name| name.parse().ok()).collect(),
            documents: 20_000,
            step: 100,
            from: 1_000,
            trials: 10,
            angles: (0..12).map(|index| 30.0 * f64::from(index)).collect(),
            population: Population::default(),
            discounts: vec![
                Discount::Log2,
                Discount::Letor,
                Discount::Zipf,
                Discount::Power(0.5),
                Discount::Power(2.0),
            ],
            dialect: "paper".to_owned(),
            conventions: Overrides::default(),
        }
    }
}

impl Converge {
    fn check_population(&self) -> Result<(), ParamError> {
        let fault = |what: String| Err(ParamError::new("population", what));
        let Population { shares, means } = &self.population;
        if shares.len() != means.len() {
            return fault(format!("has {} shares for {} means", shares.len(), means.len()));
        }
        let grades: RangeInclusive<usize> = 2..=usize::from(HIGHEST_GRADE) + 1;
        if !grades.contains(&shares.len()) {
            return fault(format!("has {} grades; from {} to {} will do", shares.len(), grades.start(), grades.end()));
        }
        let sum: f64 = shares.iter().sum();
        if shares.iter().any(|share| !(0.0..=1.0).contains(share)) || (sum - 1.0).abs() > 1e-9 {
            return fault(format!("must have shares from 0 to 1 whose sum is 1, not {sum}"));
        }
        match means.iter().flatten().find(|mean| !mean.is_finite()) {
            Some(mean) => fault(format!("has the mean {mean}")),
            None => Ok(()),
        }
    }
}

impl Study for Converge {
    const KIND: &'static str = "converge";
    const SUMMARY: &'static str =
        "where measures go as the number of documents grows, and from when on the order of rankers holds";

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(!self.measures.is_empty(), "measures", "[]", "at least one measure")?;
        each_once("measures", &self.measures)?;
        ParamError::unless(self.step > 0, "step", self.step, "at least 1")?;
        ParamError::unless(self.trials > 0, "trials", self.trials, "at least 1")?;
        let most = format!("at most {MOST_DOCUMENTS}");
        ParamError::unless(self.documents <= MOST_DOCUMENTS, "documents", self.documents, &most)?;
        let rankings = (self.documents / self.step).saturating_mul(self.trials);
        let most = format!("so large that there are at most {MOST_RANKINGS} rankings (documents / step x trials)");
        ParamError::unless(rankings <= MOST_RANKINGS, "step", self.step, &most)?;
        let least = format!("at least one step ({})", self.step);
        ParamError::unless(self.documents >= self.step, "documents", self.documents, &least)?;
        let most = format!("at most the number of documents ({})", self.documents);
        ParamError::unless(self.from <= self.documents, "from", self.from, &most)?;
        match &self.systems {
            Some(systems) => {
                systems.check()?;
                let plain = Converge::default();
                let simulated =
                    [("angles", self.angles != plain.angles), ("population", self.population != plain.population)];
                if let Some((key, _)) = simulated.iter().find(|(_, given)| *given) {
                    return Err(ParamError::new(
                        key,
                        "belongs to the simulation; leave it out where there are `systems`",
                    ));
                }
            }
            None => {
                ParamError::unless(!self.angles.is_empty(), "angles", "[]", "at least one angle")?;
                for angle in &self.angles {
                    ParamError::unless(angle.is_finite(), "angles", angle, "numbers of degrees")?;
                }
                each_once("angles", &self.angles)?;
                self.check_population()?;
            }
        }
        conventions(&self.dialect, &self.conventions).map(|_| ())
    }

    fn measures(&self) -> Vec<MeasureSpec> {
        self.measures.clone()
    }

    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        let conventions = conventions(&self.dialect, &self.conventions)?;
        let grid = Grid { documents: self.documents, step: self.step, trials: self.trials };
        let mut findings = Findings::default();
        let mut remarks = Vec::new();
        let ranked = match &self.systems {
            None => None,
            Some(systems) => {
                let systems = systems.read(cx)?;
                findings.inputs = systems.inputs;
                remarks = systems.remarks;
                let Content::Rankings(ranked) = systems.content else {
                    let what = "convergence is about documents, not values: give `dataset` with `scores`";
                    return Err(StudyError::Input(what.to_owned()));
                };
                Some(ranked)
            }
        };
        let max_grade = ranked.as_ref().map_or(self.population.max_grade(), |ranked| ranked.max_grade);
        let evaluator = Evaluator::new(&self.measures, &conventions, max_grade, cx.seed().derive("ties"))?;
        let curves = match &ranked {
            None => Curves::of_simulation(&self.population, &self.angles, &grid, &evaluator, cx)?,
            Some(ranked) => Curves::of_systems(ranked, &grid, &evaluator, cx)?,
        };
        let rankers = counted(curves.rankers.len(), "ranker");
        findings.page.facts = vec![format!("{rankers}, {}, {}", curves.about, evaluator.names().join(", "))];
        findings.page.used.insert(format!("ties:{}", conventions.ties));
        tables::Shown::new(self, &evaluator, max_grade, &curves, &remarks)?.add_to(&mut findings);
        Ok(findings)
    }
}
