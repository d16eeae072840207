//! Counts queries whose rows stand in the order of their grades.

use std::fmt;

use fivefold_base::words::counted;
use serde::Serialize;

/// Number of queries with several grades whose rows are sorted by grade.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SortedRows {
    /// Queries with more than one grade.
    pub comparable: usize,
    /// Queries in which no row has a higher grade than an earlier row.
    pub best_first: usize,
    /// Queries in which no row has a lower grade than an earlier row.
    pub worst_first: usize,
    /// The expected number of sorted queries, in either direction, if rows stood in a random order.
    pub by_chance: f64,
}

impl SortedRows {
    /// Adds a query. A query with a single grade is not counted.
    pub fn add(&mut self, grades: &[u8]) {
        if grades.iter().all(|&grade| grade == grades[0]) {
            return;
        }
        self.comparable += 1;
        self.best_first += usize::from(grades.is_sorted_by(|a, b| a >= b));
        self.worst_first += usize::from(grades.is_sorted());
        self.by_chance += chance_of_order(grades);
    }

    /// Whether the data are sorted by grade. More than half of the queries must be sorted in the
    /// same direction, and a random order must sort so many with a probability below 1 %.
    ///
    /// A query of two documents is always sorted, and half of such queries fall in each direction.
    /// If L sorted queries are expected, the probability that m or more are sorted by chance is at
    /// most e^(m - L) (L / m)^m (Chernoff, Ann. Math. Stat. 1952).
    pub fn by_label(&self) -> bool {
        const BY_CHANCE: f64 = 0.01;
        let most = self.best_first.max(self.worst_first) as f64;
        let expected = self.by_chance / 2.0;
        let bound = || libm::exp(most - expected + most * libm::log(expected / most));
        2.0 * most > self.comparable as f64 && most > expected && bound() < BY_CHANCE
    }
}

impl fmt::Display for SortedRows {
    /// Shows the more frequent direction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SortedRows { comparable, best_first, worst_first, .. } = *self;
        let (count, first) = if best_first >= worst_first { (best_first, "highest") } else { (worst_first, "lowest") };
        let of = counted(comparable, "query");
        write!(f, "rows are sorted by grade, the {first} first, in {count} of {of} with several grades")
    }
}

/// The probability that a random order of rows is sorted by grade, rising or falling: 2 n_0! n_1!
/// ... / n!.
fn chance_of_order(grades: &[u8]) -> f64 {
    let mut left = [0u32; 256];
    grades.iter().for_each(|&grade| left[usize::from(grade)] += 1);
    let mut chance = 2.0;
    let mut remaining = grades.len() as f64;
    for count in left {
        for rest in (1..=count).rev() {
            chance *= f64::from(rest) / remaining;
            remaining -= 1.0;
        }
    }
    chance
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counted by hand: 3 rows with grades 0, 0, 1 have six orders, which give 001 twice, 010 twice
    /// and 100 twice.
    #[test]
    fn the_chance_of_sorted_rows() {
        assert!((chance_of_order(&[0, 1]) - 1.0).abs() < 1e-12);
        assert!((chance_of_order(&[0, 0, 1]) - 2.0 / 3.0).abs() < 1e-12);
        assert!((chance_of_order(&[0, 1, 2]) - 1.0 / 3.0).abs() < 1e-12);
        assert!((chance_of_order(&[2, 2, 0, 0]) - 1.0 / 3.0).abs() < 1e-12);
    }

    fn sorted(queries: &[&[u8]]) -> SortedRows {
        let mut rows = SortedRows::default();
        queries.iter().for_each(|grades| rows.add(grades));
        rows
    }

    #[test]
    fn more_than_half_in_one_direction_are_sorted_by_label() {
        let (best, worst, mixed): (&[u8], &[u8], &[u8]) =
            (&[2, 2, 1, 0, 0, 0, 0], &[0, 0, 0, 0, 1, 2, 2], &[0, 2, 1, 0, 2, 0, 0]);
        let single: &[u8] = &[1, 1, 1];
        assert!(sorted(&[best, best, mixed]).by_label());
        assert!(sorted(&[worst, single, worst, mixed]).by_label());
        assert!(!sorted(&[best, mixed]).by_label());
        assert!(!sorted(&[best, worst, best, worst, mixed]).by_label());
        assert!(!sorted(&[single, single]).by_label());
        let rows = sorted(&[best, worst, worst, mixed, single]);
        assert_eq!((rows.comparable, rows.best_first, rows.worst_first), (4, 1, 2));
    }

    #[test]
    fn queries_of_two_documents_are_not_sorted_by_label_because_each_is_sorted() {
        let pairs = |best: usize, all: usize| -> SortedRows {
            let queries: Vec<&[u8]> = (0..all).map(|i| if i < best { &[1, 0][..] } else { &[0, 1][..] }).collect();
            sorted(&queries)
        };
        assert!(!pairs(50, 100).by_label() && !pairs(65, 100).by_label() && !pairs(35, 100).by_label());
        assert!(pairs(90, 100).by_label() && pairs(0, 100).by_label());
        // A single small query is no finding either: its order is not unusual.
        assert!(!sorted(&[&[1, 1, 1, 0]]).by_label() && sorted(&[&[4, 4, 3, 3, 2, 2, 1, 0, 0]]).by_label());
    }
}
