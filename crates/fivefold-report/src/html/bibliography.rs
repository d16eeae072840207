//! BibTeX entries of everything that was used: the paper, measures, rankers, the tie rule, tests,
//! corrections, and the methods of studies.

use std::collections::BTreeSet;

use fivefold_analysis::tables::Analysed;
use fivefold_results::Experiment;

use super::methods::{normalised_scores, uncorrected_counts};

/// The entries, in the order in which they are printed. An entry's `keywords` say for which uses it
/// is printed.
const BIBLIOGRAPHY: &str = include_str!("bibliography.bib");

/// An entry of the bibliography.
struct Entry<'a> {
    /// The uses in the entry's `keywords`.
    used: Vec<&'a str>,
    /// The entry without its `keywords`.
    bibtex: String,
}

impl<'a> Entry<'a> {
    /// The entries of a text of BibTeX: `@kind{...}` up to the closing brace. Text between entries
    /// is a comment.
    fn all(text: &'a str) -> impl Iterator<Item = Self> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let entry = &rest[rest.find('@')?..];
            let (own, after) = entry.split_at(end(entry)?);
            rest = after;
            Some(Entry::new(own))
        })
    }

    /// Makes an entry. The field `keywords` must be on a line of its own.
    fn new(text: &'a str) -> Self {
        let keywords = |line: &'a str| line.trim_start().strip_prefix("keywords").map(|_| value(line));
        let used = text.lines().find_map(keywords).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|&line| keywords(line).is_none()).collect();
        Entry { used: used.split(',').map(str::trim).collect(), bibtex: lines.join("\n") }
    }
}

/// The end of the first group in braces. `None` if the group does not end.
fn end(text: &str) -> Option<usize> {
    let mut open = 0;
    text.char_indices().find_map(|(place, c)| {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => return None,
        }
        (open <= 0).then_some(place + 1)
    })
}

/// The value of a field on a single line, without its braces.
fn value(line: &str) -> &str {
    let inner = line.split_once('{').map_or("", |(_, value)| value);
    inner.rsplit_once('}').map_or(inner, |(value, _)| value)
}

/// The entries of the uses in `used` (`dataset:mq2008`, `measure:ndcg`, `test:t`,
/// `correction:holm`, ...), with a blank line between entries.
pub(super) fn bibtex(used: &BTreeSet<String>) -> String {
    let entries = Entry::all(BIBLIOGRAPHY).filter(|entry| entry.used.iter().any(|&what| used.contains(what)));
    entries.map(|entry| entry.bibtex).collect::<Vec<_>>().join("\n\n")
}

/// The uses of a run, as `keywords` name them.
pub(super) fn used_by(experiment: &Experiment, analysed: &Analysed) -> BTreeSet<String> {
    let difference = &analysed.difference;
    let evaluation = &experiment.evaluation;
    let measures = evaluation.measures.iter().map(|measure| format!("measure:{}", measure.entry().name));
    let rankers = experiment.rankers.iter().map(|ranker| format!("ranker:{}", ranker.kind));
    let named = experiment.datasets.iter().filter_map(|dataset| dataset.source.name.as_ref());
    let datasets = named.map(|name| format!("dataset:{name}"));
    let others = [
        format!("ties:{}", evaluation.conventions.ties),
        format!("test:{}", difference.test.name),
        format!("correction:{}", difference.correction.name),
    ];
    let comparisons = &analysed.comparisons;
    let several = |dataset: usize| comparisons.iter().filter(|own| own.dataset == dataset).count() > 1;
    let tau = comparisons.iter().any(|own| own.compared.systems.len() > 1 && several(own.dataset));
    let methods = [
        ("t-interval", !comparisons.is_empty()),
        ("ue", normalised_scores(experiment) || uncorrected_counts(analysed).is_some()),
        ("tau", tau || analysed.has_table("kendall-tau")),
        ("friedman", comparisons.iter().any(|own| own.ranks.is_some())),
    ];
    let methods = methods.into_iter().filter(|(_, used)| *used).map(|(name, _)| format!("method:{name}"));
    datasets.chain(measures).chain(rankers).chain(others).chain(methods).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For a test or a correction, the page cites the source that the statistics name.
    #[test]
    fn every_test_and_correction_has_its_source() {
        let keys = |prefix: &str, name: &str| BTreeSet::from([format!("{prefix}:{name}")]);
        let tests = fivefold_stats::TESTS.iter().map(|test| (keys("test", test.name), test.source));
        let corrections = fivefold_stats::CORRECTIONS.iter().map(|c| (keys("correction", c.name), c.source));
        for (used, source) in tests.chain(corrections).filter(|(_, source)| !source.is_empty()) {
            let cited = bibtex(&used);
            let year = |text: &str| {
                text.split(|c: char| !c.is_ascii_digit())
                    .filter(|y| y.len() == 4)
                    .map(str::to_owned)
                    .collect::<BTreeSet<_>>()
            };
            assert!(!year(&cited).is_disjoint(&year(source)), "{source}: {cited}");
        }
        assert_eq!(bibtex(&keys("correction", "none")), "");
    }

    /// The measures and collections of the paper are cited. A `made` (synthetic) collection has no
    /// source.
    #[test]
    fn measures_and_collections_of_the_paper_have_their_source() {
        let cited = |what: &str| bibtex(&BTreeSet::from([what.to_owned()]));
        for what in ["measure:ndcg", "measure:ap", "measure:p", "measure:rr", "measure:err"] {
            assert!(cited(what).starts_with('@'), "{what}");
        }
        for name in ["mq2007", "mq2008", "mslr-web10k", "mslr-web30k", "ohsumed"] {
            assert!(cited(&format!("dataset:{name}")).starts_with('@'), "{name}");
        }
        assert_eq!(cited("dataset:mine"), "");
    }

    #[test]
    fn every_entry_has_a_key_of_its_own_and_is_printed_for_something() {
        let entries: Vec<Entry<'_>> = Entry::all(BIBLIOGRAPHY).collect();
        assert_eq!(entries.len(), BIBLIOGRAPHY.lines().filter(|line| line.starts_with('@')).count());
        let keys = entries.iter().filter_map(|entry| entry.bibtex.split(['{', ',']).nth(1));
        assert_eq!(keys.collect::<BTreeSet<_>>().len(), entries.len());
        for Entry { used, bibtex } in entries {
            assert!(used.iter().all(|what| what.contains(':')), "{used:?}: {bibtex}");
            assert!(bibtex.ends_with("\n}") && !bibtex.contains("keywords"), "{bibtex}");
        }
    }

    #[test]
    fn entries_end_at_their_brace_and_are_printed_without_keywords() {
        let text =
            "a comment\n@misc{one,\n  keywords = {a:b, c:d},\n  title = {{X}: {\\v{s}}}\n}\n\n@book{two}\n@open{";
        let found: Vec<(Vec<&str>, String)> = Entry::all(text).map(|entry| (entry.used, entry.bibtex)).collect();
        assert_eq!(found[0], (vec!["a:b", "c:d"], "@misc{one,\n  title = {{X}: {\\v{s}}}\n}".to_owned()));
        assert_eq!(found[1], (vec![""], "@book{two}".to_owned()));
        assert_eq!(found.len(), 2);
    }
}
