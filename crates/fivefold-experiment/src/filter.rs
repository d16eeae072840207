//! `--only`: which jobs of an experiment are meant.

use std::fmt;
use std::str::FromStr;

use crate::names::file_name;

/// Patterns of jobs; a job is meant if it matches any of them, and every job is if there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Only {
    patterns: Vec<Pattern>,
}

/// `DATASET/foldK/RANKER`, each part a label, `*` for any, or a part with `*` in it. Parts left out at the end are
/// `*`; a single part without `/` means a data set, a fold (`fold1`) or a ranker of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    text: String,
    parts: Vec<String>,
}

impl Only {
    /// All jobs.
    pub fn all() -> Self {
        Only::default()
    }

    /// Exactly the job with this id.
    pub fn job(id: &str) -> Self {
        Only::patterns([id])
    }

    /// The jobs that match any of some patterns.
    pub fn patterns<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let pattern =
            |text: &str| Pattern { text: text.to_owned(), parts: text.split('/').map(str::to_owned).collect() };
        Only { patterns: patterns.into_iter().map(pattern).collect() }
    }

    /// Whether every job is meant.
    pub fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether this job is meant.
    pub fn matches(&self, dataset: &str, fold: usize, ranker: &str) -> bool {
        self.any(dataset, Some(&format!("fold{fold}")), ranker)
    }

    /// Whether some fold's job of this data set and ranker may be meant.
    pub(crate) fn may_match(&self, dataset: &str, ranker: &str) -> bool {
        self.any(dataset, None, ranker)
    }

    fn any(&self, dataset: &str, fold: Option<&str>, ranker: &str) -> bool {
        let label = |pattern: &str, label: &str| glob(pattern, label) || glob(pattern, &file_name(label));
        let is_fold = |pattern: &str| match fold {
            Some(fold) => glob(pattern, fold),
            None => pattern.starts_with("fold") || pattern.contains('*'),
        };
        self.patterns.is_empty()
            || self.patterns.iter().any(|pattern| match pattern.parts.as_slice() {
                [one] => label(one, dataset) || is_fold(one) || label(one, ranker),
                [d, f] => label(d, dataset) && is_fold(f),
                [d, f, r] => label(d, dataset) && is_fold(f) && label(r, ranker),
                _ => false,
            })
    }
}

impl FromStr for Only {
    type Err = std::convert::Infallible;

    /// Patterns separated by commas.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Only::patterns(text.split(',').map(str::trim).filter(|pattern| !pattern.is_empty())))
    }
}

impl fmt::Display for Only {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<&str> = self.patterns.iter().map(|pattern| pattern.text.as_str()).collect();
        f.write_str(&texts.join(","))
    }
}

/// Whether `text` matches `pattern`, in which `*` stands for any run of characters.
fn glob(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    let mut rest = rest;
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*b*c", "a--b--c", true),
            ("a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn patterns_choose_jobs() {
        let meant = |only: &str, dataset: &str, fold: usize, ranker: &str| {
            only.parse::<Only>().unwrap().matches(dataset, fold, ranker)
        };
        assert!(meant("", "d", 1, "r"));
        assert!(meant("d", "d", 1, "r") && meant("r", "d", 1, "r") && meant("fold1", "d", 1, "r"));
        assert!(!meant("x", "d", 1, "r") && !meant("fold1", "d", 11, "r"));
        assert!(meant("d/fold1/r", "d", 1, "r") && !meant("d/fold2/r", "d", 1, "r"));
        assert!(meant("d/fold2, */*/r*", "d", 1, "rank") && !meant("d/*/x", "d", 1, "r"));
        assert!(meant("d/fold1/L2%20LR", "d", 1, "L2 LR") && meant("L2 LR", "d", 1, "L2 LR"));
        assert!(!meant("d/fold1/r/x", "d", 1, "r"));
        let may = |only: &str, dataset: &str| only.parse::<Only>().unwrap().may_match(dataset, "r");
        assert!(may("", "d") && may("d", "d") && may("fold2", "d") && may("r", "d") && may("d/fold2/r", "d"));
        assert!(!may("other", "d") && !may("other/fold1/r", "d"));
    }
}
