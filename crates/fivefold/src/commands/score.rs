//! `fivefold score`: scores documents with a saved model. The model uses the normaliser and the
//! missing-value policy of its training.

use std::path::PathBuf;

use fivefold_core::Registry;
use fivefold_data::hash::data_hash;
use fivefold_data::{Part, ReadOptions};
use fivefold_experiment::scoring::scores_text;

use crate::exit::Exit;
use crate::files;
use crate::model::{self, MissingArgs, Scorer};
use crate::outputs::{Output, ReplaceArgs, is_scores};
use crate::reading::{LayoutArgs, tell_remarks};
use crate::screen::{Screen, tell};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold score --model model.json --data test.txt > scores.txt
  fivefold score --model model.json --data test.txt -o scores.txt
  fivefold score --model runs/mq2008/models/mq2008/fold1/Ridge.json --data test.txt -o scores.txt
  fivefold score --model model.json --data test.txt --missing zero

One score a line, in the order of the documents. Features are normalised as in training, and missing values are \
treated as in training (or as --missing says). Data with another number of features are refused. A model that LightGBM trained compares \
values in f64: all digits of the text count.")]
pub(crate) struct Args {
    /// A model file, from `fivefold train` or from the folder of a run
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// LETOR/SVMlight file, plain or .gz
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// The score file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
    /// Accept data that never mention the last features (of value 0 in every document)
    #[arg(long)]
    pad: bool,
    #[command(flatten)]
    missing: MissingArgs,
    #[command(flatten)]
    layout: LayoutArgs,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        if let Some(path) = &self.out {
            let output = Output { path, what: "a file of scores", is_one: &is_scores };
            output.check([&self.model, &self.data], self.replace)?;
        }
        let file = model::read(&self.model)?;
        let scorer = Scorer::load(file, &self.model, registry, &self.missing)?;
        let part = self.read(&scorer)?;
        tell_remarks(&part);
        if data_hash(&part.data) == scorer.header.data {
            tell(
                "warning: the model was trained on exactly these documents, so measures of the scores say nothing \
                    about new queries",
            );
        }
        let scores = scorer.score(&scorer.normalised(&part.data)?)?;
        let text = scores_text(&part.in_file_order(scores));
        match &self.out {
            Some(path) => files::write(path, text.as_bytes())?,
            None => screen.text(text),
        }
        Ok(Exit::Done)
    }

    fn read(&self, scorer: &Scorer<'_>) -> miette::Result<Part> {
        let options = self.layout.grades();
        let part = scorer.read(&self.data, &options)?;
        let features = scorer.header.features;
        if self.pad && part.data.width() < features {
            return scorer.read(&self.data, &ReadOptions { features: Some(features), ..options });
        }
        Ok(part)
    }
}
