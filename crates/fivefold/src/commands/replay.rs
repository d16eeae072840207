//! `fivefold replay`: the derived tables of a paper recomputed from its own printed scores.

use std::path::{Path, PathBuf};

use fivefold_experiment::replay::{FENG_KARMAKER_2023_DERIVED, FENG_KARMAKER_2023_SCORES, replay};

use crate::cli::Outcome;
use crate::format::Format;
use crate::problem::{self, Problem};
use crate::screen::Screen;

/// Recompute a paper's derived tables from its printed scores, cell by cell
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold replay                              Feng & Karmaker (IPM 2023)
  fivefold replay scores.toml derived.toml     other printed tables, in the same form
  fivefold replay --format csv > cells.csv

Cells that do not follow from the printed scores are the paper's, not a failure: the exit code stays 0.")]
pub(crate) struct Args {
    /// Printed scores, TOML
    #[arg(requires = "derived")]
    scores: Option<PathBuf>,
    /// Printed statistics that are to follow from them, TOML
    derived: Option<PathBuf>,
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Outcome> {
        let scores = text_of(self.scores.as_deref(), FENG_KARMAKER_2023_SCORES)?;
        let derived = text_of(self.derived.as_deref(), FENG_KARMAKER_2023_DERIVED)?;
        let replay = replay(&scores, &derived).map_err(problem::report)?;
        self.format.print(&replay.tables(), screen)?;
        Ok(Outcome::Done)
    }
}

fn text_of(path: Option<&Path>, embedded: &str) -> miette::Result<String> {
    match path {
        None => Ok(embedded.to_owned()),
        Some(path) => Ok(std::fs::read_to_string(path).map_err(|error| Problem::file("read", path, error))?),
    }
}
