//! Grades many folders. A folder that cannot be graded stops no other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::grade::{Graded, Grader};

/// The graded folders of a class.
///
/// ```
/// use fivefold_labs::{Class, Grader};
///
/// let class = Class::grade(&Grader::default(), &["no-such-folder".into()]);
/// assert_eq!((class.graded.len(), class.failed.len()), (0, 1));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Class {
    /// The folders that were graded, in the order given.
    pub graded: Vec<Graded>,
    /// The folders that cannot be graded, in the order given.
    pub failed: Vec<Failed>,
    /// What concerns several folders: one student twice, or equal answers.
    pub remarks: Vec<String>,
}

/// A folder that cannot be graded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// The folder, as it was given.
    pub folder: String,
    /// Why, and what to do.
    pub problem: String,
}

impl Class {
    /// Grades the folders one by one.
    pub fn grade(grader: &Grader, folders: &[PathBuf]) -> Self {
        let mut class = Class::default();
        for folder in folders {
            match grader.grade(folder) {
                Ok(graded) => class.graded.push(graded),
                Err(error) => class.failed.push(Failed { folder: shown(folder), problem: error.to_string() }),
            }
        }
        class.remarks = remarks(&class.graded);
        class
    }
}

fn shown(folder: &Path) -> String {
    folder.display().to_string()
}

/// Students who stand in several folders: perhaps one of them copied the folder of another.
fn remarks(graded: &[Graded]) -> Vec<String> {
    let mut folders: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for one in graded {
        folders.entry((&one.lab, &one.student)).or_default().push(&one.folder);
    }
    let twice = folders.into_iter().filter(|(_, folders)| folders.len() > 1);
    twice
        .map(|((_, student), folders)| {
            let count = folders.len();
            format!("{count} folders are of student `{student}`: {}; was a folder copied?", folders.join(", "))
        })
        .collect()
}
