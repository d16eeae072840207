//! Every pair of methods compared on all queries of a data set: what a page, a letter of significance or a heat map needs
//! beside the paper's tables, from the same means and tests.

use fivefold_metrics::{Mean, Version, settle};
use fivefold_stats::outcome::t_interval;
use fivefold_stats::{Friedman, Interval, Moments, friedman};

use super::analysis::{Analysis, live};
use super::family::{Family, families};
use super::means::gather;
use super::query_set::QuerySet;
use super::{TableOptions, TablesError, check};
use crate::evaluation::{DatasetValues, Evaluation};

/// Confidence of the intervals of means.
pub const CONFIDENCE: f64 = 0.95;

/// One version of a measure on one data set, over all its queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Index of the data set in the evaluation.
    pub dataset: usize,
    /// The measure without version and cutoff: `ndcg`.
    pub family: String,
    /// The measure with its version, without cutoff: `ndcg.v1`.
    pub measure: String,
    /// Whether it is a UE version, V1 or V2.
    pub normalised: bool,
    /// What each cutoff is called: `@5`, `whole list`.
    pub cutoffs: Vec<String>,
    /// The column of each cutoff in the evaluation.
    pub columns: Vec<usize>,
    /// The methods that did not fail, as indices of the evaluation's rankers.
    pub methods: Vec<usize>,
    /// `[method][cutoff]`: the mean, and its interval at [`CONFIDENCE`] over queries (Student's t); no interval where fewer
    /// than two queries have a value.
    pub means: Vec<Vec<(Mean, Option<Interval>)>>,
    /// `[pair][cutoff]`: p-value of a paired two-sided t-test, pairs in the order (0,1), (0,2), ..; `None` where fewer than
    /// two queries have a value for both.
    pub p_values: Vec<Vec<Option<f64>>>,
    /// Average ranks of the methods at the main cutoff over the queries on which all have a value, with Friedman's test;
    /// `None` for fewer than two methods or such queries.
    pub ranks: Option<Friedman>,
}

impl Comparison {
    /// The cutoff that stands for the measure where one number is shown: 10 if it was evaluated, else the last.
    pub fn main_cutoff(&self) -> usize {
        main_cutoff(&self.cutoffs)
    }

    /// The measure at a cutoff: `ndcg.v1@10`, `ap` for the whole list.
    pub fn measure_at(&self, cutoff: usize) -> String {
        let head = &self.cutoffs[cutoff];
        format!("{}{}", self.measure, if head.starts_with('@') { head } else { "" })
    }

    /// The p-value of two methods (places in [`Comparison::methods`]) at a cutoff; `None` for a method and itself.
    pub fn p(&self, a: usize, b: usize, cutoff: usize) -> Option<f64> {
        self.p_values.get(self.pair(a, b)?)?.get(cutoff).copied().flatten()
    }

    /// The place of a pair of methods in [`Comparison::p_values`].
    fn pair(&self, a: usize, b: usize) -> Option<usize> {
        let (low, high) = (a.min(b), a.max(b));
        // Pairs before those of `low`, then the place among them.
        let before = low * (2 * self.methods.len() - low - 1) / 2;
        (low < high).then(|| before + high - low - 1)
    }

    /// The same for some of the methods (indices of the evaluation's rankers); without ranks, which are among all.
    #[must_use]
    pub fn among(&self, methods: &[usize]) -> Comparison {
        let places: Vec<usize> =
            (0..self.methods.len()).filter(|&place| methods.contains(&self.methods[place])).collect();
        let pairs = places.iter().enumerate().flat_map(|(at, &a)| places[at + 1..].iter().map(move |&b| (a, b)));
        let p_values = pairs.filter_map(|(a, b)| self.p_values.get(self.pair(a, b)?).cloned()).collect();
        Comparison {
            methods: places.iter().map(|&place| self.methods[place]).collect(),
            means: places.iter().map(|&place| self.means[place].clone()).collect(),
            p_values,
            ranks: None,
            ..self.clone()
        }
    }
}

fn main_cutoff(cutoffs: &[String]) -> usize {
    cutoffs.iter().position(|cutoff| cutoff == "@10").unwrap_or(cutoffs.len().saturating_sub(1))
}

/// The comparisons of every data set and version, families in the order of their first column.
///
/// # Errors
/// [`TablesError`]: columns that are no measures, arrays that do not fit together, values that cannot be tested.
pub fn comparisons(evaluation: &Evaluation, options: &TableOptions) -> Result<Vec<Comparison>, TablesError> {
    check(evaluation)?;
    let mut comparisons = Vec::new();
    for family in families(&evaluation.measures)? {
        let analysis = Analysis::new(evaluation, options, &family);
        for (dataset, data) in analysis.datasets() {
            for version in 0..family.versions.len() {
                comparisons.extend(compare(&analysis, dataset, data, version)?);
            }
        }
    }
    Ok(comparisons)
}

fn compare(
    analysis: &Analysis<'_>,
    dataset: usize,
    data: &DatasetValues,
    version: usize,
) -> Result<Option<Comparison>, TablesError> {
    let Family { name, cutoffs, versions, .. } = analysis.family;
    let broken = |problem: String| TablesError::Shape { dataset: data.name.clone(), problem };
    let methods: Vec<usize> = live(data).collect();
    if methods.is_empty() || cutoffs.is_empty() {
        return Ok(None);
    }
    let columns = &versions[version].columns;
    let values = analysis.set(dataset, QuerySet::All).map_err(broken)?;
    let interval = |values: &[Option<f64>]| {
        let defined: Vec<f64> = values.iter().flatten().copied().collect();
        t_interval(&Moments::of_differences(&defined, &vec![0.0; defined.len()]), CONFIDENCE).ok()
    };
    let heads = analysis.family.cutoff_heads();
    let policy = analysis.options.conventions.undefined;
    let (mut means, mut at_main) = (Vec::new(), Vec::new());
    for &method in &methods {
        let gathered = gather(data, analysis.evaluation.measures.len(), &values.selection, method, columns);
        let settled = gathered.iter().map(|of_cutoff| of_cutoff.iter().map(|&value| settle(value, policy)).collect());
        let mut settled: Vec<Vec<Option<f64>>> = settled.collect();
        let pairs = values.means[version][method].iter().zip(&settled);
        means.push(pairs.map(|(mean, values)| (*mean, interval(values))).collect());
        at_main.push(settled.swap_remove(main_cutoff(&heads)));
    }
    let p_values =
        if methods.len() < 2 { Vec::new() } else { analysis.p_values(dataset, values, version).map_err(broken)? };
    Ok(Some(Comparison {
        dataset,
        family: name.clone(),
        measure: versions[version].name.clone(),
        normalised: versions[version].version != Version::Original,
        cutoffs: heads,
        columns: columns.clone(),
        methods,
        means,
        p_values: p_values.chunks(columns.len()).map(<[_]>::to_vec).collect(),
        ranks: ranks(&at_main),
    }))
}

/// Friedman's test over the queries (`[method][query]`) on which every method has a value.
fn ranks(values: &[Vec<Option<f64>>]) -> Option<Friedman> {
    let queries = values.first()?.len();
    let complete: Vec<usize> = (0..queries).filter(|&query| values.iter().all(|of| of[query].is_some())).collect();
    let of_method = |of: &Vec<Option<f64>>| complete.iter().filter_map(|&query| of[query]).collect::<Vec<f64>>();
    let kept: Vec<Vec<f64>> = values.iter().map(of_method).collect();
    friedman(&kept.iter().map(Vec::as_slice).collect::<Vec<_>>()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The p-value of methods i < j is .ij, whatever else is compared.
    #[test]
    fn some_methods_keep_their_means_and_p_values() {
        let mean = |method: usize| Mean { value: method as f64, queries: 9, undefined: 0 };
        let pairs = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
        let all = Comparison {
            dataset: 0,
            family: "ndcg".to_owned(),
            measure: "ndcg".to_owned(),
            normalised: false,
            cutoffs: vec!["@10".to_owned()],
            columns: vec![0],
            methods: (0..6).collect(),
            means: (0..6).map(|method| vec![(mean(method), None)]).collect(),
            p_values: pairs.map(|(i, j)| vec![Some(i as f64 / 10.0 + j as f64 / 100.0)]).collect(),
            ranks: None,
        };
        assert_eq!(all.p(4, 2, 0), Some(0.2 + 0.04));
        let some = all.among(&[5, 1, 2]);
        assert_eq!(some.methods, [1, 2, 5]);
        assert_eq!(some.means.iter().map(|means| means[0].0.value).collect::<Vec<_>>(), [1.0, 2.0, 5.0]);
        assert_eq!(
            [some.p(0, 1, 0), some.p(0, 2, 0), some.p(2, 1, 0)],
            [all.p(1, 2, 0), all.p(1, 5, 0), all.p(2, 5, 0)]
        );
        assert_eq!((some.p(1, 1, 0), some.p_values.len()), (None, 3));
    }
}
