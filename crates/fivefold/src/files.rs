//! Writes result files: a file is written whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use crate::problem::Problem;

/// Writes a file under another name beside its place, and then renames the file. So nobody ever
/// reads half a file.
pub(crate) fn write(path: &Path, content: &[u8]) -> miette::Result<()> {
    write_with(path, |file| file.write_all(content))
}

/// Does the same as [`write`] for content that `write` makes piece by piece.
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
