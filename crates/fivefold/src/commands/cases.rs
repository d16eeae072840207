//! The input of `explain` and `diff`: queries with grades and scores. The queries come from LETOR
//! files and score files, or from qrels and runs.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use fivefold_base::words::list;
use fivefold_base::words::nearest;
use fivefold_core::JudgedQuery;
use fivefold_data::trec::{Duplicates, Joined, Qrels, Run, read_qrels, read_run};
use fivefold_metrics::attribution::ScoredQuery;

use super::eval::systems::{TestPart, check_folds, folds_of_files, path};
use crate::problem::Problem;
use crate::reading::LayoutArgs;
use crate::systems::duplicates;

/// Says where a LETOR file holds the ids of its queries.
pub(super) const LETOR_IDS: &str = "query ids stand behind `qid:`";

/// The qrels of a command that also takes LETOR files.
#[derive(clap::Args)]
#[group(skip)]
pub(super) struct QrelsArgs {
    /// TREC qrels instead of LETOR files: `topic 0 document grade` a line
    #[arg(long, value_name = "FILE")]
    pub(super) qrels: Option<PathBuf>,
    /// How to treat a document that stands twice under a topic of the qrels or of a run
    #[arg(long, value_name = "POLICY", default_value = Duplicates::Error.name(), value_parser = duplicates())]
    duplicates: Duplicates,
}

/// Grades of queries.
pub(super) enum Judgements {
    /// LETOR files, one for each fold.
    Letor(Vec<TestPart>),
    /// TREC qrels.
    Trec(Qrels),
}

/// The scores of one system, for the queries of [`Judgements`].
pub(super) enum Scored {
    /// One score for each document, by fold.
    Letor(Vec<Vec<f64>>),
    /// The documents that a run retrieved.
    Trec(Run),
}

impl Judgements {
    /// Reads LETOR files, or qrels if the user gave qrels.
    pub(super) fn read(data: &[String], folds: usize, reading: &LayoutArgs, qrels: &QrelsArgs) -> miette::Result<Self> {
        match (&qrels.qrels, data) {
            (Some(_), [file, ..]) => {
                let what = format!("there are two sources of grades, {file} and --qrels");
                Err(Problem::new(what).help("give LETOR files, or qrels").into())
            }
            (Some(file), []) => Ok(Judgements::Trec(read_qrels(file, qrels.duplicates).map_err(Problem::from)?)),
            (None, []) => {
                let help = "give --data FILE, or --qrels FILE for TREC runs";
                Err(Problem::new("grades are missing: scores are measured against grades").help(help).into())
            }
            (None, files) => Ok(Judgements::Letor(folds_of_files(files, folds, &reading.grades())?)),
        }
    }

    /// Reads the scores for these queries from a run or a score file. With several folds, the path
    /// of the score file contains `{fold}`.
    pub(super) fn scores(&self, file: &str) -> miette::Result<Scored> {
        match self {
            Judgements::Letor(folds) => {
                check_folds(file, folds.iter().any(|fold| fold.number.is_some()))?;
                let read = |fold: &TestPart| fold.scores(Path::new(&path(file, fold.number)));
                Ok(Scored::Letor(folds.iter().map(read).collect::<miette::Result<_>>()?))
            }
            Judgements::Trec(qrels) => {
                Ok(Scored::Trec(read_run(Path::new(file), qrels.duplicates).map_err(Problem::from)?))
            }
        }
    }

    /// The highest grade.
    pub(super) fn max_grade(&self) -> u8 {
        match self {
            Judgements::Letor(folds) => folds.iter().map(|fold| fold.test.max_grade()).max().unwrap_or(0),
            Judgements::Trec(qrels) => qrels.max_grade(),
        }
    }

    /// All queries with their scores, which must be of the same kind.
    pub(super) fn cases<'a>(&'a self, scored: &'a Scored) -> Vec<ScoredQuery<'a>> {
        match (self, scored) {
            (Judgements::Letor(folds), Scored::Letor(scores)) => folds
                .iter()
                .zip(scores)
                .enumerate()
                .flat_map(|(number, (fold, scores))| of_fold(number, fold, scores))
                .collect(),
            (Judgements::Trec(qrels), Scored::Trec(run)) => of_run(qrels, run),
            _ => Vec::new(),
        }
    }

    /// Finds the query with this id.
    pub(super) fn find<'a>(&self, mut cases: Vec<ScoredQuery<'a>>, id: &str) -> miette::Result<ScoredQuery<'a>> {
        let help = match self {
            Judgements::Letor(_) => LETOR_IDS,
            Judgements::Trec(_) => "topic ids stand first on each line of the qrels",
        };
        match cases.iter().position(|case| case.id == id) {
            Some(place) => Ok(cases.swap_remove(place)),
            None => Err(no_query(id, cases.iter().map(|case| case.id).collect(), help).into()),
        }
    }

    /// Remarks on the qrels.
    pub(super) fn remarks(&self) -> Vec<String> {
        match self {
            Judgements::Letor(_) => Vec::new(),
            Judgements::Trec(qrels) => qrels.remarks().into_iter().map(|remark| format!("qrels: {remark}")).collect(),
        }
    }

    /// Remarks on a run, and on how its documents match the qrels.
    pub(super) fn remarks_of(&self, scored: &Scored) -> Vec<String> {
        match (self, scored) {
            (Judgements::Trec(qrels), Scored::Trec(run)) => {
                run.remarks().into_iter().chain(Joined::new(qrels, run).remarks()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The name of a document: its id, else its number in the query.
pub(super) fn document_name(id: Option<&str>, row: usize) -> String {
    id.map_or_else(|| format!("#{}", row + 1), str::to_owned)
}

/// The number of queries that an error names.
const NEAR: usize = 3;

/// The error for a query that the data lack. The error names the queries with the nearest ids, else
/// the first queries.
pub(super) fn no_query(id: &str, mut known: Vec<&str>, help: &str) -> Problem {
    let mut near = Vec::new();
    while let Some(next) = nearest(id, known.iter().copied()).filter(|_| near.len() < NEAR) {
        near.push(next);
        known.retain(|&other| other != next);
    }
    let named = |ids: &[&str]| list(&ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>());
    let which = match near.is_empty() {
        false => format!("similar ids: {}", named(&near)),
        true => format!("the first are {}", named(&known[..known.len().min(NEAR)])),
    };
    Problem::new(format!("the data have no query `{id}`")).help(format!("{which}; {help}"))
}

fn of_fold<'a>(number: usize, fold: &'a TestPart, scores: &'a [f64]) -> impl Iterator<Item = ScoredQuery<'a>> {
    let mut row = 0;
    fold.test.queries().map(move |query: JudgedQuery<'a>| {
        let start = row;
        row += query.len();
        ScoredQuery::judged(number, query, &scores[start..row])
    })
}

fn of_run<'a>(qrels: &'a Qrels, run: &'a Run) -> Vec<ScoredQuery<'a>> {
    let topics = Joined::new(qrels, run).topics.into_iter().zip(&qrels.topics);
    let case =
        |(joined, topic): (fivefold_data::trec::JoinedTopic<'a>, &fivefold_data::trec::QrelsTopic)| ScoredQuery {
            fold: 0,
            id: joined.id,
            doc_ids: Some(joined.ids()),
            assessments: joined.assessments,
            scores: Cow::Owned(joined.scores),
            pool: Some(topic.grades()),
            missing: !joined.in_run,
        };
    topics.map(case).collect()
}
