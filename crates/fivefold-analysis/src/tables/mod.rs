//! The tables of Feng & Karmaker (IPM 2023), computed from the values of a run.
//!
//! | table of the paper | what | file |
//! |---|---|---|
//! | 3, 4 (ndcg), 15, 16 (ap) | mean of the original measure by method, cutoff and query set | `scores` |
//! | 5, 6, 17, 18 | mean of V1 and V2 by method, cutoff and query set | `scores` |
//! | 7, 19 | Kendall's tau of V1 and V2 against the original | `kendall` |
//! | 8, 20 | conflicts of V1 and V2 with the original | `significance` |
//! | 9, 21 | discriminative power | `significance` |
//! | 10, 22 | percentage absolute differences | `pad` |
//! | 11, 23 | swap rate across data sets | `swaps` |
//! | 12 - 14, 24 - 26 | swap rate between uninformative and ideal, broad and focused, left and right | `swaps` |
//!
//! Each builder serves any family of measures (`family`: a measure with its UE versions and
//! cutoffs), any data sets and any methods. Tables of a measure that the paper prints have the
//! paper's table numbers. Query sets are in `query_set`; means and tests are in `means`. A method's
//! score is the mean over queries. If a table has one number for each method, the score is then
//! averaged over the cutoffs. A method that failed on a data set is shown as `FAILED` and is in no
//! statistic of this data set.
//!
//! Differences from the paper: any number of methods, data sets and cutoffs is possible. Score
//! tables have the query sets below each other, not side by side. The first data set of an
//! experiment takes the number of the paper's MSLR-WEB30K table; all other data sets take the
//! number of the MQ2007 table.
//!
//! Letters, heat maps and the words of a page rest on [`MethodComparison`]s, whose test and
//! correction the experiment chooses.
//!
//! Cost: linear in the values. Two data sets of 10,000 queries with eight methods and 30 columns
//! take about a second.

mod analysis;
mod by_query_set;
mod comparison;
mod distance;
mod family;
mod histogram;
mod kendall;
mod means;
mod notes;
mod pad;
mod query_class;
mod query_set;
mod scores;
mod set_size;
mod significance;
mod swaps;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use fivefold_base::Seed;
use fivefold_core::ParamError;
use fivefold_metrics::Conventions;
use fivefold_stats::PadDenominator;
use serde::Serialize;

use crate::chart::Chart;
use crate::difference_test::{DifferenceTest, HowFound};
use crate::evaluation::{DatasetValues, Evaluation};
use crate::ids::number_equal;
use crate::page::PagePart;
use crate::table::Table;
use analysis::{Analysis, lacking_lines};
use family::families;

pub use comparison::{CONFIDENCE, MethodComparison};
pub use distance::Distance;
pub use histogram::{ExpectedHistogram, Panel, expected_histograms};
pub use pad::PadNotes;
pub use query_class::{QueryClass, QueryClasses};
pub use set_size::SetSize;

/// The settings of the tables.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// The conventions of the evaluation. The tables use the policy for undefined values and the
    /// mean over folds.
    pub conventions: Conventions,
    /// Lines under every table: dialect and conventions.
    pub notes: Vec<String>,
    /// Sizes of the query sets.
    pub sizes: SetSizes,
    /// Sizes for single data sets, by name.
    pub dataset_sizes: BTreeMap<String, SetSizes>,
    /// How uninformative queries are found.
    pub distance: Distance,
    /// Whether broad and focused queries are compared.
    pub broad_focused: bool,
    /// Whether left and right halves of the documents are compared.
    pub halves: bool,
    /// Level of the significance tests: a comparison is significant if p < alpha.
    pub alpha: f64,
    /// Name of the test behind letters and heat maps. The tables' own tests are the paper's.
    pub test: String,
    /// Name of the test's correction.
    pub correction: String,
    /// Number of draws, for tests that draw.
    pub draws: usize,
    /// The number by which PAD divides.
    pub pad: PadDenominator,
    /// Seed of the draw that cuts broad and focused queries to the same number.
    pub seed: Seed,
    /// Ids of the tables to make, or beginnings of ids; all tables if empty.
    pub only: Vec<String>,
}

/// The sizes of the uninformative and the ideal set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetSizes {
    /// Number of queries on which the methods differ least from a random order.
    pub uninformative: SetSize,
    /// Number of queries on which the methods beat a random order by most.
    pub ideal: SetSize,
}

impl TableOptions {
    /// The paper's choices under these conventions, but with a quarter of the queries in the
    /// uninformative and in the ideal set.
    pub fn new(conventions: Conventions, seed: Seed) -> Self {
        TableOptions {
            conventions,
            notes: Vec::new(),
            sizes: SetSizes::default(),
            dataset_sizes: BTreeMap::new(),
            distance: Distance::Absolute,
            broad_focused: true,
            halves: true,
            alpha: 0.05,
            test: "t".to_owned(),
            correction: "none".to_owned(),
            draws: 1000,
            pad: PadDenominator::Signed,
            seed,
            only: Vec::new(),
        }
    }

    fn sizes_of(&self, dataset: &DatasetValues) -> SetSizes {
        self.dataset_sizes.get(&dataset.name).copied().unwrap_or(self.sizes)
    }
}

/// Why the tables cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablesError {
    /// The test behind letters or its correction does not exist, or the correction does not suit
    /// the test.
    #[error("the test of differences")]
    Test(#[from] ParamError),
    /// The arrays of a data set do not fit together.
    #[error("data set `{dataset}`: {problem}")]
    Shape {
        /// The data set.
        dataset: String,
        /// The problem, in words.
        problem: String,
    },
    /// No table has an id with the beginning that was asked for.
    #[error("no table's id begins with `{asked}`; there are {}", ids.join(", "))]
    NoSuchTable {
        /// The beginning that was asked for.
        asked: String,
        /// The existing ids.
        ids: Vec<String>,
    },
}

/// All tables, in the paper's order within each family of measures. A table that needs query sets is
/// left out if no data set has these sets.
///
/// # Errors
/// [`TablesError`] if arrays do not fit together, or a table that the options name does not exist.
pub fn all(evaluation: &Evaluation, options: &TableOptions) -> Result<Vec<Table>, TablesError> {
    Ok(analyse(evaluation, options)?.tables)
}

/// All results that are computed from the values of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Analysed {
    /// The tables, as [`all`] gives them.
    pub tables: Vec<Table>,
    /// Every pair of methods compared, for each data set and version. Families stand in the order
    /// of their first column.
    pub comparisons: Vec<MethodComparison>,
    /// The queries in the plane of expected and original values, for each data set and family with
    /// the original measure.
    pub classes: Vec<QueryClasses>,
    /// The query sets that the tables compare, and those that a data set lacks, by family and data
    /// set.
    pub query_sets: Vec<QuerySetFact>,
    /// The test of the comparisons.
    pub difference: DifferenceTest,
    /// Charts of the design.
    pub charts: Vec<Chart>,
    /// Findings of the design in words.
    pub findings: Vec<PagePart>,
}

/// A query set of one data set under one family of measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct QuerySetFact {
    /// The data set.
    pub dataset: String,
    /// The measure without version and cutoff.
    pub measure: String,
    /// Name of the set.
    pub set: &'static str,
    /// Number of queries in the set. `None` if there is no set.
    pub queries: Option<usize>,
    /// Why there is no set.
    pub left_out: Option<String>,
}

/// The tables, comparisons and query classes. Each family of measures is analysed once.
///
/// # Errors
/// As [`all`], and for a test behind letters that does not exist.
pub fn analyse(evaluation: &Evaluation, options: &TableOptions) -> Result<Analysed, TablesError> {
    analyse_with(evaluation, options, |_| More::default())
}

/// What an experiment adds to the results of its values.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// Tables. A table without rows is left out.
    pub tables: Vec<Table>,
    /// Charts.
    pub charts: Vec<Chart>,
    /// Findings in words.
    pub findings: Vec<PagePart>,
}

/// The same as [`analyse`], with more tables, charts and findings.
pub(crate) fn analyse_with(
    evaluation: &Evaluation,
    options: &TableOptions,
    more: impl FnOnce(&[MethodComparison]) -> More,
) -> Result<Analysed, TablesError> {
    check(evaluation)?;
    let difference = DifferenceTest::new(&options.test, &options.correction, options.draws, options.alpha)?;
    let (mut tables, mut comparisons, mut classes, mut query_sets) = (vec![], vec![], vec![], vec![]);
    for family in families(&evaluation.measures) {
        let analysis = Analysis::new(evaluation, options, &family);
        let compared = comparison::of_family(&analysis, &difference)?;
        let mut found = HowFound::default();
        compared.iter().for_each(|comparison| found.merge(&comparison.how_found));
        tables.extend(of_family(&analysis, &compared, &difference.in_words(&found)));
        comparisons.extend(compared);
        classes.extend(query_class::of_family(&analysis));
        query_sets.extend(analysis.query_set_facts());
    }
    let More { tables: further, charts, findings } = more(&comparisons);
    tables.extend(further);
    let tables = finished(tables, options)?;
    Ok(Analysed { tables, comparisons, classes, query_sets, difference, charts, findings })
}

impl Analysed {
    /// The test of the comparisons in words, with how their p-values were found.
    pub fn test_in_words(&self) -> String {
        let mut found = HowFound::default();
        self.comparisons.iter().for_each(|comparison| found.merge(&comparison.how_found));
        self.difference.in_words(&found)
    }

    /// The query sets that a data set lacks, a sentence for each reason.
    pub fn left_out(&self, dataset: &str) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        let own = || self.query_sets.iter().filter(|fact| fact.dataset == dataset);
        for family in own().map(|fact| &fact.measure).collect::<BTreeSet<_>>() {
            let of_family = own().filter(|fact| fact.measure == *family);
            let lacks = of_family.filter_map(|fact| Some((fact.set, fact.left_out.as_deref()?)));
            for line in lacking_lines(lacks) {
                let sentence = format!("{}.", line.replacen("the", "The", 1));
                if !sentences.contains(&sentence) {
                    sentences.push(sentence);
                }
            }
        }
        sentences
    }

    /// Whether there is a table of this kind (`conflicts`, `pad`), for any measure.
    pub fn has_table(&self, kind: &str) -> bool {
        self.tables.iter().any(|table| table.id.contains(kind))
    }
}

fn of_family(analysis: &Analysis<'_>, comparisons: &[MethodComparison], test: &str) -> Vec<Table> {
    let mut tables = scores::tables(analysis, comparisons, test);
    tables.extend(kendall::table(analysis));
    tables.extend(significance::tables(analysis));
    tables.push(pad::table(analysis));
    tables.extend(swaps::tables(analysis));
    tables
}

fn finished(mut tables: Vec<Table>, options: &TableOptions) -> Result<Vec<Table>, TablesError> {
    // Two labels may have the same id, because ids leave out some characters. Equal ids get
    // numbers.
    number_equal(tables.iter_mut().map(|table| &mut table.id));
    // A table without rows is left out, but its id exists.
    Ok(choose(tables, &options.only)?.into_iter().filter(|table| !table.rows.is_empty()).collect())
}

fn choose(tables: Vec<Table>, only: &[String]) -> Result<Vec<Table>, TablesError> {
    let begins = |table: &Table, asked: &String| table.id.starts_with(asked.as_str());
    if let Some(asked) = only.iter().find(|asked| !tables.iter().any(|table| begins(table, asked))) {
        let ids = tables.into_iter().map(|table| table.id).collect();
        return Err(TablesError::NoSuchTable { asked: asked.clone(), ids });
    }
    let wanted = |table: &Table| only.is_empty() || only.iter().any(|asked| begins(table, asked));
    Ok(tables.into_iter().filter(wanted).collect())
}

/// Checks that all arrays have the sizes that follow from the counts of methods, queries and
/// measures.
fn check(evaluation: &Evaluation) -> Result<(), TablesError> {
    for data in &evaluation.datasets {
        let problem = |problem: String| TablesError::Shape { dataset: data.name.clone(), problem };
        let expected = data.queries.len() * evaluation.measures.len();
        let values = expected * data.rankers.len();
        for (what, found, needed) in [
            ("values over all documents", data.all.len(), values),
            ("values over the left halves", data.left.len(), if data.left.is_empty() { 0 } else { values }),
            ("values over the right halves", data.right.len(), if data.left.is_empty() { 0 } else { values }),
            ("expected values", data.expected.len(), expected),
            ("marks of failed methods", data.failed.len(), data.rankers.len()),
        ] {
            if found != needed {
                return Err(problem(format!("{found} {what} where {needed} are needed")));
            }
        }
        if !data.queries.is_sorted_by_key(|query| query.fold) {
            return Err(problem("its queries are not in the order of their folds".to_owned()));
        }
    }
    Ok(())
}
