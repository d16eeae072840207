//! Text files line by line, decompressed on the way: what the readers of TREC and per-query files share.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::input::invalid;
use crate::packed::open_file;

/// A line longer than this is taken for a sign that the file is not text.
pub(crate) const LONGEST_LINE: usize = 1 << 24;

pub(crate) const UTF8_MARK: &str = "\u{feff}";

/// What a file starts with whose text is UTF-16, in either order of bytes.
const UTF16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Refuses a file of UTF-16 text by its first bytes.
pub(crate) fn refuse_utf16(start: &[u8]) -> io::Result<()> {
    match UTF16_MARKS.iter().any(|mark| start.starts_with(mark)) {
        true => Err(invalid("is UTF-16 text; convert it to UTF-8")),
        false => Ok(()),
    }
}

/// Reads the next line with its end into `line`, of which nothing else is left; false at the end of the file.
pub(crate) fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    source.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', line)?;
    if line.len() > LONGEST_LINE {
        return Err(invalid(&format!("longer than {LONGEST_LINE} bytes, as no line of such a file is")));
    }
    Ok(!line.is_empty())
}

/// The lines of a text file, without their ends (LF or CRLF) and without a byte order mark.
pub(crate) struct TextLines {
    source: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: u64,
}

impl TextLines {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::of(open_file(path)?))
    }

    /// The lines of a source.
    pub(crate) fn of(source: Box<dyn Read + Send>) -> Self {
        TextLines { source: BufReader::with_capacity(1 << 16, source), line: Vec::new(), number: 0 }
    }

    /// The next line and its number, from 1.
    ///
    /// # Errors
    /// Those of the system; a line that no such file has: the number of the line is in the message.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, &str)>> {
        self.number += 1;
        let number = self.number;
        let wrong = |what: &str| invalid(&format!("line {number}: {what}"));
        match read_line(&mut self.source, &mut self.line) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(wrong(&error.to_string())),
            Err(error) => return Err(error),
        }
        if number == 1 {
            refuse_utf16(&self.line)?;
        }
        let line = std::str::from_utf8(&self.line).map_err(|_| wrong("not UTF-8 text"))?;
        let line = if number == 1 { line.trim_start_matches(UTF8_MARK) } else { line };
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        match line.find(['\0', '\r']) {
            None => Ok(Some((number, line))),
            Some(place) if line.as_bytes()[place] == 0 => Err(wrong("has a NUL byte; this is not a text file")),
            Some(_) => Err(wrong("has a carriage return within; end lines by a line feed")),
        }
    }
}
