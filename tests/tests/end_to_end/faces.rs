//! The face of each library crate: whoever opens its documentation finds an example that runs, with
//! an assertion, on each item that stands at its root.

use std::fs;
use std::path::{Path, PathBuf};

use crate::structure::{crates, expanded};

/// Crates on which no other program is built, and the program itself.
const NO_LIBRARIES: [&str; 3] = ["fivefold", "fivefold-bench", "fivefold-fuzz"];

/// What a definition begins with, after `pub`.
const KINDS: [&str; 8] = ["const fn", "fn", "struct", "enum", "trait", "const", "static", "type"];

/// All source files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The name that a line defines publicly, be it by the macro `words!` of measures:
/// ` Ties, "tie policy", {`.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let by_macro = line.ends_with("\", {").then(|| line.split_once(", \"")).flatten();
    let after_pub = || {
        let rest = line.strip_prefix("pub ")?;
        KINDS.iter().find_map(|kind| rest.strip_prefix(kind)?.strip_prefix(' '))
    };
    let rest = by_macro.map(|(name, _)| name).or_else(after_pub)?;
    rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().filter(|name| !name.is_empty())
}

/// Whether the comments above line `at` hold an example that is run and asserts something.
fn has_example(lines: &[&str], at: usize) -> bool {
    let is_above = |line: &&&str| line.trim_start().starts_with("///") || line.trim_start().starts_with("#[");
    let above = lines[..at].iter().rev().take_while(is_above).collect::<Vec<_>>();
    let comments = above.iter().rev().filter_map(|line| line.trim_start().strip_prefix("///")).map(str::trim);
    let (mut fence, mut asserts) = (None, false);
    for line in comments {
        match (line.strip_prefix("```"), fence) {
            (Some(words), None) => fence = Some(words),
            (Some(_), Some(_)) => fence = None,
            // Words behind the fence would say that it is not run, or is no Rust.
            (None, Some("")) => asserts |= line.contains("assert"),
            (None, _) => {}
        }
    }
    asserts
}

/// The paths of the items at a crate's root, without those of other crates of ours, which have
/// their examples there.
fn items(root: &str) -> Vec<Vec<String>> {
    let uses = root.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let passed_on = uses.flat_map(|tree| expanded(&[], &tree.replace('\n', " ")));
    let own = root.lines().filter(|line| line.starts_with("pub ")).filter_map(defined);
    let all = passed_on.chain(own.map(|name| vec![name.to_owned()]));
    all.filter(|path| !path[0].starts_with("fivefold_")).collect()
}

/// The items at a crate's root, each with the place of its definition if it has no example: `None`
/// where that was not found.
fn without_example(folder: &Path) -> (usize, Vec<String>) {
    let source = folder.join("src");
    let texts: Vec<(PathBuf, String)> = files(&source)
        .into_iter()
        .map(|file| (file.strip_prefix(&source).unwrap().to_owned(), fs::read_to_string(file).unwrap()))
        .collect();
    let items = items(&fs::read_to_string(source.join("lib.rs")).unwrap());
    let lacks = |path: &&Vec<String>| {
        let (module, name) = (if path.len() > 1 { path[0].as_str() } else { "lib" }, path.last().unwrap());
        let of_module = texts
            .iter()
            .filter(|(file, _)| file.starts_with(module) || file.as_os_str() == format!("{module}.rs").as_str());
        !of_module.into_iter().any(|(_, text)| {
            let lines: Vec<&str> = text.lines().collect();
            (0..lines.len()).any(|at| defined(lines[at]) == Some(name) && has_example(&lines, at))
        })
    };
    (items.len(), items.iter().filter(lacks).map(|path| path.join("::")).collect())
}

#[test]
fn each_item_at_the_root_of_a_library_has_an_example() {
    let (mut all, mut lacking) = (0, Vec::new());
    let book = crates().parent().unwrap().join("docs/book");
    for folder in fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path()).chain([book]) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        if !NO_LIBRARIES.contains(&name) {
            let (items, without) = without_example(&folder);
            all += items;
            lacking.extend(without.iter().map(|item| format!("{name}: {item}")));
        }
    }
    assert!(lacking.is_empty(), "{} of {all} items have no example:\n{}", lacking.len(), lacking.join("\n"));
    // The search sees items at all.
    assert!(all > 150, "{all}");
}

#[test]
fn an_example_is_one_that_runs_and_asserts() {
    let has = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        has_example(&lines, lines.iter().position(|line| defined(line) == Some("mean")).unwrap())
    };
    assert!(has("/// A mean.\n/// ```\n/// assert!(true);\n/// ```\n#[inline]\npub fn mean() {"));
    assert!(!has("/// A mean.\n/// ```\n/// mean();\n/// ```\npub fn mean() {"));
    assert!(!has("/// A mean.\n/// ```no_run\n/// assert!(true);\n/// ```\npub fn mean() {"));
    assert!(!has("/// assert!(true);\n/// ```\n/// mean();\n/// ```\npub fn mean() {"));
    assert!(!has("/// ```\n/// assert!(true);\n/// ```\npub fn other() {\n/// A mean.\npub const fn mean() {"));
    assert_eq!(defined("    Ties, \"tie policy\", {"), Some("Ties"));
    assert_eq!(
        items("//! A crate.\n\npub mod a;\n\npub use a::{B, c::D};\npub use fivefold_base::Seed;\npub fn e() {}"),
        [
            vec!["a".to_owned(), "B".to_owned()],
            vec!["a".to_owned(), "c".to_owned(), "D".to_owned()],
            vec!["e".to_owned()]
        ]
    );
}
