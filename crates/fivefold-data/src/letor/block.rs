//! The inner loop of the reader: a block of whole lines to rows, in one pass over the bytes.
//!
//! One loop reads index, colon and value; the line is not split into tokens first. A block keeps
//! its text, so rows refer to ids by position and copy nothing. Blocks do not depend on each other
//! and can be parsed in parallel. The checks of whole queries follow later, when the blocks are put
//! together in file order.
//!
//! Rare cases cost an ordinary line nothing:
//! - Odd characters (such as invisible blanks) are always searched for in the ids of queries and
//!   documents. In the rest of a line, they are searched for only after the line was refused.
//! - Repeated features are searched for only if the feature ids do not rise along the line.
//! - A `#` within a number is searched for only if no blank ends the value.
//!
//! The modules `ids`, `values` and `faults` hold these parts.

mod bytes;
mod faults;
mod ids;
mod values;

use std::ops::Range;

use fivefold_core::Grades;

use super::error::ReadErrorKind;
use super::number::Slow;
use super::options::{Coding, ReadOptions};
use crate::matrix::Matrix;
use bytes::{ends_line, ends_value, inner_return, next_line, significant, skip_blanks, value_end};
pub(crate) use faults::Fault;
use faults::{Wrong, clearer, column, shown, too_high};
use ids::{first_repeated, read_comment, read_qid};
pub(crate) use values::Long;
use values::{AsWritten, Filled, Values, note, read_grade};

/// A block with a larger matrix is parsed in pieces. A text of short lines with high ids becomes a
/// thousand times as large in a dense matrix.
const MOST_MATRIX_BYTES: usize = 2 << 20;

/// One document of a block.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Whether a value is missing. The matrix has NaN there until the query is complete.
    pub(crate) missing: bool,
    /// Whether the ids of its features do not rise along the line.
    pub(crate) unsorted: bool,
    /// Line within the block, from 0.
    pub(crate) line: u32,
    /// Where the next line starts in the text.
    pub(crate) end: u32,
    /// Number of places up to the highest feature of the line.
    pub(crate) width: u32,
    /// The query id in the text.
    pub(crate) qid: Range<u32>,
    /// The document id in the text; empty if the line has no document id.
    pub(crate) doc_id: Range<u32>,
}

/// Whole lines of a file, and the rows found in them.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Whole lines; the last byte is a newline.
    pub(crate) text: Vec<u8>,
    pub(crate) rows: Vec<Row>,
    /// The grades of the rows.
    pub(crate) grades: Grades,
    /// The features of the rows.
    pub(crate) matrix: Matrix,
    /// Number of lines of the parsed text.
    pub(crate) lines: u32,
    /// Number of parsed bytes of the text.
    pub(crate) parsed: usize,
    /// Faults of lines that are no rows, in order.
    pub(crate) faults: Vec<Fault>,
    /// Values of many digits; with `every_value`, all values.
    pub(crate) long: Vec<Long>,
    pub(crate) every_value: bool,
    /// Whether the queries in the text come from group sizes beside the file, not from the file.
    pub(crate) queries_given: bool,
}

/// The treatment of lines after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterFault {
    /// Later lines are not read.
    Stop,
    /// Later lines are parsed.
    GoOn,
}

impl Block {
    /// Parses the text up to a fault, its end, or the largest matrix of a block.
    pub(crate) fn parse(&mut self, options: &ReadOptions, after_fault: AfterFault) {
        (self.lines, self.parsed) = (0, 0);
        self.parse_on(options, after_fault);
    }

    /// Parses the rest of the text after the largest matrix of a block, and forgets the former
    /// rows. Returns false if there was no rest.
    pub(crate) fn parse_on(&mut self, options: &ReadOptions, after_fault: AfterFault) -> bool {
        self.parse_values(&AsWritten(options.missing), options, after_fault)
    }

    /// Like [`parse_on`](Self::parse_on), but stores codes instead of values if `coding` is given.
    pub(crate) fn parse_coded(&mut self, coding: Option<Coding<'_>>, options: &ReadOptions) -> bool {
        match coding {
            Some(coding) => self.parse_values(&coding, options, AfterFault::Stop),
            None => self.parse_on(options, AfterFault::Stop),
        }
    }

    fn parse_values(&mut self, values: &impl Values, options: &ReadOptions, after_fault: AfterFault) -> bool {
        let Block { text, rows, grades, matrix, lines, parsed, faults, long, every_value, queries_given } = self;
        rows.clear();
        grades.restart(options.scale());
        matrix.clear();
        faults.clear();
        long.clear();
        let mut sink = Sink { grades, matrix, long, every: *every_value, line: 0 };
        let start = *parsed;
        while *parsed < text.len() {
            let before = sink.long.len();
            sink.line = *lines;
            match parse_line(text, *parsed, options, values, &mut sink) {
                Ok(Line::Row(row)) => {
                    *parsed = row.end as usize;
                    rows.push(Row { line: *lines, ..row });
                }
                Ok(Line::Nothing(next)) => *parsed = next,
                Ok(Line::TooMuch) => {
                    sink.forget(rows.len(), before);
                    return true;
                }
                Err(wrong) => {
                    sink.forget(rows.len(), before);
                    let (at, kind) = clearer(text, wrong);
                    faults.push(Fault { line: *lines, column: column(text, *parsed, at, *queries_given), kind });
                    *parsed = next_line(text, at);
                    if after_fault == AfterFault::Stop {
                        return true;
                    }
                }
            }
            *lines += 1;
        }
        *parsed > start
    }

    /// The bytes of an id.
    pub(crate) fn bytes(&self, id: &Range<u32>) -> &[u8] {
        &self.text[id.start as usize..id.end as usize]
    }

    /// The column, from 1, that a place in the text has in the file.
    pub(crate) fn column(&self, place: u32) -> usize {
        let place = place as usize;
        let line = memchr::memrchr(b'\n', &self.text[..place]).map_or(0, |newline| newline + 1);
        column(&self.text, line, place, self.queries_given)
    }

    /// The rows in order, as runs of the same query.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        std::iter::from_fn(move || {
            let qid = self.bytes(&self.rows.get(start)?.qid);
            let len = self.rows[start..].iter().take_while(|row| self.bytes(&row.qid) == qid).count();
            let run = start..start + len;
            start = run.end;
            Some(run)
        })
    }
}

/// A parsed line.
enum Line {
    Row(Row),
    /// A blank line or a comment, with the start of the next line.
    Nothing(usize),
    /// A row that would make the matrix too large.
    TooMuch,
}

/// The destination of values.
struct Sink<'a> {
    grades: &'a mut Grades,
    matrix: &'a mut Matrix,
    long: &'a mut Vec<Long>,
    every: bool,
    line: u32,
}

impl Sink<'_> {
    /// Forgets the rows from `rows` on, and the long values from `long` on.
    #[cold]
    fn forget(&mut self, rows: usize, long: usize) {
        self.grades.truncate(rows);
        self.matrix.truncate(rows);
        self.long.truncate(long);
    }
}

/// Parses the line at `start`.
fn parse_line(
    text: &[u8],
    start: usize,
    options: &ReadOptions,
    values: &impl Values,
    sink: &mut Sink<'_>,
) -> Result<Line, Wrong> {
    let Sink { grades, matrix, long, every, line } = sink;
    let (matrix, line, every) = (&mut **matrix, *line, *every);
    let mut at = skip_blanks(text, start);
    if matches!(text[at], b'\n' | b'#' | b'\r') {
        return pass_over(text, at);
    }
    let end = read_grade(text, at, grades)?;
    let qid = read_qid(text, skip_blanks(text, end))?;
    at = qid.end;

    if matrix.rows() > 0 && matrix.bytes_with(0) > MOST_MATRIX_BYTES {
        return Ok(Line::TooMuch);
    }
    matrix.push_row();
    let features = options.most_features();
    let first = at;
    let mut slots = 0; // above all slots so far
    let mut missing = false;
    // In a line whose ids do not rise, the place of the first id that occurs twice.
    let mut repeated = None;
    let doc_id = loop {
        at = skip_blanks(text, at);
        let token = at;
        let mut id: u32 = 0;
        loop {
            let digit = text[at].wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            id = id.wrapping_mul(10).wrapping_add(u32::from(digit));
            at += 1;
        }
        if at == token || text[at] != b':' {
            match text[token] {
                b'\n' => break token..token,
                b'#' => break read_comment(text, token)?,
                b'\r' if ends_line(text, token) => break token..token,
                _ => return Err((token, ReadErrorKind::Feature { found: shown(text, token) })),
            }
        }
        if at - token > 9 && significant(&text[token..at]).len() > 9 {
            return Err((token, too_high(text, token..at, features, options)));
        }
        let Some(slot) = id.checked_sub(options.first_feature_id) else {
            return Err((token, ReadErrorKind::BelowFirst { id, first: options.first_feature_id }));
        };
        let slot = slot as usize;
        if slot >= features {
            return Err((token, too_high(text, token..at, features, options)));
        }
        if slot < slots && Some(token) == *repeated.get_or_insert_with(|| first_repeated(text, first)) {
            return Err((token, ReadErrorKind::Repeated { id }));
        }
        slots = slots.max(slot + 1);
        at += 1;
        let value = match values.decimal(text, at, slot) {
            Some((number, end)) if ends_value(text[end]) => {
                at = end;
                if number.long || every {
                    note(long, line, slot, number);
                }
                number.value
            }
            _ => {
                let end = value_end(text, at);
                let value = match values.slow(&text[at..end], slot) {
                    Slow::Number(number) => {
                        if number.long || every {
                            note(long, line, slot, number);
                        }
                        number.value
                    }
                    Slow::Bad => return Err((at, ReadErrorKind::Value { id, found: shown(text, at) })),
                    Slow::Missing => match values.missing() {
                        Filled::Refused => return Err((at, ReadErrorKind::Missing { id, found: shown(text, at) })),
                        Filled::Now(value) => value,
                        Filled::Later => {
                            missing = true;
                            f32::NAN
                        }
                    },
                };
                at = end;
                value
            }
        };
        if slot >= matrix.stride() && matrix.rows() > 1 && matrix.bytes_with(slots) > MOST_MATRIX_BYTES {
            return Ok(Line::TooMuch);
        }
        matrix.set(slot, value);
    };
    matrix.use_width(slots);
    let short = |range: Range<usize>| range.start as u32..range.end as u32;
    let (width, end) = (slots as u32, next_line(text, at) as u32);
    let unsorted = repeated.is_some();
    Ok(Line::Row(Row { missing, unsorted, line: 0, end, width, qid: short(qid), doc_id: short(doc_id) }))
}

/// Passes over a blank line or a comment. A carriage return within the line is an error: the writer
/// may have meant it to end the line, and rows would be lost.
fn pass_over(text: &[u8], at: usize) -> Result<Line, Wrong> {
    let next = next_line(text, at);
    match inner_return(text, at..next - 1) {
        Some(place) => Err((place, ReadErrorKind::CarriageReturns)),
        None => Ok(Line::Nothing(next)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn block(text: &str, options: &ReadOptions) -> Block {
        let mut block = Block { text: text.as_bytes().to_vec(), ..Block::default() };
        block.parse(options, AfterFault::Stop);
        block
    }

    pub(super) fn fault(text: &str, options: &ReadOptions) -> (u32, usize, String) {
        let fault = block(text, options).faults.pop().expect("a fault");
        (fault.line + 1, fault.column, fault.kind.to_string())
    }

    #[test]
    fn one_line() {
        let block = block("2 qid:q7 1:0.5 3:-2 # docid = D1 inc = 1\n", &ReadOptions::default());
        let row = &block.rows[0];
        assert_eq!(
            (block.grades.numbers()[0], block.bytes(&row.qid), block.bytes(&row.doc_id)),
            (2, &b"q7"[..], &b"D1"[..])
        );
        assert_eq!(block.matrix.finish(), (vec![0.5, 0.0, -2.0], 3));
    }

    #[test]
    fn blanks_tabs_crlf_comments_and_blank_lines() {
        let text = "# head\r\n\n  \t\r\n  1\t qid:a  \t 2:1e1\t#x y \r\n0 qid:a 1:1\r\n0 qid:b\n";
        let block = block(text, &ReadOptions::default());
        assert!(block.faults.is_empty());
        let lines: Vec<u32> = block.rows.iter().map(|row| row.line + 1).collect();
        assert_eq!((lines, block.lines), (vec![4, 5, 6], 6));
        assert_eq!(block.bytes(&block.rows[0].doc_id), b"x y");
        assert_eq!(block.runs().collect::<Vec<_>>(), [0..2, 2..3]);
        assert_eq!(block.matrix.finish(), (vec![0.0, 10.0, 1.0, 0.0, 0.0, 0.0], 2));
    }

    #[test]
    fn rows_before_a_fault_are_kept() {
        let block = block("1 qid:1 1:3\n0 qid:1 1:3 x\n0 qid:2 1:1\n", &ReadOptions::default());
        assert_eq!((block.rows.len(), block.matrix.rows()), (1, 1));
    }

    #[test]
    fn a_block_that_would_be_too_large_is_parsed_in_pieces() {
        let text = "0 qid:1 1:1\n".repeat(100) + &"0 qid:2 100000:2\n".repeat(100);
        let mut block = Block { text: text.into_bytes(), ..Block::default() };
        let options = ReadOptions::default();
        block.parse(&options, AfterFault::Stop);
        let (mut rows, mut pieces) = (0, 0);
        loop {
            assert!(block.matrix.bytes_with(0) <= MOST_MATRIX_BYTES + (9 << 20) && !block.rows.is_empty());
            assert_eq!(block.rows[0].line as usize, rows);
            (rows, pieces) = (rows + block.rows.len(), pieces + 1);
            assert_eq!(block.lines as usize, rows);
            if !block.parse_on(&options, AfterFault::Stop) {
                break;
            }
        }
        assert!(rows == 200 && pieces > 4, "{rows} rows in {pieces} pieces");
    }
}
