//! Early stopping: the best step of a training on the validation part, and when the measure has not
//! risen for too long.

use serde::{Deserialize, Serialize};

/// The values so far, for each step (tree, round, epoch).
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Patience {
    limit: usize,
    #[serde(with = "fivefold_core::checkpoint::bits")]
    best: f64,
    best_step: usize,
    steps: usize,
}

impl Patience {
    /// Stops after `limit` steps without a gain.
    pub fn new(limit: usize) -> Self {
        Patience { limit, best: f64::NEG_INFINITY, best_step: 0, steps: 0 }
    }

    /// Adds the value of a step; returns whether the step is the best so far. Of equal values, the
    /// first is the best. If the measure is undefined on all queries (NaN), every step counts as
    /// the best.
    pub fn improves(&mut self, value: f64) -> bool {
        self.steps += 1;
        let better = value.is_nan() || value > self.best;
        if better {
            (self.best, self.best_step) = (value, self.steps);
        }
        better
    }

    /// Whether training should stop.
    pub fn is_exhausted(self) -> bool {
        self.steps - self.best_step >= self.limit
    }

    /// The best step, from 1; 0 before the first.
    pub fn best_step(self) -> usize {
        self.best_step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_best_counts_and_undefined_values_never_stop() {
        let mut patience = Patience::new(2);
        let improved = [0.5, 0.5, 0.7, 0.1].map(|value| patience.improves(value));
        assert_eq!((improved, patience.best_step(), patience.is_exhausted()), ([true, false, true, false], 3, false));
        patience.improves(0.7);
        assert!(patience.is_exhausted());
        let mut undefined = Patience::new(1);
        (0..3).for_each(|_| assert!(undefined.improves(f64::NAN) && !undefined.is_exhausted()));
    }
}
