//! `fivefold explain`: shows the arithmetic of a value, or the reasons for a model's score.

mod measure;
mod model;

use std::path::{Path, PathBuf};

use fivefold_analysis::Cell;
use fivefold_core::Registry;

use super::cases::QrelsArgs;
use crate::conventions::ConventionArgs;
use crate::exit::Exit;
use crate::feature_names::NamesArgs;
use crate::format::FormatArgs;
use crate::model::MissingArgs;
use crate::problem::Problem;
use crate::reading::LayoutArgs;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold explain test.txt scores.txt --query 18219 --measure ndcg@5
  fivefold explain test.txt scores.txt --query 18219 --measure ap.v2@10 --dialect letor4 --format md
  fivefold explain --qrels qrels.txt --run bm25.run --query 101 --measure ndcg@10 --dialect trec_eval
  fivefold explain model.json --data test.txt --query 18219
  fivefold explain model.json --data test.txt --query 18219 --document 3

For a value, the tables show the ranking with gains, discounts and the running sum, the ideal order, the mean over \
all orders, and each step with its numbers. For a model of trees or of weights, the table shows how far each feature \
pulled a document above the mean of the query. Without --document, the document is the highest of the query. In a \
tree, the share of a split is the mean score of the query's documents after the split less the mean before the split \
(Saabas, 2014). The shares are summed by feature; shares and mean add up to the score.")]
pub(crate) struct Args {
    /// A LETOR file, or a model file
    #[arg(required_unless_present = "qrels")]
    file: Option<String>,
    /// A score file: one number a line, in the order of the LETOR file's documents
    #[arg(requires = "measure", conflicts_with_all = ["data", "document"])]
    scores: Option<String>,
    #[command(flatten)]
    qrels: QrelsArgs,
    /// A TREC run: `topic Q0 document rank score tag` a line
    #[arg(long, value_name = "FILE", requires_all = ["qrels", "measure"], conflicts_with_all = ["file", "data", "document"])]
    run: Option<String>,
    /// The query's id
    #[arg(long, value_name = "ID")]
    query: String,
    /// The measure, as in `ndcg@5` or `ap.v2@10`
    #[arg(long, alias = "measures", value_name = "NAME")]
    measure: Option<String>,
    /// The LETOR file whose documents the model scores
    #[arg(long, value_name = "FILE", required_unless_present_any = ["scores", "qrels"])]
    data: Option<PathBuf>,
    /// The document's number in the query, from 1, or its id
    #[arg(long, value_name = "DOCUMENT")]
    document: Option<String>,
    /// Number of positions, or of features, to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    rows: usize,
    #[command(flatten)]
    names: NamesArgs,
    #[command(flatten)]
    format: FormatArgs,
    /// The seed of `--ties shuffle`
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    missing: MissingArgs,
    #[command(flatten)]
    reading: LayoutArgs,
    #[command(flatten)]
    conventions: ConventionArgs,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let tables = match (&self.measure, &self.file) {
            (Some(measure), _) => measure::tables(&self, measure)?,
            (None, Some(model)) => model::tables(&self, Path::new(model), registry)?,
            (None, None) => {
                return Err(Problem::new("qrels go with a run and a measure")
                    .help("give --run FILE --measure NAME")
                    .into());
            }
        };
        self.format.form().print(&tables, screen)?;
        Ok(Exit::Done)
    }
}

fn number(value: f64) -> Cell {
    Cell::number(value, 4)
}

/// A number, or a blank if there is no value.
fn perhaps(value: Option<f64>) -> Cell {
    value.map_or_else(blank, number)
}

fn blank() -> Cell {
    Cell::Text(String::new())
}
