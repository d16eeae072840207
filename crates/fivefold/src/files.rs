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
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Temporary files are for the user alone; results get the permissions of any new file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let written = builder.tempfile_in(folder).and_then(|mut file| {
        file.write_all(content)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    });
    Ok(written.map_err(|error| Problem::file("write", path, error))?)
}
