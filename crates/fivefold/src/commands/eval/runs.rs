//! The values of TREC runs on the topics of their qrels.

use std::path::Path;

use fivefold_data::trec::{Joined, Qrels, QrelsTopic, read_run};
use fivefold_metrics::conventions::{MissingTopics, Unjudged};
use fivefold_metrics::{Evaluator, Scratch};
use rayon::prelude::*;

use super::systems::{Evaluated, Query, drawn_remarks, highest_expected_error, labelled};
use crate::problem::Problem;

/// The values of one run, and remarks on the run.
struct OfRun {
    /// `[topic * measures + measure]`
    values: Vec<f64>,
    /// Whether the means of the run leave a topic out.
    left_out: Vec<bool>,
    remarks: Vec<String>,
}

/// Evaluates every run, given as `[LABEL=]FILE`.
pub(super) fn evaluate(evaluator: &Evaluator, qrels: &Qrels, runs: &[String]) -> miette::Result<Evaluated> {
    let runs = labelled(runs)?;
    let pools: Vec<Vec<u8>> = qrels.topics.iter().map(QrelsTopic::grades).collect();
    let of_run = |(label, path): &(String, String)| one_run(evaluator, qrels, &pools, label, Path::new(path));
    let of_runs = runs.par_iter().map(of_run).collect::<miette::Result<Vec<OfRun>>>()?;
    let query =
        |(topic, pool): (&QrelsTopic, &Vec<u8>)| Query { fold: None, id: topic.id.clone(), documents: pool.len() };
    let mut evaluated = Evaluated {
        systems: runs.into_iter().map(|(label, _)| label).collect(),
        measures: evaluator.names().len(),
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

fn one_run(evaluator: &Evaluator, qrels: &Qrels, pools: &[Vec<u8>], label: &str, path: &Path) -> miette::Result<OfRun> {
    let run = read_run(path, qrels.duplicates).map_err(Problem::from)?;
    let removed = evaluator.conventions().unjudged == Unjudged::Removed;
    let joined = Joined::new(qrels, &run).with_unjudged_removed(removed);
    let measures = evaluator.names().len();
    let mut values = vec![f64::NAN; joined.topics.len() * measures];
    let (mut scratch, mut expected_error) = (Scratch::default(), 0.0_f64);
    for ((topic, pool), place) in joined.topics.iter().zip(pools).zip(values.chunks_exact_mut(measures.max(1))) {
        let judged =
            evaluator.judge_pool(topic.id, pool, &topic.assessments, Some(&topic.documents)).map_err(Problem::from)?;
        evaluator.evaluate(&judged, &topic.scores, &mut scratch, place).map_err(Problem::from)?;
        expected_error = expected_error.max(highest_expected_error(evaluator, &judged));
    }
    let policy = evaluator.conventions().missing_topics;
    let left_out = joined.in_run().map(|in_run| !in_run && policy == MissingTopics::Skip).collect();
    let drawn = drawn_remarks(scratch.standard_error(), expected_error);
    let remarks =
        run.remarks().into_iter().chain(joined.remarks()).chain(drawn).map(|remark| format!("{label}: {remark}"));
    Ok(OfRun { values, left_out, remarks: remarks.collect() })
}
