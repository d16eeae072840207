//! The overview as the first screen of the page: findings, a figure for each measure, and a matrix
//! for each data set, in the words and places that a template writes down.
//!
//! A figure is a table. Its cells hold places in percent of their width, which the style sheet
//! draws, and the same values in words.

use fivefold_analysis::compared::PairedDifference;
use fivefold_base::words::counted;
use serde::Serialize;

use super::copies::Copies;
use super::matrix::{Column, Row, ScoreCell, ScoreMatrix, Standing, measures, span};
use super::{Overview, without_nought};

/// The most rows of a panel. The matrix below the figure has all systems.
const ROWS: usize = 12;
/// Percent of a track that is left free at each end, so that no mark is cut.
const MARGIN: f64 = 4.0;
/// The most labels on an axis.
const TICKS: f64 = 5.0;

/// The first screen.
#[derive(Debug, Serialize)]
pub(crate) struct FirstScreen {
    /// What was compared on what, in a line.
    facts: String,
    /// What failed or limits every number.
    warnings: Vec<String>,
    findings: Vec<String>,
    /// A figure for each measure with tested differences.
    figures: Vec<MeasureFigure>,
    /// Whether the differences have intervals.
    intervals: bool,
    /// A matrix of means for each data set.
    matrices: Vec<Grid>,
    legend: Legend,
    /// V1, V2, E and U in a sentence each. Empty without UE versions.
    versions: Vec<Explained>,
    /// The UE versions worked out on a query.
    worked: Option<String>,
    /// The test in words.
    test: String,
    /// The conventions of the values, and what is to be known of each data set.
    conventions: Vec<String>,
    /// The matrices as text to be copied.
    copies: Copies,
}

/// The differences to the best under a measure.
#[derive(Debug, Serialize)]
struct MeasureFigure {
    measure: String,
    panels: Vec<Panel>,
}

/// The differences to the best on a data set.
#[derive(Debug, Serialize)]
struct Panel {
    dataset: String,
    /// The number of queries, and the best with its mean.
    facts: String,
    /// Where the difference 0 lies.
    zero: String,
    rows: Vec<Difference>,
    ticks: Vec<Tick>,
    /// How many more systems the matrix has.
    more: usize,
}

/// A system in a panel.
#[derive(Debug, Serialize)]
struct Difference {
    system: String,
    /// `best`, `worse`, `alike` or `untested`.
    standing: &'static str,
    /// Where the mark lies, in percent. `None` without a difference.
    at: Option<String>,
    /// Where the interval begins and how wide it is, in percent.
    interval: Option<(String, String)>,
    /// The difference in short.
    text: String,
    /// The difference and its interval in words.
    words: String,
}

#[derive(Debug, Serialize)]
struct Tick {
    at: String,
    text: String,
}

/// The means of a data set.
#[derive(Debug, Serialize)]
struct Grid {
    dataset: String,
    heads: Vec<GridHead>,
    rows: Vec<GridRow>,
    /// How many systems are not shown.
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct GridHead {
    /// The part of the name that a narrow screen leaves out: `ndcg` of `ndcg.v1`. May be empty.
    stem: String,
    rest: String,
}

#[derive(Debug, Serialize)]
struct GridRow {
    system: String,
    cells: Vec<GridCell>,
}

#[derive(Debug, Serialize)]
struct GridCell {
    /// `best`, `worse`, `alike` or `untested`.
    standing: &'static str,
    /// The minus of a mean below 0.
    minus: &'static str,
    /// The nought before the decimal point, which a narrow screen leaves out.
    nought: &'static str,
    /// The rest of the mean.
    mean: String,
}

/// The marks that the matrices have.
#[derive(Debug, Serialize)]
struct Legend {
    alike: bool,
    worse: bool,
    untested: bool,
}

#[derive(Debug, Serialize)]
struct Explained {
    name: &'static str,
    words: &'static str,
}

impl Overview {
    /// The first screen of the page.
    pub(crate) fn screen(&self) -> FirstScreen {
        let cells = || self.matrices.iter().flat_map(|own| &own.rows).flat_map(|row| &row.cells);
        let has = |standing: Standing| cells().any(|cell| cell.standing == standing);
        FirstScreen {
            facts: self.facts.clone(),
            warnings: self.warnings.clone(),
            findings: self.findings.clone(),
            figures: figures(&self.matrices),
            intervals: self.matrices.iter().flat_map(|own| &own.columns).any(has_interval),
            matrices: self.matrices.iter().map(grid).collect(),
            legend: Legend {
                alike: has(Standing::NotToldApart),
                worse: has(Standing::Worse),
                untested: has(Standing::Untested),
            },
            versions: versions(&self.matrices),
            worked: self.worked.clone(),
            test: self.test.clone(),
            conventions: self.conventions.iter().chain(&self.remarks).cloned().collect(),
            copies: Copies::new(&self.matrices, &self.noun, &self.rules()),
        }
    }
}

fn has_interval(column: &Column) -> bool {
    column.differences.iter().flatten().any(|own| own.ends.is_some())
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Best => "best",
        Standing::NotToldApart => "alike",
        Standing::Worse => "worse",
        Standing::Untested => "untested",
    }
}

/// A figure for each measure, in the order of the first data set that has the measure.
fn figures(matrices: &[ScoreMatrix]) -> Vec<MeasureFigure> {
    measures(matrices).into_iter().filter_map(|measure| figure(matrices, measure)).collect()
}

/// The figure of a measure. All panels have the same scale. `None` without any difference.
fn figure(matrices: &[ScoreMatrix], measure: &str) -> Option<MeasureFigure> {
    let own = matrices.iter().filter_map(|matrix| {
        let column = matrix.columns.iter().position(|own| own.measure == measure)?;
        matrix.columns[column].differences.iter().any(Option::is_some).then_some((matrix, column))
    });
    let own: Vec<(&ScoreMatrix, usize)> = own.collect();
    let scale = Scale::of(&own)?;
    let panels = own.into_iter().map(|(matrix, column)| panel(matrix, column, &scale)).collect();
    Some(MeasureFigure { measure: measure.to_owned(), panels })
}

fn panel(matrix: &ScoreMatrix, column: usize, scale: &Scale) -> Panel {
    let order = &matrix.columns[column].order;
    let rows = order.iter().take(ROWS);
    let best = order.first().map(|&row| &matrix.rows[row]);
    let mean = best.and_then(|row| row.cells[column].mean).map(|mean| format!(" {mean:.4}")).unwrap_or_default();
    let best = best.map(|row| row.system.as_str()).unwrap_or_default();
    let difference = |&row: &usize| {
        let (own, found) = (&matrix.rows[row], matrix.columns[column].differences[row]);
        difference(own, own.cells[column].standing, found, scale, best)
    };
    Panel {
        dataset: matrix.dataset.clone(),
        facts: format!("{}; {best}{mean}", counted(matrix.queries, "query")),
        zero: scale.at(0.0),
        rows: rows.map(difference).collect(),
        ticks: scale.ticks(),
        more: order.len().saturating_sub(ROWS) + matrix.left_out,
    }
}

fn difference(row: &Row, standing: Standing, found: Option<PairedDifference>, scale: &Scale, best: &str) -> Difference {
    let ends = found.and_then(|own| own.ends).filter(|(low, high)| low.is_finite() && high.is_finite());
    let then = match standing {
        Standing::Best if row.system == best => "the best",
        Standing::Best => "tied with the best",
        Standing::NotToldApart => "not told apart from the best",
        Standing::Worse => "significantly worse",
        Standing::Untested => "not tested against the best",
    };
    let interval = ends.map(|(low, high)| format!(", interval {} to {}", scale.number(low), scale.number(high)));
    let words = match found {
        Some(own) => format!("{}{}, {then}", scale.number(own.mean), interval.unwrap_or_default()),
        None => then.to_owned(),
    };
    Difference {
        system: row.system.clone(),
        standing: word(standing),
        at: match (found, standing) {
            (Some(own), _) => Some(scale.at(own.mean)),
            (None, Standing::Best) => Some(scale.at(0.0)),
            (None, _) => None,
        },
        interval: ends.map(|(low, high)| (scale.at(low), percent(scale.place(high) - scale.place(low)))),
        text: match (found, standing) {
            (Some(own), _) => scale.number(own.mean),
            (None, Standing::Best) => "best".to_owned(),
            (None, _) => "n/a".to_owned(),
        },
        words,
    }
}

/// From differences to percent of a track.
struct Scale {
    low: f64,
    high: f64,
    /// Decimals of a difference.
    digits: usize,
}

impl Scale {
    /// `None` if no system differs from the best.
    fn of(panels: &[(&ScoreMatrix, usize)]) -> Option<Scale> {
        let all = panels.iter().flat_map(|(matrix, column)| {
            let column = &matrix.columns[*column];
            column.order.iter().take(ROWS).filter_map(|&row| column.differences[row])
        });
        let largest = all.clone().map(|own| own.mean.abs()).fold(0.0, f64::max);
        let (low, high) = span(all);
        (low < high).then_some(Scale { low, high, digits: if largest >= 0.01 { 3 } else { 4 } })
    }

    fn place(&self, value: f64) -> f64 {
        MARGIN + (100.0 - 2.0 * MARGIN) * (value - self.low) / (self.high - self.low)
    }

    fn at(&self, value: f64) -> String {
        percent(self.place(value))
    }

    fn number(&self, value: f64) -> String {
        short(value, self.digits)
    }

    /// Round differences, few enough to have room for their labels.
    fn ticks(&self) -> Vec<Tick> {
        let least = (self.high - self.low) / TICKS;
        let power = libm::pow(10.0, libm::log10(least).floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|by| by * power).into_iter().find(|step| *step >= least);
        let Some(step) = step else { return Vec::new() };
        let digits = (-libm::log10(step).floor()).max(0.0) as usize;
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        let tick = |number: i64| {
            let value = number as f64 * step;
            let text = if number == 0 { "0".to_owned() } else { short(value, digits) };
            Tick { at: self.at(value), text }
        };
        (first..=last).map(tick).collect()
    }
}

fn percent(value: f64) -> String {
    format!("{value:.2}")
}

/// A number with a true minus, and without a nought before the point.
fn short(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    let text = without_nought(&text);
    if value < 0.0 && !zero { format!("\u{2212}{text}") } else { text }
}

fn grid(matrix: &ScoreMatrix) -> Grid {
    let head = |column: &Column| GridHead {
        stem: column.name.whole.strip_suffix(&column.name.short).unwrap_or_default().to_owned(),
        rest: column.name.short.clone(),
    };
    let row = |row: &Row| GridRow { system: row.system.clone(), cells: row.cells.iter().map(grid_cell).collect() };
    Grid {
        dataset: matrix.dataset.clone(),
        heads: matrix.columns.iter().map(head).collect(),
        rows: matrix.rows.iter().map(row).collect(),
        left_out: matrix.left_out,
    }
}

fn grid_cell(cell: &ScoreCell) -> GridCell {
    let text = cell.mean.map_or_else(|| "n/a".to_owned(), |mean| format!("{mean:.4}"));
    let (minus, text) = match text.strip_prefix('-') {
        Some("0.0000") => ("", "0.0000".to_owned()),
        Some(rest) => ("\u{2212}", rest.to_owned()),
        None => ("", text),
    };
    let (nought, mean) = match text.strip_prefix('0') {
        Some(rest) => ("0", rest.to_owned()),
        None => ("", text),
    };
    GridCell { standing: word(cell.standing), minus, nought, mean }
}

/// Sentences on the UE versions of the columns.
fn versions(matrices: &[ScoreMatrix]) -> Vec<Explained> {
    let has = |version: &str| {
        let mut names = matrices.iter().flat_map(|own| &own.columns).map(|column| column.measure.as_str());
        names.any(|name| name.contains(version))
    };
    let mut found = Vec::new();
    let mut add = |holds: bool, name, words| found.extend(holds.then_some(Explained { name, words }));
    let (v1, v2) = (has(".v1"), has(".v2"));
    add(v1, "V1", "is (A/U) × A/(A+E), where A is the value of the original measure: 0 if the ranking finds nothing.");
    add(v2, "V2", "is (A−E)/(U−E), or (A−E)/E if A is below E: 1 is perfect, 0 is random, −1 finds nothing.");
    add(v1 || v2, "U", "is the upper bound of the value for a query: the value of the ideal order.");
    add(v1 || v2, "E", "is the value that a random order of the query's documents has on average.");
    found
}

#[cfg(test)]
mod tests {
    use fivefold_analysis::page::{PageData, PageTest};

    use super::*;
    use crate::samples;

    /// b is best, c not told apart from it, and a worse. The interval of a is from -.9 to -.5, of c
    /// from -.5 to +.1.
    fn screen() -> FirstScreen {
        let mut own = samples::compared("ndcg", [0.2, 0.9, 0.7], [Some(0.01), Some(0.01), Some(0.2)]);
        let difference = |mean: f64, half: f64| Some(PairedDifference { mean, ends: Some((mean - half, mean + half)) });
        own.differences = vec![difference(-0.7, 0.2), difference(-0.5, 0.1), difference(0.2, 0.3)];
        let mut version = samples::compared("ndcg.v1", [0.1, 0.8, 0.7], [Some(0.01), Some(0.01), Some(0.2)]);
        version.family = "ndcg".to_owned();
        let data = PageData {
            noun: "system".to_owned(),
            datasets: vec![samples::three_systems(vec![own, version])],
            test: Some(PageTest { words: "a test".to_owned(), alpha: 0.05 }),
            conventions: vec!["dialect: paper".to_owned()],
            ..PageData::default()
        };
        Overview::new(&data, &[]).unwrap().unwrap().screen()
    }

    #[test]
    fn a_panel_has_places_and_the_same_in_words() {
        let screen = screen();
        // V1 has no tested difference, so it has no figure.
        assert_eq!(screen.figures.len(), 1);
        let panel = &screen.figures[0].panels[0];
        assert_eq!((screen.figures[0].measure.as_str(), panel.facts.as_str()), ("ndcg@10", "9 queries; b 0.9000"));
        // From -.9 to +.1, in 92 percent.
        assert_eq!(panel.zero, "86.80");
        let rows: Vec<_> = panel.rows.iter().map(|row| (row.standing, row.at.as_deref(), row.text.as_str())).collect();
        let expected =
            [("best", Some("86.80"), "best"), ("alike", Some("68.40"), "−.200"), ("worse", Some("22.40"), "−.700")];
        assert_eq!(rows, expected);
        assert_eq!(panel.rows[2].interval, Some(("4.00".to_owned(), "36.80".to_owned())));
        let words: Vec<&str> = panel.rows.iter().map(|row| row.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "the best",
                "−.200, interval −.500 to .100, not told apart from the best",
                "−.700, interval −.900 to −.500, significantly worse"
            ]
        );
        let ticks: Vec<_> = panel.ticks.iter().map(|tick| (tick.text.as_str(), tick.at.as_str())).collect();
        assert_eq!(ticks, [("−.8", "13.20"), ("−.6", "31.60"), ("−.4", "50.00"), ("−.2", "68.40"), ("0", "86.80")]);
    }

    #[test]
    fn the_matrix_has_short_heads_and_what_its_versions_mean() {
        let screen = screen();
        let heads: Vec<_> =
            screen.matrices[0].heads.iter().map(|head| (head.stem.as_str(), head.rest.as_str())).collect();
        assert_eq!(heads, [("", "ndcg"), ("ndcg", ".v1")]);
        let row = &screen.matrices[0].rows[1];
        let cells: Vec<_> = row.cells.iter().map(|cell| (cell.nought, cell.mean.as_str(), cell.standing)).collect();
        assert_eq!((row.system.as_str(), cells), ("c", vec![("0", ".7000", "alike"), ("0", ".7000", "alike")]));
        let names: Vec<&str> = screen.versions.iter().map(|own| own.name).collect();
        assert_eq!(names, ["V1", "U", "E"]);
        assert_eq!(
            (screen.test.as_str(), screen.conventions.as_slice()),
            ("a test", &["dialect: paper".to_owned()][..])
        );
    }

    #[test]
    fn a_mean_below_zero_has_a_minus_before_its_nought() {
        let parts = |mean| {
            let cell = grid_cell(&ScoreCell { mean, standing: Standing::Worse });
            format!("{}|{}|{}", cell.minus, cell.nought, cell.mean)
        };
        let means = [Some(-0.31371), Some(-0.00001), Some(1.0), Some(-12.5), None];
        assert_eq!(means.map(parts), ["−|0|.3137", "|0|.0000", "||1.0000", "−||12.5000", "||n/a"]);
    }

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        let texts =
            [short(-0.0277, 3), short(0.5, 1), short(-0.0001, 3), short(-12.5, 1), short(0.0, 0), short(1.0, 0)];
        assert_eq!(texts, ["−.028", ".5", ".000", "−12.5", "0", "1"]);
    }
}
