//! `[run]`, and the same keys of a `[[ranker]]`: the limits of a job, and whether a job runs in a
//! process of its own.
//!
//! ```toml
//! [run]
//! time_limit = "10m"         # for each job; default: none
//! memory_limit = "4GiB"      # for each job, including the data that it reads; default: none
//! isolate = true             # each job in its own process, for crashes; implied by a limit
//! ```
//! If a ranker has a key, this key replaces the same key of `[run]`. No result depends on these
//! keys, so neither a job's key nor the results folder holds them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of each job, and whether the job has its own process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JobLimits {
    /// How long a job may run.
    #[serde(rename = "time_limit")]
    pub time: Option<TimeLimit>,
    /// How much memory a job may use.
    #[serde(rename = "memory_limit")]
    pub memory: Option<Bytes>,
    /// Whether a job runs in a process of its own even without a limit.
    pub isolate: Option<bool>,
}

impl JobLimits {
    /// Fills each limit that is not set here with the limit of `other`.
    #[must_use]
    pub fn or(self, other: JobLimits) -> Self {
        JobLimits {
            time: self.time.or(other.time),
            memory: self.memory.or(other.memory),
            isolate: self.isolate.or(other.isolate),
        }
    }

    /// Whether any key is set.
    pub fn any(self) -> bool {
        self != JobLimits::default()
    }

    /// Whether a fit needs a process of its own. A fit inside this process could not be stopped.
    pub fn isolated(self) -> bool {
        self.time.is_some() || self.memory.is_some() || self.isolate == Some(true)
    }
}

/// A time in whole milliseconds, written `90s`, `10m`, `2h` or `500ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeLimit {
    milliseconds: u64,
}

/// The units and their lengths in milliseconds, the longest first.
const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

impl TimeLimit {
    /// An hour.
    pub(crate) const HOUR: TimeLimit = TimeLimit { milliseconds: 3_600_000 };

    /// The limit as a duration.
    pub fn duration(self) -> Duration {
        Duration::from_millis(self.milliseconds)
    }
}

impl FromStr for TimeLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = UNITS.iter().find_map(|(unit, length)| {
            let count: u64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            count.checked_mul(*length)
        });
        match parsed {
            Some(milliseconds) if milliseconds > 0 => Ok(TimeLimit { milliseconds }),
            _ => Err(format!("a time is written as \"90s\", \"10m\", \"2h\" or \"500ms\", not \"{text}\"")),
        }
    }
}

impl TryFrom<String> for TimeLimit {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<TimeLimit> for String {
    fn from(limit: TimeLimit) -> String {
        limit.to_string()
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.iter().find(|(_, length)| self.milliseconds.is_multiple_of(*length)).unwrap_or(&("ms", 1));
        write!(f, "{}{}", self.milliseconds / whole.1, whole.0)
    }
}

/// A number of bytes, written `6GiB`, `1.5 GB`, `800MiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bytes(pub u64);

/// Units of a size. If the end of a unit is a unit too, the longer unit comes first.
const SIZES: [(&str, u64); 9] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("b", 1),
];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let Some((number, size)) = SIZES.iter().find_map(|(unit, size)| Some((lower.strip_suffix(unit)?, *size)))
        else {
            return Err("say how much and in which unit: 6GiB, 800MiB, 4GB".to_owned());
        };
        match number.trim_end().parse::<f64>() {
            Ok(number) if number > 0.0 && number * (size as f64) < u64::MAX as f64 => {
                Ok(Bytes((number * size as f64) as u64))
            }
            _ => Err(format!("`{}` is no number of bytes above 0", number.trim_end())),
        }
    }
}

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Bytes> for String {
    /// Writes the exact size, which reads back to the same number.
    fn from(bytes: Bytes) -> String {
        let units = ["TiB", "GiB", "MiB", "KiB"].into_iter().zip([40, 30, 20, 10]);
        let whole = units.into_iter().find(|(_, bits)| bytes.0 != 0 && bytes.0.trailing_zeros() >= *bits);
        whole.map_or_else(|| format!("{}B", bytes.0), |(unit, bits)| format!("{}{unit}", bytes.0 >> bits))
    }
}

impl fmt::Display for Bytes {
    /// Writes the rounded size: `6.0 GiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, size) = match self.0 {
            0..0x10_0000 => ("KiB", 1u64 << 10),
            0x10_0000..0x4000_0000 => ("MiB", 1 << 20),
            _ => ("GiB", 1 << 30),
        };
        write!(f, "{:.1} {unit}", self.0 as f64 / size as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back() {
        for (text, seconds) in [("90s", 90.0), ("10m", 600.0), ("2h", 7200.0), ("500ms", 0.5), ("1001ms", 1.001)] {
            let limit: TimeLimit = text.parse().unwrap();
            assert_eq!((limit.duration(), limit.to_string().as_str()), (Duration::from_secs_f64(seconds), text));
        }
        assert_eq!(TimeLimit::HOUR.to_string(), "1h");
        for wrong in ["0s", "0ms", "10", "m", "-1s", "1.5h", "99999999999999999999h", "18446744073709551615h"] {
            assert!(wrong.parse::<TimeLimit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_a_unit() {
        for (text, bytes) in [
            ("6GiB", 6 << 30),
            ("6 gib", 6 << 30),
            ("1.5KiB", 1536),
            ("4GB", 4_000_000_000),
            ("2.5mb", 2_500_000),
            ("100B", 100),
            ("1TiB", 1 << 40),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)), "{text}");
            assert_eq!(String::from(Bytes(bytes)).parse(), Ok(Bytes(bytes)), "{text}");
        }
        for text in ["", "6", "GiB", "-1GiB", "0MB", "nanGB", "infGB", "6G", "6GiBs", "1e30TiB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_in_words() {
        let words = [100, 1 << 10, 5 << 20, 6 << 30, 3 << 29].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(words, ["0.1 KiB", "1.0 KiB", "5.0 MiB", "6.0 GiB", "1.5 GiB"]);
        assert_eq!(String::from(Bytes(6 << 30)), "6GiB");
    }

    #[test]
    fn what_a_ranker_says_goes_first() {
        let limits = |text: &str| toml::from_str::<JobLimits>(text).unwrap();
        let run = limits("time_limit = \"10m\"\nmemory_limit = \"1GiB\"");
        let own = limits("time_limit = \"20s\"\nisolate = false").or(run);
        assert_eq!(own, limits("time_limit = \"20s\"\nmemory_limit = \"1GiB\"\nisolate = false"));
        assert!(own.isolated() && !limits("isolate = false").isolated() && limits("isolate = true").isolated());
        assert!(!limits("").any() && toml::from_str::<JobLimits>("time = \"1s\"").is_err());
    }
}
