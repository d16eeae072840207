//! `fivefold make`: a synthetic collection as LETOR text.

use std::path::PathBuf;

use fivefold_base::words::counted;
use fivefold_core::Dataset;
use fivefold_data::synthetic::SHAPES;
use fivefold_data::{Fold, Source, SyntheticSource, open, write_letor};
use fivefold_results::store::Writing;

use crate::exit::Exit;
use crate::files;
use crate::outputs::{Output, ReplaceArgs, holds};
use crate::problem::{self, Problem};
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold make --shape mq2007 --queries 200 --out made
  fivefold make --shape mslr-web30k --queries 1000 --seed 3 --out big

Writes FoldN/train.txt, vali.txt and test.txt, which an experiment reads with `path = \"made\"` and
`layout = \"fold-dirs\"`. The same shape, number and seed give the same bytes, and the same data as
`synthetic = { shape = ..., queries = ..., seed = ... }` in an experiment.")]
pub(crate) struct Args {
    /// The real collection whose statistics the synthetic collection has
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
    #[command(flatten)]
    replace: ReplaceArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let made = SyntheticSource { shape: self.shape.clone(), queries: self.queries, seed: self.seed };
        let source = Source { synthetic: Some(made), ..Source::default() };
        let collection = open(&source, &[]).map_err(problem::report)?;
        let parts: Vec<(PathBuf, &Dataset)> = collection.folds.iter().flat_map(|fold| self.parts(fold)).collect();
        // All outputs are checked before the first is written. Nothing in a LETOR file tells which
        // program wrote the file. So only a file with the same content counts as this command's
        // own.
        for (path, data) in &parts {
            let same = |_: &[u8]| holds(path, &hash(data));
            Output { path, what: "the part that would be written", is_one: &same }.check([], self.replace)?;
        }
        for (path, data) in &parts {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|error| Problem::file("make the folder", folder, error))?;
            }
            files::write_with(path, |out| write_letor(data, out))?;
        }
        screen.line(format_args!(
            "{}: {}, {}, {} in {}",
            self.out.display(),
            counted(collection.all.len(), "query"),
            counted(collection.all.documents(), "document"),
            counted(collection.all.width(), "feature"),
            counted(collection.folds.len(), "fold")
        ));
        Ok(Exit::Done)
    }
}

impl Args {
    /// The files of a fold, each with its data.
    fn parts<'c>(&self, fold: &'c Fold) -> impl Iterator<Item = (PathBuf, &'c Dataset)> + use<'c> {
        let folder = self.out.join(format!("Fold{}", fold.number));
        let parts =
            [("train.txt", Some(&fold.train)), ("test.txt", Some(&fold.test)), ("vali.txt", fold.validation.as_ref())];
        parts.into_iter().filter_map(move |(name, data)| Some((folder.join(name), data?)))
    }
}

/// The hash of the file that a part is written to.
fn hash(data: &Dataset) -> String {
    let mut writing = Writing::default();
    // The text goes only into the hash, so writing cannot fail.
    let _ = write_letor(data, &mut writing);
    writing.hash()
}
