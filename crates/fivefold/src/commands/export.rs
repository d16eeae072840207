//! `fivefold export`: writes a model in the format of another program.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fivefold_core::ModelFile;
use fivefold_data::input;
use fivefold_data::normalise::{Fitted, NormaliserMethod, Over};
use fivefold_rankers::export::{
    Context, Exported, Formula, ModelReader, Normalised, SOURCES, Scaling, TARGETS, Target,
};

use crate::exit::Exit;
use crate::outputs::{Output, ReplaceArgs, begins_as};
use crate::problem::Problem;
use crate::screen::{Screen, tell};
use crate::{adapters, files, model};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold export model.json --format lightgbm -o model.txt    lightgbm.Booster(model_file=\"model.txt\")
  fivefold export model.json --format solr --feature-names names.txt -o model.solr.json
  fivefold export model.json --format elasticsearch --name ranker -o ranker.json
  fivefold export model.json --format onnx -o model.onnx

Models of trees (lambdamart, mart, random-forest, rankboost) go to every format; linear models (linear, l2-logistic, linfa-logistic, \
ranksvm, coordinate-ascent, adarank, feature) to all but lightgbm. Networks, models of smartcore-forest and models of \
your own rankers cannot be written.

Features are called by their numbers, or by --feature-names in solr, elasticsearch, opensearch and lightgbm. Solr's feature store, or \
the feature set of the plug-in, must have features of these names. LightGBM counts columns from 0, but keeps the numbers of a LETOR file \
that it reads itself: for such files --first-feature-id 1.

A normaliser over the training part goes into the file. A normaliser over each query does not, because solr, \
elasticsearch and opensearch see one document at a time. `fivefold book reference/models` says how precisely each program scores.")]
pub(crate) struct Args {
    /// A model file, from `fivefold train` or from the folder of a run
    model: PathBuf,
    /// The format
    #[arg(long, value_parser = targets())]
    format: &'static Target,
    /// The number that the file gives the first feature [default: 0 in lightgbm, else 1]
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u32).range(..=1))]
    first_feature_id: Option<u32>,
    /// A file with a feature's name on each line [default: the numbers of the features]
    #[arg(long, value_name = "FILE")]
    feature_names: Option<PathBuf>,
    /// The model's name in solr, elasticsearch, opensearch and onnx [default: the model file's]
    #[arg(long)]
    name: Option<String>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
}

/// Parses the name of a program.
fn targets() -> impl TypedValueParser<Value = &'static Target> {
    let names = TARGETS.iter().map(|target| PossibleValue::new(target.name).help(target.summary));
    PossibleValuesParser::new(names).try_map(|name| Target::find(&name).ok_or("not a format"))
}

/// Rankers of other crates whose models can be written. The build may lack the ranker, because the
/// model file is enough.
const ADAPTED: &[ModelReader] = &[ModelReader::linear(adapters::LINFA_LOGISTIC)];

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let file = model::read(&self.model)?;
        if self.format.binary && self.out.is_none() {
            let problem =
                Problem::new(format!("a model as {} is not text and cannot go to standard output", self.format.name));
            return Err(problem.help("give the file of the model: -o FILE").into());
        }
        let fitted = fitted(&self.model, &file)?;
        let model = exported(&self.model, &file.header.ranker, file.model)?;
        let header = file.header;
        let model = model
            .widened(header.columns.as_deref(), header.features)
            .map_err(|error| model::unusable(&self.model, format_args!("the model is damaged: {error}")))?;
        let names = self.feature_names.as_deref().map(read_names).transpose()?;
        let stem = self.model.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let context = Context {
            ranker: &header.ranker,
            name: self.name.as_deref().unwrap_or(&stem),
            first: self.first_feature_id.unwrap_or(self.format.first_feature),
            features: header.features,
            names: names.as_deref(),
            missing: &header.missing,
        };
        let scales: Vec<(f64, f64)> = fitted.scales().collect();
        let value = |feature: usize, value: f32| fitted.value(feature, value);
        let normalised = match (formula(fitted.method()), fitted.over()) {
            (None, _) => Normalised::No,
            (Some(_), Over::Query) => Normalised::ByQuery,
            (Some(formula), Over::Train) => Normalised::ByTraining(Scaling { formula, scales: &scales, value: &value }),
        };
        let written = self
            .format
            .write(&model, &context, normalised)
            .map_err(|refusal| model::unusable(&self.model, &refusal).help(refusal.help.clone()))?;
        for note in &written.notes {
            tell(format_args!("note: {note}"));
        }
        match &self.out {
            Some(path) => {
                let text = String::from_utf8_lossy(&written.bytes);
                let own = begins_as(&text);
                let output = Output { path, what: "a model of this format", is_one: &own };
                let read = [Some(&self.model), self.feature_names.as_ref()];
                output.check(read.into_iter().flatten(), self.replace)?;
                files::write(path, &written.bytes)?;
            }
            None => screen.text(String::from_utf8_lossy(&written.bytes)),
        }
        Ok(Exit::Done)
    }
}

/// Reads the model of `ranker` for export. Models of some rankers cannot be written; for them, the
/// error names the rankers whose models can.
fn exported(path: &Path, ranker: &str, model: serde_json::Value) -> miette::Result<Exported> {
    let mut sources = SOURCES.iter().chain(ADAPTED);
    let Some(source) = sources.find(|source| source.ranker == ranker) else {
        let known: Vec<&str> = SOURCES.iter().chain(ADAPTED).map(|source| source.ranker).collect();
        let what = format_args!("models of `{ranker}` have no counterpart in other programs");
        return Err(model::unusable(path, what)
            .help(format!("models of these rankers can be written: {}", known.join(", ")))
            .into());
    };
    Ok((source.read)(model).map_err(|error| model::unusable(path, format_args!("the model is damaged: {error}")))?)
}

/// The normaliser of a model. A model without a normaliser gets the normaliser that does nothing.
fn fitted(path: &Path, file: &ModelFile) -> miette::Result<Fitted> {
    let fitted: Option<Fitted> =
        serde_json::from_value(file.header.normaliser.clone()).map_err(|error| model::unusable(path, error))?;
    let fitted = fitted.unwrap_or_default();
    let scales = fitted.scales().len();
    if fitted.over() == Over::Train && fitted.method() != NormaliserMethod::None && scales != file.header.features {
        let what = format_args!("the normaliser has {scales} features, but the model has {}", file.header.features);
        return Err(model::unusable(path, what).into());
    }
    Ok(fitted)
}

fn formula(method: NormaliserMethod) -> Option<Formula> {
    match method {
        NormaliserMethod::None => None,
        NormaliserMethod::MinMax => Some(Formula::MinMax),
        NormaliserMethod::ZScore => Some(Formula::ZScore),
        NormaliserMethod::LogZScore => Some(Formula::LogZScore),
    }
}

/// Reads the names of the features from a file with one name in each line.
fn read_names(path: &Path) -> miette::Result<Vec<String>> {
    let text = input::read_text(path, input::MOST_TEXT).map_err(|error| Problem::file("read", path, error))?;
    let names: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    if let Some(line) = names.iter().position(String::is_empty) {
        let problem = Problem::new(format!("{}:{}: the line is empty", path.display(), line + 1));
        return Err(problem.help("give a name on each line, in the order of the features").into());
    }
    Ok(names)
}
