//! `fivefold tune`: searches for the parameters of one ranker on one training and one validation file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::counted;
use fivefold_core::model_file::FORMAT;
use fivefold_core::registry::{DynModel, DynRanker};
use fivefold_core::{Dataset, FitContext, FitError, ModelFile, ModelHeader, RankerEntry, Registry, Seed};
use fivefold_data::hash::data_hash;
use fivefold_data::{Fitted, Normaliser};
use fivefold_experiment::scoring::score;
use fivefold_experiment::tuned::{choose_on_one_part, tried, values};
use fivefold_results::Experiment;
use fivefold_results::config::{ScoreSource, Setting, TuneConfig};
use fivefold_results::store::{Chosen, Tried};
use serde::Serialize;
use serde_json::Value;

use super::train::{refuse_beyond_memory, toml_lines, warn_of_leaks};
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::outputs::{Output, ReplaceArgs, is_model};
use crate::problem::{self, Problem};
use crate::progress::FitBar;
use crate::reading::{self, ReadArgs};
use crate::screen::{Screen, tell, tell_report};
use crate::threads::ThreadArgs;
use crate::{files, interrupt, normaliser};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold tune --ranker linear --try lambda=0.1,1,10,100 --measure ndcg@10 --train train.txt --valid vali.txt -o m.json
  fivefold tune --ranker lambdamart --param trees=200 --try leaves=5,10,31 --try 'learning_rate={ low = 0.01, high = 0.3, \
scale = \"log\" }' --draws 20 --measure ap.v2 --train train.txt --valid vali.txt -o m.json

Each setting learns from --train and is measured on --valid. The best setting is fitted again, and its model is kept. \
In an experiment, [ranker.tune] does the same fold by fold, with jobs that are kept, and with a test part.")]
pub(crate) struct Args {
    /// The ranker; `fivefold rankers` lists the rankers
    #[arg(long, value_name = "NAME")]
    ranker: String,
    /// Values to try: with commas between them, or a list or a range as under [ranker.tune.params];
    /// may be given several times
    #[arg(long = "try", value_name = "NAME=VALUES", required = true)]
    tried: Vec<String>,
    /// A fixed parameter; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// Try this many seeded draws instead of all combinations
    #[arg(long, value_name = "N")]
    draws: Option<usize>,
    /// The measure on --valid; `fivefold measures` lists the measures
    #[arg(long, value_name = "MEASURE")]
    measure: String,
    /// The dialect, which fixes the conventions of the measure
    #[arg(long, value_name = "NAME", default_value = "paper")]
    dialect: String,
    /// LETOR/SVMlight file to learn from, plain or .gz
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// LETOR/SVMlight file for early stopping and for the choice
    #[arg(long, value_name = "FILE")]
    valid: PathBuf,
    /// How the features are normalised: none, min-max, z-score or log-z-score, over each query
    /// (`query`) or over the whole training part (`train`)
    #[arg(long, value_name = normaliser::SYNTAX, default_value = "none:query", value_parser = normaliser::parse)]
    normalise: Normaliser,
    /// The seed, for rankers that draw random numbers and for --draws
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArgs,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    replace: ReplaceArgs,
    #[command(flatten)]
    reading: ReadArgs,
    #[command(flatten)]
    json: JsonArgs,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a> {
    out: &'a Path,
    measure: String,
    chosen: &'a Chosen,
    settings: Vec<ToldSetting<'a>>,
}

#[derive(Serialize)]
struct ToldSetting<'a> {
    setting: &'a BTreeMap<String, Value>,
    /// None where the fit failed or no query counts.
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The data of a search.
struct Parts {
    train: Dataset,
    validation: Dataset,
    /// The highest grade of both.
    max_grade: u8,
    fitted: Fitted,
    hash: String,
}

impl Parts {
    /// The values of a model on the queries of the validation part.
    fn values(&self, model: &dyn DynModel, experiment: &Experiment, tune: &TuneConfig) -> Result<Vec<f64>, String> {
        let scores = score(model, &self.validation).map_err(|error| error.to_string())?;
        let judged_by = (self.max_grade, experiment.tie_seed(0));
        let conventions = &experiment.evaluation.conventions;
        let values = values(&tune.measure, conventions, judged_by, &self.validation, &scores);
        values.map_err(|error| error.to_string())
    }
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.threads.threads).build().map_err(problem::report)?;
        pool.install(|| self.tune(registry, screen))
    }

    fn tune(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let output = Output { path: &self.out, what: "a model file", is_one: &is_model };
        output.check([&self.train, &self.valid], self.replace)?;
        let names = registry.entries().iter().map(|entry| entry.name);
        let entry = registry.find(&self.ranker).ok_or_else(|| Problem::no_ranker(&self.ranker, names, registry))?;
        let experiment = self.experiment(registry)?;
        let Some(tune) = experiment.rankers[0].tune.as_deref() else {
            return Err(Problem::new("nothing is searched").into());
        };
        let parts = self.parts()?;
        let conventions = &experiment.evaluation.conventions;
        let mut found: Vec<Option<Vec<f64>>> = Vec::new();
        let mut told = Vec::new();
        for setting in &tune.settings {
            let ranker = restored(entry, setting)?;
            refuse_beyond_memory(&*ranker, &parts.train, Some(&parts.validation))?;
            let values = match self.fit(&*ranker, &parts) {
                Err(FitError::Cancelled) => return Ok(Exit::Interrupted),
                fitted => {
                    fitted.map_err(|error| error.to_string()).and_then(|model| parts.values(&*model, &experiment, tune))
                }
            };
            if let Err(error) = &values {
                tell(format_args!("FAILED {}: {error}", setting.words(&tune.names)));
            }
            told.push(values.as_ref().map(|values| tried(tune, conventions, values)).map_err(String::clone));
            found.push(values.ok());
        }
        let Some(chosen) = choose_on_one_part(tune, conventions, &found) else {
            let settings = counted(tune.settings.len(), "setting");
            tell_report(&Problem::new(format!("no model was made: none of {settings} has a value")).into());
            return Ok(Exit::Failed);
        };
        let ranker = restored(entry, &tune.settings[chosen.number])?;
        let model = match self.fit(&*ranker, &parts) {
            Err(FitError::Cancelled) => return Ok(Exit::Interrupted),
            model => model.map_err(problem::report)?,
        };
        let header = ModelHeader {
            format: FORMAT.to_owned(),
            ranker: entry.name.to_owned(),
            version: entry.version,
            params: ranker.params(),
            features: parts.train.width(),
            columns: None,
            missing: self.reading.options().missing.name().to_owned(),
            normaliser: serde_json::to_value(&parts.fitted).map_err(problem::report)?,
            data: parts.hash.clone(),
        };
        let file = ModelFile { header, model: model.to_json().map_err(problem::report)? };
        files::write(&self.out, file.to_text().map_err(problem::report)?.as_bytes())?;
        self.tell(tune, &chosen, &told, screen)?;
        Ok(Exit::Done)
    }

    /// The search as the ranker of an experiment. The data set of this experiment is never opened.
    fn experiment(&self, registry: &Registry) -> miette::Result<Experiment> {
        let fixed = toml_lines("--param", &self.param, false)?;
        let tried = toml_lines("--try", &self.tried, true)?;
        let word = |text: &str| toml::Value::from(text).to_string();
        let method =
            self.draws.map_or("method = \"grid\"".to_owned(), |draws| format!("method = \"random\"\ndraws = {draws}"));
        let text = format!(
            "name = \"tune\"\nseed = {}\ndialect = {}\n[[dataset]]\nlabel = \"data\"\nsynthetic = {{ shape = \"mq2007\", queries = \
             20 }}\n[[ranker]]\nkind = {}\n[ranker.params]\n{fixed}[ranker.tune]\n{method}\nmeasure = {}\n[ranker.tune.params]\n{tried}",
            self.seed,
            word(&self.dialect),
            word(&self.ranker),
            word(&self.measure),
        );
        Ok(Experiment::parse("the command line", &text, Vec::new(), registry)?)
    }

    fn parts(&self) -> miette::Result<Parts> {
        let options = self.reading.options();
        let read = reading::read_parts(&[&self.train, &self.valid], &options)?;
        warn_of_leaks(&read, options.first_feature_id);
        let fitted = self.normalise.fit(&read[0]).map_err(problem::report)?;
        let apply = |part: &Dataset| fitted.apply(part).map_err(problem::report);
        let (train, validation) = (apply(&read[0])?, apply(&read[1])?);
        let max_grade = train.max_grade().max(validation.max_grade());
        Ok(Parts { train, validation, max_grade, fitted, hash: data_hash(&read[0]) })
    }

    fn fit(&self, ranker: &dyn DynRanker, parts: &Parts) -> Result<Box<dyn DynModel>, FitError> {
        let bar = FitBar::new(ranker.name());
        let context = FitContext::new(Seed::new(self.seed))
            .with_progress(&bar)
            .with_cancellation(interrupt::watch())
            .with_validation(&parts.validation);
        let model = ranker.fit(&parts.train, &context);
        bar.finish();
        model
    }

    fn tell(
        &self,
        tune: &TuneConfig,
        chosen: &Chosen,
        found: &[Result<Tried, String>],
        screen: &mut Screen,
    ) -> miette::Result<()> {
        let value = |found: &Result<Tried, String>| found.as_ref().ok().and_then(|tried| tried.value);
        if self.json.asked() {
            let settings = tune.settings.iter().zip(found).map(|(setting, found)| ToldSetting {
                setting: &setting.values,
                value: value(found),
                error: found.as_ref().err().map(String::as_str),
            });
            let told = Told { out: &self.out, measure: tune.measure.to_string(), chosen, settings: settings.collect() };
            return screen.json(&told);
        }
        let rows = tune.settings.iter().zip(found).map(|(setting, found)| {
            let value = match (value(found), found) {
                (Some(value), _) => Cell::number(value, 4),
                (None, Err(_)) => Cell::text("FAILED"),
                (None, Ok(_)) => Cell::na(),
            };
            vec![Cell::text(setting.words(&tune.names)), value]
        });
        let title = format!("{} on --valid of each setting of {}", tune.measure, self.ranker);
        let note = "the value of the best setting is the highest of many, so it is too high as an estimate of quality";
        let table = Table::new("settings", title, ["setting".to_owned(), tune.measure.to_string()], 1);
        screen.tables(&[table.with_rows(rows.collect()).with_notes(vec![note.to_owned()])]);
        let words = tune.settings[chosen.number].words(&tune.names);
        screen.line(format_args!("{}: {} with {words}", self.out.display(), self.ranker));
        Ok(())
    }
}

/// The ranker of a setting.
fn restored(entry: &RankerEntry, setting: &Setting) -> miette::Result<Box<dyn DynRanker>> {
    match &setting.ranker.source {
        ScoreSource::Train { params, .. } => entry.restore(params).map_err(problem::report),
        _ => Err(Problem::new(format!("`{}` fits nothing that could be searched", entry.name)).into()),
    }
}
