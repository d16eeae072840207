//! A finished table, ready to be printed in any form: text, CSV, Markdown, LaTeX.

use serde::{Deserialize, Serialize};

/// One table of a report.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
///
/// let rows = vec![vec![Cell::text("A"), Cell::number(0.25, 3)], vec![Cell::text("B"), Cell::number(0.5, 3)]];
/// let table = Table::new("means", "Mean of ndcg@10", ["system", "mean"], 1).with_rows(rows);
/// assert_eq!((table.columns.len(), table.rows.len()), (2, 2));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// File name without ending, e.g. `table-07-ndcg-kendall-tau`.
    pub id: String,
    /// The title, with the paper's table number if the paper has this table.
    pub title: String,
    /// Column heads. The first `label_columns` columns label the rows.
    pub columns: Vec<String>,
    /// Number of leading columns that are labels (left aligned). The other columns are figures
    /// (right aligned).
    pub label_columns: usize,
    /// Rows of `columns.len()` cells.
    pub rows: Vec<Vec<Cell>>,
    /// Lines under the table: dialect, policies, numbers of queries and of undefined values,
    /// remarks on cells.
    pub notes: Vec<String>,
    /// What stands out among the cells, in the forms that have type: LaTeX and Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<TableMarks>,
}

/// What stands out among the cells of a table.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
/// use fivefold_analysis::table::{Mark, TableMarks};
///
/// let marks = TableMarks { meaning: "bold: the best mean".to_owned(), cells: vec![(1, 1, Mark::Best)] };
/// let rows = vec![vec![Cell::text("A"), Cell::number(0.25, 3)], vec![Cell::text("B"), Cell::number(0.5, 3)]];
/// let table = Table::new("means", "Means", ["system", "mean"], 1).with_rows(rows).with_marks(marks);
/// assert_eq!((table.mark(1, 1), table.mark(0, 1)), (Some(Mark::Best), None));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableMarks {
    /// What the marks mean, which precedes the notes wherever marks are shown.
    pub meaning: String,
    /// Row, column and mark.
    pub cells: Vec<(usize, usize, Mark)>,
}

impl TableMarks {
    /// Marks in columns of means. `=` and `?` are explained only where they occur.
    ///
    /// ```
    /// use fivefold_analysis::table::{Mark, TableMarks};
    ///
    /// let marks = TableMarks::of_means(vec![(0, 1, Mark::Best), (1, 1, Mark::Untested)]);
    /// assert!(marks.meaning.contains("?: not tested") && !marks.meaning.contains('='));
    /// ```
    pub fn of_means(cells: Vec<(usize, usize, Mark)>) -> Self {
        let has = |wanted: Mark| cells.iter().any(|(.., mark)| *mark == wanted);
        let parts = [
            (true, "bold: the best of the column"),
            (has(Mark::NotToldApart), "=: not told apart from the best"),
            (has(Mark::Untested), "?: not tested against the best"),
            (true, "without a mark: significantly worse"),
        ];
        let meaning: Vec<&str> = parts.iter().filter(|(holds, _)| *holds).map(|(_, part)| *part).collect();
        TableMarks { meaning: meaning.join("; "), cells }
    }
}

/// How a mean stands to the best mean.
///
/// ```
/// use fivefold_analysis::table::Mark;
///
/// assert_eq!(Mark::NotToldApart.sign(), Some('='));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It is the best, or level with it: bold.
    Best,
    /// It was tested, and is not told apart from the best: `=`.
    NotToldApart,
    /// It was not tested against the best: `?`.
    Untested,
}

impl Mark {
    /// The sign after a number. `None` for the best, which is bold.
    pub fn sign(self) -> Option<char> {
        match self {
            Mark::Best => None,
            Mark::NotToldApart => Some('='),
            Mark::Untested => Some('?'),
        }
    }
}

/// One cell.
///
/// ```
/// use fivefold_analysis::Cell;
///
/// // Three decimals are shown, all digits are kept.
/// let cell = Cell::number(0.512_34, 3);
/// assert_eq!(cell, Cell::Number { value: 0.512_34, digits: 3 });
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// A label.
    Text(String),
    /// A number, shown with `digits` decimals and stored in full.
    Number {
        /// The value.
        value: f64,
        /// Decimals shown.
        digits: u8,
    },
    /// A p-value, shown as in [`p_value`](crate::p_value::p_value) and stored with all digits.
    PValue(f64),
    /// A count.
    Count(u64),
    /// A missing number: the word to show instead (`n/a`, `FAILED`, `undefined`). The notes say
    /// why.
    Missing(String),
}

impl Table {
    /// A table without rows and notes.
    ///
    /// ```
    /// use fivefold_analysis::table::{Cell, Table};
    ///
    /// let rows = vec![vec![Cell::text("Ridge"), Cell::number(0.25, 3)]];
    /// let table = Table::new("means", "Mean of ndcg@10", ["system", "mean"], 1).with_rows(rows);
    /// assert_eq!((table.columns.len(), table.label_columns, table.rows.len()), (2, 1, 1));
    /// ```
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = impl AsRef<str>>,
        label_columns: usize,
    ) -> Self {
        let columns = columns.into_iter().map(|column| column.as_ref().to_owned()).collect();
        Table {
            id: id.into(),
            title: title.into(),
            columns,
            label_columns,
            rows: Vec::new(),
            notes: Vec::new(),
            marks: None,
        }
    }

    /// The table with these rows.
    #[must_use]
    pub fn with_rows(self, rows: Vec<Vec<Cell>>) -> Self {
        Table { rows, ..self }
    }

    /// The table with these notes.
    #[must_use]
    pub fn with_notes(self, notes: Vec<String>) -> Self {
        Table { notes, ..self }
    }

    /// The table with these marks.
    #[must_use]
    pub fn with_marks(self, marks: TableMarks) -> Self {
        Table { marks: Some(marks), ..self }
    }

    /// The mark of a cell.
    pub fn mark(&self, row: usize, column: usize) -> Option<Mark> {
        let cells = &self.marks.as_ref()?.cells;
        cells.iter().find(|(of_row, of_column, _)| (*of_row, *of_column) == (row, column)).map(|(.., mark)| *mark)
    }
}

impl Cell {
    /// A label.
    pub fn text(text: impl AsRef<str>) -> Self {
        Cell::Text(text.as_ref().to_owned())
    }

    /// A number, shown with `digits` decimals.
    pub fn number(value: f64, digits: u8) -> Self {
        Cell::Number { value, digits }
    }

    /// A number if it is finite, else the word.
    ///
    /// ```
    /// # use fivefold_analysis::table::Cell;
    /// assert_eq!(Cell::number_or(0.5, 3, "undefined"), Cell::number(0.5, 3));
    /// assert_eq!(Cell::number_or(f64::NAN, 3, "undefined"), Cell::missing("undefined"));
    /// ```
    pub fn number_or(value: f64, digits: u8, word: &str) -> Self {
        if value.is_finite() { Cell::number(value, digits) } else { Cell::missing(word) }
    }

    /// A number, or `n/a` if there is no number.
    pub fn number_or_na(value: Option<f64>, digits: u8) -> Self {
        value.map_or_else(Cell::na, |value| Cell::number(value, digits))
    }

    /// A count.
    pub fn count(count: usize) -> Self {
        Cell::Count(count as u64)
    }

    /// A missing number, shown as a word.
    pub fn missing(word: impl AsRef<str>) -> Self {
        Cell::Missing(word.as_ref().to_owned())
    }

    /// `n/a`: there is no such number, and the notes say why.
    pub fn na() -> Self {
        Cell::missing("n/a")
    }
}
