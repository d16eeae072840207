//! Values of one measure by system and query, with their means, deviations and quantiles.
//!
//! The functions take slices and not iterators: an iterator would be compiled in the crate of the
//! caller, which a release build may not optimise.

/// Systems x queries; NaN if a value is undefined.
///
/// ```
/// use fivefold_stats::matrix::Matrix;
///
/// let matrix = Matrix { queries: 2, values: vec![0.2, 0.4, 0.6, 1.0] };
/// assert_eq!((matrix.system(1), matrix.query(0)), (&[0.6, 1.0][..], vec![0.2, 0.6]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Number of queries.
    pub queries: usize,
    /// `[system * queries + query]`.
    pub values: Vec<f64>,
}

impl Matrix {
    /// Number of systems.
    pub fn systems(&self) -> usize {
        self.values.len() / self.queries.max(1)
    }

    /// The values of one system, by query.
    pub fn system(&self, system: usize) -> &[f64] {
        &self.values[system * self.queries..(system + 1) * self.queries]
    }

    /// The values of one query, by system.
    pub fn query(&self, query: usize) -> Vec<f64> {
        self.values.iter().skip(query).step_by(self.queries.max(1)).copied().collect()
    }

    /// Whether every system has a value for a query.
    pub fn is_defined(&self, query: usize) -> bool {
        self.query(query).iter().all(|value| value.is_finite())
    }

    /// A matrix of the same size with new values. `new` gets the query and the value.
    #[must_use]
    pub fn map(&self, new: impl Fn(usize, f64) -> f64) -> Matrix {
        let values = self.values.iter().enumerate().map(|(place, &value)| new(place % self.queries, value)).collect();
        Matrix { queries: self.queries, values }
    }

    /// The matrix of some of the queries.
    #[must_use]
    pub fn select(&self, queries: &[usize]) -> Matrix {
        let of_system = |system: usize| queries.iter().map(move |&query| self.system(system)[query]);
        Matrix { queries: queries.len(), values: (0..self.systems()).flat_map(of_system).collect() }
    }

    /// The mean of every system over all queries.
    pub fn means(&self) -> Vec<f64> {
        (0..self.systems()).map(|system| mean(self.system(system))).collect()
    }
}

/// The mean of the numbers; NaN without a number.
pub fn mean(values: &[f64]) -> f64 {
    // From +0, so that the mean of negative zeros is +0.
    let sum = values.iter().fold(0.0, |sum, value| sum + value);
    sum / values.len() as f64
}

/// Mean and sample standard deviation (n - 1). The deviation is exactly 0 if all numbers are equal,
/// and NaN for fewer than two numbers.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let centre = mean(values);
    match values {
        [] | [_] => (centre, f64::NAN),
        // Equal numbers must have no spread by rounding.
        [first, others @ ..] if others.iter().all(|value| value == first) => (*first, 0.0),
        _ => {
            let squares = values.iter().fold(0.0, |sum, value| sum + (value - centre) * (value - centre));
            (centre, (squares / (values.len() - 1) as f64).sqrt())
        }
    }
}

/// A quantile of numbers in rising order: linear between the nearest two (type 7 of Hyndman & Fan,
/// numpy's default).
pub fn quantile(rising: &[f64], share: f64) -> f64 {
    let Some(last) = rising.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = rising[(below + 1).min(last)];
    rising[below] + part * (above - rising[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_columns_and_moments() {
        let matrix = Matrix { queries: 3, values: vec![1.0, 2.0, 3.0, 4.0, f64::NAN, 3.0] };
        assert_eq!(matrix.systems(), 2);
        assert_eq!(matrix.query(0), [1.0, 4.0]);
        assert_eq!([0, 1, 2].map(|query| matrix.is_defined(query)), [true, false, true]);
        let some = matrix.select(&[2, 0]);
        assert_eq!(some.values, [3.0, 1.0, 3.0, 4.0]);
        assert_eq!(some.means(), [2.0, 3.5]);
        let (centre, deviation) = mean_and_deviation(&[1.0, 2.0, 3.0, 6.0]);
        assert_eq!((centre, deviation), (3.0, (14.0_f64 / 3.0).sqrt()));
        assert_eq!(mean_and_deviation(&[0.1; 7]), (0.1, 0.0));
        assert!(mean_and_deviation(&[0.1]).1.is_nan());
    }

    // numpy 2: numpy.quantile([1, 2, 4, 8], [0, .25, .5, .9, 1])
    #[test]
    fn quantiles_are_numpys() {
        let found = [0.0, 0.25, 0.5, 0.9, 1.0].map(|share| quantile(&[1.0, 2.0, 4.0, 8.0], share));
        for (found, expected) in found.iter().zip([1.0, 1.75, 3.0, 6.8, 8.0]) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        assert!(quantile(&[], 0.5).is_nan());
    }
}
