//! `[ranker.tune]`: a search for the parameters of a ranker, by a measure on validation parts.
//!
//! ```toml
//! [ranker.tune]
//! method = "grid"             # or "random", with `draws`, or "halving"
//! measure = "ndcg@10"         # any measure in any version
//! per = "fold"                # or "data-set": one setting for all folds
//! stop_on = "validation"      # or "split": early stopping and the choice have half of it each
//! normalise = ["none", { method = "z-score", over = "query" }]
//! [ranker.tune.params]
//! leaves = [5, 10, 31]
//! learning_rate = { low = 0.01, high = 0.3, scale = "log", steps = 4 }
//! ```
//! All settings of a search are known when the file has been read. A grid goes through the
//! parameters in the order of the file, the last of them fastest. Random draws come from the seed of
//! the experiment, the label of the ranker, the number of the draw and the name of the parameter. So
//! more draws or another parameter leave the earlier draws as they are.
//!
//! Successive halving (Jamieson and Talwalkar 2016) tries all settings with few trees, rounds or
//! epochs, and the best share of them again with more, rung by rung.

mod space;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use fivefold_base::words::counted;
use fivefold_core::Seed;
use fivefold_data::{FeatureChoice, Normaliser};
use fivefold_metrics::MeasureSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Fault;
use super::forward::Forward;
use super::limits::JobLimits;
use super::ranker::{RankerConfig, ScoreSource};
use super::read::{Section, read};
use super::values::{MOST_CANDIDATES, NORMALISE, value_words};
use space::{Dimension, Item};

/// A search for the parameters of a ranker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneConfig {
    /// How the settings were made.
    pub method: SearchMethod,
    /// The measure on the validation part.
    pub measure: MeasureSpec,
    /// The folds that share a choice.
    pub per: Per,
    /// The queries on which a fit may stop early, and those on which it is measured.
    pub stop_on: StopOn,
    /// The names of the parameters that differ between settings, in the order of the file.
    pub names: Vec<String>,
    /// The settings, in the order in which they are tried. With halving, these are the settings of
    /// the first rung, then those of the second, and so on, each time all settings in the same
    /// order.
    pub settings: Vec<Setting>,
    /// The rungs of successive halving. `None` for other methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halving: Option<Halving>,
    /// The selection of features, for `kind = "selection"`. There is one setting, and the candidates
    /// are sets of features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward: Option<Forward>,
}

/// The rungs of successive halving.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Halving {
    /// The parameter that grows from rung to rung.
    pub over: String,
    /// The value of this parameter in each rung. The last is the ranker's own value.
    pub budgets: Vec<u64>,
    /// How many settings are tried in each rung.
    pub places: Vec<usize>,
}

/// How the settings of a search are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchMethod {
    /// All combinations.
    Grid,
    /// Seeded draws.
    Random,
    /// Successive halving of a grid, or of seeded draws.
    Halving,
}

/// The folds that share a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// Each fold has its own choice, by its own validation part.
    #[default]
    Fold,
    /// All folds have one choice, by the mean over their validation parts.
    DataSet,
}

/// The queries on which a fit may stop early, and those on which it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopOn {
    /// The validation part for both, as is the custom with LETOR collections.
    #[default]
    Validation,
    /// The first, third, fifth... query of the validation part for early stopping, and the others
    /// for the choice.
    Split,
}

/// One setting of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The values of the parameters that differ between settings, by name.
    pub values: BTreeMap<String, Value>,
    /// The ranker at this setting.
    pub ranker: RankerConfig,
}

/// Parameters whose fits take longer if the number is larger. The tie rule needs them.
const COSTLY: [&str; 11] = [
    "bags",
    "trees",
    "rounds",
    "epochs",
    "max_iterations",
    "leaves",
    "hidden",
    "restarts",
    "passes",
    "steps",
    "thresholds",
];

impl Setting {
    /// The cost by which settings of equal value are ordered: the product of the numbers of trees,
    /// rounds, epochs, leaves, hidden units and so on. It is no time, but it orders settings alike
    /// on every machine.
    pub fn cost(&self) -> f64 {
        let params = match &self.ranker.source {
            ScoreSource::Train { params, .. } => params.clone(),
            _ => json!(self.values),
        };
        let number = |value: &Value| match value {
            // Layers of a network: without a hidden unit, a network still has its output.
            Value::Array(layers) => Some(1.0 + layers.iter().filter_map(Value::as_f64).sum::<f64>()),
            other => other.as_f64().filter(|number| *number > 0.0),
        };
        COSTLY.iter().filter_map(|name| params.get(*name).and_then(number)).product()
    }

    /// What tells this setting apart from all other settings of rankers of this kind.
    pub fn identity(&self) -> Value {
        match &self.ranker.source {
            ScoreSource::Train { params, .. } => json!([params, self.ranker.normalise]),
            ScoreSource::Command(command) => json!([command.argv, self.ranker.normalise]),
            ScoreSource::Scores(_) | ScoreSource::Fusion(_) => json!([]),
        }
    }

    /// The values in words: `leaves = 5, learning_rate = 0.1`.
    pub fn words(&self, names: &[String]) -> String {
        let word = |name: &String| Some(format!("{name} = {}", value_words(self.values.get(name)?)));
        names.iter().filter_map(word).collect::<Vec<_>>().join(", ")
    }
}

impl TuneConfig {
    /// The number of settings of a rung before any is left out. Without halving, of the search.
    pub fn width(&self) -> usize {
        self.settings.len() / self.halving.as_ref().map_or(1, |halving| halving.budgets.len())
    }

    /// The search in a sentence, without the label of its ranker.
    pub fn words(&self) -> String {
        let tried = match self.method {
            _ if self.forward.is_some() => self.forward.as_ref().map_or_else(String::new, Forward::words),
            SearchMethod::Grid => counted(self.settings.len(), "setting of a grid"),
            SearchMethod::Random => counted(self.settings.len(), "drawn setting"),
            SearchMethod::Halving => self.words_of_rungs(),
        };
        let per = match self.per {
            Per::Fold => "each fold chose by its own validation part",
            Per::DataSet => {
                "all folds share the setting with the highest mean over the validation parts; a validation part of one \
                 fold may be the test part of another"
            }
        };
        let stop = match self.stop_on {
            StopOn::Validation => {
                "fits that stop early did so on the same queries, so the values of the search are optimistic"
            }
            StopOn::Split => "fits that stop early did so on the other half of the validation part's queries",
        };
        match self.forward {
            Some(_) => format!("features chosen by {} in {tried}; {per}; {stop}", self.measure),
            None => format!("tuned by {} over {tried}; {per}; {stop}", self.measure),
        }
    }

    /// The rungs of successive halving in words.
    fn words_of_rungs(&self) -> String {
        let Some(Halving { over, budgets, places }) = &self.halving else { return String::new() };
        let rungs = places.iter().zip(budgets).map(|(places, budget)| format!("{places} with {over} = {budget}"));
        format!("{} by successive halving ({})", counted(self.width(), "setting"), rungs.collect::<Vec<_>>().join(", "))
    }
}

/// A function that reads the parameters of a kind of ranker.
pub(super) type ReadSource<'r> = dyn Fn(Section<'_>) -> Result<ScoreSource, Fault> + 'r;

/// The parts of a `[[ranker]]` on which its search depends.
pub(super) struct Base<'b, 'i> {
    pub(super) label: &'b str,
    pub(super) kind: &'b str,
    /// The source that the fixed parameters alone give. `None` if they lack a parameter.
    pub(super) fixed: Option<&'b ScoreSource>,
    pub(super) normalise: Normaliser,
    pub(super) features: Option<&'b FeatureChoice>,
    pub(super) train_share: Option<f64>,
    pub(super) limits: JobLimits,
    /// The fixed parameters.
    pub(super) params: &'b Spanned<DeTable<'i>>,
    /// The seed of the experiment.
    pub(super) seed: Seed,
    /// Reads parameters of this kind of ranker.
    pub(super) source: &'b ReadSource<'b>,
}

pub(super) const KEYS: [&str; 10] =
    ["method", "measure", "per", "stop_on", "normalise", "params", "draws", "over", "factor", "rungs"];

/// The keys of a range of values.
pub(super) fn range_keys() -> &'static [&'static str] {
    space::range_keys()
}

/// The keys of successive halving.
const OF_HALVING: [&str; 3] = ["over", "factor", "rungs"];

/// The parameters over which halving goes, if `over` names none.
const GROWING: [&str; 4] = ["trees", "bags", "rounds", "epochs"];

/// `over`, `factor` and `rungs`, as they are read.
struct Rungs {
    over: Option<String>,
    over_span: Range<usize>,
    factor: u64,
    count: usize,
}

impl TuneConfig {
    pub(super) fn read(mut section: Section<'_>, base: &Base<'_, '_>) -> Result<Self, Fault> {
        let span = section.span();
        let draws_span = section.span_of("draws");
        let method: SearchMethod = section.require("method", "this search")?.0;
        let (measure, measure_span): (String, _) = section.require("measure", "this search")?;
        let measure: MeasureSpec =
            measure.parse().map_err(|error| Fault::with_advice(&format!("{error}"), measure_span))?;
        let per = section.read("per")?.unwrap_or_default();
        let stop_on = section.read("stop_on")?.unwrap_or_default();
        let draws: Option<usize> = section.read("draws")?;
        let rungs = Rungs::read(&mut section, method)?;
        let normalise = section.take("normalise");
        let params = section.take("params").map(|value| Section::new(value, "`params`")).transpose()?;
        section.finish(&KEYS)?;
        let dimensions = dimensions(params, normalise, base)?;
        if dimensions.is_empty() {
            let fault = Fault::new("the search has no parameter: its grid is empty", span);
            return Err(fault.help("give lists of values: [ranker.tune.params] leaves = [5, 10, 31]"));
        }
        let points = match (method, draws) {
            (SearchMethod::Grid | SearchMethod::Halving, None) => grid(&dimensions, &span)?,
            (SearchMethod::Grid, Some(_)) => {
                let fault = Fault::new("`draws` has no effect on a grid, which tries all combinations", draws_span);
                return Err(fault.help("leave out `draws`, or write method = \"random\""));
            }
            (SearchMethod::Random, None) => {
                return Err(Fault::new("a random search needs `draws`", span).help("for instance draws = 20"));
            }
            (SearchMethod::Random | SearchMethod::Halving, Some(draws)) => {
                random(&dimensions, draws, &draws_span, base)?
            }
        };
        let names: Vec<String> = dimensions.iter().map(|dimension| dimension.name.clone()).collect();
        let mut settings: Vec<Setting> = Vec::with_capacity(points.len());
        let mut known = BTreeSet::new();
        let mut kept = Vec::with_capacity(points.len());
        for point in points {
            let setting = setting(&dimensions, &point, base, None)?;
            match known.insert(setting.identity().to_string()) {
                true => {
                    settings.push(setting);
                    kept.push(point);
                }
                // A draw from lists may come twice.
                false if draws.is_some() => {}
                false => {
                    let message = format!("the grid has the setting `{}` twice", setting.words(&names));
                    return Err(Fault::new(message, span).help("leave out the second of two equal values"));
                }
            }
        }
        let mut tune = TuneConfig { method, measure, per, stop_on, names, settings, halving: None, forward: None };
        if let Some(rungs) = rungs {
            rungs.put_into(&mut tune, &dimensions, &kept, base, &span)?;
        }
        Ok(tune)
    }
}

impl Rungs {
    /// Reads the keys of halving. `None` for another method, where they have no effect.
    fn read(section: &mut Section<'_>, method: SearchMethod) -> Result<Option<Self>, Fault> {
        let (any, over_span) = (section.first_span(&OF_HALVING), section.span_of("over"));
        let (factor_span, rungs_span) = (section.span_of("factor"), section.span_of("rungs"));
        let (over, factor, count) = (section.read("over")?, section.read("factor")?, section.read("rungs")?);
        if let (Some(span), true) = (any, method != SearchMethod::Halving) {
            let message = "`over`, `factor` and `rungs` belong to method = \"halving\", and have no effect here";
            return Err(Fault::new(message, span));
        }
        let (factor, count) = (factor.unwrap_or(3), count.unwrap_or(3));
        if !(2..=100).contains(&factor) {
            return Err(Fault::new(format!("`factor` must be between 2 and 100, not {factor}"), factor_span));
        }
        if !(2..=10).contains(&count) {
            return Err(Fault::new(format!("`rungs` must be between 2 and 10, not {count}"), rungs_span));
        }
        Ok((method == SearchMethod::Halving).then_some(Rungs { over, over_span, factor, count }))
    }

    /// Gives a search its rungs: all settings at each value of the parameter that grows.
    fn put_into(
        &self,
        tune: &mut TuneConfig,
        dimensions: &[Dimension<'_>],
        points: &[Point<'_>],
        base: &Base<'_, '_>,
        span: &Range<usize>,
    ) -> Result<(), Fault> {
        let params = match &tune.settings[0].ranker.source {
            ScoreSource::Train { params, .. } => params.clone(),
            _ => {
                let message = "halving needs a ranker of this program, whose trees, rounds or epochs can be set";
                return Err(Fault::new(message, span.clone()));
            }
        };
        let known: Vec<&str> = match &self.over {
            Some(over) => vec![over],
            None => GROWING.to_vec(),
        };
        let found = known.iter().find_map(|name| Some(((*name).to_owned(), params.get(*name)?.as_u64()?)));
        let Some((over, full)) = found else {
            let message = match &self.over {
                Some(over) => format!("`{}` has no parameter `{over}` that is a whole number", base.kind),
                None => format!("`{}` has no trees, rounds or epochs, so that halving needs `over`", base.kind),
            };
            return Err(Fault::new(message, self.over_span.clone()));
        };
        if tune.names.contains(&over) {
            let message =
                format!("`{over}` grows from rung to rung, so it cannot be among the parameters of the search");
            return Err(Fault::new(message, self.over_span.clone()));
        }
        let power = |rung: usize| self.factor.saturating_pow(u32::try_from(rung).unwrap_or(u32::MAX));
        let budgets: Vec<u64> = (0..self.count).rev().map(|left| (full / power(left)).max(1)).collect();
        if budgets.windows(2).any(|pair| pair[0] >= pair[1]) {
            let message =
                format!("{full} is too small for {} rungs of factor {}: {over} = {budgets:?}", self.count, self.factor);
            return Err(Fault::new(message, span.clone()).help(format!("give more `{over}`, or fewer `rungs`")));
        }
        let share = |rung: usize| points.len().div_ceil(usize::try_from(power(rung)).unwrap_or(usize::MAX));
        let places: Vec<usize> = (0..self.count).map(share).collect();
        check_count(points.len().checked_mul(self.count), span)?;
        tune.settings.clear();
        for budget in &budgets {
            for point in points {
                tune.settings.push(setting(dimensions, point, base, Some((&over, *budget)))?);
            }
        }
        tune.names.push(over.clone());
        tune.halving = Some(Halving { over, budgets, places });
        Ok(())
    }
}

/// The parameters of a search with their values, in the order of the file.
fn dimensions<'i>(
    params: Option<Section<'i>>,
    normalise: Option<Spanned<DeValue<'i>>>,
    base: &Base<'_, '_>,
) -> Result<Vec<Dimension<'i>>, Fault> {
    let mut dimensions = Vec::new();
    if let Some(params) = params {
        for (key, value) in params.into_table().into_inner() {
            let name = key.get_ref().as_ref();
            if base.params.get_ref().contains_key(name) {
                let fault = Fault::new(format!("`{name}` has a value in `params` too"), key.span());
                return Err(fault.help(format!("leave out `{name}` here or there")));
            }
            dimensions.push(Dimension::read(key, value)?);
        }
    }
    dimensions.sort_by_key(|dimension| dimension.place.start);
    if let Some(value) = normalise {
        let key = Spanned::new(value.span(), NORMALISE.into());
        dimensions.insert(0, Dimension::read(key, value)?);
    }
    Ok(dimensions)
}

/// A value of each dimension.
type Point<'i> = Vec<Item<'i>>;

fn grid<'i>(dimensions: &[Dimension<'i>], span: &Range<usize>) -> Result<Vec<Point<'i>>, Fault> {
    let lists = dimensions.iter().map(Dimension::listed).collect::<Result<Vec<_>, _>>()?;
    let count = lists.iter().try_fold(1usize, |product, list| product.checked_mul(list.len()));
    check_count(count, span)?;
    let empty: Vec<Point<'i>> = vec![Vec::new()];
    let with = |points: Vec<Point<'i>>, list: &Vec<Item<'i>>| {
        let longer = |point: &Point<'i>| {
            list.iter().map(|value| [point.clone(), vec![value.clone()]].concat()).collect::<Vec<_>>()
        };
        points.iter().flat_map(longer).collect()
    };
    Ok(lists.iter().fold(empty, with))
}

fn random<'i>(
    dimensions: &[Dimension<'i>],
    draws: usize,
    span: &Range<usize>,
    base: &Base<'_, '_>,
) -> Result<Vec<Point<'i>>, Fault> {
    if draws == 0 {
        return Err(Fault::new("`draws` must be 1 or more", span.clone()));
    }
    check_count(Some(draws), span)?;
    let seed = base.seed.derive("tune").derive(base.label);
    let point = |number: usize| {
        let seed = seed.derive_index("draw", number as u64);
        dimensions.iter().map(|dimension| dimension.drawn(seed.derive(&dimension.name))).collect()
    };
    Ok((0..draws).map(point).collect())
}

/// Refuses a search with more settings than an experiment may have jobs.
fn check_count(count: Option<usize>, span: &Range<usize>) -> Result<(), Fault> {
    match count {
        Some(count) if count <= MOST_CANDIDATES => Ok(()),
        count => {
            let number = count.map_or("more than 2^64".to_owned(), |count| count.to_string());
            let message = format!("the search has {number} settings, more than {MOST_CANDIDATES}");
            Err(Fault::new(message, span.clone()).help("give fewer values, or write method = \"random\" with `draws`"))
        }
    }
}

/// The ranker at a point of the search, with a parameter that grows from rung to rung.
fn setting(
    dimensions: &[Dimension<'_>],
    point: &Point<'_>,
    base: &Base<'_, '_>,
    rung: Option<(&str, u64)>,
) -> Result<Setting, Fault> {
    let number = rung.map(|(_, budget)| budget.to_string());
    let mut params = DeTable::new();
    for (key, value) in base.params.get_ref() {
        params.insert(key.clone(), value.clone());
    }
    let mut values = BTreeMap::new();
    let mut normalise = base.normalise;
    for (dimension, item) in dimensions.iter().zip(point) {
        let value = item.value()?;
        if dimension.name == NORMALISE {
            normalise = normaliser(value)?;
            values.insert(NORMALISE.to_owned(), json!(normalise));
        } else {
            values.insert(dimension.name.clone(), read(value.clone())?);
            params.insert(dimension.key(), value);
        }
    }
    if let (Some((over, budget)), Some(number)) = (rung, &number) {
        let parsed = DeValue::parse(number)?;
        params.insert(Spanned::new(0..0, over.to_owned().into()), parsed);
        values.insert(over.to_owned(), json!(budget));
    }
    let place = dimensions.first().map_or(0..0, |dimension| dimension.place.clone());
    let source = match base.fixed {
        // The arguments are filled in. All other parameters of a command stay.
        Some(ScoreSource::Command(command)) => {
            let filled = command.with_params(&values).map_err(|message| Fault::new(message, place))?;
            ScoreSource::Command(filled)
        }
        _ => (base.source)(Section::of_table(Spanned::new(base.params.span(), params)))?,
    };
    let (label, kind, limits) = (base.label.to_owned(), base.kind.to_owned(), base.limits);
    let features = base.features.cloned();
    let ranker =
        RankerConfig { label, kind, source, normalise, features, train_share: base.train_share, limits, tune: None };
    Ok(Setting { values, ranker })
}

/// A normaliser of the list, which may be a word alone: `"none"`, `"z-score"`.
fn normaliser(value: Spanned<DeValue<'_>>) -> Result<Normaliser, Fault> {
    if value.get_ref().is_str() {
        return Ok(Normaliser { method: read(value)?, ..Normaliser::default() });
    }
    read(value)
}
