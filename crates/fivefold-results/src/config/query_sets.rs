//! `[query_sets]`: the groups of queries that the tables compare, and the size of each group.
//!
//! ```toml
//! [query_sets]
//! uninformative = 500        # queries on which the rankers differ least from a random order
//! ideal = 500                # queries on which the rankers beat a random order by most
//! distance = "absolute"      # distance of the real score from the expected score; or "signed"
//! broad_focused = true       # queries with many and with few documents of grade 2 or higher
//! halves = true              # also rank random halves of each query's documents
//! ```
//! A `[[dataset]]` may give its own `uninformative` and `ideal`.

use serde::{Deserialize, Serialize};

use fivefold_analysis::tables::Distance;

/// The query sets of the tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuerySetsConfig {
    /// Size of the uninformative set; 0 means no set.
    pub uninformative: usize,
    /// Size of the ideal set; 0 means no set.
    pub ideal: usize,
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
            uninformative: 500,
            ideal: 500,
            distance: Distance::Absolute,
            broad_focused: true,
            halves: true,
        }
    }
}
