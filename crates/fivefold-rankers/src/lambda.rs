//! Lambda gradients of any measure: the loss of `lambdamart`.
//!
//! For two documents of a query, i better than j by the measure (exchanging them would change its value by -d), with scores s:
//!   rho = 1 / (1 + exp(sigma (s_i - s_j))),  lambda = sigma d rho,  hessian = sigma^2 d rho (1 - rho);
//! i's gradient falls by lambda and j's rises by it; both get the hessian (Burges, MSR-TR-2010-82; Burges, Ragno & Le, NIPS
//! 2006). d is the exact change of the measure, whatever it is: `ndcg`, `ap`, `rr`, `err`, or a UE version (V1, V2), whose change
//! follows from that of A. Documents of equal score stand in file order. Only pairs with one document in the top
//! `truncation` count (0: all pairs).
//!
//! `normalise` does as LightGBM: d is divided by .01 + |s_i - s_j| (unless all scores are equal), and a query's gradients are
//! multiplied by log2(1 + S) / S, S the sum of the absolute lambdas of both sides.
//!
//! No table of the sigmoid: with e_k = exp(sigma s_k), rho = e_j / (e_i + e_j), so a query needs one exponential a
//! document and one division a pair. Where scores spread so far that an exponential would leave the range of f64, they
//! are taken relative to the first document of each pair and cut at +-700, where rho is 0 or 1 to the last bit anyhow.
//!
//! Cost: O(n log n + truncation x n) a query, independent of the measure.

use std::cmp::Ordering;

use fivefold_core::{Dataset, FitError};
use fivefold_metrics::{Objective, Scratch};
use rayon::prelude::*;

use crate::boosting::Loss;

/// The largest exponent that is used: exp of it and of its negative, and products of two of them, stay finite.
const FARTHEST: f64 = 350.0;

/// The lambda gradients of a measure.
pub(crate) struct LambdaLoss<'a> {
    objective: Objective,
    grades: Vec<&'a [u8]>,
    truncation: usize,
    sigma: f64,
    normalise: bool,
}

/// Arrays by position in the ranking of one query.
#[derive(Default)]
struct Ranking {
    order: Vec<u32>,
    grades: Vec<u8>,
    scores: Vec<f64>,
    exponentials: Vec<f64>,
    changes: Vec<f64>,
    lambdas: Vec<f64>,
    hessians: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    scratch: Scratch,
}

impl<'a> LambdaLoss<'a> {
    pub fn new(objective: Objective, data: &'a Dataset, truncation: usize, sigma: f64, normalise: bool) -> Self {
        let grades = (0..data.len()).map(|query| data.query(query).grades()).collect();
        let truncation = if truncation == 0 { usize::MAX } else { truncation };
        LambdaLoss { objective, grades, truncation, sigma, normalise }
    }

    /// Fills the derivatives of one query. Those of a query where the measure is undefined are 0.
    fn query(&self, query: usize, scores: &[f64], first: &mut [f64], second: &mut [f64], ranking: &mut Ranking) {
        first.fill(0.0);
        second.fill(0.0);
        let grades = self.grades[query];
        let n = grades.len();
        ranking.rank(scores, grades);
        let Ranking { order, grades, scores, exponentials, changes, lambdas, hessians, scratch, .. } = ranking;
        let Some(exchanges) = self.objective.exchanges(query, grades, scratch) else { return };
        let (best, worst) = (scores[0], scores[n - 1]);
        let far = self.sigma * (best - worst) > 2.0 * FARTHEST;
        let middle = best / 2.0 + worst / 2.0;
        let relative = |score: f64, to: f64| (self.sigma * (score - to)).clamp(-2.0 * FARTHEST, 2.0 * FARTHEST).exp();
        exponentials.clear();
        exponentials.extend(scores.iter().map(|&score| relative(score, middle)));
        let by_distance = self.normalise && best != worst;
        ranking.first.clear();
        ranking.first.resize(n, 0.0);
        ranking.second.clear();
        ranking.second.resize(n, 0.0);
        let mut total = 0.0;
        for top in 0..self.truncation.min(n - 1) {
            let rest = n - top - 1;
            changes.resize(rest, 0.0);
            exchanges.changes(top, changes);
            if by_distance {
                for (change, score) in changes.iter_mut().zip(&scores[top + 1..]) {
                    *change /= 0.01 + (scores[top] - score);
                }
            }
            if far {
                for (exponential, &score) in exponentials[top..].iter_mut().zip(&scores[top..]) {
                    *exponential = relative(score, scores[top]);
                }
            }
            lambdas.resize(rest, 0.0);
            hessians.resize(rest, 0.0);
            let others = &exponentials[top + 1..];
            pairs(exponentials[top], others, changes, lambdas, hessians);
            for (sum, lambda) in ranking.first[top + 1..].iter_mut().zip(&*lambdas) {
                *sum -= lambda;
            }
            for (sum, hessian) in ranking.second[top + 1..].iter_mut().zip(&*hessians) {
                *sum += hessian;
            }
            let (sum, absolute) = sums(lambdas);
            ranking.first[top] += sum;
            ranking.second[top] += sums(hessians).0;
            total += absolute;
        }
        let total = 2.0 * self.sigma * total;
        let scale = if self.normalise && total > 0.0 { (1.0 + total).log2() / total } else { 1.0 };
        let (first_scale, second_scale) = (scale * self.sigma, scale * self.sigma * self.sigma);
        for ((&row, &gradient), &hessian) in order.iter().zip(&ranking.first).zip(&ranking.second) {
            first[row as usize] = gradient * first_scale;
            second[row as usize] = hessian * second_scale;
        }
    }
}

/// For one document and those ranked below it: what each pair adds to the upper document's gradient (and takes from the
/// lower one's), and to both hessians. A change below 0 says that the upper document is the better one.
fn pairs(top: f64, others: &[f64], changes: &[f64], lambdas: &mut [f64], hessians: &mut [f64]) {
    for (((lambda, hessian), &change), &other) in lambdas.iter_mut().zip(hessians).zip(changes).zip(others) {
        let inverse = 1.0 / (top + other);
        let worse = if change < 0.0 { other } else { top };
        *lambda = change * (worse * inverse);
        *hessian = change.abs() * (top * inverse) * (other * inverse);
    }
}

/// The sum and the sum of absolute values, in four interleaved parts so that the additions need not wait for each other.
fn sums(values: &[f64]) -> (f64, f64) {
    let (chunks, rest) = values.as_chunks::<4>();
    let (mut sum, mut absolute) = ([0.0; 4], [0.0; 4]);
    for chunk in chunks {
        for lane in 0..4 {
            sum[lane] += chunk[lane];
            absolute[lane] += chunk[lane].abs();
        }
    }
    let fold = |parts: [f64; 4]| (parts[0] + parts[1]) + (parts[2] + parts[3]);
    let of_rest = rest.iter().fold((0.0, 0.0), |(sum, absolute), value| (sum + value, absolute + value.abs()));
    (fold(sum) + of_rest.0, fold(absolute) + of_rest.1)
}

impl Ranking {
    fn rank(&mut self, scores: &[f64], grades: &[u8]) {
        self.order.clear();
        self.order.extend(0..scores.len() as u32);
        let score = |row: u32| scores[row as usize];
        self.order
            .sort_unstable_by(|&a, &b| score(b).partial_cmp(&score(a)).unwrap_or(Ordering::Equal).then(a.cmp(&b)));
        self.grades.clear();
        self.grades.extend(self.order.iter().map(|&row| grades[row as usize]));
        self.scores.clear();
        self.scores.extend(self.order.iter().map(|&row| score(row)));
    }
}

impl Loss for LambdaLoss<'_> {
    const CONSTANT_HESSIAN: bool = false;

    fn base(&self) -> f64 {
        0.0
    }

    fn gradients(&self, scores: &[f64], first: &mut [f64], second: &mut [f64]) -> Result<(), FitError> {
        if let Some(row) = scores.iter().position(|score| !score.is_finite()) {
            return Err(FitError::Numeric(format!(
                "document {row} has score {}; lower the learning rate",
                scores[row]
            )));
        }
        let mut queries = Vec::with_capacity(self.grades.len());
        let (mut first, mut second) = (first, second);
        for query in 0..self.grades.len() {
            let (head, tail) = first.split_at_mut(self.grades[query].len());
            let (second_head, second_tail) = second.split_at_mut(head.len());
            queries.push((query, head, second_head));
            (first, second) = (tail, second_tail);
        }
        queries.into_par_iter().with_min_len(16).for_each_init(Ranking::default, |ranking, (query, first, second)| {
            self.query(query, &scores[self.objective.rows(query)], first, second, ranking);
        });
        Ok(())
    }
}
