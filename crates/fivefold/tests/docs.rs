//! Tests that the parser reads the experiment files and settings that the pages show.
#![allow(clippy::unwrap_used)] // a test

use std::fs;
use std::path::Path;

use fivefold_results::Experiment;
use toml::{Table, Value};

/// The README and the page of dialects, by path.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // The blocks of all other pages are read by the end-to-end tests of the book.
    let paths = [root.join("README.md"), root.join("docs/book/pages/reference/dialects.md")];
    paths.iter().map(|path| (path.display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

/// The rest of an experiment, if a page shows only a part.
const REST: &str = r#"
name = "x"
dataset = [{ label = "A", synthetic = { shape = "mq2007", queries = 20 } }]
ranker = [{ kind = "linear" }]
evaluation = { measures = ["ndcg", "ap"], cutoffs = [5] }
"#;

fn experiment(part: Table) -> Result<(), String> {
    let mut whole: Table = REST.parse().unwrap();
    whole.extend(part);
    let text = toml::to_string(&whole).unwrap();
    match Experiment::parse("page.toml", &text, Vec::new(), &fivefold::builtin()) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{error}\n{text}")),
    }
}

#[test]
fn blocks_of_toml_are_read() {
    let mut read = 0;
    for (page, text) in pages() {
        let mut before: Option<Table> = None;
        for block in text.split("```toml").skip(1) {
            // The rest of the first line holds the tags of the block.
            let (_, block) = block.split_once('\n').unwrap();
            let block = block.split("\n```").next().unwrap();
            let table: Table = block.parse().unwrap_or_else(|error| panic!("{page}: {error}\n{block}"));
            // Not experiments of rankers: printed tables of a paper, and studies. The pages' own tests read them.
            if table.contains_key("scores") || table.contains_key("systems") {
                continue;
            }
            // This block continues the ranker of the block before it.
            let table = match (table.get("ranker"), before.as_ref().and_then(|before| before.get("ranker"))) {
                (Some(Value::Table(more)), Some(Value::Array(rankers))) => {
                    let mut ranker = rankers[0].as_table().unwrap().clone();
                    for (section, settings) in more {
                        ranker[section].as_table_mut().unwrap().extend(settings.as_table().unwrap().clone());
                    }
                    Table::from_iter([("ranker".to_owned(), Value::Array(vec![ranker.into()]))])
                }
                _ => table,
            };
            before = Some(table.clone());
            experiment(table).unwrap_or_else(|error| panic!("{page}: {error}"));
            read += 1;
        }
    }
    assert!(read >= 1, "{read}");
}

/// Settings such as `dialect = "lightgbm"` or `sp_upper = "ideal"` are keys at the top of the file
/// or under `[evaluation]`.
#[test]
fn settings_of_dialects_are_keys() {
    let (_, page) = pages().into_iter().find(|(name, _)| name.ends_with("reference/dialects.md")).unwrap();
    let mut read = 0;
    for quoted in page.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains(" = \"") && quoted.ends_with('"'))
    {
        let Ok(setting) = quoted.parse::<Table>() else { continue };
        let mut rest: Table = REST.parse().unwrap();
        let mut evaluation = rest.remove("evaluation").unwrap();
        evaluation.as_table_mut().unwrap().extend(setting.clone());
        let inside = Table::from_iter([("evaluation".to_owned(), Value::clone(&evaluation))]);
        if let (Err(top), Err(inside)) = (experiment(setting), experiment(inside)) {
            panic!("`{quoted}` is no setting: {top}; {inside}");
        }
        read += 1;
    }
    assert!(read >= 2, "{read}");
}
