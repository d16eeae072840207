//! Words and numbers that several parts of the page share.

/// Names that a sentence gives at most.
const NAMED: usize = 8;

/// `a, b and c`; of very many the first and how many more there are.
pub(super) fn list_some<S: AsRef<str>>(items: &[S]) -> String {
    if items.len() <= NAMED {
        return list(items);
    }
    let mut named: Vec<String> = items[..NAMED - 1].iter().map(|item| item.as_ref().to_owned()).collect();
    named.push(format!("{} more", items.len() + 1 - NAMED));
    list(&named)
}

/// `ndcg on mq2008`; the measure alone where the only data set has no name.
pub(super) fn on(measure: &str, dataset: &str) -> String {
    if dataset.is_empty() { measure.to_owned() } else { format!("{measure} on {dataset}") }
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
        let many: Vec<String> = (0..10).map(|i| i.to_string()).collect();
        assert_eq!(list_some(&many), "0, 1, 2, 3, 4, 5, 6 and 3 more");
        assert_eq!(list_some(&many[..8]), "0, 1, 2, 3, 4, 5, 6 and 7");
        assert_eq!((list(&["a"]), list::<&str>(&[])), ("a".to_owned(), String::new()));
    }
}
