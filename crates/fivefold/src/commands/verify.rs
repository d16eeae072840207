//! `fivefold verify`: derives everything in a results folder again, and compares it with the
//! folder.

mod study;

use std::path::PathBuf;

use fivefold_core::Registry;
use fivefold_experiment::VerifyOptions;
use fivefold_experiment::reuse::changes;
use fivefold_experiment::verify::{Check, other_files, verify};
use fivefold_report::Templates;
use fivefold_report::check::check_report;
use fivefold_results::store::Store;
use fivefold_results::{Results, values};
use fivefold_studies::StudyManifest;
use serde::Serialize;
use serde_json::json;

use crate::cache::CacheArgs;
use crate::data_dir::folders;
use crate::exit::Exit;
use crate::experiment::Text;
use crate::format::JsonArgs;
use crate::problem::{self, Problem};
use crate::results_folder;
use crate::screen::Screen;
use crate::threads::ThreadArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold verify runs/quickstart                    synthetic data: everything is checked
  fivefold verify runs/mq2008 --data-dir ~/letor
  fivefold verify runs/mine --experiment mine.toml   takes the file's data; compares the file, too
  fivefold verify sent-by-a-colleague --without-data
  fivefold verify runs/residual-dl19                 a study is done again

`verify` checks the manifest, job records and files by their hashes, and the data and inputs of every job. `verify` \
derives scores from the saved models, values from the scores, and the result hash, tables and page from the values. `verify` \
also names files in the folder that are no results. Nothing is trained again: to train again, run the experiment into \
another folder and compare the result hashes.

Exit codes: 0 everything is as the run wrote it, 1 something differs, 2 something could not be checked because data, \
a file or a ranker is missing.")]
pub(crate) struct Args {
    /// The results folder of `fivefold run`, or of a study
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The experiment that the folder should come from: a file, or the name of an experiment that
    /// comes with the program
    #[arg(long, value_name = "EXPERIMENT")]
    experiment: Option<String>,
    /// Folder with collections and score files, searched after the experiment file's own folder or
    /// the current folder [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Check only the folder itself, without data and inputs
    #[arg(long, conflicts_with_all = ["data_dir", "experiment"])]
    without_data: bool,
    /// A folder with the page.html, report.css or report.js that the report was written with
    #[arg(long, value_name = "DIR")]
    templates: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    json: JsonArgs,
}

/// The findings, in the form that `--json` prints.
#[derive(Serialize)]
struct Found<'a> {
    /// The name of the experiment, if the manifest can be read.
    experiment: Option<&'a str>,
    folder: String,
    /// The hash over all values of all queries; `None` for a study.
    result: Option<&'a str>,
    checks: Vec<Check>,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        results_folder::check(&self.folder)?;
        if let Some((manifest, checksum)) = StudyManifest::examine(&self.folder).map_err(problem::report)? {
            return self.study(&manifest, checksum, screen);
        }
        let experiment = match &self.experiment {
            Some(name) => Some(Text::read(name, self.data_dir.as_deref())?.experiment(registry)?),
            None => None,
        };
        let data_folders = match &experiment {
            Some(experiment) => experiment.folders().to_vec(),
            None => folders(self.data_dir.as_deref()),
        };
        let options = VerifyOptions {
            places: experiment.as_ref(),
            folders: (!self.without_data).then_some(data_folders),
            cache: self.cache.cache(),
            threads: self.threads.threads,
        };
        let found = verify(&self.folder, registry, &options)?;
        let (mut checks, mut files) = (found.checks, found.files);
        let Some(manifest) = found.manifest else {
            return self.show(None, None, checks, screen);
        };
        if let Some(experiment) = &experiment {
            let mut check = Check::new("experiment");
            let name = self.experiment.as_deref().unwrap_or_default();
            let recorded = manifest.experiment.clone().with_places_of(experiment);
            match changes(&json!(recorded), &json!(experiment)).first() {
                None => check.passed(),
                Some(change) => check.failed("manifest.json", format!("{} differs from {name}", change.input)),
            }
            checks.insert(1, check);
        }
        let name = manifest.experiment.name.clone();
        let result = manifest.result.clone();
        let mut report = Check::new("report from values");
        let mut reported = false;
        match found.evaluation {
            None => report.lacking(1, "the values cannot be read"),
            Some(evaluation) => {
                let templates = self.templates.as_deref().map(Templates::overridden).transpose();
                let templates = templates.map_err(problem::report)?.unwrap_or_default();
                let seeds = values::read_seeds(&Store::new(&self.folder), &manifest.experiment, &evaluation);
                let compared = seeds.map_err(|error| error.to_string()).and_then(|seeds| {
                    let results = Results { manifest, evaluation, seeds };
                    check_report(&results, &self.folder, &templates).map_err(|error| error.to_string())
                });
                match compared {
                    Err(error) => report.failed("per_query.csv", error),
                    Ok(None) => {
                        report.lacking(1, "the folder has no report; run the experiment again to write the report")
                    }
                    Ok(Some(compared)) => {
                        reported = true;
                        files.extend(compared.iter().map(|(file, _)| file.clone()));
                        compared.into_iter().for_each(|(file, result)| report.add(&file, result));
                    }
                }
            }
        }
        checks.push(report);
        checks.push(other_files(&self.folder, &files, reported).map_err(problem::report)?);
        self.show(Some(&name), Some(&result), checks, screen)
    }

    fn show(
        &self,
        experiment: Option<&str>,
        result: Option<&str>,
        checks: Vec<Check>,
        screen: &mut Screen,
    ) -> miette::Result<Exit> {
        let differ: usize = checks.iter().map(|check| check.differ).sum();
        let lacking = checks.iter().flat_map(|check| &check.unchecked).any(|unchecked| unchecked.missing);
        let found = Found { experiment, folder: self.folder.display().to_string(), result, checks };
        if self.json.asked() {
            screen.json(&found)?;
        } else {
            found.print(screen);
        }
        if differ > 0 {
            return Ok(Exit::Failed);
        }
        if lacking {
            let what = format!("not everything in {} could be checked", found.folder);
            let help = "give the missing input (the reasons say which: --data-dir, --experiment or more --memory), or \
                --without-data to check the folder alone";
            return Err(Problem::new(what).help(help).into());
        }
        Ok(Exit::Done)
    }
}

impl Found<'_> {
    fn print(&self, screen: &mut Screen) {
        let count = |unchecked: &Check| unchecked.unchecked.iter().map(|left| left.count).sum::<usize>();
        let rows = self.checks.iter().map(|check| {
            let numbers = [check.ok, check.differ, count(check)].map(|number| number.to_string());
            std::iter::once(check.name.to_owned()).chain(numbers).collect()
        });
        screen.columns(&["Checked", "OK", "Differ", "Not checked"], rows);
        for check in &self.checks {
            for difference in &check.differences {
                screen.line(format_args!("DIFFERS {}: {}: {}", check.name, difference.file, difference.what));
            }
            if check.differ > check.differences.len() {
                let more = check.differ - check.differences.len();
                screen.line(format_args!("DIFFERS {}: {more} more", check.name));
            }
            for left in &check.unchecked {
                screen.line(format_args!("not checked: {} of {}: {}", left.count, check.name, left.reason));
            }
        }
        if let Some(result) = self.result {
            screen.line(format_args!("result hash: {result}"));
        }
    }
}
