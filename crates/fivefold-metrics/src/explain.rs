//! The arithmetic of one measure on one query, position by position and step by step, as on a
//! blackboard.
//!
//! [`Evaluator::explain`](crate::Evaluator::explain) shows the numbers that the evaluation itself
//! uses. No number is computed by another formula.

use fivefold_base::rounding::ROUNDING;
use fivefold_base::words::counted;
use serde::Serialize;

use crate::measure::{Parts, QueryGrades};
use crate::normalise::Bounds;
use crate::spec::Version;

/// The steps from a ranking to a value.
///
/// ```
/// use fivefold_metrics::Seed;
/// use fivefold_metrics::{Evaluator, dialect};
///
/// let evaluator = Evaluator::new(&["dcg@2".parse()?], &dialect("paper")?.conventions(), 2, Seed::new(1))?;
/// let query = evaluator.judge("q1", &[0, 2], None)?;
/// let explained = evaluator.explain(&query, &[0.9, 0.5], 0)?;
/// // Grade 2 on rank 2: (2^2 - 1) / log2(3).
/// assert_eq!(explained.ranking[1].grade, 2);
/// assert!((explained.value.unwrap() - 3.0 / 3f64.log2()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The measure, as printed.
    pub measure: String,
    /// How many positions count.
    pub positions: usize,
    /// Whether the measure is about the whole ranking, so that no position has a contribution of its
    /// own.
    pub whole: bool,
    /// Names of the two factors of a contribution; `None` if the factors have no names.
    pub factors: Option<[&'static str; 2]>,
    /// The ranking, from the first position; all documents, also those beyond the cutoff.
    pub ranking: Vec<Position>,
    /// The ideal order and the mean over all orders, up to the cutoff.
    pub bounds: Vec<Bound>,
    /// From the sums to the value.
    pub steps: Vec<Step>,
    /// The value; `None` if it is undefined.
    pub value: Option<f64>,
    /// Remarks: why the value is undefined or negative, how ties count, and so on.
    pub remarks: Vec<String>,
}

/// One position of the ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Position {
    /// From 1.
    pub rank: usize,
    /// The document's row in the query, from 0.
    pub row: usize,
    /// Its score.
    pub score: f64,
    /// Its grade.
    pub grade: u8,
    /// Number of documents of the tie group, which share their mean; 1 if the document does not
    /// tie.
    pub tied: usize,
    /// The two factors; `None` beyond the cutoff.
    pub factors: Option<[f64; 2]>,
    /// The contribution; `None` beyond the cutoff.
    pub contribution: Option<f64>,
    /// The sum up to this position.
    pub sum: Option<f64>,
}

/// One position of the ideal order, and of the mean over all orders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Bound {
    /// From 1.
    pub rank: usize,
    /// The grade at this position of the ideal order; `None` if there are no more judged
    /// documents.
    pub grade: Option<u8>,
    /// Its factors.
    pub factors: Option<[f64; 2]>,
    /// The contribution.
    pub ideal: f64,
    /// The sum up to this position.
    pub ideal_sum: f64,
    /// The mean contribution over all orders of the ranked documents.
    pub expected: f64,
    /// The sum up to this position.
    pub expected_sum: f64,
}

/// One line of the calculation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// The name of the result: `A`, `U`, `E`, or the measure.
    pub what: String,
    /// The formula in words and letters.
    pub formula: String,
    /// The formula with its numbers.
    pub numbers: String,
    /// The result; `None` if it is undefined.
    pub value: Option<f64>,
}

/// The evaluator's numbers for a value.
pub(crate) struct Arithmetic<'a> {
    pub(crate) name: &'a str,
    /// The value A of a measure of whole rankings, which has no contributions.
    pub(crate) whole: Option<f64>,
    /// Number of orders that were drawn for A, and the standard error of A.
    pub(crate) drawn: Option<(usize, f64)>,
    pub(crate) version: Version,
    pub(crate) cutoff: Option<usize>,
    pub(crate) value: f64,
    pub(crate) bounds: Bounds,
    /// Rows from the first position to the last.
    pub(crate) rows: Vec<usize>,
    pub(crate) scores: &'a [f64],
    /// Grades from the first position to the last.
    pub(crate) grades: &'a [u8],
    pub(crate) ends: &'a [u32],
    pub(crate) contributions: Vec<f64>,
    pub(crate) parts: Parts,
    pub(crate) query: &'a QueryGrades,
    pub(crate) ideal: Vec<f64>,
    pub(crate) ideal_parts: Parts,
    /// The mean contribution of each position over the orders of the documents that tie, whatever
    /// the convention for ties.
    pub(crate) untied: Vec<f64>,
    /// The mean contribution of each position over all orders of the documents.
    pub(crate) means: Vec<f64>,
}

impl Explanation {
    pub(crate) fn new(of: Arithmetic<'_>) -> Self {
        Explanation {
            measure: of.name.to_owned(),
            positions: of.contributions.len(),
            whole: of.whole.is_some(),
            factors: of.parts.factors,
            ranking: ranking(&of),
            bounds: bounds(&of),
            steps: steps(&of),
            value: defined(of.value),
            remarks: remarks(&of),
        }
    }
}

fn ranking(of: &Arithmetic<'_>) -> Vec<Position> {
    let mut ranking = Vec::with_capacity(of.rows.len());
    let (mut sum, mut start) = (0.0, 0);
    for &end in of.ends {
        let end = end as usize;
        for (position, &row) in (start..end).zip(&of.rows[start..]) {
            let contribution = of.contributions.get(position).copied().filter(|_| of.whole.is_none());
            sum += contribution.unwrap_or(0.0);
            ranking.push(Position {
                rank: position + 1,
                row,
                score: of.scores[row],
                grade: of.grades[position],
                tied: end - start,
                factors: of.parts.values.get(position).copied(),
                contribution,
                sum: contribution.map(|_| sum),
            });
        }
        start = end;
    }
    ranking
}

fn bounds(of: &Arithmetic<'_>) -> Vec<Bound> {
    if of.whole.is_some() {
        return Vec::new();
    }
    let (mut ideal_sum, mut expected_sum) = (0.0, 0.0);
    let at = |position: usize| {
        let ideal = of.ideal.get(position).copied().unwrap_or(0.0);
        let expected = of.means.get(position).copied().unwrap_or(0.0);
        ideal_sum += ideal;
        expected_sum += expected;
        Bound {
            rank: position + 1,
            grade: of.query.ideal().get(position).copied(),
            factors: of.ideal_parts.values.get(position).copied(),
            ideal,
            ideal_sum,
            expected,
            expected_sum,
        }
    };
    (0..of.ideal.len().max(of.means.len())).map(at).collect()
}

fn steps(of: &Arithmetic<'_>) -> Vec<Step> {
    let Bounds { denominator, normaliser, upper, expected, ue, .. } = of.bounds;
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let total = of.whole.unwrap_or_else(|| sum(&of.contributions));
    let (a, u, e) = (total / denominator, upper, expected);
    let counted = of.contributions.len();
    let divided = |sum: f64| match of.parts.denominator {
        "" => (String::new(), number(sum)),
        name => (format!(" / {name}"), format!("{} / {}", number(sum), number(denominator))),
    };
    let step = |what: &str, formula: String, numbers: String, value: f64| Step {
        what: what.to_owned(),
        formula,
        numbers,
        value: defined(value),
    };
    let bound = |what: &str, how: &str, sum: f64, value: f64| {
        if of.whole.is_some() {
            let how = how.replace("the same sum", "the value");
            return step(what, how, number(value), value);
        }
        let (by, numbers) = divided(sum);
        // A convention can replace the sum by another number.
        match (sum / denominator - value).abs() <= ROUNDING * value.abs() {
            true => step(what, format!("{how}{by}"), numbers, value),
            false => step(what, "by convention, instead of that sum".to_owned(), number(value), value),
        }
    };
    let (by, numbers) = divided(total);
    let mut steps = vec![match counted {
        _ if of.whole.is_some() => step("A", "the value of the whole ranking".to_owned(), number(a), a),
        0 => step("A", "no document is ranked".to_owned(), numbers, a),
        _ => step("A", format!("sum of the contributions of ranks 1 to {counted}{by}"), numbers, a),
    }];
    // A measure without V1 and V2 has neither U nor E.
    if !u.is_nan() {
        steps.push(bound("U", "the same sum for the ideal order", sum(&of.ideal), u));
    }
    if !e.is_nan() {
        steps.push(bound("E", "the same sum, mean over all orders", sum(&of.means), e));
    }
    let [a, u, e] = [a, u, e].map(number);
    let (formula, numbers) = match of.version {
        Version::Original if normaliser.is_infinite() => ("0 by convention".to_owned(), "0".to_owned()),
        Version::Original => match of.parts.normaliser {
            "" => ("A".to_owned(), a),
            name => (format!("A / {name}"), format!("{a} / {}", number(normaliser))),
        },
        Version::V1 => ("(A/U) (A/(A+E))".to_owned(), format!("({a}/{u}) ({a}/({a}+{e}))")),
        Version::V2 if total / denominator >= expected => {
            ("(A-E)/(U-E), since A >= E".to_owned(), format!("({a}-{e})/({u}-{e})"))
        }
        Version::V2 => ("(A-E)/E, since A < E".to_owned(), format!("({a}-{e})/{e}")),
    };
    let exists = !normaliser.is_nan() && (ue || of.version == Version::Original);
    let numbers = if exists { numbers } else { "undefined".to_owned() };
    steps.push(step(of.name, formula, numbers, of.value));
    steps
}

fn remarks(of: &Arithmetic<'_>) -> Vec<String> {
    let Bounds { normaliser, upper, expected, .. } = of.bounds;
    let mut remarks = Vec::new();
    let positions = of.contributions.len();
    if normaliser.is_infinite() && of.version == Version::Original {
        remarks.push(format!("0 by convention: {}", of.parts.zero));
    }
    if of.value.is_nan() {
        remarks.push(match normaliser.is_nan() {
            true => "undefined: there is nothing to find, because no judged document has a gain under this measure"
                .to_owned(),
            false => format!(
                "undefined: no order of the documents is better than another (the ideal order and a random order have \
                    equal values, to 1e-12: U = {}, E = {})",
                number(upper),
                number(expected)
            ),
        });
    } else if of.value < 0.0 && of.version == Version::V2 {
        remarks.push(negative(of));
    }
    if let Some(k) = of.cutoff.filter(|&k| k > of.rows.len()) {
        remarks.push(format!("the cutoff {k} is beyond the list of {}", counted(of.rows.len(), "document")));
    }
    if let Some((orders, error)) = of.drawn {
        remarks.push(format!(
            "A is the mean over {orders} random orders of tied documents; its standard error is {}",
            number(error)
        ));
    }
    if of.bounds.expected_error > 0.0 {
        remarks.push(format!(
            "E is a mean over random orders; its standard error is {}",
            number(of.bounds.expected_error)
        ));
    }
    let tied = of.ends.iter().scan(0, |start, &end| {
        let from = std::mem::replace(start, end as usize);
        Some((from, end as usize))
    });
    let tied = tied.filter(|&(start, end)| end - start > 1 && start < positions).count();
    if tied > 0 {
        let takes = if of.parts.ties.is_empty() { "the mean over the orders of its group" } else { of.parts.ties };
        remarks.push(format!("groups of documents that tie: {tied}; each position of a group takes {takes}"));
    }
    remarks
}

/// Why a value is below 0: the ranking is bad, or by convention A or E is not the mean over
/// orders.
fn negative(of: &Arithmetic<'_>) -> String {
    let Bounds { denominator, expected, .. } = of.bounds;
    let a_of = |contributions: &[f64]| contributions.iter().sum::<f64>() / denominator;
    let [a, untied, random] = [&of.contributions, &of.untied, &of.means].map(|contributions| a_of(contributions));
    let below = format!("with A below E = {}", number(expected));
    if of.whole.is_some() || random - untied > ROUNDING * random {
        return format!("negative: {below}, the ranking is worse than a random order is on average");
    }
    let mut causes = Vec::new();
    if untied - a > ROUNDING * untied {
        causes.push(format!(
            "each position of documents that tie takes {}; the mean over their orders would make A {}",
            of.parts.ties,
            number(untied)
        ));
    }
    if expected - random > ROUNDING * expected {
        causes.push(format!("E is by convention more than the mean over all orders, {}", number(random)));
    }
    if causes.is_empty() {
        return format!("negative by rounding alone: A is E = {}", number(expected));
    }
    let ranking = match of.ends {
        [_] => "all documents tie, so no order is worse than another",
        _ => "the ranking is no worse than a random order is on average",
    };
    format!("negative by convention, {below}: {ranking}; {}", causes.join("; "))
}

/// A number with six decimals, without zeros at the end.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn defined(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}
