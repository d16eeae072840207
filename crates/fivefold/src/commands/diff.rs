//! `fivefold diff`: the differences between two dialects, score files or results folders, and the
//! rules that cause them.

mod dialects;
mod results;
mod scores;
mod settings;

use std::path::{Path, PathBuf};

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::{counted, which};
use fivefold_data::per_query::LEFT_OUT;
use fivefold_metrics::{DIALECTS, Dialect, MeasureSpec, Overrides, dialect};

use super::cases::{Judgements, QrelsArgs};
use crate::conventions::ConventionArgs;
use crate::exit::Exit;
use crate::format::{Format, FormatArgs};
use crate::measure_list::measures;
use crate::problem::Problem;
use crate::reading::LayoutArgs;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold diff letor4 trec_eval --data test.txt --scores s.txt --measures ndcg@10,ap
  fivefold diff lightgbm xgboost --data 'MQ/TestPart{fold}/test.txt' --scores 's/{fold}.txt'
  fivefold diff ours.txt theirs.txt --data test.txt --measures ndcg@10
  fivefold diff trec_eval ranx --qrels qrels.txt --run bm25.run
  fivefold diff bm25.run ours.run --qrels qrels.txt --dialect trec_eval
  fivefold diff runs/monday runs/tuesday

Two dialects: each convention in which the dialects differ is changed from the first dialect's choice to the \
second's, in every combination with the other conventions. The share of a rule is its mean effect over all orders of \
these changes (its Shapley value), so the shares add up to the difference of the means. Options of conventions hold \
for both dialects.

Results folders: two values that differ by rounding alone count as equal. If the data are found, each value that \
differs is computed again from the scores in the folders. The tables then name the rules that cause the difference; \
different scores count as a rule too. A share is then the mean over the rankers whose values differ. Without the \
data, the tables name only the rules of means: `undefined` and `fold_mean`.

The exit code is 0 if nothing differs and 1 if a value differs, as with the program diff.")]
pub(crate) struct Args {
    /// A dialect, a score file, a TREC run or a results folder
    one: String,
    /// Another of the same kind
    other: String,
    /// LETOR file with the grades; several files, or a path with `{fold}`, are the folds
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<String>,
    /// The score file that both dialects measure
    #[arg(long, value_name = "FILE")]
    scores: Option<String>,
    #[command(flatten)]
    qrels: QrelsArgs,
    /// The TREC run that both dialects measure
    #[arg(long, value_name = "FILE", requires = "qrels", conflicts_with = "scores")]
    run: Option<String>,
    /// How many folds `{fold}` in --data runs through
    #[arg(long, value_name = "N", default_value_t = 5)]
    folds: usize,
    /// Measures, separated by commas [default: ndcg@10,ap]; results folders have measures of their
    /// own
    #[arg(long, visible_alias = "measure", value_name = "LIST")]
    measures: Vec<String>,
    /// Folder with the data of results folders [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Compare results folders without their data; the tables then name only the rules `undefined`
    /// and `fold_mean`
    #[arg(long, conflicts_with = "data_dir")]
    without_data: bool,
    /// Number of differing queries to show for each measure (of results folders: for each data set)
    #[arg(long, value_name = "N", default_value_t = 5)]
    queries: usize,
    #[command(flatten)]
    format: FormatArgs,
    /// The seed of shuffled ties
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    reading: LayoutArgs,
    #[command(flatten)]
    conventions: ConventionArgs,
}

/// An option, and whether it is given.
type Given = (&'static str, bool);

/// The tables of a comparison, and whether the two sides differ.
struct Difference {
    tables: Vec<Table>,
    differs: bool,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let sides = [&self.one, &self.other];
        let found = match sides.map(|side| Kind::of(side)) {
            [Some(Kind::Folder), Some(Kind::Folder)] => results::compare(&self)?,
            [Some(Kind::Dialect(one)), Some(Kind::Dialect(other))] => dialects::compare(&self, [one, other])?,
            [Some(Kind::Scores), Some(Kind::Scores)] => scores::compare(&self)?,
            [Some(one), Some(other)] => {
                let what = format!("`{}` is {one}, `{}` is {other}", sides[0], sides[1]);
                return Err(Problem::new(what).help("compare two inputs of the same kind").into());
            }
            [one, _] => {
                let side = if one.is_none() { sides[0] } else { sides[1] };
                let known = DIALECTS.iter().map(|dialect| dialect.name);
                return Err(Problem::unknown("dialect, score file, run or results folder", side, known).into());
            }
        };
        self.print(found.tables, screen)?;
        Ok(if found.differs { Exit::Failed } else { Exit::Done })
    }

    /// Prints the tables. JSON and CSV, which programs read, get every table. In the other forms,
    /// only the notes of an empty table are printed.
    fn print(&self, tables: Vec<Table>, screen: &mut Screen) -> miette::Result<()> {
        let form = self.form();
        if matches!(form, Format::Json | Format::Csv) {
            return form.print(&tables, screen);
        }
        let (empty, full): (Vec<Table>, Vec<Table>) = tables.into_iter().partition(|table| table.rows.is_empty());
        let remarks: Vec<String> = empty.into_iter().flat_map(|table| table.notes).collect();
        form.remarks(&remarks, screen);
        if !remarks.is_empty() && !full.is_empty() {
            screen.line("");
        }
        form.print(&full, screen)
    }

    fn form(&self) -> Format {
        self.format.form()
    }

    /// The measures that the user asked for, or the default measures.
    fn measures(&self) -> miette::Result<Vec<MeasureSpec>> {
        // Where two dialects are compared, these are the default dialect's.
        let in_force = self.conventions.resolve().map_err(Problem::from)?;
        match self.measures.is_empty() {
            true => measures(&["ndcg@10,ap".to_owned()], &in_force),
            false => measures(&self.measures, &in_force),
        }
    }

    /// The options that name the scores for two dialects, and whether each option is given.
    fn measured(&self) -> [Given; 2] {
        [("--scores", self.scores.is_some()), ("--run", self.run.is_some())]
    }

    /// The options that name scores and grades.
    fn scoring(&self) -> [Given; 4] {
        let [scores, run] = self.measured();
        [("--data", !self.data.is_empty()), scores, ("--qrels", self.qrels.qrels.is_some()), run]
    }

    /// The options that choose measures and conventions.
    fn choices(&self) -> [Given; 3] {
        let overridden = self.conventions.overrides() != Overrides::default();
        let measures = ("--measures", !self.measures.is_empty());
        [measures, ("--dialect", self.conventions.dialect.is_some()), ("an option of a convention", overridden)]
    }

    /// The options that say where the data of results folders are.
    fn places(&self) -> [Given; 2] {
        [("--data-dir", self.data_dir.is_some()), ("--without-data", self.without_data)]
    }

    /// An error if an option is given that would have no effect.
    fn refuse(&self, because: &str, options: &[&[Given]]) -> miette::Result<()> {
        let given = options.iter().copied().flatten().filter(|(_, given)| *given).map(|&(name, _)| name);
        let given: Vec<&str> = given.collect();
        if given.is_empty() {
            return Ok(());
        }
        let have = which(given.len(), "has", "have");
        let what = format!("{because}, so that {} {have} no effect", given.join(" and "));
        Err(Problem::new(what).help(format!("leave {} out", which(given.len(), "it", "them"))).into())
    }

    /// Reads the grades by which scores are measured.
    fn judgements(&self) -> miette::Result<Judgements> {
        Judgements::read(&self.data, self.folds, &self.reading, &self.qrels)
    }
}

/// The kinds of things that can be compared. Both sides must be of the same kind.
enum Kind {
    Folder,
    Dialect(&'static Dialect),
    /// A file of scores or a run, or a pattern for the files of folds.
    Scores,
}

impl Kind {
    fn of(side: &str) -> Option<Self> {
        if Path::new(side).is_dir() {
            return Some(Kind::Folder);
        }
        if let Ok(dialect) = dialect(side) {
            return Some(Kind::Dialect(dialect));
        }
        (side.contains("{fold}") || Path::new(side).is_file()).then_some(Kind::Scores)
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Folder => "a folder",
            Kind::Dialect(_) => "a dialect",
            Kind::Scores => "a file",
        })
    }
}

fn number(value: f64) -> Cell {
    match value.is_nan() {
        false => Cell::number(value, 6),
        true => Cell::missing("undefined"),
    }
}

fn perhaps(value: Option<f64>) -> Cell {
    value.map_or_else(|| Cell::missing(LEFT_OUT), number)
}

/// The text that takes the place of a table of differences if there is none.
fn none_differs(compared: &str) -> String {
    format!("no value differs: {compared} compared")
}

/// Names the values of queries under several measures, in words.
fn of_each(queries: usize, measures: usize) -> String {
    format!("{} under {}", counted(queries, "query"), counted(measures, "measure"))
}
