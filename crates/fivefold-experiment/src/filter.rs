//! `--only`: the choice of jobs of an experiment.

use std::collections::BTreeSet;
use std::fmt;

use fivefold_base::words::nearest;
use fivefold_results::labels::file_name;
use fivefold_results::paths::{candidate_id, job_id, repeat_id};

/// A choice of jobs of an experiment.
///
/// ```
/// use fivefold_experiment::{JobFilter, Plan};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment of one ranker on five folds, of which two are meant.
/// let folder = tempfile::tempdir()?;
/// let (experiment, _) = small(folder.path())?;
/// let plan = Plan::new(&experiment, &JobFilter::patterns(["fold2", "mine/fold4"]))?;
/// let ids: Vec<&str> = plan.jobs.iter().map(|job| job.id.as_str()).collect();
/// assert_eq!(ids, ["mine/fold2/First", "mine/fold4/First"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobFilter {
    /// Every job.
    #[default]
    All,
    /// The jobs with these ids. A job that they depend on is not among them.
    Jobs(BTreeSet<String>),
    /// The jobs that match at least one pattern.
    ///
    /// A pattern is `DATASET/foldK/RANKER`. Each part is a label, in which `*` stands for any
    /// characters. `DATASET/foldK` chooses all rankers. A single part chooses the data set, the
    /// fold or the ranker of this name. The pattern of a tuned ranker chooses its candidates too;
    /// `DATASET/foldK/RANKER/SETTING` chooses candidates alone.
    Any(Vec<String>),
}

impl JobFilter {
    /// The job with this id.
    pub fn job(id: &str) -> Self {
        JobFilter::jobs([id])
    }

    /// The jobs with these ids.
    pub fn jobs<'a>(ids: impl IntoIterator<Item = &'a str>) -> Self {
        JobFilter::Jobs(ids.into_iter().map(str::to_owned).collect())
    }

    /// The jobs that match at least one pattern. If there is no pattern, all jobs.
    pub fn patterns<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let patterns: Vec<String> = patterns.into_iter().map(str::to_owned).collect();
        if patterns.is_empty() { JobFilter::All } else { JobFilter::Any(patterns) }
    }

    /// Whether this job is chosen. A pattern chooses all repeats. A candidate is given with the hash
    /// of its setting.
    pub(crate) fn matches(
        &self,
        dataset: &str,
        fold: usize,
        ranker: &str,
        repeat: usize,
        setting: Option<&str>,
    ) -> bool {
        match self {
            JobFilter::All => true,
            JobFilter::Jobs(ids) => {
                let job = match setting {
                    Some(setting) => candidate_id(dataset, fold, ranker, setting),
                    None => job_id(dataset, fold, ranker),
                };
                ids.contains(&repeat_id(&job, repeat))
            }
            JobFilter::Any(patterns) => patterns.iter().any(|pattern| {
                let is_fold = |part: &str| glob(part, &format!("fold{fold}"));
                match pattern.split('/').collect::<Vec<_>>().as_slice() {
                    [one] => label(one, dataset) || is_fold(one) || label(one, ranker),
                    [d, f] => label(d, dataset) && is_fold(f),
                    [d, f, r] => label(d, dataset) && is_fold(f) && label(r, ranker),
                    [d, f, r, s] => {
                        label(d, dataset) && is_fold(f) && label(r, ranker) && setting.is_some_and(|own| glob(s, own))
                    }
                    _ => false,
                }
            }),
        }
    }

    /// The patterns that choose no job of `jobs`. A job is given by data set, fold, ranker and, if it
    /// is a candidate, the hash of its setting.
    pub(crate) fn without_job(&self, jobs: &[(&str, usize, &str, Option<&str>)]) -> Vec<&str> {
        let JobFilter::Any(patterns) = self else { return Vec::new() };
        let means_none = |pattern: &&String| {
            let alone = JobFilter::Any(vec![(*pattern).clone()]);
            !jobs.iter().any(|(dataset, fold, ranker, setting)| alone.matches(dataset, *fold, ranker, 0, *setting))
        };
        patterns.iter().filter(means_none).map(String::as_str).collect()
    }

    /// Whether a job of this data set and ranker may be chosen. `false` only if no fold can have
    /// such a job.
    pub(crate) fn may_match(&self, dataset: &str, ranker: &str) -> bool {
        match self {
            JobFilter::All => true,
            JobFilter::Jobs(ids) => {
                let (dataset, ranker) = (file_name(dataset), file_name(ranker));
                ids.iter().any(|id| {
                    let job = id.split_once('~').map_or(id.as_str(), |(job, _)| job);
                    let parts: Vec<&str> = job.split('/').collect();
                    (parts.first().copied(), parts.get(2).copied()) == (Some(&dataset), Some(&ranker))
                })
            }
            JobFilter::Any(patterns) => {
                patterns.iter().any(|pattern| match pattern.split('/').collect::<Vec<_>>().as_slice() {
                    [one] => label(one, dataset) || label(one, ranker) || one.starts_with("fold") || one.contains('*'),
                    [d, _] => label(d, dataset),
                    [d, _, r] | [d, _, r, _] => label(d, dataset) && label(r, ranker),
                    _ => false,
                })
            }
        }
    }
}

/// Returns the pattern with each unknown part replaced by the nearest label. `None` if no label is
/// near.
pub(crate) fn near(pattern: &str, datasets: &[&str], rankers: &[&str]) -> Option<String> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let labels: Vec<Vec<&str>> = match parts.len() {
        1 => vec![[datasets, rankers].concat()],
        2 => vec![datasets.to_vec(), Vec::new()],
        3 => vec![datasets.to_vec(), Vec::new(), rankers.to_vec()],
        _ => return None,
    };
    let part = |(part, labels): (&&str, &Vec<&str>)| -> Option<String> {
        let known = labels.is_empty() || labels.iter().any(|name| label(part, name));
        if known { Some((*part).to_owned()) } else { nearest(part, labels.iter().copied()).map(str::to_owned) }
    };
    let near = parts.iter().zip(&labels).map(part).collect::<Option<Vec<String>>>()?.join("/");
    (near != pattern).then_some(near)
}

impl fmt::Display for JobFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JobFilter::All => f.write_str("*"),
            JobFilter::Jobs(ids) => f.write_str(&ids.iter().map(String::as_str).collect::<Vec<_>>().join(" ")),
            JobFilter::Any(patterns) => f.write_str(&patterns.join(" ")),
        }
    }
}

/// Whether a label matches, either as written or as a file name.
fn label(pattern: &str, label: &str) -> bool {
    glob(pattern, label) || glob(pattern, &file_name(label))
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
        let meant = |only: &[&str], dataset: &str, fold: usize, ranker: &str| {
            let only = JobFilter::patterns(only.iter().copied());
            let meant = only.matches(dataset, fold, ranker, 0, None);
            assert!(!meant || only.may_match(dataset, ranker), "{only}");
            meant
        };
        assert!(meant(&[], "d", 1, "r"));
        assert!(meant(&["d"], "d", 1, "r") && meant(&["r"], "d", 1, "r") && meant(&["fold1"], "d", 1, "r"));

        assert!(meant(&["f*1"], "d", 1, "r"));
        assert!(!meant(&["x"], "d", 1, "r") && !meant(&["fold1"], "d", 11, "r"));
        assert!(meant(&["d/fold1/r"], "d", 1, "r") && !meant(&["d/fold2/r"], "d", 1, "r"));
        assert!(meant(&["d/fold2", "*/*/r*"], "d", 1, "rank") && !meant(&["d/*/x"], "d", 1, "r"));
        assert!(meant(&["d/fold1/L2%20LR"], "d", 1, "L2 LR") && meant(&["L2, LR"], "d", 1, "L2, LR"));
        assert!(!meant(&["d/fold1/r/x"], "d", 1, "r"));
        let candidate = |pattern| JobFilter::patterns([pattern]).matches("d", 1, "r", 0, Some("0a1b"));
        assert!(candidate("r") && candidate("d/fold1/r/0a*") && !candidate("d/fold1/r/1*"));
        assert!(!JobFilter::patterns(["other/fold1/r"]).may_match("d", "r"));
    }

    #[test]
    fn patterns_without_a_job_are_told_with_what_is_near() {
        let jobs = [("MQ2008", 1, "Ridge", None), ("MQ2008", 2, "Ridge", None), ("MQ2008", 1, "ListNet", None)];
        let only = JobFilter::patterns(["Ridge", "Rigde", "MQ2008/fold2", "MQ2008/fold3", "*/fold1/L*", "OHSUMED"]);
        assert_eq!(only.without_job(&jobs), ["Rigde", "MQ2008/fold3", "OHSUMED"]);
        assert!(JobFilter::All.without_job(&jobs).is_empty());
        for (pattern, expected) in [
            ("Rigde", Some("Ridge")),
            ("MQ2007", Some("MQ2008")),
            ("MQ2008/fold1/Lisnet", Some("MQ2008/fold1/ListNet")),
            ("MQ208/fold1", Some("MQ2008/fold1")),
            ("MQ2008/fold3", None),
            ("something", None),
            ("a/b/c/d", None),
        ] {
            assert_eq!(near(pattern, &["MQ2008"], &["Ridge", "ListNet"]).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn an_id_is_no_pattern() {
        let job = JobFilter::job;
        assert!(
            job("d/fold1/L2%20LR").matches("d", 1, "L2 LR", 0, None) && job("d/fold1/L2%20LR").may_match("d", "L2 LR")
        );
        assert!(!job("d/fold1/*").matches("d", 1, "r", 0, None) && !job("d").matches("d", 1, "r", 0, None));
        assert!(!job("d/fold1/r").may_match("e", "r") && !job("d/fold1/r").may_match("d", "q"));
        assert!(job("d/fold1/r~2").matches("d", 1, "r", 1, None) && job("d/fold1/r~2").may_match("d", "r"));
        assert!(!job("d/fold1/r~2").matches("d", 1, "r", 0, None));
        assert!(job("d/fold1/r/0a1b~2").matches("d", 1, "r", 1, Some("0a1b")));
        let candidate = job("d/fold1/r/0a1b");
        assert!(candidate.matches("d", 1, "r", 0, Some("0a1b")) && candidate.may_match("d", "r"));
        assert!(!candidate.matches("d", 1, "r", 0, None) && !candidate.matches("d", 1, "r", 0, Some("0a1c")));
    }
}
