//! The inner loop of the reader: a block of whole lines to rows, in one pass over the bytes.
//!
//! Index, colon and value are read by one fused loop; nothing is split into tokens first. A block keeps its text, so rows
//! refer to ids by position and copy nothing. Blocks know nothing of each other and can be parsed in parallel; what
//! concerns whole queries is checked when they are put together, in file order.
//!
//! What is rare costs the usual line nothing: odd characters are looked for in ids, and elsewhere once a line was found wrong;
//! repeated features once the ids of a line do not rise; a `#` within a number once a value does not end at a blank.

use std::ops::Range;

use super::error::ReadErrorKind;
use super::number::{self, Number, Slow};
use super::{Coding, Missing, ReadOptions};
use crate::matrix::Matrix;
use crate::text::{find_odd, find_odd_in_name, is_msvc_nan};

/// A block whose matrix would be larger is parsed in pieces: a text of short lines with high ids is a thousand times as large when
/// it is dense.
const MOST_MATRIX_BYTES: usize = 2 << 20;

/// One document of a block.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) grade: u8,
    /// Whether a value is missing (NaN in the matrix, to be filled when the query is complete).
    pub(crate) missing: bool,
    /// Whether the ids of its features do not rise along the line.
    pub(crate) unsorted: bool,
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

/// A value of many digits, which another value may be equal to when it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Long {
    /// The place of its feature.
    pub(crate) slot: u32,
    /// Line within the block, from 0.
    pub(crate) line: u32,
    /// As it is stored.
    pub(crate) value: f32,
    /// The nearest `f64`.
    pub(crate) exact: f64,
    /// Whether `value` does not round back to the digits of the text.
    pub(crate) loses: bool,
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
    /// Values of many digits, of `every_value` all.
    pub(crate) long: Vec<Long>,
    pub(crate) every_value: bool,
    /// Whether the queries in the text are not the file's, but those of group sizes beside it.
    pub(crate) queries_given: bool,
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
        let Block { text, rows, matrix, lines, parsed, faults, long, every_value, queries_given } = self;
        rows.clear();
        matrix.clear();
        faults.clear();
        long.clear();
        let mut sink = Sink { matrix, long, every: *every_value, line: 0 };
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

/// Where values go.
struct Sink<'a> {
    matrix: &'a mut Matrix,
    long: &'a mut Vec<Long>,
    every: bool,
    line: u32,
}

impl Sink<'_> {
    /// Forgets the rows from `rows` on, and the long values from `long` on.
    #[cold]
    fn forget(&mut self, rows: usize, long: usize) {
        self.matrix.truncate(rows);
        self.long.truncate(long);
    }
}

/// Keeps a value that others may be equal to.
#[inline(never)]
fn note(long: &mut Vec<Long>, line: u32, slot: usize, number: Number) {
    let Number { value, exact, loses, .. } = number;
    long.push(Long { slot: slot as u32, line, value, exact, loses });
}

/// Parses the line at `start`.
fn parse_line(
    text: &[u8],
    start: usize,
    options: &ReadOptions,
    values: &impl Values,
    sink: &mut Sink<'_>,
) -> Result<Line, Wrong> {
    let Sink { matrix, long, every, line } = sink;
    let (matrix, line, every) = (&mut **matrix, *line, *every);
    let mut at = skip_blanks(text, start);
    if matches!(text[at], b'\n' | b'#' | b'\r') {
        return pass_over(text, at);
    }
    let (grade, end) = read_grade(text, at, options)?;
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
    let mut repeated = None; // of a line whose ids do not rise: the place of the first id that stands there twice, if any
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
    Ok(Line::Row(Row { grade, missing, unsorted, line: 0, end, width, qid: short(qid), doc_id: short(doc_id) }))
}

/// What stands in the matrix for a value of the text.
trait Values {
    /// See [`number::decimal`].
    fn decimal(&self, text: &[u8], at: usize, slot: usize) -> Option<(Number, usize)>;
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
    fn decimal(&self, text: &[u8], at: usize, _slot: usize) -> Option<(Number, usize)> {
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

/// The code of the nearest `f64`, which loses nothing that the model would see.
impl Coding<'_> {
    fn coded(&self, exact: f64, slot: usize) -> Number {
        Number { value: self.codes.code(slot, exact), exact, loses: false, long: false }
    }
}

impl Values for Coding<'_> {
    fn decimal(&self, text: &[u8], at: usize, slot: usize) -> Option<(Number, usize)> {
        number::decimal_f64(text, at).map(|(exact, end)| (self.coded(exact, slot), end))
    }

    fn slow(&self, token: &[u8], slot: usize) -> Slow {
        match number::slow_f64(token) {
            Slow::Number(exact) => Slow::Number(self.coded(exact, slot)),
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
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Whether a byte ends a value; a `#` may do so too, see [`value_end`].
#[inline(always)]
fn ends_value(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// The end of the token at `at`, which may hold a `#`.
fn blank(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| !ends_value(byte)).count()
}

/// Where the value at `at` ends: at a blank, or at the `#` of a comment. After a point a `#` is part of it: `1.#QNAN`.
#[cold]
fn value_end(text: &[u8], at: usize) -> usize {
    let end = blank(text, at);
    match memchr::memchr(b'#', &text[at..end]) {
        Some(before) if before == 0 || text[at + before - 1] != b'.' => at + before,
        _ => end,
    }
}

fn next_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1)
}

/// Whether nothing but carriage returns stands between `at` and the end of the line.
fn ends_line(text: &[u8], at: usize) -> bool {
    text[at..].iter().find(|&&byte| byte != b'\r') == Some(&b'\n')
}

/// A blank line or a comment. A carriage return within may have been meant to end the line, and rows would be lost.
fn pass_over(text: &[u8], at: usize) -> Result<Line, Wrong> {
    let next = next_line(text, at);
    match inner_return(text, at..next - 1) {
        Some(place) => Err((place, ReadErrorKind::CarriageReturns)),
        None => Ok(Line::Nothing(next)),
    }
}

/// The first carriage return of the rest of a line, without those that end it.
fn inner_return(text: &[u8], rest: Range<usize>) -> Option<usize> {
    let place = rest.start + memchr::memchr(b'\r', &text[rest])?;
    (!ends_line(text, place)).then_some(place)
}

/// What is wrong where an odd character, or a carriage return within the line, made it so.
#[cold]
fn clearer(text: &[u8], (at, kind): Wrong) -> Wrong {
    let end = blank(text, at);
    match find_odd(&text[at..end]) {
        Some((place, character)) => (at + place, ReadErrorKind::Odd { character }),
        None if text[end] == b'\r' && !ends_line(text, end) => (end, ReadErrorKind::CarriageReturns),
        None => (at, kind),
    }
}

/// The column, from 1, that a place has in the file; queries that stand in the text alone are not counted.
fn column(text: &[u8], line: usize, place: usize, queries_given: bool) -> usize {
    let column = place - line + 1;
    let grade = skip_blanks(text, line);
    if !queries_given || matches!(text[grade], b'\n' | b'#' | b'\r') {
        return column;
    }
    let given = blank(text, grade);
    let end = blank(text, given + 1);
    match place {
        _ if place >= end => column - (end - given),
        _ => column.min(given - line + 1),
    }
}

/// The digits of an id without zeros before them.
fn significant(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|&&byte| byte == b'0').count()..]
}

/// The place of the first id in the features from `at` on that stands there before. What is no feature ends the search, since it is
/// found wrong when it is read.
#[cold]
fn first_repeated(text: &[u8], mut at: usize) -> Option<usize> {
    let mut ids: Vec<(&[u8], usize)> = Vec::new();
    loop {
        at = skip_blanks(text, at);
        let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || text[at + digits] != b':' {
            break;
        }
        ids.push((significant(&text[at..at + digits]), at));
        at = value_end(text, at + digits + 1);
    }
    ids.sort_unstable();
    ids.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min()
}

/// The token at `at`, cut short and made printable for a message.
#[cold]
fn shown(text: &[u8], at: usize) -> String {
    cut(&text[at..blank(text, at)])
}

fn cut(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let cut = &token[..token.len().min(LONGEST)];
    let dots = if cut.len() < token.len() { "..." } else { "" };
    format!("{}{dots}", String::from_utf8_lossy(cut).escape_debug())
}

#[cold]
fn too_high(text: &[u8], token: Range<usize>, features: usize, options: &ReadOptions) -> ReadErrorKind {
    let last = features as u64 + u64::from(options.first_feature_id);
    ReadErrorKind::AboveLast { id: cut(significant(&text[token])), last: last.saturating_sub(1) }
}

/// A grade is a whole number, however written (`2`, `2.0`): SVMlight writers give either.
fn read_grade(text: &[u8], at: usize, options: &ReadOptions) -> Result<(u8, usize), Wrong> {
    let highest = options.highest_grade();
    let end = blank(text, at);
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
    let id = text[at..end].strip_prefix(b"qid:").unwrap_or_default();
    if !id.is_empty() && !is_msvc_nan(id) {
        return match find_odd(id) {
            Some((place, character)) => Err((at + 4 + place, ReadErrorKind::Odd { character })),
            None => Ok(at + 4..end),
        };
    }
    let found = if at == end { "the end of the line".to_owned() } else { format!("`{}`", shown(text, at)) };
    Err((at, ReadErrorKind::Qid { found }))
}

/// The document id of a comment that starts at `at`: X of `docid = X`, else the comment without blanks at its ends.
fn read_comment(text: &[u8], at: usize) -> Result<Range<usize>, Wrong> {
    let line_end = next_line(text, at) - 1;
    if let Some(place) = inner_return(text, at..line_end) {
        return Err((place, ReadErrorKind::CarriageReturns));
    }
    let trim = |range: Range<usize>| {
        let is_blank = |&&byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
        let start = range.start + text[range.clone()].iter().take_while(is_blank).count();
        start..range.end - text[start..range.end].iter().rev().take_while(is_blank).count()
    };
    let refuse = |found: Option<(usize, char)>, start: usize| {
        found.map_or(Ok(()), |(place, character)| Err((start + place, ReadErrorKind::Odd { character })))
    };
    let comment = trim(at + 1..line_end);
    let rest = text[comment.clone()].strip_prefix(b"docid").map(|rest| trim(comment.end - rest.len()..comment.end));
    if let Some(after) = rest.as_ref().filter(|after| text[(*after).clone()].first() == Some(&b'=')) {
        let value = trim(after.start + 1..comment.end);
        let id = value.start..blank(text, value.start).min(value.end);
        refuse(find_odd(&text[id.clone()]), id.start)?;
        return Ok(id);
    }
    // An odd blank must not hide `docid =`; and what is not so begun is a name.
    if let Some(after) = rest {
        refuse(find_odd(&text[after.clone()]).filter(|(place, _)| *place == 0), after.start)?;
    }
    refuse(find_odd_in_name(&text[comment.clone()]), comment.start)?;
    Ok(comment)
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
            ("0 qid:1 1:2 1:3\n", 13, "feature id 1 stands on the line twice"),
            ("0 qid:1 3:2 2:3 4:1 3:3 2:1\n", 21, "feature id 3 stands on the line twice"),
            ("0 qid:1 3:2 2:x 3:3\n", 15, "value `x` of feature 2 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:\n", 11, "value `` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1: 5\n", 11, "value `` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:inf\n", 11, "value `inf` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 1:1e39\n", 11, "value `1e39` of feature 1 is not a finite number that fits 32 bits"),
            ("0 qid:1 7:0.5x\n", 11, "value `0.5x` of feature 7 is not a finite number that fits 32 bits"),
            ("0 qid:1 7:NULL\n", 11, "feature 7 is missing (`NULL`)"),
            ("0 qid:1 100001:1\n", 9, "feature id 100001 is above the last id possible here, 100000"),
            ("0 qid:1 4294967298:1\n", 9, "feature id 4294967298 is above the last id possible here, 100000"),
            (
                "0 qid:1 018446744073709551617:1\n",
                9,
                "feature id 18446744073709551617 is above the last id possible here, 100000",
            ),
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

    /// Lines of an old Mac, whole and after the first; rows behind a comment would be lost.
    #[test]
    fn carriage_returns_within_lines_are_refused() {
        let named = "found a carriage return within the line".to_owned();
        for (text, column) in [
            ("1 qid:1 1:3\r0 qid:1 1:2\r\n", 12),
            ("# head\r1 qid:1 1:3\n", 7),
            ("1 qid:1 1:3 # a\r0 qid:1 1:2 # b\n", 16),
            ("1 qid:1 1:3 \r 2:1\n", 13),
            ("1\rqid:1 1:3\n", 2),
            ("1 qid:1\r1:3\n", 8),
            ("\r1 qid:1 1:3\n", 1),
        ] {
            assert_eq!(fault(text, &ReadOptions::default()), (1, column, named.clone()), "{text:?}");
        }
        let ends = block("1 qid:1 1:3\r\r\n\r\n# x\r\r\n0 qid:1\r\n0 qid:1 # d\r\r\n", &ReadOptions::default());
        assert_eq!((ends.rows.len(), ends.faults.len(), ends.bytes(&ends.rows[2].doc_id)), (3, 0, &b"d"[..]));
    }

    /// mosuka/litsea #99: a query id swallowed the features behind a blank that is none.
    #[test]
    fn blanks_other_than_space_and_tab_are_refused_litsea_99() {
        for (text, column, character) in [
            ("1 qid:1\u{b}1:1\n", 8, "U+000B (vertical tab)"),
            ("0 qid:1\u{c}1:0\n", 8, "U+000C (form feed)"),
            ("1 qid:1\u{a0} 1:1\n", 8, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1\u{a0}2:1\n", 12, "U+00A0 (no-break space)"),
            ("1 qid:1 \u{3000}1:1\n", 9, "U+3000 (ideographic space)"),
            ("1\u{2009}qid:1 1:1\n", 2, "U+2009 (thin space)"),
            ("\u{feff}1 qid:1 1:1\n", 1, "U+FEFF (byte order mark)"),
            ("1 qid:q\u{200b} 1:1\n", 8, "U+200B (zero-width space)"),
            ("1 qid:q\u{85} 1:1\n", 8, "U+0085 (next line)"),
            ("1 qid:a\0b 1:1\n", 8, "U+0000 (NUL)"),
            ("1 qid:1 1:1 # docid = D1\u{a0}inc = 1\n", 25, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1 # docid\u{a0}= D1\n", 20, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1 # D1\u{a0}\n", 17, "U+00A0 (no-break space)"),
            ("1 qid:1 1:1 # D1\u{c}D2\n", 17, "U+000C (form feed)"),
        ] {
            let found = fault(text, &ReadOptions::default());
            assert_eq!(found, (1, column, format!("found the character {character}")), "{text:?}");
        }
        // In comments, and within the names that comments give, they do no harm; joiners are parts of words.
        let text =
            "#\u{a0}head\u{b}\n1 qid:\u{645}\u{200c}\u{6cc} 1:1 # docid = D1 inc\u{a0}= 1\n0 qid:2 # prix\u{a0}: 5\n";
        let block = block(text, &ReadOptions::default());
        assert_eq!((block.rows.len(), block.faults.len()), (2, 0));
        assert_eq!(block.bytes(&block.rows[1].doc_id), "prix\u{a0}: 5".as_bytes());
    }

    /// pocoproject/poco #286: what Microsoft's C library wrote for numbers that are none.
    #[test]
    fn a_hash_within_a_value_starts_no_comment_poco_286() {
        let minimum = ReadOptions { missing: Missing::QueryMin, ..ReadOptions::default() };
        let block = block("1 qid:1 1:0.2 2:1.#QNAN 3:0.5\n0 qid:1 1:-1.#IND00 2:0.9#docid = X\n", &minimum);
        let values = block.matrix.clone().finish();
        assert_eq!((values.1, &values.0[2..3], values.0[4]), (3, &[0.5][..], 0.9));
        assert!(values.0[1].is_nan() && values.0[3].is_nan() && block.rows.iter().all(|row| row.missing));
        assert_eq!((block.bytes(&block.rows[0].doc_id), block.bytes(&block.rows[1].doc_id)), (&b""[..], &b"X"[..]));
        for (text, column, message) in [
            ("1 qid:1 2:1.#QNAN 3:1\n", 11, "feature 2 is missing (`1.#QNAN`)"),
            ("1 qid:1 2:1.#INF 3:1\n", 11, "value `1.#INF` of feature 2 is not a finite number that fits 32 bits"),
            ("1 qid:1 2:-1.#J\n", 11, "value `-1.#J` of feature 2 is not a finite number that fits 32 bits"),
            ("1 qid:1 2:7.#c\n", 11, "value `7.#c` of feature 2 is not a finite number that fits 32 bits"),
            ("1.#QNAN qid:1 2:1\n", 1, "grade `1.#QNAN` is not a whole number from 0 to 30"),
            ("1 qid:-1.#IND 2:1\n", 3, "found `qid:-1.#IND` where `qid:` and the query's id belong"),
        ] {
            assert_eq!(fault(text, &ReadOptions::default()), (1, column, message.to_owned()), "{text}");
        }
    }

    /// svmlight's readers take ids in any order.
    #[test]
    fn ids_may_stand_in_any_order_and_have_zeros_before_them() {
        let text = "0 qid:1 3:3 1:1 2:2 # a\n0 qid:1 1:1 2:2\n0 qid:1 2:5 0000000000001:4 3:1\n";
        let block = block(text, &ReadOptions::default());
        assert!(block.faults.is_empty());
        assert_eq!(
            block.rows.iter().map(|row| (row.unsorted, row.width)).collect::<Vec<_>>(),
            [(true, 3), (false, 2), (true, 3)]
        );
        assert_eq!(block.matrix.finish().0, [1.0, 2.0, 3.0, 1.0, 2.0, 0.0, 4.0, 5.0, 1.0]);
    }

    /// Of 100,000 ids that fall along the line each is looked at a few times, not each beside each.
    #[test]
    fn a_long_line_of_falling_ids_is_read() {
        let ids = (1..=100_000).rev().map(|id| format!(" {id}:1")).collect::<String>();
        let block = block(&format!("0 qid:1{ids}\n"), &ReadOptions::default());
        assert!(block.faults.is_empty() && block.matrix.finish().0.iter().all(|&value| value == 1.0));
    }

    #[test]
    fn values_of_many_digits_are_kept_of_rows_alone() {
        let text = "0 qid:1 1:0.5 2:1609459201\n0 qid:1 2:1609459261 x\n0 qid:1 2:1609459200\n";
        let mut block = Block { text: text.as_bytes().to_vec(), ..Block::default() };
        block.parse(&ReadOptions::default(), AfterFault::GoOn);
        let long: Vec<_> = block.long.iter().map(|long| (long.slot, long.line, long.exact, long.loses)).collect();
        assert_eq!(long, [(1, 0, 1_609_459_201.0, true), (1, 2, 1_609_459_200.0, false)]);
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
