//! `--normalise`: how a normaliser is written on the command line.

use fivefold_data::Normaliser;
use serde_json::json;

/// What `--normalise` takes.
pub(crate) const SYNTAX: &str = "METHOD[:OVER]";

/// Parses `METHOD[:OVER]`, each by the word that experiment files use.
pub(crate) fn parse(text: &str) -> Result<Normaliser, String> {
    let (method, over) = text.split_once(':').unwrap_or((text, "query"));
    serde_json::from_value(json!({ "method": method, "over": over })).map_err(|error| error.to_string())
}
