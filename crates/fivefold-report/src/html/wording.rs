//! Words and numbers that several parts of the page share.

use fivefold_experiment::tables::Comparison;

/// The test behind letters, heat maps and the summary.
pub(super) fn test_in_words(alpha: f64) -> String {
    format!("paired two-sided t-test over queries, p < {alpha}, no correction for the number of pairs")
}

/// The means of a column, `None` where undefined, one a method.
pub(super) fn means(comparison: &Comparison, cutoff: usize) -> Vec<Option<f64>> {
    let mean = |of_method: &Vec<(fivefold_metrics::Mean, _)>| Some(of_method[cutoff].0.value).filter(|v| !v.is_nan());
    comparison.means.iter().map(mean).collect()
}

/// `a, b and c`.
pub(super) fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items.split_last() {
        Some((last, [])) => last.as_ref().to_owned(),
        Some((last, others)) => {
            let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", others.join(", "), last.as_ref())
        }
        None => String::new(),
    }
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
    fn words_by_hand() {
        assert_eq!(["a", "z", "aa", "az", "ba"], [0, 25, 26, 51, 52].map(letter)[..]);
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!((list(&["a"]), list::<&str>(&[])), ("a".to_owned(), String::new()));
    }
}
