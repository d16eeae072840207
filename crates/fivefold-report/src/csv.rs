//! Writes tables as CSV (RFC 4180), for programs and spreadsheets.
//!
//! The title and the notes come first, as lines that begin with `# `, so a number never travels
//! without its conventions. A reader can skip these lines (`comment="#"` in pandas,
//! `comment_prefix="#"` in polars). A cell that holds `#` is quoted, so such a reader does not cut
//! it.
//!
//! Numbers are written in full and parse back to the same f64. A text that a spreadsheet would run
//! as a formula gets a leading apostrophe. Spreadsheets take a text for a formula if it begins with
//! `=`, `+`, `-`, `@`, a tab or a line break, and is not a number. Characters that act on a
//! terminal become blanks.

use fivefold_analysis::{Cell, Table};
use fivefold_base::printable::{acts, no_formula, one_line};

/// The table as CSV, notes included.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
/// use fivefold_report::csv;
///
/// let rows = vec![vec![Cell::text("A"), Cell::number(0.512_34, 3)]];
/// let text = csv(&Table::new("means", "Means", ["system", "nDCG@10"], 1).with_rows(rows));
/// assert!(text.ends_with("system,nDCG@10\nA,0.51234\n"), "{text}");
/// ```
pub fn csv(table: &Table) -> String {
    let mut out = comments(&table.title, &table.notes);
    push_record(&mut out, table.columns.iter().map(|head| text_field(head)));
    for row in &table.rows {
        push_record(&mut out, row.iter().map(field));
    }
    out
}

/// The title and the notes as comment lines.
pub(crate) fn comments(title: &str, notes: &[String]) -> String {
    let lines = std::iter::once(title).chain(notes.iter().map(String::as_str));
    lines.map(|line| format!("# {}\n", one_line(line))).collect()
}

/// Appends one record.
pub(crate) fn push_record(out: &mut String, fields: impl Iterator<Item = String>) {
    out.push_str(&fields.collect::<Vec<_>>().join(","));
    out.push('\n');
}

/// Returns a text as a field: protected from formulas, then quoted where CSV needs it.
pub(crate) fn text_field(text: &str) -> String {
    let plain = |c| if acts(c) && !matches!(c, '\t' | '\r' | '\n') { ' ' } else { c };
    let shown: String = text.chars().map(plain).collect();
    let guarded = no_formula(&shown);
    if guarded.contains([',', '"', '\n', '\r', '#']) || guarded.trim() != guarded {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded.into_owned()
    }
}

fn field(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::Missing(text) => text_field(text),
        Cell::Number { value, .. } | Cell::PValue(value) => value.to_string(),
        Cell::Count(count) => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// Reads the text back with an independent reader that skips comments.
    fn read(text: &str) -> Vec<Vec<String>> {
        let mut reader =
            ::csv::ReaderBuilder::new().has_headers(false).comment(Some(b'#')).from_reader(text.as_bytes());
        reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn golden() {
        insta::assert_snapshot!(csv(&samples::every_cell()));
        insta::assert_snapshot!(csv(&samples::empty()));
    }

    #[test]
    fn labels_read_back_and_numbers_keep_every_bit() {
        let table = samples::every_cell();
        let read = read(&csv(&table));
        assert_eq!(read.len(), 1 + table.rows.len());
        for (row, cells) in read[1..].iter().zip(&table.rows) {
            for (text, cell) in row.iter().zip(cells) {
                match cell {
                    Cell::Text(label) | Cell::Missing(label) => assert_eq!(text.trim_start_matches('\''), label),
                    Cell::Number { value, .. } | Cell::PValue(value) => {
                        assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
                    }
                    Cell::Count(count) => assert_eq!(text, &count.to_string()),
                }
            }
        }
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_guarded() {
        for text in ["=1+1", "@SUM(A1)", "@10", "\t=1", "\r=1"] {
            assert_eq!(read(&(text_field(text) + "\n")), [[format!("'{text}")]]);
        }
        assert_eq!(read(&(text_field("a\u{1b}[2J\u{202e}\nb") + "\n")), [["a [2J \nb"]]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_one_field(text in r#"[a-z=+#,"'\n\r\t -]{0,8}"#) {
            let record = format!("{},x\n", text_field(&text));
            let fields = read(&record).remove(0);
            proptest::prop_assert_eq!(fields.len(), 2);
            // A guard before a guarded text, so that both read back.
            let bare = text.trim_start_matches('\'');
            let risky = bare.starts_with(['=', '+', '-', '\t', '\r', '\n']) && bare.parse::<f64>().is_err();
            let expected = if risky { format!("'{text}") } else { text };
            proptest::prop_assert_eq!(&fields[0], &expected);
        }
    }

    #[test]
    fn a_note_of_two_lines_stays_a_comment() {
        assert_eq!(comments("t", &["a\nb".into()]), "# t\n# a b\n");
    }
}
