//! Newton's method with more features than documents: the unknowns are a share for each document.
//!
//! The penalty draws the weights into the span of the documents, so w = X^T a with a number a_i for
//! each document (the representer theorem). With K = X X^T the margins are K a + b and the
//! penalty is a^T K a. At a point with slopes r_i and curvatures B_i of the loss, Newton's step of
//! the weights is X^T da, where
//!
//! ```text
//! q = (I + B K)^-1 (a + r),   t = (I + B K)^-1 B 1,   da = -q - t db,   db = -(p b - sum a + sum q) / (sum t + p)
//! ```
//! Here p is 1 if the intercept is penalised, otherwise 0. Both systems have the form (I + B K)^-1
//! B^(1/2) u = B^(1/2) M^-1 u, with the symmetric M = I + B^(1/2) K B^(1/2), whose pivots are at
//! least 1.
//!
//! Memory: two matrices of documents x documents.

use fivefold_core::{Dataset, FitContext, FitError};

use super::{Loss, Point, Space, sigmoid};
use crate::linear_model::LinearModel;
use crate::normal_equations::{products_of_documents, solve};

/// The least curvature, so that a division by its root is possible.
const FLATTEST: f64 = 1e-30;

pub(super) struct Dual<'a> {
    loss: &'a Loss,
    /// The whole matrix K.
    products: Vec<f64>,
    documents: usize,
    /// p.
    penalty: f64,
}

impl<'a> Dual<'a> {
    pub(super) fn new(
        train: &Dataset,
        loss: &'a Loss,
        penalize_bias: bool,
        cx: &FitContext<'_>,
    ) -> Result<Self, FitError> {
        let mut products = products_of_documents(train, cx, |_, query, row, features, v| {
            v.iter_mut().zip(&query.row(row)[features]).for_each(|(v, &x)| *v = f64::from(x));
        })?;
        let documents = train.documents();
        for i in 0..documents {
            for j in 0..i {
                products[j * documents + i] = products[i * documents + j];
            }
        }
        Ok(Dual { loss, products, documents, penalty: if penalize_bias { 1.0 } else { 0.0 } })
    }

    /// The weights for shares and intercept.
    pub(super) fn model(&self, train: &Dataset, mut x: Vec<f64>) -> LinearModel {
        let intercept = x.pop().unwrap_or(0.0);
        let mut weights = vec![0.0; train.width()];
        let rows = train.queries().flat_map(|query| query.view().rows());
        for (share, row) in x.iter().zip(rows) {
            weights.iter_mut().zip(row).for_each(|(weight, &x)| *weight += share * f64::from(x));
        }
        LinearModel { weights, intercept }
    }

    /// The product of K and `shares`.
    fn times(&self, shares: &[f64]) -> Vec<f64> {
        let rows = self.products.chunks_exact(self.documents);
        rows.map(|row| row.iter().zip(shares).map(|(k, a)| k * a).sum()).collect()
    }

    /// (I + B K)^-1 v for each of two v, where `roots` is B^(1/2).
    fn solved(&self, roots: &[f64], vs: [Vec<f64>; 2], cx: &FitContext<'_>) -> Result<[Vec<f64>; 2], FitError> {
        let n = self.documents;
        let mut matrix = vec![0.0; n * n];
        let mut solve_one = |mut v: Vec<f64>| -> Result<Vec<f64>, FitError> {
            for i in 0..n {
                for j in 0..=i {
                    matrix[i * n + j] = roots[i] * self.products[i * n + j] * roots[j];
                }
                matrix[i * n + i] += 1.0;
            }
            v.iter_mut().zip(roots).for_each(|(v, root)| *v /= root);
            solve(&mut matrix, &mut v, 0.0, cx)?;
            v.iter_mut().zip(roots).for_each(|(v, root)| *v *= root);
            Ok(v)
        };
        let [first, second] = vs;
        Ok([solve_one(first)?, solve_one(second)?])
    }
}

impl Space for Dual<'_> {
    fn margins(&self, x: &[f64]) -> Vec<f64> {
        let (shares, intercept) = x.split_at(self.documents);
        let mut margins = self.times(shares);
        margins.iter_mut().for_each(|margin| *margin += intercept[0]);
        margins
    }

    fn penalty(&self, x: &[f64]) -> f64 {
        let (shares, intercept) = x.split_at(self.documents);
        let of_weights: f64 = self.times(shares).iter().zip(shares).map(|(k, a)| k * a).sum();
        of_weights + self.penalty * intercept[0] * intercept[0]
    }

    fn step(&mut self, at: &Point, _: f64, cx: &FitContext<'_>) -> Result<(Vec<f64>, f64), FitError> {
        let (shares, intercept) = at.x.split_at(self.documents);
        let slopes = || at.margins.iter().enumerate().map(|(document, &margin)| self.loss.slope(document, margin));
        let curvatures: Vec<f64> =
            at.margins.iter().map(|&z| (self.loss.c * sigmoid(z) * sigmoid(-z)).max(FLATTEST)).collect();
        let roots: Vec<f64> = curvatures.iter().map(|b| b.sqrt()).collect();
        let gradient: Vec<f64> = shares.iter().zip(slopes()).map(|(a, r)| a + r).collect();
        let [q, t] = self.solved(&roots, [gradient.clone(), curvatures], cx)?;
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let of_intercept = -(self.penalty * intercept[0] - sum(shares) + sum(&q)) / (sum(&t) + self.penalty);
        let mut step: Vec<f64> = q.iter().zip(&t).map(|(q, t)| -q - t * of_intercept).collect();
        let along: f64 = self.times(&step).iter().zip(&gradient).map(|(k, g)| k * g).sum();
        let slope = along + of_intercept * (slopes().sum::<f64>() + self.penalty * intercept[0]);
        step.push(of_intercept);
        Ok((step, slope))
    }
}
