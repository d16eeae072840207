//! Joins values of several files into one table, and treats queries that a system lacks.

use std::fmt;

use fivefold_base::words::{counted, which};
use serde::{Deserialize, Serialize};

use super::SystemValues;
use super::builder::{Names, too_sparse};
use super::error::{PerQueryError, PerQueryErrorKind};
use super::remark::Remark;

/// The treatment of a query that has no value for one of the systems under one of the measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingQuery {
    /// A missing value is an error.
    #[default]
    Error,
    /// The query is left out for all systems and measures.
    Drop,
    /// The value counts as 0, like a topic that a run lacks in `trec_eval -c`.
    Zero,
}

impl MissingQuery {
    /// All policies, in the order in which help lists them.
    pub const ALL: [MissingQuery; 3] = [MissingQuery::Error, MissingQuery::Drop, MissingQuery::Zero];

    /// The policy's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MissingQuery::Error => "error",
            MissingQuery::Drop => "drop",
            MissingQuery::Zero => "zero",
        }
    }
}

impl fmt::Display for MissingQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The effect of a policy for missing queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settled {
    /// Number of queries left out.
    pub dropped: usize,
    /// Number of values set to 0.
    pub zeroed: usize,
}

impl SystemValues {
    /// Joins the values of several files into one table, by query id. A measure that a system lacks
    /// is left out, with a remark. A query that a system lacks has NaN, until
    /// [`settle`](Self::settle) treats it.
    ///
    /// # Errors
    /// If a system has the same measure in two files, if no measure is common to all systems, or if
    /// almost no query is common.
    pub fn join(parts: Vec<SystemValues>) -> Result<SystemValues, PerQueryError> {
        let (mut measures, mut systems, mut queries) = (Names::default(), Names::default(), Names::default());
        let place = |names: &mut Names, all: &[String]| all.iter().map(|name| names.place(name)).collect::<Vec<_>>();
        let places: Vec<[Vec<usize>; 3]> = parts
            .iter()
            .map(|part| {
                [
                    place(&mut measures, &part.measures),
                    place(&mut systems, &part.systems),
                    place(&mut queries, &part.queries),
                ]
            })
            .collect();
        let mut joined = SystemValues {
            measures: measures.names,
            systems: systems.names,
            queries: queries.names,
            ..SystemValues::default()
        };
        let [measures, systems, queries] = [joined.measures.len(), joined.systems.len(), joined.queries.len()];
        let size = measures.saturating_mul(systems).saturating_mul(queries);
        let values = parts.iter().map(|part| part.values.len()).sum();
        if too_sparse(size, values) {
            return Err(PerQueryError::joined(PerQueryErrorKind::Sparse { measures, systems, queries, values }));
        }
        joined.values = vec![f64::NAN; size];
        joined.undefined = vec![false; size];
        for (part, [measures, systems, queries]) in parts.iter().zip(&places) {
            for (m, &measure) in measures.iter().enumerate() {
                for (s, &system) in systems.iter().enumerate() {
                    let (from, to) = (part.start(m, s), joined.start(measure, system));
                    if !part.has_any(m, s) {
                        continue;
                    }
                    if joined.has_any(measure, system) {
                        let (system, measure) = (joined.systems[system].clone(), joined.measures[measure].clone());
                        return Err(PerQueryError::joined(PerQueryErrorKind::SystemTwice { system, measure }));
                    }
                    for (q, &query) in queries.iter().enumerate() {
                        joined.values[to + query] = part.values[from + q];
                        joined.undefined[to + query] = part.undefined[from + q];
                    }
                }
            }
        }
        parts.into_iter().flat_map(|part| part.remarks).for_each(|remark| remark.add_to(&mut joined.remarks));
        joined.common_measures()
    }

    /// Treats queries that a system lacks, as `policy` says.
    ///
    /// # Errors
    /// With [`MissingQuery::Error`], the first missing value. With [`MissingQuery::Drop`], if no
    /// query is left.
    pub fn settle(mut self, policy: MissingQuery) -> Result<(SystemValues, Settled), PerQueryError> {
        let queries = self.queries.len();
        let gaps: Vec<usize> = (0..self.values.len()).filter(|&place| self.is_missing(place)).collect();
        let Some(&first) = gaps.first() else { return Ok((self, Settled::default())) };
        let mut settled = Settled::default();
        match policy {
            MissingQuery::Error => {
                let (column, query) = (first / queries, first % queries);
                let measure = self.measures[column / self.systems.len()].clone();
                let system = self.systems[column % self.systems.len()].clone();
                let query = self.queries[query].clone();
                let kind = PerQueryErrorKind::Missing { system, measure, query, count: gaps.len() };
                return Err(PerQueryError::joined(kind));
            }
            MissingQuery::Zero => {
                gaps.iter().for_each(|&place| self.values[place] = 0.0);
                settled.zeroed = gaps.len();
                let missing = counted(gaps.len(), "missing value");
                let count = which(gaps.len(), "counts", "count");
                self.remarks.push(Remark::Other(format!("{missing} {count} as 0 (missing queries: zero)")));
            }
            MissingQuery::Drop => {
                let mut keep = vec![true; queries];
                gaps.iter().for_each(|&place| keep[place % queries] = false);
                settled.dropped = keep.iter().filter(|&&kept| !kept).count();
                if settled.dropped == queries {
                    return Err(PerQueryError::joined(PerQueryErrorKind::NoCommonQuery));
                }
                let dropped = settled.dropped;
                let what = which(dropped, "is left out: a system lacks it", "are left out: a system lacks them");
                let of = counted(queries, "query");
                self.remarks.push(Remark::Other(format!("{dropped} of {of} {what} (missing queries: drop)")));
                self.values = kept(&self.values, &keep);
                self.undefined = kept(&self.undefined, &keep);
                self.queries = kept(&self.queries, &keep);
            }
        }
        Ok((self, settled))
    }

    fn has_any(&self, measure: usize, system: usize) -> bool {
        let start = self.start(measure, system);
        (start..start + self.queries.len()).any(|place| !self.is_missing(place))
    }

    /// Keeps the measures that every system has.
    fn common_measures(mut self) -> Result<SystemValues, PerQueryError> {
        let lacking = |measure: usize| (0..self.systems.len()).find(|&system| !self.has_any(measure, system));
        let lacking: Vec<Option<usize>> = (0..self.measures.len()).map(lacking).collect();
        if lacking.iter().all(Option::is_some) {
            return Err(PerQueryError::joined(PerQueryErrorKind::NoCommonMeasure));
        }
        for (measure, system) in lacking.iter().enumerate() {
            if let Some(system) = system {
                let (measure, system) = (&self.measures[measure], &self.systems[*system]);
                let what = format!("{measure} is left out: `{system}` has no value of it");
                self.remarks.push(Remark::Other(what));
            }
        }
        let keep: Vec<bool> = lacking.iter().map(Option::is_none).collect();
        let size = self.systems.len() * self.queries.len();
        let of_measure = keep.iter().flat_map(|&kept| std::iter::repeat_n(kept, size)).collect::<Vec<_>>();
        self.values = kept(&self.values, &of_measure);
        self.undefined = kept(&self.undefined, &of_measure);
        self.measures = kept(&self.measures, &keep);
        Ok(self)
    }
}

/// Returns the items that are kept. `keep` is repeated along `items`.
fn kept<T: Clone>(items: &[T], keep: &[bool]) -> Vec<T> {
    items.iter().zip(keep.iter().cycle()).filter(|(_, keep)| **keep).map(|(item, _)| item.clone()).collect()
}
