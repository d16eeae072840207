//! `fivefold export`: a model of trees in another program's format.

use std::path::PathBuf;

use fivefold_core::ModelHeader;
use fivefold_rankers::exchange::Format;
use fivefold_rankers::tree_model::TreeModel;

use crate::cli::Outcome;
use crate::outputs::{Output, ReplaceArgs, begins_as};
use crate::screen::{Screen, tell};
use crate::{files, model};

/// Write a model of trees in RankLib's or LightGBM's format
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold export model.json --format ranklib -o model.txt     for Elasticsearch, OpenSearch, Solr, RankLib
  fivefold export model.json --format lightgbm -o model.txt    lightgbm.Booster(model_file=\"model.txt\")
  fivefold export model.json --format lightgbm --first-feature-id 1 -o model.txt

Models of lambdamart, mart, random-forest and rankboost can be written. LightGBM counts columns from 0, but keeps the numbers \
of a LETOR file that it reads itself: for such files --first-feature-id 1. Neither format holds a normaliser.")]
pub(crate) struct Args {
    /// A model file, from `fivefold train` or from the folder of a run
    model: PathBuf,
    /// The format
    #[arg(long, value_parser = model::format_names())]
    format: &'static Format,
    /// The number that the file gives the first feature [default: 1 in ranklib, 0 in lightgbm]
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u32).range(..=1))]
    first_feature_id: Option<u32>,
    /// Where the model goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Outcome> {
        let file = model::read(&self.model)?;
        if file.model.get("trees").is_none() {
            let what = format_args!("a model of `{}`, which is not made of trees", file.header.ranker);
            return Err(model::unusable(&self.model, what)
                .help("models of lambdamart, mart, random-forest and rankboost can be written")
                .into());
        }
        let trees: TreeModel = serde_json::from_value(file.model)
            .map_err(|error| model::unusable(&self.model, format_args!("the trees are damaged: {error}")))?;
        if let Some(method) = normalised(&file.header) {
            tell(format_args!(
                "note: the model was trained on normalised features ({method}); normalise them before another program scores"
            ));
        }
        let first = self.first_feature_id.unwrap_or(self.format.first_feature);
        let text =
            self.format.write(&trees, &file.header.ranker, first).map_err(|what| model::unusable(&self.model, what))?;
        match &self.out {
            Some(path) => {
                let output = Output { path, what: "a model of this format", is_one: &begins_as(&text) };
                output.check([&self.model], self.replace)?;
                files::write(path, text.as_bytes())?;
            }
            None => screen.text(text),
        }
        Ok(Outcome::Done)
    }
}

/// The name of the normaliser's method, if there is one.
fn normalised(header: &ModelHeader) -> Option<&str> {
    header.normaliser.get("method")?.as_str().filter(|&method| method != "none")
}
