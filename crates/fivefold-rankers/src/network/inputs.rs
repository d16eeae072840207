//! Documents as rows of network inputs, standardised on the way.

use std::ops::Range;

use fivefold_core::{Dataset, FitError};
use rayon::prelude::*;

use super::layers::Shape;
use crate::aligned::{Aligned, LINE};
use crate::by_query::{LEAST, cut};

/// x becomes (x - centre) x scale, feature by feature.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InputScaling {
    /// Centre and scale of each feature.
    features: Vec<(f64, f64)>,
}

impl InputScaling {
    /// No scaling.
    pub fn none(width: usize) -> Self {
        InputScaling { features: vec![(0.0, 1.0); width] }
    }

    /// Scales to mean 0 and standard deviation 1 over the documents of `train`. A constant feature
    /// becomes 0.
    pub fn standard(train: &Dataset) -> Self {
        let width = train.width();
        // A thread takes a strip of features, at least a cache line of them.
        let strip = width.div_ceil(rayon::current_num_threads()).max(LINE);
        let strips = (0..width.div_ceil(strip)).into_par_iter().map(|number| number * strip);
        let features = strips.map(|first| standard_of(train, first..width.min(first + strip))).collect::<Vec<_>>();
        InputScaling { features: features.concat() }
    }

    /// Centre and scale of feature `j`.
    pub fn feature(&self, j: usize) -> (f64, f64) {
        self.features[j]
    }

    fn apply<'a>(&'a self, row: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
        let finite = f64::from(f32::MIN)..=f64::from(f32::MAX);
        row.iter().zip(&self.features).map(move |(&x, (centre, scale))| {
            ((f64::from(x) - centre) * scale).clamp(*finite.start(), *finite.end()) as f32
        })
    }
}

/// Centre and scale of some features.
fn standard_of(train: &Dataset, strip: Range<usize>) -> Vec<(f64, f64)> {
    let n = train.documents() as f64;
    let rows = || train.queries().flat_map(|query| query.rows()).map(|row| &row[strip.clone()]);
    let mut means = vec![0.0; strip.len()];
    for row in rows() {
        means.iter_mut().zip(row).for_each(|(mean, &x)| *mean += f64::from(x) / n);
    }
    let mut squares = vec![0.0; strip.len()];
    let (mut lowest, mut highest) = (vec![f32::INFINITY; strip.len()], vec![f32::NEG_INFINITY; strip.len()]);
    for row in rows() {
        for (j, &x) in row.iter().enumerate() {
            squares[j] += (f64::from(x) - means[j]).powi(2) / n;
            (lowest[j], highest[j]) = (lowest[j].min(x), highest[j].max(x));
        }
    }
    let feature = |j: usize| {
        let constant = lowest[j] >= highest[j] || squares[j] <= 0.0;
        (means[j], if constant { 0.0 } else { 1.0 / squares[j].sqrt() })
    };
    (0..strip.len()).map(feature).collect()
}

/// The documents of some queries as rows of inputs.
pub(crate) struct Inputs {
    rows: Aligned<f32>,
    stride: usize,
    /// The number of each query in its data set.
    queries: Vec<usize>,
    /// The first document of each query; at the end, the number of documents.
    bounds: Vec<usize>,
}

impl Inputs {
    /// The queries of `data` for which `used` holds.
    ///
    /// # Errors
    /// If a value is missing (not a number).
    pub fn new(
        data: &Dataset,
        used: &dyn Fn(usize) -> bool,
        scaling: &InputScaling,
        shape: &Shape,
    ) -> Result<Self, FitError> {
        let queries: Vec<usize> = (0..data.len()).filter(|&query| used(query)).collect();
        let mut bounds = vec![0];
        let mut documents = 0;
        for &query in &queries {
            documents += data.query(query).len();
            bounds.push(documents);
        }
        let stride = shape.input_stride();
        let mut rows = Aligned::zeros(documents * stride);
        let parts = cut(&mut rows, stride, queries.iter().map(|&query| data.query(query).len()));
        // Fills the rows of a query; returns a feature with a missing value.
        let fill = |(&query, part): (&usize, &mut [f32])| {
            for (from, row) in data.query(query).rows().zip(part.chunks_exact_mut(stride)) {
                if let Some(feature) = from.iter().position(|x| x.is_nan()) {
                    return Some(feature);
                }
                shape.fill_row(scaling.apply(from), row);
            }
            None
        };
        if let Some(feature) = queries.par_iter().zip(parts).with_min_len(LEAST).find_map_first(fill) {
            let reason = format!("feature {} has missing values, which a network cannot take", feature + 1);
            return Err(FitError::Data(reason));
        }
        Ok(Inputs { rows, stride, queries, bounds })
    }

    /// How many queries there are.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// The number in the data set of the query at `place`.
    pub fn query(&self, place: usize) -> usize {
        self.queries[place]
    }

    /// The documents of the query at `place`.
    pub fn documents(&self, place: usize) -> Range<usize> {
        self.bounds[place]..self.bounds[place + 1]
    }

    /// The rows of some documents.
    pub fn rows(&self, documents: Range<usize>) -> &[f32] {
        &self.rows[documents.start * self.stride..documents.end * self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Activation;
    use crate::test_data::rows;

    #[test]
    fn rows_are_standardised_by_the_training_documents() {
        let train = rows(&[&[(0, &[1.0, 5.0]), (1, &[3.0, 5.0])], &[(0, &[5.0, 5.0]), (0, &[7.0, 5.0])]]);
        let scaling = InputScaling::standard(&train);
        // Mean 4, variance (9 + 1 + 1 + 9) / 4 = 5.
        assert_eq!(scaling.feature(0), (4.0, 1.0 / 5f64.sqrt()));
        assert_eq!(scaling.feature(1), (5.0, 0.0));
        let shape = Shape::new(2, &[3], Activation::Relu);
        let inputs = Inputs::new(&train, &|query| query == 1, &scaling, &shape).unwrap();
        assert_eq!((inputs.len(), inputs.query(0), inputs.documents(0)), (1, 1, 0..2));
        let expected = [(1.0 / 5f64.sqrt()) as f32, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(inputs.rows(0..1), expected, "features, the input of the biases, padding");
        let far = rows(&[&[(0, &[f32::MAX, -1.0]), (1, &[f32::MIN, 9.0])]]);
        let inputs = Inputs::new(&far, &|_| true, &InputScaling { features: vec![(0.0, 1e9); 2] }, &shape).unwrap();
        assert!(inputs.rows(0..2).iter().all(|x| x.is_finite()));
        let missing = rows(&[&[(0, &[1.0, f32::NAN])]]);
        let error = Inputs::new(&missing, &|_| true, &scaling, &shape).err().unwrap().to_string();
        assert!(error.contains("feature 2 has missing values"), "{error}");
    }
}
