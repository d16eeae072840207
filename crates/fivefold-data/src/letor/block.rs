//! The inner loop of the reader: a block of whole lines to rows, in one pass over the bytes.
//!
//! Index, colon and value are read by one fused loop; nothing is split into tokens first. A block keeps its text, so rows
//! refer to ids by position and copy nothing. Blocks know nothing of each other and can be parsed in parallel; what
//! concerns whole queries is checked when they are put together, in file order.

use std::ops::Range;

use super::error::ReadErrorKind;
use super::number::{self, Slow};
use super::{Coding, Missing, ReadOptions};
use crate::matrix::Matrix;

/// A block whose matrix would be larger is parsed in pieces: a text of short lines with high ids is a thousand times as large when
/// it is dense.
const MOST_MATRIX_BYTES: usize = 2 << 20;

/// One document of a block.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) grade: u8,
    /// Whether a value is missing (NaN in the matrix, to be filled when the query is complete).
    pub(crate) missing: bool,
    /// Line within the block, from 0.
    pub(crate) line: u32,
    /// Where the next line starts in the text.
    pub(crate) end: u32,
    /// Places up to the highest feature of the line.
    pub(crate) width: u32,
    /// The query id in the text.
    pub(crate) qid: Range<u32>,
    /// The document id in the text; empty where there is none.
    pub(crate) doc_id: Range<u32>,
}

/// What stopped a block.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Line within the block, from 0.
    pub(crate) line: u32,
    /// Column from 1, in bytes.
    pub(crate) column: usize,
    pub(crate) kind: ReadErrorKind,
}

/// Whole lines of a file, and the rows found in them.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Whole lines; the last byte is a newline.
    pub(crate) text: Vec<u8>,
    pub(crate) rows: Vec<Row>,
    /// Their features.
    pub(crate) matrix: Matrix,
    /// Lines of the text, as far as it was parsed.
    pub(crate) lines: u32,
    /// How much of the text was parsed.
    pub(crate) parsed: usize,
    /// Lines that are no rows, in order.
    pub(crate) faults: Vec<Fault>,
}

/// What becomes of the lines after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterFault {
    /// They are not looked at.
    Stop,
    /// They are parsed.
    GoOn,
}

impl Block {
    /// Parses the text up to a fault, its end, or the largest matrix of a block.
    pub(crate) fn parse(&mut self, options: &ReadOptions, after_fault: AfterFault) {
        (self.lines, self.parsed) = (0, 0);
        self.parse_on(options, after_fault);
    }

    /// Parses what the largest matrix of a block left; former rows are forgotten. False if nothing was left.
    pub(crate) fn parse_on(&mut self, options: &ReadOptions, after_fault: AfterFault) -> bool {
        self.parse_values(&AsWritten(options.missing), options, after_fault)
    }

    /// [`parse_on`](Self::parse_on), to codes in place of values where there are any.
    pub(crate) fn parse_coded(&mut self, coding: Option<Coding<'_>>, options: &ReadOptions) -> bool {
        match coding {
            Some(coding) => self.parse_values(&coding, options, AfterFault::Stop),
            None => self.parse_on(options, AfterFault::Stop),
        }
    }

    fn parse_values(&mut self, values: &impl Values, options: &ReadOptions, after_fault: AfterFault) -> bool {
        let Block { text, rows, matrix, lines, parsed, faults } = self;
        rows.clear();
        matrix.clear();
        faults.clear();
        let start = *parsed;
        while *parsed < text.len() {
            match parse_line(text, *parsed, options, values, matrix) {
                Ok(Line::Row(row)) => {
                    *parsed = row.end as usize;
                    rows.push(Row { line: *lines, ..row });
                }
                Ok(Line::Nothing(next)) => *parsed = next,
                Ok(Line::TooMuch) => {
                    matrix.truncate(rows.len());
                    return true;
                }
                Err((at, kind)) => {
                    matrix.truncate(rows.len());
                    let kind =
                        if ends_by_carriage_returns(text, *parsed) { ReadErrorKind::CarriageReturns } else { kind };
                    faults.push(Fault { line: *lines, column: at - *parsed + 1, kind });
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

    /// The column, from 1, of a place in the text.
    pub(crate) fn column(&self, place: u32) -> usize {
        let before = &self.text[..place as usize];
        before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1) + 1
    }

    /// The rows as runs of one query each, in order.
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

/// A place in the text and what is wrong there.
type Wrong = (usize, ReadErrorKind);

/// A line.
enum Line {
    Row(Row),
    /// A blank line or a comment, and where the next line starts.
    Nothing(usize),
    /// A row that would make the matrix too large.
    TooMuch,
}

/// Parses the line at `start`.
fn parse_line(
    text: &[u8],
    start: usize,
    options: &ReadOptions,
    values: &impl Values,
    matrix: &mut Matrix,
) -> Result<Line, Wrong> {
    let mut at = skip_blanks(text, start);
    if text[at] == b'\n' || text[at] == b'#' {
        return Ok(Line::Nothing(next_line(text, at)));
    }
    let (grade, end) = read_grade(text, at, options)?;
    let qid = read_qid(text, skip_blanks(text, end))?;
    at = qid.end;

    if matrix.rows() > 0 && matrix.bytes_with(0) > MOST_MATRIX_BYTES {
        return Ok(Line::TooMuch);
    }
    matrix.push_row();
    let features = options.most_features();
    let mut slots = 0; // the lowest slot that may come next
    let mut missing = false;
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
                b'#' => break read_comment(text, token),
                _ => return Err((token, ReadErrorKind::Feature { found: shown(text, token) })),
            }
        }
        if at - token > 9 {
            return Err((token, too_high(text, token..at, features, options)));
        }
        let Some(slot) = id.checked_sub(options.first_feature_id) else {
            return Err((token, ReadErrorKind::BelowFirst { id, first: options.first_feature_id }));
        };
        let slot = slot as usize;
        if slot >= features {
            return Err((token, too_high(text, token..at, features, options)));
        }
        if slot < slots {
            let previous = slots as u32 - 1 + options.first_feature_id;
            return Err((token, ReadErrorKind::Order { id, previous }));
        }
        slots = slot + 1;
        at += 1;
        let value = match values.decimal(text, at, slot) {
            Some((value, end)) if ends_token(text[end]) => {
                at = end;
                value
            }
            _ => {
                let end = token_end(text, at);
                let value = match values.slow(&text[at..end], slot) {
                    Slow::Number(value) => value,
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
    Ok(Line::Row(Row { grade, missing, line: 0, end, width, qid: short(qid), doc_id: short(doc_id) }))
}

/// What stands in the matrix for a value of the text.
trait Values {
    /// See [`number::decimal`].
    fn decimal(&self, text: &[u8], at: usize, slot: usize) -> Option<(f32, usize)>;
    /// See [`number::slow`].
    fn slow(&self, token: &[u8], slot: usize) -> Slow;
    /// What stands there for a missing one.
    fn missing(&self) -> Filled;
}

/// A missing value.
enum Filled {
    Refused,
    Now(f32),
    /// When the query is complete.
    Later,
}

impl Missing {
    fn filled(self) -> Filled {
        match self {
            Missing::Error => Filled::Refused,
            Missing::Zero => Filled::Now(0.0),
            Missing::QueryMin => Filled::Later,
        }
    }
}

/// The nearest `f32`.
struct AsWritten(Missing);

impl Values for AsWritten {
    #[inline(always)]
    fn decimal(&self, text: &[u8], at: usize, _slot: usize) -> Option<(f32, usize)> {
        number::decimal(text, at)
    }

    #[inline(always)]
    fn slow(&self, token: &[u8], _slot: usize) -> Slow {
        number::slow(token)
    }

    fn missing(&self) -> Filled {
        self.0.filled()
    }
}

/// The code of the nearest `f64`.
impl Values for Coding<'_> {
    fn decimal(&self, text: &[u8], at: usize, slot: usize) -> Option<(f32, usize)> {
        number::decimal_f64(text, at).map(|(value, end)| (self.codes.code(slot, value), end))
    }

    fn slow(&self, token: &[u8], slot: usize) -> Slow {
        match number::slow(token) {
            Slow::Number(value) => Slow::Number(self.codes.code(slot, value)),
            Slow::Missing => Slow::Missing,
            Slow::Bad => Slow::Bad,
        }
    }

    fn missing(&self) -> Filled {
        self.missing.map_or(Filled::Now(f32::NAN), Missing::filled)
    }
}

#[inline(always)]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(text[at], b' ' | b'\t' | b'\r') {
        at += 1;
    }
    at
}

#[inline(always)]
fn ends_token(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'#')
}

/// Where the token at `at` ends: at a blank, a `#` or the end of the line.
fn token_end(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| !ends_token(byte)).count()
}

/// The end of the token of a query id, which may hold a `#`.
fn blank(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count()
}

fn next_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1)
}

/// Whether the line at `start` has a carriage return that does not end it, but may have been meant to.
#[cold]
fn ends_by_carriage_returns(text: &[u8], start: usize) -> bool {
    let line = &text[start..next_line(text, start) - 1];
    memchr::memchr(b'\r', line.strip_suffix(b"\r").unwrap_or(line)).is_some()
}

/// The token at `at`, cut short and made printable for a message.
#[cold]
fn shown(text: &[u8], at: usize) -> String {
    const LONGEST: usize = 40;
    let token = &text[at..blank(text, at)];
    let cut = &token[..token.len().min(LONGEST)];
    let dots = if cut.len() < token.len() { "..." } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(cut).escape_debug())
}

#[cold]
fn too_high(text: &[u8], token: Range<usize>, features: usize, options: &ReadOptions) -> ReadErrorKind {
    let id = std::str::from_utf8(&text[token]).ok().and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX);
    let last = features as u64 + u64::from(options.first_feature_id);
    ReadErrorKind::AboveLast { id, last: last.saturating_sub(1) }
}

/// A grade is a whole number, however written (`2`, `2.0`): SVMlight writers give either.
fn read_grade(text: &[u8], at: usize, options: &ReadOptions) -> Result<(u8, usize), Wrong> {
    let highest = options.highest_grade();
    let end = token_end(text, at);
    let grade = match &text[at..end] {
        [digit @ b'0'..=b'9'] => f64::from(digit - b'0'),
        token => fast_float2::parse::<f64, _>(token).unwrap_or(f64::NAN),
    };
    if grade.fract() == 0.0 && (0.0..=f64::from(highest)).contains(&grade) {
        Ok((grade as u8, end))
    } else {
        Err((at, ReadErrorKind::Grade { found: shown(text, at), highest }))
    }
}

/// The place of the id in `qid:TOKEN`.
fn read_qid(text: &[u8], at: usize) -> Result<Range<usize>, Wrong> {
    let end = blank(text, at);
    if text[at..end].starts_with(b"qid:") && end > at + 4 {
        return Ok(at + 4..end);
    }
    let found = if at == end { "the end of the line".to_owned() } else { format!("`{}`", shown(text, at)) };
    Err((at, ReadErrorKind::Qid { found }))
}

/// The document id of a comment that starts at `at`: X of `docid = X`, else the comment without blanks at its ends.
fn read_comment(text: &[u8], at: usize) -> Range<usize> {
    let line_end = next_line(text, at) - 1;
    let trim = |range: Range<usize>| {
        let bytes = &text[range.clone()];
        let start = range.start + (bytes.len() - bytes.trim_ascii_start().len());
        start..start + bytes.trim_ascii().len()
    };
    let comment = trim(at + 1..line_end);
    let Some(rest) = text[comment.clone()].strip_prefix(b"docid") else { return comment };
    let after = trim(comment.end - rest.len()..comment.end);
    if text[after.clone()].first() != Some(&b'=') {
        return comment;
    }
    let value = trim(after.start + 1..comment.end);
    value.start..blank(text, value.start).min(value.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str, options: &ReadOptions) -> Block {
        let mut block = Block { text: text.as_bytes().to_vec(), ..Block::default() };
        block.parse(options, AfterFault::Stop);
        block
    }

    fn fault(text: &str, options: &ReadOptions) -> (u32, usize, String) {
        let fault = block(text, options).faults.pop().expect("a fault");
        (fault.line + 1, fault.column, fault.kind.to_string())
    }

    #[test]
    fn one_line() {
        let block = block("2 qid:q7 1:0.5 3:-2 # docid = D1 inc = 1\n", &ReadOptions::default());
        let row = &block.rows[0];
        assert_eq!((row.grade, block.bytes(&row.qid), block.bytes(&row.doc_id)), (2, &b"q7"[..], &b"D1"[..]));
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
    fn document_ids_of_comments() {
        for (comment, id) in [
            ("#docid = GX008-86-4444840 inc = 1 prob = 0.086622", "GX008-86-4444840"),
            ("# docid = X", "X"),
            ("# docid = X inc = 1", "X"),
            ("#docid=X\t", "X"),
            ("# docid", "docid"),
            ("# docidx = 3", "docidx = 3"),
            ("#  some text ", "some text"),
            ("#", ""),
            ("# docid = ", ""),
        ] {
            let block = block(&format!("0 qid:1 1:2{comment}\n"), &ReadOptions::default());
            assert_eq!(std::str::from_utf8(block.bytes(&block.rows[0].doc_id)), Ok(id), "{comment}");
        }
    }

    #[test]
    fn grades() {
        for (text, grade) in [("0", 0), ("30", 30), ("2.0", 2), ("007", 7), ("1e1", 10)] {
            assert_eq!(block(&format!("{text} qid:1\n"), &ReadOptions::default()).rows[0].grade, grade, "{text}");
        }
        for text in ["-1", "31", "1.5", "nan", "inf", "x", "0x1", "1:2"] {
            let found = fault(&format!("\n {text} qid:1\n"), &ReadOptions::default());
            assert_eq!(found, (2, 2, format!("grade `{text}` is not a whole number from 0 to 30")));
        }
        let options = ReadOptions { max_grade: Some(2), ..ReadOptions::default() };
        assert_eq!(fault("3 qid:1\n", &options).2, "grade `3` is not a whole number from 0 to 2");
    }

    #[test]
    fn faults_name_line_and_column() {
        let cases = [
            ("0\n", 2, "found the end of the line where `qid:` and the query's id belong"),
            ("0 1:0.5\n", 3, "found `1:0.5` where `qid:` and the query's id belong"),
            ("0 qid: 1:0.5\n", 3, "found `qid:` where `qid:` and the query's id belong"),
            ("0 qid:1 x\n", 9, "found `x` where a feature `id:value` belongs"),
            ("0 qid:1 1 2\n", 9, "found `1` where a feature `id:value` belongs"),
            ("0 qid:1 -1:2\n", 9, "found `-1:2` where a feature `id:value` belongs"),
            ("0 qid:1 0:2\n", 9, "feature id 0 is below the first id, 1"),
            ("0 qid:1 1:2 1:3\n", 13, "feature id 1 follows 1: ids must increase along the line"),
            ("0 qid:1 3:2 2:3\n", 13, "feature id 2 follows 3: ids must increase along the line"),
            ("0 qid:1 1:\n", 11, "value `` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1: 5\n", 11, "value `` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:inf\n", 11, "value `inf` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:1e39\n", 11, "value `1e39` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 7:0.5x\n", 11, "value `0.5x` of feature 7 is not a finite number that fits 32 bits"),
            ("0 qid:1 7:NULL\n", 11, "feature 7 is missing (`NULL`)"),
            ("0 qid:1 100001:1\n", 9, "feature id 100001 is above the last id possible here, 100000"),
            ("0 qid:1 4294967298:1\n", 9, "feature id 4294967298 is above the last id possible here, 100000"),
        ];
        for (text, column, message) in cases {
            let found = fault(&format!("1 qid:1 2:3\n\n{text}"), &ReadOptions::default());
            assert_eq!(found, (3, column, message.to_owned()), "{text}");
        }
        let declared = ReadOptions { features: Some(2), first_feature_id: 0, ..ReadOptions::default() };
        assert_eq!(fault("0 qid:1 0:1 2:1\n", &declared).2, "feature id 2 is above the last id possible here, 1");
    }

    #[test]
    fn rows_before_a_fault_are_kept() {
        let block = block("1 qid:1 1:3\n0 qid:1 1:3 x\n0 qid:2 1:1\n", &ReadOptions::default());
        assert_eq!((block.rows.len(), block.matrix.rows()), (1, 1));
    }

    #[test]
    fn lint_goes_on_after_a_fault() {
        let mut block = Block { text: b"1 qid:1 1:3\n0 qid:1 1:3 x\n0 qid:2 1:1\nx\n".to_vec(), ..Block::default() };
        block.parse(&ReadOptions::default(), AfterFault::GoOn);
        let lines = (block.rows.iter().map(|row| row.line), block.faults.iter().map(|fault| fault.line));
        assert_eq!((lines.0.collect::<Vec<_>>(), lines.1.collect::<Vec<_>>()), (vec![0, 2], vec![1, 3]));
        assert_eq!((block.matrix.rows(), block.lines, block.parsed), (2, 4, block.text.len()));
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

    #[test]
    fn carriage_returns_that_end_lines_are_named() {
        let found = fault("1 qid:1 1:3\r0 qid:1 1:2\r", &ReadOptions::default());
        assert_eq!((found.1, found.2.as_str()), (13, "lines end with carriage returns only"));
    }

    #[test]
    fn missing_values() {
        let text = "0 qid:1 1:NULL 2:nan 3:1\n";
        let zero = block(text, &ReadOptions { missing: Missing::Zero, ..ReadOptions::default() });
        assert_eq!(zero.matrix.finish(), (vec![0.0, 0.0, 1.0], 3));
        let minimum = block(text, &ReadOptions { missing: Missing::QueryMin, ..ReadOptions::default() });
        assert!(minimum.rows[0].missing && minimum.matrix.finish().0[0].is_nan());
    }
}
