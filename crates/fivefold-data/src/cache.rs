//! Parsed collections kept on disk: the text is read once, and the next opening maps a file.
//!
//! ```text
//! FOLDER/NAME-HASH.fivefold   HASH: of the paths of the text files and the options of reading
//!   prelude   magic, hash of the reader's source, byte order, lengths, blake3 of all this and of the head
//!   head      stamps of the text files, lines and queries of each, remarks, grades, ids, hashes of the queries,
//!             checksums of the features
//!   features  f32, row-major, 64-byte aligned: mapped, never copied
//! ```
//! A cached file is used only if three conditions hold. Each opening checks them:
//! - *The reader is the same.* The file holds a hash of the reader's source, so no version number
//!   can be forgotten.
//! - *The text is the same*: size, inode, modification time and change time of every text file. The
//!   system sets the change time whenever content or times change, and nobody can set it back. So a
//!   file that was replaced, or edited with its old modification time, is seen. A text that changed
//!   less than two seconds before it was read is not cached, because a second change could have the
//!   same time. A hash of the text instead would triple the cost of an opening. For fold
//!   directories, which hold every query five times, the cost would be tenfold.
//! - *The cached bytes are the same*: the blake3 hash of the head, and a checksum of each block of
//!   features (see `blocks`). The head holds the blake3 hashes of the queries' text, which keys of
//!   jobs need, so the features are not hashed again. With
//!   [`checked_when_used`](Cache::checked_when_used), an opening leaves the blocks to those who use
//!   them, by [`Collection::check`](crate::Collection::check).
//!
//! Otherwise the text is read and the cached file is replaced by a rename, so several processes may
//! share the folder. A folder that cannot be written is no error: [`CacheUse`] reports it. A system
//! without change times has no cache.
//!
//! Cost of an opening: one pass of xxh3 over the features, in parallel. Memory: grades and ids.
//! The features are pages of the file, which all processes share and which the system may drop and
//! read again.

pub(crate) mod blocks;
mod mapped;

use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, Grades};
use serde::{Deserialize, Serialize};

use crate::digits::Collapsed;
use crate::error::DataError;
use crate::hash::query_hashes;
use crate::input;
use crate::letor::{Listing, ReadOptions};
pub use blocks::BadBlock;
use blocks::Blocks;
use mapped::MappedValues;

const MAGIC: [u8; 8] = *b"fivefold";
/// A machine of the other byte order reads this number differently.
const ORDER: u64 = 0x0102_0304_0506_0708;
const ALIGNMENT: usize = 64;
/// Bytes of: magic, hash of the reader, byte order, length of the head, number of values, hash.
const PRELUDE: usize = 8 + 32 + 8 + 8 + 8 + 32;
const HASHED: usize = PRELUDE - 32;

/// The first characters of the names of files that are being written.
const PARTIAL: &str = ".partial-";
/// An unfinished file older than this age was left by a process that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);
/// A text that changed more recently than this may change again without a new time.
const SETTLED: Duration = Duration::from_secs(2);
/// The least bytes of text for a cache that the user did not ask for. A smaller collection is read
/// in a tenth of a second.
const WORTHWHILE: u64 = 64 << 20;

/// All sources that decide how bytes of text become a data set, and how the data set is laid out in
/// a cached file.
const READER: &[&str] = &[
    include_str!("cache.rs"),
    include_str!("cache/blocks.rs"),
    include_str!("digits.rs"),
    include_str!("letor.rs"),
    include_str!("letor/block.rs"),
    include_str!("letor/block/bytes.rs"),
    include_str!("letor/block/faults.rs"),
    include_str!("letor/block/ids.rs"),
    include_str!("letor/block/values.rs"),
    include_str!("letor/lines.rs"),
    include_str!("letor/number.rs"),
    include_str!("letor/options.rs"),
    include_str!("matrix.rs"),
    include_str!("memory.rs"),
    include_str!("packed.rs"),
    include_str!("packed/zipped.rs"),
    include_str!("packed/zstd.rs"),
    include_str!("query_store.rs"),
    include_str!("text.rs"),
    fivefold_core::dataset::SOURCE,
    env!("CARGO_PKG_VERSION"),
];

static READER_HASH: LazyLock<[u8; 32]> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for source in READER {
        hasher.update(source.as_bytes());
    }
    *hasher.finalize().as_bytes()
});

/// A folder of parsed collections.
///
/// ```
/// use fivefold_data::cache::CacheUse;
/// use fivefold_data::source::open_cached;
/// use fivefold_data::{Cache, Source};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("all.txt");
/// let lines: Vec<String> = (1..=5).map(|query| format!("1 qid:{query} 1:0.5\n0 qid:{query} 1:0.25\n")).collect();
/// std::fs::write(&file, lines.concat())?;
/// let source = Source { path: Some(file), layout: Some("one-file".to_owned()), ..Source::default() };
/// // The text is read once; a second reading, be it of another program, takes what the first one kept.
/// let cache = Cache::new(folder.path().join("cache"));
/// assert!(!matches!(open_cached(&source, &[], Some(&cache))?.cache, CacheUse::Read(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cache {
    folder: PathBuf,
    least: u64,
    settled: Duration,
    /// Whether an opening leaves the blocks unchecked.
    #[serde(default)]
    when_used: bool,
}

/// How the cache was used when a collection was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CacheUse {
    /// The user did not ask for a cache, or the collection is too small.
    #[default]
    None,
    /// The collection was read from this file.
    Read(PathBuf),
    /// The text was read, and the collection was written to this file for the next opening.
    Written {
        /// The file.
        file: PathBuf,
        /// The reason why an older cached file was not used; `None` if there was no older file.
        instead: Option<String>,
    },
    /// The text was read, but the collection could not be kept. The reason in words.
    Failed(String),
}

impl fmt::Display for CacheUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheUse::None => f.write_str("not cached"),
            CacheUse::Read(file) => write!(f, "from the cache {}", file.display()),
            CacheUse::Written { file, instead: None } => write!(f, "kept in the cache {}", file.display()),
            CacheUse::Written { file, instead: Some(reason) } => {
                write!(f, "read again, since {reason}; kept in the cache {}", file.display())
            }
            CacheUse::Failed(reason) => write!(f, "not cached: {reason}"),
        }
    }
}

/// The content of a collection's files.
pub(crate) struct Parsed {
    /// All distinct queries.
    pub(crate) all: Dataset,
    /// One listing for each file, in order.
    pub(crate) listings: Vec<Listing>,
    /// One hash for each query of `all`.
    pub(crate) hashes: Vec<blake3::Hash>,
    /// Features with different values that became equal in storage.
    pub(crate) collapsed: Vec<Collapsed>,
    /// The blocks of the cached file that holds the features; `None` if they are in memory.
    pub(crate) blocks: Option<Arc<Blocks>>,
}

impl Parsed {
    pub(crate) fn new(all: Dataset, listings: Vec<Listing>, collapsed: Vec<Collapsed>) -> Self {
        let hashes = query_hashes(&all);
        Parsed { all, listings, hashes, collapsed, blocks: None }
    }
}

impl Cache {
    /// A cache in `folder` for collections of any size. The first cached collection makes the
    /// folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Cache { folder: folder.into(), least: 0, settled: SETTLED, when_used: false }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps only collections of at least 64 MiB of text, for a cache that the user did not ask
    /// for.
    #[must_use]
    pub fn if_worthwhile(self) -> Self {
        Cache { least: WORTHWHILE, ..self }
    }

    /// Leaves the features unchecked when a collection is opened. Who uses features must then
    /// [check](crate::Collection::check) them before. A damaged file is an error there, while an
    /// opening that checks all of it reads the text instead.
    #[must_use]
    pub fn checked_when_used(self) -> Self {
        Cache { when_used: true, ..self }
    }

    /// The collection that the text in `files` gives: from the cache if the cached file is up to
    /// date, else from `parse`.
    pub(crate) fn open(
        &self,
        name: &str,
        files: &[PathBuf],
        options: &ReadOptions,
        parse: impl FnOnce() -> Result<Parsed, DataError>,
    ) -> Result<(Parsed, CacheUse), DataError> {
        let before = match stamps(files) {
            Ok(stamps) if stamps.iter().map(|stamp| stamp.size).sum::<u64>() < self.least => {
                return Ok((parse()?, CacheUse::None));
            }
            Ok(stamps) => stamps,
            Err(reason) => return Ok((parse()?, CacheUse::Failed(reason))),
        };
        let cached = self.file(name, &before, options);
        let loaded = load(&cached, files, &before, options, self.when_used);
        let instead = match loaded {
            Ok(Some(parsed)) => return Ok((parsed, CacheUse::Read(cached))),
            Ok(None) => None,
            Err(reason) => Some(reason),
        };
        let parsed = parse()?;
        let written = self.settled(files, &before).and_then(|()| {
            self.write(&cached, before, options, &parsed)
                .map_err(|error| format!("cannot write {}: {error}", cached.display()))
        });
        Ok(match written {
            Ok(()) => (parsed, CacheUse::Written { file: cached, instead }),
            Err(reason) => (parsed, CacheUse::Failed(reason)),
        })
    }

    /// The path of a collection's cached file. The stamps are not part of the name, so a changed
    /// text replaces its older version.
    fn file(&self, name: &str, stamps: &[Stamp], options: &ReadOptions) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        for stamp in stamps {
            let path = stamp.path.as_bytes();
            hasher.update(&(path.len() as u64).to_le_bytes()).update(path);
        }
        hasher.update(format!("{options:?}").as_bytes());
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        self.folder.join(format!("{plain}-{}.fivefold", &hasher.finalize().to_hex()[..16]))
    }

    /// Checks that the text did not change while it was read, and that a later change will show in
    /// its times.
    fn settled(&self, files: &[PathBuf], before: &[Stamp]) -> Result<(), String> {
        if stamps(files)? != before {
            return Err("the files changed while they were read".to_owned());
        }
        let settled = |seconds: i64, nanoseconds: i64| {
            let time = Duration::new(seconds.try_into().unwrap_or(0), nanoseconds.try_into().unwrap_or(0));
            // A time in the future says that clocks differ.
            (SystemTime::UNIX_EPOCH + time).elapsed().is_ok_and(|age| age >= self.settled)
        };
        let changed = before.iter().find(|stamp| !settled(stamp.changed.0, stamp.changed.1));
        changed.map_or(Ok(()), |stamp| {
            Err(format!("{} changed a moment ago, so the next change might not be noticed", stamp.path))
        })
    }

    fn write(&self, path: &Path, sources: Vec<Stamp>, options: &ReadOptions, parsed: &Parsed) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.sweep();
        let head = Head::new(sources, options, parsed);
        let head = postcard::to_allocvec(&head).map_err(io::Error::other)?;
        let mut prelude = Vec::with_capacity(PRELUDE);
        prelude.extend(MAGIC);
        prelude.extend(*READER_HASH);
        prelude.extend(ORDER.to_ne_bytes());
        prelude.extend((head.len() as u64).to_ne_bytes());
        prelude.extend(((parsed.all.documents() * parsed.all.width()) as u64).to_ne_bytes());
        prelude.extend(blake3::Hasher::new().update(&prelude).update(&head).finalize().as_bytes());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // These are the permissions of a normal new file. A temporary file would be private.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut temporary = builder.prefix(PARTIAL).tempfile_in(&self.folder)?;
        let mut out = BufWriter::with_capacity(1 << 20, temporary.as_file_mut());
        out.write_all(&prelude)?;
        out.write_all(&head)?;
        out.write_all(&vec![0; aligned(PRELUDE + head.len()) - PRELUDE - head.len()])?;
        for query in parsed.all.queries() {
            out.write_all(bytemuck::cast_slice(query.features()))?;
        }
        out.flush()?;
        drop(out);
        temporary.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Removes unfinished files of killed processes. A failure does no harm.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|time| time.elapsed().ok());
            if entry.file_name().to_string_lossy().starts_with(PARTIAL) && age.is_some_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Properties of a text file that differ between two files, and that change when the file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    /// The absolute path, with links resolved.
    path: String,
    size: u64,
    inode: u64,
    /// The modification time, in seconds and nanoseconds.
    modified: (i64, i64),
    /// The change time: the last change of content, times or permissions, whatever `modified` was
    /// set to.
    changed: (i64, i64),
}

/// The stamps of the files as they are now. The error is the reason why a file has no stamp.
fn stamps(files: &[PathBuf]) -> Result<Vec<Stamp>, String> {
    let stamp = |file: &PathBuf| {
        let failed = |error: io::Error| format!("{}: {error}", file.display());
        let path = fs::canonicalize(file).map_err(failed)?;
        let meta = fs::metadata(&path).map_err(failed)?;
        let path = path.into_os_string().into_string().map_err(|_| format!("{} is not UTF-8", file.display()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Ok(Stamp {
                path,
                size: meta.size(),
                inode: meta.ino(),
                modified: (meta.mtime(), meta.mtime_nsec()),
                changed: (meta.ctime(), meta.ctime_nsec()),
            })
        }
        #[cfg(not(unix))]
        {
            let _ = meta;
            Err(format!("this system does not tell when {path} was last changed"))
        }
    };
    files.iter().map(stamp).collect()
}

/// The cached collection without its features.
#[derive(Serialize, Deserialize)]
struct Head {
    sources: Vec<Stamp>,
    options: String,
    listings: Vec<Listing>,
    collapsed: Vec<Collapsed>,
    width: usize,
    max_grade: u8,
    grades: Vec<u8>,
    bounds: Vec<usize>,
    query_ids: IdTable,
    doc_ids: IdTable,
    /// The hash of each query.
    hashes: Vec<[u8; 32]>,
    /// The checksum of each block of features.
    sums: Vec<u64>,
}

impl Head {
    fn new(sources: Vec<Stamp>, options: &ReadOptions, parsed: &Parsed) -> Self {
        let all = &parsed.all;
        let mut head = Head {
            sources,
            options: format!("{options:?}"),
            listings: parsed.listings.clone(),
            collapsed: parsed.collapsed.clone(),
            width: all.width(),
            max_grade: all.max_grade(),
            grades: Vec::with_capacity(all.documents()),
            bounds: all.bounds(),
            query_ids: IdTable::default(),
            doc_ids: IdTable::default(),
            hashes: parsed.hashes.iter().map(|hash| *hash.as_bytes()).collect(),
            sums: blocks::sums(all),
        };
        for query in all.queries() {
            head.query_ids.push(query.id());
            head.grades.extend_from_slice(query.grades());
            (0..query.len()).filter_map(|row| query.doc_id(row)).for_each(|id| head.doc_ids.push(id));
        }
        head
    }
}

/// Loads a cached collection, with its blocks checked unless they are checked `when_used`. `None` if
/// there is no cached file; the error says why the file cannot be used.
fn load(
    path: &Path,
    files: &[PathBuf],
    now: &[Stamp],
    options: &ReadOptions,
    when_used: bool,
) -> Result<Option<Parsed>, String> {
    let damaged = || format!("{} is damaged", path.display());
    let file = match input::open_own(path, u64::MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| format!("{}: {error}", path.display()))?,
    };
    let map = mapped::map(&file).map_err(|error| format!("{}: {error}", path.display()))?;
    let (prelude, rest) = map.split_at_checked(PRELUDE).ok_or_else(damaged)?;
    let word = |at: usize| prelude[at..at + 8].try_into().map(u64::from_ne_bytes).unwrap_or_default();
    if prelude[..8] != MAGIC {
        return Err(format!("{} is no cache of this program", path.display()));
    }
    if prelude[8..40] != *READER_HASH || word(40) != ORDER {
        return Err(format!("{} is of another version or machine", path.display()));
    }
    let head_bytes = usize::try_from(word(48)).ok().and_then(|len| rest.get(..len)).ok_or_else(damaged)?;
    let hash = blake3::Hasher::new().update(&prelude[..HASHED]).update(head_bytes).finalize();
    if hash.as_bytes()[..] != prelude[HASHED..] {
        return Err(damaged());
    }
    let head: Head = postcard::from_bytes(head_bytes).map_err(|_| damaged())?;
    if head.options != format!("{options:?}") || head.listings.len() != files.len() {
        return Err(format!("{} is of other options", path.display()));
    }
    if let Some((_, new)) = head.sources.iter().zip(now).find(|(old, new)| old != new) {
        return Err(format!("{} has changed", new.path));
    }
    let start = aligned(PRELUDE + head_bytes.len());
    // The only bytes that no hash covers.
    if map.get(PRELUDE + head_bytes.len()..start).is_none_or(|padding| padding.iter().any(|&byte| byte != 0)) {
        return Err(damaged());
    }
    let values = usize::try_from(word(56)).map_err(|_| damaged())?;
    let features = Arc::new(MappedValues::new(map, start, values).ok_or_else(damaged)?);
    let blocks = Blocks::new((path, file), Arc::clone(&features), head.width, head.bounds.clone(), head.sums);
    let blocks = blocks.filter(|blocks| when_used || blocks.are_good()).ok_or_else(damaged)?;
    let hashes: Vec<blake3::Hash> = head.hashes.into_iter().map(blake3::Hash::from_bytes).collect();
    if hashes.len() != head.query_ids.len() {
        return Err(damaged());
    }
    let all = DatasetBuilder {
        features,
        width: head.width,
        grades: Grades::new(head.grades, Some(head.max_grade)).map_err(|_| damaged())?,
        bounds: head.bounds,
        query_ids: head.query_ids,
        doc_ids: head.doc_ids,
    };
    let all = all.build().map_err(|_| damaged())?;
    let listings = head.listings.into_iter().zip(files).map(|(l, file)| Listing { file: file.clone(), ..l }).collect();
    Ok(Some(Parsed { all, listings, hashes, collapsed: head.collapsed, blocks: Some(Arc::new(blocks)) }))
}

fn aligned(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT)
}

#[cfg(test)]
mod tests;
