//! Runs: the documents that a system retrieved for each topic.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};

use super::Duplicates;
use super::document_id::DocumentId;
use super::error::{TrecError, TrecErrorKind};
use super::gathered::{Gathered, OfDocument, Topic};
use super::{TakesLines, passed_over, read_fields, remarks};
use crate::text::{TextLine, UsualLine, fields, same, whole};

/// The documents that a system retrieved.
#[derive(Debug, Clone)]
pub struct Run {
    /// The file.
    pub file: PathBuf,
    /// The tag of the first line.
    pub tag: String,
    /// The topics, in the order of their first lines.
    pub topics: Vec<RunTopic>,
    /// Number of comment lines.
    pub comments: usize,
    /// Number of lines that repeat a document of their topic.
    pub repeated: usize,
    /// Number of lines whose tag differs from the first line's tag.
    pub other_tags: usize,
    /// Number of topics in which the rank column gives another order than the scores.
    pub ranks_differ: usize,
    /// The policy for a document that stands twice under a topic.
    pub duplicates: Duplicates,
    by_id: HashMap<String, usize>,
}

/// The documents that were retrieved for one topic.
#[derive(Debug, Clone)]
pub struct RunTopic {
    /// The topic's id.
    pub id: String,
    /// The documents in file order, each once.
    pub documents: Vec<Retrieved>,
}

/// One retrieved document.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieved {
    /// The document's id.
    pub document: DocumentId,
    /// The document's score, a finite number. A higher score comes earlier.
    pub score: f64,
    /// The rank column, which orders nothing.
    pub rank: i64,
}

impl OfDocument for Retrieved {
    const IS_LOOKED_UP: bool = false;

    fn document(&self) -> &DocumentId {
        &self.document
    }
}

impl Run {
    /// A run from memory: topic, document and score. `name` is its tag and stands for the file in
    /// messages; the number of a document, from 1, stands for its line. Ranks are not used.
    ///
    /// ```
    /// use fivefold_data::trec::{Duplicates, Run};
    ///
    /// let run = Run::of("mine", [("t1", "d1", 0.7), ("t1", "d2", 0.2)], Duplicates::Error)?;
    /// assert_eq!((run.documents(), run.tag.as_str()), (2, "mine"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`read_run`].
    pub fn of<'a>(
        name: &str,
        documents: impl IntoIterator<Item = (&'a str, &'a str, f64)>,
        duplicates: Duplicates,
    ) -> Result<Self, TrecError> {
        let (path, mut topics) = (Path::new(name), Gathered::default());
        for ((topic, document, score), number) in documents.into_iter().zip(1..) {
            if !score.is_finite() {
                return Err(TrecError::new(path, number, TrecErrorKind::Score { found: score.to_string() }));
            }
            topics.add(topic, number, Retrieved { document: document.into(), score, rank: 0 });
        }
        Ok(Run { tag: name.to_owned(), ..settled(path, topics, duplicates)?.unless_empty()? })
    }

    /// Refuses a run without a document.
    fn unless_empty(self) -> Result<Self, TrecError> {
        match self.topics.is_empty() {
            true => Err(TrecError::new(&self.file, 0, TrecErrorKind::Empty("document"))),
            false => Ok(self),
        }
    }

    /// The topic with this id.
    pub fn topic(&self, id: &str) -> Option<&RunTopic> {
        self.by_id.get(id).map(|&place| &self.topics[place])
    }

    /// The tag alone. The rest is freed here, which takes longer in a crate that is not optimised.
    pub fn into_tag(self) -> String {
        self.tag
    }

    /// Number of retrieved documents of all topics.
    pub fn documents(&self) -> usize {
        self.topics.iter().map(|topic| topic.documents.len()).sum()
    }

    /// Remarks on lines that were passed over and on policies, one line each.
    pub fn remarks(&self) -> Vec<String> {
        let (repeated, other, differ) = (self.repeated, self.other_tags, self.ranks_differ);
        let repeat = which(repeated, "repeats a document of its topic", "repeat a document of their topic");
        let have = |count| which(count, "has", "have");
        let lines = |count| counted(count, "line");
        remarks([
            (self.comments, passed_over(self.comments)),
            (repeated, format!("{} {repeat} (duplicates: {})", lines(repeated), self.duplicates)),
            (other, format!("{} {} another tag than the first, `{}`", lines(other), have(other), self.tag)),
            (
                differ,
                format!(
                    "{} {} ranks that contradict the scores; the scores count, as in trec_eval",
                    counted(differ, "topic"),
                    have(differ)
                ),
            ),
        ])
    }
}

/// Reads a run file.
///
/// # Errors
/// [`TrecError`] names file and line. Under [`Duplicates::Error`], a document that stands twice
/// under a topic is an error.
pub fn read_run(path: &Path, duplicates: Duplicates) -> Result<Run, TrecError> {
    read_fields::<6, Reader>(path, duplicates)
}

/// The lines read so far.
#[derive(Default)]
pub(super) struct Reader {
    topics: Gathered<Retrieved>,
    /// The tag of the first line.
    tag: Option<String>,
    comments: usize,
    other_tags: usize,
}

impl TakesLines<6> for Reader {
    type Whole = Run;

    #[inline(always)]
    fn take_usual(&mut self, line: UsualLine<'_, 6>) -> bool {
        let topic = line.field(0);
        let (Some(tag), Some(rank), Some(score)) = (&self.tag, usual_rank(line.field(3)), finite(line.field(4))) else {
            return false;
        };
        if topic[0] == b'#' {
            return false;
        }
        let (document, length) = line.text_at(2);
        let Some(document) = DocumentId::at_start(document, length) else { return false };
        self.other_tags += usize::from(!same(tag.as_bytes(), line.field(5)));
        self.topics.add_usual(topic, line.number, Retrieved { document, score, rank });
        true
    }

    fn take(&mut self, line: TextLine<'_>) -> Result<(), TrecErrorKind> {
        let Some(Line { topic, document, rank, score, tag }) = Line::parse(line)? else {
            self.comments += usize::from(!line.text.trim().is_empty());
            return Ok(());
        };
        let first = self.tag.get_or_insert_with(|| tag.to_owned());
        self.other_tags += usize::from(!same(first.as_bytes(), tag.as_bytes()));
        self.topics.add(topic, line.number, Retrieved { document: document.into(), score, rank });
        Ok(())
    }

    fn finish(self, path: &Path, read: Result<(), TrecError>, duplicates: Duplicates) -> Result<Run, TrecError> {
        let Reader { topics, tag, comments, other_tags } = self;
        let run = settled(path, topics, duplicates)?;
        read?;
        let run = run.unless_empty()?;
        let ranks_differ = run.topics.iter().filter(|topic| ranks_differ(&topic.documents)).count();
        Ok(Run { tag: tag.unwrap_or_default(), comments, other_tags, ranks_differ, ..run })
    }
}

/// A rank of a few digits; `None` for all others.
#[inline(always)]
fn usual_rank(text: &[u8]) -> Option<i64> {
    let digits = text.len() <= 6 && text.iter().all(u8::is_ascii_digit);
    digits.then(|| text.iter().fold(0, |rank, &digit| 10 * rank + i64::from(digit - b'0')))
}

/// A score, if it is a finite number.
#[inline(always)]
fn finite(text: &[u8]) -> Option<f64> {
    decimal(text).or_else(|| fast_float2::parse(text).ok()).filter(|score: &f64| score.is_finite())
}

/// A number of at most 19 digits, with or without a point between two of them, rounded to the
/// nearest as by `str::parse`. `None` for all others, and where more bits of the ratio would be
/// needed.
#[inline(always)]
fn decimal(text: &[u8]) -> Option<f64> {
    const LONGEST: usize = MOST_DECIMALS + 2;
    let (is_negative, text) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
    if text.len() > LONGEST || !text.first()?.is_ascii_digit() || !text.last()?.is_ascii_digit() {
        return None;
    }
    let point = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (whole, behind) = text.split_at(point);
    let decimals = match behind.split_first() {
        None if point < LONGEST => behind,
        Some((b'.', decimals)) => decimals,
        _ => return None,
    };
    let mut digits = whole.iter().fold(0, |digits, byte| 10 * digits + u64::from(byte - b'0'));
    let mut rest = decimals;
    while let Some((eight, behind)) = rest.split_first_chunk() {
        digits = 100_000_000 * digits + eight_digits(*eight)?;
        rest = behind;
    }
    for byte in rest {
        digits = 10 * digits + u64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
    }
    let number = by_power(digits, decimals.len())?;
    Some(if is_negative { -number } else { number })
}

/// The number of eight digits; `None` if one of the bytes is no digit.
#[inline(always)]
fn eight_digits(digits: [u8; 8]) -> Option<u64> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(digits);
    // A byte above `9` or below `0` sets the highest bit of one of the two.
    let above = digits.wrapping_add(EACH * u64::from(0x7f - b'9'));
    let below = digits.wrapping_sub(EACH * u64::from(b'0'));
    if (above | below) & (EACH * 0x80) != 0 {
        return None;
    }
    // The first digit is in the lowest byte: pairs of digits, then pairs of pairs, then all.
    let pairs = (10 * below + (below >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (100 * pairs + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((10_000 * fours + (fours >> 32)) & 0xffff_ffff)
}

const MOST_DECIMALS: usize = 18;

/// A power of ten, and its reciprocal: the first 64 bits of `1 / power`, cut off, and their
/// exponent.
#[derive(Clone, Copy)]
struct Power {
    power: f64,
    reciprocal: u64,
    exponent: u32,
}

const POWERS: [Power; MOST_DECIMALS + 1] = {
    let mut powers = [Power { power: 1.0, reciprocal: 0, exponent: 0 }; MOST_DECIMALS + 1];
    let (mut decimals, mut power) = (1, 10_u64);
    while decimals <= MOST_DECIMALS {
        // The power is no power of two, so the reciprocal is between 2^63 and 2^64.
        let exponent = u64::BITS + power.ilog2();
        let reciprocal = ((1_u128 << exponent) / power as u128) as u64;
        powers[decimals] = Power { power: power as f64, reciprocal, exponent };
        (decimals, power) = (decimals + 1, 10 * power);
    }
    powers
};

/// The number nearest to `digits / 10^decimals`; `None` if 64 bits of the reciprocal do not show
/// it.
#[inline(always)]
fn by_power(digits: u64, decimals: usize) -> Option<f64> {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    let Power { power, reciprocal, exponent } = POWERS[decimals];
    // Few digits, and powers up to 10^22, are exact, so their ratio is rounded once (Clinger
    // 1990).
    if digits <= EXACT || decimals == 0 {
        return Some(digits as f64 / power);
    }
    let shift = digits.leading_zeros();
    let product = u128::from(digits << shift) * u128::from(reciprocal);
    // What was cut off the reciprocal and the product is less than 1 each, so the ratio is
    // between these two. If both are rounded to one number, so is the ratio.
    let least = (product >> u64::BITS) as u64;
    let (least, most) = (least as f64, least.saturating_add(2) as f64);
    let scale = f64::from_bits(u64::from(1023 + u64::BITS - exponent - shift) << (f64::MANTISSA_DIGITS - 1));
    (least == most).then_some(least * scale)
}

/// The documents of all topics, each once.
fn settled(path: &Path, topics: Gathered<Retrieved>, duplicates: Duplicates) -> Result<Run, TrecError> {
    let settled = topics.settle(duplicates, |retrieved| retrieved.score);
    let settled = settled.map_err(|twice| TrecError::twice(path, twice))?;
    let topic = |topic: Topic<Retrieved>| RunTopic { id: topic.id, documents: topic.items };
    Ok(Run {
        file: path.to_owned(),
        tag: String::new(),
        topics: settled.topics.into_iter().map(topic).collect(),
        comments: 0,
        repeated: settled.equal + settled.unequal,
        other_tags: 0,
        ranks_differ: 0,
        duplicates,
        by_id: settled.by_id,
    })
}

/// The fields of a line of a run.
pub(crate) struct Line<'a> {
    pub(crate) topic: &'a str,
    pub(crate) document: &'a str,
    pub(crate) rank: i64,
    pub(crate) score: f64,
    pub(crate) tag: &'a str,
}

impl<'a> Line<'a> {
    /// Parses a line; `None` for a blank line or a comment.
    #[inline(always)]
    pub(crate) fn parse(line: TextLine<'a>) -> Result<Option<Self>, TrecErrorKind> {
        let (found, [topic, _, document, rank, score, tag], _) = fields(line.text);
        if found == 0 || topic.as_bytes().first() == Some(&b'#') {
            return Ok(None);
        }
        TrecErrorKind::refuse_odd(line)?;
        if found < 6 {
            return Err(TrecErrorKind::Fields { found, expected: "6 or more" });
        }
        let rank = whole(rank).ok_or_else(|| TrecErrorKind::Rank { found: rank.to_owned() })?;
        match finite(score.as_bytes()) {
            Some(score) => Ok(Some(Line { topic, document, rank, score, tag })),
            None => Err(TrecErrorKind::Score { found: score.to_owned() }),
        }
    }
}

/// Whether a document has a better rank, but a lower score, than another document.
pub(crate) fn ranks_differ(documents: &[Retrieved]) -> bool {
    if documents.is_sorted_by(|one, next| one.rank < next.rank) {
        return documents.windows(2).any(|pair| pair[0].score < pair[1].score);
    }
    let mut by_rank: Vec<(i64, f64)> = documents.iter().map(|d| (d.rank, d.score)).collect();
    by_rank.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    by_rank.windows(2).any(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_standard_library() {
        let mut state = 1_u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let mut quick = 0;
        for round in 0..100_000 {
            let length = 1 + next(22);
            let pieces = if round % 2 == 0 { b"0123456789".as_slice() } else { b"0123456789..-+eE_ n" };
            let mut text: Vec<u8> = (0..length).map(|_| pieces[next(pieces.len() as u32) as usize]).collect();
            if round % 4 == 0 {
                text[next(length) as usize] = b'.';
            }
            if round % 3 == 0 {
                text.insert(0, b'-');
            }
            let expected = std::str::from_utf8(&text).unwrap().parse().ok().filter(|score: &f64| score.is_finite());
            let found = decimal(&text);
            quick += usize::from(found.is_some());
            assert!(found.is_none() || found.map(f64::to_bits) == expected.map(f64::to_bits), "{text:?}");
            assert_eq!(finite(&text).map(f64::to_bits), expected.map(f64::to_bits), "{text:?}");
        }
        assert!(quick > 10_000, "{quick}");
        // In the middle between two numbers, and beside it.
        for text in ["9007199254740993", "9007199254740995", "9999999999999999999", "1.999999999999999999", "-0"] {
            let found = decimal(text.as_bytes()).map(f64::to_bits);
            assert_eq!(found, text.parse().ok().map(f64::to_bits), "{text}");
        }
        for text in ["4503599627370496.5", "4503599627370497.5", "9007199254740993.0", "18446744073709551616"] {
            let found = finite(text.as_bytes()).map(f64::to_bits);
            assert_eq!((decimal(text.as_bytes()), found), (None, text.parse().ok().map(f64::to_bits)), "{text}");
        }
        let mut quick = 0;
        for number in (0..100_000).map(|_| f64::from(next(1 << 16)) / f64::from(1 + next(1 << 16))) {
            let text = number.to_string();
            let found = decimal(text.as_bytes());
            quick += usize::from(found.is_some());
            assert!(found.is_none_or(|found| found.to_bits() == number.to_bits()), "{text}");
        }
        assert!(quick > 90_000, "{quick}");
    }
}
