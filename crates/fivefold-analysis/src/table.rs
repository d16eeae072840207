//! A finished table, ready to be printed in any form: text, CSV, Markdown, LaTeX.

use serde::{Deserialize, Serialize};

/// One table of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// File name without ending, e.g. `table-07-kendall-tau`.
    pub id: String,
    /// What it shows, with the paper's table number where it has one.
    pub title: String,
    /// Column heads. The first `label_columns` columns label the rows.
    pub columns: Vec<String>,
    /// How many leading columns are labels (left aligned); the others are figures (right aligned).
    pub label_columns: usize,
    /// Rows of `columns.len()` cells.
    pub rows: Vec<Vec<Cell>>,
    /// Lines under the table: dialect, policies, numbers of queries and of undefined ones, remarks on cells.
    pub notes: Vec<String>,
}

/// One cell.
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
    /// A p-value, shown as one and stored in full.
    PValue(f64),
    /// A count.
    Count(u64),
    /// No number: the word to show instead (`n/a`, `FAILED`, `undefined`); the notes say why.
    Missing(String),
}
