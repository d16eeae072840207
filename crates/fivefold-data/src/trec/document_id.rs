//! Ids of documents. Most are short, and a run has millions, so a short id needs no memory of its
//! own.

use std::fmt;
use std::ops::Deref;

/// The longest id that is kept in place.
const SHORT: usize = 22;

/// The bytes that are looked at for a short id: a multiple of eight.
const ALL: usize = 24;
/// Ones for the bytes of an id, then zeros.
const KEPT: [u8; 2 * ALL] = {
    let mut kept = [0; 2 * ALL];
    let mut place = 0;
    while place < ALL {
        kept[place] = u8::MAX;
        place += 1;
    }
    kept
};

/// How many bytes the start of an id has.
const START: usize = 8;

/// Odd numbers with bits in no order, for hashes.
const MIXERS: [u64; 4] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// The id of a document; it is used as a `str`.
///
/// ```
/// use fivefold_data::trec::DocumentId;
///
/// let id = DocumentId::from("clueweb09-en0006-78-20618");
/// assert_eq!((&*id, id.len()), ("clueweb09-en0006-78-20618", 25));
/// ```
#[derive(Clone)]
pub struct DocumentId(Form);

#[derive(Clone)]
enum Form {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

impl From<&str> for DocumentId {
    #[inline]
    fn from(id: &str) -> Self {
        let mut bytes = [0; SHORT];
        DocumentId(match bytes.get_mut(..id.len()) {
            Some(place) => {
                place.copy_from_slice(id.as_bytes());
                Form::Short { length: id.len() as u8, bytes }
            }
            None => Form::Long(id.into()),
        })
    }
}

impl DocumentId {
    /// A short id that stands at the start of a longer text; quicker than to copy a text of any length.
    /// `None` if it is not short, or the text is not long enough.
    #[inline(always)]
    pub(super) fn at_start(text: &[u8], length: usize) -> Option<Self> {
        let all: &[u8; ALL] = text.first_chunk()?;
        // What stands behind the id becomes 0.
        let kept: &[u8; ALL] = KEPT[SHORT.checked_sub(length)? + ALL - SHORT..].first_chunk()?;
        let [all, kept] = [all, kept].map(|bytes| bytes.as_chunks::<8>().0);
        let mut bytes = [0; SHORT];
        for ((place, all), kept) in bytes.chunks_mut(8).zip(all).zip(kept) {
            let word = u64::from_le_bytes(*all) & u64::from_le_bytes(*kept);
            place.copy_from_slice(&word.to_le_bytes()[..place.len()]);
        }
        Some(DocumentId(Form::Short { length: length as u8, bytes }))
    }

    /// The id's text.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // The bytes are those of a `str`.
            Form::Short { length, bytes } => std::str::from_utf8(&bytes[..usize::from(*length)]).unwrap_or_default(),
            Form::Long(id) => id,
        }
    }

    /// The id's bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Form::Short { length, bytes } => &bytes[..usize::from(*length)],
            Form::Long(id) => id.as_bytes(),
        }
    }

    /// A number for tables of ids; equal ids have the same number.
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        match &self.0 {
            Form::Short { length, bytes } => {
                let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
                let (one, two, three) =
                    (word(bytes.first_chunk()), word(bytes[8..].first_chunk()), word(bytes.last_chunk()));
                mixed(one ^ MIXERS[0], two ^ MIXERS[1]) ^ mixed(three ^ MIXERS[2], u64::from(*length) ^ MIXERS[3])
            }
            Form::Long(id) => hash_of_long(id),
        }
    }

    /// The first eight bytes as a number; of two ids, the number of the lower is not higher.
    #[inline]
    fn start(&self) -> u64 {
        match &self.0 {
            Form::Short { bytes: [a, b, c, d, e, f, g, h, ..], .. } => {
                u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h])
            }
            Form::Long(id) => id.bytes().take(START).fold(0, |start, byte| start << 8 | u64::from(byte)),
        }
    }
}

impl Deref for DocumentId {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

/// Both halves of the product.
#[inline]
fn mixed(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

impl PartialEq for DocumentId {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Short { length: one, bytes }, Form::Short { length: other, bytes: others }) => {
                one == other && bytes == others
            }
            (Form::Long(one), Form::Long(other)) => same_long(one, other),
            _ => false,
        }
    }
}

// Not inlined, so that short ids need few registers.
#[inline(never)]
fn same_long(one: &str, other: &str) -> bool {
    one == other
}

#[inline(never)]
fn hash_of_long(id: &str) -> u64 {
    id.as_bytes().chunks(8).fold(id.len() as u64, |hash, chunk| {
        let word = chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        mixed(hash ^ MIXERS[0], word ^ MIXERS[1])
    })
}

impl Eq for DocumentId {}

impl PartialOrd for DocumentId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DocumentId {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Nearly always decides, without a call.
        self.start().cmp(&other.start()).then_with(|| match (self.as_bytes(), other.as_bytes()) {
            (one, other) if one.len().max(other.len()) <= START => one.len().cmp(&other.len()),
            (one, other) => one.cmp(other),
        })
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compared_and_shown_as_their_text() {
        let texts = [
            "",
            "a",
            "a\u{1}",
            "é",
            "1234567",
            "12345678",
            "123456789",
            "a23456789-123456789-12",
            "a23456789-123456789-123",
        ];
        for one in texts {
            let id = DocumentId::from(one);
            assert_eq!((id.as_str(), id.to_string(), format!("{id:?}")), (one, one.to_owned(), format!("{one:?}")));
            for other in texts.map(DocumentId::from) {
                assert_eq!(id.cmp(&other), one.cmp(other.as_str()), "{one} {other}");
                assert_eq!(id == other, one == other.as_str());
                assert_eq!(id.hash() == other.hash(), id == other, "{one} {other}");
                assert!(id >= other || id.start() <= other.start(), "{one} {other}");
            }
        }
    }
}
