//! The queries of a student, each made for one rule or two, and two systems that score them.

use fivefold_base::{Rng, Seed};
use fivefold_metrics::DIALECTS;

use super::{MEASURE, attributed};
use crate::error::LabError;

/// The highest grade of the data.
pub(super) const HIGHEST_GRADE: u8 = 3;
/// Pairs of dialects that a student gets, of those in [`ALL_PAIRS`].
const PAIRS: usize = 8;
/// The most tries to make a second system.
const TRIES: u64 = 10_000;

/// A document, in file order.
pub(super) struct Document {
    pub(super) id: String,
    pub(super) grade: u8,
    feature: f64,
    /// Scores of the two systems.
    scores: [f64; 2],
}

/// A query of the file.
pub(super) struct Query {
    pub(super) id: String,
    pub(super) documents: Vec<Document>,
}

/// Which scores are measured.
#[derive(Clone, Copy)]
pub(super) enum System {
    /// `scores.txt`.
    One,
    /// `other.txt`.
    Other,
}

/// Two dialects, a measure, and the query on which they differ by one rule.
pub(super) struct Pair {
    pub(super) dialects: [&'static str; 2],
    pub(super) measure: &'static str,
    pub(super) query: String,
}

/// The data of a student.
pub(super) struct Data {
    pub(super) queries: Vec<Query>,
    pub(super) pairs: Vec<Pair>,
}

/// What a query is made for.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Grades 0 to 3 on six documents, no ties.
    Graded,
    /// Two documents tie, one of them relevant; grades 0 and 1.
    Tied,
    /// No document is relevant.
    Empty,
    /// Three documents, of which the first is relevant.
    Short,
    /// Three documents, of which the second is relevant: two rules depend on each other here.
    Late,
    /// Seven documents, of which three are relevant.
    Long,
    /// Grades 0, 1 and 2.
    Low,
    /// Scores that differ in the tenth digit.
    Close,
}

const ROLES: [Role; 8] =
    [Role::Graded, Role::Tied, Role::Empty, Role::Short, Role::Late, Role::Long, Role::Low, Role::Close];

/// Pairs of dialects that differ by one rule on the query of a role.
const ALL_PAIRS: [([&str; 2], &str, Role); 12] = [
    (["letor4", "ranklib"], "ndcg@5", Role::Graded),
    (["paper", "sklearn"], "ndcg@5", Role::Graded),
    (["letor4", "ranklib"], "err@5", Role::Graded),
    (["ranklib", "trec_eval"], "ndcg@5", Role::Tied),
    (["paper", "sklearn"], "ap", Role::Tied),
    (["lightgbm", "catboost"], "rr", Role::Tied),
    (["ranklib", "lightgbm"], "ndcg@5", Role::Empty),
    (["letor4", "ranklib"], "ndcg@5", Role::Short),
    (["ranklib", "ranx"], "p@5", Role::Short),
    (["paper", "trec_eval"], "ap@5", Role::Long),
    (["letor4", "mslr"], "ap", Role::Low),
    (["lightgbm", "xgboost"], "ndcg@5", Role::Close),
];

impl Data {
    pub(super) fn new(seed: Seed) -> Result<Self, LabError> {
        let mut roles = ROLES;
        seed.derive("roles").rng().shuffle(&mut roles);
        let ids: Vec<String> =
            seed.derive("ids").rng().sample(90, ROLES.len()).into_iter().map(|id| (10 + id).to_string()).collect();
        let queries: Vec<Query> = roles
            .iter()
            .zip(&ids)
            .map(|(role, id)| query(*role, id, &mut seed.derive("query").derive(id).rng()))
            .collect();
        let mut chosen: Vec<usize> = (0..ALL_PAIRS.len()).collect();
        seed.derive("pairs").rng().shuffle(&mut chosen);
        let pair = |&at: &usize| {
            let (dialects, measure, role) = ALL_PAIRS[at];
            let place = roles.iter().position(|own| *own == role).unwrap_or(0);
            Pair { dialects, measure, query: ids[place].clone() }
        };
        let pairs = chosen[..PAIRS].iter().map(pair).collect();
        let mut data = Data { queries, pairs };
        data.make_other(seed)?;
        Ok(data)
    }

    /// Makes a second system that some dialects prefer and others do not.
    fn make_other(&mut self, seed: Seed) -> Result<(), LabError> {
        for number in 0..TRIES {
            let mut rng = seed.derive("other").derive_index("try", number).rng();
            for query in &mut self.queries {
                let mut scores: Vec<f64> = query.documents.iter().map(|document| document.scores[0]).collect();
                rng.shuffle(&mut scores);
                query.documents.iter_mut().zip(scores).for_each(|(document, score)| document.scores[1] = score);
            }
            let margins = self.margins()?;
            let won = margins.iter().filter(|margin| **margin > 0.0).count();
            if (2..=DIALECTS.len() - 2).contains(&won) && margins.iter().all(|margin| margin.abs() > 0.003) {
                return Ok(());
            }
        }
        Err(LabError::Other("no second system was found".to_owned()))
    }

    /// How far the second system is above the first, under each dialect.
    fn margins(&self) -> Result<Vec<f64>, LabError> {
        let margin = |dialect: &str| -> Result<f64, LabError> {
            let mean = |system| attributed(self, MEASURE, [dialect; 2], system).map(|found| found.means[0]);
            Ok(mean(System::Other)? - mean(System::One)?)
        };
        DIALECTS.iter().map(|dialect| margin(dialect.name)).collect()
    }

    /// The dialects under which the second system has the higher mean.
    pub(super) fn won_by_other(&self) -> Result<Vec<String>, LabError> {
        let margins = self.margins()?;
        let won = DIALECTS.iter().zip(margins).filter(|(_, margin)| *margin > 0.0);
        Ok(won.map(|(dialect, _)| dialect.name.to_owned()).collect())
    }

    /// The queries as LETOR text.
    pub(super) fn letor(&self) -> String {
        let lines = self.queries.iter().flat_map(|query| {
            let line = |document: &Document| {
                let Document { id, grade, feature, .. } = document;
                format!("{grade} qid:{} 1:{feature:.2} #docid = {id}\n", query.id)
            };
            query.documents.iter().map(line).collect::<Vec<_>>()
        });
        lines.collect()
    }

    /// The scores of a system, a line for each document of the file.
    pub(super) fn scores(&self, system: System) -> String {
        let scores = self.queries.iter().flat_map(|query| query.scores(system));
        scores.map(|score| format!("{score:?}\n")).collect()
    }
}

impl Query {
    pub(super) fn scores(&self, system: System) -> Vec<f64> {
        self.documents.iter().map(|document| document.scores[system as usize]).collect()
    }
}

/// A query for a role.
fn query(role: Role, id: &str, rng: &mut Rng) -> Query {
    // Grades from the first rank to the last.
    let mut grades: Vec<u8> = match role {
        Role::Graded => {
            let mut tail = vec![3, 2, 1 + rng.below(2) as u8, 0, 0];
            rng.shuffle(&mut tail);
            [&[rng.below(2) as u8][..], &tail].concat()
        }
        Role::Tied => vec![0, 0, 1, 0, 1],
        Role::Empty => vec![0; 4 + rng.index(4)],
        Role::Short => vec![1 + rng.below(3) as u8, 0, 0],
        Role::Late => vec![0, 1 + rng.below(3) as u8, 0],
        Role::Long => {
            let mut head = vec![1, 1, 0, 0, 0];
            rng.shuffle(&mut head);
            [&head[..], &[1, 0]].concat()
        }
        Role::Low => {
            let mut grades = vec![1, 2, 0, 0, 1];
            rng.shuffle(&mut grades);
            // AP is different without the documents of grade 1 only if one stands above the other.
            if grades.iter().position(|grade| *grade > 0) == grades.iter().position(|grade| *grade == 2) {
                grades.reverse();
            }
            grades
        }
        Role::Close => vec![0, 0, 1, 1, 0],
    };
    // The score of each rank in hundredths, falling by at least 0.03.
    let mut hundredths = 90 + rng.below(10) as i64;
    let mut scores = Vec::new();
    for _ in &grades {
        scores.push(hundredths as f64 / 100.0);
        hundredths -= 3 + rng.below(8) as i64;
    }
    // Documents by rank, and the order in which they stand in the file.
    let mut order: Vec<usize> = (0..grades.len()).collect();
    let mut ids: Vec<String> = rng.sample(90, grades.len()).into_iter().map(|id| format!("d{}", 10 + id)).collect();
    rng.shuffle(&mut ids);
    rng.shuffle(&mut order);
    // The two documents whose order decides: the first rank of the two, counted from 0.
    let first = match role {
        Role::Tied => Some(rng.index(2)),
        Role::Close => Some(1 + rng.index(2)),
        _ => None,
    };
    if let Some(first) = first {
        if role == Role::Tied {
            // One of two is relevant, and so is the last document.
            grades = vec![0, 0, 0, 0, 1];
            grades[first + 1] = 1;
            scores[first + 1] = scores[first];
        } else {
            grades = vec![0; 5];
            (grades[first + 1], grades[4]) = (1, 1);
            scores[first + 1] = scores[first] - 1e-10;
        }
        // File order puts the relevant document of the two first. Document ids, from the highest
        // down, put it last.
        let [low, high] = [first, first + 1].map(|rank| order.iter().position(|own| *own == rank).unwrap_or(0));
        if high > low {
            order.swap(low, high);
        }
        if ids[first + 1] > ids[first] {
            ids.swap(first, first + 1);
        }
    }
    let documents = order.into_iter().map(|rank| Document {
        id: ids[rank].clone(),
        grade: grades[rank],
        feature: rng.below(100) as f64 / 100.0,
        scores: [scores[rank]; 2],
    });
    Query { id: id.to_owned(), documents: documents.collect() }
}
