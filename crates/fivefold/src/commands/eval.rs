//! `fivefold eval`: measures of score files against the grades of LETOR files.

mod output;
mod systems;

use std::path::PathBuf;

use fivefold_core::Seed;
use fivefold_data::ReadOptions;
use fivefold_metrics::{Evaluator, MeasureSpec};

use crate::cli::Outcome;
use crate::conventions::ConventionArgs;
use crate::data_dir::data_dir;
use crate::format::Format;
use crate::problem::Problem;
use crate::reading::ReadArgs;
use crate::screen::Screen;

/// Measure score files against the grades of a LETOR file
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold eval --data test.txt --scores mine.txt
  fivefold eval --data test.txt --scores mine.txt --measures ndcg@10,ndcg.v2@10,ap --per-query
  fivefold eval --dataset mq2008 --scores 'RankBoost/Fold{fold}.score' --dialect letor4
  fivefold eval --data 'MQ/Fold{fold}/test.txt' --scores 'A=a/{fold}.txt' 'B=b/{fold}.txt' --per-fold
  fivefold eval --data test.txt --scores mine.txt --dialect letor4 --ties pessimistic --format csv

A score file has one number a line, in the order of the LETOR file's documents. Give the test parts of several folds as \
several files or as one path with `{fold}`; `{fold}` in a score file's path stands for the fold's number, from 1.")]
pub(crate) struct Args {
    /// LETOR/SVMlight file with the grades, plain or .gz; several: the folds, in order
    #[arg(long, value_name = "FILE", required_unless_present = "dataset", num_args = 1..)]
    data: Vec<String>,
    /// A known collection instead of files: its test folds; `fivefold datasets` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "folds", "max_grade", "missing", "first_feature_id", "regroup"])]
    dataset: Option<String>,
    /// Where collections are [default: the environment variable FIVEFOLD_DATA]
    #[arg(long, value_name = "DIR", requires = "dataset")]
    data_dir: Option<PathBuf>,
    /// Score file; give several to see them side by side
    #[arg(long, value_name = "[LABEL=]FILE", required = true, num_args = 1..)]
    scores: Vec<String>,
    /// How many folds `{fold}` in --data runs through
    #[arg(long, value_name = "N", default_value_t = 5)]
    folds: usize,
    /// Measures, separated by commas; `fivefold measures` lists them
    #[arg(long, value_name = "LIST", default_value = "ndcg@5,ndcg@10,ap,rr,p@10")]
    measures: String,
    /// Print the values of each query too
    #[arg(long)]
    per_query: bool,
    /// Print the means of each fold too
    #[arg(long)]
    per_fold: bool,
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Decimals of the values, but for csv and json, which give them in full
    #[arg(long, value_name = "N", default_value_t = 4)]
    digits: u8,
    /// The seed of `--ties shuffle`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The highest possible grade (for err); the highest that occurs when absent
    #[arg(long, value_name = "GRADE")]
    max_grade: Option<u8>,
    #[command(flatten)]
    reading: ReadArgs,
    #[command(flatten)]
    conventions: ConventionArgs,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Outcome> {
        let conventions = self.conventions.resolve().map_err(Problem::from)?;
        let specs = measures(&self.measures)?;
        let folds = match &self.dataset {
            Some(name) => systems::folds_of_collection(name, data_dir(self.data_dir.as_deref()))?,
            None => {
                let options = ReadOptions { max_grade: self.max_grade, ..self.reading.options() };
                systems::folds_of_files(&self.data, self.folds, &options)?
            }
        };
        let max_grade = folds.iter().map(|fold| fold.test.max_grade()).max().unwrap_or(0);
        let seed = Seed::new(self.seed);
        let evaluator = Evaluator::new(&specs, &conventions, max_grade, seed).map_err(Problem::from)?;
        let evaluated = systems::evaluate(&evaluator, &folds, &self.scores)?;
        let shown = output::Shown { per_query: self.per_query, per_fold: self.per_fold, digits: self.digits };
        let dialect = self.conventions.dialect().map_err(Problem::from)?;
        match if self.json { Format::Json } else { self.format } {
            Format::Json => screen.json(&output::json(&evaluated, &evaluator, dialect, &shown))?,
            other => other.print(&[output::table(&evaluated, &evaluator, dialect, &shown)], screen)?,
        }
        Ok(Outcome::Done)
    }
}

/// Measures separated by commas, those within parentheses apart.
fn measures(list: &str) -> miette::Result<Vec<MeasureSpec>> {
    let mut depth = 0;
    let separator = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    };
    let parse = |text: &str| Ok(text.trim().parse().map_err(Problem::from)?);
    list.split(separator).map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_within_parentheses_do_not_separate() {
        let specs = measures("ndcg@10, ap.v2(denominator=cutoff,upper=ideal)@5,rr").unwrap();
        let names: Vec<String> = specs.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["ndcg@10", "ap.v2(denominator=cutoff,upper=ideal)@5", "rr"]);
        assert!(measures("ndcg@10,,rr").is_err());
    }
}
