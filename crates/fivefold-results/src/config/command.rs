//! `[ranker.params]` of `kind = "command"`: a ranker in any language. The program runs once for
//! each fold.
//!
//! ```toml
//! [[ranker]]
//! label = "LightGBM"
//! kind = "command"
//! [ranker.params]
//! argv = ["python3", "rank.py", "{train}", "{validation}", "{test}", "{scores}", "{seed}"]
//! files = ["rank.py"]          # copied to the program's folder; their content is in the cache key
//! time_limit = "10m"
//! output_limit = "4GiB"
//! read = ["/data/embeddings"]  # more paths that the program may read, see `fivefold book command-rankers`
//! write = ["/dev/shm"]         # more paths that it may write (stamped on every table)
//! network = true               # whether it may use TCP (stamped on every table)
//! confine = false              # whether it is confined at all (stamped on every table)
//! ```
//! `{param.NAME}` in an argument takes the values of `NAME` in `[ranker.tune.params]`.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use fivefold_base::words::nearest;
use fivefold_core::Seed;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::limits::{Bytes, TimeLimit};
use super::values::{NORMALISE, value_words};

/// A program with its arguments, its files, its limits and its permissions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// The program and its arguments. Each [`Placeholder`] in an argument is filled in. Otherwise the
    /// arguments are passed on unchanged, without a shell.
    #[serde(deserialize_with = "argv")]
    pub argv: Vec<String>,
    /// Files that are copied, under the same names, to the folder where the program runs. A file is
    /// looked for beside the experiment file, then in the folder of `FIVEFOLD_DATA`.
    #[serde(default, deserialize_with = "files")]
    pub files: Vec<String>,
    /// How long the program may run in one fold.
    #[serde(default = "default_time")]
    pub time_limit: TimeLimit,
    /// How many bytes the program may write into its folder, temporary files included.
    #[serde(default = "default_output")]
    pub output_limit: Bytes,
    /// Files and folders that the program may read and execute, beside its own folder, the programs
    /// and the system. These paths are looked for as `files` are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Files and folders that the program may also write, and devices that it may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// Whether the program may use the network.
    #[serde(default, skip_serializing_if = "is_default")]
    pub network: bool,
    /// Whether the program is confined at all.
    #[serde(default = "confined", skip_serializing_if = "is_confined")]
    pub confine: bool,
}

fn is_default(yes: &bool) -> bool {
    !yes
}

fn confined() -> bool {
    true
}

fn is_confined(yes: &bool) -> bool {
    *yes
}

pub(super) fn default_time() -> TimeLimit {
    TimeLimit::HOUR
}

pub(super) fn default_output() -> Bytes {
    Bytes(16 << 30)
}

/// The words in braces that are filled in in an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// The training part, LETOR text.
    Train,
    /// The validation part, LETOR text.
    Validation,
    /// The test part, LETOR text whose grades are all 0.
    Test,
    /// The file to which the program writes one score a line, in the order of the test part.
    Scores,
    /// A whole number below 2^31.
    Seed,
}

impl Placeholder {
    /// All places.
    pub const ALL: [Placeholder; 5] =
        [Placeholder::Train, Placeholder::Validation, Placeholder::Test, Placeholder::Scores, Placeholder::Seed];

    /// The place as an argument holds it, such as `{train}`.
    pub fn name(self) -> &'static str {
        match self {
            Placeholder::Train => "{train}",
            Placeholder::Validation => "{validation}",
            Placeholder::Test => "{test}",
            Placeholder::Scores => "{scores}",
            Placeholder::Seed => "{seed}",
        }
    }

    /// The name of the file in the program's folder. `None` for the seed, which is not a file.
    pub fn file(self) -> Option<&'static str> {
        match self {
            Placeholder::Train => Some("train.txt"),
            Placeholder::Validation => Some("validation.txt"),
            Placeholder::Test => Some("test.txt"),
            Placeholder::Scores => Some(SCORES),
            Placeholder::Seed => None,
        }
    }
}

/// The beginning of a place that a search fills in.
const TUNED: &str = "{param.";

impl CommandLine {
    /// Whether an argument holds this place.
    pub fn uses(&self, place: Placeholder) -> bool {
        self.argv.iter().any(|argument| argument.contains(place.name()))
    }

    /// The arguments with every place filled in. A seed becomes a number, and any other place
    /// becomes the name of a file in the program's folder.
    pub fn filled(&self, seed: Seed) -> Vec<String> {
        // The seed has 31 bits, so that it fits the smallest integer type of other languages.
        let number = (seed.value() >> 33).to_string();
        let fill = |argument: &String| {
            Placeholder::ALL
                .iter()
                .fold(argument.clone(), |text, place| text.replace(place.name(), place.file().unwrap_or(&number)))
        };
        self.argv.iter().map(fill).collect()
    }

    /// The names in `{param.NAME}`, which a search gives values, in the order of the arguments.
    pub fn tuned_names(&self) -> Vec<&str> {
        let names = |argument: &'_ String| -> Vec<(usize, usize)> {
            let starts = argument.match_indices(TUNED).map(|(at, _)| at + TUNED.len());
            starts.filter_map(|from| Some((from, from + argument[from..].find('}')?))).collect()
        };
        let found =
            self.argv.iter().flat_map(|argument| names(argument).into_iter().map(|(from, to)| &argument[from..to]));
        found.collect()
    }

    /// The command with the values of a setting in place of `{param.NAME}`.
    ///
    /// # Errors
    /// If a name has no value, or if a value has no place.
    pub(super) fn with_params(&self, values: &BTreeMap<String, Value>) -> Result<Self, String> {
        let names = self.tuned_names();
        if let Some(name) = names.iter().find(|name| !values.contains_key(**name)) {
            return Err(format!("`{{param.{name}}}` has no value; name `{name}` in [ranker.tune.params]"));
        }
        let mut filled = self.clone();
        for (name, value) in values.iter().filter(|(name, _)| name.as_str() != NORMALISE) {
            if !names.contains(&name.as_str()) {
                return Err(format!("`{name}` has no effect: `argv` has no `{{param.{name}}}`"));
            }
            let (place, word) = (format!("{TUNED}{name}}}"), value_words(value));
            filled.argv.iter_mut().for_each(|argument| *argument = argument.replace(&place, &word));
        }
        Ok(filled)
    }

    /// Why the program cannot be found where it will run: a relative path that is not in `files`.
    /// `None` if it can be found.
    pub(super) fn misplaced(&self) -> Option<String> {
        let program = Path::new(&self.argv[0]);
        let is_path = program.components().count() > 1 || self.argv[0].starts_with('.');
        (is_path && program.is_relative() && self.own_program().is_none()).then(|| {
            format!("`{}` is not among `files`, so it is not in the folder where the command runs", self.argv[0])
        })
    }

    /// The key that allows more to a program that is not confined at all. `None` if there is no
    /// such key.
    pub(super) fn needless(&self) -> Option<&'static str> {
        let allows = [("read", !self.read.is_empty()), ("write", !self.write.is_empty()), ("network", self.network)];
        allows.into_iter().find(|(_, given)| *given && !self.confine).map(|(key, _)| key)
    }

    /// Why a file cannot be copied to where the program runs.
    pub(super) fn file_fault(&self) -> Option<String> {
        files_fault(&self.files)
    }

    /// The entry of `files` that is the program itself. `None` if the program is not in `files`.
    pub fn own_program(&self) -> Option<&str> {
        self.listed(&self.argv[0])
    }

    /// Whether an argument is an entry of `files`. Different spellings of a path count as the same.
    pub fn lists(&self, argument: &str) -> bool {
        self.listed(argument).is_some()
    }

    fn listed(&self, argument: &str) -> Option<&str> {
        let plain = |path: &str| -> Vec<_> {
            Path::new(path)
                .components()
                .filter(|part| *part != Component::CurDir)
                .map(|c| c.as_os_str().to_owned())
                .collect()
        };
        self.files.iter().map(String::as_str).find(|file| plain(file) == plain(argument))
    }
}

fn argv<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let argv = Vec::<String>::deserialize(deserializer)?;
    if argv.first().is_none_or(String::is_empty) {
        return Err(D::Error::custom("`argv` must begin with a program, as in [\"python3\", \"rank.py\", ...]"));
    }
    for place in [Placeholder::Test, Placeholder::Scores] {
        if !argv.iter().any(|argument| argument.contains(place.name())) {
            return Err(D::Error::custom(format!("`argv` has no `{}`; known places: {}", place.name(), places())));
        }
    }
    // Braces may belong to the language of the program. So only a whole argument that is nearly a
    // place counts as a mistake.
    let known = || Placeholder::ALL.iter().map(|place| place.name());
    let slip = argv.iter().find(|argument| {
        argument.starts_with('{') && argument.ends_with('}') && known().all(|place| place != argument.as_str())
    });
    match slip.and_then(|slip| Some((slip, nearest(slip, known())?))) {
        Some((slip, near)) => Err(D::Error::custom(format!("`{slip}` is no place in `argv`; did you mean `{near}`?"))),
        None => Ok(argv),
    }
}

fn places() -> String {
    Placeholder::ALL.map(Placeholder::name).join(", ")
}

fn files<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let files = Vec::<String>::deserialize(deserializer)?;
    files_fault(&files).map_or(Ok(files), |fault| Err(D::Error::custom(fault)))
}

fn files_fault(files: &[String]) -> Option<String> {
    for (at, file) in files.iter().enumerate() {
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        let reason = if file.is_empty() || !Path::new(file).components().all(inside) {
            "must be a path below the experiment file's folder, without `..`"
        } else if RESERVED.contains(&file.as_str()) {
            "has the name of a file that is written for the program; call it otherwise"
        } else if files[..at].contains(file) {
            "stands twice in `files`"
        } else {
            continue;
        };
        return Some(format!("`{file}` {reason}"));
    }
    None
}

/// Names that `files` must not use, because the program's folder has files of these names.
const RESERVED: [&str; 8] = ["train.txt", "validation.txt", "test.txt", SCORES, STDOUT, STDERR, END, GUARD];

/// The file of the program's scores.
pub const SCORES: &str = "scores.txt";
/// The file of the program's standard output.
pub const STDOUT: &str = "stdout.txt";
/// The file of the program's standard error.
pub const STDERR: &str = "stderr.txt";
/// The orders for the process that guards the program. The file is removed before the program
/// starts.
pub const GUARD: &str = "guard.json";
/// How the program ended. The guard of the program writes this file.
pub const END: &str = "end.json";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CommandLine, String> {
        toml::from_str::<CommandLine>(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn places_are_filled_and_everything_else_stays() {
        let text = r#"argv = ["awk", "-f", "$HOME {print $1}", "{test}", "--out={scores}", "{seed}", "{seed}{train}"]"#;
        let command = read(text).unwrap();
        let filled = command.filled(Seed::new(1).derive("job"));
        assert_eq!(filled[..5], ["awk", "-f", "$HOME {print $1}", "test.txt", "--out=scores.txt"]);
        let seed: u32 = filled[5].parse().unwrap();
        assert!(seed < 1 << 31);
        assert_eq!(filled[6], format!("{seed}train.txt"));
        assert_ne!(command.filled(Seed::new(2).derive("job"))[5], filled[5]);
        assert!(
            command.uses(Placeholder::Seed)
                && command.uses(Placeholder::Train)
                && !command.uses(Placeholder::Validation)
        );
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let cases = [
            ("argv = []", "`argv` must begin with a program, as in [\"python3\", \"rank.py\", ...]"),
            (
                r#"argv = ["x", "{test}"]"#,
                "`argv` has no `{scores}`; known places: {train}, {validation}, {test}, {scores}, {seed}",
            ),
            (r#"argv = ["x", "{tset}", "{test}{scores}"]"#, "`{tset}` is no place in `argv`; did you mean `{test}`?"),
            (
                "argv = [\"x\", \"{test}{scores}\"]\nfiles = [\"../x\"]",
                "`../x` must be a path below the experiment file's folder, without `..`",
            ),
            (
                "argv = [\"x\", \"{test}{scores}\"]\nfiles = [\"test.txt\"]",
                "`test.txt` has the name of a file that is written for the program; call it otherwise",
            ),
            ("argv = [\"x\", \"{test}{scores}\"]\nfiles = [\"a\", \"a\"]", "`a` stands twice in `files`"),
            (
                "argv = [\"x\", \"{test}{scores}\"]\ntime_limit = \"soon\"",
                "a time is written as \"90s\", \"10m\", \"2h\" or \"500ms\", not \"soon\"",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn a_program_of_ones_own_must_be_among_the_files() {
        let with = |program: &str, files: &str| {
            read(&format!("argv = [\"{program}\", \"{{test}}\", \"{{scores}}\"]\nfiles = [{files}]")).unwrap()
        };
        assert!(with("./mine", "").misplaced().unwrap().contains("`./mine` is not among `files`"));
        assert_eq!(with("./mine", "\"mine\"").own_program(), Some("mine"));
        assert_eq!(with("bin/mine", "\"bin/mine\"").misplaced(), None);
        for elsewhere in ["python3", "/usr/bin/python3"] {
            assert_eq!((with(elsewhere, "").misplaced(), with(elsewhere, "").own_program()), (None, None));
        }
    }
}
