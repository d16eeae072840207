//! Standard errors of values that are means over random orders.
//!
//! A measure of whole rankings has drawn values if ties have too many orders (`orders.rs`). An
//! evaluator keeps the highest standard error of each column's values so far. Threads may add
//! errors in any order, since the highest is the same.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::Evaluator;
use crate::orders::ORDERS;
use crate::spec::MeasureSpec;

/// The highest standard errors of a column's drawn numbers, over all queries and rankings.
///
/// ```
/// use fivefold_metrics::{Evaluator, Scratch, Seed, dialect};
///
/// let evaluator = Evaluator::new(&["inst".parse()?], &dialect("paper")?.conventions(), 2, Seed::new(1))?;
/// // Twenty documents of one score have too many orders: the mean over them is drawn.
/// let query = evaluator.judge("q", &[0, 1, 2, 0].repeat(5), None)?;
/// evaluator.evaluate(&query, &[0.0; 20], &mut Scratch::default(), &mut [0.0])?;
/// let errors = evaluator.standard_errors();
/// assert_eq!(errors[0].measure, "inst");
/// assert!(errors[0].value > 0.0 && errors[0].value < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandardErrors {
    /// The column.
    pub measure: String,
    /// The highest standard error of a query's value; 0 if all values are exact.
    pub value: f64,
    /// The highest standard error of a query's E/U; 0 if it is exact, or was not asked for.
    pub expected_share: f64,
}

/// What each line of [`StandardErrors::lines`] says.
const AT_MOST: &str = "their standard error is at most";

impl StandardErrors {
    /// Whether a line is one of [`lines`](Self::lines).
    pub fn has_line(line: &str) -> bool {
        line.contains(AT_MOST)
    }

    /// The higher errors of each column of two lists. A column may be in one list only.
    pub fn highest(mut one: Vec<Self>, other: Vec<Self>) -> Vec<Self> {
        for errors in other {
            match one.iter_mut().find(|own| own.measure == errors.measure) {
                Some(own) => {
                    own.value = own.value.max(errors.value);
                    own.expected_share = own.expected_share.max(errors.expected_share);
                }
                None => one.push(errors),
            }
        }
        one
    }

    /// A line for each measure with its errors, to be printed under a table. `place`, such as `on
    /// mq2008`, says where the values are.
    pub fn lines(errors: &[Self], place: Option<&str>) -> Vec<String> {
        let mut of_measures: Vec<(String, Vec<String>)> = Vec::new();
        for own in errors {
            let spec: Option<MeasureSpec> = own.measure.parse().ok();
            let named = |name: Option<MeasureSpec>| name.map_or_else(|| own.measure.clone(), |name| name.to_string());
            // E/U is the same for all versions.
            let original = named(spec.as_ref().map(MeasureSpec::base));
            let plain = named(spec.map(|spec| spec.base().at(None)));
            let place = of_measures.iter().position(|(measure, _)| *measure == plain).unwrap_or(of_measures.len());
            if place == of_measures.len() {
                of_measures.push((plain, Vec::new()));
            }
            let words = &mut of_measures[place].1;
            let value = (own.value, own.measure.clone());
            for (error, what) in [value, (own.expected_share, format!("E/U of {original}"))] {
                let word = format!("{error:.1e} for {what}");
                if error > 0.0 && !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        let place = place.map_or(String::new(), |place| format!(" {place}"));
        let line = |(measure, words): (String, Vec<String>)| {
            let words = words.join(", ");
            format!(
                "{measure}: some values{place} are means over {ORDERS} random orders; their standard error is at most {words}"
            )
        };
        of_measures.into_iter().map(line).collect()
    }
}

/// The highest standard errors so far, one for each column.
pub(super) struct Drawn {
    values: Vec<AtomicU64>,
    expected_shares: Vec<AtomicU64>,
}

impl Drawn {
    pub(super) fn new(columns: usize) -> Self {
        let zeros = || (0..columns).map(|_| AtomicU64::new(0)).collect();
        Drawn { values: zeros(), expected_shares: zeros() }
    }

    #[inline]
    pub(super) fn add_value(&self, column: usize, error: f64) {
        raise(&self.values[column], error);
    }

    pub(super) fn add_expected_share(&self, column: usize, error: f64) {
        raise(&self.expected_shares[column], error);
    }
}

/// Numbers above 0 are in the order of their bits.
#[inline]
fn raise(highest: &AtomicU64, error: f64) {
    if error > 0.0 && error.is_finite() {
        highest.fetch_max(error.to_bits(), Ordering::Relaxed);
    }
}

/// Three digits, which is all that an estimate of an error can tell.
fn rounded(error: f64) -> f64 {
    format!("{error:.2e}").parse().unwrap_or(error)
}

impl Evaluator {
    /// The highest standard errors of the values, and of E/U, that this evaluator has given so far,
    /// to three digits. Columns whose numbers are all exact are left out.
    pub fn standard_errors(&self) -> Vec<StandardErrors> {
        let read =
            |errors: &[AtomicU64], column: usize| rounded(f64::from_bits(errors[column].load(Ordering::Relaxed)));
        let of_column = |(column, name): (usize, &String)| StandardErrors {
            measure: name.clone(),
            value: read(&self.drawn.values, column),
            expected_share: read(&self.drawn.expected_shares, column),
        };
        let all = self.names.iter().enumerate().map(of_column);
        all.filter(|errors| errors.value > 0.0 || errors.expected_share > 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(measure: &str, value: f64, expected_share: f64) -> StandardErrors {
        StandardErrors { measure: measure.to_owned(), value, expected_share }
    }

    #[test]
    fn lines_begin_with_the_measure_and_name_its_columns() {
        let all = [
            errors("nerr8@10", 0.0, 0.0002),
            errors("inst.v2(T=2)", 0.0012, 0.0),
            errors("nerr8.v1@10", 0.003, 0.0002),
        ];
        assert_eq!(
            StandardErrors::lines(&all, Some("on d1")),
            [
                "nerr8: some values on d1 are means over 1000 random orders; their standard error is at most 2.0e-4 for \
                 E/U of nerr8@10, 3.0e-3 for nerr8.v1@10",
                "inst(T=2): some values on d1 are means over 1000 random orders; their standard error is at most 1.2e-3 \
                 for inst.v2(T=2)",
            ]
        );
        let is_line = StandardErrors::lines(&all, None).iter().all(|line| StandardErrors::has_line(line));
        assert!(is_line && !StandardErrors::has_line("inst: T=2"));
    }

    #[test]
    fn of_two_lists_the_higher_errors_are_kept() {
        let one = vec![errors("a", 0.1, 0.0), errors("b", 0.2, 0.0)];
        let other = vec![errors("b", 0.1, 0.3), errors("c", 0.5, 0.0)];
        let both = [errors("a", 0.1, 0.0), errors("b", 0.2, 0.3), errors("c", 0.5, 0.0)];
        assert_eq!(StandardErrors::highest(one, other), both);
    }

    #[test]
    fn an_error_that_is_no_number_is_left_out() {
        let highest = AtomicU64::new(0);
        [0.25, f64::NAN, f64::INFINITY, 0.5, -1.0, 0.125].iter().for_each(|&error| raise(&highest, error));
        assert_eq!(f64::from_bits(highest.into_inner()), 0.5);
    }
}
