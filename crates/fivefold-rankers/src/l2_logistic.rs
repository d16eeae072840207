//! Logistic regression with an L2 penalty: is a document relevant or not?
//!
//! Minimises 1/2 |w|^2 + C sum_i log(1 + exp(-y_i (w x_i + b))), where y = +1 for documents of grade >= `threshold`
//! and -1 for the others: the objective of LIBLINEAR (Fan et al. 2008) and of scikit-learn's `LogisticRegression`. The
//! intercept b is unpenalised, as in scikit-learn; `penalize_bias` adds 1/2 b^2, LIBLINEAR's form with `-B 1`. The score
//! is w x + b, the log odds of being relevant.
//!
//! Newton's method with a line search. The Hessian I + C X^T D X is factored exactly, which a few hundred features
//! allow and which, unlike conjugate gradients or L-BFGS, does not mind raw features of very different scales. It stops
//! when half the squared Newton decrement, g^T H^-1 g / 2, an estimate of what is left to gain that no scaling of the
//! features alters, is at most `tolerance` times the objective at zero weights (documents * C * log 2).
//!
//! Cost: O(documents * features^2 + features^3) an iteration, in parallel; about ten iterations.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::linear_model::{LinearModel, dot};
use crate::normal_equations::{gram, solve, sum_over_queries};

/// What counts as a rounding error: a pivot below this share of its diagonal (left out of a step), a decrease below this
/// share of the objective.
const ROUNDING: f64 = 1e-14;
/// Share of the linear decrease that a step must reach (Armijo's rule).
const SUFFICIENT: f64 = 1e-4;
/// A step is halved at most this often.
const HALVINGS: u32 = 40;

/// Pointwise L2-regularised logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct L2Logistic {
    /// Weight of the loss against the penalty (LIBLINEAR's and scikit-learn's C); above 0.
    pub c: f64,
    /// The lowest grade that counts as relevant; at least 1.
    pub threshold: u8,
    /// Whether the intercept is penalised like a weight.
    pub penalize_bias: bool,
    /// Stop when the estimated rest to gain is at most this share of the objective at zero weights; in (0, 1).
    pub tolerance: f64,
    /// Fail if not converged after this many Newton steps; at least 1.
    pub max_iterations: u32,
}

impl Default for L2Logistic {
    fn default() -> Self {
        L2Logistic { c: 1.0, threshold: 1, penalize_bias: false, tolerance: 1e-10, max_iterations: 200 }
    }
}

impl Ranker for L2Logistic {
    const NAME: &'static str = "l2-logistic";
    const SUMMARY: &'static str = "logistic regression of relevant or not, L2 penalty";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "c", help: "weight of the loss against the penalty, above 0 (LIBLINEAR's C)" },
        ParamHelp { name: "threshold", help: "lowest grade that counts as relevant, at least 1" },
        ParamHelp { name: "penalize_bias", help: "penalise the intercept too, LIBLINEAR's form" },
        ParamHelp {
            name: "tolerance",
            help: "stop when the estimated rest to gain is at most this share of the objective at zero weights, in (0, 1)",
        },
        ParamHelp { name: "max_iterations", help: "fail if not converged after this many Newton steps, at least 1" },
    ];
    type Model = LinearModel;

    fn seeded(&self) -> bool {
        false
    }

    fn presets() -> Vec<Preset<Self>> {
        let params = L2Logistic { penalize_bias: true, ..L2Logistic::default() };
        vec![Preset { name: "liblinear", summary: "LIBLINEAR's -s 0 -B 1: the intercept is penalised", params }]
    }

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.c > 0.0 && self.c.is_finite(), "c", self.c, "a finite number above 0")?;
        ParamError::unless(self.threshold >= 1, "threshold", self.threshold, "at least 1")?;
        let ok = self.tolerance > 0.0 && self.tolerance < 1.0;
        ParamError::unless(ok, "tolerance", self.tolerance, "above 0 and below 1")?;
        ParamError::unless(self.max_iterations >= 1, "max_iterations", self.max_iterations, "at least 1")
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<LinearModel, FitError> {
        let labels = self.labels(train);
        let relevant = labels.iter().filter(|&&y| y > 0.0).count();
        if relevant == 0 || relevant == labels.len() {
            let which = if relevant == 0 { "no document has" } else { "every document has" };
            let reason =
                format!("{which} a grade of at least {} (`threshold`), so nothing can be told apart", self.threshold);
            return Err(FitError::Data(reason));
        }
        let problem = Problem { train, labels, bounds: train.bounds(), c: self.c, penalize_bias: self.penalize_bias };
        let mut at = Point { x: vec![0.0; train.width() + 1], margins: vec![0.0; train.documents()], value: 0.0 };
        at.value = problem.value(&at.x, &at.margins);
        let at_zero = at.value;
        for iteration in 0..self.max_iterations {
            cx.step(u64::from(iteration), u64::from(self.max_iterations))?;
            let gradient = problem.gradient(&at);
            let step = problem.newton_step(&at, &gradient);
            let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
            if !slope.is_finite() {
                return Err(FitError::Numeric("a step is not finite; scale the features".to_owned()));
            }
            let nearly_done = -slope / 2.0 <= self.tolerance * at_zero;
            let moved = problem.search(&mut at, &step, slope);
            // Where rounding hides the last decrease, no step lowers the value any more.
            if nearly_done || (!moved && -slope <= ROUNDING * at_zero) {
                let intercept = at.x.pop().unwrap_or(0.0);
                return Ok(LinearModel { weights: at.x, intercept });
            }
            if !moved {
                return Err(FitError::Numeric(format!("no step lowers the objective after {iteration} iterations")));
            }
        }
        let advice = "raise `max_iterations` or `tolerance`, lower `c`, or scale the features";
        Err(FitError::Numeric(format!("not converged after {} iterations; {advice}", self.max_iterations)))
    }
}

impl L2Logistic {
    /// The objective of the module's head at `model`.
    pub fn objective(&self, data: &Dataset, model: &LinearModel) -> f64 {
        let x: Vec<f64> = model.weights.iter().copied().chain([model.intercept]).collect();
        let bounds = data.bounds();
        let (c, penalize_bias) = (self.c, self.penalize_bias);
        let problem = Problem { train: data, labels: self.labels(data), bounds, c, penalize_bias };
        problem.value(&x, &problem.margins(&x))
    }

    /// +1 for relevant documents, -1 for the others.
    fn labels(&self, data: &Dataset) -> Vec<f64> {
        let label = |&grade: &u8| if grade >= self.threshold { 1.0 } else { -1.0 };
        data.queries().flat_map(|query| query.grades().iter().map(label).collect::<Vec<_>>()).collect()
    }
}

/// Weights and, last, the intercept; with what they give.
struct Point {
    x: Vec<f64>,
    /// w x_i + b of each document.
    margins: Vec<f64>,
    value: f64,
}

struct Problem<'a> {
    train: &'a Dataset,
    labels: Vec<f64>,
    bounds: Vec<usize>,
    c: f64,
    penalize_bias: bool,
}

impl Problem<'_> {
    /// 1 where the unknown is penalised: everywhere but, by default, at the intercept.
    fn penalty(&self, unknown: usize) -> f64 {
        if unknown < self.train.width() || self.penalize_bias { 1.0 } else { 0.0 }
    }

    fn margins(&self, x: &[f64]) -> Vec<f64> {
        let (weights, intercept) = x.split_at(self.train.width());
        (0..self.train.len())
            .into_par_iter()
            .flat_map_iter(|number| self.train.query(number).rows().map(|row| dot(weights, row) + intercept[0]))
            .collect()
    }

    fn value(&self, x: &[f64], margins: &[f64]) -> f64 {
        let penalty: f64 = x.iter().enumerate().map(|(i, w)| self.penalty(i) * w * w).sum();
        let loss: f64 = margins.iter().zip(&self.labels).map(|(z, y)| log1p_exp(-y * z)).sum();
        penalty / 2.0 + self.c * loss
    }

    fn gradient(&self, at: &Point) -> Vec<f64> {
        let width = self.train.width();
        let mut gradient = sum_over_queries(self.train, width + 1, |number, query, sum| {
            for (row, place) in query.rows().zip(self.bounds[number]..) {
                let y = self.labels[place];
                let slope = -self.c * y * sigmoid(-y * at.margins[place]);
                sum.iter_mut().zip(row).for_each(|(s, &x)| *s += slope * f64::from(x));
                sum[width] += slope;
            }
        });
        gradient.iter_mut().zip(&at.x).enumerate().for_each(|(i, (g, w))| *g += self.penalty(i) * w);
        gradient
    }

    fn newton_step(&self, at: &Point, gradient: &[f64]) -> Vec<f64> {
        let width = self.train.width();
        let size = width + 1;
        let mut hessian = gram(self.train, size, |number, query, row, v| {
            v.iter_mut().zip(query.row(row)).for_each(|(v, &x)| *v = f64::from(x));
            v[width] = 1.0;
            let p = sigmoid(at.margins[self.bounds[number] + row]);
            self.c * p * (1.0 - p)
        });
        (0..size).for_each(|i| hessian[i * size + i] += self.penalty(i));
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        solve(&mut hessian, &mut step, ROUNDING);
        step
    }

    /// Moves along `step` by the first of 1, 1/2, 1/4, ... that lowers the value enough; false: none does.
    fn search(&self, at: &mut Point, step: &[f64], slope: f64) -> bool {
        let change = self.margins(step);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let along =
                |from: &[f64], by: &[f64]| -> Vec<f64> { from.iter().zip(by).map(|(f, b)| f + length * b).collect() };
            let (x, margins) = (along(&at.x, step), along(&at.margins, &change));
            let value = self.value(&x, &margins);
            if value <= at.value + SUFFICIENT * length * slope {
                *at = Point { x, margins, value };
                return true;
            }
            length /= 2.0;
        }
        false
    }
}

/// 1 / (1 + exp(-t)) without overflow.
fn sigmoid(t: f64) -> f64 {
    if t >= 0.0 {
        1.0 / (1.0 + libm::exp(-t))
    } else {
        let e = libm::exp(t);
        e / (1.0 + e)
    }
}

/// log(1 + exp(t)) without overflow.
fn log1p_exp(t: f64) -> f64 {
    t.max(0.0) + libm::log1p(libm::exp(-t.abs()))
}

#[cfg(test)]
mod tests {
    use fivefold_core::{Model as _, Seed};

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn fit(ranker: &L2Logistic, data: &Dataset) -> LinearModel {
        ranker.fit(data, &FitContext::new(Seed::new(1))).unwrap()
    }

    #[test]
    fn agrees_with_scikit_learn() {
        // X = [[.5,1],[1.5,-1],[2,.25],[-1,0],[3,2],[0,.5]]; y = [0,1,1,0,1,0]
        // m = LogisticRegression(C=2.0, tol=1e-14, max_iter=10000).fit(X, y); m.coef_, m.intercept_
        // penalised intercept: the same on hstack([X, ones]) with fit_intercept=False.
        let data = rows(&[
            &[(0, &[0.5, 1.0]), (1, &[1.5, -1.0]), (2, &[2.0, 0.25])],
            &[(0, &[-1.0, 0.0]), (2, &[3.0, 2.0]), (0, &[0.0, 0.5])],
        ]);
        for (penalize_bias, expected) in [(false, SKLEARN), (true, SKLEARN_PENALISED)] {
            let model = fit(&L2Logistic { c: 2.0, penalize_bias, ..L2Logistic::default() }, &data);
            let found = [model.weights[0], model.weights[1], model.intercept];
            for (f, e) in found.iter().zip(expected) {
                assert!((f - e).abs() < 1e-6, "{found:?}, expected {expected:?}");
            }
        }
    }

    const SKLEARN: [f64; 3] = [1.602_016_010_781_31, -0.539_987_467_555_12, -1.434_107_379_168_23];
    const SKLEARN_PENALISED: [f64; 3] = [1.388_844_219_734_87, -0.668_465_749_741_98, -0.708_308_915_596_26];

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        let data = signal_in_order(5, 3);
        for penalize_bias in [false, true] {
            let ranker = L2Logistic { c: 0.7, penalize_bias, ..L2Logistic::default() };
            let labels = ranker.labels(&data);
            let problem = Problem { train: &data, labels, bounds: data.bounds(), c: 0.7, penalize_bias };
            let x: Vec<f64> = (0..7).map(|i| 0.3 - 0.1 * f64::from(i)).collect();
            let margins = problem.margins(&x);
            let gradient = problem.gradient(&Point { x: x.clone(), margins, value: 0.0 });
            for i in 0..x.len() {
                let value = |change: f64| {
                    let mut moved = x.clone();
                    moved[i] += change;
                    problem.value(&moved, &problem.margins(&moved))
                };
                let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
                assert!((slope - gradient[i]).abs() < 1e-6 * slope.abs().max(1.0), "{i}: {slope} {}", gradient[i]);
            }
        }
    }

    #[test]
    fn separable_data_and_wild_scales_give_finite_weights() {
        let data = rows(&[&[(0, &[-1.0, 1e9]), (0, &[-2.0, 2e9]), (1, &[1.0, 5e9]), (1, &[2.0, 3e9])]]);
        for c in [1e-3, 1.0, 1e6] {
            let model = fit(&L2Logistic { c, ..L2Logistic::default() }, &data);
            let mut scores = [0.0; 4];
            model.score(data.query(0).view(), &mut scores);
            assert!(scores.iter().all(|s| s.is_finite()), "{c}: {model:?}");
            assert!(scores[..2].iter().all(|s| scores[2..].iter().all(|t| s < t)), "{c}: {scores:?}");
        }
    }

    #[test]
    fn one_class_is_refused() {
        let data = rows(&[&[(1, &[1.0]), (2, &[2.0])]]);
        let fit =
            |threshold| L2Logistic { threshold, ..L2Logistic::default() }.fit(&data, &FitContext::new(Seed::new(1)));
        assert!(matches!(fit(1), Err(FitError::Data(reason)) if reason.contains("every document")));
        assert!(matches!(fit(3), Err(FitError::Data(reason)) if reason.contains("no document")));
        assert!(fit(2).is_ok());
    }
}
