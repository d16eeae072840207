//! What a file holds, however it is packed, told by hashes.

use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use blake3::Hash;
use zip::ZipArchive;

use super::{Bytes, ZIP_MAGIC, decompressed, open_file, zipped};
use crate::input;

/// Hashes of what a file holds: of its content, unpacked, or of that of every member of an archive. What is longer than `most` bytes, or
/// cannot be unpacked, is left out.
///
/// # Errors
/// A file that cannot be read, and no archive where it begins as one.
pub fn content_hashes(path: &Path, most: u64) -> io::Result<Vec<Hash>> {
    let mut start = Vec::with_capacity(4);
    input::open(path)?.take(4).read_to_end(&mut start)?;
    if !start.starts_with(&ZIP_MAGIC) {
        return Ok(hash(open_file(path)?, most).into_iter().collect());
    }
    let archive = ZipArchive::new(BufReader::new(input::open(path)?)).map_err(io::Error::from)?;
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    let member = |name: &String| hash(decompressed(zipped::open(input::open(path).ok()?, Some(name)).ok()?).ok()?, most);
    Ok(names.iter().filter_map(member).collect())
}

/// The hash of content of at most `most` bytes; of longer content no more is read than shows that it is.
fn hash(content: Bytes, most: u64) -> Option<Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(content.take(most.saturating_add(1))).ok()?;
    (hasher.count() <= most).then(|| hasher.finalize())
}

/// The file on disk: that of the archive for `archive.zip:member`.
pub fn file_on_disk(path: &Path) -> PathBuf {
    match zipped::split(path) {
        Some((archive, _)) if !path.exists() => archive,
        _ => path.to_owned(),
    }
}
