//! The values of single queries behind the paper. Tables 1, 2, 5, 6 and 8 are computed from them,
//! so the rows that are not planted can all be true together. The paper does not print them.

use fivefold_base::{Rng, Seed};
use fivefold_stats::{PairedT, StatsError, paired_t};

use super::printed::{MEASURES, SYSTEMS};

/// Queries behind Tables 1, 5, 6 and 8.
pub(crate) const QUERIES: usize = 50;
/// The 97.5 % point of Student's t with 49 degrees of freedom: scipy.stats.t.ppf(.975, 49).
pub(crate) const BORDER: f64 = 2.009575;
/// A t nearer to the border would leave open whether its p is below .05.
const CLEAR: f64 = 0.2;

/// Values in thousandths, and ranks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// `[measure][system][query]` in thousandths, of ndcg@10 and ap. Each sum is a multiple of 50, so
    /// the printed means are exact.
    values: [Vec<Vec<i64>>; 2],
    /// `[system][query]`: the rank of the first relevant document, from 1.
    first_ranks: Vec<Vec<i64>>,
}

impl Measured {
    /// Draws values until no order and no test is a matter of rounding.
    pub(crate) fn make(seed: Seed) -> Result<Self, StatsError> {
        let mut attempt = 0;
        loop {
            let found = Measured::draw(&mut seed.derive_index("attempt", attempt).rng());
            attempt += 1;
            if found.is_clear()? {
                return Ok(found);
            }
        }
    }

    fn draw(rng: &mut Rng) -> Self {
        let quality: Vec<f64> = SYSTEMS.iter().map(|_| 0.12 * rng.uniform()).collect();
        let mut values = |base: f64, spread: f64, of_query: f64, own: f64| -> Vec<Vec<i64>> {
            let levels: Vec<f64> = (0..QUERIES).map(|_| of_query * rng.normal()).collect();
            let system = |quality: &f64| {
                let center = base + quality + spread * rng.uniform();
                let mut value = |level: &f64| (1000.0 * (center + level + own * rng.normal())).round() as i64;
                let mut row: Vec<i64> = levels.iter().map(|level| value(level).clamp(20, 980)).collect();
                // At most 49 thousandths, on one of the low values.
                let missing = (QUERIES as i64 - row.iter().sum::<i64>() % QUERIES as i64) % QUERIES as i64;
                if let Some(lowest) = row.iter_mut().min() {
                    *lowest += missing;
                }
                row
            };
            quality.iter().map(system).collect()
        };
        let values = [values(0.38, 0.09, 0.1, 0.06), values(0.24, 0.08, 0.08, 0.11)];
        let ranks = |quality: &f64| {
            let first = 0.35 + quality + 0.2 * rng.uniform();
            let rank = |_| if rng.uniform() < first { 1 } else { 2 + rng.below(5) as i64 };
            (0..QUERIES).map(rank).collect()
        };
        Measured { values, first_ranks: quality.iter().map(ranks).collect() }
    }

    fn is_clear(&self) -> Result<bool, StatsError> {
        for measure in 0..MEASURES.len() {
            let apart = |mut means: [f64; 6], least: f64| {
                means.sort_by(f64::total_cmp);
                means.windows(2).all(|pair| pair[1] - pair[0] > least)
            };
            let halves = [0..QUERIES / 2, QUERIES / 2..QUERIES];
            // Systems whose printed means are nearly equal would leave their order open.
            if !apart(self.means(measure, 0..QUERIES), 2.5)
                || !halves.into_iter().all(|half| apart(self.means(measure, half), 0.01))
            {
                return Ok(false);
            }
        }
        for system in 0..SYSTEMS.len() - 1 {
            let t = self.test(1, system)?.t.abs();
            if (t - BORDER).abs() < CLEAR {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a query in thousandths, under a measure of Table 1.
    fn value(&self, measure: usize, system: usize, query: usize) -> f64 {
        match self.values.get(measure) {
            Some(values) => values[system][query] as f64,
            None => 1000.0 / self.first_ranks[system][query] as f64,
        }
    }

    /// The means of the systems over some queries, in thousandths.
    pub(crate) fn means(&self, measure: usize, queries: std::ops::Range<usize>) -> [f64; 6] {
        let count = queries.len() as f64;
        std::array::from_fn(|system| {
            queries.clone().map(|query| self.value(measure, system, query)).sum::<f64>() / count
        })
    }

    /// The paired t-test of a system against F, in thousandths.
    pub(crate) fn test(&self, measure: usize, system: usize) -> Result<PairedT, StatsError> {
        let of = |system| (0..QUERIES).map(|query| self.value(measure, system, query)).collect::<Vec<f64>>();
        paired_t(&of(system), &of(SYSTEMS.len() - 1))
    }

    /// Queries on which a system wins, ties and loses against F under rr.
    pub(crate) fn wins(&self, system: usize) -> [i64; 3] {
        let mut counts = [0; 3];
        for (own, last) in self.first_ranks[system].iter().zip(&self.first_ranks[SYSTEMS.len() - 1]) {
            let place = match own.cmp(last) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 2,
            };
            counts[place] += 1;
        }
        counts
    }
}
