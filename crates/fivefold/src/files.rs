//! Writing result files: whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use crate::problem::Problem;

/// Writes a file beside its place and moves it there, so that nobody ever reads half of it.
pub(crate) fn write(path: &Path, content: &[u8]) -> miette::Result<()> {
    write_with(path, |file| file.write_all(content))
}

/// The same for content that is made on the way.
pub(crate) fn write_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> miette::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let written = fivefold_results::store::replace(path, folder, |file| {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        write(&mut out)?;
        out.flush()
    });
    Ok(written.map_err(|error| Problem::file("write", path, error))?)
}
