//! A lab for one student, as the frame writes and grades it: a lab of the program, or a teacher's
//! own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::answers;
use crate::error::{LabError, read_text};
use crate::folder::{LAB_FILE, NOTEBOOK_FILE, WORKSHEET_FILE};
use crate::key::{Key, Question};
use crate::lab::{Answer, File, Handout, Lab, Section};
use crate::student::Student;

/// The file of a teacher's own lab that makes a folder one.
pub const EXPECTED_FILE: &str = "expected.toml";

/// A lab for one student.
///
/// ```
/// use fivefold_labs::{Assignment, Student, lab};
///
/// let assignment = Assignment::of_program(lab("1")?, &Student::new("s1234567")?, None)?;
/// assert_eq!((assignment.questions.len(), assignment.points()), (47, 47.0));
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
pub struct Assignment {
    /// The name in `lab.toml`.
    pub name: String,
    /// The title, with the number of a lab of the program.
    pub title: String,
    /// The version of data and answers.
    pub version: u32,
    /// What the student gets.
    pub handout: Handout,
    /// What is asked, and what is right.
    pub questions: Vec<Question>,
    /// The lab of the program, which runs the student's code.
    pub lab: Option<&'static dyn Lab>,
}

impl Assignment {
    /// A lab of the program, with a teacher's rules after its own.
    ///
    /// # Errors
    /// If the data cannot be made, or a rule does not fit.
    pub fn of_program(lab: &'static dyn Lab, student: &Student, rules: Option<&Key>) -> Result<Self, LabError> {
        let about = lab.about();
        let own = Key::parse(lab.key(), Path::new("key.toml"))?;
        let keys: Vec<&Key> = [Some(&own), rules].into_iter().flatten().collect();
        Ok(Assignment {
            name: about.name.to_owned(),
            title: format!("lab {}: {}", about.number, about.title),
            version: about.version,
            handout: lab.handout(student)?,
            questions: Key::questions(lab.cells(student)?, &keys)?,
            lab: Some(lab),
        })
    }

    /// A teacher's own lab. Its files lie beside its `expected.toml`.
    ///
    /// # Errors
    /// If a file is missing or cannot be read, or the key has a mistake.
    pub fn of_teacher(key: &Key) -> Result<Self, LabError> {
        let folder = match key.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let title = key.title.clone().ok_or_else(|| {
            key.error(format!("lab `{}` is no lab of the program, and has no title; write `title = \"...\"`", key.lab))
        })?;
        let mut files = Vec::new();
        collect(folder, "", &mut files)?;
        let own = [WORKSHEET_FILE, NOTEBOOK_FILE, LAB_FILE, answers::FILE, EXPECTED_FILE];
        files.retain(|path| !own.contains(&path.as_str()));
        if let Some(stub) = key.stubs.iter().find(|stub| !files.contains(stub)) {
            return Err(key.error(format!("the stub `{stub}` is no file of {}", folder.display())));
        }
        let read = |path: String| -> Result<File, LabError> {
            let at = folder.join(&path);
            let content = fs::read(&at).map_err(|error| LabError::io("read", &at, error))?;
            Ok(File { is_stub: key.stubs.contains(&path), path, content })
        };
        Ok(Assignment {
            name: key.lab.clone(),
            title,
            version: key.version.unwrap_or(1),
            handout: Handout {
                worksheet: read_text(&folder.join(WORKSHEET_FILE))?,
                files: files.into_iter().map(read).collect::<Result<_, _>>()?,
                sections: Vec::<Section>::new(),
            },
            questions: key.own_questions()?,
            lab: None,
        })
    }

    /// The sum of all points, without the bonus.
    pub fn points(&self) -> f64 {
        self.sum(false)
    }

    /// The sum of the points beyond the total.
    pub fn bonus(&self) -> f64 {
        self.sum(true)
    }

    fn sum(&self, bonus: bool) -> f64 {
        self.questions.iter().filter(|question| question.bonus == bonus).map(|question| question.points).sum()
    }

    /// The questions that code answers.
    pub(crate) fn asks_code(&self) -> bool {
        self.questions.iter().any(|question| question.cell.answer == Answer::Code)
    }
}

/// The paths of all files below a folder, with `/` between the parts, sorted. Hidden files and
/// folders are left out.
fn collect(folder: &Path, before: &str, found: &mut Vec<String>) -> Result<(), LabError> {
    let list = |path: &Path| -> Result<Vec<PathBuf>, std::io::Error> {
        fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut paths = list(folder).map_err(|error| LabError::io("read the folder", folder, error))?;
    paths.sort();
    for path in paths {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            return Err(LabError::file(&path, None, "has a name that is not UTF-8; give it another name"));
        };
        match name {
            hidden if hidden.starts_with('.') => {}
            name if path.is_dir() => collect(&path, &format!("{before}{name}/"), found)?,
            name => found.push(format!("{before}{name}")),
        }
    }
    Ok(())
}
