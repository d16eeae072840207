//! What rounding does to numbers that are equal: sums of the same terms in another order or form part in their last bits, which must
//! not decide a tie, a rank or a win.

/// The share of a number up to which rounding can move it.
pub const ROUNDING: f64 = 1e-12;

/// Whether two numbers of any size differ by no more than rounding can part them.
pub fn equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDING * one.abs().max(other.abs())
}

/// Whether two values of measures, which are of the size of 1, differ by more than rounding. NaN differs from nothing.
pub fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > ROUNDING
}

/// The difference of two values of measures, which are of the size of 1: 0 where rounding alone can part them.
pub fn difference(one: f64, other: f64) -> f64 {
    let difference = one - other;
    if difference.abs() <= ROUNDING { 0.0 } else { difference }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bits_part_nothing() {
        let (sum, other) = (0.1 + 0.2, 0.3);
        assert!(sum != other && equal(sum, other) && difference(sum, other) == 0.0);
        assert!(!equal(1e-20, 2e-20) && difference(1e-20, 2e-20) == 0.0);
        assert_eq!(difference(0.5, 0.25), 0.25);
        assert!(differ(0.5, 0.25) && !differ(sum, other) && !differ(f64::NAN, f64::NAN));
        assert!(difference(f64::NAN, 0.5).is_nan() && !equal(f64::NAN, f64::NAN));
    }
}
