//! Points, tolerances and hints of a lab's cells: `key.toml` of a lab, and a teacher's
//! `expected.toml`.
//!
//! Both have the same form. Rules apply in their order, and later rules replace what earlier rules
//! say. The rules of an `expected.toml` come after those of the lab.
//!
//! ```toml
//! lab = "measures-by-hand"   # the lab that the file is for
//!
//! [[cell]]
//! name = "*.ndcg"            # a cell, or several: `*` stands for any characters
//! points = 2
//! tolerance = 0.001          # for numbers: how far the answer may be from what is right
//! hint = "The ideal order has all judged documents."
//! ```
//!
//! For a lab of the program, a rule with `value` is an error: what is right comes from the seed. For
//! a teacher's own lab, each cell has a `value`; see [`crate::key::Rule`] for all keys.

use std::path::{Path, PathBuf};

use fivefold_base::words::nearest;
use serde::Deserialize;

use crate::error::{LabError, read_text};
use crate::lab::{Answer, Cell};

/// Rules for the cells of a lab, in their order.
///
/// ```
/// use fivefold_labs::Key;
///
/// let text = "lab = 'mine'\ntitle = 'Mine'\n[[cell]]\nname = 'q1'\nvalue = 0.5\ntolerance = 0.01\n";
/// let key = Key::parse(text, "expected.toml".as_ref())?;
/// assert_eq!(key.lab, "mine");
/// assert!(Key::parse("lab = 'mine'\npoits = 1\n", "expected.toml".as_ref()).is_err());
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Key {
    /// The name of the lab.
    pub lab: String,
    /// The title of a teacher's own lab.
    pub title: Option<String>,
    /// The version of a teacher's own lab; 1 if it is not given. A folder of another version is not
    /// graded.
    pub version: Option<u32>,
    /// Files of a teacher's own lab that the student fills in. Other files must not change.
    #[serde(default)]
    pub stubs: Vec<String>,
    /// The rules.
    #[serde(default, rename = "cell")]
    pub rules: Vec<Rule>,
    /// Where the file lies.
    #[serde(skip)]
    pub path: PathBuf,
}

/// What a rule says of the cells with its name. A key that a rule leaves out stays as it is.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// The name of a cell; `*` stands for any characters.
    pub name: String,
    /// For a teacher's own lab: what is asked, a comment in `answers.toml`.
    pub asks: Option<String>,
    /// For a teacher's own lab: what is right. A number, `"undefined"`, a word, `true` or `false`, or
    /// a list of words in any order.
    pub value: Option<toml::Value>,
    /// For a teacher's own lab: other spellings of a word.
    #[serde(default)]
    pub also: Vec<String>,
    /// Points for the right answer; 1 if no rule says more.
    pub points: Option<f64>,
    /// How far a number may be from what is right. A cell with a number needs a tolerance.
    pub tolerance: Option<f64>,
    /// Whether the points are beyond the total: `false` if no rule says more.
    pub bonus: Option<bool>,
    /// Shown if the cell is wrong or empty.
    pub hint: Option<String>,
}

/// A cell with its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Name, right answer and steps.
    pub cell: Cell,
    /// Points for the right answer.
    pub points: f64,
    /// Whether the points are beyond the total.
    pub bonus: bool,
    /// How far a number may be from what is right.
    pub tolerance: f64,
    /// Shown if the cell is wrong or empty.
    pub hint: Option<String>,
}

impl Key {
    /// Reads `expected.toml`.
    ///
    /// # Errors
    /// If the file cannot be read, or as [`parse`](Self::parse).
    pub fn read(path: &Path) -> Result<Self, LabError> {
        Key::parse(&read_text(path)?, path)
    }

    /// Reads the rules from a text; `path` is named in errors.
    ///
    /// # Errors
    /// If the text is not TOML, has an unknown key, or a number outside its range.
    pub fn parse(text: &str, path: &Path) -> Result<Self, LabError> {
        let mut key: Key = toml::from_str(text).map_err(|error| LabError::toml(path, text, &error))?;
        key.path = path.to_owned();
        for rule in &key.rules {
            let refuse = |what: String| key.error(format!("cell `{}`: {what}", rule.name));
            check_name(&rule.name).map_err(refuse)?;
            if rule.points.is_some_and(|points| !(points.is_finite() && points >= 0.0)) {
                return Err(refuse("points must be 0 or more".to_owned()));
            }
            if rule.tolerance.is_some_and(|tolerance| !(tolerance.is_finite() && tolerance >= 0.0)) {
                return Err(refuse("the tolerance must be 0 or more".to_owned()));
            }
        }
        Ok(key)
    }

    /// The questions of a lab: its cells, by the rules of its key and then by a teacher's rules.
    ///
    /// # Errors
    /// If a rule fits no cell, or gives a value; if a number has no tolerance.
    pub fn questions(cells: Vec<Cell>, keys: &[&Key]) -> Result<Vec<Question>, LabError> {
        for key in keys {
            for rule in &key.rules {
                if rule.value.is_some() || rule.asks.is_some() || !rule.also.is_empty() {
                    return Err(key.error(format!(
                        "cell `{}`: what is right in lab `{}` comes from the student's id; remove `value`, `also` and `asks`",
                        rule.name, key.lab
                    )));
                }
                if !cells.iter().any(|cell| fits(&rule.name, &cell.name)) {
                    let near = nearest(&rule.name, cells.iter().map(|cell| cell.name.as_str()));
                    let help = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                    return Err(key.error(format!("lab `{}` has no cell `{}`{help}", key.lab, rule.name)));
                }
            }
        }
        cells.into_iter().map(|cell| question(cell, keys)).collect()
    }

    /// The questions of a teacher's own lab, in the order of the file.
    ///
    /// # Errors
    /// If a cell has no value, no tolerance, or two values.
    pub fn own_questions(&self) -> Result<Vec<Question>, LabError> {
        let mut cells: Vec<Cell> = Vec::new();
        for rule in self.rules.iter().filter(|rule| !rule.name.contains('*')) {
            let refuse = |what: &str| self.error(format!("cell `{}`: {what}", rule.name));
            if cells.iter().any(|cell| cell.name == rule.name) {
                return Err(refuse("stands twice; give it one [[cell]]"));
            }
            let value = rule.value.as_ref().ok_or_else(|| refuse("has no value; write what is right as `value`"))?;
            let answer = answer(value, &rule.also).map_err(|what| refuse(&what))?;
            cells.push(Cell::new(&rule.name, rule.asks.clone().unwrap_or_default(), answer));
        }
        if cells.is_empty() {
            return Err(self.error("has no [[cell]] with a name and a value".to_owned()));
        }
        if let Some(rule) = self.rules.iter().find(|rule| !cells.iter().any(|cell| fits(&rule.name, &cell.name))) {
            return Err(self.error(format!("no cell fits `{}`", rule.name)));
        }
        for cell in &cells {
            let inner = format!("{}.", cell.name);
            if let Some(other) = cells.iter().find(|other| other.name.starts_with(&inner)) {
                return Err(self.error(format!(
                    "`{}` and `{}` cannot both be names: `{}` is the section of the second",
                    cell.name, other.name, cell.name
                )));
            }
        }
        cells.into_iter().map(|cell| question(cell, &[self])).collect()
    }

    pub(crate) fn error(&self, what: String) -> LabError {
        LabError::file(&self.path, None, what)
    }
}

/// Joins a cell with what the rules say of it.
fn question(cell: Cell, keys: &[&Key]) -> Result<Question, LabError> {
    let (mut points, mut bonus, mut tolerance, mut hint) = (1.0, false, None, None);
    for rule in keys.iter().flat_map(|key| &key.rules).filter(|rule| fits(&rule.name, &cell.name)) {
        points = rule.points.unwrap_or(points);
        bonus = rule.bonus.unwrap_or(bonus);
        tolerance = rule.tolerance.or(tolerance);
        hint = rule.hint.clone().or(hint);
    }
    let tolerance = match (&cell.answer, tolerance) {
        (Answer::Number(_), None) => {
            let path = keys.last().map_or_else(PathBuf::new, |key| key.path.clone());
            let what = format!("cell `{}` is a number and has no tolerance; give one as `tolerance`", cell.name);
            return Err(LabError::file(&path, None, what));
        }
        (_, tolerance) => tolerance.unwrap_or(0.0),
    };
    Ok(Question { cell, points, bonus, tolerance, hint })
}

/// What is right, as a teacher writes it.
fn answer(value: &toml::Value, also: &[String]) -> Result<Answer, String> {
    use toml::Value;
    if !also.is_empty() && !value.is_str() {
        return Err("`also` goes with a word".to_owned());
    }
    match value {
        Value::Integer(value) => Ok(Answer::Number(Some(*value as f64))),
        Value::Float(value) if value.is_finite() => Ok(Answer::Number(Some(*value))),
        Value::String(word) if word == "undefined" => Ok(Answer::Number(None)),
        Value::String(word) if !word.trim().is_empty() => Ok(Answer::Word([&[word.clone()][..], also].concat())),
        Value::Boolean(yes) => Ok(Answer::yes_no(*yes)),
        Value::Array(words) if !words.is_empty() => {
            let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            words.map(Answer::Set).ok_or_else(|| "a list must hold words".to_owned())
        }
        _ => Err("the value must be a number, a word, true, false, or a list of words".to_owned()),
    }
}

/// Whether a name of `answers.toml` is well formed; `*` is allowed.
fn check_name(name: &str) -> Result<(), String> {
    let word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '*'))
    };
    let words: Vec<&str> = name.split('.').collect();
    match words.len() <= 2 && words.iter().all(|part| word(part)) {
        true => Ok(()),
        false => Err("a name is one or two words joined by a dot: lowercase letters, digits, - and _".to_owned()),
    }
}

/// Whether a name fits a pattern, in which `*` stands for any characters.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_by_hand() {
        for (pattern, name, expected) in [
            ("q1.ndcg", "q1.ndcg", true),
            ("q1.ndcg", "q1.ndcg2", false),
            ("*.ndcg", "q1.ndcg", true),
            ("*.ndcg", "q1.ndcg.v1", false),
            ("q*", "q1.ndcg", true),
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    fn number(name: &str) -> Cell {
        Cell::new(name, "", Answer::Number(Some(1.0)))
    }

    #[test]
    fn a_teachers_rule_replaces_only_what_it_says() {
        let lab =
            Key::parse("lab = 'x'\n[[cell]]\nname = '*'\npoints = 2\ntolerance = 0.1\nhint = 'look'\n", "a".as_ref());
        let teacher = Key::parse("lab = 'x'\n[[cell]]\nname = 'q1.*'\npoints = 5\n", "b".as_ref());
        let cells = vec![number("q1.p"), number("q2.p")];
        let questions = Key::questions(cells, &[&lab.unwrap(), &teacher.unwrap()]).unwrap();
        let told: Vec<_> = questions.iter().map(|q| (q.points, q.tolerance, q.hint.as_deref())).collect();
        assert_eq!(told, [(5.0, 0.1, Some("look")), (2.0, 0.1, Some("look"))]);
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str, cells: Vec<Cell>| {
            let key = Key::parse(text, "e.toml".as_ref());
            key.and_then(|key| Key::questions(cells, &[&key])).unwrap_err().to_string()
        };
        let of_q1 = || vec![number("q1.p")];
        assert!(error("lab = 'x'\n[[cell]]\nname = 'q1.o'\n", of_q1()).contains("did you mean `q1.p`?"));
        assert!(
            error("lab = 'x'\n[[cell]]\nname = 'q1.p'\nvalue = 3\n", of_q1()).contains("comes from the student's id")
        );
        assert!(error("lab = 'x'\n[[cell]]\nname = 'q1.p'\n", of_q1()).contains("has no tolerance"));
        assert!(error("lab = 'x'\n[[cell]]\nname = 'q1.p'\npoints = -1\n", of_q1()).contains("0 or more"));
        assert!(error("lab = 'x'\n[[cell]]\nname = 'Q1'\n", of_q1()).contains("lowercase letters"));
        assert!(error("lab = 'x'\n\n[[cell]]\nnam = 'q1'\n", of_q1()).starts_with("e.toml:4:"));
    }

    #[test]
    fn a_lab_of_ones_own_has_values_of_every_kind() {
        let own = |text: &str| Key::parse(text, "e.toml".as_ref()).unwrap().own_questions();
        let found = own("lab = 'x'\n[[cell]]\nname = '*'\ntolerance = 0.1\n\
            [[cell]]\nname = 'a'\nvalue = 3\n[[cell]]\nname = 'b'\nvalue = 'undefined'\n\
            [[cell]]\nname = 'c'\nvalue = 'tie'\nalso = ['ties']\n[[cell]]\nname = 'd'\nvalue = ['x', 'y']\n\
            [[cell]]\nname = 'e'\nvalue = true\n");
        let answers: Vec<Answer> = found.unwrap().into_iter().map(|question| question.cell.answer).collect();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            answers,
            [
                Answer::Number(Some(3.0)),
                Answer::Number(None),
                Answer::Word(words(&["tie", "ties"])),
                Answer::Set(words(&["x", "y"])),
                Answer::Word(words(&["yes", "true"])),
            ]
        );
        for (text, told) in [
            ("[[cell]]\nname = 'a'\n", "has no value"),
            ("[[cell]]\nname = 'a'\nvalue = 1\ntolerance = 0\n[[cell]]\nname = 'a'\nvalue = 1\n", "stands twice"),
            ("[[cell]]\nname = 'a'\nvalue = 1\ntolerance = 0\n[[cell]]\nname = 'a.b'\nvalue = 'x'\n", "section"),
            ("[[cell]]\nname = '*'\npoints = 1\n", "has no [[cell]]"),
            ("[[cell]]\nname = 'a'\nvalue = 'x'\n[[cell]]\nname = 'b*'\n", "no cell fits `b*`"),
            ("[[cell]]\nname = 'a'\nvalue = [1]\n", "must hold words"),
            ("[[cell]]\nname = 'a'\nvalue = nan\n", "must be a number"),
        ] {
            let error = own(&format!("lab = 'x'\n{text}")).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
