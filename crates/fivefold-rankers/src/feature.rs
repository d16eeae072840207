//! One feature as the score: the simplest baseline, published for every LETOR collection.
//!
//! score(x) = x_N, or -x_N with `negate` (for a feature of which smaller values are better, such as
//! a rank in another system's list). Nothing is learnt; `fit` only checks that the data have the
//! feature. Cost: a read for each document.

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker};
use serde::{Deserialize, Serialize};

use crate::linear_model::LinearModel;

/// Ranks by one feature.
///
/// ```
/// use fivefold_rankers::{Dataset, Feature, FitContext, Model, Ranker, Seed};
///
/// // The second feature, the smaller the better.
/// let data = Dataset::of_queries(2, [(&[3.0, 1.0, 2.0, 5.0][..], &[1, 0][..])])?;
/// let ranker = Feature { feature: Some(2), negate: true };
/// let model = ranker.fit(&data, &FitContext::new(Seed::new(1)))?;
/// assert_eq!(model.scores(data.query(0).view()), [-1.0, -5.0]);
/// // The feature has no default.
/// assert!(Feature::default().check().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feature {
    /// The feature, counted from 1; must be given.
    pub feature: Option<u32>,
    /// Whether smaller values rank higher.
    pub negate: bool,
}

/// Which column is the score, and its sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct FeatureModel {
    /// Column, from 0.
    column: usize,
    negate: bool,
    width: usize,
}

/// A model as it stands in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    column: usize,
    negate: bool,
    width: usize,
}

impl TryFrom<Parts> for FeatureModel {
    type Error = String;

    fn try_from(Parts { column, negate, width }: Parts) -> Result<Self, String> {
        if column >= width {
            return Err(format!("there is no column {column}; documents have {width}, from 0"));
        }
        Ok(FeatureModel { column, negate, width })
    }
}

impl From<FeatureModel> for LinearModel {
    fn from(FeatureModel { column, negate, width }: FeatureModel) -> Self {
        let mut weights = vec![0.0; width];
        weights[column] = if negate { -1.0 } else { 1.0 };
        LinearModel { weights, intercept: 0.0 }
    }
}

impl Model for FeatureModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        let sign = if self.negate { -1.0 } else { 1.0 };
        for (score, row) in out.iter_mut().zip(query.rows()) {
            *score = sign * f64::from(row[self.column]);
        }
    }

    fn features(&self) -> Option<usize> {
        Some(self.width)
    }

    fn importance(&self) -> Option<Vec<f64>> {
        let mut importance = vec![0.0; self.width];
        importance[self.column] = 1.0;
        Some(importance)
    }
}

impl Ranker for Feature {
    const NAME: &'static str = "feature";
    const SUMMARY: &'static str = "one feature as the score";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "feature", help: "number of the feature, as in a LETOR file, from 1; must be given" },
        ParamHelp { name: "negate", help: "rank smaller values higher" },
    ];
    const LEARNS: bool = false;
    type Model = FeatureModel;

    fn seeded(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), ParamError> {
        match self.feature {
            None => Err(ParamError::new("feature", "must be given: the number of the feature to rank by, from 1")),
            Some(number) => ParamError::unless(number > 0, "feature", number, "at least 1 (features count from 1)"),
        }
    }

    /// Nothing is learnt.
    fn fit_bytes(&self, _: &Dataset, _: Option<&Dataset>) -> u64 {
        0
    }

    fn fit(&self, train: &Dataset, _: &FitContext<'_>) -> Result<FeatureModel, FitError> {
        let width = train.width();
        match self.feature {
            Some(number) if number >= 1 && number as usize <= width => {
                Ok(FeatureModel { column: number as usize - 1, negate: self.negate, width })
            }
            Some(number) => Err(FitError::Param {
                name: "feature",
                reason: format!("there is no feature {number}; the data have features 1 to {width}"),
            }),
            None => Err(FitError::Param { name: "feature", reason: "must be given".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::rows;

    fn fit(ranker: &Feature) -> Result<FeatureModel, FitError> {
        let data = rows(&[(&[(0, &[1.0, 5.0]), (1, &[2.0, 4.0])])]);
        ranker.fit(&data, &FitContext::new(Seed::new(1)))
    }

    #[test]
    fn counts_from_one_and_negates() {
        let query = QueryView::new("q", &[1.0, 5.0, 2.0, 4.0], 2, 2);
        let mut out = [0.0; 2];
        fit(&Feature { feature: Some(2), negate: false }).unwrap().score(query, &mut out);
        assert_eq!(out, [5.0, 4.0]);
        fit(&Feature { feature: Some(1), negate: true }).unwrap().score(query, &mut out);
        assert_eq!(out, [-1.0, -2.0]);
    }

    #[test]
    fn a_feature_must_be_given_and_exist() {
        assert!(Feature::default().check().unwrap_err().message.contains("must be given"));
        assert_eq!(Feature { feature: Some(0), negate: false }.check().unwrap_err().param.as_deref(), Some("feature"));
        let error = fit(&Feature { feature: Some(3), negate: false }).unwrap_err().to_string();
        assert_eq!(error, "parameter `feature`: there is no feature 3; the data have features 1 to 2");
    }
}
