//! The twelve queries of a student.

use fivefold_base::{Rng, Seed};

/// A document of a query.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document {
    pub(super) id: String,
    /// `None`: nobody judged it.
    pub(super) grade: Option<u8>,
    /// `None`: the run did not retrieve it.
    pub(super) score: Option<f64>,
}

/// A query with its documents, in an order that says nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    pub(super) name: String,
    /// What the query shows.
    pub(super) role: &'static str,
    pub(super) documents: Vec<Document>,
}

/// What a query is made of, from the first rank to the last.
struct Plan {
    role: &'static str,
    /// Grades of the ranked documents; `None`: not judged.
    grades: Vec<Option<u8>>,
    /// Ranks (from 0) of documents that tie.
    tied: std::ops::Range<usize>,
    /// Grades of judged documents that the run did not retrieve.
    missed: Vec<u8>,
}

impl Plan {
    fn new(role: &'static str, grades: &[u8]) -> Self {
        Plan { role, grades: grades.iter().copied().map(Some).collect(), tied: 0..0, missed: Vec::new() }
    }
}

/// The queries of a student.
pub(super) fn queries(seed: Seed) -> Vec<Query> {
    (1..=PLANS.len())
        .zip(PLANS)
        .map(|(number, plan)| {
            let name = format!("q{number}");
            let mut rng = seed.derive(&name).rng();
            let plan = plan(&mut rng);
            query(name, plan, &mut rng)
        })
        .collect()
}

/// How each query is made.
const PLANS: [fn(&mut Rng) -> Plan; 12] = [
    |rng| {
        let mut tail = [1, 1, u8::from(rng.below(2) == 0), 0];
        rng.shuffle(&mut tail);
        Plan::new("binary grades", &[&[0], &tail[..]].concat())
    },
    |rng| {
        let mut head = [1, 1, 0, 0, 0];
        rng.shuffle(&mut head);
        Plan::new("a relevant document beyond the cutoff", &[&head[..], &[1]].concat())
    },
    |rng| {
        let mut head = [some_grade(rng), some_grade(rng), some_grade(rng), 0];
        rng.shuffle(&mut head);
        Plan::new("grades 0 to 4", &[&[0], &head[..], &[some_grade(rng)]].concat())
    },
    |rng| {
        let mut grades = [some_grade(rng), some_grade(rng), some_grade(rng), 0, 0];
        rng.shuffle(&mut grades);
        Plan::new("a user who stops", &grades)
    },
    |rng| {
        let mut tail = [some_grade(rng), some_grade(rng), 4, 0];
        rng.shuffle(&mut tail);
        Plan::new("all measures", &[&[rng.below(3) as u8], &tail[..]].concat())
    },
    |rng| {
        let low = 1 + rng.below(2) as u8;
        let grades = if rng.below(2) == 0 { [0, low, low + 1] } else { [low, 0, low + 2] };
        Plan::new("fewer documents than the cutoff", &grades)
    },
    |rng| Plan::new("no relevant document", &[0; 6][..4 + rng.index(3)]),
    |rng| {
        let first = rng.index(2);
        let mut grades = [0, 1, 0, 1];
        if first == 1 {
            grades = [0, 0, 1, 1];
        }
        Plan { tied: first..first + 2, ..Plan::new("two documents tie", &grades) }
    },
    |rng| {
        let mut grades = [0, 1 + rng.below(2) as u8, 3 + rng.below(2) as u8];
        rng.shuffle(&mut grades);
        Plan { tied: 0..3, ..Plan::new("three documents tie", &[&grades[..], &[some_grade(rng)]].concat()) }
    },
    |rng| {
        let mut grades = [Some(some_grade(rng)), Some(some_grade(rng)), Some(0), None];
        rng.shuffle(&mut grades);
        let grades = [&[None], &grades[..]].concat();
        let missed = vec![some_grade(rng), 0];
        Plan { grades, missed, ..Plan::new("documents that nobody judged", &[]) }
    },
    |rng| {
        let high = 2 + rng.below(3) as u8;
        let grades = if rng.below(2) == 0 { [high, 0, 1] } else { [1, high, 0] };
        Plan::new("U, E, V1 and V2 of a good ranking", &grades)
    },
    |rng| {
        let grades: &[u8] = match rng.below(4) {
            0 => &[0, 0, 1],
            1 => &[0, 0, 0, 1],
            2 => &[0, 0, 1, 1],
            _ => &[0, 0, 0, 1, 1],
        };
        Plan::new("U, E, V1 and V2 of a bad ranking", grades)
    },
];

/// A grade from 1 to 4.
fn some_grade(rng: &mut Rng) -> u8 {
    1 + rng.below(4) as u8
}

/// Fills in ids and scores, and puts the documents in a random order.
fn query(name: String, plan: Plan, rng: &mut Rng) -> Query {
    let count = plan.grades.len() + plan.missed.len();
    let ids = rng.sample(90, count).into_iter().map(|id| format!("d{}", 10 + id));
    let mut ids: Vec<String> = ids.collect();
    rng.shuffle(&mut ids);
    // Hundredths, so that scores print as they are. A step of at least 0.03 parts neighbours.
    let mut hundredths = 90 + rng.below(10) as i64;
    let mut documents = Vec::with_capacity(count);
    let grades = plan.grades.iter().map(|grade| (*grade, true));
    let missed = plan.missed.iter().map(|grade| (Some(*grade), false));
    for (rank, ((grade, retrieved), id)) in grades.chain(missed).zip(ids).enumerate() {
        if rank > 0 && !(plan.tied.contains(&rank) && plan.tied.contains(&(rank - 1))) {
            hundredths -= 3 + rng.below(9) as i64;
        }
        documents.push(Document { id, grade, score: retrieved.then_some(hundredths as f64 / 100.0) });
    }
    rng.shuffle(&mut documents);
    Query { name, role: plan.role, documents }
}

impl Query {
    /// The query as a table of the worksheet.
    pub(super) fn table(&self) -> String {
        let mut text = String::from("| document | score | grade |\n|---|---|---|\n");
        for document in &self.documents {
            let score = document.score.map_or_else(|| "not retrieved".to_owned(), |score| format!("{score:.2}"));
            let grade = document.grade.map_or_else(|| "not judged".to_owned(), |grade| grade.to_string());
            text.push_str(&format!("| {} | {score} | {grade} |\n", document.id));
        }
        text.trim_end().to_owned()
    }

    /// The lines of TREC qrels.
    pub(super) fn qrels(&self) -> String {
        let judged = self.documents.iter().filter_map(|document| document.grade.map(|grade| (&document.id, grade)));
        judged.map(|(id, grade)| format!("{} 0 {id} {grade}\n", self.name)).collect()
    }

    /// The lines of a TREC run, the highest score first.
    pub(super) fn run(&self) -> String {
        let mut retrieved: Vec<(&str, f64)> =
            self.documents.iter().filter_map(|d| d.score.map(|score| (d.id.as_str(), score))).collect();
        retrieved.sort_by(|one, other| other.1.total_cmp(&one.1));
        let line =
            |(rank, (id, score)): (usize, (&str, f64))| format!("{} Q0 {id} {} {score:.2} lab\n", self.name, rank + 1);
        retrieved.into_iter().enumerate().map(line).collect()
    }
}
