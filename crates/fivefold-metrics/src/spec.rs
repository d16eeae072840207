//! The full name of a measure, with parameters: `ndcg@10`, `ap.v2(denominator=cutoff)@5`,
//! `rbp(p=0.8)`.
//!
//! Grammar: `name`, then in any order at most one version (`.v1`, `.v2`), one list of parameters
//! (`(a=x, b=y)`) and one cutoff (`@k`). A name is printed in one form only:
//! `name[.version][(parameters)][@k]`, with the parameters in the order of the measure's entry and
//! values in canonical form. A parameter that is not given keeps the dialect's choice and is not
//! printed.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use fivefold_base::renamed::{self, Renamed, new_name};
use serde::{Deserialize, Serialize};

use crate::conventions::Conventions;
use crate::entry::{Cutoffs, InPaper, MeasureEntry, Param, Settings};
use crate::error::MeasureError;
use crate::measures::all_measures;

pub use fivefold_base::ue::Version;

/// A measure, a version of it, parameters and a cutoff.
///
/// ```
/// use fivefold_metrics::{MeasureSpec, Version};
///
/// // Printed in one form, whatever the order that it was written in.
/// let spec: MeasureSpec = "ap@5(denominator=cutoff).v2".parse()?;
/// assert_eq!(spec.to_string(), "ap.v2(denominator=cutoff)@5");
/// assert_eq!((spec.version(), spec.cutoff()), (Version::V2, Some(5)));
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeasureSpec {
    entry: &'static MeasureEntry,
    /// Parameters given, in the entry's order, with canonical values.
    given: Vec<(&'static str, String)>,
    version: Version,
    cutoff: Option<usize>,
}

impl MeasureSpec {
    /// The registered measure.
    pub fn entry(&self) -> &'static MeasureEntry {
        self.entry
    }

    /// The original measure: the same name without the version.
    #[must_use]
    pub fn base(&self) -> Self {
        self.with_version(Version::Original)
    }

    /// The name in files of values. A renamed parameter keeps its first name here, so that files
    /// have the same bytes as from earlier versions. [`FromStr`] reads the first and the new
    /// name.
    ///
    /// ```
    /// let err: fivefold_metrics::MeasureSpec = "err(max_grade=4)@10".parse()?;
    /// assert_eq!(err.stored_name(), "err(gmax=4)@10");
    /// # Ok::<(), fivefold_metrics::MeasureError>(())
    /// ```
    pub fn stored_name(&self) -> String {
        let first = |name| RENAMED.iter().find(|renamed| renamed.new == name).map_or(name, |renamed| renamed.old);
        let given = self.given.iter().map(|(name, value)| (first(name), value.clone())).collect();
        MeasureSpec { given, ..self.clone() }.to_string()
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The same measure in another version.
    #[must_use]
    pub fn with_version(&self, version: Version) -> Self {
        MeasureSpec { version, ..self.clone() }
    }

    /// The cutoff; `None`: the whole list, or the number of documents that the measure fixes.
    pub fn cutoff(&self) -> Option<usize> {
        self.cutoff
    }

    /// Whether a cutoff may be given (not for `meanndcg` and `wta`).
    pub fn takes_cutoff(&self) -> bool {
        matches!(self.entry.cutoffs, Cutoffs::Optional | Cutoffs::Required)
    }

    /// Where the paper behind V1 and V2 prints the measure. With a parameter of its own it is
    /// another measure, which no table of the paper has.
    pub fn paper(&self) -> Option<InPaper> {
        self.entry.paper.filter(|_| self.given.is_empty())
    }

    /// The same measure at another cutoff. [`check`](Self::check) and the evaluator check whether
    /// the measure takes the cutoff.
    #[must_use]
    pub fn at(&self, cutoff: Option<usize>) -> Self {
        MeasureSpec { cutoff, ..self.clone() }
    }

    /// Checks whether the measure takes the cutoff and the version.
    ///
    /// # Errors
    /// If the cutoff is 0, or missing, or if the measure takes no cutoff. Also if the measure has no
    /// V1 and V2, and the version is one of these.
    pub fn check(&self) -> Result<(), MeasureError> {
        if let Some(reason) = self.entry.no_ue.filter(|_| self.version != Version::Original) {
            return Err(MeasureError::NoUe { measure: self.to_string(), base: self.base().to_string(), reason });
        }
        let problem = match (self.entry.cutoffs, self.cutoff) {
            (Cutoffs::Never | Cutoffs::Fixed(_), Some(_)) => "takes no cutoff",
            (Cutoffs::Required, None) => "needs a cutoff, as in `p@10`",
            (_, Some(0)) => "has cutoff 0; the lowest is 1",
            _ => return Ok(()),
        };
        Err(MeasureError::Cutoff { measure: self.to_string(), problem })
    }

    /// A value for each parameter: the given value, or else the value of the conventions.
    pub(crate) fn settings(&self, conventions: &Conventions, max_grade: u8) -> Result<Settings, MeasureError> {
        let value = |param: &Param| match self.given.iter().find(|(name, _)| *name == param.name) {
            Some((name, value)) => Ok((*name, value.clone())),
            None => Ok((param.name, param.read(self.entry.name, &(param.default)(conventions, max_grade))?)),
        };
        let values = self.entry.params.iter().map(value).collect::<Result<_, MeasureError>>()?;
        Ok(Settings { measure: self.entry.name, values, max_grade })
    }

    /// The measure with the parameters in which `theirs` differs from `in_force`, written out.
    /// Parameters of V1 and V2 alone, the threshold and the rule for undefined values are left to
    /// the conventions in force.
    pub(crate) fn pinned(&self, theirs: &Conventions, in_force: &Conventions) -> Result<Self, MeasureError> {
        const FREE: [&str; 5] = ["threshold", "no_relevant", "upper", "expected", "max_grade"];
        const AT_A_CUTOFF: [&str; 2] = ["denominator", "short_list"];
        let any_grade = fivefold_base::HIGHEST_GRADE;
        let (theirs, ours) = (self.settings(theirs, any_grade)?, self.settings(in_force, any_grade)?);
        let is_given = |name: &str| self.given.iter().any(|(given, _)| *given == name);
        let kept = |((name, value), (_, ours)): (&(&'static str, String), &(&str, String))| {
            let counts = !FREE.contains(name) && (self.cutoff.is_some() || !AT_A_CUTOFF.contains(name));
            let pinned = counts && value != ours;
            (is_given(name) || pinned).then(|| (*name, value.clone()))
        };
        let given = theirs.values.iter().zip(&ours.values).filter_map(kept).collect();
        Ok(MeasureSpec { given, ..self.clone() })
    }

    fn key(&self) -> (&'static str, &[(&'static str, String)], Version, Option<usize>) {
        (self.entry.name, &self.given, self.version, self.cutoff)
    }
}

impl PartialEq for MeasureSpec {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for MeasureSpec {}

impl Hash for MeasureSpec {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for MeasureSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        if self.version != Version::Original {
            write!(f, ".{}", self.version)?;
        }
        for (index, (name, value)) in self.given.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { "(" } else { "," })?;
        }
        if !self.given.is_empty() {
            f.write_str(")")?;
        }
        match self.cutoff {
            Some(k) => write!(f, "@{k}"),
            None => Ok(()),
        }
    }
}

impl FromStr for MeasureSpec {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let syntax = |problem: &str| MeasureError::Syntax { text: text.to_owned(), problem: problem.to_owned() };
        let name_end = text.find(['.', '(', '@']).unwrap_or(text.len());
        let (name, mut rest) = text.split_at(name_end);
        let entry = find(name.trim_end())?;
        let (mut version, mut given, mut cutoff) = (None, None, None);
        while let Some(mark) = rest.chars().next() {
            let body = &rest[mark.len_utf8()..];
            let repeated = match mark {
                '.' => {
                    let (word, after) = body.split_at(body.find(['.', '(', '@']).unwrap_or(body.len()));
                    rest = after;
                    version.replace(parse_version(word.trim())?).is_some()
                }
                '(' => {
                    let (list, after) = body.split_once(')').ok_or_else(|| syntax("`(` is never closed"))?;
                    rest = after.trim_start();
                    given.replace(parse_params(entry, list, syntax)?).is_some()
                }
                '@' => {
                    let (digits, after) = body.split_at(body.find(['.', '(', '@']).unwrap_or(body.len()));
                    rest = after;
                    let k = digits.trim().parse().map_err(|_| syntax("the cutoff after `@` is not a whole number"))?;
                    cutoff.replace(k).is_some()
                }
                _ => return Err(syntax(&format!("`{mark}` is not expected after `)`"))),
            };
            if repeated {
                return Err(syntax(&format!("`{mark}` stands twice")));
            }
        }
        let version = version.unwrap_or(Version::Original);
        let spec = MeasureSpec { entry, given: given.unwrap_or_default(), version, cutoff };
        spec.check()?;
        Ok(spec)
    }
}

impl Serialize for MeasureSpec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MeasureSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

fn find(name: &str) -> Result<&'static MeasureEntry, MeasureError> {
    all_measures().find(|entry| entry.name == name).ok_or_else(|| MeasureError::Unknown {
        what: "measure".to_owned(),
        name: name.to_owned(),
        help: crate::spelling::help(name),
    })
}

fn parse_version(word: &str) -> Result<Version, MeasureError> {
    match word.parse()? {
        // The original is written without a version, so that a measure has only one name.
        Version::Original => Err(MeasureError::unknown("version", word, ["v1", "v2"])),
        version => Ok(version),
    }
}

/// The renamed parameters that a measure's name, such as `err(gmax=4)`, gives by their old names.
pub fn old_names(measure: &str) -> impl Iterator<Item = &'static Renamed> {
    let params = measure.split(['(', ',', ')']).filter_map(|item| item.split_once('='));
    params.filter_map(|(name, _)| renamed::find(RENAMED, name.trim()))
}

/// Parameters of measures that were renamed.
const RENAMED: &[Renamed] = &[Renamed::new("gmax", "max_grade")];

fn parse_params(
    entry: &'static MeasureEntry,
    list: &str,
    syntax: impl Fn(&str) -> MeasureError,
) -> Result<Vec<(&'static str, String)>, MeasureError> {
    let mut values: Vec<Option<String>> = vec![None; entry.params.len()];
    for item in list.split(',').filter(|item| !item.trim().is_empty()) {
        let (name, value) = item.split_once('=').ok_or_else(|| syntax(&format!("`{}` has no `=`", item.trim())))?;
        let (name, value) = (new_name(RENAMED, name.trim()), value.trim());
        let Some(index) = entry.params.iter().position(|param| param.name == name) else {
            let known = entry.params.iter().map(|param| param.name);
            return Err(MeasureError::unknown(format!("parameter of `{}`", entry.name), name, known));
        };
        let param = &entry.params[index];
        let canonical = param.read(entry.name, value)?;
        if values[index].replace(canonical).is_some() {
            return Err(syntax(&format!("parameter `{name}` stands twice")));
        }
    }
    Ok(entry.params.iter().zip(values).filter_map(|(param, value)| Some((param.name, value?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let spec: MeasureSpec = text.parse().unwrap();
        let printed = spec.to_string();
        assert_eq!(printed.parse::<MeasureSpec>().unwrap(), spec);
        printed
    }

    fn error(text: &str) -> String {
        text.parse::<MeasureSpec>().unwrap_err().to_string()
    }

    #[test]
    fn names_round_trip_in_one_form() {
        for text in [
            "ndcg",
            "ndcg@10",
            "ndcg(gain=linear)@10",
            "ap.v2(denominator=cutoff)@5",
            "meanndcg",
            "wta",
            "rbp(p=0.8)",
            "neru(beta=5,d=1)",
            "dcg.v1(gain=exp2,discount=power:0.5)@3",
            "err(max_grade=4)",
            "p@5",
            "sp.v2(upper=ideal)@5",
        ] {
            assert_eq!(canonical(text), text);
        }
        assert_eq!(canonical("ndcg(gain=linear).v2@10"), "ndcg.v2(gain=linear)@10");
        assert_eq!(
            canonical(" ndcg@10( discount = letor , gain=linear ).v1 "),
            "ndcg.v1(gain=linear,discount=letor)@10"
        );
        assert_eq!(canonical("rbp(p=.80)"), "rbp(p=0.8)");
        assert_eq!(canonical("ndcg()"), "ndcg");
        assert_eq!(canonical("err(gmax=4)"), "err(max_grade=4)");
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(error("ndgc@5"), "unknown measure `ndgc`; did you mean `ndcg`?");
        assert_eq!(error("ndcg(gian=linear)"), "unknown parameter of `ndcg` `gian`; did you mean `gain`?");
        assert_eq!(
            error("ndcg(gain=exp)"),
            "`gain` of `ndcg` must be exp2, linear, or gains by grade such as 1:3/2:9, not `exp`"
        );
        assert_eq!(error("ndcg.v3"), "unknown version `v3`; did you mean `v1`?");
        assert_eq!(error("p"), "`p` needs a cutoff, as in `p@10`");
        assert_eq!(error("wta@2"), "`wta@2` takes no cutoff");
        assert_eq!(error("ndcg@0"), "`ndcg@0` has cutoff 0; the lowest is 1");
        assert!(error("ndcg@x").contains("not a whole number"));
        assert!(error("ndcg@5@6").contains("`@` stands twice"));
        assert!(error("ndcg(gain=linear").contains("never closed"));
        assert!(error("ndcg(gain)").contains("has no `=`"));
        assert!(error("ndcg(gain=linear,gain=exp2)").contains("`gain` stands twice"));
        assert!(error("ndcg(gain=linear)x").contains("`x` is not expected"));
        assert!(error("rbp(p=1)").contains("above 0 and below 1"));
        assert!(error("").contains("unknown measure"));
    }

    #[test]
    fn parts_can_be_changed() {
        let spec: MeasureSpec = "ap.v2@5".parse().unwrap();
        assert_eq!(spec.base().to_string(), "ap@5");
        assert_eq!(spec.at(None).with_version(Version::V1).to_string(), "ap.v1");
        assert_eq!((spec.version(), spec.cutoff(), spec.takes_cutoff()), (Version::V2, Some(5), true));
        let wta: MeasureSpec = "wta".parse().unwrap();
        assert!(!wta.takes_cutoff());
        assert!(wta.at(Some(3)).check().is_err());
    }
}
