//! From matches to the value of a summary, with one reference or several.
//!
//! P = M / units of the candidate, R = M / units of the reference, F1 = 2M / (both). All three are
//! linear in M, so E of M gives E of the value.

use crate::settings::{Empty, References, Settings, Value};

/// Matches with one reference, or their mean, and what it takes to make a value of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// M.
    pub(crate) matches: f64,
    /// Units of the candidate.
    pub(crate) candidate: usize,
    /// Units of the reference.
    pub(crate) reference: usize,
}

impl Pair {
    /// The value; 0 where the denominator is 0.
    pub(crate) fn value(self, value: Value) -> f64 {
        let (numerator, denominator) = match value {
            Value::F1 => (2.0 * self.matches, self.candidate + self.reference),
            Value::Recall => (self.matches, self.reference),
            Value::Precision => (self.matches, self.candidate),
        };
        if denominator == 0 { 0.0 } else { numerator / denominator as f64 }
    }

    /// F1 by the formula of rouge-score, with its rounding. Of references with equal F1, the last
    /// bits decide there which one `max` takes, and so P and R.
    fn f1_of_rouge_score(self) -> f64 {
        let [precision, recall] = [self.value(Value::Precision), self.value(Value::Recall)];
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }
}

/// The value of a candidate by its pairs with the references that a measure uses; NaN if it is
/// undefined (`empty=skip`).
pub(crate) fn combined(settings: &Settings, pairs: impl Iterator<Item = Pair> + Clone) -> f64 {
    let skip = settings.empty == Empty::Skip;
    let used = if settings.references == References::First { 1 } else { usize::MAX };
    let kept = pairs.take(used).filter(|pair| !skip || (pair.candidate > 0 && pair.reference > 0));
    let value = settings.value;
    let (none, count) = (f64::NAN, kept.clone().count() as f64);
    match settings.references {
        References::First => kept.map(|pair| pair.value(value)).next().unwrap_or(none),
        References::Mean => kept.map(|pair| pair.value(value)).sum::<f64>() / count,
        References::Max => {
            let mut best: Option<(f64, Pair)> = None;
            for pair in kept {
                let f1 = pair.f1_of_rouge_score();
                // Of equal ones the first, as rouge-score does.
                if best.is_none_or(|(highest, _)| f1 > highest) {
                    best = Some((f1, pair));
                }
            }
            best.map_or(none, |(_, pair)| pair.value(value))
        }
        References::Pool if count == 0.0 => none,
        References::Pool => {
            let (matches, units) =
                kept.fold((0.0, 0), |(matches, units), pair| (matches + pair.matches, units + pair.reference));
            if units == 0 { 0.0 } else { matches / units as f64 }
        }
    }
}

/// The standard error of [`combined`], if the matches of each pair have independent errors. Not for
/// `max`.
pub(crate) fn combined_error(settings: &Settings, pairs: impl Iterator<Item = (Pair, f64)> + Clone) -> f64 {
    // The value is linear: it moves by what it is where one pair's matches are its error, and all others 0.
    let moved = |moved: usize| {
        let errors = pairs.clone().enumerate().map(move |(place, (pair, error))| {
            let matches = if place == moved { error } else { 0.0 };
            Pair { matches, ..pair }
        });
        combined(settings, errors)
    };
    let squares: f64 = (0..pairs.clone().count()).map(moved).filter(|by| !by.is_nan()).map(|by| by * by).sum();
    squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [Pair; 3] = [
        Pair { matches: 2.0, candidate: 4, reference: 4 },
        Pair { matches: 2.0, candidate: 4, reference: 2 },
        Pair { matches: 0.0, candidate: 4, reference: 0 },
    ];

    fn of(references: References, empty: Empty, value: Value) -> f64 {
        let settings = Settings { references, empty, value, ..Settings::default() };
        combined(&settings, PAIRS.into_iter())
    }

    #[test]
    fn values_by_hand() {
        use {Empty::*, References::*, Value::*};
        assert_eq!(of(First, Zero, F1), 0.5);
        assert_eq!(of(Mean, Zero, Recall), (0.5 + 1.0) / 3.0);
        assert_eq!(of(Mean, Skip, Recall), (0.5 + 1.0) / 2.0);
        // The second reference has the highest F1, 2/3.
        assert_eq!((of(Max, Zero, F1), of(Max, Zero, Recall), of(Max, Zero, Precision)), (2.0 / 3.0, 1.0, 0.5));
        assert_eq!(of(Pool, Zero, Recall), 4.0 / 6.0);
    }

    /// F1 is 2/3 with both references. The package takes the second, whose 2PR/(P + R) is larger by
    /// rounding: it gives P = .5 and R = 1.
    #[test]
    fn equal_f1_is_decided_as_in_rouge_score() {
        let pairs = [(3.0, 5), (2.0, 2)].map(|(matches, reference)| Pair { matches, candidate: 4, reference });
        let of = |value| {
            let settings = Settings { references: References::Max, value, ..Settings::default() };
            combined(&settings, pairs.into_iter())
        };
        assert_eq!(pairs[0].value(Value::F1), pairs[1].value(Value::F1));
        assert_eq!([of(Value::Precision), of(Value::Recall)], [0.5, 1.0]);
    }

    #[test]
    fn empty_texts_are_zero_or_undefined() {
        let empty = Pair { matches: 0.0, candidate: 0, reference: 3 };
        for references in [References::First, References::Mean, References::Max, References::Pool] {
            let value = |empty_rule| {
                let settings = Settings { references, empty: empty_rule, value: Value::Recall, ..Settings::default() };
                combined(&settings, [empty, empty].into_iter())
            };
            assert_eq!(value(Empty::Zero), 0.0, "{references}");
            assert!(value(Empty::Skip).is_nan(), "{references}");
        }
    }

    #[test]
    fn errors_of_several_references_add_as_squares() {
        let with = |references, value| {
            let settings = Settings { references, value, ..Settings::default() };
            combined_error(&settings, PAIRS.into_iter().zip([0.3, 0.4, 0.0]))
        };
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-15, "{one} {other}");
        close(with(References::First, Value::Precision), 0.3 / 4.0);
        close(with(References::Mean, Value::Precision), 0.5 / 4.0 / 3.0);
        close(with(References::Pool, Value::Recall), 0.5 / 6.0);
    }
}
