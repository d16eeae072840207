//! Printed scores whose decimal point may have slipped by one place.
//!
//! Scores of a method change little from cutoff to cutoff. The neighbours of a score are the scores
//! at the cutoffs before and after. A score is suspected of a misprint if it is outside the range
//! of its neighbours, but inside after its decimal point moves by one place. The replay then moves
//! the decimal point, and lists the derived cells that the change repairs or breaks.

use super::check::{CheckedCell, Verdict, check_all};
use super::published::{DerivedRow, PublishedScores, ScoreBlock};

/// A suspected misprint.
#[derive(Debug, Clone, PartialEq)]
pub struct Misprint {
    /// Data set.
    pub dataset: String,
    /// Measure.
    pub metric: String,
    /// Method.
    pub method: String,
    /// Cutoff.
    pub cutoff: u32,
    /// The printed score.
    pub printed: f64,
    /// The score with its decimal point moved.
    pub moved: f64,
    /// Cells that differ as printed, but follow from the moved score.
    pub repairs: Vec<CheckedCell>,
    /// Cells that follow as printed, but differ with the moved score.
    pub breaks: Vec<CheckedCell>,
}

/// All suspected misprints. `cells` are the verdicts on the scores as printed.
pub(super) fn find(scores: &PublishedScores, derived: &[DerivedRow], cells: &[CheckedCell]) -> Vec<Misprint> {
    let mut found = Vec::new();
    for (index, block) in scores.blocks.iter().enumerate() {
        for (method, row) in block.scores.iter().enumerate() {
            for cutoff in 0..row.len() {
                let Some(moved) = suspect(row, cutoff) else { continue };
                let mut changed = scores.clone();
                changed.blocks[index].scores[method][cutoff] = moved;
                found.push(misprint(block, (method, cutoff, moved), cells, check_all(&changed, derived)));
            }
        }
    }
    found
}

/// The score with its decimal point moved, if the moved score is between its neighbours and the
/// printed score is not.
fn suspect(row: &[i64], at: usize) -> Option<i64> {
    let (before, after) = (*row.get(at.checked_sub(1)?)?, *row.get(at + 1)?);
    let between = |score: i64| (before.min(after)..=before.max(after)).contains(&score);
    let score = row[at];
    [score * 10, score / 10].into_iter().find(|&moved| moved != score && !between(score) && between(moved))
}

fn misprint(
    block: &ScoreBlock,
    (method, cutoff, moved): (usize, usize, i64),
    before: &[CheckedCell],
    after: Vec<CheckedCell>,
) -> Misprint {
    let (mut repairs, mut breaks) = (Vec::new(), Vec::new());
    for (old, new) in before.iter().zip(after) {
        if old.verdict == Verdict::Differs && new.verdict.follows() {
            repairs.push(new);
        } else if old.verdict.follows() && new.verdict == Verdict::Differs {
            breaks.push(new);
        }
    }
    Misprint {
        dataset: block.dataset.clone(),
        metric: block.metric.clone(),
        method: block.methods[method].clone(),
        cutoff: block.cutoffs[cutoff],
        printed: block.scores[method][cutoff] as f64 / 1e6,
        moved: moved as f64 / 1e6,
        repairs,
        breaks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slipped_point_is_suspected() {
        assert_eq!(suspect(&[77_800, 11_600, 140_000], 1), Some(116_000));
        assert_eq!(suspect(&[77_800, 1_160_000, 140_000], 1), Some(116_000));
        assert_eq!(suspect(&[77_800, 50_000, 140_000], 1), None);
        assert_eq!(suspect(&[77_800, 100_000, 140_000], 1), None);
        assert_eq!(suspect(&[-30_000, -2_500, -20_000], 1), Some(-25_000));
        // The first and the last cutoff have only one neighbour.
        assert_eq!((suspect(&[7_780, 110_000], 0), suspect(&[77_800, 11_000], 1)), (None, None));
        assert_eq!(suspect(&[0, 0, 0], 1), None);
    }
}
