//! `fivefold report`: the tables of a results folder, without the data.

use std::path::{Path, PathBuf};

use fivefold_analysis::Table;
use fivefold_report::folder::{read_tables, write_report_with};
use fivefold_report::times::times;
use fivefold_report::{Report, Templates, write_report};
use fivefold_results::Results;
use fivefold_results::lock::{FolderLock, LockMode};
use fivefold_results::log::RunLog;
use fivefold_results::store::Store;
use fivefold_studies::StudyManifest;

use crate::exit::Exit;
use crate::format::FormatArgs;
use crate::outputs::ReplaceArgs;
use crate::problem::{self, Problem};
use crate::results_folder;
use crate::screen::{Screen, tell};
use crate::study::page_head;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold report runs/quickstart
  fivefold report runs/quickstart --format md > tables.md
  fivefold report runs/quickstart --table table-07 --format latex
  fivefold report runs/quickstart --times
  fivefold report runs/quickstart --write mine --templates my-templates
  fivefold report runs/residual-dl19 --table ndcg-gain-linear-10-residual

`report` needs only the folder, no data and no rankers. Times differ from run to run, so the folder's own page has none: --times \
reads them from the log beside the folder, and prints them, or with --write puts them into the page that it writes.")]
pub(crate) struct Args {
    /// The results folder of `fivefold run`, or of a study
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// Write report.html, tables/ and figures/ anew, into this folder, instead of printing tables
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "table"])]
    write: Option<PathBuf>,
    #[command(flatten)]
    replace: ReplaceArgs,
    /// With --write: a folder with page.html, report.css or report.js of your own
    #[arg(long, value_name = "DIR", requires = "write")]
    templates: Option<PathBuf>,
    /// Only tables whose id starts with this text; may be given several times
    #[arg(long, value_name = "ID")]
    table: Vec<String>,
    /// Show the CPU time and the memory of each method
    #[arg(long, conflicts_with = "table")]
    times: bool,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        results_folder::check(&self.folder)?;
        let study = StudyManifest::read(&self.folder).map_err(problem::report)?;
        if let Some(folder) = &self.write {
            if !self.replace.replace {
                results_folder::check_target(&self.folder, folder)?;
            }
            let templates =
                self.templates.as_deref().map(Templates::overridden).transpose().map_err(problem::report)?;
            let costs = self.times.then(|| costs(&self.folder, study.as_ref())).transpose()?;
            write(&self.folder, study.as_ref(), folder, &templates.unwrap_or_default(), costs)?;
            tell(format_args!("{}", folder.join("report.html").display()));
            return Ok(Exit::Done);
        }
        if self.times {
            self.format.form().print(&[costs(&self.folder, study.as_ref())?], screen)?;
            return Ok(Exit::Done);
        }
        let mut tables = match study.is_some() {
            true => read_tables(&self.folder).map_err(problem::report)?,
            false => Results::load(&self.folder).map_err(problem::report)?.tables().map_err(problem::report)?,
        };
        let ids: Vec<String> = tables.iter().map(|table| table.id.clone()).collect();
        if let Some(wanted) = self.table.iter().find(|wanted| !ids.iter().any(|id| id.starts_with(wanted.as_str()))) {
            return Err(Problem::unknown("table", wanted, ids.iter().map(String::as_str)).into());
        }
        tables.retain(|table| {
            self.table.is_empty() || self.table.iter().any(|wanted| table.id.starts_with(wanted.as_str()))
        });
        self.format.form().print(&tables, screen)?;
        Ok(Exit::Done)
    }
}

/// The table of what each method of a run cost.
fn costs(folder: &Path, study: Option<&StudyManifest>) -> miette::Result<Table> {
    if study.is_some() {
        return Err(Problem::new(format!("{} is the folder of a study, which has no jobs", folder.display()))
            .help("--times is for folders of `fivefold run`")
            .into());
    }
    let store = Store::new(folder);
    let Some(log) = RunLog::stored(&store).map_err(problem::report)? else {
        let missing = format!("there is no log {}, which a run writes beside its folder", store.log_path().display());
        return Err(Problem::new(missing).help("put the log there, or run the experiment again").into());
    };
    Ok(times(&Results::load(folder).map_err(problem::report)?.manifest, &log))
}

/// Writes the report of the results folder `from` into `folder`, with a table of `costs` if there
/// is one.
fn write(
    from: &Path,
    study: Option<&StudyManifest>,
    folder: &Path,
    templates: &Templates,
    costs: Option<Table>,
) -> miette::Result<()> {
    match study {
        Some(manifest) => {
            let head = page_head(manifest).map_err(problem::report)?;
            let report = Report::read(from, head).map_err(problem::report)?;
            let _lock = FolderLock::take(folder, LockMode::Alone).map_err(problem::report)?;
            report.write(folder, templates).map(drop).map_err(problem::report)
        }
        None => {
            let results = Results::load(from).map_err(problem::report)?;
            let _lock = FolderLock::take(folder, LockMode::Alone).map_err(problem::report)?;
            match costs {
                Some(costs) => write_report_with(&results, folder, templates, costs),
                None => write_report(&results, folder, templates).map(|_| ()),
            }
            .map_err(problem::report)
        }
    }
}
