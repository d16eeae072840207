//! Exponentials of scores, in the vectors of the processor, with the bits of `libm::exp`.

use super::FARTHEST;
use crate::exponentials::exp_near_zero;
use crate::wide::{self, Loop, Vector};

/// Writes exp(sigma (score - to)) for each score. Exponents beyond twice [`FARTHEST`] are cut off.
pub(super) fn exponentials(scores: &[f64], sigma: f64, to: f64, out: &mut [f64]) {
    wide::run(Exponentials { scores, sigma, to, out });
}

struct Exponentials<'a> {
    scores: &'a [f64],
    sigma: f64,
    to: f64,
    out: &'a mut [f64],
}

impl Loop for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (out, &score) in self.out.iter_mut().zip(self.scores) {
            *out = exp_near_zero((self.sigma * (score - self.to)).clamp(-2.0 * FARTHEST, 2.0 * FARTHEST));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes, and the neighbours of each limit.
    #[test]
    fn the_bits_are_those_of_libm() {
        let mut rng = fivefold_core::Seed::new(4).rng();
        let ln2 = std::f64::consts::LN_2;
        let limits = [0.5 * ln2, 1.5 * ln2, 2.5 * ln2, 2f64.powi(-28), 1e-300, 0.0, 600.0, 1.0, 1e-10];
        let mut numbers = Vec::new();
        for limit in limits {
            let bits = f64::to_bits(limit);
            numbers.extend((bits.saturating_sub(5000)..bits + 5000).map(f64::from_bits));
            // All numbers with the upper half of the limit's bits have one way.
            numbers.extend([bits >> 32 << 32, bits | 0xffff_ffff, (bits | 0xffff_ffff) + 1].map(f64::from_bits));
        }
        for halves in 0..1732 {
            let bits = (0.5 * f64::from(halves) * ln2).to_bits();
            numbers.extend((bits.saturating_sub(20)..bits + 20).map(f64::from_bits));
        }
        numbers.extend((0..300_000).map(|_| 600.0 * rng.uniform()));
        numbers.extend((0..300_000).map(|_| 3.0 * rng.normal()));
        numbers.extend((0..300_000).map(|i| rng.normal() * 2f64.powi(-(i % 60))));
        numbers.extend(numbers.clone().iter().map(|number| -number));
        let mut found = vec![[0.0; 2]; numbers.len()];
        let mut out = vec![0.0; numbers.len()];
        let work = |out| Exponentials { scores: &numbers, sigma: 1.0, to: 0.0, out };
        wide::run_plainly(work(&mut out));
        found.iter_mut().zip(&out).for_each(|(found, &out)| found[0] = out);
        exponentials(&numbers, 1.0, 0.0, &mut out);
        found.iter_mut().zip(&out).for_each(|(found, &out)| found[1] = out);
        for (number, found) in numbers.iter().zip(found) {
            let expected = libm::exp(number.clamp(-600.0, 600.0)).to_bits();
            assert_eq!(found.map(f64::to_bits), [expected; 2], "{number:e}");
        }
    }
}
