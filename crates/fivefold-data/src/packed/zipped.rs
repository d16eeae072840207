//! Reads one file of a zip archive (PKWARE APPNOTE 6.3). The file is found by the archive's
//! directory, and unpacked while it is read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use rawzip::{
    CompressionMethod, ErrorKind, FileReader, MAX_CENTRAL_DIRECTORY_RECORD_SIZE, RangeReader, ZipArchive,
    ZipArchiveEntryWayfinder, ZipFileHeaderRecord, ZipLocator,
};

use super::{Bytes, damaged, guarded};

/// Splits `archive.zip:member` into archive and member.
pub(super) fn split(path: &Path) -> Option<(PathBuf, &str)> {
    let (archive, member) = path.to_str()?.rsplit_once(".zip:")?;
    Some((PathBuf::from(format!("{archive}.zip")), member))
}

/// An archive of which no two members have the same name.
pub(super) struct Archive {
    file: ZipArchive<Arc<FileReader>>,
    members: Vec<Member>,
}

/// A member, as the directory of the archive describes it.
pub(super) struct Member {
    name: String,
    method: CompressionMethod,
    encrypted: bool,
    crc: u32,
    place: ZipArchiveEntryWayfinder,
}

impl Archive {
    /// Opens an archive, and refuses two members of the same name, because programs read the first
    /// member, the last member or both. Capital letters make names different, because a member is asked
    /// for by its exact name.
    pub(super) fn open(file: File) -> io::Result<Self> {
        let mut buffer = vec![0; MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
        let length = file.metadata()?.len();
        let file = Arc::new(FileReader::from(file));
        let file =
            ZipLocator::new().locate_in_reader(file, &mut buffer, length).map_err(|(_, error)| unreadable(error))?;
        let mut members = Vec::new();
        let mut entries = file.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(unreadable)? {
            members.push(Member::new(&entry));
        }
        let archive = Archive { file, members };
        archive.check_names()?;
        Ok(archive)
    }

    fn check_names(&self) -> io::Result<()> {
        let mut known: BTreeMap<String, &str> = BTreeMap::new();
        let names = self.members.iter().map(|member| member.name.as_str());
        for name in names.filter(|name| !name.ends_with(['/', '\\'])) {
            if let Some(other) = known.insert(plain(name), name) {
                return Err(damaged(format!(
                    "the members `{other}` and `{name}` have the same name; pack the archive anew with only one member \
                        of this name"
                )));
            }
        }
        Ok(())
    }

    /// The members that are files.
    pub(super) fn files(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| !member.name.ends_with('/'))
    }

    /// The named member, or the only file of the archive.
    fn find(&self, name: Option<&str>) -> io::Result<&Member> {
        let files: Vec<&Member> = self.files().collect();
        let listed = || listed(&files.iter().map(|member| member.name.as_str()).collect::<Vec<_>>());
        match (name, files.as_slice()) {
            (Some(name), _) => files
                .iter()
                .copied()
                .find(|member| member.name == name)
                .ok_or_else(|| damaged(format!("the archive has no member `{name}`; its members are {}", listed()))),
            (None, [only]) => Ok(only),
            (None, []) => Err(damaged("the archive has no file")),
            (None, [first, ..]) => Err(damaged(format!(
                "the archive has {} files, {}: name the member to read, as in archive.zip:{}",
                files.len(),
                listed(),
                first.name
            ))),
        }
    }

    /// The unpacked content of a member.
    pub(super) fn content(&self, member: &Member) -> io::Result<Bytes> {
        let Member { name, method, crc, place, .. } = member;
        if leads_out(name) {
            return Err(damaged(format!("the name of the member `{name}` leads out of the archive")));
        }
        if member.encrypted {
            return Err(damaged(format!("the member `{name}` is encrypted")));
        }
        let (start, end) = self.file.get_entry(*place).map_err(unreadable)?.compressed_data_range();
        let packed = RangeReader::new(Arc::clone(self.file.get_ref()), start..end);
        let content: Bytes = match *method {
            CompressionMethod::STORE => Box::new(packed),
            CompressionMethod::DEFLATE => guarded(packed, |packed| Box::new(DeflateDecoder::new(packed)))?,
            other => {
                let method = other.name().map_or_else(|| format!("method {}", other.as_u16()), str::to_lowercase);
                return Err(damaged(format!(
                    "the member `{name}` is compressed by {method}, which is not read; use deflate"
                )));
            }
        };
        Ok(Box::new(Checked { content: CrcReader::new(content), crc: *crc, size: place.uncompressed_size_hint() }))
    }
}

impl Member {
    fn new(entry: &ZipFileHeaderRecord<'_>) -> Self {
        let path = entry.file_path();
        let name = match str::from_utf8(path.as_bytes()) {
            Ok(name) => name.to_owned(),
            // Nobody knows the encoding of such a name; escaped, it can still be told apart and typed.
            Err(_) => path.as_bytes().escape_ascii().to_string(),
        };
        Member {
            name,
            method: entry.compression_method(),
            encrypted: entry.flags().is_encrypted(),
            crc: entry.crc32(),
            place: entry.wayfinder(),
        }
    }
}

/// Opens the named member, or the only file of the archive.
pub(super) fn open(file: File, member: Option<&str>) -> io::Result<Bytes> {
    let archive = Archive::open(file)?;
    archive.content(archive.find(member)?)
}

/// A name as any program takes it: without empty parts and parts `.`.
fn plain(name: &str) -> String {
    name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
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

fn unreadable(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::IO(error) => error,
        error => damaged(format!("the archive is broken: {error}")),
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
