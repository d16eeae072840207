//! Reads text files line by line, and decompresses them on the way. The readers of TREC files and
//! of values per query share this module.

use std::io::{self, BufRead, Read};
use std::path::Path;
use std::string::FromUtf8Error;

use memchr::{memchr, memchr2, memrchr};

use crate::input::invalid;
use crate::packed::open_file;

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

/// The first `N` fields of a line between blanks, and the text behind them. Of a shorter line, the
/// other fields are empty. The first number is how many there are.
#[inline]
pub(crate) fn fields<const N: usize>(line: &str) -> (usize, [&str; N], &str) {
    let bytes = line.as_bytes();
    let (mut fields, mut found, mut at) = ([""; N], 0, 0);
    while found < N {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let start = at;
        // Nearly all bytes are above the blank, so the first comparison decides.
        while bytes.get(at).is_some_and(|byte| *byte > b' ' || !byte.is_ascii_whitespace()) {
            at += 1;
        }
        if start == at {
            break;
        }
        fields[found] = &line[start..at];
        found += 1;
    }
    (found, fields, &line[at..])
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
    /// Whole lines.
    block: String,
    /// Where the next line begins in `block`.
    next: usize,
    /// Whether all characters of `block` are printable ASCII, tabs and line feeds.
    plain: bool,
    /// What was read behind `block`.
    rest: Vec<u8>,
    /// Whether all was read.
    ended: bool,
    /// Why reading stopped, which is told after the lines before.
    failure: Option<io::Error>,
    number: u64,
}

/// How much is read at once.
const BLOCK: u64 = 1 << 16;

impl TextLines {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(open_file(path)?))
    }

    /// The lines of a source.
    pub(crate) fn of(source: Box<dyn Read + Send>) -> Self {
        let (block, rest) = (String::new(), Vec::new());
        TextLines { source, block, next: 0, plain: true, rest, ended: false, failure: None, number: 0 }
    }

    /// The next line and its number, from 1.
    ///
    /// # Errors
    /// The errors of the system. Also if no text file has such a line; the message has the number
    /// of the line.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, &str)>> {
        self.number += 1;
        let number = self.number;
        if self.next == self.block.len() && !self.fill()? {
            return Ok(None);
        }
        let start = self.next;
        let length = memchr(b'\n', &self.block.as_bytes()[start..]).map_or(self.block.len() - start, |end| end + 1);
        self.next += length;
        if length > LONGEST_LINE {
            return Err(self.wrong(&too_long()));
        }
        let line = &self.block[start..start + length];
        let line = line.strip_suffix('\n').unwrap_or(line);
        if self.plain {
            return Ok(Some((number, line)));
        }
        let line = if number == 1 { line.strip_prefix(UTF8_MARK).unwrap_or(line) } else { line };
        let line = line.trim_end_matches('\r');
        match memchr2(b'\0', b'\r', line.as_bytes()) {
            None => Ok(Some((number, line))),
            Some(place) if line.as_bytes()[place] == 0 => Err(self.wrong("has a NUL byte, so the file is not text")),
            Some(_) => Err(self.wrong("has a carriage return within; end lines by a line feed")),
        }
    }

    fn wrong(&self, what: &str) -> io::Error {
        invalid(&format!("line {}: {what}", self.number))
    }

    /// Reads the next lines into the block. Returns false at the end of the file.
    fn fill(&mut self) -> io::Result<bool> {
        let mut bytes = std::mem::take(&mut self.block).into_bytes();
        bytes.clear();
        bytes.append(&mut self.rest);
        let (mut searched, mut whole) = (0, 0);
        while whole == 0 {
            match memrchr(b'\n', &bytes[searched..]) {
                Some(end) => whole = searched + end + 1,
                None if bytes.len() > LONGEST_LINE => return Err(self.wrong(&too_long())),
                None if self.ended => match self.failure.take() {
                    Some(failure) => return Err(failure),
                    None => break,
                },
                None => {
                    searched = bytes.len();
                    self.read_on(&mut bytes);
                }
            }
        }
        if self.number == 1 {
            refuse_utf16(&bytes)?;
        }
        self.rest = bytes.split_off(if whole == 0 { bytes.len() } else { whole });
        let text = String::from_utf8(bytes).or_else(|error| self.before_fault(error));
        self.block = text?;
        self.next = 0;
        // Without a branch, so that many bytes are compared at once.
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
        self.plain = self.block.as_bytes().iter().fold(true, |all, byte| all & plain(byte));
        Ok(!self.block.is_empty())
    }

    fn read_on(&mut self, bytes: &mut Vec<u8>) {
        match self.source.by_ref().take(BLOCK).read_to_end(bytes) {
            Ok(read) => self.ended = (read as u64) < BLOCK,
            Err(error) => (self.ended, self.failure) = (true, Some(error)),
        }
    }

    /// The lines before the first one that is not UTF-8.
    fn before_fault(&mut self, error: FromUtf8Error) -> io::Result<String> {
        let valid = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        let Some(end) = memrchr(b'\n', &bytes[..valid]) else { return Err(self.wrong("not UTF-8 text")) };
        let mut faulty = bytes.split_off(end + 1);
        faulty.append(&mut self.rest);
        self.rest = faulty;
        String::from_utf8(bytes).map_err(|_| self.wrong("not UTF-8 text"))
    }
}
