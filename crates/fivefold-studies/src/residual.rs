//! `kind = "residual"`: the gain that each system adds to systems that the user has seen before.
//!
//! ```toml
//! [systems]                          # see `systems`: qrels with runs, or dataset with scores
//! measures = ["ndcg@10"]             # any sums of gain x discount
//! order = "timestamp"                # by the time stamps in names; absent: by place in the input
//! groups = ["BM25__", "gpt-3.5"]     # beginnings of names; a group holds variants of a system
//! alpha = 1.0                        # the weight of rareness
//! dialect = "paper"                  # the dialect; [conventions] replaces single conventions
//! ```
//! Reading order: `utility` (gain and discount of a measure), `gain` (the residual gain),
//! `experiments` (which systems come before a system), `beside` (rareness-based precision and
//! TaSC), `compute` (all numbers), `tables`, `words`.

pub(crate) mod beside;
pub(crate) mod compute;
pub(crate) mod gain;
pub(crate) mod priors;
mod tables;
pub(crate) mod utility;
mod words;

use fivefold_core::ParamError;
use fivefold_metrics::{Conventions, MeasureSpec, Overrides, Undefined};
use serde::{Deserialize, Serialize};

use self::compute::{GainSettings, Numbers, UntiedSystems};
pub use self::priors::Order;
use self::priors::{chronology, group_of};
use crate::study::{Findings, Study, StudyContext, StudyError, conventions, each_once, facts};
use crate::systems::{Content, SystemsConfig};

/// The study of residual gain, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Residual {
    /// The source of the systems.
    pub systems: SystemsConfig,
    /// The measures.
    pub measures: Vec<MeasureSpec>,
    /// The rule by which a system is earlier than another.
    pub order: Order,
    /// Beginnings of names. A system belongs to the group with the longest beginning of its name.
    /// Empty for no grouped experiment.
    pub groups: Vec<String>,
    /// The weight of rareness in rareness-based precision, at least 0.
    pub alpha: f64,
    /// The dialect, whose conventions apply.
    pub dialect: String,
    /// Conventions that replace the dialect's. Ties and undefined values have rules of their own in
    /// this study.
    pub conventions: Overrides,
}

impl Default for Residual {
    fn default() -> Self {
        Residual {
            systems: SystemsConfig::default(),
            // A registered measure's name always parses.
            measures: "ndcg@10".parse().into_iter().collect(),
            order: Order::default(),
            groups: Vec::new(),
            alpha: 1.0,
            dialect: "paper".to_owned(),
            conventions: Overrides::default(),
        }
    }
}

impl Residual {
    fn conventions(&self) -> Result<Conventions, ParamError> {
        // A query without a gain has residual gain 0. So an undefined value of the measure counts
        // as 0 too.
        let undefined = Some(Undefined::Zero);
        conventions(&self.dialect, &Overrides { undefined, ..self.conventions.clone() })
    }
}

impl Study for Residual {
    const KIND: &'static str = "residual";
    const SUMMARY: &'static str =
        "the gain of each system over systems that the user has already seen (normalised residual gain)";

    fn check(&self) -> Result<(), ParamError> {
        self.systems.check()?;
        ParamError::unless(!self.measures.is_empty(), "measures", "[]", "at least one measure")?;
        each_once("measures", &self.measures)?;
        each_once("groups", &self.groups)?;
        ParamError::unless(self.alpha.is_finite() && self.alpha >= 0.0, "alpha", self.alpha, "a number of at least 0")?;
        let Overrides { ties, undefined, .. } = self.conventions;
        if ties.is_some() || undefined.is_some() {
            let what =
                "may not set `ties` or `undefined`: a ranking has one order here, and undefined values count as 0";
            return Err(ParamError::new("conventions", what));
        }
        self.conventions().map(|_| ())
    }

    fn measures(&self) -> Vec<MeasureSpec> {
        self.measures.clone()
    }

    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        let input = self.systems.read(cx)?;
        let Content::Rankings(systems) = input.content else {
            let what =
                "residual gain is about documents, not values: give `qrels` with `runs`, or `dataset` with `scores`";
            return Err(StudyError::Input(what.to_owned()));
        };
        let chronology = chronology(&systems.names, self.order)?;
        let groups = match self.groups.as_slice() {
            [] => None,
            groups => Some(group_of(&systems.names, groups)?),
        };
        let conventions = self.conventions()?;
        let ranked = UntiedSystems::new(systems)?;
        let settings = GainSettings {
            conventions: &conventions,
            chronology: &chronology,
            groups: groups.as_deref().map(|of| (of, self.groups.len())),
            alpha: self.alpha,
        };
        let systems = &ranked.systems;
        let shown = tables::Shown { systems, settings: &settings, groups: &self.groups, remarks: &input.remarks };
        let mut findings = Findings { inputs: input.inputs, ..Findings::default() };
        let mut all = Vec::with_capacity(self.measures.len());
        for (done, spec) in self.measures.iter().enumerate() {
            cx.step(done as u64, self.measures.len() as u64)?;
            let numbers = Numbers::of(&ranked, spec, &settings)?;
            shown.add(spec, &numbers, &mut findings)?;
            findings.page.findings.push(words::of_measure(&systems.names, &spec.to_string(), &numbers)?);
            all.push((spec.to_string(), numbers));
        }
        let measures: Vec<&str> = all.iter().map(|(measure, _)| measure.as_str()).collect();
        findings.page.facts = vec![facts(systems.names.len(), systems.queries.len(), &measures)];
        tables::add_per_query(systems, &all, &mut findings);
        Ok(findings)
    }
}
