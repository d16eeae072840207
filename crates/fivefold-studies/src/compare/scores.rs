//! The input: values per query. Every system gets a number for every query that counts.
//!
//! An undefined value (NaN) becomes 0 or 1, or its query is left out for all systems and measures.
//! The convention `undefined` decides, and the undefined values are counted. Systems are joined by
//! query id when they are read ([`crate::systems`]).

use std::collections::{BTreeMap, BTreeSet};

use fivefold_base::words::nearest;
use fivefold_base::words::{counted, which};
use fivefold_core::Seed;
use fivefold_data::per_query::{Remark, SystemValues};
use fivefold_metrics::conventions::MissingTopics;
use fivefold_metrics::{Conventions, MeasureSpec, Undefined, dialect, settle, spelling};
use fivefold_results::Results;
use fivefold_stats::Moments;

use super::Compare;
use super::classes::{Class, Original};
use crate::study::{Input, StudyContext, StudyError, conventions};
use crate::systems::computed::differences;
use crate::systems::{Bounds, Computed, Content, RankedSystems, SystemsConfig};

/// The default measures of rankings.
const DEFAULT_MEASURES: [&str; 3] = ["ndcg@10", "ap", "rr"];

/// The scores of one data set.
#[derive(Debug, Clone)]
pub struct Scores {
    /// The name.
    pub label: String,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Number of queries that count.
    pub queries: usize,
    /// Number of queries with an undefined value. Such queries are left out or count, by the
    /// convention `undefined`.
    pub undefined: usize,
    /// Ids of the queries that count.
    pub query_ids: Vec<String>,
    /// Classes of the queries; empty without the setting `classes`.
    pub classes: Vec<Class>,
    /// The measures, each with its cutoffs.
    pub measures: Vec<ScoredMeasure>,
    /// Number of the system with which every other system is compared; `None` for all pairs.
    pub baseline: Option<usize>,
    /// The conventions under which the values were computed, where known.
    pub computed: Vec<Computed>,
    /// Warnings, a line each. The notes have them too.
    pub warnings: Vec<String>,
    /// Remarks for a reader: conventions, policies with counts, remarks on the input.
    pub notes: Vec<String>,
    /// The notes on the documents of a run that are not judged, each with the number of documents.
    pub unjudged: BTreeMap<String, usize>,
    /// Means of A, E and U of measures that were given with E.
    pub bounds: Vec<Bounds>,
}

/// One measure.
#[derive(Debug, Clone)]
pub struct ScoredMeasure {
    /// The name without a cutoff.
    pub name: String,
    /// The measure itself, if fivefold has a measure of this name. Values of other programs have
    /// names of their own.
    pub spec: Option<MeasureSpec>,
    /// A column for each cutoff, or a single column.
    pub columns: Vec<Column>,
}

/// A measure at a cutoff.
#[derive(Debug, Clone)]
pub struct Column {
    /// The whole name.
    pub name: String,
    /// The measure itself, if fivefold has a measure of this name.
    pub spec: Option<MeasureSpec>,
    /// `[system][query]`, all finite.
    pub values: Vec<Vec<f64>>,
    /// `[system][query]`: whether the value was undefined, and a policy replaced it.
    pub undefined: Vec<Vec<bool>>,
}

impl ScoredMeasure {
    /// The score of each system: its mean over queries, then over cutoffs.
    pub fn means(&self) -> Vec<f64> {
        let columns: Vec<Vec<f64>> = self.columns.iter().map(Column::means).collect();
        let systems = columns.first().map_or(0, Vec::len);
        let of = |system: usize| columns.iter().map(|means| means[system]).sum::<f64>() / columns.len() as f64;
        (0..systems).map(of).collect()
    }
}

impl Column {
    /// The mean of each system.
    pub fn means(&self) -> Vec<f64> {
        self.values.iter().map(|values| Moments::of(values).mean).collect()
    }
}

/// A data set with the files that it was read from.
pub(crate) struct Read {
    pub(crate) scores: Scores,
    pub(crate) inputs: Vec<Input>,
}

/// Reads the data sets.
pub(crate) fn read(study: &Compare, cx: &StudyContext<'_>) -> Result<Vec<Read>, StudyError> {
    let mut sources = Vec::new();
    if study.dataset.is_empty() {
        sources.extend(each_dataset(None, &study.systems, cx)?);
    }
    for dataset in &study.dataset {
        sources.extend(each_dataset(Some(&dataset.label), &dataset.systems, cx)?);
    }
    sources.iter().map(|(label, source)| one(study, label, source, cx)).collect()
}

/// A warning that names the conventions in which the compared data sets differ.
pub(super) fn differences_across(all: &[&Scores]) -> Option<String> {
    differences(&all.iter().flat_map(|scores| &scores.computed).collect::<Vec<_>>())
}

/// The data sets of a source. A results folder may hold several.
fn each_dataset(
    label: Option<&str>,
    source: &SystemsConfig,
    cx: &StudyContext<'_>,
) -> Result<Vec<(String, SystemsConfig)>, StudyError> {
    if let (Some(folder), None) = (&source.results, &source.results_dataset) {
        let results = Results::load(&cx.find(folder)?)?;
        let names = results.evaluation.datasets.into_iter().map(|dataset| dataset.name);
        let named = |name: String| {
            let full = label.map_or_else(|| name.clone(), |label| format!("{label} ({name})"));
            (full, SystemsConfig { results_dataset: Some(name), ..source.clone() })
        };
        return Ok(names.map(named).collect());
    }
    let label = label.map_or_else(|| source.results_dataset.clone().unwrap_or_default(), str::to_owned);
    Ok(vec![(label, source.clone())])
}

fn one(study: &Compare, label: &str, source: &SystemsConfig, cx: &StudyContext<'_>) -> Result<Read, StudyError> {
    let mut read = source.read(cx)?;
    let conventions = conventions(&study.dialect, &study.conventions)?;
    if let (Content::Rankings(ranked), MissingTopics::Skip) = (&mut read.content, conventions.missing_topics) {
        read.remarks.extend(leave_out_missing(ranked));
    }
    let (values, mut notes) = values(&read.content, study, &conventions, cx.seed())?;
    notes.extend(read.remarks);
    let ids = values.queries.clone();
    let mut scores = Scores::of(label, values, conventions.undefined, study.against.as_deref(), notes)?;
    scores.unjudged = read.unjudged;
    scores.bounds = read.bounds;
    scores.computed = match &read.content {
        Content::Values(_) => read.computed,
        Content::Rankings(_) => {
            let source = if label.is_empty() { "rankings".to_owned() } else { format!("rankings of {label}") };
            vec![Computed { source, lines: Vec::new(), conventions: conventions.clone() }]
        }
    };
    let otherwise = |own: &Computed| own.otherwise_here(conventions.undefined, scores.undefined > 0);
    let own = differences(&scores.computed.iter().collect::<Vec<_>>());
    let warnings: Vec<String> = own.into_iter().chain(scores.computed.iter().filter_map(otherwise)).collect();
    warnings.into_iter().for_each(|warning| scores.warn(warning));
    let mut inputs = read.inputs;
    if study.classes.any() {
        let original = match &read.content {
            Content::Rankings(ranked) if study.classes.sets.is_some() => {
                Some(original(ranked, &ids, &scores, study.classes.by(&scores)?, &conventions, cx.seed())?)
            }
            _ => None,
        };
        let classed = study.classes.of(&scores, conventions.undefined, original.as_ref(), cx)?;
        scores.notes.extend(classed.notes);
        scores.classes = classed.classes;
        inputs.extend(classed.input);
    }
    Ok(Read { scores, inputs })
}

/// Leaves out, for all runs, the topics that any run lacks, because runs are compared topic by
/// topic.
fn leave_out_missing(ranked: &mut RankedSystems) -> Option<String> {
    let all = ranked.queries.len();
    ranked.queries.retain(|query| query.lists.iter().all(Option::is_some));
    let without = all - ranked.queries.len();
    let are = which(without, "is left out: a run lacks it", "are left out: a run lacks them");
    (without > 0).then(|| format!("{without} of {} {are} (missing topics: skip)", counted(all, "topic")))
}

/// The original of a measure, at all its cutoffs, on the queries that count.
fn original(
    ranked: &RankedSystems,
    ids: &[String],
    scores: &Scores,
    measure: &ScoredMeasure,
    conventions: &Conventions,
    seed: Seed,
) -> Result<Original, StudyError> {
    let original = |column: &Column| {
        let spec = column.spec.as_ref().map(MeasureSpec::base);
        spec.ok_or_else(|| StudyError::Input(format!("`{}` is no measure that rankings have", column.name)))
    };
    let specs = measure.columns.iter().map(original).collect::<Result<Vec<MeasureSpec>, _>>()?;
    let evaluator = ranked.evaluator(&specs, conventions, seed)?.with_expected();
    let (shares, values) = (ranked.expected_shares(&evaluator)?, ranked.values(&evaluator)?);
    let counted: BTreeSet<&str> = scores.query_ids.iter().map(String::as_str).collect();
    let kept: Vec<usize> = (0..ids.len()).filter(|&query| counted.contains(ids[query].as_str())).collect();
    let columns = || (0..specs.len()).flat_map(|column| (0..values.systems.len()).map(move |system| (column, system)));
    let real = |&query: &usize| {
        let own =
            columns().filter_map(|(column, system)| settle(values.of(column, system)[query], conventions.undefined));
        let (sum, count) = own.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    };
    Ok(Original {
        name: specs[0].at(None).to_string(),
        real: kept.iter().map(real).collect(),
        expected: kept.iter().map(|&query| shares.iter().map(|own| own[query]).collect()).collect(),
    })
}

/// The measures of rankings, from the settings or by default, in any program's spelling; a note
/// says how a name of another program is read.
fn specs(study: &Compare, conventions: &Conventions) -> Result<(Vec<MeasureSpec>, Vec<String>), StudyError> {
    let read = |name: &str| spelling::read(name, conventions);
    let readings = match study.measures.as_slice() {
        [] => DEFAULT_MEASURES.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?,
        named => named.iter().map(|name| read(name)).collect::<Result<Vec<_>, _>>()?,
    };
    Ok(readings.into_iter().map(|reading| (reading.spec, reading.note)).unzip::<_, _, Vec<_>, Vec<_>>())
        .map(|(specs, notes)| (specs, notes.into_iter().flatten().collect()))
}

/// The values of the measures in the settings, and the conventions.
fn values(
    content: &Content,
    study: &Compare,
    conventions: &Conventions,
    seed: Seed,
) -> Result<(SystemValues, Vec<String>), StudyError> {
    match content {
        Content::Rankings(ranked) => {
            let (specs, readings) = specs(study, conventions)?;
            let mut notes = vec![dialect(&study.dialect)?.describe(conventions)];
            notes.extend(readings);
            let evaluator = ranked.evaluator(&specs, conventions, seed)?;
            let values = ranked.values(&evaluator)?;
            notes.extend(evaluator.describe());
            Ok((values, notes))
        }
        Content::Values(values) if study.measures.is_empty() => Ok((values.clone(), Vec::new())),
        Content::Values(values) => Ok((selected(values, &study.measures)?, Vec::new())),
    }
}

/// The columns of these measures.
fn selected(values: &SystemValues, measures: &[String]) -> Result<SystemValues, StudyError> {
    let mut chosen = SystemValues {
        measures: measures.to_vec(),
        systems: values.systems.clone(),
        queries: values.queries.clone(),
        ..SystemValues::default()
    };
    for measure in measures {
        let Some(column) = values.measures.iter().position(|other| other == measure) else {
            if let Some(lacking) = values.remarks.iter().find_map(|remark| without_versions(remark, measure)) {
                return Err(StudyError::Input(lacking));
            }
            let known = || values.measures.iter().map(String::as_str);
            let help = nearest(measure, known()).map_or_else(
                || format!("there are {}", known().collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(StudyError::Input(format!("the values have no measure `{measure}`; {help}")));
        };
        (0..values.systems.len()).for_each(|system| chosen.values.extend_from_slice(values.of(column, system)));
    }
    Ok(chosen)
}

/// Why a file of values has no V1 or V2 of this name, if the remark says so.
fn without_versions(remark: &Remark, measure: &str) -> Option<String> {
    let Remark::NoVersions { measure: own, file, column } = remark else { return None };
    if original_name(measure).as_deref() != Some(own) {
        return None;
    }
    let or =
        if *column == "upper" { ", or give the upper bound of all values: `upper = 1.0`, `--upper 1`" } else { "" };
    Some(format!("`{measure}` cannot be computed: {file} has no column `{column}` beside `score`; add the column{or}"))
}

/// The name of the original of a UE version: `rouge1` for `rouge1.v2`, `ndcg@10` for `ndcg.v1@10`.
pub(crate) fn original_name(name: &str) -> Option<String> {
    let (head, rest) = name.split_at(name.find(['@', '(']).unwrap_or(name.len()));
    let head = head.strip_suffix(".v1").or_else(|| head.strip_suffix(".v2")).filter(|head| !head.is_empty())?;
    Some(format!("{head}{rest}"))
}

/// The name of a version of an original, the inverse of [`original_name`].
pub(crate) fn version_name(original: &str, version: &str) -> String {
    let (head, rest) = original.split_at(original.find(['@', '(']).unwrap_or(original.len()));
    format!("{head}.{version}{rest}")
}

/// The measure with this name without a cutoff, if fivefold has such a measure.
fn spec(name: &str) -> Option<MeasureSpec> {
    // Some measures require a cutoff, so a second try adds one.
    name.parse().or_else(|_| format!("{name}@1").parse::<MeasureSpec>().map(|spec| spec.at(None))).ok()
}

impl Scores {
    /// Settles undefined values and finds the baseline.
    ///
    /// # Errors
    /// Fewer than two systems, fewer than two queries, or an unknown baseline.
    pub fn of(
        label: &str,
        values: SystemValues,
        undefined: Undefined,
        against: Option<&str>,
        mut notes: Vec<String>,
    ) -> Result<Self, StudyError> {
        let fault = |what: String| {
            let place = if label.is_empty() { String::new() } else { format!("{label}: ") };
            Err(StudyError::Input(format!("{place}{what}")))
        };
        if values.systems.len() < 2 {
            return fault(format!("{} system cannot be compared; give at least two", values.systems.len()));
        }
        let baseline = match against {
            None => None,
            Some(name) => match values.systems.iter().position(|system| system == name) {
                Some(found) => Some(found),
                None => {
                    let known = || values.systems.iter().map(String::as_str);
                    let near = nearest(name, known()).map(|near| format!("; did you mean `{near}`?"));
                    return fault(format!("no system is called `{name}`{}", near.unwrap_or_default()));
                }
            },
        };
        let all = values.queries.len();
        let columns = values.measures.len();
        let has_none = |query: &usize| {
            let of_column = |m: usize| (0..values.systems.len()).any(|system| values.of(m, system)[*query].is_nan());
            (0..columns).any(of_column)
        };
        let (without, with): (Vec<usize>, Vec<usize>) = (0..all).partition(has_none);
        let counted: Vec<usize> = if undefined == Undefined::Skip { with } else { (0..all).collect() };
        if counted.len() < 2 {
            return fault(format!("{} of {all} queries count; two are needed at least", counted.len()));
        }
        notes.push(match (without.len(), undefined) {
            (0, _) => format!("{} systems, {all} queries", values.systems.len()),
            (some, Undefined::Skip) => {
                format!(
                    "{} systems, {} of {all} queries: {some} with an undefined value are left out",
                    values.systems.len(),
                    counted.len()
                )
            }
            (some, policy) => {
                format!(
                    "{} systems, {all} queries, {some} with undefined values, which count as {policy}",
                    values.systems.len()
                )
            }
        });
        let mut measures: Vec<ScoredMeasure> = Vec::new();
        for (number, name) in values.measures.iter().enumerate() {
            let settled = |system: usize| {
                let own = values.of(number, system);
                counted.iter().filter_map(|&query| settle(own[query], undefined)).collect()
            };
            let missing = |system: usize| {
                let own = values.of(number, system);
                counted.iter().map(|&query| own[query].is_nan()).collect()
            };
            let systems = 0..values.systems.len();
            let column = Column {
                name: name.clone(),
                spec: name.parse().ok(),
                values: systems.clone().map(settled).collect(),
                undefined: systems.map(missing).collect(),
            };
            let base = without_cutoff(name);
            match measures.iter_mut().find(|measure| measure.name == base) {
                Some(measure) => measure.columns.push(column),
                None => measures.push(ScoredMeasure { name: base.to_owned(), spec: spec(base), columns: vec![column] }),
            }
        }
        Ok(Scores {
            label: label.to_owned(),
            systems: values.systems,
            queries: counted.len(),
            undefined: without.len(),
            query_ids: counted.into_iter().map(|query| values.queries[query].clone()).collect(),
            classes: Vec::new(),
            measures,
            baseline,
            computed: Vec::new(),
            warnings: Vec::new(),
            notes,
            unjudged: BTreeMap::new(),
            bounds: Vec::new(),
        })
    }

    fn warn(&mut self, warning: String) {
        self.notes.insert(self.warnings.len(), warning.clone());
        self.warnings.push(warning);
    }

    /// The same scores for some of the queries.
    pub fn only(&self, queries: &[usize]) -> Scores {
        let of_queries = |values: &Vec<f64>| queries.iter().map(|&query| values[query]).collect();
        let missing = |own: &Vec<bool>| queries.iter().map(|&query| own[query]).collect();
        let of_column = |column: &Column| Column {
            spec: column.spec.clone(),
            name: column.name.clone(),
            values: column.values.iter().map(of_queries).collect(),
            undefined: column.undefined.iter().map(missing).collect(),
        };
        let of_measure = |measure: &ScoredMeasure| ScoredMeasure {
            spec: measure.spec.clone(),
            name: measure.name.clone(),
            columns: measure.columns.iter().map(of_column).collect(),
        };
        Scores {
            label: self.label.clone(),
            systems: self.systems.clone(),
            queries: queries.len(),
            undefined: 0,
            query_ids: queries.iter().map(|&query| self.query_ids[query].clone()).collect(),
            classes: Vec::new(),
            measures: self.measures.iter().map(of_measure).collect(),
            baseline: self.baseline,
            computed: self.computed.clone(),
            warnings: self.warnings.clone(),
            notes: self.notes.clone(),
            unjudged: self.unjudged.clone(),
            bounds: self.bounds.clone(),
        }
    }
}

/// The name without its cutoff: `ndcg` for `ndcg@10`.
fn without_cutoff(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((base, cutoff)) if !base.is_empty() && cutoff.parse::<usize>().is_ok() => base,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(measures: &[&str], systems: &[&str], values: &[f64]) -> SystemValues {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let queries = values.len() / measures.len() / systems.len();
        SystemValues {
            measures: owned(measures),
            systems: owned(systems),
            queries: (0..queries).map(|query| query.to_string()).collect(),
            values: values.to_vec(),
            undefined: values.iter().map(|value| value.is_nan()).collect(),
            remarks: Vec::new(),
        }
    }

    #[test]
    fn cutoffs_of_a_measure_stand_together() {
        let names = ["ndcg@5", "ap", "ndcg@10", "a@b", "ndcg.v1@5"];
        let given = values(&names, &["x", "y"], &[0.5; 20]);
        let scores = Scores::of("", given, Undefined::Zero, None, Vec::new()).unwrap();
        let found: Vec<(&str, usize)> = scores.measures.iter().map(|m| (m.name.as_str(), m.columns.len())).collect();
        assert_eq!(found, [("ndcg", 2), ("ap", 1), ("a@b", 1), ("ndcg.v1", 1)]);
    }

    #[test]
    fn undefined_values_are_settled_and_counted() {
        let given = || values(&["ap"], &["x", "y"], &[f64::NAN, 0.5, 1.0, 0.25, 0.5, 0.75]);
        let of = |policy| Scores::of("", given(), policy, None, Vec::new()).unwrap();
        assert_eq!(of(Undefined::Zero).measures[0].columns[0].values, [[0.0, 0.5, 1.0], [0.25, 0.5, 0.75]]);
        assert_eq!(of(Undefined::One).measures[0].columns[0].values[0][0], 1.0);
        let zero = of(Undefined::Zero);
        assert_eq!((zero.undefined, &zero.measures[0].columns[0].undefined[0]), (1, &vec![true, false, false]));
        let skipped = of(Undefined::Skip);
        assert_eq!(skipped.measures[0].columns[0].values, [[0.5, 1.0], [0.5, 0.75]]);
        assert_eq!(skipped.notes, ["2 systems, 2 of 3 queries: 1 with an undefined value are left out"]);
        assert_eq!(of(Undefined::Zero).notes, ["2 systems, 3 queries, 1 with undefined values, which count as zero"]);
        assert_eq!(skipped.measures[0].means(), [0.75, 0.625]);
    }

    #[test]
    fn versions_have_the_name_of_an_original() {
        let of = |name: &str| original_name(name);
        assert_eq!(of("rouge1.v2").as_deref(), Some("rouge1"));
        assert_eq!(of("ndcg.v1@10").as_deref(), Some("ndcg@10"));
        assert_eq!(of("rougeL.v2(value=recall)").as_deref(), Some("rougeL(value=recall)"));
        assert_eq!((of("rouge1"), of(".v1"), of("a.v3")), (None, None, None));
        for name in ["rouge1.v2", "ndcg.v2@10", "rougeL.v2(value=recall)"] {
            assert_eq!(version_name(&of(name).unwrap(), "v2"), name);
        }
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let of = |given, against| Scores::of("d", given, Undefined::Skip, against, Vec::new()).unwrap_err().to_string();
        assert_eq!(of(values(&["ap"], &["x"], &[1.0, 0.0]), None), "d: 1 system cannot be compared; give at least two");
        let two = values(&["ap"], &["bm25", "y"], &[1.0, f64::NAN, 0.0, 0.0]);
        assert_eq!(of(two.clone(), Some("bm52")), "d: no system is called `bm52`; did you mean `bm25`?");
        assert_eq!(of(two, None), "d: 1 of 2 queries count; two are needed at least");
    }
}
