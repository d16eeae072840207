//! The measures that trec_eval calls experimental, and that have no other name.

use std::sync::LazyLock;

use fivefold_base::Assessment;

/// A measure; its gain is the grade.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Experimental {
    G,
    NdcgAtRelevant,
    NdcgAtLevels,
}

/// The gains of a topic in the ideal order, and sums over them.
pub(super) struct IdealGains {
    /// Gains above 0, from the highest.
    gains: Vec<f64>,
    sum: f64,
    /// The DCG of the first documents; one more than there are gains.
    dcg: Vec<f64>,
    /// Whether no document of the pool is relevant.
    none_relevant: bool,
}

impl IdealGains {
    pub(super) fn new(pool: &[u8], threshold: u8) -> Self {
        let mut grades: Vec<u8> = pool.iter().copied().filter(|&grade| grade > 0).collect();
        grades.sort_unstable_by(|a, b| b.cmp(a));
        let gains: Vec<f64> = grades.into_iter().map(f64::from).collect();
        let dcg = running_dcg(&gains);
        IdealGains { sum: gains.iter().sum(), dcg, gains, none_relevant: pool.iter().all(|&grade| grade < threshold) }
    }
}

impl Experimental {
    /// The value of a topic; 0 without a relevant document.
    pub(super) fn of(self, ideal: &IdealGains, ranking: &Gains) -> f64 {
        match self {
            _ if ideal.gains.is_empty() => 0.0,
            Experimental::G => g(&ranking.gains, ideal),
            Experimental::NdcgAtRelevant => ndcg_at_relevant(ranking, ideal),
            Experimental::NdcgAtLevels if ideal.none_relevant => 0.0,
            Experimental::NdcgAtLevels => ndcg_at_levels(ranking, ideal),
        }
    }
}

/// The gains of a ranking.
pub(super) struct Gains {
    gains: Vec<f64>,
    /// The DCG of the first documents; one more than there are gains.
    dcg: Vec<f64>,
}

impl Gains {
    pub(super) fn of(ranking: &[Assessment]) -> Self {
        let gains: Vec<f64> = ranking.iter().map(|document| f64::from(document.grade())).collect();
        Gains { dcg: running_dcg(&gains), gains }
    }
}

/// log2 of a whole number.
fn log2(number: f64) -> f64 {
    const KEPT: usize = 4096;
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| (0..KEPT).map(|number| libm::log2(number as f64)).collect());
    TABLE.get(number as usize).copied().unwrap_or_else(|| libm::log2(number))
}

/// Gain of each document, divided by log2 of 2 and the gain that an ideal order has more so far (at
/// least 1 a rank), over all gain.
fn g(gains: &[f64], ideal: &IdealGains) -> f64 {
    let (mut found, mut possible, mut sum) = (0.0, 0.0, 0.0);
    for (place, &gain) in gains.iter().enumerate() {
        found += gain;
        possible += ideal.gains.get(place).copied().unwrap_or(0.0).max(1.0);
        if gain > 0.0 {
            sum += gain / log2(2.0 + possible - found);
        }
    }
    sum / ideal.sum
}

/// The running DCG of gains, one more than there are gains.
fn running_dcg(gains: &[f64]) -> Vec<f64> {
    let mut sums = Vec::with_capacity(gains.len() + 1);
    let mut sum = 0.0;
    sums.push(sum);
    for (place, &gain) in gains.iter().enumerate() {
        sum += if gain > 0.0 { gain / log2(place as f64 + 2.0) } else { 0.0 };
        sums.push(sum);
    }
    sums
}

/// nDCG at each relevant document, on average; for one that was not retrieved, DCG of the whole
/// list over that of the whole ideal order.
fn ndcg_at_relevant(ranking: &Gains, ideal: &IdealGains) -> f64 {
    let ndcg = |rank: usize| ranking.dcg[rank] / ideal.dcg[rank.min(ideal.gains.len())];
    let (mut found, mut sum) = (0, 0.0);
    for rank in (1..=ranking.gains.len()).filter(|&rank| ranking.gains[rank - 1] > 0.0) {
        found += 1;
        sum += ndcg(rank);
    }
    let missed = (ideal.gains.len() - found) as f64;
    sum += missed * ranking.dcg[ranking.gains.len()] / ideal.dcg[ideal.gains.len()];
    sum / ideal.gains.len() as f64
}

/// nDCG at the ranks behind which the ideal order has a lower gain, and at the end of a list that
/// is longer by two, on average.
fn ndcg_at_levels(ranking: &Gains, ideal: &IdealGains) -> f64 {
    let (retrieved, possible) = (ranking.gains.len(), ideal.gains.len());
    let falls = (1..=possible).filter(|&rank| ideal.gains.get(rank) != Some(&ideal.gains[rank - 1]));
    let mut values: Vec<f64> = falls.map(|rank| ranking.dcg[rank.min(retrieved)] / ideal.dcg[rank]).collect();
    if retrieved > possible + 1 {
        values.push(ranking.dcg[retrieved] / ideal.dcg[possible]);
    }
    values.iter().sum::<f64>() / values.len() as f64
}
