//! A sum of gain x discount: the common form of DCG, RBP and NERU.
//!
//! A = sum_{i<=K} g(y_i) d(i). A group of tied documents takes its mean gain at each of its
//! positions. Cost: one multiplication a position.

use std::sync::OnceLock;

use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// Number of positions whose discounts are in one table.
const TABLE: usize = 4096;
/// Tables of later positions: each is as long as all before it. The discounts of all further
/// positions are computed when they are needed.
const LATER: usize = 6;
/// Number of positions whose discount is computed at once. The table is made when it is needed: short
/// rankings take less time than the table.
const FIRST: usize = 128;

/// The discount of each rank.
pub(super) struct Discounts {
    first: [f64; FIRST],
    table: OnceLock<Vec<f64>>,
    later: [OnceLock<Vec<f64>>; LATER],
    rule: Box<dyn Fn(usize) -> f64 + Send + Sync>,
}

impl Discounts {
    /// From a function of the rank, counted from 1.
    pub(super) fn new(rule: impl Fn(usize) -> f64 + Send + Sync + 'static) -> Self {
        let first = std::array::from_fn(|position| rule(position + 1));
        Discounts { first, table: OnceLock::new(), later: Default::default(), rule: Box::new(rule) }
    }

    /// The discount at a position, counted from 0.
    #[inline]
    pub(super) fn at(&self, position: usize) -> f64 {
        match self.first.get(position) {
            Some(&discount) => discount,
            None => self.behind(position),
        }
    }

    /// The discount at a position behind the first ones.
    #[inline]
    fn behind(&self, position: usize) -> f64 {
        match self.table().get(position) {
            Some(&discount) => discount,
            None => self.far_behind(position),
        }
    }

    /// The discount at a position from [`TABLE`] on.
    fn far_behind(&self, position: usize) -> f64 {
        let number = (position / TABLE).ilog2();
        let Some(table) = self.later.get(number as usize) else { return (self.rule)(position + 1) };
        let begin = TABLE << number;
        table.get_or_init(|| (begin + 1..=2 * begin).map(&self.rule).collect())[position - begin]
    }

    /// The discounts of the first [`TABLE`] positions.
    #[inline]
    fn table(&self) -> &[f64] {
        self.table.get_or_init(|| (1..=TABLE).map(&self.rule).collect())
    }
}

/// A measure that sums gain x discount.
pub(super) struct Discounted {
    pub(super) gain: GradeTable,
    pub(super) discounts: Discounts,
    /// How A becomes the original value.
    pub(super) original: Original,
}

/// The original value of a discounted sum.
pub(super) enum Original {
    /// The sum itself.
    Sum,
    /// A/U; undefined if no document has a gain.
    Share {
        /// Whether the value is 0 if the cutoff is beyond the list.
        zero_beyond_list: bool,
    },
    /// The sum divided by the sum of the discounts up to the cutoff; without a cutoff, up to this
    /// depth.
    Scaled {
        /// The depth.
        depth: usize,
    },
}

impl Measure for Discounted {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        if let Some(grades) = ranked.strict() {
            for (position, (slot, &grade)) in out.iter_mut().zip(grades).enumerate() {
                *slot = self.gain.of(grade) * self.discounts.at(position);
            }
            return;
        }
        for group in ranked.groups(out.len()) {
            let gain = self.gain.mean(group.grades);
            for (position, slot) in (group.start..).zip(&mut out[group.start..group.seen]) {
                *slot = gain * self.discounts.at(position);
            }
        }
    }

    fn contribution(&self, grade: u8, position: usize) -> Option<f64> {
        Some(self.gain.of(grade) * self.discounts.at(position))
    }

    // By gains of one's own, a lower grade may have the higher gain.
    fn best(&self, cutoff: Option<usize>, query: &QueryGrades, ideal: f64) -> f64 {
        if self.gain.is_rising() {
            return ideal;
        }
        let gains = query.ideal().iter().map(|&grade| self.gain.of(grade));
        if gains.clone().is_sorted_by(|one, next| one >= next) {
            return ideal;
        }
        let mut gains: Vec<f64> = gains.collect();
        gains.sort_by(|one, other| other.total_cmp(one));
        let counted = gains.iter().take(cutoff.unwrap_or(usize::MAX));
        counted.enumerate().map(|(position, gain)| gain * self.discounts.at(position)).sum()
    }

    fn exchange(&self, grades: &[u8], positions: usize, _: &QueryGrades, first: usize, changes: &mut [f64]) {
        let (gain, later) = (self.gain.of(grades[first]), first + 1);
        let here = if first < positions { self.discounts.at(first) } else { 0.0 };
        // The discount of a later document has three cases: in the table, beyond the table, and
        // beyond the positions that count.
        let tabled = positions.min(TABLE).saturating_sub(later).min(changes.len());
        let (in_table, rest) = changes.split_at_mut(tabled);
        let table = self.discounts.table()[later.min(TABLE)..].iter();
        for ((change, &grade), discount) in in_table.iter_mut().zip(&grades[later..]).zip(table) {
            *change = (self.gain.of(grade) - gain) * (here - discount);
        }
        for (position, change) in (later + tabled..).zip(rest) {
            let discount = if position < positions { self.discounts.at(position) } else { 0.0 };
            *change = (self.gain.of(grades[position]) - gain) * (here - discount);
        }
    }

    fn factors(&self, grades: &[u8], positions: usize, gains: &mut Vec<f64>, discounts: &mut Vec<f64>) -> bool {
        gains.clear();
        gains.extend(grades.iter().map(|&grade| self.gain.of(grade)));
        discounts.clear();
        discounts.extend_from_slice(&self.discounts.table()[..positions.min(TABLE)]);
        discounts.extend((discounts.len()..positions).map(|position| self.discounts.at(position)));
        discounts.resize(grades.len(), 0.0);
        true
    }

    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let gains = ranked.of_positions(contributions.len(), |grades| self.gain.mean(grades));
        let values = gains.into_iter().enumerate().map(|(position, gain)| [gain, self.discounts.at(position)]);
        let normaliser = match self.original {
            Original::Sum => "",
            Original::Share { .. } => "U",
            Original::Scaled { .. } => "sum of discounts",
        };
        let zero = "the cutoff is beyond the list (short_list: zero)";
        Parts { factors: Some(["gain", "discount"]), values: values.collect(), normaliser, zero, ..Parts::default() }
    }

    fn normaliser(&self, cutoff: Option<usize>, query: &QueryGrades, upper: f64) -> f64 {
        match self.original {
            Original::Sum => 1.0,
            Original::Share { .. } if upper <= 0.0 => f64::NAN,
            Original::Share { zero_beyond_list: true } if cutoff.is_some_and(|k| k > query.documents()) => {
                f64::INFINITY
            }
            Original::Share { .. } => upper,
            Original::Scaled { depth } => {
                (0..cutoff.unwrap_or(depth)).map(|position| self.discounts.at(position)).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_beyond_the_table_follow_the_same_rule() {
        let discounts = Discounts::new(|rank| 1.0 / rank as f64);
        let last = TABLE << LATER;
        for position in [0, TABLE - 1, TABLE, 2 * TABLE - 1, 2 * TABLE, 10 * TABLE, last - 1, last, 1 << 40] {
            assert_eq!(discounts.at(position), 1.0 / (position + 1) as f64);
        }
    }

    #[test]
    fn exchanges_reach_beyond_the_table() {
        let discounted = Discounted {
            gain: GradeTable::new(f64::from),
            discounts: Discounts::new(|rank| 1.0 / rank as f64),
            original: Original::Sum,
        };
        let grades: Vec<u8> = (0..TABLE + 10).map(|position| (position % 3) as u8).collect();
        let query = QueryGrades::new(&grades);
        let discount = |position: usize, positions: usize| {
            if position < positions { 1.0 / (position + 1) as f64 } else { 0.0 }
        };
        for positions in [2, TABLE - 1, TABLE + 5, TABLE + 10] {
            let (mut gains, mut discounts) = (vec![7.0], vec![7.0]);
            assert!(discounted.factors(&grades, positions, &mut gains, &mut discounts));
            assert!(gains.iter().zip(&grades).all(|(&gain, &grade)| gain == f64::from(grade)));
            assert!((0..grades.len()).all(|position| discounts[position] == discount(position, positions)));
            for first in [0, 5, TABLE - 1, TABLE + 2] {
                let mut changes = vec![f64::NAN; grades.len() - first - 1];
                discounted.exchange(&grades, positions, &query, first, &mut changes);
                for (later, change) in (first + 1..).zip(changes) {
                    let gain = f64::from(grades[later]) - f64::from(grades[first]);
                    assert_eq!(change, gain * (discount(first, positions) - discount(later, positions)));
                }
            }
        }
    }
}
