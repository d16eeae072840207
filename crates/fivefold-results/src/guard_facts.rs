//! The findings of leak guards about the data sets of a run. A line about each overridden guard
//! stands under every table.

use fivefold_data::leaks::Finding;
use serde::{Deserialize, Serialize};

/// The first words of every stamp.
pub const STAMP: &str = "GUARD OVERRIDDEN";

/// A finding of a guard about a data set of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardFact {
    /// Label of the data set.
    pub dataset: String,
    /// The finding. If the finding stops a run, the experiment overrode this guard.
    #[serde(flatten)]
    pub finding: Finding,
}

impl GuardFact {
    /// The line that stands under every table. `None` for a warning, which stops no run.
    pub fn stamp(&self) -> Option<String> {
        let Finding { guard, what, stops } = &self.finding;
        stops.then(|| format!("{STAMP}: {guard} on {}: {what}", self.dataset))
    }
}
