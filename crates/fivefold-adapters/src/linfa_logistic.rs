//! Logistic regression of linfa-logistic 0.8: is a document relevant or not?
//!
//! Minimises alpha / 2 |w|^2 + sum_i log(1 + exp(-y_i (w x_i + b))) by L-BFGS with a More-Thuente
//! line search. A document is relevant if its grade is at least `threshold`. In linfa, the class
//! with *more* documents is the positive class, so the sign of the weights depends on the data. If
//! the positive class is "not relevant", this adapter changes the sign of the model. So a higher
//! score always means that a document is more likely relevant.
//!
//! linfa cannot be interrupted, so it runs on a thread of its own (`abandon`). If the fit is
//! cancelled, the fit returns at once, and the thread goes on until linfa ends.
//!
//! Features are copied to an ndarray of `f64`. L-BFGS needs features of similar scale, so normalise
//! raw features. If linfa's line search breaks down, the fit fails with linfa's message. If the
//! iterations run out, linfa returns its last weights.

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker};
use linfa::Dataset as Samples;
use linfa::traits::Fit;
use linfa_logistic::LogisticRegression;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use crate::abandon::unless_cancelled;

/// linfa's logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinfaLogistic {
    /// Weight of the penalty against the loss, 1/C of other programs; at least 0.
    pub alpha: f64,
    /// The lowest grade that counts as relevant; at least 1.
    pub threshold: u8,
    /// Whether there is an (unpenalised) intercept.
    pub intercept: bool,
    /// Stop after this number of iterations; at least 1.
    pub max_iterations: u64,
    /// Stop when the norm of the gradient is below `tolerance`; above 0.
    pub tolerance: f64,
}

impl Default for LinfaLogistic {
    fn default() -> Self {
        LinfaLogistic { alpha: 1.0, threshold: 1, intercept: true, max_iterations: 100, tolerance: 1e-4 }
    }
}

/// The log odds of being relevant: w x + b.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinfaLogisticModel {
    weights: Vec<f64>,
    intercept: f64,
}

impl Model for LinfaLogisticModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (score, row) in out.iter_mut().zip(query.rows()) {
            *score = self.weights.iter().zip(row).map(|(w, &x)| w * f64::from(x)).sum::<f64>() + self.intercept;
        }
    }

    fn features(&self) -> Option<usize> {
        Some(self.weights.len())
    }

    fn importance(&self) -> Option<Vec<f64>> {
        Some(self.weights.iter().map(|w| w.abs()).collect())
    }
}

impl Ranker for LinfaLogistic {
    const NAME: &'static str = "linfa-logistic";
    const SUMMARY: &'static str = "logistic regression of the linfa crates";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "alpha", help: "weight of the L2 penalty, at least 0 (1/C of other programs)" },
        ParamHelp { name: "threshold", help: "lowest grade that counts as relevant, at least 1" },
        ParamHelp { name: "intercept", help: "fit an intercept" },
        ParamHelp { name: "max_iterations", help: "stop after so many iterations, at least 1" },
        ParamHelp { name: "tolerance", help: "stop when the norm of the gradient is below this, above 0" },
    ];
    type Model = LinfaLogisticModel;

    fn seeded(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), ParamError> {
        let finite = |value: f64| value.is_finite() && value >= 0.0;
        ParamError::unless(finite(self.alpha), "alpha", self.alpha, "a finite number of at least 0")?;
        ParamError::unless(self.threshold >= 1, "threshold", self.threshold, "at least 1")?;
        ParamError::unless(self.max_iterations >= 1, "max_iterations", self.max_iterations, "at least 1")?;
        let ok = finite(self.tolerance) && self.tolerance > 0.0;
        ParamError::unless(ok, "tolerance", self.tolerance, "a finite number above 0")
    }

    /// Measured: 8 bytes a value, and the memory of L-BFGS.
    fn fit_bytes(&self, train: &Dataset, _: Option<&Dataset>) -> u64 {
        let (documents, features) = (train.documents() as u64, train.width() as u64);
        8 * documents * features + 480 * features + 60 * documents
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<LinfaLogisticModel, FitError> {
        cx.step(0, 1)?;
        let relevant: Vec<bool> =
            train.queries().flat_map(|query| query.grades().iter().map(|&grade| grade >= self.threshold)).collect();
        if relevant.iter().all(|&r| r == relevant[0]) {
            let reason = format!("all documents are on one side of grade {} (`threshold`)", self.threshold);
            return Err(FitError::Data(reason));
        }
        let features =
            train.queries().flat_map(|query| query.view().features().iter().map(|&x| f64::from(x))).collect();
        let features = Array2::from_shape_vec((train.documents(), train.width()), features)
            .map_err(|error| FitError::Other(format!("ndarray: {error}")))?;
        let settings = LogisticRegression::default()
            .alpha(self.alpha)
            .with_intercept(self.intercept)
            .max_iterations(self.max_iterations)
            .gradient_tolerance(self.tolerance);
        let samples = Samples::new(features, Array1::from_vec(relevant));
        let fitted = unless_cancelled(cx, move || settings.fit(&samples))?
            .map_err(|error| FitError::Numeric(format!("linfa-logistic: {error}; normalised features help")))?;
        let sign = if fitted.labels().pos.class { 1.0 } else { -1.0 };
        let weights: Vec<f64> = fitted.params().iter().map(|w| sign * w).collect();
        let model = LinfaLogisticModel { weights, intercept: sign * fitted.intercept() };
        if !model.intercept.is_finite() || model.weights.iter().any(|w| !w.is_finite()) {
            return Err(FitError::Numeric("linfa-logistic gave a weight that is not finite".to_owned()));
        }
        cx.step(1, 1)?;
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::rows;

    fn fit(ranker: &LinfaLogistic, data: &Dataset) -> LinfaLogisticModel {
        ranker.fit(data, &FitContext::new(Seed::new(1))).unwrap()
    }

    #[test]
    fn never_upside_down() {
        let relevant: [&[f32]; 3] = [&[0.9, 0.0], &[0.8, 0.3], &[0.7, 0.1]];
        let others: [&[f32]; 3] = [&[0.1, 0.2], &[0.3, 0.1], &[0.2, 0.0]];
        for (n_relevant, n_others) in [(3, 1), (1, 3), (3, 3), (2, 3), (3, 2)] {
            for relevant_first in [true, false] {
                let mut documents: Vec<(u8, &[f32])> = relevant[..n_relevant].iter().map(|&x| (2, x)).collect();
                documents.extend(others[..n_others].iter().map(|&x| (0, x)));
                if !relevant_first {
                    documents.reverse();
                }
                let data = rows(&[&documents]);
                let mut scores = vec![0.0; documents.len()];
                fit(&LinfaLogistic::default(), &data).score(data.query(0).view(), &mut scores);
                for (a, (grade, _)) in documents.iter().enumerate() {
                    for (b, (other, _)) in documents.iter().enumerate() {
                        assert!(grade <= other || scores[a] > scores[b], "{n_relevant} {n_others}: {scores:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn linfa_itself_still_calls_the_majority_positive() {
        // If this fails, linfa has changed and the turn in `fit` can go.
        for (labels, positive) in [([true, true, false], true), ([true, false, false], false)] {
            let features = Array2::from_shape_vec((3, 1), vec![2.0, 1.0, 0.0]).unwrap();
            let samples = Samples::new(features, Array1::from_vec(labels.to_vec()));
            let fitted = LogisticRegression::default().fit(&samples).unwrap();
            assert_eq!(fitted.labels().pos.class, positive);
        }
    }

    #[test]
    fn agrees_with_scikit_learn() {
        // X = [[.5,1],[1.5,-1],[2,.25],[-1,0],[3,2],[0,.5]]; y = [0,1,1,0,1,0]
        // m = LogisticRegression(C=2.0, tol=1e-14, max_iter=10000).fit(X, y); m.coef_, m.intercept_
        let data = rows(&[
            &[(0, &[0.5, 1.0]), (1, &[1.5, -1.0]), (2, &[2.0, 0.25])],
            &[(0, &[-1.0, 0.0]), (2, &[3.0, 2.0]), (0, &[0.0, 0.5])],
        ]);
        let model = fit(&LinfaLogistic { alpha: 0.5, tolerance: 1e-10, ..LinfaLogistic::default() }, &data);
        let expected = [1.602_016_010_781_31, -0.539_987_467_555_12, -1.434_107_379_168_23];
        for (found, expected) in model.weights.iter().chain([&model.intercept]).zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{model:?}");
        }
    }

    #[test]
    fn one_class_is_refused() {
        let data = rows(&[&[(1, &[1.0]), (2, &[2.0])]]);
        let outcome = LinfaLogistic::default().fit(&data, &FitContext::new(Seed::new(1)));
        assert!(matches!(outcome, Err(FitError::Data(reason)) if reason.contains("grade 1")));
    }
}
