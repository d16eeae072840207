//! Three losses of a query's scores, and their gradients.
//!
//! For scores s and grades g of the n documents of a query:
//! - squared error (pointwise): `L = sum_i (s_i - g_i)^2`;
//! - RankNet (pairwise; Burges et al., ICML 2005, sigma = 1): `L = sum log(1 + exp(s_j - s_i))` over
//!   the pairs with g_i > g_j;
//! - ListNet (listwise, top one; Cao et al., ICML 2007): `L = - sum_i P_i log Q_i`, P the softmax of
//!   the grades and Q the softmax of the scores.
//!
//! LambdaRank (Burges 2010) has no loss of its own: its gradient is RankNet's, with each pair
//! weighed by the change of nDCG if the two documents changed places.

/// A loss that the student differentiates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    Squared,
    RankNet,
    ListNet,
    /// RankNet's pairs with weights: a bonus.
    Lambda,
}

impl Loss {
    pub(crate) const ALL: [Loss; 4] = [Loss::Squared, Loss::RankNet, Loss::ListNet, Loss::Lambda];

    /// The name of the function in the student's file, and of the loss on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Loss::Squared => "squared",
            Loss::RankNet => "ranknet",
            Loss::ListNet => "listnet",
            Loss::Lambda => "lambdas",
        }
    }

    /// The loss; `None` for lambdas, which have none.
    pub(crate) fn value(self, scores: &[f64], grades: &[f64]) -> Option<f64> {
        match self {
            Loss::Squared => Some(scores.iter().zip(grades).map(|(s, g)| (s - g) * (s - g)).sum()),
            Loss::RankNet => Some(pairs(grades).map(|(i, j)| libm::log1p(libm::exp(scores[j] - scores[i]))).sum()),
            Loss::ListNet => {
                let (target, own) = (softmax(grades), softmax(scores));
                Some(-target.iter().zip(own).map(|(p, q)| p * libm::log(q)).sum::<f64>())
            }
            Loss::Lambda => None,
        }
    }

    /// The gradient: the slope of the loss by each score.
    pub(crate) fn gradient(self, scores: &[f64], grades: &[f64]) -> Vec<f64> {
        match self {
            Loss::Squared => scores.iter().zip(grades).map(|(s, g)| 2.0 * (s - g)).collect(),
            Loss::RankNet => of_pairs(scores, grades, |_, _| 1.0),
            Loss::ListNet => softmax(scores).iter().zip(softmax(grades)).map(|(q, p)| q - p).collect(),
            Loss::Lambda => {
                let exchange = Exchange::new(scores, grades);
                of_pairs(scores, grades, |i, j| exchange.change(i, j))
            }
        }
    }
}

/// The pairs (i, j) with a higher grade of i.
fn pairs(grades: &[f64]) -> impl Iterator<Item = (usize, usize)> {
    let n = grades.len();
    (0..n).flat_map(move |i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| grades[i] > grades[j])
}

/// A pair adds -w / (1 + exp(s_i - s_j)) to the better document, and the opposite to the other one.
fn of_pairs(scores: &[f64], grades: &[f64], weight: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut gradient = vec![0.0; scores.len()];
    for (i, j) in pairs(grades) {
        let push = weight(i, j) / (1.0 + libm::exp(scores[i] - scores[j]));
        gradient[i] -= push;
        gradient[j] += push;
    }
    gradient
}

fn softmax(values: &[f64]) -> Vec<f64> {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = values.iter().map(|value| libm::exp(value - most)).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// How much nDCG changes if two documents change places. Gain 2^g - 1, discount 1/log2(rank + 1), no
/// cutoff.
struct Exchange {
    gains: Vec<f64>,
    discounts: Vec<f64>,
    ideal: f64,
}

impl Exchange {
    fn new(scores: &[f64], grades: &[f64]) -> Self {
        let gains: Vec<f64> = grades.iter().map(|grade| libm::exp2(*grade) - 1.0).collect();
        let discount = |rank: usize| 1.0 / libm::log2(rank as f64 + 2.0);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let mut discounts = vec![0.0; scores.len()];
        order.iter().enumerate().for_each(|(rank, &document)| discounts[document] = discount(rank));
        let mut best = gains.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        let ideal = best.iter().enumerate().map(|(rank, gain)| gain * discount(rank)).sum();
        Exchange { gains, discounts, ideal }
    }

    fn change(&self, i: usize, j: usize) -> f64 {
        ((self.gains[i] - self.gains[j]) * (self.discounts[i] - self.discounts[j])).abs() / self.ideal
    }
}

/// The slopes by central differences with the step 1e-5; an error of about 1e-9 remains.
pub(crate) fn finite_differences(loss: Loss, scores: &[f64], grades: &[f64]) -> Option<Vec<f64>> {
    const STEP: f64 = 1e-5;
    let moved = |document: usize, step: f64| {
        let mut scores = scores.to_vec();
        scores[document] += step;
        loss.value(&scores, grades)
    };
    (0..scores.len()).map(|document| Some((moved(document, STEP)? - moved(document, -STEP)?) / (2.0 * STEP))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_base::Seed;

    #[test]
    fn gradients_are_the_slopes_of_the_losses() {
        let mut rng = Seed::new(3).rng();
        for _ in 0..50 {
            let n = 2 + rng.index(6);
            let scores: Vec<f64> = (0..n).map(|_| 2.0 * rng.normal()).collect();
            let grades: Vec<f64> = (0..n).map(|_| rng.below(4) as f64).collect();
            for loss in &Loss::ALL[..3] {
                let slopes = finite_differences(*loss, &scores, &grades).unwrap();
                let far = slopes.iter().zip(loss.gradient(&scores, &grades)).map(|(a, b)| (a - b).abs());
                assert!(far.fold(0.0, f64::max) < 1e-8, "{loss:?}");
            }
            assert!(finite_differences(Loss::Lambda, &scores, &grades).is_none());
        }
    }

    #[test]
    fn a_query_by_hand() {
        // Two documents of grades 1 and 0 with equal scores: the pair pushes by 1/2, Q is (1/2, 1/2) and
        // P is (e, 1) / (e + 1).
        let (scores, grades) = ([0.0, 0.0], [1.0, 0.0]);
        assert_eq!(Loss::Squared.gradient(&scores, &grades), [-2.0, 0.0]);
        assert_eq!(Loss::RankNet.gradient(&scores, &grades), [-0.5, 0.5]);
        let target = std::f64::consts::E / (std::f64::consts::E + 1.0);
        assert!((Loss::ListNet.gradient(&scores, &grades)[0] - (0.5 - target)).abs() < 1e-15);
        // The better document stands second: nDCG would rise from 1/log2(3) to 1.
        let lambdas = Loss::Lambda.gradient(&[0.0, 1.0], &grades);
        let pushed = (1.0 - 1.0 / libm::log2(3.0)) / (1.0 + libm::exp(-1.0));
        assert!((lambdas[1] - pushed).abs() < 1e-15 && lambdas[0] == -lambdas[1]);
    }

    #[test]
    fn pushes_cancel() {
        let (scores, grades) = ([0.3, -1.0, 2.0, 0.1], [2.0, 0.0, 1.0, 2.0]);
        for loss in &Loss::ALL[1..] {
            assert!(loss.gradient(&scores, &grades).iter().sum::<f64>().abs() < 1e-12, "{loss:?}");
        }
    }
}
