//! Reads a file as blocks of whole lines. The file is never held in memory as a whole.

use std::io::Read;

use super::block::Block;
use super::error::ReadErrorKind;
use crate::groups::Opened;
use crate::text::{LONGEST_LINE, refuse_utf16};

/// Bytes that are read at a time. The number is large enough to hide the cost of a call, and small
/// enough for a processor's cache and for threads to end together.
pub(super) const BLOCK_BYTES: usize = 1 << 18;

const UTF8_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Cuts a stream into blocks of whole lines.
pub(crate) struct LineBlocks {
    source: Box<dyn Read + Send>,
    /// See [`Block::queries_given`].
    queries_given: bool,
    block_bytes: usize,
    /// The start of a line whose end was not read yet.
    carry: Vec<u8>,
    /// The error that stopped the source. The text before the error is given out first.
    failed: Option<std::io::Error>,
    started: bool,
}

impl LineBlocks {
    pub(crate) fn new(file: Opened) -> Self {
        Self::of_bytes(file, BLOCK_BYTES)
    }

    /// Reads blocks of `block_bytes` bytes.
    pub(super) fn of_bytes(file: Opened, block_bytes: usize) -> Self {
        let Opened { bytes: source, queries_given } = file;
        LineBlocks { source, queries_given, block_bytes, carry: Vec::new(), failed: None, started: false }
    }

    /// Puts the next whole lines into the texts of `blocks`. Returns the number of filled blocks,
    /// and the error that stopped the reading.
    pub(crate) fn fill(&mut self, blocks: &mut [Block]) -> (usize, Option<ReadErrorKind>) {
        for (filled, block) in blocks.iter_mut().enumerate() {
            block.queries_given = self.queries_given;
            match self.next_into(&mut block.text) {
                Ok(true) => {}
                Ok(false) => return (filled, None),
                Err(kind) => return (filled, Some(kind)),
            }
        }
        (blocks.len(), None)
    }

    /// Puts the next whole lines into `text`; returns false at the end of the file. `text` always
    /// ends with a newline, even if the file does not.
    fn next_into(&mut self, text: &mut Vec<u8>) -> Result<bool, ReadErrorKind> {
        text.clear();
        text.append(&mut self.carry);
        loop {
            if let Some(error) = self.failed.take() {
                return Err(ReadErrorKind::Io(error));
            }
            let known = text.len();
            text.reserve(self.block_bytes + 1);
            let result = self.source.by_ref().take(self.block_bytes as u64).read_to_end(text);
            let read = text.len() - known;
            // The text before the error comes first, so that the error gets the right line.
            self.failed = result.err();
            if read == 0 && self.failed.is_some() {
                continue;
            }
            if !std::mem::replace(&mut self.started, true) {
                refuse_utf16(text).map_err(ReadErrorKind::Io)?;
                if text.starts_with(&UTF8_MARK) {
                    text.drain(..UTF8_MARK.len());
                }
            }
            if read == 0 {
                if text.last().is_some_and(|&last| last != b'\n') {
                    text.push(b'\n');
                }
                return Ok(!text.is_empty());
            }
            if let Some(newline) = memchr::memrchr(b'\n', &text[known..]) {
                self.carry.extend_from_slice(&text[known + newline + 1..]);
                text.truncate(known + newline + 1);
                return Ok(true);
            }
            if text.len() > LONGEST_LINE {
                return Err(ReadErrorKind::LongLine { limit: LONGEST_LINE });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::packed::decompressed;

    fn blocks(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, ReadErrorKind> {
        let bytes = decompressed(Cursor::new(bytes)).map_err(ReadErrorKind::Io)?;
        let mut lines = LineBlocks::new(Opened { bytes, queries_given: false });
        let (mut all, mut text) = (Vec::new(), Vec::new());
        while lines.next_into(&mut text)? {
            all.push(text.clone());
        }
        Ok(all)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn blocks_are_whole_lines() {
        let line = "x".repeat(700_000);
        let text = format!("{line}\n{line}\n{line}{line}\nend");
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            let blocks = blocks(bytes).unwrap();
            assert!(blocks.len() > 1 && blocks.iter().all(|block| block.ends_with(b"\n")));
            assert_eq!(blocks.concat(), format!("{text}\n").into_bytes());
        }
    }

    #[test]
    fn gzip_members_are_joined_and_damage_is_seen() {
        let two = [gzip(b"a\n"), gzip(b"b\n")].concat();
        assert_eq!(blocks(two).unwrap().concat(), b"a\nb\n");
        let mut cut = gzip(&[b'a'; 10_000]);
        cut.truncate(cut.len() - 9);
        assert!(matches!(blocks(cut), Err(ReadErrorKind::Io(_))));
    }

    #[test]
    fn short_empty_and_marked_files() {
        assert!(blocks(vec![]).unwrap().is_empty());
        assert_eq!(blocks(b"a".to_vec()).unwrap(), [b"a\n"]);
        assert_eq!(blocks(b"\n".to_vec()).unwrap(), [b"\n"]);
        assert_eq!(blocks(b"\xef\xbb\xbf1\n".to_vec()).unwrap().concat(), b"1\n");
        assert!(blocks(b"\xef\xbb\xbf".to_vec()).unwrap().is_empty());
    }

    #[test]
    fn endless_lines_are_refused() {
        assert!(matches!(blocks(vec![b'1'; LONGEST_LINE + BLOCK_BYTES]), Err(ReadErrorKind::LongLine { .. })));
    }
}
