//! Documents with their references and the summaries that systems wrote of them.

use std::collections::HashSet;

use fivefold_base::Version;

use crate::error::TextError;
use crate::measure::TextMeasure;
use crate::settings::Model;

/// A text to summarise, with references and one summary of each system.
///
/// ```
/// use fivefold_text::Document;
///
/// let document = Document {
///     id: "1".to_owned(),
///     source: Some("The cat sat on the mat. The end.".to_owned()),
///     references: vec!["The cat on the mat".to_owned()],
///     // The second system wrote no summary of this document.
///     candidates: vec![Some("The cat sat".to_owned()), None],
/// };
/// assert_eq!(document.candidates.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The id, by which the seed of its random summaries is derived.
    pub id: String,
    /// The text itself, from which random summaries are drawn.
    pub source: Option<String>,
    /// Summaries by people, at least one.
    pub references: Vec<String>,
    /// The summary of each system, in the order of [`Corpus::systems`]; `None` if it is missing.
    pub candidates: Vec<Option<String>>,
}

/// Documents and the systems that summarised them.
///
/// ```
/// use fivefold_text::{Corpus, Document, Seed, evaluate};
///
/// let document = Document {
///     id: "1".to_owned(),
///     source: Some("the cat sat on the mat the end".to_owned()),
///     references: vec!["the cat on the mat".to_owned()],
///     candidates: vec![Some("the cat sat".to_owned())],
/// };
/// let corpus = Corpus { systems: vec!["lead".to_owned()], documents: vec![document] };
/// let values = evaluate(&corpus, &["rouge1".parse()?], Seed::new(1))?;
/// assert_eq!(values.of(0, 0), [0.5]);
/// # Ok::<(), fivefold_text::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Corpus {
    /// Names of the systems.
    pub systems: Vec<String>,
    /// The documents.
    pub documents: Vec<Document>,
}

impl Corpus {
    /// Checks that measures can be computed.
    ///
    /// # Errors
    /// If ids of documents or systems stand twice, if a document has no reference or another number
    /// of candidates than there are systems, or if a measure needs a source or another document
    /// that is not there.
    pub fn check(&self, measures: &[TextMeasure]) -> Result<(), TextError> {
        different("system", self.systems.iter())?;
        different("document", self.documents.iter().map(|document| &document.id))?;
        for document in &self.documents {
            let id = || document.id.clone();
            let (candidates, systems) = (document.candidates.len(), self.systems.len());
            if candidates != systems {
                return Err(TextError::Candidates { document: id(), candidates, systems });
            }
            if document.references.is_empty() {
                return Err(TextError::NoReferences { document: id() });
            }
            if let (None, Some(measure)) =
                (&document.source, measures.iter().find(|measure| TextMeasure::needs_source(measure)))
            {
                let remedy = match measure.settings().model {
                    Model::Mismatch => "use `upper=one`, or give the source",
                    _ => "use `model=mismatch`, which needs no source, or give the source",
                };
                return Err(TextError::NoSource { document: id(), measure: measure.to_string(), remedy });
            }
        }
        let compares = |measure: &&TextMeasure| {
            measure.settings().model == Model::Mismatch && measure.version() != Version::Original
        };
        match measures.iter().find(compares) {
            Some(measure) if self.documents.len() == 1 => Err(TextError::OneDocument { measure: measure.to_string() }),
            _ => Ok(()),
        }
    }
}

fn different<'a>(what: &'static str, ids: impl Iterator<Item = &'a String>) -> Result<(), TextError> {
    let mut seen = HashSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(TextError::Duplicate { what, id: id.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let document = |id: &str| Document {
            id: id.to_owned(),
            source: Some("a b c".to_owned()),
            references: vec!["a b".to_owned()],
            candidates: vec![Some("a".to_owned()), None],
        };
        Corpus { systems: vec!["x".to_owned(), "y".to_owned()], documents: vec![document("1"), document("2")] }
    }

    fn error(corpus: &Corpus, measure: &str) -> String {
        corpus.check(&[measure.parse().unwrap()]).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(corpus().check(&["rouge1.v2".parse().unwrap()]), Ok(()));
        let mut changed = corpus();
        changed.documents[1].references.clear();
        assert!(error(&changed, "rouge1").starts_with("document 2 has no reference"));
        let mut changed = corpus();
        changed.documents[1].candidates.pop();
        assert!(error(&changed, "rouge1").starts_with("document 2 has 1 candidate for 2 systems"));
        let mut changed = corpus();
        changed.documents[1].id = "1".to_owned();
        assert_eq!(error(&changed, "rouge1"), "two documents have the id `1`; ids must differ");
        let mut changed = corpus();
        changed.systems[1] = "x".to_owned();
        assert_eq!(error(&changed, "rouge1"), "two systems have the id `x`; ids must differ");
    }

    #[test]
    fn a_source_is_asked_for_only_where_it_is_needed() {
        let mut without = corpus();
        without.documents[1].source = None;
        for fine in ["rouge1", "rouge1(upper=source)", "rouge1.v2(model=mismatch)"] {
            assert_eq!(without.check(&[fine.parse().unwrap()]), Ok(()), "{fine}");
        }
        let message = "document 2 has no source, but `rouge2.v2` needs one: use `model=mismatch`";
        assert!(error(&without, "rouge2.v2").starts_with(message));
        assert!(error(&without, "rouge1.v1(model=mismatch,upper=source)").contains("use `upper=one`"));
    }

    #[test]
    fn other_documents_are_asked_for_only_where_they_are_needed() {
        let mut one = corpus();
        one.documents.pop();
        assert_eq!(one.check(&["rouge1(model=mismatch)".parse().unwrap()]), Ok(()));
        assert!(error(&one, "rouge1.v1(model=mismatch)").contains("there is one document"));
    }
}
