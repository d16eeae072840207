//! Values of the six systems on a collection that the paper did not use, and what becomes of five
//! of its conclusions there.
//!
//! A value is the level of its query, plus the quality of its system, plus noise. Half of the
//! systems keep the quality that Table 1 shows, and the qualities of the others are exchanged. So
//! some conclusions hold, some are reversed, and some stay open.

use std::fmt::Write as _;

use fivefold_base::Seed;
use fivefold_stats::{StatsError, count_pairs, paired_t};

use super::printed::{Paper, SYSTEMS};

/// Queries of the other collection.
pub(crate) const QUERIES: usize = 30;
/// Conclusions that are checked.
pub(crate) const CLAIMS: usize = 5;
/// The level of the test.
pub(crate) const ALPHA: f64 = 0.05;
/// The words for what becomes of a conclusion.
pub(crate) const VERDICTS: [&str; 3] = ["holds", "reversed", "open"];

/// A conclusion of Table 1, `better beats worse under ndcg@10`, and what the other data say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Claim {
    pub(crate) better: usize,
    pub(crate) worse: usize,
    /// Mean of `better` less mean of `worse` on the other data.
    pub(crate) difference: f64,
    /// The p of the paired two-sided t-test.
    pub(crate) p: f64,
    /// A word of [`VERDICTS`].
    pub(crate) verdict: &'static str,
}

/// The other collection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OtherData {
    /// `[system][query]`, with three decimals as in the file.
    pub(crate) values: Vec<Vec<f64>>,
    pub(crate) claims: Vec<Claim>,
    /// Pairs of systems whose order is another one than in Table 1.
    pub(crate) sign_changes: usize,
}

impl OtherData {
    /// Makes the data of a student, beside the paper of the student.
    ///
    /// # Errors
    /// None that can occur with the numbers made here; those of the tests.
    pub(crate) fn make(seed: Seed, paper: &Paper) -> Result<Self, StatsError> {
        let seed = seed.derive("other data");
        let printed = paper.scores(0);
        let mut attempt = 0;
        loop {
            let values = values(seed.derive_index("attempt", attempt), &printed);
            attempt += 1;
            let means: Vec<f64> = values.iter().map(|row| row.iter().sum::<f64>() / QUERIES as f64).collect();
            let mut all = Vec::new();
            for better in 0..SYSTEMS.len() {
                for worse in (0..SYSTEMS.len()).filter(|&worse| printed[better] > printed[worse]) {
                    let test = paired_t(&values[better], &values[worse])?;
                    let verdict = match (test.p < ALPHA, test.difference > 0.0) {
                        (true, true) => VERDICTS[0],
                        (true, false) => VERDICTS[1],
                        (false, _) => VERDICTS[2],
                    };
                    all.push(Claim { better, worse, difference: test.difference, p: test.p, verdict });
                }
            }
            // A p next to the level would make a verdict a matter of rounding.
            let is_clear = |claim: &Claim| (claim.p - ALPHA).abs() > 0.008;
            let of = |verdict: &str, most: usize| -> Vec<Claim> {
                all.iter().filter(|claim| claim.verdict == verdict && is_clear(claim)).take(most).cloned().collect()
            };
            let (reversed, open) = (of(VERDICTS[1], 2), of(VERDICTS[2], 2));
            let holds = of(VERDICTS[0], CLAIMS.saturating_sub(reversed.len() + open.len()));
            let has_both = !reversed.is_empty() && !open.is_empty();
            let mut claims = [holds, reversed, open].concat();
            let distinct = |means: &[f64]| {
                let mut sorted = means.to_vec();
                sorted.sort_by(f64::total_cmp);
                sorted.windows(2).all(|pair| pair[1] - pair[0] > 0.001)
            };
            if claims.len() == CLAIMS && has_both && distinct(&means) {
                seed.derive("order").rng().shuffle(&mut claims);
                let sign_changes = count_pairs(&printed, &means)?.discordant;
                return Ok(OtherData { values, claims, sign_changes });
            }
        }
    }

    /// The file: a row a query, a column a system.
    pub(crate) fn csv(&self) -> String {
        let mut text = format!("query,{}\n", SYSTEMS.join(","));
        for query in 0..QUERIES {
            let cells: Vec<String> = self.values.iter().map(|row| format!("{:.3}", row[query])).collect();
            let _ = writeln!(text, "{},{}", query + 1, cells.join(","));
        }
        text
    }
}

fn values(seed: Seed, printed: &[f64; 6]) -> Vec<Vec<f64>> {
    let mut rng = seed.rng();
    let mut quality = printed.to_vec();
    let moved = rng.sample(quality.len(), 3);
    let mut exchanged: Vec<f64> = moved.iter().map(|&system| quality[system]).collect();
    exchanged.rotate_left(1);
    moved.iter().zip(exchanged).for_each(|(&system, value)| quality[system] = value);
    let levels: Vec<f64> = (0..QUERIES).map(|_| 0.08 * rng.normal()).collect();
    let of_system = |quality: &f64| {
        let value = |level: &f64, noise: f64| ((quality + level + 0.09 * noise).clamp(0.0, 1.0) * 1000.0).round();
        levels.iter().map(|level| value(level, rng.normal()) / 1000.0).collect()
    };
    quality.iter().map(of_system).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_student_has_conclusions_of_two_kinds_at_least_and_different_data() {
        let mut files = std::collections::BTreeSet::new();
        for student in 0..60 {
            let seed = Seed::new(student);
            let paper = Paper::make(seed).unwrap();
            let data = OtherData::make(seed, &paper).unwrap();
            assert_eq!(data.claims.len(), CLAIMS);
            for verdict in &VERDICTS[1..] {
                assert!(data.claims.iter().any(|claim| claim.verdict == *verdict), "{student} {verdict}");
            }
            assert!(data.claims.iter().all(|claim| paper.means[0][claim.better] > paper.means[0][claim.worse]));
            files.insert(data.csv());
        }
        assert_eq!(files.len(), 60);
    }

    #[test]
    fn numbers_are_those_of_the_file() {
        let seed = Seed::new(5);
        let paper = Paper::make(seed).unwrap();
        let data = OtherData::make(seed, &paper).unwrap();
        // Read back, with the formula of the t statistic written out.
        let csv = data.csv();
        let rows: Vec<Vec<f64>> =
            csv.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        for claim in &data.claims {
            let differences: Vec<f64> = rows.iter().map(|row| row[1 + claim.better] - row[1 + claim.worse]).collect();
            let average = mean(&differences);
            let squares: Vec<f64> = differences.iter().map(|difference| (difference - average).powi(2)).collect();
            let error = (squares.iter().sum::<f64>() / 29.0 / 30.0).sqrt();
            assert!((average - claim.difference).abs() < 1e-12);
            // scipy.stats.t.ppf(.975, 29) = 2.04523
            assert_eq!((average / error).abs() > 2.04523, claim.verdict != "open");
        }
        let means: Vec<f64> =
            (0..6).map(|system| mean(&rows.iter().map(|row| row[1 + system]).collect::<Vec<_>>())).collect();
        let changed = (0..6)
            .flat_map(|one| (0..one).map(move |other| (one, other)))
            .filter(|&(one, other)| (means[one] > means[other]) != (paper.means[0][one] > paper.means[0][other]));
        assert_eq!(changed.count(), data.sign_changes);
    }
}
