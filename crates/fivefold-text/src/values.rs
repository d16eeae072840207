//! Values of text measures by measure, system and document, with what went into V1 and V2.

use fivefold_base::Version;
use fivefold_base::ue::slopes;

use crate::measure::TextMeasure;
use crate::settings::Clip;

/// One of the numbers of a text.
///
/// ```
/// use fivefold_text::Column;
///
/// assert_eq!(Column::ALL.len(), 6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// A, the value of the metric.
    Score,
    /// E, the value expected of a random summary.
    Expected,
    /// The standard error of E; 0 if E is exact.
    ExpectedError,
    /// U, the upper bound.
    Upper,
    /// V1.
    V1,
    /// V2.
    V2,
}

impl Column {
    /// All columns, in the order in which they are stored.
    pub const ALL: [Column; 6] =
        [Column::Score, Column::Expected, Column::ExpectedError, Column::Upper, Column::V1, Column::V2];

    fn place(self) -> usize {
        self as usize
    }
}

impl From<Version> for Column {
    fn from(version: Version) -> Self {
        match version {
            Version::Original => Column::Score,
            Version::V1 => Column::V1,
            Version::V2 => Column::V2,
        }
    }
}

/// How many texts and values of one measure are out of the ordinary.
///
/// ```
/// use fivefold_text::TextCounts;
///
/// assert_eq!(TextCounts::default().empty_candidates, 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextCounts {
    /// Summaries that are missing; their values are NaN.
    pub missing_candidates: usize,
    /// Summaries without a unit (an N-gram order longer than the text counts too).
    pub empty_candidates: usize,
    /// References without a unit, of those that the measure uses.
    pub empty_references: usize,
    /// Documents whose source has no token.
    pub empty_sources: usize,
    /// Documents without a source.
    pub without_source: usize,
    /// Summaries that are there, but whose A is undefined: `empty=skip`.
    pub undefined_scores: usize,
    /// Values with A, but with undefined E, V1 and V2: there is no source, or no other summary.
    pub without_expected: usize,
    /// Values with A and E, but with undefined V1 and V2: U and E are equal up to rounding, or U is
    /// lower.
    pub undefined_ue: usize,
}

/// Values of measures x systems x documents.
///
/// ```
/// use fivefold_text::{Column, Corpus, Document, Seed, evaluate};
///
/// let document = Document {
///     id: "1".to_owned(),
///     source: Some("the cat sat on the mat the end".to_owned()),
///     references: vec!["the cat on the mat".to_owned()],
///     candidates: vec![Some("the cat sat".to_owned())],
/// };
/// let corpus = Corpus { systems: vec!["lead".to_owned()], documents: vec![document] };
/// let values = evaluate(&corpus, &["rouge2.v2(length=fixed:3)".parse()?], Seed::new(1))?;
/// let of = |column| values.column(column, 0, 0)[0];
/// assert!((of(Column::Score) - 1.0 / 3.0).abs() < 1e-12);
/// assert!((of(Column::Expected) - 0.3125 / 3.0).abs() < 1e-12);
/// // The version that the name asks for.
/// assert_eq!(values.of(0, 0), [of(Column::V2)]);
/// # Ok::<(), fivefold_text::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TextValues {
    /// The measures, in the order asked for.
    pub measures: Vec<TextMeasure>,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Ids of the documents.
    pub documents: Vec<String>,
    /// What is out of the ordinary, by measure.
    pub counts: Vec<TextCounts>,
    /// By column, measure, system and document. NaN for a value that is missing or undefined.
    values: Vec<f64>,
}

impl TextValues {
    /// All values NaN.
    pub(crate) fn new(measures: &[TextMeasure], systems: &[String], documents: Vec<String>) -> Self {
        let cells = Column::ALL.len() * measures.len() * systems.len() * documents.len();
        TextValues {
            measures: measures.to_vec(),
            systems: systems.to_vec(),
            documents,
            counts: vec![TextCounts::default(); measures.len()],
            values: vec![f64::NAN; cells],
        }
    }

    /// The values of one system under one measure, in the version that its name asks for and in the
    /// order of the documents. NaN for a value that is missing or undefined.
    pub fn of(&self, measure: usize, system: usize) -> &[f64] {
        self.column(self.measures[measure].version().into(), measure, system)
    }

    /// A column of one system under one measure, in the order of the documents.
    pub fn column(&self, column: Column, measure: usize, system: usize) -> &[f64] {
        let start = self.place(column, measure, system, 0);
        &self.values[start..start + self.documents.len()]
    }

    /// The mean of a column over all systems and documents where it is defined; NaN if it is
    /// nowhere defined.
    pub fn mean(&self, column: Column, measure: usize) -> f64 {
        let start = self.place(column, measure, 0, 0);
        let all = &self.values[start..start + self.systems.len() * self.documents.len()];
        let defined = all.iter().filter(|value| !value.is_nan());
        let (count, sum) = defined.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
        if count == 0 { f64::NAN } else { sum / f64::from(count) }
    }

    /// The standard error that the mean of a column has from a drawn E; 0 if E is exact. Documents are
    /// drawn apart. The summaries of one document share their draws, so their errors add up.
    ///
    /// ```
    /// use fivefold_text::{Column, Corpus, Document, Seed, evaluate};
    ///
    /// let document = Document {
    ///     id: "1".to_owned(),
    ///     source: Some("the cat sat on the mat the end".to_owned()),
    ///     references: vec!["the cat on the mat".to_owned()],
    ///     candidates: vec![Some("the cat sat".to_owned())],
    /// };
    /// let corpus = Corpus { systems: vec!["lead".to_owned()], documents: vec![document] };
    /// let values = evaluate(&corpus, &["rouge1".parse()?, "rougeL(model=sample)".parse()?], Seed::new(1))?;
    /// assert_eq!(values.mean_error(Column::Expected, 0), 0.0);
    /// assert!(values.mean_error(Column::Expected, 1) > 0.0);
    /// assert_eq!(values.mean_error(Column::Score, 1), 0.0);
    /// # Ok::<(), fivefold_text::TextError>(())
    /// ```
    pub fn mean_error(&self, column: Column, measure: usize) -> f64 {
        let clips = self.measures[measure].settings().clip == Clip::Zero;
        let (mut count, mut squares) = (0, 0.0);
        for document in 0..self.documents.len() {
            let mut of_document = 0.0;
            for system in 0..self.systems.len() {
                let of = |column| self.values[self.place(column, measure, system, document)];
                if of(column).is_nan() {
                    continue;
                }
                let [a, e, u] = [Column::Score, Column::Expected, Column::Upper].map(of);
                let slope = match column {
                    Column::Expected => 1.0,
                    Column::V2 if clips && a < e => 0.0,
                    Column::V1 => slopes(Version::V1, a, u, e)[1],
                    Column::V2 => slopes(Version::V2, a, u, e)[1],
                    Column::Score | Column::Upper | Column::ExpectedError => 0.0,
                };
                count += 1;
                if slope != 0.0 {
                    of_document += slope * of(Column::ExpectedError);
                }
            }
            squares += of_document * of_document;
        }
        if count == 0 { f64::NAN } else { squares.sqrt() / f64::from(count) }
    }

    pub(crate) fn set(&mut self, column: Column, [measure, system, document]: [usize; 3], value: f64) {
        let place = self.place(column, measure, system, document);
        self.values[place] = value;
    }

    fn place(&self, column: Column, measure: usize, system: usize, document: usize) -> usize {
        let row = (column.place() * self.measures.len() + measure) * self.systems.len() + system;
        row * self.documents.len() + document
    }
}
