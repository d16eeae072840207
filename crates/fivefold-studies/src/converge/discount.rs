//! The type of a discount. As a ranking grows, the type says which part of the ranking decides the
//! measure.
//!
//! Let S(n) = D(1) + ... + D(n). The type depends on w(c) = lim S(cn)/S(n), the share of the first
//! part c of the ranking, 0 < c < 1:
//! - type 1, w(c) = 1: the top decides, whatever follows. The value rests on a few documents at the
//!   top and keeps fluctuating, so rankers change places. All sums that converge are of type 1 (a
//!   cutoff, a geometric discount, i^-a with a > 1). So is the border case 1/i, whose sum grows as
//!   ln n.
//! - type 2, w(c) = c: every part counts as if there were no discount, for example 1/log2(i+1). For
//!   every ranker nDCG slowly goes to 1, while the order of rankers is stable.
//! - type 3, w(c) = c^(1-a), 0 < a < 1: all parts count, the upper parts more (i^-a). nDCG has a
//!   different limit for each ranker (Corollary 11).
//!
//! The classes are from He, Wang, Chen & Liu, and from Wang et al., A theoretical analysis of NDCG
//! type ranking measures, COLT 2013, where 1/i is the critical point. The numbers 2 and 3 follow
//! the order in which these papers name the classes. S(cn)/S(n) has a limit if D varies regularly,
//! D(2n)/D(n) -> 2^-a: then w(c) = c^(1-a) for a <= 1, and w = 1 above.
//!
//! A discount of a known family has its type by formula. For any other discount, the exponent
//! a(n) = -log2(D(2n)/D(n)) is computed at three n. For logarithms a(n) falls only as 1/log n, so a
//! parabola over 1/log n continues it to infinity. If the exponent is within `UNSURE` of 1, the
//! numbers do not decide.

use std::fmt;

use fivefold_metrics::conventions::Discount;
use fivefold_metrics::{Conventions, MeasureSpec};

use crate::residual::utility::Utility;
use crate::study::StudyError;

/// Number of ranks at which a measure's discount is compared with the known families.
const COMPARED: usize = 512;
/// Number of ranks that are computed if a measure's discount is of no known family.
const LOOKED_AT: usize = 4096;
/// Largest relative difference between a measure's discount and the discount of its family.
const SAME: f64 = 1e-9;
/// An exponent that was found by number counts as 0 or 1 within this distance.
const UNSURE: f64 = 0.02;

/// A discount with a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DiscountFamily {
    /// 0 after this number of ranks.
    Cut(usize),
    /// r^(i-1), 0 < r < 1.
    Geometric(f64),
    /// i^-a.
    Power(f64),
    /// 1/log2(i+1).
    Log2,
    /// 1, 1, then 1/log2(i).
    Letor,
}

/// One of the three types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscountType {
    /// The top of the ranking decides.
    One,
    /// Every part of the ranking counts alike.
    Two,
    /// Every part of the ranking counts, the upper parts more.
    Three,
}

/// The type of a discount, with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// The type; `None` if the numbers do not decide.
    pub kind: Option<DiscountType>,
    /// The family, if the discount is of a known family.
    pub family: Option<DiscountFamily>,
    /// The reason, in words.
    pub why: String,
}

impl DiscountType {
    /// The number of the type.
    pub fn number(self) -> u64 {
        match self {
            DiscountType::One => 1,
            DiscountType::Two => 2,
            DiscountType::Three => 3,
        }
    }
}

impl DiscountFamily {
    /// The family of a measure's discount.
    pub fn of(discount: Discount) -> Self {
        match discount {
            Discount::Log2 => DiscountFamily::Log2,
            Discount::Letor => DiscountFamily::Letor,
            Discount::Zipf => DiscountFamily::Power(1.0),
            Discount::Power(a) => DiscountFamily::Power(a),
        }
    }

    /// The discount at a rank (from 1), divided by the discount at rank 1.
    pub fn at(self, rank: usize) -> f64 {
        match self {
            DiscountFamily::Cut(k) => f64::from(u8::from(rank <= k)),
            DiscountFamily::Geometric(ratio) => libm::pow(ratio, (rank - 1) as f64),
            DiscountFamily::Power(a) => Discount::Power(a).at(rank),
            DiscountFamily::Log2 => Discount::Log2.at(rank),
            DiscountFamily::Letor => Discount::Letor.at(rank),
        }
    }

    /// The type, by the formula.
    pub fn verdict(self) -> Classification {
        let (kind, why) = match self {
            DiscountFamily::Cut(k) => (DiscountType::One, format!("S(n) stays the same from n = {k} on")),
            DiscountFamily::Geometric(ratio) => {
                (DiscountType::One, format!("S(n) converges, to {:.4} D(1)", 1.0 / (1.0 - ratio)))
            }
            DiscountFamily::Power(a) if a > 1.0 => (DiscountType::One, "S(n) converges, since a > 1".to_owned()),
            DiscountFamily::Power(1.0) => {
                (DiscountType::One, "S(n) grows as ln n only, so S(cn)/S(n) goes to 1: the critical point".to_owned())
            }
            DiscountFamily::Power(a) => {
                (DiscountType::Three, format!("S(n) grows as n^{0}: S(cn)/S(n) goes to c^{0}", short(1.0 - a)))
            }
            DiscountFamily::Log2 | DiscountFamily::Letor => {
                (DiscountType::Two, "S(n) grows as n/ln n: S(cn)/S(n) goes to c".to_owned())
            }
        };
        Classification { kind: Some(kind), family: Some(self), why: format!("{self}: {why}") }
    }

    /// The family that fits the first ranks of a measure.
    fn fitting(seen: &Utility) -> Option<Self> {
        if let Some(cutoff) = seen.cutoff() {
            return Some(DiscountFamily::Cut(cutoff));
        }
        let second = seen.seen(1);
        let power = round(-libm::log2(second));
        let families = [
            DiscountFamily::Log2,
            DiscountFamily::Letor,
            DiscountFamily::Power(power),
            DiscountFamily::Geometric(second),
        ];
        let fits = |family: &DiscountFamily| {
            let close = |rank: usize| {
                let (found, expected) = (seen.seen(rank - 1), family.at(rank));
                (found - expected).abs() <= SAME * expected
            };
            second < 1.0 + SAME && (1..=seen.depth()).all(close)
        };
        families.into_iter().find(fits)
    }
}

impl fmt::Display for DiscountFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscountFamily::Cut(k) => write!(f, "nothing after rank {k}"),
            DiscountFamily::Geometric(ratio) => write!(f, "{}^(i-1)", short(*ratio)),
            DiscountFamily::Power(a) => write!(f, "i^-{}", short(*a)),
            DiscountFamily::Log2 => f.write_str("1/log2(i+1)"),
            DiscountFamily::Letor => f.write_str("1, 1, then 1/log2(i)"),
        }
    }
}

/// The type of a measure's discount, for any version of the measure. `None` if the measure is no
/// sum of gain x discount and has no cutoff.
///
/// # Errors
/// If the measure cannot be computed at all.
pub fn of_measure(
    spec: &MeasureSpec,
    conventions: &Conventions,
    max_grade: u8,
) -> Result<Option<Classification>, StudyError> {
    let base = spec.base();
    if let Some(cutoff) = base.cutoff() {
        return Ok(Some(DiscountFamily::Cut(cutoff).verdict()));
    }
    let Ok(seen) = Utility::of(&base, conventions, max_grade, COMPARED) else {
        return Ok(None);
    };
    if let Some(family) = DiscountFamily::fitting(&seen) {
        return Ok(Some(family.verdict()));
    }
    let seen = Utility::of(&base, conventions, max_grade, LOOKED_AT)?;
    Ok(Some(by_numbers(|rank| seen.seen(rank - 1), LOOKED_AT)))
}

/// The type of a discount that is known only by its values at the ranks 1 to `ranks`, at least 1024
/// ranks.
pub fn by_numbers(discount: impl Fn(usize) -> f64, ranks: usize) -> Classification {
    let last = ranks / 2;
    let local = |n: usize| -libm::log2(discount(2 * n) / discount(n));
    // The exponent in the limit: the parabola through three local exponents over 1/log n, at 0.
    let sizes = [last, last / 8, last / 64];
    let exponents = sizes.map(local);
    let places = sizes.map(|n| 1.0 / libm::log(n as f64));
    let weight = |of: usize| -> f64 {
        let others = (0..places.len()).filter(|&other| other != of);
        others.map(|other| places[other] / (places[other] - places[of])).product()
    };
    let exponent: f64 = (0..exponents.len()).map(|index| weight(index) * exponents[index]).sum();
    let sums = |n: usize| (1..=n).map(&discount).sum::<f64>();
    let kind = match exponent {
        _ if discount(2 * last) <= 0.0 => Some(DiscountType::One),
        a if a.is_nan() || (a - 1.0).abs() <= UNSURE || a < -UNSURE => None,
        a if a > 1.0 => Some(DiscountType::One),
        a if a <= UNSURE => Some(DiscountType::Two),
        _ => Some(DiscountType::Three),
    };
    let decided = if kind.is_some() { "" } else { ", which does not decide" };
    let why = format!(
        "by number, over {ranks} ranks: D(2n)/D(n) goes to 2^-{exponent:.3}{decided}; S(n/2)/S(n) is {:.3} at the last",
        sums(last) / sums(2 * last)
    );
    Classification { kind, family: None, why }
}

/// A number without its last digits, which a logarithm makes wrong.
fn round(value: f64) -> f64 {
    (value * 1e12).round() / 1e12
}

fn short(value: f64) -> String {
    ((value * 1e6).round() / 1e6).to_string()
}

#[cfg(test)]
mod tests {
    use fivefold_metrics::dialect;

    use super::*;

    fn kind(name: &str) -> Option<(Option<u64>, Option<DiscountFamily>)> {
        let conventions = dialect("paper").unwrap().conventions();
        let verdict = of_measure(&name.parse().unwrap(), &conventions, 2).unwrap();
        verdict.map(|verdict| (verdict.kind.map(DiscountType::number), verdict.family))
    }

    #[test]
    fn measures_are_of_the_types_of_their_discounts() {
        for (name, number, family) in [
            ("ndcg@10", 1, DiscountFamily::Cut(10)),
            ("ap@5", 1, DiscountFamily::Cut(5)),
            ("wta", 1, DiscountFamily::Cut(1)),
            ("rbp", 1, DiscountFamily::Geometric(0.8)),
            ("rbp(p=0.95)", 1, DiscountFamily::Geometric(0.95)),
            ("ndcg(discount=power:2)", 1, DiscountFamily::Power(2.0)),
            ("ndcg(discount=zipf)", 1, DiscountFamily::Power(1.0)),
            ("ndcg", 2, DiscountFamily::Log2),
            ("dcg(discount=letor)", 2, DiscountFamily::Letor),
            ("ndcg(discount=power:0.5)", 3, DiscountFamily::Power(0.5)),
            ("ndcg.v2(discount=power:0.1,gain=linear)", 3, DiscountFamily::Power(0.1)),
        ] {
            assert_eq!(kind(name), Some((Some(number), Some(family))), "{name}");
        }
        let neru = kind("neru").unwrap();
        assert!(
            matches!(neru, (Some(1), Some(DiscountFamily::Geometric(r))) if (r - libm::pow(0.5, 0.25)).abs() < 1e-12),
            "{neru:?}"
        );
        for name in ["ap", "err", "meanndcg"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    /// Numbers alone give every family the same type as its formula.
    #[test]
    fn numbers_and_formulas_agree() {
        let powers = [0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.5, 2.0, 4.0].map(DiscountFamily::Power);
        let others = [
            DiscountFamily::Log2,
            DiscountFamily::Letor,
            DiscountFamily::Cut(10),
            DiscountFamily::Geometric(0.8),
            DiscountFamily::Geometric(0.99),
        ];
        for family in powers.into_iter().chain(others) {
            let found = by_numbers(|rank| family.at(rank), LOOKED_AT);
            assert_eq!(found.kind, family.verdict().kind, "{family}: {}", found.why);
        }
        for unsure in [1.0, 0.99, 1.01] {
            assert_eq!(by_numbers(|rank| DiscountFamily::Power(unsure).at(rank), LOOKED_AT).kind, None, "{unsure}");
        }
        let mixed = by_numbers(|rank| libm::pow(rank as f64, -0.5) * libm::log(rank as f64 + 1.0), LOOKED_AT);
        assert_eq!(mixed.kind, Some(DiscountType::Three), "{}", mixed.why);
        let squared = by_numbers(|rank| libm::log(rank as f64 + 1.0).powi(-2), LOOKED_AT);
        assert_eq!(squared.kind, Some(DiscountType::Two), "{}", squared.why);
    }

    /// w(c) by its definition, from sums over a million ranks.
    #[test]
    fn sums_grow_as_the_types_say() {
        let share = |family: DiscountFamily| {
            let (mut half, mut whole) = (0.0, 0.0);
            for rank in 1..=1_000_000 {
                whole += family.at(rank);
                if rank == 500_000 {
                    half = whole;
                }
            }
            half / whole
        };
        for (family, limit, within) in [
            (DiscountFamily::Cut(10), 1.0, 0.0),
            (DiscountFamily::Geometric(0.8), 1.0, 1e-12),
            (DiscountFamily::Power(2.0), 1.0, 1e-5),
            (DiscountFamily::Power(1.0), 1.0, 0.05),
            (DiscountFamily::Power(0.5), 0.5f64.sqrt(), 1e-3),
            (DiscountFamily::Power(0.9), libm::pow(0.5, 0.1), 0.03),
            (DiscountFamily::Log2, 0.5, 0.03),
        ] {
            let share = share(family);
            assert!((share - limit).abs() <= within, "{family}: {share}");
        }
    }
}
