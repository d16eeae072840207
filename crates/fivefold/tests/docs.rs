//! Tests that the parser reads the experiment files and settings that the pages show.
#![allow(clippy::unwrap_used)] // a test

use fivefold_results::Experiment;
use toml::{Table, Value};

/// Pages by name.
const PAGES: [(&str, &str); 13] = [
    ("README.md", include_str!("../../../README.md")),
    ("dialects.md", include_str!("../../../docs/dialects.md")),
    ("features.md", include_str!("../../../docs/features.md")),
    ("formats.md", include_str!("../../../docs/formats.md")),
    ("fusion.md", include_str!("../../../docs/fusion.md")),
    ("learning-curves.md", include_str!("../../../docs/learning-curves.md")),
    ("quality.md", include_str!("../../../docs/quality.md")),
    ("reliability.md", include_str!("../../../docs/reliability.md")),
    ("report.md", include_str!("../../../docs/report.md")),
    ("reproduce.md", include_str!("../../../docs/reproduce.md")),
    ("statistics.md", include_str!("../../../docs/statistics.md")),
    ("compare.md", include_str!("../../../docs/compare.md")),
    ("tuning.md", include_str!("../../../docs/tuning.md")),
];

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
    for (page, text) in PAGES {
        let mut before: Option<Table> = None;
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("\n```").next().unwrap();
            let table: Table = block.parse().unwrap_or_else(|error| panic!("{page}: {error}\n{block}"));
            // Printed tables of a paper. The end-to-end tests of `reproduce` read them.
            if table.contains_key("scores") {
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
    assert!(read >= 5, "{read}");
}

/// Settings such as `dialect = "lightgbm"` or `sp_upper = "ideal"` are keys at the top of the file
/// or under `[evaluation]`.
#[test]
fn settings_of_dialects_are_keys() {
    let (_, page) = PAGES.into_iter().find(|(name, _)| *name == "dialects.md").unwrap();
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
