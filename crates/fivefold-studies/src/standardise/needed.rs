//! How many standardising systems are needed. Factors of random subsets are compared with the
//! factors of all systems.
//!
//! A draw takes k of the systems, computes factors from these systems alone, and standardises all
//! systems with the factors. The mean of these scores orders the systems. Kendall's tau-b between
//! this order and the order under the factors of all systems shows how much the choice matters
//! (Webber, Moffat & Zobel, SIGIR 2008). The result is the tau that 50, 95 and 99 % of the draws
//! reach. A query without factors from the subset is left out of the means of this draw and
//! counted. Cost: draws x (systems x queries + systems^2).

use fivefold_core::Seed;
use fivefold_stats::kendall_tau_b;
use fivefold_stats::matrix::{Matrix, mean, quantile};
use fivefold_stats::standardise::standardised_means;
use rayon::prelude::*;

use crate::study::StudyError;

/// The results of the draws of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SystemsNeeded {
    /// Standardising systems in each draw.
    pub systems: usize,
    /// The tau that 50, 95 and 99 % of the draws reach.
    pub reached: [f64; 3],
    /// Mean number of queries that a draw left without factors.
    pub without: f64,
    /// Number of draws without a tau: all systems tied, or no query had factors.
    pub undefined: usize,
}

/// Shares of the draws that reach the values of [`SystemsNeeded::reached`].
pub const SHARES: [f64; 3] = [0.5, 0.95, 0.99];

/// The default sizes below the number of systems.
pub fn default_sizes(systems: usize) -> Vec<usize> {
    [2, 3, 5, 10, 20, 40, 80].into_iter().filter(|&size| size < systems).collect()
}

/// Draws subsets of one size.
///
/// # Errors
/// A size above the number of systems, or below 2.
pub fn needed(matrix: &Matrix, size: usize, draws: usize, seed: Seed) -> Result<SystemsNeeded, StudyError> {
    let all: Vec<usize> = (0..matrix.systems()).collect();
    if size > all.len() || size < 2 {
        let what = format!("subsets of {size} of {} standardising systems cannot be drawn", all.len());
        return Err(StudyError::Input(format!("{what}; give `sizes` from 2 up to that number")));
    }
    let (full, _) = standardised_means(matrix, &all);
    let seed = seed.derive_index("standardising systems", size as u64);
    let draw = |index: usize| {
        let subset = seed.derive_index("draw", index as u64).rng().sample(all.len(), size);
        let (means, without) = standardised_means(matrix, &subset);
        let tau = if means.iter().all(|mean| mean.is_finite()) { kendall_tau_b(&means, &full)? } else { None };
        Ok((tau, without))
    };
    let found = (0..draws).into_par_iter().map(draw).collect::<Result<Vec<_>, StudyError>>()?;
    let mut taus: Vec<f64> = found.iter().filter_map(|(tau, _)| *tau).collect();
    taus.sort_unstable_by(f64::total_cmp);
    Ok(SystemsNeeded {
        systems: size,
        reached: SHARES.map(|share| quantile(&taus, 1.0 - share)),
        without: mean(&found.iter().map(|(_, without)| *without as f64).collect::<Vec<_>>()),
        undefined: draws - taus.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix {
        let mut rng = Seed::new(8).rng();
        let values = (0..12 * 20).map(|place| (place / 20) as f64 * 0.05 + rng.uniform()).collect();
        Matrix { queries: 20, values }
    }

    #[test]
    fn all_systems_give_the_order_of_all_systems() {
        let found = needed(&matrix(), 12, 5, Seed::new(1)).unwrap();
        assert_eq!((found.reached, found.without, found.undefined), ([1.0; 3], 0.0, 0));
    }

    #[test]
    fn more_systems_reach_a_higher_tau_and_higher_shares_a_lower_one() {
        let [few, many] = [2, 9].map(|size| needed(&matrix(), size, 300, Seed::new(1)).unwrap());
        assert!(few.reached[0] < many.reached[0] && few.reached[2] < many.reached[2], "{few:?} {many:?}");
        for found in [few, many] {
            let [half, most, nearly_all] = found.reached;
            assert!(half >= most && most >= nearly_all && half > nearly_all, "{found:?}");
        }
        assert!(needed(&matrix(), 13, 5, Seed::new(1)).is_err());
        assert_eq!(default_sizes(12), [2, 3, 5, 10]);
    }

    /// A query on which two systems are equal has no factors from these systems.
    #[test]
    fn queries_without_factors_are_counted() {
        let values = vec![0.0, 0.1, 0.0, 0.2, 0.0, 0.5];
        let found = needed(&Matrix { queries: 2, values }, 2, 10, Seed::new(1)).unwrap();
        assert_eq!((found.without, found.undefined), (1.0, 0));
    }
}
