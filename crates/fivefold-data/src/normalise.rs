//! Feature normalisers: their names, how they are fitted, and how they are applied.
//!
//! In the formulas, x is the value of a feature. The other symbols are taken over the documents of
//! one query (`over = "query"`), or over all documents of the training part (`over = "train"`):
//!
//! ```text
//! min-max       (x - min) / (max - min)
//! z-score       (x - mean) / sd,  sd^2 = mean of (x - mean)^2 (divided by the number of documents, not by one less)
//! log-z-score   the z-score of sign(x) ln(1 + |x|): log1p, continued to negative values by symmetry
//! ```
//! A feature that is constant over these documents becomes 0. Values outside the fitted range are
//! not clipped: a test document may get a min-max value below 0 or above 1. Sums are `f64`; results
//! are kept within the finite `f32`.
//!
//! LETOR 4.0's own features are min-max per query. RankLib's `-norm sum` has no counterpart here.
//! RankLib's `zscore` divides by n - 1, so it differs from `z-score` by one factor for all
//! documents of a query. Cost: two passes over the features.

use fivefold_core::Dataset;
use serde::{Deserialize, Serialize};

use crate::columns::copied;
use crate::memory;

/// The formula.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::{Normaliser, NormaliserMethod, Over};
///
/// let data = Dataset::of_queries(1, [(&[1.0, 3.0, 5.0][..], &[0, 0, 1][..])])?;
/// let features = |method| {
///     let fitted = Normaliser { method, over: Over::Query }.fit(&data)?;
///     Ok::<_, fivefold_data::NormaliseError>(fitted.apply(&data)?.query(0).features().to_vec())
/// };
/// assert_eq!(features(NormaliserMethod::None)?, [1.0, 3.0, 5.0]);
/// assert_eq!(features(NormaliserMethod::MinMax)?, [0.0, 0.5, 1.0]);
/// // In deviations from the mean.
/// assert_eq!(features(NormaliserMethod::ZScore)?[1], 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormaliserMethod {
    /// Features stay as they are.
    #[default]
    None,
    /// Scales features to [0, 1].
    MinMax,
    /// Scales features to mean 0 and standard deviation 1.
    ZScore,
    /// Takes the logarithm, then scales to mean 0 and standard deviation 1.
    LogZScore,
}

/// The documents over which the formula is taken.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::{Normaliser, NormaliserMethod, Over};
///
/// let data = Dataset::of_queries(1, [(&[0.0, 2.0][..], &[0, 1][..]), (&[4.0, 8.0], &[0, 1])])?;
/// for (over, first) in [(Over::Query, [0.0, 1.0]), (Over::Train, [0.0, 0.25])] {
///     let normalised = Normaliser { method: NormaliserMethod::MinMax, over }.fit(&data)?.apply(&data)?;
///     assert_eq!(normalised.query(0).features(), first);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// All documents of one query.
    #[default]
    Query,
    /// All documents of the training part.
    Train,
}

/// A normaliser as an experiment file names it.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::{Normaliser, NormaliserMethod, Over};
///
/// // Two queries with features of different ranges, each of which becomes [0, 1].
/// let data = Dataset::of_queries(1, [(&[1.0, 3.0, 5.0][..], &[0, 0, 1][..]), (&[100.0, 300.0], &[0, 1])])?;
/// let normalised = Normaliser { method: NormaliserMethod::MinMax, over: Over::Query }.fit(&data)?.apply(&data)?;
/// assert_eq!(normalised.query(0).features(), [0.0, 0.5, 1.0]);
/// assert_eq!(normalised.query(1).features(), [0.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Normaliser {
    /// The formula.
    pub method: NormaliserMethod,
    /// The documents over which the formula is taken.
    pub over: Over,
}

impl Normaliser {
    /// Bytes that the normalised copy of `data` needs, with all that is used to make the copy. The
    /// method is called inside the run's thread pool.
    pub fn bytes(&self, data: &Dataset) -> u64 {
        if self.method == NormaliserMethod::None {
            return 0;
        }
        let scales = match self.over {
            // Each thread that works on a query needs sums, ranges and scales. If there are several
            // threads, about half of them are within a query at the same time.
            Over::Query => ((rayon::current_num_threads() as u64).min(data.len() as u64) + 1) * 32,
            Over::Train => 64,
        };
        memory::bytes(data.documents(), data.width()) + scales * data.width() as u64 + 56 * data.len() as u64
    }

    /// Takes the numbers of the formula from the training part. No other part is read.
    ///
    /// # Errors
    /// [`NormaliseError::Empty`] if there is no document to fit on.
    pub fn fit(&self, train: &Dataset) -> Result<Fitted, NormaliseError> {
        if train.documents() == 0 {
            return Err(NormaliseError::Empty);
        }
        let scales = match (self.method, self.over) {
            (NormaliserMethod::None, _) | (_, Over::Query) => Vec::new(),
            (method, Over::Train) => scales(method, train.queries().map(|query| query.features()), train.width()),
        };
        Ok(Fitted { method: self.method, over: self.over, scales })
    }
}

/// A fitted normaliser, as it is saved with models.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::{Normaliser, NormaliserMethod, Over};
///
/// let train = Dataset::of_queries(1, [(&[10.0, 20.0][..], &[0, 1][..])])?;
/// let fitted = Normaliser { method: NormaliserMethod::MinMax, over: Over::Train }.fit(&train)?;
/// // A document of the test part is seen with the eyes of the training part.
/// let test = Dataset::of_queries(1, [(&[15.0, 30.0][..], &[0, 1][..])])?;
/// assert_eq!(fitted.apply(&test)?.query(0).features(), [0.5, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    method: NormaliserMethod,
    over: Over,
    /// One scale for each feature, if the normaliser was fitted on the training part; else empty.
    scales: Vec<Scale>,
}

/// The numbers by which one feature is shifted and divided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Scale {
    centre: f64,
    /// The spread; 0 for a constant feature.
    spread: f64,
}

impl Scale {
    fn apply(self, method: NormaliserMethod, value: f32) -> f32 {
        if self.spread > 0.0 {
            let scaled = (method.transform(value) - self.centre) / self.spread;
            scaled.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
        } else {
            0.0
        }
    }
}

impl Fitted {
    /// The formula.
    pub fn method(&self) -> NormaliserMethod {
        self.method
    }

    /// The documents over which the formula is taken.
    pub fn over(&self) -> Over {
        self.over
    }

    /// Centre and spread of each feature; a constant feature has the spread 0. Empty if the
    /// normaliser was not fitted on the training part.
    pub fn scales(&self) -> impl ExactSizeIterator<Item = (f64, f64)> + '_ {
        self.scales.iter().map(|scale| (scale.centre, scale.spread))
    }

    /// The normalised value of feature `feature`, counted from 0, if the normaliser was fitted on
    /// the training part.
    ///
    /// # Panics
    /// If the normaliser was not fitted on the training part, or if it has no such feature.
    pub fn value(&self, feature: usize, value: f32) -> f32 {
        self.scales[feature].apply(self.method, value)
    }

    /// The same queries with normalised features. With the method `none`, the data set itself.
    ///
    /// # Errors
    /// [`NormaliseError`] if the normaliser was fitted on data of another width, or if there is no
    /// memory for the features.
    pub fn apply(&self, data: &Dataset) -> Result<Dataset, NormaliseError> {
        let width = data.width();
        if self.method == NormaliserMethod::None {
            return Ok(data.clone());
        }
        if self.over == Over::Train && self.scales.len() != width {
            return Err(NormaliseError::Width { fitted: self.scales.len(), data: width });
        }
        copied(data, width, |from, to| self.apply_rows(from, to, width))
    }

    fn apply_rows(&self, from: &[f32], to: &mut [f32], width: usize) {
        let own;
        let scales = match self.over {
            Over::Train => &self.scales,
            Over::Query => {
                own = scales(self.method, std::iter::once(from), width);
                &own
            }
        };
        for (from, to) in from.chunks_exact(width.max(1)).zip(to.chunks_exact_mut(width.max(1))) {
            for ((&value, to), scale) in from.iter().zip(to).zip(scales) {
                *to = scale.apply(self.method, value);
            }
        }
    }
}

/// The reason why a normaliser cannot be applied.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::{NormaliseError, Normaliser, NormaliserMethod, Over};
///
/// let normaliser = Normaliser { method: NormaliserMethod::MinMax, over: Over::Train };
/// let fitted = normaliser.fit(&Dataset::of_queries(1, [(&[1.0, 2.0][..], &[0, 1][..])])?)?;
/// let wider = Dataset::of_queries(2, [(&[1.0, 2.0][..], &[0][..])])?;
/// assert!(matches!(fitted.apply(&wider), Err(NormaliseError::Width { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NormaliseError {
    /// The training part has no document.
    #[error("the training part has no document to fit a normaliser on")]
    Empty,
    /// The normaliser was fitted on data of another width.
    #[error("the normaliser was fitted on {fitted} features a document, but the data have {data}")]
    Width {
        /// Number of features at the fit.
        fitted: usize,
        /// Number of features of the data.
        data: usize,
    },
    /// The budget of `--memory` does not hold the normalised features.
    #[error(
        "the normalised features need {} MiB, but {} MiB are left of the memory that may be used; raise --memory, or leave out the normaliser",
        needed.div_ceil(1 << 20),
        left >> 20
    )]
    Budget {
        /// Bytes of the features.
        needed: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// The system has no memory for the normalised features.
    #[error("the system has no {} MiB of memory for the normalised features; use a machine with more memory", .0 >> 20)]
    Memory(u64),
    /// The normalised arrays do not make a data set.
    #[error(transparent)]
    Dataset(fivefold_core::DatasetError),
}

impl NormaliserMethod {
    fn transform(self, value: f32) -> f64 {
        let value = f64::from(value);
        match self {
            NormaliserMethod::LogZScore => libm::log1p(value.abs()).copysign(value),
            NormaliserMethod::None | NormaliserMethod::MinMax | NormaliserMethod::ZScore => value,
        }
    }
}

/// Centre and spread of each feature over blocks of rows.
fn scales<'a>(method: NormaliserMethod, blocks: impl Iterator<Item = &'a [f32]> + Clone, width: usize) -> Vec<Scale> {
    let rows = || blocks.clone().flat_map(|block| block.chunks_exact(width.max(1)));
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); width];
    let mut sums = vec![0.0; width];
    let mut count = 0usize;
    for row in rows() {
        count += 1;
        for ((&value, range), sum) in row.iter().zip(&mut ranges).zip(&mut sums) {
            let value = method.transform(value);
            *range = (range.0.min(value), range.1.max(value));
            *sum += value;
        }
    }
    if method == NormaliserMethod::MinMax {
        return ranges.iter().map(|&(low, high)| Scale { centre: low, spread: high - low }).collect();
    }
    let means: Vec<f64> = sums.iter().map(|sum| sum / count as f64).collect();
    let mut squares = vec![0.0; width];
    for row in rows() {
        for ((&value, mean), square) in row.iter().zip(&means).zip(&mut squares) {
            *square += (method.transform(value) - mean).powi(2);
        }
    }
    let scale = |feature: usize| {
        // The range tells whether a feature is constant: the mean of equal numbers may differ from
        // them by rounding.
        let constant = ranges[feature].0 >= ranges[feature].1;
        let spread = if constant { 0.0 } else { (squares[feature] / count as f64).sqrt() };
        Scale { centre: means[feature], spread }
    };
    (0..width).map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::dataset;

    fn normaliser(method: NormaliserMethod, over: Over) -> Normaliser {
        Normaliser { method, over }
    }

    fn column(data: &Dataset, feature: usize) -> Vec<f32> {
        data.queries().flat_map(|query| query.rows().map(move |row| row[feature]).collect::<Vec<_>>()).collect()
    }

    fn close(found: &[f32], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn min_max_per_query() {
        let data =
            dataset(&[("a", &[(0, &[-5.0, 7.0]), (1, &[-3.0, 7.0]), (2, &[-1.0, 7.0])]), ("b", &[(0, &[3.0, 1.0])])]);
        let normaliser = normaliser(NormaliserMethod::MinMax, Over::Query);
        let done = normaliser.fit(&data).unwrap().apply(&data).unwrap();
        assert_eq!(column(&done, 0), [0.0, 0.5, 1.0, 0.0]);
        assert_eq!(column(&done, 1), [0.0; 4]);
        assert_eq!(done.query(0).grades(), [0, 1, 2]);
    }

    #[test]
    fn z_score_over_the_training_part_only() {
        // numpy: (numpy.array([1., 2., 6., 13.]) - 3) / numpy.std([1., 2., 6.])
        let expected = [-0.92582010, -0.46291005, 1.38873015, 4.62910050];
        let data = dataset(&[("a", &[(0, &[1.0]), (1, &[2.0])]), ("b", &[(0, &[6.0])]), ("c", &[(0, &[13.0])])]);
        let fitted = normaliser(NormaliserMethod::ZScore, Over::Train).fit(&data.slice(0..2)).unwrap();
        close(&column(&fitted.apply(&data).unwrap(), 0), &expected);
        let saved: Fitted = serde_json::from_str(&serde_json::to_string(&fitted).unwrap()).unwrap();
        assert_eq!(saved, fitted);
    }

    #[test]
    fn log_z_score_is_odd_and_scaled() {
        // numpy: y = numpy.sign(x) * numpy.log1p(abs(x)); (y - y.mean()) / y.std() for x = [-7, 0,
        // 1, 100]
        let expected = [-1.19100246, -0.33304544, -0.04705976, 1.57110766];
        let data = dataset(&[("a", &[(0, &[-7.0]), (0, &[0.0]), (0, &[1.0]), (0, &[100.0])])]);
        let fitted = normaliser(NormaliserMethod::LogZScore, Over::Query).fit(&data).unwrap();
        close(&column(&fitted.apply(&data).unwrap(), 0), &expected);
    }

    #[test]
    fn constants_become_zero_and_outliers_stay_finite() {
        let data = dataset(&[
            ("a", &[(0, &[0.1, 1e-30]), (0, &[0.1, 2e-30]), (0, &[0.1, 1.5e-30])]),
            ("b", &[(0, &[9.0, 3e38])]),
        ]);
        for method in [NormaliserMethod::MinMax, NormaliserMethod::ZScore, NormaliserMethod::LogZScore] {
            let fitted = normaliser(method, Over::Train).fit(&data.slice(0..1)).unwrap();
            let done = fitted.apply(&data).unwrap();
            assert_eq!(column(&done, 0), [0.0; 4], "{method:?}");
            assert!(column(&done, 1).iter().all(|value| value.is_finite()), "{method:?}");
        }
    }

    #[test]
    fn values_outside_the_fitted_range_are_not_clipped() {
        let data = dataset(&[("a", &[(0, &[0.0]), (0, &[2.0])]), ("b", &[(0, &[3.0]), (0, &[-1.0])])]);
        let fitted = normaliser(NormaliserMethod::MinMax, Over::Train).fit(&data.slice(0..1)).unwrap();
        assert_eq!(column(&fitted.apply(&data).unwrap(), 0), [0.0, 1.0, 1.5, -0.5]);
    }

    #[test]
    fn none_shares_the_data_and_widths_are_checked() {
        let one = dataset(&[("a", &[(0, &[1.0]), (0, &[2.0])])]);
        let two = dataset(&[("a", &[(0, &[1.0, 2.0])])]);
        let none = Normaliser::default().fit(&one).unwrap();
        assert_eq!(none.apply(&two).unwrap().query(0).features().as_ptr(), two.query(0).features().as_ptr());
        let fitted = normaliser(NormaliserMethod::MinMax, Over::Train).fit(&one).unwrap();
        assert!(matches!(fitted.apply(&two), Err(NormaliseError::Width { fitted: 1, data: 2 })));
    }

    #[test]
    fn names_in_files() {
        let read: Normaliser = toml::from_str("method = 'log-z-score'\nover = 'train'").unwrap();
        assert_eq!(read, normaliser(NormaliserMethod::LogZScore, Over::Train));
        assert!(toml::from_str::<Normaliser>("metod = 'none'").is_err());
    }
}
