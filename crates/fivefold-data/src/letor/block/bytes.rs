//! Finds the ends of tokens, blanks and lines in the bytes of a block.

use std::ops::Range;

#[inline(always)]
pub(super) fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Whether a byte ends a value. A `#` may end a value too, see [`value_end`].
#[inline(always)]
pub(super) fn ends_value(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// The end of the token at `at`. The token may hold a `#`.
pub(super) fn blank(text: &[u8], at: usize) -> usize {
    at + text[at..].iter().take_while(|&&byte| !ends_value(byte)).count()
}

/// The end of the value at `at`: a blank, or the `#` of a comment. After a point, a `#` is part of
/// the value: `1.#QNAN`.
#[cold]
pub(super) fn value_end(text: &[u8], at: usize) -> usize {
    let end = blank(text, at);
    match memchr::memchr(b'#', &text[at..end]) {
        Some(before) if before == 0 || text[at + before - 1] != b'.' => at + before,
        _ => end,
    }
}

pub(super) fn next_line(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline + 1)
}

/// Whether only carriage returns stand between `at` and the end of the line.
pub(super) fn ends_line(text: &[u8], at: usize) -> bool {
    text[at..].iter().find(|&&byte| byte != b'\r') == Some(&b'\n')
}

/// The first carriage return in the rest of a line. Carriage returns that end the line do not
/// count.
pub(super) fn inner_return(text: &[u8], rest: Range<usize>) -> Option<usize> {
    let place = rest.start + memchr::memchr(b'\r', &text[rest])?;
    (!ends_line(text, place)).then_some(place)
}

/// The digits of an id without leading zeros.
pub(super) fn significant(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|&&byte| byte == b'0').count()..]
}
