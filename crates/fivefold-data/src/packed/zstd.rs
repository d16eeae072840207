//! Reads the frames of a zstd stream, one after the other (RFC 8878).

use std::io::{self, BufRead as _, BufReader, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{ZSTD_MAGIC, damaged};

/// The largest window that is decoded, the same as in the `zstd` program.
const MOST_WINDOW: u64 = 128 << 20;

/// Whether a stream starts with a frame, or with a skippable frame.
pub(super) fn starts(start: &[u8]) -> bool {
    start == ZSTD_MAGIC || matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

/// Reads frame after frame.
pub(super) struct Frames<R: Read> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    within: bool,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MOST_WINDOW);
        Frames { source: BufReader::with_capacity(1 << 16, source), decoder, within: false }
    }

    /// Reads the head of the next frame, or passes over a skippable frame.
    fn start(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.source) {
            Ok(()) => self.within = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let skipped = io::copy(&mut self.source.by_ref().take(u64::from(length)), &mut io::sink())?;
                if skipped < u64::from(length) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(damaged(format!("not a zstd frame: {error}"))),
        }
        Ok(())
    }

    /// Ends a frame after all its content was given out.
    fn end(&mut self) -> io::Result<()> {
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(damaged("the content does not match its checksum"));
        }
        self.within = false;
        Ok(())
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if !self.within {
                if self.source.fill_buf()?.is_empty() {
                    break;
                }
                self.start()?;
            } else if self.decoder.can_collect() > 0 {
                return self.decoder.read(buffer);
            } else if self.decoder.is_finished() {
                self.end()?;
            } else {
                let step = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, step).map_err(|error| damaged(error.to_string()))?;
            }
        }
        Ok(0)
    }
}
