//! A data set of a designed experiment, as its tables see it.

use fivefold_metrics::mean::by_fold;
use fivefold_metrics::{Conventions, mean_over_folds, settle};

use crate::evaluation::{DatasetValues, Evaluation};
use crate::tables::{MethodComparison, TableOptions};

/// The values of every repeat of a data set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeedValues {
    /// Whether each method was repeated. A method that draws nothing is not.
    pub repeated: Vec<bool>,
    /// `[repeat]`: values in the layout of [`DatasetValues::all`].
    pub values: Vec<Vec<f64>>,
}

/// A method of a learning curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveMethod {
    /// The name of the curve.
    pub name: String,
    /// The points, by rising share.
    pub points: Vec<CurvePlace>,
}

/// A point of a learning curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePlace {
    /// The share of the training queries.
    pub share: f64,
    /// The method that learnt from this share.
    pub method: usize,
    /// `[data set]`: the number of training queries, as a mean over folds.
    pub queries: Vec<f64>,
}

/// A method of an ablation.
#[derive(Debug, Clone, PartialEq)]
pub struct AblationMethod {
    /// The name of the method with all features.
    pub name: String,
    /// The method with all features.
    pub full: usize,
    /// The group, the method without it, and the method with this group alone.
    pub groups: Vec<(String, Option<usize>, Option<usize>)>,
}

/// A data set with its comparisons.
pub(super) struct View<'a> {
    pub(super) evaluation: &'a Evaluation,
    pub(super) dataset: usize,
    pub(super) data: &'a DatasetValues,
    pub(super) comparisons: Vec<&'a MethodComparison>,
    pub(super) options: &'a TableOptions,
    pub(super) seeds: Option<&'a SeedValues>,
    /// Whether the run draws learning curves.
    pub(super) has_curves: bool,
}

/// A measure at its main cutoff.
pub(super) struct Measure<'a> {
    pub(super) name: String,
    pub(super) column: usize,
    pub(super) comparison: &'a MethodComparison,
}

impl<'a> View<'a> {
    /// The measures of the comparisons, each at its main cutoff.
    pub(super) fn measures(&self) -> Vec<Measure<'a>> {
        let measure = |comparison: &&'a MethodComparison| {
            let main = comparison.compared.main_cutoff();
            let name = comparison.compared.measure_at(main);
            Measure { name, column: comparison.columns[main], comparison }
        };
        self.comparisons.iter().map(measure).collect()
    }

    /// The values of a method on all queries; `None` if undefined. `all` has the layout of
    /// [`DatasetValues::all`].
    pub(super) fn values(&self, all: &[f64], method: usize, column: usize) -> Vec<Option<f64>> {
        let width = self.evaluation.measures.len();
        let queries = self.data.queries.len();
        let value = |query: usize| all[(method * queries + query) * width + column];
        (0..queries).map(|query| settle(value(query), self.conventions().undefined)).collect()
    }

    /// The mean of a method, as the conventions say. `None` if no query has a value.
    pub(super) fn mean(&self, all: &[f64], method: usize, column: usize) -> Option<f64> {
        let folds: Vec<usize> = self.data.queries.iter().map(|query| query.fold).collect();
        let values = self.values(all, method, column);
        let values: Vec<f64> = values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        let conventions = self.conventions();
        let mean = mean_over_folds(&by_fold(&folds, &values), conventions.fold_mean, conventions.undefined);
        Some(mean.value).filter(|value| !value.is_nan())
    }

    /// The mean of a method with each of its seeds. One mean if the method was not repeated.
    pub(super) fn means_by_seed(&self, method: usize, column: usize) -> Vec<f64> {
        match self.seeds.filter(|seeds| seeds.repeated[method]) {
            Some(seeds) => seeds.values.iter().filter_map(|all| self.mean(all, method, column)).collect(),
            None => self.mean(&self.data.all, method, column).into_iter().collect(),
        }
    }

    /// The name of a method. `None` if it failed.
    pub(super) fn name(&self, method: usize) -> Option<&'a str> {
        (!self.data.failed[method]).then(|| self.data.rankers[method].as_str())
    }

    pub(super) fn conventions(&self) -> &'a Conventions {
        &self.options.conventions
    }

    /// ` on DATA`, if there are several data sets.
    pub(super) fn on(&self) -> String {
        if self.evaluation.datasets.len() > 1 { format!(" on {}", self.data.name) } else { String::new() }
    }

    pub(super) fn notes(&self, own: &[&str]) -> Vec<String> {
        own.iter().map(|note| (*note).to_owned()).chain(self.options.notes.iter().cloned()).collect()
    }
}
