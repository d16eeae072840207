//! One summary, in one line.

use fivefold_base::Seed;

use crate::corpus::{Corpus, Document};
use crate::error::TextError;
use crate::evaluate::evaluate;
use crate::measure::TextMeasure;

/// The value of one summary, as a measure's name asks for it; `None` if it is undefined. Versions V1
/// and V2 need the source.
///
/// ```
/// use fivefold_text::value;
///
/// let (summary, references) = ("The cat sat.", ["The cat on the mat"]);
/// assert_eq!(value("rouge1", summary, &references, None)?, Some(0.5));
/// let source = "The cat sat on the mat. The end.";
/// let v2 = value("rouge1.v2(length=candidate)", summary, &references, Some(source))?.unwrap();
/// assert!((v2 + 0.030303).abs() < 1e-6);
/// # Ok::<(), fivefold_text::TextError>(())
/// ```
///
/// # Errors
/// If the name is wrong, if there is no reference, or if the measure needs a source or other
/// documents. Random summaries, if E has no closed form, come from seed 0.
pub fn value(
    measure: &str,
    candidate: &str,
    references: &[&str],
    source: Option<&str>,
) -> Result<Option<f64>, TextError> {
    let measure: TextMeasure = measure.parse()?;
    let document = Document {
        id: "1".to_owned(),
        source: source.map(str::to_owned),
        references: references.iter().map(|&text| text.to_owned()).collect(),
        candidates: vec![Some(candidate.to_owned())],
    };
    let corpus = Corpus { systems: vec!["candidate".to_owned()], documents: vec![document] };
    let values = evaluate(&corpus, &[measure], Seed::new(0))?;
    Ok(values.of(0, 0).first().copied().filter(|value| !value.is_nan()))
}
