//! Histograms of expected values: how far a random order gets, query by query (Figs. 2 and 3 of the paper).

use super::family::families;
use super::{TablesError, check};
use crate::evaluation::Evaluation;

/// Figures of the paper by family of measures.
const PAPER: [(&str, u32); 2] = [("ndcg", 2), ("ap", 3)];

/// The distribution of E/U over the queries of one data set under one family of measures.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedHistogram {
    /// The data set.
    pub dataset: String,
    /// The measure, without cutoff: `ndcg`.
    pub measure: String,
    /// Number of the paper's figure, for the measures that it has one of.
    pub figure: Option<u32>,
    /// Queries of the data set.
    pub queries: usize,
    /// Each query's mean over the cutoffs, then (if there are several) one panel a cutoff.
    pub panels: Vec<Panel>,
}

/// Queries counted by E/U.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// `mean over cutoffs`, or the cutoff: `@5`.
    pub label: String,
    /// Queries in each of the equal bins of [0, 1]: bin i of n holds i/n <= value < (i+1)/n, the last one also 1.
    pub counts: Vec<u64>,
    /// Queries without a value, in no bin.
    pub undefined: usize,
}

/// One histogram for every data set and family of measures, with `bins` equal bins.
///
/// # Errors
/// [`TablesError`]: columns that are no measures, arrays that do not fit together.
///
/// # Panics
/// If `bins` is 0.
pub fn expected_histograms(evaluation: &Evaluation, bins: usize) -> Result<Vec<ExpectedHistogram>, TablesError> {
    assert!(bins > 0, "a histogram has at least one bin");
    check(evaluation)?;
    let families = families(&evaluation.measures)?;
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
                figure: PAPER.iter().find(|(name, _)| *name == family.name).map(|(_, figure)| *figure),
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
            let bin = (sum / f64::from(count) * self.counts.len() as f64) as usize;
            let last = self.counts.len() - 1;
            self.counts[bin.min(last)] += 1;
        }
    }
}
