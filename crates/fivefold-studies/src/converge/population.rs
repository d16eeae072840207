//! The documents of the simulation. Grades are drawn by their shares, and two features around the
//! mean of the grade.
//!
//! x | y ~ N(mu_y, I) (He, Wang, Chen & Liu, section on simulations). A ranker at angle t scores x
//! by x_1 cos t + x_2 sin t, so the scores of grade y are N(mu_y . w, 1). Cost: two normal numbers
//! for each document, and two multiplications for each document and ranker.

use fivefold_core::Seed;
use serde::{Deserialize, Serialize};

use super::growing::Stream;

/// The distribution from which documents are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Population {
    /// The share of each grade from 0; the shares sum to 1.
    pub shares: Vec<f64>,
    /// The mean of the features of each grade.
    pub means: Vec<[f64; 2]>,
}

impl Default for Population {
    fn default() -> Self {
        Population { shares: vec![0.4, 0.3, 0.3], means: vec![[0.0, 0.0], [0.3, 0.3], [0.5, 0.6]] }
    }
}

/// The weights of the two features under a ranker at an angle in degrees.
fn weights(angle: f64) -> [f64; 2] {
    let radians = angle.to_radians();
    [libm::cos(radians), libm::sin(radians)]
}

impl Population {
    /// The highest grade.
    pub(super) fn max_grade(&self) -> u8 {
        u8::try_from(self.shares.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }

    /// The mean score of each grade under a ranker at an angle. The scores of a grade are N(mean,
    /// 1).
    pub(super) fn score_means(&self, angle: f64) -> Vec<f64> {
        let [a, b] = weights(angle);
        self.means.iter().map(|[x, y]| a * x + b * y).collect()
    }

    /// Draws documents and scores them under rankers at these angles.
    pub(super) fn draw(&self, documents: usize, angles: &[f64], seed: Seed) -> Stream {
        let mut rng = seed.rng();
        let weights: Vec<[f64; 2]> = angles.iter().map(|&angle| weights(angle)).collect();
        let mut grades = Vec::with_capacity(documents);
        let mut scores = vec![Vec::with_capacity(documents); angles.len()];
        for _ in 0..documents {
            let grade = self.grade(rng.uniform());
            let [x, y] = self.means[usize::from(grade)].map(|mean| mean + rng.normal());
            grades.push(grade);
            for (scores, [a, b]) in scores.iter_mut().zip(&weights) {
                scores.push(a * x + b * y);
            }
        }
        Stream { id: "simulation".to_owned(), grades, scores }
    }

    /// The grade for a uniform number: the first grade whose cumulative share exceeds it.
    fn grade(&self, uniform: f64) -> u8 {
        let mut below = 0.0;
        let found = self.shares.iter().position(|share| {
            below += share;
            uniform < below
        });
        // The shares may sum to a little less than 1.
        found.and_then(|grade| u8::try_from(grade).ok()).unwrap_or(self.max_grade())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_shares_means_and_variances_of_the_population() {
        let population = Population::default();
        let stream = population.draw(200_000, &[0.0, 90.0, 240.0], Seed::new(1));
        for (angle, scores) in [0.0, 90.0, 240.0].into_iter().zip(&stream.scores) {
            for (grade, (share, mean)) in population.shares.iter().zip(population.score_means(angle)).enumerate() {
                let of_grade = stream.grades.iter().zip(scores).filter(|(g, _)| usize::from(**g) == grade);
                let of_grade: Vec<f64> = of_grade.map(|(_, score)| *score).collect();
                let n = of_grade.len() as f64;
                assert!((n / 200_000.0 - share).abs() < 0.005);
                let drawn = of_grade.iter().sum::<f64>() / n;
                let variance = of_grade.iter().map(|score| (score - drawn).powi(2)).sum::<f64>() / n;
                assert!((drawn - mean).abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{angle} {grade}");
            }
        }
    }

    #[test]
    fn angles_are_in_degrees_from_the_first_feature() {
        let means = Population::default().score_means(90.0);
        for (mean, expected) in means.iter().zip([0.0, 0.3, 0.6]) {
            assert!((mean - expected).abs() < 1e-15);
        }
    }
}
