//! Average ranks, the Friedman test, Iman and Davenport's F, and Nemenyi's critical difference: what a
//! critical-difference diagram shows (Demsar, JMLR 7, 2006).
//!
//! Systems are ranked within each query (or data set): 1 is best, that is the highest value; ties take their mean rank. Values that differ
//! in their last bits only, as sums in another order do, tie.
//! With N queries, k systems and rank sums R_j:
//! - chi-square = (12 / (N k (k+1)) sum R_j^2 - 3 N (k+1)) / (1 - sum (t^3 - t) / (N k (k^2 - 1))), k - 1 degrees of freedom, t
//!   over the sizes of ties (Friedman 1937; the correction as in scipy and R);
//! - F = (N-1) chi-square / (N (k-1) - chi-square), with k - 1 and (k-1)(N-1) degrees of freedom (Iman & Davenport 1980);
//! - critical difference = q / sqrt(2) sqrt(k (k+1) / (6 N)), q the upper alpha point of the studentised range (Nemenyi
//!   1963). Two systems differ where their average ranks do by more.
//!
//! Cost: N k log k.

use fivefold_core::rounding::{ROUNDING, levels};

use crate::distribution::{chi_square_above, f_above};
use crate::error::{StatsError, all_finite, same_length};
use crate::studentised_range::studentised_range_quantile;

/// The Friedman test of some systems.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// Average rank of each system; 1 is best.
    pub average_ranks: Vec<f64>,
    /// Number of queries (or data sets).
    pub queries: usize,
    /// Friedman's chi-square, corrected for ties; 0 where all systems tie on every query.
    pub chi_square: f64,
    /// Its p-value.
    pub chi_square_p: f64,
    /// Iman and Davenport's F; infinite where all queries give the same order.
    pub f: f64,
    /// Its p-value.
    pub f_p: f64,
}

/// Ranks the systems, `[system][query]`, and tests whether all are alike.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than two systems or two queries; [`StatsError::LengthMismatch`];
/// [`StatsError::NotFinite`].
pub fn friedman(systems: &[&[f64]]) -> Result<Friedman, StatsError> {
    let (k, queries) = (systems.len(), systems.first().map_or(0, |values| values.len()));
    if k < 2 || queries < 2 {
        return Err(StatsError::TooFew { found: k.min(queries), needed: 2 });
    }
    for values in systems {
        same_length(queries, values.len())?;
        all_finite(values)?;
    }
    let mut rank_sums = vec![0.0; k];
    let mut ties = 0.0;
    let mut order: Vec<usize> = (0..k).collect();
    for query in 0..queries {
        let row = levels(&systems.iter().map(|values| values[query]).collect::<Vec<_>>());
        order.sort_unstable_by(|&a, &b| row[b].total_cmp(&row[a]));
        let mut before = 0;
        for tied in order.chunk_by(|&a, &b| row[a] == row[b]) {
            let size = tied.len() as f64;
            let rank = before as f64 + (size + 1.0) / 2.0;
            tied.iter().for_each(|&system| rank_sums[system] += rank);
            ties += size.powi(3) - size;
            before += tied.len();
        }
    }
    let (n, m) = (queries as f64, k as f64);
    let share_untied = 1.0 - ties / (n * m * (m * m - 1.0));
    let squares: f64 = rank_sums.iter().map(|sum| sum * sum).sum();
    let raw = 12.0 / (n * m * (m + 1.0)) * squares - 3.0 * n * (m + 1.0);
    let chi_square = if share_untied <= 0.0 { 0.0 } else { (raw / share_untied).max(0.0) };
    let rest = n * (m - 1.0) - chi_square;
    // All queries agree: chi-square is at its maximum, but for rounding.
    let f = if rest <= ROUNDING * n * m { f64::INFINITY } else { (n - 1.0) * chi_square / rest };
    Ok(Friedman {
        average_ranks: rank_sums.iter().map(|sum| sum / n).collect(),
        queries,
        chi_square,
        chi_square_p: chi_square_above(chi_square, m - 1.0),
        f,
        f_p: if f.is_infinite() { 0.0 } else { f_above(f, m - 1.0, (m - 1.0) * (n - 1.0)) },
    })
}

/// Nemenyi's critical difference of average ranks.
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than two systems or no query; [`StatsError::OutOfRange`] for alpha.
pub fn critical_difference(systems: usize, queries: usize, alpha: f64) -> Result<f64, StatsError> {
    if systems < 2 || queries < 1 {
        return Err(StatsError::TooFew { found: systems.min(queries), needed: if systems < 2 { 2 } else { 1 } });
    }
    crate::error::check_share("alpha", alpha)?;
    let (k, n) = (systems as f64, queries as f64);
    let q = studentised_range_quantile(1.0 - alpha, systems, None) / 2f64.sqrt();
    Ok(q * (k * (k + 1.0) / (6.0 * n)).sqrt())
}

/// The bars of a critical-difference diagram: the longest runs of systems, best first, whose average ranks lie within
/// `critical_difference`; runs of one are left out. Items are positions in `average_ranks`.
pub fn cliques(average_ranks: &[f64], critical_difference: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..average_ranks.len()).collect();
    order.sort_by(|&a, &b| average_ranks[a].total_cmp(&average_ranks[b]));
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut reached = 0;
    for first in 0..order.len() {
        let within = |&&other: &&usize| average_ranks[other] - average_ranks[order[first]] <= critical_difference;
        let run = order[first..].iter().take_while(within).count();
        if run > 1 && first + run > reached {
            reached = first + run;
            found.push(order[first..reached].to_vec());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// .1 + .2 and .3 differ in the last bit, which must not make a rank.
    #[test]
    fn what_rounding_parts_is_tied() {
        let found = friedman(&[&[0.1 + 0.2, 0.5], &[0.3, 0.25]]).unwrap();
        assert_eq!(found.average_ranks, [1.25, 1.75]);
    }

    #[test]
    fn demsars_critical_difference() {
        // Demsar 2006, Table 5(a): q for k = 4 at .05 is 2.569; his example with 14 data sets has CD 1.25.
        assert!((critical_difference(4, 14, 0.05).unwrap() - 1.25).abs() < 0.005);
        assert!((critical_difference(5, 30, 0.1).unwrap() - 2.459 * (30.0f64 / 180.0).sqrt()).abs() < 5e-4);
        assert!(critical_difference(4, 14, 5.0).is_err() && critical_difference(1, 14, 0.05).is_err());
    }

    #[test]
    fn extremes() {
        // The same order on every query; no order on any.
        let agree = friedman(&[&[3.0, 3.0, 3.0], &[2.0, 2.0, 2.0], &[1.0, 1.0, 1.0]]).unwrap();
        assert_eq!(agree.average_ranks, [1.0, 2.0, 3.0]);
        assert_eq!((agree.chi_square, agree.f, agree.f_p), (6.0, f64::INFINITY, 0.0));
        let tied = friedman(&[&[1.0, 2.0], &[1.0, 2.0]]).unwrap();
        assert_eq!((tied.average_ranks, tied.chi_square, tied.chi_square_p, tied.f_p), (vec![1.5, 1.5], 0.0, 1.0, 1.0));
        assert!(friedman(&[&[1.0, 2.0]]).is_err() && friedman(&[&[1.0], &[2.0]]).is_err());
    }

    #[test]
    fn cliques_are_the_longest_runs() {
        let ranks = [3.0, 1.0, 1.5, 5.0, 2.2];
        assert_eq!(cliques(&ranks, 1.25), [vec![1, 2, 4], vec![4, 0]]);
        assert_eq!(cliques(&ranks, 10.0), [vec![1, 2, 4, 0, 3]]);
        assert!(cliques(&ranks, 0.1).is_empty());
    }
}
