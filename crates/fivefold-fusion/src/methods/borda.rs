//! Borda: a system is a voter, who gives as many points as there are candidates to the first
//! document, and one point less to each next one. The documents that the system did not retrieve
//! share the points that are left.

use super::{Method, Uses};
use crate::votes::{Votes, mean_points};

pub(super) const BORDA: Method = Method {
    name: "borda",
    summary: "sum of points: the number of candidates for rank 1, one less for each further rank, the rest shared",
    source: "Aslam and Montague, Models for Metasearch, SIGIR 2001",
    uses: Uses::Ranks,
    parameter: None,
    fuse: |votes, _| Ok(borda(votes)),
};

fn borda(votes: &Votes<'_>) -> Vec<f64> {
    let mut sums = vec![0.0; votes.candidates];
    for (system, weight) in votes.systems.iter().zip(votes.weights) {
        let retrieved = system.documents();
        // The points from 1 to the number of documents that were not retrieved.
        let shared = (votes.candidates - retrieved.len() + 1) as f64 / 2.0;
        let mut points = vec![shared; votes.candidates];
        for placed in retrieved {
            points[placed.document] = mean_points(placed, |rank| (votes.candidates + 1 - rank) as f64);
        }
        sums.iter_mut().zip(points).for_each(|(sum, points)| *sum += weight * points);
    }
    sums
}

#[cfg(test)]
mod tests {
    use crate::{Fusion, Ranked, Ties, method};

    /// Four candidates: the first system gives 4, 3 and shares 2 + 1, the second gives 4 to
    /// document 3 and shares 3 + 2 + 1.
    #[test]
    fn four_documents_by_hand() {
        let system = |list: &[(usize, f64)]| Ranked::new(list.iter().copied(), Ties::Average).unwrap();
        let systems = [system(&[(0, 2.0), (1, 1.0)]), system(&[(3, 7.0)])];
        let fused = Fusion::new(method("borda").unwrap()).scores(4, &systems).unwrap();
        assert_eq!(fused, [6.0, 5.0, 3.5, 5.5]);
        // A voter spends the same number of points, whatever it retrieves.
        assert_eq!(fused.iter().sum::<f64>(), 2.0 * 10.0);
    }
}
