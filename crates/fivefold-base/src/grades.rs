//! Grades, and the only place that says which grades may occur: whole numbers from 0 to the highest
//! grade of their scale.
//!
//! [`Grades`] takes no number that is not on its [`GradeScale`]. A reader fills a `Grades`, and a
//! [`DatasetBuilder`](crate::DatasetBuilder) takes nothing else. So code that is given a data set
//! does not check its grades again.

use std::ops::Range;

/// The highest grade that any collection may use; exponential gain stays exact in `f64` far beyond
/// it.
///
/// ```
/// let gain = f64::from(fivefold_base::HIGHEST_GRADE).exp2() - 1.0;
/// assert_eq!(gain, 1_073_741_823.0);
/// ```
pub const HIGHEST_GRADE: u8 = 30;

/// The grades that may occur in a collection.
///
/// ```
/// use fivefold_base::GradeScale;
///
/// let scale = GradeScale::new(Some(2));
/// assert!(scale.has(2) && !scale.has(3));
/// assert_eq!(GradeScale::new(None).highest(), 30);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradeScale {
    highest: u8,
    declared: bool,
}

impl GradeScale {
    /// Up to the highest grade that a descriptor declares; `None`: up to [`HIGHEST_GRADE`], which
    /// no declaration exceeds.
    pub const fn new(declared: Option<u8>) -> Self {
        match declared {
            Some(highest) if highest < HIGHEST_GRADE => GradeScale { highest, declared: true },
            _ => GradeScale { highest: HIGHEST_GRADE, declared: declared.is_some() },
        }
    }

    /// The highest grade that may occur.
    pub const fn highest(self) -> u8 {
        self.highest
    }

    /// Whether a number is a grade of the scale. No other code compares a grade with the highest
    /// grade.
    #[inline]
    pub const fn has(self, number: u8) -> bool {
        number <= self.highest
    }

    /// Checks that every number is a grade of the scale.
    ///
    /// # Errors
    /// The first number that is not on the scale.
    pub fn check(self, numbers: &[u8]) -> Result<(), GradeError> {
        match numbers.iter().position(|&number| !self.has(number)) {
            Some(row) => Err(GradeError { row, grade: numbers[row], highest: self.highest }),
            None => Ok(()),
        }
    }
}

/// A grade that its scale does not have.
///
/// ```
/// let error = fivefold_base::Grades::new(vec![0, 3], Some(2)).unwrap_err();
/// assert_eq!(error.to_string(), "document 2 has grade 3; the highest possible grade is 2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("document {} has grade {grade}; the highest possible grade is {highest}", row + 1)]
pub struct GradeError {
    /// Row number from 0.
    pub row: usize,
    /// The grade of the document.
    pub grade: u8,
    /// The highest grade of the scale.
    pub highest: u8,
}

/// The grades of documents, all of one scale.
///
/// ```
/// use fivefold_base::{GradeScale, Grades};
///
/// let mut grades = Grades::of(GradeScale::new(Some(2)));
/// assert!(grades.push(2) && !grades.push(3));
/// assert_eq!(grades.max_grade(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grades {
    numbers: Vec<u8>,
    scale: GradeScale,
}

impl Default for Grades {
    fn default() -> Self {
        Grades::of(GradeScale::new(None))
    }
}

impl Grades {
    /// An empty list for grades of a scale.
    pub fn of(scale: GradeScale) -> Self {
        Grades { numbers: Vec::new(), scale }
    }

    /// A list of grades from any caller. `declared` is the highest grade that the collection's
    /// descriptor declares; `None` if no descriptor declares a highest grade.
    ///
    /// ```
    /// use fivefold_base::Grades;
    ///
    /// assert_eq!(Grades::new(vec![0, 2, 1], None)?.max_grade(), 2);
    /// assert!(Grades::new(vec![0, 2, 1], Some(1)).is_err());
    /// # Ok::<(), fivefold_base::GradeError>(())
    /// ```
    ///
    /// # Errors
    /// The first grade that is not on the scale.
    pub fn new(numbers: Vec<u8>, declared: Option<u8>) -> Result<Self, GradeError> {
        let scale = GradeScale::new(declared);
        scale.check(&numbers)?;
        Ok(Grades { numbers, scale })
    }

    /// Appends a grade. Returns false, and appends nothing, if the number is not on the scale.
    #[inline]
    #[must_use]
    pub fn push(&mut self, number: u8) -> bool {
        let is_one = self.scale.has(number);
        if is_one {
            self.numbers.push(number);
        }
        is_one
    }

    /// Appends some grades of another list. The scale becomes the wider scale of both lists.
    pub fn append(&mut self, others: &Grades, range: Range<usize>) {
        self.append_known(&others.numbers[range], others.scale.highest);
    }

    /// Appends numbers that were checked before, on a scale up to `highest`.
    pub(crate) fn append_known(&mut self, numbers: &[u8], highest: u8) {
        self.numbers.extend_from_slice(numbers);
        self.scale.highest = self.scale.highest.max(highest);
    }

    /// Removes all grades, and takes grades of another scale from now on.
    pub fn restart(&mut self, scale: GradeScale) {
        self.numbers.clear();
        self.scale = scale;
    }

    /// Removes the grades from place `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
    }

    /// The scale.
    pub fn scale(&self) -> GradeScale {
        self.scale
    }

    /// The grades as numbers, one for each document.
    pub fn numbers(&self) -> &[u8] {
        &self.numbers
    }

    /// The highest grade that was declared, else the highest grade that occurs, or 0 in an empty
    /// list.
    pub fn max_grade(&self) -> u8 {
        match self.scale.declared {
            true => self.scale.highest,
            false => self.numbers.iter().copied().max().unwrap_or(0),
        }
    }

    /// The grades as numbers, without their scale.
    pub(crate) fn into_numbers(self) -> Vec<u8> {
        self.numbers
    }
}

/// What the qrels say of a document that a run retrieved.
///
/// ```
/// use fivefold_base::Assessment;
///
/// let found = [Some(2), Some(0), None].map(Assessment::from);
/// assert_eq!(found.map(Assessment::grade), [2, 0, 0]);
/// assert_eq!(found.map(Assessment::is_judged), [true, true, false]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assessment {
    /// The document was judged, and has this grade.
    Judged(u8),
    /// The document is in the pool, but was not judged: its grade in the qrels is negative.
    Pooled,
    /// The document is not in the qrels.
    Unjudged,
}

impl Assessment {
    /// The grade; 0 if the document was not judged.
    pub const fn grade(self) -> u8 {
        match self {
            Assessment::Judged(grade) => grade,
            Assessment::Pooled | Assessment::Unjudged => 0,
        }
    }

    /// Whether the document was judged.
    pub const fn is_judged(self) -> bool {
        matches!(self, Assessment::Judged(_))
    }
}

impl From<u8> for Assessment {
    fn from(grade: u8) -> Self {
        Assessment::Judged(grade)
    }
}

impl From<Option<u8>> for Assessment {
    fn from(grade: Option<u8>) -> Self {
        grade.map_or(Assessment::Unjudged, Assessment::Judged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_declaration_exceeds_the_highest_grade() {
        for (declared, highest) in
            [(None, 30), (Some(0), 0), (Some(4), 4), (Some(30), 30), (Some(31), 30), (Some(255), 30)]
        {
            let scale = GradeScale::new(declared);
            assert_eq!(scale.highest(), highest);
            assert_eq!((0..=255).filter(|&number| scale.has(number)).count(), usize::from(highest) + 1);
        }
    }

    #[test]
    fn grades_of_anybody_are_checked_and_the_first_wrong_one_is_named() {
        let error = Grades::new(vec![1, 0, 2, 3], Some(1)).unwrap_err();
        assert_eq!(error, GradeError { row: 2, grade: 2, highest: 1 });
        assert!(Grades::new(vec![31], None).is_err() && Grades::new(vec![31], Some(200)).is_err());
    }

    #[test]
    fn the_highest_grade_is_the_declared_one_else_that_which_occurs() {
        let of = |declared| Grades::new(vec![0, 2], declared).unwrap().max_grade();
        assert_eq!((of(None), of(Some(4)), Grades::of(GradeScale::new(None)).max_grade()), (2, 4, 0));
    }

    /// A list cannot hold what its scale does not have, whatever scale a grade comes from.
    #[test]
    fn grades_of_a_wider_scale_widen_the_list() {
        let of = |highest| Grades::of(GradeScale::new(Some(highest)));
        let (mut grades, mut others) = (of(2), of(4));
        assert!(grades.push(1) && !grades.push(3) && others.push(0) && others.push(4));
        assert_eq!((grades.max_grade(), grades.numbers()), (2, &[1][..]));
        grades.append(&others, 1..2);
        assert_eq!((grades.max_grade(), grades.numbers()), (4, &[1, 4][..]));
        grades.truncate(1);
        assert_eq!(grades.numbers(), [1]);
        grades.restart(GradeScale::new(Some(2)));
        assert!(grades.numbers().is_empty() && !grades.push(3));
    }
}
