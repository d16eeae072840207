//! Rankers on fold 1 of MQ2008 (LETOR 4.0), against the programs that users have today.
//!
//! Needs the real data: `FIVEFOLD_DATA` names the folder that holds `mq2008/`. Skipped only where it is unset.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::Instant;

use fivefold_core::{FitContext, Model, Ranker, Seed};
use fivefold_data::{Fold, Source, open};
use fivefold_metrics::{Objective, Scratch, dialect};
use fivefold_rankers::coordinate_ascent::CoordinateAscent;
use fivefold_rankers::l2_logistic::L2Logistic;

fn fold_1() -> Option<Fold> {
    let Some(folder) = std::env::var_os("FIVEFOLD_DATA") else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return None;
    };
    let source = Source { name: Some("mq2008".to_owned()), ..Source::default() };
    Some(open(&source, &[PathBuf::from(folder)]).unwrap().folds.remove(0))
}

#[test]
fn l2_logistic_reaches_the_objective_of_scikit_learn_and_liblinear() {
    let Some(Fold { train, .. }) = fold_1() else { return };
    // y = +1 where the grade is at least 1, else -1; X as float32 read into float64
    // m = LogisticRegression(C=1.0, tol=1e-12, max_iter=100000).fit(X, y)
    // z = X @ m.coef_[0] + m.intercept_; .5 * m.coef_[0] @ m.coef_[0] + np.logaddexp(0, -y * z).sum()
    let lbfgs = 3_939.336_141_589_72;
    // m = LogisticRegression(C=1.0, tol=1e-10, max_iter=100000, solver="liblinear").fit(X, y), plus .5 * m.intercept_ ** 2
    let liblinear = 3_947.300_773_816_604_8;
    for (penalize_bias, reference) in [(false, lbfgs), (true, liblinear)] {
        let ranker = L2Logistic { penalize_bias, ..L2Logistic::default() };
        let start = Instant::now();
        let model = ranker.fit(&train, &FitContext::new(Seed::new(1))).unwrap();
        let found = ranker.objective(&train, &model);
        println!("penalize_bias {penalize_bias}: {found:.9} in {:?}; reference {reference:.9}", start.elapsed());
        assert!(found <= reference * (1.0 + 1e-6), "{found} is above {reference}");
        assert!(found >= reference * (1.0 - 1e-6), "{found} is below {reference}: not the same objective");
    }
}

/// Test nDCG@10 of RankLib's coordinate ascent on this fold (2^y - 1, log2, ties by file order, undefined = 0).
const RANKLIB: f64 = 0.4811;

fn coordinate_ascent_ranks_as_well_as_ranklib(ranker: &CoordinateAscent) {
    let Some(Fold { train, validation, test, .. }) = fold_1() else { return };
    let conventions = (dialect("paper").unwrap().conventions)();
    let measure = "ndcg@10".parse().unwrap();
    let start = Instant::now();
    let validation = validation.unwrap();
    let context = FitContext::new(Seed::new(1)).with_validation(&validation);
    let model = ranker.fit(&train, &context).unwrap();
    let took = start.elapsed();
    let [on_train, on_validation, on_test] = [&train, &validation, &test].map(|data| {
        let mut scores = Vec::new();
        for query in data.queries() {
            let start = scores.len();
            scores.resize(start + query.len(), 0.0);
            model.score(query.view(), &mut scores[start..]);
        }
        let objective = Objective::new(&measure, &conventions, data, Seed::new(1)).unwrap();
        objective.mean(&scores, &mut Scratch::default()).unwrap()
    });
    println!("{:?}: train {on_train:.4}, validation {on_validation:.4}, test {on_test:.4} in {took:?}", ranker.search);
    assert!(on_test >= RANKLIB - 0.01, "{on_test}");
}

#[test]
fn exact_coordinate_ascent_ranks_as_well_as_ranklib() {
    coordinate_ascent_ranks_as_well_as_ranklib(&CoordinateAscent::default());
}

#[test]
fn step_coordinate_ascent_ranks_as_well_as_ranklib() {
    coordinate_ascent_ranks_as_well_as_ranklib(&CoordinateAscent::presets().remove(0).params);
}
