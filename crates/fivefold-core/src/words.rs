//! Counts in sentences: `1 query has`, `2 queries have`.

/// A count and its noun, in the plural unless the count is 1: `counted(2, "query")` is `2 queries`, `counted(2, "line of text")`
/// `2 lines of text`.
pub fn counted(count: usize, noun: &str) -> String {
    let (head, rest) = noun.find(" of ").map_or((noun, ""), |place| noun.split_at(place));
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {}{rest}", plural(head)),
    }
}

/// The word that goes with a count: `which(count, "is", "are")`.
pub fn which<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
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
}
