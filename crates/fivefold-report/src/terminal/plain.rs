//! Tables of printable ASCII without colour that need no wrapping: the usual case where a program or a
//! file takes the output.
//!
//! The text is that of comfy_table, which takes as long for a small table as `eval` takes for a run.

use fivefold_analysis::Table;

use super::{GAP, Style, is_crowded};
use crate::cell::{is_words, one_line, shown};

/// The texts of a table's heads and cells.
pub(super) struct Plain {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Plain {
    /// `None` if the table needs comfy_table.
    pub(super) fn of(table: &Table, style: Style) -> Option<Self> {
        let heads: Vec<String> = table.columns.iter().map(|head| one_line(head)).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
        let is_plain = |text: &String| text.len() < usize::from(u16::MAX / 2) && text.bytes().all(|byte| byte < 128);
        let fits = |row: &Vec<String>| row.len() == heads.len() && row.iter().all(is_plain);
        let plain = !style.color && !rows.is_empty() && heads.iter().all(is_plain) && rows.iter().all(fits);
        plain.then_some(Plain { heads, rows })
    }

    /// As [`column_widths`](super::column_widths).
    pub(super) fn column_widths(&self) -> Vec<u16> {
        let head = |column: usize| self.heads[column].split(' ').map(str::len).max().unwrap_or(0);
        (0..self.heads.len()).map(|column| self.cells(column).max(head(column)) as u16 + GAP).collect()
    }

    /// The length of the longest cell; a column of empty cells has a blank.
    fn cells(&self, column: usize) -> usize {
        self.rows.iter().map(|row| row[column].len()).max().unwrap_or(0).max(1)
    }

    /// The lines of a block of columns; `None` if it needs comfy_table.
    pub(super) fn block(&self, table: &Table, widths: &[u16], columns: &[usize], style: Style) -> Option<String> {
        let full: Vec<usize> = columns.iter().map(|&column| usize::from(widths[column] - GAP)).collect();
        let length = full.iter().map(|width| width + usize::from(GAP)).sum::<usize>().checked_sub(1)?;
        let has_room = length <= usize::from(style.width) || is_crowded(table, widths, columns, style);
        let is_on_one_line = |(&column, width): (&usize, &usize)| self.heads[column].len() <= *width;
        if !has_room || !columns.iter().zip(&full).all(is_on_one_line) {
            return None;
        }
        let rule = "─".repeat(length) + "\n";
        let mut text = rule.clone();
        self.write(table, &self.heads, columns, &full, &mut text);
        text += &rule;
        self.rows.iter().for_each(|row| self.write(table, row, columns, &full, &mut text));
        Some(text + &rule)
    }

    /// Writes a line of cells.
    fn write(&self, table: &Table, cells: &[String], columns: &[usize], full: &[usize], text: &mut String) {
        for (&column, &width) in columns.iter().zip(full) {
            let (cell, room) = (&cells[column], " ".repeat(width - cells[column].len()));
            let both = if is_words(table, column) { [cell, &room] } else { [&room, cell] };
            both.into_iter().for_each(|part| *text += part);
            *text += "  ";
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use fivefold_analysis::Cell;

    use super::super::{block, column_widths_by_comfy};
    use super::*;

    #[test]
    fn the_text_is_that_of_comfy_table() {
        let mut state = 1_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let words = ["", "a", "ndcg@10", "two words", "a-much-longer-label-than-others", " blanks ", "x y z"];
        let (mut plain, mut crowded) = (0, 0);
        for _ in 0..3000 {
            let count = 1 + next(5);
            let heads: Vec<String> = (0..count).map(|_| words[next(words.len())].to_owned()).collect();
            let mut cell = || match next(4) {
                0 => Cell::text(words[next(words.len())]),
                1 => Cell::missing("undefined"),
                2 => Cell::count(next(100_000)),
                _ => Cell::number(next(1000) as f64 / 7.0 - 9.0, 4),
            };
            let rows: Vec<Vec<Cell>> = (0..4).map(|_| (0..count).map(|_| cell()).collect()).collect();
            let rows = rows[..1 + next(4)].to_vec();
            let table = Table::new("name", "title", heads, next(3).min(count)).with_rows(rows);
            let style = Style { color: false, width: 4 + next(70) as u16 };
            let found = Plain::of(&table, style).unwrap();
            let widths = column_widths_by_comfy(&table);
            assert_eq!(found.column_widths(), widths, "{table:?}");
            let columns: Vec<usize> = (0..count).filter(|_| next(5) > 0).collect();
            if let Some(text) = found.block(&table, &widths, &columns, style) {
                let expected = format!("{}\n", block(&table, &widths, &columns, style).trim_fmt());
                assert_eq!(text, expected, "{table:?} {columns:?} {style:?}");
                plain += 1;
                crowded += usize::from(is_crowded(&table, &widths, &columns, style));
            }
        }
        assert!(plain > 500 && crowded > 50, "{plain} {crowded}");
    }
}
