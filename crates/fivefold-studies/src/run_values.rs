//! The values of a TREC run on the topics of its qrels, as `fivefold eval` and the Python package
//! give them.

use fivefold_data::trec::{JoinedTopic, Matched, Qrels, Run, TrecError, some_shared};
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::evaluator::{Pool, Retrieved, RunValues};
use fivefold_metrics::{Evaluator, MeasureError};

/// Why a run has no values.
///
/// See [`values_of_run`].
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The run shares no topic with the qrels.
    #[error(transparent)]
    Trec(#[from] TrecError),
    /// A measure refuses the run.
    #[error(transparent)]
    Measure(#[from] MeasureError),
}

/// The values of one run, and remarks on the run.
///
/// See [`values_of_run`] for an example.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuesOfRun {
    /// `[topic * measures + measure]`, NaN where a value is undefined.
    pub values: Vec<f64>,
    /// Whether the means of the run leave a topic out.
    pub left_out: Vec<bool>,
    /// Remarks on the run, and on how its documents match the qrels.
    pub remarks: Vec<String>,
}

/// Other ids for the documents of a topic; none if their own ids decide between equal scores.
pub type OtherIds = fn(&[&str]) -> Vec<String>;

/// Measures a run on every topic of the qrels. `pools` are the judged documents of the topics, in the
/// order of the qrels. The function is asked before each topic whether to stop; the values are then
/// those of the topics before.
///
/// ```
/// use fivefold_data::trec::{Duplicates, Qrels, Run};
/// use fivefold_metrics::{Evaluator, Seed, dialect};
/// use fivefold_studies::run_values::values_of_run;
///
/// let qrels = Qrels::of("qrels", [("1", "a", 1), ("1", "b", 0), ("2", "c", 1)], Duplicates::Error)?;
/// let run = Run::of("run", [("1", "b", 0.9), ("1", "a", 0.4)], Duplicates::Error)?;
/// let evaluator = Evaluator::new(&["rr".parse()?], &dialect("paper")?.conventions(), 1, Seed::new(0))?;
/// let pools: Result<Vec<_>, _> = qrels.topics.iter().map(|topic| evaluator.pool(&topic.id, &topic.grades())).collect();
/// let found = values_of_run(&evaluator, &qrels, &pools?, &run, None, || false)?;
/// // The run lacks topic 2, which the paper counts as 0.
/// assert_eq!((found.values, found.remarks.len()), (vec![0.5, 0.0], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`some_shared`] and [`RunValues::add`].
pub fn values_of_run(
    evaluator: &Evaluator,
    qrels: &Qrels,
    pools: &[Pool],
    run: &Run,
    other_ids: Option<OtherIds>,
    stopped: impl Fn() -> bool,
) -> Result<ValuesOfRun, RunError> {
    let removed = evaluator.conventions().unjudged == Unjudged::Removed;
    some_shared(run, qrels.topics.iter().map(|topic| topic.id.as_str()))?;
    let mut matched = Matched { removed, ..Matched::of_topics(qrels, run) };
    let mut found = RunValues::new(evaluator);
    for (judged, pool) in qrels.topics.iter().zip(pools) {
        if stopped() {
            break;
        }
        let topic = JoinedTopic::new(judged, run, &mut matched);
        let (scores, assessments, in_run) = (&topic.scores[..], &topic.assessments[..], topic.in_run);
        // Most rankings are told without ids.
        if !evaluator.asks_ids(scores) {
            found.add(pool, Retrieved { scores, assessments, ids: None, in_run })?;
            continue;
        }
        let ids = topic.ids();
        let others = other_ids.map_or_else(Vec::new, |others| others(&ids));
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let ids = if others.is_empty() { &ids } else { &others };
        found.add(pool, Retrieved { scores, assessments, ids: Some(ids), in_run })?;
    }
    let remarks = run.remarks().into_iter().chain(matched.remarks()).collect();
    Ok(ValuesOfRun { values: found.values().to_vec(), left_out: found.left_out().to_vec(), remarks })
}
