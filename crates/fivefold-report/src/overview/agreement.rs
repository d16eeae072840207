//! Whether the measures of a data set put its systems in the same order, and find the same pairs
//! significant.

use fivefold_analysis::Compared;
use fivefold_analysis::page::PageDataset;
use fivefold_stats::{StatsError, kendall_tau_b};

use super::matrix::{Name, names};
use crate::error::ReportError;

/// Agreement of each two measures at their main cutoffs.
#[derive(Debug, Clone)]
pub(crate) struct MeasureAgreement {
    pub dataset: String,
    /// The measures, without cutoff.
    pub measures: Vec<Name>,
    /// `[measure][measure]`: Kendall's tau-b of the orders; `None` where there is no order.
    pub taus: Vec<Vec<Option<f64>>>,
    /// `[measure][measure]`: pairs of systems that are significant under one of the two alone.
    pub conflicts: Vec<Vec<usize>>,
    /// How many pairs of systems there are.
    pub pairs: usize,
}

impl MeasureAgreement {
    /// `None` for one measure, or where measures were taken of different systems.
    pub(super) fn new(dataset: &PageDataset, alpha: f64) -> Result<Option<Self>, ReportError> {
        let own = &dataset.compared;
        if own.len() < 2 || own[0].systems.len() < 2 || own.iter().any(|other| other.systems != own[0].systems) {
            return Ok(None);
        }
        let taus = own.iter().map(|a| own.iter().map(|b| tau(a, b)).collect()).collect::<Result<_, _>>()?;
        let conflicts = own.iter().map(|a| own.iter().map(|b| conflicts(a, b, alpha)).collect()).collect();
        let systems = own[0].systems.len();
        Ok(Some(MeasureAgreement {
            dataset: dataset.name.clone(),
            measures: names(own, false),
            taus,
            conflicts,
            pairs: systems * (systems - 1) / 2,
        }))
    }
}

/// Kendall's tau-b of the means at the main cutoffs; `None` where a system has no mean or all tie.
pub(super) fn tau(a: &Compared, b: &Compared) -> Result<Option<f64>, ReportError> {
    let means = |own: &Compared| own.levels(own.main_cutoff()).into_iter().collect::<Option<Vec<f64>>>();
    tau_of_orders(means(a).as_deref(), means(b).as_deref())
}

/// Kendall's tau-b of two orders of the same systems; `None` without an order, or if all tie.
fn tau_of_orders(a: Option<&[f64]>, b: Option<&[f64]>) -> Result<Option<f64>, ReportError> {
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    match kendall_tau_b(a, b) {
        Ok(tau) => Ok(tau),
        Err(StatsError::TooFew { .. }) => Ok(None),
        Err(error) => Err(ReportError::Malformed { id: "tau".to_owned(), message: error.to_string() }),
    }
}

/// Pairs of systems that are significant under one of two measures alone.
pub(super) fn conflicts(a: &Compared, b: &Compared, alpha: f64) -> usize {
    let significant = |own: &Compared, pair: usize| {
        own.p_values.get(pair).and_then(|p| p[own.main_cutoff()]).is_some_and(|p| p < alpha)
    };
    (0..a.p_values.len()).filter(|&pair| significant(a, pair) != significant(b, pair)).count()
}

/// Pairs of systems that are significant.
pub(super) fn significant(own: &Compared, alpha: f64) -> usize {
    let main = own.main_cutoff();
    own.p_values.iter().filter(|of_pair| of_pair[main].is_some_and(|p| p < alpha)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn taus_and_conflicts_are_those_of_the_main_cutoff() {
        let first = samples::compared("ndcg", [0.2, 0.9, 0.5], [Some(0.01), Some(0.3), Some(0.2)]);
        let second = samples::compared("ap", [0.2, 0.9, 0.1], [Some(0.01), Some(0.02), Some(0.2)]);
        let agreement = MeasureAgreement::new(&samples::three_systems(vec![first, second]), 0.05).unwrap().unwrap();
        // a < c < b against c < a < b: one of three pairs is reversed.
        assert_eq!(agreement.taus[0][1], Some(1.0 / 3.0));
        assert_eq!((agreement.conflicts[0][1], agreement.conflicts[1][0], agreement.pairs), (1, 1, 3));
        assert_eq!((agreement.taus[0][0], agreement.conflicts[0][0]), (Some(1.0), 0));
    }
}
