//! Reads one file of a zip archive (PKWARE APPNOTE 6.3). The file is found by the archive's
//! directory, and unpacked while it is read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::{Bytes, damaged, guarded};

/// Splits `archive.zip:member` into archive and member.
pub(super) fn split(path: &Path) -> Option<(PathBuf, &str)> {
    let (archive, member) = path.to_str()?.rsplit_once(".zip:")?;
    Some((PathBuf::from(format!("{archive}.zip")), member))
}

/// Opens an archive, and refuses two members of the same name, because programs read the first
/// member, the last member or both. Capital letters make names different, because a member is asked
/// for by its exact name.
pub(super) fn archive(file: File) -> io::Result<(ZipArchive<BufReader<File>>, Vec<String>)> {
    let archive = ZipArchive::new(BufReader::new(file)).map_err(unreadable)?;
    // Of two members with one name, the library keeps only the last. So the error cannot name both.
    if archive.has_duplicate_names() {
        return Err(damaged(
            "the archive has two members of the same name; pack the archive anew without the second member",
        ));
    }
    let names: Vec<String> =
        archive.file_names().map(|name| Ok(name?.into_owned())).collect::<Result<_, _>>().map_err(unreadable)?;
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for name in names.iter().filter(|name| !name.ends_with(['/', '\\'])) {
        if let Some(other) = known.insert(plain(name), name) {
            return Err(damaged(format!(
                "the members `{other}` and `{name}` have the same name; pack the archive anew with only one member of \
                    this name"
            )));
        }
    }
    Ok((archive, names))
}

/// A name as any program takes it: without empty parts and parts `.`.
fn plain(name: &str) -> String {
    name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

/// Opens the named member, or the only file of the archive.
pub(super) fn open(file: File, member: Option<&str>) -> io::Result<Bytes> {
    let (mut archive, names) = archive(file)?;
    let files: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.ends_with('/')).collect();
    let name = match (member, files.as_slice()) {
        (Some(member), _) if files.contains(&member) => member,
        (Some(member), _) => {
            return Err(damaged(format!("the archive has no member `{member}`; its members are {}", listed(&files))));
        }
        (None, [only]) => only,
        (None, []) => return Err(damaged("the archive has no file")),
        (None, _) => {
            let what = format!(
                "the archive has {} files, {}: name the member to read, as in archive.zip:{}",
                files.len(),
                listed(&files),
                files[0]
            );
            return Err(damaged(what));
        }
    };
    let index = archive.index_for_name(name).ok_or_else(|| damaged(format!("no member `{name}`")))?;
    let entry = archive.by_index_raw(index).map_err(unreadable)?;
    if leads_out(name) {
        return Err(damaged(format!("the name of the member `{name}` leads out of the archive")));
    }
    if entry.encrypted() {
        return Err(damaged(format!("the member `{name}` is encrypted")));
    }
    let (method, crc, size, packed) = (entry.compression(), entry.crc32(), entry.size(), entry.compressed_size());
    let start = entry.data_start().ok_or_else(|| damaged(format!("the member `{name}` has no content")))?;
    drop(entry);
    let mut file = archive.into_inner().into_inner();
    file.seek(SeekFrom::Start(start))?;
    let content = file.take(packed);
    let content: Bytes = match method {
        CompressionMethod::Stored => Box::new(content),
        CompressionMethod::Deflated => guarded(content, |packed| Box::new(DeflateDecoder::new(packed)))?,
        other => {
            return Err(damaged(format!(
                "the member `{name}` is compressed by {other}, which is not read; use deflate"
            )));
        }
    };
    Ok(Box::new(Checked { content: CrcReader::new(content), crc, size }))
}

/// Whether a name is absolute or goes up, by the rules of any operating system.
fn leads_out(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    drive || name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..")
}

/// The first names, so that a message stays short.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 8;
    let more = if names.len() > MOST { ", ..." } else { "" };
    names[..names.len().min(MOST)].join(", ") + more
}

fn unreadable(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        error => damaged(error.to_string()),
    }
}

/// Compares length and checksum at the end of the content.
struct Checked {
    content: CrcReader<Bytes>,
    crc: u32,
    size: u64,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(buffer)?;
        let crc = self.content.crc();
        // A checksum's `amount` wraps at 32 bits.
        if read == 0 && !buffer.is_empty() && (crc.sum() != self.crc || crc.amount() != self.size as u32) {
            return Err(damaged("the content does not match its checksum or length"));
        }
        Ok(read)
    }
}
