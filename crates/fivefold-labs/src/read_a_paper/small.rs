//! Five queries and three systems, small enough to normalise by hand: V1 and V2 of the values A with
//! their U and E, beside standardised scores.
//!
//! One query has U = E, so V1 and V2 are undefined there. On another query all systems have the same
//! value, so no standardised score is defined there.

use std::fmt::Write as _;

use fivefold_base::{Seed, ue};
use fivefold_stats::standardise::factors;
use fivefold_stats::{normal, standardise::standardised_means};

/// The systems.
pub(crate) const SYSTEMS: [&str; 3] = ["X", "Y", "Z"];
/// Queries.
pub(crate) const QUERIES: usize = 5;

/// One query: A of each system, U and E, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SmallQuery {
    pub(crate) a: [i64; 3],
    pub(crate) u: i64,
    pub(crate) e: i64,
}

/// The small table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Small {
    pub(crate) queries: [SmallQuery; QUERIES],
    /// A system and a query with A of at least E.
    pub(crate) above: (usize, usize),
    /// A system and a query with A below E.
    pub(crate) below: (usize, usize),
}

impl Small {
    /// Makes the table of a student.
    pub(crate) fn make(seed: Seed) -> Self {
        let mut rng = seed.derive("small table").rng();
        let mut between = |low: i64, high: i64| low + rng.below((high - low + 1) as u64) as i64;
        let mut usual = |least_below: bool| loop {
            let (u, e) = (between(80, 100), between(25, 55));
            let a = [between(5, u), between(5, u), between(5, u)];
            let distinct = a[0] != a[1] && a[0] != a[2] && a[1] != a[2];
            let has_below = a.iter().any(|&a| a < e - 5);
            let has_above = a.iter().any(|&a| a > e + 5);
            if distinct && has_above && (has_below || !least_below) {
                return SmallQuery { a, u, e };
            }
        };
        let (first, second, third) = (usual(false), usual(true), usual(false));
        // The equal values lie between E and U.
        let equal = SmallQuery { a: [50; 3], u: 90, e: 40 };
        // All documents have the same grade, so every order has the same value.
        let flat = SmallQuery { a: [100; 3], u: 100, e: 100 };
        let queries = [first, second, third, equal, flat];
        let find = |query: usize, holds: &dyn Fn(i64, i64) -> bool| {
            let SmallQuery { a, e, .. } = queries[query];
            (a.iter().position(|&a| holds(a, e)).unwrap_or(0), query)
        };
        Small { queries, above: find(0, &|a, e| a > e + 5), below: find(1, &|a, e| a < e - 5) }
    }

    /// A, U and E of a system on a query.
    pub(crate) fn numbers(&self, system: usize, query: usize) -> [f64; 3] {
        let SmallQuery { a, u, e } = self.queries[query];
        [a[system], u, e].map(|number| number as f64 / 100.0)
    }

    /// The mean of a version over the queries on which U and E differ.
    pub(crate) fn mean(&self, system: usize, version: fn(f64, f64, f64) -> f64) -> f64 {
        let defined = (0..QUERIES).map(|query| self.numbers(system, query)).filter(|[_, u, e]| ue::differ(*u, *e));
        let values: Vec<f64> = defined.map(|[a, u, e]| version(a, u, e)).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// The standardised score of a system on a query among some systems.
    pub(crate) fn standardised(&self, system: usize, query: usize, among: &[usize]) -> f64 {
        let own: Vec<f64> = among.iter().map(|&system| self.numbers(system, query)[0]).collect();
        factors(&own).map_or(f64::NAN, |(mean, sd)| normal::below((self.numbers(system, query)[0] - mean) / sd))
    }

    /// The mean standardised score of a system among some systems, and the number of queries left
    /// out.
    pub(crate) fn mean_standardised(&self, system: usize, among: &[usize]) -> (f64, usize) {
        let of_system = |system: usize| (0..QUERIES).map(move |query| self.numbers(system, query)[0]);
        let values = (0..SYSTEMS.len()).flat_map(of_system).collect();
        let (means, without) = standardised_means(&fivefold_stats::matrix::Matrix { queries: QUERIES, values }, among);
        (means[system], without)
    }

    /// The file, in the form that `fivefold standardise --values` reads.
    pub(crate) fn csv(&self) -> String {
        let mut text = "query,system,score,expected,upper\n".to_owned();
        for query in 0..QUERIES {
            for (system, name) in SYSTEMS.iter().enumerate() {
                let [a, u, e] = self.numbers(system, query);
                let _ = writeln!(text, "{},{name},{a:.2},{e:.2},{u:.2}", query + 1);
            }
        }
        text
    }

    /// The table in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |(number, query): (usize, &SmallQuery)| {
            let [x, y, z] = query.a;
            let two = |number: i64| format!("{:.2}", number as f64 / 100.0);
            let cells = [x, y, z, query.e, query.u].map(two);
            format!("| {} | {} |", number + 1, cells.join(" | "))
        };
        let rows: Vec<String> = self.queries.iter().enumerate().map(line).collect();
        format!("| query | A of X | A of Y | A of Z | E | U |\n|---|---|---|---|---|---|\n{}\n", rows.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_formulas() {
        for student in 0..100 {
            let small = Small::make(Seed::new(student));
            let [a, u, e] = small.numbers(small.above.0, small.above.1);
            assert!(a > e && u > a - 1e-9);
            let [a, _, e] = small.numbers(small.below.0, small.below.1);
            assert!(a < e);
            for system in 0..3 {
                // V2 by the two lines of the definition, over the four queries with U > E.
                let of_query = |query: usize| {
                    let [a, u, e] = small.numbers(system, query);
                    if a >= e { (a - e) / (u - e) } else { (a - e) / e }
                };
                let mean = (0..4).map(of_query).sum::<f64>() / 4.0;
                assert!((small.mean(system, ue::v2) - mean).abs() < 1e-12);
            }
            // Of two systems, the better one stands 1/sqrt(2) deviations above the mean:
            // statistics.NormalDist().cdf(.5 ** .5) = .7602499.
            let better = usize::from(small.queries[0].a[1] > small.queries[0].a[0]);
            assert!((small.standardised(better, 0, &[0, 1]) - 0.7602499389065233).abs() < 1e-12);
            let of_two: Vec<f64> = [0, 1].map(|system| small.mean_standardised(system, &[0, 1]).0).to_vec();
            assert!((of_two[0] + of_two[1] - 1.0).abs() < 1e-12);
            // The queries on which all systems are equal are left out.
            assert_eq!(small.mean_standardised(0, &[0, 1, 2]).1, 2);
            let by_query: f64 = (0..3).map(|query| small.standardised(2, query, &[0, 1, 2])).sum();
            assert!((small.mean_standardised(2, &[0, 1, 2]).0 - by_query / 3.0).abs() < 1e-12);
        }
    }
}
