//! Logistic regression with an L2 penalty: is a document relevant or not?
//!
//! Minimises 1/2 |w|^2 + C sum_i log(1 + exp(-y_i (w x_i + b))), with y = +1 for a document of
//! grade >= `threshold` and y = -1 for any other document. LIBLINEAR (Fan et al. 2008) and
//! scikit-learn's `LogisticRegression` have the same objective. The intercept b is not penalised,
//! as in scikit-learn; `penalize_bias` adds 1/2 b^2, as LIBLINEAR with `-B 1`. The score is w x +
//! b, the log odds of being relevant.
//!
//! The method is Newton's, with a line search. With few features (up to 256) the Hessian I + C X^T D X is
//! factored exactly. With more features, conjugate gradients find the step without the matrix
//! (`matrix_free`). Where features nearly depend on each other, a factored Hessian helps the
//! conjugate gradients, so the steps work with raw features of very different scales. The
//! iterations stop when half the squared Newton decrement, g^T H^-1 g / 2, is at most `tolerance`
//! times the objective at zero weights (documents * C * log 2). The decrement estimates the
//! remaining gain, whatever the scales of the features.
//!
//! With more features than documents, the same steps are taken in the dual form (`dual`): the
//! weights are sums of documents, as the solution is. So no matrix has the size features^2.
//!
//! Cost: O(documents * features^2 + features^3) an iteration, in parallel; about ten iterations.
//! From 257 features on: O(documents * features) for each product of the conjugate gradients, some
//! hundred products a fit, and one or two matrices if features nearly depend on each other. In the
//! dual form: O(documents^2 * features) once, and O(documents^3) an iteration. Memory: 8 bytes x
//! features^2 for each thread, if there is a matrix, or 8 bytes x documents^2 in the dual form.

mod dual;
mod matrix_free;
mod primal;

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use serde::{Deserialize, Serialize};

use self::dual::Dual;
use self::primal::{MOST_FACTORED, Primal};
use crate::linear_model::LinearModel;
use crate::normal_equations::{FEATURES_AT_ONCE, sums_at_once};

/// The share below which a number is a rounding error: a pivot of its diagonal (left out of a
/// step), or a decrease of the objective.
const ROUNDING: f64 = 1e-14;
/// Share of the linear decrease that a step must reach (Armijo's rule).
const SUFFICIENT: f64 = 1e-4;
/// How often a step is halved at most.
const HALVINGS: u32 = 40;

/// Pointwise L2-regularised logistic regression.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, L2Logistic, Model, Ranker, Seed};
///
/// // From a threshold of 2, a grade of 1 is not relevant.
/// let train = Dataset::of_queries(1, [(&[3.0, 1.0, 2.0][..], &[2, 1, 0][..])])?;
/// let ranker = L2Logistic { threshold: 2, ..L2Logistic::default() };
/// let scores = ranker.fit(&train, &FitContext::new(Seed::new(1)))?.scores(train.query(0).view());
/// // Scores are linear in the feature.
/// assert!(scores[0] > scores[2] && (scores[0] - 2.0 * scores[2] + scores[1]).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct L2Logistic {
    /// Weight of the loss against the penalty (LIBLINEAR's and scikit-learn's C); above 0.
    pub c: f64,
    /// The lowest grade that counts as relevant; at least 1.
    pub threshold: u8,
    /// Whether the intercept is penalised like a weight.
    pub penalize_bias: bool,
    /// Stop when the estimated remaining gain is at most this share of the objective at zero
    /// weights; in (0, 1).
    pub tolerance: f64,
    /// The fit fails if this many Newton steps do not converge; at least 1.
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
    const VERSION: u32 = 3;
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "c", help: "weight of the loss against the penalty, above 0 (LIBLINEAR's C)" },
        ParamHelp { name: "threshold", help: "lowest grade that counts as relevant, at least 1" },
        ParamHelp { name: "penalize_bias", help: "penalise the intercept too, LIBLINEAR's form" },
        ParamHelp {
            name: "tolerance",
            help: "stop when the gain that is still possible is estimated as at most this share of the objective at zero weights, in (0, 1)",
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

    /// Margins and labels, and the sums of each thread, or the products of the documents.
    fn fit_bytes(&self, train: &Dataset, _: Option<&Dataset>) -> u64 {
        let (width, documents) = (train.width() as u64, train.documents() as u64);
        let system = if width > documents {
            let making = documents * (documents + width.min(FEATURES_AT_ONCE as u64));
            8 * making.max(2 * documents * documents + width)
        } else {
            8 * (width + 1) * (width + 1) * (1 + sums_at_once(train) as u64)
        };
        system + if width > MOST_FACTORED as u64 { 56 } else { 40 } * documents
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
        let loss = Loss { labels, c: self.c };
        if train.width() > train.documents() {
            let mut dual = Dual::new(train, &loss, self.penalize_bias, cx)?;
            let x = self.minimise(&mut dual, &loss, vec![0.0; train.documents() + 1], cx)?;
            return Ok(dual.model(train, x));
        }
        let mut primal = Primal::new(train, &loss, self.penalize_bias);
        let mut weights = self.minimise(&mut primal, &loss, vec![0.0; train.width() + 1], cx)?;
        let intercept = weights.pop().unwrap_or(0.0);
        Ok(LinearModel { weights, intercept })
    }
}

impl L2Logistic {
    /// The unknowns with the least objective, by Newton's method from `start`, where all margins
    /// must be 0.
    fn minimise(
        &self,
        space: &mut impl Space,
        loss: &Loss,
        start: Vec<f64>,
        cx: &FitContext<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let mut at = Point { x: start, margins: vec![0.0; loss.labels.len()], value: 0.0 };
        at.value = value(&*space, loss, &at.x, &at.margins);
        let at_zero = at.value;
        for iteration in 0..self.max_iterations {
            cx.step(u64::from(iteration), u64::from(self.max_iterations))?;
            let (step, slope) = space.step(&at, self.tolerance * at_zero, cx)?;
            if !slope.is_finite() {
                return Err(FitError::Numeric("a step is not finite; scale the features".to_owned()));
            }
            let nearly_done = -slope / 2.0 <= self.tolerance * at_zero;
            let moved = search(&*space, loss, &mut at, &step, slope);
            // If rounding hides the last decrease, no step lowers the value.
            if nearly_done || (!moved && -slope <= ROUNDING * at_zero) {
                return Ok(at.x);
            }
            if !moved {
                return Err(FitError::Numeric(format!("no step lowers the objective after {iteration} iterations")));
            }
        }
        let advice = "raise `max_iterations` or `tolerance`, lower `c`, or scale the features";
        Err(FitError::Numeric(format!("not converged after {} iterations; {advice}", self.max_iterations)))
    }

    /// The objective of the module's head at `model`.
    pub fn objective(&self, data: &Dataset, model: &LinearModel) -> f64 {
        let x: Vec<f64> = model.weights.iter().copied().chain([model.intercept]).collect();
        let loss = Loss { labels: self.labels(data), c: self.c };
        let primal = Primal::new(data, &loss, self.penalize_bias);
        value(&primal, &loss, &x, &primal.margins(&x))
    }

    /// +1 for relevant documents, -1 for the others.
    fn labels(&self, data: &Dataset) -> Vec<f64> {
        let label = |&grade: &u8| if grade >= self.threshold { 1.0 } else { -1.0 };
        data.queries().flat_map(|query| query.grades().iter().map(label).collect::<Vec<_>>()).collect()
    }
}

/// A point of the search: the unknowns with the intercept last, and their margins and value.
struct Point {
    x: Vec<f64>,
    /// w x_i + b of each document.
    margins: Vec<f64>,
    value: f64,
}

/// The loss of the documents, by their margins.
struct Loss {
    /// +1 or -1.
    labels: Vec<f64>,
    c: f64,
}

impl Loss {
    fn value(&self, margins: &[f64]) -> f64 {
        let loss: f64 = margins.iter().zip(&self.labels).map(|(z, y)| log1p_exp(-y * z)).sum();
        self.c * loss
    }

    /// The loss where all margins are 0.
    fn at_zero(&self) -> f64 {
        self.c * self.labels.len() as f64 * std::f64::consts::LN_2
    }

    /// The derivative by the margin of a document.
    fn slope(&self, document: usize, margin: f64) -> f64 {
        let y = self.labels[document];
        -self.c * y * sigmoid(-y * margin)
    }
}

/// A space of unknowns: margins are a linear function of them, and the penalty is a quadratic
/// function.
trait Space {
    fn margins(&self, x: &[f64]) -> Vec<f64>;

    /// Twice the penalty.
    fn penalty(&self, x: &[f64]) -> f64;

    /// Newton's step, and the slope of the objective along it. The fit ends with a step whose
    /// decrease of the objective is at most `end`.
    fn step(&mut self, at: &Point, end: f64, cx: &FitContext<'_>) -> Result<(Vec<f64>, f64), FitError>;
}

fn value(space: &impl Space, loss: &Loss, x: &[f64], margins: &[f64]) -> f64 {
    space.penalty(x) / 2.0 + loss.value(margins)
}

/// Moves along `step` by the first share of 1, 1/2, 1/4, ... that lowers the value enough. Returns
/// false if no share does.
fn search(space: &impl Space, loss: &Loss, at: &mut Point, step: &[f64], slope: f64) -> bool {
    let change = space.margins(step);
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let along =
            |from: &[f64], by: &[f64]| -> Vec<f64> { from.iter().zip(by).map(|(f, b)| f + length * b).collect() };
        let (x, margins) = (along(&at.x, step), along(&at.margins, &change));
        let value = value(space, loss, &x, &margins);
        if value <= at.value + SUFFICIENT * length * slope {
            *at = Point { x, margins, value };
            return true;
        }
        length /= 2.0;
    }
    false
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
    fn more_features_than_documents_agree_with_scikit_learn() {
        // x[i][j] = ((7 i + 3 j + i j) % 11) / 4, 5 documents of 8 features; y = [0, 1, 1, 0, 1]
        // LogisticRegression(C=2.0, tol=1e-14, max_iter=100000): coef_, intercept_; penalised as
        // above.
        let features: Vec<Vec<f32>> =
            (0..5u8).map(|i| (0..8u8).map(|j| f32::from((7 * i + 3 * j + i * j) % 11) / 4.0).collect()).collect();
        let documents: Vec<(u8, &[f32])> =
            [0, 1, 2, 0, 1].into_iter().zip(features.iter().map(Vec::as_slice)).collect();
        let data = rows(&[&documents[..3], &documents[3..]]);
        for (penalize_bias, expected) in [(false, WIDE), (true, WIDE_PENALISED)] {
            let model = fit(&L2Logistic { c: 2.0, penalize_bias, ..L2Logistic::default() }, &data);
            for (found, expected) in model.weights.iter().chain([&model.intercept]).zip(expected) {
                assert!((found - expected).abs() < 1e-5, "{model:?}, expected {expected}");
            }
        }
    }

    const WIDE: [f64; 9] = [
        -0.197_259_721,
        0.095_978_874,
        0.211_992_362,
        -0.055_355_763,
        0.0,
        0.055_355_758,
        -0.151_334_637,
        -1.526_307_059,
        2.656_038_24,
    ];
    const WIDE_PENALISED: [f64; 9] = [
        0.029_119_556,
        0.351_962_232,
        0.410_659_862,
        0.324_867_617,
        0.053_388_033,
        0.369_176_809,
        0.026_293_417,
        -1.346_937_907,
        0.213_552_131,
    ];

    #[test]
    fn the_dual_form_finds_the_minimum_of_the_primal_one() {
        let data = signal_in_order(3, 3);
        for penalize_bias in [false, true] {
            for c in [1e-2, 1.0, 1e4] {
                let ranker = L2Logistic { c, penalize_bias, tolerance: 1e-13, ..L2Logistic::default() };
                let primal = fit(&ranker, &data);
                let (cx, loss) = (FitContext::new(Seed::new(1)), Loss { labels: ranker.labels(&data), c });
                let mut dual = Dual::new(&data, &loss, penalize_bias, &cx).unwrap();
                let x = ranker.minimise(&mut dual, &loss, vec![0.0; data.documents() + 1], &cx).unwrap();
                let model = dual.model(&data, x);
                let (least, found) = (ranker.objective(&data, &primal), ranker.objective(&data, &model));
                assert!((found - least).abs() <= 1e-9 * least, "{penalize_bias} {c}: {found} {least}");
            }
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        let data = signal_in_order(5, 3);
        for penalize_bias in [false, true] {
            let ranker = L2Logistic { c: 0.7, penalize_bias, ..L2Logistic::default() };
            let loss = Loss { labels: ranker.labels(&data), c: 0.7 };
            let problem = Primal::new(&data, &loss, penalize_bias);
            let x: Vec<f64> = (0..7).map(|i| 0.3 - 0.1 * f64::from(i)).collect();
            let margins = problem.margins(&x);
            let gradient = problem.gradient(&Point { x: x.clone(), margins, value: 0.0 }).unwrap();
            for i in 0..x.len() {
                let value = |change: f64| {
                    let mut moved = x.clone();
                    moved[i] += change;
                    super::value(&problem, &loss, &moved, &problem.margins(&moved))
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
