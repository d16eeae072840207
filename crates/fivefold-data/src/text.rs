//! Reads text files line by line, and decompresses them on the way. The readers of TREC files and
//! of values per query share this module.

mod usual;

use std::io::{self, BufRead, Read};
use std::path::Path;

use memchr::memchr2;

use crate::input::invalid;
use crate::packed::open_file;
pub(crate) use usual::UsualLine;

/// The longest line. A file with a longer line is probably not text.
pub(crate) const LONGEST_LINE: usize = 1 << 24;

pub(crate) const UTF8_MARK: &str = "\u{feff}";

/// The first bytes of a UTF-16 text, in either byte order.
const UTF16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Refuses a file of UTF-16 text by its first bytes.
pub(crate) fn refuse_utf16(start: &[u8]) -> io::Result<()> {
    match UTF16_MARKS.iter().any(|mark| start.starts_with(mark)) {
        true => Err(invalid("is UTF-16 text; convert it to UTF-8")),
        false => Ok(()),
    }
}

/// Invisible characters that join nothing. Joiners within words, as in Persian or Hindi, are not in
/// this list.
const ZERO_WIDTH: [char; 4] = ['\u{180e}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// Characters with a name that users know.
const NAMES: [(char, &str); 14] = [
    ('\0', "NUL"),
    ('\u{b}', "vertical tab"),
    ('\u{c}', "form feed"),
    ('\r', "carriage return"),
    ('\u{1a}', "end of file of DOS"),
    ('\u{85}', "next line"),
    ('\u{a0}', "no-break space"),
    ('\u{2009}', "thin space"),
    ('\u{200b}', "zero-width space"),
    ('\u{2028}', "line separator"),
    ('\u{202f}', "narrow no-break space"),
    ('\u{2060}', "word joiner"),
    ('\u{3000}', "ideographic space"),
    ('\u{feff}', "byte order mark"),
];

/// Whether programs do not agree on the meaning of a character between fields: all blanks but space
/// and tab, control characters, and invisible characters.
pub(crate) fn is_odd(character: char) -> bool {
    match character {
        ' '..='~' | '\t' => false,
        _ => character.is_control() || character.is_whitespace() || ZERO_WIDTH.contains(&character),
    }
}

/// The first [odd](is_odd) character of some bytes, and its place.
pub(crate) fn find_odd(bytes: &[u8]) -> Option<(usize, char)> {
    // Without a branch, so that many bytes are compared at once.
    if bytes.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~' | b'\t')) {
        return None;
    }
    let mut start = 0;
    bytes.utf8_chunks().find_map(|chunk| {
        let found = chunk.valid().char_indices().find(|&(_, character)| is_odd(character));
        let found = found.map(|(place, character)| (start + place, character));
        start += chunk.valid().len() + chunk.invalid().len();
        found
    })
}

/// The place of the first byte, at or behind `at`, that `is_wanted`; the length if there is none.
/// Wanted bytes must be below `BELOW`, so that eight bytes are looked at at once.
#[inline(always)]
fn next_low<const BELOW: u8>(bytes: &[u8], mut at: usize, is_wanted: impl Fn(u8) -> bool) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const MARK: u64 = EACH * 0x80;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*eight);
        // The lowest mark is at the first byte below the bound.
        let low = eight.wrapping_sub(EACH * u64::from(BELOW)) & !eight & MARK;
        if low == 0 {
            at += 8;
            continue;
        }
        at += low.trailing_zeros() as usize / 8;
        if is_wanted(bytes[at]) {
            return at;
        }
        at += 1;
    }
    bytes[at..].iter().position(|&byte| is_wanted(byte)).map_or(bytes.len(), |wanted| at + wanted)
}

/// The first `N` fields of a line between blanks, and the text behind them. Of a shorter line, the
/// other fields are empty. The first number is how many there are.
#[inline]
pub(crate) fn fields<const N: usize>(line: &str) -> (usize, [&str; N], &str) {
    let bytes = line.as_bytes();
    let (mut fields, mut found, mut at) = ([""; N], 0, 0);
    while found < N {
        while bytes.get(at).is_some_and(|byte| *byte <= b' ' && byte.is_ascii_whitespace()) {
            at += 1;
        }
        let start = at;
        at = next_low::<{ b' ' + 1 }>(bytes, start, |byte| byte.is_ascii_whitespace());
        if start == at {
            break;
        }
        fields[found] = &line[start..at];
        found += 1;
    }
    (found, fields, &line[at..])
}

/// Whether two texts are equal; for a few bytes quicker than `==`, which calls a function.
#[inline(always)]
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let ends = |text: &[u8]| Some([*text.first_chunk::<4>()?, *text.last_chunk::<4>()?]);
    match (ends(one), ends(other)) {
        (Some(ends), Some(other_ends)) if one.len() <= 8 => ends == other_ends,
        (None, _) => (0..one.len()).all(|at| one[at] == other[at]),
        _ => one == other,
    }
}

/// A whole number, as `str::parse` reads it; faster for a few digits.
#[inline]
pub(crate) fn whole(text: &str) -> Option<i64> {
    /// No number of so many digits is too large.
    const FEW: usize = 18;
    if text.is_empty() || text.len() > FEW || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    Some(text.bytes().fold(0, |number, byte| number * 10 + i64::from(byte - b'0')))
}

/// Like [`find_odd`], for free text such as a title. Typographic blanks may stand within the text,
/// but not at its ends.
pub(crate) fn find_odd_in_name(bytes: &[u8]) -> Option<(usize, char)> {
    let mut at = 0;
    while let Some((place, character)) = find_odd(&bytes[at..]) {
        let (start, end) = (at + place, at + place + character.len_utf8());
        if character.is_control() || start == 0 || end == bytes.len() {
            return Some((start, character));
        }
        at = end;
    }
    None
}

/// A character as messages name it: `U+00A0 (no-break space)`.
pub(crate) fn named(character: char) -> String {
    let known = NAMES.iter().find(|(known, _)| *known == character).map(|(_, name)| *name);
    let kind = if character.is_control() { "a control character" } else { "a blank" };
    format!("U+{:04X} ({})", u32::from(character), known.unwrap_or(kind))
}

/// The remedy for an [odd](is_odd) character.
pub(crate) const ODD_HELP: &str =
    "only spaces and tabs separate fields, and ids have no other blanks; replace the character or remove it";

/// Whether a token is a form of NaN that Microsoft's C library wrote: `1.#QNAN`, `-1.#IND00`, ...
pub(crate) fn is_msvc_nan(token: &[u8]) -> bool {
    let Some(name) = token.strip_prefix(b"-").unwrap_or(token).strip_prefix(b"1.#") else { return false };
    let letters =
        name.iter().take_while(|byte| byte.is_ascii_alphabetic() && !byte.eq_ignore_ascii_case(&b'e')).count();
    let (name, rest) = name.split_at(letters);
    let is_named = [&b"QNAN"[..], b"SNAN", b"IND", b"NAN"].iter().any(|known| name.eq_ignore_ascii_case(known));
    is_named && rest.iter().all(|byte| matches!(byte, b'0' | b'e' | b'E' | b'+' | b'-'))
}

fn too_long() -> String {
    format!("longer than {LONGEST_LINE} bytes, as no line of such a file is")
}

/// Reads the next line with its end into `line`, in place of the old content. Returns false at the
/// end of the file.
pub(crate) fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    source.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', line)?;
    if line.len() > LONGEST_LINE {
        return Err(invalid(&too_long()));
    }
    Ok(!line.is_empty())
}

/// The lines of a text file, without a byte order mark and without their ends: LF or CRLF, and any
/// further CR before them.
///
/// The text is read and checked in blocks of whole lines, which is faster than line by line.
pub(crate) struct TextLines {
    source: Box<dyn Read + Send>,
    /// Whole lines, then what was read behind them, then bytes of no meaning.
    bytes: Vec<u8>,
    /// Where the whole lines end, which are UTF-8.
    whole: usize,
    /// Where the bytes end that were read.
    read: usize,
    /// Where the next line begins.
    next: usize,
    /// Whether all characters of the whole lines are printable ASCII, tabs and line feeds.
    plain: bool,
    /// Whether all was read.
    ended: bool,
    /// Why reading stopped, which is told after the lines before.
    failure: Option<io::Error>,
    number: u64,
}

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLine<'a> {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) text: &'a str,
    /// Whether it is known that no character is [odd](is_odd).
    pub(crate) plain: bool,
}

/// How much is read at once. A short file fits into little memory so, which the system need not give.
const BLOCK: usize = 1 << 15;

impl TextLines {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(open_file(path)?))
    }

    /// The lines of a source.
    pub(crate) fn of(source: Box<dyn Read + Send>) -> Self {
        let (bytes, failure) = (Vec::new(), None);
        TextLines { source, bytes, whole: 0, read: 0, next: 0, plain: true, ended: false, failure, number: 0 }
    }

    /// The next line and its number, from 1; as [`next_line`](Self::next_line).
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, &str)>> {
        Ok(self.next_line()?.map(|line| (line.number, line.text)))
    }

    /// The next line, if it is usual and stands in the block that was read; `None` says nothing of it.
    /// [`pass`](Self::pass) goes on to the line behind it.
    #[inline(always)]
    pub(crate) fn usual<const N: usize>(&self) -> Option<UsualLine<'_, N>> {
        if !self.plain {
            return None;
        }
        UsualLine::split(self.number + 1, &self.bytes[self.next..], self.whole - self.next)
    }

    /// Passes over a usual line, given its length.
    #[inline(always)]
    pub(crate) fn pass(&mut self, length: usize) {
        self.number += 1;
        self.next += length;
    }

    /// The next line.
    ///
    /// # Errors
    /// The errors of the system. Also if no text file has such a line; the message has the number
    /// of the line.
    // Inlined with the usual case alone: a line that is handed over in memory is waited for.
    #[inline(always)]
    pub(crate) fn next_line(&mut self) -> io::Result<Option<TextLine<'_>>> {
        self.number += 1;
        let number = self.number;
        if self.next == self.whole && !self.fill()? {
            return Ok(None);
        }
        let start = self.next;
        // Lines are short, so a search for eight bytes at once is faster than one for more.
        let end = next_low::<{ b'\n' + 1 }>(&self.bytes[..self.whole], start, |byte| byte == b'\n');
        self.next = (end + 1).min(self.whole);
        if self.plain && end - start < LONGEST_LINE {
            return Ok(Some(TextLine { number, text: self.text(start, end)?, plain: true }));
        }
        let text = self.unusual_line(start, end)?;
        Ok(Some(TextLine { number, text, plain: self.plain }))
    }

    /// The text between two places of the whole lines.
    #[inline]
    fn text(&self, start: usize, end: usize) -> io::Result<&str> {
        // The whole lines were checked, so this is no error between two lines.
        std::str::from_utf8(&self.bytes[start..end]).map_err(|_| self.wrong(NOT_UTF8))
    }

    /// The line between two places of the block, in which any character may stand.
    #[cold]
    #[inline(never)]
    fn unusual_line(&self, start: usize, end: usize) -> io::Result<&str> {
        if self.next - start > LONGEST_LINE {
            return Err(self.wrong(&too_long()));
        }
        let line = self.text(start, end)?;
        if self.plain {
            return Ok(line);
        }
        let line = if self.number == 1 { line.strip_prefix(UTF8_MARK).unwrap_or(line) } else { line };
        let line = line.trim_end_matches('\r');
        match memchr2(b'\0', b'\r', line.as_bytes()) {
            None => Ok(line),
            Some(place) if line.as_bytes()[place] == 0 => Err(self.wrong("has a NUL byte, so the file is not text")),
            Some(_) => Err(self.wrong("has a carriage return within; end lines by a line feed")),
        }
    }

    fn wrong(&self, what: &str) -> io::Error {
        invalid(&format!("line {}: {what}", self.number))
    }

    /// Reads the next lines into the block. Returns false at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        self.bytes.copy_within(self.whole..self.read, 0);
        self.read -= self.whole;
        (self.whole, self.next) = (0, 0);
        let mut searched = 0;
        while self.whole == 0 {
            // Not by `memrchr`, which first asks the processor what it can: that takes as long as some
            // files, and the end of a line is near.
            match self.bytes[searched..self.read].iter().rposition(|&byte| byte == b'\n') {
                Some(end) => self.whole = searched + end + 1,
                None if self.read > LONGEST_LINE => return Err(self.wrong(&too_long())),
                None if self.ended => match self.failure.take() {
                    Some(failure) => return Err(failure),
                    None => break,
                },
                None => {
                    searched = self.read;
                    self.read_on();
                }
            }
        }
        if self.number == 1 {
            refuse_utf16(&self.bytes[..self.read])?;
        }
        if self.whole == 0 {
            self.whole = self.read;
        }
        // Without a branch, so that many bytes are compared at once.
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
        self.plain = self.bytes[..self.whole].iter().fold(true, |all, byte| all & plain(byte));
        if !self.plain
            && let Err(fault) = std::str::from_utf8(&self.bytes[..self.whole])
        {
            // The lines before the first one that is not UTF-8.
            let before = &self.bytes[..fault.valid_up_to()];
            let end = before.iter().rposition(|&byte| byte == b'\n').ok_or_else(|| self.wrong(NOT_UTF8))?;
            self.whole = end + 1;
        }
        Ok(self.whole > 0)
    }

    /// Reads until the block is full, in as few calls as the source allows.
    fn read_on(&mut self) {
        if self.read == self.bytes.len() {
            // A line may be longer than a block.
            self.bytes.resize(BLOCK.max(2 * self.read), 0);
        }
        while self.read < self.bytes.len() && !self.ended {
            match self.source.read(&mut self.bytes[self.read..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.read += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => (self.ended, self.failure) = (true, Some(error)),
            }
        }
    }
}

const NOT_UTF8: &str = "not UTF-8 text";

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library splits and parses the same texts.
    #[test]
    fn fields_and_whole_numbers_are_those_of_the_standard_library() {
        let words = ["a", "é", "clueweb09-en0006-78-20618", "\u{1}x", "-1", "+7", "12345678", "1234567", "ümläute€"];
        let blanks = [" ", "\t", "  ", " \t \u{c}", "\r"];
        let mut state = 1_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        for _ in 0..2000 {
            let mut line = String::new();
            for _ in 0..next(8) {
                line += if next(4) == 0 { "" } else { blanks[next(blanks.len())] };
                line += words[next(words.len())];
            }
            line += if next(2) == 0 { "" } else { blanks[next(blanks.len())] };
            let expected: Vec<&str> = line.split_ascii_whitespace().collect();
            let (found, first, rest) = fields::<4>(&line);
            assert_eq!(found, expected.len().min(4), "{line:?}");
            assert_eq!(first[..found], expected[..found], "{line:?}");
            assert_eq!(rest.split_ascii_whitespace().collect::<Vec<_>>(), expected[found..], "{line:?}");
        }
        let long = "9".repeat(18);
        let numbers =
            ["", "0", "007", "-3", "+4", "1x", "1.0", " 1", &long, "9223372036854775807", "9223372036854775808"];
        for text in numbers {
            assert_eq!(whole(text), text.parse().ok(), "{text:?}");
        }
    }

    #[test]
    fn lines_end_where_the_standard_library_ends_them() {
        let text = "one\n\ntwo three four five\n\u{1}\u{2}\u{3}\n\teight..\nlast";
        let mut lines = TextLines::of(Box::new(std::io::Cursor::new(text)));
        for (expected, number) in text.lines().zip(1..) {
            assert_eq!(lines.next().unwrap(), Some((number, expected)));
        }
        assert_eq!(lines.next().unwrap(), None);
    }
}
