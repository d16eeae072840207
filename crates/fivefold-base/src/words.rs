//! Counts and lists in sentences (`1 query has`, `2 queries have`, `a, b and c`), and lines of a
//! width.

/// A count and its noun, in the plural unless the count is 1. Only the head of the noun changes:
/// `counted(2, "query")` is `2 queries`, and `counted(2, "line of text")` is `2 lines of text`.
pub fn counted(count: usize, noun: &str) -> String {
    let (head, rest) = noun.find(" of ").map_or((noun, ""), |place| noun.split_at(place));
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {}{rest}", plural(head)),
    }
}

/// The word that agrees with a count: `which(count, "is", "are")`.
pub fn which<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

/// Joins items as in a sentence: `a, b and c`.
pub fn list<S: AsRef<str>>(items: &[S]) -> String {
    match items.split_last() {
        Some((last, [])) => last.as_ref().to_owned(),
        Some((last, others)) => {
            let others: Vec<&str> = others.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", others.join(", "), last.as_ref())
        }
        None => String::new(),
    }
}

/// The most names that a sentence lists.
const NAMED: usize = 8;

/// Joins items as `a, b and c`. If there are more than 8 items, the first 7 and a count:
/// `a, b, c, d, e, f, g and 4 more`.
pub fn list_some<S: AsRef<str>>(items: &[S]) -> String {
    if items.len() <= NAMED {
        return list(items);
    }
    let mut named: Vec<String> = items[..NAMED - 1].iter().map(|item| item.as_ref().to_owned()).collect();
    named.push(format!("{} more", items.len() + 1 - NAMED));
    list(&named)
}

/// Joins items as `a, b, c`. If there are more than `most` items, the first items and a count:
/// `a, b, c and 4 more`.
pub fn list_first<S: AsRef<str>>(items: &[S], most: usize) -> String {
    let first: Vec<&str> = items.iter().take(most).map(AsRef::as_ref).collect();
    match items.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Breaks `text` between words into lines of at most `width` characters. All lines but the first
/// begin with `indent`. A longer word has a line of its own.
pub fn wrapped(text: &str, indent: &str, width: u16) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        let more = word.chars().count();
        if line.is_empty() {
            line.push_str(word);
            length = more;
        } else if length + 1 + more <= usize::from(width) {
            line.push(' ');
            line.push_str(word);
            length += 1 + more;
        } else {
            lines.push(format!("{indent}{word}"));
            length = indent.chars().count() + more;
        }
    }
    lines
}

/// The candidate nearest to a mistyped name, for "did you mean"; `None` if no candidate is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (name.len().max(candidate.len())).div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn plural(noun: &str) -> String {
    const SIBILANTS: [&str; 4] = ["s", "x", "ch", "sh"];
    if let Some(stem) = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        format!("{stem}ies")
    } else if let Some(stem) = noun.strip_suffix('f').filter(|stem| !stem.ends_with('f')) {
        format!("{stem}ves")
    } else if SIBILANTS.iter().any(|end| noun.ends_with(end)) {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_agree_with_their_count() {
        assert_eq!(counted(1, "query"), "1 query");
        let cases = [
            ("query", "0 queries"),
            ("day", "0 days"),
            ("class", "0 classes"),
            ("batch", "0 batches"),
            ("half", "0 halves"),
            ("cutoff", "0 cutoffs"),
            ("leaf", "0 leaves"),
            ("data set", "0 data sets"),
            ("column of values", "0 columns of values"),
        ];
        for (noun, expected) in cases {
            assert_eq!(counted(0, noun), expected);
        }
        assert_eq!([0, 1, 2].map(|count| which(count, "is", "are")), ["are", "is", "are"]);
    }

    #[test]
    fn lists_by_hand() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!((list(&["a"]), list::<&str>(&[])), ("a".to_owned(), String::new()));
        let many: Vec<String> = (0..10).map(|i| i.to_string()).collect();
        assert_eq!(list_some(&many), "0, 1, 2, 3, 4, 5, 6 and 3 more");
        assert_eq!(list_some(&many[..8]), "0, 1, 2, 3, 4, 5, 6 and 7");
        assert_eq!((list_first(&many[..3], 3), list_first(&many, 3)), ("0, 1, 2".into(), "0, 1, 2 and 7 more".into()));
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("one two  three\nfour", "  ", 7), ["one two", "  three", "  four"]);
        assert_eq!(wrapped("ééé é ééééééé", "", 5), ["ééé é", "ééééééé"]);
        assert_eq!(wrapped("", "  ", 5), [""]);
    }
}
