//! Training as a whole, with a loss whose minimum is known.

use fivefold_core::{Model as _, Seed};
use fivefold_metrics::DIALECTS;

use fivefold_metrics::Scratch;

use super::*;
use crate::test_data::{rows, signal_in_order};

/// Half the squared differences of scores and grades: with a linear scorer, ridge regression
/// without an intercept.
struct Squared<'a>(&'a Dataset);

impl QueryLoss for Squared<'_> {
    type Scratch = ();

    fn informative(&self, query: usize) -> bool {
        differ(self.0.query(query).grades())
    }

    fn slopes(&self, query: usize, _: u64, scores: &[f64], slopes: &mut [f64], (): &mut ()) -> Result<(), FitError> {
        let grades = self.0.query(query).grades();
        slopes.iter_mut().zip(scores.iter().zip(grades)).for_each(|(slope, (s, &y))| *slope = s - f64::from(y));
        Ok(())
    }
}

fn training() -> Network {
    Network {
        hidden: Vec::new(),
        activation: Activation::Relu,
        standardise: false,
        epochs: 20,
        batch: 4,
        optimiser: Optimiser::Adam,
        learning_rate: 0.01,
        l2: 0.0,
        early_stopping: 0,
        ..Network::default()
    }
}

fn fit(training: &Network, data: &Dataset, validation: Option<&Dataset>) -> Result<NetworkModel, FitError> {
    let measure = |data: &Dataset| {
        let spec = "ndcg@10".parse().unwrap();
        Ok(Objective::new(&spec, &DIALECTS[0].conventions(), data, Seed::new(1)).unwrap())
    };
    let context = FitContext::new(Seed::new(7));
    let context = validation.map_or(FitContext::new(Seed::new(7)), |data| context.with_validation(data));
    training.fit(data, &context, &Squared(data), &measure)
}

fn scores(model: &NetworkModel, data: &Dataset) -> Vec<f64> {
    let mut all = Vec::new();
    for query in data.queries() {
        let start = all.len();
        all.resize(start + query.len(), 0.0);
        model.score(query.view(), &mut all[start..]);
    }
    all
}

#[test]
fn a_linear_scorer_finds_the_minimum_of_the_mean_loss_and_the_penalty() {
    let data = signal_in_order(10, 1);
    let l2 = 0.05;
    for (optimiser, rate, epochs) in [(Optimiser::Sgd, 0.05, 4000), (Optimiser::Adam, 0.003, 4000)] {
        let training = Network { optimiser, learning_rate: rate, epochs, batch: 100, l2, ..training() };
        let model = fit(&training, &data, None).unwrap();
        let scores = scores(&model, &data);
        let mut gradient: Vec<f64> = model.layers()[0].weights.iter().map(|w| l2 * w).collect();
        let documents = data.queries().flat_map(|query| query.rows().zip(query.grades()).collect::<Vec<_>>());
        for ((row, &grade), score) in documents.zip(scores) {
            let slope = (score - f64::from(grade)) / 10.0;
            gradient.iter_mut().zip(row).for_each(|(g, &x)| *g += slope * f64::from(x));
        }
        assert!(gradient.iter().all(|g| g.abs() < 1e-3), "{optimiser:?}: {gradient:?}");
    }
}

#[test]
fn models_are_the_same_for_any_number_of_threads() {
    let data = signal_in_order(900, 1);
    // 60 queries of 12 documents with 256 x 9 weights make three shards. A linear scorer shares steps
    // of 450 queries.
    for (hidden, batch) in [(vec![256], 60), (vec![], 450), (vec![], 7), (vec![], 1)] {
        let training = Network { hidden, batch, epochs: 3, early_stopping: 2, ..training() };
        let fitted = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&training, &data, Some(&signal_in_order(40, 2))).unwrap())
        };
        assert_eq!(fitted(1), fitted(3), "{:?}, {batch} queries a step", training.hidden);
    }
}

#[test]
fn the_weights_of_the_best_epoch_are_kept() {
    let data = signal_in_order(20, 1);
    // With reversed grades the first epoch is the best, since later epochs order more documents
    // wrongly.
    let grades: Vec<Vec<(u8, Vec<f32>)>> = data
        .queries()
        .map(|query| query.grades().iter().zip(query.rows()).map(|(&y, x)| (2 - y, x.to_vec())).collect())
        .collect();
    let documents: Vec<Vec<_>> =
        grades.iter().map(|query| query.iter().map(|(y, x)| (*y, x.as_slice())).collect()).collect();
    let turned = rows(&documents.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let first = fit(&Network { epochs: 1, ..training() }, &data, None).unwrap();
    let last = fit(&training(), &data, Some(&turned)).unwrap();
    assert_eq!(fit(&training(), &data, None).unwrap(), last, "without `early_stopping` the last epoch counts");
    let stopped = fit(&Network { early_stopping: 3, ..training() }, &data, Some(&turned)).unwrap();
    let value = |model: &NetworkModel| {
        let spec = "ndcg@10".parse().unwrap();
        let objective = Objective::new(&spec, &DIALECTS[0].conventions(), &turned, Seed::new(1)).unwrap();
        objective.mean(&scores(model, &turned), &mut Scratch::default()).unwrap()
    };
    assert!(value(&first) > value(&last));
    assert_eq!(stopped, first);
}

#[test]
fn a_standardised_model_takes_raw_features() {
    let data = signal_in_order(30, 1);
    let stretched: Vec<f32> = data
        .queries()
        .flat_map(|query| query.rows().flat_map(|row| row.iter().map(|x| 1000.0 * x - 64.0)).collect::<Vec<_>>())
        .collect();
    let stretched = data.with_features(stretched, data.width()).unwrap();
    let training = Network { standardise: true, hidden: vec![8], ..training() };
    let plain = fit(&training, &data, None).unwrap();
    let other = fit(&training, &stretched, None).unwrap();
    for (a, b) in scores(&plain, &data).iter().zip(scores(&other, &stretched)) {
        assert!((a - b).abs() < 1e-2, "{a} {b}: a change of units alters the model");
    }
    let raw = fit(&Network { standardise: false, ..training.clone() }, &stretched, None).unwrap();
    assert_ne!(raw, other);
}

#[test]
fn what_cannot_be_trained_is_an_error() {
    let data = signal_in_order(10, 1);
    let wild = Network { optimiser: Optimiser::Sgd, learning_rate: 1e30, ..training() };
    assert!(matches!(fit(&wild, &data, None), Err(FitError::Numeric(reason)) if reason.contains("learning_rate")));
    let same = rows(&[&[(1, &[1.0]), (1, &[2.0])]]);
    assert!(matches!(fit(&training(), &same, None), Err(FitError::Data(_))));
}
