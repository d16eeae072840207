//! The guard `label-feature`: finds features off which the grades can be read.
//!
//! Such a feature has one value for each grade, and no two grades share a value. There are three
//! cases:
//! 1. Over all documents, the value rises or falls with the grade (the value may be the grade
//!    itself).
//! 2. Over all documents, each grade has its value, in another order.
//! 3. In each query, the value rises or falls with the grade, like a grade that was normalised over
//!    each query.
//!
//! Cases 2 and 3 must not be an accident. At least [`COINCIDENCES`] documents must have exactly the
//! value of an earlier document of the same grade; in case 3, of the same query, which must have
//! several grades. A constant feature tells nothing: at least two grades must occur. A feature with
//! more values than grades is not found.

use fivefold_core::grades::HIGHEST_GRADE;
use fivefold_core::{Dataset, JudgedQuery};
use rayon::prelude::*;

use super::{Finding, Guard};

/// Number of repeated values that a feature needs in cases 2 and 3.
const COINCIDENCES: usize = 10;

/// Number of queries that one thread examines together. A feature is dropped at its first
/// contradiction.
const BLOCK: usize = 64;

const GRADES: usize = HIGHEST_GRADE as usize + 1;

/// The facts about a feature that may tell the grade.
#[derive(Debug, Clone)]
struct Candidate {
    feature: usize,
    /// Whether the value rises with the grade; `None` if no query so far has several grades.
    rising: Option<bool>,
    /// Whether the value rises in every query, or falls in every query.
    ordered: bool,
    coincidences: usize,
    /// The value of each grade over all queries, as long as each grade has one value and no other
    /// grade has the same value.
    values: Option<[Option<f32>; GRADES]>,
}

/// The features that tell the grade. The first feature has the id `first_id`.
pub(super) fn find(all: &Dataset, first_id: u32) -> Vec<Finding> {
    let blocks: Vec<usize> = (0..all.len()).step_by(BLOCK).collect();
    let of_block = |&first: &usize| {
        let mut candidates: Vec<Candidate> = (0..all.width())
            .map(|feature| Candidate {
                feature,
                rising: None,
                ordered: true,
                coincidences: 0,
                values: Some([None; GRADES]),
            })
            .collect();
        for query in (first..all.len().min(first + BLOCK)).map(|index| all.query(index)) {
            candidates.retain_mut(|candidate| candidate.survives(&query));
            if candidates.is_empty() {
                break;
            }
        }
        candidates
    };
    let of_blocks: Vec<Vec<Candidate>> = blocks.par_iter().map(of_block).collect();
    let mut of_blocks = of_blocks.into_iter();
    let mut left = of_blocks.next().unwrap_or_default();
    for block in of_blocks {
        let mut block = block.into_iter().peekable();
        left.retain_mut(|candidate| {
            while block.next_if(|other| other.feature < candidate.feature).is_some() {}
            block.next_if(|other| other.feature == candidate.feature).is_some_and(|other| candidate.merge(&other))
        });
    }
    left.iter().filter_map(|candidate| candidate.finding(first_id, all.documents())).collect()
}

impl Candidate {
    /// Whether the feature can still tell the grade after this query.
    fn survives(&mut self, query: &JudgedQuery<'_>) -> bool {
        let mut own = [None; GRADES];
        let mut coincidences = 0;
        for (row, &grade) in query.rows().zip(query.grades()) {
            let value = row[self.feature];
            match &mut own[usize::from(grade)] {
                Some(known) if *known != value => return false,
                Some(_) => coincidences += 1,
                unknown => *unknown = Some(value),
            }
        }
        if !distinct(&own) {
            return false;
        }
        let direction = direction(&own);
        if direction != Direction::None {
            self.coincidences += coincidences;
        }
        self.agree(direction, &own)
    }

    fn merge(&mut self, other: &Candidate) -> bool {
        self.coincidences += other.coincidences;
        let direction = match (other.ordered, other.rising) {
            (false, _) => Direction::Neither,
            (true, None) => Direction::None,
            (true, Some(true)) => Direction::Rises,
            (true, Some(false)) => Direction::Falls,
        };
        match &other.values {
            Some(values) => self.agree(direction, values),
            None => {
                self.values = None;
                self.agree(direction, &[None; GRADES])
            }
        }
    }

    fn agree(&mut self, direction: Direction, values: &[Option<f32>; GRADES]) -> bool {
        if let Some(known) = &mut self.values {
            let same = known.iter().zip(values).all(|(a, b)| a.is_none() || b.is_none() || a == b);
            known.iter_mut().zip(values).for_each(|(known, value)| *known = known.or(*value));
            if !same || !distinct(known) {
                self.values = None;
            }
        }
        match (direction, self.rising) {
            (Direction::None, _) => {}
            (Direction::Rises, None | Some(true)) => self.rising = Some(true),
            (Direction::Falls, None | Some(false)) => self.rising = Some(false),
            _ => self.ordered = false,
        }
        self.ordered || self.values.is_some()
    }

    fn finding(&self, first_id: u32, documents: usize) -> Option<Finding> {
        let id = self.feature + first_id as usize;
        let known: Vec<(usize, f32)> =
            self.values.iter().flatten().enumerate().filter_map(|(grade, value)| Some((grade, (*value)?))).collect();
        let over_all = match self.values.as_ref().map_or(Direction::None, direction) {
            Direction::None => false,
            Direction::Rises | Direction::Falls => true,
            Direction::Neither => documents - known.len() >= COINCIDENCES,
        };
        let what = if over_all && known.iter().all(|&(grade, value)| value == grade as f32) {
            format!("feature {id} is the grade, in every document")
        } else if over_all {
            let values = known.iter().map(|(grade, value)| format!("{value} for grade {grade}"));
            let values = values.collect::<Vec<_>>().join(", ");
            format!("feature {id} tells the grade: in all documents it is {values}")
        } else {
            let direction = if self.rising? { "rises" } else { "falls" };
            if !self.ordered || self.coincidences < COINCIDENCES {
                return None;
            }
            format!(
                "feature {id} tells the grade: in every query the feature has a single value for each grade, and \
                    {direction} with the grade"
            )
        };
        Some(Finding::stop(Guard::LabelFeature, what))
    }
}

/// The direction of the values as the grade rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// There are fewer than two values.
    None,
    Rises,
    Falls,
    Neither,
}

fn direction(values: &[Option<f32>; GRADES]) -> Direction {
    let known = || values.iter().flatten();
    match known().count() {
        0 | 1 => Direction::None,
        _ if known().is_sorted_by(|a, b| a < b) => Direction::Rises,
        _ if known().is_sorted_by(|a, b| a > b) => Direction::Falls,
        _ => Direction::Neither,
    }
}

/// Whether all grades have different values.
fn distinct(values: &[Option<f32>; GRADES]) -> bool {
    values.iter().enumerate().all(|(grade, value)| value.is_none() || !values[..grade].contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dataset;

    /// Findings for documents that are given as grade and value of feature 2; feature 1 is
    /// constant.
    fn found(queries: &[&[(u8, f32)]]) -> Vec<String> {
        let rows: Vec<Vec<(u8, [f32; 2])>> =
            queries.iter().map(|query| query.iter().map(|&(grade, value)| (grade, [7.0, value])).collect()).collect();
        let documents: Vec<Vec<(u8, &[f32])>> =
            rows.iter().map(|query| query.iter().map(|(grade, row)| (*grade, &row[..])).collect()).collect();
        let ids: Vec<String> = (0..queries.len()).map(|number| format!("q{number}")).collect();
        #[allow(clippy::type_complexity)] // a table written out
        let queries: Vec<(&str, &[(u8, &[f32])])> =
            ids.iter().map(String::as_str).zip(documents.iter().map(Vec::as_slice)).collect();
        find(&dataset(&queries), 1).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn the_grade_and_its_images_are_found() {
        assert_eq!(found(&[&[(0, 0.0), (2, 2.0)], &[(1, 1.0)]]), ["feature 2 is the grade, in every document"]);
        assert_eq!(
            found(&[&[(0, 0.5), (2, -1.5)], &[(1, -0.5), (0, 0.5)]]),
            ["feature 2 tells the grade: in all documents it is 0.5 for grade 0, -0.5 for grade 1, -1.5 for grade 2"]
        );
        // Also if each query has a single grade, and if the values are not linear in the grade.
        assert_eq!(
            found(&[&[(0, 1.0)], &[(1, 10.0), (1, 10.0)]]),
            ["feature 2 tells the grade: in all documents it is 1 for grade 0, 10 for grade 1"]
        );
    }

    #[test]
    fn the_grade_scaled_within_each_query_is_found() {
        // Min-max over the query: grades 0 1 1 become 0 1 1, and 1 2 2 become 0 1 1 too.
        let one: &[(u8, f32)] = &[(0, 0.0), (1, 1.0), (1, 1.0), (0, 0.0), (1, 1.0)];
        let two: &[(u8, f32)] = &[(1, 0.0), (2, 1.0), (2, 1.0), (1, 0.0), (2, 1.0)];
        let single: &[(u8, f32)] = &[(2, 0.0), (2, 0.0)];
        let expected = [
            "feature 2 tells the grade: in every query the feature has a single value for each grade, and rises with the grade",
        ];
        assert_eq!(found(&[one, two, single, one, two]), expected);
        // Six equal values may be an accident.
        assert!(found(&[one, two]).is_empty());
        let falls: &[(u8, f32)] = &[(0, 3.0), (1, 1.0), (1, 1.0), (0, 3.0), (1, 1.0)];
        assert!(found(&[one, two, single, one, two, falls]).is_empty());
    }

    #[test]
    fn a_permutation_of_the_grade_is_found_if_it_is_no_accident() {
        // 0 -> 7, 1 -> 3, 2 -> 5, over two queries. Each query is a permutation, and only the first
        // shows all three.
        let one: &[(u8, f32)] = &[(0, 7.0), (1, 3.0), (2, 5.0), (0, 7.0), (1, 3.0), (2, 5.0), (0, 7.0)];
        let two: &[(u8, f32)] = &[(0, 7.0), (2, 5.0), (2, 5.0), (0, 7.0), (2, 5.0), (0, 7.0)];
        let expected =
            ["feature 2 tells the grade: in all documents it is 7 for grade 0, 3 for grade 1, 5 for grade 2"];
        assert_eq!(found(&[one, two]), expected);
        assert_eq!(found(&[two, one]), expected);
        // Of three values, ten documents repeat an earlier value. Nine such documents may be an
        // accident.
        assert!(found(&[one, &two[1..]]).is_empty());
        // Two values of one grade, and two grades of one value.
        assert!(found(&[one, two, &[(2, 6.0)]]).is_empty() && found(&[one, two, &[(3, 5.0)]]).is_empty());
        assert!(found(&[one, two, &[(2, 7.0)]]).is_empty());
        // The two queries are in different blocks.
        let mut queries = vec![two; 3 * BLOCK];
        queries[2 * BLOCK] = one;
        assert_eq!(found(&queries), expected);
        queries[BLOCK] = &[(1, 4.0)];
        assert!(found(&queries).is_empty());
    }

    #[test]
    fn what_is_not_the_grade_is_not_found() {
        assert!(found(&[&[(0, 0.0), (2, 2.0), (2, 2.5)]]).is_empty());
        assert!(found(&[&[(0, 1.0), (1, 1.0), (2, 2.0)]]).is_empty());
        assert!(found(&[&[(0, 1.0), (1, 3.0), (2, 2.0)]]).is_empty());
        assert!(found(&[&[(1, 1.0), (1, 1.0)], &[(1, 1.0)]]).is_empty());
    }

    #[test]
    fn a_contradiction_anywhere_counts() {
        let good: &[(u8, f32)] = &[(0, 0.0), (1, 1.0), (1, 1.0)];
        for place in [0, 1, BLOCK, 3 * BLOCK] {
            let mut queries = vec![good; 3 * BLOCK + 1];
            assert_eq!(found(&queries).len(), 1);
            queries[place] = &[(0, 0.0), (1, 1.0), (1, 0.0)];
            assert!(found(&queries).is_empty(), "{place}");
            // Another value, but still one for each grade in the query: case 3.
            queries[place] = &[(0, 0.5), (1, 1.0), (1, 1.0)];
            assert!(found(&queries)[0].contains("in every query"), "{place}");
        }
    }
}
