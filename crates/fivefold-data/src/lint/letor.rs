//! A LETOR file from end to end, over its mistakes.
//!
//! Blocks of lines are parsed in parallel by the reader's own loop, which goes on after a mistake.

use std::path::Path;

use rayon::prelude::*;

use super::Problems;
use super::columns::Columns;
use super::part::{Assembly, Part};
use crate::groups;
use crate::letor::{AfterFault, Block, Fault, LineBlocks, Missing, ReadErrorKind, ReadOptions};
use crate::store::too_sparse;

/// Blocks parsed at a time.
const BLOCKS: usize = 16;

/// A block with what was found in it, as the pieces in which it was parsed.
struct Piece {
    blocks: Vec<Block>,
    columns: Columns,
    vectors: Vec<u128>,
}

/// Reads the whole file.
pub(super) fn scan(file: &Path, options: &ReadOptions, problems: &mut Problems) -> Part {
    // Missing values are told apart and counted, whatever a reader would do with them.
    let options = ReadOptions { missing: Missing::QueryMin, ..options.clone() };
    let mut assembly = Assembly::new(file.to_owned());
    let (mut columns, mut vectors) = (Columns::default(), Vec::new());
    match groups::open(file) {
        Ok(source) => {
            let mut scan = Scan { file, options: &options, line: 1, size: Size::default(), problems };
            let mut lines = LineBlocks::new(source);
            let mut blocks: Vec<Block> = Vec::new();
            blocks.resize_with(BLOCKS, Block::default);
            loop {
                let (filled, stopped) = lines.fill(&mut blocks);
                blocks[..filled].par_iter_mut().for_each(|block| block.parse(&options, AfterFault::GoOn));
                let (mut pieces, too_sparse) = scan.pieces(&mut blocks[..filled]);
                number(&mut pieces, vectors.len() as u64);
                for (piece, kept) in pieces.into_iter().zip(&mut blocks) {
                    piece.blocks.iter().for_each(|block| scan.add(block, &mut assembly));
                    columns.merge(piece.columns);
                    vectors.extend(piece.vectors);
                    // The memory of its text and rows is used again.
                    *kept = piece.blocks.into_iter().next().unwrap_or_default();
                }
                if let Some(kind) = too_sparse.or(stopped) {
                    let line = scan.line;
                    scan.problems.add(file, line, 0, || kind.to_string());
                    break;
                }
                if filled == 0 {
                    break;
                }
            }
        }
        Err(error) => problems.add(file, 0, 0, || format!("cannot be read: {error}")),
    }
    assembly.finish(&columns, vectors, options.first_feature_id as usize, problems)
}

/// The place in a file and what was found wrong with it.
struct Scan<'a> {
    file: &'a Path,
    options: &'a ReadOptions,
    line: u64,
    size: Size,
    problems: &'a mut Problems,
}

/// What the reader would have to hold so far.
#[derive(Default)]
struct Size {
    documents: usize,
    width: usize,
    text: u64,
}

impl Scan<'_> {
    /// The parsed blocks with the pieces that were left of them, up to where the reader would refuse the size of the matrix.
    fn pieces(&mut self, blocks: &mut [Block]) -> (Vec<Piece>, Option<ReadErrorKind>) {
        let mut pieces = Vec::with_capacity(blocks.len());
        for block in blocks {
            let mut piece = Piece { blocks: Vec::new(), columns: Columns::default(), vectors: Vec::new() };
            let mut next = Some(std::mem::take(block));
            while let Some(block) = next {
                if let Some(kind) = self.too_sparse(&block) {
                    pieces.push(piece);
                    return (pieces, Some(kind));
                }
                next = block.rest().map(|mut rest| {
                    rest.parse(self.options, AfterFault::GoOn);
                    rest
                });
                piece.blocks.push(block);
            }
            pieces.push(piece);
        }
        (pieces, None)
    }

    fn too_sparse(&mut self, block: &Block) -> Option<ReadErrorKind> {
        let Size { documents, width, text } = &mut self.size;
        (*documents, *width) = (*documents + block.rows.len(), (*width).max(block.matrix.width()));
        *text += block.parsed as u64;
        if self.options.features.is_some() {
            return None;
        }
        let bytes = too_sparse(*documents, *width, *text)?;
        let id = (*width as u64 + u64::from(self.options.first_feature_id)).saturating_sub(1);
        Some(ReadErrorKind::Sparse { id, documents: *documents, width: *width, bytes, text: *text })
    }

    /// Rows and faults in the order of their lines.
    fn add(&mut self, block: &Block, assembly: &mut Assembly) {
        let mut faults = block.faults.iter().peekable();
        for row in &block.rows {
            while let Some(fault) = faults.next_if(|fault| fault.line < row.line) {
                self.fault(fault);
            }
            let at = self.line + u64::from(row.line);
            match (std::str::from_utf8(block.bytes(&row.qid)), std::str::from_utf8(block.bytes(&row.doc_id))) {
                (Ok(query), Ok(document)) if !query.contains('\0') && !document.contains('\0') => {
                    assembly.add(at, row.grade, query, document, self.problems);
                }
                (Ok(_), Ok(_)) => self.problems.add(self.file, at, 0, || "an id has a NUL byte".to_owned()),
                _ => self.problems.add(self.file, at, 0, || "the ids are not UTF-8 text".to_owned()),
            }
        }
        faults.for_each(|fault| self.fault(fault));
        self.line += u64::from(block.lines);
    }

    fn fault(&mut self, fault: &Fault) {
        self.problems.add(self.file, self.line + u64::from(fault.line), fault.column, || fault.kind.to_string());
    }
}

/// Takes up the rows of the pieces, the first of which is the `first`-th of the file.
fn number(pieces: &mut [Piece], first: u64) {
    let mut next = first;
    let mut firsts = Vec::with_capacity(pieces.len());
    for piece in pieces.iter() {
        firsts.push(next);
        next += piece.blocks.iter().map(|block| block.rows.len() as u64).sum::<u64>();
    }
    pieces.par_iter_mut().zip(firsts).for_each(|(Piece { blocks, columns, vectors }, first)| {
        for block in blocks {
            let width = block.matrix.width();
            for row in 0..block.rows.len() {
                let values = &block.matrix.range(row..row + 1)[..width];
                vectors.push(columns.add(first + vectors.len() as u64, values));
            }
        }
    });
}
