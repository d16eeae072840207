//! Tables, charts and findings of a designed experiment: repeats over seeds, learning curves and
//! ablations.
//!
//! A [`Design`] says which methods of a run belong together, and holds the values of the single
//! repeats. The values of the run itself are the means over the repeats. Everything is at the main
//! cutoff of each measure, as in the overview.

mod ablation;
mod curve;
mod seeds;
mod view;

use crate::evaluation::Evaluation;
use crate::tables::{Analysed, MethodComparison, More, TableOptions, TablesError, analyse_with};
use view::View;

pub use view::{AblationMethod, CurveMethod, CurvePlace, SeedValues};

/// What belongs together in a run, and the values of its repeats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Design {
    /// The values of the repeats, for each data set; empty if the run has one seed.
    pub seeds: Vec<SeedValues>,
    /// The methods that are points of learning curves; empty if the run draws no curves.
    pub curves: Vec<CurveMethod>,
    /// The methods that see parts of the features; empty if the run is no ablation.
    pub ablations: Vec<AblationMethod>,
}

impl Design {
    /// All results that are computed from the values of a run, with those of the design.
    ///
    /// # Errors
    /// As [`analyse`](crate::tables::analyse).
    pub fn analyse(&self, evaluation: &Evaluation, options: &TableOptions) -> Result<Analysed, TablesError> {
        analyse_with(evaluation, options, |comparisons| self.more(evaluation, comparisons, options))
    }

    /// The tables, charts and findings of the design.
    fn more(&self, evaluation: &Evaluation, comparisons: &[MethodComparison], options: &TableOptions) -> More {
        let mut more = More::default();
        for (dataset, data) in evaluation.datasets.iter().enumerate() {
            let own = comparisons.iter().filter(|comparison| comparison.dataset == dataset).collect();
            let seeds = self.seeds.get(dataset);
            let has_curves = !self.curves.is_empty();
            let view = View { evaluation, dataset, data, comparisons: own, options, seeds, has_curves };
            seeds::add(&view, &mut more);
            curve::add(&view, &self.curves, &mut more);
            ablation::add(&view, &self.ablations, &mut more);
        }
        more
    }
}
