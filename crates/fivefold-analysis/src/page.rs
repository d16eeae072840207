//! The data of a page, except for its tables and figures. They are plain data, with the same types
//! for a run and for a study of systems. A study keeps the data in [`PAGE_DATA`] of its results
//! folder, so that the page can be written again from the folder alone.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::compared::Compared;

/// The file of the page's data in a study's results folder.
pub const PAGE_DATA: &str = "page.json";

/// Limits of a page: systems of a data set, cells of the score tables, and squares of the pairs.
const SHOWN: usize = 30;
const CELLS: usize = 2400;
const PAIRS: usize = 5400;

/// Most values that a page shows query by query.
const VALUES: usize = 200_000;

/// The data of a page beside its tables and figures.
///
/// ```
/// use fivefold_analysis::PageData;
/// use fivefold_analysis::page::PagePart;
///
/// let finding = PagePart { heading: None, sentences: vec!["A is better than B.".to_owned()] };
/// let data = PageData { noun: "system".to_owned(), findings: vec![finding], ..PageData::default() };
/// // A study keeps it in its folder as JSON.
/// let stored = serde_json::to_string(&data)?;
/// assert_eq!(serde_json::from_str::<PageData>(&stored)?, data);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageData {
    /// The word for the compared things: `method`, `system`.
    pub noun: String,
    /// Sentences that say which systems were compared on which data, a line each.
    pub facts: Vec<String>,
    /// The findings of a study, which stand before the findings about systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<PagePart>,
    /// The data sets with compared systems.
    pub datasets: Vec<PageDataset>,
    /// The test behind letters and words; `None` if no systems were compared.
    pub test: Option<PageTest>,
    /// The conventions of the values, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conventions: Vec<String>,
    /// Paragraphs that say how the numbers were made.
    pub methods: Vec<String>,
    /// The measures, tests and corrections that were used, for the references: `measure:ndcg`,
    /// `test:t`, `correction:holm`, ...
    pub used: BTreeSet<String>,
}

/// Sentences under a heading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PagePart {
    /// The subject of the sentences; `None` for the first part.
    pub heading: Option<String>,
    /// The sentences.
    pub sentences: Vec<String>,
}

/// A test of differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageTest {
    /// The test in words, with its correction.
    pub words: String,
    /// The level of significance.
    pub alpha: f64,
}

/// Compared systems on one data set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageDataset {
    /// The name; empty if the page has a single data set without a name.
    pub name: String,
    /// All systems.
    pub systems: Vec<String>,
    /// The systems without numbers, because a part of their work failed.
    pub failed: Vec<usize>,
    /// The comparisons under each measure.
    pub compared: Vec<Compared>,
    /// The system with which every other system was compared; `None` if all pairs were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<usize>,
    /// Sentences that a reader of the numbers must know.
    pub remarks: Vec<String>,
    /// The systems that a page shows: all, or the best by the first measure, and the baseline.
    pub shown: Vec<usize>,
    /// Number of queries.
    pub queries: usize,
    /// The queries that are shown one by one: all, or an even sample.
    pub sample: Vec<PageQuery>,
    /// Names of classes of queries. A query can be in several classes, or in no class.
    pub classes: Vec<String>,
    /// Sets of classes that some query has together, as places in `classes`.
    pub class_sets: Vec<Vec<usize>>,
    /// Values query by query, for each measure.
    pub values: Vec<PageValues>,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageQuery {
    /// The id.
    pub id: String,
    /// The fold and documents of the query, if known.
    pub facts: Option<QueryFacts>,
}

/// A query's fold and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryFacts {
    /// The fold in which the query is in the test part.
    pub fold: usize,
    /// Number of documents.
    pub documents: usize,
    /// Number of relevant documents.
    pub relevant: usize,
}

/// Values of a measure at its main cutoff, for each query of the sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageValues {
    /// The measure with its cutoff.
    pub measure: String,
    /// Each query's place in [`PageDataset::class_sets`]; empty if queries have no classes.
    pub classes: Vec<usize>,
    /// Each query's E/U, if known.
    pub expected: Option<Vec<Option<f64>>>,
    /// `[shown system][query]`.
    pub values: Vec<Vec<Option<f64>>>,
}

/// The systems of a data set that a page shows. If there are too many for a page, these are the
/// best by the first measure, and the baseline.
pub fn leading(compared: &[&Compared], baseline: Option<usize>) -> Vec<usize> {
    let Some(first) = compared.first() else { return Vec::new() };
    let columns: usize = compared.iter().map(|compared| compared.cutoffs.len()).sum();
    let most = SHOWN.min(CELLS / columns.max(1)).min((PAIRS / compared.len()).isqrt()).max(2);
    if first.systems.len() <= most {
        return first.systems.clone();
    }
    let order = first.order(first.main_cutoff());
    let mut best: Vec<usize> = order.into_iter().map(|place| first.systems[place]).collect();
    // The baseline is always shown, whatever its mean.
    best.sort_by_key(|system| baseline != Some(*system));
    best.truncate(most);
    best.sort_unstable();
    best
}

impl PageDataset {
    /// ` on mq2008`, for a sentence. Empty if the only data set has no name.
    pub fn on(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!(" on {}", self.name) }
    }

    /// A sentence that says which systems are left out, if a page shows only some. `noun` is the
    /// word for a system.
    pub fn left_out(&self, noun: &str) -> Option<String> {
        let first = self.compared.first()?;
        let (all, shown) = (first.systems.len(), self.shown.len());
        let of = if self.name.is_empty() { "Of".to_owned() } else { format!("{}: of", self.name) };
        (shown < all).then(|| {
            let measure = first.measure_at(first.main_cutoff());
            let who = match self.baseline {
                Some(baseline) => format!("{} and the {} others best by {measure}", self.systems[baseline], shown - 1),
                None => format!("the {shown} best by {measure}"),
            };
            format!("{of} {all} {noun}s, {who} are shown; the CSV files of the folder have the scores of all")
        })
    }
}

/// The queries that are shown one by one. If all data sets of a page have more than `VALUES` values
/// (`cells`), each keeps a share of its queries, so that about `VALUES` values are left. The
/// queries are evenly spaced over the file, and so over the folds.
pub fn sample(queries: usize, cells: usize) -> Vec<usize> {
    let keep = if cells > VALUES { (queries * VALUES / cells).max(1).min(queries) } else { queries };
    (0..keep).map(|place| place * queries / keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compared::SystemMean;

    fn compared(means: &[Option<f64>], cutoffs: usize) -> Compared {
        let of = |&mean: &Option<f64>| vec![SystemMean { mean, ends: None }; cutoffs];
        Compared {
            family: "ap".to_owned(),
            measure: "ap".to_owned(),
            cutoffs: (1..=cutoffs).map(|cutoff| format!("@{cutoff}")).collect(),
            systems: (0..means.len()).collect(),
            means: means.iter().map(of).collect(),
            p_values: Vec::new(),
            differences: Vec::new(),
            against_means: Vec::new(),
            too_few_draws: None,
        }
    }

    #[test]
    fn the_best_are_shown_in_the_order_of_all() {
        let means: Vec<Option<f64>> = (0..40).map(|system| (system != 39).then(|| f64::from(system % 20))).collect();
        assert_eq!(leading(&[&compared(&means[..30], 1)], None).len(), 30);
        let shown = leading(&[&compared(&means, 1)], None);
        // Each mean from 0 to 19 occurs twice, except the last, which occurs once. The ten lowest
        // are not shown.
        assert_eq!((shown.len(), &shown[..3], shown.contains(&39)), (30, &[4, 5, 6][..], false));
        // The baseline is always shown. It replaces the last of the other systems.
        let shown = leading(&[&compared(&means, 1)], Some(39));
        assert_eq!((shown.len(), shown.contains(&39)), (30, true));
        // With very many columns, fewer systems are shown.
        assert_eq!(leading(&[&compared(&means, 300)], None).len(), 8);
        assert_eq!(leading(&vec![&compared(&means, 1); 54], None).len(), 10);
        assert_eq!(leading(&[], None), [0; 0]);
    }

    #[test]
    fn a_sample_is_even() {
        assert_eq!(sample(4, 100), [0, 1, 2, 3]);
        assert_eq!(sample(10, VALUES * 2), [0, 2, 4, 6, 8]);
        assert_eq!(sample(10, VALUES * 1000), [0]);
        assert_eq!(sample(0, VALUES * 1000), [0; 0]);
    }
}
