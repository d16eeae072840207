//! `fivefold dialects`: the named sets of conventions.

use fivefold_metrics::{Conventions, DIALECTS, Dialect, dialect};
use serde::Serialize;

use super::listing::{self, Listed};
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem::{self, Problem};
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold dialects             one line a dialect
  fivefold dialects letor4      its conventions, in the form of an experiment file
  fivefold dialects --json      everything, for a program")]
pub(crate) struct Args {
    /// A dialect's name
    name: Option<String>,
    #[command(flatten)]
    json: JsonArgs,
}

/// A dialect as `--json` prints it.
#[derive(Serialize)]
struct Described {
    name: &'static str,
    summary: &'static str,
    checked_against: &'static str,
    measures: Vec<Measure>,
    notes: &'static [&'static str],
    conventions: Conventions,
}

/// A measure of a program.
#[derive(Serialize)]
struct Measure {
    theirs: &'static str,
    ours: &'static str,
}

impl From<&Dialect> for Described {
    fn from(dialect: &Dialect) -> Self {
        let Dialect { name, summary, source, measures, notes, .. } = *dialect;
        let measures = measures.iter().map(|&(theirs, ours)| Measure { theirs, ours }).collect();
        Described { name, summary, checked_against: source, measures, notes, conventions: dialect.conventions() }
    }
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let found =
            self.name.map(|name| dialect(&name).map(Described::from).map_err(|error| Problem::from(error).into()));
        let foot = |screen: &mut Screen| screen.line("`fivefold dialects NAME` shows the conventions.");
        listing::show(found, DIALECTS.iter().map(Described::from), self.json.asked(), foot, screen)
    }
}

impl Listed for Described {
    fn row(&self) -> Vec<String> {
        vec![self.name.to_owned(), self.summary.to_owned()]
    }

    fn show(&self, screen: &mut Screen) -> miette::Result<()> {
        screen.line(format_args!("{}: {}", self.name, self.summary));
        screen.line(format_args!("checked against: {}\n", self.checked_against));
        for note in self.notes {
            screen.line(format_args!("- {note}"));
        }
        if !self.measures.is_empty() {
            let cells = |m: &Measure| vec![m.theirs.to_owned(), m.ours.to_owned()];
            screen.line("");
            screen.columns(&["There", "Here"], self.measures.iter().map(cells));
        }
        screen.line("");
        screen.text(toml::to_string(&self.conventions).map_err(problem::report)?);
        Ok(())
    }
}
