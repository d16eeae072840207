//! Values of many measures and cutoffs for a query, from one sort.
//!
//! [`Evaluator::judge_query`] computes U and E of every column once for a query of a data set, for
//! all rankers. [`Evaluator::judge`] does the same for grades from any caller, and
//! [`Evaluator::judge_pool`] for a run that retrieved some of a topic's documents.
//! [`Evaluator::evaluate`] sorts the scores once. Each base measure walks the ranking once, and
//! all its cutoffs and versions come from the running sum. A column has the same bits whichever
//! other columns are asked for, and in whichever order. Cost: the sort, and a few nanoseconds a
//! document and base measure.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::hash::{DefaultHasher, Hash, Hasher};

use fivefold_base::{Assessment, GradeError, GradeScale, JudgedQuery, Seed};

use crate::conventions::{Conventions, Scores, Ties, Unjudged};
use crate::entry::{Cutoffs, MeasureEntry, Settings};
use crate::error::MeasureError;
use crate::explain::{Arithmetic, Explanation};
use crate::measure::{Measure, QueryGrades, Ranked, Status};
use crate::normalise::{Bounds, differ};
use crate::order::{Order, OrderRules, mark_statuses, ranked_rows, tie_keys};
use crate::orders::{ORDERS, OverOrders, over_orders};
use crate::spec::{MeasureSpec, Version};

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
    /// Whether expected values are left out.
    originals_only: bool,
    /// A hash of everything that judgements depend on. A query that another evaluator judged is
    /// refused.
    fingerprint: u64,
}

/// The place and the version of a column's value.
#[derive(Debug, Clone, Copy)]
struct Column {
    slot: usize,
    version: Version,
}

/// A measure with its parameters, and all cutoffs at which a column asks for it.
struct Base {
    settings: Settings,
    entry: &'static MeasureEntry,
    measure: Box<dyn Measure>,
    /// In rising order; the whole list (`None`) is last.
    cutoffs: Vec<Option<usize>>,
    /// The slot of the first cutoff; the others follow.
    first_slot: usize,
    /// Whether a column has a version that needs E. The mean over orders of a whole ranking takes
    /// long, so it is left out if it is not needed.
    needs_expected: bool,
}

/// One query's grades with U and E of every column; made by [`Evaluator::judge_query`],
/// [`Evaluator::judge`] and the other functions whose names begin with `judge`.
///
/// ```
/// use fivefold_metrics::Seed;
/// use fivefold_metrics::{Evaluator, dialect};
///
/// let evaluator = Evaluator::new(&["p@2".parse()?], &dialect("paper")?.conventions(), 1, Seed::new(1))?;
/// let query = evaluator.judge("q1", &[0, 1, 1, 0], None)?;
/// assert_eq!((query.id(), query.documents()), ("q1", 4));
/// // Half of the documents are relevant: so is, on average, each of two in a random order.
/// assert_eq!((evaluator.upper(&query, 0), evaluator.expected(&query, 0)), (Some(1.0), Some(0.5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Judged {
    id: String,
    grades: QueryGrades,
    /// One for each document that is given, also where the conventions remove some from the
    /// ranking.
    tie_keys: Vec<u64>,
    all_judged: bool,
    bounds: Vec<Bounds>,
    evaluator: u64,
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
    contributions: Vec<f64>,
    sums: Vec<f64>,
    standard_error: f64,
}

impl Scratch {
    /// The highest standard error of a value that was computed with this memory. It is above 0 only
    /// for a measure of whole rankings, if documents tie in so many orders that some were drawn.
    pub fn standard_error(&self) -> f64 {
        self.standard_error
    }
}

impl Judged {
    /// The query's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Number of documents that are ranked.
    pub fn documents(&self) -> usize {
        self.grades.documents()
    }

    /// The grades, apart from their order.
    pub fn grades(&self) -> &QueryGrades {
        &self.grades
    }
}

impl Evaluator {
    /// An evaluator of these measures, one column each. `max_grade` is the collection's highest
    /// grade. Only `shuffle` ties use `seed`.
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
        let columns =
            places.iter().map(|&(base, cutoff, version)| Column { slot: slot_of(base, cutoff), version }).collect();
        let names: Vec<String> = specs.iter().map(MeasureSpec::to_string).collect();
        let mut hasher = DefaultHasher::new();
        (&names, max_grade, seed, conventions.ties, conventions.unjudged).hash(&mut hasher);
        bases.iter().for_each(|base| base.settings.values.hash(&mut hasher));
        let fingerprint = hasher.finish();
        Ok(Evaluator {
            names,
            columns,
            bases,
            slots,
            conventions: conventions.clone(),
            scale,
            seed,
            originals_only: false,
            fingerprint,
        })
    }

    /// The same evaluator without expected values, so that a query is judged faster. Columns in V1 or
    /// V2 are undefined.
    ///
    /// ```
    /// use fivefold_metrics::{Evaluator, Scratch, Seed, dialect};
    ///
    /// let conventions = dialect("paper")?.conventions();
    /// let evaluator = Evaluator::new(&["rr".parse()?], &conventions, 1, Seed::new(1))?.originals_only();
    /// let (query, mut value) = (evaluator.judge("q", &[0, 1], None)?, [0.0]);
    /// evaluator.evaluate(&query, &[0.9, 0.1], &mut Scratch::default(), &mut value)?;
    /// assert_eq!((value[0], evaluator.expected(&query, 0)), (0.5, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn originals_only(self) -> Self {
        Evaluator { originals_only: true, ..self }
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

    /// Prepares a query with grades from any caller: U and E of every column. The query may have
    /// any number of documents, also 0.
    ///
    /// # Errors
    /// If a grade exceeds the highest grade, or the tie policy needs document ids that are missing
    /// or not unique.
    pub fn judge(&self, id: &str, grades: &[u8], doc_ids: Option<&[&str]>) -> Result<Judged, MeasureError> {
        self.check_grades(id, grades)?;
        self.prepare(id, grades, doc_ids)
    }

    /// Prepares a query of a data set. The reader has checked the grades, so only their scale is
    /// compared with that of the evaluator.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn judge_query(&self, query: &JudgedQuery<'_>) -> Result<Judged, MeasureError> {
        self.check_scale(query)?;
        let ids = self.ids_of(query, 0..query.len());
        self.prepare(query.id(), query.grades(), ids.as_deref())
    }

    /// Prepares some documents of a query as [`judge_query`](Self::judge_query) does all.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    ///
    /// # Panics
    /// If a row is not one of the query's.
    pub fn judge_documents(&self, query: &JudgedQuery<'_>, rows: &[usize]) -> Result<Judged, MeasureError> {
        self.check_scale(query)?;
        let grades: Vec<u8> = rows.iter().map(|&row| query.grades()[row]).collect();
        let ids = self.ids_of(query, rows.iter().copied());
        self.prepare(query.id(), &grades, ids.as_deref())
    }

    /// The documents' ids, if the tie policy needs them and the query has them.
    fn ids_of<'q>(&self, query: &JudgedQuery<'q>, rows: impl Iterator<Item = usize>) -> Option<Vec<&'q str>> {
        let view = query.view();
        self.conventions.ties.need_ids().then(|| rows.map(|row| view.doc_id(row)).collect()).flatten()
    }

    fn prepare(&self, id: &str, grades: &[u8], doc_ids: Option<&[&str]>) -> Result<Judged, MeasureError> {
        let tie_keys = tie_keys(id, grades, doc_ids, self.conventions.ties, self.seed)?;
        let grades = QueryGrades::new(grades);
        let bounds = self.bounds_of(id, &grades, grades.ideal(), &[]);
        Ok(Judged { id: id.to_owned(), grades, tie_keys, all_judged: true, bounds, evaluator: self.fingerprint })
    }

    /// Prepares a topic of which a run retrieved some documents. `retrieved` has what is known of
    /// the retrieved documents, in the order of the scores to come: an [`Assessment`] of each, or
    /// its grade (`None`: not judged). `doc_ids` has the ids of the retrieved documents. `pool` has
    /// the grades of all judged documents, in any order.
    ///
    /// U and the number of relevant documents count all documents of the pool. E is the mean over
    /// all orders of the retrieved documents. `retrieved` may be empty: the value is then 0, or
    /// undefined if it is undefined for every run.
    ///
    /// # Errors
    /// As [`judge`](Self::judge). Also if a run retrieved more judged documents of a grade than
    /// the pool has.
    pub fn judge_pool(
        &self,
        id: &str,
        pool: &[u8],
        retrieved: &[impl Into<Assessment> + Copy],
        doc_ids: Option<&[&str]>,
    ) -> Result<Judged, MeasureError> {
        let mut retrieved: Vec<Assessment> = retrieved.iter().map(|&document| document.into()).collect();
        let grades: Vec<u8> = retrieved.iter().map(|document| document.grade()).collect();
        self.check_grades(id, pool)?;
        self.check_grades(id, &grades)?;
        let mut tie_keys = tie_keys(id, &grades, doc_ids, self.conventions.ties, self.seed)?;
        mark_statuses(&mut tie_keys, &retrieved);
        let all_judged = retrieved.iter().all(|document| document.is_judged());
        if self.conventions.unjudged == Unjudged::Removed {
            retrieved.retain(|document| document.is_judged());
        }
        // From the highest grade down, then as sort keys order documents that were not judged.
        retrieved.sort_by_key(|&document| (Reverse(document.grade()), Status::from(document)));
        let falling: Vec<u8> = retrieved.iter().map(|document| document.grade()).collect();
        let statuses: Vec<Status> = retrieved.iter().map(|&document| document.into()).collect();
        let grades = QueryGrades::pooled(pool, &falling);
        if !grades.pool_covers(&retrieved) {
            return Err(MeasureError::NotInPool { query: id.to_owned() });
        }
        let bounds = self.bounds_of(id, &grades, &falling, if all_judged { &[] } else { &statuses });
        Ok(Judged { id: id.to_owned(), grades, tie_keys, all_judged, bounds, evaluator: self.fingerprint })
    }

    fn check_grades(&self, id: &str, grades: &[u8]) -> Result<(), MeasureError> {
        self.scale.check(grades).map_err(|GradeError { row, grade, highest }| MeasureError::Grade {
            query: id.to_owned(),
            row,
            grade,
            highest,
        })
    }

    /// Checks single grades only if the query's scale goes beyond that of the evaluator.
    fn check_scale(&self, query: &JudgedQuery<'_>) -> Result<(), MeasureError> {
        if self.scale.has(query.max_grade()) { Ok(()) } else { self.check_grades(query.id(), query.grades()) }
    }

    /// U and E of every slot; `falling` has the grades of the ranked documents, highest first, and
    /// `statuses` their statuses.
    fn bounds_of(&self, id: &str, grades: &QueryGrades, falling: &[u8], statuses: &[Status]) -> Vec<Bounds> {
        // The ideal order ends with the unjudged documents of the run, since a measure may count
        // their positions too.
        let mut ideal_order = Cow::Borrowed(grades.ideal());
        if falling.len() > grades.judged() {
            ideal_order.to_mut().resize(falling.len(), 0);
        }
        let singles: Vec<u32> = (1..=ideal_order.len() as u32).collect();
        let n = falling.len() as u32;
        let one_group: &[u32] = if n == 0 { &[] } else { &[n] };
        let mut contributions = Vec::new();
        let (mut ideal, mut means) = (vec![0.0; self.slots], vec![0.0; self.slots]);
        let mut bounds = Vec::with_capacity(self.slots);
        for base in &self.bases {
            let best = Ranked::new(&ideal_order, &singles, grades);
            let all_tied = Ranked::new(falling, one_group, grades).with_statuses(statuses);
            let mut expected_error = 0.0;
            if base.measure.is_whole() {
                base.whole(&best, self.orders_of(id), &mut ideal);
                expected_error = match base.needs_expected && !self.originals_only {
                    true => base.whole(&all_tied, self.orders_of(id), &mut means),
                    false => base.without_expected(&mut means),
                };
            } else {
                base.sum(&best, &mut contributions, &mut ideal);
                let mean = |out: &mut [f64]| base.measure.mean_over_orders(&all_tied, out);
                match self.originals_only {
                    true => expected_error = base.without_expected(&mut means),
                    false => base.sum_of(falling.len(), mean, &mut contributions, &mut means),
                }
            }
            bounds.extend((base.first_slot..).zip(&base.cutoffs).map(|(slot, &cutoff)| {
                let denominator = base.measure.denominator(cutoff, grades);
                let (ideal, mean) = (ideal[slot] / denominator, means[slot] / denominator);
                let ideal = base.measure.best(cutoff, grades, ideal);
                let (upper, expected) = match base.entry.no_ue {
                    None => (base.measure.upper(cutoff, grades, ideal), base.measure.expected(cutoff, grades, mean)),
                    Some(_) => (f64::NAN, f64::NAN),
                };
                let normaliser = base.measure.normaliser(cutoff, grades, upper);
                // If all orders have one value, V1 and V2 are undefined, whatever U and E are by
                // convention.
                let ue = !normaliser.is_nan() && differ(ideal, mean) && differ(upper, expected);
                Bounds { denominator, normaliser, upper, expected, expected_error, ue }
            }));
        }
        bounds
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
        assert_eq!(out.len(), self.columns.len(), "one place a column");
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
        })?;
        let ranked = scratch.order.ranked(&judged.grades);
        scratch.sums.resize(self.slots, 0.0);
        for base in &self.bases {
            if base.measure.is_whole() {
                let error = base.whole(&ranked, self.orders_of(&judged.id), &mut scratch.sums);
                scratch.standard_error = scratch.standard_error.max(error);
            } else {
                base.sum(&ranked, &mut scratch.contributions, &mut scratch.sums);
            }
        }
        for (value, column) in out.iter_mut().zip(&self.columns) {
            *value = judged.bounds[column.slot].value(column.version, scratch.sums[column.slot]);
        }
        Ok(())
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

    /// A ranking without ties of a judged query, from which [`Exchanges`] computes how the exchange
    /// of two documents changes a column's value. `grades` are the query's grades, from the first
    /// position to the last. `None` if the column is undefined for this query.
    ///
    /// # Panics
    /// If there is no such column, the query was judged for fewer measures, or there is not one
    /// grade a document.
    pub fn exchanges<'a>(
        &'a self,
        judged: &'a Judged,
        column: usize,
        grades: &'a [u8],
        scratch: &mut Scratch,
    ) -> Option<Exchanges<'a>> {
        assert_eq!(grades.len(), judged.documents(), "one grade a document");
        let Column { slot, version } = self.columns[column];
        let base = self.bases.iter().rfind(|base| base.first_slot <= slot)?;
        let cutoff = base.cutoffs[slot - base.first_slot];
        let positions = cutoff.map_or(grades.len(), |k| k.min(grades.len()));
        let ends = &mut scratch.order.ends;
        ends.clear();
        ends.extend(1..=grades.len() as u32);
        scratch.contributions.resize(positions.max(scratch.contributions.len()), 0.0);
        let contributions = &mut scratch.contributions[..positions];
        let ranked = Ranked::new(grades, ends, &judged.grades);
        let sum = match base.measure.is_whole() {
            true => base.measure.whole(&ranked, cutoff),
            false => {
                base.measure.contributions(&ranked, contributions);
                contributions.iter().sum()
            }
        };
        let bounds = judged.bounds[slot];
        let value = bounds.value(version, sum);
        (!value.is_nan()).then_some(Exchanges {
            measure: &*base.measure,
            query: &judged.grades,
            grades,
            positions,
            cutoff,
            bounds,
            version,
            sum,
            value,
        })
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
        if bounds.normaliser.is_nan() { f64::NAN } else { bounds.expected / bounds.upper }
    }

    /// Lines that name the conventions in force, to be printed under a table. A parameter with its
    /// usual value is left out.
    pub fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for base in &self.bases {
            let values = base.entry.params.iter().zip(&base.settings.values);
            let telling = values.filter(|(param, (_, value))| param.usual != Some(value));
            let values: Vec<String> = telling.map(|(_, (name, value))| format!("{name}={value}")).collect();
            lines.push(format!("{}: {}", base.settings.measure, values.join(", ")));
        }
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

    /// The whole arithmetic of one column on one query.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// # Panics
    /// If there is no such column.
    pub fn explain(&self, judged: &Judged, scores: &[f64], column: usize) -> Result<Explanation, MeasureError> {
        let mut scratch = Scratch::default();
        let mut values = vec![0.0; self.columns.len()];
        self.evaluate(judged, scores, &mut scratch, &mut values)?;
        let Column { slot, version } = self.columns[column];
        let base = self
            .bases
            .iter()
            .rfind(|base| base.first_slot <= slot)
            .ok_or_else(|| MeasureError::ForeignJudgement { query: judged.id.clone() })?;
        let cutoff = base.cutoffs[slot - base.first_slot];
        let grades = &judged.grades;
        let explain = |ranked: &Ranked<'_>| {
            let documents = ranked.positions();
            let mut contributions = vec![0.0; cutoff.map_or(documents, |k| k.min(documents))];
            base.measure.contributions(ranked, &mut contributions);
            let parts = base.measure.parts(cutoff, ranked, &contributions);
            (contributions, parts)
        };
        let Order { grades: in_order, statuses, ends, .. } = &scratch.order;
        let ranked = scratch.order.ranked(grades);
        let (contributions, parts) = explain(&ranked);
        let singles: Vec<u32> = (1..=grades.judged() as u32).collect();
        let (ideal, ideal_parts) = explain(&Ranked::new(grades.ideal(), &singles, grades));
        let mut falling: Vec<usize> = (0..in_order.len()).collect();
        falling.sort_by_key(|&place| (Reverse(in_order[place]), statuses.get(place)));
        let statuses: Vec<Status> = falling.iter().filter_map(|&place| statuses.get(place).copied()).collect();
        let falling: Vec<u8> = falling.into_iter().map(|place| in_order[place]).collect();
        let one_group = [falling.len() as u32];
        let mut untied = vec![0.0; contributions.len()];
        base.measure.mean_over_orders(&ranked, &mut untied);
        let mut means = vec![0.0; contributions.len()];
        let tied = Ranked::new(&falling, if falling.is_empty() { &[] } else { &one_group }, grades);
        base.measure.mean_over_orders(&tied.with_statuses(&statuses), &mut means);
        Ok(Explanation::new(Arithmetic {
            name: &self.names[column],
            whole: base.measure.is_whole().then(|| scratch.sums[slot]),
            drawn: (scratch.standard_error > 0.0).then_some((ORDERS, scratch.standard_error)),
            version,
            cutoff,
            value: values[column],
            bounds: judged.bounds[slot],
            rows: ranked_rows(scores, &judged.tie_keys, self.order_rules(judged)),
            scores,
            grades: in_order,
            ends,
            contributions,
            parts,
            query: grades,
            ideal,
            ideal_parts,
            untied,
            means,
        }))
    }

    fn bounds<'a>(&self, judged: &'a Judged, column: usize) -> &'a Bounds {
        &judged.bounds[self.columns[column].slot]
    }
}

/// The changes of a value when two documents of a ranking without ties change places; made by
/// [`Evaluator::exchanges`].
pub struct Exchanges<'a> {
    measure: &'a dyn Measure,
    query: &'a QueryGrades,
    grades: &'a [u8],
    positions: usize,
    cutoff: Option<usize>,
    bounds: Bounds,
    version: Version,
    sum: f64,
    value: f64,
}

impl Exchanges<'_> {
    /// The value of the ranking before an exchange.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// How many positions count, from the first. An exchange of two documents below these positions
    /// changes no value.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// `changes[t]` becomes the exact change of the value, V1 and V2 included, when the documents
    /// at positions `first` and `first + 1 + t` (from 0) change places.
    ///
    /// # Panics
    /// If `changes` does not have one place for each document after `first`.
    pub fn changes(&self, first: usize, changes: &mut [f64]) {
        assert_eq!(changes.len(), self.grades.len() - first - 1, "one change for each later document");
        match self.measure.is_whole() {
            true => self.whole_changes(first, changes),
            false => self.measure.exchange(self.grades, self.positions, self.query, first, changes),
        }
        match self.version {
            Version::Original => {
                let unit = 1.0 / (self.bounds.denominator * self.bounds.normaliser);
                changes.iter_mut().for_each(|change| *change *= unit);
            }
            version => changes.iter_mut().for_each(|change| {
                *change = self.bounds.value(version, self.sum + *change) - self.value;
            }),
        }
    }
}

impl Exchanges<'_> {
    /// The changes of the value of a whole ranking.
    fn whole_changes(&self, first: usize, changes: &mut [f64]) {
        let ends: Vec<u32> = (1..=self.grades.len() as u32).collect();
        let mut exchanged = self.grades.to_vec();
        for (later, change) in (first + 1..).zip(changes) {
            exchanged.swap(first, later);
            *change = self.measure.whole(&Ranked::new(&exchanged, &ends, self.query), self.cutoff) - self.sum;
            exchanged.swap(first, later);
        }
    }
}

impl Base {
    /// The values of a whole ranking at each cutoff, written to this measure's slots: means over the
    /// orders of tied documents. Returns the highest standard error.
    fn whole(&self, ranked: &Ranked<'_>, seed: Seed, values: &mut [f64]) -> f64 {
        let mut highest: f64 = 0.0;
        for (value, &cutoff) in values[self.first_slot..].iter_mut().zip(&self.cutoffs) {
            let of_order = |strict: &Ranked<'_>| self.measure.whole(strict, cutoff);
            let OverOrders { mean, error } = match self.entry.no_ue {
                None => over_orders(ranked, seed, of_order),
                // The order plays no role.
                Some(_) => OverOrders { mean: of_order(ranked), error: 0.0 },
            };
            *value = mean;
            highest = highest.max(error);
        }
        highest
    }

    /// Marks that E was not computed.
    fn without_expected(&self, means: &mut [f64]) -> f64 {
        means[self.first_slot..][..self.cutoffs.len()].fill(f64::NAN);
        0.0
    }

    /// The sums of a ranking's contributions up to each cutoff, written to this measure's slots.
    fn sum(&self, ranked: &Ranked<'_>, contributions: &mut Vec<f64>, sums: &mut [f64]) {
        let fill = |out: &mut [f64]| self.measure.contributions(ranked, out);
        self.sum_of(ranked.positions(), fill, contributions, sums);
    }

    /// The sums up to each cutoff of the contributions that `fill` writes.
    #[inline]
    fn sum_of(&self, documents: usize, fill: impl Fn(&mut [f64]), contributions: &mut Vec<f64>, sums: &mut [f64]) {
        let positions = |cutoff: Option<usize>| cutoff.map_or(documents, |k| k.min(documents));
        let depth = positions(self.cutoffs.last().copied().flatten());
        if contributions.len() < depth {
            contributions.resize(depth, 0.0);
        }
        let contributions = &mut contributions[..depth];
        fill(contributions);
        let (mut sum, mut done) = (0.0, 0);
        for (slot, &cutoff) in sums[self.first_slot..].iter_mut().zip(&self.cutoffs) {
            let end = positions(cutoff);
            for contribution in &contributions[done..end] {
                sum += contribution;
            }
            done = end;
            *slot = sum;
        }
    }
}
