//! A feature off which the grades can be read.
//!
//! That is a feature with one value for each grade, rising or falling with it: in all documents of the collection, or in each query,
//! as the grade becomes if it is normalised over the query. For the second it must also be no accident: in queries of several grades,
//! at least [`COINCIDENCES`] documents have exactly the value of an earlier document of the same query and grade.

use fivefold_core::dataset::HIGHEST_GRADE;
use fivefold_core::{Dataset, JudgedQuery};
use rayon::prelude::*;

use super::{Finding, Guard};

/// Equal values that a feature with one value a grade in each query must have to be taken for the grade.
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
    coincidences: usize,
    /// The value of each grade over all queries, while it is the same.
    values: Option<[Option<f32>; GRADES]>,
}

/// The features that are the grade; the first feature has the id `first_id`.
pub(super) fn find(all: &Dataset, first_id: u32) -> Vec<Finding> {
    let blocks: Vec<usize> = (0..all.len()).step_by(BLOCK).collect();
    let of_block = |&first: &usize| {
        let mut candidates: Vec<Candidate> = (0..all.width())
            .map(|feature| Candidate { feature, rising: None, coincidences: 0, values: Some([None; GRADES]) })
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
    left.iter().filter_map(|candidate| candidate.finding(first_id)).collect()
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
        let Ok(direction) = direction(&own) else { return false };
        if direction.is_some() {
            self.coincidences += coincidences;
        }
        self.agree(direction, &own)
    }

    fn merge(&mut self, other: &Candidate) -> bool {
        self.coincidences += other.coincidences;
        match &other.values {
            Some(values) => self.agree(other.rising, values),
            None => {
                self.values = None;
                self.agree(other.rising, &[None; GRADES])
            }
        }
    }

    fn agree(&mut self, rising: Option<bool>, values: &[Option<f32>; GRADES]) -> bool {
        if let Some(known) = &mut self.values {
            let same = known.iter().zip(values).all(|(a, b)| a.is_none() || b.is_none() || a == b);
            known.iter_mut().zip(values).for_each(|(known, value)| *known = known.or(*value));
            if !same {
                self.values = None;
            }
        }
        match (self.rising, rising) {
            (Some(one), Some(other)) => one == other,
            _ => {
                self.rising = self.rising.or(rising);
                true
            }
        }
    }

    fn finding(&self, first_id: u32) -> Option<Finding> {
        let id = self.feature + first_id as usize;
        let known: Vec<(usize, f32)> =
            self.values.iter().flatten().enumerate().filter_map(|(grade, value)| Some((grade, (*value)?))).collect();
        let over_all = self.values.as_ref().is_some_and(|values| matches!(direction(values), Ok(Some(_))));
        let what = if over_all && known.iter().all(|&(grade, value)| value == grade as f32) {
            format!("feature {id} is the grade, in every document")
        } else if over_all {
            let values = known.iter().map(|(grade, value)| format!("{value} for grade {grade}"));
            let values = values.collect::<Vec<_>>().join(", ");
            format!("feature {id} tells the grade: in all documents it is {values}")
        } else {
            let direction = if self.rising? { "rises" } else { "falls" };
            if self.coincidences < COINCIDENCES {
                return None;
            }
            format!(
                "feature {id} tells the grade: in every query it has one value for each grade, and {direction} with it"
            )
        };
        Some(Finding::stop(Guard::LabelFeature, what))
    }
}

/// Whether values rise (`true`) or fall with the grade; `None`: there are fewer than two; the error: neither.
fn direction(values: &[Option<f32>; GRADES]) -> Result<Option<bool>, ()> {
    let mut known = values.iter().flatten();
    let Some(mut before) = known.next() else { return Ok(None) };
    let mut rising = None;
    for value in known {
        if value == before || rising.is_some_and(|rising| rising != (value > before)) {
            return Err(());
        }
        rising = Some(value > before);
        before = value;
    }
    Ok(rising)
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
