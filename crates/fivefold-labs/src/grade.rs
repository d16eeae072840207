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
use crate::lab::{Answer, CodeResult, Help};
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
    /// Tells points alone: no hints, no arithmetic, no right values.
    pub points_only: bool,
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
    /// The points that the student has, without the bonus: `most` at the most.
    pub points: f64,
    /// The points that can be had, without the bonus.
    pub most: f64,
    /// The points that the student has in cells beyond the total.
    pub bonus: f64,
    /// The points that can be had in cells beyond the total.
    pub most_bonus: f64,
    /// Whether the lab is one of the program, whose numbers differ from student to student.
    pub of_program: bool,
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
    /// Whether the points are beyond the total.
    pub bonus: bool,
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
    /// An answer that cannot be read: no points, and no hint that would give the answer away.
    Unreadable,
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
            State::Unreadable => "cannot be read",
            State::NotRun => "not run",
        }
    }
}

impl GradedCell {
    /// Leaves out all from which the right answer could be read. Why an answer cannot be read stays.
    fn keep_points(&mut self) {
        (self.hint, self.steps) = (None, Vec::new());
        if self.state != State::Unreadable {
            self.told.clear();
        }
    }
}

impl Grader {
    /// Grades a folder.
    ///
    /// # Errors
    /// If the folder cannot be graded: no `lab.toml`, no `answers.toml`, another version of the lab,
    /// and so on. The error names the place and says what to do.
    pub fn grade(&self, folder: &Path) -> Result<Graded, LabError> {
        let file = LabFile::read(folder)?;
        let student = Student::new(&file.student)?;
        let assignment = self.assignment(&file, &student, folder)?;
        let answers = Answers::read(folder, &assignment.questions)?;
        let mut remarks = changed(&assignment, folder);
        remarks.extend(answers.remarks.iter().cloned());
        remarks.extend(assignment.questions.iter().filter_map(|question| {
            let given = answers.given.get(&question.cell.name)?;
            without_brackets(question, given)
        }));
        let code = self.run_code(&assignment, &student, folder, &mut remarks)?;
        let cell = |question: &Question| match question.cell.answer {
            Answer::Code => judge_code(question, code.as_ref()),
            _ => judge(question, answers.given.get(&question.cell.name).unwrap_or(&Given::Empty)),
        };
        let mut cells: Vec<GradedCell> = assignment.questions.iter().map(cell).collect();
        if self.points_only {
            cells.iter_mut().for_each(GradedCell::keep_points);
        }
        let sum = |bonus: bool| cells.iter().filter(|cell| cell.bonus == bonus).map(|cell| cell.points).sum();
        let (points, bonus) = (sum(false), sum(true));
        Ok(Graded {
            folder: folder.display().to_string(),
            lab: assignment.name.clone(),
            title: assignment.title.clone(),
            student: student.id().to_owned(),
            points,
            most: assignment.points(),
            bonus,
            most_bonus: assignment.bonus(),
            of_program: assignment.lab.is_some(),
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
        let run = lab.run_code(student, folder, self.worker.as_ref())?;
        remarks.extend(run.remarks);
        Ok(Some(run.cells.into_iter().collect()))
    }
}

/// Points for code.
fn judge_code(question: &Question, results: Option<&BTreeMap<String, CodeResult>>) -> GradedCell {
    let (share, told, state, help) = match results {
        None => (0.0, Vec::new(), Some(State::NotRun), Help::Told),
        Some(results) => match results.get(&question.cell.name) {
            Some(result) => {
                let state = (result.help == Help::Open).then_some(State::Empty);
                (result.share.clamp(0.0, 1.0), result.told.clone(), state, result.help)
            }
            None => (0.0, vec!["the code gave no result".to_owned()], None, Help::Told),
        },
    };
    let mut cell = graded(question, share, state, String::new(), told);
    if help == Help::Told {
        cell.hint = None;
    }
    cell
}

/// Points for an answer.
fn judge(question: &Question, given: &Given) -> GradedCell {
    if *given == Given::Empty {
        return graded(question, 0.0, Some(State::Empty), String::new(), Vec::new());
    }
    let judged = match &question.cell.answer {
        Answer::Number(right) => number(*right, given, question.tolerance, &question.cell.slips),
        Answer::Word(words) => word(words, given, &question.cell.malformed),
        Answer::Set(words) => set(words, given),
        Answer::Code => Judged::share(0.0),
    };
    let mut cell = graded(question, judged.share, judged.state, given.shown(), judged.told.into_iter().collect());
    if judged.is_slip {
        (cell.hint, cell.steps) = (None, Vec::new());
    }
    cell
}

/// What is found of an answer.
struct Judged {
    /// The share of the points.
    share: f64,
    /// The state, if the share does not say it.
    state: Option<State>,
    told: Option<String>,
    /// Whether hint and arithmetic are left out: the student has the answer, and wrote it wrongly.
    is_slip: bool,
}

impl Judged {
    fn share(share: f64) -> Self {
        Judged { share, state: None, told: None, is_slip: false }
    }

    fn wrong(told: Option<&str>) -> Self {
        Judged { told: told.map(str::to_owned), ..Judged::share(0.0) }
    }

    fn unreadable(why: &str) -> Self {
        Judged { state: Some(State::Unreadable), is_slip: true, ..Judged::wrong(Some(why)) }
    }
}

fn number(right: Option<f64>, given: &Given, tolerance: f64, slips: &[(f64, String)]) -> Judged {
    let written = match (given, given.number()) {
        (Given::Unreadable { why, .. }, _) => return Judged::unreadable(why),
        (Given::Text(text), None) if text.starts_with(['<', '>']) => {
            return Judged::unreadable("is no number: write a number without a sign before it, 0.000 for <0.001");
        }
        (_, None) => {
            return Judged::unreadable("is no number: write 0.25 with a point, \"1/4\", or \"undefined\"");
        }
        (_, Some(written)) => written,
    };
    let (Some(right), Some(written)) = (right, written) else {
        return Judged::share(f64::from(u8::from(right.is_none() && written.is_none())));
    };
    if (right - written).abs() <= tolerance + SLACK {
        return Judged::share(1.0);
    }
    // The value to as many decimals as stand there, rounded or cut. One decimal cut off is a wrong digit.
    let agrees = decimals(given).is_some_and(|decimals| {
        let scale = libm::pow(10.0, f64::from(decimals));
        let is_it = |whole: f64| (whole / scale - written).abs() <= SLACK;
        decimals > 0 && (is_it((right * scale).round()) || (decimals > 1 && is_it((right * scale).trunc())))
    });
    if agrees {
        let told = "right as far as it goes, but with too few decimals: write at least three";
        return Judged { is_slip: true, ..Judged::wrong(Some(told)) };
    }
    let is_factor = |factor: f64| {
        let moved = right * factor;
        (moved - written).abs() <= tolerance * factor.abs().max(1.0) + SLACK && (moved - right).abs() > 2.0 * tolerance
    };
    if let Some((_, told)) = slips.iter().find(|(slip, _)| (slip - written).abs() <= tolerance + SLACK) {
        return Judged::wrong(Some(told));
    }
    match () {
        () if is_factor(100.0) => Judged::wrong(Some("100 times the right value: which unit is asked for?")),
        () if is_factor(-1.0) => Judged::wrong(Some("has the wrong sign")),
        () => Judged::wrong(None),
    }
}

/// The decimals that stand there; `None` if the answer is no plain decimal number.
fn decimals(given: &Given) -> Option<u32> {
    let shown = given.shown();
    let digits = shown.trim_start_matches(['-', '+']);
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    (plain(whole) && plain(decimals)).then(|| u32::try_from(decimals.len()).ok()).flatten()
}

fn word(words: &[String], given: &Given, malformed: &[(String, String)]) -> Judged {
    if let Some((_, told)) = malformed.iter().find(|(word, _)| plain(word) == plain(&given.shown())) {
        return Judged::unreadable(told);
    }
    let alike = |word: &str| words.iter().any(|right| plain(right) == plain(word));
    match given {
        Given::Unreadable { why, .. } => Judged::unreadable(why),
        Given::Strange(_) | Given::List(_) => Judged::unreadable("is no word: write one word in quotes"),
        given => Judged::share(f64::from(u8::from(alike(&given.shown())))),
    }
}

fn set(words: &[String], given: &Given) -> Judged {
    let given = match given {
        Given::List(items) => items.clone(),
        Given::Unreadable { why, .. } => return Judged::unreadable(why),
        Given::Strange(_) => return Judged::unreadable("is no list of words: write [\"one\", \"two\"]"),
        Given::Text(text) if text.contains(',') => {
            return Judged::unreadable("is one text: write a list with brackets, [\"one\", \"two\"]");
        }
        given => vec![given.shown()],
    };
    let [right, given] = [words, &given].map(|words| words.iter().map(|word| plain(word)).collect::<BTreeSet<_>>());
    let hits = given.intersection(&right).count() as f64;
    let misses = given.difference(&right).count() as f64;
    let told = format!("{hits} of {} words are right, {misses} of yours are wrong", right.len());
    let told = Some(told).filter(|_| hits > 0.0 && (misses > 0.0 || hits < right.len() as f64));
    Judged { told, ..Judged::share(((hits - misses) / right.len() as f64).max(0.0)) }
}

/// A remark on one word that stands where a list belongs, and is read as a list of one word.
fn without_brackets(question: &Question, given: &Given) -> Option<String> {
    let Given::Text(text) = given else { return None };
    let is_one = matches!(question.cell.answer, Answer::Set(_)) && !text.contains(',');
    let name = &question.cell.name;
    is_one.then(|| format!("`{name}` is read as a list of one word; a list has brackets: [\"{text}\"]"))
}

/// A word without capitals, without blanks at its ends, and with `-` for `_` and for a blank.
fn plain(word: &str) -> String {
    word.trim().to_lowercase().replace(['_', ' '], "-")
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
        bonus: question.bonus,
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
        let question = Question { cell, points: 2.0, bonus: false, tolerance: 0.01, hint: Some("h".to_owned()) };
        let graded = judge(&question, &given);
        assert_eq!(graded.hint.is_none(), matches!(graded.state, State::Right | State::Unreadable));
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

    /// A number that the student has, but wrote wrongly, gets no arithmetic that gives it away.
    #[test]
    fn slips_of_decimals_unit_and_sign_are_told() {
        let judged = |right: f64, given: Given| {
            let cell = Cell::new("a", "", Answer::Number(Some(right)))
                .with_steps(vec!["1 + 1".to_owned()])
                .with_slip(0.3, "of another column");
            let question = Question { cell, points: 1.0, bonus: false, tolerance: 0.001, hint: Some("h".to_owned()) };
            let graded = judge(&question, &given);
            assert_eq!(graded.points, 0.0);
            (graded.told.join(" "), graded.hint.is_some() && !graded.steps.is_empty())
        };
        let number = Given::Number;
        for (right, given, told, shown) in [
            (19.3767, number(19.38), "too few decimals", false),
            (19.3767, number(19.37), "too few decimals", false),
            (0.6824, text("0.68"), "too few decimals", false),
            (-0.6824, number(-0.7), "too few decimals", false),
            (0.6824, number(0.69), "", true),
            (0.5956, number(0.6), "too few decimals", false),
            (0.5956, number(0.5), "", true),
            (0.0003, text("<0.001"), "0.000 for <0.001", false),
            (0.6824, number(0.75), "", true),
            (0.6824, number(0.6854), "", true),
            (0.6824, number(1.0), "", true),
            (0.6824, text("2/3"), "", true),
            (0.0725, number(7.25), "100 times", true),
            (0.0725, number(-0.0725), "wrong sign", true),
            (0.0725, text("yes"), "is no number", false),
            (0.0725, number(0.3), "of another column", true),
        ] {
            let (found, hinted) = judged(right, given.clone());
            let fits = if told.is_empty() { found.is_empty() } else { found.contains(told) };
            assert!(fits && hinted == shown, "{right} {given:?}: {found} {hinted}");
        }
        assert!(
            judge(
                &Question {
                    cell: Cell::new("a", "", Answer::Number(Some(0.0))),
                    points: 1.0,
                    bonus: false,
                    tolerance: 0.0,
                    hint: None
                },
                &Given::Number(1.0)
            )
            .told
            .is_empty()
        );
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
        assert_eq!(share(set(), text("a, b")), 0.0);
        for written in ["best-seed", "Best seed", "best_seed "] {
            assert_eq!(share(Answer::word("best-seed"), text(written)), 1.0, "{written}");
        }
    }
}
