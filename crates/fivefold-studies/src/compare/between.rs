//! Measures against each other: whether they order the systems alike, and lead to the same
//! conclusions.
//!
//! - Orders: tau-b, tau-AP (the reference is named) and weighted tau of the systems' scores.
//! - Conflicts: comparisons that are significant under exactly one of two measures. Their number is
//!   checked against the range that the two discriminative powers allow.
//! - Agreement: whether the winner, the order and the significant pairs are the same at each
//!   cutoff, and the six classes of Moffat, Scholer & Thomas (2012).
//!
//! Conflicts and agreement need two measures with the same number of cutoffs. Agreement also needs
//! all pairs of systems.

use std::cmp::Ordering;

use fivefold_stats::{
    Agreement, Conclusions, agreement, check_conflicts, conflicts, kendall_tau_b, tau_ap, weighted_tau,
};

use super::scores::{ScoredMeasure, Scores};
use super::tested::Tested;
use crate::study::StudyError;

/// A rank correlation: scores of the systems under a measure, and under the reference.
pub type Correlation = fn(&[f64], &[f64]) -> Result<Option<f64>, fivefold_stats::StatsError>;

/// The rank correlations: id, title, function.
pub const CORRELATIONS: [(&str, &str, Correlation); 3] = [
    ("tau", "Kendall's tau-b between the measures' orders of the systems", kendall_tau_b),
    ("tau-ap", "tau-AP of the order in a column, with the order of the row as the reference", |reference, own| {
        tau_ap(own, reference)
    }),
    ("weighted-tau", "Weighted tau between the measures' orders of the systems", weighted_tau),
];

/// `correlation` of every measure (column) with every measure (row); `None` if a measure gives no
/// order.
///
/// # Errors
/// Never for scores that were read.
pub fn matrix(scores: &Scores, correlation: Correlation) -> Result<Vec<Vec<Option<f64>>>, StudyError> {
    let means: Vec<Vec<f64>> = scores.measures.iter().map(ScoredMeasure::means).collect();
    let row = |row: &Vec<f64>| means.iter().map(|column| Ok(correlation(row, column)?)).collect();
    means.iter().map(row).collect()
}

/// Two measures with corresponding comparisons.
pub struct MeasurePair<'a> {
    /// The first measure.
    pub first: (&'a ScoredMeasure, &'a Tested),
    /// The second measure.
    pub second: (&'a ScoredMeasure, &'a Tested),
}

/// Returns all pairs of measures with the same number of cutoffs, and the number of the other
/// pairs.
pub fn pairs<'a>(scores: &'a Scores, tested: impl Iterator<Item = &'a Tested>) -> (Vec<MeasurePair<'a>>, usize) {
    let all: Vec<(&ScoredMeasure, &Tested)> = scores.measures.iter().zip(tested).collect();
    let mut found = Vec::new();
    let mut unlike = 0;
    for (at, &first) in all.iter().enumerate() {
        for &second in &all[at + 1..] {
            if first.0.columns.len() == second.0.columns.len() {
                found.push(MeasurePair { first, second });
            } else {
                unlike += 1;
            }
        }
    }
    (found, unlike)
}

impl MeasurePair<'_> {
    /// Number of comparisons that are significant under exactly one measure, then the fewest and
    /// the most that the powers allow.
    ///
    /// # Errors
    /// A number that the powers do not allow, which would be a fault of this program.
    pub fn conflicts(&self, alpha: f64) -> Result<(usize, usize, usize), StudyError> {
        let ((_, first), (_, second)) = (self.first, self.second);
        let found = conflicts(&first.p_values, &second.p_values, alpha)?;
        let comparisons = first.p_values.len();
        check_conflicts(first.power, second.power, found, comparisons)
            .map_err(|flaw| StudyError::Input(format!("the conflicts contradict the powers: {flaw}")))?;
        let both = first.power + second.power;
        Ok((found, first.power.abs_diff(second.power), both.min(2 * comparisons - both)))
    }

    /// How the conclusions agree, cutoff by cutoff. All pairs of systems must have been compared.
    ///
    /// # Errors
    /// Never for scores that were read.
    pub fn agreements(&self, alpha: f64) -> Result<Vec<Agreement>, StudyError> {
        let ((one, first), (two, second)) = (self.first, self.second);
        let pairs = first.p_values.len() / one.columns.len();
        let of_column = |column: usize| {
            let own = column * pairs..(column + 1) * pairs;
            let (means_one, means_two) = (one.columns[column].means(), two.columns[column].means());
            let favours = |tested: &Tested| -> Vec<Ordering> {
                let outcomes = &tested.run.outcomes[own.clone()];
                outcomes
                    .iter()
                    .map(|outcome| outcome.test.as_ref().map_or(Ordering::Equal, |test| test.favours))
                    .collect()
            };
            let (favours_one, favours_two) = (favours(first), favours(second));
            let first =
                Conclusions { means: &means_one, p_values: &first.p_values[own.clone()], favours: &favours_one };
            let second =
                Conclusions { means: &means_two, p_values: &second.p_values[own.clone()], favours: &favours_two };
            Ok(agreement(first, second, alpha)?)
        };
        (0..one.columns.len()).map(of_column).collect()
    }
}
