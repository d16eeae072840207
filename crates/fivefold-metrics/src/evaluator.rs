//! Values of many measures and cutoffs for a query, from one sort.
//!
//! [`Evaluator::judge_query`] computes U and E of every column once for a query of a data set, for
//! all rankers. [`Evaluator::judge`] does the same for grades from any caller, and
//! [`Evaluator::judge_pool`] for a run that retrieved some of a topic's documents.
//! [`Evaluator::evaluate`] sorts the scores once. Each base measure walks the ranking once, and
//! all its cutoffs and versions come from the running sum. A column has the same bits whichever
//! other columns are asked for, and in whichever order. Cost: the sort, and a few nanoseconds a
//! document and base measure.

mod base;
mod drawn;
mod exchanges;
mod explained;
mod judge;
mod rearranged;
mod run;
mod strict;

use std::hash::{DefaultHasher, Hash, Hasher};

use fivefold_base::{Assessment, GradeScale, Seed};

use crate::conventions::{Conventions, Scores, Ties, Unjudged};
use crate::entry::{Asks, Cutoffs};
use crate::error::MeasureError;
use crate::normalise::Bounds;
use crate::order::{Order, OrderRules};
use crate::spec::{MeasureSpec, Version};
use base::Base;
use drawn::Drawn;
pub use drawn::StandardErrors;
pub use exchanges::Exchanges;
pub use judge::Judged;
pub(crate) use rearranged::Rearranged;
pub use run::{Retrieved, RunValues};
pub use strict::Pool;

/// Computes a list of measures, one column each.
///
/// ```
/// use fivefold_metrics::Seed;
/// use fivefold_metrics::{Evaluator, Scratch, dialect};
///
/// let conventions = dialect("paper")?.conventions();
/// let evaluator = Evaluator::new(&["p@1".parse()?, "ap".parse()?], &conventions, 1, Seed::new(1))?;
/// let query = evaluator.judge("q1", &[0, 1, 1], None)?;
/// let mut values = [0.0; 2];
/// evaluator.evaluate(&query, &[0.9, 0.5, 0.1], &mut Scratch::default(), &mut values)?;
/// // Relevant documents on ranks 2 and 3.
/// assert_eq!(values, [0.0, (1.0 / 2.0 + 2.0 / 3.0) / 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Evaluator {
    names: Vec<String>,
    columns: Vec<Column>,
    bases: Vec<Base>,
    slots: usize,
    conventions: Conventions,
    scale: GradeScale,
    seed: Seed,
    /// A hash of everything that judgements depend on. A query that another evaluator judged is
    /// refused.
    fingerprint: u64,
    drawn: Drawn,
}

/// The place and the version of a column's value.
#[derive(Debug, Clone, Copy)]
struct Column {
    slot: usize,
    version: Version,
}

/// Memory that is used again from query to query.
///
/// ```
/// use fivefold_metrics::Seed;
/// use fivefold_metrics::{Evaluator, Scratch, dialect};
///
/// let evaluator = Evaluator::new(&["rr".parse()?], &dialect("paper")?.conventions(), 1, Seed::new(1))?;
/// // One for all queries of a thread.
/// let (mut scratch, mut value) = (Scratch::default(), [0.0]);
/// for (grades, scores, expected) in [([0, 1], [0.9, 0.1], 0.5), ([1, 0], [0.9, 0.1], 1.0)] {
///     evaluator.evaluate(&evaluator.judge("q", &grades, None)?, &scores, &mut scratch, &mut value)?;
///     assert_eq!(value, [expected]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    order: Order,
    /// 1, 2, 3, ...: the ends of the groups of a ranking without ties.
    strict_ends: Vec<u32>,
    /// Documents with what their scores are compared by, in ranked order.
    rows: Vec<(u64, u32)>,
    ranking: Vec<Assessment>,
    contributions: Vec<f64>,
    sums: Vec<f64>,
    /// U of the slots of one measure.
    uppers: Vec<f64>,
    /// For each slot, the standard error of its sum.
    errors: Vec<f64>,
}

impl Evaluator {
    /// An evaluator of these measures, one column each. `max_grade` is the collection's highest
    /// grade. `seed` decides the order of `shuffle` ties, and the random orders of which means are taken
    /// for measures of a whole ranking.
    ///
    /// # Errors
    /// If a cutoff, a parameter or a convention does not fit its measure.
    pub fn new(
        specs: &[MeasureSpec],
        conventions: &Conventions,
        max_grade: u8,
        seed: Seed,
    ) -> Result<Self, MeasureError> {
        let scale = GradeScale::new(Some(max_grade));
        let max_grade = scale.highest();
        let mut bases: Vec<Base> = Vec::new();
        let mut places = Vec::new();
        for spec in specs {
            spec.check()?;
            if spec.entry().asks == Asks::Subtopics {
                return Err(MeasureError::Subtopics { measure: spec.to_string() });
            }
            let settings = spec.settings(conventions, max_grade)?;
            let cutoff = match spec.entry().cutoffs {
                Cutoffs::Fixed(k) => Some(k),
                _ => spec.cutoff(),
            };
            let base = match bases.iter().position(|base| base.settings == settings) {
                Some(base) => base,
                None => {
                    let measure = (spec.entry().build)(&settings)?;
                    bases.push(Base {
                        settings,
                        entry: spec.entry(),
                        measure,
                        cutoffs: Vec::new(),
                        first_slot: 0,
                        needs_expected: false,
                    });
                    bases.len() - 1
                }
            };
            bases[base].cutoffs.push(cutoff);
            bases[base].needs_expected |= spec.version() != Version::Original;
            places.push((base, cutoff, spec.version()));
        }
        let mut slots = 0;
        for base in &mut bases {
            base.cutoffs.sort_unstable_by_key(|cutoff| cutoff.unwrap_or(usize::MAX));
            base.cutoffs.dedup();
            base.first_slot = slots;
            slots += base.cutoffs.len();
        }
        let slot_of = |base: usize, cutoff| {
            bases[base].first_slot + bases[base].cutoffs.iter().take_while(|&&other| other != cutoff).count()
        };
        let columns: Vec<Column> =
            places.iter().map(|&(base, cutoff, version)| Column { slot: slot_of(base, cutoff), version }).collect();
        let names: Vec<String> = specs.iter().map(MeasureSpec::to_string).collect();
        let mut hasher = DefaultHasher::new();
        (&names, max_grade, seed, conventions.ties, conventions.unjudged).hash(&mut hasher);
        bases.iter().for_each(|base| base.settings.values.hash(&mut hasher));
        let fingerprint = hasher.finish();
        let (drawn, conventions) = (Drawn::new(columns.len()), conventions.clone());
        Ok(Evaluator { names, columns, bases, slots, conventions, scale, seed, fingerprint, drawn })
    }

    /// The same evaluator, which also finds E of measures that no column normalises. Without it, E
    /// of a measure of whole rankings is found for V1 and V2 only, because it may have to be drawn.
    pub fn with_expected(mut self) -> Self {
        self.bases.iter_mut().for_each(|base| base.needs_expected = true);
        self.fingerprint = self.fingerprint.wrapping_add(1);
        self
    }

    /// The measures' names in their printed form, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The conventions in force if a measure's name gives no parameter.
    pub fn conventions(&self) -> &Conventions {
        &self.conventions
    }

    /// Lets a topic that a run lacks count as 0, given its values for no retrieved document: also a
    /// measure that is undefined for an empty list, such as precision of a set. A value that is
    /// undefined for every run stays so.
    ///
    /// # Errors
    /// As [`judge_pool`](Self::judge_pool).
    pub fn count_as_zero(&self, id: &str, pool: &[u8], values: &mut [f64]) -> Result<(), MeasureError> {
        if values.iter().all(|value| !value.is_nan()) {
            return Ok(());
        }
        let mut of_another = vec![0.0; values.len()];
        let judged = self.judge_pool(id, pool, &[Assessment::Unjudged], Some(&["-"]))?;
        self.evaluate(&judged, &[0.0], &mut Scratch::default(), &mut of_another)?;
        let undefined = values.iter_mut().zip(of_another).filter(|(value, _)| value.is_nan());
        undefined.filter(|(_, other)| !other.is_nan()).for_each(|(value, _)| *value = 0.0);
        Ok(())
    }

    /// Values of one ranker on one query: `out[c]` is the value of column `c`, NaN if it is
    /// undefined.
    ///
    /// # Errors
    /// If there is not one finite score a document, or the query was judged by another evaluator.
    ///
    /// # Panics
    /// If `out` does not have one place a column.
    pub fn evaluate(
        &self,
        judged: &Judged,
        scores: &[f64],
        scratch: &mut Scratch,
        out: &mut [f64],
    ) -> Result<(), MeasureError> {
        self.rank(judged, scores, scratch)?;
        self.fill(judged, scratch, out);
        Ok(())
    }

    /// As [`evaluate`](Self::evaluate), but first for the scores and then for their negatives.
    pub(crate) fn evaluate_both(
        &self,
        judged: &Judged,
        scores: &[f64],
        scratch: &mut Scratch,
        outs: [&mut [f64]; 2],
    ) -> Result<(), MeasureError> {
        let [out, turned] = outs;
        self.evaluate(judged, scores, scratch, out)?;
        scratch.order.turn(self.order_rules(judged));
        self.fill(judged, scratch, turned);
        Ok(())
    }

    /// Ranks the documents of a query by scores.
    fn rank(&self, judged: &Judged, scores: &[f64], scratch: &mut Scratch) -> Result<(), MeasureError> {
        if scores.len() != judged.tie_keys.len() {
            let (query, found, expected) = (judged.id.clone(), scores.len(), judged.tie_keys.len());
            return Err(MeasureError::Count { query, what: "score", found, expected });
        }
        if judged.evaluator != self.fingerprint {
            return Err(MeasureError::ForeignJudgement { query: judged.id.clone() });
        }
        let rules = self.order_rules(judged);
        scratch.order.rank(scores, &judged.tie_keys, rules).map_err(|row| MeasureError::NotFinite {
            query: judged.id.clone(),
            row,
            score: scores[row],
        })
    }

    /// Values of the ranking.
    fn fill(&self, judged: &Judged, scratch: &mut Scratch, out: &mut [f64]) {
        assert_eq!(out.len(), self.columns.len(), "one place a column");
        let ranked = scratch.order.ranked(&judged.grades);
        scratch.sums.resize(self.slots, 0.0);
        scratch.errors.clear();
        scratch.errors.resize(self.slots, 0.0);
        for base in &self.bases {
            if base.measure.is_whole() {
                base.whole(&ranked, self.orders_of(&judged.id), &mut scratch.sums, &mut scratch.errors);
            } else {
                base.sum(&ranked, &mut scratch.contributions, &mut scratch.sums);
            }
        }
        for (number, (value, column)) in out.iter_mut().zip(&self.columns).enumerate() {
            let (bounds, sum) = (&judged.bounds[column.slot], scratch.sums[column.slot]);
            *value = bounds.value(column.version, sum);
            self.drawn.add_value(number, bounds.error(column.version, sum, scratch.errors[column.slot]));
        }
    }

    /// The seed of the orders over which means of whole rankings are taken.
    fn orders_of(&self, id: &str) -> Seed {
        self.seed.derive("orders").derive(id)
    }

    fn order_rules(&self, judged: &Judged) -> OrderRules {
        OrderRules {
            averaged: self.conventions.ties == Ties::Average,
            precision: self.conventions.scores,
            all_judged: judged.all_judged,
            unjudged: self.conventions.unjudged,
        }
    }

    /// U of a column's measure at its cutoff, before any normalisation (for `ndcg`: of DCG). `None`
    /// where it is not a number.
    ///
    /// # Panics
    /// If there is no such column, or the query was judged for fewer measures.
    pub fn upper(&self, judged: &Judged, column: usize) -> Option<f64> {
        Some(self.bounds(judged, column).upper).filter(|upper| !upper.is_nan())
    }

    /// E of a column's measure at its cutoff, before any normalisation (for `ndcg`: of DCG). `None`
    /// where it is not a number, or was not computed: for a measure of whole rankings that no column
    /// asks for in V1 or V2.
    ///
    /// # Panics
    /// As [`upper`](Self::upper).
    pub fn expected(&self, judged: &Judged, column: usize) -> Option<f64> {
        Some(self.bounds(judged, column).expected).filter(|expected| !expected.is_nan())
    }

    /// The standard error of [`expected`](Self::expected); 0 if E is exact.
    ///
    /// # Panics
    /// As [`upper`](Self::upper).
    pub fn expected_error(&self, judged: &Judged, column: usize) -> f64 {
        self.bounds(judged, column).expected_error
    }

    /// E/U of a column's measure at its cutoff, whatever the version; NaN if the measure is
    /// undefined, has no E, or U is 0. For the original of a measure of whole rankings, the
    /// evaluator must be made [`with_expected`](Self::with_expected).
    ///
    /// # Panics
    /// As [`upper`](Self::upper).
    pub fn expected_share(&self, judged: &Judged, column: usize) -> f64 {
        let bounds = self.bounds(judged, column);
        if bounds.normaliser.is_nan() {
            return f64::NAN;
        }
        self.drawn.add_expected_share(column, bounds.expected_error / bounds.upper);
        bounds.expected / bounds.upper
    }

    /// Lines that name the conventions in force, to be printed under a table. A parameter with its
    /// usual value is left out. For values that were drawn so far, lines give their
    /// [`standard_errors`](Self::standard_errors).
    pub fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for base in &self.bases {
            lines.push(base.settings.describe(base.entry));
            let tells_of_judgements = ["judged", "unj", "rbp_resid"].contains(&base.entry.name);
            if tells_of_judgements && self.conventions.unjudged == Unjudged::Removed {
                lines.push(format!(
                    "{}: unjudged documents are removed before, so it always finds none",
                    base.entry.name
                ));
            }
        }
        lines.extend(StandardErrors::lines(&self.standard_errors(), None));
        let Conventions { ties, undefined, fold_mean, unjudged, scores, .. } = self.conventions;
        let unjudged = match unjudged {
            Unjudged::NotRelevant => "",
            Unjudged::Removed => "; unjudged documents: removed",
        };
        let scores = match scores {
            Scores::F64 => "",
            Scores::F32 => "; scores compared as 32-bit floats",
        };
        lines.push(format!("ties: {ties}{scores}{unjudged}; undefined values: {undefined}; mean over: {fold_mean}"));
        lines
    }

    fn bounds<'a>(&self, judged: &'a Judged, column: usize) -> &'a Bounds {
        &judged.bounds[self.columns[column].slot]
    }
}
