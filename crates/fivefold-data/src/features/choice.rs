//! `features = { only = [...] }` and `features = { without = [...] }` of a ranker.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use fivefold_base::words::{list, nearest};
use serde::{Deserialize, Serialize};

use super::FeatureNames;

/// The features that a ranker sees.
///
/// ```
/// use fivefold_data::features::Pick;
/// use fivefold_data::{FeatureChoice, FeatureNames};
///
/// let names = FeatureNames::built_in("letor4").unwrap();
/// let only = FeatureChoice::Only(vec![Pick::Number(1), Pick::Text("group:BM25".to_owned())]);
/// // Columns count from 0, and features of the file from 1.
/// assert_eq!(only.columns(&names, 1, 46)?, [0, 20, 21, 22, 23, 24]);
/// # Ok::<(), fivefold_data::features::UnknownPick>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureChoice {
    /// These features alone.
    Only(Vec<Pick>),
    /// All features but these.
    Without(Vec<Pick>),
}

/// Features in a [`FeatureChoice`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "the number of a feature, a range of numbers (\"1-5\"), a name, or a group (\"group:BM25\")"
)]
pub enum Pick {
    /// The number of a feature in the files.
    Number(u32),
    /// A name, a group (`group:BM25`), or a range of numbers (`1-5`).
    Text(String),
}

/// What stands before the name of a group.
const GROUP: &str = "group:";

/// A choice that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownPick {
    /// The place of the wrong pick in the list. `None` if the whole list is wrong.
    pub pick: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What the list may say.
    pub help: String,
}

impl FeatureChoice {
    /// The word before the list in an experiment file.
    pub fn word(&self) -> &'static str {
        match self {
            FeatureChoice::Only(_) => "only",
            FeatureChoice::Without(_) => "without",
        }
    }

    /// The list.
    pub fn picks(&self) -> &[Pick] {
        match self {
            FeatureChoice::Only(picks) | FeatureChoice::Without(picks) => picks,
        }
    }

    /// The choice in words: `without group BM25 and feature 41 (PageRank)`.
    pub fn in_words(&self, names: &FeatureNames) -> String {
        let picks: Vec<String> = self.picks().iter().map(|pick| pick.in_words(names)).collect();
        format!("{} {}", self.word(), list(&picks))
    }

    /// The columns that the ranker sees, in rising order and from 0, of data with `width` features.
    /// `first` is the number of the first feature in the files.
    ///
    /// # Errors
    /// [`UnknownPick`] if a number, name or group is unknown, or if no feature is left.
    pub fn columns(&self, names: &FeatureNames, first: u32, width: usize) -> Result<Vec<usize>, UnknownPick> {
        let last = first + u32::try_from(width).unwrap_or(u32::MAX - first) - 1;
        let mut chosen = BTreeSet::new();
        for (place, pick) in self.picks().iter().enumerate() {
            let ids = pick.ids(names, first..=last);
            chosen.extend(ids.map_err(|(message, help)| UnknownPick { pick: Some(place), message, help })?);
        }
        let seen = |id: &u32| chosen.contains(id) == matches!(self, FeatureChoice::Only(_));
        let columns: Vec<usize> = (first..=last).filter(seen).map(|id| (id - first) as usize).collect();
        if columns.is_empty() {
            let message = "no feature is left".to_owned();
            return Err(UnknownPick { pick: None, message, help: "leave at least one feature".to_owned() });
        }
        Ok(columns)
    }
}

impl Pick {
    fn in_words(&self, names: &FeatureNames) -> String {
        match self {
            Pick::Number(id) => format!("feature {}", names.label(*id)),
            Pick::Text(text) => match (text.strip_prefix(GROUP), range(text)) {
                (Some(group), _) => format!("group {}", group.trim()),
                (None, Some(_)) => format!("features {text}"),
                (None, None) => text.clone(),
            },
        }
    }

    /// The numbers of the features, or the error and the advice.
    fn ids(&self, names: &FeatureNames, known: RangeInclusive<u32>) -> Result<Vec<u32>, (String, String)> {
        let numbered = |ids: RangeInclusive<u32>| match ids.clone().find(|id| !known.contains(id)) {
            Some(id) => {
                let help = format!("the features have the numbers {} to {}", known.start(), known.end());
                Err((format!("there is no feature {id}"), help))
            }
            None => Ok(ids.collect()),
        };
        match self {
            Pick::Number(id) => numbered(*id..=*id),
            Pick::Text(text) => match text.strip_prefix(GROUP) {
                Some(group) => found(names.group(group.trim()), "group", group.trim(), names.groups()),
                None => match range(text) {
                    Some(ids) if ids.is_empty() => Err(backwards(text, &ids)),
                    Some(ids) => numbered(ids),
                    None => named(names, text.trim()),
                },
            },
        }
    }
}

/// A range of numbers such as `1-5`, or a single number. The range is empty if its end is before its
/// beginning.
fn range(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
}

/// The error for a range whose end is before its beginning, with its advice.
fn backwards(text: &str, ids: &RangeInclusive<u32>) -> (String, String) {
    let (first, last) = (ids.start(), ids.end());
    let message = format!("the range `{text}` ends before it begins: {last} is less than {first}");
    (message, format!("write \"{last}-{first}\""))
}

/// The feature with this name. A name that several features have is refused, since nobody could tell
/// which of them is meant.
fn named(names: &FeatureNames, asked: &str) -> Result<Vec<u32>, (String, String)> {
    let ids = found(names.named(asked), "name", asked, names.names().collect())?;
    match ids.as_slice() {
        [] | [_] => Ok(ids),
        several => {
            let numbers: Vec<String> = several.iter().map(u32::to_string).collect();
            let message = format!("the features {} all have the name `{asked}`", list(&numbers));
            let message = if several.len() == 2 { message.replace(" all ", " both ") } else { message };
            Err((message, format!("name them by number: {}", numbers.join(", "))))
        }
    }
}

fn found(ids: Vec<u32>, what: &str, asked: &str, known: Vec<&str>) -> Result<Vec<u32>, (String, String)> {
    if !ids.is_empty() {
        return Ok(ids);
    }
    let message = match what {
        "group" => format!("there is no group `{asked}` of features"),
        _ => format!("no feature has the name `{asked}`"),
    };
    let help = match (near(asked, &known), known.is_empty()) {
        (_, true) => format!(
            "the features of this data set have no {what}s; give numbers, or a file of names (`fivefold book name-features`)"
        ),
        (near, _) if near.is_empty() => format!("the {what}s are {}", some(&known)),
        (near, _) => format!("did you mean {}?", some(&near)),
    };
    Err((message, help))
}

/// The known words that are near: those that hold the word that was asked for, and the nearest.
fn near<'n>(asked: &str, known: &[&'n str]) -> Vec<&'n str> {
    let asked = asked.to_lowercase();
    let mut near: Vec<&str> = known.iter().copied().filter(|name| name.to_lowercase().contains(&asked)).collect();
    let lower: Vec<String> = known.iter().map(|name| name.to_lowercase()).collect();
    let nearest = nearest(&asked, lower.iter().map(String::as_str));
    let place = nearest.and_then(|nearest| lower.iter().position(|name| name == nearest));
    near.extend(place.map(|place| known[place]).filter(|name| !near.contains(name)));
    near
}

fn some(names: &[&str]) -> String {
    const MOST: usize = 8;
    let quoted: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { ", ..." } else { "" };
    quoted.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(texts: &[&str]) -> Vec<Pick> {
        texts.iter().map(|text| Pick::Text((*text).to_owned())).collect()
    }

    #[test]
    fn features_are_chosen_by_number_range_name_and_group() {
        let names = FeatureNames::built_in("letor4").unwrap();
        let columns = |choice: FeatureChoice| choice.columns(&names, 1, 46).unwrap();
        assert_eq!(columns(FeatureChoice::Only(picks(&["44-46", "pagerank", "1", "1-2"]))), [0, 1, 40, 43, 44, 45]);
        let without = columns(FeatureChoice::Without(picks(&["group:LMIR"])));
        assert_eq!((without.len(), without[25], without[24]), (31, 40, 24));
        // Without names, numbers count. From 0 as in the file.
        let zero = FeatureChoice::Only(vec![Pick::Number(0)]).columns(&FeatureNames::default(), 0, 3);
        assert_eq!(zero.unwrap(), [0]);
    }

    #[test]
    fn a_choice_is_told_with_the_names_of_numbers() {
        let names = FeatureNames::built_in("letor4").unwrap();
        let mut choice = picks(&["group:BM25", "1-5", "pagerank"]);
        choice.push(Pick::Number(41));
        let words = FeatureChoice::Without(choice).in_words(&names);
        assert_eq!(words, "without group BM25, features 1-5, pagerank and feature 41 (PageRank)");
    }

    #[test]
    fn a_wrong_choice_says_what_is_near() {
        let names = FeatureNames::built_in("letor4").unwrap();
        for (choice, pick, text) in [
            (
                FeatureChoice::Only(picks(&["1", "BM25 of bodi"])),
                Some(1),
                "no feature has the name `BM25 of bodi`; did you mean `BM25 of body`?",
            ),
            (
                FeatureChoice::Only(picks(&["group:BM52"])),
                Some(0),
                "there is no group `BM52` of features; did you mean `BM25`?",
            ),
            (
                FeatureChoice::Without(picks(&["44-47"])),
                Some(0),
                "there is no feature 47; the features have the numbers 1 to 46",
            ),
            (
                FeatureChoice::Only(picks(&["child"])),
                Some(0),
                "no feature has the name `child`; did you mean `number of child pages`?",
            ),
            (FeatureChoice::Without(picks(&["1-46"])), None, "no feature is left; leave at least one feature"),
            (
                FeatureChoice::Only(picks(&["1", "5-1"])),
                Some(1),
                "the range `5-1` ends before it begins: 1 is less than 5; write \"1-5\"",
            ),
        ] {
            let error = choice.columns(&names, 1, 46).unwrap_err();
            assert_eq!((error.pick, format!("{}; {}", error.message, error.help)), (pick, text.to_owned()));
        }
        let error = FeatureChoice::Only(picks(&["x"])).columns(&FeatureNames::default(), 1, 3).unwrap_err();
        assert!(error.help.contains("have no names"), "{error}");
        // Two features of the same name: none of them is taken in silence.
        let names: FeatureNames = serde_json::from_str("[\"1\\tBM25\", \"2\\tIDF\", \"7\\tbm25\"]").unwrap();
        let error = FeatureChoice::Without(picks(&["BM25"])).columns(&names, 1, 9).unwrap_err();
        assert_eq!(error.message, "the features 1 and 7 both have the name `BM25`");
        assert_eq!((error.pick, error.help.as_str()), (Some(0), "name them by number: 1, 7"));
    }
}
