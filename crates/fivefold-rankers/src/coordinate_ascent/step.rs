//! The classic step search along a coordinate, as in RankLib: steps that double, up, then down,
//! then to zero.

/// The first step of a weight at 0, and the default first step.
const SMALLEST: f64 = 0.001;
/// The largest first step, as a share of the weight.
const LARGEST_SHARE: f64 = 0.5;

/// The steps that are tried from a weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepSearch {
    /// First step as a share of the weight, if [`SMALLEST`] is too large.
    pub(super) step: f64,
    /// Number of steps in a direction; each step is twice the step before.
    pub(super) steps: u32,
}

impl StepSearch {
    /// The best change of a weight; `None` if no change is better. `values(changes)` returns the
    /// objective after each change; `current` is the objective before. The search ends with the
    /// first direction in which a step is better.
    pub(super) fn best_change<E>(
        &self,
        weight: f64,
        current: f64,
        mut values: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
    ) -> Result<Option<f64>, E> {
        for direction in self.directions(weight) {
            let mut best = (current, None);
            for (found, change) in values(&direction)?.into_iter().zip(direction) {
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

    /// Changes to try: upwards, downwards, and to weight 0.
    fn directions(&self, weight: f64) -> [Vec<f64>; 3] {
        let first =
            if weight != 0.0 && SMALLEST > LARGEST_SHARE * weight.abs() { self.step * weight.abs() } else { SMALLEST };
        let totals = |sign: f64| -> Vec<f64> {
            // The sum of the first k doubling steps is (2^k - 1) times the first.
            (1..=self.steps).map(|k| sign * first * (libm::exp2(f64::from(k)) - 1.0)).collect()
        };
        [totals(1.0), totals(-1.0), vec![-weight]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: StepSearch = StepSearch { step: 0.05, steps: 4 };

    #[test]
    fn steps_double() {
        let near = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-15), "{found:?} {expected:?}");
        };
        let [up, down, zero] = SEARCH.directions(0.25);
        near(&up, &[0.001, 0.003, 0.007, 0.015]);
        near(&down, &[-0.001, -0.003, -0.007, -0.015]);
        near(&zero, &[-0.25]);
        // Half of .0015 is below .001, so the first step is a share of the weight.
        near(&SEARCH.directions(-0.0015)[0], &[0.000_075, 0.000_225, 0.000_525, 0.001_125]);
    }

    #[test]
    fn the_first_direction_with_a_gain_wins() {
        let best = |value: fn(f64) -> f64| {
            let values = |changes: &[f64]| Ok::<_, ()>(changes.iter().copied().map(value).collect());
            SEARCH.best_change(0.25, 0.0, values).unwrap()
        };
        assert_eq!(best(|change| change), Some(0.015));
        assert_eq!(best(|change| 0.003 - (change - 0.003).abs()), Some(0.003));
        assert_eq!(best(|change| if change < 0.0 { 1.0 } else { 0.0 }), Some(-0.001));
        assert_eq!(best(|change| if change == -0.25 { 1.0 } else { -1.0 }), Some(-0.25));
        assert_eq!(best(|_| 0.0), None);
    }
}
