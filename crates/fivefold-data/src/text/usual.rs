//! Splits usual lines: fields of printable ASCII with one blank between two of them.
//!
//! Nearly all lines of runs and qrels are so. The bytes of 64 places are compared at once, and each bit
//! of the answer is the end of a field. A line that is not usual is split by [`fields`](super::fields).

use super::LONGEST_LINE;

/// Bytes that are compared at once.
const WINDOW: usize = 64;

/// A line of `N` fields of printable ASCII, with a space or tab between two of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UsualLine<'a, const N: usize> {
    /// From 1.
    pub(crate) number: u64,
    /// The line, and what stands behind it.
    text: &'a [u8],
    ends: [usize; N],
}

impl<'a, const N: usize> UsualLine<'a, N> {
    /// Splits the line at the start of `text`, of which only the first `length` bytes are text that is
    /// printable ASCII, tabs and line feeds. `None` if the line is not usual.
    #[inline(always)]
    pub(super) fn split(number: u64, text: &'a [u8], length: usize) -> Option<Self> {
        let window: &[u8; WINDOW] = text.first_chunk()?;
        let (mut low, mut ends) = (low(window), [0; N]);
        let (mut start, mut is_usual) = (0, true);
        for (place, field_end) in ends.iter_mut().enumerate() {
            if low == 0 {
                return Self::split_long(number, text, length);
            }
            let end = low.trailing_zeros() as usize % WINDOW;
            low &= low - 1;
            is_usual &= end != start && (window[end] == b'\n') == (place + 1 == N);
            (*field_end, start) = (end, end + 1);
        }
        (is_usual && start <= length).then_some(UsualLine { number, text, ends })
    }

    /// [`split`](Self::split), for a line that is longer than a window.
    #[cold]
    #[inline(never)]
    fn split_long(number: u64, text: &'a [u8], length: usize) -> Option<Self> {
        let (mut window, mut low) = (0, low(text.first_chunk()?));
        let (mut ends, mut start) = ([0; N], 0);
        for (place, field_end) in ends.iter_mut().enumerate() {
            while low == 0 {
                window += WINDOW;
                low = self::low(text.get(window..)?.first_chunk()?);
            }
            let end = window + low.trailing_zeros() as usize;
            low &= low - 1;
            if end == start || (text[end] == b'\n') != (place + 1 == N) {
                return None;
            }
            (*field_end, start) = (end, end + 1);
        }
        (start <= length.min(LONGEST_LINE)).then_some(UsualLine { number, text, ends })
    }

    /// Length of the line, with its end.
    #[inline(always)]
    pub(crate) fn length(&self) -> usize {
        self.ends[N - 1] + 1
    }

    /// A field.
    #[inline(always)]
    pub(crate) fn field(&self, field: usize) -> &'a [u8] {
        &self.text[self.start(field)..self.ends[field]]
    }

    /// A field, with what stands behind it, and its length.
    #[inline(always)]
    pub(crate) fn text_at(&self, field: usize) -> (&'a [u8], usize) {
        let start = self.start(field);
        (&self.text[start..], self.ends[field] - start)
    }

    #[inline(always)]
    fn start(&self, field: usize) -> usize {
        if field == 0 { 0 } else { self.ends[field - 1] + 1 }
    }
}

/// A bit for each byte of ASCII that is not above a space: the lowest bit for the first byte.
#[inline(always)]
fn low(bytes: &[u8; WINDOW]) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    #[allow(unsafe_code)] // the one place
    // SAFETY: the function needs SSE2, with which the program was compiled.
    return unsafe { low_by_sixteen(bytes) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    low_by_eight(bytes)
}

/// [`low`], with eight bytes in a word.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
fn low_by_eight(bytes: &[u8; WINDOW]) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const MARK: u64 = EACH * 0x80;
    // A product that moves the lowest bit of each byte to its place in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    bytes.as_chunks::<8>().0.iter().rev().fold(0, |all, eight| {
        let eight = u64::from_le_bytes(*eight);
        let low = !((eight | MARK) - EACH * (u64::from(b' ') + 1)) & !eight & MARK;
        all << 8 | (low >> 7).wrapping_mul(GATHER) >> 56
    })
}

/// [`low`], with sixteen bytes in a register, as each processor of this kind has them.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[target_feature(enable = "sse2")]
#[inline]
fn low_by_sixteen(bytes: &[u8; WINDOW]) -> u64 {
    use std::arch::x86_64::{_mm_cmpgt_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    let (sixteens, above) = (bytes.as_chunks::<16>().0, _mm_set1_epi8(b' ' as i8 + 1));
    let mut all = 0;
    for sixteen in sixteens.iter().rev() {
        let [first, last] = [0, 8].map(|at| i64::from_le_bytes(std::array::from_fn(|byte| sixteen[at + byte])));
        let low = _mm_movemask_epi8(_mm_cmpgt_epi8(above, _mm_set_epi64x(last, first)));
        all = all << 16 | u64::from(low as u32 & 0xffff);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bytes_of_ascii_are_found_in_each_place() {
        for byte in 0..128 {
            for other in [b'a', b' ', 0, 127] {
                for place in 0..WINDOW {
                    let mut bytes = [other; WINDOW];
                    bytes[place] = byte;
                    let expected = bytes.iter().rev().fold(0, |all, byte| all << 1 | u64::from(*byte <= b' '));
                    assert_eq!((low(&bytes), low_by_eight(&bytes)), (expected, expected), "{byte} {other} {place}");
                }
            }
        }
    }

    /// The standard library splits the same lines.
    #[test]
    fn usual_lines_are_split_as_by_the_standard_library() {
        let long = "x".repeat(150);
        let words = ["a", "1", "clueweb09-en0006-78-20618", &long, "-1.5", ""];
        let blanks = [" ", "\t", "  ", "\n"];
        let mut state = 1_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let (mut usual, mut others) = (0, 0);
        for number in 0..20_000 {
            let mut text = String::new();
            for _ in 0..next(6) {
                text += words[next(if number % 2 == 0 { 5 } else { 6 })];
                text += blanks[if next(8) == 0 { next(4) } else { next(2) }];
            }
            text += "z\nnext line\n";
            let length = text.len().saturating_sub(next(15));
            let padded = [text.as_bytes(), &[0; WINDOW]].concat();
            let line = text.split('\n').next().unwrap();
            let fields: Vec<&str> = line.split([' ', '\t']).collect();
            let is_usual = fields.len() == 3 && fields.iter().all(|field| !field.is_empty()) && line.len() < length;
            let split = UsualLine::<3>::split(7, &padded, length);
            assert_eq!(split.is_some(), is_usual, "{text:?} {length}");
            match split {
                Some(split) => {
                    let found = [0, 1, 2].map(|field| std::str::from_utf8(split.field(field)).unwrap());
                    assert_eq!((&found[..], split.length(), split.number), (&fields[..], line.len() + 1, 7));
                    usual += 1;
                }
                None => others += 1,
            }
        }
        assert!(usual > 1000 && others > 1000, "{usual} {others}");
        let too_long = [&vec![b'a'; LONGEST_LINE][..], b" b\n", &[0; WINDOW]].concat();
        assert!(UsualLine::<2>::split(1, &too_long, too_long.len()).is_none());
        assert!(UsualLine::<2>::split(1, &too_long[4..], too_long.len()).is_some());
        // Nothing is read behind the text that is there.
        assert!(UsualLine::<1>::split(1, b"a\n", 2).is_none());
    }
}
