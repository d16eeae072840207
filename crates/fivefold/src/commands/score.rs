//! `fivefold score`: the scores of a saved model, with the normaliser and the missing-value policy it was trained with.

use std::path::PathBuf;

use fivefold_core::{ModelFile, Registry};
use fivefold_data::input;
use fivefold_data::{Fitted, Missing, Part, ReadOptions, data_hash};
use fivefold_experiment::{score, scores_text};
use serde_json::Value;

use crate::cli::Outcome;
use crate::files;
use crate::problem::{self, Problem};
use crate::reading::{self, LayoutArgs};
use crate::screen::{Screen, tell};

/// Score the documents of a LETOR file with a saved model
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold score --model model.json --data test.txt > scores.txt
  fivefold score --model model.json --data test.txt -o scores.txt
  fivefold score --model runs/mq2008/models/mq2008/fold1/Ridge.json --data test.txt -o scores.txt

One score a line, in the order of the documents. The features are normalised, and missing values treated, as when the \
model was trained; data with another number of features are refused.")]
pub(crate) struct Args {
    /// A model file, from `fivefold train` or from the folder of a run
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// LETOR/SVMlight file, plain or .gz
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// Where the scores go [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Accept data that never mention the last features (of value 0 in every document)
    #[arg(long)]
    pad: bool,
    #[command(flatten)]
    layout: LayoutArgs,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Outcome> {
        let text = input::read_text(&self.model, input::MOST_TEXT)
            .map_err(|error| Problem::file("read", &self.model, error))?;
        let unusable = |error: &dyn std::fmt::Display| Problem::new(format!("{}: {error}", self.model.display()));
        let file = ModelFile::parse(&text).map_err(|error| unusable(&error))?;
        let missing: Missing =
            serde_json::from_value(Value::String(file.header.missing.clone())).map_err(|error| unusable(&error))?;
        let normaliser: Option<Fitted> =
            serde_json::from_value(file.header.normaliser.clone()).map_err(|error| unusable(&error))?;
        let part = self.read(missing, file.header.features)?;
        if data_hash(&part.data) == file.header.data {
            tell(
                "warning: the model was trained on these very documents: measures of their scores say nothing of new queries",
            );
        }
        let model = file.load(registry, part.data.width()).map_err(|error| {
            unusable(&error)
                .help("score data with the model's features; --pad if the last ones are left out because they are 0")
        })?;
        let data = match normaliser {
            Some(fitted) => fitted.apply(&part.data).map_err(problem::report)?,
            None => part.data.clone(),
        };
        let scores = score(&*model, &data).map_err(|error| unusable(&error))?;
        let text = scores_text(&part.in_file_order(scores));
        match &self.out {
            Some(path) => files::write(path, text.as_bytes())?,
            None => screen.text(text),
        }
        Ok(Outcome::Done)
    }

    fn read(&self, missing: Missing, features: usize) -> miette::Result<Part> {
        let options = self.layout.options(missing);
        let part = reading::read(&self.data, &options)?;
        if self.pad && part.data.width() < features {
            return reading::read(&self.data, &ReadOptions { features: Some(features), ..options });
        }
        Ok(part)
    }
}
