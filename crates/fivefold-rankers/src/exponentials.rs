//! exp of many numbers, with the bits of [`libm::exp`].
//!
//! `libm` follows FreeBSD's `e_exp.c` (Sun Microsystems, 1993): x = k ln 2 + r with |r| <= ln 2 / 2,
//! a rational function of r, and a product with 2^k. The same operations stand here without
//! branches, so the compiler makes vectors of them. Where 2^k or the result could leave the normal
//! numbers, `libm` itself is called.

use crate::wide::{self, Loop, Vector};

const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
const INVERSE_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);
const P1: f64 = f64::from_bits(0x3fc5_5555_5555_553e);
const P2: f64 = f64::from_bits(0xbf66_c16c_16be_bd93);
const P3: f64 = f64::from_bits(0x3f11_566a_af25_de2c);
const P4: f64 = f64::from_bits(0xbebb_bd41_c5d2_6bf1);
const P5: f64 = f64::from_bits(0x3e66_3769_72be_a4d0);

/// k is 0 below this number (about ln 2 / 2), and -1, 0 or 1 below the next (about 3 ln 2 / 2).
const NOT_REDUCED: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
const REDUCED_ONCE: f64 = f64::from_bits(0x3ff0_a2b2_0000_0000);
/// exp(x) is 1 + x below this number (about 2^-28).
const TINY: f64 = f64::from_bits(0x3e30_0001_0000_0000);

/// From here on, `libm` is called. Below, k is at most 1010 in absolute value.
const FAR: f64 = 700.0;

/// A sum of a smaller number and 1.5 x 2^52 is rounded to a whole number, which its last bits hold.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Replaces each number x by exp(x).
pub(crate) fn exponentiate(values: &mut [f64]) {
    wide::run(Exponentials(values));
}

/// [`exponentiate`] as a loop.
struct Exponentials<'a>(&'a mut [f64]);

impl Loop for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        // NaN is not near.
        let are_near = self.0.iter().fold(true, |near, x| near & (x.abs() < FAR));
        if are_near {
            self.0.iter_mut().for_each(|x| *x = exp_near_zero(*x));
        } else {
            self.0.iter_mut().for_each(|x| *x = libm::exp(*x));
        }
    }
}

/// exp(x) for |x| < [`FAR`], with the bits of `libm`. In a loop, the compiler makes vectors of it.
#[inline(always)]
pub(crate) fn exp_near_zero(x: f64) -> f64 {
    let size = x.abs();
    let k = if size >= REDUCED_ONCE { truncated(INVERSE_LN2 * x + 0.5f64.copysign(x)) } else { 1f64.copysign(x) };
    let k = if size >= NOT_REDUCED { k } else { 0.0 };
    // With k = 0, r is x.
    let (high, low) = (x - k * LN2_HIGH, k * LN2_LOW);
    let r = high - low;
    let square = r * r;
    let c = r - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))));
    let y = 1.0 + (r * c / (2.0 - c) - low + high);
    let y = if size >= TINY { y } else { 1.0 + x };
    let exponent = (k + ROUNDER).to_bits().wrapping_add(1023);
    y * f64::from_bits(exponent << 52)
}

/// The whole number next to x on the side of 0, for |x| < 2^51.
#[inline(always)]
fn truncated(x: f64) -> f64 {
    let nearest = (x + ROUNDER) - ROUNDER;
    nearest - if nearest.abs() > x.abs() { 1f64.copysign(x) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;

    /// Compares with `libm`, in vectors and without them.
    fn check(values: &[f64]) {
        let expected: Vec<u64> = values.iter().map(|&x| libm::exp(x).to_bits()).collect();
        let (mut wide, mut plain) = (values.to_vec(), values.to_vec());
        exponentiate(&mut wide);
        wide::run_plainly(Exponentials(&mut plain));
        for (place, &bits) in expected.iter().enumerate() {
            let found = (wide[place].to_bits(), plain[place].to_bits());
            assert_eq!(found, (bits, bits), "exp({:e}), number {place} of {}", values[place], values.len());
        }
    }

    #[test]
    fn bits_are_those_of_libm() {
        let mut rng = Seed::new(5).rng();
        // Sizes of all orders, down to the tiniest, and evenly up to 700.
        let mut values: Vec<f64> = Vec::new();
        for _ in 0..200_000 {
            let sign = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
            values.push(sign * 699.9 * rng.uniform());
            values.push(sign * 3.0 * rng.uniform());
            values.push(sign * libm::exp2(-40.0 + 50.0 * rng.uniform()).min(699.0));
            // Halfway between two sums 1 + x.
            values.push(sign * (1e8 * rng.uniform()).floor() * libm::exp2(-54.0));
        }
        values.extend([0.0, -0.0, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 5e-324, -5e-324]);
        check(&values);
    }

    #[test]
    fn bits_are_those_of_libm_at_the_bounds_of_cases() {
        let bounds = [NOT_REDUCED, REDUCED_ONCE, TINY, std::f64::consts::LN_2, FAR];
        let multiples = (1..1009).map(|half| f64::from(half) * std::f64::consts::LN_2 / 2.0);
        for bound in bounds.into_iter().chain(multiples) {
            // Bounds are made from the first half of the bits.
            let near = (0..64).map(|step| f64::from_bits(bound.to_bits() - 32 + step));
            let around = [1u64 << 32, 1 << 33].map(|far| f64::from_bits(bound.to_bits() - far));
            let values: Vec<f64> = near.chain(around).filter(|x| *x < FAR).flat_map(|x| [x, -x]).collect();
            check(&values);
        }
    }

    #[test]
    fn a_far_number_does_not_alter_the_others() {
        for far in [700.0, 709.9, 1e300, -745.0, -708.5, -1e9, f64::INFINITY, f64::NEG_INFINITY] {
            check(&[0.5, -1.25, far, 3.0, 1e-9, 0.0, -20.0, 2.0, 7.5]);
        }
        let mut values = [1.0, f64::NAN, -1.0];
        exponentiate(&mut values);
        assert!(values[1].is_nan() && (values[0], values[2]) == (libm::exp(1.0), libm::exp(-1.0)));
        exponentiate(&mut []);
    }
}
