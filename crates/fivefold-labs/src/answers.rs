//! `answers.toml`, the file that the student fills in: one place for each cell.
//!
//! A cell `q1.ndcg` is the key `ndcg` of the table `[q1]`. The student writes a number, a word in
//! quotes, or a list of words. A fraction in quotes (`"2/3"`) is a number too, and "undefined" says
//! that a value does not exist. A place that still holds `""` is empty.

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_base::words::nearest;
use toml::Value;

use crate::entries::{Entry, Slip, entries};
use crate::error::{LabError, read_text};
use crate::explained::points;
use crate::key::Question;
use crate::lab::{Answer, Section};

/// The name of the file.
pub const FILE: &str = "answers.toml";

/// What stands in one place of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// Nothing.
    Empty,
    /// A number of TOML; NaN says that the value is undefined.
    Number(f64),
    /// A text, without the blanks at its ends.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
    /// Something else; how it looks.
    Strange(String),
    /// A text that is not TOML.
    Unreadable {
        /// How it looks.
        text: String,
        /// Why it cannot be read, and what to write.
        why: String,
    },
}

impl Given {
    fn new(value: &Value) -> Self {
        match value {
            Value::Integer(value) => Given::Number(*value as f64),
            Value::Float(value) => Given::Number(*value),
            Value::Boolean(value) => Given::Text(value.to_string()),
            Value::String(text) if text.trim().is_empty() => Given::Empty,
            Value::String(text) => Given::Text(text.trim().to_owned()),
            Value::Array(items) if items.is_empty() => Given::Empty,
            Value::Array(items) => {
                let texts: Option<Vec<String>> = items.iter().map(text_of).collect();
                texts.map_or_else(|| Given::Strange(value.to_string()), Given::List)
            }
            other => Given::Strange(other.to_string()),
        }
    }

    /// The number that is meant: `Some(None)` for an undefined value, `None` if it is no number.
    pub fn number(&self) -> Option<Option<f64>> {
        let real = |value: f64| match value {
            value if value.is_nan() => Some(None),
            value if value.is_finite() => Some(Some(value)),
            _ => None,
        };
        match self {
            Given::Number(value) => real(*value),
            Given::Text(text) if ["undefined", "nan"].contains(&text.to_lowercase().as_str()) => Some(None),
            Given::Text(text) => {
                let part = |text: &str| text.trim().parse::<f64>().ok();
                match text.split_once('/') {
                    Some((above, below)) => {
                        let below = part(below).filter(|below| *below != 0.0)?;
                        real(part(above)? / below).filter(Option::is_some)
                    }
                    None => part(text).and_then(real),
                }
            }
            _ => None,
        }
    }

    /// How the answer looks in a report.
    pub fn shown(&self) -> String {
        match self {
            Given::Empty => String::new(),
            Given::Number(value) if value.is_nan() => "undefined".to_owned(),
            Given::Number(value) => value.to_string(),
            Given::Text(text) | Given::Strange(text) | Given::Unreadable { text, .. } => text.clone(),
            Given::List(items) => items.join(", "),
        }
    }
}

/// An item of a list as a text: documents and features are often numbers.
fn text_of(item: &Value) -> Option<String> {
    match item {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Integer(value) => Some(value.to_string()),
        _ => None,
    }
}

/// The answers of a student, and the names that are no cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// By the cell's name.
    pub given: BTreeMap<String, Given>,
    /// Remarks on names that no cell has.
    pub remarks: Vec<String>,
}

impl Answers {
    /// Reads the file of a folder. An answer that is not TOML is a remark with its line, and all
    /// others are read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(folder: &Path, questions: &[Question]) -> Result<Self, LabError> {
        Ok(Answers::parse(&read_text(&folder.join(FILE))?, questions))
    }

    fn parse(text: &str, questions: &[Question]) -> Self {
        let mut answers = Answers::default();
        match toml::from_str::<toml::Table>(text) {
            Ok(table) => answers.take_table(&table, questions),
            Err(error) => answers.take_entries(text, &error, questions),
        }
        answers
    }

    fn take_table(&mut self, table: &toml::Table, questions: &[Question]) {
        for (name, value) in table {
            match value {
                Value::Table(section) => {
                    for (own, value) in section {
                        self.take(format!("{name}.{own}"), Given::new(value), questions);
                    }
                }
                value => self.take(name.clone(), Given::new(value), questions),
            }
        }
    }

    /// Takes what can be read of a file that is not TOML.
    fn take_entries(&mut self, text: &str, error: &toml::de::Error, questions: &[Question]) {
        for Entry { line, name, value } in entries(text) {
            let Some(name) = name else {
                if let Err(Slip { text, why }) = value {
                    self.remarks.push(format!("{FILE}:{line}: `{text}` {why}"));
                }
                continue;
            };
            let twice = || {
                let text = value.as_ref().map_or_else(|slip| slip.text.clone(), |value| Given::new(value).shown());
                Slip { text, why: "stands twice: keep one of the two".to_owned() }
            };
            let slip = if self.given.contains_key(&name) { Some(twice()) } else { value.as_ref().err().cloned() };
            let given = match (slip, &value) {
                (None, Ok(value)) => Given::new(value),
                (None, Err(_)) => Given::Empty,
                (Some(Slip { text, why }), _) => {
                    self.remarks.push(format!("{FILE}:{line}: `{name}` cannot be read: {why}"));
                    Given::Unreadable { text, why: format!("line {line}: {why}") }
                }
            };
            self.take(name, given, questions);
        }
        if self.remarks.is_empty() {
            let (line, what) = match LabError::toml(Path::new(FILE), text, error) {
                LabError::File { line, what, .. } => (line, what),
                other => (None, other.to_string()),
            };
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            self.remarks.push(format!("{FILE}{line}: {what}; all answers were read nevertheless"));
        }
    }

    fn take(&mut self, name: String, given: Given, questions: &[Question]) {
        let mut names = questions.iter().filter(|question| question.cell.answer != Answer::Code);
        if names.clone().any(|question| question.cell.name == name) {
            self.given.insert(name, given);
            return;
        }
        let near = nearest(&name, names.by_ref().map(|question| question.cell.name.as_str()));
        let help = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        self.remarks.push(format!("{FILE}: `{name}` is no place of this lab and does not count{help}"));
    }
}

/// The empty file, with a place for each question.
pub fn empty(title: &str, sections: &[Section], questions: &[Question]) -> String {
    let mut text = format!(
        "# Answers of {title}\n#\n# Write a number with at least three decimals (0.250), a fraction in quotes (\"2/3\"),\n\
         # \"undefined\" if a value does not exist, or a word in quotes. Counts are whole numbers.\n\
         # A list has its words in brackets: [\"one\", \"two\"]. \"\" is an empty place.\n"
    );
    let placed = questions.iter().filter(|question| question.cell.answer != Answer::Code);
    // Keys without a table must stand before the first table.
    let (alone, tabled): (Vec<&Question>, Vec<&Question>) = placed.partition(|q| !q.cell.name.contains('.'));
    let line = |question: &Question, key: &str| {
        let place = if matches!(question.cell.answer, Answer::Set(_)) { "[]" } else { "\"\"" };
        let asks = &question.cell.asks;
        let worth = match (question.points, question.bonus) {
            (1.0, false) => String::new(),
            (worth, false) => format!("{} points", points(worth)),
            (worth, true) => format!("bonus: {}", points(worth)),
        };
        let told: Vec<&str> = [asks.as_str(), &worth].into_iter().filter(|part| !part.is_empty()).collect();
        let asks = if told.is_empty() { String::new() } else { format!("  # {}", told.join("; ")) };
        format!("{key} = {place}{asks}\n")
    };
    if !alone.is_empty() {
        text.push('\n');
    }
    for question in alone {
        text.push_str(&line(question, &question.cell.name));
    }
    let mut current = "";
    for question in tabled {
        let (section, key) = question.cell.name.split_once('.').unwrap_or_default();
        if section != current {
            current = section;
            text.push('\n');
            if let Some(found) = sections.iter().find(|known| known.name == section) {
                text.push_str(&format!("# {}\n", found.title));
            }
            text.push_str(&format!("[{section}]\n"));
        }
        text.push_str(&line(question, key));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Cell;

    fn question(name: &str, answer: Answer) -> Question {
        Question { cell: Cell::new(name, "asked", answer), points: 1.0, bonus: false, tolerance: 0.1, hint: None }
    }

    fn questions() -> Vec<Question> {
        vec![
            question("q1.p", Answer::Number(Some(0.5))),
            question("why", Answer::word("ties")),
            question("q1.docs", Answer::Set(vec!["a".to_owned()])),
            question("code.own", Answer::Code),
        ]
    }

    #[test]
    fn an_empty_file_reads_back_as_empty() {
        let sections = [Section { name: "q1".to_owned(), title: "Query 1".to_owned() }];
        let text = empty("Lab", &sections, &questions());
        assert!(
            text.contains("\nwhy = \"\"  # asked\n\n# Query 1\n[q1]\np = \"\"  # asked\ndocs = []  # asked\n"),
            "{text}"
        );
        assert!(!text.contains("code"));
        let read = Answers::parse(&text, &questions());
        assert_eq!((read.given.len(), read.remarks.len()), (3, 0));
        assert!(read.given.values().all(|given| *given == Given::Empty));
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        let number = |text: &str| {
            let table: toml::Table = format!("x = {text}").parse().unwrap();
            Given::new(&table["x"]).number()
        };
        for (text, expected) in [
            ("0.5", Some(Some(0.5))),
            ("1", Some(Some(1.0))),
            ("\" 0.5 \"", Some(Some(0.5))),
            ("\"1/2\"", Some(Some(0.5))),
            ("\"-1 / 4\"", Some(Some(-0.25))),
            ("nan", Some(None)),
            ("\"Undefined\"", Some(None)),
            ("\"1/0\"", None),
            ("\"0,5\"", None),
            ("inf", None),
            ("\"inf\"", None),
            ("[1]", None),
            ("true", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_no_cell_is_told() {
        let read = Answers::parse("wy = 1\n[q1]\np = 1\n[code]\nown = 1\n", &questions());
        assert_eq!(read.given.len(), 1);
        assert!(read.remarks[1].contains("did you mean `why`?"), "{:?}", read.remarks);
        assert!(read.remarks[0].contains("`code.own` is no place"), "{:?}", read.remarks);
    }

    #[test]
    fn a_slip_costs_its_own_answer_and_is_told_with_its_line() {
        let read = Answers::parse("why = ties\n[q1]\np = 0.5\n", &questions());
        assert_eq!(read.given["q1.p"], Given::Number(0.5));
        let why = "line 1: a word needs quotes: \"ties\"".to_owned();
        assert_eq!(read.given["why"], Given::Unreadable { text: "ties".to_owned(), why });
        assert_eq!(read.remarks, ["answers.toml:1: `why` cannot be read: a word needs quotes: \"ties\""]);
        // Which of two answers is meant is the student's to say.
        let read = Answers::parse("[q1]\np = 0.5\np = 0.6\n", &questions());
        assert!(matches!(&read.given["q1.p"], Given::Unreadable { why, .. } if why.contains("line 3: stands twice")));
        // A section may stand twice.
        let read = Answers::parse("[q1]\np = 0.5\n[q1]\ndocs = [\"a\"]\n", &questions());
        assert_eq!((read.given.len(), read.remarks.len()), (2, 1));
        assert!(read.remarks[0].starts_with("answers.toml:3: "), "{:?}", read.remarks);
    }
}
