//! The LETOR / SVMlight text format: `grade qid:TOKEN id:value id:value ... # comment`, one
//! document a line.
//!
//! - A grade is a whole number from 0 to 30 (`2` or `2.0`). A query id is any token, kept as
//!   written.
//! - Features that a line leaves out are 0. Ids count from 1, or from 0 with
//!   `first_feature_id = 0`. Ids may stand in any order, but each id only once. Lines whose ids do
//!   not rise are counted.
//! - The document id is X of a comment `docid = X`, else the whole comment without blanks at its
//!   ends. Either every document has an id, or no document has an id.
//! - Blank lines, comment lines, CRLF, tabs, repeated blanks, a byte order mark and a missing
//!   newline at the end are allowed. Files in gzip or zstd and members of a zip archive are
//!   decompressed on the way.
//! - Outside comments, blanks other than space and tab are errors, because some programs separate
//!   fields there. Control characters and invisible characters are errors too.
//! - `NULL`, `nan` (any case) and the form of Microsoft's C library (`1.#QNAN`, `-1.#IND`) are
//!   missing values, see [`Missing`]. Infinities are errors. A `#` starts a comment, except after a
//!   point.
//! - Values are stored as `f32`. If different values of a feature become equal in storage, a remark
//!   says so (see [`Collapsed`]).
//! - Rows without `qid:` get the queries of a file of group sizes beside them (`FILE.query`,
//!   `FILE.group`), as in LightGBM.
//!
//! SVMlight does not ask for a query on every line; here every line needs a query. RankLib starts a
//! new query whenever the id changes; here a query whose lines do not stand together is an error,
//! unless the reader is told to regroup.
//!
//! Cost: one pass over the bytes. The blocks of a batch are parsed in parallel. At the same time,
//! one thread puts the blocks of the batch before together in file order, and then reads the text
//! of the batch after into the same memory. So no thread waits for another step, and the result
//! does not depend on the number of threads.
//! Memory: the matrix itself and a few megabytes; with `regroup`, the text as well.

mod block;
mod error;
mod lines;
mod number;
mod options;
mod write;

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};
use fivefold_core::{Dataset, Grades};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::digits::Collapsed;
use crate::groups;
use crate::query_store::{FileAppender, QueryStore};
pub(crate) use block::{AfterFault, Block, Fault, Long, Row};
pub(crate) use error::{DUPLICATE_HELP, SCATTERED_HELP, SOME_IDS_HELP};
pub use error::{ReadError, ReadErrorKind};
pub(crate) use lines::LineBlocks;
pub use options::{Coding, Missing, ReadOptions};
pub use write::{write_letor, write_letor_columns, write_letor_ungraded};

/// Blocks of a batch for each thread. A thread that is done early takes further blocks.
const BLOCKS: usize = 8;
/// The most blocks of a batch. A block takes half a megabyte, with its rows.
const MOST_BLOCKS: usize = 64;

/// The content of one file.
///
/// ```
/// use fivefold_data::{ReadOptions, read_letor};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "1 qid:1 1:0.5\n0 qid:2 1:4\n0 qid:1 1:2\n")?;
/// // The first query's lines are brought together, so that scores in the order of the file change places.
/// let part = read_letor(file.path(), &ReadOptions { regroup: true, ..ReadOptions::default() })?;
/// assert_eq!(part.data.query(0).features(), [0.5, 2.0]);
/// assert_eq!(part.in_data_order(vec![0.1, 0.2, 0.3]), [0.1, 0.3, 0.2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Part {
    /// The file.
    pub file: PathBuf,
    /// The queries of the file, in file order.
    pub data: Dataset,
    /// The line, from 1, where each query starts.
    pub lines: Vec<u64>,
    /// The order of documents, if regrouping moved lines: for each document of `data`, its number
    /// in the file, from 0. `None` if `data` has the order of the file.
    pub moved: Option<Vec<usize>>,
    /// Remarks for the user, one line each.
    pub remarks: Vec<String>,
    /// Features with different values that became equal in storage. Only values of many digits were
    /// examined.
    pub collapsed: Vec<Collapsed>,
}

impl Part {
    /// Brings one score a document from the order of the file (and of score files) into the order
    /// of `data`.
    pub fn in_data_order(&self, scores: Vec<f64>) -> Vec<f64> {
        match &self.moved {
            Some(numbers) => numbers.iter().map(|&number| scores[number]).collect(),
            None => scores,
        }
    }

    /// Brings one score a document from the order of `data` into the order of the file.
    pub fn in_file_order(&self, scores: Vec<f64>) -> Vec<f64> {
        match &self.moved {
            Some(numbers) => {
                let mut in_file = vec![0.0; scores.len()];
                numbers.iter().zip(&scores).for_each(|(&number, &score)| in_file[number] = score);
                in_file
            }
            None => scores,
        }
    }
}

/// Reads one LETOR file, plain or compressed.
///
/// ```
/// use fivefold_data::{ReadOptions, read_letor};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "2 qid:1 1:5 2:300 # D1\n0 qid:1 1:5 2:100 # D2\n1 qid:2 1:4 2:0.5 # D1\n")?;
/// let data = read_letor(file.path(), &ReadOptions::default())?.data;
/// assert_eq!((data.len(), data.documents(), data.width()), (2, 3, 2));
/// assert_eq!((data.query(0).grades(), data.query(1).row(0)), (&[2, 0][..], &[4.0, 0.5][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ReadError`] names file, line and column, the fault and the remedy.
pub fn read_letor(path: &Path, options: &ReadOptions) -> Result<Part, ReadError> {
    read_letor_in_blocks(path, options, lines::BLOCK_BYTES)
}

/// Reads one LETOR file for a model that compares values in `f64`. The features of the data set are
/// codes of the values, and all digits of a value count. Otherwise like [`read_letor`].
///
/// # Errors
/// As [`read_letor`].
pub fn read_letor_coded(path: &Path, options: &ReadOptions, coding: Coding<'_>) -> Result<Part, ReadError> {
    read_part(path, options, Some(coding), lines::BLOCK_BYTES)
}

/// [`read_letor`] with another size of blocks, so that tests can have many blocks in a small file.
/// The result is the same.
///
/// # Errors
/// As [`read_letor`].
#[doc(hidden)]
pub fn read_letor_in_blocks(path: &Path, options: &ReadOptions, block_bytes: usize) -> Result<Part, ReadError> {
    read_part(path, options, None, block_bytes)
}

fn read_part(
    path: &Path,
    options: &ReadOptions,
    coding: Option<Coding<'_>>,
    block_bytes: usize,
) -> Result<Part, ReadError> {
    let mut store = QueryStore::new(options.scale(), options.features.map(|_| options.most_features()));
    let listing = read_blocks_into(&mut store, path, options, coding, block_bytes)?;
    let collapsed = store.collapsed(options.first_feature_id);
    let data = store.finish().map_err(|error| ReadError::of_file(path, error.into()))?;
    let name = path.display().to_string();
    let remarks = remarks(&[(&name, &listing)]);
    Ok(Part { file: path.to_owned(), data, lines: listing.lines, moved: listing.moved, remarks, collapsed })
}

/// The remarks on files that were read without an error. Each file comes with the name by which
/// remarks call it.
pub(crate) fn remarks(listings: &[(&str, &Listing)]) -> Vec<String> {
    let mut remarks = Vec::new();
    let unsorted: usize = listings.iter().map(|(_, listing)| listing.unsorted).sum();
    if let Some((name, first)) = listings.iter().find(|(_, listing)| listing.unsorted > 0) {
        let (lines, have) = (counted(unsorted, "line"), which(unsorted, "has", "have"));
        let place = format!("{name}:{}", first.first_unsorted);
        remarks
            .push(format!("{lines} {have} feature ids that do not rise along the line (first {place}); all were read"));
    }
    let files: Vec<(&str, &Path)> = listings.iter().map(|(name, listing)| (*name, listing.file.as_path())).collect();
    remarks.extend(groups::unused_beside(&files));
    remarks
}

/// The queries of one file, as places in a [`QueryStore`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Listing {
    /// The file, as it was named to the reader.
    #[serde(skip)]
    pub(crate) file: PathBuf,
    /// Numbers of the stored queries, in file order.
    pub(crate) queries: Vec<u32>,
    /// The line where each query starts.
    pub(crate) lines: Vec<u64>,
    /// See [`Part::moved`].
    pub(crate) moved: Option<Vec<usize>>,
    /// Number of lines whose feature ids do not rise; `first_unsorted` is the first such line.
    pub(crate) unsorted: usize,
    pub(crate) first_unsorted: u64,
}

/// Reads a file and adds its queries to `store`. A query that is stored already, with the same
/// content, is not stored again.
pub(crate) fn read_into(store: &mut QueryStore, path: &Path, options: &ReadOptions) -> Result<Listing, ReadError> {
    read_blocks_into(store, path, options, None, lines::BLOCK_BYTES)
}

fn read_blocks_into(
    store: &mut QueryStore,
    path: &Path,
    options: &ReadOptions,
    coding: Option<Coding<'_>>,
    block_bytes: usize,
) -> Result<Listing, ReadError> {
    let source = groups::open(path).map_err(|error| ReadError::of_file(path, ReadErrorKind::Io(error)))?;
    let mut lines = LineBlocks::of_bytes(source, block_bytes);
    let appender = FileAppender::new(store, path);
    let mut assembly = Assembly { path, options, coding, appender, line: 1, kept: Vec::new() };
    let threads = rayon::current_num_threads();
    let blocks = if threads == 1 { 1 } else { (BLOCKS * threads).min(MOST_BLOCKS) };
    let (mut parsed, mut unparsed) = (Batch::of(blocks), Batch::of(blocks));
    unparsed.fill(&mut lines);
    loop {
        let put_together = || {
            assembly.add(&mut parsed)?;
            parsed.fill(&mut lines);
            Ok(())
        };
        rayon::join(put_together, || unparsed.parse(coding, options)).0?;
        if unparsed.filled == 0 && unparsed.stopped.is_none() {
            return assembly.finish();
        }
        std::mem::swap(&mut parsed, &mut unparsed);
    }
}

/// Successive blocks of a file.
struct Batch {
    blocks: Vec<Block>,
    /// Number of blocks that hold text.
    filled: usize,
    /// The error that stopped the reading after these blocks.
    stopped: Option<ReadErrorKind>,
}

impl Batch {
    fn of(blocks: usize) -> Self {
        let mut batch = Batch { blocks: Vec::new(), filled: 0, stopped: None };
        batch.blocks.resize_with(blocks, Block::default);
        batch
    }

    fn fill(&mut self, lines: &mut LineBlocks) {
        (self.filled, self.stopped) = lines.fill(&mut self.blocks);
    }

    fn parse(&mut self, coding: Option<Coding<'_>>, options: &ReadOptions) {
        let parse = |block: &mut Block| {
            (block.lines, block.parsed) = (0, 0);
            block.parse_coded(coding, options);
        };
        self.blocks[..self.filled].par_iter_mut().with_max_len(1).for_each(parse);
    }
}

/// Puts parsed blocks together, in file order.
struct Assembly<'a> {
    path: &'a Path,
    options: &'a ReadOptions,
    coding: Option<Coding<'a>>,
    appender: FileAppender<'a>,
    /// The line at which the next block starts.
    line: u64,
    /// With `regroup`, all blocks with their first lines, kept until the last query is known.
    kept: Vec<(u64, Block)>,
}

impl Assembly<'_> {
    fn add(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        for block in &mut batch.blocks[..batch.filled] {
            let mut kept = Block { grades: Grades::of(self.options.scale()), ..Block::default() };
            self.add_rows(block, &mut kept)?;
            while block.parse_coded(self.coding, self.options) {
                self.add_rows(block, &mut kept)?;
            }
            if self.options.regroup {
                kept.text = std::mem::take(&mut block.text);
                kept.matrix.shrink();
                self.kept.push((self.line, kept));
            }
            self.line += u64::from(block.lines);
            self.appender.add_text(block.parsed);
        }
        match batch.stopped.take() {
            Some(kind) => Err(self.error(kind.line_of_stop(self.line), 0, kind)),
            None => Ok(()),
        }
    }

    /// Adds the parsed rows of a block to the store or, with `regroup`, to the kept block.
    fn add_rows(&mut self, block: &mut Block, kept: &mut Block) -> Result<(), ReadError> {
        let line = self.line;
        let too_large = self.appender.make_room(block, kept, self.options);
        too_large.map_err(|(row, kind)| self.error(line + u64::from(block.rows[row].line), 0, kind))?;
        self.appender.note(line, block);
        if !self.options.regroup {
            block.runs().try_for_each(|run| self.appender.append(line, block, run))?;
        }
        if let Some(fault) = block.faults.pop() {
            return Err(self.error(line + u64::from(fault.line), fault.column, fault.kind));
        }
        if self.options.regroup {
            kept.grades.append(&block.grades, 0..block.rows.len());
            kept.matrix.append(&block.matrix, 0..block.rows.len());
            kept.rows.append(&mut block.rows);
        }
        Ok(())
    }

    fn error(&self, line: u64, column: usize, kind: ReadErrorKind) -> ReadError {
        ReadError { file: self.path.to_owned(), line, column, kind }
    }

    fn finish(mut self) -> Result<Listing, ReadError> {
        self.appender.make_room_for_waiting().map_err(|kind| self.error(0, 0, kind))?;
        let runs = regrouped(&self.kept);
        let moved = file_order(&self.kept, &runs);
        for (block, run) in runs {
            let (line, block) = &self.kept[block];
            self.appender.append(*line, block, run)?;
        }
        Ok(Listing { moved, ..self.appender.finish()? })
    }
}

/// For each document of the runs, its number in the file. `None` if the runs have the order of the
/// file.
fn file_order(blocks: &[(u64, Block)], runs: &[(usize, Range<usize>)]) -> Option<Vec<usize>> {
    if runs.is_sorted_by_key(|(place, run)| (*place, run.start)) {
        return None;
    }
    let firsts = blocks.iter().scan(0, |next, (_, block)| {
        let first = *next;
        *next += block.rows.len();
        Some(first)
    });
    let firsts: Vec<usize> = firsts.collect();
    Some(runs.iter().flat_map(|(place, run)| firsts[*place] + run.start..firsts[*place] + run.end).collect())
}

/// The runs of all queries as (block, rows). Queries stand in the order of their first lines, and
/// the runs of a query stand together.
fn regrouped(blocks: &[(u64, Block)]) -> Vec<(usize, Range<usize>)> {
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut runs = Vec::new();
    for (place, (_, block)) in blocks.iter().enumerate() {
        for run in block.runs() {
            let next = numbers.len();
            let query = *numbers.entry(block.bytes(&block.rows[run.start].qid)).or_insert(next);
            runs.push((query, place, run));
        }
    }
    runs.sort_by_key(|(query, ..)| *query); // stable: a query's runs stay in file order
    runs.into_iter().map(|(_, place, run)| (place, run)).collect()
}
