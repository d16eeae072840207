//! `reference/rankers.md`: parameters, defaults and presets.

use fivefold_core::params::ParamInfo;
use fivefold_results::config::OUTSIDE;

use crate::page::{code, escaped, head, same, sentence, table};

fn parameters(all: &[ParamInfo]) -> String {
    let row = |param: &ParamInfo| {
        let default = param.default.as_ref().filter(|value| !value.is_null());
        vec![
            code(&param.name),
            default.map_or_else(|| "unset".to_owned(), |value| code(&value.to_string())),
            escaped(&param.help),
        ]
    };
    table(&["parameter", "default", "meaning"], &all.iter().map(row).collect::<Vec<_>>())
}

/// A `[[ranker]]` with the first parameters at their defaults. `None` if a parameter must be given.
fn example(name: &str, all: &[ParamInfo]) -> Option<String> {
    if all.iter().any(|param| param.help.contains("must be given")) {
        return None;
    }
    let simple = all.iter().filter_map(|param| {
        let value = param.default.as_ref()?;
        (value.is_number() || value.is_string() || value.is_boolean()).then(|| format!("{} = {value}", param.name))
    });
    let given: Vec<String> = simple.take(2).collect();
    let params = if given.is_empty() { String::new() } else { format!("params = {{ {} }}\n", given.join(", ")) };
    Some(format!("\n```toml,part\n[[ranker]]\nkind = \"{name}\"\n{params}```\n"))
}

#[test]
fn rankers() {
    let registry = fivefold::builtin();
    let intro = "A ranker of an experiment is a `[[ranker]]` with its `kind`; `[ranker.params]` holds its parameters, and \
        `preset = \"NAME\"` among them starts from a preset. `fivefold rankers NAME` prints one entry. All other keys of a \
        `[[ranker]]` stand in [the experiment file](experiment-file.md).";
    let mut text = head("Rankers", intro);
    let link = |name: &str, summary: &str| vec![format!("[{name}](#{name})"), escaped(summary)];
    text += "\n## Trained by fivefold\n\n";
    let rows: Vec<Vec<String>> = registry.entries().iter().map(|entry| link(entry.name, entry.summary)).collect();
    assert!(rows.len() > 10, "{}", rows.len());
    text += &table(&["ranker", "what it is"], &rows);
    for entry in registry.entries() {
        let params = entry.params();
        let seed = if entry.seeded() { "alters the model" } else { "has no effect" };
        text += &format!(
            "\n### {}\n\n{}\nAt the defaults, the seed {seed}.\n",
            entry.name,
            sentence(&escaped(entry.summary))
        );
        if !params.is_empty() {
            text += &format!("\n{}", parameters(&params));
        }
        let presets: Vec<Vec<String>> =
            entry.presets().into_iter().map(|(name, summary)| vec![code(name), escaped(summary)]).collect();
        if !presets.is_empty() {
            text += &format!("\n{}", table(&["preset", "what it imitates"], &presets));
        }
        text += &example(entry.name, &params).unwrap_or_default();
        assert!(params.iter().all(|param| !param.help.is_empty()), "{} has a parameter without help", entry.name);
    }
    text += "\n## Computed elsewhere\n\n";
    let rows: Vec<Vec<String>> = OUTSIDE.iter().map(|kind| link(kind.name, kind.summary)).collect();
    text += &table(&["kind", "where scores come from"], &rows);
    for kind in OUTSIDE {
        text +=
            &format!("\n### {}\n\n{}\n\n{}", kind.name, sentence(&escaped(kind.summary)), parameters(&(kind.params)()));
    }
    same("reference/rankers.md", &text);
}
