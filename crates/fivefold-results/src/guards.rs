//! What leak guards found about the data sets of a run, and what stands under every table where one was overridden.

use fivefold_data::leaks::Finding;
use serde::{Deserialize, Serialize};

/// What every stamp begins with.
pub const STAMP: &str = "GUARD OVERRIDDEN";

/// What a guard found about a data set of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardFact {
    /// Label of the data set.
    pub dataset: String,
    /// What was found. If it stops a run, this one overrode the guard.
    #[serde(flatten)]
    pub finding: Finding,
}

impl GuardFact {
    /// The line that stands under every table; `None` for a warning.
    pub fn stamp(&self) -> Option<String> {
        let Finding { guard, what, stops } = &self.finding;
        stops.then(|| format!("{STAMP}: {guard} on {}: {what}", self.dataset))
    }
}
