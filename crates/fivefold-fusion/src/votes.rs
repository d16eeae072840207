//! What a method is given: the rankings of all systems for one query, normalised and weighted.

use crate::{FusionError, Normaliser, Placed, Ranked};

/// The rankings of all systems for one query.
pub(crate) struct Votes<'a> {
    /// Number of documents, which are numbered from 0.
    pub(crate) candidates: usize,
    pub(crate) systems: &'a [Ranked],
    /// A weight for each system.
    pub(crate) weights: &'a [f64],
    pub(crate) normaliser: &'a Normaliser,
}

impl Votes<'_> {
    /// Combines, for each document, the normalised and weighted scores of the systems that
    /// retrieved it. The combination is not asked for a document that no system retrieved; its
    /// fused score is 0.
    pub(crate) fn combine_scores(&self, combine: impl Fn(&mut [f64]) -> f64) -> Result<Vec<f64>, FusionError> {
        let scores: Result<Vec<_>, _> = self.systems.iter().map(|system| self.normaliser.normalise(system)).collect();
        let scores = scores?;
        Ok(self.combine(|system, place, _| scores[system][place], combine))
    }

    /// Combines, for each document, the weighted points of its ranks. `points` gives the points of
    /// a rank from 1. Documents that share ranks get the mean of the points of these ranks.
    pub(crate) fn combine_ranks(&self, points: impl Fn(usize) -> f64, combine: impl Fn(&mut [f64]) -> f64) -> Vec<f64> {
        let mean = |_: usize, _: usize, placed: &Placed| mean_points(placed, &points);
        self.combine(mean, combine)
    }

    /// Collects the values of each document in the order of the systems, and combines them.
    fn combine(&self, value: impl Fn(usize, usize, &Placed) -> f64, combine: impl Fn(&mut [f64]) -> f64) -> Vec<f64> {
        // A system of weight 0 is left out: it is not counted either.
        let counts = |number: usize| self.weights[number] > 0.0;
        let counting = || self.systems.iter().enumerate().filter(|(number, _)| counts(*number));
        let mut starts = vec![0usize; self.candidates + 1];
        for placed in counting().flat_map(|(_, system)| system.documents()) {
            starts[placed.document + 1] += 1;
        }
        (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let mut values = vec![0.0; starts[self.candidates]];
        let mut next = starts.clone();
        for (number, system) in counting() {
            for (place, placed) in system.documents().iter().enumerate() {
                values[next[placed.document]] = self.weights[number] * value(number, place, placed);
                next[placed.document] += 1;
            }
        }
        starts
            .windows(2)
            .map(|bounds| match &mut values[bounds[0]..bounds[1]] {
                [] => 0.0,
                own => combine(own),
            })
            .collect()
    }
}

/// The mean of the points of the ranks that a document shares.
pub(crate) fn mean_points(placed: &Placed, points: impl Fn(usize) -> f64) -> f64 {
    match placed.last - placed.first + 1 {
        1 => points(placed.first),
        shared => (placed.first..=placed.last).map(points).sum::<f64>() / shared as f64,
    }
}
