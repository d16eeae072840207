//! Running a study from the command line: findings on the screen and in a results folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use fivefold_analysis::Table;
use fivefold_experiment::reuse::changes;
use fivefold_report::folder::{check_index, discard_damaged_index};
use fivefold_report::{Overview, PageHead, Report, Templates, chart_figure, diagram_figure};
use fivefold_results::owner::{Claim, Standing, overwritten};
use fivefold_results::store::Store;
use fivefold_studies::run::{FORMAT, Folder};
use fivefold_studies::study::Input;
use fivefold_studies::{Findings, Study, StudyError, StudyFile, StudyManifest, StudyOptions};
use serde::Serialize;
use serde_json::{Value, json};

use crate::data_dir::folders;
use crate::exit::Exit;
use crate::experiment::{Text, default_out};
use crate::format::{JsonArgs, TABLES_IN_FOLDER};
use crate::interrupt;
use crate::outputs::ReplaceArgs;
use crate::problem::{self, Problem};
use crate::progress::FitBar;
use crate::reasons::change_lines;
use crate::screen::{Screen, tell};
use crate::shipped;
use crate::table_choice::TableArgs;
use crate::threads::ThreadArgs;

/// What the command of a study is given besides the study's own options.
#[derive(clap::Args)]
pub(crate) struct StudyArgs {
    /// A TOML file, or the name of an experiment that comes with the program, instead of options
    #[arg(value_name = "EXPERIMENT", conflicts_with = "SystemsArgs")]
    experiment: Option<String>,
    #[command(flatten)]
    run: StudyRunArgs,
}

/// How and where a study is run.
#[derive(clap::Args)]
#[group(id = TABLES_IN_FOLDER)]
pub(crate) struct StudyRunArgs {
    /// The results folder [default: runs/NAME for an experiment file; with options alone, nothing
    /// is written without --out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
    /// Folder with data files, searched after the experiment file's own folder or the current
    /// folder [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    json: JsonArgs,
}

impl StudyArgs {
    /// An error if a folder stands in place of an experiment, for a study that takes values of a
    /// results folder by an option.
    pub(crate) fn refuse_folder(&self) -> miette::Result<()> {
        match &self.experiment {
            Some(name) if Path::new(name).is_dir() => {
                let what = format!("`{name}` is a folder, not an experiment file");
                Err(Problem::new(what).help(format!("give the values of a results folder as --results {name}")).into())
            }
            _ => Ok(()),
        }
    }

    /// Runs the experiment that was named, or else `study` with this seed.
    pub(crate) fn run<S: Study>(self, study: S, seed: u64, screen: &mut Screen) -> miette::Result<Exit> {
        match &self.experiment {
            None => self.run.settings(study, seed, screen),
            Some(name) => self.run.experiment::<S>(name, screen),
        }
    }
}

/// The input, if it alone is given and is an experiment: a TOML file, or the name of an experiment that
/// comes with the program.
///
/// # Errors
/// If options change the settings, which are those of the file.
pub(crate) fn only_experiment<'i, S: PartialEq + Default>(
    inputs: &'i [String],
    study: &S,
    seed: u64,
) -> miette::Result<Option<&'i str>> {
    let [only] = inputs else { return Ok(None) };
    let path = Path::new(only);
    let is_file = path.extension().is_some_and(|ending| ending == "toml");
    if !is_file && (path.exists() || shipped::find(only).is_none()) {
        return Ok(None);
    }
    if *study != S::default() || seed != 0 {
        let what = format!("`{only}` is an experiment file, so its settings cannot be given as options");
        return Err(Problem::new(what).help("leave out the options, or change the settings in the file").into());
    }
    Ok(Some(only))
}

impl StudyRunArgs {
    /// Runs a study whose settings came from options.
    pub(crate) fn settings<S: Study>(self, study: S, seed: u64, screen: &mut Screen) -> miette::Result<Exit> {
        study.check().map_err(|error| Problem::param(error, "", ""))?;
        let folders = folders(self.data_dir.as_deref());
        let claim = Claim { source: None, replace: self.replace.replace };
        let out = self.out.clone();
        self.file(&StudyFile::of(S::KIND, seed, study), folders, (out, claim), screen)
    }

    /// Runs an experiment, which must be of this kind.
    pub(crate) fn experiment<S: Study>(self, name: &str, screen: &mut Screen) -> miette::Result<Exit> {
        let text = Text::read(name, self.data_dir.as_deref())?;
        let claim = text.claim(self.replace);
        match text.study()? {
            Some((file, folders)) if file.kind == S::KIND => {
                let out = self.out.clone().unwrap_or_else(|| default_out(&file.name));
                self.file(&file, folders, (Some(out), claim), screen)
            }
            _ => {
                let what = format!("`{name}` is not a study of kind \"{}\"", S::KIND);
                Err(Problem::new(what).help(format!("fivefold run {name}")).into())
            }
        }
    }

    fn file(
        self,
        file: &StudyFile,
        folders: Vec<PathBuf>,
        (out, claim): (Option<PathBuf>, Claim),
        screen: &mut Screen,
    ) -> miette::Result<Exit> {
        let (threads, json, tables) = (self.threads.threads, self.json.asked(), self.tables);
        StudyRun { folders, out, threads, json, tables, claim }.run(file, screen)
    }
}

/// How a study is run and shown.
pub(crate) struct StudyRun {
    /// Where relative paths are looked for, the first first.
    pub(crate) folders: Vec<PathBuf>,
    /// The results folder; `None`: nothing is written.
    pub(crate) out: Option<PathBuf>,
    pub(crate) threads: usize,
    /// JSON instead of the tables.
    pub(crate) json: bool,
    /// Tables that are printed below an overview; without an overview all are.
    pub(crate) tables: TableArgs,
    /// By what right it writes there.
    pub(crate) claim: Claim,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary<'a> {
    experiment: &'a str,
    kind: &'a str,
    /// None where nothing was written.
    folder: Option<String>,
    tables: Vec<&'a str>,
    figures: Vec<&'a str>,
    files: Vec<&'a str>,
}

impl StudyRun {
    /// Says that nothing is reused, and which settings are not those of the folder.
    pub(crate) fn explain_cache(self, file: &StudyFile, screen: &mut Screen) -> miette::Result<Exit> {
        let folder = self.out.unwrap_or_else(|| default_out(&file.name));
        let last = StudyManifest::read(&folder).map_err(problem::report)?;
        let settings = |seed: u64, settings: Value| json!({ "seed": seed, "settings": settings });
        let changed = last.map(|last| {
            let now = settings(file.seed, file.study.settings());
            changes(&settings(last.seed, last.settings), &now)
        });
        if self.json {
            screen.json(&json!({ "experiment": file.name, "kind": file.kind, "jobs": [], "changes": changed }))?;
            return Ok(Exit::Done);
        }
        screen.line(format_args!("{}: every run computes a study anew, because a study keeps no jobs", file.name));
        let folder = folder.display();
        match changed {
            None => screen.line(format_args!("{folder} has no results of the study")),
            Some(changed) if changed.is_empty() => {
                screen.line(format_args!(
                    "the settings are the settings of {folder}; `fivefold verify {folder}` compares the study's data, \
                        too"
                ));
            }
            Some(changed) => {
                screen.line(format_args!("the settings differ from the settings of {folder}:"));
                change_lines(changed.iter()).iter().for_each(|line| screen.line(format_args!("  {line}")));
            }
        }
        Ok(Exit::Done)
    }

    /// Does the study, writes its folder and shows its tables.
    pub(crate) fn run(self, file: &StudyFile, screen: &mut Screen) -> miette::Result<Exit> {
        // Before anything is made that a signal might leave behind.
        let cancel = interrupt::watch();
        let folder = self.out.as_deref().map(|out| self.open(out, file)).transpose()?;
        let bar = FitBar::new(&file.name);
        let folders = self.folders.clone();
        let options = StudyOptions { folders, threads: self.threads, progress: Some(&bar), cancel: Some(cancel) };
        let found = fivefold_studies::run(file, &options);
        bar.finish();
        let findings = match found {
            Err(StudyError::Cancelled) => {
                tell(STOPPED);
                return Ok(Exit::Interrupted);
            }
            found => found.map_err(problem::report)?,
        };
        let report = report(file, &findings)?;
        if cancel.load(Ordering::Relaxed) {
            tell(STOPPED);
            return Ok(Exit::Interrupted);
        }
        let overview = if let (Some(out), Some((folder, again))) = (&self.out, &folder) {
            self.check_inputs(out, &findings)?;
            if *again {
                report_damage(out)?;
            }
            self.claim.note(&Store::new(out));
            let overview = report.write(out, &Templates::default()).map_err(problem::report)?;
            folder.write(file, &findings).map_err(problem::report)?;
            overview
        } else {
            report.overview().map_err(problem::report)?
        };
        let shown = self.out.as_ref().map(|out| out.display().to_string());
        if self.json {
            screen.json(&Summary {
                experiment: &file.name,
                kind: file.kind,
                folder: shown.clone(),
                tables: findings.tables.iter().map(|table| table.id.as_str()).collect(),
                figures: report.figures.iter().map(|figure| figure.id.as_str()).collect(),
                files: findings.files.iter().map(|(name, _)| name.as_str()).collect(),
            })?;
        } else {
            self.show(file, &report.tables, overview.as_ref(), screen)?;
        }
        screen.flush();
        match shown {
            Some(shown) => {
                tell(format_args!("Results are in {shown} (report.html, tables/, figures/, manifest.json)."))
            }
            None => tell("Nothing was written: --out DIR keeps report.html, tables/, figures/ and all values."),
        }
        Ok(Exit::Done)
    }
}

impl StudyRun {
    /// Shows the overview and the tables that were asked for; without an overview, all tables.
    fn show(
        &self,
        file: &StudyFile,
        tables: &[Table],
        overview: Option<&Overview>,
        screen: &mut Screen,
    ) -> miette::Result<()> {
        let mut chosen = self.tables.choose(tables)?;
        match overview {
            Some(overview) => {
                screen.line(format_args!("{}: {}", file.name, overview.facts()));
                screen.overview(overview);
                if !chosen.is_empty() {
                    screen.line("");
                }
            }
            None if chosen.is_empty() => tables.clone_into(&mut chosen),
            None => {}
        }
        screen.tables(&chosen);
        Ok(())
    }

    /// Takes hold of the results folder, and tells whether it holds this study's results. One that
    /// is not this study's is refused: it must have the study's name, and its experiment file or
    /// its settings.
    fn open(&self, out: &Path, file: &StudyFile) -> miette::Result<(Folder, bool)> {
        let last = StudyManifest::read(out).map_err(problem::report)?;
        let standing = self.claim.judge(out, FORMAT, &file.name).map_err(problem::report)?;
        let same = last.as_ref().is_none_or(|last| {
            last.kind == file.kind && (last.seed, &last.settings) == (file.seed, &file.study.settings())
        });
        if standing == Standing::Unproved && !same {
            let refusal =
                self.claim.refusal(out, &file.name, "and the settings there are not the settings of this study");
            return Err(problem::report(refusal));
        }
        let again = last.is_some() || self.claim.replace;
        if !again {
            check_index(out).map_err(problem::report)?;
        }
        Ok((Folder::open(out, self.claim.replace).map_err(problem::report)?, again))
    }

    /// Refuses to write over a file that the study read.
    fn check_inputs(&self, out: &Path, findings: &Findings) -> miette::Result<()> {
        let files: Vec<&str> = findings.files.iter().map(|(name, _)| name.as_str()).collect();
        let places = |input: &Input| self.folders.iter().map(|folder| folder.join(&input.name)).collect::<Vec<_>>();
        let inputs: Vec<PathBuf> = findings.inputs.iter().flat_map(places).collect();
        match overwritten(out, &inputs, &files) {
            Some(input) => {
                let what =
                    format!("{} is an input of this study, and the results would replace this input", input.display());
                Err(Problem::new(what).help("give another results folder with --out").into())
            }
            None => Ok(()),
        }
    }
}

const STOPPED: &str = "Stopped before its end: nothing was written.";

/// Drops a damaged index of the report in a folder of ours, and says so.
pub(crate) fn report_damage(folder: &Path) -> miette::Result<()> {
    if let Some(damage) = discard_damaged_index(folder).map_err(problem::report)? {
        tell(format_args!(
            "warning: {damage}; the report is written anew; tables that the report no longer has stay in {}, and \
                `fivefold verify` names these tables",
            folder.display()
        ));
    }
    Ok(())
}

/// The report of a study.
pub(crate) fn report(file: &StudyFile, findings: &Findings) -> miette::Result<Report> {
    let figures = findings.diagrams.iter().map(diagram_figure).chain(findings.charts.iter().map(chart_figure));
    Ok(Report {
        head: page_head(&StudyManifest::of(file, findings)).map_err(problem::report)?,
        data: findings.page.clone(),
        tables: findings.tables.clone(),
        figures: figures.collect::<Result<_, _>>().map_err(problem::report)?,
    })
}

/// What the page of a study is about.
pub(crate) fn page_head(manifest: &StudyManifest) -> Result<PageHead, serde_json::Error> {
    let json = serde_json::to_string_pretty(manifest)?;
    Ok(PageHead { name: manifest.name.clone(), seed: Some(manifest.seed), manifest: json, ..PageHead::default() })
}
