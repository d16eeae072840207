//! The correlations of all measures with all dimensions, and their differences.

use fivefold_stats::{
    Coefficient, Correlated, CorrelationDifference, CorrelationLevel, RatedItems, RatingScale, SystemMean, TestOptions,
    krippendorff_alpha,
};
use rayon::prelude::*;

use super::Ratings;
use super::input::{Dimension, Input};
use crate::study::{StudyContext, StudyError};

/// Everything that is computed from the ratings.
pub(super) struct Computed {
    /// By dimension, level, coefficient and measure, the last fastest.
    pub(super) found: Vec<Found>,
    /// `[dimension][measure]`: the means of the systems with ratings.
    pub(super) means: Vec<Vec<Vec<SystemMean>>>,
    /// Krippendorff's alpha of the raters of each dimension, on each scale.
    pub(super) alphas: Vec<[Option<f64>; 3]>,
}

/// The correlation of a measure with a dimension.
pub(super) struct Found {
    pub(super) dimension: usize,
    pub(super) level: CorrelationLevel,
    pub(super) coefficient: Coefficient,
    pub(super) measure: usize,
    pub(super) correlated: Correlated,
    /// The measure to which the difference is taken, its correlation, and the difference.
    pub(super) difference: Option<(usize, Option<f64>, CorrelationDifference)>,
}

impl Found {
    /// The percentage absolute improvement of the measure's correlation.
    pub(super) fn pai(&self) -> Option<f64> {
        let (_, original, found) = self.difference.as_ref()?;
        let (original, difference) = ((*original)?, found.difference?);
        Some(100.0 * if original == 0.0 { difference } else { difference / original.abs() })
    }
}

impl Computed {
    pub(super) fn of(study: &Ratings, input: &Input, cx: &StudyContext<'_>) -> Result<Self, StudyError> {
        let (levels, coefficients) = (study.levels()?, study.coefficients()?);
        let options =
            TestOptions { draws: study.draws, seed: cx.seed().derive("ratings"), confidence: 1.0 - study.alpha };
        let exchange = study.exchange()?;
        let items = input.scores.queries;
        let mut computed = Computed { found: Vec::new(), means: Vec::new(), alphas: Vec::new() };
        for (number, dimension) in input.dimensions.iter().enumerate() {
            cx.step(number as u64, input.dimensions.len() as u64)?;
            let rated = RatedItems::new(&dimension.means, items)?;
            let each = levels.iter().flat_map(|&level| {
                coefficients.iter().flat_map(move |&own| (0..input.measures.len()).map(move |m| (level, own, m)))
            });
            let each: Vec<(CorrelationLevel, Coefficient, usize)> = each.collect();
            let one = |&(level, coefficient, measure): &(CorrelationLevel, Coefficient, usize)| {
                let values = &input.measures[measure].values;
                let correlated = rated.correlation(values, level, coefficient)?;
                let difference = match input.measures[measure].original {
                    None => None,
                    Some(original) => {
                        let others = &input.measures[original].values;
                        let own = rated.correlation(others, level, coefficient)?.value;
                        let found = rated.difference(values, others, level, coefficient, exchange, &options)?;
                        Some((original, own, found))
                    }
                };
                Ok(Found { dimension: number, level, coefficient, measure, correlated, difference })
            };
            computed.found.extend(each.par_iter().map(one).collect::<Result<Vec<Found>, StudyError>>()?);
            let means = input.measures.iter().map(|measure| rated.system_means(&measure.values));
            computed.means.push(means.collect::<Result<_, _>>()?);
            computed.alphas.push(alphas(input, dimension)?);
        }
        Ok(computed)
    }

    /// The correlation of a measure with a dimension.
    pub(super) fn one(
        &self,
        dimension: usize,
        level: CorrelationLevel,
        coefficient: Coefficient,
        measure: usize,
    ) -> Option<&Found> {
        let key = (dimension, level, coefficient, measure);
        self.found.iter().find(|own| (own.dimension, own.level, own.coefficient, own.measure) == key)
    }
}

/// Alpha of all raters of a dimension, over all systems and items of the ratings.
fn alphas(input: &Input, dimension: &Dimension) -> Result<[Option<f64>; 3], StudyError> {
    let ratings = input.ratings.by_rater(dimension.place);
    let units = input.ratings.systems.len() * input.ratings.items.len();
    let mut alphas = [None; 3];
    for (alpha, scale) in alphas.iter_mut().zip(RatingScale::ALL) {
        *alpha = krippendorff_alpha(&ratings, units, scale)?;
    }
    Ok(alphas)
}
