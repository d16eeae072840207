//! `[ranker.params]` of `kind = "python"`: a class in Python with `fit` and `predict`.
//!
//! ```toml
//! [[ranker]]
//! label = "Forest"
//! kind = "python"
//! [ranker.params]
//! class = "sklearn.ensemble:RandomForestRegressor"  # or a file beside the experiment, "mine.py:Mine"
//! params = { n_estimators = 200 }                   # arguments of the class
//! python = "python3"                                # needs the Python package of fivefold
//! ```
//! The ranker is a command (`command`) that runs the package's module `fivefold.ranker`, so keys,
//! confinement and limits are those of a command. The file of the class and the parameters are in
//! the key; packages are not. In a search, a parameter is given as `"{param.NAME}"`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::command::CommandLine;
use super::limits::{Bytes, TimeLimit};

/// The arguments that the module is given before those of the class.
const PLACES: [&str; 5] = ["{train}", "{validation}", "{test}", "{scores}", "{seed}"];

/// A class in Python, and what the command that runs it may do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PythonClass {
    #[serde(deserialize_with = "class")]
    class: String,
    #[serde(default)]
    params: serde_json::Map<String, Value>,
    #[serde(default = "interpreter")]
    python: String,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default = "super::command::default_time")]
    time_limit: TimeLimit,
    #[serde(default = "super::command::default_output")]
    output_limit: Bytes,
    #[serde(default)]
    read: Vec<String>,
    #[serde(default)]
    write: Vec<String>,
    #[serde(default)]
    network: bool,
    #[serde(default = "yes")]
    confine: bool,
}

/// The interpreter that is taken if none is given.
pub(super) fn interpreter() -> String {
    "python3".to_owned()
}

fn yes() -> bool {
    true
}

impl PythonClass {
    /// The command that fits the class and scores the test part.
    pub(super) fn command(self) -> CommandLine {
        let words = [&self.python, "-m", "fivefold.ranker", &self.class].map(str::to_owned);
        let params = self.params.iter().map(|(name, value)| format!("{name}={}", word(value)));
        let argv = words.into_iter().chain(PLACES.map(str::to_owned)).chain(params).collect();
        let own = self.class.split_once(':').map(|(file, _)| file).filter(|file| file.ends_with(".py"));
        let mut files = self.files;
        files.extend(own.map(str::to_owned).filter(|own| !files.contains(own)));
        let PythonClass { time_limit, output_limit, read, write, network, confine, .. } = self;
        CommandLine { argv, files, time_limit, output_limit, read, write, network, confine }
    }
}

/// A parameter as JSON. The place of a searched value stays as it is, and becomes this value.
fn word(value: &Value) -> String {
    match value {
        Value::String(place) if place.starts_with("{param.") && place.ends_with('}') => place.clone(),
        value => value.to_string(),
    }
}

fn class<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let class = String::deserialize(deserializer)?;
    match class.split_once(':') {
        Some((place, name)) if !place.is_empty() && !name.is_empty() => Ok(class),
        _ => {
            let what =
                "`class` is FILE:CLASS or MODULE:CLASS, as in \"mine.py:Mine\" or \"sklearn.linear_model:Ridge\"";
            Err(D::Error::custom(format!("{what}, not \"{class}\"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CommandLine, String> {
        toml::from_str::<PythonClass>(text).map(PythonClass::command).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_class_is_a_command_whose_key_has_its_file_and_parameters() {
        let text = r#"class = "mine.py:Mine"
            params = { depth = 3, loss = "ndcg", rate = "{param.rate}", deep = { a = [1, 2.5] } }
            files = ["helper.py"]
            time_limit = "2m""#;
        let command = read(text).unwrap();
        let places = ["{train}", "{validation}", "{test}", "{scores}", "{seed}"];
        assert_eq!(command.argv[..4], ["python3", "-m", "fivefold.ranker", "mine.py:Mine"]);
        assert_eq!(command.argv[4..9], places);
        let mut params = command.argv[9..].to_vec();
        params.sort();
        assert_eq!(params, [r#"deep={"a":[1,2.5]}"#, "depth=3", r#"loss="ndcg""#, "rate={param.rate}"]);
        assert_eq!((command.files, command.confine), (vec!["helper.py".to_owned(), "mine.py".to_owned()], true));
        assert!(read("class = \"sklearn.linear_model:Ridge\"").unwrap().files.is_empty());
    }

    #[test]
    fn a_class_without_its_place_is_refused() {
        assert_eq!(
            read("class = \"Mine\"").unwrap_err(),
            "`class` is FILE:CLASS or MODULE:CLASS, as in \"mine.py:Mine\" or \"sklearn.linear_model:Ridge\", not \"Mine\""
        );
    }
}
