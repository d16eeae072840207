//! Steps against the gradient: plain stochastic gradient descent and Adam (Kingma & Ba, ICLR 2015).

use serde::{Deserialize, Serialize};

use crate::wide::{self, Loop, Vector};

/// How the weights follow the gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimiser {
    /// w -= rate m / (sqrt(v) + 1e-8), with m and v the bias-corrected means of gradients (.9) and
    /// their squares (.999).
    Adam,
    /// w -= rate x gradient.
    Sgd,
}

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// An optimiser with its state, numbers for each weight.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Steps {
    Adam { first: Vec<f32>, second: Vec<f32>, done: i32 },
    Sgd,
}

impl Steps {
    pub fn new(optimiser: Optimiser, weights: usize) -> Self {
        match optimiser {
            Optimiser::Adam => Steps::Adam { first: vec![0.0; weights], second: vec![0.0; weights], done: 0 },
            Optimiser::Sgd => Steps::Sgd,
        }
    }

    /// Moves the weights by one step.
    pub fn step(&mut self, rate: f64, weights: &mut [f32], gradient: &[f32]) {
        match self {
            Steps::Sgd => weights.iter_mut().zip(gradient).for_each(|(w, g)| *w -= rate as f32 * g),
            Steps::Adam { first, second, done } => {
                *done = done.saturating_add(1);
                let correction = |beta: f32| 1.0 - libm::pow(f64::from(beta), f64::from(*done));
                let rate = (rate / correction(BETA_1)) as f32;
                let scale = (1.0 / correction(BETA_2)) as f32;
                wide::run(AdamStep { weights, gradient, first, second, rate, scale });
            }
        }
    }
}

/// A step of Adam as a loop.
struct AdamStep<'a> {
    weights: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
    rate: f32,
    scale: f32,
}

impl Loop for AdamStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let AdamStep { weights, gradient, first, second, rate, scale } = self;
        let means = first.iter_mut().zip(second);
        for ((w, &g), (m, v)) in weights.iter_mut().zip(gradient).zip(means) {
            *m = BETA_1 * *m + (1.0 - BETA_1) * g;
            *v = BETA_2 * *v + (1.0 - BETA_2) * g * g;
            *w -= rate * *m / ((scale * *v).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_the_definition() {
        // Adam's recurrence in f64, as the paper prints it.
        let gradients = [[0.5f32, -1.0], [-0.25, 3.0], [1.0, 0.0]];
        let mut weights = [1.0f32, -2.0];
        let mut adam = Steps::new(Optimiser::Adam, 2);
        let mut plain = [(1.0f64, 0.0f64, 0.0f64), (-2.0, 0.0, 0.0)];
        for (t, gradient) in gradients.iter().enumerate() {
            adam.step(0.1, &mut weights, gradient);
            for ((w, m, v), &g) in plain.iter_mut().zip(gradient) {
                let (g, t) = (f64::from(g), t as i32 + 1);
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                *w -= 0.1 * (*m / (1.0 - 0.9f64.powi(t))) / ((*v / (1.0 - 0.999f64.powi(t))).sqrt() + 1e-8);
            }
        }
        for (found, (expected, ..)) in weights.iter().zip(plain) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
        let mut weights = [1.0f32, -2.0];
        Steps::new(Optimiser::Sgd, 2).step(0.5, &mut weights, &[0.5, -1.0]);
        assert_eq!(weights, [0.75, -1.5]);
    }
}
