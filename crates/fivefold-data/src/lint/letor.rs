//! A LETOR file from end to end, over its mistakes.
//!
//! Blocks of lines are parsed in parallel by the reader's own loop; a block with a mistake is parsed again line by line.

use std::path::Path;

use rayon::prelude::*;

use super::Problems;
use super::columns::Columns;
use super::part::{Assembly, Part};
use crate::groups;
use crate::letor::{Block, LineBlocks, Missing, ReadErrorKind, ReadOptions};

/// Blocks parsed at a time.
const BLOCKS: usize = 16;

/// A block with what was found in it.
#[derive(Default)]
struct Piece {
    /// The block, or its good lines, each with its line from the block's start.
    good: Vec<(u64, Block)>,
    /// Line from the block's start, column, and what is wrong.
    faults: Vec<(u64, usize, ReadErrorKind)>,
    lines: u64,
    columns: Columns,
    vectors: Vec<u128>,
}

/// Reads the whole file.
pub(super) fn scan(file: &Path, options: &ReadOptions, problems: &mut Problems) -> Part {
    // Missing values are told apart and counted, whatever a reader would do with them.
    let options = ReadOptions { missing: Missing::QueryMin, ..options.clone() };
    let mut assembly = Assembly::new(file.to_owned());
    let (mut columns, mut vectors) = (Columns::default(), Vec::new());
    let mut line = 1;
    match groups::open(file) {
        Ok(source) => {
            let mut lines = LineBlocks::new(source);
            let mut blocks: Vec<Block> = Vec::new();
            blocks.resize_with(BLOCKS, Block::default);
            loop {
                let (filled, stopped) = lines.fill(&mut blocks);
                let texts = blocks[..filled].par_iter_mut().map(std::mem::take);
                let mut pieces: Vec<Piece> = texts.map(|block| parse(block, &options)).collect();
                number(&mut pieces, vectors.len() as u64);
                for piece in pieces {
                    add(&piece, line, file, &mut assembly, problems);
                    line += piece.lines;
                    columns.merge(piece.columns);
                    vectors.extend(piece.vectors);
                }
                if let Some(kind) = stopped {
                    problems.add(file, line, 0, || kind.to_string());
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

fn parse(mut block: Block, options: &ReadOptions) -> Piece {
    block.parse(options);
    if block.fault.is_none() {
        return Piece { lines: u64::from(block.lines), good: vec![(0, block)], ..Piece::default() };
    }
    let mut piece = Piece::default();
    for text in block.text.split_inclusive(|&byte| byte == b'\n') {
        let mut line = Block { text: text.to_vec(), ..Block::default() };
        line.parse(options);
        match line.fault.take() {
            Some(fault) => piece.faults.push((piece.lines, fault.column, fault.kind)),
            None => piece.good.push((piece.lines, line)),
        }
        piece.lines += 1;
    }
    piece
}

/// Takes up the rows of the pieces, the first of which is the `first`-th of the file.
fn number(pieces: &mut [Piece], first: u64) {
    let mut next = first;
    let mut firsts = Vec::with_capacity(pieces.len());
    for piece in pieces.iter() {
        firsts.push(next);
        next += piece.good.iter().map(|(_, block)| block.rows.len() as u64).sum::<u64>();
    }
    pieces.par_iter_mut().zip(firsts).for_each(|(Piece { good, columns, vectors, .. }, first)| {
        for (_, block) in good {
            let width = block.matrix.width();
            for row in 0..block.rows.len() {
                let values = &block.matrix.range(row..row + 1)[..width];
                vectors.push(columns.add(first + vectors.len() as u64, values));
            }
        }
    });
}

/// Rows and faults in the order of their lines; `line` is that of the piece's first.
fn add(piece: &Piece, line: u64, file: &Path, assembly: &mut Assembly, problems: &mut Problems) {
    let mut faults = piece.faults.iter().peekable();
    for (start, block) in &piece.good {
        while let Some((at, column, kind)) = faults.next_if(|(at, ..)| at < start) {
            problems.add(file, line + at, *column, || kind.to_string());
        }
        for row in &block.rows {
            let at = line + start + u64::from(row.line);
            match (std::str::from_utf8(block.bytes(&row.qid)), std::str::from_utf8(block.bytes(&row.doc_id))) {
                (Ok(query), Ok(document)) => assembly.add(at, row.grade, query, document, problems),
                _ => problems.add(file, at, 0, || "the ids are not UTF-8 text".to_owned()),
            }
        }
    }
    for (at, column, kind) in faults {
        problems.add(file, line + at, *column, || kind.to_string());
    }
}
