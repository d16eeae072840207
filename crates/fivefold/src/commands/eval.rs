//! `fivefold eval`: measures score files by the grades of LETOR files, and TREC runs by qrels.

mod output;
mod programs;
mod runs;
mod subtopics;
pub(super) mod systems;
mod trec_eval;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_core::Seed;
use fivefold_data::ReadOptions;
use fivefold_data::leaks::Guard;
use fivefold_data::trec::{Duplicates, Qrels, read_qrels, read_subtopic_qrels};
use fivefold_metrics::conventions::Scores;
use fivefold_metrics::diversity::DiversityEvaluator;
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec, Version, spelling};
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

Measures of diversity (alpha_ndcg@20, err_ia@20, nrbp, strec@20, ...) read the second column of the qrels as a subtopic.

--format ndeval, gdeval and ir_measures give the output of these programs, ndeval's as with -traditional. \
--format trec_eval gives the output of trec_eval 9.0.8 for scripts that read it: `-q -m all_trec` works as there. Its other \
options are here: -c is --missing-topics zero, -l N is --threshold N, -J is --unjudged removed, -M N is --depth N, \
-N DOCS is the measure utility(docs=DOCS). There is no -Z (`fivefold standardise` does the same for several systems) \
and no -n.")]
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
    /// The form of the output: a table, or what another program prints, byte for byte (trec_eval
    /// is version 9.0.8)
    #[arg(long, value_enum, default_value_t = EvalFormat::Table(Format::Text))]
    format: EvalFormat,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How values of queries become one number. The geometric mean has the floor 0.00001, as gm_map
    /// of trec_eval; it weighs bad queries more
    #[arg(long, value_enum, default_value_t = MeanOver::Arithmetic)]
    mean: MeanOver,
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

/// A form of output: a table, or the output of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EvalFormat {
    Table(Format),
    Of(Program),
}

/// A program whose output is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    TrecEval(trec_eval::Program),
    Ndeval,
    Gdeval,
    IrMeasures,
}

impl Program {
    /// The name on the command line.
    fn name(self) -> &'static str {
        match self {
            Program::TrecEval(trec_eval::Program::V9) => "trec_eval",
            Program::TrecEval(trec_eval::Program::V10) => "trec_eval-10",
            Program::Ndeval => "ndeval",
            Program::Gdeval => "gdeval",
            Program::IrMeasures => "ir_measures",
        }
    }

    /// The dialect that --dialect may name too.
    fn dialect(self) -> &'static str {
        if self == Program::Gdeval { "gdeval" } else { "trec_eval" }
    }
}

impl clap::ValueEnum for EvalFormat {
    fn value_variants<'a>() -> &'a [Self] {
        use EvalFormat::{Of, Table};
        &[
            Table(Format::Text),
            Table(Format::Md),
            Table(Format::Latex),
            Table(Format::Csv),
            Table(Format::Json),
            Of(Program::TrecEval(trec_eval::Program::V9)),
            Of(Program::TrecEval(trec_eval::Program::V10)),
            Of(Program::Ndeval),
            Of(Program::Gdeval),
            Of(Program::IrMeasures),
        ]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        match self {
            EvalFormat::Table(format) => format.to_possible_value(),
            EvalFormat::Of(program) => Some(clap::builder::PossibleValue::new(program.name())),
        }
    }
}

impl Args {
    /// Prints what another program prints.
    fn print_as(&self, program: Program, screen: &mut Screen) -> miette::Result<Exit> {
        let name = program.name();
        let Some(qrels) = &self.qrels else {
            return Err(Problem::new(format!("the format of {name} is for runs: give --qrels and --runs")).into());
        };
        if self.conventions.dialect.as_deref().is_some_and(|given| given != program.dialect()) {
            let what = format!("the format of {name} has the conventions of {name}");
            return Err(Problem::new(what).help("leave --dialect out, or choose another --format").into());
        }
        if self.depth.is_some() && !matches!(program, Program::TrecEval(_)) {
            return Err(Problem::new("--depth needs --format trec_eval").into());
        }
        let read = || -> miette::Result<Qrels> { Ok(read_qrels(qrels, self.duplicates).map_err(Problem::from)?) };
        if self.mean == MeanOver::Geometric {
            return Err(Problem::new(format!("the means are those of {name}")).help("leave --mean out").into());
        }
        let conventions = self.conventions.overrides().apply(conventions_of(program)?);
        match program {
            Program::TrecEval(version) => self.trec_eval(version, conventions, &read()?, screen)?,
            Program::Ndeval => {
                self.refuse_measures("ndeval always prints the same measures")?;
                let qrels = read_subtopic_qrels(qrels, self.duplicates).map_err(Problem::from)?;
                subtopics::print_ndeval(&qrels, &self.runs, &conventions, screen)?;
            }
            Program::Gdeval => {
                let settings = self.program_settings(programs::OF_GDEVAL, conventions);
                programs::gdeval(&settings, &read()?, &self.runs, screen)?;
            }
            Program::IrMeasures => {
                let settings = self.program_settings(DEFAULT_MEASURES, conventions);
                programs::ir_measures(&settings, &read()?, &self.runs, screen)?;
            }
        }
        Ok(Exit::Done)
    }

    fn refuse_measures(&self, why: &str) -> miette::Result<()> {
        if self.measures == [DEFAULT_MEASURES] {
            return Ok(());
        }
        Err(Problem::new(why).help("leave --measures out, or choose another --format").into())
    }

    fn program_settings<'a>(&'a self, default: &'a str, conventions: Conventions) -> programs::Settings<'a> {
        let given = || self.measures.iter().flat_map(|value| spelling::split(value)).flat_map(str::split_whitespace);
        let measures =
            if self.measures == [DEFAULT_MEASURES] { default.split(',').collect() } else { given().collect() };
        programs::Settings { measures, conventions, max_grade: self.max_grade, per_query: self.per_query }
    }

    fn trec_eval(
        &self,
        version: trec_eval::Program,
        conventions: Conventions,
        qrels: &Qrels,
        screen: &mut Screen,
    ) -> miette::Result<()> {
        let official = ["official".to_owned()];
        let measures = if self.measures == [DEFAULT_MEASURES] { &official[..] } else { &self.measures };
        let lines = trec_eval::lines(measures, version, &conventions).map_err(Problem::from)?;
        let (per_query, max_grade, depth) = (self.per_query, self.max_grade, self.depth);
        let settings = trec_eval::Settings { lines, conventions: &conventions, per_query, max_grade, depth };
        trec_eval::print(settings, qrels, &self.runs, screen)
    }

    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let format = if self.json { EvalFormat::Table(Format::Json) } else { self.format };
        let format = match format {
            EvalFormat::Table(format) => format,
            EvalFormat::Of(program) => return self.print_as(program, screen),
        };
        if self.depth.is_some() {
            return Err(Problem::new("--depth needs --format trec_eval").into());
        }
        let conventions = self.conventions.resolve().map_err(Problem::from)?;
        let specs = measures(&self.measures, &conventions)?;
        let of_dialect = self.conventions.dialect().map_err(Problem::from)?;
        let seed = Seed::new(self.seed);
        let evaluated = match &self.qrels {
            Some(qrels) if subtopics::wanted(&specs) => {
                let evaluator = DiversityEvaluator::new(&specs, &conventions, seed).map_err(Problem::from)?;
                let qrels = read_subtopic_qrels(qrels, self.duplicates).map_err(Problem::from)?;
                subtopics::evaluate(&evaluator, &qrels, &self.runs)?
            }
            Some(qrels) => {
                let qrels = read_qrels(qrels, self.duplicates).map_err(Problem::from)?;
                let max_grade = self.max_grade.unwrap_or_else(|| qrels.max_grade());
                let evaluator = Evaluator::new(&specs, &conventions, max_grade, seed).map_err(Problem::from)?;
                let evaluated = runs::evaluate(&evaluator, &qrels, &self.runs, runs::Ids::Own)?;
                // To free them takes longer than to end.
                std::mem::forget(qrels);
                evaluated
            }
            None => self.evaluate_scores(&specs, &conventions, seed)?,
        };
        let evaluated = match self.mean {
            MeanOver::Arithmetic => evaluated,
            MeanOver::Geometric => {
                refuse_below_zero(&specs)?;
                evaluated.with_geometric_means()
            }
        };
        let shown = output::Shown {
            per_query: self.per_query,
            per_fold: self.per_fold,
            digits: self.digits,
            settled: !matches!(format, Format::Csv | Format::Json),
        };
        match format {
            Format::Json => screen.json(&output::json(&evaluated, of_dialect, &shown))?,
            other => other.print(&[output::table(&evaluated, of_dialect, &shown)], screen)?,
        }
        Ok(Exit::Done)
    }

    fn evaluate_scores(
        &self,
        specs: &[MeasureSpec],
        conventions: &Conventions,
        seed: Seed,
    ) -> miette::Result<Evaluated> {
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
        Ok(evaluated)
    }
}

/// A mean over queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MeanOver {
    // No doc comments here: help would then give each value a line.
    Arithmetic,
    Geometric,
}

/// A geometric mean takes no values below 0.
fn refuse_below_zero(specs: &[MeasureSpec]) -> miette::Result<()> {
    let below = |spec: &&MeasureSpec| spec.version() == Version::V2 || spec.entry().name == "utility";
    let Some(spec) = specs.iter().find(below) else { return Ok(()) };
    let what = format!("`{spec}` can be negative, and a geometric mean takes no value below 0");
    Err(Problem::new(what).help("use the original measure, V1, or --mean arithmetic").into())
}

/// The conventions of a program.
fn conventions_of(program: Program) -> miette::Result<Conventions> {
    match program {
        Program::TrecEval(trec_eval::Program::V9) => programs::conventions_of("trec_eval"),
        Program::TrecEval(trec_eval::Program::V10) => {
            Ok(Conventions { scores: Scores::F64, ..programs::conventions_of("trec_eval")? })
        }
        Program::Ndeval => subtopics::conventions_of_ndeval(),
        Program::Gdeval => programs::conventions_of("gdeval"),
        Program::IrMeasures => programs::conventions_of_ir_measures(),
    }
}

/// Parses the name of a guard that can stop an evaluation.
fn guards() -> impl TypedValueParser<Value = Guard> {
    PossibleValuesParser::new([Guard::LabelSortedTies.name()]).map(|_| Guard::LabelSortedTies)
}
