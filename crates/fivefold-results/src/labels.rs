//! Labels as file names. Every label has a file name, and different labels have different file
//! names.

use fivefold_base::printable::acts;

/// The longest label, in bytes.
const LONGEST: usize = 80;

/// Checks a label; the error says why the label cannot be used.
pub(crate) fn check(label: &str) -> Result<(), String> {
    if label.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    if label.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} bytes, too long for the name of a file"));
    }
    if label.chars().any(acts) {
        return Err("contains a control character, or a character that turns the direction of text".to_owned());
    }
    Ok(())
}

/// Returns a file name for a label. Letters, digits, `-`, `_` and inner `.` stay, and any other
/// byte becomes `%XX`. If Windows keeps the name for a device, the first byte becomes `%XX` too.
/// Different labels get different file names.
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

/// Whether Windows takes a file of this name for a device. The ending does not matter.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered =
        |kind: &str| stem.strip_prefix(kind).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

/// The indices of the first two labels that are the same on a file system that ignores case.
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
    fn case_does_not_tell_labels_apart() {
        assert_eq!(duplicate(["a", "b", "A"]), Some((0, 2)));
        assert_eq!(duplicate(["a", "b"]), None);
    }
}
