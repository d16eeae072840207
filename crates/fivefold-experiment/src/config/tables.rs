//! `[tables]`: which tables are made, and the choices in them.
//!
//! ```toml
//! [tables]
//! only = ["table-03"]        # ids of tables, or how they begin; all when absent
//! alpha = 0.05               # level of the significance tests
//! pad = "signed"             # percentage absolute difference divides by max(a, b); "abs": by max(|a|, |b|)
//! ```

use serde::{Deserialize, Serialize};

/// The tables of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TablesConfig {
    /// Ids of the tables to make, or how the ids begin; all when empty.
    pub only: Vec<String>,
    /// Level of the significance tests, between 0 and 1.
    #[serde(deserialize_with = "level")]
    pub alpha: f64,
    /// What a percentage absolute difference divides by.
    pub pad: Pad,
}

/// The divisor of a percentage absolute difference of two method scores a and b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pad {
    /// max(a, b), as the paper.
    #[default]
    Signed,
    /// max(|a|, |b|), which stays meaningful when scores are negative.
    Abs,
}

impl Default for TablesConfig {
    fn default() -> Self {
        TablesConfig { only: Vec::new(), alpha: 0.05, pad: Pad::Signed }
    }
}

fn level<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let alpha = f64::deserialize(deserializer)?;
    if alpha > 0.0 && alpha < 1.0 {
        Ok(alpha)
    } else {
        Err(serde::de::Error::custom(format!("`alpha` must be between 0 and 1, not {alpha}")))
    }
}
