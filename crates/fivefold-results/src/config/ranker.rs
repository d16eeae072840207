//! `[[ranker]]`: a ranker with its label, parameters and normaliser.
//!
//! ```toml
//! [[ranker]]
//! label = "Ridge"                                     # default: the kind
//! kind = "linear"
//! normalise = { method = "z-score", over = "query" }  # default: the experiment's
//! features = { without = ["group:BM25", 7] }          # or `only`; default: all features
//! train_share = 0.5                                   # learn from half of the training queries; default: all
//! time_limit = "10m"                                  # also memory_limit, isolate, see `limits`
//! [ranker.params]                                     # parameters of the kind
//! lambda = 1.0
//!
//! [[ranker]]
//! label = "AdaRank"
//! kind = "scores"                # trained elsewhere: a file for each fold, a score on each line
//! params = { path = "AdaRank/Fold{fold}.score" }
//!
//! [[ranker]]
//! label = "Fused"
//! kind = "fusion"                # other rankers of the experiment, combined; see `fusion`
//! params = { of = ["Ridge", "AdaRank"], method = "rrf" }
//!
//! [[ranker]]
//! kind = "command"               # a program in any language, see `command`
//! params = { argv = ["./rank", "{train}", "{test}", "{scores}"], files = ["rank"] }
//!
//! [[ranker]]
//! kind = "python"                # a class in Python, see `python`
//! params = { class = "mine.py:Mine", params = { depth = 3 } }
//!
//! [[ranker]]
//! label = "Tuned"
//! kind = "lambdamart"
//! [ranker.tune]                  # a search for parameters on validation parts, see `tune`
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use fivefold_core::params::{ParamInfo, with_keys};
use fivefold_core::{Registry, Seed};
use fivefold_data::{FeatureChoice, Normaliser};
use fivefold_metrics::MeasureSpec;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeTable;

use super::command::{CommandLine, Placeholder, default_output, default_time};
use super::error::Fault;
use super::fusion::FusionConfig;
use super::limits::JobLimits;
use super::python::{PythonClass, interpreter};
use super::read::{Section, read};
use super::tune::{Base, TuneConfig};
use crate::code::KnownBy;
use crate::labels;

/// The kinds of ranker that are not registered. Their scores come from files, from other rankers of
/// the experiment, or from other programs.
pub const OUTSIDE: &[OutsideKind] = &[
    OutsideKind {
        name: "scores",
        summary: "scores of a program that trained elsewhere: a score on each line, in the order of each fold's test \
            documents",
        params: ScoreFiles::params,
        sees_features: false,
        read: |params| Ok(ScoreSource::Scores(read(params.into_value())?)),
    },
    OutsideKind {
        name: "fusion",
        summary: "combines the rankings of other rankers of the experiment: reciprocal rank, CombSUM, Borda and others",
        params: FusionConfig::params,
        sees_features: false,
        read: |params| FusionConfig::read(params).map(ScoreSource::Fusion),
    },
    OutsideKind {
        name: "command",
        summary: "a program in any language, which gets the parts of a fold as LETOR files and writes the test part's \
            scores",
        params: CommandLine::params,
        sees_features: true,
        read: |params| {
            let span = params.span_of("argv");
            checked(read(params.into_value())?, span)
        },
    },
    OutsideKind {
        name: "python",
        summary: "a class in Python with `fit` and `predict`, also an estimator of scikit-learn, LightGBM, XGBoost or \
            CatBoost; needs the Python package of fivefold",
        params: PythonClass::params,
        sees_features: true,
        read: |params| {
            let span = params.span_of("class");
            let class: PythonClass = read(params.into_value())?;
            let command = class.command();
            match command.file_fault() {
                Some(message) => Err(Fault::new(message, span)),
                None => checked(command, span),
            }
        },
    },
];

/// A command that can run as it is given.
fn checked(command: CommandLine, span: Range<usize>) -> Result<ScoreSource, Fault> {
    if let Some(key) = command.needless() {
        let message =
            format!("`{key}` has no effect beside `confine = false`: such a command may do all that its user may");
        return Err(Fault::new(message, span).help(format!("leave out `{key}` or `confine = false`")));
    }
    match command.misplaced() {
        Some(message) => Err(Fault::new(message, span).help("add it to `files`, or give an absolute path")),
        None => Ok(ScoreSource::Command(command)),
    }
}

/// A kind of [`OUTSIDE`].
pub struct OutsideKind {
    /// The word after `kind =`.
    pub name: &'static str,
    /// A line about the kind.
    pub summary: &'static str,
    /// The parameters of the kind.
    pub params: fn() -> Vec<ParamInfo>,
    /// Whether the kind sees features, so that they can be normalised for it.
    sees_features: bool,
    read: fn(Section<'_>) -> Result<ScoreSource, Fault>,
}

/// A ranker of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankerConfig {
    /// The label in tables and files. No two rankers have the same label.
    pub label: String,
    /// The name of a registered ranker, or of a kind of [`OUTSIDE`].
    pub kind: String,
    /// Where the ranker's scores come from.
    #[serde(rename = "method")]
    pub source: ScoreSource,
    /// How the features are normalised before the ranker sees them.
    pub normalise: Normaliser,
    /// The features that the ranker sees. `None`: all features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureChoice>,
    /// The share of the training queries that the ranker learns from. `None`: all queries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_share: Option<f64>,
    /// The limits of the ranker's jobs. No result depends on these limits, so the results folder
    /// does not hold them.
    #[serde(skip)]
    pub limits: JobLimits,
    /// The search for the ranker's parameters. `None`: the parameters are fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tune: Option<Box<TuneConfig>>,
}

/// Where scores come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreSource {
    /// Training a registered ranker.
    Train {
        /// Version of the ranker, a part of the cache key.
        version: u32,
        /// How the cache key identifies the ranker's code. `None` if by the version alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<KnownBy>,
        /// Whether the seed alters the model at these parameters.
        seeded: bool,
        /// All parameters of the ranker, with defaults filled in.
        params: serde_json::Value,
        /// Renamed parameters: the new name, and the old name that job keys and model files keep.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        renamed: BTreeMap<String, String>,
    },
    /// Files that hold the scores.
    Scores(ScoreFiles),
    /// A program that computes the scores.
    Command(CommandLine),
    /// The rankings of other rankers, combined.
    Fusion(FusionConfig),
}

impl ScoreSource {
    /// Whether a parameter chooses the only feature that the ranker sees.
    fn takes_one_feature(&self) -> bool {
        matches!(self, ScoreSource::Train { params, .. } if params.get("feature").is_some())
    }
}

/// Returns the parameters under the names that job keys and model files use. So a new name of a
/// parameter alters no key.
pub fn key_params(params: &serde_json::Value, renamed: &BTreeMap<String, String>) -> serde_json::Value {
    with_keys(params, renamed.iter().map(|(new, old)| (new.as_str(), old.as_str())))
}

/// `[ranker.params]` of `kind = "scores"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreFiles {
    /// Path of the score files. `{fold}` stands for the number of the fold, and `{dataset}` for the
    /// label of the data set. A relative path is looked for beside the experiment file, then in the
    /// folder of `FIVEFOLD_DATA`.
    #[serde(deserialize_with = "pattern")]
    pub path: String,
}

impl ScoreFiles {
    fn params() -> Vec<ParamInfo> {
        let help =
            "path of the score files; `{fold}` stands for the fold's number, `{dataset}` for the data set's label";
        vec![ParamInfo { name: "path".to_owned(), default: None, help: help.to_owned() }]
    }

    /// The path of the score file of one fold.
    pub fn file(&self, dataset: &str, fold: usize) -> String {
        self.path.replace("{fold}", &fold.to_string()).replace("{dataset}", dataset)
    }
}

impl CommandLine {
    fn params() -> Vec<ParamInfo> {
        let param =
            |name: &str, default, help: &str| ParamInfo { name: name.to_owned(), default, help: help.to_owned() };
        let argv = "the program and its arguments, without a shell; {train}, {validation}, {test} and {scores} stand for \
                    files, {seed} for a number";
        vec![
            param("argv", None, argv),
            param(
                "files",
                Some(serde_json::json!([])),
                "files that are copied to the folder where the program runs; a changed file makes the job run again",
            ),
            param("time_limit", Some(default_time().to_string().into()), "the most time for a fold: 90s, 10m, 2h"),
            param(
                "output_limit",
                Some(String::from(default_output()).into()),
                "the most that the program may write into its folder: 800MiB, 4GiB",
            ),
            param(
                "read",
                Some(serde_json::json!([])),
                "files and folders that the program may read, beside its own folder, the programs and the system; \
                    never data, cache or results",
            ),
            param(
                "write",
                Some(serde_json::json!([])),
                "files and folders that the program may write, too; every table is then stamped",
            ),
            param("network", Some(false.into()), "whether the program may use TCP; if so, every table is stamped"),
            param(
                "confine",
                Some(true.into()),
                "whether the program is confined to these files and rights (Linux); if not, every table is stamped",
            ),
        ]
    }
}

impl PythonClass {
    fn params() -> Vec<ParamInfo> {
        let param =
            |name: &str, default, help: &str| ParamInfo { name: name.to_owned(), default, help: help.to_owned() };
        let own = [
            param(
                "class",
                None,
                "the class: FILE:CLASS, with a file beside the experiment, or MODULE:CLASS, such as \
                    sklearn.linear_model:Ridge",
            ),
            param("params", Some(serde_json::json!({})), "the arguments of the class"),
            param("python", Some(interpreter().into()), "the interpreter, which has the Python package of fivefold"),
        ];
        own.into_iter().chain(CommandLine::params().into_iter().filter(|param| param.name != "argv")).collect()
    }
}

fn pattern<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let path = String::deserialize(deserializer)?;
    let wrong = if path.contains("{fold}") {
        path.split('{')
            .skip(1)
            .map(|rest| rest.split('}').next().unwrap_or(rest))
            .find(|n| !["fold", "dataset"].contains(n))
    } else {
        return Err(serde::de::Error::custom("`path` must contain `{fold}`, where the number of the fold stands"));
    };
    match wrong {
        Some(name) => {
            Err(serde::de::Error::custom(format!("`path` may contain `{{fold}}` and `{{dataset}}`, not `{{{name}}}`")))
        }
        None => Ok(path),
    }
}

pub(super) const KEYS: [&str; 10] = [
    "label",
    "kind",
    "normalise",
    "features",
    "train_share",
    "params",
    "tune",
    "time_limit",
    "memory_limit",
    "isolate",
];

/// The keys of `[run]` that a ranker may also have.
const LIMITS: [&str; 3] = ["time_limit", "memory_limit", "isolate"];

/// The settings of an experiment that its rankers use.
pub(super) struct Shared<'r> {
    pub(super) registry: &'r Registry,
    pub(super) normalise: Normaliser,
    pub(super) run: JobLimits,
    pub(super) seed: Seed,
}

impl RankerConfig {
    /// The measure on validation parts that chooses for the ranker: parameters, features or weights.
    pub fn chosen_by(&self) -> Option<&MeasureSpec> {
        match &self.source {
            ScoreSource::Fusion(fusion) => fusion.weights_by.as_ref(),
            _ => self.tune.as_ref().map(|tune| &tune.measure),
        }
    }

    /// Whether two repeats of the ranker can differ: it draws numbers, or a sample of the training
    /// queries. A fusion also differs if one of its rankers does, which
    /// [`Experiment::repeats_of`](super::Experiment::repeats_of) knows.
    pub(super) fn draws(&self) -> bool {
        let by_seed = match &self.source {
            ScoreSource::Train { seeded, .. } => *seeded,
            ScoreSource::Command(command) => command.uses(Placeholder::Seed),
            ScoreSource::Scores(_) | ScoreSource::Fusion(_) => false,
        };
        let settings = self.tune.iter().flat_map(|tune| &tune.settings);
        by_seed || self.train_share.is_some() || settings.into_iter().any(|setting| setting.ranker.draws())
    }

    pub(super) fn read(mut section: Section<'_>, shared: &Shared<'_>) -> Result<Self, Fault> {
        let (kind, kind_span): (String, _) = section.require("kind", "this ranker")?;
        let label_span = if section.has("label") { section.span_of("label") } else { kind_span.clone() };
        let label = section.read::<String>("label")?.unwrap_or_else(|| kind.clone());
        labels::check(&label).map_err(|reason| Fault::new(format!("the label {reason}"), label_span))?;
        let own_span = section.has("normalise").then(|| section.span_of("normalise"));
        let own: Option<Normaliser> = section.read("normalise")?;
        let features_span = section.has("features").then(|| section.span_of("features"));
        let features = read_features(&mut section)?;
        let share_span = section.has("train_share").then(|| section.span_of("train_share"));
        let train_share = read_share(&mut section)?;
        let limits_span = section.first_span(&LIMITS);
        let own_limits = JobLimits {
            time: section.read("time_limit")?,
            memory: section.read("memory_limit")?,
            isolate: section.read("isolate")?,
        };
        let limits = own_limits.or(shared.run);
        let params = match section.take("params") {
            Some(value) => Section::new(value, "`params`")?,
            None => Section::of_table(Spanned::new(kind_span.clone(), DeTable::new())),
        };
        let tune = section.take("tune").map(|value| Section::new(value, "`tune`")).transpose()?;
        section.finish(&KEYS)?;
        let outside = OUTSIDE.iter().find(|outside| outside.name == kind);
        if let Some(blind) = outside.filter(|outside| !outside.sees_features) {
            let tune_span = tune.as_ref().map(Section::span);
            blind.check_keys(own_span, features_span.clone(), share_span, limits_span, tune_span)?;
        }
        let source = |params: Section<'_>| match outside {
            Some(outside) => (outside.read)(params),
            None => trained(&kind, &kind_span, params, shared.registry),
        };
        let sees_features = outside.is_none_or(|outside| outside.sees_features);
        let normalise = if sees_features { own.unwrap_or(shared.normalise) } else { Normaliser::default() };
        let params = params.into_table();
        let fixed = source(Section::of_table(params.clone()));
        if let (Some(span), true) = (features_span, fixed.as_ref().is_ok_and(ScoreSource::takes_one_feature)) {
            let message = format!("a ranker of kind `{kind}` takes its feature by its parameter `feature`");
            return Err(Fault::new(message, span).help("leave out `features`"));
        }
        let Some(tune) = tune else {
            let source = fixed?;
            if let ScoreSource::Command(command) = &source
                && let Some(name) = command.tuned_names().first()
            {
                let fault = Fault::new(format!("`{{param.{name}}}` has no value"), kind_span);
                return Err(fault.help(format!("give it values to try: [ranker.tune.params] {name} = [..]")));
            }
            return Ok(RankerConfig { label, kind, source, normalise, features, train_share, limits, tune: None });
        };
        if let (Err(fault), Some(_)) = (&fixed, outside) {
            return Err(fault.clone());
        }
        // A parameter without a default may have its values in the search alone.
        let fixed = fixed.ok();
        let base = Base {
            label: &label,
            kind: &kind,
            fixed: fixed.as_ref(),
            normalise,
            features: features.as_ref(),
            train_share,
            limits,
            params: &params,
            seed: shared.seed,
            source: &source,
        };
        let tune = TuneConfig::read(tune, &base)?;
        let source = fixed.unwrap_or_else(|| tune.settings[0].ranker.source.clone());
        Ok(RankerConfig { label, kind, source, normalise, features, train_share, limits, tune: Some(Box::new(tune)) })
    }
}

impl OutsideKind {
    /// Refuses the keys of a `[[ranker]]` that have no effect on a kind that fits nothing. Each key
    /// is given by its place.
    fn check_keys(
        &self,
        normalise: Option<Range<usize>>,
        features: Option<Range<usize>>,
        train_share: Option<Range<usize>>,
        limits: Option<Range<usize>>,
        tune: Option<Range<usize>>,
    ) -> Result<(), Fault> {
        for (span, what) in [
            (normalise, "`normalise` has no effect on a ranker of kind `KIND`, which sees no features"),
            (features, "`features` has no effect on a ranker of kind `KIND`, which sees no features"),
            (train_share, "`train_share` has no effect on a ranker of kind `KIND`, which sees no features"),
            (limits, "limits have no effect on a ranker of kind `KIND`, which fits nothing"),
            (tune, "`tune` has no effect on a ranker of kind `KIND`, which fits nothing"),
        ] {
            if let Some(span) = span {
                return Err(Fault::new(what.replace("KIND", self.name), span));
            }
        }
        Ok(())
    }
}

/// The source of a registered ranker with these parameters.
fn trained(
    kind: &str,
    kind_span: &Range<usize>,
    params: Section<'_>,
    registry: &Registry,
) -> Result<ScoreSource, Fault> {
    let Some(entry) = registry.find(kind) else {
        if let Some(absent) = registry.find_absent(kind) {
            let fault = Fault::new(format!("this build has no ranker `{kind}`"), kind_span.clone());
            return Err(fault.label("not in this build").help(absent.to_string()));
        }
        let outside = OUTSIDE.iter().map(|outside| outside.name);
        let known = registry.entries().iter().map(|entry| entry.name).chain(outside);
        return Err(Fault::unknown("kind of ranker", kind, kind_span.clone(), known));
    };
    let ranker = entry.parse(params.into_table()).map_err(|error| Fault::from(error).or_at(kind_span))?;
    let params = ranker.params();
    // The job reads the parameters back from JSON. So a value that JSON cannot hold (infinity) is
    // refused now, not during the run.
    entry.restore(&params).map_err(|error| Fault::from(error).or_at(kind_span))?;
    let code = KnownBy::of(entry).map_err(|error| Fault::new(error, kind_span.clone()))?;
    let renamed = entry.renamed.iter().map(|word| (word.new.to_owned(), word.old.to_owned())).collect();
    Ok(ScoreSource::Train { version: entry.version, code, seeded: ranker.seeded(), params, renamed })
}

/// Reads `features`. An empty list is an error.
fn read_features(section: &mut Section<'_>) -> Result<Option<FeatureChoice>, Fault> {
    let span = section.span_of("features");
    let features: Option<FeatureChoice> = section.read("features")?;
    match features.as_ref().filter(|choice| choice.picks().is_empty()) {
        Some(choice) => Err(Fault::new(format!("`{}` names no feature", choice.word()), span)
            .help("name features by number, name or group, or leave out `features`")),
        None => Ok(features),
    }
}

/// The first fusion that names a ranker which is not there, or which is a fusion itself: the
/// number of the fusion, and the error.
pub(super) fn wrong_member(rankers: &[RankerConfig]) -> Option<(usize, String)> {
    let wrong = |label: &String| match rankers.iter().find(|ranker| ranker.label == *label) {
        None => {
            let known: Vec<&str> = rankers
                .iter()
                .filter(|ranker| !matches!(ranker.source, ScoreSource::Fusion(_)))
                .map(|ranker| ranker.label.as_str())
                .collect();
            Some(format!("`of` names `{label}`, but no ranker has this label; there are {}", known.join(", ")))
        }
        Some(RankerConfig { source: ScoreSource::Fusion(_), .. }) => {
            Some(format!("`of` names `{label}`, which is a fusion itself; name the rankers that it combines"))
        }
        Some(_) => None,
    };
    // Weights are learnt from the scores of models on the validation part.
    let without_model = |label: &String| {
        let member = rankers.iter().find(|ranker| ranker.label == *label)?;
        (!matches!(member.source, ScoreSource::Train { .. })).then(|| {
            format!(
                "`weights_by` needs models that score the validation part, but `{label}` is of kind `{}`, which keeps no \
                 model; give `weights`",
                member.kind
            )
        })
    };
    rankers.iter().enumerate().find_map(|(place, ranker)| match &ranker.source {
        ScoreSource::Fusion(config) => {
            let learns = config.weights_by.is_some();
            let wrong = |label: &String| wrong(label).or_else(|| learns.then(|| without_model(label)).flatten());
            Some((place, config.of.iter().find_map(wrong)?))
        }
        _ => None,
    })
}

/// Reads `train_share`. The share 1 is the same as none.
fn read_share(section: &mut Section<'_>) -> Result<Option<f64>, Fault> {
    let span = section.span_of("train_share");
    let share: Option<f64> = section.read("train_share")?;
    match share.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
        Some(wrong) => Err(Fault::new(format!("`train_share` must be above 0 and at most 1, not {wrong}"), span)),
        None => Ok(share.filter(|share| *share < 1.0)),
    }
}
