//! The size of the uninformative and of the ideal set.

use std::fmt;

use fivefold_base::words::{counted, which};
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The fewest queries in a quarter.
const LEAST: usize = 20;

/// The name of [`SetSize::Quarter`] in files.
const QUARTER: &str = "quarter";

/// How many queries are in the uninformative or in the ideal set. In files, a size is a number or
/// `"quarter"`.
///
/// ```
/// use fivefold_analysis::tables::SetSize;
///
/// assert_eq!(SetSize::Quarter.of(400), Ok(100));
/// assert_eq!(SetSize::Quarter.of(50), Ok(20));
/// // Two sets of 20 queries need 40, and a set is never all queries.
/// assert!(SetSize::Quarter.of(39).is_err());
/// assert!(SetSize::Count(400).of(400).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SetSize {
    /// A quarter of the queries on which the measure is defined, and at least 20. The set has such
    /// queries only. There is a set only if a second set of this size is possible beside it.
    #[default]
    Quarter,
    /// This many of all queries that count under the policy for undefined values; 0: no set. There
    /// is no set if it would have all these queries.
    Count(usize),
}

impl SetSize {
    /// The size of a set that is chosen among `queries`.
    ///
    /// # Errors
    /// The reason why there is no such set.
    pub fn of(self, queries: usize) -> Result<usize, String> {
        match self {
            SetSize::Count(0) => Err("the experiment asks for no such queries".to_owned()),
            SetSize::Count(size) if size >= queries => {
                Err(format!("{size} are asked for, of {}: such a set would be all queries", counted(queries, "query")))
            }
            SetSize::Count(size) => Ok(size),
            SetSize::Quarter => {
                let size = (queries / 4).max(LEAST);
                if 2 * size <= queries {
                    return Ok(size);
                }
                let (needed, have) = (2 * LEAST, which(queries, "has", "have"));
                Err(format!("two sets of {LEAST} queries need {needed} queries with a value, and {queries} {have} one"))
            }
        }
    }
}

impl From<usize> for SetSize {
    fn from(count: usize) -> Self {
        SetSize::Count(count)
    }
}

impl Serialize for SetSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SetSize::Quarter => serializer.serialize_str(QUARTER),
            SetSize::Count(count) => count.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SetSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sizes;
        impl Visitor<'_> for Sizes {
            type Value = SetSize;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number of queries or \"{QUARTER}\"")
            }

            fn visit_i64<E: Error>(self, count: i64) -> Result<SetSize, E> {
                let whole = u64::try_from(count).map_err(|_| E::invalid_value(Unexpected::Signed(count), &self))?;
                self.visit_u64(whole)
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<SetSize, E> {
                let count = usize::try_from(count).map_err(|_| E::invalid_value(Unexpected::Unsigned(count), &self))?;
                Ok(SetSize::Count(count))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<SetSize, E> {
                match name {
                    QUARTER => Ok(SetSize::Quarter),
                    other => Err(E::invalid_value(Unexpected::Str(other), &self)),
                }
            }
        }
        deserializer.deserialize_any(Sizes)
    }
}
