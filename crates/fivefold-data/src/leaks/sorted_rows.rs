//! Whether rows stand in the order of their grades.

use std::fmt;

use fivefold_base::words::counted;
use serde::Serialize;

/// How many queries of several grades have their rows in the order of grades.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SortedRows {
    /// Queries of more than one grade.
    pub comparable: usize,
    /// Those in which no row has a higher grade than one before it.
    pub best_first: usize,
    /// Those in which no row has a lower grade than one before it.
    pub worst_first: usize,
    /// How many would be sorted, either way, if rows stood in a random order.
    pub by_chance: f64,
}

impl SortedRows {
    /// Adds a query; one of a single grade says nothing.
    pub fn add(&mut self, grades: &[u8]) {
        if grades.iter().all(|&grade| grade == grades[0]) {
            return;
        }
        self.comparable += 1;
        self.best_first += usize::from(grades.is_sorted_by(|a, b| a >= b));
        self.worst_first += usize::from(grades.is_sorted());
        self.by_chance += chance_of_order(grades);
    }

    /// Whether the data are sorted by grade: more than half of the queries are, in the same direction, and a random order would hardly
    /// sort so many. (Of two documents each is sorted, half of them one way, half the other.) The probability that m or more queries are
    /// sorted by chance, L of them expected, is at most e^(m - L) (L / m)^m (Chernoff, Ann. Math. Stat. 1952).
    pub fn by_label(&self) -> bool {
        const BY_CHANCE: f64 = 0.01;
        let most = self.best_first.max(self.worst_first) as f64;
        let expected = self.by_chance / 2.0;
        let bound = || libm::exp(most - expected + most * libm::log(expected / most));
        2.0 * most > self.comparable as f64 && most > expected && bound() < BY_CHANCE
    }
}

impl fmt::Display for SortedRows {
    /// In the direction of most.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SortedRows { comparable, best_first, worst_first, .. } = *self;
        let (count, first) = if best_first >= worst_first { (best_first, "highest") } else { (worst_first, "lowest") };
        let of = counted(comparable, "query");
        write!(f, "rows are sorted by grade, the {first} first, in {count} of {of} with several grades")
    }
}

/// How probable it is that a random order of rows is sorted by grade, rising or falling: 2 n_0! n_1! ... / n!.
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

    /// By counting orders: of 3 rows with grades 0, 0, 1 the six orders give 001 twice, 010 twice, 100 twice.
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
        // Nor is a single small query, whose order is nothing unusual.
        assert!(!sorted(&[&[1, 1, 1, 0]]).by_label() && sorted(&[&[4, 4, 3, 3, 2, 2, 1, 0, 0]]).by_label());
    }
}
