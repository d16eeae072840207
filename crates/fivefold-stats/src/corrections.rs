//! Corrections for multiple comparisons, and the list of them.
//!
//! A correction adjusts the p-values of a family, so that each adjusted p-value can be compared
//! with alpha directly. Comparisons without a p-value do not count as members of the family. To add
//! a correction, write a function and its line in [`CORRECTIONS`].
//!
//! - `bonferroni`: min(1, m p) for m comparisons. The probability of any false positive stays below
//!   alpha.
//! - `holm`: the p-values in increasing order are multiplied by m, m - 1, ..., 1. Then each value
//!   is raised to the largest value before it. The guarantee is the same as for `bonferroni`, and
//!   the power is never lower (Holm 1979).
//! - `bh`: the p-values in decreasing order are multiplied by m / m, m / (m - 1), ..., m / 1. Then
//!   each value is lowered to the smallest value before it. Among the positives, the expected share
//!   of false positives stays below alpha (Benjamini & Hochberg 1995), if the tests are independent
//!   or positively dependent.
//! - `maxt`: step-down max-T over the joint draws of the test (Westfall & Young 1993). The joint
//!   draws take the dependence of the comparisons into account. Two tests draw jointly:
//!   `permutation` and `bootstrap`.

use crate::error::{StatsError, UnknownName};
use crate::outcome::TestRun;

/// An entry of the list of corrections.
///
/// ```
/// use fivefold_stats::correction;
///
/// // The least of three p-values times 3, the next times 2, the last as it is; never below the one before.
/// let adjusted = correction("holm")?.adjust_p_values(&[Some(0.25), Some(0.125), Some(0.5)])?;
/// assert_eq!(adjusted, [Some(0.5), Some(0.375), Some(0.5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Correction {
    /// The name in experiment files and options.
    pub name: &'static str,
    /// The name in a sentence.
    pub title: &'static str,
    /// A short description, in a line.
    pub summary: &'static str,
    /// The publication; empty for `none`.
    pub source: &'static str,
    /// The factor by which the correction multiplies the least p-value of a family.
    pub factor: Factor,
    /// Returns the adjusted p-values of a family, from its p-values and from the p-values of joint
    /// draws, if the test has joint draws.
    rule: Rule,
}

/// The factor by which a correction multiplies the least p-value of a family.
///
/// ```
/// use fivefold_stats::{Factor, correction};
///
/// assert_eq!(correction("bonferroni")?.factor, Factor::All);
/// assert_eq!(correction("none")?.factor, Factor::One);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// 1: p-values stay as they are.
    One,
    /// The number of comparisons.
    All,
    /// The number of comparisons that have no smaller p-value.
    Rest,
    /// The number of comparisons, divided by the number of comparisons that share the least
    /// p-value.
    Shared,
    /// No factor: the least p-value comes from joint draws.
    Joint,
}

/// From p-values and the p-values of joint draws to adjusted p-values; `None` if the test is
/// undefined.
type Rule = fn(&[Option<f64>], Option<&[f64]>) -> Result<Vec<Option<f64>>, StatsError>;

impl Correction {
    /// The adjusted p-values of a run, in the order of its outcomes; `None` if the test is
    /// undefined.
    ///
    /// # Errors
    /// [`StatsError::NeedsJointDraws`] if the correction needs joint draws and the test does not
    /// draw. [`StatsError::CorrectedAlready`] if the test corrects its p-values itself.
    pub fn adjust(&self, run: &TestRun) -> Result<Vec<Option<f64>>, StatsError> {
        if run.corrected && self.corrects() {
            return Err(StatsError::CorrectedAlready);
        }
        (self.rule)(&run.p_values(), run.max_t.as_ref().map(|joint| joint.p_values.as_slice()))
    }

    /// Whether the correction changes p-values at all: `none` does not.
    pub fn corrects(&self) -> bool {
        self.factor != Factor::One
    }

    /// As [`Correction::adjust`], for the p-values of a family that another program tested.
    ///
    /// # Errors
    /// As [`Correction::adjust`]. Such p-values have no joint draws.
    pub fn adjust_p_values(&self, p_values: &[Option<f64>]) -> Result<Vec<Option<f64>>, StatsError> {
        (self.rule)(p_values, None)
    }
}

/// All corrections; the first is `none`.
///
/// ```
/// use fivefold_stats::CORRECTIONS;
///
/// let names: Vec<&str> = CORRECTIONS.iter().map(|correction| correction.name).collect();
/// assert_eq!(names, ["none", "bonferroni", "holm", "bh", "maxt"]);
/// ```
pub const CORRECTIONS: &[Correction] = &[
    Correction {
        name: "none",
        title: "no correction",
        summary: "p-values as they are, as in most papers",
        source: "",
        factor: Factor::One,
        rule: |p, _| Ok(p.to_vec()),
    },
    Correction {
        name: "bonferroni",
        title: "Bonferroni's correction",
        summary: "p times the number of comparisons",
        source: "Dunn, \"Multiple comparisons among means\", JASA 56, 1961",
        factor: Factor::All,
        rule: |p, _| Ok(over_defined(p, bonferroni)),
    },
    Correction {
        name: "holm",
        title: "Holm's correction",
        summary: "step-down Bonferroni; as safe, with more power",
        source: "Holm, \"A simple sequentially rejective multiple test procedure\", Scand. J. Statist. 6, 1979",
        factor: Factor::Rest,
        rule: |p, _| Ok(over_defined(p, holm)),
    },
    Correction {
        name: "bh",
        title: "Benjamini and Hochberg's correction",
        summary: "Benjamini-Hochberg: bounds the share of false positives among the positives",
        source: "Benjamini & Hochberg, \"Controlling the false discovery rate\", JRSS B 57, 1995",
        factor: Factor::Shared,
        rule: |p, _| Ok(over_defined(p, benjamini_hochberg)),
    },
    Correction {
        name: "maxt",
        title: "step-down max-T correction",
        summary: "step-down max-T over joint draws; with the tests permutation and bootstrap",
        source: "Westfall & Young, \"Resampling-based multiple testing\", 1993",
        factor: Factor::Joint,
        rule: max_t,
    },
];

/// The correction with this name.
///
/// ```
/// use fivefold_stats::correction;
///
/// // An undefined p-value is no part of the family, so two are left to multiply by.
/// let adjusted = correction("bonferroni")?.adjust_p_values(&[Some(0.125), None, Some(0.75)])?;
/// assert_eq!(adjusted, [Some(0.25), None, Some(1.0)]);
/// assert!(correction("bonferoni").unwrap_err().to_string().contains("did you mean \"bonferroni\"?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Unknown name; the message suggests the nearest name.
pub fn correction(name: &str) -> Result<&'static Correction, UnknownName> {
    let names: Vec<&'static str> = CORRECTIONS.iter().map(|correction| correction.name).collect();
    let found = CORRECTIONS.iter().find(|correction| correction.name == name);
    found.ok_or_else(|| UnknownName::new("correction", name, &names))
}

/// Bonferroni's adjusted p-values.
pub fn bonferroni(p_values: &[f64]) -> Vec<f64> {
    p_values.iter().map(|p| (p * p_values.len() as f64).min(1.0)).collect()
}

/// Holm's adjusted p-values.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0f64;
    for (rank, &position) in increasing(p_values).iter().enumerate() {
        largest = largest.max(p_values[position] * (p_values.len() - rank) as f64);
        adjusted[position] = largest.min(1.0);
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p-values.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p_values.len()];
    let mut smallest = 1.0f64;
    for (rank, &position) in increasing(p_values).iter().enumerate().rev() {
        smallest = smallest.min(p_values[position] * p_values.len() as f64 / (rank + 1) as f64);
        adjusted[position] = smallest;
    }
    adjusted
}

fn max_t(p_values: &[Option<f64>], joint: Option<&[f64]>) -> Result<Vec<Option<f64>>, StatsError> {
    if p_values.iter().all(Option::is_none) {
        return Ok(vec![None; p_values.len()]);
    }
    let joint = joint.ok_or(StatsError::NeedsJointDraws)?;
    Ok(joint.iter().copied().map(Some).collect())
}

/// Positions of the p-values in increasing order; equal p-values keep their order.
fn increasing(p_values: &[f64]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..p_values.len()).collect();
    positions.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    positions
}

fn over_defined(p_values: &[Option<f64>], adjust: fn(&[f64]) -> Vec<f64>) -> Vec<Option<f64>> {
    let defined: Vec<f64> = p_values.iter().flatten().copied().collect();
    let mut adjusted = adjust(&defined).into_iter();
    p_values.iter().map(|p| p.and_then(|_| adjusted.next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_those_of_the_least_p_value() {
        let p = [0.001, 0.01, 0.02, 0.5];
        for correction in CORRECTIONS {
            let factor = match correction.factor {
                Factor::One => 1.0,
                Factor::All | Factor::Rest | Factor::Shared => 4.0,
                Factor::Joint => continue,
            };
            let least = correction.adjust_p_values(&p.map(Some)).unwrap()[0].unwrap();
            assert!((least - factor * p[0]).abs() < 1e-15, "{}", correction.name);
            // The same for four equal p-values.
            let equal = correction.adjust_p_values(&[Some(0.001); 4]).unwrap()[0].unwrap();
            let factor = if correction.factor == Factor::Shared { 1.0 } else { factor };
            assert!((equal - factor * 0.001).abs() < 1e-15, "{}", correction.name);
        }
    }
    use crate::paired::{permutation, student};
    use crate::{Family, TestOptions};

    /// ranx #61, PyTerrier #99: Tukey's HSD is the alternative to a correction, and corrected
    /// p-values are not corrected again.
    #[test]
    fn what_corrects_itself_is_never_corrected_again() {
        let (a, b) = ([0.1, 0.2, 0.35, 0.3], [0.4, 0.3, 0.9, 0.2]);
        let family = Family::of_systems(&[&a, &a, &b]).unwrap();
        let mut corrected = Vec::new();
        for test in crate::TESTS {
            let run = test.run(&family, &TestOptions { draws: 20_000, ..TestOptions::default() }).unwrap();
            for correction in CORRECTIONS {
                match (test.corrects_itself, correction.name) {
                    (true, "none") => corrected = correction.adjust(&run).unwrap(),
                    (true, _) => assert_eq!(correction.adjust(&run), Err(StatsError::CorrectedAlready)),
                    (false, "maxt") => assert_eq!(correction.adjust(&run).is_ok(), run.max_t.is_some()),
                    (false, _) => assert!(correction.adjust(&run).is_ok()),
                }
            }
        }
        // Of all 6^4 orders, 336 have a range at least as large as the difference of a and b.
        let found = corrected[1].unwrap();
        assert!((found - 336.0 / 1296.0).abs() < 4.0 * (0.2593f64 * 0.7407 / 20_000.0).sqrt(), "{found}");
        assert_eq!(corrected[0], Some(1.0));
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} for {expected}");
        }
    }

    #[test]
    fn known_answers() {
        assert_close(&holm(&[0.010, 0.011]), &[0.020, 0.020]);
        assert_close(&benjamini_hochberg(&[0.01, 0.04, 0.03, 0.05]), &[0.04, 0.05, 0.05, 0.05]);
        assert_close(&bonferroni(&[0.01, 0.6]), &[0.02, 1.0]);
        assert!(holm(&[]).is_empty() && benjamini_hochberg(&[]).is_empty());
    }

    #[test]
    fn corrections_never_lower_p_and_keep_their_order() {
        let p: Vec<f64> = (1..40).map(|i| f64::from(i * 17 % 41) / 200.0).collect();
        let (b, h, bh) = (bonferroni(&p), holm(&p), benjamini_hochberg(&p));
        for i in 0..p.len() {
            assert!(p[i] <= bh[i] && bh[i] <= h[i] && h[i] <= b[i] && b[i] <= 1.0);
            for j in 0..p.len() {
                assert!(p[i] > p[j] || (h[i] <= h[j] && bh[i] <= bh[j]));
            }
        }
    }

    #[test]
    fn the_entries_adjust_a_run() {
        let (a, b, c) = ([0.3, 0.5, 0.1, 0.9, 0.4], [0.2, 0.6, 0.0, 0.5, 0.1], [0.9, 0.4, 0.8, 0.95, 0.6]);
        let family = Family::of_systems(&[&a, &b, &c]).unwrap();
        let run = student::TEST.run(&family, &TestOptions::default()).unwrap();
        let p: Vec<f64> = run.p_values().into_iter().flatten().collect();
        let adjusted: Vec<f64> = correction("holm").unwrap().adjust(&run).unwrap().into_iter().flatten().collect();
        assert_eq!(adjusted, holm(&p));
        assert_eq!(correction("none").unwrap().adjust(&run).unwrap(), run.p_values());
        assert_eq!(correction("maxt").unwrap().adjust(&run), Err(StatsError::NeedsJointDraws));
        let joint = permutation::TEST.run(&family, &TestOptions::default()).unwrap();
        let adjusted = correction("maxt").unwrap().adjust(&joint).unwrap();
        for (adjusted, p) in adjusted.iter().zip(joint.p_values()) {
            assert!(adjusted >= &p);
        }
        let one = Family::of_systems(&[&[0.5], &[0.25]]).unwrap();
        let undefined = student::TEST.run(&one, &TestOptions::default()).unwrap();
        for correction in CORRECTIONS {
            assert_eq!(correction.adjust(&undefined), Ok(vec![None]), "{}", correction.name);
        }
        assert!(correction("bonferoni").unwrap_err().to_string().contains("did you mean \"bonferroni\"?"));
    }
}
