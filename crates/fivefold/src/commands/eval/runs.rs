//! The values of TREC runs on the topics of their qrels.

use std::path::Path;

use fivefold_data::trec::{Qrels, QrelsTopic, read_run};
use fivefold_metrics::evaluator::Pool;
use fivefold_metrics::{Evaluator, MeasureError};
use fivefold_studies::run_values::{OtherIds, RunError, ValuesOfRun, values_of_run};
use rayon::prelude::*;

use super::systems::{Columns, Evaluated, Query};
use crate::labels::labelled;
use crate::problem::Problem;

/// The ids that decide the order of equal scores, from high to low.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ids {
    /// Those of the documents.
    Own,
    /// In their place, ids in the reverse order.
    Reversed,
}

impl Ids {
    fn others(self) -> Option<OtherIds> {
        (self == Ids::Reversed).then_some(reversed)
    }
}

/// Ids in the reverse order of those of the documents.
fn reversed(documents: &[&str]) -> Vec<String> {
    let mut order: Vec<usize> = (0..documents.len()).collect();
    order.sort_by_key(|&place| std::cmp::Reverse(documents[place]));
    let mut ids = vec![String::new(); documents.len()];
    order.into_iter().enumerate().for_each(|(rank, place)| ids[place] = format!("{rank:020}"));
    ids
}

/// Evaluates every run, given as `[LABEL=]FILE`.
pub(super) fn evaluate(evaluator: &Evaluator, qrels: &Qrels, runs: &[String], ids: Ids) -> miette::Result<Evaluated> {
    let runs = labelled(runs)?;
    let pool = |topic: &QrelsTopic| evaluator.pool(&topic.id, &topic.grades());
    let pools = qrels.topics.iter().map(pool).collect::<Result<Vec<Pool>, MeasureError>>().map_err(Problem::from)?;
    let of_run = |(label, path): &(String, String)| one_run(evaluator, qrels, &pools, label, Path::new(path), ids);
    let of_runs = match &runs[..] {
        // To begin the threads takes longer than to read a short run.
        [run] => vec![of_run(run)?],
        runs => runs.par_iter().map(of_run).collect::<miette::Result<Vec<ValuesOfRun>>>()?,
    };
    let query =
        |(topic, pool): (&QrelsTopic, &Pool)| Query { fold: None, id: topic.id.clone(), documents: pool.documents() };
    let mut evaluated = Evaluated {
        columns: Columns::from(evaluator),
        systems: runs.into_iter().map(|(label, _)| label).collect(),
        queries: qrels.topics.iter().zip(&pools).map(query).collect(),
        values: Vec::new(),
        left_out: Vec::new(),
        words: ["topic", "judged document"],
        remarks: vec![format!("missing topics: {}", evaluator.conventions().missing_topics)],
    };
    evaluated.remarks.extend(qrels.remarks().into_iter().map(|remark| format!("qrels: {remark}")));
    for run in of_runs {
        evaluated.values.extend(run.values);
        evaluated.left_out.extend(run.left_out);
        evaluated.remarks.extend(run.remarks);
    }
    Ok(evaluated)
}

fn one_run(
    evaluator: &Evaluator,
    qrels: &Qrels,
    pools: &[Pool],
    label: &str,
    path: &Path,
    ids: Ids,
) -> miette::Result<ValuesOfRun> {
    let run = read_run(path, qrels.duplicates).map_err(Problem::from)?;
    let found = values_of_run(evaluator, qrels, pools, &run, ids.others(), || false);
    let mut found = found.map_err(|error| match error {
        RunError::Trec(error) => Problem::from(error),
        RunError::Measure(error) => Problem::from(error),
    })?;
    drop(run.into_tag());
    found.remarks.iter_mut().for_each(|remark| *remark = format!("{label}: {remark}"));
    Ok(found)
}
