//! Methods in which a document gets points for its rank in each system that retrieved it.

use super::{Method, Parameter, Uses};

const MOURAO: &str =
    "Mourao, Martins and Magalhaes, Multimodal medical information retrieval with unsupervised rank fusion, 2015";

pub(super) const RRF: Method = Method {
    name: "rrf",
    summary: "reciprocal rank fusion: sum of 1 / (k + rank)",
    source: "Cormack, Clarke and Buettcher, Reciprocal rank fusion outperforms Condorcet, SIGIR 2009",
    uses: Uses::Ranks,
    parameter: Some(Parameter { name: "k", default: 60.0, lowest: 0.0, highest: 1e9 }),
    fuse: |votes, k| Ok(votes.combine_ranks(|rank| 1.0 / (k + rank as f64), |own| own.iter().sum())),
};

pub(super) const ISR: Method = Method {
    name: "isr",
    summary: "inverse square rank: sum of 1 / rank^2, x number of systems",
    source: MOURAO,
    uses: Uses::Ranks,
    parameter: None,
    fuse: |votes, _| Ok(votes.combine_ranks(inverse_square, |own| own.iter().sum::<f64>() * own.len() as f64)),
};

pub(super) const LOG_ISR: Method = Method {
    name: "log-isr",
    summary: "sum of 1 / rank^2, x ln(number of systems): 0 for a document of one system",
    source: MOURAO,
    uses: Uses::Ranks,
    parameter: None,
    fuse: |votes, _| {
        Ok(votes.combine_ranks(inverse_square, |own| own.iter().sum::<f64>() * libm::log(own.len() as f64)))
    },
};

pub(super) const RBC: Method = Method {
    name: "rbc",
    summary: "rank-biased centroid: sum of (1 - phi) phi^(rank - 1)",
    source: "Bailey, Moffat, Scholer and Thomas, Retrieval Consistency in the Presence of Query Variations, SIGIR 2017",
    uses: Uses::Ranks,
    parameter: Some(Parameter { name: "phi", default: 0.8, lowest: 0.0, highest: 1.0 }),
    fuse: |votes, phi| {
        let points = |rank: usize| (1.0 - phi) * libm::pow(phi, (rank - 1) as f64);
        Ok(votes.combine_ranks(points, |own| own.iter().sum()))
    },
};

fn inverse_square(rank: usize) -> f64 {
    1.0 / (rank as f64 * rank as f64)
}

#[cfg(test)]
mod tests {
    use crate::{Fusion, FusionError, Ranked, Ties, method, normaliser};

    fn systems(ties: Ties) -> [Ranked; 2] {
        let system = |list: &[(usize, f64)]| Ranked::new(list.iter().copied(), ties).unwrap();
        [system(&[(0, 9.0), (1, 5.0), (2, 5.0)]), system(&[(2, 1.0), (0, 0.5)])]
    }

    /// Document 0 has the ranks 1 and 2, document 1 the ranks 2 and 3 in one system, document 2
    /// the ranks 2 and 3, and 1.
    #[test]
    fn three_documents_by_hand() {
        let fused = |name: &str| Fusion::new(method(name).unwrap()).scores(3, &systems(Ties::Average)).unwrap();
        let near = |found: Vec<f64>, expected: [f64; 3]| {
            let worst = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-15, "{found:?} {expected:?}");
        };
        let shared = (1.0 / 62.0 + 1.0 / 63.0) / 2.0;
        near(fused("rrf"), [1.0 / 61.0 + 1.0 / 62.0, shared, shared + 1.0 / 61.0]);
        let shared = (1.0 / 4.0 + 1.0 / 9.0) / 2.0;
        near(fused("isr"), [1.25 * 2.0, shared, (shared + 1.0) * 2.0]);
        near(fused("log-isr"), [1.25 * libm::log(2.0), 0.0, (shared + 1.0) * libm::log(2.0)]);
        let shared = 0.2 * (0.8 + 0.64) / 2.0;
        near(fused("rbc"), [0.2 + 0.16, shared, shared + 0.2]);
    }

    #[test]
    fn documents_of_equal_score_have_the_order_of_the_list_if_asked() {
        let fused = Fusion::new(method("rrf").unwrap()).scores(3, &systems(Ties::Given)).unwrap();
        assert_eq!(fused[1], 1.0 / 62.0);
    }

    #[test]
    fn settings_without_effect_are_refused() {
        let rrf = || Fusion::new(method("rrf").unwrap());
        let refused = rrf().with_normaliser(normaliser("min-max").unwrap()).unwrap_err();
        assert_eq!(refused, FusionError::NotNormalised { method: "rrf" });
        assert!(rrf().with_parameter("k", -1.0).unwrap_err().to_string().contains("between 0 and"));
        let isr = Fusion::new(method("isr").unwrap());
        let refused = isr.with_parameter("phi", 1.0).unwrap_err().to_string();
        assert_eq!(refused, "`phi` has no effect on isr; it belongs to rbc");
        assert!(rrf().with_weights(vec![1.0, f64::NAN]).is_err());
        assert!(rrf().with_weights(vec![0.0, 0.0]).is_err());
        let error = rrf().with_weights(vec![1.0]).unwrap().scores(3, &systems(Ties::Average)).unwrap_err();
        assert_eq!(error.to_string(), "1 weights for 2 systems; give one a system");
        let error = rrf().scores(2, &systems(Ties::Average)).unwrap_err();
        assert_eq!(error, FusionError::Candidate { document: 2, candidates: 2 });
    }
}
