//! What the template is given.

use fivefold_experiment::tables::{Comparison, QueryClasses};
use fivefold_experiment::{Cell, Results, Table};
use serde::Serialize;

use super::bibliography::bibtex;
use super::drill::{Drill, drill};
use super::matrices::{Matrix, pairs, taus};
use super::methods::methods;
use super::scores::{ScoreTable, scores};
use super::summary::{Part, summary};
use super::wording::test_in_words;
use crate::cell::{is_words, one_line, shown};
use crate::error::ReportError;
use crate::figure::Figure;
use crate::leading::Leading;

/// Everything on the page. The names of the fields are those that templates use; what is not about a run stays empty.
#[derive(Default, Serialize)]
pub(super) struct Page {
    /// The experiment.
    name: String,
    version: String,
    seed: u64,
    /// Hash of the values.
    result: String,
    datasets: Vec<Facts>,
    /// Leak guards that were overridden.
    stamps: Vec<String>,
    /// What is left out of the page.
    notices: Vec<String>,
    /// The findings in words.
    summary: Vec<Part>,
    /// The test behind letters and p-values, in words.
    test: String,
    alpha: f64,
    /// Score tables with letters of significance.
    scores: Vec<ScoreTable>,
    /// Heat maps of p-values.
    pairs: Vec<Matrix>,
    /// Heat maps of Kendall's tau between measures.
    taus: Vec<Matrix>,
    figures: Vec<Plot>,
    tables: Vec<PlainTable>,
    /// Values query by query, for the script.
    drill: Drill,
    /// Paragraphs that say how the numbers were made.
    methods: Vec<String>,
    bibtex: String,
    /// `manifest.json`, indented.
    manifest: String,
}

#[derive(Serialize)]
struct Facts {
    label: String,
    queries: usize,
    documents: usize,
    features: usize,
    max_grade: u8,
}

#[derive(Serialize)]
struct Plot {
    id: String,
    title: String,
    svg: String,
}

/// Most jobs of the manifest on the page.
const JOBS: usize = 200;

/// Most rows of a table on the page.
const ROWS: usize = 200;

/// A table of the paper.
#[derive(Serialize)]
struct PlainTable {
    id: String,
    title: String,
    heads: Vec<Head>,
    rows: Vec<Vec<PlainCell>>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Head {
    text: String,
    words: bool,
}

#[derive(Serialize)]
struct PlainCell {
    text: String,
    label: bool,
    words: bool,
    /// The number in full, to sort by; nothing for words.
    sort: Option<String>,
}

impl Page {
    /// A page of tables and figures only.
    pub fn plain(name: &str, tables: &[Table], figures: &[Figure]) -> Self {
        let plot =
            |figure: &Figure| Plot { id: figure.id.clone(), title: figure.title.clone(), svg: figure.svg.clone() };
        Page {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            figures: figures.iter().map(plot).collect(),
            tables: tables.iter().map(plain).collect(),
            ..Page::default()
        }
    }

    /// The page of a run.
    pub fn new(
        results: &Results,
        (comparisons, leading, classes): (&[Comparison], &Leading, &[QueryClasses]),
        tables: &[Table],
        figures: &[Figure],
    ) -> Result<Self, ReportError> {
        let Results { manifest, evaluation } = results;
        let options = results.table_options();
        let alpha = options.alpha;
        let mut notices = leading.notices.clone();
        let mut shown = manifest.clone();
        if shown.jobs.len() > JOBS {
            let all = shown.jobs.len();
            notices
                .push(format!("The manifest on this page has the first {JOBS} of {all} jobs; manifest.json has all"));
            shown.jobs.truncate(JOBS);
        }
        let json = serde_json::to_string_pretty(&shown)
            .map_err(|error| ReportError::Malformed { id: "manifest".to_owned(), message: error.to_string() })?;
        Ok(Page {
            version: manifest.version.clone(),
            seed: manifest.experiment.seed,
            result: manifest.result.clone(),
            datasets: manifest
                .datasets
                .iter()
                .map(|data| Facts {
                    label: data.label.clone(),
                    queries: data.evaluated_queries,
                    documents: data.test_documents,
                    features: data.features,
                    max_grade: data.max_grade,
                })
                .collect(),
            stamps: results.stamps(),
            notices,
            summary: summary(results, comparisons, alpha)?,
            test: test_in_words(alpha),
            alpha,
            scores: scores(evaluation, &leading.comparisons, alpha),
            pairs: pairs(evaluation, &leading.comparisons, alpha),
            taus: taus(evaluation, comparisons)?,
            drill: drill(evaluation, &leading.comparisons, classes),
            methods: methods(results, &options),
            bibtex: bibtex(&manifest.experiment),
            manifest: json,
            ..Page::plain(&manifest.experiment.name, tables, figures)
        })
    }
}

fn plain(table: &Table) -> PlainTable {
    let words: Vec<bool> = (0..table.columns.len()).map(|column| is_words(table, column)).collect();
    let heads = table.columns.iter().zip(&words).map(|(text, &words)| Head { text: one_line(text), words });
    let cell = |(column, cell): (usize, &Cell)| PlainCell {
        text: shown(cell),
        label: column < table.label_columns,
        words: words[column],
        sort: match cell {
            Cell::Number { value, .. } | Cell::PValue(value) => Some(value.to_string()),
            Cell::Count(count) => Some(count.to_string()),
            Cell::Text(_) | Cell::Missing(_) => None,
        },
    };
    let cut = (table.rows.len() > ROWS)
        .then(|| format!("the first {ROWS} of {} rows; all are in tables/{}.csv", table.rows.len(), table.id));
    PlainTable {
        id: table.id.clone(),
        title: table.title.clone(),
        heads: heads.collect(),
        rows: table.rows.iter().take(ROWS).map(|row| row.iter().enumerate().map(cell).collect()).collect(),
        notes: cut.into_iter().chain(table.notes.iter().cloned()).collect(),
    }
}
