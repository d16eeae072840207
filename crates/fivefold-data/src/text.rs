//! Text files line by line, decompressed on the way: what the readers of TREC and per-query files share.

use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::Path;

use crate::packed::open_file;

/// A line longer than this is taken for a sign that the file is not text.
const LONGEST_LINE: u64 = 1 << 24;

const UTF8_MARK: &str = "\u{feff}";

/// The lines of a text file, without their ends (LF or CRLF) and without a byte order mark.
pub(crate) struct TextLines {
    source: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: u64,
}

impl TextLines {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(TextLines { source: BufReader::with_capacity(1 << 16, open_file(path)?), line: Vec::new(), number: 0 })
    }

    /// The next line and its number, from 1.
    pub(crate) fn next(&mut self) -> io::Result<Option<(u64, &str)>> {
        self.line.clear();
        let read = self.source.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let invalid = |what: &str| {
            let mut message = Vec::new();
            write!(message, "line {}: {what}", self.number)?;
            Err(io::Error::new(io::ErrorKind::InvalidData, String::from_utf8_lossy(&message).into_owned()))
        };
        if read as u64 == LONGEST_LINE {
            return invalid("longer than any line of such a file");
        }
        match std::str::from_utf8(&self.line) {
            Ok(line) => {
                let line = if self.number == 1 { line.trim_start_matches(UTF8_MARK) } else { line };
                let line = line.strip_suffix('\n').unwrap_or(line);
                Ok(Some((self.number, line.strip_suffix('\r').unwrap_or(line))))
            }
            Err(_) => invalid("not UTF-8 text"),
        }
    }
}
