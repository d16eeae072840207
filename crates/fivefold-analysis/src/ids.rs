//! Ids of tables and figures. An id is short; equal ids are told apart by a number.

use std::collections::BTreeSet;

/// A label as a part of an id: lower-case letters, digits, `.` and single `-`. Different labels may
/// give the same text, so the ids still have to be [told apart](number_equal).
///
/// ```
/// use fivefold_analysis::slug;
///
/// assert_eq!(slug("LambdaMART (0.1, tuned)"), "lambdamart-0.1-tuned");
/// ```
pub fn slug(label: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let words: Vec<String> = label.split(|c| !kept(c)).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

/// Tells ids apart: a repeated id gets a number (`x`, `x-2`, `x-3`).
///
/// ```
/// use fivefold_analysis::number_equal;
///
/// let mut ids = ["x", "y", "x"].map(str::to_owned);
/// number_equal(&mut ids);
/// assert_eq!(ids, ["x", "y", "x-2"]);
/// ```
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
