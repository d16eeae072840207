//! Writes tables as LaTeX: a `table` float with caption, label, a `tabular` ruled by booktabs, and
//! the notes under it. A table that is too long for a page becomes a `longtable`, which continues
//! on the next page.
//!
//! A file is read by `\input` and compiles under pdflatex, xelatex and lualatex. Every file needs
//! `booktabs`. A wide table is scaled to the line and needs `graphicx`; a long table needs
//! `longtable`. The first line of the file names the packages.
//!
//! Accented Latin letters and Greek letters in names compile everywhere. If a name has other
//! letters, the first line says that pdflatex lacks them. The document numbers its tables itself,
//! so the caption leaves out `Table 3:`.

use std::collections::BTreeSet;

use fivefold_analysis::table::Mark;
use fivefold_analysis::{Cell, Table};
use fivefold_base::printable::one_line;

use crate::cell::{is_words, notes_with_marks, shown};

/// The characters of a line of `article`, with two added for each column. A wider table is scaled
/// to the line.
const WIDE: usize = 66;
/// The rows of full height that fit on a page with the notes of the table.
const LONG: usize = 30;
/// Sizes of type, and the characters of each size that fit on a line, with two added for each
/// column. A long table uses the largest size that fits.
const SIZES: [(&str, usize); 4] = [("normalsize", WIDE), ("footnotesize", 80), ("scriptsize", 92), ("tiny", TINY)];
const TINY: usize = 108;
/// The fewest characters of a column of words, with two for the gap.
const LEAST_WORDS: usize = 10;
/// The last letter of Latin Extended-A, the characters beyond it that pdflatex has, and the
/// characters up to it that pdflatex lacks (in its own font encoding, OT1).
const LATIN: char = '\u{17f}';
const BEYOND: &str = "–—‘’“”…•†‡‰€™";
const LACKING: &str = "«»ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ";
/// The command that begins a wrapped cell.
const RAGGED: &str = "\\raggedright ";

/// The table as LaTeX. The best means are bold, and a raised sign follows other marked numbers. A
/// sign takes no width, so that digits stay aligned.
///
/// ```
/// use fivefold_analysis::{Cell, Table};
/// use fivefold_report::latex;
///
/// let rows = vec![vec![Cell::text("A & B"), Cell::number(0.512_34, 3)]];
/// let text = latex(&Table::new("means", "Means", ["system", "nDCG@10"], 1).with_rows(rows));
/// assert!(text.contains("A \\& B & 0.512"), "{text}");
/// ```
pub fn latex(table: &Table) -> String {
    let rows = table.rows.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>()).collect::<Vec<_>>();
    let width = (0..table.columns.len()).map(|column| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        2 + cells.chain([&table.columns[column]]).map(|text| text.chars().count()).max().unwrap_or(0)
    });
    let widths = width.collect::<Vec<_>>();
    let width = widths.iter().sum::<usize>();
    // A wide table becomes lower, too, by being scaled.
    if table.rows.len() * WIDE > LONG * width.max(WIDE) { long(table, &widths) } else { float(table, width) }
}

/// A table that fits on a page, as a float.
fn float(table: &Table, width: usize) -> String {
    let (package, open, close) = if width > WIDE {
        (
            "\\usepackage{booktabs,graphicx}",
            "  \\setlength{\\tabcolsep}{3pt}\n  \\resizebox{\\linewidth}{!}{%\n",
            "  }\n",
        )
    } else {
        ("\\usepackage{booktabs}", "", "")
    };
    let mut out = "\\begin{table}[htbp]\n  \\centering\n".to_owned();
    out += &format!("  {}\n  {}\n", caption(table), label(table));
    out += &format!("{open}  \\begin{{tabular}}{{{}}}\n    \\toprule\n{}", columns(table, &[]), head(table, &[]));
    for (at, row) in table.rows.iter().enumerate() {
        out += &record(row.iter().enumerate().map(|(column, cell)| marked_cell(cell, table.mark(at, column))));
    }
    out += &format!("    \\bottomrule\n  \\end{{tabular}}\n{close}");
    if !notes_with_marks(table).is_empty() {
        out += &format!("\n  \\smallskip\n{}", notes(table));
    }
    out += "\\end{table}\n";
    needs(package, &out) + &out
}

/// A table over several pages. Its columns cannot be scaled, unlike the columns of a float. If the
/// table is too wide even in the smallest type, words are wrapped.
fn long(table: &Table, widths: &[usize]) -> String {
    let width = widths.iter().sum::<usize>();
    let size = SIZES.iter().find(|(_, characters)| width <= *characters).map_or("tiny", |(size, _)| size);
    let wrapped = if width > TINY { wrapped(table, widths) } else { Vec::new() };
    let (columns, head) = (columns(table, &wrapped), head(table, &wrapped));
    let mut out = format!("{{\n  \\{size}\n  \\setlength{{\\tabcolsep}}{{2pt}}\n  \\begin{{longtable}}{{{columns}}}\n");
    out += &format!("    {}\n    {} \\\\\n", caption(table), label(table));
    out += &format!("    \\toprule\n{head}    \\endfirsthead\n");
    out += &format!("    \\toprule\n{head}    \\endhead\n    \\bottomrule\n    \\endfoot\n");
    for (at, row) in table.rows.iter().enumerate() {
        let cells = row.iter().enumerate().map(|(column, cell)| match limit(&wrapped, column) {
            Some(characters) => paragraph(&shown(cell), characters),
            None => marked_cell(cell, table.mark(at, column)),
        });
        out += &record(cells);
    }
    out += "  \\end{longtable}\n}\n";
    if !notes_with_marks(table).is_empty() {
        out += &format!("\\noindent\n{}", notes(table));
    }
    needs("\\usepackage{booktabs,longtable}", &out) + &out
}

/// The first line of a file: the packages it needs, and a typesetter that has its letters.
fn needs(packages: &str, text: &str) -> String {
    let lacks = |&c: &char| if c > LATIN { !BEYOND.contains(c) } else { LACKING.contains(c) };
    let letters: BTreeSet<char> = text.chars().filter(lacks).collect();
    let typesetter = match letters.len() {
        0 => String::new(),
        _ => format!("; and xelatex or lualatex, with a font that has {}", letters.iter().collect::<String>()),
    };
    format!("% Needs {packages} in the preamble{typesetter}.\n")
}

/// The characters of each column of words that does not fit on the line. These columns share the
/// room that the other columns leave evenly.
fn wrapped(table: &Table, widths: &[usize]) -> Vec<Option<usize>> {
    let (mut words, figures): (Vec<_>, Vec<_>) = (0..widths.len()).partition(|&column| is_words(table, column));
    words.sort_by_key(|&column| widths[column]);
    let mut room = TINY.saturating_sub(figures.into_iter().map(|column| widths[column]).sum());
    let mut wrapped = vec![None; widths.len()];
    for (done, &column) in words.iter().enumerate() {
        let share = (room / (words.len() - done)).max(LEAST_WORDS);
        wrapped[column] = (widths[column] > share).then(|| share - 2);
        room = room.saturating_sub(share.min(widths[column]));
    }
    wrapped
}

/// The characters of a wrapped column. `None` if the column is not wrapped.
fn limit(wrapped: &[Option<usize>], column: usize) -> Option<usize> {
    wrapped.get(column).copied().flatten()
}

fn columns(table: &Table, wrapped: &[Option<usize>]) -> String {
    let column = |column| match limit(wrapped, column) {
        Some(characters) => format!("p{{{:.3}\\linewidth}}", characters as f64 / TINY as f64),
        None => if is_words(table, column) { "l" } else { "r" }.to_owned(),
    };
    (0..table.columns.len()).map(column).collect()
}

/// The heads of the columns, with the rule under them.
fn head(table: &Table, wrapped: &[Option<usize>]) -> String {
    let cell = |(column, head): (usize, &String)| match limit(wrapped, column) {
        Some(characters) => paragraph(head, characters),
        None => escape(head),
    };
    record(table.columns.iter().enumerate().map(cell)) + "    \\midrule\n"
}

/// A text in a column of this number of characters. Capitals are half as wide again as other
/// letters. So a word that could be too wide may break after every fourth letter.
fn paragraph(text: &str, characters: usize) -> String {
    let word = |word: &str| {
        let letters = word.chars().collect::<Vec<_>>();
        let parts = letters.chunks(if letters.len() * 3 > characters * 2 { 4 } else { letters.len().max(1) });
        parts.map(|part| escape(&part.iter().collect::<String>())).collect::<Vec<_>>().join("\\allowbreak{}")
    };
    format!("{RAGGED}{}", one_line(text).split(' ').map(word).collect::<Vec<_>>().join(" "))
}

fn caption(table: &Table) -> String {
    let numbered = table.title.strip_prefix("Table ").and_then(|rest| rest.split_once(": "));
    let title = numbered.filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit())).map(|(_, title)| title);
    format!("\\caption{{{}}}", escape(title.unwrap_or(&table.title)))
}

fn label(table: &Table) -> String {
    format!("\\label{{tab:{}}}", table.id)
}

fn notes(table: &Table) -> String {
    let notes = notes_with_marks(table).iter().map(|note| escape(note)).collect::<Vec<_>>().join("\\par\n    ");
    format!("  \\begin{{minipage}}{{\\linewidth}}\\footnotesize\n    {notes}\n  \\end{{minipage}}\n")
}

fn record(cells: impl Iterator<Item = String>) -> String {
    let cells = cells.collect::<Vec<_>>();
    // In a ragged cell `\\` would end a line of it.
    let ragged = cells.last().is_some_and(|cell| cell.starts_with(RAGGED));
    format!("    {} {}\n", cells.join(" & "), if ragged { "\\tabularnewline" } else { "\\\\" })
}

fn marked_cell(cell: &Cell, mark: Option<Mark>) -> String {
    match mark.map(Mark::sign) {
        None => cell_text(cell),
        Some(None) => format!("\\textbf{{{}}}", cell_text(cell)),
        Some(Some(sign)) => format!("{}\\rlap{{$^{{{sign}}}$}}", cell_text(cell)),
    }
}

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Number { .. } => shown(cell).replace('-', "$-$"),
        Cell::PValue(_) => shown(cell).replace('<', "$<$"),
        _ => escape(&shown(cell)),
    }
}

/// Escapes a text so that LaTeX reads no command in it. Brackets and stars are wrapped: at the
/// start of a row they would be read as an argument of the `\\` before the row. Runs of hyphens do
/// not become dashes, and `?` followed by a backtick does not become another sign.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if let Some((_, command)) = COMMANDS.iter().find(|(from, _)| *from == c) {
            out += command;
        } else if "{}$&#_%".contains(c) {
            out.extend(['\\', c]);
        } else if "[]*`".contains(c) || c == '-' && out.ends_with('-') {
            out.extend(['{', c, '}']);
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that need a command: special characters, and signs in titles and notes that pdflatex
/// lacks.
const COMMANDS: &[(char, &str)] = &[
    ('\\', "\\textbackslash{}"),
    ('~', "\\textasciitilde{}"),
    ('^', "\\textasciicircum{}"),
    ('<', "\\textless{}"),
    ('>', "\\textgreater{}"),
    ('|', "\\textbar{}"),
    ('"', "''"),
    ('\u{2212}', "$-$"),
    ('×', "$\\times$"),
    ('±', "$\\pm$"),
    ('≤', "$\\leq$"),
    ('≥', "$\\geq$"),
    ('≠', "$\\neq$"),
    ('α', "$\\alpha$"),
    ('β', "$\\beta$"),
    ('γ', "$\\gamma$"),
    ('δ', "$\\delta$"),
    ('ε', "$\\varepsilon$"),
    ('ζ', "$\\zeta$"),
    ('η', "$\\eta$"),
    ('θ', "$\\theta$"),
    ('ι', "$\\iota$"),
    ('κ', "$\\kappa$"),
    ('λ', "$\\lambda$"),
    ('μ', "$\\mu$"),
    ('ν', "$\\nu$"),
    ('ξ', "$\\xi$"),
    ('π', "$\\pi$"),
    ('ρ', "$\\rho$"),
    ('σ', "$\\sigma$"),
    ('τ', "$\\tau$"),
    ('υ', "$\\upsilon$"),
    ('φ', "$\\varphi$"),
    ('χ', "$\\chi$"),
    ('ψ', "$\\psi$"),
    ('ω', "$\\omega$"),
    ('Γ', "$\\Gamma$"),
    ('Δ', "$\\Delta$"),
    ('Θ', "$\\Theta$"),
    ('Λ', "$\\Lambda$"),
    ('Ξ', "$\\Xi$"),
    ('Π', "$\\Pi$"),
    ('Σ', "$\\Sigma$"),
    ('Φ', "$\\Phi$"),
    ('Ψ', "$\\Psi$"),
    ('Ω', "$\\Omega$"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn golden() {
        insta::assert_snapshot!(latex(&samples::every_cell()));
        insta::assert_snapshot!(latex(&samples::empty()));
        insta::assert_snapshot!(latex(&samples::wide()).lines().take(8).collect::<Vec<_>>().join("\n"));
        insta::assert_snapshot!(latex(&samples::long()));
        insta::assert_snapshot!(latex(&long_and_wide()).lines().take(18).collect::<Vec<_>>().join("\n"));
    }

    /// A table that is too wide for a line in any size of type. The last column is too wide as
    /// well.
    fn long_and_wide() -> Table {
        let mut table = samples::long();
        table.rows = [table.rows.clone(), table.rows.clone(), table.rows].concat();
        table.columns = ["query", "count", "what is said of it", "measure", "who"].map(str::to_owned).to_vec();
        for (number, row) in table.rows.iter_mut().enumerate() {
            row.push(Cell::text("a remark of several words that goes on for longer than half a line"));
            row.push(Cell::text("ndcg@10"));
            row.push(Cell::Text(format!("BM25_WITHOUT_ANY_BLANKS_THAT_GOES_ON_AND_ON_{number}")));
        }
        table
    }

    /// Checks that every environment and brace that opens also closes, in order. Comments and
    /// escaped characters do not count.
    #[test]
    fn environments_and_braces_are_balanced() {
        for table in [samples::every_cell(), samples::empty(), samples::wide(), samples::long(), long_and_wide()] {
            let text = latex(&table);
            let mut open = Vec::new();
            for line in text.lines().filter(|line| !line.starts_with('%')) {
                for command in line.split('\\').skip(1) {
                    let name = command.split(['{', '}']).nth(1).unwrap_or_default();
                    if command.starts_with("begin{") {
                        open.push(name);
                    } else if command.starts_with("end{") {
                        assert_eq!(open.pop(), Some(name));
                    }
                }
            }
            assert!(open.is_empty());
            let bare = text.replace("\\\\", "").replace("\\{", "").replace("\\}", "");
            let depth = bare.chars().try_fold(0_usize, |depth, c| match c {
                '{' => Some(depth + 1),
                '}' => depth.checked_sub(1),
                _ => Some(depth),
            });
            assert_eq!(depth, Some(0));
        }
    }

    #[test]
    fn every_row_has_one_separator_less_than_columns() {
        let table = samples::every_cell();
        let text = latex(&table);
        let rows = text.lines().filter(|line| line.ends_with("\\\\")).collect::<Vec<_>>();
        assert_eq!(rows.len(), 1 + table.rows.len());
        for row in rows {
            assert_eq!(row.replace("\\&", "").matches('&').count(), table.columns.len() - 1, "{row}");
        }
    }

    #[test]
    fn specials_are_text() {
        assert_eq!(
            escape(r"50% & $x_1^2$ #{~}\"),
            r"50\% \& \$x\_1\textasciicircum{}2\$ \#\{\textasciitilde{}\}\textbackslash{}"
        );
        assert_eq!(escape("[a]*--"), "{[}a{]}{*}-{-}");
        assert_eq!(escape("τ ≥ 0"), "$\\tau$ $\\geq$ 0");
    }

    #[test]
    fn letters_that_pdflatex_lacks_are_named() {
        let named = |name: &str| {
            let rows = vec![vec![Cell::text(name); samples::long().columns.len()]];
            latex(&Table { rows, ..samples::long() }).lines().next().unwrap().to_owned()
        };
        for name in ["plain", "Čapek–Ångström", "β-model"] {
            assert!(named(name).ends_with("in the preamble."), "{}", named(name));
        }
        assert!(
            named("Я-模型").ends_with("; and xelatex or lualatex, with a font that has Я型模."),
            "{}",
            named("Я-模型")
        );
    }
}
