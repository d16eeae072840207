//! Random orders of the documents: the mean of the measure over many, beside the exact mean over
//! all. And one random order, for the page to show.

use fivefold_metrics::attribution::ScoredQuery;
use fivefold_metrics::conventions::ApTies;
use fivefold_metrics::{Conventions, MeasureError, MeasureSpec, Scratch, Seed, Ties, Version};
use serde::Serialize;

use crate::list::{evaluator, seed, value};

/// Number of orders.
const ORDERS: u32 = 1000;

/// The mean over orders, of the original measure. `None` if the measure is undefined.
#[derive(Debug, Serialize)]
pub struct Random {
    /// Number of random orders.
    pub orders: u32,
    /// The mean over them.
    pub mean: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// The mean over all orders: the value of a ranking in which all documents tie.
    pub exact: Option<f64>,
}

/// Draws the orders, always the same ones for the same documents.
///
/// # Errors
/// As [`value`].
pub fn orders(spec: &MeasureSpec, conventions: &Conventions, query: &ScoredQuery<'_>) -> Result<Random, MeasureError> {
    let spec = spec.with_version(Version::Original);
    let evaluator = evaluator(std::slice::from_ref(&spec), conventions)?;
    let judged = query.judge(&evaluator)?;
    let mut rng = seed().derive("playground").rng();
    let mut scores: Vec<f64> = (0..query.scores.len()).map(|rank| rank as f64).collect();
    let (mut scratch, mut own) = (Scratch::default(), [0.0]);
    let mut values = Vec::with_capacity(ORDERS as usize);
    for _ in 0..ORDERS {
        rng.shuffle(&mut scores);
        evaluator.evaluate(&judged, &scores, &mut scratch, &mut own)?;
        values.push(own[0]);
    }
    let n = f64::from(ORDERS);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let all_tie = ScoredQuery { scores: vec![0.0; query.scores.len()].into(), ..query.clone() };
    let averaged = Conventions { ties: Ties::Average, ap_ties: ApTies::Orders, ..conventions.clone() };
    let known = |value: f64| Some(value).filter(|value| value.is_finite());
    Ok(Random {
        orders: ORDERS,
        mean: known(mean),
        standard_error: known((squares / (n - 1.0) / n).sqrt()),
        exact: value(&spec, &averaged, &all_tie)?,
    })
}

/// A random order of `documents` rows; another seed gives another order.
pub fn order(documents: usize, number: u64) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..documents).collect();
    Seed::new(number).derive("playground order").rng().shuffle(&mut rows);
    rows
}
