//! Upper-expected (UE) normalisation, the same for measures of rankings and of texts.
//!
//! A is the value of an answer, U its upper bound, and E the value expected of a random answer:
//! - V1 = (A/U) (A/(A+E)), and 0 if A = 0;
//! - V2 = (A-E)/(U-E) if A >= E, else (A-E)/E: 1 = perfect, 0 = random, -1 = nothing right.
//!
//! Source: Feng & Karmaker, IPM 2023, Eqs. 5 and 6. V1 and V2 are undefined if U and E are equal,
//! since then no answer is better than another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::rounding::ROUNDING;

/// The version of a measure.
///
/// ```
/// use fivefold_base::Version;
///
/// assert_eq!("v2".parse::<Version>()?, Version::V2);
/// assert_eq!(Version::V1.to_string(), "v1");
/// assert_eq!("v3".parse::<Version>().unwrap_err().to_string(), "unknown version `v3`; did you mean `v1`?");
/// # Ok::<(), fivefold_base::ue::UnknownVersion>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Version {
    /// The measure as it is usually defined.
    Original,
    /// Upper-expected normalised: (A/U) (A/(A+E)).
    V1,
    /// Upper-expected normalised: (A-E)/(U-E), or (A-E)/E below the expected value.
    V2,
}

impl Version {
    /// All versions.
    pub const ALL: [Version; 3] = [Version::Original, Version::V1, Version::V2];

    /// All words, in the order of the versions.
    pub const WORDS: &'static [&'static str] = &["original", "v1", "v2"];

    /// The word for this version.
    pub fn word(self) -> &'static str {
        match self {
            Version::Original => "original",
            Version::V1 => "v1",
            Version::V2 => "v2",
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A word that is no version. The message names the nearest version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown version `{name}`; {}", self.help())]
pub struct UnknownVersion {
    /// The word found.
    pub name: String,
}

impl UnknownVersion {
    /// The nearest version as a question, or all versions.
    pub fn help(&self) -> String {
        match crate::words::nearest(&self.name, Version::WORDS.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known names: {}", Version::WORDS.join(", ")),
        }
    }
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let version = Version::ALL.into_iter().find(|version| version.word() == text);
        version.ok_or_else(|| UnknownVersion { name: text.to_owned() })
    }
}

/// V1 of value `a` with upper bound `u` and expected value `e`.
#[inline]
pub fn v1(a: f64, u: f64, e: f64) -> f64 {
    // A/(A+E) is exactly 1/2 where A = E, so a constant scorer gets exactly E/(2U).
    if a == 0.0 { 0.0 } else { (a / u) * (a / (a + e)) }
}

/// V2 of value `a` with upper bound `u` and expected value `e`.
#[inline]
pub fn v2(a: f64, u: f64, e: f64) -> f64 {
    if a >= e { (a - e) / (u - e) } else { (a - e) / e }
}

/// Whether U and E differ by more than rounding, so that V1 and V2 are defined.
pub fn differ(u: f64, e: f64) -> bool {
    u - e > ROUNDING * u
}

/// The slopes of a version by A and by E: by how much its value changes with each. A standard error
/// of A or E times its slope is the standard error of the value.
#[inline]
pub fn slopes(version: Version, a: f64, u: f64, e: f64) -> [f64; 2] {
    match version {
        Version::Original => [1.0, 0.0],
        Version::V1 => {
            let both = u * (a + e) * (a + e);
            [a * (a + 2.0 * e) / both, -a * a / both]
        }
        Version::V2 if a >= e => [1.0 / (u - e), (a - u) / ((u - e) * (u - e))],
        Version::V2 => [1.0 / e, -a / (e * e)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_points() {
        assert_eq!((v2(4.0, 4.0, 1.0), v2(1.0, 4.0, 1.0), v2(0.0, 4.0, 1.0)), (1.0, 0.0, -1.0));
        assert_eq!((v1(4.0, 4.0, 1.0), v1(1.0, 4.0, 1.0), v1(0.0, 4.0, 0.0)), (0.8, 0.125, 0.0));
        assert!(differ(1.0, 0.5) && !differ(1.0, 1.0) && !differ(0.0, 0.0) && !differ(1.0, 1.0 - 1e-13));
    }

    #[test]
    fn slopes_are_those_of_small_changes() {
        let (u, e, step) = (3.0, 1.0, 1e-6);
        for a in [0.5, 2.0] {
            let by = |value: fn(f64, f64, f64) -> f64| {
                let of = value(a, u, e);
                [(value(a + step, u, e) - of) / step, (value(a, u, e + step) - of) / step]
            };
            for (version, expected) in [(Version::V1, by(v1)), (Version::V2, by(v2))] {
                let found = slopes(version, a, u, e);
                let worst = found.iter().zip(expected).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-5, "{version} at {a}: {found:?} {expected:?}");
            }
            assert_eq!(slopes(Version::Original, a, u, e), [1.0, 0.0]);
        }
    }

    #[test]
    fn words_read_back() {
        for (version, word) in Version::ALL.into_iter().zip(Version::WORDS) {
            assert_eq!((version.word(), word.parse()), (*word, Ok(version)));
        }
        let far = "something else".parse::<Version>().unwrap_err().to_string();
        assert_eq!(far, "unknown version `something else`; known names: original, v1, v2");
    }
}
