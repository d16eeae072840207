//! `fivefold explain`: the arithmetic of one value, or what made a model score a document as it does.

mod measure;
mod model;

use std::path::PathBuf;

use fivefold_core::{JudgedQuery, Registry};
use fivefold_experiment::{Cell, Table};

use crate::cli::Outcome;
use crate::conventions::ConventionArgs;
use crate::format::Format;
use crate::problem::Problem;
use crate::reading::ReadArgs;
use crate::screen::Screen;

/// Show the whole arithmetic of one query's value, or why a model scores a document as it does
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold explain test.txt scores.txt --query 18219 --measure ndcg@5
  fivefold explain test.txt scores.txt --query 18219 --measure ap.v2@10 --dialect letor4 --format md
  fivefold explain model.json --data test.txt --query 18219
  fivefold explain model.json --data test.txt --query 18219 --document 3

A value: the ranking with gains, discounts and the running sum, the ideal order, the mean over all orders, and each step with \
its numbers. A model of trees or of weights: how far each feature pulled a document (without --document, the highest one) above the mean \
of the query. In a tree, a cut's share is the mean score of the query's documents behind it less that before it (Saabas, 2014), summed by \
feature; the shares and the mean add up to the score.")]
pub(crate) struct Args {
    /// A LETOR file, or a model file
    file: PathBuf,
    /// A score file: one number a line, in the order of the LETOR file's documents
    #[arg(requires = "measure", conflicts_with_all = ["data", "document"])]
    scores: Option<String>,
    /// The query's id
    #[arg(long, value_name = "ID")]
    query: String,
    /// The measure, as in `ndcg@5` or `ap.v2@10`
    #[arg(long, value_name = "NAME", requires = "scores")]
    measure: Option<String>,
    /// The LETOR file whose documents the model scores
    #[arg(long, value_name = "FILE", required_unless_present = "scores")]
    data: Option<PathBuf>,
    /// The document's number in the query, from 1, or its id
    #[arg(long, value_name = "DOCUMENT")]
    document: Option<String>,
    /// How many positions, or features, are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    rows: usize,
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The seed of `--ties shuffle`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    reading: ReadArgs,
    #[command(flatten)]
    conventions: ConventionArgs,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Outcome> {
        let tables = match (&self.scores, &self.measure) {
            (Some(scores), Some(measure)) => measure::tables(&self, scores, measure)?,
            _ => model::tables(&self, registry)?,
        };
        self.format.print(&tables, screen)?;
        Ok(Outcome::Done)
    }
}

/// What a document is called: its id, or its number in the query.
fn document(query: &JudgedQuery<'_>, row: usize) -> Cell {
    Cell::Text(query.doc_id(row).map_or_else(|| format!("#{}", row + 1), str::to_owned))
}

fn number(value: f64) -> Cell {
    Cell::Number { value, digits: 4 }
}

/// A number, or a blank.
fn perhaps(value: Option<f64>) -> Cell {
    value.map_or_else(blank, number)
}

fn blank() -> Cell {
    Cell::Text(String::new())
}

fn table(id: &str, title: String, columns: &[&str], label_columns: usize) -> Table {
    let columns = columns.iter().map(|&column| column.to_owned()).collect();
    Table { id: id.to_owned(), title, columns, label_columns, rows: Vec::new(), notes: Vec::new() }
}

/// The query of this id.
fn find<'a>(mut queries: impl Iterator<Item = JudgedQuery<'a>>, id: &str) -> miette::Result<(usize, JudgedQuery<'a>)> {
    let mut row = 0;
    let mut before = 0;
    queries
        .find(|query| {
            before = row;
            row += query.len();
            query.id() == id
        })
        .map(|query| (before, query))
        .ok_or_else(|| Problem::new(format!("the data have no query `{id}`")).help("ids stand behind `qid:`").into())
}
