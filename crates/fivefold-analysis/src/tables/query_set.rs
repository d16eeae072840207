//! Query sets. A column of a table is about a set of queries, and about all or half of their
//! documents.
//!
//! For a family of measures, `real` is a query's mean of the original measure over all methods and
//! cutoffs. `expected` is the query's mean E/U over the cutoffs. Both means follow the policy for
//! undefined values. So a query without relevant documents has the difference 0 or, under `skip`,
//! is in neither set.
//! - uninformative: the N queries of least |real - expected| (or of least real - expected). Ties
//!   are in file order.
//! - ideal: the N queries of greatest real - expected. Ties are in file order.
//! - N is a number, or a quarter of the queries with a value ([`SetSize`]). A quarter is chosen
//!   among the queries with a value alone, because on the others all methods are equal.
//! - broad: at least half of the documents have grade 2 or higher; focused: all other queries. A
//!   seeded draw cuts the larger set to the size of the smaller.
//! - left, right: all queries, ranked over one half of their documents.

use fivefold_base::rounding;
use fivefold_metrics::settle;

use super::analysis::live;
use super::family::ColumnFamily;
use super::{Distance, SetSize, TableOptions};
use crate::evaluation::{DatasetValues, DocumentSet};

/// The query sets of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuerySet {
    All,
    Uninformative,
    Ideal,
    Broad,
    Focused,
    Left,
    Right,
}

impl QuerySet {
    /// All sets, in the order of the enum, so that a set's number is its place.
    pub const EVERY: [QuerySet; 7] = [
        QuerySet::All,
        QuerySet::Uninformative,
        QuerySet::Ideal,
        QuerySet::Broad,
        QuerySet::Focused,
        QuerySet::Left,
        QuerySet::Right,
    ];

    /// The three sets that are columns of most tables.
    pub const MAIN: [QuerySet; 3] = [QuerySet::All, QuerySet::Uninformative, QuerySet::Ideal];

    /// The name of the set.
    pub fn name(self) -> &'static str {
        match self {
            QuerySet::All => "all",
            QuerySet::Uninformative => "uninformative",
            QuerySet::Ideal => "ideal",
            QuerySet::Broad => "broad",
            QuerySet::Focused => "focused",
            QuerySet::Left => "left",
            QuerySet::Right => "right",
        }
    }

    /// The sets that the options compare.
    pub fn compared(options: &TableOptions) -> Vec<QuerySet> {
        let asked = |set: &QuerySet| match set {
            QuerySet::All => false,
            QuerySet::Uninformative | QuerySet::Ideal => true,
            QuerySet::Broad | QuerySet::Focused => options.broad_focused,
            QuerySet::Left | QuerySet::Right => options.halves,
        };
        QuerySet::EVERY.into_iter().filter(asked).collect()
    }
}

/// Some queries, in file order, and the documents that are ranked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Selection {
    pub queries: Vec<usize>,
    pub documents: DocumentSet,
}

impl Selection {
    /// The number of queries that two selections share; 0 unless both selections rank all
    /// documents.
    pub fn shared(&self, other: &Selection) -> usize {
        if [self.documents, other.documents] != [DocumentSet::All; 2] {
            return 0;
        }
        self.queries.iter().filter(|query| other.queries.binary_search(query).is_ok()).count()
    }
}

/// The queries of a set, but at most `most` queries of the uninformative or the ideal set. The
/// error says why there is no such set.
pub(super) fn select(
    set: QuerySet,
    data: &DatasetValues,
    measures: usize,
    family: &ColumnFamily,
    options: &TableOptions,
    most: Option<usize>,
) -> Result<Selection, String> {
    let every = || (0..data.queries.len()).collect::<Vec<usize>>();
    let over_all = |queries| Ok(Selection { queries, documents: DocumentSet::All });
    let chosen = |size: SetSize, key: &dyn Fn(f64) -> f64| {
        let order = differences(data, measures, family, options, size)?;
        let size = size.of(order.len())?;
        over_all(least(order, most.map_or(size, |most| size.min(most)), key))
    };
    match set {
        QuerySet::All => over_all(every()),
        QuerySet::Uninformative => {
            let distance = |difference: f64| match options.distance {
                Distance::Absolute => difference.abs(),
                Distance::Signed => difference,
            };
            chosen(options.sizes_of(data).uninformative, &distance)
        }
        QuerySet::Ideal => chosen(options.sizes_of(data).ideal, &|difference| -difference),
        QuerySet::Broad | QuerySet::Focused => {
            let (broad, focused) = broad_and_focused(data, options)?;
            over_all(if set == QuerySet::Broad { broad } else { focused })
        }
        QuerySet::Left | QuerySet::Right => {
            if data.left.is_empty() {
                return Err("the halves of the documents were not ranked".to_owned());
            }
            let documents = if set == QuerySet::Left { DocumentSet::Left } else { DocumentSet::Right };
            Ok(Selection { queries: every(), documents })
        }
    }
}

/// A query's value under the original measure: the mean over all methods and cutoffs, and the value
/// of a random order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    pub query: usize,
    pub real: f64,
    pub expected: f64,
}

impl Worth {
    /// real - expected; 0 if the two differ by rounding alone, so that file order decides.
    fn difference(&self) -> f64 {
        rounding::difference(self.real, self.expected)
    }
}

/// The value of each query with a defined value.
pub(super) fn worths(
    data: &DatasetValues,
    measures: usize,
    family: &ColumnFamily,
    options: &TableOptions,
) -> Result<Vec<Worth>, String> {
    let original = family
        .original()
        .filter(|original| !original.columns.is_empty())
        .ok_or_else(|| format!("`{}` itself was not evaluated, and the set is chosen by it", family.name))?;
    if !(0..data.queries.len()).any(|query| is_defined(data, measures, family, query)) {
        return Err(format!("`{}` has no expected value on any query, and the set is chosen by it", family.name));
    }
    let rankers: Vec<usize> = live(data).collect();
    if rankers.is_empty() {
        return Err("every method failed".to_owned());
    }
    let policy = options.conventions.undefined;
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = values.filter_map(|v| settle(v, policy)).fold((0.0, 0), |(s, n), v| (s + v, n + 1));
        (count > 0).then(|| sum / f64::from(count))
    };
    let worth = |query: usize| {
        let cells = |row: usize| original.columns.iter().map(move |&column| row * measures + column);
        let rows = rankers.iter().map(|ranker| ranker * data.queries.len() + query);
        let real = mean(&mut rows.flat_map(cells).map(|cell| data.all[cell]))?;
        let expected = mean(&mut cells(query).map(|cell| data.expected[cell]))?;
        Some(Worth { query, real, expected })
    };
    Ok((0..data.queries.len()).filter_map(worth).collect())
}

/// Whether the original measure has a value on a query, at any cutoff. E/U of a measure with an
/// expected value is undefined exactly where the measure is.
pub(super) fn is_defined(data: &DatasetValues, measures: usize, family: &ColumnFamily, query: usize) -> bool {
    let mut columns = family.original().into_iter().flat_map(|original| &original.columns);
    columns.any(|column| !data.expected[query * measures + column].is_nan())
}

/// The queries among which a set of this size is chosen, with real - expected.
fn differences(
    data: &DatasetValues,
    measures: usize,
    family: &ColumnFamily,
    options: &TableOptions,
    size: SetSize,
) -> Result<Vec<(usize, f64)>, String> {
    let worths = worths(data, measures, family, options)?;
    let counts = |worth: &&Worth| size != SetSize::Quarter || is_defined(data, measures, family, worth.query);
    Ok(worths.iter().filter(counts).map(|worth| (worth.query, worth.difference())).collect())
}

/// The `size` queries of least `key(difference)`, in file order.
fn least(mut order: Vec<(usize, f64)>, size: usize, key: &dyn Fn(f64) -> f64) -> Vec<usize> {
    // The sort is stable, so ties stay in file order.
    order.sort_by(|a, b| key(a.1).total_cmp(&key(b.1)));
    order.truncate(size);
    let mut queries: Vec<usize> = order.into_iter().map(|(query, _)| query).collect();
    queries.sort_unstable();
    queries
}

/// All broad and all focused queries, before they are cut to one size.
pub(super) fn by_breadth(data: &DatasetValues) -> (Vec<usize>, Vec<usize>) {
    let is_broad = |query: &usize| 2 * data.queries[*query].graded2 >= data.queries[*query].documents;
    (0..data.queries.len()).partition(is_broad)
}

fn broad_and_focused(data: &DatasetValues, options: &TableOptions) -> Result<(Vec<usize>, Vec<usize>), String> {
    let (broad, focused) = by_breadth(data);
    let size = broad.len().min(focused.len());
    if size < 2 {
        return Err(format!("{} broad and {} focused queries; each set needs two", broad.len(), focused.len()));
    }
    let seed = options.seed.derive(&data.name).derive("broad and focused");
    let cut = |queries: Vec<usize>| {
        let drawn = seed.rng().sample(queries.len(), size);
        drawn.into_iter().map(|index| queries[index]).collect::<Vec<usize>>()
    };
    Ok((cut(broad), cut(focused)))
}
