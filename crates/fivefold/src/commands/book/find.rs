//! Finds pages by path, name, title, heading or words.

use fivefold_book::{Page, pages};

/// A page that fits a topic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) page: &'static Page,
    /// The heading that fits; `None` if the page itself does.
    pub(super) heading: Option<&'static str>,
    /// The text of the page, or of the section below the heading.
    pub(super) text: &'static str,
}

impl Found {
    pub(super) fn whole(page: &'static Page) -> Self {
        Found { page, heading: None, text: page.text }
    }
}

/// A heading of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heading<'t> {
    /// 1 for the page's own.
    level: usize,
    /// The words, in Markdown.
    pub(super) words: &'t str,
    /// Where its line begins.
    start: usize,
}

impl Heading<'_> {
    /// The words without marks of Markdown.
    pub(super) fn plain(&self) -> String {
        self.words.replace(['`', '*'], "")
    }
}

/// The headings of a text, in order. Lines of code are none.
pub(super) fn headings(text: &str) -> impl Iterator<Item = Heading<'_>> {
    let (mut start, mut in_code) = (0, false);
    text.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        in_code ^= line.trim_start().starts_with("```");
        let level = line.bytes().take_while(|&byte| byte == b'#').count();
        let words = line[level..].strip_prefix(' ')?.trim();
        (level > 0 && !in_code).then_some(Heading { level, words, start: at })
    })
}

/// The section of a heading: up to the next heading that is not below it.
fn section<'t>(text: &'t str, heading: &Heading<'_>) -> &'t str {
    let end = headings(text).find(|next| next.start > heading.start && next.level <= heading.level);
    &text[heading.start..end.map_or(text.len(), |next| next.start)]
}

/// The last word of a path, without the ending: `first-run` of `tutorials/first-run.md`. The first page of a
/// folder is known by the folder.
pub(super) fn word_of(path: &str) -> &str {
    let path = path.trim_end_matches(".md");
    let path = path.strip_suffix("/index").unwrap_or(path);
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path ends with these folders and this name: `explanation/findings/paper.md` with `findings/paper`.
fn ends_with(path: &str, end: &str) -> bool {
    path.trim_end_matches(".md").strip_suffix(end).is_some_and(|before| before.ends_with('/'))
}

/// The pages that fit a topic. The closest way of fitting decides: path, then name or title, then a
/// heading, then words of title and path, of a heading, of the text.
pub(super) fn find(topic: &str) -> Vec<Found> {
    let wanted = topic.trim().trim_start_matches("./").replace('`', "").to_lowercase();
    let path = wanted.trim_end_matches(".md");
    let words: Vec<&str> = wanted.split_whitespace().collect();
    let has_all = |text: &str| {
        let text = text.to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let whole = |fits: &dyn Fn(&Page) -> bool| -> Vec<Found> {
        pages().iter().filter(|page| fits(page)).map(Found::whole).collect()
    };
    let below = |fits: &dyn Fn(&str) -> bool| -> Vec<Found> {
        let of = |page: &'static Page| {
            let fitting = headings(page.text).filter(|heading| heading.level > 1 && fits(&heading.plain()));
            fitting.map(move |heading| Found { page, heading: Some(heading.words), text: section(page.text, &heading) })
        };
        pages().iter().flat_map(of).collect()
    };
    let ways: [&dyn Fn() -> Vec<Found>; 6] = [
        &|| whole(&|page| page.path.trim_end_matches(".md") == path),
        &|| {
            whole(&|page| {
                ends_with(page.path, path) || word_of(page.path) == path || page.title.to_lowercase() == wanted
            })
        },
        &|| below(&|heading| heading.to_lowercase() == wanted),
        &|| whole(&|page| has_all(&format!("{} {}", page.path, page.title))),
        &|| below(&has_all),
        &|| whole(&|page| has_all(page.text)),
    ];
    ways.iter().map(|way| way()).find(|found| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_no_line_of_code() {
        let text = "# Page\n\n## One `a`\ntext\n```sh\n# comment\n```\n### Below\nmore\n## Two\nend\n";
        let all: Vec<Heading<'_>> = headings(text).collect();
        assert_eq!(all.iter().map(Heading::plain).collect::<Vec<_>>(), ["Page", "One a", "Below", "Two"]);
        assert_eq!(section(text, &all[1]), "## One `a`\ntext\n```sh\n# comment\n```\n### Below\nmore\n");
        assert_eq!(section(text, &all[3]), "## Two\nend\n");
        assert_eq!(section(text, &all[0]), text);
    }

    #[test]
    fn a_page_is_known_by_its_path_name_and_title() {
        for topic in ["reference/commands.md", "./reference/commands", "commands", "COMMANDS"] {
            let found = find(topic);
            assert_eq!((found.len(), found[0].page.path), (1, "reference/commands.md"), "{topic}");
        }
        assert_eq!(word_of("explanation/findings/index.md"), "findings");
        assert!(find("no-such-topic-anywhere").is_empty());
    }
}
