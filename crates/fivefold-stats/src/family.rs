//! A family of comparisons: the pairs of systems that are tested together.
//!
//! The systems have values over the same queries, in one or more groups. A group is a measure at a
//! cutoff. The comparisons are all pairs of systems within each group, or every system against a
//! baseline. A test that resamples uses the same draws for the whole family. Shared draws are
//! faster, and they make a joint correction (max-T) possible.

use fivefold_base::rounding::Difference;

use crate::error::{StatsError, all_finite, same_length};
use crate::moments::Moments;

/// Two systems of one group.
///
/// ```
/// use fivefold_stats::{Comparison, Family};
///
/// let family = Family::of_systems(&[&[0.5, 0.75], &[0.25, 0.5], &[0.25, 0.25]])?;
/// assert_eq!(family.comparisons()[2], Comparison { group: 0, first: 1, second: 2 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// Number of the group (a measure at a cutoff), from 0.
    pub group: usize,
    /// The system whose value comes first in the difference.
    pub first: usize,
    /// The system whose value is subtracted.
    pub second: usize,
}

/// The values of systems over the same queries, and the comparisons among the systems.
///
/// ```
/// use fivefold_stats::Family;
///
/// let family = Family::of_systems(&[&[0.5, 0.75], &[0.25, 0.5], &[0.25, 0.25]])?;
/// assert_eq!((family.systems(), family.queries(), family.comparisons().len()), (3, 2, 3));
/// // Only the first system with each other one.
/// let family = family.against(0)?;
/// let differences: Vec<f64> = family.differences(family.comparisons()[1]).collect();
/// assert_eq!(differences, [-0.25, -0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Family<'a> {
    /// `[group][system][query]`
    groups: Vec<Vec<&'a [f64]>>,
    comparisons: Vec<Comparison>,
    queries: usize,
}

impl<'a> Family<'a> {
    /// The single comparison of two systems, `a - b`.
    ///
    /// # Errors
    /// As [`Family::of_groups`].
    pub fn of_pair(a: &'a [f64], b: &'a [f64]) -> Result<Self, StatsError> {
        Family::of_groups(vec![vec![a, b]])
    }

    /// All pairs of the systems of one group.
    ///
    /// # Errors
    /// As [`Family::of_groups`].
    pub fn of_systems(systems: &[&'a [f64]]) -> Result<Self, StatsError> {
        Family::of_groups(vec![systems.to_vec()])
    }

    /// All pairs of systems within each group, `[group][system][query]`, in the order (0, 1), (0,
    /// 2), .., (1, 2), .., group by group.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`] if groups differ in their number of systems, or systems in
    /// their number of queries; [`StatsError::TooFew`] without a query; [`StatsError::NotFinite`].
    pub fn of_groups(groups: Vec<Vec<&'a [f64]>>) -> Result<Self, StatsError> {
        let systems = groups.first().map_or(0, Vec::len);
        let queries = groups.first().and_then(|group| group.first()).map_or(0, |values| values.len());
        if queries == 0 {
            return Err(StatsError::TooFew { found: 0, needed: 1 });
        }
        let mut comparisons = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            same_length(systems, group.len())?;
            for values in group {
                same_length(queries, values.len())?;
                all_finite(values)?;
            }
            for first in 0..systems {
                comparisons.extend((first + 1..systems).map(|second| Comparison { group: number, first, second }));
            }
        }
        Ok(Family { groups, comparisons, queries })
    }

    /// Replaces the comparisons: each system is compared with `baseline` alone, as
    /// `other - baseline`.
    ///
    /// # Errors
    /// [`StatsError::OutOfRange`] if there is no such system.
    pub fn against(mut self, baseline: usize) -> Result<Self, StatsError> {
        let systems = self.systems();
        if baseline >= systems {
            let (what, range) = ("the number of the baseline system", "below the number of systems");
            return Err(StatsError::OutOfRange { what, value: baseline as f64, range });
        }
        let of_group = |group| {
            let others = (0..systems).filter(move |&other| other != baseline);
            others.map(move |other| Comparison { group, first: other, second: baseline })
        };
        self.comparisons = (0..self.groups.len()).flat_map(of_group).collect();
        Ok(self)
    }

    /// The comparisons, in order.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// Number of queries.
    pub fn queries(&self) -> usize {
        self.queries
    }

    /// Number of systems of each group.
    pub fn systems(&self) -> usize {
        self.groups[0].len()
    }

    /// The values, `[group][system][query]`.
    pub fn groups(&self) -> &[Vec<&'a [f64]>] {
        &self.groups
    }

    /// The values of the two systems of a comparison.
    pub fn values(&self, comparison: Comparison) -> (&'a [f64], &'a [f64]) {
        let group = &self.groups[comparison.group];
        (group[comparison.first], group[comparison.second])
    }

    /// The differences of a comparison, query by query. A difference is 0 if the two values differ
    /// by rounding alone.
    pub fn differences(&self, comparison: Comparison) -> impl Iterator<Item = f64> + 'a {
        self.rounded_differences(comparison).map(|difference| difference.value)
    }

    /// As [`Family::differences`], with the rounding error of each difference.
    pub fn rounded_differences(&self, comparison: Comparison) -> impl Iterator<Item = Difference> + 'a {
        let (a, b) = self.values(comparison);
        a.iter().zip(b).map(|(&a, &b)| Difference::of(a, b))
    }

    /// Count, mean and spread of the differences of a comparison.
    pub fn moments(&self, comparison: Comparison) -> Moments {
        let (a, b) = self.values(comparison);
        Moments::of_differences(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_stand_in_order_and_a_baseline_is_subtracted() {
        let (a, b, c) = ([1.0, 2.0], [0.5, 0.0], [3.0, 3.0]);
        let family = Family::of_groups(vec![vec![&a, &b, &c], vec![&c, &b, &a]]).unwrap();
        let of = |group, first, second| Comparison { group, first, second };
        let first: Vec<_> = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| of(0, i, j)).to_vec();
        assert_eq!(family.comparisons()[..3], first);
        assert_eq!((family.comparisons().len(), family.comparisons()[5]), (6, of(1, 1, 2)));
        assert_eq!(family.differences(of(1, 0, 1)).collect::<Vec<_>>(), [2.5, 3.0]);
        let against = family.against(1).unwrap();
        assert_eq!(against.comparisons(), [of(0, 0, 1), of(0, 2, 1), of(1, 0, 1), of(1, 2, 1)]);
        assert!(against.against(3).is_err());
    }

    #[test]
    fn data_that_cannot_be_compared_are_refused() {
        assert_eq!(Family::of_pair(&[], &[]).unwrap_err(), StatsError::TooFew { found: 0, needed: 1 });
        assert_eq!(Family::of_groups(Vec::new()).unwrap_err(), StatsError::TooFew { found: 0, needed: 1 });
        let uneven = Family::of_groups(vec![vec![&[1.0], &[2.0]], vec![&[1.0]]]).unwrap_err();
        assert_eq!(uneven, StatsError::LengthMismatch { first: 2, second: 1 });
        assert_eq!(
            Family::of_pair(&[1.0], &[1.0, 2.0]).unwrap_err(),
            StatsError::LengthMismatch { first: 1, second: 2 }
        );
        let nan = Family::of_pair(&[1.0, 2.0], &[1.0, f64::NAN]).unwrap_err();
        assert!(matches!(nan, StatsError::NotFinite { position: 1, .. }));
    }
}
