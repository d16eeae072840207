//! `fivefold replay`: computes the derived tables of a paper again, from the scores that the paper
//! prints.

use fivefold_studies::replay::replay;

use crate::exit::Exit;
use crate::format::FormatArgs;
use crate::published::{self, Published, SHIPPED};
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold replay                              Feng & Karmaker (IPM 2023)
  fivefold replay feng-2023                    correlations with people's ratings (Feng's dissertation, 2023)
  fivefold replay published.toml               other printed tables, in the form of `fivefold book published-tables`
  fivefold replay --format csv > cells.csv

If a cell does not follow from the printed scores, the fault is the paper's: the exit code stays 0.")]
pub(crate) struct Args {
    /// Printed tables: feng-karmaker-2023 or feng-2023; a TOML file; or a folder with scores.toml and
    /// derived.toml, or with correlations.toml
    #[arg(value_name = "PUBLISHED", default_value = SHIPPED)]
    published: String,
    #[command(flatten)]
    format: FormatArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        if let Some(replay) = published::correlations(&self.published)? {
            self.format.form().print(&replay.tables(), screen)?;
            return Ok(Exit::Done);
        }
        let published = Published::read(&self.published)?;
        let replay = replay(published.scores(), published.derived()).map_err(|error| published.problem(error))?;
        self.format.form().print(&replay.tables(), screen)?;
        Ok(Exit::Done)
    }
}
