//! Standard output. A reader that goes away (`fivefold measures | head`) ends the output quietly; any other failure to
//! write is told once, at the end.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};

use serde::Serialize;

/// Where a command's results go.
pub(crate) struct Screen {
    out: BufWriter<Stdout>,
    failure: Option<io::Error>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        Screen { out: BufWriter::new(io::stdout()), failure: None }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Display) {
        if self.failure.is_none() {
            self.failure = writeln!(self.out, "{text}").err();
        }
    }

    /// Writes a text that ends its own lines.
    pub(crate) fn text(&mut self, text: impl Display) {
        if self.failure.is_none() {
            self.failure = write!(self.out, "{text}").err();
        }
    }

    /// Writes a value as indented JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> miette::Result<()> {
        self.line(serde_json::to_string_pretty(value).map_err(crate::problem::report)?);
        Ok(())
    }

    /// Writes rows of cells in columns: aligned, and on a terminal wrapped at its width. `head` may be empty.
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
        table.column_iter_mut().take(1).for_each(|column| {
            column.set_padding((0, 1));
        });
        self.line(table.trim_fmt());
    }

    /// Ends the output.
    ///
    /// # Errors
    /// The first failure to write, unless it was only that nobody reads on.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let result = match self.failure.take() {
            None => self.out.flush(),
            Some(error) => Err(error),
        };
        // What is still in the buffer after a failure must not be tried again when it is dropped.
        let _ = self.out.into_parts();
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}
