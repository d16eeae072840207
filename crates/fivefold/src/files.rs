//! Writing result files: whole or not at all.

use std::io::Write as _;
use std::path::Path;

use crate::problem::Problem;

/// Writes a file beside its place and moves it there, so that nobody ever reads half of it.
pub(crate) fn write(path: &Path, content: &[u8]) -> miette::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let written = fivefold_experiment::store::replace(path, folder, |file| file.write_all(content));
    Ok(written.map_err(|error| Problem::file("write", path, error))?)
}
