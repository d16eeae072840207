//! The table of layouts on `reference/letor.md`: it has every layout, with `files` that the layout takes.

use fivefold_data::LAYOUTS;
use fivefold_data::layout::{Folds, layout};
use serde::Deserialize;

use crate::page::book;

#[derive(Deserialize)]
struct Entry {
    files: Vec<String>,
}

#[test]
fn layouts() {
    let page = std::fs::read_to_string(book().join("pages/reference/letor.md")).unwrap();
    let (_, section) = page.split_once("\n## Layouts\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells: Vec<Vec<&str>> = rows.map(|row| row.split('|').map(str::trim).collect()).skip(1).collect();
    let mut named: Vec<&str> = cells.iter().map(|row| row[0].trim_end_matches('`')).collect();
    for (name, row) in named.iter().zip(&cells) {
        let listed = row[2].trim_start_matches('`').split('`').next().unwrap();
        let files = match listed {
            "none" => Vec::new(),
            listed => toml::from_str::<Entry>(&format!("files = {listed}")).unwrap().files,
        };
        let known = layout(name).unwrap_or_else(|| panic!("the page names a layout `{name}`"));
        let folds = match (known.folds)(&files).unwrap_or_else(|error| panic!("{name}: {error}")) {
            Folds::Files(folds) => folds.len(),
            Folds::Cut(_) => 5,
            _ => panic!("{name}: the page knows no such folds"),
        };
        let said = row[3].parse().unwrap_or(files.len());
        assert_eq!(folds, said, "{name}");
    }
    named.dedup();
    assert_eq!(named, LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>());
}
