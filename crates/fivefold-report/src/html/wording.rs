//! Words and numbers that several parts of the page share.

/// `ndcg on mq2008`. The measure alone if the only data set has no name.
pub(super) fn on(measure: &str, dataset: &str) -> String {
    if dataset.is_empty() { measure.to_owned() } else { format!("{measure} on {dataset}") }
}

/// A letter for each method: a, b, .., z, aa, ab, ..
pub(super) fn letter(index: usize) -> String {
    let last = char::from(b'a' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { format!("{}{last}", letter(index / 26 - 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_by_hand() {
        assert_eq!(["a", "z", "aa", "az", "ba"], [0, 25, 26, 51, 52].map(letter)[..]);
    }
}
