//! Files that users name: opened only if they are files, and read as a whole only up to a length. Files that this program wrote
//! ([`open_own`]): no links either, for it makes none.
//!
//! A pipe without a writer would be waited for for ever, a device has no end, and both are gone after one reading, while many files
//! are read twice (lint, hashes of inputs). What a file is, is asked before it is opened and again of what was opened, which may have
//! taken its place in between.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use crate::packed::file_of;
use crate::text::{UTF8_MARK, refuse_utf16};

/// The longest file of settings (experiments, descriptors, parameters, published tables): far above any that people write.
pub const MOST_SETTINGS: u64 = 4 << 20;

/// The longest model file, and the longest file of values per query.
pub const MOST_TEXT: u64 = 512 << 20;

/// Opens a file.
///
/// # Errors
/// Those of the system; anything that is not a regular file (or a link to one), with what it is.
pub fn open(path: &Path) -> io::Result<File> {
    // Before it is opened: a device may notice.
    regular(&std::fs::metadata(path)?)?;
    let file = waiting_for_nobody(false).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that this program wrote: no link, and at most `most` bytes long, be they on the disk or not.
///
/// # Errors
/// Those of the system; anything else than such a file, with what it is.
pub fn open_own(path: &Path, most: u64) -> io::Result<File> {
    own(&std::fs::symlink_metadata(path)?, most)?;
    let file = waiting_for_nobody(true).open(path)?;
    own(&file.metadata()?, most)?;
    Ok(file)
}

/// The content of a file that this program wrote.
///
/// # Errors
/// As [`open_own`].
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    // One byte more, should it grow while it is read.
    open_own(path, most)?.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most { Err(too_large(content.len() as u64, most)) } else { Ok(content) }
}

/// Opens a file of this program's own in another way than to read it, or makes it, as `options` say.
///
/// # Errors
/// As [`open_own`].
pub fn edit_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    match std::fs::symlink_metadata(path) {
        Ok(there) => regular(&there)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let file = flagged(options, true).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn own(metadata: &Metadata, most: u64) -> io::Result<()> {
    regular(metadata)?;
    if metadata.len() > most { Err(too_large(metadata.len(), most)) } else { Ok(()) }
}

fn too_large(length: u64, most: u64) -> io::Error {
    invalid(&format!("is {} MiB long, and no such file is longer than {} MiB", length >> 20, most >> 20))
}

/// How files are opened: not even a pipe that took the place of one is waited for.
fn waiting_for_nobody(no_links: bool) -> OpenOptions {
    let mut options = File::options();
    flagged(options.read(true), no_links).clone()
}

fn flagged(options: &mut OpenOptions, no_links: bool) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use nix::fcntl::OFlag;
        let links = if no_links { OFlag::O_NOFOLLOW } else { OFlag::empty() };
        options.custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY | links).bits());
    }
    let _ = no_links;
    options
}

/// A file that is read from its start to its end, at which it must be what it was at the start: half a line of a file that is being
/// written could be taken for a line.
pub(crate) struct StableReader {
    file: File,
    start: Metadata,
    /// The last byte that was read.
    last: Option<u8>,
}

/// A file that was written to so lately may still be written to, in the midst of a line.
const FRESH: Duration = Duration::from_secs(1);
/// How long such a file is watched. A single call that writes has its time of change from its beginning on.
const WATCHED: Duration = Duration::from_millis(50);

impl StableReader {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        Ok(StableReader { start: file.metadata()?, file, last: None })
    }
}

impl Read for StableReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if read > 0 {
            self.last = Some(buffer[read - 1]);
        } else if !buffer.is_empty() {
            let changed = self.start.modified();
            let fresh = || changed.is_ok_and(|at| at.elapsed().map_or(true, |age| age < FRESH));
            if self.last.take().is_some_and(|last| last != b'\n') && fresh() {
                std::thread::sleep(WATCHED);
            }
            let end = self.file.metadata()?;
            if end.len() != self.start.len() || end.modified().ok() != self.start.modified().ok() {
                return Err(invalid("changed while it was read; read it when it is complete"));
            }
        }
        Ok(read)
    }
}

/// The text of a file of at most `most` bytes, without a byte order mark.
///
/// # Errors
/// As [`open`]; a longer file; text that is not UTF-8, where UTF-16 is named.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= most {
        // One byte more, should it grow while it is read.
        StableReader::new(file)?.take(most + 1).read_to_end(&mut bytes)?;
    }
    if length.max(bytes.len() as u64) > most {
        return Err(too_long(most));
    }
    refuse_utf16(&bytes)?;
    let mut text = String::from_utf8(bytes).map_err(|_| invalid("is not UTF-8 text"))?;
    if text.starts_with(UTF8_MARK) {
        text.drain(..UTF8_MARK.len());
    }
    Ok(text)
}

/// The hash of a file as it lies there; for `archive.zip:member`, that of the archive.
///
/// # Errors
/// As [`open`].
pub fn hash(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open(&file_of(path))?)?;
    Ok(hasher.finalize())
}

/// The error for content of over `most` bytes.
pub(crate) fn too_long(most: u64) -> io::Error {
    invalid(&format!("is longer than {} MiB, the most that is read of such a file", most >> 20))
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    let kind = metadata.file_type();
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_dir() { "is a folder, not a file" } else { special(kind) };
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn special(kind: FileType) -> &'static str {
    if kind.is_symlink() {
        return "is a symbolic link, which no run makes; put the file itself there";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() || kind.is_socket() {
            return "is a pipe, not a file; save what comes out of it, since files may be read more than once";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "is a device, not a file";
        }
    }
    let _ = kind;
    "is not a regular file"
}

pub(crate) fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        assert!(read_text(&path, 3).unwrap_err().to_string().contains("is longer than"));
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 4).unwrap_err().to_string(), "is not UTF-8 text");
        std::fs::write(&path, b"\xef\xbb\xbftree").unwrap();
        assert_eq!(read_text(&path, 7).unwrap(), "tree");
        std::fs::write(&path, b"\xff\xfet\0").unwrap();
        assert!(read_text(&path, 7).unwrap_err().to_string().contains("UTF-16"));
        assert_eq!(open(folder.path()).unwrap_err().to_string(), "is a folder, not a file");
        assert_eq!(open(&folder.path().join("b")).unwrap_err().kind(), io::ErrorKind::NotFound);
        #[cfg(unix)]
        assert_eq!(open(Path::new("/dev/null")).unwrap_err().to_string(), "is a device, not a file");
    }

    /// gwsw/less #184, golang/go #33050 (pipes), cdgriffith/puremagic #109 (/dev/zero), google/fscrypt #346 (links).
    #[cfg(unix)]
    #[test]
    fn own_files_are_no_links_pipes_devices_folders_or_holes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "four").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        File::create(at("sparse")).unwrap().set_len(40 << 30).unwrap();
        assert_eq!(read_own(&at("file"), 4).unwrap(), b"four");
        for (name, what) in [
            ("link", "is a symbolic link"),
            ("zero", "is a symbolic link"),
            ("pipe", "is a pipe"),
            ("folder", "is a folder"),
            ("sparse", "is 40960 MiB long, and no such file is longer than 512 MiB"),
        ] {
            let error = read_own(&at(name), MOST_TEXT).unwrap_err().to_string();
            assert!(error.starts_with(what), "{name}: {error}");
        }
        assert!(read_own(&at("file"), 3).is_err());
        assert_eq!(open_own(&at("none"), 1).unwrap_err().kind(), io::ErrorKind::NotFound);
        // What users name may be a link.
        assert!(open(&at("link")).is_ok() && open(&at("pipe")).is_err() && open(&at("zero")).is_err());
        // A pipe that took the place of a file just now is not waited for, and seen.
        for no_links in [false, true] {
            let file = waiting_for_nobody(no_links).open(at("pipe")).unwrap();
            assert!(regular(&file.metadata().unwrap()).is_err());
        }
        assert!(waiting_for_nobody(true).open(at("link")).is_err());
    }
}
