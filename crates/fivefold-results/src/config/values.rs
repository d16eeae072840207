//! Values of parameters in words, and the names that searches give them.

use serde_json::Value;

/// The name of the normaliser among the values of a setting.
pub(super) const NORMALISE: &str = "normalise";

/// The most candidates of all searches of an experiment.
pub const MOST_CANDIDATES: usize = 10_000;

/// The value of a parameter, or a normaliser, as text.
pub fn value_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(normaliser) => {
            let word = |key: &str| normaliser.get(key).and_then(Value::as_str).unwrap_or_default();
            match word("method") {
                "none" => "none".to_owned(),
                method => format!("{method} over {}", word("over")),
            }
        }
        other => other.to_string(),
    }
}
