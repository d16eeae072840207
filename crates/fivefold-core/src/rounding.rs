//! What rounding does to numbers that are equal: sums of the same terms in another order or form part in their last bits, which must
//! not decide a tie, a rank or a win.

/// The share of a number up to which rounding can move it.
pub const ROUNDING: f64 = 1e-12;

/// Whether two finite numbers of any size differ by no more than rounding can part them.
#[inline]
pub fn equal(one: f64, other: f64) -> bool {
    let most = ROUNDING * one.abs().max(other.abs());
    (one - other).abs() <= most && most < f64::INFINITY
}

/// The difference of two numbers of any size: 0 where rounding alone can part them.
#[inline]
pub fn gap(one: f64, other: f64) -> f64 {
    if equal(one, other) { 0.0 } else { one - other }
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

/// The list with numbers that only rounding parts made the same number, the lowest of them: to be compared by `<` and `==`. Rounding
/// can part two by [`ROUNDING`] of the largest of the list.
pub fn levels(list: &[f64]) -> Vec<f64> {
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|&a, &b| list[a].total_cmp(&list[b]));
    let mut sorted: Vec<f64> = places.iter().map(|&place| list[place]).collect();
    level_sorted(&mut sorted);
    let mut levels = vec![0.0; list.len()];
    places.into_iter().zip(sorted).for_each(|(place, level)| levels[place] = level);
    levels
}

/// [`levels`] of a list that is sorted from low to high, in place.
pub fn level_sorted(list: &mut [f64]) {
    let most = ROUNDING * list.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    for place in 1..list.len() {
        let below = list[place - 1];
        if list[place] - below <= most {
            list[place] = below;
        }
    }
}

/// [`levels`] of a list with gaps, which stay.
pub fn levels_of_defined(list: &[Option<f64>]) -> Vec<Option<f64>> {
    let defined: Vec<f64> = list.iter().flatten().copied().collect();
    let mut levels = levels(&defined).into_iter();
    list.iter().map(|value| value.and_then(|_| levels.next())).collect()
}

/// The places of the highest number of a list: of several where only rounding parts them.
pub fn highest(list: &[f64]) -> Vec<usize> {
    let levels = levels(list);
    let most = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..list.len()).filter(|&place| levels[place] == most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_that_only_rounding_parts_tie() {
        // The same three terms, summed in two orders.
        let list = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.5];
        assert!(list[0] != list[1] && highest(&list) == [0, 1]);
        let lowest = list[0].min(list[1]);
        assert_eq!(levels(&list), [lowest, lowest, 0.5]);
        assert_eq!(levels_of_defined(&[None, Some(list[0]), Some(list[1])]), [None, Some(lowest), Some(lowest)]);
        // Means whose terms cancel are 0 beside the others.
        assert_eq!(levels(&[0.4, 1e-17, -1e-17]), [0.4, -1e-17, -1e-17]);
        assert!(levels(&[1e-300, 2e-300]) == [1e-300, 2e-300] && highest(&[]).is_empty());
    }

    #[test]
    fn the_last_bits_part_nothing() {
        let (sum, other) = (0.1 + 0.2, 0.3);
        assert!(sum != other && equal(sum, other) && difference(sum, other) == 0.0);
        assert!(!equal(1e-20, 2e-20) && difference(1e-20, 2e-20) == 0.0);
        assert!(gap(sum, other) == 0.0 && gap(2e-20, 1e-20) == 1e-20 && gap(f64::NAN, 0.5).is_nan());
        assert!(gap(f64::INFINITY, 0.5) == f64::INFINITY && gap(f64::INFINITY, f64::INFINITY).is_nan());
        assert_eq!(difference(0.5, 0.25), 0.25);
        assert!(differ(0.5, 0.25) && !differ(sum, other) && !differ(f64::NAN, f64::NAN));
        assert!(difference(f64::NAN, 0.5).is_nan() && !equal(f64::NAN, f64::NAN));
    }
}
