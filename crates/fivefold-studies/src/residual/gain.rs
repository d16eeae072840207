//! Residual gain: the gain that a ranking adds to rankings that the user has already seen.
//!
//! S(R | prior) = (1/N) sum_{i<=K} G(d_i | prior) seen(i), G(d | prior) = G(d) prod_j (1 -
//! seen(pos(d, R_j))). Here seen(pos) = 0 for a document outside the top K of prior ranking R_j. N
//! is the same sum for all judged documents in the order of falling residual gain ("Normalized
//! Residual Gain", 2024). Without a prior ranking, S = A/U. N is 0 if no document is relevant, or
//! if the user has certainly seen all relevant documents. Then S is 0, and the case is counted.
//!
//! Cost: a product for each document in the top K of a prior ranking, and one sort of the judged
//! documents with a gain.

use fivefold_metrics::residual;

use super::utility::Utility;
use crate::systems::Document;

/// A ranking in which no document stands twice, best document first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking(Vec<Document>);

/// A document that occurs twice in a ranking, so that its gain would count twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("document number {0} stands twice in the ranking")]
pub struct Repeated(pub Document);

impl Ranking {
    /// A ranking of documents in this order.
    ///
    /// # Errors
    /// [`Repeated`] if a document occurs twice.
    pub fn new(documents: Vec<Document>) -> Result<Self, Repeated> {
        let mut sorted = documents.clone();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Repeated(pair[0])),
            None => Ok(Ranking(documents)),
        }
    }

    /// The first `count` documents, or all documents if there are fewer.
    pub fn top(&self, count: usize) -> &[Document] {
        &self.0[..count.min(self.0.len())]
    }

    /// The documents.
    pub fn documents(&self) -> &[Document] {
        &self.0
    }
}

/// The residual gains of one query's documents after some rankings were seen.
#[derive(Debug, Clone)]
pub struct ResidualGains<'a> {
    utility: &'a Utility,
    /// The residual gain of each judged document.
    gains: Vec<f64>,
}

/// The residual gain of one ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResidualGain {
    /// The sum, before normalisation.
    pub sum: f64,
    /// N: the same sum for the ideal order.
    pub ideal: f64,
}

impl ResidualGain {
    /// S: the sum divided by N; 0 if N is 0.
    pub fn normalised(&self) -> f64 {
        if self.is_exhausted() { 0.0 } else { self.sum / self.ideal }
    }

    /// Whether nothing is left to gain: N is 0.
    pub fn is_exhausted(&self) -> bool {
        self.ideal <= 0.0
    }
}

impl<'a> ResidualGains<'a> {
    /// The gains for a query whose judged documents have these grades, before any ranking was seen.
    pub fn new(utility: &'a Utility, grades: &[u8]) -> Self {
        ResidualGains { utility, gains: grades.iter().map(|&grade| utility.gain(grade)).collect() }
    }

    /// Updates the gains after the user saw a ranking. Documents without a judgement have no gain.
    pub fn see(&mut self, ranking: &Ranking) {
        residual::see(&mut self.gains, ranking.documents(), self.utility.seen_positions());
    }

    /// The gain that a ranking would add now.
    pub fn gain(&self, ranking: &Ranking) -> ResidualGain {
        let seen = self.utility.seen_positions();
        ResidualGain {
            sum: residual::gain(&self.gains, ranking.documents(), seen),
            ideal: residual::ideal_gain(&self.gains, seen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_core::{Rng, Seed};
    use fivefold_metrics::{Evaluator, MeasureSpec, Scratch, dialect};

    fn utility(name: &str, max_grade: u8, depth: usize) -> Utility {
        let conventions = dialect("paper").unwrap().conventions();
        Utility::of(&name.parse().unwrap(), &conventions, max_grade, depth).unwrap()
    }

    fn nrg(utility: &Utility, grades: &[u8], priors: &[&[Document]], ranking: &[Document]) -> ResidualGain {
        let mut residual = ResidualGains::new(utility, grades);
        let ranking_of = |documents: &[Document]| Ranking::new(documents.to_vec()).unwrap();
        priors.iter().for_each(|prior| residual.see(&ranking_of(prior)));
        residual.gain(&ranking_of(ranking))
    }

    /// The table of "Normalized Residual Gain" (2024): relevant documents A, E, F, J, and three
    /// rankings of ten documents.
    #[test]
    fn the_published_table() {
        let grades = [1, 0, 0, 0, 1, 1, 0, 0, 0, 1];
        let ranking = |letters: &str| letters.bytes().map(|b| u32::from(b - b'A')).collect::<Vec<_>>();
        let [r1, r2, r3] = ["ABCDEFGHIJ", "EDCBAFGHIJ", "JIHGFEDCBA"].map(ranking);
        let (r1, r2, r3) = (r1.as_slice(), r2.as_slice(), r3.as_slice());
        let utility = utility("ndcg@10", 1, 10);
        type Row<'a> = (&'a [u32], &'a [&'a [u32]], f64);
        let table: [Row<'_>; 9] = [
            (r1, &[], 0.7933),
            (r2, &[], 0.7933),
            (r3, &[], 0.7933),
            (r1, &[r2], 0.7361),
            (r1, &[r3], 0.8277),
            (r2, &[r3], 0.7988),
            (r1, &[r2, r3], 0.8417),
            (r2, &[r1, r3], 0.8316),
            (r3, &[r1, r2], 0.8681),
        ];
        for (ranking, priors, printed) in table {
            let found = nrg(&utility, &grades, priors, ranking).normalised();
            assert!((found - printed).abs() < 0.5e-4, "{found} for {printed}");
        }
    }

    #[test]
    fn a_repeated_document_is_an_error() {
        assert_eq!(Ranking::new(vec![3, 1, 2, 1]), Err(Repeated(1)));
        assert!(Ranking::new(vec![3, 1, 2]).is_ok() && Ranking::new(Vec::new()).is_ok());
    }

    /// S by its definition, document by document. The ideal comes from every order of the judged
    /// documents.
    fn brute_force(
        grades: &[u8],
        priors: &[Vec<Document>],
        ranking: &[Document],
        cutoff: usize,
        gain: impl Fn(u8) -> f64,
        seen: impl Fn(usize) -> f64,
    ) -> (f64, f64) {
        let rank_of = |document: u32, list: &[u32]| {
            let found = list.iter().position(|&d| d == document).map(|position| position + 1);
            found.filter(|&rank| rank <= cutoff)
        };
        let residual = |document: u32| {
            let grade = grades.get(document as usize).copied().unwrap_or(0);
            let unseen = priors.iter().map(|prior| 1.0 - rank_of(document, prior).map_or(0.0, &seen));
            gain(grade) * unseen.product::<f64>()
        };
        let sum = |order: &[u32]| -> f64 {
            (1..=cutoff.min(order.len())).map(|rank| residual(order[rank - 1]) * seen(rank)).sum()
        };
        let mut best = 0.0_f64;
        permute(&mut (0..grades.len() as u32).collect::<Vec<_>>(), 0, &mut |order| best = best.max(sum(order)));
        (sum(ranking), best)
    }

    fn permute(items: &mut [u32], from: usize, visit: &mut impl FnMut(&[u32])) {
        if from == items.len() {
            return visit(items);
        }
        for other in from..items.len() {
            items.swap(from, other);
            permute(items, from + 1, visit);
            items.swap(from, other);
        }
    }

    /// Some of the documents 0 .. `documents`, in a random order.
    fn random_ranking(rng: &mut Rng, documents: usize) -> Vec<Document> {
        let mut all: Vec<Document> = (0..documents as u32).collect();
        rng.shuffle(&mut all);
        all.truncate(1 + rng.index(documents));
        all
    }

    #[test]
    fn agrees_with_brute_force() {
        type Form = (&'static str, usize, fn(u8) -> f64, fn(usize) -> f64);
        let forms: [Form; 5] =
            [
                ("ndcg@4", 4, |y| libm::exp2(f64::from(y)) - 1.0, |i| 1.0 / libm::log2(i as f64 + 1.0)),
                ("ndcg(gain=linear,discount=letor)@3", 3, f64::from, |i| {
                    if i < 3 { 1.0 } else { 1.0 / libm::log2(i as f64) }
                }),
                ("rbp(p=0.6)", 99, |y| f64::from(u8::from(y > 0)), |i| libm::pow(0.6, i as f64 - 1.0)),
                ("p@3", 3, |y| f64::from(u8::from(y > 0)), |_| 1.0),
                ("rr", 99, |y| f64::from(u8::from(y > 0)), |i| 1.0 / i as f64),
            ];
        let mut rng = Seed::new(5).rng();
        for (name, cutoff, gain, seen) in forms {
            let mut exhausted = 0;
            for _ in 0..60 {
                let judged = 1 + rng.index(6);
                let grades: Vec<u8> = (0..judged).map(|_| rng.index(3) as u8).collect();
                let documents = judged + 2;
                let priors: Vec<_> = (0..rng.index(4)).map(|_| random_ranking(&mut rng, documents)).collect();
                let ranking = random_ranking(&mut rng, documents);
                let (sum, ideal) = brute_force(&grades, &priors, &ranking, cutoff, gain, seen);
                let utility = utility(name, 2, documents);
                let slices: Vec<&[u32]> = priors.iter().map(Vec::as_slice).collect();
                let found = nrg(&utility, &grades, &slices, &ranking);
                // Gains are known up to a factor. The normalisation removes this factor.
                if ideal == 0.0 {
                    assert!(found.is_exhausted() && found.normalised() == 0.0);
                    exhausted += 1;
                } else {
                    assert!((found.normalised() - sum / ideal).abs() < 1e-12, "{name} {found:?} {sum} {ideal}");
                }
            }
            assert!(exhausted > 0 && exhausted < 60, "{name}: {exhausted} queries with nothing to gain");
        }
    }

    /// Without a prior ranking S = A/U. For `rr` this needs a query with at most one relevant
    /// document, since RR stops at the first.
    #[test]
    fn without_prior_rankings_it_is_the_share_of_the_upper_bound() {
        let conventions = dialect("paper").unwrap().conventions();
        let names = ["ndcg@3", "ndcg", "dcg@5", "rbp(p=0.7)@4", "neru@4", "p@3", "wta", "rr"];
        let mut rng = Seed::new(9).rng();
        for name in names {
            let spec: MeasureSpec = name.parse().unwrap();
            let evaluator = Evaluator::new(std::slice::from_ref(&spec), &conventions, 2, Seed::new(0)).unwrap();
            let utility = utility(name, 2, 7);
            for round in 0..40 {
                let mut grades: Vec<u8> = (0..7).map(|_| rng.index(3) as u8).collect();
                if name == "rr" {
                    grades.fill(0);
                    grades[round % 7] = u8::from(round % 5 > 0);
                }
                let mut ranking: Vec<Document> = (0..7).collect();
                rng.shuffle(&mut ranking);
                let value = |order: &[Document]| {
                    let mut scores = [0.0; 7];
                    order.iter().zip(0u8..).for_each(|(&d, position)| scores[d as usize] = -f64::from(position));
                    let mut out = [0.0];
                    let judged = evaluator.judge("q", &grades, None).unwrap();
                    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut out).unwrap();
                    out[0]
                };
                let mut ideal = ranking.clone();
                ideal.sort_by_key(|&d| std::cmp::Reverse(grades[d as usize]));
                let found = nrg(&utility, &grades, &[], &ranking);
                let (a, u) = (value(&ranking), value(&ideal));
                if found.is_exhausted() {
                    assert!(u == 0.0 || u.is_nan(), "{name} {grades:?}");
                } else {
                    assert!((found.normalised() - a / u).abs() < 1e-12, "{name} {grades:?} {ranking:?}");
                }
            }
        }
    }

    #[test]
    fn precision_without_a_normaliser_counts_unique_contributions() {
        let utility = Utility::precision(3, 1, 2);
        let mut rng = Seed::new(2).rng();
        let mut most = 0.0_f64;
        for _ in 0..200 {
            let grades: Vec<u8> = (0..8).map(|_| rng.index(3) as u8).collect();
            let priors: Vec<_> = (0..rng.index(3)).map(|_| random_ranking(&mut rng, 10)).collect();
            let ranking = random_ranking(&mut rng, 10);
            let slices: Vec<&[u32]> = priors.iter().map(Vec::as_slice).collect();
            let top = |list: &[u32]| list[..list.len().min(3)].to_vec();
            let unique = top(&ranking).into_iter().filter(|&d| {
                (d as usize) < 8 && grades[d as usize] >= 1 && !slices.iter().any(|prior| top(prior).contains(&d))
            });
            let (sum, count) = (nrg(&utility, &grades, &slices, &ranking).sum, unique.count() as f64);
            assert_eq!(sum, count);
            most = most.max(sum);
        }
        assert!(most >= 2.0, "a test of nothing");
    }
}
