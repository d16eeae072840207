//! The ranking of one query: documents in the order of their scores.

use fivefold_metrics::Scratch;

/// Arrays by position in the ranking of one query.
#[derive(Default)]
pub(crate) struct Ranking {
    /// The numbers that break ties, by row.
    places: Vec<u32>,
    /// The upper bits of the score, and the row, of each document.
    keys: Vec<u64>,
    pub(super) order: Vec<u32>,
    pub(super) grades: Vec<u8>,
    pub(super) scores: Vec<f64>,
    pub(super) exponentials: Vec<f64>,
    pub(super) changes: Vec<f64>,
    pub(super) gains: Vec<f64>,
    pub(super) discounts: Vec<f64>,
    pub(super) first: Vec<f64>,
    pub(super) second: Vec<f64>,
    pub(super) scratch: Scratch,
}

impl Ranking {
    /// Sorts the documents: the highest score comes first, and of equal scores the lowest place.
    /// `fill` writes the places. It is called only if scores are equal or close.
    pub(super) fn rank(&mut self, scores: &[f64], grades: &[u8], fill: impl FnOnce(&mut Vec<u32>)) {
        // The row takes the lowest bits of a score, so a key is one word. Documents whose scores
        // differ in these bits alone are put in order afterwards.
        let row_bits = scores.len().next_power_of_two().trailing_zeros();
        self.keys.clear();
        self.keys.extend((0..).zip(scores).map(|(row, &score)| falling(score) >> row_bits << row_bits | row));
        self.keys.sort_unstable();
        self.order.clear();
        self.order.extend(self.keys.iter().map(|key| (key & ((1 << row_bits) - 1)) as u32));
        let is_close = |one: u64, other: u64| one >> row_bits == other >> row_bits;
        if self.keys.windows(2).any(|pair| is_close(pair[0], pair[1])) {
            fill(&mut self.places);
            let places = &self.places;
            let mut start = 0;
            for keys in self.keys.chunk_by(|&one, &other| is_close(one, other)) {
                if keys.len() > 1 {
                    self.order[start..start + keys.len()]
                        .sort_unstable_by_key(|&row| (falling(scores[row as usize]), places[row as usize], row));
                }
                start += keys.len();
            }
        }
        self.grades.clear();
        self.grades.extend(self.order.iter().map(|&row| grades[row as usize]));
        self.scores.clear();
        self.scores.extend(self.order.iter().map(|&row| scores[row as usize]));
    }
}

/// A number that falls as the score rises; equal scores (also 0 and -0) give equal numbers.
fn falling(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    if bits >> 63 == 0 { !bits & (u64::MAX >> 1) } else { bits }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;

    #[test]
    fn documents_stand_by_score_then_by_place() {
        let mut rng = Seed::new(12).rng();
        let grades = [0; 300];
        for documents in [1, 2, 3, 120, 128, 300] {
            for drawn in [0, documents / 3, documents] {
                // Equal scores, scores that differ in the lowest bits, and other scores.
                let score = |kind: usize| match kind {
                    0 => 0.5,
                    1 => -0.0,
                    2 => 0.0,
                    kind => f64::from_bits(0.75f64.to_bits() + kind as u64),
                };
                let mut scores: Vec<f64> = (0..documents).map(|_| score(rng.below(9) as usize)).collect();
                (0..drawn).for_each(|row| scores[row] = rng.normal());
                let mut places: Vec<u32> = (0..documents as u32).collect();
                rng.shuffle(&mut places);
                let (mut ranking, mut asked) = (Ranking::default(), false);
                ranking.rank(&scores, &grades[..documents], |out| {
                    asked = true;
                    out.clone_from(&places);
                });
                let mut expected: Vec<u32> = (0..documents as u32).collect();
                expected.sort_by(|&a, &b| {
                    let [a, b] = [a, b].map(|row| row as usize);
                    scores[b].partial_cmp(&scores[a]).unwrap().then(places[a].cmp(&places[b]))
                });
                assert_eq!(ranking.order, expected);
                assert!(ranking.scores.is_sorted_by(|one, other| one >= other));
                assert!(asked || !ranking.scores.windows(2).any(|pair| pair[0] == pair[1]));
            }
        }
    }

    #[test]
    fn keys_order_scores() {
        let scores = [f64::INFINITY, 1e300, 2.0, 1.0, 1e-310, 0.0, -1e-310, -3.0, f64::NEG_INFINITY];
        assert!(scores.windows(2).all(|pair| falling(pair[0]) < falling(pair[1])));
        assert_eq!(falling(0.0), falling(-0.0));
    }
}
