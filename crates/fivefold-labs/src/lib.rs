#![doc = include_str!("../README.md")]

pub mod answers;
pub mod assignment;
pub mod class;
pub mod eleven_programs;
mod entries;
mod error;
mod explained;
pub mod folder;
pub mod forms;
pub mod grade;
pub mod is_a_better;
pub mod key;
pub mod lab;
pub mod measures_by_hand;
pub mod notebook;
pub mod read_a_paper;
pub mod student;
pub mod three_losses;
pub mod tune_and_ablate;

pub use assignment::Assignment;
pub use class::Class;
pub use error::LabError;
pub use folder::write_lab;
pub use grade::{Graded, GradedCell, Grader, State};
pub use key::Key;
pub use lab::{About, Answer, Cell, CodeResult, CodeRun, File, Handout, Lab, Section};
pub use student::Student;

/// All labs, in the order of their numbers. A new lab is a module and a line here.
///
/// ```
/// use fivefold_labs::LABS;
///
/// let titles: Vec<&str> = LABS.iter().map(|lab| lab.about().title).collect();
/// assert_eq!(titles[0], "Measures by hand");
/// ```
pub const LABS: &[&dyn Lab] = &[
    &measures_by_hand::MeasuresByHand,
    &eleven_programs::ElevenPrograms,
    &three_losses::ThreeLosses,
    &tune_and_ablate::TuneAndAblate,
    &is_a_better::IsABetter,
    &read_a_paper::ReadAPaper,
];

/// The lab with this number or name.
///
/// ```
/// use fivefold_labs::lab;
///
/// assert_eq!(lab("1")?.about().name, "measures-by-hand");
/// assert!(lab("measures-by-hnd").err().unwrap().to_string().contains("`measures-by-hand`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LabError::Unknown`] if no lab has the number or name.
pub fn lab(name: &str) -> Result<&'static dyn Lab, LabError> {
    let is_it = |lab: &&&dyn Lab| lab.about().name == name || lab.about().number.to_string() == name;
    LABS.iter().find(is_it).copied().ok_or_else(|| LabError::unknown(name))
}
