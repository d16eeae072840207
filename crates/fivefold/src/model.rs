//! What commands about model files share.

use std::fmt::Display;
use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fivefold_core::ModelFile;
use fivefold_data::input;
use fivefold_rankers::exchange::{FORMATS, Format};

use crate::problem::Problem;

/// Reads a model file.
pub(crate) fn read(path: &Path) -> miette::Result<ModelFile> {
    let text = input::read_text(path, input::MOST_TEXT).map_err(|error| Problem::file("read", path, error))?;
    Ok(ModelFile::parse(&text).map_err(|error| unusable(path, error))?)
}

/// A model file that cannot be used.
pub(crate) fn unusable(path: &Path, error: impl Display) -> Problem {
    Problem::new(format!("{}: {error}", path.display()))
}

/// Parses the name of another program's format.
pub(crate) fn format_names() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().map(|format| format.name);
    PossibleValuesParser::new(names).try_map(|name| Format::find(&name).ok_or("not a format"))
}
