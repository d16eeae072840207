//! What a test says of one comparison: the same for every test.

use std::cmp::Ordering;
use std::fmt;

use fivefold_base::words::counted;

use crate::distribution::student_quantile;
use crate::effect::cohens_dz;
use crate::error::Undefined;
use crate::family::{Comparison, Family};
use crate::moments::Moments;

/// What a test says of one comparison. A number that does not exist says why, and is never NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The two systems.
    pub comparison: Comparison,
    /// Number of queries.
    pub queries: usize,
    /// Mean of first - second.
    pub difference: f64,
    /// Statistic and p-value.
    pub test: Result<Significance, Undefined>,
    /// Cohen's d_z: the mean difference in standard deviations of the differences.
    pub effect: Result<f64, Undefined>,
    /// A confidence interval of the mean difference.
    pub interval: Result<Interval, Undefined>,
}

/// Statistic and p-value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Significance {
    /// The test's statistic; the test's page says which.
    pub statistic: f64,
    /// Two-sided p-value, in (0, 1]; 0 only where a distribution function gives it.
    pub p: f64,
    /// How p was found.
    pub method: Method,
    /// Queries that the test used: less than all where it drops differences of 0.
    pub used: usize,
    /// Which system the test finds better, if it finds a difference: `Greater` for the first. Tests of signs and of ranks may favour
    /// another one than the means do.
    pub favours: Ordering,
}

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From the exact distribution under the null hypothesis.
    Exact,
    /// From the normal approximation.
    Normal,
    /// From this many random draws: (1 + hits) / (1 + draws).
    Draws(usize),
}

/// Which system a mean difference favours: none where it is only what rounding left of differences that cancel.
pub(crate) fn by_mean(moments: &Moments) -> Ordering {
    moments.settled_mean().partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Exact => f.write_str("exact"),
            Method::Normal => f.write_str("normal approximation"),
            Method::Draws(draws) => f.write_str(&counted(*draws, "draw")),
        }
    }
}

/// A confidence interval of the mean difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Its confidence, e.g. 0.95.
    pub confidence: f64,
    /// How it was found: "t", "studentised bootstrap", "randomised Tukey HSD (simultaneous)".
    pub method: &'static str,
}

/// Step-down max-T p-values, from tests that draw for all comparisons together.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxT {
    /// One for each comparison, in the family's order.
    pub p_values: Vec<f64>,
    /// How they were found: drawn, where signs of all comparisons together are too many to count, also for comparisons of their own that
    /// are exact.
    pub method: Method,
}

/// What a test says of a family.
#[derive(Debug, Clone, PartialEq)]
pub struct TestRun {
    /// One for each comparison, in the family's order.
    pub outcomes: Vec<Outcome>,
    /// Of tests that draw for all comparisons together.
    pub max_t: Option<MaxT>,
    /// Whether the p-values are corrected already, by the test itself.
    pub corrected: bool,
}

impl TestRun {
    /// The p-values; `None` where the test is undefined.
    pub fn p_values(&self) -> Vec<Option<f64>> {
        self.outcomes.iter().map(|outcome| outcome.test.ok().map(|test| test.p)).collect()
    }
}

impl Outcome {
    /// With d_z and the t interval, which any test may report beside its own p-value.
    pub(crate) fn new(
        family: &Family<'_>,
        comparison: Comparison,
        moments: &Moments,
        confidence: f64,
        test: Result<Significance, Undefined>,
    ) -> Outcome {
        Outcome {
            comparison,
            queries: family.queries(),
            difference: moments.mean,
            test,
            effect: cohens_dz(moments),
            interval: t_interval(moments, confidence),
        }
    }
}

/// mean -+ t quantile x standard error (Student 1908).
///
/// # Errors
/// Fewer than two queries.
pub fn t_interval(moments: &Moments, confidence: f64) -> Result<Interval, Undefined> {
    let error = standard_error(moments)?;
    let half = if error == 0.0 { 0.0 } else { error * student_quantile(confidence, (moments.count - 1) as f64) };
    Ok(Interval { low: moments.mean - half, high: moments.mean + half, confidence, method: "t" })
}

/// The standard error of the mean.
pub(crate) fn standard_error(moments: &Moments) -> Result<f64, Undefined> {
    let variance = moments.variance().ok_or(Undefined::TooFewQueries { found: moments.count, needed: 2 })?;
    Ok((variance / moments.count as f64).sqrt())
}
