//! Ridge regression on the grades (Hoerl & Kennard 1970): the simplest learner that weighs all
//! features.
//!
//! Minimises sum_i (y_i - w x_i - b)^2 + lambda |w|^2, with the intercept b not penalised. The
//! solution is in closed form: with features and grades centred on their means, (X^T X + lambda I)
//! w = X^T y, by Cholesky in `f64`. With `centre = "query"` the means are over the documents of
//! each query, so only differences within a query are learnt (the "within" estimator of panel
//! data). These differences are enough for a ranking, and the level of a query does not disturb
//! them.
//!
//! A feature gets weight 0 (as in R's `lm`) if it is constant, or if earlier features explain all
//! but 1e-10 of its variance (after lambda is added). Otherwise the feature would get a huge weight
//! that cancels another weight. RankLib adds lambda to the intercept too, and solves by Gaussian
//! elimination without centring. At RankLib's lambda of 1e-10, our weights of independent features
//! agree with RankLib's weights.
//!
//! With more features than documents, the weights come from the documents x documents system (the
//! dual form, Saunders, Gammerman & Vovk, ICML 1998): w = X^T (X X^T + lambda I)^-1 y. Both forms
//! agree to rounding. If lambda allows more than one solution, the dual form takes the solution
//! with the least |w|.
//!
//! Cost: O(documents * features^2) in one parallel pass, or O(documents^2 * features) in the dual
//! form. Memory: 8 bytes x features^2 for each thread, or 8 bytes x documents^2 in the dual form.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, JudgedQuery, ParamError, ParamHelp, Ranker};
use serde::{Deserialize, Serialize};

use crate::linear_model::{LinearModel, dot};
use crate::normal_equations::{FEATURES_AT_ONCE, gram, products_of_documents, solve, sums_at_once};

/// A feature counts as a combination of earlier features below this share of its variance.
const DEPENDENT: f64 = 1e-10;

/// Ridge regression on the grades.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Linear, Model, Ranker, Seed};
///
/// // Grades are the feature less 1, so that without regularisation scores differ as the grades do.
/// let train = Dataset::of_queries(1, [(&[3.0, 2.0, 1.0][..], &[2, 1, 0][..])])?;
/// let ranker = Linear { lambda: 0.0, ..Linear::default() };
/// let scores = ranker.fit(&train, &FitContext::new(Seed::new(1)))?.scores(train.query(0).view());
/// assert!((scores[0] - scores[2] - 2.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Linear {
    /// Weight of |w|^2 against the sum of squared errors; at least 0.
    pub lambda: f64,
    /// The means that are subtracted from features and grades.
    pub centre: Centre,
}

/// The means that [`Linear`] subtracts from features and grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Centre {
    /// Means over all documents: ordinary regression with an intercept.
    All,
    /// Means over the documents of each query.
    Query,
}

impl Default for Linear {
    fn default() -> Self {
        Linear { lambda: 1.0, centre: Centre::All }
    }
}

impl Ranker for Linear {
    const NAME: &'static str = "linear";
    const SUMMARY: &'static str = "ridge regression on the grades";
    const VERSION: u32 = 2;
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "lambda", help: "weight of |w|^2 against the sum of squared errors, at least 0" },
        ParamHelp {
            name: "centre",
            help: "which means are subtracted before the fit. \"all\": over all documents (an ordinary intercept). \"query\": \
                   of each query, so only differences within queries count",
        },
    ];
    type Model = LinearModel;

    fn seeded(&self) -> bool {
        false
    }

    fn presets() -> Vec<Preset<Self>> {
        let params = Linear { lambda: 1e-10, centre: Centre::All };
        vec![Preset { name: "ranklib", summary: "RankLib's linear regression, lambda 1e-10", params }]
    }

    fn check(&self) -> Result<(), ParamError> {
        let ok = self.lambda >= 0.0 && self.lambda.is_finite();
        ParamError::unless(ok, "lambda", self.lambda, "a finite number of at least 0")
    }

    /// The sums of each thread, or the products of the documents.
    fn fit_bytes(&self, train: &Dataset, _: Option<&Dataset>) -> u64 {
        let (width, documents) = (train.width() as u64, train.documents() as u64);
        let means = if self.centre == Centre::Query { 8 * (width + 1) * train.len() as u64 } else { 0 };
        let system = if width > documents {
            8 * documents * documents + (8 * documents * width.min(FEATURES_AT_ONCE as u64)).max(16 * width)
        } else {
            8 * (width + 1) * (width + 1) * (1 + sums_at_once(train) as u64)
        };
        means + system + 8 * width
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<LinearModel, FitError> {
        if train.documents() == 0 {
            return Err(FitError::Data("there is no document".to_owned()));
        }
        cx.step(0, 1)?;
        let width = train.width();
        let overall = means(train.queries(), width);
        let by_query: Vec<Vec<f64>> = match self.centre {
            Centre::All => Vec::new(),
            Centre::Query => train.queries().map(|query| means([query].into_iter(), width)).collect(),
        };
        let centred = Centred { train, overall: &overall, by_query: &by_query };
        let weights =
            if width > train.documents() { centred.dual(self.lambda, cx)? } else { centred.primal(self.lambda, cx)? };
        if weights.iter().any(|w| !w.is_finite()) {
            return Err(FitError::Numeric("a weight is not finite; scale the features or raise `lambda`".to_owned()));
        }
        let at_mean: f64 = weights.iter().zip(&overall).map(|(w, m)| w * m).sum();
        cx.step(1, 1)?;
        Ok(LinearModel { intercept: overall[width] - at_mean, weights })
    }
}

/// Training data from which means are subtracted.
struct Centred<'a> {
    train: &'a Dataset,
    /// The mean of each feature and, last, of the grades.
    overall: &'a [f64],
    /// The same means of each query, if these are subtracted; otherwise empty.
    by_query: &'a [Vec<f64>],
}

impl Centred<'_> {
    fn means(&self, query: usize) -> &[f64] {
        self.by_query.get(query).map_or(self.overall, Vec::as_slice)
    }

    /// The weights, from the features x features system.
    fn primal(&self, lambda: f64, cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let width = self.train.width();
        // The grade is an additional column: its products with the features are the right-hand
        // side.
        let size = width + 1;
        let sums = gram(self.train, size, cx, |number, query, row, v| {
            let mean = self.means(number);
            for ((v, &x), m) in v.iter_mut().zip(query.row(row)).zip(mean) {
                *v = f64::from(x) - m;
            }
            v[width] = f64::from(query.grades()[row]) - mean[width];
            1.0
        })?;
        let mut matrix = vec![0.0; width * width];
        for i in 0..width {
            matrix[i * width..=i * width + i].copy_from_slice(&sums[i * size..=i * size + i]);
            matrix[i * width + i] += lambda;
        }
        let mut weights = sums[width * size..width * size + width].to_vec();
        drop(sums);
        solve(&mut matrix, &mut weights, DEPENDENT, cx)?;
        Ok(weights)
    }

    /// The weights, from the documents x documents system.
    fn dual(&self, lambda: f64, cx: &FitContext<'_>) -> Result<Vec<f64>, FitError> {
        let (documents, width) = (self.train.documents(), self.train.width());
        let mut matrix = products_of_documents(self.train, cx, |number, query, row, features, v| {
            let values = query.row(row)[features.clone()].iter().zip(&self.means(number)[features]);
            v.iter_mut().zip(values).for_each(|(v, (&x, mean))| *v = f64::from(x) - mean);
        })?;
        (0..documents).for_each(|i| matrix[i * documents + i] += lambda);
        let grades = self.train.queries().enumerate().flat_map(|(number, query)| {
            let mean = self.means(number)[width];
            query.grades().iter().map(move |&grade| f64::from(grade) - mean).collect::<Vec<f64>>()
        });
        let mut shares: Vec<f64> = grades.collect();
        solve(&mut matrix, &mut shares, DEPENDENT, cx)?;
        let mut weights = vec![0.0; width];
        let mut shares = shares.into_iter();
        for (number, query) in self.train.queries().enumerate() {
            for (row, share) in query.rows().zip(&mut shares) {
                for ((weight, &x), mean) in weights.iter_mut().zip(row).zip(self.means(number)) {
                    *weight += share * (f64::from(x) - mean);
                }
            }
        }
        Ok(weights)
    }
}

/// The mean of each feature and, last, of the grades. Differences from the first document are
/// summed, so the mean of a constant is exact, and a constant centres to exact zeros.
fn means<'a>(queries: impl Iterator<Item = JudgedQuery<'a>>, width: usize) -> Vec<f64> {
    let mut first: Option<(&[f32], u8)> = None;
    let mut sums = vec![0.0; width + 1];
    let mut documents = 0.0;
    for query in queries {
        for (row, &grade) in query.rows().zip(query.grades()) {
            let (first_row, first_grade) = *first.get_or_insert((row, grade));
            for ((sum, &x), &from) in sums.iter_mut().zip(row).zip(first_row) {
                *sum += f64::from(x) - f64::from(from);
            }
            sums[width] += f64::from(grade) - f64::from(first_grade);
            documents += 1.0;
        }
    }
    if let Some((row, grade)) = first {
        let start = row.iter().map(|&x| f64::from(x)).chain([f64::from(grade)]);
        sums.iter_mut().zip(start).for_each(|(sum, from)| *sum = from + *sum / documents);
    }
    sums
}

impl Linear {
    /// The objective of the module's head, with features and grades centred as the parameters say.
    pub fn objective(&self, data: &Dataset, model: &LinearModel) -> f64 {
        let penalty = self.lambda * model.weights.iter().map(|w| w * w).sum::<f64>();
        let errors: f64 = data
            .queries()
            .map(|query| {
                let residuals: Vec<f64> = query
                    .rows()
                    .zip(query.grades())
                    .map(|(row, &y)| f64::from(y) - dot(&model.weights, row) - model.intercept)
                    .collect();
                let level = match self.centre {
                    Centre::All => 0.0,
                    Centre::Query => residuals.iter().sum::<f64>() / residuals.len() as f64,
                };
                residuals.iter().map(|r| (r - level) * (r - level)).sum::<f64>()
            })
            .sum();
        errors + penalty
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn fit(ranker: &Linear, data: &Dataset) -> LinearModel {
        ranker.fit(data, &FitContext::new(Seed::new(1))).unwrap()
    }

    fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() < tolerance, "{found:?}, expected {expected:?}");
        }
    }

    fn small() -> Dataset {
        rows(&[
            &[(0, &[0.5, 1.0]), (1, &[1.5, -1.0]), (2, &[2.0, 0.25])],
            &[(0, &[-1.0, 0.0]), (2, &[3.0, 2.0]), (1, &[0.0, 0.5])],
        ])
    }

    #[test]
    fn agrees_with_scikit_learn() {
        // X = [[.5,1],[1.5,-1],[2,.25],[-1,0],[3,2],[0,.5]]; y = [0,1,2,0,2,1]
        // m = Ridge(alpha=1.0, solver="cholesky").fit(X, y); m.coef_, m.intercept_
        let model = fit(&Linear::default(), &small());
        assert_near(&model.weights, &SKLEARN_RIDGE[..2], 1e-12);
        assert_near(&[model.intercept], &SKLEARN_RIDGE[2..], 1e-12);
        // The same after subtracting the mean of rows 0-2 and of rows 3-5, fit_intercept=False.
        let model = fit(&Linear { centre: Centre::Query, ..Linear::default() }, &small());
        assert_near(&model.weights, &SKLEARN_WITHIN, 1e-12);
    }

    const SKLEARN_RIDGE: [f64; 3] = [0.481_151_876_416_757_6, -0.012_089_665_015_531_872, 0.524_389_220_048_694_5];
    const SKLEARN_WITHIN: [f64; 2] = [0.549_441_911_649_111_6, -0.129_224_964_628_203_07];

    #[test]
    fn no_other_weights_have_a_lower_objective() {
        let data = signal_in_order(30, 5);
        for centre in [Centre::All, Centre::Query] {
            let ranker = Linear { lambda: 0.3, centre };
            let best = fit(&ranker, &data);
            let least = ranker.objective(&data, &best);
            for feature in 0..data.width() {
                for change in [-1e-3, 1e-3] {
                    let mut other = best.clone();
                    other.weights[feature] += change;
                    assert!(ranker.objective(&data, &other) > least, "{centre:?} {feature} {change}");
                }
            }
        }
    }

    #[test]
    fn more_features_than_documents_agree_with_scikit_learn_and_numpy() {
        // x[i][j] = ((7 i + 3 j + i j) % 11) / 4, 5 documents of 8 features; y = [0, 1, 2, 0, 1]
        // Ridge(alpha=0.7, solver="svd").fit(X, y): coef_, intercept_
        let features: Vec<Vec<f32>> =
            (0..5u8).map(|i| (0..8u8).map(|j| f32::from((7 * i + 3 * j + i * j) % 11) / 4.0).collect()).collect();
        let documents: Vec<(u8, &[f32])> =
            [0, 1, 2, 0, 1].into_iter().zip(features.iter().map(Vec::as_slice)).collect();
        let data = rows(&[&documents[..3], &documents[3..]]);
        let model = fit(&Linear { lambda: 0.7, centre: Centre::All }, &data);
        assert_near(&model.weights, &WIDE_RIDGE[..8], 1e-12);
        assert_near(&[model.intercept], &WIDE_RIDGE[8..], 1e-12);
        // numpy.linalg.lstsq(X - X.mean(0), y - y.mean()): of all exact solutions, the weights with
        // the least |w|.
        let model = fit(&Linear { lambda: 0.0, centre: Centre::All }, &data);
        assert_near(&model.weights, &WIDE_LEAST, 1e-9);
    }

    const WIDE_RIDGE: [f64; 9] = [
        -0.313_049_209_997_949_6,
        0.295_408_772_868_022_3,
        -0.221_573_750_628_234_98,
        0.119_607_093_879_081_49,
        0.0,
        -0.119_607_093_879_081_5,
        -0.175_801_678_988_940_4,
        -0.692_784_202_485_197_8,
        2.203_208_842_100_323,
    ];
    const WIDE_LEAST: [f64; 8] = [
        -0.509_090_909_090_908_9,
        0.436_363_636_363_636_34,
        -0.509_090_909_090_908_5,
        0.290_909_090_909_090_84,
        0.0,
        -0.290_909_090_909_090_6,
        -0.145_454_545_454_545_61,
        -1.090_909_090_909_090_2,
    ];

    /// Both forms of the system have the same solution.
    #[test]
    fn the_dual_form_is_the_primal_one() {
        let data = signal_in_order(6, 5);
        for centre in [Centre::All, Centre::Query] {
            let overall = means(data.queries(), data.width());
            let by_query: Vec<Vec<f64>> = match centre {
                Centre::All => Vec::new(),
                Centre::Query => data.queries().map(|query| means([query].into_iter(), data.width())).collect(),
            };
            let centred = Centred { train: &data, overall: &overall, by_query: &by_query };
            let cx = FitContext::new(Seed::new(1));
            assert_near(&centred.dual(0.3, &cx).unwrap(), &centred.primal(0.3, &cx).unwrap(), 1e-11);
        }
    }

    #[test]
    fn exact_line_is_found_and_dependent_features_get_no_weight() {
        // grade = 2 x_0; x_1 is constant and x_2 = 1 - x_0.
        let data = rows(&[&[(0, &[0.0, 0.1, 1.0]), (1, &[0.5, 0.1, 0.5]), (2, &[1.0, 0.1, 0.0])]]);
        for centre in [Centre::All, Centre::Query] {
            let model = fit(&Linear { lambda: 0.0, centre }, &data);
            assert_near(&model.weights, &[2.0, 0.0, 0.0], 1e-8);
            assert_eq!(model.weights[1..], [0.0, 0.0]);
            assert!(model.intercept.abs() < 1e-8);
        }
    }

    #[test]
    fn a_negative_lambda_is_refused() {
        let error = Linear { lambda: -1.0, ..Linear::default() }.check().unwrap_err();
        assert_eq!(error.message, "`lambda` must be a finite number of at least 0, not -1");
    }
}
