//! `fivefold import`: makes a model file from the model of another program.

use std::path::PathBuf;

use fivefold_base::words::counted;
use fivefold_core::model_file::FORMAT;
use fivefold_core::{ModelFile, ModelFileError, ModelHeader, Registry};
use fivefold_data::input;
use fivefold_rankers::exchange::{Columns, Format};
use serde_json::Value;

use crate::exit::Exit;
use crate::outputs::{Output, ReplaceArgs, is_model};
use crate::problem::{self, Problem};
use crate::screen::Screen;
use crate::{files, model};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold import ranklib-model.txt --features 46 -o model.json
  fivefold import lightgbm-model.txt -o model.json
  fivefold import lightgbm-model.txt --first-feature-id 1 -o model.json

Models of RankLib's LambdaMART, MART, Random Forests, RankBoost, AdaRank, Coordinate Ascent and Linear Regression can \
be read. Models of LightGBM can be read if they have one score a document and no categories. `fivefold score` then scores with the model. LightGBM \
counts columns from 0, but keeps the numbers of a LETOR file that it reads itself: for such files --first-feature-id 1.")]
pub(crate) struct Args {
    /// The other program's model file
    file: PathBuf,
    /// The format [default: by the first line]
    #[arg(long, value_parser = model::format_names())]
    format: Option<&'static Format>,
    /// Number of features of a document, which a RankLib file does not say
    #[arg(long, value_name = "N")]
    features: Option<usize>,
    /// The number that the file gives the first feature [default: 1 in ranklib, 0 in lightgbm]
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u32).range(..=1))]
    first_feature_id: Option<u32>,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    replace: ReplaceArgs,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let output = Output { path: &self.out, what: "a model file", is_one: &is_model };
        output.check([&self.file], self.replace)?;
        let text =
            input::read_text(&self.file, input::MOST_TEXT).map_err(|error| Problem::file("read", &self.file, error))?;
        let format = self.format.or_else(|| Format::of_text(&text)).ok_or_else(|| {
            model::unusable(&self.file, "the first line is of no known format")
                .help("RankLib's files begin with `## ` and the learner's name, LightGBM's with `tree`")
        })?;
        let first = self.first_feature_id.unwrap_or(format.first_feature);
        let imported = format
            .read(&text, Columns { first, features: self.features })
            .map_err(|error| Problem::new(format!("{}:{}: {}", self.file.display(), error.line, error.what)))?;
        let entry = registry
            .find(imported.ranker)
            .ok_or_else(|| model::unusable(&self.file, ModelFileError::Ranker(imported.ranker.to_owned())))?;
        let header = ModelHeader {
            format: FORMAT.to_owned(),
            ranker: entry.name.to_owned(),
            version: entry.version,
            params: Value::Null,
            features: imported.features,
            columns: None,
            missing: imported.missing.to_owned(),
            normaliser: Value::Null,
            data: String::new(),
        };
        let file = ModelFile { header, model: serde_json::to_value(&imported.model).map_err(problem::report)? };
        files::write(&self.out, file.to_text().map_err(problem::report)?.as_bytes())?;
        screen.line(format_args!(
            "{}: {} read from {} as {}, {}",
            self.out.display(),
            entry.name,
            self.file.display(),
            format.name,
            counted(imported.features, "feature")
        ));
        Ok(Exit::Done)
    }
}
