//! The tests of LightGBM's nodes, as cuts (see [`fivefold_trees::tree`]).
//!
//! Before a test, every x with |x| <= 1e-35 (in single precision; 1e-15 in LightGBM 2.0) becomes 0.
//! A NaN that is not the node's missing value becomes 0 too. A category is the whole part of a
//! value. A negative or too large value is in no set.

/// LightGBM's bound of zero, `kZeroThreshold`.
pub(super) const ZERO: f64 = 1e-35f32 as f64;

/// The bound of zero in LightGBM 2.0, which states no version in its files.
pub(super) const ZERO_2_0: f64 = 1e-15;

/// The value that a node takes for missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MissingType {
    None,
    Zero,
    Nan,
}

/// The test of a node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    /// At least one cut, rising and finite.
    pub cuts: Vec<f64>,
    /// Whether values up to the first cut go to the left child. If not, the children must change
    /// places.
    pub first_left: bool,
    /// Whether NaN goes to the left child.
    pub nan_left: bool,
}

/// Intervals of the numbers, in rising order: the last value of each interval, and whether it goes
/// left. Empty intervals are left out.
struct Parts {
    cuts: Vec<f64>,
    sides: Vec<bool>,
    end: f64,
}

impl Parts {
    fn new() -> Self {
        Parts { cuts: Vec::new(), sides: Vec::new(), end: f64::NEG_INFINITY }
    }

    /// Adds the next interval, up to and including `end`.
    fn up_to(&mut self, end: f64, left: bool) {
        if end <= self.end {
            return;
        }
        if self.sides.last() == Some(&left) {
            self.cuts.pop();
        } else {
            self.sides.push(left);
        }
        self.cuts.push(end);
        self.end = end;
    }

    /// Adds the last interval, and returns the test.
    fn rest(mut self, left: bool, nan_left: bool) -> Question {
        self.up_to(f64::INFINITY, left);
        self.cuts.pop();
        if self.cuts.is_empty() {
            // All values go the same way, so any cut will do.
            self.cuts.push(f64::MAX);
        }
        Question { cuts: self.cuts, first_left: self.sides.first().copied().unwrap_or(left), nan_left }
    }
}

/// `x <= threshold`, where `zero` is the bound of zero.
pub(super) fn numeric(threshold: f64, missing: MissingType, default_left: bool, zero: f64) -> Question {
    let zero_left = if missing == MissingType::Zero { default_left } else { 0.0 <= threshold };
    let nan_left = if missing == MissingType::Nan { default_left } else { zero_left };
    let below = (-zero).next_down();
    let mut parts = Parts::new();
    parts.up_to(threshold.min(below), true);
    parts.up_to(below, false);
    parts.up_to(zero, zero_left);
    parts.up_to(threshold.max(zero), true);
    parts.rest(false, nan_left)
}

/// The test "the whole part of x is in the set"; `words` hold a bit for each category.
pub(super) fn category(words: &[u32]) -> Question {
    let mut parts = Parts::new();
    let categories = words.iter().enumerate().flat_map(|(place, &word)| {
        let bits = (0..u32::BITS).filter(move |bit| word >> bit & 1 == 1);
        bits.map(move |bit| place as u64 * u64::from(u32::BITS) + u64::from(bit))
    });
    // LightGBM converts to `int`.
    for category in categories.take_while(|&category| category <= i32::MAX as u64) {
        let first = category as f64;
        // The whole part of a value above -1 and below 1 is 0.
        parts.up_to(if category == 0 { -1.0 } else { first.next_down() }, false);
        parts.up_to((first + 1.0).next_down(), true);
    }
    parts.rest(false, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of LightGBM 4.7 (`Tree::NumericalDecision`, `Tree::CategoricalDecision`, and its
    /// reader of rows).
    fn as_lightgbm(x: f64, threshold: f64, missing: MissingType, default_left: bool) -> bool {
        let mut x = if x.abs() > ZERO || x.is_nan() { x } else { 0.0 };
        if x.is_nan() && missing != MissingType::Nan {
            x = 0.0;
        }
        if missing == MissingType::Zero && (-ZERO..=ZERO).contains(&x) || missing == MissingType::Nan && x.is_nan() {
            return default_left;
        }
        x <= threshold
    }

    fn asked(question: &Question, x: f64) -> bool {
        if x.is_nan() {
            return question.nan_left;
        }
        let met = question.cuts.iter().filter(|&&cut| cut < x).count();
        question.first_left == met.is_multiple_of(2)
    }

    #[test]
    fn numbers_go_as_in_lightgbm() {
        let mut values = vec![f64::NAN];
        for positive in [0.0, 1e-300, 1e-36, ZERO, ZERO.next_up(), 1e-34, 0.15, 0.15f64.next_up(), 5.0, 1e300, f64::MAX]
        {
            values.extend([positive, -positive]);
        }
        for &threshold in values.iter().filter(|value| !value.is_nan()).chain(&[f64::INFINITY, f64::NEG_INFINITY]) {
            for missing in [MissingType::None, MissingType::Zero, MissingType::Nan] {
                for default_left in [true, false] {
                    let question = numeric(threshold, missing, default_left, ZERO);
                    let rising = question.cuts.is_sorted_by(|one, next| one < next);
                    assert!(rising && question.cuts.iter().all(|cut| cut.is_finite()), "{question:?}");
                    for &x in &values {
                        let theirs = as_lightgbm(x, threshold, missing, default_left);
                        assert_eq!(asked(&question, x), theirs, "{x:e} at {threshold:e} {missing:?} {default_left}");
                    }
                }
            }
        }
    }

    #[test]
    fn categories_are_whole_parts() {
        let question = category(&[0b1011, 0, 1 << 31]);
        let inside = [-0.9, 0.0, 0.5, 1.9, 3.0, 3.999_999_999_999, 95.0];
        let outside = [f64::NAN, -1.0, -2.0, 2.0, 2.999_999, 4.0, 94.999, 96.0, 1e300, -1e300];
        assert!(inside.iter().all(|&x| asked(&question, x)), "{question:?}");
        assert!(!outside.iter().any(|&x| asked(&question, x)), "{question:?}");
        let none = category(&[0]);
        assert!(![0.0, 1.0, f64::NAN].iter().any(|&x| asked(&none, x)), "{none:?}");
    }
}
