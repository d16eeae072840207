//! Condorcet: a document beats another if more systems prefer it. A system prefers the document
//! with the better rank, and a document that it retrieved to one that it did not.
//!
//! The score of a document is the number of documents that it beats, plus one half for each with
//! which it is level (Copeland's count). Montague and Aslam sort by the comparison itself. That
//! comparison may go round in a circle, and the order then depends on the algorithm of the sort.
//! Copeland's count gives every document outside of circles the place that Montague and Aslam give
//! it, and documents of a circle a place that no algorithm decides.
//!
//! Cost: candidates^2 x systems.

use super::{Method, Uses};
use crate::votes::Votes;

pub(super) const CONDORCET: Method = Method {
    name: "condorcet",
    summary: "number of documents that the document beats, plus half of the number that draw with it",
    source: "Montague and Aslam, Condorcet fusion for improved retrieval, CIKM 2002; Copeland's count",
    uses: Uses::Ranks,
    parameter: None,
    fuse: |votes, _| Ok(condorcet(votes)),
};

fn condorcet(votes: &Votes<'_>) -> Vec<f64> {
    let places = places(votes);
    let mut margins = vec![0.0; votes.candidates];
    let of = |document: usize| {
        margins.fill(0.0);
        for (places, weight) in places.chunks_exact(votes.candidates).zip(votes.weights) {
            let own = places[document];
            for (margin, &other) in margins.iter_mut().zip(places) {
                *margin += weight * (f64::from(u8::from(own < other)) - f64::from(u8::from(own > other)));
            }
        }
        let won = margins.iter().filter(|margin| **margin > 0.0).count();
        let level = margins.iter().filter(|margin| **margin == 0.0).count() - 1;
        won as f64 + level as f64 / 2.0
    };
    (0..votes.candidates).map(of).collect()
}

/// The first rank of each candidate, system by system; documents that a system did not retrieve
/// have a rank behind all others.
fn places(votes: &Votes<'_>) -> Vec<u32> {
    let mut places = vec![u32::MAX; votes.systems.len() * votes.candidates];
    for (own, system) in places.chunks_exact_mut(votes.candidates.max(1)).zip(votes.systems) {
        system.documents().iter().for_each(|placed| own[placed.document] = placed.first as u32);
    }
    places
}

#[cfg(test)]
mod tests {
    use crate::{Fusion, Ranked, Ties, method};

    fn fused(candidates: usize, systems: &[&[usize]]) -> Vec<f64> {
        let ranked = |order: &&[usize]| {
            let scores = order.iter().enumerate().map(|(place, document)| (*document, -(place as f64)));
            Ranked::new(scores, Ties::Average).unwrap()
        };
        let systems: Vec<Ranked> = systems.iter().map(ranked).collect();
        Fusion::new(method("condorcet").unwrap()).scores(candidates, &systems).unwrap()
    }

    /// Three voters, of whom two always agree: their order is the order of the fusion.
    #[test]
    fn a_majority_decides() {
        assert_eq!(fused(4, &[&[2, 0, 1, 3], &[2, 0, 1, 3], &[3, 1, 0, 2]]), [2.0, 1.0, 3.0, 0.0]);
    }

    /// The paradox: each of three documents beats one and loses to one. Document 3 loses to all.
    #[test]
    fn documents_of_a_circle_are_level() {
        assert_eq!(fused(4, &[&[0, 1, 2], &[1, 2, 0], &[2, 0, 1]]), [2.0, 2.0, 2.0, 0.0]);
    }

    #[test]
    fn a_retrieved_document_beats_one_that_was_not() {
        assert_eq!(fused(3, &[&[1], &[1]]), [0.5, 2.0, 0.5]);
        assert_eq!(fused(0, &[&[]]), [0.0; 0]);
    }
}
