//! Newton's step without the Hessian's matrix, for many features: conjugate gradients on products
//! of the Hessian and a vector (as TRON in LIBLINEAR, Lin, Weng & Keerthi, JMLR 9, 2008).
//!
//! H v = v + X^T B X v, where B holds the curvatures of the loss. A product reads each row once:
//! its product with v, times its curvature, is the factor with which the row is added to the sum.
//! So a step costs documents * features for each product, and no matrix is in memory.
//!
//! The system is preconditioned by the diagonal of the Hessian of centred features. With the
//! means m of the features, weighted by the curvatures, w x + b is w (x - m) + b', where b' = b + w
//! m. In the unknowns w and b' the intercept has no product with another unknown, and a feature
//! whose mean is far above its deviation is as easy as any other.
//!
//! Features that nearly depend on each other, in scales of many orders of magnitude, can ask for
//! more products than the matrix costs. Then the Hessian of that step is factored after all, and is
//! the preconditioner from there on. The Hessian changes little from step to step, so one or two
//! matrices do for a fit.
//!
//! Conjugate gradients lower the quadratic model of the objective product by product. They stop if
//! the number of products times the last decrease is at most a share of the whole decrease (Nash &
//! Sofer, Operations Research Letters 9, 1990). The share falls with the gradient, until a hundredth
//! of the decrease that ends the fit is all that is left.

use fivefold_core::{FitContext, FitError, JudgedQuery};
use rayon::prelude::*;

use super::primal::Primal;
use super::{Point, ROUNDING, sigmoid};
use crate::linear_model::dot;
use crate::normal_equations::{Factored, sum_over_queries};

/// The largest share of the model's decrease at which the conjugate gradients stop.
const LOOSEST: f64 = 0.5;
/// The smallest share.
const TIGHTEST: f64 = 1e-5;
/// The part of the decrease that ends a fit which a step may leave.
const LEFT: f64 = 0.01;
/// A matrix takes as long as about one product for so many features.
const FEATURES_A_PRODUCT: usize = 8;

/// Newton's step, and the slope of the objective along it. A step whose decrease is at most `end`
/// ends the fit.
pub(super) fn step(
    problem: &mut Primal<'_>,
    at: &Point,
    end: f64,
    cx: &FitContext<'_>,
) -> Result<(Vec<f64>, f64), FitError> {
    let system = System::new(problem, at, cx)?;
    let (mut step, mut done) = system.solve(problem, end, cx)?;
    if !done {
        problem.factored = None;
        problem.factored = Some(Factored::new(problem.hessian(at, cx)?, ROUNDING, cx)?);
        (step, done) = system.solve(problem, end, cx)?;
    }
    if let (false, Some(factored)) = (done, &problem.factored) {
        step = system.gradient.iter().map(|g| -g).collect();
        factored.solve(&mut step);
    }
    let slope = product(&system.gradient, &step);
    Ok((step, slope))
}

/// The system of equations of a Newton step.
struct System {
    /// The second derivative of the loss by the margin of each document.
    curvatures: Vec<f64>,
    gradient: Vec<f64>,
    /// The mean of each feature, weighted by the curvatures.
    means: Vec<f64>,
    /// The diagonal of the Hessian of the centred features, and of the intercept.
    diagonal: Vec<f64>,
}

impl System {
    fn new(problem: &Primal<'_>, at: &Point, cx: &FitContext<'_>) -> Result<Self, FitError> {
        let (loss, width) = (problem.loss, problem.train.width());
        let (slopes, curvatures): (Vec<f64>, Vec<f64>) = at
            .margins
            .par_iter()
            .enumerate()
            .map(|(document, &margin)| (loss.slope(document, margin), loss.c * sigmoid(margin) * sigmoid(-margin)))
            .unzip();
        // The gradient, and the first and the second moments of the features.
        let mut sums = sum_over_queries(problem.train, 3 * width, |number, query, sums| {
            cx.check()?;
            let (gradient, moments) = sums.split_at_mut(width);
            let (first, second) = moments.split_at_mut(width);
            for (row, place) in query.rows().zip(problem.bounds[number]..) {
                let (slope, curvature) = (slopes[place], curvatures[place]);
                let sums = gradient.iter_mut().zip(&mut *first).zip(&mut *second);
                for (((g, m), s), &x) in sums.zip(row) {
                    let x = f64::from(x);
                    let curved = curvature * x;
                    (*g, *m, *s) = (*g + slope * x, *m + curved, *s + curved * x);
                }
            }
            Ok(())
        })?;
        let (slope, curvature): (f64, f64) = (slopes.iter().sum(), curvatures.iter().sum());
        let second = sums.split_off(2 * width);
        let means: Vec<f64> = sums.drain(width..).map(|first| first / curvature.max(f64::MIN_POSITIVE)).collect();
        let squares = second.iter().zip(&means);
        // Rounding may leave a constant feature less than nothing.
        let centred = squares.map(|(s, m)| 1.0 + (s - curvature * m * m).max(ROUNDING * s));
        let of_intercept = (problem.weight(width) + curvature).max(f64::MIN_POSITIVE);
        let diagonal = centred.chain([of_intercept]).collect();
        let mut gradient = sums;
        gradient.push(slope);
        gradient.iter_mut().zip(&at.x).enumerate().for_each(|(i, (g, w))| *g += problem.weight(i) * w);
        Ok(System { curvatures, gradient, means, diagonal })
    }

    /// The step by conjugate gradients. False if it took too many products, or rounding stopped it.
    fn solve(&self, problem: &Primal<'_>, end: f64, cx: &FitContext<'_>) -> Result<(Vec<f64>, bool), FitError> {
        let mut step = vec![0.0; self.gradient.len()];
        let mut residual: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        let mut direction = self.preconditioned(problem, &residual);
        let mut squared = product(&residual, &direction);
        if squared == 0.0 {
            return Ok((step, true));
        }
        let enough = (squared / problem.loss.at_zero()).sqrt().clamp(TIGHTEST, LOOSEST);
        let mut decrease = 0.0;
        for number in 1..=step.len().div_ceil(FEATURES_A_PRODUCT) {
            let curved = self.times(problem, &direction, cx)?;
            let curvature = product(&direction, &curved);
            // Rounding has used up the precision, or a number is not finite.
            if !(squared > 0.0 && curvature > 0.0) {
                break;
            }
            let length = squared / curvature;
            add(&mut step, length, &direction);
            add(&mut residual, -length, &curved);
            let last = length * squared / 2.0;
            decrease += last;
            if number as f64 * last <= (enough * decrease).max((LEFT * end).min(LOOSEST * decrease)) {
                return Ok((step, true));
            }
            let preconditioned = self.preconditioned(problem, &residual);
            let before = std::mem::replace(&mut squared, product(&residual, &preconditioned));
            direction.iter_mut().zip(&preconditioned).for_each(|(d, z)| *d = z + squared / before * *d);
        }
        Ok((step, false))
    }

    /// The product of the Hessian and `v`.
    fn times(&self, problem: &Primal<'_>, v: &[f64], cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let Primal { train, bounds, .. } = problem;
        let mut curved = sum_over_queries(train, v.len(), |number, query, sum| {
            cx.check()?;
            add_curved(query, &self.curvatures[bounds[number]..bounds[number + 1]], v, sum);
            Ok(())
        })?;
        curved.iter_mut().zip(v).enumerate().for_each(|(i, (c, v))| *c += problem.weight(i) * v);
        Ok(curved)
    }

    /// The solution of the system whose matrix is the preconditioner.
    fn preconditioned(&self, problem: &Primal<'_>, residual: &[f64]) -> Vec<f64> {
        if let Some(factored) = &problem.factored {
            let mut solved = residual.to_vec();
            factored.solve(&mut solved);
            return solved;
        }
        let (of_weights, of_intercept) = residual.split_at(self.means.len());
        let centred = of_weights.iter().zip(&self.means).map(|(r, m)| r - m * of_intercept[0]);
        let mut solved: Vec<f64> = centred.zip(&self.diagonal).map(|(r, d)| r / d).collect();
        let shift = product(&solved, &self.means);
        solved.push(of_intercept[0] / self.diagonal[self.means.len()] - shift);
        solved
    }
}

/// Adds X^T B X v of a query's documents, with the intercept as a last feature that is always 1.
fn add_curved(query: &JudgedQuery<'_>, curvatures: &[f64], v: &[f64], sum: &mut [f64]) {
    let (v, intercept) = v.split_at(v.len() - 1);
    let (sum, of_intercept) = sum.split_at_mut(v.len());
    let rows = query.view().features();
    let (fours, rest) = curvatures.as_chunks::<4>();
    let mut place = rows.chunks_exact(v.len());
    for curvatures in fours {
        let rows: [&[f32]; 4] = std::array::from_fn(|_| place.next().unwrap_or_default());
        let dots = four_dots(v, rows);
        let factors: [f64; 4] = std::array::from_fn(|k| curvatures[k] * (dots[k] + intercept[0]));
        add_four(sum, rows, factors);
        factors.iter().for_each(|factor| of_intercept[0] += factor);
    }
    for (curvature, row) in rest.iter().zip(place) {
        let factor = curvature * (dot(v, row) + intercept[0]);
        sum.iter_mut().zip(row).for_each(|(s, &x)| *s += factor * f64::from(x));
        of_intercept[0] += factor;
    }
}

/// [`dot`] of four rows, to the bit. The weights are loaded once.
fn four_dots(weights: &[f64], rows: [&[f32]; 4]) -> [f64; 4] {
    let (weights, weights_rest) = weights.as_chunks::<4>();
    let rests = rows.map(|row| row.as_chunks::<4>().1);
    let rows = rows.map(|row| &row.as_chunks::<4>().0[..weights.len()]);
    let mut sums = [[0.0; 4]; 4];
    for (group, weights) in weights.iter().enumerate() {
        for k in 0..4 {
            for lane in 0..4 {
                sums[k][lane] += weights[lane] * f64::from(rows[k][group][lane]);
            }
        }
    }
    std::array::from_fn(|k| {
        let rest: f64 = weights_rest.iter().zip(rests[k]).map(|(&w, &x)| w * f64::from(x)).sum();
        (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]) + rest
    })
}

/// Adds four rows, each times its factor, one after the other. The sums are loaded once.
fn add_four(sum: &mut [f64], rows: [&[f32]; 4], factors: [f64; 4]) {
    let rows = rows.map(|row| &row[..sum.len()]);
    for (place, sum) in sum.iter_mut().enumerate() {
        for k in 0..4 {
            *sum += factors[k] * f64::from(rows[k][place]);
        }
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times `values` to `sum`.
fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(s, v)| *s += factor * v);
}

#[cfg(test)]
mod tests {
    use fivefold_core::{Dataset, Ranker as _, Seed};

    use super::super::{L2Logistic, Loss, Space};
    use super::*;
    use crate::test_data::{rows, signal_in_order};

    /// A primal problem whose steps are all without a matrix, whatever the number of features.
    struct MatrixFree<'a>(Primal<'a>);

    impl Space for MatrixFree<'_> {
        fn margins(&self, x: &[f64]) -> Vec<f64> {
            self.0.margins(x)
        }

        fn penalty(&self, x: &[f64]) -> f64 {
            self.0.penalty(x)
        }

        fn step(&mut self, at: &Point, end: f64, cx: &FitContext<'_>) -> Result<(Vec<f64>, f64), FitError> {
            step(&mut self.0, at, end, cx)
        }
    }

    fn context() -> FitContext<'static> {
        FitContext::new(Seed::new(1))
    }

    /// A system away from the start, and its problem.
    fn system<'a>(data: &'a Dataset, loss: &'a Loss, penalize_bias: bool) -> (Primal<'a>, Point, System) {
        let problem = Primal::new(data, loss, penalize_bias);
        let x: Vec<f64> = (0..=data.width()).map(|i| 0.4 - 0.15 * i as f64).collect();
        let at = Point { margins: problem.margins(&x), x, value: f64::NAN };
        let system = System::new(&problem, &at, &context()).unwrap();
        (problem, at, system)
    }

    fn near(found: &[f64], expected: &[f64]) -> bool {
        found.len() == expected.len()
            && found.iter().zip(expected).all(|(f, e)| (f - e).abs() <= 1e-9 * e.abs().max(1.0))
    }

    #[test]
    fn products_are_those_of_the_matrix() {
        let data = signal_in_order(7, 5);
        let size = data.width() + 1;
        for penalize_bias in [false, true] {
            let loss = Loss { labels: L2Logistic::default().labels(&data), c: 0.7 };
            let (problem, at, system) = system(&data, &loss, penalize_bias);
            assert!(near(&system.gradient, &problem.gradient(&at).unwrap()));
            let matrix = problem.hessian(&at, &context()).unwrap();
            let entry = |i: usize, j: usize| matrix[i.max(j) * size + i.min(j)];
            let v: Vec<f64> = (0..size).map(|i| (i * i) as f64 / 4.0 - 2.0).collect();
            let plain: Vec<f64> = (0..size).map(|i| (0..size).map(|j| entry(i, j) * v[j]).sum()).collect();
            assert!(near(&system.times(&problem, &v, &context()).unwrap(), &plain));
        }
    }

    /// The preconditioner is S^T D S, where S takes (w, b) to (w, b + m w) and D is the diagonal.
    #[test]
    fn the_preconditioner_is_diagonal_for_centred_features() {
        let data = signal_in_order(7, 5);
        let loss = Loss { labels: L2Logistic::default().labels(&data), c: 0.7 };
        let (problem, at, system) = system(&data, &loss, false);
        let (width, total) = (data.width(), system.curvatures.iter().sum::<f64>());
        for feature in 0..width {
            let rows = || data.queries().flat_map(|query| query.view().rows()).zip(&system.curvatures);
            let mean = rows().map(|(row, b)| b * f64::from(row[feature])).sum::<f64>() / total;
            let spread: f64 = rows().map(|(row, b)| b * (f64::from(row[feature]) - mean).powi(2)).sum();
            assert!(near(&[system.means[feature], system.diagonal[feature]], &[mean, 1.0 + spread]));
        }
        let solved = system.preconditioned(&problem, &system.gradient);
        let shifted = solved[width] + product(&solved[..width], &system.means);
        let of_intercept = total * shifted;
        let back: Vec<f64> =
            (0..width).map(|i| system.diagonal[i] * solved[i] + system.means[i] * of_intercept).collect();
        assert!(near(&back, &system.gradient[..width]) && near(&[of_intercept], &system.gradient[width..]));
        assert!(at.x.len() == width + 1);
    }

    /// Features in scales of twelve orders of magnitude, of which some nearly depend on others.
    fn hard(queries: usize) -> Dataset {
        let easy = signal_in_order(queries, 6);
        let row = |row: &[f32]| -> Vec<f32> {
            let mut row: Vec<f32> = row.to_vec();
            let (a, b) = (row[0], row[1]);
            row.extend([a + 1e-4 * b, 1e6 * b + 1e3 * a, 1e-6 * a, 2000.0 + 0.01 * b, a - b, 1e6 * (a - b) + a]);
            row
        };
        let width = row(easy.query(0).row(0)).len();
        let features: Vec<f32> =
            easy.queries().flat_map(|query| query.view().rows().flat_map(row).collect::<Vec<_>>()).collect();
        easy.with_features(features, width).unwrap()
    }

    #[test]
    fn finds_the_minimum_of_factored_steps() {
        let mut factored = 0;
        for data in [signal_in_order(20, 6), hard(20)] {
            for (c, penalize_bias) in [(1e-2, false), (1.0, true), (1.0, false), (1e4, false)] {
                let ranker = L2Logistic { c, penalize_bias, tolerance: 1e-13, ..L2Logistic::default() };
                let loss = Loss { labels: ranker.labels(&data), c };
                let start = || vec![0.0; data.width() + 1];
                let mut plain = Primal::new(&data, &loss, penalize_bias);
                let mut free = MatrixFree(Primal::new(&data, &loss, penalize_bias));
                let least = ranker.minimise(&mut plain, &loss, start(), &context()).unwrap();
                let found = ranker.minimise(&mut free, &loss, start(), &context()).unwrap();
                let value = |x: &[f64]| super::super::value(&plain, &loss, x, &plain.margins(x));
                let (least, found) = (value(&least), value(&found));
                assert!((found - least).abs() <= 1e-11 * loss.at_zero(), "{c} {penalize_bias}: {found} {least}");
                factored += usize::from(free.0.factored.is_some());
            }
        }
        assert!(factored >= 4, "the hard data ask for a matrix: {factored}");
    }

    /// x[i][j] = ((7 i + 3 j + i j + (i i j) % 5) % 11) / 4, 320 documents of 300 features, y = (i i + 3 i) % 7 < 3.
    fn wide() -> Dataset {
        let value = |i: usize, j: usize| ((7 * i + 3 * j + i * j + i * i * j % 5) % 11) as f32 / 4.0;
        let features: Vec<Vec<f32>> = (0..320).map(|i| (0..300).map(|j| value(i, j)).collect()).collect();
        let documents: Vec<(u8, &[f32])> =
            features.iter().enumerate().map(|(i, row)| (u8::from((i * i + 3 * i) % 7 < 3), row.as_slice())).collect();
        rows(&documents.chunks(10).collect::<Vec<_>>())
    }

    /// numpy, for the data of `wide`:
    /// ```python
    /// m = LogisticRegression(C=2.0, solver="newton-cholesky", tol=1e-12).fit(X, y)
    /// m.coef_[0, :3], m.intercept_
    /// ```
    #[test]
    fn agrees_with_scikit_learn_with_any_number_of_threads() {
        let data = wide();
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let ranker = L2Logistic { c: 2.0, ..L2Logistic::default() };
            pool.install(|| ranker.fit(&data, &context())).unwrap()
        };
        let model = fit(1);
        let found = [model.weights[0], model.weights[1], model.weights[2], model.intercept];
        assert!(found.iter().zip(SKLEARN).all(|(f, e)| (f - e).abs() < 1e-5), "{found:?}");
        assert!([2, 3].into_iter().all(|threads| fit(threads) == model));
    }

    const SKLEARN: [f64; 4] = [-0.010_151_591_739, -0.003_772_579_609, -0.023_749_326_653, -0.629_360_92];
}
