//! The names in a drawing. Names that are too long are cut but stay different. The whole name is in
//! a `<title>`, which a pointer or a screen reader finds.

use std::collections::BTreeSet;

/// The names of a figure's systems, shortened to a number of characters.
pub(crate) struct Names<'n> {
    whole: &'n [String],
    shown: Vec<String>,
}

impl<'n> Names<'n> {
    /// Cuts names of more than `fit` characters, all at the same place. The place is the middle, or
    /// the nearest place that keeps the names different: names of runs often differ only at their
    /// ends. If no place keeps them different, a number replaces the omitted characters.
    pub(crate) fn fitted(whole: &'n [String], fit: usize) -> Self {
        let distinct = whole.iter().collect::<BTreeSet<_>>().len();
        let middle = fit.saturating_sub(1).div_ceil(2);
        let mut starts: Vec<usize> = (0..fit.max(1)).collect();
        starts.sort_by_key(|start| start.abs_diff(middle));
        let mut places = starts.into_iter().map(|start| whole.iter().map(|name| cut(name, fit, start, "…")).collect());
        let apart = |shown: &Vec<String>| shown.iter().collect::<BTreeSet<_>>().len() == distinct;
        let shown = places.find(apart).unwrap_or_else(|| numbered(whole, fit));
        Names { whole, shown }
    }

    /// The name as the figure shows it.
    pub(crate) fn shown(&self, system: usize) -> &str {
        &self.shown[system]
    }

    /// The number of characters of the longest shown name.
    pub(crate) fn widest(&self) -> usize {
        self.shown.iter().map(|name| name.chars().count()).max().unwrap_or(0)
    }

    /// Returns the drawing with the whole name of each shortened name. `text` gives the text in
    /// which a system's name is shown.
    pub(crate) fn titled(&self, mut svg: String, text: impl Fn(usize) -> String) -> String {
        for (system, whole) in self.whole.iter().enumerate().filter(|&(system, whole)| self.shown[system] != *whole) {
            let drawn = format!("\n{}\n</text>", escape(&text(system)));
            svg = svg.replacen(&drawn, &format!("<title>{}</title>{drawn}", escape(whole)), 1);
        }
        svg
    }
}

/// Returns the first `start` characters, a mark, and the last characters, `fit` characters in all.
fn cut(name: &str, fit: usize, start: usize, mark: &str) -> String {
    let count = name.chars().count();
    if count <= fit {
        return name.to_owned();
    }
    let end = fit.saturating_sub(start + mark.chars().count());
    name.chars().take(start).chain(mark.chars()).chain(name.chars().skip(count - end)).collect()
}

/// Names cut in the middle, with a number in the cut.
fn numbered(whole: &[String], fit: usize) -> Vec<String> {
    let mut taken: BTreeSet<String> = whole.iter().filter(|name| name.chars().count() <= fit).cloned().collect();
    let mut shown = Vec::new();
    let mut numbers = 1_usize..;
    for name in whole {
        if name.chars().count() <= fit {
            shown.push(name.clone());
            continue;
        }
        let marks = numbers.by_ref().map(|number| format!("…{number}…"));
        let mut texts = marks.map(|mark| cut(name, fit, fit.saturating_sub(mark.chars().count()).div_ceil(2), &mark));
        let text = texts.find(|text| taken.insert(text.clone())).unwrap_or_default();
        shown.push(text);
    }
    shown
}

/// Escapes a text for XML.
pub(crate) fn escape(text: &str) -> String {
    let escapes = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&apos;")];
    escapes.iter().fold(text.to_owned(), |text, (sign, escape)| text.replace(*sign, escape))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[&str], fit: usize) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Names::fitted(&names, fit).shown
    }

    #[test]
    fn names_that_differ_at_their_ends_are_cut_in_the_middle() {
        assert_eq!(shown(&["BM25__output_v2_aug_a", "short"], 10), ["BM25_…ug_a", "short"]);
        assert_eq!(shown(&["BM25__output_v2_aug_b"], 9), ["BM25…ug_b"]);
        assert_eq!(shown(&["short"], 5), ["short"]);
    }

    #[test]
    fn names_that_differ_elsewhere_are_cut_elsewhere() {
        // The seventh and the ninth character tell them apart.
        assert_eq!(shown(&["abcdef1hijklmn", "abcdef2hijklmn"], 9), ["abcdef1…n", "abcdef2…n"]);
        assert_eq!(shown(&["abcdefgh1jklmn", "abcdefgh2jklmn"], 9), ["ab…1jklmn", "ab…2jklmn"]);
    }

    #[test]
    fn names_that_no_cut_keeps_apart_are_numbered() {
        let names = ["abcdefgh1jklmnopq", "abcdefgh2jklmnopq", "abc…2…pq", "abcdefgh2jklmnopq"];
        let found = shown(&names, 8);
        assert_eq!(found, ["abc…1…pq", "abc…3…pq", "abc…2…pq", "abc…4…pq"]);
        assert!(found.iter().all(|name| name.chars().count() == 8));
    }

    #[test]
    fn whole_names_are_titles() {
        let names = ["a<b & c's long name".to_owned(), "b".to_owned()];
        let names = Names::fitted(&names, 9);
        let drawn = "<svg><text x=\"1\">\na&lt;b …name (2)\n</text>\n<text>\nb (1)\n</text></svg>".to_owned();
        let svg = names.titled(drawn, |system| format!("{} ({})", names.shown(system), 2 - system));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let titles: Vec<_> = document.descendants().filter(|node| node.has_tag_name("title")).collect();
        assert_eq!(titles.len(), 1);
        assert_eq!(titles[0].text(), Some("a<b & c's long name"));
        assert_eq!(titles[0].parent_element().unwrap().attribute("x"), Some("1"));
    }
}
