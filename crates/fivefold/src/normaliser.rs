//! `--normalise`: the form of a normaliser on the command line.

use fivefold_data::Normaliser;
use serde_json::json;

/// The form of a value of `--normalise`, for help.
pub(crate) const SYNTAX: &str = "METHOD[:OVER]";

/// Parses `METHOD[:OVER]`. Both parts are the words that experiment files use.
pub(crate) fn parse(text: &str) -> Result<Normaliser, String> {
    let (method, over) = text.split_once(':').unwrap_or((text, "query"));
    serde_json::from_value(json!({ "method": method, "over": over })).map_err(|error| error.to_string())
}
