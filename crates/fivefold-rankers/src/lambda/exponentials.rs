//! Exponentials of scores, in the vectors of the processor, with the bits of `libm::exp`.
//!
//! The method is that of FreeBSD's `e_exp.c`, from which `libm` has it: x = k ln 2 + r with |r| at
//! most half of ln 2, a rational function of r, and a multiplication by 2^k. Here every number goes
//! through all steps, and choices take the place of branches.

use super::FARTHEST;
use crate::wide::{self, Loop, Vector};

const LN2_HIGH: f64 = 0.6931471803691238;
const LN2_LOW: f64 = 1.9082149292705877e-10;
const PER_LN2: f64 = std::f64::consts::LOG2_E;
const P: [f64; 5] = [
    0.16666666666666602,
    -0.0027777777777015593,
    6.613756321437934e-05,
    -1.6533902205465252e-06,
    4.1381367970572385e-08,
];

/// The upper halves of the bits of half of ln 2, of 1.5 ln 2 and of 2^-28.
const HALF_LN2: u32 = 0x3fd6_2e42;
const MORE_LN2: u32 = 0x3ff0_a2b2;
const TINY: u32 = 0x3e30_0000;

/// 1.5 2^52: a float of this size has a whole number in its lowest bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

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
            *out = exp((self.sigma * (score - self.to)).clamp(-2.0 * FARTHEST, 2.0 * FARTHEST));
        }
    }
}

/// The bits of `libm::exp` for numbers up to twice [`FARTHEST`].
#[inline(always)]
fn exp(x: f64) -> f64 {
    let high = (x.to_bits() >> 32) as u32 & 0x7fff_ffff;
    let one = f64::from_bits(1f64.to_bits() | x.to_bits() & 1 << 63);
    // The whole number that is nearest to x / ln 2, but rounded to zero after half was added.
    let more = PER_LN2 * x + 0.5 * one;
    let nearest = (more + WHOLE) - WHOLE;
    let below = nearest - if nearest.abs() > more.abs() { one } else { 0.0 };
    let k = if high >= MORE_LN2 {
        below
    } else if high > HALF_LN2 {
        one
    } else {
        0.0
    };
    let (upper, lower) = (x - k * LN2_HIGH, k * LN2_LOW);
    let r = upper - lower;
    let square = r * r;
    let c = r - square * (P[0] + square * (P[1] + square * (P[2] + square * (P[3] + square * P[4]))));
    let power = 1.0 + (r * c / (2.0 - c) - lower + upper);
    let scale = f64::from_bits(((k + WHOLE).to_bits() << 52).wrapping_add(1f64.to_bits()));
    if high > TINY { power * scale } else { 1.0 + x }
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
