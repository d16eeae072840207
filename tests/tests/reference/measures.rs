//! `reference/measures.md` and `reference/conventions.md`.

use serde_json::Value;

use crate::harness::{directory, json};
use crate::page::{code, escaped, head, same, sentence, table};

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key}: {value}"))
}

fn of_measure(measure: &Value) -> String {
    let of = |key: &str| text_of(measure, key);
    let mut text = format!("### {}\n\n{}\n\n", of("name"), sentence(&escaped(of("summary"))));
    for (what, key) in [("Formula", "formula"), ("Source", "source"), ("Cutoff", "cutoff"), ("Versions", "versions")] {
        // A formula has signs that are none of Markdown.
        let value = if key == "formula" { code(of(key)) } else { escaped(of(key)) };
        text += &format!("- {what}: {value}\n");
    }
    let rows: Vec<Vec<String>> = measure["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| {
            let cells = ["default", "values", "help"].map(|key| escaped(text_of(own, key)));
            [vec![code(text_of(own, "name"))], cells.to_vec()].concat()
        })
        .collect();
    if !rows.is_empty() {
        text += &format!("\n{}", table(&["parameter", "default", "values", "meaning"], &rows));
    }
    text
}

#[test]
fn measures() {
    let all = json(directory(&[]).path(), "measures --json");
    let all = all.as_array().unwrap();
    assert!(all.len() > 40, "{}", all.len());
    let intro = "A measure is written `NAME[.v1|.v2][(PARAMETER=VALUE,...)][@CUTOFF]`: `ndcg@10`, \
        `ndcg.v2(gain=linear)@5`, `ap(denominator=relevant)@30`, `err`, `rbp(p=0.95)`. The versions `.v1` and `.v2` \
        relate the value to E and U, as [E and U](../explanation/expected-and-upper.md) explains. A default that \
        differs between [dialects](conventions.md) lists the dialects. `fivefold measures NAME` prints one entry.\n\n\
        A measure in the spelling of another program is understood, too, and a line says as what.";
    let mut text = head("Measures", intro);
    let mut kinds: Vec<&str> = Vec::new();
    for measure in all {
        if !kinds.contains(&text_of(measure, "asks")) {
            kinds.push(text_of(measure, "asks"));
        }
    }
    for kind in kinds {
        let own: Vec<&Value> = all.iter().filter(|measure| text_of(measure, "asks") == kind).collect();
        text += &format!("\n## Measures of {kind}\n\n");
        let row = |measure: &&Value| {
            let name = text_of(measure, "name");
            vec![format!("[{name}](#{name})"), escaped(text_of(measure, "summary"))]
        };
        text += &table(&["measure", "what it is"], &own.iter().map(row).collect::<Vec<_>>());
        for measure in own {
            text += &format!("\n{}", of_measure(measure));
        }
    }
    same("reference/measures.md", &text);
}

#[test]
fn dialects() {
    let all = json(directory(&[]).path(), "dialects --json");
    let all = all.as_array().unwrap();
    assert!(all.len() > 8, "{}", all.len());
    let intro = "A dialect is the set of conventions of one evaluation program. `dialect = \"NAME\"` at the top of an \
        experiment file, or `--dialect NAME`, chooses a dialect. A key of `[evaluation]` replaces one convention: see \
        [the experiment file](experiment-file.md). [Dialects](dialects.md) says how each was checked. `fivefold diff` says how much each convention alters a value.";
    let mut text = head("Conventions of all dialects", intro);
    let row = |dialect: &Value| {
        let name = text_of(dialect, "name");
        vec![format!("[{name}](#{})", name.replace('.', "")), escaped(text_of(dialect, "summary"))]
    };
    text += &format!("\n{}", table(&["dialect", "what it follows"], &all.iter().map(row).collect::<Vec<_>>()));
    text += "\n## All conventions side by side\n\nA row is a convention, a column a dialect.\n\n";
    let names: Vec<&str> = all.iter().map(|dialect| text_of(dialect, "name")).collect();
    let rules: Vec<&String> = all[0]["conventions"].as_object().unwrap().keys().collect();
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let rows: Vec<Vec<String>> = rules
        .iter()
        .map(|rule| {
            let values = all.iter().map(|dialect| plain(&dialect["conventions"][rule.as_str()]));
            [code(rule)].into_iter().chain(values).collect()
        })
        .collect();
    text += &table(&[vec!["convention"], names].concat(), &rows);
    for dialect in all {
        let of = |key: &str| text_of(dialect, key);
        text += &format!(
            "\n## {}\n\n{}\n\nChecked against: {}.\n",
            of("name"),
            sentence(&escaped(of("summary"))),
            escaped(of("checked_against"))
        );
        let notes: Vec<String> = dialect["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| format!("- {}\n", sentence(&escaped(note.as_str().unwrap()))))
            .collect();
        if !notes.is_empty() {
            text += &format!("\n{}", notes.concat());
        }
        let rows: Vec<Vec<String>> = dialect["measures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| vec![code(text_of(own, "theirs")), code(text_of(own, "ours"))])
            .collect();
        if !rows.is_empty() {
            text += &format!("\n{}", table(&["there", "here"], &rows));
        }
        text += &format!("\n```toml,part\ndialect = \"{}\"\n```\n", of("name"));
    }
    same("reference/conventions.md", &text);
}
