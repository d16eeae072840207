//! The model of every linear ranker: a weight a feature and an intercept.

use fivefold_core::{Model, QueryView};
use serde::{Deserialize, Serialize};

use crate::wide::{DOUBLES, Double};

/// score(x) = sum_j weights_j x_j + intercept, summed in `f64`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearModel {
    /// One weight a feature.
    pub weights: Vec<f64>,
    /// Added to every score; the intercept never alters a ranking.
    pub intercept: f64,
}

impl LinearModel {
    /// The same model for documents of `width` features, if this model sees `columns` of them only.
    ///
    /// # Errors
    /// If there are not as many columns as weights, or a column is not below `width`.
    pub fn widened(&self, columns: &[usize], width: usize) -> Result<Self, String> {
        if columns.len() != self.weights.len() {
            return Err(format!("{} columns for {} weights", columns.len(), self.weights.len()));
        }
        let mut weights = vec![0.0; width];
        for (&column, &weight) in columns.iter().zip(&self.weights) {
            *weights.get_mut(column).ok_or_else(|| format!("there is no column {column}, from 0"))? = weight;
        }
        Ok(LinearModel { weights, intercept: self.intercept })
    }
}

impl Model for LinearModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (score, row) in out.iter_mut().zip(query.rows()) {
            *score = dot(&self.weights, row) + self.intercept;
        }
    }

    fn features(&self) -> Option<usize> {
        Some(self.weights.len())
    }

    /// The absolute weights. Compare them only between features of the same scale.
    fn importance(&self) -> Option<Vec<f64>> {
        Some(self.weights.iter().map(|w| w.abs()).collect())
    }
}

/// The sum of weights_j row_j. Four interleaved parts let additions overlap.
pub(crate) fn dot(weights: &[f64], row: &[f32]) -> f64 {
    dot_in::<[f64; DOUBLES]>(weights, row)
}

/// As [`dot`], in the vectors of a [`Loop`](crate::wide::Loop).
#[inline(always)]
pub(crate) fn dot_in<V: Double>(weights: &[f64], row: &[f32]) -> f64 {
    let (weights, weights_rest) = weights.as_chunks::<DOUBLES>();
    let (row, row_rest) = row.as_chunks::<DOUBLES>();
    let mut sums = V::splat(0.0);
    for (w, &[a, b, c, d]) in weights.iter().zip(row) {
        let x = V::load(&[a.into(), b.into(), c.into(), d.into()]);
        sums = sums.plus(V::load(w).times(x));
    }
    let rest: f64 = weights_rest.iter().zip(row_rest).map(|(&w, &x)| w * f64::from(x)).sum();
    let [a, b, c, d] = sums.values();
    (a + b) + (c + d) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_importance() {
        let model = LinearModel { weights: vec![2.0, -1.0], intercept: 0.5 };
        let mut out = [0.0; 2];
        model.score(QueryView::new("q", &[1.0, 2.0, 3.0, 0.0], 2, 2), &mut out);
        assert_eq!(out, [0.5, 6.5]);
        assert_eq!(model.importance(), Some(vec![2.0, 1.0]));
        let (weights, row): (Vec<f64>, Vec<f32>) = (1..=11).map(|i| (f64::from(i), i as f32)).unzip();
        assert_eq!(dot(&weights, &row), 506.0, "the sum of the first 11 squares");
    }
}
