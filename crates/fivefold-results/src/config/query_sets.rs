//! `[query_sets]`: the groups of queries that the tables compare, and the size of each group.
//!
//! ```toml
//! [query_sets]
//! uninformative = "quarter"  # queries on which the rankers differ least from a random order
//! ideal = 500                # queries on which the rankers beat a random order by most; 0: no set
//! distance = "absolute"      # distance of the real score from the expected score; or "signed"
//! broad_focused = true       # queries with many and with few documents of grade 2 or higher
//! halves = true              # also rank random halves of each query's documents
//! ```
//! A `[[dataset]]` may give its own `uninformative` and `ideal`.
//!
//! The default size is `"quarter"`: a quarter of the queries on which the measure is defined, and at
//! least 20. With `dialect = "paper"` in the file, the default is the paper's size: 1000 for
//! MSLR-WEB30K, 500 for any other collection. A set that cannot be had is left out of the tables,
//! and a line says why: a number that is not below the number of queries, or a quarter of fewer than
//! 40 queries.

use serde::{Deserialize, Serialize};

use fivefold_analysis::tables::{Distance, SetSize};

use super::dataset::DatasetConfig;
use super::error::Fault;
use super::read::{Section, read};

/// The query sets of the tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuerySetsConfig {
    /// Size of the uninformative set.
    pub uninformative: SetSize,
    /// Size of the ideal set.
    pub ideal: SetSize,
    /// The distance of the real score from the expected score, which orders the uninformative
    /// queries.
    pub distance: Distance,
    /// Whether broad and focused queries are compared.
    pub broad_focused: bool,
    /// Whether each query's documents are split into two halves, and the left and right halves are
    /// ranked too.
    pub halves: bool,
}

impl Default for QuerySetsConfig {
    fn default() -> Self {
        QuerySetsConfig {
            uninformative: SetSize::Quarter,
            ideal: SetSize::Quarter,
            distance: Distance::Absolute,
            broad_focused: true,
            halves: true,
        }
    }
}

impl QuerySetsConfig {
    /// Reads the section. If the file names the dialect `paper`, sizes that the file does not give
    /// are those of the paper, also of `datasets`.
    pub(super) fn read(
        section: Option<Section<'_>>,
        of_paper: bool,
        datasets: &mut [DatasetConfig],
    ) -> Result<Self, Fault> {
        let section = section.unwrap_or_default();
        let named = ["uninformative", "ideal"].map(|key| section.has(key));
        let mut sets: QuerySetsConfig = read(section.into_value())?;
        if of_paper {
            let general = [&mut sets.uninformative, &mut sets.ideal];
            let unnamed = general.into_iter().zip(named).filter(|(_, named)| !named);
            unnamed.for_each(|(size, _)| *size = SetSize::Count(PAPER));
            for dataset in datasets.iter_mut().filter(|dataset| dataset.source.name.as_deref() == Some(LARGE.0)) {
                let own = [&mut dataset.uninformative, &mut dataset.ideal];
                let unnamed = own.into_iter().zip(named).filter(|(_, named)| !named);
                unnamed.for_each(|(size, _)| *size = size.or(Some(SetSize::Count(LARGE.1))));
            }
        }
        Ok(sets)
    }
}

/// The paper's size of a set, and the collection for which the size is another.
const PAPER: usize = 500;
const LARGE: (&str, usize) = ("mslr-web30k", 1000);

#[cfg(test)]
mod tests {
    use fivefold_core::Registry;

    use super::*;
    use crate::config::Experiment;

    /// The sizes of the sets of each data set: uninformative, ideal.
    fn sizes(top: &str, dataset: &str, rest: &str) -> Vec<[SetSize; 2]> {
        let text = format!(
            "name = \"x\"\n{top}\n[[dataset]]\nname = \"mslr-web30k\"\n{dataset}\n[[dataset]]\nname = \"mq2007\"\n\
             [[ranker]]\nlabel = \"a\"\nkind = \"scores\"\nparams = {{ path = \"{{fold}}\" }}\n{rest}"
        );
        let experiment = Experiment::parse("x.toml", &text, Vec::new(), &Registry::new(&[])).unwrap();
        // A manifest keeps the sizes.
        let kept = serde_json::to_string(&experiment).unwrap();
        let experiment: Experiment = serde_json::from_str(&kept).unwrap();
        let options = crate::results::table_options(&experiment, Vec::new());
        let of = |dataset: &DatasetConfig| {
            let own = options.dataset_sizes[&dataset.label];
            [own.uninformative, own.ideal]
        };
        experiment.datasets.iter().map(of).collect()
    }

    #[test]
    fn the_default_is_a_quarter_and_the_dialect_of_the_paper_has_its_sizes() {
        use SetSize::{Count, Quarter};

        assert_eq!(sizes("", "", ""), [[Quarter; 2]; 2]);
        assert_eq!(sizes("dialect = \"letor4\"", "", ""), [[Quarter; 2]; 2]);
        let paper = "dialect = \"paper\"";
        assert_eq!(sizes(paper, "", ""), [[Count(1000); 2], [Count(500); 2]]);
        assert_eq!(sizes("profile = \"paper\"", "", "[query_sets]\nhalves = false"), sizes(paper, "", ""));
        // A size in the file is kept, and holds for all data sets that give none.
        let ideal = "[query_sets]\nideal = \"quarter\"";
        assert_eq!(sizes(paper, "", ideal), [[Count(1000), Quarter], [Count(500), Quarter]]);
        assert_eq!(sizes(paper, "ideal = 7", ""), [[Count(1000), Count(7)], [Count(500); 2]]);
        assert_eq!(sizes("", "uninformative = 9", "[query_sets]\nideal = 0")[0], [Count(9), Count(0)]);
    }
}
