//! Prints tables on the terminal: aligned, and no wider than the terminal.
//!
//! A table that is too wide becomes several blocks of columns. The blocks have about the same
//! number of columns, and each block repeats the row labels. Numbers are never cut or wrapped.
//! Colour is used only if the reader's terminal supports it.

use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use comfy_table::{
    Attribute, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width,
};
use fivefold_analysis::{Cell, Table};
use fivefold_base::printable::one_line;
use fivefold_base::words::wrapped;

use crate::cell::{is_words, shown};

/// Characters of a line if standard output is not a terminal.
const PLAIN_WIDTH: u16 = 100;

/// If a table is too wide, a column of words beside the labels is wrapped beyond this number of
/// characters.
const WORDS_WIDTH: u16 = 40;

/// Rules above the heads, below the heads and below the table, as in a printed paper.
const RULES: TableStyle = TableStyle::new().top_border(RULE).header_separator(RULE).bottom_border(RULE);
const RULE: LineStyle = LineStyle::none().fill('─').junction('─');

/// Blanks between columns: the padding, and a blank in place of a rule between columns.
const GAP: u16 = 2;

/// Escape codes (ECMA-48, select graphic rendition) of titles and notes.
pub(crate) const BOLD: &str = "\x1b[1m";
pub(crate) const DIM: &str = "\x1b[2m";
pub(crate) const RESET: &str = "\x1b[0m";

/// How tables are printed.
///
/// ```
/// use fivefold_report::Style;
///
/// let plain = Style::plain();
/// assert_eq!((plain.color, plain.width), (false, 100));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Style {
    /// Bold titles and heads, dim notes, and colour on cells without a number.
    pub color: bool,
    /// Characters of a line.
    pub width: u16,
}

impl Style {
    /// The style for standard output. On a terminal: as wide as the terminal, and coloured unless
    /// `NO_COLOR` is set. Otherwise: plain text of 100 columns.
    pub fn of_stdout() -> Style {
        if !io::stdout().is_terminal() {
            return Style::plain();
        }
        let color = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Style { color, width: comfy_table::Table::new().width().unwrap_or(PLAIN_WIDTH) }
    }

    /// Plain text of 100 columns.
    pub fn plain() -> Style {
        Style { color: false, width: PLAIN_WIDTH }
    }
}

/// Prints the tables in order, each with its title and notes.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
/// use fivefold_report::{Style, print_tables};
///
/// let rows = vec![vec![Cell::text("A"), Cell::number(0.512_34, 3)]];
/// let table = Table::new("means", "Means", ["system", "nDCG@10"], 1).with_rows(rows);
/// let mut out = Vec::new();
/// print_tables(&[table], &mut out, Style::plain())?;
/// let text = String::from_utf8(out)?;
/// assert!(text.starts_with("Means\n") && text.contains(".512"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `out` cannot be written.
pub fn print_tables(tables: &[Table], out: &mut dyn Write, style: Style) -> io::Result<()> {
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        print_table(table, out, style)?;
    }
    Ok(())
}

fn print_table(table: &Table, out: &mut dyn Write, style: Style) -> io::Result<()> {
    write_lines(out, &table.title, "", BOLD, style)?;
    let widths = column_widths(table);
    for (index, others) in blocks(table, &widths, style.width).into_iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let labels = table.label_columns.min(table.columns.len());
        let columns: Vec<usize> = (0..labels).chain(others).collect();
        writeln!(out, "{}", block(table, &widths, &columns, style).trim_fmt())?;
    }
    if table.rows.is_empty() {
        writeln!(out, "no rows")?;
    }
    table.notes.iter().try_for_each(|note| write_lines(out, note, "  ", DIM, style))
}

/// Writes a title or note, wrapped. If the style has colour, the text has this `attribute` of the
/// terminal.
fn write_lines(out: &mut dyn Write, text: &str, indent: &str, attribute: &str, style: Style) -> io::Result<()> {
    let (on, off) = if style.color { (attribute, RESET) } else { ("", "") };
    wrapped(&one_line(text), indent, style.width).iter().try_for_each(|line| writeln!(out, "{on}{line}{off}"))
}

/// The blocks of columns after the labels. As few blocks as fit, all of the same size but the last.
fn blocks(table: &Table, widths: &[u16], width: u16) -> Vec<Range<usize>> {
    let labels = table.label_columns.min(widths.len());
    let others = widths.len() - labels;
    let total = |range: Range<usize>| widths[range].iter().map(|&width| usize::from(width)).sum::<usize>();
    // Long labels give way to the figures, down to half of the line, and columns of words too; they
    // are wrapped then.
    let room = usize::from(width) - total(0..labels).min(usize::from(width) / 2);
    let least = |column| if is_words(table, column) { widths[column].min(WORDS_WIDTH) } else { widths[column] };
    let fits = |block: &Range<usize>| block.clone().map(|column| usize::from(least(column))).sum::<usize>() <= room;
    let chunks = |size: usize| {
        let starts = (labels..widths.len().max(labels + 1)).step_by(size.max(1));
        starts.map(|start| start..(start + size).min(widths.len())).collect::<Vec<_>>()
    };
    let mut even = (1..=others.max(1)).map(|count| chunks(others.div_ceil(count)));
    even.find(|blocks| blocks.iter().all(fits)).unwrap_or_else(|| chunks(1))
}

/// The width of every column with the gap after it: the widest cell, or the widest word of the
/// head.
fn column_widths(table: &Table) -> Vec<u16> {
    let mut measured = comfy_table::Table::new();
    measured.set_header(table.columns.iter().map(|head| one_line(head).replace(' ', "\n")));
    measured.add_rows(table.rows.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>()));
    measured.column_max_content_widths().into_iter().map(|width| width.saturating_add(GAP)).collect()
}

/// Whether lines are too long however words are wrapped, as where the name of a run is a long path.
fn is_crowded(table: &Table, widths: &[u16], columns: &[usize], style: Style) -> bool {
    let least = |&column: &usize| if is_words(table, column) { 1 + GAP } else { widths[column] };
    columns.iter().map(|column| usize::from(least(column))).sum::<usize>() > usize::from(style.width) + 1
}

/// The label columns and a block of other columns.
fn block(table: &Table, widths: &[u16], columns: &[usize], style: Style) -> comfy_table::Table {
    let mut block = comfy_table::Table::new();
    block.load_style(RULES).set_content_arrangement(ContentArrangement::Dynamic).set_width(style.width);
    if style.color {
        block.enforce_styling();
    } else {
        block.force_no_tty();
    }
    let is_crowded = is_crowded(table, widths, columns, style);
    block.set_header(columns.iter().map(|&column| {
        let head = comfy_table::Cell::new(one_line(&table.columns[column]));
        if style.color { head.add_attribute(Attribute::Bold) } else { head }
    }));
    for row in &table.rows {
        block.add_row(columns.iter().filter_map(|&column| row.get(column)).map(|cell| paint(cell, style)));
    }
    for (column, &source) in block.column_iter_mut().zip(columns) {
        column.set_padding((0, 1));
        if !is_words(table, source) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        // Words that are cut into letters would help nobody.
        if !is_words(table, source) || is_crowded {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(widths[source] - 1)));
        }
    }
    block
}

fn paint(cell: &Cell, style: Style) -> comfy_table::Cell {
    let painted = comfy_table::Cell::new(shown(cell));
    match cell {
        Cell::Missing(word) if style.color && word == "FAILED" => painted.fg(Color::Red).add_attribute(Attribute::Bold),
        Cell::Missing(_) if style.color => painted.fg(Color::Yellow),
        _ => painted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn printed(table: &Table, style: Style) -> String {
        let mut out = Vec::new();
        print_tables(std::slice::from_ref(table), &mut out, style).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn golden() {
        insta::assert_snapshot!(printed(&samples::every_cell(), Style::plain()));
        insta::assert_snapshot!(printed(&samples::empty(), Style::plain()));
        insta::assert_snapshot!(printed(&samples::wide(), Style::plain()));
        insta::assert_snapshot!(printed(&samples::every_cell(), Style { color: false, width: 40 }));
        insta::assert_snapshot!(
            printed(&samples::every_cell(), Style { color: true, width: 100 }).replace('\x1b', "^")
        );
    }

    #[test]
    fn a_column_of_words_is_wrapped_and_left_aligned() {
        let mut table = samples::every_cell();
        let remark = "conflicts are at least the difference of the two discriminative powers, and of equal parity";
        table.columns.push("remark".into());
        table.rows.iter_mut().for_each(|row| row.push(Cell::text(remark)));
        insta::assert_snapshot!(printed(&table, Style::plain()));
    }

    #[test]
    fn a_table_of_labels_alone_is_shown_once() {
        let mut table = samples::every_cell();
        table.columns.truncate(2);
        table.rows.iter_mut().for_each(|row| row.truncate(2));
        assert_eq!(printed(&table, Style::plain()).matches("LMART").count(), 1);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_number_is_broken() {
        let mut table = samples::wide();
        table.rows[0][0] = Cell::text("a-label-of-one-word-that-is-longer-than-some-terminals-are-wide");
        for width in [30, 40, 60, 80, 100, 200] {
            let text = printed(&table, Style { color: false, width });
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{widest} at {width}:\n{text}");
            for cell in table.rows.iter().flatten().filter(|cell| matches!(cell, Cell::Number { .. })) {
                assert!(text.split_whitespace().any(|word| word == shown(cell)), "{cell:?} at {width}");
            }
        }
    }

    #[test]
    fn beside_a_name_that_no_line_can_hold_labels_stay_whole() {
        let heads = vec!["measure".to_owned(), "runs/".repeat(10)];
        let rows = vec![vec![Cell::text("ndcg@10"), Cell::number(0.5, 4)]];
        let table = Table::new("name", "title", heads, 1).with_rows(rows);
        let text = printed(&table, Style { color: false, width: 30 });
        assert!(text.contains("ndcg@10") && text.contains("measure"), "{text}");
    }

    #[test]
    fn plain_text_has_no_escape_codes() {
        assert!(!printed(&samples::every_cell(), Style::plain()).contains('\x1b'));
    }
}
