//! Histograms of expected values: how far a random order gets, query by query (Figs. 2 and 3 of the paper).

use super::family::families;
use super::{TablesError, check};
use crate::evaluation::Evaluation;

/// A histogram of E/U over the queries of a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The data set.
    pub dataset: String,
    /// The measure, with its cutoff, or without where each query's mean over the cutoffs is shown.
    pub measure: String,
    /// Whether each query's mean over the cutoffs is shown.
    pub over_cutoffs: bool,
    /// Queries in each of the equal bins of [0, 1]: bin i holds i/n <= value < (i+1)/n, the last one also 1.
    pub bins: Vec<usize>,
    /// Queries without a value, in no bin.
    pub undefined: usize,
}

/// For every data set and family of measures: the histogram of each query's mean over the cutoffs, then (if there are
/// several) one a cutoff.
///
/// # Errors
/// [`TablesError`]: columns that are no measures, arrays that do not fit together.
pub fn expected_histograms(evaluation: &Evaluation, bins: usize) -> Result<Vec<Histogram>, TablesError> {
    check(evaluation)?;
    let mut histograms = Vec::new();
    for data in &evaluation.datasets {
        for family in families(&evaluation.measures)? {
            // Every version's column holds the same E/U.
            let Some(version) = family.versions.first().filter(|version| !version.columns.is_empty()) else { continue };
            let histogram = |measure: String, over_cutoffs: bool, columns: &[usize]| {
                let mut histogram =
                    Histogram { dataset: data.name.clone(), measure, over_cutoffs, bins: vec![0; bins], undefined: 0 };
                for row in data.expected.chunks_exact(evaluation.measures.len()) {
                    histogram.count(columns.iter().map(|&column| row[column]));
                }
                histogram
            };
            histograms.push(histogram(family.name.clone(), true, &version.columns));
            if let [_, _, ..] = version.columns[..] {
                for (head, column) in family.cutoff_heads().iter().zip(&version.columns) {
                    let name = if head.starts_with('@') { "" } else { " " };
                    histograms.push(histogram(format!("{}{name}{head}", family.name), false, &[*column]));
                }
            }
        }
    }
    Ok(histograms)
}

impl Histogram {
    /// Counts a query by the mean of its defined values.
    fn count(&mut self, values: impl Iterator<Item = f64>) {
        let (sum, count) = values.filter(|v| !v.is_nan()).fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
        if count == 0 || self.bins.is_empty() {
            self.undefined += 1;
            return;
        }
        let bin = (sum / f64::from(count) * self.bins.len() as f64) as usize;
        let last = self.bins.len() - 1;
        self.bins[bin.min(last)] += 1;
    }
}
