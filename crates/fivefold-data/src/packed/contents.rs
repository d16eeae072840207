//! Hashes of a file's content, whatever its compression.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use blake3::Hash;

use super::{ZIP_MAGIC, open_file, zipped};
use crate::input;

/// Hashes of a file's unpacked content. An archive has a hash for each member. Content that cannot
/// be unpacked has no hash.
///
/// # Errors
/// If the file cannot be read, or begins as an archive and is no archive.
pub fn content_hashes(path: &Path) -> io::Result<Vec<Hash>> {
    let mut start = Vec::with_capacity(4);
    // A member of an archive is no file of its own.
    if path.exists() {
        input::open(path)?.take(4).read_to_end(&mut start)?;
    }
    if !start.starts_with(&ZIP_MAGIC) {
        return Ok(hash(open_file(path)?).into_iter().collect());
    }
    let archive = zipped::Archive::open(input::open(path)?)?;
    Ok(archive.files().filter_map(|member| hash(archive.content(member).ok()?)).collect())
}

fn hash(content: impl io::Read) -> Option<Hash> {
    let mut hasher = blake3::Hasher::new();
    Some(hasher.update_reader(content).ok()?.finalize())
}

/// The file on disk. For `archive.zip:member`, the archive.
pub fn file_on_disk(path: &Path) -> PathBuf {
    super::file_of(path)
}
