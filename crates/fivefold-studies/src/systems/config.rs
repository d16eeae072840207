//! The source of a study's systems: a table of its experiment file, or options of a command.
//!
//! ```toml
//! [systems]                                        # one of these
//! qrels = "trec/dl19/qrels.txt"                    # TREC judgements with the runs of systems
//! runs = ["trec/dl19/runs/*.txt"]
//!
//! dataset = { name = "mq2008" }                    # the test folds of a LETOR collection with score files
//! scores = ["mq2008-systems/*/Fold{fold}.score"]
//!
//! data = "test.txt"                                # one LETOR file with score files
//! scores = ["mine=scores.txt", "other.txt"]
//!
//! values = ["trec/trec8/adhoc8_ap.csv"]            # values per query, computed elsewhere
//! upper = 1.0                                      # U of values that come with `expected` but without `upper`
//!
//! results = "runs/mq2008"                          # a results folder of `fivefold run`
//!
//! texts = { candidates = ["outputs/*.jsonl"] }     # texts, with measures of texts: see `texts`
//! ```
//! Relative paths are looked for beside the experiment file, then in the folder of `FIVEFOLD_DATA`.
//! In `runs`, `scores` and `values`, a path may hold one `*`, which stands for the name of each
//! system with such a file. `NAME=PATH` names one system.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fivefold_core::ParamError;
use fivefold_data::Source;
use fivefold_data::per_query::{self, MissingQuery, PerQueryOptions, SystemValues};
use fivefold_data::trec::Duplicates;
use fivefold_results::Results;
use serde::{Deserialize, Serialize};

use super::{Computed, Content, Systems, TextsConfig, letor, trec};
use crate::study::{Input, StudyContext, StudyError};

/// The text that stands for the number of a fold in a path.
pub(super) const FOLD: &str = "{fold}";

/// The source of a study's systems.
///
/// ```
/// use fivefold_studies::SystemsConfig;
///
/// let values = SystemsConfig { values: vec!["A=a.csv".to_owned()], ..SystemsConfig::default() };
/// assert!(values.check().is_ok());
/// // Values per query are no rankings of which other measures could be computed.
/// assert!(!values.has_rankings());
/// // Two sources are one too many.
/// assert!(SystemsConfig { results: Some("runs/mine".into()), ..values }.check().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemsConfig {
    /// TREC judgements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qrels: Option<PathBuf>,
    /// TREC runs: `[NAME=]PATH`, where a `*` stands for the names of systems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    /// The treatment of a document that stands twice under a topic of the qrels or of a run.
    pub duplicates: Duplicates,
    /// A LETOR collection with scores for its test folds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<Source>,
    /// A LETOR file with scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<PathBuf>,
    /// Score files: `[NAME=]PATH`, with `{fold}` if there are folds. A `*` stands for the names of
    /// systems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<String>,
    /// Files of values per query: `[NAME=]PATH`, where a `*` stands for the names of systems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The upper bound U of all values, for files of values with a column `expected` and no column
    /// `upper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The treatment of a query without a value for some system.
    pub missing_queries: MissingQuery,
    /// A results folder of `fivefold run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<PathBuf>,
    /// The label of a data set of the results folder; needed if the folder has several data sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_dataset: Option<String>,
    /// Texts of systems, with measures of texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<TextsConfig>,
}

impl SystemsConfig {
    /// Whether the systems have rankings, from which measures are computed.
    pub fn has_rankings(&self) -> bool {
        self.values.is_empty() && self.results.is_none() && self.texts.is_none() && *self != SystemsConfig::default()
    }

    /// Checks that there is exactly one source, with all its parts. The error is about the key
    /// `systems`.
    ///
    /// # Errors
    /// A missing part, or a second source.
    pub fn check(&self) -> Result<(), ParamError> {
        let given = [
            ("qrels", self.qrels.is_some()),
            ("dataset", self.dataset.is_some()),
            ("data", self.data.is_some()),
            ("values", !self.values.is_empty()),
            ("results", self.results.is_some()),
            ("texts", self.texts.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
        let sources = "`qrels` with `runs`, `dataset` or `data` with `scores`, `values`, `results`, or `texts`";
        let fault = |message: String| Err(ParamError::new("systems", message));
        match given.as_slice() {
            [_] => {}
            [] => return fault(format!("does not say where the systems come from: give {sources}")),
            _ => return fault(format!("has {}: give one source of systems: {sources}", given.join(" and "))),
        }
        let letor = if self.data.is_some() { "data" } else { "dataset" };
        let pairs = [
            ("qrels", self.qrels.is_some(), "runs", !self.runs.is_empty()),
            (letor, self.dataset.is_some() || self.data.is_some(), "scores", !self.scores.is_empty()),
        ];
        for (first, has_first, second, has_second) in pairs {
            if has_first != has_second {
                let (has, lacks) = if has_first { (first, second) } else { (second, first) };
                return fault(format!("has `{has}` but no `{lacks}`"));
            }
        }
        if let Some(texts) = &self.texts {
            texts.check()?;
        }
        if self.results_dataset.is_some() && self.results.is_none() {
            return fault("has `results_dataset` but no `results`".to_owned());
        }
        if let Some(upper) = self.upper {
            if self.values.is_empty() {
                return fault("has `upper`, which is for `values` with a column `expected`".to_owned());
            }
            if !(upper > 0.0 && upper.is_finite()) {
                return fault(format!("has the `upper` {upper}, but an upper bound is above 0"));
            }
        }
        if self.has_rankings() && self.missing_queries != MissingQuery::default() {
            let what = "has `missing_queries`, which is for values: of a topic that a run lacks, the convention `missing_topics` says it";
            return fault(what.to_owned());
        }
        Ok(())
    }

    /// Reads the systems.
    ///
    /// # Errors
    /// A missing file, or an error in a file, with its place.
    pub fn read(&self, cx: &StudyContext<'_>) -> Result<Systems, StudyError> {
        let systems = if let Some(qrels) = &self.qrels {
            trec::read(qrels, &expand(cx, &self.runs)?, self.duplicates, cx)?
        } else if let Some(dataset) = &self.dataset {
            letor::read_collection(dataset, &self.scores, cx)?
        } else if let Some(data) = &self.data {
            letor::read_file(data, &self.scores, cx)?
        } else if let Some(results) = &self.results {
            results_folder(results, self.results_dataset.as_deref(), cx)?
        } else if let Some(texts) = &self.texts {
            texts.read(self.missing_queries, cx)?
        } else {
            self.per_query(&expand(cx, &self.values)?)?
        };
        let names = match &systems.content {
            Content::Rankings(ranked) => &ranked.names,
            Content::Values(values) => &values.systems,
        };
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            let what = format!("two systems are named `{}`; give them names: NAME=PATH", names[twice]);
            return Err(StudyError::Input(what));
        }
        Ok(systems)
    }

    fn per_query(&self, files: &[Named]) -> Result<Systems, StudyError> {
        let mut parts = Vec::with_capacity(files.len());
        for file in files {
            // The name that the user gave is the name of the system. For a table of systems, it is
            // the name of the measure.
            let (system, measure) = (file.name.clone(), file.name.clone());
            let options = PerQueryOptions { system, measure, upper: self.upper, ..PerQueryOptions::default() };
            parts.push(per_query::read(&file.path, &options)?);
        }
        let (values, _) = SystemValues::join(parts)?.settle(self.missing_queries)?;
        // The values of a run keep its stamps, even if only the file of values is read.
        let computed: Vec<Computed> = files
            .iter()
            .filter_map(|file| Some(Computed::by_run(file.given.clone(), &Results::manifest_beside(&file.path)?)))
            .collect();
        let mut remarks: Vec<String> = Vec::new();
        for stamp in files.iter().flat_map(|file| Results::stamps_beside(&file.path)) {
            if !remarks.contains(&stamp) {
                remarks.push(stamp);
            }
        }
        remarks.extend(computed.iter().filter_map(Computed::in_words));
        remarks.extend(values.remarks.iter().map(ToString::to_string));
        Ok(Systems { inputs: inputs(files)?, computed, remarks, ..Systems::of(Content::Values(values)) })
    }
}

/// The values of one data set of a results folder.
fn results_folder(folder: &Path, label: Option<&str>, cx: &StudyContext<'_>) -> Result<Systems, StudyError> {
    let results = Results::load(&cx.find(folder)?)?;
    let datasets = &results.evaluation.datasets;
    let labels = || datasets.iter().map(|dataset| dataset.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = match label {
        Some(label) => datasets.iter().position(|dataset| dataset.name == label),
        None => (datasets.len() == 1).then_some(0),
    };
    let Some(found) = found else {
        let asked = label.map_or_else(|| "several data sets".to_owned(), |label| format!("no data set `{label}`"));
        let what = format!("{} has {asked}; set `results_dataset` to a name of: {}", folder.display(), labels());
        return Err(StudyError::Input(what));
    };
    let (dataset, measures) = (&datasets[found], &results.evaluation.measures);
    let done: Vec<usize> = (0..dataset.rankers.len()).filter(|&ranker| !dataset.failed[ranker]).collect();
    let place = |ranker: usize, query: usize| (ranker * dataset.queries.len() + query) * measures.len();
    let mut values = Vec::with_capacity(dataset.all.len());
    for measure in 0..measures.len() {
        for &ranker in &done {
            values.extend((0..dataset.queries.len()).map(|query| dataset.all[place(ranker, query) + measure]));
        }
    }
    let failed = dataset.rankers.iter().zip(&dataset.failed).filter(|(_, failed)| **failed);
    let failed = failed.map(|(ranker, _)| format!("`{ranker}` failed in that run and is left out"));
    let stamps = results.manifest.stamps(Some(found));
    let values = SystemValues {
        measures: measures.iter().map(ToString::to_string).collect(),
        systems: done.iter().map(|&ranker| dataset.rankers[ranker].clone()).collect(),
        queries: unique_ids(dataset.queries.iter().map(|query| (query.fold, query.id.as_str()))),
        undefined: values.iter().map(|value| value.is_nan()).collect(),
        values,
        remarks: Vec::new(),
    };
    let computed = Computed::by_run(folder.display().to_string(), &results.manifest);
    Ok(Systems {
        inputs: vec![Input { name: folder.display().to_string(), hash: results.manifest.result.clone() }],
        remarks: stamps.into_iter().chain(computed.in_words()).chain(failed).collect(),
        computed: vec![computed],
        ..Systems::of(Content::Values(values))
    })
}

/// Ids of queries. If an id occurs twice, all ids are written with their folds.
pub(super) fn unique_ids<'a>(queries: impl Iterator<Item = (usize, &'a str)>) -> Vec<String> {
    let queries: Vec<(usize, &str)> = queries.collect();
    let different: BTreeSet<&str> = queries.iter().map(|(_, id)| *id).collect();
    let repeated = different.len() < queries.len();
    let name = |(fold, id): (usize, &str)| if repeated { format!("fold{fold}/{id}") } else { id.to_owned() };
    queries.into_iter().map(name).collect()
}

/// A file of a system.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Named {
    /// The system's name, if the settings give one.
    pub name: Option<String>,
    /// The path as the settings give it, `*` replaced.
    pub given: String,
    /// The path of the file.
    pub path: PathBuf,
}

/// The files of systems that the settings name.
pub(crate) fn expand(cx: &StudyContext<'_>, patterns: &[String]) -> Result<Vec<Named>, StudyError> {
    let mut files = Vec::new();
    for pattern in patterns {
        for (name, given) in names_of(cx, pattern, |path| path.to_owned())? {
            let path = cx.find(Path::new(&given))?;
            files.push(Named { name, given, path });
        }
    }
    Ok(files)
}

/// Names and paths that `[NAME=]PATH` stands for: the path itself, or a path for each text that can
/// replace its `*`, in the order of the texts. `file` turns a path, or a part of a path, into the
/// file whose existence decides.
pub(super) fn names_of(
    cx: &StudyContext<'_>,
    pattern: &str,
    file: impl Fn(&str) -> String,
) -> Result<Vec<(Option<String>, String)>, StudyError> {
    let error = |what: &str| Err(StudyError::Input(format!("`{pattern}` {what}")));
    let Some((before, after)) = pattern.split_once('*') else {
        return Ok(vec![match pattern.split_once('=') {
            // A path may contain `=` too. So a text with a separator of folders is not a name.
            Some((name, path)) if !name.is_empty() && !name.contains(std::path::is_separator) => {
                (Some(name.to_owned()), path.to_owned())
            }
            _ => (None, pattern.to_owned()),
        }]);
    };
    if after.contains('*') {
        return error("has more than one `*`");
    }
    // The folder that contains the star, and the beginning of the file name before the star.
    let (folder, start) = match before.rfind('/') {
        Some(slash) => before.split_at(slash + 1),
        None => ("", before),
    };
    let (end, inner) = match after.find('/') {
        Some(slash) => after.split_at(slash),
        None => (after, ""),
    };
    let listed = cx.find(Path::new(&if folder.is_empty() { ".".to_owned() } else { file(folder) }))?;
    let (start, end, inner) = (file(start), file(end), file(inner));
    let unreadable = |error: std::io::Error| StudyError::Input(format!("cannot read {}: {error}", listed.display()));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&listed).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        let middle = entry.strip_prefix(&start).and_then(|rest| rest.strip_suffix(&end));
        let Some(middle) = middle.filter(|middle| !middle.is_empty()) else { continue };
        if listed.join(format!("{entry}{inner}")).is_file() {
            names.push(middle.to_owned());
        }
    }
    names.sort();
    if names.is_empty() {
        return error(&format!("matches no file in {}", listed.display()));
    }
    Ok(names.into_iter().map(|name| (Some(name.clone()), format!("{before}{name}{after}"))).collect())
}

/// Hashes of files.
pub(crate) fn inputs(files: &[Named]) -> Result<Vec<Input>, StudyError> {
    files.iter().map(|file| input(&file.given, &file.path)).collect()
}

/// The name and the hash of a file.
pub(crate) fn input(given: &str, path: &Path) -> Result<Input, StudyError> {
    let unreadable = |error| StudyError::Input(format!("cannot read {}: {error}", path.display()));
    let hash = fivefold_data::input::hash(path).map_err(unreadable)?;
    Ok(Input { name: given.to_owned(), hash: hash.to_hex().to_string() })
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;

    /// The star stands for the same names, whichever part of the path holds the number of the fold.
    #[test]
    fn a_star_and_the_fold_may_stand_anywhere() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["fold1/b.txt", "fold1/a.txt", "fold2/a.txt", "x1-c-1.txt", "d/fold1.txt", "e/fold2.txt"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let folders = [folder.path().to_owned()];
        let cx = StudyContext { name: "", seed: Seed::new(0), folders: &folders, progress: None, cancelled: None };
        let of = |pattern: &str| names_of(&cx, pattern, |path| path.replace(FOLD, "1"));
        for (pattern, names) in
            [("fold{fold}/*.txt", &["a", "b"][..]), ("x{fold}-*-{fold}.txt", &["c"]), ("*/fold{fold}.txt", &["d"])]
        {
            let expected: Vec<(Option<String>, String)> =
                names.iter().map(|&name| (Some(name.to_owned()), pattern.replace('*', name))).collect();
            assert_eq!(of(pattern).unwrap(), expected, "{pattern}");
        }
        assert!(of("fold{fold}/*.csv").unwrap_err().to_string().contains("matches no file"));
    }
}
