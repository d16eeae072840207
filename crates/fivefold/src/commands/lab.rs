//! `fivefold lab`: lists the labs of a course, writes them for students, and grades what comes back.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use fivefold_base::words::counted;
use fivefold_experiment::worker::Worker;
use fivefold_labs::assignment::EXPECTED_FILE;
use fivefold_labs::forms::{class_text, classroom, csv, failed_classroom, failed_gradescope, graded_text, gradescope};
use fivefold_labs::{Assignment, Class, Grader, Key, LABS, LabError, Student, folder, lab};
use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;
use crate::files;
use crate::format::JsonArgs;
use crate::outputs::{Output, ReplaceArgs};
use crate::problem::{Problem, report};
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  fivefold lab                                         the labs, their minutes, and what one learns
  fivefold lab new 1 my-lab                            a lab for yourself
  fivefold lab new 1 class/s1234567 --student s1234567
  fivefold lab new 1 class --students ids.txt          a folder for each id
  fivefold lab grade my-lab
  fivefold lab grade class/* --csv grades.csv

Data and answers come from the student's id. The grader computes the answers from the id again, so a changed data file \
changes no answer. This guards against copying, not against a student who reads the source of this program."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    json: JsonArgs,
}

/// What to do with a lab.
#[derive(Subcommand)]
enum Action {
    New(NewArgs),
    Grade(GradeArgs),
}

/// Write a lab into a new folder: worksheet, notebook, data, and a file for the answers
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold lab new 1 my-lab
  fivefold lab new measures-by-hand class/s1234567 --student s1234567
  fivefold lab new 1 class --students ids.txt
  fivefold lab new my-own-lab/ class --students ids.txt    a lab of your own: a folder with expected.toml")]
struct NewArgs {
    /// The lab's number or name, or the folder of a lab of your own
    lab: String,
    /// The folder to make; with --students, the folder of the class
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
    /// The student's id, from which data and answers come
    #[arg(long, value_name = "ID", default_value = Student::ANYONE)]
    student: String,
    /// A file with an id in each line: each student gets the folder DIR/ID. Folders that exist are not
    /// changed
    #[arg(long, value_name = "FILE", conflicts_with = "student", value_hint = clap::ValueHint::FilePath)]
    students: Option<PathBuf>,
}

/// Grade folders that `fivefold lab new` wrote
#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold lab grade my-lab
  fivefold lab grade class/* --csv grades.csv
  fivefold lab grade submission --format gradescope > results.json
  fivefold lab grade class/* --expected expected.toml
  fivefold lab grade my-lab --points                   points alone: no hints, no right values

Exit codes: 0 all folders graded, 1 a folder could not be graded (the others are), 2 the request cannot be done.

Lab 3 runs the code of the student: with a time limit, and on Linux confined to its own folder, programs and the \
system, as `kind = \"command\"` is. --no-run grades without it.")]
struct GradeArgs {
    /// The folders
    #[arg(required = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folders: Vec<PathBuf>,
    /// Write a line for each folder into this file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// The form of the output; `gradescope` and `classroom` take one folder
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Your points, tolerances and hints, or the key of a lab of your own
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    expected: Option<PathBuf>,
    /// Do not run code of students; its cells have no points
    #[arg(long)]
    no_run: bool,
    /// Show points alone: no hints and no right values
    #[arg(long)]
    points: bool,
    #[command(flatten)]
    replace: ReplaceArgs,
}

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    // No doc comments here: help would then give each value a line.
    Text,
    Csv,
    Json,
    Gradescope,
    Classroom,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        match self.action {
            None => list(self.json.asked(), screen),
            Some(Action::New(args)) => args.run(screen),
            Some(Action::Grade(args)) => args.run(screen),
        }
    }
}

/// A lab of the list, as JSON.
#[derive(Serialize)]
struct Listed {
    number: usize,
    name: &'static str,
    title: &'static str,
    minutes: usize,
    learns: &'static str,
}

fn list(json: bool, screen: &mut Screen) -> miette::Result<Exit> {
    let labs: Vec<Listed> = LABS
        .iter()
        .map(|lab| {
            let about = lab.about();
            let (number, name, title) = (about.number, about.name, about.title);
            Listed { number, name, title, minutes: about.minutes, learns: about.learns }
        })
        .collect();
    if json {
        screen.json(&labs)?;
        return Ok(Exit::Done);
    }
    let row = |lab: &Listed| {
        vec![lab.number.to_string(), lab.title.to_owned(), lab.minutes.to_string(), lab.learns.to_owned()]
    };
    screen.columns(&["", "lab", "minutes", "you learn to"], labs.iter().map(row));
    screen.line("");
    screen.line("`fivefold lab new 1 DIR` writes a lab, `fivefold lab grade DIR` grades it.");
    Ok(Exit::Done)
}

impl NewArgs {
    fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let Some(list) = &self.students else {
            let student = Student::new(&self.student).map_err(report)?;
            let assignment = assignment(&self.lab, &student)?;
            folder::write(&assignment, &student, &self.folder).map_err(report)?;
            let shown = self.folder.display();
            screen.line(format_args!("{shown}: {} for student {}", assignment.title, student.id()));
            screen.line(format_args!("Begin with {shown}/{}, or with the notebook beside it.", folder::WORKSHEET_FILE));
            screen
                .line(format_args!("Answers go into {shown}/answers.toml. To grade them: fivefold lab grade {shown}"));
            return Ok(Exit::Done);
        };
        let students = ids(list)?;
        let (mut written, mut kept) = (0, 0);
        for student in &students {
            let folder = self.folder.join(student.id());
            match folder::write(&assignment(&self.lab, student)?, student, &folder) {
                Ok(()) => written += 1,
                Err(LabError::Exists(_)) => kept += 1,
                Err(error) => return Err(report(error)),
            }
        }
        screen.line(format_args!("{}: {} written", self.folder.display(), counted(written, "folder")));
        if kept > 0 {
            screen.line(format_args!("{} that existed before were not changed", counted(kept, "folder")));
        }
        Ok(Exit::Done)
    }
}

/// The ids of a file, one in each line. An id is also the name of a folder.
fn ids(list: &Path) -> miette::Result<Vec<Student>> {
    let text = std::fs::read_to_string(list).map_err(|error| Problem::file("read", list, error))?;
    let mut students: Vec<Student> = Vec::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let at = |what: String| Problem::new(format!("{}:{}: {what}", list.display(), number + 1));
        let student = Student::new(line).map_err(|error| at(error.to_string()))?;
        if student.id().contains(['/', '\\', ':', ',']) || student.id().starts_with('.') {
            let problem = at(format!("`{}` cannot be the name of a folder", student.id()));
            return Err(problem.help("give one id in each line, without / \\ : , and without a dot before it").into());
        }
        if students.iter().any(|other| other.id().to_lowercase() == student.id().to_lowercase()) {
            return Err(at(format!("the id `{}` stands twice", student.id())).help("give each student once").into());
        }
        students.push(student);
    }
    if students.is_empty() {
        return Err(Problem::new(format!("{} has no id", list.display())).help("write one id in each line").into());
    }
    Ok(students)
}

/// The lab with this number or name, or the lab of a teacher's folder.
fn assignment(name: &str, student: &Student) -> miette::Result<Assignment> {
    let key = Path::new(name).join(EXPECTED_FILE);
    let found = match key.exists() {
        true => Key::read(&key).and_then(|key| Assignment::of_teacher(&key)),
        false => lab(name).and_then(|lab| Assignment::of_program(lab, student, None)),
    };
    found.map_err(report)
}

impl GradeArgs {
    fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let expected = self.expected.as_deref().map(Key::read).transpose().map_err(report)?;
        if let Some(path) = &self.expected {
            self.check_outside(path)?;
        }
        if matches!(self.format, Form::Gradescope | Form::Classroom) && self.folders.len() > 1 {
            let what = format!("this form takes one folder, and {} were given", self.folders.len());
            return Err(Problem::new(what).help("grade each folder by itself, or take --format csv or json").into());
        }
        if let Some(path) = &self.csv {
            let is_one = |beginning: &[u8]| beginning.starts_with(b"folder,student,lab,");
            let output = Output { path, what: "a file of grades", is_one: &is_one };
            output.check(&self.expected, self.replace)?;
        }
        let worker = Worker::this_program()
            .map_err(|error| Problem::new(format!("cannot tell where this program is: {error}")))?;
        let grader = Grader { expected, no_run: self.no_run, points_only: self.points, worker: Some(worker) };
        let class = Class::grade(&grader, &self.folders);
        if let Some(path) = &self.csv {
            files::write(path, csv(&class).map_err(report)?.as_bytes())?;
        }
        let one = |form: fn(&fivefold_labs::Graded) -> Value, failed: fn(&fivefold_labs::class::Failed) -> Value| {
            class.graded.first().map(form).or_else(|| class.failed.first().map(failed)).unwrap_or_default()
        };
        match (self.format, class.graded.as_slice()) {
            (Form::Text, [graded]) if class.failed.is_empty() => screen.line(graded_text(graded).trim_end()),
            (Form::Text, _) => screen.line(class_text(&class).trim_end()),
            (Form::Csv, _) => screen.text(csv(&class).map_err(report)?),
            (Form::Json, _) => screen.json(&class)?,
            (Form::Gradescope, _) => screen.json(&one(gradescope, failed_gradescope))?,
            (Form::Classroom, _) => screen.json(&one(classroom, failed_classroom))?,
        }
        Ok(if class.failed.is_empty() { Exit::Done } else { Exit::Failed })
    }

    /// A key in a student's folder could be the student's own.
    fn check_outside(&self, key: &Path) -> miette::Result<()> {
        let Ok(key) = std::fs::canonicalize(key) else { return Ok(()) };
        let inside = |folder: &&PathBuf| std::fs::canonicalize(folder).is_ok_and(|folder| key.starts_with(folder));
        let Some(folder) = self.folders.iter().find(inside) else { return Ok(()) };
        let what = format!("{} lies in {}, the folder of a student", key.display(), folder.display());
        Err(Problem::new(what).help("keep your key outside the folders that you grade").into())
    }
}
