//! `fivefold train`: trains one model from one training file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};
use fivefold_core::model_file::FORMAT;
use fivefold_core::params::rename_keys;
use fivefold_core::registry::DynRanker;
use fivefold_core::{Dataset, FitContext, FitError, ModelFile, ModelHeader, RankerEntry, Registry, Seed};
use fivefold_data::Normaliser;
use fivefold_data::hash::data_hash;
use fivefold_data::input;
use fivefold_data::leaks::{Guard, label_features};
use fivefold_data::memory::memory_left;
use fivefold_results::config::Bytes;
use toml::de::DeTable;

use crate::exit::Exit;
use crate::outputs::{Output, ReplaceArgs, is_model};
use crate::problem::{self, Problem};
use crate::progress::FitBar;
use crate::reading::{self, ReadArgs};
use crate::screen::{Screen, tell, tell_report};
use crate::threads::ThreadArgs;
use crate::{files, interrupt, normaliser, old_words};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold train --ranker linear --train train.txt -o model.json
  fivefold train --ranker linear --param lambda=0.5 --normalise z-score --train train.txt -o m.json
  fivefold train --ranker mart --params mine.toml --train train.txt --valid vali.txt -o m.json

`fivefold rankers NAME` lists the parameters and the presets; `--param preset=NAME` takes a preset. The model file \
keeps the normaliser, the policy for missing values and the number of features, and `fivefold score` applies all \
three.")]
pub(crate) struct Args {
    /// The ranker; `fivefold rankers` lists the rankers
    #[arg(long, value_name = "NAME")]
    ranker: String,
    /// A parameter; may be given several times
    #[arg(long = "param", value_name = "NAME=VALUE", conflicts_with = "params")]
    param: Vec<String>,
    /// A TOML file with parameters, written as under `[ranker.params]`
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// LETOR/SVMlight file to learn from, plain or .gz
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// LETOR/SVMlight file for early stopping and model selection
    #[arg(long, value_name = "FILE")]
    valid: Option<PathBuf>,
    /// How the features are normalised: none, min-max, z-score or log-z-score, over each query
    /// (`query`) or over the whole training part (`train`)
    #[arg(long, value_name = normaliser::SYNTAX, default_value = "none:query", value_parser = normaliser::parse)]
    normalise: Normaliser,
    /// The seed, for rankers that draw random numbers
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
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.threads.threads).build().map_err(problem::report)?;
        pool.install(|| self.train(registry, screen))
    }

    fn train(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let output = Output { path: &self.out, what: "a model file", is_one: &is_model };
        output.check(std::iter::once(&self.train).chain(&self.valid).chain(&self.params), self.replace)?;
        let names = registry.entries().iter().map(|entry| entry.name);
        let entry = registry.find(&self.ranker).ok_or_else(|| Problem::no_ranker(&self.ranker, names, registry))?;
        let ranker = self.ranker_with_params(entry)?;
        let options = self.reading.options();
        let paths: Vec<&Path> = std::iter::once(&self.train).chain(&self.valid).map(PathBuf::as_path).collect();
        let parts = reading::read_parts(&paths, &options)?;
        warn_of_leaks(&parts, options.first_feature_id);
        let fitted = self.normalise.fit(&parts[0]).map_err(problem::report)?;
        let normalised =
            parts.iter().map(|part| fitted.apply(part)).collect::<Result<Vec<_>, _>>().map_err(problem::report)?;

        refuse_beyond_memory(&*ranker, &normalised[0], normalised.get(1))?;
        let bar = FitBar::new(entry.name);
        let mut context =
            FitContext::new(Seed::new(self.seed)).with_progress(&bar).with_cancellation(interrupt::watch());
        if let Some(validation) = normalised.get(1) {
            context = context.with_validation(validation);
        }
        let result = ranker.fit(&normalised[0], &context);
        bar.finish();
        let model = match result {
            Ok(model) => model,
            Err(FitError::Cancelled) => return Ok(Exit::Interrupted),
            Err(error) => {
                let problem = Problem::new(format!("no model was made: {error}"));
                tell_report(&problem.into());
                return Ok(Exit::Failed);
            }
        };
        let header = ModelHeader {
            format: FORMAT.to_owned(),
            ranker: entry.name.to_owned(),
            version: entry.version,
            params: ranker.params(),
            features: normalised[0].width(),
            columns: None,
            missing: options.missing.name().to_owned(),
            normaliser: serde_json::to_value(&fitted).map_err(problem::report)?,
            data: data_hash(&parts[0]),
        };
        let file = ModelFile { header, model: model.to_json().map_err(problem::report)? };
        files::write(&self.out, file.to_text().map_err(problem::report)?.as_bytes())?;
        screen.line(format_args!(
            "{}: {} trained on {}, {}, {}",
            self.out.display(),
            entry.name,
            counted(parts[0].len(), "query"),
            counted(parts[0].documents(), "document"),
            counted(parts[0].width(), "feature")
        ));
        Ok(Exit::Done)
    }

    fn ranker_with_params(&self, entry: &RankerEntry) -> miette::Result<Box<dyn DynRanker>> {
        let (name, text) = match &self.params {
            Some(path) => {
                let text =
                    input::read_text(path, input::MOST_SETTINGS).map_err(|error| Problem::file("read", path, error))?;
                (path.display().to_string(), text)
            }
            None => ("--param".to_owned(), toml_lines("--param", &self.param, false)?),
        };
        let mut table = DeTable::parse(&text).map_err(|error| Problem::toml(&error, &name, &text))?;
        let old = rename_keys(table.get_mut(), entry.renamed).map_err(|error| Problem::param(error, &name, &text))?;
        old_words::tell_once(old);
        Ok(entry.parse(table).map_err(|error| Problem::param(error, &name, &text))?)
    }
}

/// Refuses a fit that needs more memory than is left, before the fit takes memory.
pub(super) fn refuse_beyond_memory(
    ranker: &dyn DynRanker,
    train: &Dataset,
    validation: Option<&Dataset>,
) -> miette::Result<()> {
    let Some(left) = memory_left() else { return Ok(()) };
    let needed = ranker.fit_bytes(train, validation);
    if needed <= left {
        return Ok(());
    }
    let (needed, left) = (Bytes(needed), Bytes(left));
    let problem = Problem::new(format!(
        "no model was made: {} needs about {needed} beside the data, but only {left} may still be used",
        ranker.name()
    ));
    Err(problem.help("raise --memory, or train on fewer features, documents or threads").into())
}

/// Prints the findings of a run's leak guards on these parts, as warnings. The training goes on,
/// because it prints no table of measures, and because the user may intend such a model.
pub(super) fn warn_of_leaks(parts: &[Dataset], first_feature_id: u32) {
    for finding in label_features(&parts[0], first_feature_id) {
        tell(format_args!("warning: {finding}"));
    }
    let Some(validation) = parts.get(1) else { return };
    let learned: HashSet<&str> = parts[0].queries().map(|query| query.view().id()).collect();
    let both: Vec<&str> =
        validation.queries().map(|query| query.view().id()).filter(|id| learned.contains(id)).collect();
    if let Some(first) = both.first() {
        tell(format_args!(
            "warning: {}: {} (first: `{first}`) {} in --train too: early stopping does not see new queries",
            Guard::QueryOverlap,
            counted(both.len(), "query of --valid"),
            which(both.len(), "is", "are")
        ));
    }
}

/// Turns each `NAME=VALUE` of an option into a line of TOML. A value that is not TOML becomes a
/// string, so words need no quotes. With `list`, commas separate the values of a list.
pub(super) fn toml_lines(option: &str, params: &[String], list: bool) -> miette::Result<String> {
    let mut text = String::new();
    let is_value = |value: &str| format!("x = {value}").parse::<toml::Table>().is_ok_and(|table| table.len() == 1);
    let word = |part: &str| if is_value(part) { part.to_owned() } else { toml::Value::from(part).to_string() };
    for param in params {
        let Some((name, value)) = param.split_once('=') else {
            return Err(Problem::new(format!("`{option} {param}` has no value"))
                .help(format!("write {option} NAME=VALUE"))
                .into());
        };
        // A list or a table is one value, whatever commas it has.
        let is_whole = is_value(value) && value.trim_start().starts_with(['[', '{']);
        let value = match list && !is_whole {
            true => format!("[{}]", value.split(',').map(word).collect::<Vec<_>>().join(", ")),
            false => word(value),
        };
        text.push_str(&format!("{} = {value}\n", name.trim()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_toml_and_words_are_strings() {
        let given = ["trees=10", "rate = 0.5", "objective=ndcg@10", "preset=ranklib", "on=true", "list=[1, 2]"];
        let text = toml_lines("--param", &given.map(str::to_owned), false).unwrap();
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["trees"], toml::Value::from(10));
        assert_eq!(table["rate"], toml::Value::from(0.5));
        assert_eq!(table["objective"], toml::Value::from("ndcg@10"));
        assert_eq!(table["preset"], toml::Value::from("ranklib"));
        assert_eq!(table["on"], toml::Value::from(true));
        assert_eq!(table["list"], toml::Value::from(vec![1, 2]));
        assert!(toml_lines("--param", &["trees".to_owned()], false).is_err());
    }

    #[test]
    fn a_value_cannot_smuggle_in_a_second_parameter() {
        let text = toml_lines("--param", &["a=1\nb = 2".to_owned()], false).unwrap();
        assert_eq!(text.parse::<toml::Table>().unwrap().len(), 1);
    }
}
