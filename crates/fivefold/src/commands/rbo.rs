//! `fivefold rbo`: how alike the rankings of runs are, without judgements.

use std::collections::BTreeSet;
use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_analysis::{Cell, Table};
use fivefold_base::words::{counted, which};
use fivefold_data::trec::{Duplicates, Retrieved, Run, read_run};
use fivefold_metrics::rbo::{Groups, Overlap, Rbo};

use crate::exit::Exit;
use crate::format::FormatArgs;
use crate::labels::labelled;
use crate::problem::Problem;
use crate::screen::Screen;
use crate::systems::duplicates;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold rbo bm25.run ours=out.run
  fivefold rbo bm25.run dense.run hybrid.run --p 0.95 --per-topic

RBO_ext (Webber, Moffat & Zobel, TOIS 2010) is 1 for equal rankings and 0 for rankings without a common document. \
E is its mean over random orders of the same documents, U its highest value for as many common documents, and V2 is \
(RBO-E)/(U-E), or (RBO-E)/E below E. To compare a run with judgements, use `fivefold eval --measures compat`.")]
pub(crate) struct Args {
    /// TREC runs, at least two; each pair is compared
    #[arg(value_name = "[LABEL=]RUN", required = true, num_args = 2..)]
    runs: Vec<String>,
    /// The probability that the user goes on to the next rank
    #[arg(long, default_value_t = 0.9, value_parser = probability)]
    p: f64,
    /// How documents with equal scores count: the mean over their orders, or ordered by document
    /// id, descending, as in trec_eval
    #[arg(long, value_name = "RULE", default_value = AVERAGE, value_parser = ties())]
    ties: Ties,
    /// How many documents of a topic count, from the first [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Print the values of each topic too
    #[arg(long, short = 'q', visible_alias = "per-query")]
    per_topic: bool,
    /// How to treat a document that stands twice under a topic
    #[arg(long, value_name = "POLICY", default_value = Duplicates::Error.name(), value_parser = duplicates())]
    duplicates: Duplicates,
    /// Decimals of the values; csv and json give all digits
    #[arg(long, value_name = "N", default_value_t = 4)]
    digits: u8,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ties {
    Average,
    DocId,
}

const AVERAGE: &str = "average";
const DOC_ID: &str = "docid";

fn ties() -> impl TypedValueParser<Value = Ties> {
    PossibleValuesParser::new([AVERAGE, DOC_ID]).map(|word| if word == AVERAGE { Ties::Average } else { Ties::DocId })
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&p: &f64| p > 0.0 && p < 1.0);
    number.ok_or_else(|| "p is a number above 0 and below 1".to_owned())
}

/// The values of two runs on their common topics.
struct Pair {
    labels: [String; 2],
    topics: Vec<(String, Rbo)>,
    /// Number of topics that only one of the runs has.
    alone: usize,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let runs = labelled(&self.runs)?;
        let read = |(label, path): &(String, String)| {
            let run = read_run(Path::new(path), self.duplicates).map_err(Problem::from)?;
            Ok((label.clone(), run))
        };
        let runs = runs.iter().map(read).collect::<miette::Result<Vec<(String, Run)>>>()?;
        let pairs: Vec<Pair> = (0..runs.len())
            .flat_map(|one| (one + 1..runs.len()).map(move |other| [one, other]))
            .map(|pair| self.pair(pair.map(|place| &runs[place])))
            .collect();
        self.format.form().print(&[self.table(&pairs)], screen)?;
        Ok(Exit::Done)
    }

    fn pair(&self, [one, other]: [&(String, Run); 2]) -> Pair {
        let ids = |run: &Run| -> BTreeSet<String> { run.topics.iter().map(|topic| topic.id.clone()).collect() };
        let (first, second) = (ids(&one.1), ids(&other.1));
        let groups = |run: &Run, id: &str| run.topic(id).map(|topic| self.groups(&topic.documents)).unwrap_or_default();
        let value = |id: &String| {
            let overlap = Overlap::new(&groups(&one.1, id), &groups(&other.1, id))?;
            Some((id.clone(), overlap.values(self.p)))
        };
        let topics = first.intersection(&second).filter_map(value).collect();
        let alone = first.symmetric_difference(&second).count();
        Pair { labels: [one.0.clone(), other.0.clone()], topics, alone }
    }

    /// The documents from the first to the last, those that tie together.
    fn groups(&self, documents: &[Retrieved]) -> Groups<String> {
        let mut ranked: Vec<&Retrieved> = documents.iter().collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| b.document.cmp(&a.document)));
        let tie = |a: &&Retrieved, b: &&Retrieved| self.ties == Ties::Average && a.score == b.score;
        let mut groups: Groups<String> = Vec::new();
        let mut left = self.depth.map_or(usize::MAX, |depth| depth as usize);
        for group in ranked.chunk_by(|a, b| tie(a, b)) {
            // A group that the depth cuts counts as a whole, so that no order is preferred.
            if left == 0 {
                break;
            }
            left = left.saturating_sub(group.len());
            groups.push(group.iter().map(|retrieved| retrieved.document.to_string()).collect());
        }
        groups
    }

    fn table(&self, pairs: &[Pair]) -> Table {
        let number = |value: f64| match value.is_nan() {
            true => Cell::missing("undefined"),
            false => Cell::number(value, self.digits),
        };
        let mut rows = Vec::new();
        for pair in pairs {
            let row = |topic: &str, values: [f64; 5], topics: usize| {
                let mut cells: Vec<Cell> = pair.labels.iter().map(Cell::text).collect();
                cells.extend(self.per_topic.then(|| Cell::text(topic)));
                cells.extend(values.map(number));
                cells.push(Cell::count(topics));
                cells
            };
            let values = |rbo: &Rbo| [rbo.extrapolated, rbo.least, rbo.expected, rbo.upper, rbo.normalised()[1]];
            if self.per_topic {
                rows.extend(pair.topics.iter().map(|(id, rbo)| row(id, values(rbo), 1)));
            }
            let mean = |place: usize| {
                let all: Vec<f64> = pair.topics.iter().map(|(_, rbo)| values(rbo)[place]).collect();
                let defined: Vec<f64> = all.into_iter().filter(|value| !value.is_nan()).collect();
                defined.iter().sum::<f64>() / defined.len() as f64
            };
            rows.push(row("all", [0, 1, 2, 3, 4].map(mean), pair.topics.len()));
        }
        let mut columns = vec!["run", "other run"];
        columns.extend(self.per_topic.then_some("topic"));
        let labels = columns.len();
        columns.extend(["rbo", "rbo_min", "E", "U", "rbo.v2", "topics"]);
        let columns: Vec<String> = columns.into_iter().map(str::to_owned).collect();
        let title = format!("rank-biased overlap, p = {}", self.p);
        Table::new("rbo", title, columns, labels).with_rows(rows).with_notes(self.notes(pairs))
    }

    fn notes(&self, pairs: &[Pair]) -> Vec<String> {
        let ties = match self.ties {
            Ties::Average => "the mean over the orders of documents with equal scores",
            Ties::DocId => "equal scores ordered by document id, descending",
        };
        let depth = self.depth.map_or_else(|| "all documents".to_owned(), |depth| format!("{depth} documents"));
        let mut notes = vec![format!("rbo: RBO_ext; ties: {ties}; depth: {depth}; means over the topics of both runs")];
        notes.extend(pairs.iter().filter(|pair| pair.alone > 0).map(|pair| {
            let [one, other] = &pair.labels;
            let are = which(pair.alone, "is", "are");
            format!("{one}, {other}: {} of only one run {are} left out", counted(pair.alone, "topic"))
        }));
        notes
    }
}
