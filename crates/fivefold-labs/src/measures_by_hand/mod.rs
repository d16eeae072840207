//! Lab 1: measures by hand.
//!
//! Twelve small queries: ties, no relevant document, fewer documents than the cutoff, unjudged
//! documents, grades 0 to 4. Each query has a role, and the student's seed fills in grades, scores
//! and ids. Values and their steps are those of `fivefold_metrics` under the dialect `paper`.

mod queries;
mod tied;

use fivefold_base::Assessment;
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec, Scratch, Seed, Version, dialect};

use self::queries::{Query, queries};
use crate::error::LabError;
use crate::explained::lines;
use crate::lab::{About, Answer, Cell, File, Handout, Lab, Section, fill};
use crate::student::Student;

/// Lab 1.
#[derive(Debug, Clone, Copy)]
pub struct MeasuresByHand;

const ABOUT: About = About {
    number: 1,
    name: "measures-by-hand",
    title: "Measures by hand",
    minutes: 80,
    learns: "compute P, AP, RR, DCG, nDCG, ERR and RBP, and what U, E, V1 and V2 say",
    version: 1,
};

/// The highest grade of the lab's scale.
const HIGHEST_GRADE: u8 = 4;

/// A column that a query asks for: the key of its cell, the measure, and what is asked.
struct Asked {
    key: &'static str,
    measure: &'static str,
    asks: &'static str,
    of: Of,
}

/// Which number of a measure is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Value,
    /// The value after unjudged documents were removed.
    Condensed,
    Upper,
    Expected,
}

const fn asked(key: &'static str, measure: &'static str, asks: &'static str) -> Asked {
    Asked { key, measure, asks, of: Of::Value }
}

const P: Asked = asked("p", "p@5", "P@5");
const AP: Asked = asked("ap", "ap", "AP");
const RR: Asked = asked("rr", "rr", "RR");
const DCG: Asked = asked("dcg", "dcg@5", "DCG@5");
const NDCG: Asked = asked("ndcg", "ndcg@5", "nDCG@5");
const ERR: Asked = asked("err", "err(max_grade=4)@5", "ERR@5");
const RBP: Asked = asked("rbp", "rbp(p=0.8)", "RBP with p = 0.8");

/// What each of the twelve queries asks, in the order of the worksheet.
const ASKED: [&[Asked]; 12] = [
    &[P, AP, RR],
    &[P, AP, RR],
    &[DCG, NDCG],
    &[ERR, RBP],
    &[P, AP, RR, DCG, NDCG, ERR, RBP],
    &[P, AP, DCG, NDCG],
    &[P, AP, RR, DCG, NDCG, ERR],
    &[P, AP, RR],
    &[DCG, NDCG, ERR],
    &[
        P,
        AP,
        NDCG,
        Asked { key: "ap-judged", measure: "ap", asks: "AP without the unjudged documents", of: Of::Condensed },
    ],
    &[
        asked("a", "dcg@2", "A, DCG@2 of the ranking"),
        Asked { key: "u", measure: "dcg.v2@2", asks: "U, DCG@2 of the ideal order", of: Of::Upper },
        Asked { key: "e", measure: "dcg.v2@2", asks: "E, mean DCG@2 over all orders", of: Of::Expected },
        asked("v1", "dcg.v1@2", "V1 of DCG@2"),
        asked("v2", "dcg.v2@2", "V2 of DCG@2"),
    ],
    &[
        asked("a", "rr", "A, RR of the ranking"),
        Asked { key: "u", measure: "rr.v2", asks: "U, RR of the ideal order", of: Of::Upper },
        Asked { key: "e", measure: "rr.v2", asks: "E, mean RR over all orders", of: Of::Expected },
        asked("v1", "rr.v1", "V1 of RR"),
        asked("v2", "rr.v2", "V2 of RR"),
    ],
];

impl Lab for MeasuresByHand {
    fn about(&self) -> About {
        ABOUT
    }

    fn handout(&self, student: &Student) -> Result<Handout, LabError> {
        let queries = queries(student.seed(ABOUT.name, ABOUT.version));
        let tables: Vec<String> = queries.iter().map(Query::table).collect();
        let mut texts: Vec<(&str, &str)> = vec![("student", student.id())];
        texts.extend(queries.iter().zip(&tables).map(|(query, table)| (query.name.as_str(), table.as_str())));
        Ok(Handout {
            worksheet: fill(include_str!("worksheet.md"), &texts)?,
            files: vec![
                File::data("qrels.txt", queries.iter().map(Query::qrels).collect::<String>()),
                File::data("run.txt", queries.iter().map(Query::run).collect::<String>()),
            ],
            sections: queries
                .iter()
                .map(|query| Section { name: query.name.clone(), title: query.role.to_owned() })
                .collect(),
        })
    }

    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError> {
        let queries = queries(student.seed(ABOUT.name, ABOUT.version));
        let mut cells = Vec::new();
        for (query, asked) in queries.iter().zip(ASKED) {
            for asked in asked {
                cells.push(cell(query, asked)?);
            }
        }
        Ok(cells)
    }

    fn key(&self) -> &'static str {
        include_str!("key.toml")
    }
}

/// A cell with its value and the arithmetic of the value.
fn cell(query: &Query, asked: &Asked) -> Result<Cell, LabError> {
    let spec: MeasureSpec = asked.measure.parse()?;
    let unjudged = if asked.of == Of::Condensed { Unjudged::Removed } else { Unjudged::NotRelevant };
    let conventions = Conventions { unjudged, ..dialect("paper")?.conventions() };
    let evaluator = Evaluator::new(&[spec], &conventions, HIGHEST_GRADE, Seed::new(0))?;
    let retrieved: Vec<_> = query.documents.iter().filter_map(|d| d.score.map(|score| (d, score))).collect();
    let pool: Vec<u8> = query.documents.iter().filter_map(|document| document.grade).collect();
    let assessments: Vec<Assessment> = retrieved.iter().map(|(document, _)| document.grade.into()).collect();
    let scores: Vec<f64> = retrieved.iter().map(|(_, score)| *score).collect();
    let judged = evaluator.judge_pool(&query.name, &pool, &assessments, None)?;
    let mut value = [0.0];
    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut value)?;
    let told = evaluator.explain(&judged, &scores, 0)?;
    let right = match asked.of {
        Of::Value | Of::Condensed => Some(value[0]).filter(|value| !value.is_nan()),
        Of::Upper => evaluator.upper(&judged, 0),
        Of::Expected => evaluator.expected(&judged, 0),
    };
    let version = if asked.measure.contains(".v1") { Version::V1 } else { Version::Original };
    let version = if asked.measure.contains(".v2") { Version::V2 } else { version };
    let steps = match tied::orders(&scores) {
        Some(orders) => {
            let ids: Vec<&str> = retrieved.iter().map(|(document, _)| document.id.as_str()).collect();
            tied::steps(&orders, &ids, asked.asks, |scores| {
                evaluator.evaluate(&judged, scores, &mut Scratch::default(), &mut value)?;
                Ok(value[0])
            })?
        }
        None => lines(&told, version, |row| retrieved[row].0.id.clone()),
    };
    Ok(Cell::new(format!("{}.{}", query.name, asked.key), asked.asks, Answer::Number(right)).with_steps(steps))
}
