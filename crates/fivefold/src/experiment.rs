//! Which experiment a command is about: a TOML file, or one that the program carries with it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fivefold_core::Registry;
use fivefold_data::Cache;
use fivefold_data::input;
use fivefold_data::lint::{Kind, looks_like};
use fivefold_results::Experiment;
use fivefold_results::labels::file_name;
use fivefold_results::owner::Claim;
use fivefold_studies::StudyFile;
use serde::{Deserialize, Serialize};

use crate::cache::CacheArgs;
use crate::data_dir::data_dir;
use crate::old_words;
use crate::outputs::ReplaceArgs;
use crate::problem::{self, Problem};
use crate::shipped;

/// An experiment and where its data are.
#[derive(Debug, Clone, clap::Args, Serialize, Deserialize)]
pub(crate) struct ExperimentArgs {
    #[arg(value_name = "EXPERIMENT", help = format!("A TOML file, or the name of an experiment that comes with the program: {}", shipped::told()))]
    experiment: String,
    /// The results folder [default: runs/NAME, with the experiment's name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder with collections and score files, searched after the experiment file's own folder
    /// [default: the environment variable FIVEFOLD_DATA]
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
        let shipped = if path.is_file() { None } else { shipped::find(name) };
        let text = match shipped {
            Some(text) => text.to_owned(),
            None => {
                folders.push(path.parent().map(Path::to_owned).unwrap_or_default());
                let text = input::read_text(path, input::MOST_SETTINGS).map_err(|error| unreadable(name, error))?;
                if let Some(problem) = data_file(path, &text) {
                    return Err(problem.into());
                }
                text
            }
        };
        folders.extend(data_dir(asked));
        Ok(Text { claim: Claim::of(path, shipped.is_some()), name: name.to_owned(), text, folders, cache: None })
    }

    /// The claim of the experiment on its results folder.
    pub(crate) fn claim(&self, replace: ReplaceArgs) -> Claim {
        Claim { replace: replace.replace, ..self.claim.clone() }
    }

    /// The study that it is, with the folders of its paths; `None`: a learning-to-rank experiment.
    /// Results of earlier experiments are looked for from where we are, too.
    pub(crate) fn study(&self) -> miette::Result<Option<(StudyFile, Vec<PathBuf>)>> {
        if !StudyFile::is_study(&self.text) {
            return Ok(None);
        }
        let file = StudyFile::parse(&self.text).map_err(|error| Problem::param(error, &self.name, &self.text))?;
        old_words::tell_once(file.old_words.iter().copied());
        let mut folders = self.folders.clone();
        folders.push(PathBuf::new());
        Ok(Some((file, folders)))
    }

    /// The text itself.
    pub(crate) fn content(&self) -> &str {
        &self.text
    }

    /// The learning-to-rank experiment that it is.
    pub(crate) fn experiment(self, registry: &Registry) -> miette::Result<Experiment> {
        if StudyFile::is_study(&self.text) {
            let what = format!("`{}` is a study: a study trains nothing and has no jobs", self.name);
            return Err(Problem::new(what).help(format!("fivefold run {}", self.name)).into());
        }
        let experiment = Experiment::parse(&self.name, &self.text, self.folders, registry)?;
        old_words::tell_once(experiment.old_words().iter().copied());
        Ok(experiment.with_cache(self.cache))
    }
}

/// The problem that a file holds data in place of an experiment. A message about TOML would not help
/// whoever gave the data themselves.
fn data_file(path: &Path, text: &str) -> Option<Problem> {
    text.parse::<toml::Table>().err()?;
    let (what, help) = match looks_like(path)? {
        Kind::Letor => (
            "LETOR text",
            "an experiment is a TOML file that names data, rankers and measures: `fivefold book your-data`",
        ),
        Kind::Qrels | Kind::Run => ("a TREC run or qrels", "`fivefold eval --qrels QRELS --runs RUN` measures a run"),
        Kind::Scores => ("scores", "`fivefold eval --data DATA --scores SCORES` measures scores"),
        Kind::Values => return None,
    };
    let message = format!("{} holds data ({what}), and is not an experiment", path.display());
    Some(Problem::new(message).help(help))
}

fn unreadable(name: &str, error: std::io::Error) -> Problem {
    let names = shipped::names();
    let known = names.join(", ");
    let help = match fivefold_base::words::nearest(name, names) {
        // It is there, and is something else.
        _ if error.kind() == std::io::ErrorKind::InvalidData => {
            format!(
                "give an experiment file, a short text in TOML; `fivefold lint {name}` names the kind of the file \
                    {name}"
            )
        }
        Some(near) => format!("did you mean `{near}`, which comes with the program?"),
        None => format!("give a TOML file, or an experiment that comes with the program: {known}"),
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

    /// What the user called the experiment.
    pub(crate) fn name(&self) -> &str {
        &self.experiment
    }

    /// The same experiment for a process that starts in another folder, with other variables. `name`
    /// is the experiment's own name.
    pub(crate) fn absolute(&self, name: &str) -> miette::Result<Self> {
        let whole = |path: PathBuf| std::path::absolute(path).map_err(problem::report);
        let experiment = match Path::new(&self.experiment) {
            file if file.is_file() => whole(file.to_owned())?.display().to_string(),
            _ => self.experiment.clone(),
        };
        let data_dir = data_dir(self.data_dir.as_deref()).map(whole).transpose()?;
        Ok(ExperimentArgs { experiment, out: Some(whole(self.out(name))?), data_dir, cache: self.cache.absolute()? })
    }

    /// The words of a command line that name this experiment.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let option = |name: &str, value: &Option<PathBuf>| {
            value.as_ref().map(|value| [OsString::from(name), value.into()]).into_iter().flatten().collect::<Vec<_>>()
        };
        let own = [OsString::from(&self.experiment)].into_iter();
        own.chain(option("--out", &self.out))
            .chain(option("--data-dir", &self.data_dir))
            .chain(self.cache.words())
            .collect()
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
