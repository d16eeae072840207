//! Checksums of the blocks of a cached matrix.
//!
//! The matrix is cut into blocks of 1 MiB. The head of the file, which has a cryptographic hash,
//! holds a checksum of each block: xxh3 with 64 bits. A checksum finds damage, not forgery: who may
//! write into the folder of caches can write another head, too.
//!
//! Cost: 20 GB/s and more for pages that the process has touched before. The first touch costs more
//! than the checksum, since the system must map each page.

use std::fmt;
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_core::Dataset;
use rayon::prelude::*;
use twox_hash::XxHash3_64;

use super::mapped::MappedValues;

/// Bytes of a block.
const BLOCK: usize = 1 << 20;

/// The checksums of a matrix, given the rows of all queries in order.
pub(super) fn sums(all: &Dataset) -> Vec<u64> {
    let bytes = all.documents() * all.width() * size_of::<f32>();
    let mut sums = Vec::with_capacity(bytes.div_ceil(BLOCK));
    let mut hasher = XxHash3_64::default();
    let mut written = 0;
    for query in all.queries() {
        let mut rest: &[u8] = bytemuck::cast_slice(query.features());
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(BLOCK - written));
            std::hash::Hasher::write(&mut hasher, now);
            (rest, written) = (later, written + now.len());
            if written == BLOCK {
                sums.push(std::hash::Hasher::finish(&std::mem::take(&mut hasher)));
                written = 0;
            }
        }
    }
    if written > 0 {
        sums.push(std::hash::Hasher::finish(&hasher));
    }
    sums
}

/// A block of a cached file that is not as it was written.
///
/// ```
/// use fivefold_data::source::open_cached;
/// use fivefold_data::{Cache, Source};
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("all.txt");
/// let lines: Vec<String> = (1..=5).map(|query| format!("1 qid:{query} 1:0.5\n0 qid:{query} 1:0.25\n")).collect();
/// std::fs::write(&file, lines.concat())?;
/// let source = Source { path: Some(file), layout: Some("one-file".to_owned()), ..Source::default() };
/// let cache = Cache::new(folder.path().join("cache")).checked_when_used();
/// let opened = open_cached(&source, &[], Some(&cache))?;
/// // What was just read from the text has no blocks to check.
/// assert!(opened.check(&[&opened.folds[0].train]).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadBlock {
    /// The cached file.
    pub file: PathBuf,
    /// The number of the block, from 1. `None` if the file was cut short.
    pub block: Option<usize>,
    /// Blocks of the file.
    pub blocks: usize,
    /// Whether the file was removed, so that the next opening reads the text.
    pub removed: bool,
}

impl std::error::Error for BadBlock {}

impl fmt::Display for BadBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadBlock { file, block, blocks, removed } = self;
        match block {
            Some(block) => write!(f, "block {block} of {blocks} of the cached file {} is damaged", file.display())?,
            None => write!(f, "the cached file {} was cut short while it was in use", file.display())?,
        }
        match removed {
            true => f.write_str("; the file was removed: run again, and the text is read anew"),
            false => f.write_str("; remove this file and run again: the text is then read anew"),
        }
    }
}

/// The blocks of a mapped matrix, and which of them were found good.
pub(crate) struct Blocks {
    path: PathBuf,
    file: File,
    matrix: Arc<MappedValues>,
    width: usize,
    /// The row where each query starts.
    bounds: Vec<usize>,
    sums: Vec<u64>,
    good: Vec<AtomicBool>,
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").field("path", &self.path).field("blocks", &self.sums.len()).finish()
    }
}

impl Blocks {
    /// `None` if there are not as many checksums as blocks.
    pub(super) fn new(
        (path, file): (&Path, File),
        matrix: Arc<MappedValues>,
        width: usize,
        bounds: Vec<usize>,
        sums: Vec<u64>,
    ) -> Option<Self> {
        if sums.len() != matrix.bytes().len().div_ceil(BLOCK) {
            return None;
        }
        let good = sums.iter().map(|_| AtomicBool::new(false)).collect();
        Some(Blocks { path: path.to_owned(), file, matrix, width, bounds, sums, good })
    }

    /// Whether all blocks are good. Computes all checksums.
    pub(super) fn are_good(&self) -> bool {
        self.first_bad((0..self.sums.len()).collect(), true).is_none()
    }

    /// Checks the blocks of some queries of the collection: those that no check has found good yet,
    /// or all of them `anew`.
    ///
    /// # Errors
    /// The first bad block. Its file was removed, if it is still the file of this collection.
    pub(crate) fn check<'q>(&self, queries: impl IntoIterator<Item = &'q u32>, anew: bool) -> Result<(), BadBlock> {
        let mut touched = vec![false; self.sums.len()];
        queries.into_iter().for_each(|&query| touched[self.blocks_of(query as usize)].fill(true));
        let touched = (0..).zip(touched).filter(|(_, touched)| *touched).map(|(block, _)| block).collect();
        let bad = |block| BadBlock { file: self.path.clone(), block, blocks: self.sums.len(), removed: self.remove() };
        // A page beyond the end of the file must not be touched: the system would end the process.
        if self.file.metadata().is_ok_and(|now| (now.len() as usize) < self.matrix.end()) {
            return Err(bad(None));
        }
        self.first_bad(touched, anew).map_or(Ok(()), |block| Err(bad(Some(block + 1))))
    }

    fn blocks_of(&self, query: usize) -> Range<usize> {
        let byte = |row: usize| row * self.width * size_of::<f32>();
        byte(self.bounds[query]) / BLOCK..byte(self.bounds[query + 1]).div_ceil(BLOCK)
    }

    fn first_bad(&self, blocks: Vec<usize>, anew: bool) -> Option<usize> {
        let is_bad = |&block: &usize| {
            if !anew && self.good[block].load(Ordering::Relaxed) {
                return false;
            }
            let is_good = XxHash3_64::oneshot(self.matrix.block(block, BLOCK)) == self.sums[block];
            self.good[block].store(is_good, Ordering::Relaxed);
            !is_good
        };
        blocks.into_par_iter().find_first(is_bad)
    }

    /// Removes the file, unless another program has replaced it.
    fn remove(&self) -> bool {
        let is_own = match (self.file.metadata(), fs::metadata(&self.path)) {
            #[cfg(unix)]
            (Ok(own), Ok(now)) => {
                use std::os::unix::fs::MetadataExt as _;
                (own.dev(), own.ino()) == (now.dev(), now.ino())
            }
            #[cfg(not(unix))]
            (Ok(_), Ok(_)) => true,
            // It is not there any more.
            _ => return true,
        };
        !is_own || fs::remove_file(&self.path).is_ok()
    }
}
