//! `reference/experiment-file.md` and `reference/studies.md`: every key of an experiment file. The words stand
//! in `docs/book/keys.toml`, the names of keys and many defaults come from the program.

use std::collections::BTreeSet;

use fivefold_results::Experiment;
use fivefold_results::config::sections;
use fivefold_studies::{STUDIES, StudyFile, registry};
use serde::Deserialize;
use serde_json::Value;
use toml::Table;

use crate::page::{book, code, escaped, head, same, sentence, table, wrapped};

/// `docs/book/keys.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    experiment: Vec<Section>,
    study: Vec<Section>,
    table: Vec<Section>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    /// As the program names the section.
    name: String,
    #[serde(default)]
    title: String,
    /// Where the keys are in an example: keys from the top, with points between them, `*` for any key.
    #[serde(default)]
    path: String,
    intro: String,
    /// Experiment files, or parts of them. The first is shown.
    examples: Vec<String>,
    /// For each key: type, default, meaning.
    keys: toml::map::Map<String, toml::Value>,
}

fn words() -> Words {
    toml::from_str(&std::fs::read_to_string(book().join("keys.toml")).unwrap()).unwrap()
}

/// What stands before a part of an experiment.
const REST: &str = "name = \"x\"\ndataset = [{ label = \"A\", synthetic = { shape = \"mq2007\", queries = 20 } }]\n\
                    ranker = [{ kind = \"linear\" }]\n";

impl Section {
    fn word(&self, key: &str, place: usize) -> &str {
        let own = &self.keys[key].as_array().unwrap_or_else(|| panic!("{}.{key} is no list", self.name));
        assert_eq!(own.len(), 3, "{}.{key}", self.name);
        own[place].as_str().unwrap()
    }

    /// The examples as whole files.
    fn files(&self) -> Vec<(Table, String)> {
        let whole = |example: &String| {
            let own: Table = example.parse().unwrap_or_else(|error| panic!("{}: {error}\n{example}", self.name));
            let mut file: Table = if StudyFile::is_study(example) { Table::new() } else { REST.parse().unwrap() };
            file.extend(own.clone());
            (own, toml::to_string(&file).unwrap())
        };
        self.examples.iter().map(whole).collect()
    }

    /// Checks the keys against those that the program knows: each stands here, and in an example.
    fn check(&self, known: &[&str]) {
        let known: BTreeSet<&str> = known.iter().copied().collect();
        let own: BTreeSet<&str> = self.keys.keys().map(String::as_str).collect();
        let place = format!("docs/book/keys.toml, section `{}`", self.name);
        assert_eq!(own, known, "{place} (left) has other keys than the program (right)");
        let mut shown = BTreeSet::new();
        for (table, text) in self.files() {
            let read = match StudyFile::is_study(&text) {
                true => StudyFile::parse(&text).map(|_| ()).map_err(|error| error.to_string()),
                false => Experiment::parse("keys.toml", &text, Vec::new(), &fivefold::builtin())
                    .map(|_| ())
                    .map_err(|error| error.to_string()),
            };
            read.unwrap_or_else(|error| panic!("{place}: {error}\n{text}"));
            collect(&toml::Value::Table(table), self.path.split('.').filter(|part| !part.is_empty()), &mut shown);
        }
        let missing: Vec<&&str> = known.iter().filter(|key| !shown.contains(**key)).collect();
        assert!(missing.is_empty(), "{place}: no example has {missing:?}");
    }

    /// The table of keys, in the order of the program.
    fn table(&self, known: &[&str], default_of: impl Fn(&str) -> Option<String>) -> String {
        let row = |key: &&str| {
            let default = match self.word(key, 1) {
                "auto" => {
                    default_of(key).unwrap_or_else(|| panic!("{}.{key}: the program gives no default", self.name))
                }
                written => written.to_owned(),
            };
            vec![code(key), self.word(key, 0).to_owned(), default, self.word(key, 2).to_owned()]
        };
        table(&["key", "type", "default", "meaning"], &known.iter().map(row).collect::<Vec<_>>())
    }

    fn example(&self, tag: &str) -> String {
        format!("```toml{tag}\n{}```\n", self.examples[0].trim_start())
    }
}

/// The keys at a path.
fn collect<'p>(value: &toml::Value, mut path: impl Iterator<Item = &'p str> + Clone, found: &mut BTreeSet<String>) {
    match value {
        toml::Value::Array(items) => items.iter().for_each(|item| collect(item, path.clone(), found)),
        toml::Value::Table(table) => match path.next() {
            None => found.extend(table.keys().cloned()),
            Some("*") => table.values().for_each(|value| collect(value, path.clone(), found)),
            Some(key) => table.get(key).into_iter().for_each(|value| collect(value, path.clone(), found)),
        },
        _ => {}
    }
}

/// A default as a file would give it.
fn as_toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key} = {}", as_toml(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(as_toml).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

#[test]
fn experiment_file() {
    let words = words();
    let sections = sections();
    let names: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
    assert_eq!(words.experiment.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(), names);
    let defaults = Experiment::parse("x.toml", REST, Vec::new(), &fivefold::builtin()).unwrap();
    let defaults = serde_json::to_value(&defaults).unwrap();
    let places = [
        ("", "", None),
        ("[[dataset]]", "/datasets/0", Some("/datasets/0/source")),
        ("[query_sets]", "/query_sets", None),
        ("[tables]", "/tables", None),
        ("[guards]", "/guards", None),
    ];
    let intro = "An experiment file is TOML. It names collections, rankers and measures; `fivefold run FILE` does the rest. \
        An unknown key, a wrong type and a value out of range are errors with the place in the file. Files with the \
        [kind of a study](studies.md) have other keys.";
    let mut text = head("The experiment file", intro);
    text += "\nThe smallest file has a name, a data set and a ranker:\n\n```toml\nname = \"mine\"\n[[dataset]]\nsynthetic = { shape = \
        \"mq2007\", queries = 50 }\n[[ranker]]\nkind = \"lambdamart\"\n```\n";
    for (section, (name, known)) in words.experiment.iter().zip(&sections) {
        section.check(known);
        let default_of = |key: &str| {
            let (_, own, other) = places.iter().find(|(section, ..)| section == name)?;
            let at = |place: &str| defaults.pointer(&format!("{place}/{key}"));
            let value = at(own).or_else(|| other.and_then(at)).filter(|value| !value.is_null())?;
            Some(code(&as_toml(value)))
        };
        text += &format!("\n## {}\n\n{}\n", section.title, wrapped(&section.intro));
        text += &section.table(known, default_of);
        let is_whole = section.examples[0].contains("\nname = ") && section.name.is_empty();
        text += &format!("\n{}", section.example(if is_whole { "" } else { ",part" }));
    }
    same("reference/experiment-file.md", &text);
}

#[test]
fn studies() {
    let words = words();
    let intro = "A study answers a question about measures, and trains nothing. Its file has a `name`, a `kind`, perhaps a \
        `seed`, and the keys below. `fivefold run FILE` runs it; most kinds are also a command, whose options have \
        the same meanings.";
    let mut text = head("Studies", intro);
    let link = |kind: &str| format!("[{kind}](#kind--{kind})");
    let rows: Vec<Vec<String>> = STUDIES.iter().map(|study| vec![link(study.kind), escaped(study.summary)]).collect();
    text += &format!("\n{}", table(&["kind", "question"], &rows));
    assert_eq!(words.study.len(), STUDIES.len());
    for study in STUDIES {
        let section = words.study.iter().find(|own| own.name == study.kind);
        let section = section.unwrap_or_else(|| panic!("docs/book/keys.toml has no study `{}`", study.kind));
        let known = (study.keys)();
        section.check(known);
        let minimal = format!("name = \"x\"\nkind = \"{}\"\nsystems = {{ values = [\"a.csv\"] }}\n", study.kind);
        // Ratings have files that must be given.
        let minimal = if study.kind == "ratings" { minimal + "ratings = { files = [\"a.csv\"] }\n" } else { minimal };
        let minimal = if study.kind == "converge" { "name = \"x\"\nkind = \"converge\"\n".to_owned() } else { minimal };
        let settings =
            StudyFile::parse(&minimal).unwrap_or_else(|error| panic!("{}: {error}", study.kind)).study.settings();
        let default_of =
            |key: &str| settings.get(key).map_or_else(|| Some("`[]`".to_owned()), |value| Some(code(&as_toml(value))));
        text += &format!(
            "\n## kind = \"{}\"\n\n{}\n{}\n",
            study.kind,
            sentence(&escaped(study.summary)),
            wrapped(&section.intro)
        );
        text += &section.table(known, default_of);
        text += &format!("\n{}", section.example(""));
    }
    let tables = registry::tables();
    assert_eq!(
        words.table.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(),
        tables.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    for (section, (_, known)) in words.table.iter().zip(&tables) {
        section.check(known);
        text += &format!("\n## {}\n\n{}\n", section.title, wrapped(&section.intro));
        text += &section.table(known, |_| None);
        text += &format!("\n{}", section.example(""));
    }
    same("reference/studies.md", &text);
}
