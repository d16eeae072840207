//! Collects values in any order, by measure, system and query.

use std::collections::{BTreeSet, HashMap, HashSet};

use fivefold_base::words::{list, list_some, which};

use super::error::PerQueryErrorKind;
use super::remark::Remark;
use super::{PerQueryOptions, SystemValues};
use crate::text::{find_odd_in_name, is_msvc_nan, named};

/// Ids of rows that hold a mean over queries, in lower case.
const SUMMARIES: [&str; 4] = ["all", "amean", "mean", "average"];
/// Names of rows and columns that hold another statistic over queries or systems, in lower case and
/// without signs. Such a row counts as a query, and such a column as a system, with a remark.
const STATISTICS: [&str; 22] = [
    "std", "stddev", "stdev", "sd", "se", "sem", "var", "variance", "min", "max", "median", "sum", "total", "count",
    "ci", "map", "gmap", "gmmap", "ndcg", "mrr", "avg", "overall",
];

/// The most values of a table that may have any number of gaps.
const SMALL_TABLE: usize = 1 << 20;
/// In a larger table, at least the 64th part of the values must be there.
const MOST_GAPS: usize = 64;

/// Whether a table has almost no values.
pub(super) fn too_sparse(size: usize, values: usize) -> bool {
    size > SMALL_TABLE && size / MOST_GAPS > values
}

/// A line and its fault.
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
    /// Whether the user gave the system's name, which then overrides a name in the file.
    system_given: bool,
    /// The measure's name, unless the file names the measure.
    pub(super) measure: String,
    /// The path of the file, for remarks.
    pub(super) file: String,
    /// The upper bound of all values, if the user gave one.
    pub(super) upper: Option<f64>,
    pub(super) remarks: Vec<Remark>,
    measures: Names,
    systems: Names,
    queries: Names,
    /// For each value: its places in the three lists, the value (NaN if undefined) and its line.
    values: Vec<([usize; 3], f64, u64)>,
    /// Values of rows with the name of a summary: the place in `values`, and the fault of the value
    /// if it has a fault.
    named_as_summaries: Vec<(usize, Option<PerQueryErrorKind>)>,
    /// Number of values that are known to be summaries.
    summaries: usize,
    faults: Faults,
}

/// Faults of single values. A reader stops at the first fault; lint lists the faults.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) first: Vec<Wrong>,
    pub(crate) count: usize,
}

/// The largest number of faults that are kept. All faults are counted.
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
    /// A builder for a file of this path and name. System and measure have the names that the user gave, or
    /// else the file's name.
    pub(super) fn new(path: &str, file: &str, options: &PerQueryOptions) -> Self {
        let name = |given: &Option<String>| given.clone().unwrap_or_else(|| file.to_owned());
        let (system, measure) = (name(&options.system), name(&options.measure));
        Builder {
            system,
            system_given: options.system.is_some(),
            measure,
            file: path.to_owned(),
            upper: options.upper,
            remarks: Vec::new(),
            measures: Names::default(),
            systems: Names::default(),
            queries: Names::default(),
            values: Vec::new(),
            named_as_summaries: Vec::new(),
            summaries: 0,
            faults: Faults::default(),
        }
    }

    /// Takes a name of the only system from the file, unless the user gave a name.
    pub(super) fn names_itself(&mut self, name: &str) {
        if !self.system_given {
            name.clone_into(&mut self.system);
        }
    }

    /// Adds a value as it is written. If the row has the name of a summary, the end of the file
    /// decides whether it is a summary.
    pub(super) fn add(&mut self, measure: &str, system: &str, query: &str, text: &str, line: u64) {
        if !is_summary(query) {
            return self.add_of_query(measure, system, query, text, line);
        }
        if self.has_odd_name(measure, system, query, line) {
            return;
        }
        let (value, wrong) = match parse(text) {
            Ok(value) => (value, None),
            Err(wrong) => (f64::NAN, Some(wrong)),
        };
        self.named_as_summaries.push((self.values.len(), wrong));
        self.push(measure, system, query, value, line);
    }

    /// Adds a value of a query as it is written, even if the query has the name of a summary.
    pub(super) fn add_of_query(&mut self, measure: &str, system: &str, query: &str, text: &str, line: u64) {
        if self.has_odd_name(measure, system, query, line) {
            return;
        }
        match parse(text) {
            Ok(value) => self.push(measure, system, query, value, line),
            Err(wrong) => self.fault(line, wrong),
        }
    }

    /// Adds a number of a query, NaN if the number is undefined, even if the query has the name of a
    /// summary.
    pub(super) fn add_number(&mut self, measure: &str, system: &str, query: &str, value: f64, line: u64) {
        if !self.has_odd_name(measure, system, query, line) {
            self.push(measure, system, query, value, line);
        }
    }

    /// Whether a name has a character that no name may have. The character becomes a fault.
    fn has_odd_name(&mut self, measure: &str, system: &str, query: &str, line: u64) -> bool {
        let odd = |(what, name): (&str, &str)| {
            let (_, character) = find_odd_in_name(name.as_bytes())?;
            Some(format!("the name of a {what}, `{}`, has the character {}", name.escape_debug(), named(character)))
        };
        let odd = [("query", query), ("measure", measure), ("system", system)].into_iter().find_map(odd);
        odd.map(|what| self.fault(line, PerQueryErrorKind::Odd(what))).is_some()
    }

    /// Counts values that are known to be summaries.
    pub(super) fn add_summaries(&mut self, count: usize) {
        self.summaries += count;
    }

    fn push(&mut self, measure: &str, system: &str, query: &str, value: f64, line: u64) {
        let place = [self.measures.place(measure), self.systems.place(system), self.queries.place(query)];
        self.values.push((place, value, line));
    }

    /// Takes out the summaries. The last row of the file that has the name of a summary decides
    /// this name. Under this name, the last value of each measure and system is a summary, because
    /// a program writes its means below the values. The other rows with names of summaries are
    /// queries.
    fn without_summaries(&mut self) {
        let candidates = std::mem::take(&mut self.named_as_summaries);
        let Some(&(last, _)) = candidates.last() else { return };
        let of_last = self.values[last].0[2];
        let (mut taken, mut queries) = (HashSet::new(), BTreeSet::new());
        let mut summaries = HashSet::new();
        for (place, wrong) in candidates.into_iter().rev() {
            let ([measure, system, query], _, line) = self.values[place];
            if query == of_last && taken.insert((measure, system)) {
                summaries.insert(place);
            } else {
                queries.insert(query);
                wrong.into_iter().for_each(|wrong| self.faults.add(line, wrong));
            }
        }
        self.summaries += summaries.len();
        if !queries.is_empty() {
            let names: Vec<String> = queries.iter().map(|&query| format!("`{}`", self.queries.names[query])).collect();
            self.remarks.push(Remark::Other(format!(
                "{} {}: the last row `{}` of each measure was taken for the summary",
                list(&names),
                which(
                    names.len(),
                    "is named as a summary row is, but counts as a query",
                    "are named as a summary row is, but count as queries"
                ),
                self.queries.names[of_last]
            )));
        }
        let mut place = 0..;
        self.values.retain(|_| place.next().is_none_or(|place| !summaries.contains(&place)));
        self.forget_unused();
    }

    /// Removes names without a value.
    fn forget_unused(&mut self) {
        for (at, names) in [&mut self.measures, &mut self.systems, &mut self.queries].into_iter().enumerate() {
            let mut used = vec![false; names.names.len()];
            self.values.iter().for_each(|(place, _, _)| used[place[at]] = true);
            let mut kept = Names::default();
            let places: Vec<usize> =
                names.names.iter().zip(&used).map(|(name, used)| if *used { kept.place(name) } else { 0 }).collect();
            self.values.iter_mut().for_each(|(place, _, _)| place[at] = places[place[at]]);
            *names = kept;
        }
    }

    /// Remarks on names that look like names of statistics, not of queries or systems.
    fn remark_on_names(&mut self) {
        let looks = |name: &&String| {
            let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            is_summary(name) || STATISTICS.contains(&plain.to_ascii_lowercase().as_str())
        };
        let statistics = |name: &&String| looks(name) && !is_summary(name);
        let quoted = |names: Vec<&String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let queries = quoted(self.queries.names.iter().filter(statistics).collect());
        // A single system may have any name.
        let systems: Vec<&String> = self.systems.names.iter().filter(looks).collect();
        let systems = if self.systems.names.len() > 1 { quoted(systems) } else { Vec::new() };
        for (names, one, many) in [(queries, "query", "queries"), (systems, "system", "systems")] {
            if !names.is_empty() {
                let what = which(names.len(), one, many);
                let counts = which(names.len(), "counts as a", "count as");
                let advice =
                    which(names.len(), "if it is not, remove it from the file", "if they are not, remove them");
                let remark = format!("{} {counts} {what}; {advice}", list_some(&names));
                self.remarks.push(Remark::Other(remark));
            }
        }
    }

    /// Adds the fault of a line.
    pub(super) fn fault(&mut self, line: u64, kind: PerQueryErrorKind) {
        self.faults.add(line, kind);
    }

    /// The values in order, and the faults.
    pub(super) fn finish(mut self) -> Result<(SystemValues, Faults), Wrong> {
        self.without_summaries();
        self.remark_on_names();
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
        let of_each_measure = result.values.chunks(systems * queries).zip(&result.measures);
        for (values, measure) in of_each_measure {
            let largest =
                values.iter().filter(|value| !value.is_nan()).fold(0.0, |most: f64, value| most.max(value.abs()));
            if largest > 0.0 && !SQUARED.contains(&largest) {
                faults.add(0, PerQueryErrorKind::Scale { measure: measure.clone(), largest });
            }
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

/// Sizes of numbers whose squares, and sums of many squares, neither overflow nor vanish.
const SQUARED: std::ops::RangeInclusive<f64> = 1e-145..=1e145;

/// Words of programs for an undefined value, in lower case. C prints `-nan` for 0 / 0.
const UNDEFINED: [&str; 7] = ["nan", "-nan", "na", "null", "none", "undefined", ""];

/// Whether a value is undefined: empty, or a program's word for an undefined value, in any case.
pub(super) fn is_undefined(text: &str) -> bool {
    UNDEFINED.iter().any(|word| text.eq_ignore_ascii_case(word)) || is_msvc_nan(text.as_bytes())
}

/// Reads a value as it is written; NaN if the value is undefined.
pub(super) fn parse(text: &str) -> Result<f64, PerQueryErrorKind> {
    let text = text.trim();
    if is_undefined(text) {
        return Ok(f64::NAN);
    }
    match fast_float2::parse::<f64, _>(text) {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(PerQueryErrorKind::Value { found: text.escape_debug().take(40).collect() }),
    }
}

/// Whether an id names a mean over queries.
pub(super) fn is_summary(id: &str) -> bool {
    SUMMARIES.iter().any(|summary| id.eq_ignore_ascii_case(summary))
}
