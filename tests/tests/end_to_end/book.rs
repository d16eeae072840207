//! Tests the pages of the book: each command on a page is run and its output compared, each TOML file
//! is read, and each link leads somewhere. With UPDATE_BOOK=1, the outputs on the pages are written anew.
//! BOOK_PAGE=WORD runs only pages with this word in their path, and BOOK_SLOW=1 also blocks that take
//! minutes.

mod blocks;
mod links;
mod shown;
mod toml_blocks;
mod tried;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{directory, stdout};
use blocks::blocks;

/// The folder of the pages.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/pages")
}

/// A page as it is on the disk.
struct Page {
    /// Its path below the folder of pages.
    path: String,
    text: String,
}

/// All files below a folder whose names end so, in the order of their paths.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    fn collect(at: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                collect(&path, ending, found);
            } else if path.extension().is_some_and(|own| own == ending) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(folder, ending, &mut found);
    found.sort();
    found
}

/// All Markdown files in the folder but the table of contents, in the order of their paths.
fn pages() -> Vec<Page> {
    let folder = folder();
    let found = files(&folder, "md").into_iter().filter(|path| !path.ends_with("SUMMARY.md"));
    let page = |path: PathBuf| Page {
        path: path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned(),
        text: fs::read_to_string(&path).unwrap(),
    };
    found.map(page).collect()
}

/// Fails with all complaints, a line each.
fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let listed: Vec<String> = fivefold_book::pages().iter().map(|page| page.path.to_owned()).collect();
    let there: BTreeSet<String> = pages().into_iter().map(|page| page.path).collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), there, "SUMMARY.md lists other pages than there are");
    assert_eq!(listed.len(), there.len(), "SUMMARY.md lists a page twice");
}

#[test]
fn every_page_has_one_title_and_short_lines() {
    let mut complaints = Vec::new();
    for Page { path, text } in pages() {
        let mut in_code = false;
        let mut titles = 0;
        // Nobody edits a page that the program makes.
        let is_made = text.contains("<!-- Made from the program");
        for (number, line) in text.lines().enumerate() {
            let place = format!("{path}:{}", number + 1);
            in_code ^= line.trim_start().starts_with("```");
            titles += usize::from(!in_code && line.starts_with("# "));
            // Tables and addresses cannot be wrapped.
            let wraps = !is_made
                && !in_code
                && !line.trim_start().starts_with('|')
                && !line.contains("](")
                && !line.contains("://");
            if wraps && line.chars().count() > 100 {
                complaints.push(format!("{place}: more than 100 columns"));
            }
        }
        if !text.starts_with("# ") || titles != 1 {
            complaints
                .push(format!("{path}: a page begins with its title, `# Title`, and has no other (it has {titles})"));
        }
        if in_code {
            complaints.push(format!("{path}: a block of code does not end"));
        }
    }
    none(&complaints);
}

#[test]
fn every_link_leads_somewhere() {
    none(&links::broken(&pages()));
}

#[test]
fn every_toml_is_read() {
    let (complaints, read) = toml_blocks::unread(&pages());
    none(&complaints);
    println!("{read} blocks of TOML were read");
}

#[test]
fn every_command_exists() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let mut all = pages();
    all.push(Page { path: "../../../README.md".to_owned(), text });
    none(&tried::misspelt(&all));
}

/// What the program says of pages (`fivefold book TOPIC` in its messages and help) leads to a page.
#[test]
fn every_page_that_the_program_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut complaints = Vec::new();
    for folder in ["crates", "python/src", "python/src_python", "bertscore/src", "experiments", "datasets"] {
        // The command itself has examples that are no pages: headings, and links of its tests.
        let is_own = |file: &PathBuf| file.to_string_lossy().contains("commands/book");
        for file in links::files(&root.join(folder)).into_iter().filter(|file| !is_own(file)) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            for topic in links::topics(&text) {
                if !links::names_a_page(&topic) {
                    complaints.push(format!("{}: no page `fivefold book {topic}`", file.display()));
                }
            }
        }
    }
    none(&complaints);
}

#[test]
fn every_file_that_a_block_run_by_hand_names_exists() {
    none(&tried::absent(&pages()));
}

/// A test that moved to another package would not run by the command that the page gives.
#[test]
fn every_test_that_is_named_for_a_report_is_in_its_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(folder().join("explanation/findings/public-reports.md")).unwrap();
    let table = text.lines().skip_while(|line| !line.ends_with("| test |")).skip(2);
    let mut complaints = Vec::new();
    let mut seen = 0;
    for tests in table.take_while(|line| line.starts_with('|')).map(|row| row.split('|').nth(3).unwrap()) {
        for of_packages in tests.split(';') {
            let (packages, names) = of_packages.split_once('`').unwrap();
            for package in packages.split_whitespace().filter(|word| *word != "and") {
                let folder = match package {
                    "end_to_end" | "faults" => format!("tests/tests/{package}"),
                    "library-tests" => "tests/libraries".to_owned(),
                    _ => format!("crates/fivefold-{}", package.trim_start_matches("fivefold-")),
                };
                let read = |file: &PathBuf| fs::read_to_string(file).unwrap();
                let sources = files(&root.join(folder), "rs").iter().map(read).collect::<String>();
                for name in names.split('`').step_by(2) {
                    let whole = name.trim_end_matches("::");
                    let last = whole.rsplit("::").next().unwrap();
                    let wanted = match last.strip_suffix("...") {
                        Some(start) => [format!("fn {start}"), format!("mod {start}")],
                        None => [format!("fn {last}("), format!("mod {last}")],
                    };
                    seen += 1;
                    if !wanted.iter().any(|wanted| sources.contains(wanted)) {
                        complaints.push(format!("{package} has no test {name}"));
                    }
                }
            }
        }
    }
    none(&complaints);
    assert!(seen > 30, "{seen}");
}

#[test]
fn every_page_does_what_it_says() {
    none(&tried::run(&pages()));
}

#[test]
fn the_glossary_has_sixty_terms() {
    let Some(page) = pages().into_iter().find(|page| page.path == "glossary.md") else { return };
    let terms = page.text.lines().filter(|line| line.starts_with("**") || line.starts_with("- **")).count();
    assert!(terms >= 60, "{terms}");
}

#[test]
fn the_command_lists_and_shows_pages() {
    let folder = directory(&[]);
    let at = folder.path();
    let list = stdout(at, "book");
    for page in fivefold_book::pages() {
        assert!(list.contains(page.path.trim_end_matches(".md")) && list.contains(page.title), "{}", page.path);
    }
    // Where no terminal is, a page is as it is written.
    assert_eq!(stdout(at, "book index"), fivefold_book::page("index.md").unwrap().text);
    assert_eq!(stdout(at, "book reference/commands.md"), fivefold_book::page("reference/commands.md").unwrap().text);
    let all: Vec<serde_json::Value> = serde_json::from_str(&stdout(at, "book --json")).unwrap();
    assert_eq!(all.len(), fivefold_book::pages().len());
    assert!(all.iter().all(|page| page.get("text").is_none()));
    let one: serde_json::Value = serde_json::from_str(&stdout(at, "book index --json")).unwrap();
    assert_eq!(one[0]["text"], fivefold_book::page("index.md").unwrap().text);
    let error = crate::harness::stderr(at, "book comands", 2);
    assert!(
        error.contains("no page of the book is about `comands`") && error.contains("`fivefold book commands`"),
        "{error}"
    );
    // Words that several pages have.
    let several = stdout(at, "book ranker");
    assert!(
        several.starts_with("Several pages fit") && several.contains("fivefold book tutorials/your-ranker"),
        "{several}"
    );
    let script = stdout(at, "completions bash");
    assert!(script.contains("book"), "{script}");
}

#[test]
fn blocks_and_their_tags() {
    let text = "# P\n\n```sh,data,fails=2\na\nb\n```\n\n```text\nout\n...\n```\n```toml file=x/mine.toml\nk = 1\n```\n- item\n  \
        ```text\n  free\n  ```\n";
    let all = blocks("p.md", text).unwrap();
    assert_eq!(all.iter().map(|block| block.language.as_str()).collect::<Vec<_>>(), ["sh", "text", "toml", "text"]);
    assert_eq!((all[0].body.as_str(), all[0].fails, all[0].line), ("a\nb\n", 2, 3));
    assert!(all[0].has("data") && !all[0].has("slow"));
    assert_eq!(all[2].file.as_deref(), Some("x/mine.toml"));
    assert_eq!(all[3].body, "free\n");
    // The second text stands behind no command.
    assert_eq!(all.iter().map(|block| block.is_output).collect::<Vec<_>>(), [false, true, false, false]);
    assert!(blocks("p.md", "```sh,dat\n```\n").is_err());
}

#[test]
fn kept_output_may_leave_out_lines() {
    let fits = |kept: &str, out: &str| shown::fits(kept, out);
    assert!(fits("a\nb\n", "a\nb  \n"));
    assert!(!fits("a\nb\n", "a\nc\n") && !fits("a\n", "a\nb\n") && !fits("a\nb\n", "a\n"));
    assert!(fits("a\n...\nd\n", "a\nb\nc\nd\n") && fits("...\nd\n", "d\n") && fits("a\n...\n", "a\n"));
    assert!(!fits("a\n...\nd\n", "a\nb\n") && !fits("...\nb\n...\na\n", "a\nb\n"));
    // Within a line: a time, a path.
    assert!(fits("took ... s\n", "took 3.2 s\n") && !fits("took ... s\n", "took 3.2 min\n"));
}
