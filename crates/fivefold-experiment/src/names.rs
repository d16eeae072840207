//! Labels as file names: any label has one, and two labels never share one. Ids of tables and figures: shorter, and told
//! apart by a number where they would be the same.

use std::collections::BTreeSet;

use fivefold_base::printable::acts;

/// The longest label, in bytes.
const LONGEST: usize = 80;

/// Why `label` cannot be used, if it cannot.
pub(crate) fn check(label: &str) -> Result<(), String> {
    if label.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    if label.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes, too long for the name of a file"));
    }
    if label.chars().any(acts) {
        return Err("contains a control character, or one that turns the direction of text".to_owned());
    }
    Ok(())
}

/// A file name for a label: letters, digits, `-`, `_` and inner `.` stay, any other byte is written `%XX`, and so is the first of a
/// name that Windows keeps for a device. Different labels get different names.
pub fn file_name(label: &str) -> String {
    use std::fmt::Write as _;
    let mut name = String::with_capacity(label.len());
    let device = is_device(label);
    for (i, byte) in label.bytes().enumerate() {
        let inner = i > 0 && i + 1 < label.len();
        let letter = byte.is_ascii_alphanumeric() && !(device && i == 0);
        let plain = letter || matches!(byte, b'-' | b'_') || (byte == b'.' && inner);
        if plain {
            name.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}

/// Whether Windows takes a file of this name, whatever its ending, for a device.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered =
        |kind: &str| stem.strip_prefix(kind).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

/// A label as a part of an id: lower-case letters, digits, `.` and single `-`. Different labels may have the same, so the
/// ids still have to be [told apart](number_equal).
pub fn slug(label: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let words: Vec<String> = label.split(|c| !kept(c)).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

/// Tells ids apart: one that stands before already gets a number (`x`, `x-2`, `x-3`).
pub fn number_equal<'a>(ids: impl IntoIterator<Item = &'a mut String>) {
    let mut taken = BTreeSet::new();
    for id in ids {
        let plain = id.clone();
        let mut number = 2;
        while !taken.insert(id.clone()) {
            *id = format!("{plain}-{number}");
            number += 1;
        }
    }
}

/// The id of a job: `DATASET/foldK/RANKER`, from labels as file names.
pub(crate) fn job_id(dataset: &str, fold: usize, ranker: &str) -> String {
    format!("{}/fold{fold}/{}", file_name(dataset), file_name(ranker))
}

/// The first two labels that are the same on a file system that ignores case.
pub(crate) fn duplicate<'a>(labels: impl IntoIterator<Item = &'a str>) -> Option<(usize, usize)> {
    let mut seen: Vec<String> = Vec::new();
    for (index, label) in labels.into_iter().enumerate() {
        let folded = label.to_lowercase();
        if let Some(first) = seen.iter().position(|other| *other == folded) {
            return Some((first, index));
        }
        seen.push(folded);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_differ() {
        for (label, name) in [
            ("LMART", "LMART"),
            ("L2 LR", "L2%20LR"),
            ("a/b", "a%2Fb"),
            ("..", "%2E%2E"),
            ("a.", "a%2E"),
            ("CON", "%43ON"),
            ("nul.txt", "%6Eul.txt"),
            ("COM1", "%43OM1"),
            ("console", "console"),
            ("a%2Fb", "a%252Fb"),
            ("é", "%C3%A9"),
            ("v1.0_x-y", "v1.0_x-y"),
        ] {
            assert_eq!(file_name(label), name);
        }
    }

    #[test]
    fn labels_that_cannot_be_files_are_refused() {
        assert!(check("L2 LR").is_ok());
        assert!(check("").is_err() && check("  ").is_err() && check("a\nb").is_err());
        assert!(check("a\u{1b}[31m").is_err() && check("a\u{202e}b").is_err());
        assert!(check(&"x".repeat(80)).is_ok() && check(&"x".repeat(81)).is_err());
    }

    #[test]
    fn ids_are_short_and_told_apart() {
        for (label, id) in
            [("MQ2008", "mq2008"), ("ndcg(gain=linear)", "ndcg-gain-linear"), ("a, b", "a-b"), ("日", "")]
        {
            assert_eq!(slug(label), id);
        }
        let mut ids = ["x", "y", "x", "x-2", "x"].map(str::to_owned);
        number_equal(&mut ids);
        assert_eq!(ids, ["x", "y", "x-2", "x-2-2", "x-3"]);
    }

    #[test]
    fn case_does_not_tell_labels_apart() {
        assert_eq!(duplicate(["a", "b", "A"]), Some((0, 2)));
        assert_eq!(duplicate(["a", "b"]), None);
    }
}
