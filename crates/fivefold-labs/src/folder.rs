//! A lab's folder: writes it for a student, reads `lab.toml` back, and names changed files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::answers;
use crate::assignment::Assignment;
use crate::error::{LabError, read_text};
use crate::explained::points;
use crate::lab::Lab;
use crate::notebook::notebook;
use crate::student::Student;

/// The file that names lab, student and version.
pub const LAB_FILE: &str = "lab.toml";
/// The worksheet.
pub const WORKSHEET_FILE: &str = "worksheet.md";
/// The worksheet as a notebook.
pub const NOTEBOOK_FILE: &str = "worksheet.ipynb";

/// Writes a lab of the program into a new folder.
///
/// ```
/// use fivefold_labs::{Student, lab, write_lab};
///
/// let folder = std::env::temp_dir().join(format!("fivefold-labs-write-{}", std::process::id()));
/// write_lab(lab("1")?, &Student::new("s1")?, &folder)?;
/// assert!(folder.join("worksheet.ipynb").exists());
/// // A folder that exists is not changed.
/// assert!(write_lab(lab("1")?, &Student::new("s1")?, &folder).is_err());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LabError::Exists`] if the folder exists; [`LabError::Io`] if it cannot be written.
pub fn write_lab(lab: &'static dyn Lab, student: &Student, folder: &Path) -> Result<(), LabError> {
    write(&Assignment::of_program(lab, student, None)?, student, folder)
}

/// Writes an assignment into a new folder.
///
/// # Errors
/// As [`write_lab`].
pub fn write(assignment: &Assignment, student: &Student, folder: &Path) -> Result<(), LabError> {
    if fs::symlink_metadata(folder).is_ok() {
        return Err(LabError::Exists(folder.to_owned()));
    }
    let written = files(assignment, student).into_iter().try_for_each(|(path, content)| {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| LabError::io("make the folder", parent, error))?;
        fs::write(&path, content).map_err(|error| LabError::io("write", &path, error))
    });
    if written.is_err() {
        // Half a lab is useless, and would stand in the way of the next try.
        let _ = fs::remove_dir_all(folder);
    }
    written
}

/// All files of the folder.
fn files(assignment: &Assignment, student: &Student) -> Vec<(PathBuf, Vec<u8>)> {
    let handout = &assignment.handout;
    let answers = answers::empty(&assignment.title, &handout.sections, &assignment.questions);
    let worksheet = format!("{}\n\n{}", handout.worksheet.trim_end(), points_of(assignment));
    let mut files = vec![
        (PathBuf::from(WORKSHEET_FILE), worksheet.clone().into_bytes()),
        (PathBuf::from(NOTEBOOK_FILE), notebook(&worksheet).into_bytes()),
        (PathBuf::from(answers::FILE), answers.into_bytes()),
        (PathBuf::from(LAB_FILE), lab_text(assignment, student).into_bytes()),
    ];
    files.extend(handout.files.iter().map(|file| (PathBuf::from(&file.path), file.content.clone())));
    files
}

/// The last part of each worksheet: the points of each section of `answers.toml`.
fn points_of(assignment: &Assignment) -> String {
    let mut sections: Vec<(&str, bool, f64)> = Vec::new();
    for question in &assignment.questions {
        let (name, bonus) = (question.cell.name.split('.').next().unwrap_or_default(), question.bonus);
        match sections.iter_mut().find(|(known, beyond, _)| (*known, *beyond) == (name, bonus)) {
            Some((_, _, sum)) => *sum += question.points,
            None => sections.push((name, bonus, question.points)),
        }
    }
    let rows = |bonus: bool| -> String {
        let own = sections.iter().filter(|(_, beyond, _)| *beyond == bonus);
        own.map(|(name, _, sum)| format!("| `{name}` | {} |\n", points(*sum))).collect()
    };
    let all = points(assignment.points());
    let bonus = match rows(true) {
        none if none.is_empty() => String::new(),
        rows => format!("\nA bonus counts beyond these points:\n\n| bonus | points |\n|---|---|\n{rows}"),
    };
    format!(
        "## Points\n\nAn answer has 1 point, unless `{}` names more beside its place. \
         Your teacher may weigh\nanswers in another way.\n\n| part | points |\n|---|---|\n{}| all | {all} |\n{bonus}\n\
         `fivefold lab grade . --points` shows your points without hints and right values.\n",
        answers::FILE,
        rows(false)
    )
}

fn lab_text(assignment: &Assignment, student: &Student) -> String {
    let [lab, student] = [assignment.name.as_str(), student.id()].map(|text| toml::Value::from(text).to_string());
    let version = assignment.version;
    format!(
        "# Whose lab this is. Leave this file as it is: the grader reads here whose answers it computes.\n\
         lab = {lab}\nstudent = {student}\nversion = {version}\n"
    )
}

/// The content of `lab.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabFile {
    /// The name of the lab.
    pub lab: String,
    /// The id of the student.
    pub student: String,
    /// The version of the lab.
    pub version: u32,
}

impl LabFile {
    /// Reads the file of a folder.
    ///
    /// # Errors
    /// If the folder has none, or the file is not as it was written.
    pub fn read(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join(LAB_FILE);
        if !folder.is_dir() {
            let what = format!("{} is not a folder; give the folder that `fivefold lab new` wrote", folder.display());
            return Err(LabError::Folder(what));
        }
        if !path.exists() {
            let what = format!("{} has no {LAB_FILE}; give the folder that `fivefold lab new` wrote", folder.display());
            return Err(LabError::Folder(what));
        }
        let text = read_text(&path)?;
        toml::from_str(&text).map_err(|error| match LabError::toml(&path, &text, &error) {
            LabError::File { file, line, what } => {
                let help = format!("{what}; write the lab again for this student, and take {LAB_FILE} from there");
                LabError::File { file, line, what: help }
            }
            other => other,
        })
    }
}

/// The data files of the folder that are missing or changed. They have no effect on what is right.
pub(crate) fn changed(assignment: &Assignment, folder: &Path) -> Vec<String> {
    let data = assignment.handout.files.iter().filter(|file| !file.is_stub);
    let told = |file: &crate::lab::File| match fs::read(folder.join(&file.path)) {
        Ok(content) if same(&content, &file.content) => None,
        Ok(_) => Some(format!("{} was changed; answers are compared with those of the original file", file.path)),
        Err(_) => Some(format!("{} is missing; answers are compared with those of the original file", file.path)),
    };
    data.filter_map(told).collect()
}

/// Whether two files are equal. Line ends may differ: git and editors on Windows change them.
fn same(one: &[u8], other: &[u8]) -> bool {
    let without = |bytes: &[u8]| bytes.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>();
    one == other || without(one) == without(other)
}
