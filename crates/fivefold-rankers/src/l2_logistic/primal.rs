//! The weights themselves as unknowns. Newton's step comes from a factored Hessian if there are few
//! features, otherwise from conjugate gradients ([`super::matrix_free`]).

use fivefold_core::{Dataset, FitContext, FitError};
use rayon::prelude::*;

use super::{Loss, Point, ROUNDING, Space, matrix_free, sigmoid};
use crate::linear_model::dot;
use crate::normal_equations::{Factored, gram, solve, sum_over_queries};

/// The most features with a factored Hessian. The two ways take about the same time here.
pub(super) const MOST_FACTORED: usize = 256;

/// The weights and the intercept as unknowns.
pub(super) struct Primal<'a> {
    pub(super) train: &'a Dataset,
    pub(super) loss: &'a Loss,
    pub(super) bounds: Vec<usize>,
    pub(super) penalize_bias: bool,
    /// The Hessian of an earlier step, which helps with later steps if many products were needed.
    pub(super) factored: Option<Factored<Vec<f64>>>,
}

impl<'a> Primal<'a> {
    pub(super) fn new(train: &'a Dataset, loss: &'a Loss, penalize_bias: bool) -> Self {
        Primal { train, loss, bounds: train.bounds(), penalize_bias, factored: None }
    }

    /// 1 if the unknown is penalised, otherwise 0. By default all unknowns but the intercept are
    /// penalised.
    pub(super) fn weight(&self, unknown: usize) -> f64 {
        if unknown < self.train.width() || self.penalize_bias { 1.0 } else { 0.0 }
    }

    pub(super) fn gradient(&self, at: &Point) -> Result<Vec<f64>, FitError> {
        let width = self.train.width();
        let mut gradient = sum_over_queries(self.train, width + 1, |number, query, sum| {
            for (row, place) in query.rows().zip(self.bounds[number]..) {
                let slope = self.loss.slope(place, at.margins[place]);
                sum.iter_mut().zip(row).for_each(|(s, &x)| *s += slope * f64::from(x));
                sum[width] += slope;
            }
            Ok(())
        })?;
        gradient.iter_mut().zip(&at.x).enumerate().for_each(|(i, (g, w))| *g += self.weight(i) * w);
        Ok(gradient)
    }

    /// Newton's step from the factored Hessian, and the slope of the objective along it.
    pub(super) fn factored_step(&self, at: &Point, cx: &FitContext<'_>) -> Result<(Vec<f64>, f64), FitError> {
        let gradient = self.gradient(at)?;
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        solve(&mut self.hessian(at, cx)?, &mut step, ROUNDING, cx)?;
        let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
        Ok((step, slope))
    }

    /// The lower triangle of the Hessian.
    pub(super) fn hessian(&self, at: &Point, cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let width = self.train.width();
        let size = width + 1;
        let mut hessian = gram(self.train, size, cx, |number, query, row, v| {
            v.iter_mut().zip(query.row(row)).for_each(|(v, &x)| *v = f64::from(x));
            v[width] = 1.0;
            let p = sigmoid(at.margins[self.bounds[number] + row]);
            self.loss.c * p * (1.0 - p)
        })?;
        (0..size).for_each(|i| hessian[i * size + i] += self.weight(i));
        Ok(hessian)
    }
}

impl Space for Primal<'_> {
    fn margins(&self, x: &[f64]) -> Vec<f64> {
        let (weights, intercept) = x.split_at(self.train.width());
        (0..self.train.len())
            .into_par_iter()
            .flat_map_iter(|number| self.train.query(number).rows().map(|row| dot(weights, row) + intercept[0]))
            .collect()
    }

    fn penalty(&self, x: &[f64]) -> f64 {
        x.iter().enumerate().map(|(i, w)| self.weight(i) * w * w).sum()
    }

    fn step(&mut self, at: &Point, end: f64, cx: &FitContext<'_>) -> Result<(Vec<f64>, f64), FitError> {
        if self.train.width() <= MOST_FACTORED {
            self.factored_step(at, cx)
        } else {
            matrix_free::step(self, at, end, cx)
        }
    }
}
