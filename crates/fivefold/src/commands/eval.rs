//! `fivefold eval`: measures score files by the grades of LETOR files, and TREC runs by qrels.

mod output;
mod runs;
pub(super) mod systems;
mod trec_eval;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_core::Seed;
use fivefold_data::ReadOptions;
use fivefold_data::leaks::Guard;
use fivefold_data::trec::{Duplicates, read_qrels};
use fivefold_metrics::conventions::Scores;
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec, dialect};
use fivefold_results::guard_facts::STAMP;

use crate::conventions::ConventionArgs;
use crate::data_dir::data_dir;
use crate::exit::Exit;
use crate::format::Format;
use crate::measure_list::measures;
use crate::problem::Problem;
use crate::reading::LayoutArgs;
use crate::screen::Screen;
use crate::systems::duplicates;
use systems::Evaluated;
use trec_eval::Program;

/// Measure score files against the grades of a LETOR file, or TREC runs against qrels
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold eval --data test.txt --scores mine.txt
  fivefold eval --data test.txt --scores mine.txt --measures ndcg@10,ndcg.v2@10,ap --per-query
  fivefold eval --dataset mq2008 --scores 'RankBoost/TestPart{fold}.score' --dialect letor4
  fivefold eval --data 'MQ/TestPart{fold}/test.txt' --scores 'A=a/{fold}.txt' 'B=b/{fold}.txt' --per-fold
  fivefold eval --data test.txt --scores mine.txt --dialect letor4 --ties pessimistic --format csv
  fivefold eval --qrels qrels.txt --runs bm25.run ours=out.run.gz --dialect trec_eval --measures ap,ndcg@10,p@10
  fivefold eval --qrels qrels.txt --runs bm25.run --format trec_eval -q -m all_trec

A score file has one number a line, in the order of the LETOR file's documents. Give the test parts of several folds as \
several files or as one path with `{fold}`; `{fold}` in a score file's path stands for the fold's number, from 1.

A run ranks its documents by score; the rank column is not used. A retrieved document without a judgement has grade 0 \
and is counted. The best possible value is over all judged documents of a topic, and the expected value is over \
orders of the retrieved documents. A topic that is missing in a run counts as 0 or, in the dialect trec_eval, is left out (--missing-topics).

--format trec_eval gives the output of trec_eval 9.0.8 for scripts that read it: `-q -m all_trec` works as there. Its other \
options are here: -c is --missing-topics zero, -l N is --threshold N, -J is --unjudged removed, -M N is --depth N, \
-N DOCS is the measure utility(docs=DOCS).")]
pub(crate) struct Args {
    /// LETOR/SVMlight file with the grades, plain or .gz; several files are the folds, in order
    #[arg(long, value_name = "FILE", required_unless_present_any = ["dataset", "qrels"], num_args = 1..)]
    data: Vec<String>,
    /// A known collection instead of files: its test folds; `fivefold datasets` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "folds", "max_grade", "first_feature_id", "regroup"])]
    dataset: Option<String>,
    /// Folder with the collections [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR", requires = "dataset")]
    data_dir: Option<PathBuf>,
    /// Score file; give several files to compare systems
    #[arg(long, value_name = "[LABEL=]FILE", required_unless_present = "qrels", num_args = 1..)]
    scores: Vec<String>,
    /// TREC qrels instead of LETOR files: `topic 0 document grade` a line
    #[arg(long, value_name = "FILE", requires = "runs", conflicts_with_all = ["data", "dataset", "scores", "folds", "per_fold", "first_feature_id", "regroup"])]
    qrels: Option<PathBuf>,
    /// TREC run: `topic Q0 document rank score tag` a line; give several runs to compare systems
    #[arg(long, value_name = "[LABEL=]FILE", requires = "qrels", num_args = 1..)]
    runs: Vec<String>,
    /// How to treat a document that stands twice under a topic of the qrels or of a run
    #[arg(long, value_name = "POLICY", requires = "qrels", default_value = Duplicates::Error.name(), value_parser = duplicates())]
    duplicates: Duplicates,
    /// How many folds `{fold}` in --data runs through
    #[arg(long, value_name = "N", default_value_t = 5)]
    folds: usize,
    /// Measures, with commas or blanks between them; `fivefold measures` lists them. With --format
    /// trec_eval also all_trec and official, which is then the default
    #[arg(long, short, visible_alias = "measure", value_name = "MEASURE", num_args = 1.., default_value = DEFAULT_MEASURES)]
    measures: Vec<String>,
    /// Print the values of each query too. An undefined value is printed as the number that it
    /// counts as; csv and json print it as undefined
    #[arg(long, short = 'q')]
    per_query: bool,
    /// Print the means of each fold too
    #[arg(long)]
    per_fold: bool,
    /// The form of the output; trec_eval prints what trec_eval 9.0.8 prints, byte for byte
    #[arg(long, value_enum, default_value_t = EvalFormat::Text)]
    format: EvalFormat,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How many documents of a topic count, from the first (trec_eval -M); with --format trec_eval
    #[arg(long, value_name = "N", requires = "qrels")]
    depth: Option<usize>,
    /// Decimals of the values; csv and json give all digits
    #[arg(long, value_name = "N", default_value_t = 4)]
    digits: u8,
    /// Override a leak guard; the table then says so
    #[arg(long, value_name = "GUARD", value_parser = guards())]
    allow: Vec<Guard>,
    /// The seed of `--ties shuffle`, and of random orders for measures of a whole ranking
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The highest possible grade (for err) [default: the highest grade in the data]
    #[arg(long, value_name = "GRADE")]
    max_grade: Option<u8>,
    #[command(flatten)]
    reading: LayoutArgs,
    #[command(flatten)]
    conventions: ConventionArgs,
}

/// The measures of all formats but that of trec_eval.
const DEFAULT_MEASURES: &str = "ndcg@5,ndcg@10,ap,rr,p@10";

/// A form of output: those of tables, and the output of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EvalFormat {
    // No doc comments here: help would then give each value a line.
    Text,
    #[value(alias = "markdown")]
    Md,
    #[value(alias = "tex")]
    Latex,
    Csv,
    Json,
    #[value(name = "trec_eval")]
    TrecEval,
    #[value(name = "trec_eval-10")]
    TrecEval10,
}

impl EvalFormat {
    /// The form of a table, or the program whose output is asked for.
    fn form(self) -> Result<Format, Program> {
        match self {
            EvalFormat::Text => Ok(Format::Text),
            EvalFormat::Md => Ok(Format::Md),
            EvalFormat::Latex => Ok(Format::Latex),
            EvalFormat::Csv => Ok(Format::Csv),
            EvalFormat::Json => Ok(Format::Json),
            EvalFormat::TrecEval => Err(Program::V9),
            EvalFormat::TrecEval10 => Err(Program::V10),
        }
    }
}

impl Args {
    /// Prints the output of trec_eval.
    fn trec_eval(&self, program: Program, screen: &mut Screen) -> miette::Result<Exit> {
        let Some(qrels) = &self.qrels else {
            let what = "the format of trec_eval is for runs: give --qrels and --runs";
            return Err(Problem::new(what).into());
        };
        if self.conventions.dialect.as_deref().is_some_and(|name| name != "trec_eval") {
            let what = "the format of trec_eval has the conventions of trec_eval";
            return Err(Problem::new(what).help("leave --dialect out, or choose another --format").into());
        }
        let mut conventions = dialect("trec_eval").map_err(Problem::from)?.conventions();
        if program == Program::V10 {
            conventions.scores = Scores::F64;
        }
        let conventions = self.conventions.overrides().apply(conventions);
        let official = ["official".to_owned()];
        let measures = if self.measures == [DEFAULT_MEASURES] { &official[..] } else { &self.measures };
        let qrels = read_qrels(qrels, self.duplicates).map_err(Problem::from)?;
        let (per_query, max_grade, depth) = (self.per_query, self.max_grade, self.depth);
        let settings =
            trec_eval::Settings { program, measures, conventions: &conventions, per_query, max_grade, depth };
        trec_eval::print(&settings, &qrels, &self.runs, screen)?;
        Ok(Exit::Done)
    }

    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let format = if self.json { EvalFormat::Json } else { self.format };
        let format = match format.form() {
            Ok(format) => format,
            Err(program) => return self.trec_eval(program, screen),
        };
        if self.depth.is_some() {
            return Err(Problem::new("--depth needs --format trec_eval").into());
        }
        let conventions = self.conventions.resolve().map_err(Problem::from)?;
        let specs = measures(&self.measures, &conventions)?;
        let of_dialect = self.conventions.dialect().map_err(Problem::from)?;
        let seed = Seed::new(self.seed);
        let (evaluator, evaluated) = match &self.qrels {
            Some(qrels) => {
                let qrels = read_qrels(qrels, self.duplicates).map_err(Problem::from)?;
                let max_grade = self.max_grade.unwrap_or_else(|| qrels.max_grade());
                let evaluator = Evaluator::new(&specs, &conventions, max_grade, seed).map_err(Problem::from)?;
                let evaluated = runs::evaluate(&evaluator, &qrels, &self.runs)?;
                (evaluator, evaluated)
            }
            None => self.evaluate_scores(&specs, &conventions, seed)?,
        };
        let shown = output::Shown {
            per_query: self.per_query,
            per_fold: self.per_fold,
            digits: self.digits,
            settled: !matches!(format, Format::Csv | Format::Json),
        };
        match format {
            Format::Json => screen.json(&output::json(&evaluated, &evaluator, of_dialect, &shown))?,
            other => other.print(&[output::table(&evaluated, &evaluator, of_dialect, &shown)], screen)?,
        }
        Ok(Exit::Done)
    }

    fn evaluate_scores(
        &self,
        specs: &[MeasureSpec],
        conventions: &Conventions,
        seed: Seed,
    ) -> miette::Result<(Evaluator, Evaluated)> {
        let folds = match &self.dataset {
            Some(name) => systems::folds_of_collection(name, data_dir(self.data_dir.as_deref()))?,
            None => {
                let options = ReadOptions { max_grade: self.max_grade, ..self.reading.grades() };
                systems::folds_of_files(&self.data, self.folds, &options)?
            }
        };
        let max_grade = folds.iter().map(|fold| fold.test.max_grade()).max().unwrap_or(0);
        let evaluator = Evaluator::new(specs, conventions, max_grade, seed).map_err(Problem::from)?;
        let mut evaluated = systems::evaluate(&evaluator, &folds, &self.scores)?;
        if let Some(finding) = systems::label_sorted_ties(&evaluator, &folds, &self.scores)? {
            if !self.allow.contains(&finding.guard) {
                let help = format!(
                    "use other `--ties`, or --allow {}: the table will say that the guard was overridden",
                    finding.guard
                );
                return Err(Problem::new(format!("stopped by a leak guard: {finding}")).help(help).into());
            }
            evaluated.remarks.insert(0, format!("{STAMP}: {finding}"));
        }
        Ok((evaluator, evaluated))
    }
}

/// Parses the name of a guard that can stop an evaluation.
fn guards() -> impl TypedValueParser<Value = Guard> {
    PossibleValuesParser::new([Guard::LabelSortedTies.name()]).map(|_| Guard::LabelSortedTies)
}
