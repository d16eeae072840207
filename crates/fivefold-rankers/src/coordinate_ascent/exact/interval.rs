//! The interval of t with the highest sum of changes.
//!
//! The changes before an interval add up to the gain of its value. Most intervals are far from the
//! best, so their changes need no order. Changes go to buckets by their place. A bucket is left out
//! if its intervals could not reach the best sum even if all rises of the bucket came first. Only
//! the changes of the other buckets are sorted.
//!
//! The choice is that of a scan of all changes in their order ([`of_all`]), to the bit. Sums over
//! buckets differ from sums of the scan by rounding, so the choice by buckets is taken only if
//! rounding cannot alter it ([`of_buckets`]). Otherwise all changes are sorted and scanned.

/// An interval narrower than this share of its place is not chosen, since rounding would miss it.
const NARROWEST: f64 = 1e-9;
/// Buckets of places from 0 up, and buckets of places below 0.
const HALF: usize = 1024;
/// Low bits of a place that do not alter its bucket: a bucket is a 64th of an octave.
const LOW_BITS: u32 = f64::MANTISSA_DIGITS - 1 - 6;
/// Fewer changes are sorted at once.
const FEWEST: usize = 500;
/// One of so many changes is looked at to find where most places are.
const SAMPLED: usize = 16;

/// The value of a query changes by `by` at `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Change {
    pub(super) t: f64,
    pub(super) by: f64,
}

/// The middle of the interval with the highest sum of changes; of equal intervals, the widest.
/// `None` if no interval is better by `same` than the interval that holds 0. The parts are taken
/// together.
pub(super) fn best_interval(parts: &[Vec<Change>], same: f64) -> Option<f64> {
    if parts.iter().map(Vec::len).sum::<usize>() >= FEWEST
        && let Ok(found) = of_buckets(parts, same)
    {
        return found;
    }
    of_all(&sorted(parts), same)
}

/// Rounding could alter the choice.
#[derive(Debug)]
struct Unclear;

/// The changes of some places.
#[derive(Clone, Copy)]
struct Bucket {
    sum: f64,
    /// The sum of all changes above 0.
    rises: f64,
    /// The first place.
    first: f64,
    count: u32,
}

/// All changes, by place.
struct Buckets {
    buckets: Vec<Bucket>,
    /// The number that the first bucket from 0 up has in [`magnitude`].
    lowest: u64,
    last: f64,
    is_finite: bool,
}

impl Buckets {
    fn new(parts: &[Vec<Change>]) -> Self {
        // Places are ratios of two differences: most are near the middle magnitude, few far beyond
        // it.
        let (mut magnitudes, mut samples) = (0, 0);
        for change in parts.iter().flat_map(|part| part.iter().step_by(SAMPLED)) {
            magnitudes += magnitude(change.t);
            samples += 1;
        }
        let lowest = (magnitudes / samples.max(1)).saturating_sub(HALF as u64 / 2);
        let empty = Bucket { sum: 0.0, rises: 0.0, first: f64::INFINITY, count: 0 };
        let (mut last, mut is_finite) = (f64::NEG_INFINITY, true);
        let mut buckets = vec![empty; 2 * HALF];
        for part in parts {
            for &Change { t, by } in part {
                let bucket = &mut buckets[number(t, lowest)];
                bucket.sum += by;
                bucket.rises += if by > 0.0 { by } else { 0.0 };
                bucket.first = if t < bucket.first { t } else { bucket.first };
                bucket.count += 1;
                last = if t > last { t } else { last };
                is_finite &= t.is_finite();
            }
        }
        Buckets { buckets, lowest, last, is_finite }
    }

    /// The buckets, each with the sum of all changes before it.
    fn with_sums(&self) -> impl Iterator<Item = (f64, &Bucket)> {
        self.buckets.iter().scan(0.0, |sum, bucket| {
            let before = *sum;
            *sum += bucket.sum;
            Some((before, bucket))
        })
    }

    /// The first place from bucket `number` on; infinite if there is none.
    fn first_from(&self, number: usize) -> f64 {
        self.buckets[number..].iter().find(|bucket| bucket.count > 0).map_or(f64::INFINITY, |bucket| bucket.first)
    }
}

/// The high bits of a place without its sign, which rise with it.
fn magnitude(t: f64) -> u64 {
    t.abs().to_bits() >> LOW_BITS
}

/// The number of a place's bucket. It rises with the place, and equal places have the same.
fn number(t: f64, lowest: u64) -> usize {
    let share = magnitude(t).saturating_sub(lowest).min(HALF as u64 - 1) as usize;
    if t < 0.0 { HALF - 1 - share } else { HALF + share }
}

/// An interval whose sum is near the highest.
struct Near {
    sum: f64,
    /// Number of changes before the interval.
    changes: usize,
    width: f64,
    middle: f64,
}

/// As [`best_interval`], where rounding cannot alter the choice.
///
/// A scan takes an interval if its sum is higher than the best so far by `same`, or if it is not
/// lower by `same` and the interval is wider. Suppose that the sum of each interval is either
/// within `same` of the highest sum, or lower by more than twice `same`. Then the scan takes the
/// first interval of the former kind that it meets, none of the latter kind after it, and ends at
/// the widest.
fn of_buckets(parts: &[Vec<Change>], same: f64) -> Result<Option<f64>, Unclear> {
    let changes = Buckets::new(parts);
    let (mut highest, mut size, mut total) = (0.0_f64, 0.0_f64, 0.0);
    let (mut most, mut all) = (0, 0);
    for (before, bucket) in changes.with_sums() {
        total = before + bucket.sum;
        highest = highest.max(total);
        size = size.max(before.abs() + bucket.rises + (bucket.rises - bucket.sum));
        most = most.max(bucket.count as usize);
        all += bucket.count as usize;
    }
    if !(changes.is_finite && total.is_finite() && size.is_finite()) {
        return Err(Unclear);
    }
    // How far rounding can alter the difference of two sums that have `between` changes between
    // them. The scan rounds once a change. Here a sum is rounded once a change of its bucket and of
    // the buckets between, and once a bucket. But for the rounding of `size` itself, no rounded
    // number is above it, so each rounding alters a sum by half of EPSILON of it. The bound is twice
    // what is needed, which covers that rounding.
    let rounding = |between: usize| f64::EPSILON * size * (2 * (between + most + HALF)) as f64;
    let far = 2.0 * (same + rounding(all));
    // The interval of the highest sum may be too narrow, but the next best is seldom far below.
    let least = highest - 2.0 * far;

    let is_near: Vec<bool> = changes.with_sums().map(|(before, bucket)| before + bucket.rises >= least).collect();
    let of_parts = parts.iter().flatten();
    let mut sorted: Vec<Change> =
        of_parts.filter(|change| is_near[number(change.t, changes.lowest)]).copied().collect();
    sorted.sort_by(|a, b| a.t.total_cmp(&b.t));

    let ends = Ends::new(changes.first_from(0), changes.last);
    let mut near: Vec<Near> = Vec::new();
    let mut look = |sum: f64, changes: usize, from: f64, to: f64| {
        if sum >= least {
            near.extend(ends.cut(from, to).map(|(width, middle)| Near { sum, changes, width, middle }));
        }
    };
    look(0.0, 0, f64::NEG_INFINITY, changes.first_from(0));
    let (mut rest, mut seen) = (sorted.as_slice(), 0);
    let (mut at_zero, mut below_zero) = (0.0, 0);
    for (place, (mut sum, bucket)) in changes.with_sums().enumerate() {
        if place == HALF {
            (at_zero, below_zero) = (sum, seen);
        }
        let after = seen + bucket.count as usize;
        if is_near[place] && bucket.count > 0 {
            let (own, others) = rest.split_at(bucket.count as usize);
            rest = others;
            let mut changes_at = own.chunk_by(|a, b| a.t == b.t).peekable();
            while let Some(at) = changes_at.next() {
                at.iter().for_each(|change| sum += change.by);
                seen += at.len();
                let to = changes_at.peek().map_or_else(|| changes.first_from(place + 1), |next| next[0].t);
                look(sum, seen, at[0].t, to);
            }
        }
        seen = after;
    }

    let highest = near.iter().fold(f64::NEG_INFINITY, |highest, interval| highest.max(interval.sum));
    if highest < least + far {
        return Err(Unclear);
    }
    near.retain(|interval| interval.sum > highest - far);
    let between = near.last().map_or(0, |last| last.changes - near[0].changes);
    let alike = same - rounding(between);
    if near.len() > 1 && near.iter().any(|interval| highest - interval.sum > alike) {
        return Err(Unclear);
    }
    let Some(best) = near.into_iter().reduce(|best, other| if other.width > best.width { other } else { best }) else {
        return Err(Unclear);
    };
    let gain = best.sum - at_zero;
    if (gain - same).abs() <= rounding(best.changes.abs_diff(below_zero)) {
        return Err(Unclear);
    }
    Ok((gain > same).then_some(best.middle))
}

/// The most buckets of [`sorted`].
const MOST_BUCKETS: usize = 1 << 15;
/// Changes of a bucket that are sorted by insertion.
const FEW: usize = 20;

/// Changes by rising t; changes at one place in their order.
///
/// Places are ratios of two differences, so most are near the middle magnitude m and few are far
/// beyond it: |t| / (|t| + m) spreads them evenly. Each change goes to the bucket of this share,
/// and the few changes that are not yet in their order are inserted.
fn sorted(parts: &[Vec<Change>]) -> Vec<Change> {
    let changes = parts.concat();
    // The mean of the bits of magnitudes is nearly the bits of their geometric mean.
    let bits: u64 = changes.iter().map(|change| change.t.abs().to_bits() >> 32).sum();
    let middle = f64::from_bits((bits / (changes.len() as u64).max(1)) << 32).max(f64::MIN_POSITIVE);
    let half = (changes.len().next_power_of_two().min(MOST_BUCKETS) / 2) as f64;
    // Each operation rises with t or falls with it, even when rounded.
    let bucket = |change: &Change| {
        let share = 1.0 - middle / (change.t.abs() + middle);
        (half + half * share.copysign(change.t)) as u32
    };
    let buckets: Vec<u32> = changes.iter().map(bucket).collect();
    let mut ends = vec![0u32; 2 * half as usize + 1];
    buckets.iter().for_each(|&bucket| ends[bucket as usize] += 1);
    let (mut total, mut most) = (0, 0);
    for end in &mut ends {
        most = most.max(*end);
        (*end, total) = (total, total + *end);
    }
    let mut sorted = vec![Change { t: 0.0, by: 0.0 }; changes.len()];
    for (&change, &bucket) in changes.iter().zip(&buckets) {
        let end = &mut ends[bucket as usize];
        sorted[*end as usize] = change;
        *end += 1;
    }
    let order = |a: &Change, b: &Change| a.t.total_cmp(&b.t);
    if most as usize > FEW {
        let mut begin = 0;
        for end in ends {
            let end = end as usize;
            if end - begin > FEW {
                sorted[begin..end].sort_by(order);
            }
            begin = end;
        }
    }
    for end in 1..sorted.len() {
        let change = sorted[end];
        let mut place = end;
        while place > 0 && order(&sorted[place - 1], &change).is_gt() {
            sorted[place] = sorted[place - 1];
            place -= 1;
        }
        sorted[place] = change;
    }
    sorted
}

/// Where the first interval begins and the last ends. Beyond the outermost changes the value never
/// changes: these intervals step out by the width of all others.
struct Ends {
    low: f64,
    high: f64,
}

impl Ends {
    fn new(first: f64, last: f64) -> Self {
        let beyond = (last - first).max(first.abs().max(last.abs()));
        Ends { low: first - beyond, high: last + beyond }
    }

    /// The width and the middle of an interval; `None` if it is too narrow.
    fn cut(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let (low, high) = (from.max(self.low), to.min(self.high));
        let width = high - low;
        (width > NARROWEST * low.abs().max(high.abs())).then_some((width, low + width / 2.0))
    }
}

/// As [`best_interval`], by a scan of all changes, which are sorted by t.
pub(super) fn of_all(changes: &[Change], same: f64) -> Option<f64> {
    let ends = Ends::new(changes.first()?.t, changes.last()?.t);
    let (mut sum, mut at_zero) = (0.0, 0.0);
    let mut best = (f64::NEG_INFINITY, 0.0, 0.0);
    let mut next = 0;
    let mut from = f64::NEG_INFINITY;
    loop {
        let to = changes.get(next).map_or(f64::INFINITY, |change| change.t);
        if from < 0.0 {
            at_zero = sum;
        }
        // Few intervals are as good as the best so far, so this comes first.
        let (best_sum, best_width, _) = best;
        if sum > best_sum - same
            && let Some((width, middle)) = ends.cut(from, to)
            && (sum > best_sum + same || width > best_width)
        {
            best = (sum, width, middle);
        }
        if next == changes.len() {
            break;
        }
        from = to;
        while let Some(change) = changes.get(next).filter(|change| change.t == from) {
            sum += change.by;
            next += 1;
        }
    }
    (best.0 > at_zero + same).then_some(best.2)
}

#[cfg(test)]
mod tests {
    use fivefold_core::{Rng, Seed};

    use super::*;

    const SAME: f64 = 1e-9;

    #[test]
    fn changes_are_sorted_as_by_comparisons() {
        let mut rng = Seed::new(6).rng();
        for round in 0..200 {
            let mut number = |few: bool| match few {
                true => rng.below(7) as f64 - 3.0,
                false => rng.normal() * libm::exp(8.0 * rng.normal()),
            };
            // One list has more changes than there are buckets.
            let len = if round == 100 { 70_000 } else { round % 40 * 9 };
            let changes: Vec<Change> =
                (0..len).map(|place| Change { t: number(round % 3 == 0), by: place as f64 }).collect();
            let parts: Vec<Vec<Change>> = changes.chunks(50).map(<[Change]>::to_vec).collect();
            let mut expected = changes;
            expected.sort_by(|a, b| a.t.total_cmp(&b.t));
            assert_eq!(sorted(&parts), expected, "{round}");
        }
        let extreme = [f64::INFINITY, -1e-310, f64::NEG_INFINITY, 1e300, 0.0, -1e300].map(|t| Change { t, by: 1.0 });
        let order: Vec<f64> = sorted(&[extreme.to_vec()]).iter().map(|change| change.t).collect();
        assert_eq!(order, [f64::NEG_INFINITY, -1e300, -1e-310, 0.0, 1e300, f64::INFINITY]);
    }

    /// Sums of some lists tie but for rounding, others differ by nearly `SAME`.
    #[test]
    fn buckets_choose_as_a_scan_of_all_changes() {
        let mut rng = Seed::new(8).rng();
        let (mut better, mut none, mut unclear) = (0, 0, 0);
        for round in 0..4000 {
            let place = |rng: &mut Rng| match round % 4 {
                0 => rng.below(9) as f64 - 4.0,
                1 => (rng.below(9) as f64 - 4.0) / -3.0,
                2 => rng.normal(),
                _ => 1e-3 * rng.normal() * libm::exp(4.0 * rng.normal()),
            };
            let size = |rng: &mut Rng| match round / 4 % 5 {
                0 => 0.1 * (rng.below(5) as f64 - 2.0),
                1 => 0.45 * SAME * (rng.below(9) as f64 - 4.0),
                2 => 0.1 * (rng.below(3) as f64 - 1.0) + 0.7 * SAME * rng.normal(),
                _ => rng.normal(),
            };
            let count = 1 + rng.below(if round % 100 > 80 { 3000 } else { 40 });
            let changes: Vec<Change> = (0..count).map(|_| Change { t: place(&mut rng), by: size(&mut rng) }).collect();
            let parts: Vec<Vec<Change>> = changes.chunks(70).map(<[Change]>::to_vec).collect();
            let expected = of_all(&sorted(&parts), SAME).map(f64::to_bits);
            assert_eq!(best_interval(&parts, SAME).map(f64::to_bits), expected, "{round}");
            match of_buckets(&parts, SAME) {
                Ok(found) => {
                    assert_eq!(found.map(f64::to_bits), expected, "{round}");
                    if found.is_some() { better += 1 } else { none += 1 }
                }
                Err(Unclear) => unclear += 1,
            }
        }
        assert!(better > 1000 && none > 100 && unclear > 100, "{better} {none} {unclear}");
    }

    #[test]
    fn changes_that_are_no_numbers_are_left_to_the_scan() {
        for (t, by) in [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (1.0, f64::NAN), (1.0, f64::INFINITY)] {
            let changes = vec![Change { t: 2.0, by: 1.0 }, Change { t, by }];
            assert!(of_buckets(&[changes], SAME).is_err(), "{t} {by}");
        }
    }

    #[test]
    fn the_widest_of_equal_intervals_is_taken() {
        let change = |t, by| Change { t, by };
        let changes = [change(1.0, 1.0), change(2.0, -1.0), change(4.0, 1.0), change(8.0, -1.0)];
        assert_eq!(of_all(&changes, SAME), Some(6.0));
        // The interval beyond the last change counts as wide as all other intervals.
        assert_eq!(of_all(&[change(1.0, -1.0), change(3.0, 2.0)], SAME), Some(4.5));
        // 0 lies in the best interval.
        assert_eq!(of_all(&[change(-1.0, 1.0), change(3.0, -2.0)], SAME), None);
        assert_eq!(of_all(&[], SAME), None);
    }
}
