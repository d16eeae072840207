//! The result of a test on a comparison. All tests give the same type.

use std::cmp::Ordering;
use std::fmt;

use fivefold_base::words::counted;

use crate::distribution::student_quantile;
use crate::effect::cohens_dz;
use crate::error::Undefined;
use crate::family::{Comparison, Family};
use crate::moments::Moments;

/// The result of a test on one comparison. A number that does not exist is an error with the
/// reason, never NaN.
///
/// ```
/// use fivefold_stats::test;
///
/// let outcome = test("t")?.of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?;
/// assert_eq!(outcome.queries, 3);
/// assert!((outcome.difference - 1.0 / 3.0).abs() < 1e-12);
/// assert!(outcome.test?.p < 0.06);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The two systems.
    pub comparison: Comparison,
    /// Number of queries.
    pub queries: usize,
    /// Mean of first - second over the queries.
    pub difference: f64,
    /// Count, mean and spread of first - second.
    pub moments: Moments,
    /// Statistic and p-value.
    pub test: Result<Significance, Undefined>,
    /// Cohen's d_z: the mean difference, divided by the standard deviation of the differences.
    pub effect: Result<f64, Undefined>,
    /// A confidence interval of the mean difference.
    pub interval: Result<Interval, Undefined>,
}

/// Statistic and p-value.
///
/// ```
/// use std::cmp::Ordering;
///
/// use fivefold_stats::test;
///
/// // Better on all of three queries: 2 of the 8 equally likely signs are as extreme.
/// let found = test("sign")?.of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?.test?;
/// assert_eq!((found.p, found.favours, found.used), (0.25, Ordering::Greater, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Significance {
    /// The test's statistic; the module of the test defines it.
    pub statistic: f64,
    /// Two-sided p-value, in (0, 1]. p is 0 only if a distribution function gives 0.
    pub p: f64,
    /// How p was found.
    pub method: PValueMethod,
    /// Number of queries that the test used. Some tests drop differences of 0.
    pub used: usize,
    /// Which system the test finds better: `Greater` for the first. A test of signs or of ranks may
    /// favour another system than the means do.
    pub favours: Ordering,
}

/// How a p-value was found.
///
/// ```
/// use fivefold_stats::{PValueMethod, test};
///
/// let found = test("permutation")?.of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?.test?;
/// assert_eq!(found.method, PValueMethod::Exact);
/// assert_eq!(PValueMethod::Draws(1000).to_string(), "1000 draws");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PValueMethod {
    /// From the exact distribution under the null hypothesis.
    Exact,
    /// From the normal approximation.
    Normal,
    /// From this many random draws: (1 + hits) / (1 + draws).
    Draws(usize),
}

/// Which system a mean difference favours: neither, if the differences cancel and only rounding is
/// left.
pub(crate) fn by_mean(moments: &Moments) -> Ordering {
    moments.settled_mean().partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

impl fmt::Display for PValueMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PValueMethod::Exact => f.write_str("exact"),
            PValueMethod::Normal => f.write_str("normal approximation"),
            PValueMethod::Draws(draws) => f.write_str(&counted(*draws, "draw")),
        }
    }
}

/// A confidence interval of the mean difference.
///
/// ```
/// use fivefold_stats::test;
///
/// let outcome = test("t")?.of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?;
/// let interval = outcome.interval?;
/// // Symmetric about the mean difference, here 1/3.
/// assert!((interval.low + interval.high - 2.0 / 3.0).abs() < 1e-12);
/// assert_eq!((interval.confidence, interval.method), (0.95, "t"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The confidence, for example 0.95.
    pub confidence: f64,
    /// How the interval was found: "t", "studentised bootstrap" or "randomised Tukey HSD
    /// (simultaneous)".
    pub method: &'static str,
}

/// Step-down max-T p-values, from a test that draws for all comparisons together.
///
/// ```
/// use fivefold_stats::{Family, TestOptions, correction, test};
///
/// let family = Family::of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?;
/// let run = test("permutation")?.run(&family, &TestOptions::default())?;
/// // The family is one comparison, so there is nothing to correct.
/// assert_eq!(run.max_t.as_ref().map(|joint| joint.p_values[0]), Some(0.25));
/// assert_eq!(correction("maxt")?.adjust(&run)?, [Some(0.25)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MaxT {
    /// The p-values, in the family's order of comparisons.
    pub p_values: Vec<f64>,
    /// How the p-values were found. If the signs of all comparisons together are too many to count,
    /// the joint p-values are drawn, even where a comparison alone is exact.
    pub method: PValueMethod,
}

/// The results of a test on a family.
///
/// ```
/// use fivefold_stats::{Family, TestOptions, test};
///
/// let family = Family::of_systems(&[&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5], &[0.25, 0.25, 0.5]])?;
/// let run = test("sign")?.run(&family, &TestOptions::default())?;
/// // (0, 1), (0, 2), (1, 2): the last two systems are the same.
/// assert_eq!(run.p_values(), [Some(0.25), Some(0.25), Some(1.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TestRun {
    /// The outcomes, in the family's order of comparisons.
    pub outcomes: Vec<Outcome>,
    /// Joint p-values; `None` if the test does not draw for all comparisons together.
    pub max_t: Option<MaxT>,
    /// Whether the test itself already corrected the p-values.
    pub corrected: bool,
}

impl TestRun {
    /// The p-values; `None` if the test is undefined.
    pub fn p_values(&self) -> Vec<Option<f64>> {
        self.outcomes.iter().map(|outcome| outcome.test.ok().map(|test| test.p)).collect()
    }
}

impl Outcome {
    /// Adds d_z and the t interval, which any test may report beside its own p-value.
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
            moments: *moments,
            test,
            effect: cohens_dz(moments),
            interval: t_interval(moments, confidence),
        }
    }
}

/// The interval mean -+ t quantile x standard error (Student 1908).
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
