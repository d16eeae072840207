//! Coordinate ascent on a measure (Metzler & Croft, Information Retrieval 10(3), 2007): a linear
//! model whose weights change in turn, always to a higher mean measure over the training queries.
//!
//! A pass visits all features in a random order. Passes end when a pass gains less than
//! `tolerance`. Several restarts begin at different weights. The model with the best measure on
//! the validation part is kept, or on the training part if there is no validation part. The
//! weights of the model have an absolute sum of 1. The measure follows the default dialect;
//! parameters in its name (`ndcg(gain=linear)@10`) override the dialect.
//!
//! Two searches along a coordinate:
//! - `exact` (default): the measure changes only at points where two documents of a query change
//!   places. So one sweep over these points finds all values. `step` and `steps` have no effect.
//! - `step`, as RankLib: up to `steps` doubling steps up; if no step is better, as many down; then
//!   a step to zero. The first step is .001, or `step` times the weight if the weight is between 0
//!   and .002 in absolute value.
//!
//! Differs from RankLib in three points. (1) RankLib begins every restart at equal weights, so
//! restarts differ in the order of features only. Here the first restart begins at equal weights,
//! the others at random weights, uniform in [-1, 1]. Under `exact` the unit of a weight is 1 /
//! standard deviation of the feature, so raw features of all scales take part. Under `step`, whose
//! steps depend on the scale anyway, weights are of the raw features, as in RankLib. (2) RankLib
//! compares its tolerance with the gain since the restart began, so it goes on until no feature
//! helps. Here each pass must gain the tolerance. (3) RankLib's steps down from a small weight go
//! up, since a sign is lost; here they go down.
//!
//! Cost of `exact` for each feature and pass: one sweep over the places where the ranking above the
//! cutoff changes, then one evaluation of the measure over all queries. Cost of `step`: up to 2
//! `steps` + 1 visits of all documents, which mostly find the order unchanged (`ladder`). Restarts
//! run in parallel.
//!
//! No cost is quadratic: in a query of more than 4,096 documents, the `exact` search looks at a
//! sample of 4,096 documents (`sample`), and a warning says so. A change is made only if the
//! measure over all documents rises.

mod columns;
mod exact;
mod ladder;
mod sample;
mod standing;
mod step;

use std::borrow::Cow;

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, QueryView, Ranker, Rng};
use fivefold_metrics::{DIALECTS, MeasureError, MeasureSpec, Objective};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::columns::Columns;
use self::exact::{ExactSearch, Present, SAME};
use self::ladder::Ladder;
use self::sample::Sample;
use self::standing::{Standing, Standings};
use self::step::StepSearch;
use crate::boosting::check_measure;
use crate::by_query::{LEAST, cut, mean, score_error};
use crate::linear_model::{LinearModel, dot_in};
use crate::memory::{Size, threads};
use crate::validation::{require_order, validation};
use crate::wide::{self, Loop, Vector};

/// Coordinate ascent on a ranking measure.
///
/// ```
/// use fivefold_rankers::{CoordinateAscent, Dataset, FitContext, Model, Ranker, Seed};
///
/// // Neither feature orders the documents of both queries, but their sum does.
/// let train = Dataset::of_queries(2, [(&[3.0, 1.0, 2.0, 1.5][..], &[1, 0][..]), (&[1.0, 5.0, 2.0, 1.0], &[1, 0])])?;
/// let ranker = CoordinateAscent { objective: "rr".to_owned(), ..CoordinateAscent::default() };
/// let model = ranker.fit(&train, &FitContext::new(Seed::new(1)))?;
/// for query in train.queries() {
///     let scores = model.scores(query.view());
///     assert!(scores[0] > scores[1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoordinateAscent {
    /// The measure whose mean is raised: any measure in any version, such as `ap.v2@5`.
    pub objective: String,
    /// The search for the best value of a weight.
    pub search: Search,
    /// Number of restarts; at least 1.
    pub restarts: u32,
    /// Stop a restart after a pass that gains less than `tolerance`; at least 0.
    pub tolerance: f64,
    /// The most passes of a restart over all features; at least 1.
    pub passes: u32,
    /// First step as a share of the weight (`search = "step"` only); above 0.
    pub step: f64,
    /// Doubling steps in one direction (`search = "step"` only); 1 to 60.
    pub steps: u32,
}

/// How [`CoordinateAscent`] searches along one coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Find all values of the measure.
    Exact,
    /// Steps that double, as in RankLib.
    Step,
}

impl Default for CoordinateAscent {
    fn default() -> Self {
        CoordinateAscent {
            objective: "ndcg@10".to_owned(),
            search: Search::Exact,
            restarts: 5,
            tolerance: 0.001,
            passes: 25,
            step: 0.05,
            steps: 25,
        }
    }
}

impl CoordinateAscent {
    fn measure(&self) -> Result<MeasureSpec, MeasureError> {
        self.objective.parse()
    }
}

impl Ranker for CoordinateAscent {
    const NAME: &'static str = "coordinate-ascent";
    const SUMMARY: &'static str = "a linear model that raises a ranking measure, one weight at a time";
    const VERSION: u32 = 2;
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "objective", help: "the measure to maximise: any measure in any version, such as ap.v2@5" },
        ParamHelp {
            name: "search",
            help: "how a weight is chosen. \"exact\": the best of all weights; a query of more than 4096 documents takes part \
                   with 4096 documents. \"step\": RankLib's doubling steps",
        },
        ParamHelp {
            name: "restarts",
            help: "number of starts, at least 1; the model that is best on the validation part is kept",
        },
        ParamHelp {
            name: "tolerance",
            help: "stop a restart after a pass that gains less than this number, at least \
            0",
        },
        ParamHelp { name: "passes", help: "stop a restart after so many passes over all features, at least 1" },
        ParamHelp {
            name: "step",
            help: "first step as a share of the weight, above 0; inert under search = \"exact\"",
        },
        ParamHelp { name: "steps", help: "doubling steps in one direction, 1 to 60; inert under search = \"exact\"" },
    ];
    type Model = LinearModel;

    fn presets() -> Vec<Preset<Self>> {
        let params = CoordinateAscent { search: Search::Step, passes: 1000, ..CoordinateAscent::default() };
        vec![Preset {
            name: "ranklib",
            summary: "RankLib's step search: 5 restarts, 25 doubling steps from .05, passes until one gains less than .001",
            params,
        }]
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("objective", &self.objective)?;
        ParamError::unless(self.restarts >= 1, "restarts", self.restarts, "at least 1")?;
        let ok = self.tolerance >= 0.0 && self.tolerance.is_finite();
        ParamError::unless(ok, "tolerance", self.tolerance, "a finite number of at least 0")?;
        ParamError::unless(self.passes >= 1, "passes", self.passes, "at least 1")?;
        ParamError::unless(self.step > 0.0 && self.step.is_finite(), "step", self.step, "a finite number above 0")?;
        ParamError::unless((1..=60).contains(&self.steps), "steps", self.steps, "1 to 60")
    }

    /// The measure, a copy of the features, the weights of each restart, and for each restart at
    /// work: present and next scores and their order, the feature, and the changes of the measure.
    /// A thread sweeps eight of the longest queries.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        let restarts = threads().min(u64::from(self.restarts));
        let search = match self.search {
            Search::Exact => 111 * train.documents + threads() * 330 * train.longest.min(sample::LONGEST as u64),
            Search::Step => 12 * train.documents + 8 * train.queries * u64::from(self.steps),
        };
        train.objective()
            + validation.objective()
            + (26 + 4 * train.width) * train.documents
            + 90 * train.queries
            + 16 * train.width * u64::from(self.restarts)
            + restarts * (32 * train.documents + 8 * validation.documents + search + 40 * train.width)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<LinearModel, FitError> {
        let measure = self.measure().map_err(objective_error)?;
        let conventions = DIALECTS[0].conventions();
        let objective_over =
            |data: &Dataset| Objective::new(&measure, &conventions, data, cx.seed()).map_err(objective_error);
        let objective = objective_over(train)?;
        require_order(&objective, train)?;
        let sample = match self.search {
            Search::Exact => Sample::of_long_queries(train, sample::LONGEST, cx)?,
            Search::Step => None,
        };
        let of_sample = sample.as_ref().map(|sample| objective_over(&sample.data)).transpose()?;
        let searched = sample.as_ref().map_or(train, |sample| &sample.data);
        let search = ExactSearch::new(searched, of_sample.as_ref().unwrap_or(&objective), measure.cutoff());
        let sampled = sample.as_ref().map(|sample| sample.rows.as_slice());
        let validation = if self.restarts > 1 { validation(cx, objective_over)? } else { None };
        let problem = Problem {
            ranker: self,
            train,
            objective: &objective,
            columns: Columns::new(train),
            depth: measure.cutoff(),
            search,
            sampled,
            cx,
        };
        let starts = Starts::new(train, self.search);
        let standings = Standings::begin(cx, self.restarts, train.width());
        let climbed: Vec<(f64, Vec<f64>)> = (0..self.restarts)
            .into_par_iter()
            .map(|restart| {
                let climb = problem.climb(restart, &starts, &standings)?;
                let value = match &validation {
                    Some((data, objective)) => mean(objective, &score_all(data, &climb.weights))?,
                    None => climb.value,
                };
                Ok((value, climb.weights))
            })
            .collect::<Result<_, FitError>>()?;
        // The first of equal restarts, whichever thread was done first.
        let best = climbed.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best });
        let weights = best.map(|(_, weights)| weights).unwrap_or_default();
        Ok(LinearModel { weights, intercept: 0.0 })
    }
}

fn objective_error(error: MeasureError) -> FitError {
    FitError::Param { name: "objective", reason: error.to_string() }
}

fn score_all(data: &Dataset, weights: &[f64]) -> Vec<f64> {
    let mut scores = vec![0.0; data.documents()];
    let parts = cut(&mut scores, 1, data.queries().map(|query| query.len()));
    parts.into_par_iter().enumerate().with_min_len(LEAST).for_each(|(query, scores)| {
        wide::run(Scores { query: data.query(query).view(), weights, scores });
    });
    scores
}

/// Fills in the scores of a query's documents.
struct Scores<'a> {
    query: QueryView<'a>,
    weights: &'a [f64],
    scores: &'a mut [f64],
}

impl Loop for Scores<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Scores { query, weights, scores } = self;
        for (score, row) in scores.iter_mut().zip(query.rows()) {
            *score = dot_in::<V::Double>(weights, row);
        }
    }
}

/// Divides by the absolute sum; weights that are all 0 stay so.
fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().map(|w| w.abs()).sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|w| *w /= sum);
    }
}

/// The first weights of restarts.
struct Starts {
    /// The unit of each weight.
    units: Vec<f64>,
}

impl Starts {
    fn new(train: &Dataset, search: Search) -> Self {
        let width = train.width();
        if search == Search::Step {
            return Starts { units: vec![1.0; width] };
        }
        let documents = train.documents() as f64;
        let rows = || train.queries().flat_map(|query| query.view().rows());
        let mut means = vec![0.0; width];
        rows().for_each(|row| means.iter_mut().zip(row).for_each(|(m, &x)| *m += f64::from(x) / documents));
        let mut variances = vec![0.0; width];
        for row in rows() {
            let squares = row.iter().zip(&means).map(|(&x, m)| (f64::from(x) - m).powi(2) / documents);
            variances.iter_mut().zip(squares).for_each(|(v, square)| *v += square);
        }
        let unit = |variance: &f64| if *variance > 0.0 { 1.0 / variance.sqrt() } else { 0.0 };
        Starts { units: variances.iter().map(unit).collect() }
    }

    /// Equal weights for the first restart, random weights for the others.
    fn weights(&self, restart: u32, rng: &mut Rng) -> Vec<f64> {
        let share = |_| if restart == 0 { 1.0 } else { 2.0 * rng.uniform() - 1.0 };
        let shares: Vec<f64> = (0..self.units.len()).map(share).collect();
        let mut weights: Vec<f64> = shares.iter().zip(&self.units).map(|(share, unit)| share * unit).collect();
        normalise(&mut weights);
        weights
    }
}

/// The data that all restarts share.
struct Problem<'a> {
    ranker: &'a CoordinateAscent,
    train: &'a Dataset,
    objective: &'a Objective,
    columns: Columns,
    /// The measure's cutoff.
    depth: Option<usize>,
    search: ExactSearch<'a>,
    /// The rows of the sample that the search looks at; `None` if the search looks at all rows.
    sampled: Option<&'a [u32]>,
    cx: &'a FitContext<'a>,
}

impl<'a> Problem<'a> {
    /// The values of the documents that the exact search looks at.
    fn searched<'v>(&self, values: &'v [f64]) -> Cow<'v, [f64]> {
        match self.sampled {
            Some(rows) => Cow::Owned(rows.iter().map(|&row| values[row as usize]).collect()),
            None => Cow::Borrowed(values),
        }
    }

    /// The objective at `scores`, and the state of `search = "exact"`.
    fn value_at(&self, scores: &[f64]) -> Result<(f64, Option<Present>), FitError> {
        if self.ranker.search == Search::Step {
            return Ok((mean(self.objective, scores)?, None));
        }
        let present = self.search.stand_at(self.searched(scores).into_owned());
        let value = if self.sampled.is_some() { mean(self.objective, scores) } else { self.search.mean(&present) };
        Ok((value?, Some(present)))
    }

    /// A restart, up to its last pass.
    fn climb(&self, restart: u32, starts: &Starts, standings: &Standings) -> Result<Climb<'a>, FitError> {
        let CoordinateAscent { restarts, tolerance, passes, .. } = *self.ranker;
        let mut rng = self.cx.seed().derive_index("restart", u64::from(restart)).rng();
        let weights = starts.weights(restart, &mut rng);
        let begun = Standing { weights, passes: 0, visited: 0, before: f64::NAN, ended: false };
        let mut at = standings.of(restart).unwrap_or(begun);
        let (keeps, ended) = (self.cx.checkpoints().is_some(), at.ended);
        let mut climb = Climb::new(self, std::mem::take(&mut at.weights))?;
        for pass in 0..passes {
            if at.ended {
                break;
            }
            let mut order: Vec<usize> = (0..climb.weights.len()).collect();
            rng.shuffle(&mut order);
            if pass < at.passes {
                continue;
            }
            if at.visited == 0 {
                at.before = climb.value;
            }
            for &feature in order.iter().skip(at.visited) {
                if keeps {
                    standings.note(restart, Standing { weights: climb.weights.clone(), ..at });
                }
                self.cx.round(standings.ended(), u64::from(restarts), || standings.all())?;
                self.cx.or_keep(climb.visit(self, feature), || standings.all())?;
                at.visited += 1;
            }
            (at.passes, at.visited) = (pass + 1, 0);
            at.ended = climb.value - at.before < tolerance;
        }
        if keeps {
            standings.note(restart, Standing { weights: climb.weights.clone(), ended: true, ..at });
        }
        if !ended {
            standings.end();
        }
        Ok(climb)
    }
}

/// One restart on its way up.
struct Climb<'a> {
    weights: Vec<f64>,
    scores: Vec<f64>,
    /// The objective at `weights`.
    value: f64,
    column: Vec<f64>,
    /// The state of `search = "exact"`.
    present: Option<Present>,
    /// The state of `search = "step"`.
    ladder: Option<Ladder<'a>>,
}

impl<'a> Climb<'a> {
    fn new(problem: &Problem<'a>, weights: Vec<f64>) -> Result<Self, FitError> {
        let scores = score_all(problem.train, &weights);
        let mut ladder = match problem.ranker.search {
            Search::Exact => None,
            Search::Step => Some(Ladder::new(problem.train, problem.objective, problem.depth)),
        };
        let (value, present) = problem.value_at(&scores)?;
        if let Some(ladder) = &mut ladder {
            ladder.stand_at(&scores).map_err(score_error)?;
        }
        Ok(Climb { weights, scores, value, column: vec![0.0; problem.train.documents()], present, ladder })
    }

    /// Changes the weight of a feature if a change is better.
    fn visit(&mut self, problem: &Problem<'_>, feature: usize) -> Result<(), FitError> {
        problem.columns.fill(feature, &mut self.column);
        match self.best_change(problem, feature)? {
            Some(change) => self.move_if_better(problem, feature, change),
            None => Ok(()),
        }
    }

    fn best_change(&mut self, problem: &Problem<'_>, feature: usize) -> Result<Option<f64>, FitError> {
        let cx = problem.cx;
        if let Some(present) = &self.present {
            return problem.search.best_change(present, &problem.searched(&self.column), cx);
        }
        let Some(ladder) = &mut self.ladder else { return Ok(None) };
        let &CoordinateAscent { step, steps, .. } = problem.ranker;
        StepSearch { step, steps }
            .best_change(self.weights[feature], self.value + SAME, |changes| ladder.values(&self.column, changes, cx))
    }

    /// Takes the step if the objective of the new weights is really higher. Scores are computed
    /// afresh, so rounding errors do not add up over steps.
    fn move_if_better(&mut self, problem: &Problem<'_>, feature: usize, change: f64) -> Result<(), FitError> {
        let mut weights = self.weights.clone();
        weights[feature] += change;
        normalise(&mut weights);
        let scores = score_all(problem.train, &weights);
        let (value, present) = problem.value_at(&scores)?;
        if value > self.value + SAME {
            if let Some(ladder) = &mut self.ladder {
                ladder.stand_at(&scores).map_err(score_error)?;
            }
            (self.weights, self.scores, self.value, self.present) = (weights, scores, value, present);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;
    use fivefold_metrics::Scratch;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn value(measure: &str, data: &Dataset, model: &LinearModel) -> f64 {
        let conventions = DIALECTS[0].conventions();
        let objective = Objective::new(&measure.parse().unwrap(), &conventions, data, Seed::new(1)).unwrap();
        objective.mean(&score_all(data, &model.weights), &mut Scratch::default()).unwrap()
    }

    #[test]
    fn a_perfect_order_is_found_and_weights_are_normalised() {
        // The grade is 1 exactly where x_0 > x_1, whatever x_2 is.
        let data = rows(&[
            &[(1, &[3.0, 1.0, 0.0]), (0, &[1.0, 2.0, 5.0]), (0, &[4.0, 9.0, 7.0])],
            &[(0, &[0.0, 6.0, 1.0]), (1, &[7.0, 6.0, 2.0]), (0, &[2.0, 3.0, 9.0])],
        ]);
        for search in [Search::Exact, Search::Step] {
            let ranker = CoordinateAscent { search, ..CoordinateAscent::default() };
            let model = ranker.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
            assert_eq!(value("ndcg@10", &data, &model), 1.0, "{search:?}");
            assert!((model.weights.iter().map(|w| w.abs()).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn restarts_begin_at_different_weights_and_the_first_at_equal_ones() {
        let starts = Starts::new(&signal_in_order(5, 1), Search::Step);
        let begin =
            |restart: u32| starts.weights(restart, &mut Seed::new(1).derive_index("restart", u64::from(restart)).rng());
        assert_eq!(begin(0), [1.0 / 6.0; 6]);
        assert_ne!(begin(1), begin(2));
        assert!(begin(1).iter().any(|w| *w < 0.0) && begin(1).iter().any(|w| *w > 0.0));
    }

    #[test]
    fn under_exact_search_scales_do_not_matter() {
        let data = signal_in_order(20, 6);
        let scaled: Vec<f32> = data
            .queries()
            .flat_map(|q| {
                q.rows()
                    .flat_map(|row| {
                        row.iter()
                            .enumerate()
                            .map(|(j, x)| x * [1.0, 1024.0, 0.125, 1.0, 1.0, 4.0][j])
                            .collect::<Vec<_>>()
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let other = data.with_features(scaled, data.width()).unwrap();
        let fitted = |data: &Dataset| {
            let model = CoordinateAscent::default().fit(data, &FitContext::new(Seed::new(3))).unwrap();
            value("ndcg@10", data, &model)
        };
        assert!((fitted(&data) - fitted(&other)).abs() < 1e-9);
    }

    #[test]
    fn the_objective_that_is_raised_is_the_one_asked_for() {
        let data = signal_in_order(40, 8);
        let trained_on = |measure: &str| {
            let ranker = CoordinateAscent { objective: measure.to_owned(), ..CoordinateAscent::default() };
            ranker.fit(&data, &FitContext::new(Seed::new(1))).unwrap()
        };
        for (own, other) in [("ndcg@1", "ap"), ("ap.v2@5", "rr"), ("err", "p@5")] {
            let (best, second) = (value(own, &data, &trained_on(own)), value(own, &data, &trained_on(other)));
            assert!(best >= second, "{own}: {best} when trained on it, {second} when trained on {other}");
        }
    }

    #[test]
    fn the_validation_part_chooses_among_restarts() {
        let (data, validation) = (signal_in_order(8, 8), signal_in_order(40, 9));
        let ranker = CoordinateAscent { restarts: 8, ..CoordinateAscent::default() };
        let plain = ranker.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
        let chosen = ranker.fit(&data, &FitContext::new(Seed::new(1)).with_validation(&validation)).unwrap();
        assert!(value("ndcg@10", &validation, &chosen) >= value("ndcg@10", &validation, &plain));
        assert!(value("ndcg@10", &data, &chosen) <= value("ndcg@10", &data, &plain));
        assert_ne!(plain, chosen, "this seed is meant to show a difference");
    }
}
