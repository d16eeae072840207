//! Counts how often a draw is as extreme as the observed data, for each comparison and for the
//! step-down maximum.
//!
//! Max-T (Westfall & Young 1993, free step-down) takes the comparisons from the largest observed
//! statistic to the smallest. The j-th is compared with the draw's maximum over itself and all
//! later comparisons. The adjusted p-values are then made monotone in this order. The statistics
//! must be comparable (studentised).

/// Counts over the draws of a family.
pub(crate) struct Tally {
    observed: Vec<f64>,
    /// Comparisons from the largest observed statistic to the smallest.
    order: Vec<usize>,
    hits: Vec<u64>,
    joint_hits: Vec<u64>,
    draws: u64,
}

/// Whether the draws were all possible draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// Every possible draw once, so that p = hits / draws.
    Complete,
    /// A random sample, to which the observed data are added: p = (1 + hits) / (1 + draws), which
    /// is never 0.
    Sample,
}

impl Tally {
    /// Starts the counts for these observed statistics, which are 0 or positive; infinity is
    /// allowed.
    pub(crate) fn new(observed: Vec<f64>) -> Tally {
        let mut order: Vec<usize> = (0..observed.len()).collect();
        order.sort_by(|&a, &b| observed[b].total_cmp(&observed[a]));
        let zeros = vec![0; observed.len()];
        Tally { observed, order, hits: zeros.clone(), joint_hits: zeros, draws: 0 }
    }

    /// Counts a draw. Each of its statistics is already raised by the tolerance within which it
    /// counts as equal.
    pub(crate) fn count(&mut self, drawn: &[f64]) {
        self.draws += 1;
        let mut maximum = f64::NEG_INFINITY;
        for &comparison in self.order.iter().rev() {
            let (drawn, observed) = (drawn[comparison], self.observed[comparison]);
            maximum = maximum.max(drawn);
            self.hits[comparison] += u64::from(drawn >= observed);
            self.joint_hits[comparison] += u64::from(maximum >= observed);
        }
    }

    /// The p-value of each comparison alone.
    pub(crate) fn p_values(&self, coverage: Coverage) -> Vec<f64> {
        self.hits.iter().map(|&hits| self.p(hits, coverage)).collect()
    }

    /// The step-down max-T p-values.
    pub(crate) fn max_t(&self, coverage: Coverage) -> Vec<f64> {
        let mut adjusted = vec![0.0; self.observed.len()];
        let mut largest = 0.0f64;
        for &comparison in &self.order {
            largest = largest.max(self.p(self.joint_hits[comparison], coverage));
            adjusted[comparison] = largest;
        }
        adjusted
    }

    fn p(&self, hits: u64, coverage: Coverage) -> f64 {
        match coverage {
            Coverage::Complete => hits as f64 / self.draws as f64,
            Coverage::Sample => (1 + hits) as f64 / (1 + self.draws) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_down_by_hand() {
        let mut tally = Tally::new(vec![2.0, 3.0, 1.0]);
        for drawn in [[2.5, 0.0, 0.0], [0.0, 0.0, 3.5], [0.0, 2.0, 1.5], [0.0, 0.0, 0.0]] {
            tally.count(&drawn);
        }
        assert_eq!(tally.p_values(Coverage::Complete), [0.25, 0.0, 0.5]);
        // In the order 3, 2, 1, the maxima reach the observed values 1, 2 and 2 times. Each p is at
        // least the previous p.
        assert_eq!(tally.max_t(Coverage::Complete), [0.5, 0.25, 0.5]);
        assert_eq!(tally.max_t(Coverage::Sample), [0.6, 0.4, 0.6]);
        assert_eq!(tally.p_values(Coverage::Sample)[1], 0.2);
    }
}
