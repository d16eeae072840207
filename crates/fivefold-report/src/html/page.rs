//! The data that the template is given.

use fivefold_analysis::page::PagePart;
use fivefold_analysis::{Cell, PageData, Table};
use fivefold_base::printable::one_line;
use fivefold_base::words::{counted, which};
use serde::Serialize;

use super::bibliography::bibtex;
use super::drill::{COARSE, Drill, FINE, drill};
use super::matrices::{Matrix, agreement, pairs};
use super::scores::{ScoreTable, scores};
use super::summary::summary;
use crate::cell::{is_words, shown};
use crate::error::ReportError;
use crate::figure::Figure;
use crate::folder::Report;
use crate::overview::{FirstScreen, Overview};

/// The name and the origin of a page.
///
/// ```
/// use fivefold_report::{PageHead, Report, Templates};
///
/// let head = PageHead { name: "my comparison".to_owned(), seed: Some(7), ..PageHead::default() };
/// let folder = tempfile::tempdir()?;
/// Report { head, ..Report::default() }.write(folder.path(), &Templates::default())?;
/// let page = std::fs::read_to_string(folder.path().join("report.html"))?;
/// assert!(page.contains("my comparison"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PageHead {
    /// The experiment.
    pub name: String,
    /// The seed of the experiment. `None` if it has no seed.
    pub seed: Option<u64>,
    /// Hash of the values of a run.
    pub result: Option<String>,
    /// The stamps: overridden leak guards, and programs that ran unconfined.
    pub stamps: Vec<String>,
    /// The parts that the page leaves out, a line each.
    pub notices: Vec<String>,
    /// The manifest as indented JSON. Empty if there is no manifest.
    pub manifest: String,
}

/// All data of the page. Templates use the names of the fields. A field is empty if the experiment
/// has no such data.
#[derive(Serialize)]
pub(super) struct Page {
    /// The experiment.
    name: String,
    version: String,
    seed: Option<u64>,
    /// Hash of the values of a run.
    result: Option<String>,
    /// The compared methods and the data, a line each.
    facts: Vec<String>,
    /// The word for a compared thing: `method` or `system`.
    noun: String,
    /// The stamps: overridden leak guards, and programs that ran unconfined.
    stamps: Vec<String>,
    /// The parts that the page leaves out.
    notices: Vec<String>,
    /// The first screen. `None` if no two systems were compared.
    overview: Option<FirstScreen>,
    /// What the overview does not say, measure by measure, or all findings if there is no overview.
    summary: Vec<PagePart>,
    /// The test behind letters and p-values, in words.
    test: String,
    alpha: f64,
    /// Score tables with letters of significance.
    scores: Vec<ScoreTable>,
    /// Heat maps of p-values.
    pairs: Vec<Matrix>,
    /// How measures agree, a heat map a data set.
    agreements: Vec<Matrix>,
    figures: Vec<Plot>,
    /// Notes that every figure has.
    figure_notes: Vec<String>,
    tables: Vec<PlainTable>,
    /// Notes that every table has.
    table_notes: Vec<String>,
    /// Values of each query, for the script.
    drill: Drill,
    /// Paragraphs on how the numbers were made.
    methods: Vec<String>,
    bibtex: String,
    /// The manifest, indented.
    manifest: String,
}

#[derive(Serialize)]
struct Plot {
    id: String,
    title: String,
    /// The drawing. `None` if the page has no room for it, or draws the same elsewhere.
    svg: Option<String>,
    /// Whether a matrix of pairs shows the same.
    elsewhere: bool,
    /// The notes, without those of all figures.
    notes: Vec<String>,
}

/// The most bytes of drawings on the page.
const FIGURES: usize = 900_000;

/// The most rows of a table on the page. The more cells all tables have, the fewer rows are shown.
const ROWS: [usize; 6] = [200, 100, 50, 25, 12, 6];
const CELLS: usize = 14_000;

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
    /// The number in full, for sorting. `None` for words.
    sort: Option<String>,
}

impl Page {
    /// Makes the page of a report, which begins with its overview.
    pub fn new(report: &Report, overview: Option<&Overview>) -> Result<Self, ReportError> {
        let Report { head, data, tables, figures } = report;
        let (alpha, noun) = (data.test.as_ref().map_or(0.0, |test| test.alpha), data.noun.as_str());
        let cut = data.datasets.iter().filter_map(|own| own.left_out(&data.noun));
        let agreements = overview.iter().flat_map(|overview| overview.agreements());
        let most = most_rows(tables);
        let table_notes = common_notes(tables.iter().map(|table| table.notes.as_slice()));
        let figure_notes = common_notes(figures.iter().map(|figure| figure.notes.as_slice()));
        let mut page = Page {
            name: head.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: head.seed,
            result: head.result.clone(),
            facts: data.facts.clone(),
            noun: noun.to_owned(),
            stamps: head.stamps.clone(),
            notices: cut.chain(head.notices.iter().cloned()).collect(),
            overview: overview.map(Overview::screen),
            summary: unbroken(summary(data)),
            test: data.test.as_ref().map(|test| test.words.clone()).unwrap_or_default(),
            alpha,
            scores: data.datasets.iter().flat_map(|dataset| scores(dataset, noun, alpha)).collect(),
            pairs: data.datasets.iter().flat_map(|dataset| pairs(dataset, alpha)).collect(),
            agreements: agreements.map(|own| agreement(own, noun)).collect(),
            figures: Vec::new(),
            figure_notes,
            tables: tables.iter().map(|table| plain(table, most, &table_notes)).collect(),
            table_notes,
            drill: drill(data, FINE, 1.0),
            methods: data.methods.clone(),
            bibtex: bibtex(&data.used),
            manifest: head.manifest.clone(),
        };
        page.add_figures(figures);
        Ok(page)
    }

    /// Adds the figures that fit on the page, and only the names of the other figures. A figure of
    /// p-values is left out if a matrix shows the same pairs.
    fn add_figures(&mut self, figures: &[Figure]) {
        let mut room = FIGURES;
        let mut left = 0;
        for figure in figures {
            let elsewhere = figure.shows_pairs && !self.pairs.is_empty();
            let svg = compact(&figure.svg);
            let fits = svg.len() <= room;
            let drawn = fits && !elsewhere;
            room -= if drawn { svg.len() } else { 0 };
            left += usize::from(!fits && !elsewhere);
            self.figures.push(Plot {
                id: figure.id.clone(),
                title: figure.title.clone(),
                svg: drawn.then_some(svg),
                elsewhere,
                notes: without(&figure.notes, &self.figure_notes).collect(),
            });
        }
        if left > 0 {
            let all = counted(figures.len(), "figure");
            self.notices
                .push(format!("{left} of {all} {} in files only, to keep this page small", which(left, "is", "are")));
        }
    }

    /// Returns the page with rounded values, and with an even sample of `share` of the queries.
    pub fn with_queries(self, data: &PageData, share: f64) -> Self {
        Page { drill: drill(data, COARSE, share), ..self }
    }
}

/// Puts non-breaking spaces into p-values, so that each stays on a line.
fn unbroken(mut parts: Vec<PagePart>) -> Vec<PagePart> {
    for sentence in parts.iter_mut().flat_map(|part| &mut part.sentences) {
        *sentence = sentence.replace("(p = ", "(p\u{a0}=\u{a0}").replace("(p < ", "(p\u{a0}<\u{a0}");
    }
    parts
}

/// The most rows of a table, so that all tables together have few cells.
fn most_rows(tables: &[Table]) -> usize {
    let cells =
        |rows: usize| tables.iter().map(|table| table.rows.len().min(rows) * table.columns.len()).sum::<usize>();
    ROWS.into_iter().find(|&rows| cells(rows) <= CELLS).unwrap_or(ROWS[ROWS.len() - 1])
}

/// The notes that each of several tables or figures has, which the page has once.
fn common_notes<'a>(mut all: impl Iterator<Item = &'a [String]>) -> Vec<String> {
    let (Some(first), others) = (all.next(), all.collect::<Vec<_>>()) else { return Vec::new() };
    let in_all = |note: &&String| !others.is_empty() && others.iter().all(|notes| notes.contains(note));
    first.iter().filter(in_all).cloned().collect()
}

/// The notes that are not among the common ones.
fn without<'a>(notes: &'a [String], common: &'a [String]) -> impl Iterator<Item = String> + 'a {
    notes.iter().filter(|note| !common.contains(note)).cloned()
}

fn plain(table: &Table, most: usize, common: &[String]) -> PlainTable {
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
    let cut = (table.rows.len() > most)
        .then(|| format!("the first {most} of {} rows; all are in tables/{}.csv", table.rows.len(), table.id));
    PlainTable {
        id: table.id.clone(),
        title: table.title.clone(),
        heads: heads.collect(),
        rows: table.rows.iter().take(most).map(|row| row.iter().enumerate().map(cell).collect()).collect(),
        notes: cut.into_iter().chain(without(&table.notes, common)).collect(),
    }
}

/// Returns the same drawing in fewer bytes. Line ends and the description are left out: the caption
/// has the notes. Successive lines of the same look, such as the dashes of a dashed line, become a
/// single path.
fn compact(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len());
    let svg = match svg.split_once("<title>").zip(svg.split_once("</desc>\n")) {
        Some(((start, _), (_, drawing))) => &format!("{start}{drawing}"),
        None => svg,
    };
    // The look of the path that is open.
    let mut open: Option<&str> = None;
    for line in svg.lines() {
        let polyline = line.strip_prefix("<polyline ").and_then(|rest| rest.split_once("points=\""));
        match polyline.and_then(|(look, rest)| Some((look, rest.strip_suffix("\"/>")?.trim_end()))) {
            Some((look, points)) => {
                if open != Some(look) {
                    close(&mut out, &mut open);
                    out += &format!("<path {look}d=\"");
                    open = Some(look);
                }
                out += &format!("M{points}");
            }
            None => {
                close(&mut out, &mut open);
                out += line;
            }
        }
    }
    close(&mut out, &mut open);
    out
}

fn close(out: &mut String, open: &mut Option<&str>) {
    if open.take().is_some() {
        *out += "\"/>";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn dashes_become_one_path_and_all_else_stays() {
        let svg = "<svg>\n<polyline fill=\"none\" points=\"1,2 3,4 \"/>\n<polyline fill=\"none\" points=\"5,6 7,8 \"/>\n\
                   <polyline fill=\"red\" points=\"1,1 2,2 \"/>\n<text>\na\n</text>\n</svg>\n";
        let expected =
            "<svg><path fill=\"none\" d=\"M1,2 3,4M5,6 7,8\"/><path fill=\"red\" d=\"M1,1 2,2\"/><text>a</text></svg>";
        assert_eq!(compact(svg), expected);
        let figure = crate::chart_figure(&samples::curves()).unwrap();
        let compacted = compact(&figure.svg);
        assert!(roxmltree::Document::parse(&compacted).is_ok());
        assert!(compacted.len() * 4 < figure.svg.len() * 3, "{} of {}", compacted.len(), figure.svg.len());
    }

    #[test]
    fn a_note_of_all_tables_stands_once() {
        let with = |notes: &[&str]| samples::long().with_notes(notes.iter().map(|&note| note.to_owned()).collect());
        let tables = [with(&["ties", "a", "data"]), with(&["ties", "data", "b"])];
        let common = common_notes(tables.iter().map(|table| table.notes.as_slice()));
        assert_eq!(common, ["ties", "data"]);
        assert_eq!(plain(&tables[1], 100, &common).notes, ["b"]);
        assert_eq!(common_notes(tables[..1].iter().map(|table| table.notes.as_slice())), Vec::<String>::new());
    }

    /// Rows are cut so that all tables together stay small. Each cut table says so.
    #[test]
    fn many_rows_are_cut_and_said() {
        let long = |rows: usize| Table { rows: vec![samples::long().rows[0].clone(); rows], ..samples::long() };
        assert_eq!(most_rows(&[long(1000)]), 200);
        let many = vec![long(1000); 70];
        assert_eq!(most_rows(&many), 100);
        let cut = plain(&many[0], 100, &[]);
        assert_eq!(
            (cut.rows.len(), cut.notes[0].as_str()),
            (100, "the first 100 of 1000 rows; all are in tables/long.csv")
        );
    }
}
