//! The means of every method in every query set of every data set, which all tables of one family
//! share.

use fivefold_base::words::{counted, list, which};
use fivefold_metrics::Mean;

use super::family::ColumnFamily;
use super::means::{collection_mean, gather, p_values};
use super::query_set::{QuerySet, Selection, select};
use super::{QuerySetFact, TableOptions};
use crate::evaluation::{DatasetValues, Evaluation};

/// The methods that did not fail on a data set.
pub(super) fn live(data: &DatasetValues) -> impl Iterator<Item = usize> + '_ {
    (0..data.rankers.len()).filter(|&ranker| !data.failed[ranker])
}

/// One family of measures over all data sets.
pub(super) struct Analysis<'a> {
    pub evaluation: &'a Evaluation,
    pub options: &'a TableOptions,
    pub family: &'a ColumnFamily,
    /// `[data set][query set]`, query sets in the order of [`QuerySet::EVERY`].
    sets: Vec<Vec<Result<SetValues, String>>>,
    /// The paper's tests, `[data set][main query set][version]`.
    tests: Vec<Vec<Vec<Tests>>>,
}

/// Uncorrected p-values of every pair of methods at every cutoff, or the reason why there are no
/// p-values.
pub(super) type Tests = Result<Vec<Option<f64>>, String>;

/// The means over one query set of one data set.
#[derive(Debug, Clone)]
pub(super) struct SetValues {
    pub selection: Selection,
    /// `[version][ranker][cutoff]`; no cutoffs for a method that failed.
    pub means: Vec<Vec<Vec<Mean>>>,
}

impl<'a> Analysis<'a> {
    pub fn new(evaluation: &'a Evaluation, options: &'a TableOptions, family: &'a ColumnFamily) -> Self {
        let mut analysis = Analysis { evaluation, options, family, sets: Vec::new(), tests: Vec::new() };
        analysis.sets = (0..evaluation.datasets.len())
            .map(|dataset| QuerySet::EVERY.iter().map(|&set| analysis.compute(dataset, set, None)).collect())
            .collect();
        let of_set = |dataset: usize, set: QuerySet| -> Vec<Tests> {
            let versions = 0..family.versions.len();
            versions.map(|version| analysis.p_values(dataset, analysis.set(dataset, set)?, version)).collect()
        };
        let of_dataset = |dataset: usize| QuerySet::MAIN.map(|set| of_set(dataset, set)).into();
        analysis.tests = (0..evaluation.datasets.len()).map(of_dataset).collect();
        analysis
    }

    /// The paper's tests on a main query set. The main query sets come first in the enum.
    pub fn tests(&self, dataset: usize, set: QuerySet, version: usize) -> Result<&[Option<f64>], String> {
        self.tests[dataset][set as usize][version].as_ref().map(Vec::as_slice).map_err(Clone::clone)
    }

    pub fn datasets(&self) -> impl Iterator<Item = (usize, &'a DatasetValues)> {
        self.evaluation.datasets.iter().enumerate()
    }

    /// The means of a query set, or the reason why there are no means.
    pub fn set(&self, dataset: usize, set: QuerySet) -> Result<&SetValues, String> {
        self.sets[dataset][set as usize].as_ref().map_err(Clone::clone)
    }

    /// The main query sets that at least `count` data sets have.
    pub fn main_sets(&self, count: usize) -> Vec<QuerySet> {
        let datasets = |set: QuerySet| self.datasets().filter(|(dataset, _)| self.set(*dataset, set).is_ok()).count();
        QuerySet::MAIN.into_iter().filter(|&set| datasets(set) >= count).collect()
    }

    /// The sets among `sets` that a data set lacks, each with the reason.
    pub fn lacks(&self, dataset: usize, sets: &[QuerySet]) -> Vec<(QuerySet, String)> {
        sets.iter().filter_map(|&set| Some((set, self.set(dataset, set).err()?))).collect()
    }

    /// The sets that the options compare, with their sizes or the reasons why a data set lacks them.
    pub fn query_set_facts(&self) -> Vec<QuerySetFact> {
        let mut facts = Vec::new();
        for (dataset, data) in self.datasets() {
            facts.extend(QuerySet::compared(self.options).into_iter().map(|set| {
                let found = self.set(dataset, set).map(|values| values.selection.queries.len());
                QuerySetFact {
                    dataset: data.name.clone(),
                    measure: self.family.name.clone(),
                    set: set.name(),
                    queries: found.as_ref().ok().copied(),
                    left_out: found.err(),
                }
            }));
        }
        facts
    }

    /// The means of a query set, of at most `most` queries if the set has a size.
    pub fn compute(&self, dataset: usize, set: QuerySet, most: Option<usize>) -> Result<SetValues, String> {
        let data = &self.evaluation.datasets[dataset];
        let measures = self.evaluation.measures.len();
        let selection = select(set, data, measures, self.family, self.options, most)?;
        let of_ranker = |ranker: usize, columns: &[usize]| -> Vec<Mean> {
            if data.failed[ranker] {
                return Vec::new();
            }
            let gathered = gather(data, measures, &selection, ranker, columns);
            let mean = |values: &Vec<f64>| collection_mean(data, &selection, values, &self.options.conventions);
            gathered.iter().map(mean).collect()
        };
        let of_version = |columns: &[usize]| (0..data.rankers.len()).map(|r| of_ranker(r, columns)).collect();
        let means = self.family.versions.iter().map(|version| of_version(&version.columns)).collect();
        Ok(SetValues { selection, means })
    }

    /// p-values of every pair of methods at every cutoff under one version.
    fn p_values(&self, dataset: usize, values: &SetValues, version: usize) -> Tests {
        let data = &self.evaluation.datasets[dataset];
        let rankers: Vec<usize> = live(data).collect();
        let columns = &self.family.versions[version].columns;
        if rankers.len() < 2 || columns.is_empty() {
            return Err(too_few(rankers.len(), columns.len()));
        }
        let measures = self.evaluation.measures.len();
        p_values(data, measures, &values.selection, &rankers, columns, &self.options.conventions)
            .map_err(|error| error.to_string())
    }
}

impl SetValues {
    /// A method's mean over the cutoffs; `None` if it failed or has no value at a cutoff.
    pub fn score(&self, version: usize, ranker: usize) -> Option<f64> {
        let means = &self.means[version][ranker];
        let sum: f64 = means.iter().map(|mean| mean.value).sum();
        let score = sum / means.len() as f64;
        (!score.is_nan()).then_some(score)
    }

    /// The scores of some methods, at least two.
    pub fn scores(&self, version: usize, rankers: &[usize]) -> Result<Vec<f64>, String> {
        let cutoffs = rankers.first().map_or(0, |&ranker| self.means[version][ranker].len());
        if rankers.len() < 2 || cutoffs == 0 {
            return Err(too_few(rankers.len(), cutoffs));
        }
        let score = |&ranker: &usize| self.score(version, ranker);
        rankers.iter().map(score).collect::<Option<_>>().ok_or_else(|| "no query has a value".to_owned())
    }

    /// Fewest and most undefined values of a version, over methods and cutoffs.
    pub fn undefined(&self, version: usize) -> (usize, usize) {
        let counts = || self.means[version].iter().flatten().map(|mean| mean.undefined);
        (counts().min().unwrap_or(0), counts().max().unwrap_or(0))
    }
}

/// A line for each reason why a data set lacks sets. `lacks` gives the name of each set and the
/// reason.
pub(super) fn lacking_lines<'s>(lacks: impl IntoIterator<Item = (&'s str, &'s str)>) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (set, why) in lacks {
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, sets)) => sets.push(set),
            None => reasons.push((why, vec![set])),
        }
    }
    let line = |(why, sets): (&str, Vec<&str>)| {
        let (the, are) = (which(sets.len(), "set", "sets"), which(sets.len(), "is", "are"));
        format!("the {the} {} {are} left out: {why}", list(&sets))
    };
    reasons.into_iter().map(line).collect()
}

fn too_few(rankers: usize, cutoffs: usize) -> String {
    if rankers < 2 {
        format!("{} did not fail; two are needed", counted(rankers, "method"))
    } else if cutoffs == 0 {
        "the versions were evaluated at no common cutoff".to_owned()
    } else {
        "no value".to_owned()
    }
}
