//! Histograms of expected values: how well a random order does, query by query (Figs. 2 and 3 of
//! the paper).

use fivefold_base::rounding::equal;

use super::family::families;
use super::{TablesError, check};
use crate::evaluation::Evaluation;

/// The distribution of E/U over the queries of one data set under one family of measures.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedHistogram {
    /// The data set.
    pub dataset: String,
    /// The measure, without cutoff: `ndcg`.
    pub measure: String,
    /// Number of the paper's figure, for measures with a figure.
    pub figure: Option<u32>,
    /// Number of queries of the data set.
    pub queries: usize,
    /// A panel of each query's mean over the cutoffs; if there are several cutoffs, then also a
    /// panel for each cutoff.
    pub panels: Vec<Panel>,
}

/// Queries counted by E/U.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// `mean over cutoffs`, or the cutoff: `@5`.
    pub label: String,
    /// Number of queries in each of n equal bins of [0, 1]. Bin i holds i/n <= value < (i+1)/n; the
    /// last bin also holds 1.
    pub counts: Vec<u64>,
    /// Number of queries without a value, which are in no bin.
    pub undefined: usize,
}

/// A histogram for every data set and family of measures, with `bins` equal bins.
///
/// # Errors
/// [`TablesError`] if arrays do not fit together.
///
/// # Panics
/// If `bins` is 0.
pub fn expected_histograms(evaluation: &Evaluation, bins: usize) -> Result<Vec<ExpectedHistogram>, TablesError> {
    assert!(bins > 0, "a histogram has at least one bin");
    check(evaluation)?;
    let families = families(&evaluation.measures);
    let mut histograms = Vec::new();
    for data in &evaluation.datasets {
        for family in &families {
            // The column of every version holds the same E/U.
            let columns = &family.versions[0].columns;
            let panel = |label: &str, columns: &[usize]| {
                let mut panel = Panel { label: label.to_owned(), counts: vec![0; bins], undefined: 0 };
                for row in data.expected.chunks_exact(evaluation.measures.len()) {
                    panel.count(columns.iter().map(|&column| row[column]));
                }
                panel
            };
            let heads = family.cutoff_heads();
            let single = heads.iter().zip(columns).map(|(head, column)| panel(head, &[*column]));
            let panels = match columns.len() {
                0 => continue,
                1 => single.collect(),
                _ => std::iter::once(panel("mean over cutoffs", columns)).chain(single).collect(),
            };
            histograms.push(ExpectedHistogram {
                dataset: data.name.clone(),
                measure: family.name.clone(),
                figure: family.paper.map(|paper| paper.figure),
                queries: data.queries.len(),
                panels,
            });
        }
    }
    Ok(histograms)
}

impl Panel {
    /// Counts a query by the mean of its defined values.
    fn count(&mut self, values: impl Iterator<Item = f64>) {
        let (sum, count) = values.filter(|v| !v.is_nan()).fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
        if count == 0 {
            self.undefined += 1;
        } else {
            let bins = self.counts.len();
            let place = sum / f64::from(count) * bins as f64;
            let edge = place.round();
            // A value on an edge is in the bin above, also if rounding put it a little below the
            // edge.
            let bin = if equal(place, edge) { edge } else { place.floor() };
            self.counts[(bin as usize).min(bins - 1)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// .1 + .2 is a little more than .3, and 1 - .9 is a little less than .1. Each is an edge of
    /// twenty bins.
    #[test]
    fn a_value_on_an_edge_is_in_the_bin_above() {
        let mut panel = Panel { label: String::new(), counts: vec![0; 20], undefined: 0 };
        for value in [0.1 + 0.2, 1.0 - 0.9, 0.75, 0.749_999, 0.0, 1.0, f64::NAN] {
            panel.count([value].into_iter());
        }
        let filled: Vec<usize> = (0..20).filter(|&bin| panel.counts[bin] == 1).collect();
        assert_eq!((filled, panel.undefined), (vec![0, 2, 6, 14, 15, 19], 1));
    }
}
