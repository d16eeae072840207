//! What rounding does to numbers that are equal: sums of the same terms in another order or form part in their last bits, which must
//! not decide a tie, a rank or a win.

use std::cmp::Ordering;

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

/// The order of two numbers of a list, of which rounding can part none by more than [`ROUNDING`] of the largest.
pub fn order_in(list: &[f64]) -> impl Fn(f64, f64) -> Ordering {
    let most = ROUNDING * list.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    move |one, other| if (one - other).abs() <= most { Ordering::Equal } else { one.total_cmp(&other) }
}

/// A list in which numbers that only rounding parts are the same number: the lowest of them.
pub fn levels(list: &[f64]) -> Vec<f64> {
    let order = order_in(list);
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|&a, &b| list[a].total_cmp(&list[b]));
    let mut levels = list.to_vec();
    for pair in places.windows(2) {
        let below = levels[pair[0]];
        if order(below, list[pair[1]]).is_eq() {
            levels[pair[1]] = below;
        }
    }
    levels
}

/// The places of the highest number of a list: of several where only rounding parts them.
pub fn highest(list: &[f64]) -> Vec<usize> {
    let order = order_in(list);
    let most = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..list.len()).filter(|&place| order(list[place], most).is_eq()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_that_only_rounding_parts_tie() {
        // The same three terms, summed in two orders.
        let list = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.5];
        assert!(list[0] != list[1] && highest(&list) == [0, 1]);
        let order = order_in(&list);
        assert_eq!([order(list[0], list[1]), order(list[2], list[0])], [Ordering::Equal, Ordering::Less]);
        assert_eq!(levels(&list), [list[0].min(list[1]), list[0].min(list[1]), 0.5]);
        // Means whose terms cancel are 0 beside the others.
        assert!(order_in(&[0.4, 1e-17, -1e-17])(1e-17, -1e-17).is_eq());
        assert!(order_in(&[1e-300, 2e-300])(1e-300, 2e-300).is_lt() && highest(&[]).is_empty());
    }

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
