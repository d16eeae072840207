//! The classic step search along a coordinate, as in RankLib: steps that double, up, then down, then to zero.

/// How far the first step of a weight at 0 goes, and the least first step of all.
const SMALLEST: f64 = 0.001;
/// The share of a weight that a first step may be at most.
const LARGEST_SHARE: f64 = 0.5;

/// The steps that are tried from one weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepSearch {
    /// First step where [`SMALLEST`] is too large, as a share of the weight.
    pub(super) step: f64,
    /// Steps in one direction, each twice the one before.
    pub(super) steps: u32,
}

impl StepSearch {
    /// The best change of a weight, where `value(change)` is the objective after it and `current` before; `None` if none
    /// is better. The first direction in which any step is better ends the search.
    pub(super) fn best_change<E>(
        &self,
        weight: f64,
        current: f64,
        mut value: impl FnMut(f64) -> Result<f64, E>,
    ) -> Result<Option<f64>, E> {
        for direction in self.directions(weight) {
            let mut best = (current, None);
            for change in direction {
                let found = value(change)?;
                if found > best.0 {
                    best = (found, Some(change));
                }
            }
            if best.1.is_some() {
                return Ok(best.1);
            }
        }
        Ok(None)
    }

    /// Changes to try: upwards, downwards, and the one to weight 0.
    fn directions(&self, weight: f64) -> [Vec<f64>; 3] {
        let first =
            if weight != 0.0 && SMALLEST > LARGEST_SHARE * weight.abs() { self.step * weight.abs() } else { SMALLEST };
        let totals = |sign: f64| -> Vec<f64> {
            // The sum of the first k doubling steps is (2^k - 1) times the first.
            (1..=self.steps).map(|k| sign * first * (f64::from(k).exp2() - 1.0)).collect()
        };
        [totals(1.0), totals(-1.0), vec![-weight]]
    }
}
