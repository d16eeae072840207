//! The values of TREC runs on the topics of their qrels.

use std::path::Path;

use fivefold_data::trec::{Joined, Qrels, QrelsTopic, read_run};
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::evaluator::{Pool, Retrieved, RunValues};
use fivefold_metrics::{Evaluator, MeasureError};
use rayon::prelude::*;

use super::systems::{Columns, Evaluated, Query};
use crate::labels::labelled;
use crate::problem::Problem;

/// The values of one run, and remarks on the run.
struct OfRun {
    /// `[topic * measures + measure]`
    values: Vec<f64>,
    /// Whether the means of the run leave a topic out.
    left_out: Vec<bool>,
    remarks: Vec<String>,
}

/// The ids that decide the order of equal scores, from high to low.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ids {
    /// Those of the documents.
    Own,
    /// In their place, ids in the reverse order.
    Reversed,
}

impl Ids {
    /// Other ids for the documents; none if their own decide.
    fn reversed(self, documents: &[&str]) -> Vec<String> {
        if self == Ids::Own {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..documents.len()).collect();
        order.sort_by_key(|&place| std::cmp::Reverse(documents[place]));
        let mut ids = vec![String::new(); documents.len()];
        order.into_iter().enumerate().for_each(|(rank, place)| ids[place] = format!("{rank:020}"));
        ids
    }
}

/// Evaluates every run, given as `[LABEL=]FILE`.
pub(super) fn evaluate(evaluator: &Evaluator, qrels: &Qrels, runs: &[String], ids: Ids) -> miette::Result<Evaluated> {
    let runs = labelled(runs)?;
    let pool = |topic: &QrelsTopic| evaluator.pool(&topic.id, &topic.grades());
    let pools = qrels.topics.iter().map(pool).collect::<Result<Vec<Pool>, MeasureError>>().map_err(Problem::from)?;
    let of_run = |(label, path): &(String, String)| one_run(evaluator, qrels, &pools, label, Path::new(path), ids);
    let of_runs = runs.par_iter().map(of_run).collect::<miette::Result<Vec<OfRun>>>()?;
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
) -> miette::Result<OfRun> {
    let run = read_run(path, qrels.duplicates).map_err(Problem::from)?;
    let removed = evaluator.conventions().unjudged == Unjudged::Removed;
    let joined = Joined::that_share(qrels, &run).map_err(Problem::from)?.with_unjudged_removed(removed);
    let mut found = RunValues::new(evaluator);
    for (topic, pool) in joined.topics.iter().zip(pools) {
        let reversed = ids.reversed(&topic.documents);
        let ids: Vec<&str> = reversed.iter().map(String::as_str).collect();
        let ids = if ids.is_empty() { &topic.documents } else { &ids };
        let (scores, assessments) = (&topic.scores, &topic.assessments);
        let retrieved = Retrieved { scores, assessments, ids: Some(ids), in_run: topic.in_run };
        found.add(pool, retrieved).map_err(Problem::from)?;
    }
    let remarks = run.remarks().into_iter().chain(joined.remarks());
    let remarks = remarks.map(|remark| format!("{label}: {remark}")).collect();
    Ok(OfRun { values: found.values().to_vec(), left_out: found.left_out().to_vec(), remarks })
}
