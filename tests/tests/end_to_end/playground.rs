//! Tests `fivefold playground`: the file that it writes, and that the file holds the sources of
//! `playground/page`. `browser/playground.rs` tests the page itself.

use std::fs;
use std::path::Path;

use crate::harness::{directory, stderr, stdout};

#[test]
fn the_page_is_written_and_replaces_only_a_page_of_its_kind() {
    let folder = directory(&[("notes.html", "<html>mine</html>"), ("empty.html", "")]);
    let at = folder.path();
    assert_eq!(stdout(at, "playground"), "playground.html: open the page in a browser\n");
    let page = fs::read(at.join("playground.html")).unwrap();
    stdout(at, "playground -o x.html");
    assert_eq!(fs::read(at.join("x.html")).unwrap(), page);
    // Again, over its own page, and over an empty file.
    stdout(at, "playground");
    stdout(at, "playground --out empty.html");
    let told = stderr(at, "playground -o notes.html", 2);
    assert!(
        told.contains("notes.html exists and is not a page of this command") && told.contains("--replace"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(at.join("notes.html")).unwrap(), "<html>mine</html>");
    stdout(at, "playground -o notes.html --replace");
    assert_eq!(fs::read(at.join("notes.html")).unwrap(), page);
}

/// `playground/build` made the page from the files as they are now. What the library computes, the
/// test in a browser compares.
#[test]
fn the_page_holds_the_files_that_it_is_made_from() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../playground/page");
    let folder = directory(&[]);
    stdout(folder.path(), "playground");
    let page = fs::read_to_string(folder.path().join("playground.html")).unwrap();
    let source = |name: &str| fs::read_to_string(sources.join(name)).unwrap();
    let (mut rest, mut library) = (page.as_str(), false);
    for line in source("page.html").lines() {
        let text = match line.strip_prefix('@') {
            Some("wasm") => {
                (rest, library) = (rest.split_once('\n').unwrap().1, true);
                continue;
            }
            Some(name) => source(name),
            None => format!("{line}\n"),
        };
        rest =
            rest.strip_prefix(text.as_str()).unwrap_or_else(|| panic!("run playground/build: the page lacks {line}"));
    }
    assert!(library && rest.is_empty(), "run playground/build: the page has more than its files");
}
