//! `bootstrap`: Sakai's studentised bootstrap test.
//!
//! The differences d give w = d - mean(d), which satisfy the null hypothesis. The test draws n
//! queries with replacement B times. Each draw's t_b = mean(w*) / (sd(w*) / sqrt(n)) is compared
//! with the observed t (Sakai, SIGIR 2006, Fig. 1, after Efron & Tibshirani 1993, ch. 16). p = (1 +
//! hits) / (1 + B). Sakai divides the hits by B, so his p can be 0.
//!
//! - A draw is a hit if |t_b| >= |t|, up to a relative tolerance of 1e-9 and the rounding error of
//!   the values.
//! - A draw in which all queries have the same w has no spread: t_b is infinite, or 0 if this w
//!   is 0.
//! - The interval is symmetric and studentised: mean -+ q sd / sqrt(n). Here q is the smallest
//!   |t_b| that at most 1 - confidence of the draws exceed (Hall 1988). The interval excludes 0 if
//!   p is below 1 - confidence.
//! - Fewer than two queries: undefined.
//!
//! All comparisons share the queries of a draw. A draw needs the sums of w, from one column for
//! each system, and the sums of w^2, from one column for each comparison. Cost: about 2.2 B n / 8
//! look-ups for eight columns, and 8 bytes for each draw and comparison for the intervals.

use fivefold_base::Rng;

use crate::error::{StatsError, Undefined};
use crate::family::Family;
use crate::moments::Moments;
use crate::outcome::{Interval, MaxT, Outcome, PValueMethod, Significance, TestRun, by_mean, standard_error};
use crate::paired::Test;
use crate::resample::fixed::{Fixed, scaled, unit};
use crate::resample::tally::{Coverage, Tally};
use crate::resample::weighted::{Columns, Weights, weighted_sums};
use crate::resample::{TestOptions, batches, quantile_place, two_below};

/// The entry in the list of tests.
pub const TEST: Test = Test {
    name: "bootstrap",
    title: "studentised bootstrap test",
    summary: "studentised bootstrap test of the mean difference",
    source: "Sakai, \"Evaluating evaluation metrics based on the bootstrap\", SIGIR 2006",
    draws: true,
    corrects_itself: false,
    of_the_paper: false,
    own_intervals: true,
    run,
};

/// Relative tolerance of statistics; a spread below it counts as no spread.
const TOLERANCE: f64 = 1e-9;

fn run(family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
    let confidence = options.checked_confidence()?;
    let draws = options.checked_draws()?;
    let queries = family.queries();
    let resampled = Resampled::new(family)?;
    let mut tally = Tally::new(resampled.pairs.iter().map(|pair| pair.observed).collect());
    // `[comparison][draw]`, for the intervals.
    let mut drawn_t = vec![Vec::with_capacity(draws); resampled.pairs.len()];
    let seed = options.seed.derive("bootstrap");
    let (mut sums, mut raised) = (Vec::new(), vec![0.0; resampled.pairs.len()]);
    let (mut counts, mut fours) = (vec![0u8; queries], Vec::new());
    for batch in batches(draws) {
        let mut weights = Weights::<2>::new(batch.len(), queries);
        for (row, draw) in batch.clone().enumerate() {
            draw_counts(&mut seed.derive_index("draw", draw as u64).rng(), &mut counts, &mut fours);
            weights.set_counts(row, &counts, &fours);
        }
        let drawn = weighted_sums(&resampled.columns, &weights);
        for row in 0..batch.len() {
            drawn.of_draw(row, &mut sums);
            for ((pair, all), raised) in resampled.pairs.iter().zip(&mut drawn_t).zip(&mut raised) {
                let (t, highest) = pair.statistic(&sums, queries);
                all.push(t);
                *raised = highest;
            }
            tally.count(&raised);
        }
    }
    let p_values = tally.p_values(Coverage::Sample);
    let mut outcomes = Vec::with_capacity(p_values.len());
    for (((&comparison, pair), p), mut drawn) in
        family.comparisons().iter().zip(&resampled.pairs).zip(p_values).zip(drawn_t)
    {
        let test = match standard_error(&pair.moments) {
            Ok(_) => {
                let favours = by_mean(&pair.moments);
                Ok(Significance {
                    statistic: pair.signed_t,
                    p,
                    method: PValueMethod::Draws(draws),
                    used: queries,
                    favours,
                })
            }
            Err(reason) => Err(reason),
        };
        let mut outcome = Outcome::new(family, comparison, &pair.moments, confidence, test);
        outcome.interval = interval(&pair.moments, &mut drawn, confidence);
        outcomes.push(outcome);
    }
    let joint = || MaxT { p_values: tally.max_t(Coverage::Sample), method: PValueMethod::Draws(draws) };
    let max_t = (queries >= 2).then(joint);
    Ok(TestRun { outcomes, max_t, corrected: TEST.corrects_itself })
}

/// Draws as many queries with replacement as there are. `counts` holds the counts modulo 4, and
/// `fours` an entry for each 4.
fn draw_counts(rng: &mut Rng, counts: &mut [u8], fours: &mut Vec<u32>) {
    counts.fill(0);
    fours.clear();
    let queries = counts.len();
    let mut draw = |query: usize| {
        let count = counts[query] + 1;
        if count == 4 {
            fours.push(query as u32);
        }
        counts[query] = count & 3;
    };
    for _ in 0..queries / 2 {
        let (first, second) = two_below(rng, queries as u32);
        draw(first);
        draw(second);
    }
    if queries % 2 == 1 {
        draw(two_below(rng, queries as u32).0);
    }
}

/// The smallest drawn |t| that at most 1 - confidence of the draws exceed, multiplied by the
/// standard error.
fn interval(moments: &Moments, drawn: &mut [f64], confidence: f64) -> Result<Interval, Undefined> {
    let error = standard_error(moments)?;
    let draws = drawn.len();
    let place = quantile_place(confidence, draws).ok_or(Undefined::TooFewDraws { draws })?;
    let (_, &mut quantile, _) = drawn.select_nth_unstable_by(place, f64::total_cmp);
    let half = if error == 0.0 { 0.0 } else { quantile * error };
    if !half.is_finite() {
        return Err(Undefined::NoSpread);
    }
    Ok(Interval { low: moments.mean - half, high: moments.mean + half, confidence, method: "studentised bootstrap" })
}

/// The columns to sum over drawn queries, and how the sums give the statistics.
struct Resampled {
    columns: Columns,
    pairs: Vec<Pair>,
}

/// A comparison in terms of columns.
struct Pair {
    moments: Moments,
    signed_t: f64,
    /// |t|.
    observed: f64,
    first: Option<usize>,
    second: Option<usize>,
    /// The value of 1 in the integer differences.
    unit: f64,
    /// Sum of the differences. The sum of a draw minus this sum is the sum of the draw's w.
    sum: i64,
    /// Largest error of a sum.
    tolerance: i64,
    /// Column of w^2, and the value of 1 in this column.
    squares: usize,
    squares_unit: f64,
}

impl Resampled {
    fn new(family: &Family<'_>) -> Result<Resampled, StatsError> {
        let fixed = Fixed::of(family)?;
        let mut columns = Columns::new(family.queries());
        let numbers = fixed.push_systems(&mut columns);
        let mut pairs = Vec::with_capacity(family.comparisons().len());
        for &comparison in family.comparisons() {
            let moments = family.moments(comparison);
            let signed_t = match standard_error(&moments) {
                Ok(error) if error > 0.0 => moments.settled_mean() / error,
                _ if moments.settled_mean() == 0.0 => 0.0,
                _ => f64::INFINITY.copysign(moments.mean),
            };
            let w_squared = || family.differences(comparison).map(|d| (d - moments.mean) * (d - moments.mean));
            let largest = w_squared().fold(0.0, f64::max);
            if !largest.is_finite() {
                return Err(StatsError::NotFinite { position: 0, value: largest });
            }
            pairs.push(Pair {
                moments,
                signed_t,
                observed: signed_t.abs(),
                first: numbers[comparison.group][comparison.first],
                second: numbers[comparison.group][comparison.second],
                unit: fixed.units[comparison.group],
                sum: fixed.differences(comparison).sum(),
                tolerance: fixed.tolerance(comparison.group, &moments),
                squares: columns.push(scaled(w_squared(), largest)),
                squares_unit: unit(largest),
            });
        }
        Ok(Resampled { columns, pairs })
    }
}

impl Pair {
    /// |t_b| of a draw, and the largest value that |t_b| can have in exact arithmetic.
    fn statistic(&self, sums: &[i64], queries: usize) -> (f64, f64) {
        if self.moments.squared_deviations == 0.0 {
            // Every w is 0.
            return (0.0, 0.0);
        }
        let of = |column: Option<usize>| column.map_or(0, |column| sums[column]);
        let n = queries as f64;
        let mean_of = |sum: i64| sum as f64 * self.unit / n;
        let sum = (of(self.first) - of(self.second) - self.sum).abs();
        let mean = mean_of(sum);
        let squares = sums[self.squares] as f64 * self.squares_unit;
        let spread = squares - n * mean * mean;
        // The rounding of the values can add this much to a sum of n squares if no w is larger than
        // its rounding error.
        let noise = self.moments.squared_errors;
        if spread <= TOLERANCE * squares + noise {
            // All drawn w are equal. Either all are 0 or none is 0.
            let none = squares <= TOLERANCE * self.moments.squared_deviations / n + noise;
            let t = if none { 0.0 } else { f64::INFINITY };
            return (t, t);
        }
        let error = (spread * n / (n - 1.0)).sqrt();
        // The error of the spread is at most 2 root(squares x noise). The relative error of its
        // root is half as large.
        let spread_off = (squares * noise).sqrt() / spread;
        (mean * n / error, (mean_of(sum + self.tolerance) * n / error) * (1.0 + TOLERANCE + spread_off))
    }
}

#[cfg(test)]
mod tests {
    use fivefold_base::Seed;

    use super::*;
    use crate::resample::TestOptions;

    /// The test by its definition, on the same draws.
    #[test]
    fn is_the_definition_on_the_same_draws() {
        let mut rng = Seed::new(9).rng();
        for n in [2usize, 3, 5, 31, 64, 101] {
            let a: Vec<f64> = (0..n).map(|_| rng.uniform()).collect();
            let b: Vec<f64> = (0..n).map(|_| 0.8 * rng.uniform()).collect();
            let options = TestOptions { draws: 1_500, ..TestOptions::default() };
            let family = Family::of_systems(&[&b, &a, &b]).unwrap();
            let run = run(&family, &options).unwrap();
            let d: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            let t = |values: &[f64]| {
                let moments = Moments::of_differences(values, &vec![0.0; n]);
                // If all drawn queries are the same, there is no spread.
                if values.iter().all(|v| *v == values[0]) {
                    f64::INFINITY
                } else {
                    moments.mean / standard_error(&moments).unwrap()
                }
            };
            let mean = d.iter().sum::<f64>() / n as f64;
            let w: Vec<f64> = d.iter().map(|d| d - mean).collect();
            let mut hits = 0;
            let (mut counts, mut fours) = (vec![0; n], Vec::new());
            for draw in 0..options.draws {
                let seed = options.seed.derive("bootstrap").derive_index("draw", draw as u64);
                draw_counts(&mut seed.rng(), &mut counts, &mut fours);
                let mut drawn: Vec<f64> = Vec::new();
                for query in 0..n {
                    let times = usize::from(counts[query]) + 4 * fours.iter().filter(|&&f| f as usize == query).count();
                    drawn.extend(vec![w[query]; times]);
                }
                assert_eq!(drawn.len(), n);
                hits += usize::from(t(&drawn).abs() >= t(&d).abs());
            }
            let p = (1 + hits) as f64 / (1 + options.draws) as f64;
            // The comparison (1, 2) is a - b.
            let outcome = &run.outcomes[2];
            assert_eq!(outcome.test.unwrap().p, p, "{n} queries");
            if let Ok(interval) = outcome.interval {
                assert_eq!(interval.low > 0.0 || interval.high < 0.0, p < 0.05, "{interval:?} for p {p}");
            }
        }
    }

    #[test]
    fn counts_are_those_of_a_uniform_draw() {
        let (mut counts, mut fours) = (vec![0; 10], Vec::new());
        let mut totals = [0usize; 10];
        let mut rng = Seed::new(4).rng();
        for _ in 0..20_000 {
            draw_counts(&mut rng, &mut counts, &mut fours);
            for (total, count) in totals.iter_mut().zip(&counts) {
                *total += usize::from(*count);
            }
            for &query in &fours {
                totals[query as usize] += 4;
            }
        }
        assert_eq!(totals.iter().sum::<usize>(), 200_000);
        let chi2: f64 = totals.iter().map(|&t| (t as f64 - 20_000.0).powi(2) / 20_000.0).sum();
        assert!(chi2 < 27.9, "chi-square with 9 degrees of freedom, 0.1 % point 27.9: {chi2}");
    }

    #[test]
    fn too_few_draws_give_no_interval() {
        let a: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 11)).collect();
        let family = Family::of_pair(&a, &[4.0; 30]).unwrap();
        let outcomes = run(&family, &TestOptions { draws: 10, ..TestOptions::default() }).unwrap().outcomes;
        assert_eq!(outcomes[0].interval, Err(Undefined::TooFewDraws { draws: 10 }));
    }
}
