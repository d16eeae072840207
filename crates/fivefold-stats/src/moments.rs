//! Count, mean and variance of differences, in one pass over two slices.
//!
//! A block of 256 differences stays in the cache. The two-pass formula gives each block's mean and
//! sum of squared deviations. Blocks are merged by Chan, Golub & LeVeque (1979): `M2 = M2_a +
//! M2_b + delta^2 n_a n_b / (n_a + n_b)`. With a large mean and a small variance, the textbook sum
//! of squares loses all digits, and this sum keeps them. The order of additions is fixed, so every
//! run gives the same bits. Cost: under 1 ns a difference, no allocation.

use fivefold_base::rounding::{Difference, ROUNDING};

/// Differences in a block.
const BLOCK: usize = 256;
/// Independent partial sums, so that the compiler can use vector instructions.
const LANES: usize = 8;

/// Count, mean and spread of some numbers.
///
/// ```
/// use fivefold_stats::Moments;
///
/// let moments = Moments::of(&[1.0, 2.0, 3.0]);
/// assert_eq!((moments.count, moments.mean, moments.variance()), (3, 2.0, Some(1.0)));
/// assert_eq!(Moments::of_differences(&[0.5, 0.75], &[0.25, 0.25]).mean, 0.375);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Moments {
    /// Number of values.
    pub count: usize,
    /// Mean of the numbers; 0 without a number.
    pub mean: f64,
    /// Sum of squared deviations from the mean; exactly 0 if all numbers are equal up to rounding.
    pub squared_deviations: f64,
    /// Sum of the squared rounding errors of the numbers. The error of a difference depends on the
    /// size of the two values.
    pub squared_errors: f64,
}

impl Moments {
    /// The moments of `a[i] - b[i]`. A difference is 0 if the two values differ by rounding alone.
    ///
    /// # Panics
    /// If the slices have different lengths: check before the call.
    pub fn of_differences(a: &[f64], b: &[f64]) -> Moments {
        assert_eq!(a.len(), b.len(), "the slices must be parallel");
        Moments::of_blocks(a.len(), |place| Difference::of(a[place], b[place]))
    }

    /// The moments of some values.
    pub fn of(values: &[f64]) -> Moments {
        Moments::of_blocks(values.len(), |place| Difference::of(values[place], 0.0))
    }

    /// The moments of `count` numbers, block by block.
    fn of_blocks(count: usize, number: impl Fn(usize) -> Difference) -> Moments {
        let mut total = Moments::default();
        let (mut numbers, mut errors) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut first = Difference::default();
        let mut constant = true;
        for start in (0..count).step_by(BLOCK) {
            let count = BLOCK.min(count - start);
            let (numbers, errors) = (&mut numbers[..count], &mut errors[..count]);
            for (offset, (d, error)) in numbers.iter_mut().zip(&mut *errors).enumerate() {
                Difference { value: *d, error: *error } = number(start + offset);
            }
            if start == 0 {
                first = Difference { value: numbers[0], error: errors[0] };
            }
            constant &= numbers.iter().zip(&*errors).all(|(&value, &error)| first.ties(Difference { value, error }));
            let mean = sum(numbers, |d| d) / count as f64;
            let squared_deviations = sum(numbers, |d| (d - mean) * (d - mean));
            let squared_errors = sum(errors, |error| error * error);
            total = total.merge(Moments { count, mean, squared_deviations, squared_errors });
        }
        // Equal differences must have no spread by rounding, because the p-value of a test would be
        // arbitrary.
        if constant && count > 0 { Moments { mean: first.value, squared_deviations: 0.0, ..total } } else { total }
    }

    /// The mean; 0 if the numbers cancel and only their rounding is left.
    pub fn settled_mean(&self) -> f64 {
        let count = self.count.max(1) as f64;
        let of_sum = ROUNDING * (self.squared_deviations / count).sqrt();
        if self.mean.abs() <= of_sum.max(self.squared_errors.sqrt() / count) { 0.0 } else { self.mean }
    }

    /// The sample variance (divisor count - 1), or `None` for fewer than two numbers.
    pub fn variance(&self) -> Option<f64> {
        (self.count >= 2).then(|| self.squared_deviations / (self.count - 1) as f64)
    }

    fn merge(self, other: Moments) -> Moments {
        if self.count == 0 {
            return other;
        }
        let (n, m) = (self.count as f64, other.count as f64);
        let delta = other.mean - self.mean;
        Moments {
            count: self.count + other.count,
            mean: self.mean + delta * (m / (n + m)),
            squared_deviations: self.squared_deviations + other.squared_deviations + delta * delta * (n * m / (n + m)),
            squared_errors: self.squared_errors + other.squared_errors,
        }
    }
}

/// The sum of `f` over the values, in a fixed order.
fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let chunks = values.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().map(|&v| f(v)).sum();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane += f(v);
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_exactly_no_spread() {
        for n in [1, 2, 255, 256, 257, 1000] {
            let moments = Moments::of_differences(&vec![0.1; n], &vec![0.3; n]);
            assert_eq!((moments.count, moments.mean, moments.squared_deviations), (n, 0.1 - 0.3, 0.0));
        }
        assert_eq!(Moments::of_differences(&[], &[]), Moments::default());
        let (plain, differences) =
            (Moments::of(&[1.0, 2.0, 4.0]), Moments::of_differences(&[1.5, 3.0, 6.0], &[0.5, 1.0, 2.0]));
        assert_eq!((plain.mean, plain.squared_deviations), (differences.mean, differences.squared_deviations));
        assert!(plain.squared_errors < differences.squared_errors);
        assert_eq!(Moments::of_differences(&[1.0], &[0.0]).variance(), None);
    }

    #[test]
    fn agrees_with_whole_numbers_computed_exactly() {
        // Differences i^2 mod 1009, so that sums and sums of squares are exact integers.
        for n in [2usize, 7, 255, 256, 257, 511, 513, 10_000] {
            let values: Vec<f64> = (0..n).map(|i| ((i * i) % 1009) as f64).collect();
            let (sum, squares) =
                values.iter().fold((0u128, 0u128), |(s, q), &v| (s + v as u128, q + (v as u128) * (v as u128)));
            let n128 = n as u128;
            let exact_m2 = (n128 * squares - sum * sum) as f64 / n as f64;
            // With a large common offset, the textbook formula loses all digits. Here, the offset
            // may cost only the rounding of the input.
            for offset in [0.0, 1e9] {
                let shifted: Vec<f64> = values.iter().map(|v| v + offset).collect();
                let moments = Moments::of_differences(&shifted, &vec![0.0; n]);
                assert!((moments.mean - offset - sum as f64 / n as f64).abs() < 1e-12 * (1.0 + offset * 1e3));
                assert!((moments.squared_deviations / exact_m2 - 1.0).abs() < 1e-9, "{n} {offset} {moments:?}");
            }
        }
    }

    /// scipy #26082: a difference of .00001 on every query, which the last bits of the values
    /// change by more than 1e-12 of it; and differences that cancel.
    #[test]
    fn the_values_decide_what_rounding_makes_of_their_differences() {
        let (above, below) = ([0.57079, 0.44845, 0.92071, 0.34926], [0.57078, 0.44844, 0.92070, 0.34925]);
        let moments = Moments::of_differences(&above, &below);
        let differences = || above.iter().zip(&below).map(|(a, b)| a - b);
        let spread = differences().fold(0.0, f64::max) - differences().fold(1.0, f64::min);
        assert!(spread > ROUNDING * 1e-5 && moments.squared_deviations == 0.0, "{spread} {moments:?}");
        let (a, b) = ([0.57080, 0.44844, 0.92070], [0.57078, 0.44845, 0.92071]);
        let cancelled = Moments::of_differences(&a, &b);
        assert!(cancelled.mean != 0.0 && cancelled.settled_mean() == 0.0 && cancelled.squared_deviations > 0.0);
        assert!(Moments::of_differences(&[1e-9, 2e-9], &[0.0, 0.0]).settled_mean() > 1e-9);
    }
}
