//! Writes tables as Markdown (the pipe tables of GitHub Flavored Markdown). Cells are padded, so
//! the source reads well too.

use fivefold_analysis::table::Mark;
use fivefold_analysis::{Cell, Table};
use fivefold_base::printable::one_line;

use crate::cell::{is_words, notes_with_marks, shown};

/// The table as Markdown: a heading, the table, the notes as a list. The best means are bold, and a
/// sign follows other marked numbers.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
/// use fivefold_report::markdown;
///
/// let rows = vec![vec![Cell::text("A"), Cell::number(0.512_34, 3)]];
/// let text = markdown(&Table::new("means", "Means", ["system", "nDCG@10"], 1).with_rows(rows));
/// assert!(text.contains("|   0.512 |"), "{text}");
/// ```
pub fn markdown(table: &Table) -> String {
    let heads = table.columns.iter().map(|head| escape(head)).collect::<Vec<_>>();
    let with_mark = |row: usize, column: usize, cell: &Cell| match table.mark(row, column).map(Mark::sign) {
        None => cell_text(cell),
        Some(None) => format!("**{}**", cell_text(cell)),
        Some(Some(sign)) => format!("{} {sign}", cell_text(cell)),
    };
    let row = |(at, row): (usize, &Vec<Cell>)| {
        row.iter().enumerate().map(|(column, cell)| with_mark(at, column, cell)).collect::<Vec<_>>()
    };
    let rows = table.rows.iter().enumerate().map(row).collect::<Vec<_>>();
    let widths = (0..heads.len()).map(|column| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.chain([&heads[column]]).map(|text| text.chars().count()).max().unwrap_or(0).max(3)
    });
    let widths = widths.collect::<Vec<_>>();
    let words = (0..heads.len()).map(|column| is_words(table, column)).collect::<Vec<_>>();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (text, &width))| {
            if words[column] { format!(" {text:<width$} |") } else { format!(" {text:>width$} |") }
        });
        format!("|{}\n", padded.collect::<String>())
    };

    let mut out = format!("## {}\n\n", escape(&table.title));
    out += &line(&heads);
    let rules = widths.iter().enumerate().map(|(column, &width)| {
        if words[column] { format!(" {:-<width$} |", "") } else { format!(" {:->width$} |", ":") }
    });
    out += &format!("|{}\n", rules.collect::<String>());
    rows.iter().for_each(|row| out += &line(row));
    out + &notes(&notes_with_marks(table))
}

/// The notes as a list, with a blank line before the list. Empty if there are no notes.
pub(crate) fn notes(notes: &[String]) -> String {
    let list = markdown_list(notes);
    if list.is_empty() { list } else { format!("\n{list}") }
}

/// Lines of text as a list.
pub fn markdown_list(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}\n", escape(item))).collect()
}

/// Escapes a text so that Markdown reads no markup in it. A backslash precedes all punctuation that
/// may be markup anywhere in a line. At the start, it also precedes the mark of a list or a quote.
pub(crate) fn escape(text: &str) -> String {
    let line = one_line(text);
    let mut out = String::with_capacity(line.len());
    for (at, c) in line.chars().enumerate() {
        let special = r"\`*_[]<>|#~$&".contains(c) || at == 0 && "-+".contains(c);
        if special {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text of a cell. Numbers need no escape, because their minus is not at the start of a line.
fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Number { .. } | Cell::Count(_) => shown(cell),
        Cell::PValue(_) | Cell::Text(_) | Cell::Missing(_) => escape(&shown(cell)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn golden() {
        insta::assert_snapshot!(markdown(&samples::every_cell()));
        insta::assert_snapshot!(markdown(&samples::empty()));
    }

    #[test]
    fn every_line_of_the_table_has_the_same_columns() {
        let table = samples::every_cell();
        let text = markdown(&table);
        let lines = text.lines().filter(|line| line.starts_with('|')).collect::<Vec<_>>();
        assert_eq!(lines.len(), 2 + table.rows.len());
        for line in lines {
            let bars = line.replace(r"\|", "").matches('|').count();
            assert_eq!(bars, table.columns.len() + 1, "{line}");
        }
    }

    #[test]
    fn markup_in_labels_is_text() {
        assert_eq!(escape("a|b_c*<i>`$x"), r"a\|b\_c\*\<i\>\`\$x");
        assert_eq!(escape("- a-b"), r"\- a-b");
    }
}
