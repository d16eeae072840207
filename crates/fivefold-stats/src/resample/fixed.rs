//! Values as integers, so that their sums are exact.
//!
//! In each group and query, the value of system 0 is subtracted from the values of all systems. No
//! difference of two systems changes, and a common offset costs no digits. The rest is rounded to
//! multiples of a unit, which is 2^-40 of the largest value.
//!
//! A sum over n queries is off by at most n / 2 units, plus the rounding errors of the values. For
//! values near 1 with differences of 1e-5, the last bits of a value are worth more than a unit. So
//! two sums that are equal in real arithmetic can differ, by up to [`Fixed::tolerance`]. A
//! comparison of sums must allow this tolerance.

use fivefold_base::rounding::{ROUNDING, gap};

use crate::error::StatsError;
use crate::family::{Comparison, Family};
use crate::moments::Moments;
use crate::resample::weighted::Columns;

/// Bits of the largest value.
const BITS: u32 = 40;
/// Sums of `2^BITS` times this many queries stay far from overflow, also doubled.
const MOST_QUERIES: usize = 1 << 21;

/// A family's values as integers.
pub(crate) struct Fixed {
    /// `[group][system][query]`; system 0 is 0 everywhere.
    pub(crate) values: Vec<Vec<Vec<i64>>>,
    /// The unit of each group; 0 if all its systems are equal.
    pub(crate) units: Vec<f64>,
    /// For each group, the root of a sum over the queries on which systems differ. The sum is of
    /// the squared rounding error of the query's largest value.
    errors: Vec<f64>,
    queries: usize,
}

impl Fixed {
    /// # Errors
    /// [`StatsError::TooMany`] queries; [`StatsError::NotFinite`] where a difference overflows.
    pub(crate) fn of(family: &Family<'_>) -> Result<Fixed, StatsError> {
        let queries = family.queries();
        check_queries(queries)?;
        let mut fixed = Fixed { values: Vec::new(), units: Vec::new(), errors: Vec::new(), queries };
        for group in family.groups() {
            let Some((&zero, _)) = group.split_first() else { continue };
            let relative = |values: &&[f64]| values.iter().zip(zero).map(|(&v, &z)| gap(v, z)).collect::<Vec<f64>>();
            let systems: Vec<Vec<f64>> = group.iter().map(relative).collect();
            let mut largest = 0.0f64;
            for values in &systems {
                for (position, value) in values.iter().enumerate() {
                    if !value.is_finite() {
                        return Err(StatsError::NotFinite { position, value: *value });
                    }
                    largest = largest.max(value.abs());
                }
            }
            let integers = systems.iter().map(|values| scaled(values.iter().copied(), largest).collect());
            fixed.values.push(integers.collect());
            fixed.units.push(unit(largest));
            let of_query = |query: usize| {
                let differs = systems.iter().any(|values| values[query] != 0.0);
                let largest = group.iter().fold(0.0, |most: f64, values| most.max(values[query].abs()));
                if differs { ROUNDING * largest } else { 0.0 }
            };
            fixed.errors.push((0..queries).map(of_query).map(|error| error * error).sum::<f64>().sqrt());
        }
        Ok(fixed)
    }

    /// Number of queries.
    pub(crate) fn queries(&self) -> usize {
        self.queries
    }

    /// Queries on which systems of any group differ.
    pub(crate) fn parted(&self) -> Vec<usize> {
        let differs = |query: &usize| self.values.iter().flatten().any(|values| values[*query] != 0);
        (0..self.queries).filter(differs).collect()
    }

    /// The same values on some of the queries.
    pub(crate) fn only(&self, queries: &[usize]) -> Fixed {
        let of_system = |values: &Vec<i64>| queries.iter().map(|&query| values[query]).collect();
        let values = self.values.iter().map(|group| group.iter().map(of_system).collect()).collect();
        Fixed { values, units: self.units.clone(), errors: self.errors.clone(), queries: queries.len() }
    }

    /// The differences of a comparison.
    pub(crate) fn differences(&self, comparison: Comparison) -> impl Iterator<Item = i64> + '_ {
        let group = &self.values[comparison.group];
        group[comparison.first].iter().zip(&group[comparison.second]).map(|(a, b)| a - b)
    }

    /// Adds the column of every system, except the system that is 0 everywhere. Returns the numbers
    /// of the columns, `[group][system]`.
    pub(crate) fn push_systems(&self, columns: &mut Columns) -> Vec<Vec<Option<usize>>> {
        let mut of_group = |group: &Vec<Vec<i64>>| {
            let column =
                |(system, values): (usize, &Vec<i64>)| (system > 0).then(|| columns.push(values.iter().copied()));
            group.iter().enumerate().map(column).collect()
        };
        self.values.iter().map(&mut of_group).collect()
    }

    /// The most by which two sums of a comparison's differences can differ if they are equal in
    /// real arithmetic. Each of the 2 n differences is off by one unit at most, and by the rounding
    /// of its values. Errors of rounding are independent, and a difference other than 0 exceeds its
    /// own error. So the tolerance is always below the spread of the sums.
    pub(crate) fn tolerance(&self, group: usize, moments: &Moments) -> i64 {
        self.in_units(group, moments.squared_errors.sqrt())
    }

    /// As [`Fixed::tolerance`], for sums of the values of all systems of a group, in any order.
    pub(crate) fn tolerance_of_group(&self, group: usize) -> i64 {
        self.in_units(group, self.errors[group])
    }

    fn in_units(&self, group: usize, error: f64) -> i64 {
        let unit = self.units[group];
        2 * self.queries as i64 + if unit > 0.0 { (error / unit).ceil() as i64 } else { 0 }
    }
}

/// Refuses more queries than integer sums can hold.
pub(crate) fn check_queries(queries: usize) -> Result<(), StatsError> {
    if queries <= MOST_QUERIES { Ok(()) } else { Err(StatsError::TooMany { found: queries, most: MOST_QUERIES }) }
}

/// The unit, if `largest` is the largest absolute value.
pub(crate) fn unit(largest: f64) -> f64 {
    largest / (1u64 << BITS) as f64
}

/// The values in units of [`unit`].
pub(crate) fn scaled(values: impl Iterator<Item = f64>, largest: f64) -> impl Iterator<Item = i64> {
    values.map(move |value| if largest == 0.0 { 0 } else { (value / largest * (1u64 << BITS) as f64).round() as i64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_the_values_to_a_unit() {
        // With a common offset of a million, the differences must lose only the digits that the
        // input lacks.
        let a = [1e6 + 0.25, 1e6 + 0.5, 1e6];
        let b = [1e6, 1e6 + 0.75, 1e6];
        let c = [1e6 + 1.0, 1e6 + 0.75, 1e6 + 0.125];
        let family = Family::of_systems(&[&a, &b, &c]).unwrap();
        let fixed = Fixed::of(&family).unwrap();
        for &comparison in family.comparisons() {
            let integers: Vec<f64> = fixed.differences(comparison).map(|d| d as f64 * fixed.units[0]).collect();
            for (found, real) in integers.iter().zip(family.differences(comparison)) {
                assert!((found - real).abs() <= fixed.units[0], "{found} for {real}");
            }
        }
        assert!(fixed.units[0] < 1e-12);
    }

    #[test]
    fn equal_systems_and_overflow() {
        let family = Family::of_systems(&[&[0.5; 4], &[0.5; 4]]).unwrap();
        let fixed = Fixed::of(&family).unwrap();
        assert!(fixed.units[0] == 0.0 && fixed.values[0][1].iter().all(|&value| value == 0));
        assert!(Fixed::of(&Family::of_pair(&[f64::MAX], &[f64::MIN]).unwrap()).is_err());
        assert!(check_queries(MOST_QUERIES).is_ok() && check_queries(MOST_QUERIES + 1).is_err());
    }
}
