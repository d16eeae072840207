//! Measures of runs against qrels, and of scores against the grades of a data set.

use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_core::Seed;
use fivefold_data::trec::{Duplicates, Qrels, QrelsTopic, Run};
use fivefold_metrics::evaluator::Pool;
use fivefold_metrics::{
    Conventions, Evaluator, Mean, MeasureError, Overrides, Scratch, dialect, mean, settle, spelling,
};
use fivefold_studies::run_values::{RunError, ValuesOfRun, values_of_run};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyArray3, PyReadonlyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::dataset::Dataset;
use crate::dicts::{DictRun, Places, plain_qrels, values_of_runs};
use crate::errors::{config, data};
use crate::trec::{qrels_of, run_of};
use crate::work::in_threads;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Evaluated>()?;
    module.add_function(wrap_pyfunction!(evaluate_runs, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate_scores, module)?)
}

/// The values of systems on queries.
#[pyclass(frozen, module = "fivefold._fivefold")]
struct Evaluated {
    /// The names of the measures.
    #[pyo3(get)]
    measures: Vec<String>,
    #[pyo3(get)]
    systems: Vec<String>,
    #[pyo3(get)]
    queries: Vec<String>,
    /// The conventions and remarks, a line each.
    #[pyo3(get)]
    notes: Vec<String>,
    /// `[(system * queries + query) * measures + measure]`, NaN if undefined.
    values: Vec<f64>,
    /// Whether the means of a system leave a query out: `[system * queries + query]`.
    left_out: Vec<bool>,
    conventions: Conventions,
}

#[pymethods]
impl Evaluated {
    /// Systems x queries x measures; NaN where a value is undefined.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let shape = (self.systems.len(), self.queries.len(), self.measures.len());
        Ok(Array3::from_shape_vec(shape, self.values.clone()).map_err(data)?.into_pyarray(py))
    }

    /// Whether the means of a system leave a query out, as rows of systems.
    fn left_out(&self) -> Vec<Vec<bool>> {
        self.left_out.chunks(self.queries.len().max(1)).map(<[bool]>::to_vec).collect()
    }

    /// The mean, the number of queries in it, and the number of queries with an undefined value.
    fn mean(&self, system: usize, measure: usize) -> (f64, usize, usize) {
        let queries = (0..self.queries.len()).filter(|query| !self.left_out[system * self.queries.len() + query]);
        let values: Vec<f64> = queries.map(|query| self.value(system, query, measure)).collect();
        let Mean { value, queries, undefined } = mean(&values, self.conventions.undefined);
        (value, queries, undefined)
    }

    /// The values that count in the mean, by query; `None` for a query that does not count.
    fn counted(&self, system: usize, measure: usize) -> Vec<Option<f64>> {
        let of_query = |query| match self.left_out[system * self.queries.len() + query] {
            true => None,
            false => settle(self.value(system, query, measure), self.conventions.undefined),
        };
        (0..self.queries.len()).map(of_query).collect()
    }
}

impl Evaluated {
    fn value(&self, system: usize, query: usize, measure: usize) -> f64 {
        self.values[(system * self.queries.len() + query) * self.measures.len() + measure]
    }
}

/// The conventions and measures of an evaluation.
struct Asked {
    dialect: &'static fivefold_metrics::Dialect,
    conventions: Conventions,
    specs: Vec<fivefold_metrics::MeasureSpec>,
    notes: Vec<String>,
}

impl Asked {
    /// From the name of a dialect, the conventions that override it as JSON, and measures in any
    /// spelling that the program reads.
    fn new(name: &str, overrides: &str, measures: &[String]) -> PyResult<Self> {
        let dialect = dialect(name).map_err(config)?;
        let overrides: Overrides = serde_json::from_str(overrides).map_err(config)?;
        let conventions = overrides.apply(dialect.conventions());
        let readings = measures.iter().map(|name| spelling::read(name, &conventions));
        let readings = readings.collect::<Result<Vec<_>, MeasureError>>().map_err(config)?;
        let notes = readings.iter().filter_map(|reading| reading.note.clone()).collect();
        let specs = readings.into_iter().map(|reading| reading.spec).collect();
        Ok(Asked { dialect, conventions, specs, notes })
    }

    fn evaluator(&self, max_grade: u8, seed: u64) -> PyResult<Evaluator> {
        Evaluator::new(&self.specs, &self.conventions, max_grade, Seed::new(seed)).map_err(config)
    }

    fn evaluated(self, evaluator: &Evaluator, queries: Vec<String>, found: Vec<OfSystem>) -> Evaluated {
        let mut notes = vec![self.dialect.describe(&self.conventions)];
        notes.extend(evaluator.describe());
        notes.extend(self.notes);
        let mut evaluated = Evaluated {
            measures: evaluator.names().to_vec(),
            systems: Vec::new(),
            queries,
            notes,
            values: Vec::new(),
            left_out: Vec::new(),
            conventions: self.conventions,
        };
        for OfSystem { name, values, left_out, remarks } in found {
            evaluated.notes.extend(remarks.into_iter().map(|remark| format!("{name}: {remark}")));
            evaluated.systems.push(name);
            evaluated.values.extend(values);
            evaluated.left_out.extend(left_out);
        }
        evaluated
    }
}

/// The values of one system.
struct OfSystem {
    name: String,
    values: Vec<f64>,
    left_out: Vec<bool>,
    remarks: Vec<String>,
}

impl OfSystem {
    fn new(name: String, ValuesOfRun { values, left_out, remarks }: ValuesOfRun) -> Self {
        OfSystem { name, values, left_out, remarks }
    }
}

/// Evaluates runs. `qrels` and each run are a path, a dict of dicts, or three columns.
#[pyfunction]
#[pyo3(signature = (qrels, runs, measures, dialect, overrides, max_grade, duplicates, seed, threads))]
#[expect(clippy::too_many_arguments, reason = "the Python package names them")]
fn evaluate_runs(
    qrels: &Bound<'_, PyAny>,
    runs: Vec<(String, Bound<'_, PyAny>)>,
    measures: Vec<String>,
    dialect: &str,
    overrides: &str,
    max_grade: Option<u8>,
    duplicates: &str,
    seed: u64,
    threads: usize,
) -> PyResult<Evaluated> {
    let known = Duplicates::ALL.into_iter().find(|policy| policy.name() == duplicates);
    let names = Duplicates::ALL.map(Duplicates::name).join(", ");
    let duplicates = known.ok_or_else(|| config(format!("duplicates is one of {names}, not `{duplicates}`")))?;
    let mut asked = Asked::new(dialect, overrides, &measures)?;
    let (py, source) = (qrels.py(), qrels);
    let (qrels, hashes) = match plain_qrels(source, duplicates)? {
        Some((qrels, hashes)) => (qrels, Some(hashes)),
        None => (qrels_of(source, duplicates)?, None),
    };
    asked.notes.push(format!("missing topics: {}", asked.conventions.missing_topics));
    asked.notes.extend(qrels.remarks().into_iter().map(|remark| format!("qrels: {remark}")));
    let evaluator = asked.evaluator(max_grade.unwrap_or_else(|| qrels.max_grade()), seed)?;
    let pool = |topic: &QrelsTopic| evaluator.pool(&topic.id, &topic.grades()).map_err(data);
    let pools: Vec<Pool> = qrels.topics.iter().map(pool).collect::<PyResult<_>>()?;
    let against = Against { evaluator: &evaluator, qrels: &qrels, hashes: hashes.as_deref(), pools: &pools };
    let found = against.values(py, runs, duplicates, threads)?;
    let queries = qrels.topics.iter().map(|topic| topic.id.clone()).collect();
    Ok(asked.evaluated(&evaluator, queries, found))
}

/// What runs are measured by.
struct Against<'a> {
    evaluator: &'a Evaluator,
    qrels: &'a Qrels,
    /// The hashes of the documents of the qrels, if they are known.
    hashes: Option<&'a [u64]>,
    pools: &'a [Pool],
}

impl Against<'_> {
    /// The values of runs. Runs that are plain dicts are measured as they are, and all others are read.
    fn values(
        &self,
        py: Python<'_>,
        runs: Vec<(String, Bound<'_, PyAny>)>,
        duplicates: Duplicates,
        threads: usize,
    ) -> PyResult<Vec<OfSystem>> {
        let places = Places::new(self.qrels);
        let taken = DictRun::take_all(&runs, &places)?;
        let are_dicts: Vec<bool> = taken.iter().map(Option::is_some).collect();
        let dicts: Vec<DictRun<'_>> = taken.into_iter().flatten().collect();
        let measured = values_of_runs(py, &dicts, (self.qrels, self.hashes), self.pools, self.evaluator, threads)?;
        let mut measured = measured.into_iter();
        let mut found: Vec<Option<ValuesOfRun>> =
            are_dicts.into_iter().map(|is_dict| if is_dict { measured.next().flatten() } else { None }).collect();
        let lacking = || found.iter().zip(&runs).filter(|(own, _)| own.is_none());
        let read = |(_, (name, run)): (_, &(String, Bound<'_, PyAny>))| run_of(name, run, duplicates);
        let of_lines: Vec<ValuesOfRun> = if threads == 1 {
            // One after the other, so that one run is in memory.
            let measured = lacking().map(read).map(|run| {
                let run = run?;
                Ok(in_threads(py, 1, |stop| self.of_lines(&run, stop))??)
            });
            measured.collect::<PyResult<_>>()?
        } else {
            let read: Vec<Run> = lacking().map(read).collect::<PyResult<_>>()?;
            in_threads(py, threads, |stop| {
                read.into_par_iter().map(|run| self.of_lines(&run, stop)).collect::<Result<_, Stopped>>()
            })??
        };
        let lacking = found.iter_mut().filter(|own| own.is_none());
        lacking.zip(of_lines).for_each(|(own, values)| *own = Some(values));
        let named = runs.into_iter().zip(found.into_iter().flatten());
        Ok(named.map(|((name, _), values)| OfSystem::new(name, values)).collect())
    }

    fn of_lines(&self, run: &Run, stop: &AtomicBool) -> Result<ValuesOfRun, Stopped> {
        let stopped = || stop.load(Ordering::Relaxed);
        let found = values_of_run(self.evaluator, self.qrels, self.pools, run, None, stopped)?;
        if stopped() { Err(Stopped::Signal) } else { Ok(found) }
    }
}

/// Why there are no values.
enum Stopped {
    Signal,
    Fault(RunError),
}

impl<E: Into<RunError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Stopped::Fault(error.into())
    }
}

impl From<Stopped> for PyErr {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Signal => PyKeyboardInterrupt::new_err(()),
            Stopped::Fault(error) => data(error),
        }
    }
}

/// Evaluates systems by their scores for the documents of a data set, in its order.
#[pyfunction]
#[pyo3(signature = (dataset, scores, measures, dialect, overrides, max_grade, seed, threads))]
#[expect(clippy::too_many_arguments, reason = "the Python package names them")]
fn evaluate_scores(
    py: Python<'_>,
    dataset: &Dataset,
    scores: Vec<(String, PyReadonlyArray1<'_, f64>)>,
    measures: Vec<String>,
    dialect: &str,
    overrides: &str,
    max_grade: Option<u8>,
    seed: u64,
    threads: usize,
) -> PyResult<Evaluated> {
    let asked = Asked::new(dialect, overrides, &measures)?;
    let rows = dataset.data.documents();
    let copied = scores.into_iter().map(|(name, scores)| {
        let scores = scores.as_array().to_vec();
        if scores.len() != rows {
            return Err(data(format!("{name}: {} scores for {rows} documents", scores.len())));
        }
        match scores.iter().position(|score| !score.is_finite()) {
            Some(place) => Err(data(format!("{name}: the score of document {place} (from 0) is {}", scores[place]))),
            None => Ok((name, scores)),
        }
    });
    let systems: Vec<(String, Vec<f64>)> = copied.collect::<PyResult<_>>()?;
    let evaluator = asked.evaluator(max_grade.unwrap_or_else(|| dataset.data.max_grade()), seed)?;
    let found = in_threads(py, threads, |stop| {
        let judged = dataset.data.queries().map(|query| evaluator.judge_query(&query));
        let judged = judged.collect::<Result<Vec<_>, _>>()?;
        let bounds = dataset.data.bounds();
        let of_system = |(name, scores): (String, Vec<f64>)| -> Result<OfSystem, Stopped> {
            let columns = evaluator.names().len();
            let mut values = vec![f64::NAN; judged.len() * columns];
            let mut scratch = Scratch::default();
            for ((query, own), place) in
                judged.iter().zip(bounds.windows(2)).zip(values.chunks_exact_mut(columns.max(1)))
            {
                if stop.load(Ordering::Relaxed) {
                    return Err(Stopped::Signal);
                }
                evaluator.evaluate(query, &scores[own[0]..own[1]], &mut scratch, place)?;
            }
            let left_out = vec![false; judged.len()];
            Ok(OfSystem { name, values, left_out, remarks: Vec::new() })
        };
        systems.into_par_iter().map(of_system).collect::<Result<Vec<_>, Stopped>>()
    })?;
    let queries = dataset.data.queries().map(|query| query.id().to_owned()).collect();
    Ok(asked.evaluated(&evaluator, queries, found?))
}
