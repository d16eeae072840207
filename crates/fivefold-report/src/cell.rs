//! The text of a cell. Every output form prints this text, with its own escaping and alignment.
//!
//! A number is rounded to the decimals of its table, to the nearest. The paper cuts digits off
//! instead, so a printed .785 may be 0.786 here. The minus is the ASCII hyphen in all forms but
//! LaTeX, so printed numbers can be searched and parsed.

use fivefold_analysis::p_value::p_value;
use fivefold_analysis::{Cell, Table};
use fivefold_base::printable::one_line;

/// The notes of a table whose marks are shown: what the marks mean comes first.
pub(crate) fn notes_with_marks(table: &Table) -> Vec<String> {
    table.marks.iter().map(|marks| marks.meaning.clone()).chain(table.notes.iter().cloned()).collect()
}

/// The cell as one line of plain text.
pub(crate) fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::Missing(text) => one_line(text),
        Cell::Number { value, digits } => rounded(*value, *digits),
        Cell::PValue(p) => p_value(*p),
        Cell::Count(count) => count.to_string(),
    }
}

/// Whether a column holds words and is left aligned: a label column, or a column with a text cell.
pub(crate) fn is_words(table: &Table, column: usize) -> bool {
    let texts = |row: &Vec<Cell>| matches!(row.get(column), Some(Cell::Text(_)));
    column < table.label_columns || table.rows.iter().any(texts)
}

/// Returns `value` with `digits` decimals. A value that rounds to zero has no sign.
fn rounded(value: f64, digits: u8) -> String {
    let text = format!("{value:.*}", usize::from(digits));
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_zero_has_no_sign() {
        let number = |value, digits| shown(&Cell::Number { value, digits });
        assert_eq!(number(0.78571, 3), "0.786");
        assert_eq!(number(-0.78571, 3), "-0.786");
        assert_eq!(number(-0.0004, 3), "0.000");
        assert_eq!(number(-0.0, 0), "0");
        assert_eq!(number(-10.04, 1), "-10.0");
    }

    /// No form prints a p-value as 0, and no form takes the sign `<` for markup. CSV holds the
    /// p-value in full.
    #[test]
    fn p_values_in_every_form() {
        let table = Table {
            columns: ["p", "p"].map(str::to_owned).to_vec(),
            label_columns: 0,
            rows: vec![vec![Cell::PValue(3e-9), Cell::PValue(0.03312)]],
            ..crate::samples::empty()
        };
        let row = |text: String, start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        assert_eq!(row(crate::latex(&table), "    $"), r"    $<$ 0.0001 & 0.0331 \\");
        assert!(crate::markdown(&table).contains(r"\< 0.0001 | 0.0331 |"), "{}", crate::markdown(&table));
        assert!(crate::csv(&table).ends_with("\n0.000000003,0.03312\n"), "{}", crate::csv(&table));
        let page = {
            let report = crate::Report { tables: vec![table], ..crate::Report::default() };
            crate::html::page(&report, None, &crate::Templates::default()).unwrap()
        };
        assert!(page.contains("data-v=\"0.000000003\">&lt; 0.0001</td>"), "{page}");
    }

    #[test]
    fn a_label_cannot_break_the_line_or_send_escape_codes() {
        assert_eq!(shown(&Cell::text("a\r\nb\u{1b}[31m\u{202e}c")), "a  b [31m c");
    }
}
