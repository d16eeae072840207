//! Links between pages, to headings and to files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Page, folder};

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH)
}

/// The ids that mdBook gives the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut counts, mut words) = (BTreeMap::<String, usize>::new(), None::<String>);
    let mut found = BTreeSet::new();
    for event in parser(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => words = Some(String::new()),
            Event::Text(text) | Event::Code(text) => words.iter_mut().for_each(|words| words.push_str(&text)),
            Event::End(TagEnd::Heading(_)) => {
                let slug: String = words
                    .take()
                    .unwrap_or_default()
                    .to_lowercase()
                    .chars()
                    .filter_map(|letter| match letter {
                        ' ' => Some('-'),
                        letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => Some(letter),
                        _ => None,
                    })
                    .collect();
                let count = counts.entry(slug.clone()).or_default();
                found.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
                *count += 1;
            }
            _ => {}
        }
    }
    found
}

fn targets(text: &str) -> Vec<String> {
    let target = |event: Event<'_>| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    parser(text).filter_map(target).collect()
}

/// A relative path from the folder of a page, without `.` and `..`; `None` if it leaves the book.
fn resolved(from: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The links of pages, and of the other documents of the project, that lead nowhere.
pub fn broken(pages: &[Page]) -> Vec<String> {
    let ids: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|page| (page.path.as_str(), anchors(&page.text))).collect();
    let mut complaints = Vec::new();
    for Page { path, text } in pages {
        for target in targets(text).into_iter().filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let to = if file.is_empty() { Some(path.clone()) } else { resolved(path, file) };
            let wrong = match &to {
                None => Some("leaves the book: a page is shown without the project around it"),
                Some(to) => match ids.get(to.as_str()) {
                    Some(ids) if anchor.is_empty() || ids.contains(anchor) => None,
                    Some(_) => Some("leads to no heading"),
                    None if folder().join(to).is_file() => None,
                    None => Some("leads to no page and no file"),
                },
            };
            complaints.extend(wrong.map(|wrong| format!("{path}: the link {target} {wrong}")));
        }
    }
    complaints.extend(of_project());
    complaints
}

/// Links of documents outside the book that lead nowhere.
fn of_project() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut documents: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "python/README.md", "bertscore/README.md"]
            .map(|name| root.join(name))
            .to_vec();
    documents.extend(files(&root.join("tools")).into_iter().filter(|file| file.ends_with("README.md")));
    let mut complaints = Vec::new();
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text).into_iter().filter(|target| !target.contains("://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let to = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            let is_page = to.extension().is_some_and(|ending| ending == "md");
            let wrong = if !to.exists() {
                Some("leads to no file")
            } else if is_page && !anchor.is_empty() && !anchors(&fs::read_to_string(&to).unwrap()).contains(anchor) {
                Some("leads to no heading")
            } else {
                None
            };
            complaints.extend(wrong.map(|wrong| format!("{}: the link {target} {wrong}", document.display())));
        }
    }
    complaints
}

/// All files below a folder that people write.
pub fn files(at: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(at) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let is_made = ["target", "node_modules", "__pycache__"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !path.is_symlink() && !is_made {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// The topics of `fivefold book TOPIC` in a text of the program: words of small letters.
pub fn topics(text: &str) -> Vec<String> {
    let word = |rest: &str| -> String {
        let is_of_topic =
            |letter: &char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "/-_".contains(*letter);
        rest.chars().take_while(is_of_topic).collect()
    };
    let found = text.split("fivefold book ").skip(1).map(word);
    found.filter(|topic| topic.len() > 1).collect()
}

/// Whether a page has this path or name.
pub fn names_a_page(topic: &str) -> bool {
    let fits = |page: &fivefold_book::Page| {
        let path = page.path.trim_end_matches(".md");
        path == topic || path.ends_with(&format!("/{topic}")) || path.strip_suffix("/index") == Some(topic)
    };
    fivefold_book::pages().iter().any(fits)
}
