//! How far two expected values of a document lie apart (Algorithm 2 of Feng's dissertation, 2023):
//! the F1 of the tokens that are most similar to the source, less that of the least similar ones.
//!
//! The documents with the smallest distance are *HeteDoc*, those with the largest *HomoDoc*.

use crate::error::BertScoreError;
use crate::evaluate::Evaluator;

/// The two expected values of a document.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Heterogeneity {
    /// The document's id.
    pub id: String,
    /// E of F1 by `b2w`, before any rescaling.
    pub b2w: f64,
    /// E of F1 by `w2b`.
    pub w2b: f64,
}

impl Heterogeneity {
    /// The distance.
    pub fn value(&self) -> f64 {
        (self.b2w - self.w2b).abs()
    }
}

/// A group of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The smallest distances.
    HeteDoc,
    /// The largest distances.
    HomoDoc,
}

impl Group {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Group::HeteDoc => "HeteDoc",
            Group::HomoDoc => "HomoDoc",
        }
    }
}

impl Evaluator<'_> {
    /// The two expected values of each document. The settings must ask for an E that needs sources.
    ///
    /// # Errors
    /// Settings under which sources were not read; a fault within the library of tensors.
    pub fn heterogeneity(&self) -> Result<Vec<Heterogeneity>, BertScoreError> {
        let ends = self.ends()?;
        Ok(ends.into_iter().map(|(id, [b2w, w2b])| Heterogeneity { id, b2w: b2w.f1, w2b: w2b.f1 }).collect())
    }
}

/// The group of each document; `None` for those between the two groups of `size` documents. Of equal
/// distances, the earlier document comes first.
///
/// # Errors
/// Fewer documents than two groups need.
pub fn groups(documents: &[Heterogeneity], size: usize) -> Result<Vec<Option<Group>>, BertScoreError> {
    if size == 0 || documents.len() < 2 * size {
        let problem = format!("there are {} documents, too few for two groups of {size}", documents.len());
        return Err(
            BertScoreError::new(problem).help("give --group-size, at least 1 and at most half of the documents")
        );
    }
    let mut order: Vec<usize> = (0..documents.len()).collect();
    order.sort_by(|&a, &b| documents[a].value().total_cmp(&documents[b].value()));
    let mut groups = vec![None; documents.len()];
    for &place in &order[..size] {
        groups[place] = Some(Group::HeteDoc);
    }
    for &place in &order[order.len() - size..] {
        groups[place] = Some(Group::HomoDoc);
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(distances: &[f64]) -> Vec<Heterogeneity> {
        let document = |distance: &f64| Heterogeneity { id: distance.to_string(), b2w: 0.0, w2b: *distance };
        distances.iter().map(document).collect()
    }

    #[test]
    fn groups_are_the_ends_of_the_order() {
        let (hete, homo) = (Some(Group::HeteDoc), Some(Group::HomoDoc));
        let distances = documents(&[0.2, -0.3, 0.1, 0.2, 0.05]);
        assert_eq!(groups(&distances, 1).unwrap(), [None, homo, None, None, hete]);
        assert_eq!(groups(&distances, 2).unwrap(), [None, homo, hete, homo, hete]);
        for size in [0, 3] {
            let error = groups(&distances, size).unwrap_err();
            assert_eq!(error.to_string(), format!("there are 5 documents, too few for two groups of {size}"));
        }
    }
}
