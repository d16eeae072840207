//! The numbers of a line: its grade, and the matrix entry of each value.
//!
//! A matrix entry is the nearest `f32`, or a code if a model of another program asks for codes (see
//! [`Values`]). A `#` ends a value, except after a point: Microsoft's C library wrote `1.#QNAN`.

use fivefold_core::Grades;

use super::bytes::blank;
use super::faults::{Wrong, shown};
use crate::letor::error::ReadErrorKind;
use crate::letor::number::{self, Number, Slow};
use crate::letor::options::{Coding, Missing};

/// A value of many digits. Another value of the feature may become equal to it in storage.
#[derive(Debug, Clone)]
pub(crate) struct Long {
    /// The place of the value's feature.
    pub(crate) slot: u32,
    /// Line within the block, from 0.
    pub(crate) line: u32,
    /// The stored value.
    pub(crate) value: f32,
    /// The nearest `f64`.
    pub(crate) exact: f64,
    /// Whether `value` does not round back to the digits of the text.
    pub(crate) loses: bool,
}

/// Keeps a value that may become equal to another value.
#[inline(never)]
pub(super) fn note(long: &mut Vec<Long>, line: u32, slot: usize, number: Number) {
    let Number { value, exact, loses, .. } = number;
    long.push(Long { slot: slot as u32, line, value, exact, loses });
}

/// Appends the grade at `at` and returns where it ends. A grade is a whole number, written as `2`
/// or `2.0`, because writers of SVMlight files use both forms.
pub(super) fn read_grade(text: &[u8], at: usize, grades: &mut Grades) -> Result<usize, Wrong> {
    let end = blank(text, at);
    let number = match &text[at..end] {
        [digit @ b'0'..=b'9'] => Some(digit - b'0'),
        token => fast_float2::parse(token).ok().and_then(whole),
    };
    if number.is_some_and(|number| grades.push(number)) {
        Ok(end)
    } else {
        Err((at, ReadErrorKind::Grade { found: shown(text, at), highest: grades.scale().highest() }))
    }
}

/// The byte that a number is equal to.
fn whole(number: f64) -> Option<u8> {
    // The cast drops decimals, and saturates at 0 and 255. So only whole numbers from 0 to 255 are
    // equal to their byte.
    let byte = number as u8;
    (f64::from(byte) == number).then_some(byte)
}

/// Turns values of the text into entries of the matrix.
pub(super) trait Values {
    /// See [`number::decimal`].
    fn decimal(&self, text: &[u8], at: usize, slot: usize) -> Option<(Number, usize)>;
    /// See [`number::slow`].
    fn slow(&self, token: &[u8], slot: usize) -> Slow;
    /// The matrix entry of a missing value.
    fn missing(&self) -> Filled;
}

/// The treatment of a missing value.
pub(super) enum Filled {
    Refused,
    Now(f32),
    /// Filled when the query is complete.
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

/// Stores the nearest `f32`.
pub(super) struct AsWritten(pub(super) Missing);

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

/// Stores the code of the nearest `f64`. The code keeps all that the model would see.
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

#[cfg(test)]
mod tests {
    use super::super::tests::{block, fault};
    use super::super::{AfterFault, Block};
    use super::*;
    use crate::letor::ReadOptions;

    #[test]
    fn grades() {
        for (text, grade) in [("0", 0), ("30", 30), ("2.0", 2), ("007", 7), ("1e1", 10)] {
            assert_eq!(block(&format!("{text} qid:1\n"), &ReadOptions::default()).grades.numbers()[0], grade, "{text}");
        }
        for text in ["-1", "31", "1.5", "nan", "inf", "x", "0x1", "1:2"] {
            let found = fault(&format!("\n {text} qid:1\n"), &ReadOptions::default());
            assert_eq!(found, (2, 2, format!("grade `{text}` is not a whole number from 0 to 30")));
        }
        let options = ReadOptions { max_grade: Some(2), ..ReadOptions::default() };
        assert_eq!(fault("3 qid:1\n", &options).2, "grade `3` is not a whole number from 0 to 2");
    }

    /// pocoproject/poco #286: Microsoft's C library wrote such forms for NaN and infinity.
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
