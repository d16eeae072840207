#![doc = include_str!("../README.md")]

/// A page of the book.
///
/// ```
/// let first = fivefold_book::pages()[0];
/// assert_eq!((first.path, first.part), ("index.md", ""));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The path of the page below `pages/`, with `/` between folders: `tutorials/first-run.md`.
    pub path: &'static str,
    /// The title, as the table of contents gives it.
    pub title: &'static str,
    /// The part of the book in which the page stands, or "" before the first part.
    pub part: &'static str,
    /// The text of the page, in Markdown.
    pub text: &'static str,
}

/// All pages, in the order of the table of contents.
///
/// ```
/// assert!(fivefold_book::pages().iter().all(|page| page.path.ends_with(".md")));
/// ```
pub fn pages() -> &'static [Page] {
    PAGES
}

/// The page at a path, if the book has this page.
///
/// ```
/// assert_eq!(fivefold_book::page("index.md").map(|page| page.part), Some(""));
/// assert_eq!(fivefold_book::page("no-such-page.md"), None);
/// ```
pub fn page(path: &str) -> Option<Page> {
    PAGES.iter().find(|page| page.path == path).copied()
}

/// Written by the build script from `pages/SUMMARY.md`.
static PAGES: &[Page] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));
