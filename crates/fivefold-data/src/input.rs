//! Opens files that users name, and files that this program wrote.
//!
//! A file that a user names must be a regular file, or a link to a regular file. Some functions
//! read it whole, but only up to a given length. A file that this program wrote ([`open_own`]) must
//! not be a link, because the program makes no links.
//!
//! A pipe without a writer would block a reader forever, and a device has no end. Pipes and devices
//! cannot be read twice, but many files are read twice (by lint, and for hashes of inputs). So the
//! kind of a file is checked before the file is opened. The opened file is checked again, since
//! another file may have taken its place in between.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use crate::packed::file_of;
use crate::text::{UTF8_MARK, refuse_utf16};

/// The longest file of settings (experiments, descriptors, parameters, published tables). No person
/// writes a file so long.
pub const MOST_SETTINGS: u64 = 4 << 20;

/// The longest model file, and the longest file of values per query.
pub const MOST_TEXT: u64 = 512 << 20;

/// Opens a regular file, or a link to a regular file.
///
/// # Errors
/// The errors of the system. Anything but a regular file is an error too, which names its kind.
pub fn open(path: &Path) -> io::Result<File> {
    // Check the path before it is opened: a device may notice the opening.
    regular(&std::fs::metadata(path)?)?;
    let file = waiting_for_nobody(false).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file that this program wrote. The file must not be a link, and must be at most `most`
/// bytes long. Holes in the file count.
///
/// # Errors
/// The errors of the system. Anything but such a file is an error too, which names its kind.
pub fn open_own(path: &Path, most: u64) -> io::Result<File> {
    own(&std::fs::symlink_metadata(path)?, most)?;
    let file = waiting_for_nobody(true).open(path)?;
    own(&file.metadata()?, most)?;
    Ok(file)
}

/// Reads the content of a file that this program wrote.
///
/// # Errors
/// As [`open_own`].
pub fn read_own(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    // Read one byte more, in case the file grows while it is read.
    open_own(path, most)?.take(most.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > most { Err(too_large(content.len() as u64, most)) } else { Ok(content) }
}

/// Opens a file that this program wrote, or makes it, as `options` say. The options may ask for
/// writing.
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

/// Options that open a file without waiting for a writer, even if a pipe took the place of the
/// file.
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

/// Reads a file from start to end, and fails at the end if the file changed meanwhile. Otherwise
/// half a line of a file that is being written could count as a whole line.
pub(crate) struct StableReader {
    file: File,
    start: Metadata,
    /// The last byte read.
    last: Option<u8>,
}

/// A file changed within this time may still be in the middle of being written.
const FRESH: Duration = Duration::from_secs(1);
/// How long such a file is watched. One call that writes sets the time of change when it begins.
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
                return Err(invalid("changed while fivefold read it; run again when the file is complete"));
            }
        }
        Ok(read)
    }
}

/// Reads the text of a file of at most `most` bytes, and drops a byte order mark.
///
/// # Errors
/// As [`open`]. Also if the file is longer, or not UTF-8; for UTF-16, the message says so.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= most {
        // Read one byte more, in case the file grows while it is read.
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

/// The hash of a file's bytes on disk. For `archive.zip:member`, the hash of the archive.
///
/// # Errors
/// As [`open`].
pub fn hash(path: &Path) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open(&file_of(path))?)?;
    Ok(hasher.finalize())
}

/// The error for content longer than `most` bytes.
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
            return "is a pipe, but a file may be read more than once; save the output of the pipe as a file";
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

    /// gwsw/less #184, golang/go #33050 (pipes), cdgriffith/puremagic #109 (/dev/zero),
    /// google/fscrypt #346 (links).
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
        // A file that a user names may be a link.
        assert!(open(&at("link")).is_ok() && open(&at("pipe")).is_err() && open(&at("zero")).is_err());
        // A pipe that has just taken the place of a file is recognised, and the program does not
        // wait for it.
        for no_links in [false, true] {
            let file = waiting_for_nobody(no_links).open(at("pipe")).unwrap();
            assert!(regular(&file.metadata().unwrap()).is_err());
        }
        assert!(waiting_for_nobody(true).open(at("link")).is_err());
    }
}
