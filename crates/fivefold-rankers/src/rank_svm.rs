//! RankSVM: a linear model that orders the pairs of each query (Herbrich, Graepel & Obermayer 2000;
//! Joachims 2002).
//!
//! Minimises 1/2 |w|^2 + C sum over pairs of max(0, 1 - w (x_i - x_j))^2. A pair is two documents
//! of one query of which i has the higher grade. The loss is the squared hinge, as in Chapelle &
//! Keerthi (2010) and in SVMrank with `-p 2`; SVMrank's default, and so the baseline of LETOR, is
//! the hinge without the square.
//!
//! The method is the truncated Newton method of Chapelle & Keerthi. A step solves (I + 2 C X^T L X)
//! p = -gradient by conjugate gradients, where L is the Laplacian of the graph of violated pairs (w
//! (x_i - x_j) < 1). No pair is ever listed. Two sweeps over the documents in the order of their
//! scores, one from each end, give each document two numbers: the number of its violated pairs, and
//! the sum of the entries of a vector over its partners in these pairs. L needs only these numbers.
//!
//! Two things differ from the source. The system is scaled by its diagonal, so raw features of very
//! different scales cost few more steps. And a step that does not lower the objective enough is
//! halved. The iterations stop when half the squared Newton decrement is at most `tolerance` times
//! the objective at zero weights, C times the number of pairs.
//!
//! Cost of an iteration: for a query of n documents, n log n + n g for grades 0 to g, whatever the
//! number of pairs; and documents * features for each step of the conjugate gradients, in parallel.
//! Memory: the sums of each thread and about 50 bytes a document.

use fivefold_core::{Dataset, FitContext, FitError, JudgedQuery, ParamError, ParamHelp, Ranker};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::linear_model::{LinearModel, dot};
use crate::memory::Size;
use crate::normal_equations::{sum_over_queries, sums_at_once};

/// Conjugate gradients stop at this share of the first residual.
const RESIDUAL: f64 = 1e-2;
/// The most steps of the conjugate gradients in a Newton step.
const MOST_STEPS: usize = 250;
/// Share of the linear decrease that a step must reach (Armijo's rule).
const SUFFICIENT: f64 = 1e-4;
/// How often a step is halved at most.
const HALVINGS: u32 = 40;
/// The share of the objective below which a decrease is a rounding error.
const ROUNDING: f64 = 1e-14;

/// Pairwise linear ranker with a squared hinge loss.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Model, RankSvm, Ranker, Seed};
///
/// // One pair with a difference of 1 and the weight w: w^2 / 2 + C (1 - w)^2 is least at
/// // w = 2 C / (1 + 2 C).
/// let train = Dataset::of_queries(1, [(&[3.0, 2.0][..], &[1, 0][..])])?;
/// let model = RankSvm { c: 1.0, ..RankSvm::default() }.fit(&train, &FitContext::new(Seed::new(1)))?;
/// assert!((model.weights[0] - 2.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankSvm {
    /// Weight of the loss of a pair against the penalty; above 0.
    pub c: f64,
    /// Stop when the estimated remaining gain is at most this share of the objective at zero
    /// weights; in (0, 1).
    pub tolerance: f64,
    /// The fit fails if this many Newton steps do not converge; at least 1.
    pub max_iterations: u32,
}

impl Default for RankSvm {
    fn default() -> Self {
        RankSvm { c: 0.01, tolerance: 1e-8, max_iterations: 200 }
    }
}

impl Ranker for RankSvm {
    const NAME: &'static str = "ranksvm";
    const SUMMARY: &'static str = "linear RankSVM on pairs of a query, squared hinge loss, by truncated Newton";
    const VERSION: u32 = 1;
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "c", help: "weight of the loss of a pair against the penalty, above 0" },
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

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.c > 0.0 && self.c.is_finite(), "c", self.c, "a finite number above 0")?;
        let ok = self.tolerance > 0.0 && self.tolerance < 1.0;
        ParamError::unless(ok, "tolerance", self.tolerance, "above 0 and below 1")?;
        ParamError::unless(self.max_iterations >= 1, "max_iterations", self.max_iterations, "at least 1")
    }

    /// Scores and orders of two points and the change between them; vectors of weights, and the
    /// sums of each thread.
    fn fit_bytes(&self, train: &Dataset, _: Option<&Dataset>) -> u64 {
        let Size { queries, documents, width, .. } = Size::of(Some(train));
        32 * documents + 96 * queries + 8 * width * (9 + sums_at_once(train) as u64)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<LinearModel, FitError> {
        let problem = Problem { train, bounds: train.bounds(), c: self.c };
        let mut at = problem.point(vec![0.0; train.width()], vec![0.0; train.documents()]);
        if at.value == 0.0 {
            let reason = "no query has two documents of different grades, so there is no pair to learn from";
            return Err(FitError::Data(reason.to_owned()));
        }
        let at_zero = at.value;
        for iteration in 0..self.max_iterations {
            cx.step(u64::from(iteration), u64::from(self.max_iterations))?;
            let (step, slope) = problem.step(&at, cx)?;
            if !slope.is_finite() {
                return Err(FitError::Numeric("a step is not finite; scale the features".to_owned()));
            }
            let nearly_done = -slope / 2.0 <= self.tolerance * at_zero;
            let moved = problem.search(&mut at, &step, slope);
            // If rounding hides the last decrease, no step lowers the value.
            if nearly_done || (!moved && -slope <= ROUNDING * at_zero) {
                return Ok(LinearModel { weights: at.weights, intercept: 0.0 });
            }
            if !moved {
                return Err(FitError::Numeric(format!("no step lowers the objective after {iteration} iterations")));
            }
        }
        let advice = "raise `max_iterations` or `tolerance`, lower `c`, or scale the features";
        Err(FitError::Numeric(format!("not converged after {} iterations; {advice}", self.max_iterations)))
    }
}

impl RankSvm {
    /// The objective of the module's head at `model`.
    pub fn objective(&self, data: &Dataset, model: &LinearModel) -> f64 {
        let problem = Problem { train: data, bounds: data.bounds(), c: self.c };
        problem.point(model.weights.clone(), problem.scores(&model.weights)).value
    }
}

/// A point of the search.
struct Point {
    weights: Vec<f64>,
    /// The score of each document.
    scores: Vec<f64>,
    /// The rows of each query, lowest score first.
    orders: Vec<Vec<u32>>,
    /// The objective.
    value: f64,
}

struct Problem<'a> {
    train: &'a Dataset,
    bounds: Vec<usize>,
    c: f64,
}

impl Problem<'_> {
    /// The point with these weights, which give the documents these scores.
    fn point(&self, weights: Vec<f64>, scores: Vec<f64>) -> Point {
        let (orders, losses): (Vec<Vec<u32>>, Vec<f64>) = (0..self.train.len())
            .into_par_iter()
            .map(|number| {
                let (query, scores) = (self.train.query(number), self.of_query(&scores, number));
                let mut order: Vec<u32> = (0..query.len() as u32).collect();
                order.sort_unstable_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
                let loss = Violated { grades: query.grades(), scores, order: &order }.loss();
                (order, loss)
            })
            .unzip();
        let penalty: f64 = weights.iter().map(|w| w * w).sum();
        let value = penalty / 2.0 + self.c * losses.iter().sum::<f64>();
        Point { weights, scores, orders, value }
    }

    /// The part of a query in values of all documents.
    fn of_query<'v>(&self, values: &'v [f64], number: usize) -> &'v [f64] {
        &values[self.bounds[number]..self.bounds[number + 1]]
    }

    fn violated<'v>(&self, at: &'v Point, number: usize, query: &JudgedQuery<'v>) -> Violated<'v> {
        Violated { grades: query.grades(), scores: self.of_query(&at.scores, number), order: &at.orders[number] }
    }

    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let of_query = |number| self.train.query(number).rows().map(|row| dot(weights, row)).collect::<Vec<f64>>();
        (0..self.train.len()).into_par_iter().flat_map_iter(of_query).collect()
    }

    fn gradient(&self, at: &Point, cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let mut gradient = sum_over_queries(self.train, self.train.width(), |number, query, sum| {
            cx.check()?;
            let slopes = self.violated(at, number, query).slopes();
            add_rows(sum, query, &slopes);
            Ok(())
        })?;
        gradient.iter_mut().zip(&at.weights).for_each(|(g, w)| *g = self.c * *g + w);
        Ok(gradient)
    }

    /// The product of the Hessian and `direction`.
    fn times(&self, at: &Point, direction: &[f64], cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let mut product = sum_over_queries(self.train, self.train.width(), |number, query, sum| {
            cx.check()?;
            let changes: Vec<f64> = query.rows().map(|row| dot(direction, row)).collect();
            add_rows(sum, query, &self.violated(at, number, query).laplacian(&changes));
            Ok(())
        })?;
        product.iter_mut().zip(direction).for_each(|(p, d)| *p = 2.0 * self.c * *p + d);
        Ok(product)
    }

    /// The diagonal of the Hessian.
    fn diagonal(&self, at: &Point, cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let mut diagonal = sum_over_queries(self.train, self.train.width(), |number, query, sum| {
            let violated = self.violated(at, number, query);
            let mut column = vec![0.0; query.len()];
            for (feature, sum) in sum.iter_mut().enumerate() {
                cx.check()?;
                column.iter_mut().zip(query.rows()).for_each(|(value, row)| *value = f64::from(row[feature]));
                *sum += product(&column, &violated.laplacian(&column));
            }
            Ok(())
        })?;
        // Rounding may leave a feature that is constant in each query a sum below 0.
        diagonal.iter_mut().for_each(|d| *d = 1.0 + (2.0 * self.c * *d).max(0.0));
        Ok(diagonal)
    }

    /// The step of Newton's method, by conjugate gradients, and the slope of the objective along
    /// it.
    fn step(&self, at: &Point, cx: &FitContext<'_>) -> Result<(Vec<f64>, f64), FitError> {
        let gradient = self.gradient(at, cx)?;
        let diagonal = self.diagonal(at, cx)?;
        let scaled = |residual: &[f64]| -> Vec<f64> { residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect() };
        let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut direction = scaled(&residual);
        let mut squared = product(&residual, &direction);
        let enough = RESIDUAL * RESIDUAL * squared;
        let mut step = vec![0.0; gradient.len()];
        for _ in 0..MOST_STEPS {
            if squared <= enough {
                break;
            }
            let curved = self.times(at, &direction, cx)?;
            let length = squared / product(&direction, &curved);
            add(&mut step, length, &direction);
            add(&mut residual, -length, &curved);
            let preconditioned = scaled(&residual);
            let before = std::mem::replace(&mut squared, product(&residual, &preconditioned));
            direction.iter_mut().zip(&preconditioned).for_each(|(d, z)| *d = z + squared / before * *d);
        }
        let slope = product(&gradient, &step);
        Ok((step, slope))
    }

    /// Moves along `step` by the first share of 1, 1/2, 1/4, ... that lowers the objective enough.
    /// Returns false if no share does.
    fn search(&self, at: &mut Point, step: &[f64], slope: f64) -> bool {
        let change = self.scores(step);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let moved = |from: &[f64], by: &[f64]| from.iter().zip(by).map(|(f, b)| f + length * b).collect();
            let next = self.point(moved(&at.weights, step), moved(&at.scores, &change));
            if next.value <= at.value + SUFFICIENT * length * slope {
                *at = next;
                return true;
            }
            length /= 2.0;
        }
        false
    }
}

/// The violated pairs of a query: one document has a higher grade than the other, and its score is
/// not higher by at least 1.
struct Violated<'a> {
    grades: &'a [u8],
    scores: &'a [f64],
    /// The rows, lowest score first.
    order: &'a [u32],
}

impl Violated<'_> {
    /// Gives `each` every document as the better one of its violated pairs, and then every document
    /// as the worse one: its row, the number of these pairs, and the sum of `values` over its
    /// partners.
    fn sweep(&self, values: &[f64], mut each: impl FnMut(bool, usize, f64, f64)) {
        let grades = usize::from(self.grades.iter().copied().max().unwrap_or(0)) + 1;
        let violates = |better: usize, worse: usize| self.scores[better] - self.scores[worse] < 1.0;
        // The partners of a better document stand above its score - 1, so a sweep from the highest
        // score only adds partners. The partners of a worse document stand below its score + 1.
        for is_better in [true, false] {
            let rows = |place: usize| {
                let place = if is_better { self.order.len() - 1 - place } else { place };
                self.order[place] as usize
            };
            // Number of partners and sum of their values, by grade.
            let mut seen = vec![(0.0, 0.0); grades];
            let mut next = 0;
            for row in (0..self.order.len()).map(rows) {
                while next < self.order.len() {
                    let partner = rows(next);
                    let (better, worse) = if is_better { (row, partner) } else { (partner, row) };
                    if !violates(better, worse) {
                        break;
                    }
                    let (count, sum) = &mut seen[usize::from(self.grades[partner])];
                    (*count, *sum) = (*count + 1.0, *sum + values[partner]);
                    next += 1;
                }
                let grade = usize::from(self.grades[row]);
                let partners = if is_better { &seen[..grade] } else { &seen[grade + 1..] };
                let (count, sum) = partners.iter().fold((0.0, 0.0), |(c, s), (count, sum)| (c + count, s + sum));
                each(is_better, row, count, sum);
            }
        }
    }

    /// L v: for each document, the sum over its violated pairs of v - (v of the partner).
    fn laplacian(&self, values: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; values.len()];
        self.sweep(values, |_, row, count, sum| product[row] += count * values[row] - sum);
        product
    }

    /// The derivative of the loss by each score.
    fn slopes(&self) -> Vec<f64> {
        let mut slopes = vec![0.0; self.scores.len()];
        self.sweep(self.scores, |is_better, row, count, sum| {
            // The sum over pairs of s - (s of the partner) - 1, or + 1 for a worse document.
            let margin = if is_better { -count } else { count };
            slopes[row] += 2.0 * (count * self.scores[row] - sum + margin);
        });
        slopes
    }

    /// The sum over violated pairs of (1 - difference of scores)^2.
    fn loss(&self) -> f64 {
        let mut loss = 0.0;
        // With d = s_i - s_j: sum (1 - d)^2 = sum (1 - d) - sum d (1 - d). Both sums are over the
        // documents of the pairs.
        self.sweep(self.scores, |is_better, row, count, sum| {
            let score = self.scores[row];
            if is_better {
                let shortfall = count * (1.0 - score) + sum;
                loss += shortfall * (1.0 - score);
            } else {
                loss += (count * (1.0 + score) - sum) * score;
            }
        });
        // No loss is below 0.
        loss.max(0.0)
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times `values` to `sum`.
fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(s, v)| *s += factor * v);
}

/// Adds the rows of a query, each times its weight.
fn add_rows(sum: &mut [f64], query: &JudgedQuery<'_>, weights: &[f64]) {
    for (row, &weight) in query.rows().zip(weights) {
        if weight != 0.0 {
            sum.iter_mut().zip(row).for_each(|(s, &x)| *s += weight * f64::from(x));
        }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::{Model as _, Seed};

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn context() -> FitContext<'static> {
        FitContext::new(Seed::new(1))
    }

    fn problem(data: &Dataset, c: f64) -> Problem<'_> {
        Problem { train: data, bounds: data.bounds(), c }
    }

    fn at(problem: &Problem<'_>, weights: &[f64]) -> Point {
        problem.point(weights.to_vec(), problem.scores(weights))
    }

    /// numpy, on the list of all pairs:
    /// ```python
    /// X = [np.array([[.5, 1], [1.5, -1], [2, .25]]),
    ///      np.array([[-1, 0], [3, 2], [0, .5], [.25, .25]])]
    /// Y = [[0, 1, 2], [0, 2, 1, 1]]
    /// D = np.array([a - b for x, y in zip(X, Y)
    ///               for a, i in zip(x, y) for b, j in zip(x, y) if i > j])
    /// w = np.zeros(2)
    /// for _ in range(20):
    ///     a = D[D @ w < 1]
    ///     w -= np.linalg.solve(np.eye(2) + 2 * C * a.T @ a, w - 2 * C * a.T @ (1 - a @ w))
    /// w, .5 * w @ w + C * (np.maximum(0, 1 - D @ w) ** 2).sum()
    /// ```
    /// `scipy.optimize.minimize` (L-BFGS-B) finds the same weights to 8 digits.
    #[test]
    fn agrees_with_newton_on_listed_pairs() {
        let data = rows(&[
            &[(0, &[0.5, 1.0]), (1, &[1.5, -1.0]), (2, &[2.0, 0.25])],
            &[(0, &[-1.0, 0.0]), (2, &[3.0, 2.0]), (1, &[0.0, 0.5]), (1, &[0.25, 0.25])],
        ]);
        for (c, weights, value) in [
            (0.1, [0.475_270_04, 0.004_548_04], 0.250_824_332_006_822_1),
            (2.0, [1.125_858_12, 0.137_299_77], 0.828_375_286_041_19),
        ] {
            let ranker = RankSvm { c, tolerance: 1e-14, ..RankSvm::default() };
            let model = ranker.fit(&data, &context()).unwrap();
            for (found, expected) in model.weights.iter().zip(weights) {
                assert!((found - expected).abs() < 1e-7, "{c}: {model:?}");
            }
            assert!((ranker.objective(&data, &model) / value - 1.0).abs() < 1e-12, "{c}");
        }
    }

    /// Loss, slopes and Laplacian by the definition, over all pairs of queries with ties of scores
    /// and of grades.
    #[test]
    fn sweeps_find_the_sums_over_all_pairs() {
        let mut rng = Seed::new(3).rng();
        for trial in 0..300 {
            let n = 1 + trial % 9;
            let mut draw = |below: u64| rng.next_u64() % below;
            let grades: Vec<u8> = (0..n).map(|_| draw(4) as u8).collect();
            let scores: Vec<f64> = (0..n).map(|_| draw(9) as f64 / 4.0 - 1.0).collect();
            let values: Vec<f64> = (0..n).map(|_| draw(100) as f64 / 10.0).collect();
            let (mut loss, mut slopes, mut laplacian) = (0.0, vec![0.0; n], vec![0.0; n]);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let short = 1.0 - (scores[i] - scores[j]);
                if grades[i] > grades[j] && short > 0.0 {
                    loss += short * short;
                    slopes[i] -= 2.0 * short;
                    slopes[j] += 2.0 * short;
                    laplacian[i] += values[i] - values[j];
                    laplacian[j] += values[j] - values[i];
                }
            }
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by(|&a, &b| scores[a as usize].total_cmp(&scores[b as usize]));
            let violated = Violated { grades: &grades, scores: &scores, order: &order };
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near(&[violated.loss()], &[loss]), "{grades:?} {scores:?}");
            assert!(near(&violated.slopes(), &slopes), "{grades:?} {scores:?}");
            assert!(near(&violated.laplacian(&values), &laplacian), "{grades:?} {scores:?}");
        }
    }

    /// The gradient by differences of the objective; the Hessian by differences of the gradient,
    /// within a step so small that no pair changes its side.
    #[test]
    fn gradient_and_hessian_are_those_of_the_objective() {
        let data = signal_in_order(5, 3);
        let problem = problem(&data, 0.7);
        let weights: Vec<f64> = (0..data.width()).map(|i| 0.3 - 0.1 * i as f64).collect();
        let moved = |feature: usize, change: f64| {
            let mut moved = weights.clone();
            moved[feature] += change;
            at(&problem, &moved)
        };
        let here = at(&problem, &weights);
        let gradient = problem.gradient(&here, &context()).unwrap();
        let diagonal = problem.diagonal(&here, &context()).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-5 * b.abs().max(1.0);
        for feature in 0..weights.len() {
            let slope = (moved(feature, 1e-5).value - moved(feature, -1e-5).value) / 2e-5;
            assert!(near(slope, gradient[feature]), "{feature}: {slope} {}", gradient[feature]);
            let mut unit = vec![0.0; weights.len()];
            unit[feature] = 1.0;
            let column = problem.times(&here, &unit, &context()).unwrap();
            let [up, down] = [1e-6, -1e-6].map(|change| problem.gradient(&moved(feature, change), &context()).unwrap());
            for (row, found) in column.iter().enumerate() {
                let curvature = (up[row] - down[row]) / 2e-6;
                assert!(near(*found, curvature), "{row} {feature}: {found} {curvature}");
            }
            assert!((diagonal[feature] / column[feature] - 1.0).abs() < 1e-9, "{feature}");
        }
    }

    #[test]
    fn no_other_weights_have_a_lower_objective() {
        let data = signal_in_order(30, 5);
        for c in [1e-3, 0.1, 10.0] {
            let ranker = RankSvm { c, tolerance: 1e-12, ..RankSvm::default() };
            let best = ranker.fit(&data, &context()).unwrap();
            let least = ranker.objective(&data, &best);
            for feature in 0..data.width() {
                for change in [-1e-3, 1e-3] {
                    let mut other = best.clone();
                    other.weights[feature] += change;
                    assert!(ranker.objective(&data, &other) > least, "{c} {feature} {change}");
                }
            }
        }
    }

    #[test]
    fn separable_data_and_wild_scales_give_finite_weights() {
        let data = rows(&[&[(0, &[-1.0, 1e9]), (0, &[-2.0, 2e9]), (1, &[1.0, 5e9]), (2, &[2.0, 3e9])]]);
        for c in [1e-3, 1.0, 1e6] {
            let model = RankSvm { c, ..RankSvm::default() }.fit(&data, &context()).unwrap();
            let scores = model.scores(data.query(0).view());
            assert!(model.weights.iter().all(|weight| weight.is_finite()), "{c}: {model:?}");
            assert!(scores[..2].iter().all(|worse| *worse < scores[2]), "{c}: {scores:?}");
        }
    }

    #[test]
    fn data_without_pairs_are_refused() {
        let data = rows(&[&[(1, &[1.0]), (1, &[2.0])], &[(0, &[3.0])]]);
        let error = RankSvm::default().fit(&data, &context()).unwrap_err();
        assert!(matches!(error, FitError::Data(reason) if reason.contains("no pair")));
    }
}
