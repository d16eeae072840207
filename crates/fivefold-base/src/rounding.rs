//! Equality of numbers up to rounding. Sums of the same terms, in another order or form, differ in
//! their last bits. This difference must not decide a tie, a rank or a win.
//!
//! A difference of two numbers inherits the rounding error of *these numbers*, however small the
//! difference is. For example, .9995 - .9994 and .9985 - .9984 differ in the twelfth digit. So a
//! [`Difference`] keeps its error, and two differences are compared by their errors.

/// The largest share of a number by which rounding can move the number.
pub const ROUNDING: f64 = 1e-12;

/// Whether two finite numbers of any size are equal up to rounding.
#[inline]
pub fn equal(one: f64, other: f64) -> bool {
    let most = ROUNDING * one.abs().max(other.abs());
    (one - other).abs() <= most && most < f64::INFINITY
}

/// The difference of two numbers of any size; 0 if they are equal up to rounding.
#[inline]
pub fn gap(one: f64, other: f64) -> f64 {
    Difference::of(one, other).value
}

/// A difference of two numbers of any size, with its largest rounding error.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Difference {
    /// The difference; exactly 0 if the two numbers are equal up to rounding.
    pub value: f64,
    /// [`ROUNDING`] of the larger of the two numbers; 0 if the difference is 0.
    pub error: f64,
}

impl Difference {
    /// `one - other`.
    #[inline]
    pub fn of(one: f64, other: f64) -> Difference {
        let error = ROUNDING * one.abs().max(other.abs());
        let value = one - other;
        if value.abs() <= error && error < f64::INFINITY { Difference::default() } else { Difference { value, error } }
    }

    /// Whether two differences are equal up to rounding.
    #[inline]
    pub fn ties(self, other: Difference) -> bool {
        (self.value - other.value).abs() <= self.error.max(other.error)
    }
}

/// Whether two values of measures differ by more than rounding. The tolerance is [`ROUNDING`] of
/// the larger value, or of 1 if both values are smaller. NaN differs from no value.
pub fn differ(one: f64, other: f64) -> bool {
    (one - other).abs() > ROUNDING * one.abs().max(other.abs()).max(1.0)
}

/// The difference of two values of measures; 0 if rounding alone can explain the difference (see
/// [`differ`]).
pub fn difference(one: f64, other: f64) -> f64 {
    if differ(one, other) || one.is_nan() || other.is_nan() { one - other } else { 0.0 }
}

/// Returns the list for comparisons by `<` and `==`: of several numbers that are equal up to
/// rounding, each becomes the lowest. The tolerance is [`ROUNDING`] of the list's largest number.
pub fn levels(list: &[f64]) -> Vec<f64> {
    let mut places: Vec<usize> = (0..list.len()).collect();
    places.sort_by(|&a, &b| list[a].total_cmp(&list[b]));
    let mut sorted: Vec<f64> = places.iter().map(|&place| list[place]).collect();
    let most = ROUNDING * sorted.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    level_sorted(&mut sorted, |_| most);
    let mut levels = vec![0.0; list.len()];
    places.into_iter().zip(sorted).for_each(|(place, level)| levels[place] = level);
    levels
}

/// Returns the absolute values of differences, which must be sorted by absolute value. Values that
/// are equal up to rounding become the lowest of these values.
pub fn level_sizes(sorted: &[Difference]) -> Vec<f64> {
    let mut sizes: Vec<f64> = sorted.iter().map(|difference| difference.value.abs()).collect();
    level_sorted(&mut sizes, |place| sorted[place].error);
    sizes
}

/// In a sorted list, replaces numbers that differ by no more than their errors by the lowest of
/// these numbers.
fn level_sorted(list: &mut [f64], error: impl Fn(usize) -> f64) {
    let mut lowest = 0;
    for place in 1..list.len() {
        if list[place] - list[lowest] <= error(place).max(error(lowest)) {
            list[place] = list[lowest];
        } else {
            lowest = place;
        }
    }
}

/// [`levels`] of a list with gaps. The gaps stay.
pub fn levels_of_defined(list: &[Option<f64>]) -> Vec<Option<f64>> {
    let defined: Vec<f64> = list.iter().flatten().copied().collect();
    let mut levels = levels(&defined).into_iter();
    list.iter().map(|value| value.and_then(|_| levels.next())).collect()
}

/// The places of the highest number of a list. Numbers that are equal to the highest up to rounding
/// count too.
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
        // Means whose terms cancel count as 0, compared with the other means.
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
        // Discounted gains are large: a unit in the last place of 1e9 is 1e-7.
        assert!(!differ(1e9, 1e9 + 1e-7) && difference(1e9, 1e9 + 1e-7) == 0.0 && differ(1e9, 1e9 + 1.0));
        assert!(differ(0.5, 0.25) && !differ(sum, other) && !differ(f64::NAN, f64::NAN));
        assert!(difference(f64::NAN, 0.5).is_nan() && !equal(f64::NAN, f64::NAN));
    }

    /// scipy #26082, #17667: whether differences tie depends on the size of their values, not on
    /// their own size.
    #[test]
    fn differences_tie_within_the_rounding_of_their_values() {
        let of = Difference::of;
        let (one, other) = (of(0.9995, 0.9994), of(0.5001, 0.5));
        assert!((one.value - other.value).abs() > 1e-12 * one.value && one.ties(other));
        // The same gap between small values is far larger than rounding.
        assert!(!of(1e-4, 0.0).ties(of(1.0001e-4, 0.0)) && !of(0.3, 0.1).ties(of(0.3, 0.2)));
        let mut sorted = vec![of(0.9935, 0.9934), one, other, of(10_000.4, 10_000.3), of(0.0, 0.1), of(0.0, 0.2)];
        sorted.sort_by(|a, b| a.value.abs().total_cmp(&b.value.abs()));
        let sizes = level_sizes(&sorted);
        let levels: Vec<usize> = sizes.chunk_by(|a, b| a == b).map(<[f64]>::len).collect();
        assert_eq!(levels, [3, 2, 1]);
        assert_eq!(of(0.1 + 0.2, 0.3), Difference::default());
    }
}
