//! Percentage absolute differences (PAD) of method scores.
//!
//! `PAD = 100 * mean over pairs of |a - b| / max(a, b)` (Feng & Karmaker 2023, Eq. 8). V2 has
//! negative scores, for which the signed max of the paper can be negative or 0. Then a pair can
//! lower the mean. [`PadDenominator::Abs`] divides by max(|a|, |b|) instead, and never lowers the
//! mean. A pair whose denominator is 0 up to rounding is undefined. Such pairs are left out and
//! counted.

use fivefold_base::rounding::differ;

use crate::error::{StatsError, all_finite};

/// The number by which a pair's difference is divided.
///
/// ```
/// use fivefold_stats::{PadDenominator, pad};
///
/// // |0.25 - -0.5| is 0.75: three times the larger value, and 1.5 times the larger size.
/// assert_eq!(pad(&[0.25, -0.5], PadDenominator::Signed)?.percent, Some(300.0));
/// assert_eq!(pad(&[0.25, -0.5], PadDenominator::Abs)?.percent, Some(150.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PadDenominator {
    /// max(a, b), as Eq. 8 prints it.
    #[default]
    Signed,
    /// max(|a|, |b|).
    Abs,
}

/// The PAD of some scores.
///
/// ```
/// use fivefold_stats::{PadDenominator, pad};
///
/// // Two of three pairs have a denominator.
/// let found = pad(&[0.5, 0.0, 0.0], PadDenominator::Signed)?;
/// assert_eq!((found.percent, found.pairs, found.undefined), (Some(100.0), 2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pad {
    /// In percent; `None` if no pair is defined.
    pub percent: Option<f64>,
    /// Number of pairs in the mean.
    pub pairs: usize,
    /// Pairs left out because their denominator is 0.
    pub undefined: usize,
}

/// PAD over all pairs of `scores`.
///
/// ```
/// use fivefold_stats::{PadDenominator, pad};
///
/// // 50 %, 75 % and 50 % of the larger value.
/// let found = pad(&[1.0, 0.5, 0.25], PadDenominator::Signed)?;
/// assert_eq!(found.percent, Some(175.0 / 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::NotFinite`].
pub fn pad(scores: &[f64], denominator: PadDenominator) -> Result<Pad, StatsError> {
    all_finite(scores)?;
    let (mut total, mut pairs, mut undefined) = (0.0, 0, 0);
    for (i, &a) in scores.iter().enumerate() {
        for &b in &scores[i + 1..] {
            let divisor = match denominator {
                PadDenominator::Signed => a.max(b),
                PadDenominator::Abs => a.abs().max(b.abs()),
            };
            if !differ(divisor, 0.0) {
                undefined += 1;
            } else {
                total += (a - b).abs() / divisor;
                pairs += 1;
            }
        }
    }
    let percent = (pairs > 0).then(|| 100.0 * total / pairs as f64);
    Ok(Pad { percent, pairs, undefined })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(scores: &[f64], denominator: PadDenominator) -> f64 {
        pad(scores, denominator).unwrap().percent.unwrap()
    }

    #[test]
    fn by_hand() {
        // Pairs (.5, .25) 50 %, (.5, .4) 20 %, (.25, .4) 37.5 %.
        let expected = (50.0 + 20.0 + 37.5) / 3.0;
        for denominator in [PadDenominator::Signed, PadDenominator::Abs] {
            assert!((percent(&[0.5, 0.25, 0.4], denominator) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_denominators_differ_for_negative_scores() {
        assert_eq!(percent(&[-0.5, -0.25], PadDenominator::Signed), -100.0);
        assert_eq!(percent(&[-0.5, -0.25], PadDenominator::Abs), 50.0);
        assert_eq!(percent(&[-0.5, 0.25], PadDenominator::Signed), 300.0);
        assert_eq!(percent(&[-0.5, 0.25], PadDenominator::Abs), 150.0);
    }

    #[test]
    fn a_zero_denominator_is_counted() {
        let some = pad(&[0.0, -0.5, 0.5], PadDenominator::Signed).unwrap();
        assert_eq!((some.pairs, some.undefined), (2, 1));
        assert_eq!(some.percent, Some(150.0)); // (0, .5) 100 %, (-.5, .5) 200 %
        // The mean of .2, -.3 and .1 is 0, but the floating-point sum is not.
        let sum = 0.2 - 0.3 + 0.1;
        assert_ne!(sum, 0.0);
        assert_eq!(pad(&[sum / 3.0, -0.5, 0.5], PadDenominator::Signed).unwrap().undefined, 1);
        assert_eq!(pad(&[0.0, 0.0], PadDenominator::Abs).unwrap(), Pad { percent: None, pairs: 0, undefined: 1 });
        assert_eq!(pad(&[1.0], PadDenominator::Abs).unwrap().percent, None);
        assert!(pad(&[1.0, f64::NAN], PadDenominator::Signed).is_err());
    }
}
