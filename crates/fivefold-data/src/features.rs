//! Names and groups of features, and the choice of features by number, name or group.
//!
//! The names come from the first of these sources that exists:
//!
//! - `feature_names` of the descriptor or of the experiment: a built-in [list](LISTS), or a file
//! - `features.txt` in the folder of the collection
//! - comments at the head of a LETOR file, such as `# 21: BM25 of body`
//!
//! A file of names has a line for each feature: number, name and groups, with tabs between them.
//! Groups are separated by commas, and may be left out. Instead of a tab, `: ` may follow the number.
//! In a file without numbers, each line names a feature, from the first on: there, a blank line is an
//! error, because the names below it would move up by one feature. Lines with `#` are comments.
//!
//! Names and groups are compared without regard to capitals.

mod choice;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use fivefold_base::words::counted;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::input::{MOST_SETTINGS, read_text};
use crate::text::TextLines;

pub use choice::{FeatureChoice, Pick, UnknownPick};

/// The built-in lists of names: the name of the list, and its text.
pub const LISTS: &[(&str, &str)] = &[
    ("letor4", include_str!("../datasets/features/letor4.txt")),
    ("mslr", include_str!("../datasets/features/mslr.txt")),
    ("ohsumed-letor2", include_str!("../datasets/features/ohsumed-letor2.txt")),
    ("ohsumed-letor3", include_str!("../datasets/features/ohsumed-letor3.txt")),
];

/// The file in a collection's folder that names the features.
pub const FEATURES_FILE: &str = "features.txt";

/// The most comment lines at the head of a LETOR file that are read.
const HEAD: usize = 10_000;

/// The names and groups of the features of a collection, by the number of the feature in its files.
///
/// ```
/// use fivefold_data::FeatureNames;
///
/// let names = FeatureNames::built_in("letor4").unwrap();
/// assert_eq!(names.name(21), Some("BM25 of body"));
/// assert_eq!(names.label(21), "21 (BM25 of body)");
/// assert_eq!(names.group("bm25"), [21, 22, 23, 24, 25]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FeatureNames {
    by_id: BTreeMap<u32, Named>,
    /// Whether the names come from a file without numbers, and wait for
    /// [`FeatureNames::for_features`].
    in_order: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Named {
    name: String,
    groups: Vec<String>,
}

impl FeatureNames {
    /// A list of [`LISTS`].
    pub fn built_in(list: &str) -> Option<Self> {
        let (_, text) = LISTS.iter().find(|(name, _)| *name == list)?;
        Self::parse(text, 1).ok()
    }

    /// Reads a file of names. `first` is the number of the first feature, for a file without
    /// numbers.
    ///
    /// # Errors
    /// The fault and its line, or the error of the system.
    pub fn read(file: &Path, first: u32) -> Result<Self, String> {
        let text = read_text(file, MOST_SETTINGS).map_err(|error| format!("cannot be read: {error}"))?;
        Self::parse(&text, first)
    }

    /// The names in the comments at the head of a LETOR file, such as `# 21: BM25 of body`. Empty
    /// if the comments name no feature, or if the file cannot be read.
    pub fn in_head_of(file: &Path) -> Self {
        let mut names = FeatureNames::default();
        let Ok(mut lines) = TextLines::open(file) else { return names };
        for _ in 0..HEAD {
            let Ok(Some((_, line))) = lines.next() else { break };
            let line = line.trim();
            let Some(comment) = line.strip_prefix('#') else { if line.is_empty() { continue } else { break } };
            // A comment such as `# 46 features per document` names nothing.
            let comment = comment.trim_start();
            if let Some((Some(id), feature)) = parse_line(comment).filter(|_| begins_with_number(comment)) {
                names.by_id.entry(id).or_insert(feature);
            }
        }
        names
    }

    /// The names in the file `features.txt` beside a LETOR file, else in the comments at its head.
    /// Empty if neither names a feature. `first` is the number of the first feature, for a file
    /// without numbers.
    ///
    /// # Errors
    /// The path of a `features.txt` that cannot be used, its line and its fault.
    pub fn beside(file: &Path, first: u32) -> Result<Self, String> {
        let names = file.with_file_name(FEATURES_FILE);
        match names.is_file() {
            true => Self::read(&names, first).map_err(|error| format!("{}: {error}", names.display())),
            false => Ok(Self::in_head_of(file)),
        }
    }

    fn parse(text: &str, first: u32) -> Result<Self, String> {
        let mut names = BTreeMap::new();
        // Blank lines at the end name nothing.
        let lines = (1..).zip(text.trim_end().lines()).filter(|(_, line)| !line.starts_with('#'));
        let (blank, lines): (Vec<(usize, &str)>, Vec<_>) = lines.partition(|(_, line)| line.trim().is_empty());
        let has_number = |line: &str| matches!(parse_line(line), Some((Some(_), _)));
        let numbered =
            lines.iter().any(|(_, line)| begins_with_number(line)) || lines.iter().all(|(_, line)| has_number(line));
        if let Some((number, _)) = lines.iter().find(|(_, line)| numbered && !has_number(line)) {
            return Err(format!("line {number}: no number and name; give a number to every feature, or to none"));
        }
        if let (false, Some((number, _))) = (numbered, blank.first()) {
            return Err(format!(
                "line {number}: a blank line; without numbers, each line names a feature: name this one, or remove the line"
            ));
        }
        for (place, (number, line)) in (first..).zip(lines) {
            let found = if numbered { parse_line(line) } else { Some((None, named(line))) };
            let Some((id, feature)) = found.filter(|(_, feature)| !feature.name.is_empty()) else {
                return Err(format!("line {number}: no name of a feature"));
            };
            if names.insert(id.unwrap_or(place), feature).is_some() {
                return Err(format!("line {number}: feature {} has a name already", id.unwrap_or(place)));
            }
        }
        Ok(FeatureNames { by_id: names, in_order: !numbered })
    }

    /// The same names, for data of this many features.
    ///
    /// # Errors
    /// If the names come from a file without numbers, and are not as many as the features.
    pub fn for_features(mut self, features: usize) -> Result<Self, String> {
        let names = self.by_id.len();
        if self.in_order && names != 0 && names != features {
            return Err(format!(
                "{} for {}; name each feature once, or begin each line with the number of its feature and a tab; if \
                    the last features are 0 in all rows, declare `features = {names}`",
                counted(names, "name"),
                counted(features, "feature")
            ));
        }
        self.in_order = false;
        Ok(self)
    }

    /// The same names, for a file or a model that may leave out the last features.
    ///
    /// # Errors
    /// If the names come from a file without numbers, and are fewer than the features.
    pub fn covering(self, features: usize) -> Result<Self, String> {
        let most = features.max(self.by_id.len());
        self.for_features(most)
    }

    /// Whether no feature has a name.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The name of the feature with this number.
    pub fn name(&self, id: u32) -> Option<&str> {
        self.by_id.get(&id).map(|named| named.name.as_str())
    }

    /// The number of a feature, with its name if it has one.
    pub fn label(&self, id: u32) -> String {
        self.name(id).map_or_else(|| id.to_string(), |name| format!("{id} ({name})"))
    }

    /// The numbers of the features in a group.
    pub fn group(&self, group: &str) -> Vec<u32> {
        let has = |named: &Named| named.groups.iter().any(|own| same(own, group));
        self.by_id.iter().filter(|(_, named)| has(named)).map(|(id, _)| *id).collect()
    }

    /// The numbers of the features with this name.
    pub fn named(&self, name: &str) -> Vec<u32> {
        self.by_id.iter().filter(|(_, named)| same(&named.name, name)).map(|(id, _)| *id).collect()
    }

    /// All groups, in the order of their first features.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for group in self.by_id.values().flat_map(|named| &named.groups) {
            if !groups.iter().any(|known| same(known, group)) {
                groups.push(group);
            }
        }
        groups
    }

    /// All names, in the order of the features.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_id.values().map(|named| named.name.as_str())
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.by_id.iter().map(|(id, Named { name, groups })| match groups.as_slice() {
            [] => format!("{id}\t{name}"),
            groups => format!("{id}\t{name}\t{}", groups.join(", ")),
        })
    }
}

/// Whether two names are the same but for capitals.
fn same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Whether a line begins as `21<TAB>` or `21:`.
fn begins_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['\t', ':'])
}

/// A line with a number: `21<TAB>NAME`, `21: NAME` or `21 NAME`. `None` if the line has no name.
fn parse_line(line: &str) -> Option<(Option<u32>, Named)> {
    let digits = line.len() - line.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let feature = named(rest.strip_prefix(['\t', ' '])?);
    (!feature.name.is_empty()).then_some((number.parse().ok(), feature))
}

/// A name and its groups, with a tab between them.
fn named(text: &str) -> Named {
    let (name, groups) = text.split_once('\t').unwrap_or((text, ""));
    let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
    Named { name: name.trim().to_owned(), groups: groups.map(str::to_owned).collect() }
}

/// A stored list: the name of a built-in list, or the lines of a file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored<'a> {
    List(Cow<'a, str>),
    Lines(Vec<String>),
}

impl Serialize for FeatureNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let list = LISTS.iter().find(|(list, _)| Self::built_in(list).as_ref() == Some(self));
        match list {
            Some((list, _)) => Stored::List(Cow::Borrowed(list)),
            None => Stored::Lines(self.lines().collect()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FeatureNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = serde::de::Error::custom::<String>;
        match Stored::deserialize(deserializer)? {
            Stored::List(list) => Self::built_in(&list).ok_or_else(|| wrong(format!("no list of names is `{list}`"))),
            Stored::Lines(lines) => Self::parse(&lines.join("\n"), 1).map_err(wrong),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_list_names_all_features_of_its_collection() {
        for (list, features, groups) in
            [("letor4", 46, 16), ("mslr", 136, 22), ("ohsumed-letor2", 25, 8), ("ohsumed-letor3", 45, 8)]
        {
            let names = FeatureNames::built_in(list).unwrap();
            assert!((1..=features).all(|id| names.name(id).is_some()), "{list}");
            assert_eq!((names.by_id.len(), names.groups().len()), (features as usize, groups), "{list}");
            assert!(names.names().all(|name| names.named(name).len() == 1), "{list}: two features have the same name");
        }
    }

    #[test]
    fn files_of_names_have_several_forms() {
        let parse = |text| FeatureNames::parse(text, 0);
        let plain = parse("# names\ntitle match\nbody match\n\n").unwrap();
        assert_eq!((plain.name(0), plain.name(1), plain.groups()), (Some("title match"), Some("body match"), vec![]));
        for text in
            ["7\ttitle match\ttext, title", "# names\n7: title match\ttext,title\n", "7 title match\ttext,title"]
        {
            let names = parse(text).unwrap();
            assert_eq!((names.label(7), names.label(8)), ("7 (title match)".to_owned(), "8".to_owned()), "{text}");
            assert_eq!((names.groups(), names.group("Title")), (vec!["text", "title"], vec![7]), "{text}");
        }
        assert_eq!(parse("1\ta\n1\tb").unwrap_err(), "line 2: feature 1 has a name already");
        for text in ["1\tTF of body\tTF, body\n2\tIDF\nlength of body", "1\ta\n2: b\n46\t"] {
            assert!(parse(text).unwrap_err().starts_with("line 3: no number and name; give a number"), "{text}");
        }
        // A table's index without a name must not move the other names by one.
        for (text, line) in [("\ntitle match\nbody match\n", 1), ("# names\ntitle match\n \nbody match", 3)] {
            assert!(parse(text).unwrap_err().starts_with(&format!("line {line}: a blank line")), "{text}");
        }
        assert_eq!(parse("1\ta\n\n2\tb\n").unwrap().name(2), Some("b"));
        // As many names as features, unless the lines have numbers.
        let two = || parse("title match\nbody match").unwrap();
        assert_eq!(two().for_features(2).unwrap().label(1), "1 (body match)");
        assert!(two().for_features(3).unwrap_err().starts_with("2 names for 3 features; name each feature once"));
        assert!(two().for_features(1).unwrap_err().starts_with("2 names for 1 feature; "));
        assert!(two().covering(1).is_ok() && two().covering(3).is_err());
        assert!(parse("1\ta").unwrap().for_features(3).is_ok());
        // Digits may begin a name.
        assert_eq!(parse("3 grams\nbody match").unwrap().label(0), "0 (3 grams)");
    }

    #[test]
    fn the_head_of_a_file_may_name_features() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("train.txt");
        std::fs::write(
            &file,
            "# made by hand\n# 46 features per document\n#1: BM25\n\n# 2: PageRank\tlinks\n# qid:1: rambo\n1 qid:1 1:2 # 3: no\n# 4: late\n",
        )
        .unwrap();
        let names = FeatureNames::in_head_of(&file);
        assert_eq!((names.lines().collect::<Vec<_>>()), ["1\tBM25", "2\tPageRank\tlinks"]);
        assert_eq!(FeatureNames::beside(&file, 0).unwrap(), names);
        // A file of names without numbers begins with the first number of the data.
        std::fs::write(folder.path().join(FEATURES_FILE), "BM25\nPageRank\n").unwrap();
        let beside = || FeatureNames::beside(&file, 0);
        assert_eq!(beside().unwrap().lines().collect::<Vec<_>>(), ["0\tBM25", "1\tPageRank"]);
        std::fs::write(folder.path().join(FEATURES_FILE), "\nBM25\n").unwrap();
        assert!(beside().unwrap_err().contains("features.txt: line 1: a blank line"), "{:?}", beside());
    }

    #[test]
    fn names_are_stored_and_read_back() {
        for (names, text) in [
            (FeatureNames::built_in("mslr").unwrap(), "\"mslr\""),
            (FeatureNames::parse("3\ta\tb", 1).unwrap(), "[\"3\\ta\\tb\"]"),
        ] {
            assert_eq!(serde_json::to_string(&names).unwrap(), text);
            assert_eq!(serde_json::from_str::<FeatureNames>(text).unwrap(), names);
        }
    }
}
