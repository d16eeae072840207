//! Opens files as streams of their content: plain, gzip (all members), zstd (all frames), or a
//! member of a zip archive.
//!
//! The first bytes of a file show its compression, whatever its name. `archive.zip` stands for its
//! only file, and `archive.zip:path/in/it` for one of several files. Nothing is written to disk.
//! Memory is the window of the decoder, whatever the archive claims.
//!
//! The following content is refused:
//! - an encrypted member, a member whose name leads out of the archive, or a member with a
//!   compression other than deflate;
//! - content that does not match its checksum or length;
//! - a zstd window above 128 MiB, the limit of the `zstd` program;
//! - content that, beyond the first 64 MiB, is over 400 times as long as its packed form. No text
//!   of numbers is so, and the rows of such a file would fill the memory. The variable
//!   `FIVEFOLD_MOST_EXPANSION` sets another ratio.

mod contents;
mod zipped;
mod zstd;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use crate::input::{self, StableReader};
pub use contents::{content_hashes, file_on_disk};

/// The source of a file's bytes.
pub(crate) type Bytes = Box<dyn Read + Send>;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const ZIP_MAGIC: [u8; 2] = *b"PK";

/// The largest ratio of content and packed form, unless [`EXPANSION_VARIABLE`] sets another ratio.
const MOST_EXPANSION: u64 = 400;
const EXPANSION_VARIABLE: &str = "FIVEFOLD_MOST_EXPANSION";
/// Content up to this length is never refused.
const SMALL: u64 = 64 << 20;

/// Opens the content of a file, or of a member of a zip archive.
pub(crate) fn open_file(path: &Path) -> io::Result<Bytes> {
    match input::open(path) {
        Ok(file) => unpacked(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.kind() == io::ErrorKind::NotADirectory => {
            match zipped::split(path) {
                Some((archive, member)) => zipped::open(input::open(&archive)?, Some(member)),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Whether a file or folder exists. For `archive.zip:member`, whether the archive exists.
pub fn exists(path: &Path) -> bool {
    path.exists() || zipped::split(path).is_some_and(|(archive, _)| archive.is_file())
}

/// The file that holds the content of a path. For `archive.zip:member`, the archive.
pub(crate) fn file_of(path: &Path) -> PathBuf {
    match zipped::split(path) {
        Some((archive, _)) if !path.exists() => archive,
        _ => path.to_owned(),
    }
}

/// The content of an open file.
pub(crate) fn unpacked(mut file: File) -> io::Result<Bytes> {
    let mut start = Vec::with_capacity(4);
    file.by_ref().take(4).read_to_end(&mut start)?;
    if start.starts_with(&ZIP_MAGIC) && matches!(start[2..], [3, 4] | [5, 6]) {
        return zipped::open(file, None);
    }
    decompressed(Cursor::new(start).chain(StableReader::new(file)?))
}

/// Decompresses a stream if it is compressed by gzip or zstd.
pub(crate) fn decompressed(mut source: impl Read + Send + 'static) -> io::Result<Bytes> {
    let mut start = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut start)?;
    let (gzip, zstd) = (start.starts_with(&GZIP_MAGIC), zstd::starts(&start));
    let whole = Cursor::new(start).chain(source);
    match (gzip, zstd) {
        (true, _) => guarded(whole, |packed| Box::new(MultiGzDecoder::new(packed))),
        (_, true) => guarded(whole, |packed| Box::new(zstd::Frames::new(packed))),
        _ => Ok(Box::new(whole)),
    }
}

/// A decoder that fails if its output is far longer than its input.
fn guarded<R: Read + Send + 'static>(packed: R, decoder: impl FnOnce(Counted<R>) -> Bytes) -> io::Result<Bytes> {
    let most = match std::env::var(EXPANSION_VARIABLE) {
        Ok(number) => number.parse().ok().filter(|&most| most > 0).ok_or_else(|| {
            damaged(format!("the variable {EXPANSION_VARIABLE} is `{number}`, not a whole number above 0"))
        })?,
        Err(_) => MOST_EXPANSION,
    };
    let read = Arc::new(AtomicU64::new(0));
    let unpacked = decoder(Counted { inner: packed, read: Arc::clone(&read) });
    Ok(Box::new(Guarded { unpacked, packed: read, length: 0, most }))
}

/// Counts the bytes read.
struct Counted<R> {
    inner: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Refuses content that is too long for its packed form.
struct Guarded {
    unpacked: Bytes,
    packed: Arc<AtomicU64>,
    length: u64,
    /// See [`MOST_EXPANSION`].
    most: u64,
}

impl Read for Guarded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacked.read(buffer)?;
        self.length += read as u64;
        if self.length > SMALL && self.length / self.most > self.packed.load(Ordering::Relaxed) {
            let most = self.most;
            return Err(damaged(format!(
                "unpacks to over {most} times its size, more than data files do; to read the file all the same, set \
                    {EXPANSION_VARIABLE}"
            )));
        }
        Ok(read)
    }
}

fn damaged(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::PathBuf;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use tempfile::TempDir;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn file(folder: &TempDir, name: &str, content: &[u8]) -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn content(path: &Path) -> Result<String, String> {
        let mut text = String::new();
        open_file(path).and_then(|mut source| source.read_to_string(&mut text)).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(content: &[u8]) -> Vec<u8> {
        compress_to_vec(content, CompressionLevel::Fastest)
    }

    fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in members {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn content_is_the_same_however_it_is_packed() {
        let folder = TempDir::new().unwrap();
        let text = "1 qid:1 1:0.5\n".repeat(10_000);
        let bytes = text.as_bytes();
        // A skippable frame (RFC 8878, section 3.1.2) between two frames.
        let frames = [zstd(b"1 "), b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc".to_vec(), zstd(&bytes[2..])].concat();
        for (name, packed) in [
            ("plain", bytes.to_vec()),
            ("a.gz", gzip(bytes)),
            ("b.gz", [gzip(b"1 "), gzip(&bytes[2..])].concat()),
            ("c.zst", zstd(bytes)),
            ("d.zst", frames),
            ("e.zip", zip(&[("in/the/archive.txt", bytes)])),
        ] {
            assert!(content(&file(&folder, name, &packed)).as_deref() == Ok(text.as_str()), "{name}");
        }
        for empty in [&b""[..], &gzip(b""), &zstd(b"")] {
            assert_eq!(content(&file(&folder, "empty", empty)).as_deref(), Ok(""));
        }
    }

    #[test]
    fn hashes_of_what_a_file_holds_do_not_depend_on_how_it_is_packed() {
        let folder = TempDir::new().unwrap();
        let text = "1 qid:1 1:0.5\n".repeat(1000);
        let bytes = text.as_bytes();
        let expected = [blake3::hash(bytes)];
        let hashes = |name: &str, packed: &[u8]| content_hashes(&file(&folder, name, packed)).unwrap();
        for (name, packed) in [("plain", bytes.to_vec()), ("a.gz", gzip(bytes)), ("b.zst", zstd(bytes))] {
            assert_eq!(hashes(name, &packed), expected, "{name}");
        }
        let members = [("a/short.txt", &b"x"[..]), ("b.txt", bytes), ("c.gz", &gzip(bytes))];
        assert_eq!(hashes("d.zip", &zip(&members)), [blake3::hash(b"x"), expected[0], blake3::hash(&gzip(bytes))]);
        assert!(hashes("cut.gz", &gzip(bytes)[..40]).is_empty());
        assert!(content_hashes(&file(&folder, "no.zip", b"PK\x03\x04")).is_err());
        let (archive, member) = (folder.path().join("d.zip"), folder.path().join("d.zip:b.txt"));
        assert_eq!(content_hashes(&member).unwrap(), expected);
        assert_eq!((file_on_disk(&member), file_on_disk(&archive)), (archive.clone(), archive));
    }

    #[test]
    fn members_of_an_archive_are_named() {
        let folder = TempDir::new().unwrap();
        let path = file(&folder, "two.zip", &zip(&[("a/train.txt", b"train"), ("a/test.txt", b"test")]));
        let member = |name: &str| content(&PathBuf::from(format!("{}:{name}", path.display())));
        assert_eq!(member("a/test.txt").as_deref(), Ok("test"));
        assert!(
            member("test.txt").unwrap_err().contains("no member `test.txt`; its members are a/train.txt, a/test.txt")
        );
        let several = content(&path).unwrap_err();
        assert!(several.contains("2 files, a/train.txt, a/test.txt: name the member to read"), "{several}");
        assert!(content(&file(&folder, "none.zip", &zip(&[]))).unwrap_err().contains("no file"));
        // If a file's name has a colon, the name stands for this file.
        assert_eq!(content(&file(&folder, "x.zip:y", b"plain")).as_deref(), Ok("plain"));
        assert!(open_file(&folder.path().join("no.zip:member")).is_err());
        let there = |name: &str| exists(&folder.path().join(name));
        assert!(there("two.zip") && there("two.zip:a/test.txt") && there("x.zip:y") && there(""));
        assert!(!there("no.zip:member") && !there("nowhere"));
        assert!(open_file(&folder.path().join("nowhere")).is_err());
    }

    /// Names can be in the code page of the machine that packed them, and nothing says in which:
    /// nih-at/libzip #212.
    #[test]
    fn a_name_in_an_unknown_encoding_is_escaped() {
        let folder = TempDir::new().unwrap();
        let mut bytes = zip(&[("cafX.txt", b"text"), ("x.txt", b"x")]);
        let places: Vec<usize> = (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"cafX")).collect();
        places.iter().for_each(|&at| bytes[at + 3] = 0xe9);
        let path = file(&folder, "latin.zip", &bytes);
        let member = |name: &str| content(&PathBuf::from(format!("{}:{name}", path.display())));
        assert_eq!(member("caf\\xe9.txt").as_deref(), Ok("text"));
        assert!(member("cafe.txt").unwrap_err().contains("its members are caf\\xe9.txt, x.txt"));
    }

    #[test]
    fn names_that_lead_out_of_the_archive_are_refused() {
        let folder = TempDir::new().unwrap();
        for name in ["../../etc/passwd", "/etc/passwd", "a/../../passwd", "C:\\passwd"] {
            // The writer refuses such names, so the test replaces a name of the same length.
            let harmless = "x".repeat(name.len());
            let text = zip(&[(&harmless, b"secret")]);
            let bytes = text.windows(name.len()).enumerate().filter(|(_, w)| *w == harmless.as_bytes());
            let places: Vec<usize> = bytes.map(|(place, _)| place).collect();
            assert_eq!(places.len(), 2);
            let mut bytes = text.clone();
            places.iter().for_each(|&place| bytes[place..place + name.len()].copy_from_slice(name.as_bytes()));
            let error = content(&file(&folder, "escape.zip", &bytes)).unwrap_err();
            assert!(error.contains("leads out of the archive"), "{name}: {error}");
        }
    }

    /// Programs read the first member, the last member or both: mate-desktop/engrampa #494,
    /// dotnet/corefx #31941.
    #[test]
    fn two_members_of_one_name_are_refused() {
        let folder = TempDir::new().unwrap();
        // The writer refuses such names, so the test replaces a name of the same length.
        for (one, other, replaced) in [
            ("test.txt", "best.txt", "test.txt"),
            ("a/test.txt", "aa/est.txt", "a\\test.txt"),
            ("a/test.txt", "aaaatest.txt", "a/./test.txt"),
            ("a/test.txt", "a.test.txt", "a//test.txt"),
        ] {
            let other = format!("{other:x<width$}", width = replaced.len());
            let mut bytes = zip(&[(one, b"first"), (&other[..replaced.len()], b"other"), ("x.txt", b"x")]);
            let places: Vec<usize> = (0..bytes.len() - replaced.len())
                .filter(|&at| bytes[at..].starts_with(&other.as_bytes()[..replaced.len()]))
                .collect();
            assert_eq!(places.len(), 2, "{replaced}");
            places.iter().for_each(|&at| bytes[at..at + replaced.len()].copy_from_slice(replaced.as_bytes()));
            let path = file(&folder, "two.zip", &bytes);
            for member in ["", ":x.txt", ":test.txt"] {
                let error = content(&PathBuf::from(format!("{}{member}", path.display()))).unwrap_err();
                assert!(error.contains("the same name"), "{replaced}{member}: {error}");
            }
            assert!(content_hashes(&path).unwrap_err().to_string().contains("the same name"));
        }
        // Capital letters make names different.
        let path = file(&folder, "capitals.zip", &zip(&[("Test.txt", b"first"), ("test.txt", b"other")]));
        assert_eq!(content(&PathBuf::from(format!("{}:test.txt", path.display()))).as_deref(), Ok("other"));
    }

    #[test]
    fn damage_is_seen() {
        let folder = TempDir::new().unwrap();
        let text: String = (0..20_000).map(|i| format!("{}\n", i * i % 7919)).collect();
        for (name, packed) in [
            ("a.gz", gzip(text.as_bytes())),
            ("b.zst", zstd(text.as_bytes())),
            ("c.zip", zip(&[("c", text.as_bytes())])),
        ] {
            let cut = &packed[..packed.len() / 2];
            assert!(content(&file(&folder, name, cut)).is_err(), "{name} cut");
            let mut bytes = packed.clone();
            bytes[packed.len() / 2] ^= 0x55;
            assert!(content(&file(&folder, name, &bytes)).is_err(), "{name} damaged");
        }
    }

    /// A run of zeros longer than any data file has.
    #[test]
    fn bombs_are_refused_early() {
        let folder = TempDir::new().unwrap();
        let zeros = vec![b'0'; SMALL as usize + (8 << 20)];
        for (name, packed) in [("a.gz", gzip(&zeros)), ("b.zst", zstd(&zeros)), ("c.zip", zip(&[("c", &zeros)]))] {
            let path = file(&folder, name, &packed);
            let mut source = open_file(&path).unwrap();
            let mut buffer = vec![0; 1 << 16];
            let mut length = 0;
            let error = loop {
                match source.read(&mut buffer) {
                    Ok(0) => panic!("{name}: all {length} bytes of a bomb of {} were read", packed.len()),
                    Ok(read) => length += read,
                    Err(error) => break error.to_string(),
                }
            };
            assert!(error.contains("unpacks to over 400 times"), "{name}: {error}");
        }
    }
}
