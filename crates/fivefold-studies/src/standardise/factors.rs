//! Standardisation of every query's values by their mean and standard deviation over some systems.
//!
//! z = (m - mean_q) / sd_q, sd with n - 1, over the standardising systems. The standardised score
//! is the normal distribution function of z (Webber, Moffat & Zobel, SIGIR 2008). The linear score
//! is A z + B, cut to [0, 1] (std-AB of Sakai, ICTIR 2016, A = .15, B = .5). Constants of a query
//! cancel: SP and AP have the same z, and so have DCG and nDCG.
//!
//! A query has no factors if all standardising systems are equal, or if one of the systems has no
//! value. A query without factors is counted and left out, and never gets an infinite score.
//! Factors can be written to a file and applied to other systems. Cost: one pass.

use std::collections::HashMap;

use fivefold_stats::matrix::Matrix;
use fivefold_stats::standardise::factors as factors_of;
use serde::{Deserialize, Serialize};

use crate::study::StudyError;

/// Format of a file of factors.
pub const FORMAT: &str = "fivefold-factors/1";

/// Mean and standard deviation of every query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Factors {
    /// The format, [`FORMAT`].
    pub format: String,
    /// The measure.
    pub measure: String,
    /// The conventions of the measure, a line each; empty if another program computed the values.
    pub conventions: Vec<String>,
    /// The divisor of the standard deviation.
    pub deviation: String,
    /// Names of the standardising systems.
    pub systems: Vec<String>,
    /// blake3 hash of the values that the factors were computed from.
    pub hash: String,
    /// The factors of each query that has factors.
    pub queries: Vec<QueryFactors>,
    /// Ids of the queries without factors.
    pub without: Vec<String>,
}

/// Mean and standard deviation of one query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryFactors {
    /// The query's id.
    pub query: String,
    /// The mean over the standardising systems.
    pub mean: f64,
    /// The standard deviation, above 0.
    pub sd: f64,
}

/// The only divisor that files may name.
const DEVIATION: &str = "sample, n - 1";

impl Factors {
    /// Factors from the values of the standardising systems.
    pub fn of(matrix: &Matrix, measure: &str, conventions: &[String], systems: &[String], queries: &[String]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (query, id) in queries.iter().enumerate() {
            hasher.update(id.as_bytes()).update(&[0]);
            for value in matrix.query(query) {
                hasher.update(&value.to_le_bytes());
            }
        }
        let mut factors = Factors {
            format: FORMAT.to_owned(),
            measure: measure.to_owned(),
            conventions: conventions.to_vec(),
            deviation: DEVIATION.to_owned(),
            systems: systems.to_vec(),
            hash: hasher.finalize().to_hex().to_string(),
            queries: Vec::new(),
            without: Vec::new(),
        };
        for (query, id) in queries.iter().enumerate() {
            match factors_of(&matrix.query(query)) {
                Some((mean, sd)) => factors.queries.push(QueryFactors { query: id.clone(), mean, sd }),
                None => factors.without.push(id.clone()),
            }
        }
        factors
    }

    /// Reads the text of a file of factors. `name` is the name of the file in errors.
    ///
    /// # Errors
    /// Text of another format, or factors that cannot be used.
    pub fn parse(name: &str, text: &str) -> Result<Self, StudyError> {
        let wrong = |what: String| StudyError::Input(format!("{name}: {what}"));
        let factors: Factors = serde_json::from_str(text)
            .map_err(|error| wrong(format!("not factors of `fivefold standardise`: {error}")))?;
        if factors.format != FORMAT {
            return Err(wrong(format!("has format \"{}\"; this program reads \"{FORMAT}\"", factors.format)));
        }
        let usable = |factor: &QueryFactors| factor.mean.is_finite() && factor.sd.is_finite() && factor.sd > 0.0;
        match factors.queries.iter().find(|factor| !usable(factor)) {
            Some(factor) => {
                Err(wrong(format!("query {}: mean {} and sd {} are no factors", factor.query, factor.mean, factor.sd)))
            }
            None => Ok(factors),
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Mean and standard deviation of each of these queries; `None` for a query without factors.
    pub fn of_queries(&self, queries: &[String]) -> Vec<Option<(f64, f64)>> {
        let known: HashMap<&str, (f64, f64)> =
            self.queries.iter().map(|factor| (factor.query.as_str(), (factor.mean, factor.sd))).collect();
        queries.iter().map(|query| known.get(query.as_str()).copied()).collect()
    }
}

/// z-scores; NaN if the query has no factors or the system no value.
pub fn z_scores(matrix: &Matrix, factors: &[Option<(f64, f64)>]) -> Matrix {
    matrix.map(|query, value| factors[query].map_or(f64::NAN, |(mean, sd)| (value - mean) / sd))
}

/// The distribution function of the standard normal distribution.
pub fn normal(z: f64) -> f64 {
    fivefold_stats::normal::below(z)
}

/// Sakai's linear alternative to the normal distribution function.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Linear {
    /// The slope A.
    pub a: f64,
    /// B, the value of a system that is equal to the mean.
    pub b: f64,
}

impl Default for Linear {
    fn default() -> Self {
        Linear { a: 0.15, b: 0.5 }
    }
}

impl Linear {
    /// A z + B, cut to [0, 1].
    pub fn at(self, z: f64) -> f64 {
        if z.is_nan() { f64::NAN } else { (self.a * z + self.b).clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use fivefold_stats::matrix::mean_and_deviation;

    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| format!("n{i}")).collect()
    }

    #[test]
    fn each_query_has_mean_0_and_deviation_1_and_equal_systems_have_no_factors() {
        let queries = 9;
        let values: Vec<f64> = (0..7 * queries)
            .map(|place| match place % queries {
                3 => 0.1,
                5 if place == 5 => f64::NAN,
                query => ((place * 37) % 23) as f64 * 0.01_f64.powi(query as i32 - 4),
            })
            .collect();
        let matrix = Matrix { queries, values };
        let factors = Factors::of(&matrix, "m", &[], &names(7), &names(queries));
        assert_eq!(factors.without, ["n3", "n5"]);
        let z = z_scores(&matrix, &factors.of_queries(&names(queries)));
        for query in 0..queries {
            let (mean, sd) = mean_and_deviation(&z.query(query));
            match query {
                3 | 5 => assert!(z.query(query).iter().all(|z| z.is_nan())),
                _ => assert!(mean.abs() < 1e-12 && (sd - 1.0).abs() < 1e-12, "{query} {mean} {sd}"),
            }
        }
    }

    // Python's decimal with 900 digits.
    #[test]
    fn the_normal_distribution_function_and_the_line() {
        let cases = [(-3.0, 0.0013498980316300946), (-0.5, 0.3085375387259869), (0.0, 0.5), (1.96, 0.9750021048517795)];
        for (z, expected) in cases {
            assert!((normal(z) - expected).abs() <= 1.2e-16, "{z}");
        }
        let line = Linear::default();
        assert_eq!([-4.0, -2.0, 0.0, 2.0, 4.0].map(|z| line.at(z)), [0.0, 0.2, 0.5, 0.8, 1.0]);
        assert!(line.at(f64::NAN).is_nan() && normal(f64::NAN).is_nan());
    }

    #[test]
    fn a_file_comes_back_and_a_wrong_one_is_refused() {
        let matrix = Matrix { queries: 2, values: vec![0.1, 0.5, 0.3, 0.5, 0.7, 0.5] };
        let factors = Factors::of(&matrix, "ap", &["threshold=1".to_owned()], &names(3), &names(2));
        assert_eq!(Factors::parse("F", &factors.text()).unwrap(), factors);
        assert_eq!(factors.of_queries(&["n1".to_owned(), "n0".to_owned(), "x".to_owned()])[0], None);
        for (from, to, message) in [
            ("factors/1", "factors/2", "this program reads"),
            ("\"sd\": 0.3", "\"sd\": -0.3", "are no factors"),
            ("\"measure\"", "\"maesure\"", "not factors of `fivefold standardise`"),
        ] {
            let text = factors.text().replace(from, to);
            assert_ne!(text, factors.text(), "a test of nothing: {from}");
            let error = Factors::parse("F", &text).unwrap_err().to_string();
            assert!(error.starts_with("F: ") && error.contains(message), "{error}");
        }
    }
}
