//! The experiment file: read, checked, and with every default filled in.
//!
//! ```toml
//! name = "example"             # name of the results folder
//! seed = 7
//! dialect = "paper"            # the conventions of the evaluation
//! normalise = { method = "z-score", over = "query" }  # default of all rankers
//! repeats = 5                  # see `design`, also for `kind`
//! [[dataset]]                  # see `dataset`
//! [[ranker]]                   # see `ranker`
//! [evaluation]                 # see `evaluation`
//! [query_sets]                 # see `query_sets`
//! [tables]                     # see `tables`
//! [guards]                     # see `guards`
//! [run]                        # see `limits`
//! ```
//! Each section has a source file with its type, its defaults and its tests. An unknown key, a
//! wrong type and a value out of range are errors. Each error underlines its place.

mod command;
mod dataset;
mod design;
mod error;
mod evaluation;
mod forward;
mod fusion;
mod guards;
mod keys;
mod limits;
pub mod old_words;
mod python;
mod query_sets;
mod ranker;
mod read;
mod selection;
mod tables;
mod tune;
mod values;

use std::ops::Range;
use std::path::{Path, PathBuf};

use fivefold_base::renamed::Renamed;
use fivefold_core::{Registry, Seed};
use fivefold_data::features::UnknownPick;
use fivefold_data::input;
use fivefold_data::{Cache, Normaliser, Source};
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

pub use command::{CommandLine, Placeholder};
pub use command::{END, GUARD, SCORES, STDERR, STDOUT};
pub use dataset::DatasetConfig;
pub use design::{AblationConfig, AblationPart, CurveConfig, DESIGN_KINDS, DesignConfig, SelectionConfig, sample_size};
pub use error::{ConfigError, unseen};
pub use evaluation::EvaluationConfig;
pub use forward::{Each, FEATURES, Forward, Units, chosen_features, features_value};
pub use fusion::{FusionConfig, WEIGHTS, learnt_weights};
pub use guards::GuardsConfig;
pub use keys::sections;
pub use limits::{Bytes, JobLimits, TimeLimit};
pub use query_sets::QuerySetsConfig;
pub use ranker::{OUTSIDE, OutsideKind, RankerConfig, ScoreFiles, ScoreSource, key_params};
pub use tables::{PadConfig, TablesConfig};
pub use tune::{Halving, Per, SearchMethod, Setting, StopOn, TuneConfig};
pub use values::{MOST_CANDIDATES, value_words};

use error::Fault;
use ranker::{Shared, wrong_member};
use read::Section;

use crate::labels;

/// A checked experiment: data sets, rankers, and the evaluation.
///
/// ```
/// use fivefold_core::Registry;
/// use fivefold_results::Experiment;
///
/// let text = r#"
///     name = "mine"
///     [[dataset]]
///     path = "data"
///     layout = "fold-dirs"
///     label = "mine"
///     [[ranker]]
///     label = "other program"
///     kind = "scores"
///     params = { path = "Fold{fold}.score" }
///     [evaluation]
///     measures = ["ndcg", "ap"]
///     cutoffs = [5, 10]
/// "#;
/// let experiment = Experiment::parse("mine.toml", text, Vec::new(), &Registry::new(&[]))?;
/// // Both measures at both cutoffs, in their original and both UE versions.
/// assert_eq!(experiment.evaluation.measures.len(), 2 * 2 * 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Experiment {
    /// Name of the experiment.
    pub name: String,
    /// The seed from which all other seeds derive.
    pub seed: u64,
    /// The data sets. No two have the same label.
    pub datasets: Vec<DatasetConfig>,
    /// The rankers. No two have the same label.
    pub rankers: Vec<RankerConfig>,
    /// Measures and conventions.
    pub evaluation: EvaluationConfig,
    /// Groups of queries that the tables compare.
    pub query_sets: QuerySetsConfig,
    /// The settings of the tables.
    pub tables: TablesConfig,
    /// Leak guards that are overridden.
    #[serde(default)]
    pub guards: GuardsConfig,
    /// Repeats over seeds, and the rankers that belong together.
    #[serde(default, skip_serializing_if = "DesignConfig::is_plain")]
    pub design: DesignConfig,
    #[serde(skip)]
    origin: Origin,
}

/// The file of an experiment, for errors and for the paths in the file.
#[derive(Debug, Clone, Default)]
struct Origin {
    file: String,
    text: String,
    datasets: Vec<Range<usize>>,
    rankers: Vec<Range<usize>>,
    folders: Vec<PathBuf>,
    cache: Option<Cache>,
    old_words: Vec<&'static Renamed>,
    /// What was understood of measures in the spelling of other programs.
    measure_notes: Vec<String>,
}

/// Why an experiment file cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum LoadError {
    /// The experiment file cannot be read.
    #[error("cannot read the experiment {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: std::io::Error,
    },
    /// The experiment file has a fault.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
}

/// The environment variable that names the folder of collections.
pub const DATA_VARIABLE: &str = "FIVEFOLD_DATA";

/// The dialect whose name in a file also sets the sizes of the paper's query sets.
const PAPER: &str = "paper";

const KEYS: [&str; 11] = [
    "name",
    "seed",
    "dialect",
    "normalise",
    "dataset",
    "ranker",
    "evaluation",
    "query_sets",
    "tables",
    "guards",
    "run",
];

impl Experiment {
    /// Reads an experiment file. Relative paths in the file are looked for beside the file, then in
    /// the folder that the environment variable [`DATA_VARIABLE`] names.
    ///
    /// # Errors
    /// [`LoadError`] names the first fault and its place.
    pub fn load(path: &Path, registry: &Registry) -> Result<Self, LoadError> {
        let text = input::read_text(path, input::MOST_SETTINGS)
            .map_err(|source| LoadError::Io { path: path.to_owned(), source })?;
        let beside = path.parent().map(Path::to_owned).unwrap_or_default();
        let folders = std::iter::once(beside).chain(std::env::var_os(DATA_VARIABLE).map(PathBuf::from)).collect();
        Ok(Self::parse(&path.display().to_string(), &text, folders, registry)?)
    }

    /// Reads the text of an experiment. `file` names the text in errors. Relative paths in the text
    /// are looked for in `folders`, in this order.
    ///
    /// # Errors
    /// [`ConfigError`] names the first fault and its place.
    pub fn parse(file: &str, text: &str, folders: Vec<PathBuf>, registry: &Registry) -> Result<Self, ConfigError> {
        let mut experiment = read_file(text, registry).map_err(|fault| fault.attach(file, text))?;
        experiment.origin.file = file.to_owned();
        experiment.origin.text = text.to_owned();
        experiment.origin.folders = folders;
        Ok(experiment)
    }

    /// What was understood of the measures that the file has in the spelling of other programs.
    pub fn measure_notes(&self) -> &[String] {
        &self.origin.measure_notes
    }

    /// The folders in which relative paths are looked for, in this order.
    pub fn folders(&self) -> &[PathBuf] {
        &self.origin.folders
    }

    /// Returns the experiment with other folders in which relative paths are looked for.
    #[must_use]
    pub fn with_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.origin.folders = folders;
        self
    }

    /// Returns the experiment with the places of another experiment's data sets and score files.
    /// Data sets and score files are matched by label. No result depends on these places.
    #[must_use]
    pub fn with_places_of(mut self, other: &Experiment) -> Self {
        for dataset in &mut self.datasets {
            let there = other.datasets.iter().find(|there| there.label == dataset.label);
            if let Some(there) =
                there.filter(|there| there.source.synthetic.is_none() && dataset.source.synthetic.is_none())
            {
                let Source { name, path, layout, files, .. } = there.source.clone();
                dataset.source = Source { name, path, layout, files, ..dataset.source.clone() };
            }
        }
        for ranker in &mut self.rankers {
            let there = other.rankers.iter().find(|there| there.label == ranker.label);
            if let (ScoreSource::Scores(own), Some(ScoreSource::Scores(there))) =
                (&mut ranker.source, there.map(|there| &there.source))
            {
                own.path.clone_from(&there.path);
            }
        }
        self
    }

    /// The old names in the file, which have new names. A name occurs as often as in the file.
    pub fn old_words(&self) -> &[&'static Renamed] {
        &self.origin.old_words
    }

    /// Returns the experiment with a cache for the data that are read. No result depends on the
    /// cache.
    #[must_use]
    pub fn with_cache(mut self, cache: Option<Cache>) -> Self {
        self.origin.cache = cache;
        self
    }

    /// The cache for the data that are read.
    pub fn cache(&self) -> Option<&Cache> {
        self.origin.cache.as_ref()
    }

    /// Returns the experiment with `limits`, which replace the limits that its rankers have.
    #[must_use]
    pub fn with_limits(mut self, limits: JobLimits) -> Self {
        for ranker in &mut self.rankers {
            ranker.limits = limits.or(ranker.limits);
            for setting in ranker.tune.iter_mut().flat_map(|tune| &mut tune.settings) {
                setting.ranker.limits = ranker.limits;
            }
        }
        self
    }

    /// The seed from which all other seeds derive.
    pub fn root_seed(&self) -> Seed {
        Seed::new(self.seed)
    }

    /// The seed for shuffling ties on a data set.
    pub fn tie_seed(&self, dataset: usize) -> Seed {
        self.root_seed().derive(&self.datasets[dataset].label).derive("ties")
    }

    /// How often a ranker is repeated, each time with a seed of its own: once if it draws nothing.
    pub fn repeats_of(&self, ranker: usize) -> usize {
        let config = &self.rankers[ranker];
        let member_draws = |label: &String| self.rankers.iter().any(|member| member.label == *label && member.draws());
        let draws = match &config.source {
            ScoreSource::Fusion(fusion) => fusion.of.iter().any(member_draws),
            _ => config.draws(),
        };
        if draws { self.design.repeats } else { 1 }
    }

    /// An error about a data set. The error underlines the entry of the data set.
    pub fn dataset_error(&self, index: usize, message: &str) -> ConfigError {
        self.error(self.origin.datasets.get(index), message)
    }

    /// An error about a data set, with the advice apart from the message.
    pub fn dataset_error_with_help(&self, index: usize, message: &str, help: &str) -> ConfigError {
        let span = self.origin.datasets.get(index).cloned().unwrap_or(0..0);
        Fault::new(message, span).help(help).attach(&self.origin.file, &self.origin.text)
    }

    /// An error about a ranker. The error underlines the entry of the ranker.
    pub fn ranker_error(&self, index: usize, message: &str) -> ConfigError {
        self.error(self.origin.rankers.get(index), message)
    }

    /// An error about the features that a ranker asks for on a data set. The error underlines the
    /// feature, or the entry of the ranker if no single feature is wrong.
    pub fn features_error(&self, ranker: usize, dataset: usize, wrong: &UnknownPick) -> ConfigError {
        let entry = self.origin.rankers.get(ranker).cloned().unwrap_or(0..0);
        let span = wrong.pick.and_then(|pick| place_of_pick(&self.origin.text, &entry, pick)).unwrap_or(entry);
        let message = format!("{} of data set `{}`", wrong.message, self.datasets[dataset].label);
        Fault::new(message, span).help(wrong.help.clone()).attach(&self.origin.file, &self.origin.text)
    }

    /// An error about the features from which a selection takes, on a data set. The error underlines
    /// the entry of the list, or the word.
    pub fn selection_error(&self, dataset: usize, wrong: &UnknownPick) -> ConfigError {
        let span = place_in_selection(&self.origin.text, wrong.pick).unwrap_or(0..0);
        let message = format!("{} of data set `{}`", wrong.message, self.datasets[dataset].label);
        Fault::new(message, span).help(wrong.help.clone()).attach(&self.origin.file, &self.origin.text)
    }

    fn error(&self, span: Option<&Range<usize>>, message: &str) -> ConfigError {
        let fault = Fault::with_advice(message, span.cloned().unwrap_or(0..0));
        fault.attach(&self.origin.file, &self.origin.text)
    }
}

/// The place of a number or name in the list of `features`, in the ranker whose entry is `entry`.
fn place_of_pick(text: &str, entry: &Range<usize>, pick: usize) -> Option<Range<usize>> {
    let file = DeTable::parse(text).ok()?;
    let DeValue::Array(rankers) = file.get_ref().get("ranker")?.get_ref() else { return None };
    let DeValue::Table(ranker) = rankers.iter().find(|ranker| ranker.span() == *entry)?.get_ref() else { return None };
    let DeValue::Table(choice) = ranker.get("features")?.get_ref() else { return None };
    let (_, list) = choice.iter().next()?;
    let DeValue::Array(picks) = list.get_ref() else { return None };
    picks.get(pick).map(toml::Spanned::span)
}

/// The place of an entry of `from` in `[selection]`, or of the whole value.
fn place_in_selection(text: &str, pick: Option<usize>) -> Option<Range<usize>> {
    let file = DeTable::parse(text).ok()?;
    let DeValue::Table(selection) = file.get_ref().get("selection")?.get_ref() else { return None };
    let from = selection.get("from")?;
    match (from.get_ref(), pick) {
        (DeValue::Array(picks), Some(pick)) => picks.get(pick).map(toml::Spanned::span),
        _ => Some(from.span()),
    }
}

fn read_file(text: &str, registry: &Registry) -> Result<Experiment, Fault> {
    let mut file = DeTable::parse(text)?;
    let old_words = old_words::replace(file.get_mut(), registry)?;
    let mut file = Section::of_table(file);
    let known = || KEYS.into_iter().chain(design::KEYS);
    let unknown = file.keys().find(|(key, _)| !known().any(|known| known == *key));
    if let Some((key, span)) = unknown {
        return Err(Fault::unknown("key", key, span, known()));
    }
    let (name, name_span): (String, _) = file.require("name", "the experiment")?;
    labels::check(&name).map_err(|reason| Fault::new(format!("the name {reason}"), name_span))?;
    let seed = file.read("seed")?.unwrap_or(0);
    let normalise: Normaliser = file.read("normalise")?.unwrap_or_default();

    let sections = file.tables("dataset")?;
    let dataset_spans: Vec<_> = sections.iter().map(Section::span).collect();
    let mut datasets = sections.into_iter().map(DatasetConfig::read).collect::<Result<Vec<_>, _>>()?;
    check_labels("data sets", datasets.iter().map(|d| d.label.as_str()), &dataset_spans)?;

    let run = file.read("run")?.unwrap_or_default();
    let shared = Shared { registry, normalise, run, seed: Seed::new(seed) };
    let sections = file.tables("ranker")?;
    let mut ranker_spans: Vec<_> = sections.iter().map(Section::span).collect();
    let mut rankers =
        sections.into_iter().map(|section| RankerConfig::read(section, &shared)).collect::<Result<Vec<_>, _>>()?;
    let design = DesignConfig::read(&mut file, &datasets, &mut rankers, &mut ranker_spans)?;
    check_labels("rankers", rankers.iter().map(|r| r.label.as_str()), &ranker_spans)?;
    if let Some((ranker, message)) = wrong_member(&rankers) {
        return Err(Fault::new(message, ranker_spans[ranker].clone()));
    }

    let dialect = file.take("dialect");
    let named = dialect.is_some();
    let section = file.take("evaluation").map(|value| Section::new(value, "`evaluation`")).transpose()?;
    let (evaluation, measure_notes) = EvaluationConfig::read(section, dialect)?;
    let section = file.take("query_sets").map(|value| Section::new(value, "`query_sets`")).transpose()?;
    let query_sets = QuerySetsConfig::read(section, named && evaluation.dialect == PAPER, &mut datasets)?;
    let tables = match file.take("tables") {
        Some(value) => TablesConfig::read(Section::new(value, "`tables`")?)?,
        None => TablesConfig::default(),
    };
    let guards = file.read("guards")?.unwrap_or_default();
    let origin =
        Origin { datasets: dataset_spans, rankers: ranker_spans, old_words, measure_notes, ..Origin::default() };
    Ok(Experiment { name, seed, datasets, rankers, evaluation, query_sets, tables, guards, design, origin })
}

fn check_labels<'a>(
    what: &str,
    labels: impl Iterator<Item = &'a str> + Clone,
    spans: &[Range<usize>],
) -> Result<(), Fault> {
    if spans.is_empty() {
        let key = what.trim_end_matches('s').replace(' ', "");
        return Err(Fault::new(format!("the experiment has no {what}"), 0..0).help(format!("add a `[[{key}]]`")));
    }
    match labels::duplicate(labels.clone()) {
        Some((_, second)) => {
            let label = labels.clone().nth(second).unwrap_or_default();
            let help = "give the second a `label` of its own (labels that differ only in capitals count as equal)";
            Err(Fault::new(format!("two {what} are labelled `{label}`"), spans[second].clone())
                .label("the second")
                .help(help))
        }
        None => Ok(()),
    }
}
