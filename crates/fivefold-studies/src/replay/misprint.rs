//! Printed scores whose decimal point may have slipped by one place.
//!
//! Scores of one method change little from cutoff to cutoff. A score is suspected when it lies outside the range of its
//! neighbours (the cutoffs before and after) and lies inside it after its decimal point is moved by one place. Each
//! suspicion is tried out: the derived cells that the change repairs, and those that it breaks, are listed with it.

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
    /// Cells that differ as printed and follow from the moved score.
    pub repairs: Vec<CheckedCell>,
    /// Cells that follow as printed and differ with the moved score.
    pub breaks: Vec<CheckedCell>,
}

/// All suspected misprints; `cells` is the verdict on the scores as printed.
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

/// The score with its decimal point moved, if that brings it between its neighbours and it is not there as printed.
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
        // The first and the last cutoff have no two neighbours.
        assert_eq!((suspect(&[7_780, 110_000], 0), suspect(&[77_800, 11_000], 1)), (None, None));
        assert_eq!(suspect(&[0, 0, 0], 1), None);
    }
}
