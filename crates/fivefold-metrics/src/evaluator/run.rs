//! Values of a run on the topics of its qrels.
//!
//! If no measure needs E and no two documents tie, a ranking is measured by
//! [`Evaluator::originals`]. Else the topic is judged as [`Evaluator::judge_pool`] does. Both ways
//! give the same bits; the first way takes a fraction of the time.

use fivefold_base::Assessment;

use super::{Evaluator, Pool, Scratch};
use crate::conventions::{MissingTopics, Scores};
use crate::error::MeasureError;
use crate::order::{fall, strict_rows};
use crate::spec::Version;

/// What a run retrieved for a topic. The lists have an entry for each document, in one order.
#[derive(Debug, Clone, Copy)]
pub struct Retrieved<'a> {
    /// The scores of the documents.
    pub scores: &'a [f64],
    /// What the qrels say of each document.
    pub assessments: &'a [Assessment],
    /// The ids of the documents, each once. They may be left out where [`Evaluator::asks_ids`] says
    /// so.
    pub ids: Option<&'a [&'a str]>,
    /// Whether the run has the topic.
    pub in_run: bool,
}

/// The values of a run, topic after topic.
///
/// ```
/// use fivefold_metrics::evaluator::{Retrieved, RunValues};
/// use fivefold_metrics::{Assessment, Evaluator, Seed, dialect};
///
/// let conventions = dialect("trec_eval")?.conventions();
/// let evaluator = Evaluator::new(&["ap".parse()?, "p@5".parse()?], &conventions, 1, Seed::new(1))?;
/// let pool = evaluator.pool("q", &[1, 1, 0])?;
/// let mut run = RunValues::new(&evaluator);
/// let (scores, assessments) = (&[0.9, 0.5], &[Assessment::Judged(1), Assessment::Unjudged]);
/// run.add(&pool, Retrieved { scores, assessments, ids: None, in_run: true })?;
/// assert_eq!((run.values(), run.left_out()), (&[0.5, 0.2][..], &[false][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RunValues<'e> {
    evaluator: &'e Evaluator,
    values: Vec<f64>,
    left_out: Vec<bool>,
    scratch: Scratch,
}

impl<'e> RunValues<'e> {
    /// A run without topics.
    pub fn new(evaluator: &'e Evaluator) -> Self {
        let (values, left_out, scratch) = (Vec::new(), Vec::new(), Scratch::default());
        RunValues { evaluator, values, left_out, scratch }
    }

    /// Measures what the run retrieved for the next topic, which may be nothing.
    ///
    /// # Errors
    /// As [`Evaluator::judge_pool`] and [`Evaluator::evaluate`].
    pub fn add(&mut self, pool: &Pool, retrieved: Retrieved<'_>) -> Result<(), MeasureError> {
        let (evaluator, policy) = (self.evaluator, self.evaluator.conventions.missing_topics);
        let first = self.values.len();
        self.values.resize(first + evaluator.columns.len(), f64::NAN);
        let values = &mut self.values[first..];
        evaluator.of_topic(pool, retrieved, &mut self.scratch, values)?;
        if !retrieved.in_run && policy == MissingTopics::Zero {
            evaluator.count_as_zero(&pool.id, pool.grades.ideal(), values)?;
        }
        self.left_out.push(!retrieved.in_run && policy == MissingTopics::Skip);
        Ok(())
    }

    /// `[topic * measures + measure]`, NaN where a value is undefined.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether the means of the run leave a topic out.
    pub fn left_out(&self) -> &[bool] {
        &self.left_out
    }
}

impl Evaluator {
    /// Whether these scores need the ids of their documents: ids may decide between equal scores, or
    /// the topic is judged for V1 and V2.
    pub fn asks_ids(&self, scores: &[f64]) -> bool {
        // A score that falls as a 32-bit float falls as a 64-bit float, too.
        self.conventions.ties.need_ids() && !(self.only_originals() && fall(scores, Scores::F32))
    }

    fn only_originals(&self) -> bool {
        self.columns.iter().all(|column| column.version == Version::Original)
    }

    /// The values of a topic.
    fn of_topic(
        &self,
        pool: &Pool,
        retrieved: Retrieved<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
    ) -> Result<(), MeasureError> {
        let Retrieved { scores, assessments, .. } = retrieved;
        // Most runs are in order.
        if self.only_originals() && scores.len() == assessments.len() && fall(scores, self.conventions.scores) {
            return self.originals(pool, assessments, scratch, out);
        }
        let mut ranking = std::mem::take(&mut scratch.ranking);
        let is_strict = self.only_originals() && self.rank_strictly(retrieved, scratch, &mut ranking);
        let done = if is_strict { self.originals(pool, &ranking, scratch, out) } else { Ok(()) };
        scratch.ranking = ranking;
        done?;
        if is_strict {
            return Ok(());
        }
        let judged = self.judge_pool(&pool.id, pool.grades.ideal(), retrieved.assessments, retrieved.ids)?;
        self.evaluate(&judged, retrieved.scores, scratch, out)
    }

    /// Fills in the ranking from the first document to the last, and returns true, if no two documents
    /// tie.
    fn rank_strictly(
        &self,
        Retrieved { scores, assessments, ids, .. }: Retrieved<'_>,
        scratch: &mut Scratch,
        ranking: &mut Vec<Assessment>,
    ) -> bool {
        let rows = &mut scratch.rows;
        if scores.len() != assessments.len()
            || !strict_rows(scores, ids, self.conventions.ties, self.conventions.scores, rows)
        {
            return false;
        }
        ranking.clear();
        ranking.extend(rows.iter().map(|&(_, row)| assessments[row as usize]));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DIALECTS, MEASURES, Seed};

    /// Numbers below a bound, in turn.
    fn numbers() -> impl FnMut(u32) -> u32 {
        let mut state = 1u32;
        move |below| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        }
    }

    /// The values by the other way.
    fn judged(evaluator: &Evaluator, pool: &[u8], run: Retrieved<'_>) -> Vec<u64> {
        let mut values = vec![0.0; evaluator.names().len()];
        let judged = evaluator.judge_pool("q", pool, run.assessments, run.ids).unwrap();
        evaluator.evaluate(&judged, run.scores, &mut Scratch::default(), &mut values).unwrap();
        values.into_iter().map(bits).collect()
    }

    /// All undefined values are the same.
    fn bits(value: f64) -> u64 {
        if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
    }

    #[test]
    fn both_ways_give_the_same_bits() {
        let mut next = numbers();
        let mut strict = 0;
        for dialect in DIALECTS {
            for removed in ["false", "true"] {
                let mut conventions = dialect.conventions();
                let policy = if removed == "true" { "removed" } else { "not-relevant" };
                conventions.unjudged = policy.parse().unwrap();
                let names = MEASURES.iter().flat_map(|entry| [entry.name.to_owned(), format!("{}@3", entry.name)]);
                let specs: Vec<_> = names.filter_map(|name| name.parse().ok()).collect();
                let fits = |spec: &crate::MeasureSpec| {
                    Evaluator::new(std::slice::from_ref(spec), &conventions, 3, Seed::new(1)).is_ok()
                };
                let specs: Vec<_> = specs.into_iter().filter(fits).collect();
                assert!(specs.len() > 40);
                let evaluator = Evaluator::new(&specs, &conventions, 3, Seed::new(1)).unwrap();
                for _ in 0..20 {
                    let pool: Vec<u8> = (0..next(9)).map(|_| next(4) as u8).collect();
                    let mut run: Vec<Assessment> = pool.iter().copied().map(Assessment::from).collect();
                    run.truncate(next(9) as usize);
                    run.extend(
                        (0..next(4)).map(|place| [Assessment::Unjudged, Assessment::Pooled][place as usize % 2]),
                    );
                    let ids: Vec<String> = (0..run.len()).map(|row| format!("{}-{row}", next(9))).collect();
                    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                    let levels = [3, 1000][next(2) as usize];
                    let scores: Vec<f64> = run.iter().map(|_| f64::from(next(levels)) / 8.0).collect();
                    let run = Retrieved { scores: &scores, assessments: &run, ids: Some(&ids), in_run: true };
                    let mut found = RunValues::new(&evaluator);
                    found.add(&evaluator.pool("q", &pool).unwrap(), run).unwrap();
                    let found: Vec<u64> = found.values().iter().copied().map(bits).collect();
                    assert_eq!(found, judged(&evaluator, &pool, run), "{} {pool:?} {run:?}", dialect.name);
                    strict += usize::from(evaluator.rank_strictly(run, &mut Scratch::default(), &mut Vec::new()));
                }
            }
        }
        assert!(strict > 100, "only {strict} rankings without ties");
    }

    #[test]
    fn wrong_scores_are_refused_as_ever() {
        let conventions = crate::dialect("trec_eval").unwrap().conventions();
        let evaluator = Evaluator::new(&["ap".parse().unwrap()], &conventions, 1, Seed::new(1)).unwrap();
        let pool = evaluator.pool("q", &[1]).unwrap();
        let refused = |scores: &[f64], ids: Option<&[&str]>| {
            let assessments = &[Assessment::Unjudged; 2];
            RunValues::new(&evaluator).add(&pool, Retrieved { scores, assessments, ids, in_run: true }).unwrap_err()
        };
        assert!(matches!(refused(&[1.0, f64::NAN], Some(&["a", "b"])), MeasureError::NotFinite { row: 1, .. }));
        assert!(matches!(refused(&[1.0], Some(&["a", "b"])), MeasureError::Count { .. }));
        assert!(matches!(refused(&[1.0, 1.0], None), MeasureError::NoDocumentIds { .. }));
        assert!(matches!(refused(&[1.0, 1.0], Some(&["a", "a"])), MeasureError::DuplicateDocumentId { .. }));
    }
}
