//! E of min(X, r) for counts X, which all closed forms are made of.
//!
//! E[min(X, r)] = r - sum over x < r of (r - x) P(X = x). The sum has at most r terms. The largest
//! term is computed by logarithms of factorials, the others from their neighbours by ratios, so
//! that no term is lost where others are too small for a number.

/// ln k! for k up to a limit.
pub(crate) struct LogFactorials(Vec<f64>);

impl LogFactorials {
    /// A table of ln 0! to ln `most`!.
    pub(crate) fn up_to(most: usize) -> Self {
        // Neumaier's sum: the table is right to the last bits, however long it is.
        let (mut sum, mut lost) = (0.0_f64, 0.0);
        let mut table = vec![0.0];
        for k in 1..=most {
            let term = libm::log(k as f64);
            let next = sum + term;
            lost += if sum >= term { (sum - next) + term } else { (term - next) + sum };
            sum = next;
            table.push(sum + lost);
        }
        LogFactorials(table)
    }

    fn of(&self, k: usize) -> f64 {
        self.0[k]
    }

    /// ln C(n, k).
    fn choose(&self, n: usize, k: usize) -> f64 {
        self.of(n) - self.of(k) - self.of(n - k)
    }

    /// P(X = x) where `draws` of `population` are taken without replacement, and X counts those of
    /// the `successes`. `x` must be possible.
    pub(crate) fn hypergeometric(&self, population: usize, successes: usize, draws: usize, x: usize) -> f64 {
        let ways = self.choose(successes, x) + self.choose(population - successes, draws - x);
        libm::exp(ways - self.choose(population, draws))
    }
}

/// E of min(X, r) for X of `draws` independent draws, each a success with chance `p`.
pub(crate) fn min_of_binomial(draws: usize, p: f64, r: usize, logs: &LogFactorials) -> f64 {
    if p >= 1.0 {
        return draws.min(r) as f64;
    }
    if r >= draws {
        return draws as f64 * p;
    }
    let mode = ((draws as f64 + 1.0) * p) as usize;
    let start = mode.min(r - 1);
    let log = logs.choose(draws, start) + start as f64 * libm::log(p) + (draws - start) as f64 * libm::log1p(-p);
    let odds = p / (1.0 - p);
    let ratio = |x: usize| (draws - x) as f64 / (x + 1) as f64 * odds;
    below(0, r, start, libm::exp(log), ratio)
}

/// E of min(X, r), where `draws` of `population` are taken without replacement, and X counts those
/// of the `successes`.
pub(crate) fn min_of_hypergeometric(
    population: usize,
    successes: usize,
    draws: usize,
    r: usize,
    logs: &LogFactorials,
) -> f64 {
    let lowest = (draws + successes).saturating_sub(population);
    if r <= lowest {
        return r as f64;
    }
    if r >= successes.min(draws) {
        return draws as f64 * successes as f64 / population as f64;
    }
    let mode = ((draws + 1) as f64 * (successes + 1) as f64 / (population + 2) as f64) as usize;
    let start = mode.clamp(lowest, r - 1);
    let others = population - successes;
    let ratio = |x: usize| {
        let (left, missing) = ((successes - x) as f64, (draws - x) as f64);
        left * missing / ((x + 1) as f64 * (others + x + 1 - draws) as f64)
    };
    below(lowest, r, start, logs.hypergeometric(population, successes, draws, start), ratio)
}

/// r - sum over `lowest` <= x < r of (r - x) P(x), from P at `start`, where `ratio(x)` is P(x + 1) / P(x).
fn below(lowest: usize, r: usize, start: usize, at_start: f64, ratio: impl Fn(usize) -> f64) -> f64 {
    let short = |x: usize| (r - x) as f64;
    let mut sum = short(start) * at_start;
    let mut p = at_start;
    for x in start + 1..r {
        p *= ratio(x - 1);
        sum += short(x) * p;
    }
    p = at_start;
    for x in (lowest..start).rev() {
        p /= ratio(x);
        sum += short(x) * p;
    }
    // The sum can exceed r by rounding.
    (r as f64 - sum).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Log-factorials against libm's gamma function, and large numbers against Stirling's series.
    #[test]
    fn log_factorials_are_those_of_gamma() {
        let logs = LogFactorials::up_to(5000);
        for k in [0, 1, 2, 20, 170, 5000] {
            let gamma = libm::lgamma(k as f64 + 1.0);
            assert!((logs.of(k) - gamma).abs() <= 4e-15 * gamma.max(1.0), "{k}");
        }
    }

    /// Every sequence of draws of small cases.
    #[test]
    fn minima_by_enumeration() {
        let logs = LogFactorials::up_to(20);
        // Independent draws: each a success with chance c of 4, so all 4^draws sequences count alike.
        for successes in 0..=4_usize {
            for draws in 0..=5_u32 {
                for r in 1..=6 {
                    let total: usize = (0..4_usize.pow(draws))
                        .map(|code| (0..draws).filter(|&d| code / 4_usize.pow(d) % 4 < successes).count().min(r))
                        .sum();
                    let expected = total as f64 / 4_f64.powi(draws as i32);
                    let found = min_of_binomial(draws as usize, successes as f64 / 4.0, r, &logs);
                    assert!((found - expected).abs() < 1e-14, "{successes} {draws} {r}: {found} {expected}");
                }
            }
        }
        // Without replacement: all sets of draws of 8, of which the first are successes.
        for successes in 0..=8_u32 {
            for draws in 0..=8 {
                let sets = (0..256_u32).filter(|set| set.count_ones() == draws);
                let found: Vec<usize> = sets.map(|set| (set & ((1 << successes) - 1)).count_ones() as usize).collect();
                for r in 1..=9 {
                    let expected = found.iter().map(|&x| x.min(r)).sum::<usize>() as f64 / found.len() as f64;
                    let found = min_of_hypergeometric(8, successes as usize, draws as usize, r, &logs);
                    assert!((found - expected).abs() < 1e-14, "{successes} {draws} {r}: {found} {expected}");
                }
            }
        }
    }

    /// Where P(0) is too small for a number, the mean still comes out: half of the draws, by
    /// symmetry less half of the mean distance |X - mean| = 2 E[max(mean - X, 0)].
    #[test]
    fn nothing_is_lost_in_large_cases() {
        let (draws, r) = (5000, 2500);
        let logs = LogFactorials::up_to(draws);
        // E|X - n/2| = n C(n-1, n/2) / 2^(n-1) / 2 for even n (de Moivre).
        let log = logs.choose(draws - 1, r) - (draws - 1) as f64 * libm::log(2.0);
        let distance = draws as f64 / 2.0 * libm::exp(log);
        let found = min_of_binomial(draws, 0.5, r, &logs);
        assert!((found - (r as f64 - distance / 2.0)).abs() < 1e-8, "{found}");
        // P(X >= 5) is 1 but for 1e-30 or so.
        assert_eq!(min_of_hypergeometric(600, 300, 300, 5, &logs), 5.0);
    }
}
