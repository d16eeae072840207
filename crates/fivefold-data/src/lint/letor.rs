//! Lints a LETOR file from start to end, and goes on after a problem.
//!
//! The reader's own loop parses blocks of lines in parallel. Here the loop does not stop at a
//! fault.

use std::path::Path;

use rayon::prelude::*;

use super::Problems;
use super::columns::Columns;
use super::part::{Assembly, Part};
use crate::digits::Digits;
use crate::groups;
use crate::letor::{AfterFault, Block, Fault, LineBlocks, Long, Missing, ReadOptions, Row};
use crate::memory::Share;
use crate::query_store::Size;

/// Number of blocks that are parsed at a time.
const BLOCKS: usize = 16;

/// The rows, faults and facts of one block.
#[derive(Default)]
struct Found {
    rows: Vec<Row>,
    /// Their grades.
    grades: Vec<u8>,
    faults: Vec<Fault>,
    columns: Columns,
    /// The hash of each row's values.
    vectors: Vec<u128>,
    /// The values of the rows, for the check of their digits.
    long: Vec<Long>,
}

impl Found {
    /// Parses a block of lines that starts at byte `start` of the file. The block's matrix comes in
    /// pieces.
    fn parse(block: &mut Block, start: u64, options: &ReadOptions) -> Self {
        let mut found = Found::default();
        block.every_value = true;
        block.parse(options, AfterFault::GoOn);
        loop {
            let width = block.matrix.width();
            for (place, row) in block.rows.iter().enumerate() {
                let values = &block.matrix.range(place..place + 1)[..width];
                // The end of a row identifies the row in the file.
                found.vectors.push(found.columns.add(start + u64::from(row.end), values));
            }
            found.grades.extend_from_slice(block.grades.numbers());
            found.rows.append(&mut block.rows);
            found.faults.append(&mut block.faults);
            found.long.append(&mut block.long);
            if !block.parse_on(options, AfterFault::GoOn) {
                return found;
            }
        }
    }

    /// Forgets all after the first `rows` rows, and all faults and values from line `line` on.
    fn truncate(&mut self, rows: usize, line: u32) {
        self.rows.truncate(rows);
        self.grades.truncate(rows);
        self.vectors.truncate(rows);
        self.faults.retain(|fault| fault.line < line);
        self.long.retain(|long| long.line < line);
    }
}

/// Reads the whole file.
pub(super) fn scan(file: &Path, options: &ReadOptions, problems: &mut Problems) -> Part {
    // Missing values are counted in any case, whatever a reader would do with them.
    let options = ReadOptions { missing: Missing::QueryMin, ..options.clone() };
    let mut assembly = Assembly::new(file.to_owned());
    let (mut columns, mut vectors, mut digits) = (Columns::default(), Vec::new(), Digits::default());
    match groups::open(file) {
        Ok(source) => {
            let size = Size { width: options.features.unwrap_or(0), ..Size::default() };
            let mut scan = Scan { file, options: &options, line: 1, size, problems };
            let mut lines = LineBlocks::new(source);
            let mut blocks: Vec<Block> = Vec::new();
            blocks.resize_with(BLOCKS, Block::default);
            loop {
                let (filled, stopped) = lines.fill(&mut blocks);
                let starts = starts(&blocks[..filled], scan.size.text);
                let work = blocks[..filled].par_iter_mut().zip(starts);
                let found: Vec<Found> = work.map(|(block, start)| Found::parse(block, start, &options)).collect();
                let mut stopped = stopped.map(|kind| (kind.line_of_stop(u64::MAX), kind.to_string()));
                for (block, mut found) in blocks.iter().zip(found) {
                    let first_line = scan.line;
                    let too_large = scan.add(block, &mut found, &mut assembly);
                    digits.add(first_line, &found.long);
                    columns.merge(found.columns);
                    vectors.extend(found.vectors);
                    if let Some(what) = too_large {
                        stopped = Some((u64::MAX, what));
                        break;
                    }
                }
                if let Some((line, what)) = stopped {
                    scan.problems.add(file, line.min(scan.line), 0, || what);
                    break;
                }
                if filled == 0 {
                    break;
                }
            }
        }
        Err(error) => problems.add(file, 0, 0, || format!("cannot be read: {error}")),
    }
    assembly.finish(&columns, &digits, vectors, options.first_feature_id, problems)
}

/// The byte of the file where each block starts. `before` bytes came before the first block.
fn starts(blocks: &[Block], before: u64) -> Vec<u64> {
    let mut next = before;
    let start = |block: &Block| {
        let start = next;
        next += block.text.len() as u64;
        start
    };
    blocks.iter().map(start).collect()
}

/// The present place in a file, and the problems so far.
struct Scan<'a> {
    file: &'a Path,
    options: &'a ReadOptions,
    line: u64,
    /// The size of the data that a reader would hold so far.
    size: Size,
    problems: &'a mut Problems,
}

impl Scan<'_> {
    /// Adds the rows and faults of a block, in the order of their lines. If the reader would refuse
    /// the size of the matrix at a line, stops at that line and returns the reason.
    fn add(&mut self, block: &Block, found: &mut Found, assembly: &mut Assembly) -> Option<String> {
        let too_large = match self.size.with(&found.rows, self.options, Share::default().most()) {
            Ok(size) => {
                self.size = Size { text: size.text + block.text.len() as u64, ..size };
                None
            }
            Err((fitting, kind)) => {
                let line = found.rows[fitting].line;
                found.truncate(fitting, line);
                Some((line, kind.to_string()))
            }
        };
        let mut faults = found.faults.iter().peekable();
        for (row, &grade) in found.rows.iter().zip(&found.grades) {
            while let Some(fault) = faults.next_if(|fault| fault.line < row.line) {
                self.fault(fault);
            }
            let at = self.line + u64::from(row.line);
            match (std::str::from_utf8(block.bytes(&row.qid)), std::str::from_utf8(block.bytes(&row.doc_id))) {
                (Ok(query), Ok(document)) => assembly.add(at, row, grade, query, document, self.problems),
                _ => self.problems.add(self.file, at, 0, || "the ids are not UTF-8 text".to_owned()),
            }
        }
        faults.for_each(|fault| self.fault(fault));
        self.line += u64::from(too_large.as_ref().map_or(block.lines, |(line, _)| *line));
        too_large.map(|(_, why)| why)
    }

    fn fault(&mut self, fault: &Fault) {
        self.problems.add(self.file, self.line + u64::from(fault.line), fault.column, || fault.kind.to_string());
        self.problems.remedy(fault.kind.help(), 1);
    }
}
