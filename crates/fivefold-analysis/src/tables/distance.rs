//! The order of queries by their distance from a random order.

use serde::{Deserialize, Serialize};

/// How the distance of a query from a random order is measured. The uninformative queries have the
/// least distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// |real - expected|.
    #[default]
    Absolute,
    /// real - expected.
    Signed,
}
