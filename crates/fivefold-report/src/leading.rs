//! The methods that diagrams, matrices and the page show: all of a data set, or of very many the best.

use std::collections::BTreeMap;

use fivefold_experiment::Evaluation;
use fivefold_experiment::tables::Comparison;

/// Most methods of a data set that are shown.
const SHOWN: usize = 30;

/// Comparisons of the methods that are shown.
pub(crate) struct Leading {
    pub(crate) comparisons: Vec<Comparison>,
    /// What is left out, a line a data set.
    pub(crate) notices: Vec<String>,
}

/// The best methods of each data set by its first comparison.
pub(crate) fn leading(evaluation: &Evaluation, comparisons: &[Comparison]) -> Leading {
    let mut notices = Vec::new();
    // By data set; those that are not here show all.
    let mut shown: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut seen = Vec::new();
    for first in comparisons {
        if seen.contains(&first.dataset) {
            continue;
        }
        seen.push(first.dataset);
        if first.methods.len() <= SHOWN {
            continue;
        }
        let cutoff = first.main_cutoff();
        let mut best: Vec<(usize, f64)> =
            first.methods.iter().zip(&first.means).map(|(&method, means)| (method, means[cutoff].0.value)).collect();
        // Undefined means last.
        best.sort_by(|(_, a), (_, b)| a.is_nan().cmp(&b.is_nan()).then(b.total_cmp(a)));
        notices.push(format!(
            "{}: of {} methods, the {SHOWN} best by {} are shown; tables/ and per_query.csv have all",
            evaluation.datasets[first.dataset].name,
            best.len(),
            first.measure_at(cutoff)
        ));
        best.truncate(SHOWN);
        shown.insert(first.dataset, best.into_iter().map(|(method, _)| method).collect());
    }
    let comparisons = comparisons.iter().map(|comparison| match shown.get(&comparison.dataset) {
        Some(methods) => comparison.among(methods),
        None => comparison.clone(),
    });
    Leading { comparisons: comparisons.collect(), notices }
}
