//! Which experiment a command is about: a TOML file, or one that the program carries with it.

use std::path::{Path, PathBuf};

use fivefold_core::Registry;
use fivefold_data::Cache;
use fivefold_data::input;
use fivefold_results::{Claim, Experiment, file_name};
use fivefold_studies::StudyFile;

use crate::cache::CacheArgs;
use crate::data_dir::data_dir;
use crate::outputs::ReplaceArgs;
use crate::problem::Problem;

/// The experiments of `experiments/`, so that the program has them wherever it is installed.
pub(crate) const SHIPPED: &[(&str, &str)] = &[
    ("quickstart", include_str!("../../../experiments/quickstart.toml")),
    ("mq2008-systems", include_str!("../../../experiments/mq2008-systems.toml")),
    ("mq2008", include_str!("../../../experiments/mq2008.toml")),
    ("mq2008-ranklib", include_str!("../../../experiments/mq2008-ranklib.toml")),
    ("ohsumed", include_str!("../../../experiments/ohsumed.toml")),
    ("clueweb09", include_str!("../../../experiments/clueweb09.toml")),
    ("paper", include_str!("../../../experiments/paper.toml")),
    ("paper-tuned", include_str!("../../../experiments/paper-tuned.toml")),
    ("quality", include_str!("../../../experiments/quality.toml")),
    ("residual-dl19", include_str!("../../../experiments/residual-dl19.toml")),
    ("residual-mq2008", include_str!("../../../experiments/residual-mq2008.toml")),
    ("standardise-trec8", include_str!("../../../experiments/standardise-trec8.toml")),
    ("standardise-mq2008-systems", include_str!("../../../experiments/standardise-mq2008-systems.toml")),
    ("meta-trec8", include_str!("../../../experiments/meta-trec8.toml")),
    ("meta-dl19", include_str!("../../../experiments/meta-dl19.toml")),
    ("meta-mq2008-systems", include_str!("../../../experiments/meta-mq2008-systems.toml")),
    ("standardise-rankers", include_str!("../../../experiments/standardise-rankers.toml")),
    ("convergence", include_str!("../../../experiments/convergence.toml")),
    ("convergence-open", include_str!("../../../experiments/convergence-open.toml")),
    ("convergence-clueweb09", include_str!("../../../experiments/convergence-clueweb09.toml")),
];

/// An experiment and where its data are.
#[derive(clap::Args)]
pub(crate) struct ExperimentArgs {
    /// A TOML file, or the name of an experiment that comes with the program: quickstart, mq2008-systems, mq2008,
    /// mq2008-ranklib, ohsumed, clueweb09, paper, paper-tuned, quality, and the studies residual-dl19, residual-mq2008,
    /// standardise-trec8, standardise-mq2008-systems, standardise-rankers, meta-trec8, meta-dl19, meta-mq2008-systems,
    /// convergence, convergence-open, convergence-clueweb09
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// The results folder [default: runs/NAME, with the experiment's name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where collections and score files are looked for, after the experiment file's own folder [default: the
    /// environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
}

/// The text of an experiment, of whatever kind.
pub(crate) struct Text {
    /// By what right its results are written into a folder.
    claim: Claim,
    /// What the user called it.
    name: String,
    text: String,
    /// Where relative paths in it are looked for, the first first.
    folders: Vec<PathBuf>,
    /// Where what it reads is kept.
    cache: Option<Cache>,
}

impl Text {
    /// Reads a file, or takes an experiment that comes with the program.
    pub(crate) fn read(name: &str, asked: Option<&Path>) -> miette::Result<Self> {
        let path = Path::new(name);
        let mut folders = Vec::new();
        // A results folder of this name is none.
        let shipped = SHIPPED.iter().find(|(shipped, _)| *shipped == name).filter(|_| !path.is_file());
        let text = match shipped {
            Some((_, text)) => (*text).to_owned(),
            None => {
                folders.push(path.parent().map(Path::to_owned).unwrap_or_default());
                input::read_text(path, input::MOST_SETTINGS).map_err(|error| unreadable(name, error))?
            }
        };
        folders.extend(data_dir(asked));
        Ok(Text { claim: Claim::of(path, shipped.is_some()), name: name.to_owned(), text, folders, cache: None })
    }

    /// The claim of the experiment on its results folder.
    pub(crate) fn claim(&self, replace: ReplaceArgs) -> Claim {
        Claim { replace: replace.replace, ..self.claim.clone() }
    }

    /// The study that it is, with the folders of its paths; `None`: a learning-to-rank experiment. Results of earlier
    /// experiments are looked for from where we are, too.
    pub(crate) fn study(&self) -> miette::Result<Option<(StudyFile, Vec<PathBuf>)>> {
        if !StudyFile::is_study(&self.text) {
            return Ok(None);
        }
        let file = StudyFile::parse(&self.text).map_err(|error| Problem::param(error, &self.name, &self.text))?;
        let mut folders = self.folders.clone();
        folders.push(PathBuf::new());
        Ok(Some((file, folders)))
    }

    /// The learning-to-rank experiment that it is.
    pub(crate) fn experiment(self, registry: &Registry) -> miette::Result<Experiment> {
        if StudyFile::is_study(&self.text) {
            let what = format!("`{}` is a study, which trains nothing and has no jobs", self.name);
            return Err(Problem::new(what).help(format!("fivefold run {}", self.name)).into());
        }
        Ok(Experiment::parse(&self.name, &self.text, self.folders, registry)?.with_cache(self.cache))
    }
}

fn unreadable(name: &str, error: std::io::Error) -> Problem {
    let names: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
    let known = names.join(", ");
    let help = match fivefold_base::words::nearest(name, names) {
        // It is there, and is something else.
        _ if error.kind() == std::io::ErrorKind::InvalidData => {
            format!(
                "an experiment is a short text in TOML that names its data; `fivefold lint {name}` says what this file is"
            )
        }
        Some(near) => format!("did you mean `{near}`, which comes with the program?"),
        None => format!("give a TOML file, or one of {known}"),
    };
    Problem::file("read the experiment", Path::new(name), error).help(help)
}

/// The results folder of an experiment where none is asked for.
pub(crate) fn default_out(name: &str) -> PathBuf {
    Path::new("runs").join(file_name(name))
}

impl ExperimentArgs {
    /// Reads the experiment, of whatever kind.
    pub(crate) fn text(&self) -> miette::Result<Text> {
        let text = Text::read(&self.experiment, self.data_dir.as_deref())?;
        Ok(Text { cache: self.cache.cache(), ..text })
    }

    /// The results folder that was named instead of an experiment.
    pub(crate) fn results_folder(&self) -> Option<PathBuf> {
        let path = Path::new(&self.experiment);
        path.is_dir().then(|| path.to_owned())
    }

    /// Reads and checks a learning-to-rank experiment.
    pub(crate) fn load(&self, registry: &Registry) -> miette::Result<Experiment> {
        self.text()?.experiment(registry)
    }

    /// The results folder of the experiment with this name.
    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| default_out(name))
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
            let found = match StudyFile::is_study(text) {
                true => StudyFile::parse(text).unwrap().name,
                false => Experiment::parse(name, text, Vec::new(), &crate::builtin()).unwrap().name,
            };
            assert_eq!(found, *name);
        }
    }
}
