//! Dialects: the conventions of an evaluation program or a paper, under one name. A dialect is a
//! file, and a line in [`DIALECTS`].
//!
//! The conventions of a program were found by running the program. In `tests/libraries`,
//! `tests/dialects.py` stores the program's values for synthetic and real queries, and
//! `tests/metrics/dialects.rs` compares our values with the stored values. `fivefold book dialects`
//! has all rules side by side.

mod catboost;
mod gdeval;
mod letor4;
mod lightgbm;
mod mslr;
mod paper;
mod ranklib;
mod ranx;
mod sklearn;
mod trec_eval;
mod xgboost;

use crate::conventions::{ApDenominator, Conventions, RULES, SpExpected, SpUpper};
use crate::error::MeasureError;

/// A named set of conventions.
///
/// ```
/// use fivefold_metrics::{Conventions, Undefined, dialect};
///
/// let paper = dialect("paper")?;
/// let other = Conventions { undefined: Undefined::Skip, ..paper.conventions() };
/// assert!(paper.describe(&other).contains("undefined=skip"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The name used in experiment files and on the command line.
    pub name: &'static str,
    /// The program or paper and its main conventions, in a line.
    pub summary: &'static str,
    /// The program and version with which our values were compared, or the publication.
    pub source: &'static str,
    /// Pairs of the program's name of a measure and our name for the same number.
    pub measures: &'static [(&'static str, &'static str)],
    /// Remarks, a sentence each.
    pub notes: &'static [&'static str],
    pub(crate) conventions: fn() -> Conventions,
}

impl Dialect {
    /// The conventions.
    pub fn conventions(&self) -> Conventions {
        (self.conventions)()
    }

    /// A line that names the dialect, and every convention of `in_force` that differs from the
    /// dialect.
    pub fn describe(&self, in_force: &Conventions) -> String {
        let own = self.conventions();
        let differing = RULES.iter().filter(|rule| rule.value(in_force) != rule.value(&own));
        let changes: Vec<String> = differing.map(|rule| format!("{}={}", rule.name, rule.value(in_force))).collect();
        match changes.is_empty() {
            true => format!("dialect: {}", self.name),
            false => format!("dialect: {}, but {}", self.name, changes.join(", ")),
        }
    }
}

/// All dialects; the first is the default.
///
/// ```
/// use fivefold_metrics::DIALECTS;
///
/// assert_eq!(DIALECTS[0].name, "paper");
/// assert!(DIALECTS.iter().any(|dialect| dialect.name == "trec_eval"));
/// ```
pub const DIALECTS: &[Dialect] = &[
    paper::DIALECT,
    letor4::DIALECT,
    mslr::DIALECT,
    trec_eval::DIALECT,
    gdeval::DIALECT,
    ranklib::DIALECT,
    lightgbm::DIALECT,
    xgboost::DIALECT,
    catboost::DIALECT,
    sklearn::DIALECT,
    ranx::DIALECT,
];

/// The dialect with this name.
///
/// ```
/// use fivefold_metrics::{Undefined, dialect};
///
/// // LightGBM counts a query without a relevant document as 1.
/// assert_eq!(dialect("lightgbm")?.conventions().undefined, Undefined::One);
/// assert!(dialect("ligtgbm").unwrap_err().to_string().contains("`lightgbm`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no dialect has the name; the message gives the nearest name.
pub fn dialect(name: &str) -> Result<&'static Dialect, MeasureError> {
    DIALECTS
        .iter()
        .find(|d| d.name == name)
        .ok_or_else(|| MeasureError::unknown("dialect", name, DIALECTS.iter().map(|d| d.name)))
}

/// What may depend on the dialect, in words. The most common value comes first. The other values
/// follow, each with the names of its dialects.
///
/// ```
/// use fivefold_metrics::dialect::by_dialect;
///
/// let unjudged = by_dialect(|dialect| dialect.conventions().unjudged.to_string());
/// assert_eq!(unjudged, "not-relevant");
/// let threshold = by_dialect(|dialect| dialect.conventions().threshold.to_string());
/// assert_eq!(threshold, "1; 2: mslr");
/// ```
pub fn by_dialect(value: impl Fn(&Dialect) -> String) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for dialect in DIALECTS {
        let own = value(dialect);
        match groups.iter_mut().find(|(other, _)| *other == own) {
            Some((_, names)) => names.push(dialect.name),
            None => groups.push((own, vec![dialect.name])),
        }
    }
    // The sort is stable, so equally common values stay in the order of the dialects.
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let others = groups[1..].iter().map(|(value, names)| format!("; {value}: {}", names.join(", ")));
    groups[0].0.clone() + &others.collect::<String>()
}

/// The conventions of most programs. Dialects list their differences from `common`.
fn common() -> Conventions {
    Conventions {
        ap_denominator: ApDenominator::Relevant,
        sp_upper: SpUpper::Ideal,
        sp_expected: SpExpected::Exact,
        ..paper::conventions()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::{Ties, Undefined};

    #[test]
    fn unknown_dialects_name_the_nearest() {
        let error = dialect("letor").unwrap_err();
        assert_eq!(error.to_string(), "unknown dialect `letor`; did you mean `letor4`?");
        assert_eq!(dialect("paper").unwrap().name, "paper");
    }

    #[test]
    fn what_differs_from_a_dialect_is_named_with_it() {
        let letor4 = dialect("letor4").unwrap();
        assert_eq!(letor4.describe(&super::letor4::conventions()), "dialect: letor4");
        let changed = Conventions { ties: Ties::Average, undefined: Undefined::Skip, ..super::letor4::conventions() };
        assert_eq!(letor4.describe(&changed), "dialect: letor4, but ties=average, undefined=skip");
        // Every convention in which the two dialects differ.
        let paper = dialect("paper").unwrap().describe(&super::letor4::conventions());
        for name in [
            "discount=letor",
            "ties=input",
            "ap_denominator=relevant",
            "sp_upper=ideal",
            "sp_expected=exact",
            "short_list=zero",
            "fold_mean=folds",
        ] {
            assert!(paper.contains(name), "{name} in {paper}");
        }
    }
}
