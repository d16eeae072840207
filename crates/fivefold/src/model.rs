//! The code that commands about model files share.

use std::fmt::Display;
use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_base::printable::bounded;
use fivefold_core::registry::DynModel;
use fivefold_core::{Dataset, ModelFile, ModelFileError, ModelHeader, Registry};
use fivefold_data::letor::{Coding, read_letor_coded};
use fivefold_data::{Fitted, Missing, Part, ReadOptions, input, read_letor};
use fivefold_experiment::scoring::{score, score_codes};
use fivefold_rankers::exchange::{AS_TRAINED, FORMATS, Format};
use serde_json::Value;

use crate::problem::{self, Problem};

/// Reads a model file.
pub(crate) fn read(path: &Path) -> miette::Result<ModelFile> {
    let text = input::read_text(path, input::MOST_TEXT).map_err(|error| Problem::file("read", path, error))?;
    Ok(ModelFile::parse(&text).map_err(|error| unusable(path, error))?)
}

/// The error for a model file that cannot be used.
pub(crate) fn unusable(path: &Path, error: impl Display) -> Problem {
    Problem::new(format!("{}: {error}", path.display()))
}

/// The treatment of missing values when a saved model scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingAtScoring {
    /// The policy that the model file holds.
    AsTrained,
    /// This policy, whatever the model file says.
    By(Missing),
}

impl MissingAtScoring {
    /// Parses the name of a policy. Help and errors list all names.
    fn parser() -> impl TypedValueParser<Value = MissingAtScoring> {
        let names = [AS_TRAINED].into_iter().chain(Missing::ALL.map(Missing::name));
        PossibleValuesParser::new(names).map(|name| {
            let policy = Missing::ALL.into_iter().find(|policy| policy.name() == name);
            policy.map_or(MissingAtScoring::AsTrained, MissingAtScoring::By)
        })
    }
}

/// The option about missing values, of commands in which a saved model scores.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct MissingArgs {
    /// How to treat missing feature values (NULL, nan). `as-trained`: as the model file says. A
    /// model from LightGBM sends missing values to a side at each split
    #[arg(long, value_name = "POLICY", value_parser = MissingAtScoring::parser(), default_value = AS_TRAINED)]
    missing: MissingAtScoring,
}

/// A model for scoring, with everything that its file says about reading documents.
pub(crate) struct Scorer<'a> {
    path: &'a Path,
    pub(crate) header: ModelHeader,
    pub(crate) model: Box<dyn DynModel>,
    /// The treatment of missing values; `None` if the model itself has a rule for them.
    pub(crate) missing: Option<Missing>,
    normaliser: Option<Fitted>,
}

impl<'a> Scorer<'a> {
    /// Loads the model of a file that was read from `path`.
    pub(crate) fn load(
        file: ModelFile,
        path: &'a Path,
        registry: &Registry,
        missing: &MissingArgs,
    ) -> miette::Result<Self> {
        let header = file.header.clone();
        let missing = match missing.missing {
            MissingAtScoring::By(policy) => Some(policy),
            MissingAtScoring::AsTrained if header.missing == AS_TRAINED => None,
            MissingAtScoring::AsTrained => Some(
                serde_json::from_value(Value::String(header.missing.clone()))
                    .map_err(|error| unusable(path, bounded(&error.to_string())))?,
            ),
        };
        let normaliser: Option<Fitted> = serde_json::from_value(header.normaliser.clone())
            .map_err(|error| unusable(path, bounded(&error.to_string())))?;
        let width = header.features;
        let model = file.load(registry, width).map_err(|error| unusable(path, error))?;
        if normaliser.is_some() && model.codes().is_some() {
            let what = "the model compares values in f64, as they stand in the text, but its header has a normaliser, which gives f32";
            return Err(unusable(path, what).into());
        }
        if missing.is_none() && model.codes().is_none() {
            let what = format!("the header says `{AS_TRAINED}`, but the model has no rule for missing values");
            return Err(unusable(path, what).help("give --missing zero").into());
        }
        Ok(Scorer { path, header, model, missing, normaliser })
    }

    /// Reads documents for the model: codes if the model compares values in `f64`, else values.
    pub(crate) fn read(&self, data: &Path, options: &ReadOptions) -> miette::Result<Part> {
        let part = match self.model.codes() {
            Some(codes) => read_letor_coded(data, options, Coding { codes, missing: self.missing }),
            None => read_letor(data, &ReadOptions { missing: self.missing.unwrap_or_default(), ..options.clone() }),
        };
        Ok(part.map_err(Problem::from)?)
    }

    /// Returns the data as the model sees them, after its normaliser.
    ///
    /// # Errors
    /// Fails if the documents have another number of features than the model, or if the normaliser
    /// refuses the data.
    pub(crate) fn normalised(&self, data: &Dataset) -> miette::Result<Dataset> {
        let (model, width) = (self.header.features, data.width());
        if model != width {
            return Err(unusable(self.path, ModelFileError::Width { model, data: width })
                .help(
                    "score data with the model's features; give --pad if the data leave out the last features \
                    because these are 0",
                )
                .into());
        }
        match &self.normaliser {
            Some(fitted) => fitted.apply(data).map_err(problem::report),
            None => Ok(data.clone()),
        }
    }

    /// The scores of documents that were read and normalised.
    pub(crate) fn score(&self, data: &Dataset) -> miette::Result<Vec<f64>> {
        let scores = match self.model.codes() {
            Some(codes) => score_codes(codes, data),
            None => score(&*self.model, data),
        };
        Ok(scores.map_err(|error| unusable(self.path, error))?)
    }
}

/// Parses the name of another program's format.
pub(crate) fn format_names() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().map(|format| format.name);
    PossibleValuesParser::new(names).try_map(|name| Format::find(&name).ok_or("not a format"))
}
