//! The forms in which tables can be printed.

use fivefold_analysis::Table;

use crate::screen::Screen;

/// Group of the arguments of commands that write each table into a results folder in every form.
pub(crate) const TABLES_IN_FOLDER: &str = "tables-in-folder";
/// Group of the arguments of commands that write the values of each query there as well.
pub(crate) const VALUES_IN_FOLDER: &str = "values-in-folder";

/// A form of output: text for the terminal, Markdown, LaTeX, or CSV and JSON with numbers in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    // No doc comments here: help would then give each value a line.
    Text,
    #[value(alias = "markdown")]
    Md,
    #[value(alias = "tex")]
    Latex,
    Csv,
    Json,
}

/// The form of a command that prints tables.
#[derive(clap::Args)]
pub(crate) struct FormatArgs {
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArgs {
    /// The form that was asked for, in either spelling.
    pub(crate) fn form(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// JSON instead of text, for a command that has no other form.
#[derive(clap::Args)]
pub(crate) struct JsonArgs {
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
    /// The same as `--json`
    #[arg(long, value_name = "FORM", value_parser = ["json"], hide = true, conflicts_with = "json")]
    format: Option<String>,
}

impl JsonArgs {
    /// Whether JSON was asked for, in either spelling.
    pub(crate) fn asked(&self) -> bool {
        self.json || self.format.is_some()
    }
}

impl Format {
    /// Prints the tables one after the other.
    pub(crate) fn print(self, tables: &[Table], screen: &mut Screen) -> miette::Result<()> {
        match self {
            Format::Text => screen.tables(tables),
            Format::Json => screen.json(&tables)?,
            Format::Md => each(tables, screen, fivefold_report::markdown),
            Format::Latex => each(tables, screen, fivefold_report::latex),
            Format::Csv => each(tables, screen, fivefold_report::csv),
        }
        Ok(())
    }

    /// Prints lines that belong to no table.
    pub(crate) fn remarks(self, remarks: &[String], screen: &mut Screen) {
        match self {
            Format::Md => screen.text(fivefold_report::markdown::markdown_list(remarks)),
            Format::Latex => remarks.iter().for_each(|remark| screen.line(format_args!("% {remark}"))),
            Format::Text | Format::Csv | Format::Json => remarks.iter().for_each(|remark| screen.line(remark)),
        }
    }
}

/// Prints one table after the other, with a blank line between two tables.
fn each(tables: &[Table], screen: &mut Screen, form: impl Fn(&Table) -> String) {
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            screen.line("");
        }
        screen.text(form(table));
    }
}
