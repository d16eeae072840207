//! How far a query is from what a random order scores.

use serde::{Deserialize, Serialize};

/// How uninformative queries are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// Least |real - expected| first.
    #[default]
    Absolute,
    /// Least real - expected first.
    Signed,
}
