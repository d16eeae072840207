//! Components of variance: how much of the spread of values comes from systems, from queries, from
//! their interaction, from seeds, and from the rest.
//!
//! Model (all effects random, seeds nested in systems): the value of system s with seed r on query q
//! is
//!
//! ```text
//! y_srq = mean + system_s + query_q + (system x query)_sq + seed_r(s) + rest_srq
//! ```
//!
//! Estimates: the method of moments. With S systems, R seeds each and Q queries, the expected mean
//! squares are
//!
//! ```text
//! systems          rest + Q seeds + R interaction + QR systems     S - 1
//! queries          rest + R interaction + SR queries               Q - 1
//! interaction      rest + R interaction                            (S - 1)(Q - 1)
//! seeds            rest + Q seeds                                  S (R - 1)
//! rest             rest                                            S (R - 1)(Q - 1)
//! ```
//!
//! with the degrees of freedom in the last column. The estimates solve these equations. An estimate may
//! be negative if its component is small; [`Components::shares`] counts it as 0. With one system, there
//! is neither a component of systems nor an interaction.
//!
//! Source: Searle, Casella & McCulloch, "Variance Components", 1992, chapter 4. Cost: three passes.

use crate::error::StatsError;
use crate::matrix::mean;

/// Components of variance, in the square of the unit of the values. See [`variance_components`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Components {
    /// Between systems; `None` for a single system.
    pub systems: Option<f64>,
    /// Between queries.
    pub queries: f64,
    /// Systems that suit different queries; `None` for a single system.
    pub interaction: Option<f64>,
    /// Between the seeds of a system.
    pub seeds: f64,
    /// What a seed alters on single queries.
    pub rest: f64,
}

impl Components {
    /// The components in the order systems, queries, interaction, seeds, rest.
    pub fn all(&self) -> [Option<f64>; 5] {
        [self.systems, Some(self.queries), self.interaction, Some(self.seeds), Some(self.rest)]
    }

    /// The share of each component in their sum, in the order of [`all`](Self::all). A negative
    /// component counts as 0. `None` if all components are 0.
    pub fn shares(&self) -> Option<[Option<f64>; 5]> {
        let positive = self.all().map(|component| component.map(|value| value.max(0.0)));
        let sum: f64 = positive.iter().flatten().sum();
        (sum > 0.0).then(|| positive.map(|component| component.map(|value| value / sum)))
    }
}

/// The components of variance of `values[system][seed][query]`.
///
/// ```
/// use fivefold_stats::variance_components;
///
/// // Two systems with two seeds each, on two queries. Only the seeds of the first system differ.
/// let values = [vec![vec![0.5, 0.9], vec![0.3, 0.7]], vec![vec![0.4, 0.8], vec![0.4, 0.8]]];
/// let components = variance_components(&values)?;
/// assert!((components.seeds - 0.01).abs() < 1e-12);
/// assert!((components.queries - 0.08).abs() < 1e-12);
/// assert!(components.rest.abs() < 1e-12);
/// # Ok::<(), fivefold_stats::StatsError>(())
/// ```
///
/// # Errors
/// Fewer than two seeds or two queries, no system, lists of different lengths, or a value that is not
/// finite.
pub fn variance_components(values: &[Vec<Vec<f64>>]) -> Result<Components, StatsError> {
    let (systems, seeds, queries) = shape(values)?;
    let [s, r, q] = [systems, seeds, queries].map(|count| count as f64);
    let of_query =
        |system: usize, query: usize| -> f64 { values[system].iter().map(|seed| seed[query]).sum::<f64>() / r };
    // Means by system and seed, by system and query, by system, by query, and of all.
    let by_seed: Vec<Vec<f64>> = values.iter().map(|own| own.iter().map(|seed| mean(seed)).collect()).collect();
    let cells: Vec<Vec<f64>> =
        (0..systems).map(|system| (0..queries).map(|query| of_query(system, query)).collect()).collect();
    let by_system: Vec<f64> = by_seed.iter().map(|own| mean(own)).collect();
    let by_query: Vec<f64> = (0..queries).map(|query| cells.iter().map(|own| own[query]).sum::<f64>() / s).collect();
    let all = mean(&by_system);
    let (mut of_seeds, mut of_cells, mut rest) = (0.0, 0.0, 0.0);
    for system in 0..systems {
        of_seeds += by_seed[system].iter().map(|own| square(own - by_system[system])).sum::<f64>() * q;
        for query in 0..queries {
            of_cells += square(cells[system][query] - by_system[system] - by_query[query] + all) * r;
        }
        for (seed, own) in values[system].iter().enumerate() {
            let left = |query: usize| own[query] - by_seed[system][seed] - cells[system][query] + by_system[system];
            rest += (0..queries).map(|query| square(left(query))).sum::<f64>();
        }
    }
    let of_queries: f64 = by_query.iter().map(|own| square(own - all)).sum::<f64>() * s * r;
    let of_systems: f64 = by_system.iter().map(|own| square(own - all)).sum::<f64>() * q * r;
    let rest = rest / (s * (r - 1.0) * (q - 1.0));
    let seeds = of_seeds / (s * (r - 1.0));
    let queries = of_queries / (q - 1.0);
    if systems == 1 {
        let (queries, seeds) = ((queries - rest) / r, (seeds - rest) / q);
        return Ok(Components { systems: None, queries, interaction: None, seeds, rest });
    }
    let interaction = of_cells / ((s - 1.0) * (q - 1.0));
    let systems = of_systems / (s - 1.0);
    Ok(Components {
        systems: Some((systems - interaction - seeds + rest) / (q * r)),
        queries: (queries - interaction) / (s * r),
        interaction: Some((interaction - rest) / r),
        seeds: (seeds - rest) / q,
        rest,
    })
}

/// How the sum of squares of values of systems on queries divides. See [`variance_shares`].
///
/// ```
/// use fivefold_stats::variance_shares;
///
/// let shares = variance_shares(&[vec![0.1, 0.5, 0.2], vec![0.3, 0.4, 0.3]])?.unwrap();
/// assert!((shares.systems + shares.queries + shares.rest - 1.0).abs() < 1e-12);
/// # Ok::<(), fivefold_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct VarianceShares {
    /// Between the means of the systems.
    pub systems: f64,
    /// Between the means of the queries: how much queries differ in difficulty.
    pub queries: f64,
    /// The rest: systems that suit different queries, and chance.
    pub rest: f64,
}

/// The shares of systems, of queries and of the rest in the sum of squares of `values[system][query]`
/// around their mean. `None` if all values are equal.
///
/// ```
/// use fivefold_stats::variance_shares;
///
/// // Both systems find the second query easier, by the same amount.
/// let shares = variance_shares(&[vec![0.1, 0.5], vec![0.3, 0.7]])?.unwrap();
/// assert!((shares.queries - 0.8).abs() < 1e-12 && (shares.systems - 0.2).abs() < 1e-12);
/// # Ok::<(), fivefold_stats::StatsError>(())
/// ```
///
/// # Errors
/// No system, no query, lists of different lengths, or a value that is not finite.
pub fn variance_shares(values: &[Vec<f64>]) -> Result<Option<VarianceShares>, StatsError> {
    let queries = values.first().map_or(0, Vec::len);
    if queries == 0 {
        return Err(StatsError::TooFew { found: 0, needed: 1 });
    }
    for own in values {
        if own.len() != queries {
            return Err(StatsError::LengthMismatch { first: queries, second: own.len() });
        }
        if let Some(position) = own.iter().position(|value| !value.is_finite()) {
            return Err(StatsError::NotFinite { position, value: own[position] });
        }
    }
    let by_system: Vec<f64> = values.iter().map(|own| mean(own)).collect();
    let of_query = |query: usize| values.iter().map(|own| own[query]).sum::<f64>() / values.len() as f64;
    let by_query: Vec<f64> = (0..queries).map(of_query).collect();
    let all = mean(&by_system);
    let total: f64 = values.iter().flatten().map(|&value| square(value - all)).sum();
    let of_systems: f64 = by_system.iter().map(|own| square(own - all)).sum::<f64>() * queries as f64;
    let of_queries: f64 = by_query.iter().map(|own| square(own - all)).sum::<f64>() * values.len() as f64;
    let rest = (total - of_systems - of_queries).max(0.0);
    let shares = VarianceShares { systems: of_systems / total, queries: of_queries / total, rest: rest / total };
    Ok((total > 0.0).then_some(shares))
}

fn square(x: f64) -> f64 {
    x * x
}

/// The numbers of systems, seeds and queries.
fn shape(values: &[Vec<Vec<f64>>]) -> Result<(usize, usize, usize), StatsError> {
    let seeds = values.first().map_or(0, Vec::len);
    let queries = values.first().and_then(|own| own.first()).map_or(0, Vec::len);
    for found in [seeds, queries] {
        if found < 2 {
            return Err(StatsError::TooFew { found, needed: 2 });
        }
    }
    for own in values {
        if own.len() != seeds {
            return Err(StatsError::LengthMismatch { first: seeds, second: own.len() });
        }
        for seed in own {
            if seed.len() != queries {
                return Err(StatsError::LengthMismatch { first: queries, second: seed.len() });
            }
            if let Some(position) = seed.iter().position(|value| !value.is_finite()) {
                return Err(StatsError::NotFinite { position, value: seed[position] });
            }
        }
    }
    Ok((values.len(), seeds, queries))
}

#[cfg(test)]
mod tests {
    use fivefold_base::Seed;

    use super::*;

    /// Values of 4 systems, 3 seeds and 7 queries, with effects of known sizes.
    fn values(systems: usize) -> Vec<Vec<Vec<f64>>> {
        let mut rng = Seed::new(3).derive("variance").rng();
        let mut draw = |size: f64| size * (rng.uniform() - 0.5);
        let queries: Vec<f64> = (0..7).map(|_| draw(1.0)).collect();
        let mut system = || {
            let own = draw(0.3);
            let suits: Vec<f64> = queries.iter().map(|query| own + query + draw(0.4)).collect();
            let mut seed = || {
                let drawn = draw(0.2);
                suits.iter().map(|value| value + drawn + draw(0.1)).collect()
            };
            (0..3).map(|_| seed()).collect()
        };
        (0..systems).map(|_| system()).collect()
    }

    /// An independent computation: half the mean squared difference of two values, over all pairs of
    /// values that share exactly some of system, seed and query, has the sum of the components that the
    /// pair does not share as its expectation (Koch, Technometrics 9, 1967). For balanced data, both
    /// computations give the same estimates, because there is only one unbiased quadratic estimate that
    /// does not depend on the order of systems, seeds and queries.
    fn by_pairs(values: &[Vec<Vec<f64>>]) -> [Option<f64>; 5] {
        let mut pairs = [(0.0, 0.0); 5];
        let items: Vec<(usize, usize, usize, f64)> = values
            .iter()
            .enumerate()
            .flat_map(|(s, own)| {
                own.iter()
                    .enumerate()
                    .flat_map(move |(r, seed)| seed.iter().enumerate().map(move |(q, value)| (s, r, q, *value)))
            })
            .collect();
        for (place, one) in items.iter().enumerate() {
            for other in &items[place + 1..] {
                let kind = match (one.0 == other.0, one.1 == other.1, one.2 == other.2) {
                    (true, false, true) => 0,
                    (true, true, false) => 1,
                    (true, false, false) => 2,
                    (false, _, true) => 3,
                    (false, _, false) => 4,
                    (true, true, true) => unreachable!(),
                };
                pairs[kind].0 += square(one.3 - other.3) / 2.0;
                pairs[kind].1 += 1.0;
            }
        }
        let [seed, query, both, system, all] = pairs.map(|(sum, count)| sum / count);
        // seed = seeds + rest; query = queries + interaction + rest; both = queries + interaction +
        // seeds + rest; system = systems + interaction + seeds + rest; all = everything.
        let seeds = both - query;
        let rest = seed - seeds;
        if values.len() == 1 {
            return [None, Some(query - rest), None, Some(seeds), Some(rest)];
        }
        let queries = all - system;
        let interaction = query - queries - rest;
        [Some(system - interaction - seed), Some(queries), Some(interaction), Some(seeds), Some(rest)]
    }

    #[test]
    fn the_method_of_moments_agrees_with_symmetric_differences() {
        for systems in [1, 2, 4] {
            let values = values(systems);
            let found = variance_components(&values).unwrap();
            for (own, other) in found.all().iter().zip(by_pairs(&values)) {
                assert_eq!(own.is_some(), other.is_some());
                assert!((own.unwrap_or(0.0) - other.unwrap_or(0.0)).abs() < 1e-12, "{found:?}");
            }
        }
    }

    #[test]
    fn shares_sum_to_one_and_negative_components_count_as_nothing() {
        let shares = variance_components(&values(4)).unwrap().shares().unwrap();
        assert!((shares.iter().flatten().sum::<f64>() - 1.0).abs() < 1e-12);
        let components = Components { systems: None, queries: 3.0, interaction: None, seeds: -1.0, rest: 1.0 };
        assert_eq!(components.shares(), Some([None, Some(0.75), None, Some(0.0), Some(0.25)]));
        assert_eq!(variance_components(&[vec![vec![1.0; 2]; 2]]).unwrap().shares(), None);
    }

    #[test]
    fn wrong_shapes_are_refused() {
        for (values, expected) in [
            (vec![vec![vec![1.0, 2.0]]], StatsError::TooFew { found: 1, needed: 2 }),
            (vec![vec![vec![1.0]; 2]], StatsError::TooFew { found: 1, needed: 2 }),
            (Vec::new(), StatsError::TooFew { found: 0, needed: 2 }),
            (vec![vec![vec![1.0, 2.0], vec![1.0]]], StatsError::LengthMismatch { first: 2, second: 1 }),
        ] {
            assert_eq!(variance_components(&values), Err(expected));
        }
        assert!(variance_components(&[vec![vec![1.0, f64::NAN], vec![1.0, 2.0]]]).is_err());
    }
}
