//! A feature off which the grades can be read.
//!
//! That is a feature with one value for each grade and another for each other grade: in all documents of the collection, be it the grade,
//! rising or falling with it, or a permutation of it; or in each query, rising or falling, as the grade becomes if it is normalised over
//! the query. The permutation and the second must also be no accident: at least [`COINCIDENCES`] documents have exactly the value of an
//! earlier document of the same grade, for the second one of the same query, which has several grades. (A constant feature tells nothing:
//! there must be two grades. A feature with more values than grades is not found.)

use fivefold_core::dataset::HIGHEST_GRADE;
use fivefold_core::{Dataset, JudgedQuery};
use rayon::prelude::*;

use super::{Finding, Guard};

/// Equal values that a feature must have to be taken for the grade, where its values could be those of any feature.
const COINCIDENCES: usize = 10;

/// Queries that are looked at together; a feature is dropped at its first contradiction.
const BLOCK: usize = 64;

const GRADES: usize = HIGHEST_GRADE as usize + 1;

/// What is known of a feature that may be the grade.
#[derive(Debug, Clone)]
struct Candidate {
    feature: usize,
    /// Whether it rises with the grade; `None`: no query of several grades so far.
    rising: Option<bool>,
    /// Whether it rises in every query, or falls in every query.
    ordered: bool,
    coincidences: usize,
    /// The value of each grade over all queries, while it is the same, and that of no other grade.
    values: Option<[Option<f32>; GRADES]>,
}

/// The features that are the grade; the first feature has the id `first_id`.
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
    /// Whether it can still be the grade after this query.
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
                "feature {id} tells the grade: in every query it has one value for each grade, and {direction} with it"
            )
        };
        Some(Finding::stop(Guard::LabelFeature, what))
    }
}

/// Where values go as the grade rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// There are fewer than two.
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

/// Whether no two grades have the same value.
fn distinct(values: &[Option<f32>; GRADES]) -> bool {
    values.iter().enumerate().all(|(grade, value)| value.is_none() || !values[..grade].contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dataset;

    /// Documents as grade and value of feature 2; feature 1 is constant.
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
        // Also where each query has a single grade, and where the values are no line.
        assert_eq!(
            found(&[&[(0, 1.0)], &[(1, 10.0), (1, 10.0)]]),
            ["feature 2 tells the grade: in all documents it is 1 for grade 0, 10 for grade 1"]
        );
    }

    #[test]
    fn the_grade_scaled_within_each_query_is_found() {
        // Min-max over the query: grades 0 1 1 are 0 1 1, and 1 2 2 are 0 1 1 too.
        let one: &[(u8, f32)] = &[(0, 0.0), (1, 1.0), (1, 1.0), (0, 0.0), (1, 1.0)];
        let two: &[(u8, f32)] = &[(1, 0.0), (2, 1.0), (2, 1.0), (1, 0.0), (2, 1.0)];
        let single: &[(u8, f32)] = &[(2, 0.0), (2, 0.0)];
        let expected = ["feature 2 tells the grade: in every query it has one value for each grade, and rises with it"];
        assert_eq!(found(&[one, two, single, one, two]), expected);
        // Six equal values may be an accident.
        assert!(found(&[one, two]).is_empty());
        let falls: &[(u8, f32)] = &[(0, 3.0), (1, 1.0), (1, 1.0), (0, 3.0), (1, 1.0)];
        assert!(found(&[one, two, single, one, two, falls]).is_empty());
    }

    #[test]
    fn a_permutation_of_the_grade_is_found_if_it_is_no_accident() {
        // 0 -> 7, 1 -> 3, 2 -> 5, over two queries; each is a permutation, and only one shows it.
        let one: &[(u8, f32)] = &[(0, 7.0), (1, 3.0), (2, 5.0), (0, 7.0), (1, 3.0), (2, 5.0), (0, 7.0)];
        let two: &[(u8, f32)] = &[(0, 7.0), (2, 5.0), (2, 5.0), (0, 7.0), (2, 5.0), (0, 7.0)];
        let expected =
            ["feature 2 tells the grade: in all documents it is 7 for grade 0, 3 for grade 1, 5 for grade 2"];
        assert_eq!(found(&[one, two]), expected);
        assert_eq!(found(&[two, one]), expected);
        // Of three values, ten documents have that of an earlier one; with nine it may be an accident.
        assert!(found(&[one, &two[1..]]).is_empty());
        // Two values of a grade, and two grades of a value.
        assert!(found(&[one, two, &[(2, 6.0)]]).is_empty() && found(&[one, two, &[(3, 5.0)]]).is_empty());
        assert!(found(&[one, two, &[(2, 7.0)]]).is_empty());
        // Blocks apart.
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
            // Another value, but one for each grade: told within queries only.
            queries[place] = &[(0, 0.5), (1, 1.0), (1, 1.0)];
            assert!(found(&queries)[0].contains("in every query"), "{place}");
        }
    }
}
