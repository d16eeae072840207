//! Values in any order, brought together by measure, system and query.

use std::collections::HashMap;

use super::error::PerQueryErrorKind;
use super::remark::Remark;
use super::{PerQueryOptions, SystemValues};

/// Ids of rows that hold a mean over queries.
const SUMMARIES: [&str; 4] = ["all", "amean", "mean", "average"];

/// A table of so many values may have any number of gaps.
const SMALL_TABLE: usize = 1 << 20;
/// Of the values of a larger table, at least one in so many is there.
const MOST_GAPS: usize = 64;

/// Whether hardly any place of a table has a value.
pub(super) fn too_sparse(size: usize, values: usize) -> bool {
    size > SMALL_TABLE && size / MOST_GAPS > values
}

/// A line and what is wrong with it.
pub(crate) type Wrong = (u64, PerQueryErrorKind);

/// Names in the order of their first appearance.
#[derive(Default)]
pub(super) struct Names {
    pub(super) names: Vec<String>,
    places: HashMap<String, usize>,
}

impl Names {
    /// The place of a name.
    pub(super) fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

/// Collects values while a file is parsed.
pub(super) struct Builder {
    /// The system's name.
    pub(super) system: String,
    /// Whether it was given, and so does not yield to one in the file.
    system_given: bool,
    /// The measure's name, unless the file gives one.
    pub(super) measure: String,
    pub(super) remarks: Vec<Remark>,
    measures: Names,
    systems: Names,
    queries: Names,
    /// Places in the three lists, the value (NaN: undefined) and the line.
    values: Vec<([usize; 3], f64, u64)>,
    summaries: usize,
    faults: Faults,
}

/// What is wrong with single values: a reader stops at the first, lint lists them.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) first: Vec<Wrong>,
    pub(crate) count: usize,
}

/// So many faults are kept, and all are counted.
const MOST_FAULTS: usize = 10_000;

impl Faults {
    fn add(&mut self, line: u64, kind: PerQueryErrorKind) {
        self.count += 1;
        if self.first.len() < MOST_FAULTS {
            self.first.push((line, kind));
        }
    }
}

impl Builder {
    /// A builder for a file of this name, whose system and measure go by the names given, or else by the file's.
    pub(super) fn new(file: &str, options: &PerQueryOptions) -> Self {
        let name = |given: &Option<String>| given.clone().unwrap_or_else(|| file.to_owned());
        let (system, measure) = (name(&options.system), name(&options.measure));
        Builder {
            system,
            system_given: options.system.is_some(),
            measure,
            remarks: Vec::new(),
            measures: Names::default(),
            systems: Names::default(),
            queries: Names::default(),
            values: Vec::new(),
            summaries: 0,
            faults: Faults::default(),
        }
    }

    /// The file's own name of its only system.
    pub(super) fn names_itself(&mut self, name: &str) {
        if !self.system_given {
            name.clone_into(&mut self.system);
        }
    }

    /// Adds a value as it is written; summary rows are counted and left out.
    pub(super) fn add(&mut self, measure: &str, system: &str, query: &str, text: &str, line: u64) {
        let text = text.trim();
        if is_summary(query) {
            self.summaries += 1;
            return;
        }
        let undefined =
            ["", "nan", "na", "null", "none", "undefined"].iter().any(|word| text.eq_ignore_ascii_case(word));
        let value = match fast_float2::parse::<f64, _>(text) {
            _ if undefined => f64::NAN,
            Ok(value) if value.is_finite() => value,
            _ => return self.fault(line, PerQueryErrorKind::Value { found: text.escape_debug().take(40).collect() }),
        };
        let place = [self.measures.place(measure), self.systems.place(system), self.queries.place(query)];
        self.values.push((place, value, line));
    }

    /// Notes a line that is wrong.
    pub(super) fn fault(&mut self, line: u64, kind: PerQueryErrorKind) {
        self.faults.add(line, kind);
    }

    /// The values in order, and what was wrong.
    pub(super) fn finish(self) -> Result<(SystemValues, Faults), Wrong> {
        let mut faults = self.faults;
        if self.values.is_empty() {
            return Err(faults.first.into_iter().next().unwrap_or((0, PerQueryErrorKind::Empty)));
        }
        let mut result = SystemValues {
            measures: self.measures.names,
            systems: self.systems.names,
            queries: self.queries.names,
            remarks: self.remarks,
            ..SystemValues::default()
        };
        let [measures, systems, queries] = [result.measures.len(), result.systems.len(), result.queries.len()];
        let size = measures.saturating_mul(systems).saturating_mul(queries);
        if too_sparse(size, self.values.len()) {
            let values = self.values.len();
            return Err((0, PerQueryErrorKind::Sparse { measures, systems, queries, values }));
        }
        result.values = vec![f64::NAN; size];
        result.undefined = vec![false; size];
        for ([measure, system, query], value, line) in self.values {
            let place = result.start(measure, system) + query;
            if !result.is_missing(place) {
                let name = |names: &[String], place: usize| names[place].clone();
                let (query, measure) = (name(&result.queries, query), name(&result.measures, measure));
                let system = name(&result.systems, system);
                faults.add(line, PerQueryErrorKind::Duplicate { query, measure, system });
                continue;
            }
            result.values[place] = value;
            result.undefined[place] = value.is_nan();
        }
        if self.summaries > 0 {
            result.remarks.push(Remark::Summaries(self.summaries));
        }
        let undefined = result.undefined_count();
        if undefined > 0 {
            result.remarks.push(Remark::Undefined(undefined));
        }
        Ok((result, faults))
    }
}

/// Whether an id marks a mean over queries.
pub(super) fn is_summary(id: &str) -> bool {
    SUMMARIES.iter().any(|summary| id.eq_ignore_ascii_case(summary))
}
