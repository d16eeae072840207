//! The arithmetic of a value as lines for a student, and numbers as reports show them.

use fivefold_metrics::explain::{Bound, Position, Step};
use fivefold_metrics::{Explanation, Version};

/// The way to a value: its ranking position by position, then the sums. For V1 and V2 also the ideal
/// order and the mean over all orders, from which U and E come.
pub(crate) fn lines(told: &Explanation, version: Version, name: impl Fn(usize) -> String) -> Vec<String> {
    let mut lines: Vec<String> = told.ranking[..told.positions].iter().map(|at| position(told, at, &name)).collect();
    let needs_bounds = version != Version::Original || divided_by_ideal(told);
    if needs_bounds {
        lines.extend(told.bounds.iter().map(|at| bound(told, at, version)));
    }
    let needed = |step: &&Step| match step.what.as_str() {
        "U" => needs_bounds,
        "E" => version != Version::Original,
        _ => true,
    };
    lines.extend(told.steps.iter().filter(needed).map(step));
    lines.extend(told.remarks.iter().cloned());
    lines
}

/// Whether the value is A divided by the value of the ideal order, as nDCG.
fn divided_by_ideal(told: &Explanation) -> bool {
    told.steps.last().is_some_and(|last| last.formula == "A / U")
}

fn position(told: &Explanation, at: &Position, name: impl Fn(usize) -> String) -> String {
    let (rank, document, grade) = (at.rank, name(at.row), at.grade);
    let ties = if at.tied > 1 { format!(", ties with {}", others(at.tied - 1)) } else { String::new() };
    let product = factors(told, at.factors);
    let (own, sum) = (number(at.contribution.unwrap_or(0.0)), number(at.sum.unwrap_or(0.0)));
    format!("rank {rank}: {document}, grade {grade}{ties}{product}, contribution {own}, sum {sum}")
}

fn others(count: usize) -> String {
    if count == 1 { "1 other".to_owned() } else { format!("{count} others") }
}

fn bound(told: &Explanation, at: &Bound, version: Version) -> String {
    let grade = at.grade.map_or_else(|| "no document".to_owned(), |grade| format!("grade {grade}"));
    let product = factors(told, at.factors);
    let (ideal, sum) = (number(at.ideal), number(at.ideal_sum));
    let mean = match version {
        Version::Original => String::new(),
        _ => format!("; mean over all orders {}, sum {}", number(at.expected), number(at.expected_sum)),
    };
    format!("ideal rank {}: {grade}{product}, contribution {ideal}, sum {sum}{mean}", at.rank)
}

/// The two factors with their names.
fn factors(told: &Explanation, values: Option<[f64; 2]>) -> String {
    match (told.factors, values) {
        (Some([one, other]), Some([a, b])) => format!(", {one} {} x {other} {}", number(a), number(b)),
        _ => String::new(),
    }
}

fn step(step: &Step) -> String {
    let value = step.value.map_or_else(|| "undefined".to_owned(), number);
    // The numbers are the value, or the value with more decimals.
    let told = step.numbers.parse().map_or_else(|_| step.numbers.clone(), number);
    let result = if told == value { value } else { format!("{told} = {value}") };
    format!("{} = {} = {result}", step.what, step.formula)
}

/// A number with four decimals, without zeros at the end.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Points without needless decimals: `3`, `2.5`, `0.33`.
pub fn points(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
