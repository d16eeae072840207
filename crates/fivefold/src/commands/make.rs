//! `fivefold make`: a made collection as LETOR text.

use std::path::{Path, PathBuf};

use fivefold_core::Dataset;
use fivefold_core::words::counted;
use fivefold_data::made::SHAPES;
use fivefold_data::{MadeSource, Source, open, write_letor};

use crate::cli::Outcome;
use crate::files;
use crate::problem::{self, Problem};
use crate::screen::Screen;

/// Write a made collection as LETOR files, in five folds
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold make --shape mq2007 --queries 200 --out made
  fivefold make --shape mslr-web30k --queries 1000 --seed 3 --out big

Writes FoldN/train.txt, vali.txt and test.txt, which an experiment reads with `path = \"made\"` and
`layout = \"fold-dirs\"`. The same shape, number and seed give the same bytes, and the same data as
`made = { shape = ..., queries = ..., seed = ... }` in an experiment.")]
pub(crate) struct Args {
    /// Whose statistics the collection has
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(SHAPES.iter().map(|shape| shape.name)), default_value = SHAPES[0].name)]
    shape: String,
    /// How many queries
    #[arg(long, value_name = "N", default_value_t = 100)]
    queries: usize,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The folder to write into
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Outcome> {
        let made = MadeSource { shape: self.shape, queries: self.queries, seed: self.seed };
        let source = Source { made: Some(made), ..Source::default() };
        let collection = open(&source, &[]).map_err(problem::report)?;
        for fold in &collection.folds {
            let folder = self.out.join(format!("Fold{}", fold.number));
            std::fs::create_dir_all(&folder).map_err(|error| Problem::file("make the folder", &folder, error))?;
            write(&folder.join("train.txt"), &fold.train)?;
            write(&folder.join("test.txt"), &fold.test)?;
            if let Some(validation) = &fold.validation {
                write(&folder.join("vali.txt"), validation)?;
            }
        }
        screen.line(format_args!(
            "{}: {}, {}, {} in {}",
            self.out.display(),
            counted(collection.all.len(), "query"),
            counted(collection.all.documents(), "document"),
            counted(collection.all.width(), "feature"),
            counted(collection.folds.len(), "fold")
        ));
        Ok(Outcome::Done)
    }
}

fn write(path: &Path, data: &Dataset) -> miette::Result<()> {
    files::write_with(path, |out| write_letor(data, out))
}
