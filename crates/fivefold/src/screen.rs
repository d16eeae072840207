//! Standard output and standard error. A reader that goes away (`fivefold measures | head`) ends
//! the output quietly; any other failure to write is told once, at the end.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use fivefold_analysis::Table;
use fivefold_base::printable::printable;
use fivefold_report::{Overview, Style};
use serde::Serialize;

/// Writes a line to standard error. If that fails there is nobody left to tell.
pub(crate) fn tell(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&text.to_string()));
}

/// Writes an error or a warning as it is drawn; see `problem`.
pub(crate) fn tell_report(report: &miette::Report) {
    let _ = writeln!(io::stderr(), "{report:?}");
}

/// Where a command's results go.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    style: Style,
    failure: Option<io::Error>,
}

impl Screen {
    /// Standard output with or without colours; `None`: as its reader takes them.
    pub(crate) fn new(colour: Option<bool>) -> Self {
        let mut style = Style::of_stdout();
        style.color = colour.unwrap_or(style.color);
        Screen { out: BufWriter::new(io::stdout()), style, failure: None }
    }

    /// The colours and the width of what is printed.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Writes a line. Names and values from files cannot act on the terminal.
    pub(crate) fn line(&mut self, text: impl Display) {
        self.write(|out| writeln!(out, "{}", printable(&text.to_string())));
    }

    /// Writes a text that ends its own lines.
    pub(crate) fn text(&mut self, text: impl Display) {
        self.write(|out| write!(out, "{text}"));
    }

    /// Writes a text as [`text`](Self::text) does, given as its bytes.
    pub(crate) fn bytes(&mut self, text: &[u8]) {
        self.write(|out| out.write_all(text));
    }

    /// Writes a value as indented JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> miette::Result<()> {
        // Has escapes of its own.
        self.text(serde_json::to_string_pretty(value).map_err(crate::problem::report)? + "\n");
        Ok(())
    }

    /// Writes tables for the eye.
    pub(crate) fn tables(&mut self, tables: &[Table]) {
        let style = self.style;
        self.write(|out| fivefold_report::print_tables(tables, out, style));
    }

    /// Writes the overview of compared systems.
    pub(crate) fn overview(&mut self, overview: &Overview) {
        self.text(overview.text(self.style));
    }

    /// Writes rows of cells in columns: aligned, and on a terminal wrapped at its width. `head` may
    /// be empty.
    pub(crate) fn columns(&mut self, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        if !head.is_empty() {
            table.set_header(head.iter().copied());
        }
        table.add_rows(rows);
        if io::stdout().is_terminal() {
            table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
        }
        // Cells have a blank on both sides; the first column starts at the margin.
        if let Some(first) = table.column_mut(0) {
            first.set_padding((0, 1));
        }
        self.line(table.trim_fmt());
    }

    /// Sends on what was written so far, before a command that takes long.
    pub(crate) fn flush(&mut self) {
        self.write(|out| out.flush());
    }

    /// Ends the output.
    ///
    /// # Errors
    /// The first failure to write, unless it was only that nobody reads on.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush();
        // After a failure, what is left in the buffer must not be tried again when it is dropped.
        let _ = self.out.into_parts();
        match self.failure {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut BufWriter<Stdout>) -> io::Result<()>) {
        if self.failure.is_none() {
            self.failure = write(&mut self.out).err();
        }
    }
}
