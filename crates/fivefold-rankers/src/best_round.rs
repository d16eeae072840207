//! The best round of a boosting on the validation part, and when to stop. A round adds to the score
//! of every document.

use fivefold_core::{Dataset, FitContext, FitError};
use fivefold_metrics::{Objective, Scratch};

use crate::patience::Patience;
use crate::validation::validation;

/// The rounds so far on the validation part.
pub(crate) struct BestRound<'a> {
    data: &'a Dataset,
    objective: Objective,
    scores: Vec<f64>,
    scratch: Scratch,
    patience: Patience,
}

impl<'a> BestRound<'a> {
    /// `None` if `patience` is 0, or without a validation part that can tell models apart. All
    /// rounds are kept then.
    pub fn new(
        cx: &FitContext<'a>,
        patience: usize,
        measure: impl Fn(&Dataset) -> Result<Objective, FitError>,
    ) -> Result<Option<Self>, FitError> {
        if patience == 0 {
            return Ok(None);
        }
        let Some((data, objective)) = validation(cx, measure)? else { return Ok(None) };
        let (scores, scratch) = (vec![0.0; data.documents()], Scratch::default());
        Ok(Some(BestRound { data, objective, scores, scratch, patience: Patience::new(patience) }))
    }

    /// Adds a round, in which a document's score rises by `change` of its features; returns whether
    /// to stop.
    pub fn add(&mut self, change: impl Fn(&[f32]) -> f64) -> Result<bool, FitError> {
        self.change(change);
        let value = self.objective.mean(&self.scores, &mut self.scratch);
        let value = value.map_err(|error| FitError::Numeric(error.to_string()))?;
        self.patience.improves(value);
        Ok(self.patience.is_exhausted())
    }

    fn change(&mut self, change: impl Fn(&[f32]) -> f64) {
        let rows = self.data.queries().flat_map(|query| query.view().rows());
        self.scores.iter_mut().zip(rows).for_each(|(score, row)| *score += change(row));
    }

    /// Goes on after the rounds of an earlier fit.
    pub fn resume<F: Fn(&[f32]) -> f64>(&mut self, changes: impl Iterator<Item = F>, patience: Patience) {
        changes.for_each(|change| self.change(change));
        self.patience = patience;
    }

    /// The values so far.
    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// How many rounds to keep: up to the best round, or the first of equal rounds.
    pub fn best_rounds(&self) -> usize {
        self.patience.best_step()
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::boosting::objective;
    use crate::test_data::rows;

    #[test]
    fn the_first_of_the_best_rounds_is_kept() {
        let data = rows(&[&[(0, &[1.0]), (1, &[2.0])]]);
        let context = FitContext::new(Seed::new(1)).with_validation(&data);
        let measure = |data: &Dataset| objective("stop_measure", "rr", data, Seed::new(1));
        let mut rounds = BestRound::new(&context, 2, measure).unwrap().unwrap();
        // Reciprocal rank 1/2, 1, 1, and 1/2 after the fourth round.
        let steps = [-1.0, 2.0, 1.0, -9.0];
        let stops: Vec<bool> = steps.iter().map(|step| rounds.add(|row| step * f64::from(row[0])).unwrap()).collect();
        assert_eq!((stops, rounds.best_rounds()), (vec![false, false, false, true], 2));
        assert!(BestRound::new(&context, 0, measure).unwrap().is_none());
        assert!(BestRound::new(&FitContext::new(Seed::new(1)), 2, measure).unwrap().is_none());
    }
}
