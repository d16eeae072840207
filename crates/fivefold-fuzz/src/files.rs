//! Writes bytes as files, because readers take paths.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tempfile::TempDir;

thread_local! {
    static FOLDER: TempDir = tempfile::tempdir().unwrap();
}

/// A file with this content in the folder of this thread. The next file of the same name replaces
/// it.
///
/// The file says that it is an hour old. Readers wait a moment for the end of a new file whose last
/// line has no end.
pub(crate) fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = folder().join(name);
    let mut file = File::create(&path).unwrap();
    file.write_all(content).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    path
}

/// The folder of this thread for its files.
pub(crate) fn folder() -> PathBuf {
    FOLDER.with(|folder| folder.path().to_owned())
}

/// Whether a reader would take these bytes for a packed file.
pub(crate) fn is_packed(content: &[u8]) -> bool {
    let zstd_skipped = content.len() >= 4 && content[1..4] == [0x2a, 0x4d, 0x18] && content[0] & 0xf0 == 0x50;
    zstd_skipped
        || [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd], b"PK\x03\x04", b"PK\x05\x06"]
            .iter()
            .any(|magic| content.starts_with(magic))
}

/// Whether a file begins like UTF-16 text.
pub(crate) fn is_utf16(content: &[u8]) -> bool {
    content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff")
}

/// Whether every line-by-line reader takes these bytes for lines of text.
pub(crate) fn is_text(content: &[u8]) -> bool {
    let lone_return = |line: &[u8]| without_ends(line).contains(&b'\r');
    !is_utf16(content)
        && !content.contains(&0)
        && std::str::from_utf8(content).is_ok()
        && !content.split(|&byte| byte == b'\n').any(lone_return)
}

/// A line without the carriage returns that end it.
pub(crate) fn without_ends(line: &[u8]) -> &[u8] {
    let ends = line.iter().rev().take_while(|&&byte| byte == b'\r').count();
    &line[..line.len() - ends]
}

/// Whether readers refuse a character outside comments.
pub(crate) fn is_odd(c: char) -> bool {
    (c.is_control() && c != '\t')
        || (c.is_whitespace() && c != '\t' && c != ' ')
        || "\u{180e}\u{200b}\u{2060}\u{feff}".contains(c)
}

/// The input up to the first line that holds only `mark`, and the input after this line.
pub(crate) fn halves<'a>(bytes: &'a [u8], mark: &str) -> (&'a [u8], &'a [u8]) {
    let line = format!("\n{mark}\n").into_bytes();
    match bytes.windows(line.len()).position(|window| window == line) {
        Some(place) => (&bytes[..=place], &bytes[place + line.len()..]),
        None => (bytes, b""),
    }
}

/// Runs `work` with one thread or with three threads.
pub(crate) fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    static ONE: LazyLock<ThreadPool> = LazyLock::new(|| ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    static THREE: LazyLock<ThreadPool> = LazyLock::new(|| ThreadPoolBuilder::new().num_threads(3).build().unwrap());
    if threads == 1 { ONE.install(work) } else { THREE.install(work) }
}
