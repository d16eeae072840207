//! Coefficients of points of which each counts a number of times: 0, 1 or more.
//!
//! A bootstrap repeats points, and a permutation test takes one of two scores. Both need the
//! coefficient of the same points many times with other counts. So the points are sorted once, and a
//! coefficient then costs n log L for tau-b and n for the others, over n points with L different
//! ratings. All counts are integers, so tau-b is exact.

use fivefold_base::rounding::levels;

use crate::correlation::{Coefficient, ratio};

/// Points (score, rating), sorted by score.
pub(super) struct Repeated {
    /// The points, the lowest score first.
    points: Vec<Point>,
    /// The end of each group of equal scores in `points`.
    ends: Vec<usize>,
    /// A Fenwick tree over the ratings: how many points with lower scores have this rating.
    tree: Vec<u64>,
    /// For each rating, the points that count, and the points with lower scores.
    of_rating: Vec<[u64; 2]>,
    /// For each group of scores, the points that count.
    of_group: Vec<u64>,
}

struct Point {
    /// The place in the list of counts.
    place: usize,
    /// The number of the rating among the different ratings, the lowest first.
    rating: usize,
    /// Score and rating less the mean of all points.
    centred: [f64; 2],
}

impl Repeated {
    /// The points of two parallel lists of finite numbers.
    pub(super) fn new(scores: &[f64], ratings: &[f64]) -> Self {
        let (x, y) = (levels(scores), levels(ratings));
        let mut different = y.clone();
        different.sort_by(f64::total_cmp);
        different.dedup();
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        let means = [mean(scores), mean(ratings)];
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let mut ends: Vec<usize> = order.chunk_by(|&a, &b| x[a] == x[b]).map(<[usize]>::len).collect();
        (1..ends.len()).for_each(|group| ends[group] += ends[group - 1]);
        let point = |place: usize| Point {
            place,
            rating: different.partition_point(|&level| level < y[place]),
            centred: [scores[place] - means[0], ratings[place] - means[1]],
        };
        Repeated {
            points: order.into_iter().map(point).collect(),
            of_group: vec![0; ends.len()],
            ends,
            tree: vec![0; different.len() + 1],
            of_rating: vec![[0; 2]; different.len()],
        }
    }

    /// The coefficient if each point counts `counts[place]` times; `None` if the points that count
    /// have one score or one rating.
    pub(super) fn of(&mut self, coefficient: Coefficient, counts: impl Fn(usize) -> u32) -> Option<f64> {
        match coefficient {
            Coefficient::Kendall => self.kendall(counts),
            Coefficient::Spearman => self.spearman(counts),
            Coefficient::Pearson => self.pearson(counts),
        }
    }

    fn kendall(&mut self, counts: impl Fn(usize) -> u32) -> Option<f64> {
        self.tree.fill(0);
        self.of_rating.fill([0; 2]);
        let pairs = |count: u64| count * count.saturating_sub(1) / 2;
        let (mut concordant, mut discordant, mut tied, mut lower) = (0u64, 0u64, 0u64, 0u64);
        let mut start = 0;
        for &end in &self.ends {
            let mut in_group = 0;
            for point in &self.points[start..end] {
                let count = u64::from(counts(point.place));
                if count > 0 {
                    let below = prefix(&self.tree, point.rating);
                    concordant += count * below;
                    discordant += count * (lower - below - self.of_rating[point.rating][1]);
                    in_group += count;
                }
            }
            for point in &self.points[start..end] {
                let count = u64::from(counts(point.place));
                if count > 0 {
                    self.of_rating[point.rating][1] += count;
                    add(&mut self.tree, point.rating, count);
                }
            }
            tied += pairs(in_group);
            lower += in_group;
            start = end;
        }
        let all = pairs(lower);
        let tied_ratings: u64 = self.of_rating.iter().map(|own| pairs(own[1])).sum();
        let difference = concordant as f64 - discordant as f64;
        ratio(difference, (all - tied) as f64, (all - tied_ratings) as f64)
    }

    fn spearman(&mut self, counts: impl Fn(usize) -> u32) -> Option<f64> {
        self.of_rating.fill([0; 2]);
        let mut start = 0;
        for (&end, group) in self.ends.iter().zip(&mut self.of_group) {
            *group = 0;
            for point in &self.points[start..end] {
                let count = u64::from(counts(point.place));
                *group += count;
                self.of_rating[point.rating][0] += count;
            }
            start = end;
        }
        let all: u64 = self.of_group.iter().sum();
        let mut before = 0;
        for own in &mut self.of_rating {
            own[1] = before;
            before += own[0];
        }
        // Twice the mean rank less its mean, an integer: 2 before + own + 1 - (all + 1).
        let centred = |before: u64, own: u64| (2 * before + own) as f64 - all as f64;
        let (mut both, mut squares, mut squares_of_ratings, mut before) = (0.0, 0.0, 0.0, 0);
        let mut start = 0;
        for (&end, &own) in self.ends.iter().zip(&self.of_group) {
            let rank = centred(before, own);
            for point in &self.points[start..end] {
                let count = f64::from(counts(point.place));
                let [own, before] = self.of_rating[point.rating];
                let of_rating = centred(before, own);
                both += count * rank * of_rating;
                squares += count * rank * rank;
                squares_of_ratings += count * of_rating * of_rating;
            }
            before += own;
            start = end;
        }
        ratio(both, squares, squares_of_ratings)
    }

    fn pearson(&mut self, counts: impl Fn(usize) -> u32) -> Option<f64> {
        let (mut n, mut sums, mut squares, mut both) = (0.0, [0.0; 2], [0.0; 2], 0.0);
        let (mut groups, mut ratings) = ([usize::MAX, 0], [usize::MAX, 0]);
        let widen = |range: &mut [usize; 2], place: usize| *range = [range[0].min(place), range[1].max(place)];
        let mut start = 0;
        for (group, &end) in self.ends.iter().enumerate() {
            for Point { place, rating, centred: [x, y] } in &self.points[start..end] {
                let count = counts(*place);
                if count > 0 {
                    let count = f64::from(count);
                    widen(&mut groups, group);
                    widen(&mut ratings, *rating);
                    n += count;
                    sums = [sums[0] + count * x, sums[1] + count * y];
                    squares = [squares[0] + count * x * x, squares[1] + count * y * y];
                    both += count * x * y;
                }
            }
            start = end;
        }
        // Rounding must not give a spread to points that have none.
        let constant = |range: [usize; 2]| range[0] >= range[1];
        if constant(groups) || constant(ratings) {
            return None;
        }
        let [x, y] = [0, 1].map(|axis| squares[axis] - sums[axis] * sums[axis] / n);
        ratio(both - sums[0] * sums[1] / n, x, y)
    }
}

/// The sum of the first `len` numbers of a Fenwick tree.
fn prefix(tree: &[u64], len: usize) -> u64 {
    let (mut at, mut sum) = (len, 0);
    while at > 0 {
        sum += tree[at];
        at &= at - 1;
    }
    sum
}

/// Adds to the number `place` of a Fenwick tree.
fn add(tree: &mut [u64], place: usize, count: u64) {
    let mut at = place + 1;
    while at < tree.len() {
        tree[at] += count;
        at += at & at.wrapping_neg();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points that are written out as often as they count have the coefficient of the plain
    /// functions.
    #[test]
    fn counts_are_copies() {
        let mut rng = fivefold_base::Seed::new(9).rng();
        for n in [2, 3, 7, 40] {
            for trial in 0..50 {
                let scores: Vec<f64> = (0..n).map(|_| rng.below(10) as f64 / 7.0).collect();
                let ratings: Vec<f64> = (0..n).map(|_| rng.below(5) as f64 / 3.0).collect();
                let counts: Vec<u32> = (0..n).map(|_| if trial == 0 { 1 } else { rng.below(4) as u32 }).collect();
                let copies = |list: &[f64]| -> Vec<f64> {
                    list.iter().zip(&counts).flat_map(|(&x, &count)| std::iter::repeat_n(x, count as usize)).collect()
                };
                let mut repeated = Repeated::new(&scores, &ratings);
                for coefficient in Coefficient::ALL {
                    let found = repeated.of(coefficient, |place| counts[place]);
                    let plain = coefficient.of(&copies(&scores), &copies(&ratings)).unwrap();
                    match (found, plain) {
                        (Some(found), Some(plain)) => {
                            assert!((found - plain).abs() < 1e-12, "{coefficient} {found} {plain}");
                        }
                        (found, plain) => assert_eq!(found, plain, "{coefficient} {scores:?} {ratings:?} {counts:?}"),
                    }
                }
            }
        }
    }
}
