//! How often two rankers change places as the number of documents grows.
//!
//! A crossing is a change of sign in the difference of two rankers' means, from one size to the
//! next. Sizes with a zero or undefined difference are skipped. The order is stable from the first
//! size after the last crossing.

/// The crossings of two rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankerPair {
    /// Indices of the two rankers.
    pub(super) rankers: (usize, usize),
    /// Number of crossings.
    pub(super) crossings: usize,
    /// The size from which the order is stable; `None` if the two rankers never differ.
    pub(super) stable_from: Option<usize>,
}

/// All pairs of rankers, from their means at each of `sizes`.
pub(super) fn pairs(sizes: &[usize], means: &[Vec<f64>]) -> Vec<RankerPair> {
    let all = (0..means.len()).flat_map(|first| (first + 1..means.len()).map(move |second| (first, second)));
    all.map(|rankers| pair(rankers, sizes, &means[rankers.0], &means[rankers.1])).collect()
}

fn pair(rankers: (usize, usize), sizes: &[usize], first: &[f64], second: &[f64]) -> RankerPair {
    let mut pair = RankerPair { rankers, crossings: 0, stable_from: None };
    let mut ahead = None;
    for ((&size, a), b) in sizes.iter().zip(first).zip(second) {
        let difference = a - b;
        if difference == 0.0 || difference.is_nan() {
            continue;
        }
        let now = Some(difference > 0.0);
        if now != ahead {
            pair.crossings += usize::from(ahead.is_some());
            pair.stable_from = Some(size);
            ahead = now;
        }
    }
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossings_are_changes_of_sign_without_zeros() {
        let sizes = [10, 20, 30, 40, 50, 60];
        let zero = vec![0.0; 6];
        let of = |other: [f64; 6]| {
            let pair = pairs(&sizes, &[other.to_vec(), zero.clone()])[0];
            (pair.crossings, pair.stable_from)
        };
        assert_eq!(of([1.0, 2.0, 1.0, 1.0, 1.0, 1.0]), (0, Some(10)));
        assert_eq!(of([1.0, 0.0, -1.0, 0.0, 0.0, -1.0]), (1, Some(30)));
        assert_eq!(of([1.0, 0.0, 1.0, 1.0, 0.0, 0.0]), (0, Some(10)));
        assert_eq!(of([0.0, 0.0, -1.0, 1.0, -1.0, f64::NAN]), (2, Some(50)));
        assert_eq!(of([0.0; 6]), (0, None));
        let three = pairs(&sizes, &[zero.clone(), zero.clone(), zero]);
        assert_eq!(three.iter().map(|pair| pair.rankers).collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
    }
}
