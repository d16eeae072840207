//! `kind = "selection"`: forward selection of features, by a measure on validation parts.
//!
//! ```toml
//! kind = "selection"
//! [selection]
//! measure = "ndcg@10"         # any measure in any version
//! from = "features"           # each feature by itself; or "groups", or a list [1, "11-15", "group:BM25"]
//! max = 10                    # the most of them that enter
//! stop_on = "validation"      # or "split", as in `tune`
//! ```
//! The ranker `A` becomes `A`, with all features, and `A selected`. The second is a tuned ranker whose
//! candidates are sets of features: in each step, each feature that is not yet chosen is added to
//! those that the step before chose.

use std::collections::BTreeMap;
use std::ops::Range;

use fivefold_metrics::MeasureSpec;
use serde_json::json;

use super::error::Fault;
use super::forward::{Each, FEATURES, Forward, Units};
use super::ranker::RankerConfig;
use super::read::Section;
use super::tune::{Per, SearchMethod, Setting, StopOn, TuneConfig};

/// `[selection]`, as it is read.
pub(super) struct Selection {
    measure: MeasureSpec,
    stop_on: StopOn,
    forward: Forward,
}

pub(super) const KEYS: [&str; 4] = ["measure", "from", "max", "stop_on"];

/// The most features that enter, if `max` does not say.
const DEFAULT_MAX: usize = 10;

impl Selection {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Fault> {
        let (from_span, max_span) = (section.span_of("from"), section.span_of("max"));
        let (measure, measure_span): (String, _) = section.require("measure", "this selection")?;
        let measure: MeasureSpec =
            measure.parse().map_err(|error| Fault::with_advice(&format!("{error}"), measure_span))?;
        let from: Units = section.read("from")?.unwrap_or(Units::Each(Each::Features));
        let max = section.read("max")?.unwrap_or(DEFAULT_MAX);
        let stop_on = section.read("stop_on")?.unwrap_or_default();
        section.finish(&KEYS)?;
        if max == 0 {
            return Err(Fault::new("`max` must be 1 or more", max_span));
        }
        if let Units::Listed(list) = &from {
            if list.is_empty() {
                return Err(Fault::new("`from` names no feature: nothing can be selected", from_span));
            }
            let twice = list.iter().enumerate().find(|(place, pick)| list[..*place].contains(pick));
            if let Some((_, pick)) = twice {
                return Err(Fault::new(format!("`from` has the entry {} twice", json!(pick)), from_span));
            }
        }
        Ok(Selection { measure, stop_on, forward: Forward { from, max } })
    }

    /// The ranker that chooses its features.
    pub(super) fn of(&self, ranker: &RankerConfig, span: &Range<usize>) -> Result<RankerConfig, Fault> {
        if ranker.features.is_some() {
            let message = "a selection chooses the features of its rankers itself";
            return Err(Fault::new(message, span.clone()).help("leave out `features`"));
        }
        if ranker.tune.is_some() {
            let message = "a selection chooses features for fixed parameters, so `tune` has no place in it";
            let help = "give the parameters fixed values in `params`; a tuned ranker may have `features` in an ordinary \
                        experiment";
            return Err(Fault::new(message, span.clone()).help(help));
        }
        let ranker = RankerConfig { label: format!("{} selected", ranker.label), ..ranker.clone() };
        let setting = Setting { values: BTreeMap::new(), ranker: ranker.clone() };
        let tune = TuneConfig {
            method: SearchMethod::Grid,
            measure: self.measure.clone(),
            per: Per::Fold,
            stop_on: self.stop_on,
            names: vec![FEATURES.to_owned()],
            settings: vec![setting],
            halving: None,
            forward: Some(self.forward.clone()),
        };
        Ok(RankerConfig { tune: Some(Box::new(tune)), ..ranker })
    }
}
