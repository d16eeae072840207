//! The vectors on which a student's gradients are tried, and the small collection on which the
//! student's ranker learns.
//!
//! A case is a query of six documents: scores on multiples of 1/32, which a text keeps exactly, no
//! two of them equal, and grades of at least three kinds. A document of the collection has four
//! features: the utility is their weighted sum plus noise, and the best two and the next two of
//! eight documents have grades 2 and 1.

use std::fmt::Write as _;

use fivefold_base::{Rng, Seed};

/// Cases for each loss.
pub(crate) const CASES: usize = 6;
/// Documents of a case.
const CASE_DOCUMENTS: usize = 6;
/// Features of the collection.
const FEATURES: usize = 4;
/// Documents of a query of the collection.
pub(crate) const DOCUMENTS: usize = 8;
/// Training queries and test queries.
const QUERIES: [usize; 2] = [24, 16];

/// A query whose gradient is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    pub(crate) scores: Vec<f64>,
    pub(crate) grades: Vec<f64>,
}

/// Cases of a student.
pub(crate) fn cases(seed: Seed) -> Vec<Case> {
    (0..CASES as u64).map(|number| case(&mut seed.derive_index("case", number).rng(), CASE_DOCUMENTS)).collect()
}

fn case(rng: &mut Rng, documents: usize) -> Case {
    loop {
        let scores: Vec<i64> = (0..documents).map(|_| rng.below(129) as i64 - 64).collect();
        let grades: Vec<f64> = (0..documents).map(|_| rng.below(4) as f64).collect();
        let kinds = (0..4).filter(|grade| grades.contains(&f64::from(*grade))).count();
        let distinct = (0..documents).all(|one| (0..one).all(|other| scores[one] != scores[other]));
        if distinct && kinds >= 3 {
            return Case { scores: scores.into_iter().map(|score| score as f64 / 32.0).collect(), grades };
        }
    }
}

/// The query of three documents that a student differentiates by hand. Scores have one decimal.
pub(crate) fn by_hand(seed: Seed) -> Case {
    let mut rng = seed.derive("by hand").rng();
    let mut grades = [0.0, 1.0, 2.0];
    rng.shuffle(&mut grades);
    let mut tenths: [i64; 3] = [0; 3];
    while tenths[0] == tenths[1] || tenths[0] == tenths[2] || tenths[1] == tenths[2] {
        tenths = std::array::from_fn(|_| rng.below(31) as i64 - 10);
    }
    Case { scores: tenths.map(|tenth| tenth as f64 / 10.0).to_vec(), grades: grades.to_vec() }
}

/// A query of the collection: grades, and features in hundredths.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MadeQuery {
    pub(crate) grades: Vec<u8>,
    features: Vec<[u8; FEATURES]>,
}

/// Training part and test part.
pub(crate) fn collection(seed: Seed) -> [Vec<MadeQuery>; 2] {
    let mut weights = [1.5, 1.0, 0.5, -1.0];
    seed.derive("weights").rng().shuffle(&mut weights);
    let part = |name: &'static str, queries: usize| {
        let query = |number| made_query(&weights, &mut seed.derive_index(name, number as u64).rng());
        (0..queries).map(query).collect()
    };
    [part("train", QUERIES[0]), part("test", QUERIES[1])]
}

fn made_query(weights: &[f64; FEATURES], rng: &mut Rng) -> MadeQuery {
    let features: Vec<[u8; FEATURES]> = (0..DOCUMENTS).map(|_| std::array::from_fn(|_| rng.below(101) as u8)).collect();
    let utility: Vec<f64> = features
        .iter()
        .map(|row| row.iter().zip(weights).map(|(value, weight)| f64::from(*value) / 100.0 * weight).sum::<f64>())
        .map(|sum| sum + 0.25 * rng.normal())
        .collect();
    let mut order: Vec<usize> = (0..DOCUMENTS).collect();
    order.sort_by(|&a, &b| utility[b].total_cmp(&utility[a]));
    let mut grades = vec![0; DOCUMENTS];
    order.iter().take(4).enumerate().for_each(|(rank, &document)| grades[document] = if rank < 2 { 2 } else { 1 });
    MadeQuery { grades, features }
}

/// The LETOR text of queries, whose ids are a word and a number.
pub(crate) fn letor(word: &str, queries: &[MadeQuery]) -> String {
    let mut text = String::new();
    for (number, query) in queries.iter().enumerate() {
        for (grade, row) in query.grades.iter().zip(&query.features) {
            let _ = write!(text, "{grade} qid:{word}-{}", number + 1);
            row.iter().enumerate().for_each(|(column, value)| {
                let _ = write!(text, " {}:{}.{:02}", column + 1, value / 100, value % 100);
            });
            text.push('\n');
        }
    }
    text
}

/// The cases as LETOR text: feature 1 is the score and feature 2 the grade. The grades before `qid`
/// take turns, since they tell nothing.
pub(crate) fn letor_of_cases(cases: &[Case]) -> String {
    let mut text = String::new();
    for (number, case) in cases.iter().enumerate() {
        for (place, (score, grade)) in case.scores.iter().zip(&case.grades).enumerate() {
            let _ = writeln!(text, "{} qid:case-{} 1:{score} 2:{grade} 3:0 4:0", place % 2, number + 1);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::three_losses::losses::Loss;

    #[test]
    fn a_gradient_of_zeros_or_of_another_loss_is_wrong_on_every_case() {
        for student in 0..50 {
            let mut all = cases(Seed::new(student));
            all.push(by_hand(Seed::new(student)));
            for case in all {
                let found: Vec<Vec<f64>> =
                    Loss::ALL.iter().map(|loss| loss.gradient(&case.scores, &case.grades)).collect();
                let zeros = vec![0.0; case.scores.len()];
                for (place, one) in found.iter().enumerate() {
                    for other in found[..place].iter().chain([&zeros]) {
                        let far = one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                        assert!(far > 0.01, "student {student}: {case:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn texts_keep_scores_exactly() {
        for case in cases(Seed::new(1)) {
            let text = letor_of_cases(std::slice::from_ref(&case));
            let read = text.lines().map(|line| line.split([' ', ':']).nth(4).unwrap().parse::<f32>().unwrap());
            assert_eq!(read.map(f64::from).collect::<Vec<_>>(), case.scores);
        }
        let [train, test] = collection(Seed::new(1));
        assert_eq!((train.len(), test.len()), (24, 16));
        assert!(letor("rank", &test).starts_with(&format!("{} qid:rank-1 1:", test[0].grades[0])));
    }
}
