//! The forms of a report: text, CSV, JSON, Gradescope's `results.json`, and the results that GitHub
//! Classroom's reporter reads.
//!
//! - Gradescope: <https://gradescope-autograders.readthedocs.io/en/latest/specs/>, "Output format".
//!   One folder is a submission, and each cell a test with `score`, `max_score` and `status`.
//! - GitHub Classroom: the action `autograding-grading-reporter` reads the result of a runner, a JSON
//!   object with `version`, `status`, `max_score` and `tests`. A workflow hands it on in Base64.

mod classroom;
mod csv;
mod gradescope;
mod text;

pub use classroom::{classroom, failed_classroom};
pub use csv::csv;
pub use gradescope::{failed_gradescope, gradescope};
pub use text::{class_text, graded_text};

pub use crate::explained::points;
use crate::grade::GradedCell;

/// What guards against copying, and what does not. Every report says so once.
pub const GUARD: &str = "Numbers differ from student to student, which guards against copying. It does not guard \
                         against a student who reads the source of this program.";

/// The name of a cell, which says whether its points are beyond the total.
fn name_of(cell: &GradedCell) -> String {
    if cell.bonus { format!("{} (bonus)", cell.name) } else { cell.name.clone() }
}

/// What is said of a cell that is not right, a line each.
fn remarks_on(cell: &GradedCell) -> Vec<String> {
    let mut lines = cell.told.clone();
    lines.extend(cell.hint.iter().map(|hint| format!("hint: {hint}")));
    lines.extend(cell.steps.iter().cloned());
    lines
}
