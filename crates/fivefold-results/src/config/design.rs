//! `repeats`, and the kinds of designed experiments: `learning-curve`, `ablation` and `selection`.
//!
//! ```toml
//! repeats = 5                    # seeds for each ranker that draws numbers; default 1
//! kind = "learning-curve"        # each ranker learns from nested samples of the training queries
//! [learning_curve]
//! shares = [0.1, 0.2, 0.5, 1.0]  # shares of the training queries of a fold
//! ```
//! ```toml
//! kind = "ablation"              # each ranker without each group of features, and with it alone
//! [ablation]
//! groups = ["BM25", "LMIR"]      # default: all groups that the data sets' collections are known to have
//! parts = ["without", "only"]    # default: both
//! ```
//! `kind = "selection"` is in `selection`.
//!
//! A designed experiment is an ordinary experiment with more rankers: `A` becomes `A_0.1`, `A_0.2` and
//! `A`, or `A without BM25` and `A only BM25`. The jobs of these rankers are those that a file with
//! these rankers would have.

use std::collections::BTreeSet;
use std::ops::Range;

use fivefold_analysis::design::{AblationMethod, CurveMethod, CurvePlace, Design};
use fivefold_base::words::list;
use fivefold_data::features::Pick;
use fivefold_data::{FeatureChoice, FeatureNames, descriptor};
use serde::{Deserialize, Serialize};

use super::dataset::DatasetConfig;
use super::error::Fault;
use super::ranker::{RankerConfig, ScoreSource};
use super::read::{Section, read};
use super::selection::Selection;
use crate::labels;
use crate::manifest::DatasetFacts;

/// The words after `kind =` in an experiment of rankers.
pub const DESIGN_KINDS: [&str; 3] = [CURVE, ABLATION, SELECTION];

const CURVE: &str = "learning-curve";
const ABLATION: &str = "ablation";
const SELECTION: &str = "selection";

/// The keys of this module at the top of a file.
pub(super) const KEYS: [&str; 5] = ["repeats", "kind", "learning_curve", "ablation", "selection"];

/// The most repeats.
const MOST_REPEATS: usize = 1000;
/// The most rankers of a designed experiment.
const MOST_RANKERS: usize = 2000;

/// Which rankers of an experiment belong together, and how often each is repeated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DesignConfig {
    /// Seeds for each ranker that draws numbers.
    pub repeats: usize,
    /// The rankers of each learning curve.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<CurveConfig>,
    /// The rankers of each ablation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ablations: Vec<AblationConfig>,
    /// The rankers of each selection of features.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selections: Vec<SelectionConfig>,
}

/// A learning curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveConfig {
    /// The label of the ranker in the file.
    pub name: String,
    /// Each share with its ranker, as an index.
    pub points: Vec<(f64, usize)>,
}

/// An ablation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AblationConfig {
    /// The label of the ranker in the file.
    pub name: String,
    /// The ranker with all features, as an index.
    pub full: usize,
    /// The parts.
    pub parts: Vec<AblationPart>,
}

/// A group of an ablation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AblationPart {
    /// The group.
    pub group: String,
    /// The ranker without the group.
    pub without: Option<usize>,
    /// The ranker with the group alone.
    pub only: Option<usize>,
}

/// A selection of features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectionConfig {
    /// The label of the ranker in the file.
    pub name: String,
    /// The ranker with all features, as an index.
    pub full: usize,
    /// The ranker that chooses its features, as an index.
    pub selected: usize,
}

impl Default for DesignConfig {
    fn default() -> Self {
        DesignConfig { repeats: 1, curves: Vec::new(), ablations: Vec::new(), selections: Vec::new() }
    }
}

/// `[learning_curve]`.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CurveSettings {
    shares: Vec<f64>,
}

impl Default for CurveSettings {
    fn default() -> Self {
        CurveSettings { shares: vec![0.05, 0.1, 0.2, 0.4, 0.7, 1.0] }
    }
}

/// `[ablation]`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AblationSettings {
    groups: Option<Vec<String>>,
    parts: Option<BTreeSet<Part>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Without,
    Only,
}

/// The number of training queries in a sample of this share: at least one.
pub fn sample_size(share: f64, queries: usize) -> usize {
    ((share * queries as f64).ceil() as usize).clamp(1, queries.max(1))
}

impl DesignConfig {
    /// Whether the experiment is an ordinary one.
    pub(super) fn is_plain(&self) -> bool {
        *self == DesignConfig::default()
    }

    /// Reads the keys, and puts the rankers of the design in place of those of the file. `spans` are
    /// the entries of the rankers.
    pub(super) fn read(
        file: &mut Section<'_>,
        datasets: &[DatasetConfig],
        rankers: &mut Vec<RankerConfig>,
        spans: &mut Vec<Range<usize>>,
    ) -> Result<Self, Fault> {
        let repeats_span = file.span_of("repeats");
        let repeats: usize = file.read("repeats")?.unwrap_or(1);
        if repeats == 0 || repeats > MOST_REPEATS {
            return Err(Fault::new(format!("`repeats` must be from 1 to {MOST_REPEATS}"), repeats_span));
        }
        let kind_span = file.span_of("kind");
        let kind: Option<String> = file.read("kind")?;
        let mut sections =
            [("learning_curve", CURVE), ("ablation", ABLATION), ("selection", SELECTION)].map(|(key, of)| {
                let span = file.span_of(key);
                (key, of, span, file.take(key))
            });
        for (key, of, span, section) in &sections {
            if section.is_some() && kind.as_deref() != Some(*of) {
                let message = format!("`{key}` has no effect without `kind = \"{of}\"`");
                return Err(Fault::new(message, span.clone()));
            }
        }
        let mut design = DesignConfig { repeats, ..DesignConfig::default() };
        let Some(kind) = kind else { return Ok(design) };
        let mut added = Added { rankers: Vec::new(), spans: Vec::new() };
        match kind.as_str() {
            CURVE => {
                let span = sections[0].3.as_ref().map_or(kind_span, |value| value.span());
                let settings: CurveSettings = sections[0].3.take().map(read).transpose()?.unwrap_or_default();
                let shares = settings.checked().map_err(|message| Fault::new(message, span))?;
                for (ranker, span) in rankers.iter().zip(spans.iter()) {
                    design.curves.push(curve(ranker, span, &shares, &mut added)?);
                }
            }
            ABLATION => {
                let span = sections[1].3.as_ref().map_or(kind_span, |value| value.span());
                let settings: AblationSettings = sections[1].3.take().map(read).transpose()?.unwrap_or_default();
                let groups =
                    settings.groups(datasets).map_err(|(message, help)| Fault::new(message, span).help(help))?;
                let parts = settings.parts.unwrap_or_else(|| BTreeSet::from([Part::Without, Part::Only]));
                for (ranker, span) in rankers.iter().zip(spans.iter()) {
                    design.ablations.push(ablation(ranker, span, &groups, &parts, &mut added)?);
                }
            }
            SELECTION => {
                let Some(section) = sections[2].3.take() else {
                    let fault = Fault::new("a selection needs its measure", kind_span);
                    return Err(fault.help("add [selection] with measure = \"ndcg@10\""));
                };
                let selection = Selection::read(Section::new(section, "`selection`")?)?;
                for (ranker, span) in rankers.iter().zip(spans.iter()) {
                    design.selections.push(select(ranker, span, &selection, &mut added)?);
                }
            }
            other => return Err(Fault::unknown("kind of experiment", other, kind_span, DESIGN_KINDS)),
        }
        if added.rankers.len() > MOST_RANKERS {
            let message =
                format!("the design has {} rankers, but at most {MOST_RANKERS} are allowed", added.rankers.len());
            return Err(Fault::new(message, 0..0));
        }
        (*rankers, *spans) = (added.rankers, added.spans);
        Ok(design)
    }

    /// The design as the tables need it.
    pub fn design(&self, datasets: &[DatasetFacts]) -> Design {
        let queries = |share: f64| -> Vec<f64> {
            let of_data = |facts: &DatasetFacts| {
                let of_folds = facts.folds.iter().map(|fold| sample_size(share, fold.train_queries) as f64);
                of_folds.sum::<f64>() / facts.folds.len().max(1) as f64
            };
            datasets.iter().map(of_data).collect()
        };
        let place = |&(share, method): &(f64, usize)| CurvePlace { share, method, queries: queries(share) };
        let curve = |curve: &CurveConfig| CurveMethod {
            name: curve.name.clone(),
            points: curve.points.iter().map(place).collect(),
        };
        let ablation = |ablation: &AblationConfig| AblationMethod {
            name: ablation.name.clone(),
            full: ablation.full,
            groups: ablation.parts.iter().map(|part| (part.group.clone(), part.without, part.only)).collect(),
        };
        Design {
            seeds: Vec::new(),
            curves: self.curves.iter().map(curve).collect(),
            ablations: self.ablations.iter().map(ablation).collect(),
        }
    }
}

/// The rankers of a design, with the entry of the file that each comes from.
struct Added {
    rankers: Vec<RankerConfig>,
    spans: Vec<Range<usize>>,
}

impl Added {
    fn add(&mut self, ranker: RankerConfig, span: &Range<usize>) -> Result<usize, Fault> {
        labels::check(&ranker.label)
            .map_err(|reason| Fault::new(format!("the label `{}` {reason}", ranker.label), span.clone()))?;
        self.rankers.push(ranker);
        self.spans.push(span.clone());
        Ok(self.rankers.len() - 1)
    }
}

impl CurveSettings {
    /// The shares in rising order.
    fn checked(self) -> Result<Vec<f64>, String> {
        let mut shares = self.shares;
        if let Some(wrong) = shares.iter().find(|share| !(**share > 0.0 && **share <= 1.0)) {
            return Err(format!("a share of the training queries must be above 0 and at most 1, not {wrong}"));
        }
        shares.sort_by(f64::total_cmp);
        if shares.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("`shares` names a share twice".to_owned());
        }
        if shares.len() < 2 {
            return Err("a learning curve needs two or more `shares`".to_owned());
        }
        Ok(shares)
    }
}

impl AblationSettings {
    /// The groups of the file, or all groups of the collections. The error has its advice.
    fn groups(&self, datasets: &[DatasetConfig]) -> Result<Vec<String>, (String, String)> {
        if let Some(groups) = &self.groups {
            return match groups.is_empty() {
                true => Err(("`groups` names no group".to_owned(), "leave it out for all groups".to_owned())),
                false => Ok(groups.clone()),
            };
        }
        let mut all: Option<Vec<String>> = None;
        for dataset in datasets {
            let names = known_names(dataset).ok_or_else(|| {
                let message = format!("the groups of features of data set `{}` are not known", dataset.label);
                (message, "name them: groups = [\"...\"] under [ablation]".to_owned())
            })?;
            let own: Vec<String> = names.groups().into_iter().map(str::to_owned).collect();
            if all.get_or_insert_with(|| own.clone()) != &own {
                let message = "the data sets have different groups of features".to_owned();
                return Err((message, "name those that all have: groups = [\"...\"] under [ablation]".to_owned()));
            }
        }
        Ok(all.unwrap_or_default())
    }
}

/// The names of a data set's features, as far as they are known without its files.
fn known_names(dataset: &DatasetConfig) -> Option<FeatureNames> {
    let own = dataset.source.feature_names.clone();
    let list = own.or_else(|| descriptor(dataset.source.name.as_deref()?).ok()?.feature_names.clone())?;
    FeatureNames::built_in(&list)
}

fn curve(ranker: &RankerConfig, span: &Range<usize>, shares: &[f64], added: &mut Added) -> Result<CurveConfig, Fault> {
    if !matches!(ranker.source, ScoreSource::Train { .. } | ScoreSource::Command(_)) {
        return Err(learns_nothing(ranker, span, CURVE));
    }
    if ranker.train_share.is_some() {
        let message = "`train_share` has no effect in a learning curve, which has `shares`";
        return Err(Fault::new(message, span.clone()));
    }
    let mut point = |share: f64| {
        let whole = share == 1.0;
        let label = if whole { ranker.label.clone() } else { format!("{}_{share}", ranker.label) };
        let share_of_it = (!whole).then_some(share);
        let ranker = with_parts(ranker, label, |ranker| ranker.train_share = share_of_it);
        Ok((share, added.add(ranker, span)?))
    };
    let points = shares.iter().map(|&share| point(share)).collect::<Result<_, Fault>>()?;
    Ok(CurveConfig { name: ranker.label.clone(), points })
}

/// The ranker with another label and a change, which the settings of its search have too.
fn with_parts(ranker: &RankerConfig, label: String, change: impl Fn(&mut RankerConfig)) -> RankerConfig {
    let mut ranker = RankerConfig { label, ..ranker.clone() };
    change(&mut ranker);
    for setting in ranker.tune.iter_mut().flat_map(|tune| &mut tune.settings) {
        setting.ranker.label.clone_from(&ranker.label);
        change(&mut setting.ranker);
    }
    ranker
}

fn ablation(
    ranker: &RankerConfig,
    span: &Range<usize>,
    groups: &[String],
    parts: &BTreeSet<Part>,
    added: &mut Added,
) -> Result<AblationConfig, Fault> {
    if !matches!(ranker.source, ScoreSource::Train { .. } | ScoreSource::Command(_)) {
        return Err(learns_nothing(ranker, span, ABLATION));
    }
    if ranker.features.is_some() {
        let message = "an ablation chooses the features of its rankers itself";
        return Err(Fault::new(message, span.clone()).help("leave out `features`"));
    }
    let full = added.add(ranker.clone(), span)?;
    let mut part = |part: Part, group: &String| {
        let pick = vec![Pick::Text(format!("group:{group}"))];
        let (word, choice) = match part {
            Part::Without => ("without", FeatureChoice::Without(pick)),
            Part::Only => ("only", FeatureChoice::Only(pick)),
        };
        let label = format!("{} {word} {group}", ranker.label);
        let ranker = with_parts(ranker, label, |ranker| ranker.features = Some(choice.clone()));
        parts.contains(&part).then(|| added.add(ranker, span)).transpose()
    };
    let of_group = |group: &String| {
        let (without, only) = (part(Part::Without, group)?, part(Part::Only, group)?);
        Ok(AblationPart { group: group.clone(), without, only })
    };
    let parts = groups.iter().map(of_group).collect::<Result<_, Fault>>()?;
    Ok(AblationConfig { name: ranker.label.clone(), full, parts })
}

fn select(
    ranker: &RankerConfig,
    span: &Range<usize>,
    selection: &Selection,
    added: &mut Added,
) -> Result<SelectionConfig, Fault> {
    if !matches!(ranker.source, ScoreSource::Train { .. } | ScoreSource::Command(_)) {
        return Err(learns_nothing(ranker, span, SELECTION));
    }
    let selected = selection.of(ranker, span)?;
    let (full, selected) = (added.add(ranker.clone(), span)?, added.add(selected, span)?);
    Ok(SelectionConfig { name: ranker.label.clone(), full, selected })
}

fn learns_nothing(ranker: &RankerConfig, span: &Range<usize>, kind: &str) -> Fault {
    let message = format!("`{}` learns nothing from features, so `kind = \"{kind}\"` cannot vary it", ranker.label);
    let help = format!("leave it out; kinds that learn nothing: {}", list(&["scores", "fusion"]));
    Fault::new(message, span.clone()).help(help)
}
