//! Binary gain: a relevant document is worth less, the more documents stand above it that are not
//! relevant.
//!
//! BinG = (1/R) sum over relevant documents of 1 / log2(2 + documents above that are not relevant).
//! BinG is undefined without a relevant document; trec_eval's `binG` is then 0. Source: trec_eval,
//! `binG`.
//!
//! Ties. A relevant document at place j (from 0) of a group of m documents has j of the other m-1
//! documents above it. The number x of those that are not relevant is hypergeometric. Its
//! distribution follows from place to place, and probabilities below 1e-40 are left out, which
//! changes no bit of a sum. Cost: about 20 sqrt(m) multiplications a place of a group.

use super::NONE_RELEVANT;
use crate::conventions::NoRelevant;
use crate::entry::{Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `bing`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "bing",
    summary: "binary gain: relevant documents, discounted by the others above them",
    formula: "sum over relevant documents of 1 / log2(2 + documents above that are not relevant) / R; undefined without one",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[THRESHOLD, NO_RELEVANT],
    paper: None,
    build: |settings| {
        let (threshold, no_relevant) = (settings.get("threshold")?, settings.get("no_relevant")?);
        Ok(Box::new(BinaryGain { threshold, relevant: GradeTable::relevant(threshold), no_relevant }))
    },
};

struct BinaryGain {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for BinaryGain {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let mut above = 0;
        for group in ranked.groups(out.len()) {
            let relevant = self.relevant.sum(group.grades) as usize;
            let others = group.grades.len() - relevant;
            tied(above, [relevant, others], &mut out[group.start..group.seen]);
            above += others;
        }
    }

    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let relevant = ranked.of_positions(contributions.len(), |grades| self.relevant.mean(grades));
        let discount =
            |(&value, relevant): (&f64, f64)| [relevant, if relevant > 0.0 { value / relevant } else { 0.0 }];
        let values = contributions.iter().zip(relevant).map(discount).collect();
        let (factors, normaliser) = (Some(["relevant", "discount"]), "relevant documents");
        Parts { values, factors, normaliser, zero: NONE_RELEVANT, ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        match query.relevant(self.threshold) {
            0 => self.no_relevant.normaliser(),
            relevant => relevant as f64,
        }
    }
}

/// A probability that changes no bit of a sum.
const NEGLIGIBLE: f64 = 1e-40;

/// Fills the places of a group of `relevant` and `others` documents with their mean contributions;
/// `above` documents that are not relevant stand above the group.
fn tied(above: usize, [relevant, others]: [usize; 2], places: &mut [f64]) {
    if relevant == 0 {
        return places.fill(0.0);
    }
    let size = relevant + others;
    let worth: Vec<f64> = (above..=above + others).map(|above| 1.0 / libm::log2((2 + above) as f64)).collect();
    // `chances[x]`: the probability that x of the others stand above the place. All that is not
    // negligible lies in `first..=last`.
    let mut chances = vec![0.0; others + 1];
    chances[0] = 1.0;
    let (mut first, mut last) = (0, 0);
    for (place, slot) in places.iter_mut().enumerate() {
        let mean: f64 =
            chances[first..=last].iter().zip(&worth[first..=last]).map(|(chance, worth)| chance * worth).sum();
        *slot = relevant as f64 / size as f64 * mean;
        let left = size - 1 - place;
        if left == 0 {
            break;
        }
        for x in (first..=last).rev() {
            let one_more = chances[x] * ((others - x) as f64 / left as f64);
            chances[x] -= one_more;
            if x < others {
                chances[x + 1] += one_more;
            }
        }
        last = (last + 1).min(others);
        while first < last && chances[first] < NEGLIGIBLE {
            chances[first] = 0.0;
            first += 1;
        }
        while first < last && chances[last] < NEGLIGIBLE {
            chances[last] = 0.0;
            last -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over a group is its number of relevant documents, times the mean worth of 0 to
    /// `others` documents above: each number is equally probable.
    #[test]
    fn large_groups_have_the_sum_of_the_closed_form() {
        for [relevant, others] in [[1, 0], [1, 4000], [2000, 2000], [4000, 1], [37, 5000]] {
            let mut places = vec![f64::NAN; relevant + others];
            tied(3, [relevant, others], &mut places);
            let worth = |x: usize| 1.0 / libm::log2((5 + x) as f64);
            let mean = (0..=others).map(worth).sum::<f64>() / (others + 1) as f64;
            let (sum, expected) = (places.iter().sum::<f64>(), relevant as f64 * mean);
            assert!((sum / expected - 1.0).abs() < 1e-11, "{relevant} {others}: {sum} {expected}");
        }
    }
}
