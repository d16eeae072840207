//! `fivefold dialects`: the sets of conventions that have a name.

use fivefold_metrics::{Conventions, DIALECTS, Dialect, dialect};
use serde::Serialize;

use crate::exit::Exit;
use crate::problem::{self, Problem};
use crate::screen::Screen;

/// List the dialects, or show the conventions of one
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold dialects             one line a dialect
  fivefold dialects letor4      its conventions, as they can be written in an experiment file
  fivefold dialects --json      everything, for a program")]
pub(crate) struct Args {
    /// A dialect's name
    name: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
        let Dialect { name, summary, source, measures, notes, conventions } = *dialect;
        let measures = measures.iter().map(|&(theirs, ours)| Measure { theirs, ours }).collect();
        Described { name, summary, checked_against: source, measures, notes, conventions: conventions() }
    }
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        match self.name {
            None if self.json => screen.json(&DIALECTS.iter().map(Described::from).collect::<Vec<_>>())?,
            None => {
                screen.columns(&[], DIALECTS.iter().map(|d| vec![d.name.to_owned(), d.summary.to_owned()]));
                screen.line("\n`fivefold dialects NAME` shows the conventions.");
            }
            Some(name) => {
                let dialect = Described::from(dialect(&name).map_err(Problem::from)?);
                if self.json {
                    screen.json(&dialect)?;
                } else {
                    screen.line(format_args!("{}: {}", dialect.name, dialect.summary));
                    screen.line(format_args!("checked against: {}\n", dialect.checked_against));
                    for note in dialect.notes {
                        screen.line(format_args!("- {note}"));
                    }
                    if !dialect.measures.is_empty() {
                        let cells = |m: &Measure| vec![m.theirs.to_owned(), m.ours.to_owned()];
                        screen.line("");
                        screen.columns(&["There", "Here"], dialect.measures.iter().map(cells));
                    }
                    screen.line("");
                    screen.text(toml::to_string(&dialect.conventions).map_err(problem::report)?);
                }
            }
        }
        Ok(Exit::Done)
    }
}
