//! Which experiment a command is about: a TOML file, or one that the program carries with it.

use std::path::{Path, PathBuf};

use fivefold_core::Registry;
use fivefold_experiment::{Experiment, file_name};

use crate::data_dir::data_dir;
use crate::problem::Problem;

/// The experiments of `experiments/`, so that the program has them wherever it is installed.
pub(crate) const SHIPPED: &[(&str, &str)] = &[
    ("quickstart", include_str!("../../../experiments/quickstart.toml")),
    ("mq2008-systems", include_str!("../../../experiments/mq2008-systems.toml")),
    ("mq2008", include_str!("../../../experiments/mq2008.toml")),
    ("ohsumed", include_str!("../../../experiments/ohsumed.toml")),
    ("clueweb09", include_str!("../../../experiments/clueweb09.toml")),
    ("paper", include_str!("../../../experiments/paper.toml")),
    ("paper-tuned", include_str!("../../../experiments/paper-tuned.toml")),
    ("quality", include_str!("../../../experiments/quality.toml")),
];

/// An experiment and where its data are.
#[derive(clap::Args)]
pub(crate) struct ExperimentArgs {
    /// A TOML file, or the name of an experiment that comes with the program: quickstart, mq2008-systems, mq2008,
    /// ohsumed, clueweb09, paper, paper-tuned, quality
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// The results folder [default: runs/NAME, with the experiment's name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where collections and score files are looked for, after the experiment file's own folder [default: the
    /// environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl ExperimentArgs {
    /// Reads and checks the experiment.
    pub(crate) fn load(&self, registry: &Registry) -> miette::Result<Experiment> {
        let name = self.experiment.as_str();
        let path = Path::new(name);
        let mut folders = Vec::new();
        let text = match SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            Some((_, text)) if !path.exists() => (*text).to_owned(),
            _ => {
                folders.push(path.parent().map(Path::to_owned).unwrap_or_default());
                std::fs::read_to_string(path).map_err(|error| self.unreadable(path, error))?
            }
        };
        folders.extend(data_dir(self.data_dir.as_deref()));
        Ok(Experiment::parse(name, &text, folders, registry)?)
    }

    fn unreadable(&self, path: &Path, error: std::io::Error) -> Problem {
        let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        let known = format!("a TOML file, or one of {}", names.join(", "));
        let help = match fivefold_core::params::nearest(&self.experiment, names) {
            Some(near) => format!("did you mean `{near}`, which comes with the program?"),
            None => format!("give {known}"),
        };
        Problem::file("read the experiment", path, error).help(help)
    }

    /// The results folder.
    pub(crate) fn out(&self, experiment: &Experiment) -> PathBuf {
        self.out.clone().unwrap_or_else(|| Path::new("runs").join(file_name(&experiment.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_of_the_folder_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let mut shipped: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        files.sort();
        shipped.sort();
        assert_eq!(files, shipped);
    }

    #[test]
    fn shipped_experiments_are_valid_and_bear_their_names() {
        for (name, text) in SHIPPED {
            let experiment = Experiment::parse(name, text, Vec::new(), &crate::builtin()).unwrap();
            assert_eq!(experiment.name, *name);
        }
    }
}
