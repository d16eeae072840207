//! Ids of students, and the seeds that come from them.

use fivefold_base::Seed;

use crate::error::LabError;

/// The most characters of an id.
const LONGEST: usize = 100;

/// A student, or a group that hands in together.
///
/// ```
/// use fivefold_labs::Student;
///
/// let student = Student::new(" s1234567 ")?;
/// assert_eq!(student.id(), "s1234567");
/// // Each lab has a seed of its own, and another version of a lab too.
/// assert_ne!(student.seed("measures-by-hand", 1), student.seed("measures-by-hand", 2));
/// assert!(Student::new("").is_err());
/// # Ok::<(), fivefold_labs::LabError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Student(String);

impl Student {
    /// The student of a lab that was written without an id.
    pub const ANYONE: &'static str = "anyone";

    /// A student with this id. Blanks at the ends are left out; capitals count.
    ///
    /// # Errors
    /// [`LabError::Student`] if the id is empty, longer than 100 characters, or has characters that do
    /// not print.
    pub fn new(id: &str) -> Result<Self, LabError> {
        let id = id.trim();
        if id.is_empty() || id.chars().count() > LONGEST || id.contains(fivefold_base::printable::acts) {
            return Err(LabError::Student(id.chars().take(LONGEST).collect()));
        }
        Ok(Student(id.to_owned()))
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.0
    }

    /// The seed of this student's numbers in a lab.
    pub fn seed(&self, lab: &str, version: u32) -> Seed {
        Seed::new(0).derive("fivefold-labs").derive(lab).derive_index("version", version.into()).derive(&self.0)
    }
}
