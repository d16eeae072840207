//! How well scores of different queries compare. Random halves of the queries stand for two
//! collections.
//!
//! For each partition into halves C and D (Webber, Moffat & Zobel, SIGIR 2008), the study computes
//! two numbers:
//! - dRMSE = 2 RMSE / (sd_C + sd_D): how far a system is from itself, in units of how far systems
//!   are apart. RMSE = sqrt(mean over systems of (mean_C - mean_D)^2). sd_C and sd_D are the
//!   standard deviations (n - 1) of the systems' means.
//! - The share of systems that a two-sided two-sample t-test (Student's, pooled variances) finds
//!   different from themselves.
//!
//! For both numbers, the mean and the 97.5th percentile over the partitions are shown. If the
//! number of queries is odd, the second half has one query more. Cost: partitions x systems x
//! queries.

use fivefold_core::Seed;
use fivefold_stats::matrix::{Matrix, mean, quantile};
use fivefold_stats::standardise::compare_halves;
use rayon::prelude::*;

use crate::study::StudyError;

/// The results over all partitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparability {
    /// Mean of dRMSE.
    pub drmse: f64,
    /// 97.5th percentile of dRMSE.
    pub drmse_high: f64,
    /// Mean share of systems that differ from themselves.
    pub different: f64,
    /// 97.5th percentile of this share.
    pub different_high: f64,
}

/// A partition of queries into two halves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halves {
    first: Vec<usize>,
    second: Vec<usize>,
}

/// Seeded partitions, which all forms of scores share.
pub fn partitions(queries: usize, count: usize, seed: Seed) -> Vec<Halves> {
    let draw = |index: usize| {
        let mut order: Vec<usize> = (0..queries).collect();
        seed.derive_index("halves", index as u64).rng().shuffle(&mut order);
        let second = order.split_off(queries / 2);
        Halves { first: order, second }
    };
    (0..count).map(draw).collect()
}

/// Compares the halves of every partition; all values must be defined.
///
/// # Errors
/// Fewer than two queries in a half, or a value that is not finite.
pub fn comparability(matrix: &Matrix, partitions: &[Halves], alpha: f64) -> Result<Comparability, StudyError> {
    let compare = |halves: &Halves| compare_halves(matrix, &halves.first, &halves.second, alpha);
    let pairs = partitions.par_iter().map(compare).collect::<Result<Vec<_>, _>>()?;
    let summary = |values: Vec<f64>| {
        let mut rising = values;
        rising.sort_unstable_by(f64::total_cmp);
        (mean(&rising), quantile(&rising, 0.975))
    };
    let (drmse, drmse_high) = summary(pairs.iter().map(|pair| pair.0).collect());
    let (different, different_high) = summary(pairs.iter().map(|pair| pair.1).collect());
    Ok(Comparability { drmse, drmse_high, different, different_high })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_halves_and_seeded() {
        for queries in [4, 7] {
            let all = partitions(queries, 50, Seed::new(3));
            for Halves { first, second } in &all {
                assert_eq!((first.len(), second.len()), (queries / 2, queries.div_ceil(2)));
                let mut both = [first.as_slice(), second].concat();
                both.sort_unstable();
                assert_eq!(both, (0..queries).collect::<Vec<_>>());
            }
            assert_eq!(all[..10], partitions(queries, 10, Seed::new(3)));
            assert_ne!(all[0], all[1]);
        }
    }

    // Python: a = [[.1, .2, .6, .9], [.3, .4, .5, .9], [.2, .3, .95, .9]], 3 systems x 4 queries,
    // halves 0 1 | 2 3
    //   c, d = [sum(r[:2])/2 for r in a], [sum(r[2:])/2 for r in a]; sd = statistics.stdev
    //   2*sqrt(sum((x-y)**2 for x, y in zip(c, d))/3)/(sd(c) + sd(d)) -> 5.1268862536539865
    //   with 2 degrees of freedom p = 1 - |t|/sqrt(2 + t^2) -> .063, .232, .0068
    #[test]
    fn one_partition_by_an_independent_way() {
        let rows = [[0.1, 0.2, 0.6, 0.9], [0.3, 0.4, 0.5, 0.9], [0.2, 0.3, 0.95, 0.9]];
        let matrix = Matrix { queries: 4, values: rows.concat() };
        let halves = Halves { first: vec![0, 1], second: vec![2, 3] };
        let found = comparability(&matrix, &[halves], 0.05).unwrap();
        assert!((found.drmse - 5.1268862536539865).abs() < 1e-12, "{found:?}");
        assert_eq!(found.drmse, found.drmse_high);
        assert_eq!(found.different, 1.0 / 3.0);
    }

    /// A system with the same score on every query never differs from itself.
    #[test]
    fn constant_systems_are_comparable() {
        let matrix = Matrix { queries: 10, values: (0..30).map(|place| f64::from(place / 10)).collect() };
        let found = comparability(&matrix, &partitions(10, 20, Seed::new(1)), 0.05).unwrap();
        assert_eq!((found.drmse, found.different), (0.0, 0.0));
        assert!(comparability(&matrix.select(&[0, 1]), &partitions(2, 1, Seed::new(1)), 0.05).is_err());
    }
}
