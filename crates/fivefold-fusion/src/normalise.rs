//! Normalisers: they bring the scores of one system for one query onto a common scale.
//!
//! Sources: Fox and Shaw, "Combination of Multiple Searches", TREC-2, 1994 (min-max); Montague and
//! Aslam, "Relevance score normalization for metasearch", CIKM 2001 (sum, zero mean and unit
//! variance). Where all scores are equal, min-max, sum and z-score give 0 to each document, as in
//! ranx.

use crate::{FusionError, Ranked};

/// A normaliser of the scores of one system for one query.
///
/// ```
/// use fivefold_fusion::{Ranked, Ties, normaliser};
///
/// let ranked = Ranked::new([(0, 4.0), (1, 2.0), (2, 3.0)], Ties::Average)?;
/// // In the order of `ranked`, best first.
/// assert_eq!(normaliser("min-max")?.normalise(&ranked)?, [1.0, 0.5, 0.0]);
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Normaliser {
    /// The name.
    pub name: &'static str,
    /// The formula in words.
    pub summary: &'static str,
    normalise: fn(&Ranked) -> Result<Vec<f64>, &'static str>,
}

impl Normaliser {
    /// The normalised scores, in the order of [`Ranked::documents`].
    ///
    /// # Errors
    /// If the normaliser cannot take these scores.
    pub fn normalise(&self, ranked: &Ranked) -> Result<Vec<f64>, FusionError> {
        (self.normalise)(ranked).map_err(|what| FusionError::Normaliser { normaliser: self.name, what })
    }
}

impl PartialEq for Normaliser {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All normalisers.
///
/// ```
/// assert!(fivefold_fusion::NORMALISERS.iter().any(|normaliser| normaliser.name == "z-score"));
/// ```
pub const NORMALISERS: &[Normaliser] = &[
    Normaliser { name: "min-max", summary: "(score - lowest) / (highest - lowest)", normalise: min_max },
    Normaliser { name: "z-score", summary: "(score - mean) / standard deviation (of all scores)", normalise: z_score },
    Normaliser { name: "sum", summary: "(score - lowest) / sum of these differences", normalise: sum },
    Normaliser { name: "max", summary: "score / highest score", normalise: max },
    Normaliser { name: "rank", summary: "1 - (rank - 1) / number of documents", normalise: rank },
    Normaliser { name: "none", summary: "scores as they are", normalise: |ranked| Ok(scores(ranked).collect()) },
];

/// The normaliser with this name.
///
/// ```
/// assert_eq!(fivefold_fusion::normaliser("rank")?.name, "rank");
/// # Ok::<(), fivefold_fusion::FusionError>(())
/// ```
///
/// # Errors
/// If there is no such normaliser. The error names the nearest.
pub fn normaliser(name: &str) -> Result<&'static Normaliser, FusionError> {
    let found = NORMALISERS.iter().find(|normaliser| normaliser.name == name);
    found.ok_or_else(|| FusionError::unknown("normaliser", name, NORMALISERS.iter().map(|normaliser| normaliser.name)))
}

fn scores(ranked: &Ranked) -> impl Iterator<Item = f64> {
    ranked.documents().iter().map(|placed| placed.score)
}

/// The highest and the lowest score; zeros for no documents.
fn ends(ranked: &Ranked) -> (f64, f64) {
    let score = |placed: Option<&crate::Placed>| placed.map_or(0.0, |placed| placed.score);
    (score(ranked.documents().first()), score(ranked.documents().last()))
}

/// The numbers divided by `by`, or zeros if `by` is 0.
fn divided(numbers: impl Iterator<Item = f64>, by: f64) -> Vec<f64> {
    numbers.map(|number| if by == 0.0 { 0.0 } else { number / by }).collect()
}

fn min_max(ranked: &Ranked) -> Result<Vec<f64>, &'static str> {
    let (highest, lowest) = ends(ranked);
    Ok(divided(scores(ranked).map(|score| score - lowest), highest - lowest))
}

fn sum(ranked: &Ranked) -> Result<Vec<f64>, &'static str> {
    let lowest = ends(ranked).1;
    Ok(divided(scores(ranked).map(|score| score - lowest), scores(ranked).map(|score| score - lowest).sum()))
}

fn z_score(ranked: &Ranked) -> Result<Vec<f64>, &'static str> {
    let (highest, lowest) = ends(ranked);
    let count = ranked.documents().len() as f64;
    let mean = scores(ranked).sum::<f64>() / count;
    let variance = scores(ranked).map(|score| (score - mean) * (score - mean)).sum::<f64>() / count;
    // The mean of equal scores may differ from them by rounding.
    let deviation = if highest == lowest { 0.0 } else { variance.sqrt() };
    Ok(divided(scores(ranked).map(|score| score - mean), deviation))
}

fn max(ranked: &Ranked) -> Result<Vec<f64>, &'static str> {
    match ends(ranked).0 {
        _ if ranked.documents().is_empty() => Ok(Vec::new()),
        highest if highest > 0.0 => Ok(scores(ranked).map(|score| score / highest).collect()),
        _ => Err("divides by the highest score, which is not positive here; take min-max or z-score"),
    }
}

fn rank(ranked: &Ranked) -> Result<Vec<f64>, &'static str> {
    let count = ranked.documents().len() as f64;
    let before = |placed: &crate::Placed| (placed.first + placed.last) as f64 / 2.0 - 1.0;
    Ok(ranked.documents().iter().map(|placed| 1.0 - before(placed) / count).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ties;

    fn normalised(name: &str, scores: &[f64]) -> Vec<f64> {
        let ranked = Ranked::new(scores.iter().copied().enumerate(), Ties::Average).unwrap();
        normaliser(name).unwrap().normalise(&ranked).unwrap()
    }

    #[test]
    fn four_scores_by_hand() {
        let scores = [5.0, 3.0, 3.0, 1.0];
        assert_eq!(normalised("min-max", &scores), [1.0, 0.5, 0.5, 0.0]);
        assert_eq!(normalised("sum", &scores), [0.5, 0.25, 0.25, 0.0]);
        assert_eq!(normalised("max", &scores), [1.0, 0.6, 0.6, 0.2]);
        assert_eq!(normalised("rank", &scores), [1.0, 0.625, 0.625, 0.25]);
        assert_eq!(normalised("none", &scores), scores);
        // Variance (4 + 0 + 0 + 4) / 4 = 2.
        assert_eq!(normalised("z-score", &scores), [2.0 / 2f64.sqrt(), 0.0, 0.0, -2.0 / 2f64.sqrt()]);
    }

    #[test]
    fn equal_scores_give_zero_and_no_scores_give_none() {
        for name in ["min-max", "z-score", "sum"] {
            assert_eq!(normalised(name, &[0.1, 0.1, 0.1]), [0.0; 3], "{name}");
        }
        NORMALISERS.iter().for_each(|entry| assert!(normalised(entry.name, &[]).is_empty(), "{}", entry.name));
    }

    #[test]
    fn a_highest_score_that_is_not_positive_is_refused() {
        let ranked = Ranked::new([(0, -1.0)], Ties::Average).unwrap();
        let refused = normaliser("max").unwrap().normalise(&ranked).unwrap_err().to_string();
        assert!(refused.contains("take min-max or z-score"), "{refused}");
    }
}
