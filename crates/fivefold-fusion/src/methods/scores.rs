//! CombSUM, CombMNZ and their kin: a function of the normalised scores that a document has in the
//! systems that retrieved it.

use super::{Method, Uses};
use crate::FusionError;
use crate::votes::Votes;

const FOX_SHAW: &str = "Fox and Shaw, Combination of Multiple Searches, TREC-2, 1994";

const fn of_scores(
    name: &'static str,
    summary: &'static str,
    fuse: fn(&Votes<'_>, f64) -> Result<Vec<f64>, FusionError>,
) -> Method {
    Method { name, summary, source: FOX_SHAW, uses: Uses::Scores, parameter: None, fuse }
}

pub(super) const COMB_SUM: Method =
    of_scores("comb-sum", "sum of the scores", |votes, _| votes.combine_scores(|own| own.iter().sum()));

pub(super) const COMB_MNZ: Method = of_scores("comb-mnz", "sum of the scores x number of systems", |votes, _| {
    votes.combine_scores(|own| own.iter().sum::<f64>() * own.len() as f64)
});

pub(super) const COMB_ANZ: Method = of_scores("comb-anz", "sum of the scores / number of systems", |votes, _| {
    votes.combine_scores(|own| own.iter().sum::<f64>() / own.len() as f64)
});

pub(super) const COMB_MAX: Method = of_scores("comb-max", "highest of the scores", |votes, _| {
    votes.combine_scores(|own| own.iter().copied().fold(f64::NEG_INFINITY, f64::max))
});

pub(super) const COMB_MIN: Method = of_scores("comb-min", "lowest of the scores", |votes, _| {
    votes.combine_scores(|own| own.iter().copied().fold(f64::INFINITY, f64::min))
});

pub(super) const COMB_MED: Method =
    of_scores("comb-med", "median of the scores", |votes, _| votes.combine_scores(median));

fn median(own: &mut [f64]) -> f64 {
    own.sort_by(f64::total_cmp);
    let middle = own.len() / 2;
    if own.len().is_multiple_of(2) { (own[middle - 1] + own[middle]) / 2.0 } else { own[middle] }
}

#[cfg(test)]
mod tests {
    use crate::{Fusion, Ranked, Ties, method, normaliser};

    /// Document 0 has the scores 1, 2 and 6 in three systems, document 1 the scores 4 and 2.
    #[test]
    fn two_documents_by_hand() {
        let system = |list: &[(usize, f64)]| Ranked::new(list.iter().copied(), Ties::Average).unwrap();
        let systems = [system(&[(0, 1.0), (1, 4.0)]), system(&[(0, 2.0)]), system(&[(0, 6.0), (1, 2.0)])];
        let fused = |name: &str, weights: &[f64]| {
            let fusion = Fusion::new(method(name).unwrap()).with_normaliser(normaliser("none").unwrap()).unwrap();
            fusion.with_weights(weights.to_vec()).unwrap().scores(3, &systems).unwrap()
        };
        let equal = |name: &str| fused(name, &[1.0; 3]);
        assert_eq!(equal("comb-sum"), [9.0, 6.0, 0.0]);
        assert_eq!(equal("comb-mnz"), [27.0, 12.0, 0.0]);
        assert_eq!(equal("comb-anz"), [3.0, 3.0, 0.0]);
        assert_eq!(equal("comb-max"), [6.0, 4.0, 0.0]);
        assert_eq!(equal("comb-min"), [1.0, 2.0, 0.0]);
        assert_eq!(equal("comb-med"), [2.0, 3.0, 0.0]);
        assert_eq!(fused("comb-sum", &[2.0, 0.5, 0.0]), [3.0, 8.0, 0.0]);
        // A system of weight 0 is not counted.
        assert_eq!(fused("comb-mnz", &[1.0, 1.0, 0.0]), [6.0, 4.0, 0.0]);
        assert_eq!(fused("comb-min", &[0.0, 1.0, 1.0]), [2.0, 2.0, 0.0]);
    }
}
