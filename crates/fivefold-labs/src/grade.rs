//! Grades one folder.
//!
//! What is right comes from the student's id in `lab.toml`, never from another file of the folder.
//! So a changed data file changes no right answer; the report names the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fivefold_experiment::worker::Worker;
use serde::Serialize;

use crate::LABS;
use crate::answers::{Answers, Given};
use crate::assignment::Assignment;
use crate::error::LabError;
use crate::folder::{LabFile, changed};
use crate::key::{Key, Question};
use crate::lab::{Answer, CodeResult};
use crate::student::Student;

/// A rounding of the last digit that a tolerance does not count.
const SLACK: f64 = 1e-9;

/// Grades folders.
///
/// ```
/// use fivefold_labs::Grader;
///
/// let error = Grader::default().grade("no-such-folder".as_ref()).unwrap_err();
/// assert!(error.to_string().contains("is not a folder"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Grader {
    /// A teacher's rules, or the key of a teacher's own lab.
    pub expected: Option<Key>,
    /// Does not run the student's code: its cells have no points.
    pub no_run: bool,
    /// The program that confines the student's code, as it confines the commands of an experiment.
    /// `None`: the code can do all that its user can.
    pub worker: Option<Worker>,
}

/// A graded folder.
///
/// ```
/// use fivefold_labs::{Grader, Student, lab, write_lab};
///
/// let folder = std::env::temp_dir().join(format!("fivefold-labs-graded-{}", std::process::id()));
/// write_lab(lab("1")?, &Student::new("s1234567")?, &folder)?;
/// let graded = Grader::default().grade(&folder)?;
/// assert_eq!((graded.points, graded.most), (0.0, 47.0));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Graded {
    /// The folder, as it was given.
    pub folder: String,
    /// The name of the lab.
    pub lab: String,
    /// The title of the lab.
    pub title: String,
    /// The id of the student.
    pub student: String,
    /// The points that the student has.
    pub points: f64,
    /// The points that can be had.
    pub most: f64,
    /// The cells, in the order of the worksheet.
    pub cells: Vec<GradedCell>,
    /// Changed files, names that are no cells, and so on.
    pub remarks: Vec<String>,
}

/// A graded cell.
///
/// ```
/// use fivefold_labs::{Grader, State, Student, lab, write_lab};
///
/// let folder = std::env::temp_dir().join(format!("fivefold-labs-cell-{}", std::process::id()));
/// write_lab(lab("1")?, &Student::new("s1234567")?, &folder)?;
/// let graded = Grader::default().grade(&folder)?;
/// let cell = &graded.cells[0];
/// assert_eq!((cell.name.as_str(), cell.state), ("q1.p", State::Empty));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GradedCell {
    /// Its name.
    pub name: String,
    /// How the answer was.
    pub state: State,
    /// What the student wrote.
    pub given: String,
    /// The points that the student has.
    pub points: f64,
    /// The points that can be had.
    pub most: f64,
    /// What the grader says of the answer: why it cannot be read, or what the code did.
    pub told: Vec<String>,
    /// The hint, unless the answer is right.
    pub hint: Option<String>,
    /// The way to the right answer, if the answer is wrong.
    pub steps: Vec<String>,
}

/// How an answer was.
///
/// ```
/// use fivefold_labs::State;
///
/// assert_eq!(State::Partly.word(), "partly right");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum State {
    /// All points.
    Right,
    /// Some points.
    Partly,
    /// No points.
    Wrong,
    /// No answer.
    Empty,
    /// Code that was not run.
    NotRun,
}

impl State {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            State::Right => "right",
            State::Partly => "partly right",
            State::Wrong => "wrong",
            State::Empty => "empty",
            State::NotRun => "not run",
        }
    }
}

impl Grader {
    /// Grades a folder.
    ///
    /// # Errors
    /// If the folder cannot be graded: no `lab.toml`, another version of the lab, `answers.toml` that
    /// is not TOML, and so on. The error names the place and says what to do.
    pub fn grade(&self, folder: &Path) -> Result<Graded, LabError> {
        let file = LabFile::read(folder)?;
        let student = Student::new(&file.student)?;
        let assignment = self.assignment(&file, &student, folder)?;
        let answers = Answers::read(folder, &assignment.questions)?;
        let mut remarks = changed(&assignment, folder);
        remarks.extend(answers.remarks.iter().cloned());
        let code = self.run_code(&assignment, &student, folder, &mut remarks)?;
        let cell = |question: &Question| match question.cell.answer {
            Answer::Code => judge_code(question, code.as_ref()),
            _ => judge(question, answers.given.get(&question.cell.name).unwrap_or(&Given::Empty)),
        };
        let cells: Vec<GradedCell> = assignment.questions.iter().map(cell).collect();
        Ok(Graded {
            folder: folder.display().to_string(),
            lab: assignment.name.clone(),
            title: assignment.title.clone(),
            student: student.id().to_owned(),
            points: cells.iter().map(|cell| cell.points).sum(),
            most: assignment.points(),
            cells,
            remarks,
        })
    }

    fn assignment(&self, file: &LabFile, student: &Student, folder: &Path) -> Result<Assignment, LabError> {
        let of_program = LABS.iter().copied().find(|lab| lab.about().name == file.lab);
        let key = self.expected.as_ref();
        if let Some(key) = key.filter(|key| key.lab != file.lab) {
            let (lab, path) = (&file.lab, key.path.display());
            let what = format!("{} is of lab `{lab}`, but {path} is for lab `{}`", folder.display(), key.lab);
            return Err(LabError::Folder(format!("{what}; grade each lab by itself")));
        }
        let assignment = match (of_program, key) {
            (Some(lab), key) => Assignment::of_program(lab, student, key)?,
            (None, Some(key)) => Assignment::of_teacher(key)?,
            (None, None) => {
                let what = format!("{} is of lab `{}`, which is no lab of this program", folder.display(), file.lab);
                let help = "for a teacher's own lab, give its key with --expected expected.toml";
                return Err(LabError::Folder(format!("{what}; {help}")));
            }
        };
        if assignment.version != file.version {
            let (found, own) = (file.version, assignment.version);
            let what = format!("{} has version {found} of the lab, but the grader has version {own}", folder.display());
            return Err(LabError::Folder(format!("{what}; grade it with the program that wrote it")));
        }
        Ok(assignment)
    }

    /// The results of the student's code; `None` if code was not run.
    fn run_code(
        &self,
        assignment: &Assignment,
        student: &Student,
        folder: &Path,
        remarks: &mut Vec<String>,
    ) -> Result<Option<BTreeMap<String, CodeResult>>, LabError> {
        let Some(lab) = assignment.lab.filter(|_| assignment.asks_code()) else { return Ok(None) };
        if self.no_run {
            remarks.push("code was not run (--no-run), so its cells have no points".to_owned());
            return Ok(None);
        }
        Ok(Some(lab.run_code(student, folder, self.worker.as_ref())?.into_iter().collect()))
    }
}

/// Points for code.
fn judge_code(question: &Question, results: Option<&BTreeMap<String, CodeResult>>) -> GradedCell {
    let (share, told, state) = match results {
        None => (0.0, Vec::new(), Some(State::NotRun)),
        Some(results) => match results.get(&question.cell.name) {
            Some(result) => (result.share.clamp(0.0, 1.0), result.told.clone(), None),
            None => (0.0, vec!["the code gave no result".to_owned()], None),
        },
    };
    graded(question, share, state, String::new(), told)
}

/// Points for an answer.
fn judge(question: &Question, given: &Given) -> GradedCell {
    if *given == Given::Empty {
        return graded(question, 0.0, Some(State::Empty), String::new(), Vec::new());
    }
    let (share, told) = match &question.cell.answer {
        Answer::Number(right) => number_share(*right, given, question.tolerance),
        Answer::Word(words) => word_share(words, given),
        Answer::Set(words) => set_share(words, given),
        Answer::Code => (0.0, None),
    };
    graded(question, share, None, given.shown(), told.into_iter().collect())
}

fn number_share(right: Option<f64>, given: &Given, tolerance: f64) -> (f64, Option<String>) {
    let is_right = match (right, given.number()) {
        (_, None) => {
            let what = "is no number: write 0.25 with a point, \"1/4\", or \"undefined\"";
            return (0.0, Some(what.to_owned()));
        }
        (Some(right), Some(Some(given))) => (right - given).abs() <= tolerance + SLACK,
        (right, Some(given)) => right.is_none() && given.is_none(),
    };
    (f64::from(u8::from(is_right)), None)
}

fn word_share(words: &[String], given: &Given) -> (f64, Option<String>) {
    let alike = |word: &str| words.iter().any(|right| plain(right) == plain(word));
    match given {
        Given::Strange(_) | Given::List(_) => (0.0, Some("is no word: write one word in quotes".to_owned())),
        given => (f64::from(u8::from(alike(&given.shown()))), None),
    }
}

fn set_share(words: &[String], given: &Given) -> (f64, Option<String>) {
    let given = match given {
        Given::List(items) => items.clone(),
        Given::Strange(_) => return (0.0, Some("is no list of words: write [\"one\", \"two\"]".to_owned())),
        given => vec![given.shown()],
    };
    let [right, given] = [words, &given].map(|words| words.iter().map(|word| plain(word)).collect::<BTreeSet<_>>());
    let hits = given.intersection(&right).count() as f64;
    let misses = given.difference(&right).count() as f64;
    (((hits - misses) / right.len() as f64).max(0.0), None)
}

/// A word without capitals, and without blanks at its ends.
fn plain(word: &str) -> String {
    word.trim().to_lowercase()
}

fn graded(question: &Question, share: f64, state: Option<State>, given: String, told: Vec<String>) -> GradedCell {
    let state = state.unwrap_or(match share {
        share if share >= 1.0 => State::Right,
        share if share > 0.0 => State::Partly,
        _ => State::Wrong,
    });
    let tried = matches!(state, State::Wrong | State::Partly);
    GradedCell {
        name: question.cell.name.clone(),
        state,
        given,
        points: question.points * share,
        most: question.points,
        told,
        hint: question.hint.clone().filter(|_| state != State::Right),
        steps: if tried { question.cell.steps.clone() } else { Vec::new() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Cell;

    fn share(answer: Answer, given: Given) -> f64 {
        let cell = Cell::new("a", "", answer);
        let question = Question { cell, points: 2.0, tolerance: 0.01, hint: Some("h".to_owned()) };
        let graded = judge(&question, &given);
        assert_eq!(graded.hint.is_none(), graded.state == State::Right);
        graded.points / 2.0
    }

    fn text(text: &str) -> Given {
        Given::Text(text.to_owned())
    }

    #[test]
    fn numbers_are_right_within_the_tolerance() {
        let half = || Answer::Number(Some(0.5));
        for (given, expected) in [(0.5, 1.0), (0.51, 1.0), (0.49, 1.0), (0.5101, 0.0), (-0.5, 0.0), (f64::NAN, 0.0)] {
            assert_eq!(share(half(), Given::Number(given)), expected, "{given}");
        }
        assert_eq!(share(half(), text("1/2")), 1.0);
        assert_eq!(share(half(), text("half")), 0.0);
        assert_eq!(share(Answer::Number(None), text("undefined")), 1.0);
        assert_eq!(share(Answer::Number(None), Given::Number(0.0)), 0.0);
    }

    #[test]
    fn words_and_sets_by_hand() {
        assert_eq!(share(Answer::word("ties"), text("Ties ")), 1.0);
        assert_eq!(share(Answer::word("4"), Given::Number(4.0)), 1.0);
        assert_eq!(share(Answer::yes_no(true), text("true")), 1.0);
        assert_eq!(share(Answer::yes_no(true), text("no")), 0.0);
        let set = || Answer::Set(["a", "b", "c", "d"].map(str::to_owned).to_vec());
        let list = |words: &[&str]| Given::List(words.iter().map(|word| (*word).to_owned()).collect());
        for (words, expected) in [
            (&["d", "c", "b", "a"][..], 1.0),
            (&["a", "b"], 0.5),
            (&["a", "A", "a"], 0.25),
            (&["a", "b", "x"], 0.25),
            (&["a", "x", "y"], 0.0),
        ] {
            assert_eq!(share(set(), list(words)), expected, "{words:?}");
        }
        assert_eq!(share(set(), text("a")), 0.25);
    }
}
