//! Blocks of TOML: experiment files, whole or in part.

use fivefold_results::Experiment;
use fivefold_studies::StudyFile;
use toml::{Table, Value};

use super::Page;
use super::blocks::{Block, blocks};

/// What stands before a part of an experiment if its page shows no whole file.
const REST: &str = r#"
name = "x"
dataset = [{ label = "A", synthetic = { shape = "mq2007", queries = 20 } }]
ranker = [{ kind = "linear" }]
evaluation = { measures = ["ndcg", "ap"], cutoffs = [5] }
"#;

/// Reads an experiment file of whatever kind.
fn read(text: &str) -> Result<(), String> {
    if StudyFile::is_study(text) {
        return StudyFile::parse(text).map(|_| ()).map_err(|error| error.to_string());
    }
    Experiment::parse("page.toml", text, Vec::new(), &fivefold::builtin())
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// `[ranker.params]` alone goes on with the ranker of an earlier block.
fn continued(table: &mut Table, ranker: &mut Option<Table>) {
    match table.get("ranker").cloned() {
        Some(Value::Array(rankers)) => *ranker = rankers.first().and_then(Value::as_table).cloned(),
        Some(Value::Table(more)) => {
            let mut ranker = ranker.clone().unwrap_or_default();
            for (section, settings) in more {
                let own = ranker.entry(section).or_insert_with(|| Table::new().into());
                own.as_table_mut().unwrap().extend(settings.as_table().unwrap().clone());
            }
            table.insert("ranker".to_owned(), Value::Array(vec![ranker.into()]));
        }
        _ => {}
    }
}

/// Reads one block. `whole` is the last whole file above it on the page, `ranker` the last ranker.
fn check(block: &Block, whole: &mut Option<Table>, ranker: &mut Option<Table>) -> Result<(), String> {
    let mut table: Table = block.body.parse().map_err(|error| format!("no TOML: {error}"))?;
    continued(&mut table, ranker);
    if block.has("other") {
        return Ok(());
    }
    if block.file.is_some() {
        // The commands of the page read it. An experiment is what parts below continue.
        if read(&block.body).is_ok() {
            *whole = Some(table);
        }
        return Ok(());
    }
    if !block.has("part") {
        read(&block.body)?;
        *whole = Some(table);
        return Ok(());
    }
    let is_study = table.contains_key("kind") && StudyFile::is_study(&block.body);
    let mut merged = match whole {
        Some(whole) if !is_study => whole.clone(),
        _ if is_study => "name = \"x\"".parse().unwrap(),
        _ => REST.parse().unwrap(),
    };
    merged.extend(table);
    read(&toml::to_string(&merged).unwrap())
}

/// The complaints about all blocks, and the number of blocks.
pub fn unread(pages: &[Page]) -> (Vec<String>, usize) {
    let (mut complaints, mut count) = (Vec::new(), 0);
    for Page { path, text } in pages {
        let all = match blocks(path, text) {
            Ok(all) => all,
            Err(error) => {
                complaints.push(error);
                continue;
            }
        };
        let (mut whole, mut ranker) = (None, None);
        for block in all.iter().filter(|block| block.language == "toml") {
            count += 1;
            if let Err(error) = check(block, &mut whole, &mut ranker) {
                let advice = "a part of a file is tagged `toml,part`, TOML that is no experiment `toml,other`";
                complaints.push(format!("{path}:{}: {error} ({advice})", block.line));
            }
        }
    }
    (complaints, count)
}
