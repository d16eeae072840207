//! The matrices of means as LaTeX, CSV and Markdown, to be copied into a paper or a sheet.
//!
//! All data sets are in one table. In LaTeX and Markdown the best mean of a column is bold, and
//! `=` follows a mean that is not told apart from the best one. CSV keeps plain numbers, and says
//! the same in a column after each measure.

use fivefold_analysis::table::{Mark, TableMarks};
use fivefold_analysis::{Cell, Table};
use serde::Serialize;

use super::matrix::{ScoreCell, ScoreMatrix, Standing, measures};
use crate::{csv, latex, markdown};

/// Decimals of a mean.
const DIGITS: u8 = 4;

/// The matrices in each form.
#[derive(Debug, Serialize)]
pub(super) struct Copies {
    latex: String,
    csv: String,
    markdown: String,
}

impl Copies {
    pub(super) fn new(matrices: &[ScoreMatrix], noun: &str, conventions: &[String]) -> Self {
        let source = Source::new(matrices, noun);
        let marks = TableMarks::of_means(source.marks());
        let typed = source.table().with_notes(conventions.to_vec()).with_marks(marks);
        let how = "the column after a measure says how the mean compares with the best mean".to_owned();
        let notes = std::iter::once(how).chain(conventions.iter().cloned());
        let plain = source.with_standing().with_notes(notes.collect());
        Copies { latex: latex(&typed), csv: csv(&plain), markdown: markdown(&typed) }
    }
}

/// The rows of all data sets under the measures of all.
struct Source<'m> {
    noun: &'m str,
    measures: Vec<&'m str>,
    /// Each row's matrix and place in it.
    rows: Vec<(&'m ScoreMatrix, usize)>,
    /// Columns of labels: the data set, if there are several, and the system.
    labels: usize,
}

impl<'m> Source<'m> {
    fn new(matrices: &'m [ScoreMatrix], noun: &'m str) -> Self {
        let rows = matrices.iter().flat_map(|own| (0..own.rows.len()).map(move |row| (own, row)));
        Source {
            noun,
            measures: measures(matrices),
            rows: rows.collect(),
            labels: if matrices.len() > 1 { 2 } else { 1 },
        }
    }

    /// The mean in a cell of the table. `None` for a label, and for a measure that the data set
    /// lacks.
    fn cell(&self, row: usize, column: usize) -> Option<&'m ScoreCell> {
        let (matrix, place) = self.rows[row];
        let measure = self.measures.get(column.checked_sub(self.labels)?)?;
        let column = matrix.columns.iter().position(|own| own.measure == *measure)?;
        matrix.rows[place].cells.get(column)
    }

    /// The cells that stand out.
    fn marks(&self) -> Vec<(usize, usize, Mark)> {
        let columns = self.labels..self.labels + self.measures.len();
        let places = (0..self.rows.len()).flat_map(|row| columns.clone().map(move |column| (row, column)));
        let mark = |(row, column)| match self.cell(row, column)?.standing {
            Standing::Best => Some((row, column, Mark::Best)),
            Standing::NotToldApart => Some((row, column, Mark::NotToldApart)),
            Standing::Untested => Some((row, column, Mark::Untested)),
            Standing::Worse => None,
        };
        places.filter_map(mark).collect()
    }

    fn label_heads(&self) -> Vec<String> {
        [Some("data set").filter(|_| self.labels > 1), Some(self.noun)]
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect()
    }

    fn labels(&self, row: usize) -> Vec<Cell> {
        let (matrix, place) = self.rows[row];
        let dataset = Some(&matrix.dataset).filter(|_| self.labels > 1);
        dataset.into_iter().chain([&matrix.rows[place].system]).map(Cell::text).collect()
    }

    /// The table with a column for each measure.
    fn table(&self) -> Table {
        self.made(|measure| vec![measure.to_owned()], |cell| vec![mean(cell)])
    }

    /// The table with two columns for each measure: the mean, and how it stands to the best.
    fn with_standing(&self) -> Table {
        self.made(
            |measure| vec![measure.to_owned(), format!("{measure} stands")],
            |cell| vec![mean(cell), Cell::text(cell.map_or("", |cell| stands(cell.standing)))],
        )
    }

    fn made(&self, heads: impl Fn(&str) -> Vec<String>, cells: impl Fn(Option<&ScoreCell>) -> Vec<Cell>) -> Table {
        let of_measures = self.measures.iter().flat_map(|measure| heads(measure));
        let row = |row: usize| {
            let own = (self.labels..self.labels + self.measures.len()).flat_map(|column| cells(self.cell(row, column)));
            self.labels(row).into_iter().chain(own).collect()
        };
        let title = format!("Mean of each {} under each measure", self.noun);
        Table::new("overview", title, self.label_heads().into_iter().chain(of_measures), self.labels)
            .with_rows((0..self.rows.len()).map(row).collect())
    }
}

fn mean(cell: Option<&ScoreCell>) -> Cell {
    Cell::number_or_na(cell.and_then(|cell| cell.mean), DIGITS)
}

fn stands(standing: Standing) -> &'static str {
    match standing {
        Standing::Best => "best",
        Standing::NotToldApart => "not told apart",
        Standing::Worse => "worse",
        Standing::Untested => "not tested",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// b is best, c not told apart from it, and a worse.
    fn matrix(dataset: &str) -> ScoreMatrix {
        let own = samples::compared("ndcg", [0.2, 0.9, 0.5], [Some(0.01), Some(0.3), Some(0.2)]);
        let mut data = samples::three_systems(vec![own]);
        dataset.clone_into(&mut data.name);
        ScoreMatrix::new(&data, &data.systems, 0.05)
    }

    #[test]
    fn the_best_is_bold_and_what_is_not_told_apart_is_marked() {
        let copies = Copies::new(&[matrix("d")], "system", &["a test".to_owned()]);
        for row in [r"    b & \textbf{0.9000} \\", r"    c & 0.5000\rlap{$^{=}$} \\", r"    a & 0.2000 \\"] {
            assert!(copies.latex.lines().any(|line| line == row), "{row}\n{}", copies.latex);
        }
        for row in ["| b      | **0.9000** |", "| c      |   0.5000 = |", "| a      |     0.2000 |"] {
            assert!(copies.markdown.lines().any(|line| line == row), "{row}\n{}", copies.markdown);
        }
        assert!(copies.latex.contains("a test") && copies.markdown.contains("- a test"));
        let rows = "system,ndcg@10,ndcg@10 stands\nb,0.9,best\nc,0.5,not told apart\na,0.2,worse\n";
        assert!(copies.csv.ends_with(rows), "{}", copies.csv);
    }

    #[test]
    fn several_data_sets_are_one_table() {
        let copies = Copies::new(&[matrix("x & y"), matrix("z")], "system", &[]);
        assert!(copies.latex.contains(r"    x \& y & b & \textbf{0.9000} \\"), "{}", copies.latex);
        assert!(copies.csv.contains("\nz,c,0.5,not told apart\n"), "{}", copies.csv);
        assert_eq!(copies.markdown.matches("**0.9000**").count(), 2, "{}", copies.markdown);
    }
}
