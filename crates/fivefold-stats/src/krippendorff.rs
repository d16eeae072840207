//! Krippendorff's alpha: how far raters agree beyond chance.
//!
//! `alpha = 1 - Do / De`. Do is the mean squared distance of two ratings of one unit, De the mean
//! squared distance of two ratings of any units. A unit with m ratings weighs m, so
//!
//! `alpha = 1 - (n - 1) sum_u (1 / (m_u - 1)) sum_{i != j in u} d(i, j) / sum_{i != j} d(i, j)`
//!
//! over the n ratings of units with two or more ratings. The squared distance d is, by scale:
//! nominal: 0 or 1; interval: (a - b)^2; ordinal: the squared number of ratings from a to b, with
//! half of the ratings equal to a or b. The ordinal d is the interval d of the mean ranks.
//! Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011. Any number of raters
//! may rate a unit, so missing ratings need no treatment. Cost: n log n.

use fivefold_base::rounding::levels;

use crate::correlation::mean_ranks;
use crate::error::StatsError;

/// What the differences of ratings mean.
///
/// ```
/// use fivefold_stats::RatingScale;
///
/// assert_eq!(RatingScale::ALL.map(RatingScale::name), ["nominal", "ordinal", "interval"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingScale {
    /// Ratings are names: two ratings are equal or not.
    Nominal,
    /// Ratings have an order.
    Ordinal,
    /// Differences of ratings have a size.
    Interval,
}

impl RatingScale {
    /// All scales.
    pub const ALL: [RatingScale; 3] = [RatingScale::Nominal, RatingScale::Ordinal, RatingScale::Interval];

    /// The name of the scale.
    pub fn name(self) -> &'static str {
        match self {
            RatingScale::Nominal => "nominal",
            RatingScale::Ordinal => "ordinal",
            RatingScale::Interval => "interval",
        }
    }
}

/// Alpha of ratings `[rater][unit]`, with `units` ratings a rater; NaN for a missing rating. `None`
/// if no unit has two ratings, or if all ratings of such units are equal.
///
/// ```
/// use fivefold_stats::{RatingScale, krippendorff_alpha};
///
/// // Two raters, three units; the second rater has left out the last unit.
/// let ratings = [1.0, 2.0, 3.0, 1.0, 2.0, f64::NAN];
/// assert_eq!(krippendorff_alpha(&ratings, 3, RatingScale::Ordinal)?, Some(1.0));
/// // Ratings that never differ cannot show agreement.
/// assert_eq!(krippendorff_alpha(&[2.0; 6], 3, RatingScale::Nominal)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] if the ratings are no whole number of raters, and
/// [`StatsError::NotFinite`] for an infinite rating.
pub fn krippendorff_alpha(ratings: &[f64], units: usize, scale: RatingScale) -> Result<Option<f64>, StatsError> {
    if units == 0 || !ratings.len().is_multiple_of(units) {
        return Err(StatsError::LengthMismatch { first: ratings.len(), second: units });
    }
    if let Some(position) = ratings.iter().position(|rating| rating.is_infinite()) {
        return Err(StatsError::NotFinite { position, value: ratings[position] });
    }
    // The ratings of units with at least two, unit by unit.
    let (mut pairable, mut ends) = (Vec::new(), Vec::new());
    for unit in 0..units {
        let start = pairable.len();
        pairable.extend(ratings.iter().skip(unit).step_by(units).copied().filter(|rating| !rating.is_nan()));
        if pairable.len() < start + 2 {
            pairable.truncate(start);
        } else {
            ends.push(pairable.len());
        }
    }
    let values = match scale {
        RatingScale::Ordinal => mean_ranks(&pairable),
        RatingScale::Nominal | RatingScale::Interval => levels(&pairable),
    };
    let distances = |own: &[f64]| match scale {
        RatingScale::Nominal => unequal_pairs(own),
        RatingScale::Ordinal | RatingScale::Interval => squared_distances(own),
    };
    let expected = distances(&values);
    if expected == 0.0 {
        return Ok(None);
    }
    let (mut observed, mut start) = (0.0, 0);
    for end in ends {
        observed += distances(&values[start..end]) / (end - start - 1) as f64;
        start = end;
    }
    Ok(Some(1.0 - (values.len() - 1) as f64 * observed / expected))
}

/// The number of ordered pairs of unequal values.
fn unequal_pairs(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let equal: usize = sorted.chunk_by(|a, b| a == b).map(|group| group.len() * group.len()).sum();
    (values.len() * values.len() - equal) as f64
}

/// The sum of `(a - b)^2` over ordered pairs: 2 n times the sum of squared deviations.
fn squared_distances(values: &[f64]) -> f64 {
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        return 0.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    2.0 * values.len() as f64 * values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    /// The data of Krippendorff 2011, section C and E: four observers, twelve units, missing
    /// ratings.
    #[rustfmt::skip]
    const PUBLISHED: [f64; 48] = [
        1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 4.0, 1.0, 2.0, NONE, NONE, NONE,
        1.0, 2.0, 3.0, 3.0, 2.0, 2.0, 4.0, 1.0, 2.0, 5.0, NONE, 3.0,
        NONE, 3.0, 3.0, 3.0, 2.0, 3.0, 4.0, 2.0, 2.0, 5.0, 1.0, NONE,
        1.0, 2.0, 3.0, 3.0, 2.0, 4.0, 4.0, 1.0, 2.0, 5.0, 1.0, NONE,
    ];

    #[test]
    fn the_published_example_has_the_published_values() {
        let alpha = |scale| krippendorff_alpha(&PUBLISHED, 12, scale).unwrap().unwrap();
        for (scale, printed) in RatingScale::ALL.into_iter().zip([0.743, 0.815, 0.849]) {
            assert!((alpha(scale) - printed).abs() < 0.0005, "{}: {}", scale.name(), alpha(scale));
        }
        // krippendorff 0.9.0: krippendorff.alpha(data, level_of_measurement=...)
        for (scale, reference) in
            RatingScale::ALL.into_iter().zip([0.743421052631579, 0.8153875037548814, 0.8491071428571428])
        {
            assert!((alpha(scale) - reference).abs() < 1e-12, "{}: {}", scale.name(), alpha(scale));
        }
    }

    /// The definition, by coincidences: every ordered pair of ratings of a unit weighs 1 / (m - 1).
    fn definition(ratings: &[f64], units: usize, scale: RatingScale) -> f64 {
        let of_unit = |unit: usize| -> Vec<f64> {
            ratings.iter().skip(unit).step_by(units).copied().filter(|rating| !rating.is_nan()).collect()
        };
        let rated: Vec<Vec<f64>> = (0..units).map(of_unit).filter(|own| own.len() > 1).collect();
        let all: Vec<f64> = rated.concat();
        let distance = |a: f64, b: f64| {
            let (low, high) = (a.min(b), a.max(b));
            let count = |value: f64| all.iter().filter(|&&other| other == value).count() as f64;
            let between = all.iter().filter(|&&other| low <= other && other <= high).count() as f64;
            match scale {
                RatingScale::Nominal => f64::from(u8::from(a != b)),
                RatingScale::Interval => (a - b) * (a - b),
                RatingScale::Ordinal if a == b => 0.0,
                RatingScale::Ordinal => (between - (count(a) + count(b)) / 2.0).powi(2),
            }
        };
        let pairs = |own: &[f64]| -> f64 {
            own.iter().flat_map(|&a| own.iter().map(move |&b| (a, b))).map(|(a, b)| distance(a, b)).sum()
        };
        let observed: f64 = rated.iter().map(|own| pairs(own) / (own.len() - 1) as f64).sum();
        1.0 - observed / all.len() as f64 / (pairs(&all) / (all.len() * (all.len() - 1)) as f64)
    }

    #[test]
    fn closed_forms_are_the_definition() {
        let mut rng = fivefold_base::Seed::new(5).rng();
        for units in [2, 5, 9] {
            let ratings: Vec<f64> =
                (0..4 * units).map(|_| if rng.below(5) == 0 { NONE } else { rng.below(4) as f64 }).collect();
            for scale in RatingScale::ALL {
                let found = krippendorff_alpha(&ratings, units, scale).unwrap().unwrap();
                let expected = definition(&ratings, units, scale);
                assert!((found - expected).abs() < 1e-12, "{} {found} {expected}", scale.name());
            }
        }
    }

    #[test]
    fn edges() {
        let alpha = |ratings: &[f64], units| krippendorff_alpha(ratings, units, RatingScale::Interval);
        assert_eq!(alpha(&[1.0, 2.0], 2).unwrap(), None, "one rater");
        assert_eq!(alpha(&[NONE; 4], 2).unwrap(), None);
        assert_eq!(alpha(&[1.0, 2.0, 1.0, 2.0], 2).unwrap(), Some(1.0));
        assert!(alpha(&[1.0, 2.0, 3.0], 2).is_err() && alpha(&[], 0).is_err());
        assert!(alpha(&[1.0, f64::INFINITY], 2).is_err());
    }
}
