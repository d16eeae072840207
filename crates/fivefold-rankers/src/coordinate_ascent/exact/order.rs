//! The documents of a query in the order of their scores.

use crate::wide::{self, LANES, Loop, Vector};

/// The most documents that are put in order by counts.
const MOST_COUNTED: usize = 256;

/// Fills in the rows from the highest score to the lowest, equal scores by row. Returns whether all
/// scores are finite, and no two are equal.
///
/// The place of a document is the number of documents with higher scores. To count them for each
/// document takes the square of the documents, but no branch, and few documents are sorted by it
/// several times as fast.
pub(super) fn put_in_order(scores: &[f64], order: &mut [u32]) -> bool {
    let finite = scores.iter().fold(true, |finite, score| finite & score.is_finite());
    if scores.len() <= MOST_COUNTED && wide::run(Counts { scores, order }) {
        return finite;
    }
    order.iter_mut().zip(0..).for_each(|(place, row)| *place = row);
    // The sum with 0 turns -0 into 0, which `total_cmp` would take for another number.
    let score = |row: u32| scores[row as usize] + 0.0;
    order.sort_unstable_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
    finite && order.is_sorted_by(|&a, &b| score(a) > score(b))
}

/// Puts at most [`MOST_COUNTED`] documents in order. Returns false if that is not possible, because
/// scores are equal or no numbers.
struct Counts<'a> {
    scores: &'a [f64],
    order: &'a mut [u32],
}

impl Loop for Counts<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector>(self) -> bool {
        const FREE: u32 = u32::MAX;
        let Counts { scores, order } = self;
        // Whole vectors, filled up with scores that are higher than none.
        let mut filled = [f64::NEG_INFINITY; MOST_COUNTED];
        filled[..scores.len()].copy_from_slice(scores);
        let filled = &filled[..scores.len().next_multiple_of(LANES)];
        order.fill(FREE);
        for (row, score) in (0..).zip(scores) {
            let higher: u64 = filled.iter().map(|other| u64::from(other > score)).sum();
            // Of equal scores, and of numbers that are none, two have one place.
            let place = &mut order[higher as usize];
            if *place != FREE {
                return false;
            }
            *place = row;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;

    #[test]
    fn the_order_is_that_of_a_stable_sort() {
        let mut rng = Seed::new(9).rng();
        for documents in [0, 1, 2, 7, 8, 9, 40, 255, 256, 257, 1000] {
            for values in [2.0, 50.0, 1e15] {
                let mut scores: Vec<f64> = (0..documents).map(|_| (values * (rng.uniform() - 0.5)).round()).collect();
                scores.iter_mut().step_by(5).for_each(|score| *score = -*score);
                let mut expected: Vec<u32> = (0..documents).collect();
                expected.sort_by(|&a, &b| scores[b as usize].partial_cmp(&scores[a as usize]).unwrap());
                let distinct = expected.windows(2).all(|pair| scores[pair[0] as usize] != scores[pair[1] as usize]);
                let mut order = vec![9; scores.len()];
                assert_eq!(put_in_order(&scores, &mut order), distinct, "{documents} of {values}");
                assert_eq!(order, expected);
                let mut plain = vec![9; scores.len()];
                if scores.len() <= MOST_COUNTED {
                    let done = wide::run_plainly(Counts { scores: &scores, order: &mut plain });
                    assert!(done == distinct && (!done || plain == expected));
                }
            }
        }
    }

    #[test]
    fn infinite_scores_and_scores_that_are_no_numbers_are_not_strict() {
        let mut order = [0; 3];
        assert!(!put_in_order(&[1.0, f64::NAN, 2.0], &mut order));
        assert!(!put_in_order(&[1.0, f64::INFINITY, f64::NEG_INFINITY], &mut order));
        assert_eq!(order, [1, 0, 2]);
    }
}
