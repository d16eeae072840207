//! `[guards]`: leak guards that are overridden for all data sets. A `[[dataset]]` may have an
//! `allow` too.
//!
//! ```toml
//! [guards]
//! allow = ["identical-vectors"]    # guards of `fivefold_data::leaks`; stamped on every table
//! ```

use fivefold_data::leaks::Guard;
use serde::{Deserialize, Serialize};

/// The settings of leak guards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardsConfig {
    /// Guards that do not stop the run.
    pub allow: Vec<Guard>,
}
