//! The trait of all labs, and how to write one.
//!
//! A lab is a folder `src/NAME/` with four parts, and a line in [`LABS`](crate::LABS):
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | a unit type and its [`Lab`]; makes the data from [`Student::seed`] |
//! | `worksheet.md` | the worksheet; `{{name}}` stands for a text that [`fill`] puts in |
//! | `key.toml` | points, tolerance and hint of each cell, see [`key`](crate::key) |
//! | stubs | code that the student fills in, if the lab asks for code |
//!
//! What a lab gives, and what the frame does with it:
//!
//! - [`Lab::handout`] gives worksheet and files. The frame adds the notebook, `answers.toml` (one
//!   place for each cell) and `lab.toml`.
//! - [`Lab::cells`] gives the right answer of each cell. The frame compares it with the student's
//!   answer, and gives points by the rules of [`Lab::key`].
//! - [`Lab::run_code`] judges the student's code. Its cells have [`Answer::Code`], and no place in
//!   `answers.toml`.
//!
//! Rules for a lab:
//!
//! - All that differs between students comes from `student.seed(about.name, about.version)`, and
//!   from nothing else. Same id, same bytes. If data or answers change, the version goes up.
//! - A cell's name is one or two words joined by a dot (`q1.ndcg`): lowercase letters, digits, `-`
//!   and `_`. The first word is the cell's section, a table of `answers.toml`.
//! - A mistake that a student would make moves the value by more than the tolerance.
//! - `handout` reads no right answer. `cells` uses the functions of the other crates.
//!
//! Tests: `tests/suite/common.rs` has one check for all labs. A lab gives it a solver, which reads
//! the files of the handout and computes the answers in another way than `cells`.

use std::path::Path;

use fivefold_experiment::worker::Worker;

use crate::error::LabError;
use crate::student::Student;

/// A lab: worksheet, data, right answers.
///
/// ```
/// use fivefold_labs::{Answer, Student, lab};
///
/// let lab = lab("1")?;
/// let student = Student::new("s1234567")?;
/// assert!(lab.handout(&student)?.worksheet.starts_with("# Lab 1: Measures by hand"));
/// let cells = lab.cells(&student)?;
/// assert!(matches!(cells[0].answer, Answer::Number(Some(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Lab: Sync {
    /// Number, name, title, minutes, and what one learns.
    fn about(&self) -> About;

    /// The worksheet and the files that the student gets.
    ///
    /// # Errors
    /// If the data cannot be made.
    fn handout(&self, student: &Student) -> Result<Handout, LabError>;

    /// The right answers, in the order of the worksheet.
    ///
    /// # Errors
    /// If the answers cannot be computed.
    fn cells(&self, student: &Student) -> Result<Vec<Cell>, LabError>;

    /// The text of `key.toml`: points, tolerance and hint of each cell.
    fn key(&self) -> &'static str;

    /// Runs the student's code in `folder`. Gives a result for each cell with [`Answer::Code`], and
    /// says which file was run.
    /// The frame does not call this function if the user forbids code (`--no-run`). The worker
    /// confines the code; without it, the code can do all that its user can.
    ///
    /// # Errors
    /// If no code can be run at all. Code that fails is a [`CodeResult`] with share 0.
    fn run_code(&self, _student: &Student, _folder: &Path, _worker: Option<&Worker>) -> Result<CodeRun, LabError> {
        Ok(CodeRun::default())
    }
}

/// What `fivefold lab` lists.
///
/// ```
/// use fivefold_labs::lab;
///
/// let about = lab("measures-by-hand")?.about();
/// assert_eq!((about.number, about.minutes), (1, 80));
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// From 1.
    pub number: usize,
    /// The name in `lab.toml`: lowercase words joined by hyphens.
    pub name: &'static str,
    /// The title, without the number.
    pub title: &'static str,
    /// Minutes that a student needs, at most 90.
    pub minutes: usize,
    /// What one learns, in a line.
    pub learns: &'static str,
    /// Goes up if data or answers of a student change. A folder of another version is not graded.
    pub version: u32,
}

/// What the student gets.
///
/// ```
/// use fivefold_labs::{Student, lab};
///
/// let handout = lab("1")?.handout(&Student::new("s1234567")?)?;
/// let paths: Vec<&str> = handout.files.iter().map(|file| file.path.as_str()).collect();
/// assert_eq!(paths, ["qrels.txt", "run.txt"]);
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handout {
    /// The worksheet, in Markdown.
    pub worksheet: String,
    /// Data and stubs. The worksheet, the notebook and `answers.toml` are not among them.
    pub files: Vec<File>,
    /// Sections of `answers.toml`, in the order of the worksheet. A section of the cells that is not
    /// named here has no title.
    pub sections: Vec<Section>,
}

/// The title of a section of `answers.toml`.
///
/// ```
/// use fivefold_labs::{Student, lab};
///
/// let handout = lab("1")?.handout(&Student::new("s1234567")?)?;
/// assert_eq!(handout.sections[0].name, "q1");
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The first word of the names of its cells.
    pub name: String,
    /// A line for the student: what this part is about.
    pub title: String,
}

/// A file of the handout.
///
/// ```
/// use fivefold_labs::File;
///
/// assert!(File::stub("gradient.py", "def gradient(): ...\n").is_stub);
/// assert!(!File::data("run.txt", "q1 Q0 d1 1 0.5 lab\n").is_stub);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path in the folder, with `/` between the parts.
    pub path: String,
    /// Its content.
    pub content: Vec<u8>,
    /// Whether the student fills the file in. The grader names a changed file if it is not a stub.
    pub is_stub: bool,
}

impl File {
    /// Data that the student reads.
    pub fn data(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        File { path: path.into(), content: content.into(), is_stub: false }
    }

    /// Code or text that the student fills in.
    pub fn stub(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        File { path: path.into(), content: content.into(), is_stub: true }
    }
}

/// A question with its right answer.
///
/// ```
/// use fivefold_labs::{Answer, Cell};
///
/// let cell = Cell::new("q1.p", "P@5", Answer::Number(Some(0.4))).with_steps(vec!["2 / 5 = 0.4".to_owned()]);
/// assert_eq!(cell.steps.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its name in `answers.toml`: `q1.ndcg`.
    pub name: String,
    /// What is asked, in a few words; a comment beside the place in `answers.toml`.
    pub asks: String,
    /// The right answer.
    pub answer: Answer,
    /// The way to the answer, a line each. Shown if the cell is wrong.
    pub steps: Vec<String>,
    /// Wrong numbers that a known mistake gives, and what to say of each.
    pub slips: Vec<(f64, String)>,
    /// Words that miss the asked form, and what to write instead.
    pub malformed: Vec<(String, String)>,
}

impl Cell {
    /// A cell without steps and slips.
    pub fn new(name: impl Into<String>, asks: impl Into<String>, answer: Answer) -> Self {
        Cell {
            name: name.into(),
            asks: asks.into(),
            answer,
            steps: Vec::new(),
            slips: Vec::new(),
            malformed: Vec::new(),
        }
    }

    /// Adds a wrong number that a known mistake gives, and what to say of it.
    #[must_use]
    pub fn with_slip(mut self, value: f64, told: impl Into<String>) -> Self {
        self.slips.push((value, told.into()));
        self
    }

    /// Adds a word that misses the asked form, and what to write instead.
    #[must_use]
    pub fn with_malformed(mut self, word: impl Into<String>, told: impl Into<String>) -> Self {
        self.malformed.push((word.into(), told.into()));
        self
    }

    /// Adds the way to the answer.
    #[must_use]
    pub fn with_steps(mut self, steps: Vec<String>) -> Self {
        self.steps = steps;
        self
    }
}

/// A right answer.
///
/// ```
/// use fivefold_labs::Answer;
///
/// assert_eq!(Answer::yes_no(true), Answer::Word(vec!["yes".to_owned(), "true".to_owned()]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A number; `None`: the value is undefined, and the student writes "undefined". The key has the
    /// tolerance.
    Number(Option<f64>),
    /// A word. Any of these counts; the first is the usual spelling. Case and blanks at the ends do
    /// not matter, and `-`, `_` and a blank are the same.
    Word(Vec<String>),
    /// Words in any order, without repetition. Each right word earns its share of the points, and
    /// each wrong word costs such a share; never below 0.
    Set(Vec<String>),
    /// Code, judged by [`Lab::run_code`].
    Code,
}

impl Answer {
    /// A word with one spelling.
    pub fn word(word: impl Into<String>) -> Self {
        Answer::Word(vec![word.into()])
    }

    /// Yes or no. The student writes `true`, `false`, "yes" or "no".
    pub fn yes_no(yes: bool) -> Self {
        let words = if yes { ["yes", "true"] } else { ["no", "false"] };
        Answer::Word(words.map(str::to_owned).to_vec())
    }
}

/// How the student's code did.
///
/// ```
/// use fivefold_labs::CodeResult;
///
/// use fivefold_labs::lab::Help;
///
/// let failed = CodeResult { share: 0.0, told: vec!["python3 was not found".to_owned()], help: Help::Told };
/// assert_eq!(failed.told.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CodeResult {
    /// The share of the cell's points, from 0 to 1.
    pub share: f64,
    /// What was found, a line each.
    pub told: Vec<String>,
    /// What helps the student on.
    pub help: Help,
}

/// What helps a student on whose code lacks points.
///
/// ```
/// use fivefold_labs::lab::Help;
///
/// assert_eq!(Help::default(), Help::Hint);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Help {
    /// The hint of the key, beside what was found.
    #[default]
    Hint,
    /// What was found: it says what to do, or names the cell with the cause. A hint would mislead.
    Told,
    /// Nothing: the student has not filled in the stub, so the cell is empty.
    Open,
}

/// What came of running a student's code.
///
/// ```
/// use fivefold_labs::lab::CodeRun;
///
/// assert!(CodeRun::default().cells.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CodeRun {
    /// The results, by the names of cells.
    pub cells: Vec<(String, CodeResult)>,
    /// What the report says in any case: which file was run.
    pub remarks: Vec<String>,
}

/// Puts texts in the place of `{{name}}`.
///
/// ```
/// use fivefold_labs::lab::fill;
///
/// assert_eq!(fill("Query {{query}}.", &[("query", "q1")])?, "Query q1.");
/// assert!(fill("Query {{query}}.", &[]).is_err());
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
///
/// # Errors
/// [`LabError::Template`] for a name without a text, or a text without a name.
pub fn fill(template: &str, texts: &[(&str, &str)]) -> Result<String, LabError> {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    let mut used = vec![false; texts.len()];
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}").ok_or_else(|| LabError::Template("a {{ has no }}".to_owned()))?;
        let place = texts
            .iter()
            .position(|(known, _)| *known == name)
            .ok_or_else(|| LabError::Template(format!("{{{{{name}}}}} has no text")))?;
        used[place] = true;
        filled.push_str(before);
        filled.push_str(texts[place].1);
        rest = behind;
    }
    if let Some(place) = used.iter().position(|used| !used) {
        return Err(LabError::Template(format!("{{{{{}}}}} does not stand in the text", texts[place].0)));
    }
    filled.push_str(rest);
    Ok(filled)
}
