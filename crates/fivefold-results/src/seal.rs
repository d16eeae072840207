//! JSON files that hold the hash of their own content, so that an altered one is found before anything is read from it.

use serde::Serialize;
use serde_json::Value;

use crate::store::hash;

/// The last key.
const KEY: &str = "hash";

/// A value as indented JSON with its hash, and a newline at the end.
///
/// # Errors
/// If it is no JSON object.
pub fn sealed<T: Serialize>(content: &T) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Sealed<'a, T> {
        #[serde(flatten)]
        content: &'a T,
        hash: String,
    }
    let hash = hash(serde_json::to_value(content)?.to_string().as_bytes());
    let mut text = serde_json::to_vec_pretty(&Sealed { content, hash })?;
    text.push(b'\n');
    Ok(text)
}

/// Reads what [`sealed`] wrote.
///
/// # Errors
/// In words: no JSON, or not what was written.
pub fn unsealed(text: &[u8]) -> Result<Value, String> {
    match opened(text)? {
        (value, Seal::Whole) => Ok(value),
        (_, Seal::Broken) => Err(BROKEN.to_owned()),
        (_, Seal::Missing) => Err(UNSEALED.to_owned()),
    }
}

/// What is wrong with a file whose seal is [`Seal::Broken`].
pub const BROKEN: &str = "was altered: its content has not the hash that stands in it";

/// What is wrong with a file whose seal is [`Seal::Missing`].
pub const UNSEALED: &str = "was altered, or is not ours: the hash of its content is missing";

/// Whether a file has the hash that stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seal {
    /// It has.
    Whole,
    /// It has not: it was altered.
    Broken,
    /// There stands none.
    Missing,
}

/// Reads a file that [`sealed`] may have written, altered or not.
///
/// # Errors
/// In words: no JSON.
pub fn opened(text: &[u8]) -> Result<(Value, Seal), String> {
    let mut value: Value = serde_json::from_slice(text).map_err(|error| format!("not JSON: {error}"))?;
    let seal = match value.as_object_mut().and_then(|object| object.remove(KEY)) {
        None => Seal::Missing,
        Some(written) if written == hash(value.to_string().as_bytes()) => Seal::Whole,
        Some(_) => Seal::Broken,
    };
    Ok((value, seal))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_flipped_bit_and_no_cut_gets_through() {
        let content = json!({ "a": [1, 0.1, "x"], "b": { "c": null } });
        let text = sealed(&content).unwrap();
        assert_eq!(unsealed(&text).unwrap(), content);
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut flipped = text.clone();
                flipped[at] ^= 1 << bit;
                assert!(unsealed(&flipped).is_err(), "{at} {bit}");
            }
            assert!(unsealed(&text[..at]).is_err() || at == text.len() - 1, "{at}");
        }
        assert_eq!(unsealed(content.to_string().as_bytes()).unwrap_err(), UNSEALED);
    }
}
