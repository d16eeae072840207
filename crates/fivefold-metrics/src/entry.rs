//! The entry of a measure: its name, its help texts, its parameters with their defaults, and its
//! constructor.

use std::fmt::Display;
use std::str::FromStr;

use fivefold_base::HIGHEST_GRADE;

use crate::conventions::{Conventions, HighestGrade, NoRelevant, above_0};
use crate::dialect::by_dialect;
use crate::error::MeasureError;
use crate::measure::Measure;

/// One registered measure.
///
/// ```
/// use fivefold_metrics::{MEASURES, MeasureSpec};
///
/// let rbp = MEASURES.iter().find(|entry| entry.name == "rbp").unwrap();
/// assert_eq!(rbp.params[0].name, "p");
/// assert_eq!("rbp(p=0.5)".parse::<MeasureSpec>()?.entry().name, rbp.name);
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MeasureEntry {
    /// The name that a specification begins with.
    pub name: &'static str,
    /// The measure in a line.
    pub summary: &'static str,
    /// The formula in plain text.
    pub formula: &'static str,
    /// The publication or program that defines the measure.
    pub source: &'static str,
    /// Which cutoffs the measure takes.
    pub cutoffs: Cutoffs,
    /// Its parameters, in the order in which they are printed.
    pub params: &'static [Param],
    /// What it asks of the data.
    pub asks: Asks,
    /// Where the paper behind V1 and V2 prints it, if it does.
    pub paper: Option<InPaper>,
    /// Why V1 and V2 do not exist; `None` if they exist.
    pub no_ue: Option<&'static str>,
    /// Makes the measure from complete parameters.
    pub build: fn(&Settings) -> Result<Box<dyn Measure>, MeasureError>,
}

/// What a measure asks of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Whether each document is relevant.
    Binary,
    /// How relevant each document is.
    Grades,
    /// Which documents were judged, in a pool that was judged in part.
    Pool,
    /// To which subtopics of its topic each document is relevant.
    Subtopics,
}

impl Asks {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [Asks; 4] = [Asks::Binary, Asks::Grades, Asks::Pool, Asks::Subtopics];

    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Asks::Binary => "relevant documents (a grade of at least the threshold)",
            Asks::Grades => "grades",
            Asks::Pool => "which documents were judged (qrels of pools that were judged in part)",
            Asks::Subtopics => "subtopics (qrels whose second column is a subtopic)",
        }
    }
}

/// Where Feng & Karmaker (IPM 2023) print a measure with its conventions as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InPaper {
    /// The number of its first table; the other tables of the measure follow on.
    pub first_table: u32,
    /// The number of the figure of its expected values.
    pub figure: u32,
}

/// Which cutoffs a measure takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cutoffs {
    /// Any cutoff; without a cutoff the measure is over the whole list.
    Optional,
    /// The measure needs a cutoff.
    Required,
    /// The measure takes no cutoff: the whole list counts.
    Never,
    /// The measure takes no cutoff: always this number of documents counts.
    Fixed(usize),
}

impl Cutoffs {
    /// The rule in words.
    pub fn words(self) -> &'static str {
        match self {
            Cutoffs::Optional => "optional; without a cutoff, the whole list",
            Cutoffs::Required => "required",
            Cutoffs::Never => "no cutoff; the measure is about the whole list",
            Cutoffs::Fixed(_) => "no cutoff; the measure always looks at the same ranks",
        }
    }
}

/// One parameter of a measure.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// The effect of the parameter, in a line.
    pub help: &'static str,
    /// The values that it can take.
    pub values: &'static str,
    /// The canonical form of a value; `None` if the parameter cannot take the value.
    pub canonical: fn(&str) -> Option<String>,
    /// The value if the measure's name does not give the parameter. The second argument is the
    /// collection's highest grade.
    pub default: fn(&Conventions, u8) -> String,
    /// The usual value, which is not printed among the conventions in force.
    pub usual: Option<&'static str>,
}

impl Param {
    /// The value if the measure's name does not give the parameter, in words: that of most dialects
    /// first, then those of the others.
    pub fn defaults(&self) -> String {
        by_dialect(|dialect| {
            let conventions = dialect.conventions();
            let (low, high) = ((self.default)(&conventions, 1), (self.default)(&conventions, HIGHEST_GRADE));
            if low == high { low } else { "the highest grade".to_owned() }
        })
    }

    /// The canonical form of a value.
    pub(crate) fn read(&self, measure: &'static str, value: &str) -> Result<String, MeasureError> {
        (self.canonical)(value).ok_or_else(|| MeasureError::Value {
            measure,
            param: self.name,
            value: value.to_owned(),
            must_be: self.values.to_owned(),
        })
    }
}

/// The written form of a word, for [`Param::canonical`].
pub(crate) fn word<T: FromStr + Display>(text: &str) -> Option<String> {
    text.parse::<T>().ok().map(|value| value.to_string())
}

/// The written form of a number for which `holds`, for [`Param::canonical`].
pub(crate) fn number(text: &str, holds: impl Fn(f64) -> bool) -> Option<String> {
    text.parse().ok().filter(|&value: &f64| value.is_finite() && holds(value)).map(|value| value.to_string())
}

/// The written form of a grade, for [`Param::canonical`].
pub(crate) fn grade(text: &str) -> Option<String> {
    above_0(text).map(|value| value.to_string())
}

/// The lowest grade that counts as relevant, a parameter of several measures.
pub(crate) const THRESHOLD: Param = Param {
    name: "threshold",
    help: "the lowest grade that counts as relevant",
    values: "a grade from 1 to 30",
    canonical: grade,
    default: |conventions, _| conventions.threshold.to_string(),
    usual: None,
};

/// The value without a relevant document, a parameter of several measures.
pub(crate) const NO_RELEVANT: Param = Param {
    name: "no_relevant",
    help: "the value of a query without a relevant document: undefined, or 0",
    values: "undefined or zero",
    canonical: word::<NoRelevant>,
    default: |conventions, _| conventions.no_relevant.to_string(),
    usual: Some("undefined"),
};

/// The highest possible grade, a parameter of several measures.
pub(crate) const MAX_GRADE: Param = Param {
    name: "max_grade",
    help: "the highest possible grade; by default the collection's",
    values: "a grade from 1 to 30",
    canonical: grade,
    default: |conventions, max_grade| match conventions.max_grade {
        // If no document is relevant, any highest grade gives 0.
        HighestGrade::Collection => max_grade.max(1).to_string(),
        HighestGrade::Always(grade) => grade.to_string(),
    },
    usual: None,
};

/// A value for each parameter of a measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub(crate) measure: &'static str,
    /// In the order of the entry's parameters.
    pub(crate) values: Vec<(&'static str, String)>,
    /// The collection's highest grade.
    pub(crate) max_grade: u8,
}

impl Settings {
    /// The measure and its values, without those that are usual.
    pub(crate) fn describe(&self, entry: &MeasureEntry) -> String {
        let values = entry.params.iter().zip(&self.values);
        let telling = values.filter(|(param, (_, value))| param.usual != Some(value));
        let values: Vec<String> = telling.map(|(_, (name, value))| format!("{name}={value}")).collect();
        format!("{}: {}", self.measure, values.join(", "))
    }

    /// The value of a parameter.
    ///
    /// # Errors
    /// If the measure has no such parameter, or the value is not a `T`: the [`MeasureEntry`] is
    /// wrong.
    pub fn get<T: FromStr>(&self, name: &'static str) -> Result<T, MeasureError> {
        let Some((_, text)) = self.values.iter().find(|(param, _)| *param == name) else {
            let known = self.values.iter().map(|(param, _)| *param);
            return Err(MeasureError::unknown(format!("parameter of `{}`", self.measure), name, known));
        };
        text.parse().map_err(|_| self.wrong(name, std::any::type_name::<T>()))
    }

    /// The error for a value that does not fit.
    pub(crate) fn wrong(&self, param: &'static str, must_be: impl Into<String>) -> MeasureError {
        let value = self.values.iter().find(|(name, _)| *name == param).map_or("", |(_, text)| text).to_owned();
        MeasureError::Value { measure: self.measure, param, value, must_be: must_be.into() }
    }

    /// The parameter [`MAX_GRADE`], which must not be below the collection's highest grade.
    pub(crate) fn highest_grade(&self) -> Result<u8, MeasureError> {
        match self.get("max_grade")? {
            highest if highest < self.max_grade => {
                Err(self.wrong("max_grade", format!("at least the collection's highest grade {}", self.max_grade)))
            }
            highest => Ok(highest),
        }
    }

    /// The collection's highest grade.
    pub fn max_grade(&self) -> u8 {
        self.max_grade
    }
}
