//! Tests two rules of ARCHITECTURE.md: which crates may use which crates, and that no circle of
//! imports is larger than four files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module's path within its crate: `["tables", "means"]`; the crate's root is empty.
type Module = Vec<String>;

/// The most files that import each other in a circle.
const LARGEST_CIRCLE: usize = 4;

pub fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates")
}

/// The sources of a crate without its tests, by module.
fn sources(folder: &Path) -> BTreeMap<Module, String> {
    fn read(folder: &Path, above: &[String], found: &mut BTreeMap<Module, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                read(&path, &[above, &[stem]].concat(), found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let own = if matches!(stem.as_str(), "lib" | "main" | "mod") { Vec::new() } else { vec![stem] };
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                let lines = code.lines().map(|line| line.split("//").next().unwrap());
                let module = found.entry([above, &own].concat()).or_default();
                lines.for_each(|line| module.extend([line, "\n"]));
            }
        }
    }
    let mut found = BTreeMap::new();
    read(&folder.join("src"), &[], &mut found);
    found.retain(|module, _| module.iter().all(|name| name != "tests" && name != "testing"));
    found
}

/// Expands `a::{b, c::d}` to `a::b` and `a::c::d`.
pub fn expanded(before: &[String], tree: &str) -> Vec<Vec<String>> {
    let names =
        |text: &str| text.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let path: Vec<String> = names(tree.split(" as ").next().unwrap());
        return vec![[before, &path].concat()];
    };
    let before = [before, &Vec::from_iter(names(head) as Vec<String>)].concat();
    let (mut depth, mut items) = (0, vec![String::new()]);
    for letter in rest.strip_suffix('}').unwrap_or(rest).chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        match letter {
            ',' if depth == 0 => items.push(String::new()),
            letter => items.last_mut().unwrap().push(letter),
        }
    }
    items.iter().filter(|item| !item.trim().is_empty()).flat_map(|item| expanded(&before, item)).collect()
}

/// The paths that a module imports or names in its code, and the paths that the module passes on by
/// `pub use`.
fn imports(code: &str) -> [Vec<Vec<String>>; 2] {
    let (mut own, mut passed_on) = (Vec::new(), Vec::new());
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        let (visibility, statement) = line.split_once("use ").unwrap_or(("not", line));
        match visibility.trim() {
            "" | "pub" | "pub(crate)" | "pub(super)" => {
                let mut statement = statement.to_owned();
                while !statement.ends_with(';') {
                    statement.push_str(lines.next().unwrap().trim());
                }
                let paths = expanded(&[], statement.trim_end_matches(';'));
                if visibility.is_empty() { &mut own } else { &mut passed_on }.extend(paths);
            }
            _ => {
                let words = line.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':'));
                let inside = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
                own.extend(inside.flat_map(|word| expanded(&[], word)));
            }
        }
    }
    [own, passed_on]
}

/// For each module of a crate, the modules of the crate that it imports from.
fn edges(sources: &BTreeMap<Module, String>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let all: BTreeMap<&Module, [Vec<Vec<String>>; 2]> =
        sources.iter().map(|(module, code)| (module, imports(code))).collect();
    let passed_on: BTreeMap<(&Module, &str), &Vec<String>> = all
        .iter()
        .flat_map(|(module, [_, public])| public.iter().map(|path| ((*module, path.last().unwrap().as_str()), path)))
        .collect();
    fn resolve<'s>(
        from: &Module,
        path: &[String],
        sources: &'s BTreeMap<Module, String>,
        passed_on: &BTreeMap<(&Module, &str), &Vec<String>>,
        depth: usize,
    ) -> Option<&'s Module> {
        let mut at = from.clone();
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    at.pop();
                    rest = &rest[1..];
                }
            }
            name if sources.contains_key(&[from.as_slice(), &[name.to_owned()]].concat()) => {}
            _ => return None,
        }
        while let Some(name) = rest.first() {
            let within = [at.as_slice(), std::slice::from_ref(name)].concat();
            if !sources.contains_key(&within) {
                break;
            }
            (at, rest) = (within, &rest[1..]);
        }
        let (module, _) = sources.get_key_value(&at)?;
        let further = rest.first().and_then(|name| passed_on.get(&(module, name.as_str()))).filter(|_| depth < 5);
        further.and_then(|path| resolve(module, path, sources, passed_on, depth + 1)).or(Some(module))
    }
    let of = |module: &Module, paths: &[Vec<String>]| -> BTreeSet<&Module> {
        paths
            .iter()
            .filter_map(|path| resolve(module, path, sources, &passed_on, 0))
            .filter(|to| *to != module)
            .collect()
    };
    all.iter().map(|(module, [private, _])| (*module, of(module, private))).collect()
}

/// All modules that can be reached from a module.
fn reach<'s>(from: &'s Module, edges: &BTreeMap<&'s Module, BTreeSet<&'s Module>>) -> BTreeSet<&'s Module> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(edges[module].iter().filter(|to| found.insert(**to)));
    }
    found
}

/// The circles of a crate: files each of which can be reached from each other one by imports. A
/// file alone is in none.
fn circles(folder: &Path) -> BTreeSet<Vec<String>> {
    let sources = sources(folder);
    let edges = edges(&sources);
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|module| (*module, reach(module, &edges))).collect();
    let circle = |module: &&Module| -> Vec<String> {
        let back = reached[module].iter().filter(|other| reached[*other].contains(module));
        back.map(|other| other.join("::")).collect()
    };
    edges.keys().map(circle).filter(|circle| circle.len() > 1).collect()
}

#[test]
fn no_circle_of_imports_is_larger_than_four_files() {
    let mut found = 0;
    let book = crates().parent().unwrap().join("docs/book");
    for folder in fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().path()).chain([book]) {
        for circle in circles(&folder) {
            assert!(circle.len() <= LARGEST_CIRCLE, "{}: {} files: {circle:?}", folder.display(), circle.len());
            found += 1;
        }
    }
    // Checks that the search finds imports at all.
    assert!(found > 10, "{found}");
}

/// tools/imports.py, which draws the book's page on the structure, counts files and circles as this test does.
#[test]
fn the_drawing_of_imports_counts_circles_alike() {
    let root = crates().parent().unwrap().to_owned();
    let output = match Command::new("python3").arg(root.join("tools/imports.py")).arg(&root).output() {
        Err(_) if std::env::var_os("CI").is_none() => return,
        output => output.unwrap(),
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(2).map(|row| row.split('|').map(str::trim).collect()).collect();
    assert!(rows.len() > 10, "{table}");
    for row in rows {
        let folder = match crates().join(format!("fivefold-{}", row[1])) {
            folder if folder.exists() => folder,
            _ => crates().join(row[1]),
        };
        let largest = circles(&folder).iter().map(Vec::len).max().unwrap_or(1);
        assert_eq!((row[2], row[4]), (&*sources(&folder).len().to_string(), &*largest.to_string()), "{row:?}");
    }
}

/// The crates of this workspace that a crate depends on.
fn dependencies(of: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(crates().join(of).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let own = manifest["dependencies"].as_table().unwrap().keys().filter(|name| name.starts_with("fivefold")).cloned();
    let mut seen: BTreeSet<String> = own.collect();
    seen.extend(seen.clone().iter().flat_map(|name| dependencies(name)));
    seen
}

#[test]
fn reports_and_studies_see_no_engine_and_measures_no_rankers() {
    for (name, unseen) in [
        ("fivefold-report", &["fivefold-experiment", "fivefold-rankers"][..]),
        ("fivefold-studies", &["fivefold-experiment", "fivefold-rankers"]),
        ("fivefold-experiment", &["fivefold-rankers", "fivefold-report", "fivefold-studies"]),
        ("fivefold-results", &["fivefold-experiment", "fivefold-rankers"]),
        ("fivefold-analysis", &["fivefold-data", "fivefold-results"]),
        ("fivefold-metrics", &["fivefold-core", "fivefold-data"]),
        ("fivefold-stats", &["fivefold-core", "fivefold-data"]),
        ("fivefold-text", &["fivefold-core", "fivefold-data", "fivefold-metrics", "fivefold-stats"]),
        ("fivefold-core", &["fivefold-data", "fivefold-metrics"]),
        ("fivefold-data", &["fivefold-metrics", "fivefold-stats", "fivefold-text"]),
    ] {
        let seen = dependencies(name);
        assert!(unseen.iter().all(|other| !seen.contains(*other)), "{name} sees {seen:?}");
    }
}
