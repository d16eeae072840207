//! The documents that one system ranked for one query.

use crate::FusionError;

/// The ranks of documents with equal scores.
///
/// ```
/// use fivefold_fusion::{Ranked, Ties};
///
/// let list = [(4, 1.0), (2, 1.0)];
/// let shared = Ranked::new(list, Ties::Average)?;
/// assert_eq!((shared.documents()[0].first, shared.documents()[0].last), (1, 2));
/// let given = Ranked::new(list, Ties::Given)?;
/// assert_eq!((given.documents()[1].first, given.documents()[1].last), (2, 2));
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Documents of equal score share their ranks: each gets the mean of what the ranks give.
    #[default]
    Average,
    /// Each document has a rank of its own. Documents of equal score keep the order in which they
    /// were listed.
    Given,
}

/// A document with its score and its ranks.
///
/// ```
/// use fivefold_fusion::{Ranked, Ties};
///
/// let ranked = Ranked::new([(7, 0.5), (3, 2.0)], Ties::Average)?;
/// let best = ranked.documents()[0];
/// assert_eq!((best.document, best.score, best.first), (3, 2.0, 1));
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Placed {
    /// The document: its number among the candidates of the query, from 0.
    pub document: usize,
    /// The system's score.
    pub score: f64,
    /// The first rank of the documents with this score, from 1.
    pub first: usize,
    /// The last rank of the documents with this score; `first` if no other document shares it.
    pub last: usize,
}

/// The documents that one system ranked for one query, best first.
///
/// ```
/// use fivefold_fusion::{Ranked, Ties};
///
/// let ranked = Ranked::new([(0, 0.1), (1, 0.9)], Ties::Average)?;
/// assert_eq!(ranked.documents().iter().map(|placed| placed.document).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    documents: Vec<Placed>,
}

impl Ranked {
    /// Ranks documents by their scores; a higher score comes earlier. `documents` holds pairs of a
    /// document's number and its score.
    ///
    /// # Errors
    /// If a score is not finite, or if a document stands twice.
    pub fn new(documents: impl IntoIterator<Item = (usize, f64)>, ties: Ties) -> Result<Self, FusionError> {
        let placed = |(document, score): (usize, f64)| Placed { document, score, first: 0, last: 0 };
        let mut documents: Vec<Placed> = documents.into_iter().map(placed).collect();
        if let Some(&Placed { document, score, .. }) = documents.iter().find(|placed| !placed.score.is_finite()) {
            return Err(FusionError::Score { document, score });
        }
        let mut numbers: Vec<usize> = documents.iter().map(|placed| placed.document).collect();
        numbers.sort_unstable();
        if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(FusionError::Twice(pair[0]));
        }
        // `-0.0` and `0.0` are equal scores, which `total_cmp` would tell apart.
        documents.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(std::cmp::Ordering::Equal));
        let mut rank = 0;
        let shares = |a: &Placed, b: &Placed| ties == Ties::Average && a.score == b.score;
        for group in documents.chunk_by_mut(shares) {
            let (first, last) = (rank + 1, rank + group.len());
            group.iter_mut().for_each(|placed| (placed.first, placed.last) = (first, last));
            rank = last;
        }
        Ok(Ranked { documents })
    }

    /// The documents, best first.
    pub fn documents(&self) -> &[Placed] {
        &self.documents
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_by_hand() {
        let list = [(0, 1.0), (1, 3.0), (2, 1.0), (3, -0.0), (4, 0.0)];
        let ranks = |ties| {
            let ranked = Ranked::new(list, ties).unwrap();
            ranked.documents().iter().map(|placed| (placed.document, placed.first, placed.last)).collect::<Vec<_>>()
        };
        assert_eq!(ranks(Ties::Average), [(1, 1, 1), (0, 2, 3), (2, 2, 3), (3, 4, 5), (4, 4, 5)]);
        assert_eq!(ranks(Ties::Given), [(1, 1, 1), (0, 2, 2), (2, 3, 3), (3, 4, 4), (4, 5, 5)]);
    }

    #[test]
    fn scores_that_are_no_numbers_and_documents_twice_are_refused() {
        let refused = |list: &[(usize, f64)]| Ranked::new(list.iter().copied(), Ties::Average).unwrap_err();
        assert_eq!(refused(&[(5, f64::INFINITY)]), FusionError::Score { document: 5, score: f64::INFINITY });
        assert!(matches!(refused(&[(1, 0.0), (2, f64::NAN)]), FusionError::Score { document: 2, .. }));
        assert_eq!(refused(&[(1, 0.0), (1, 2.0)]), FusionError::Twice(1));
    }
}
