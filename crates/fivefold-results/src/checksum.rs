//! JSON files that hold the hash of their own content. A reader finds an altered file before it
//! uses the content.

use serde::Serialize;
use serde_json::Value;

use crate::store::hash;

/// The key of the hash, which is the last key of the file.
const KEY: &str = "hash";

/// Returns a value as indented JSON with its hash, and a newline at the end.
///
/// # Errors
/// If the value is not a JSON object.
pub fn with_checksum<T: Serialize>(content: &T) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct WithChecksum<'a, T> {
        #[serde(flatten)]
        content: &'a T,
        hash: String,
    }
    let hash = hash(serde_json::to_value(content)?.to_string().as_bytes());
    let mut text = serde_json::to_vec_pretty(&WithChecksum { content, hash })?;
    text.push(b'\n');
    Ok(text)
}

/// Reads a file that [`with_checksum`] wrote.
///
/// # Errors
/// A sentence that says why: the text is not JSON, or the file was altered.
pub fn read_verified(text: &[u8]) -> Result<Value, String> {
    match read_checked(text)? {
        (value, Checksum::Valid) => Ok(value),
        (_, Checksum::Wrong) => Err(ALTERED.to_owned()),
        (_, Checksum::Missing) => Err(NO_CHECKSUM.to_owned()),
    }
}

/// The error for a file whose checksum is [`Checksum::Wrong`].
pub const ALTERED: &str = "was altered: the hash in it is not the hash of its content";

/// The error for a file whose checksum is [`Checksum::Missing`].
pub const NO_CHECKSUM: &str = "was altered, or fivefold did not write it: the hash of its content is missing";

/// Whether the hash in a file is the hash of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksum {
    /// The hash in the file is right.
    Valid,
    /// The hash in the file is wrong, so the file was altered.
    Wrong,
    /// The file holds no hash.
    Missing,
}

/// Reads a file that [`with_checksum`] may have written, whether or not the file was altered.
///
/// # Errors
/// A sentence, if the text is not JSON.
pub fn read_checked(text: &[u8]) -> Result<(Value, Checksum), String> {
    let mut value: Value = serde_json::from_slice(text).map_err(|error| format!("not JSON: {error}"))?;
    let checksum = match value.as_object_mut().and_then(|object| object.remove(KEY)) {
        None => Checksum::Missing,
        Some(written) if written == hash(value.to_string().as_bytes()) => Checksum::Valid,
        Some(_) => Checksum::Wrong,
    };
    Ok((value, checksum))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_flipped_bit_and_no_cut_gets_through() {
        let content = json!({ "a": [1, 0.1, "x"], "b": { "c": null } });
        let text = with_checksum(&content).unwrap();
        assert_eq!(read_verified(&text).unwrap(), content);
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut flipped = text.clone();
                flipped[at] ^= 1 << bit;
                assert!(read_verified(&flipped).is_err(), "{at} {bit}");
            }
            assert!(read_verified(&text[..at]).is_err() || at == text.len() - 1, "{at}");
        }
        assert_eq!(read_verified(content.to_string().as_bytes()).unwrap_err(), NO_CHECKSUM);
    }
}
