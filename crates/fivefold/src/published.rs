//! Printed scores and derived tables of a paper. The tables come with the program, or from one file
//! with both, or from a folder.

use std::path::{Path, PathBuf};

use fivefold_data::input;
use fivefold_studies::replay::{
    CorrelationReplay, FENG_2023_CORRELATIONS, FENG_KARMAKER_2023_DERIVED, FENG_KARMAKER_2023_SCORES, ReplayError,
    ReproduceError, has_correlations, replay_correlations,
};

use crate::problem::{self, Problem};

/// The printed tables that come with the program.
pub(crate) const SHIPPED: &str = "feng-karmaker-2023";

/// The printed correlations with people's ratings that come with the program.
pub(crate) const SHIPPED_CORRELATIONS: &str = "feng-2023";

/// A text, and its name in messages.
struct Named {
    name: String,
    text: String,
}

/// The printed scores and the derived tables, which may come from the same file.
pub(crate) struct Published {
    scores: Named,
    derived: Named,
}

impl Published {
    /// Reads the printed tables from a folder or file, or takes the shipped tables if `name` is
    /// [`SHIPPED`].
    pub(crate) fn read(name: &str) -> miette::Result<Self> {
        let path = Path::new(name);
        if path.is_dir() {
            return Ok(Published {
                scores: file(path.join("scores.toml"))?,
                derived: file(path.join("derived.toml"))?,
            });
        }
        if name == SHIPPED && !path.exists() {
            let shipped = |file: &str, text: &str| Named { name: format!("{SHIPPED}/{file}"), text: text.to_owned() };
            return Ok(Published {
                scores: shipped("scores.toml", FENG_KARMAKER_2023_SCORES),
                derived: shipped("derived.toml", FENG_KARMAKER_2023_DERIVED),
            });
        }
        let Named { name, text } = file(path.to_owned())?;
        let derived = Named { name: name.clone(), text: text.clone() };
        Ok(Published { scores: Named { name, text }, derived })
    }

    /// The text with the printed scores.
    pub(crate) fn scores(&self) -> &str {
        &self.scores.text
    }

    /// The text with the derived tables.
    pub(crate) fn derived(&self) -> &str {
        &self.derived.text
    }

    /// Turns an error into a report that shows the mistake in its file.
    pub(crate) fn problem(&self, error: ReplayError) -> miette::Report {
        let (of, source) = match &error {
            ReplayError::Scores(source) => (&self.scores, source),
            ReplayError::Derived(source) => (&self.derived, source),
            error => return Problem::new(format!("{}: {error}", self.scores.name)).into(),
        };
        let help = "printed tables are [[scores]] and [[derived]] in one file, or scores.toml and derived.toml in a folder, which is \
                    then given; `fivefold book published-tables` shows them";
        Problem::toml(source, &of.name, &of.text).help(help).into()
    }

    /// Turns an error into a report, for a run that is compared with the printed tables.
    pub(crate) fn reproduce_problem(&self, error: ReproduceError) -> miette::Report {
        match error {
            ReproduceError::Published(error) => self.problem(error),
            ReproduceError::NoDataset { .. } => {
                Problem::new(error.to_string()).help("say which name stands for which: --map OURS=THEIRS").into()
            }
            error => problem::report(error),
        }
    }
}

/// Printed correlations with people's ratings: a shipped text, a file, or `correlations.toml` of a
/// folder. `None` if `name` means printed scores.
pub(crate) fn correlations(name: &str) -> miette::Result<Option<CorrelationReplay>> {
    let path = Path::new(name);
    let in_folder = path.join("correlations.toml");
    let named = if name == SHIPPED_CORRELATIONS && !path.exists() {
        Named { name: format!("{name}/correlations.toml"), text: FENG_2023_CORRELATIONS.to_owned() }
    } else if in_folder.is_file() {
        file(in_folder)?
    } else if path.is_file() {
        file(path.to_owned())?
    } else {
        return Ok(None);
    };
    if !has_correlations(&named.text) {
        return Ok(None);
    }
    let problem = |error| match error {
        ReplayError::Correlations(source) => {
            let help = "published/feng-2023/correlations.toml shows the form";
            Problem::toml(&source, &named.name, &named.text).help(help).into()
        }
        error => miette::Report::from(Problem::new(format!("{}: {error}", named.name))),
    };
    replay_correlations(&named.text).map(Some).map_err(problem)
}

fn file(path: PathBuf) -> miette::Result<Named> {
    let text = input::read_text(&path, input::MOST_SETTINGS).map_err(|error| Problem::file("read", &path, error))?;
    Ok(Named { name: path.display().to_string(), text })
}
