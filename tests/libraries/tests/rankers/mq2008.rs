//! Compares rankers with other programs on fold 1 of MQ2008 (LETOR 4.0).
//!
//! Needs the real data: the variable `FIVEFOLD_DATA` names the folder that holds `mq2008/`. The
//! tests are skipped only if the variable is not set.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::Instant;

use fivefold_core::{FitContext, Model, Ranker, Seed};
use fivefold_data::{Fold, Source, open};
use fivefold_metrics::{Conventions, Objective, Scratch, Ties, dialect};
use fivefold_rankers::adarank::AdaRank;
use fivefold_rankers::coordinate_ascent::CoordinateAscent;
use fivefold_rankers::l2_logistic::L2Logistic;
use fivefold_rankers::lambdamart::LambdaMart;
use fivefold_rankers::lambdarank::LambdaRank;
use fivefold_rankers::linear::Linear;
use fivefold_rankers::listnet::ListNet;
use fivefold_rankers::random_forest::RandomForest;
use fivefold_rankers::rankboost::RankBoost;
use fivefold_rankers::ranknet::RankNet;

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
    // y = +1 where the grade is at least 1, else -1; X as float32 read into float64 m =
    // LogisticRegression(C=1.0, tol=1e-12, max_iter=100000).fit(X, y) z = X @ m.coef_[0] +
    // m.intercept_; .5 * m.coef_[0] @ m.coef_[0] + np.logaddexp(0, -y * z).sum()
    let lbfgs = 3_939.336_141_589_72;
    // m = LogisticRegression(C=1.0, tol=1e-10, max_iter=100000, solver="liblinear").fit(X, y), plus
    // .5 * m.intercept_ ** 2
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

/// A ranker's test nDCG@10 (2^y - 1, log2, ties by file order, undefined = 0) must be at least
/// RankLib's minus .01.
fn ranks_as_well_as_ranklib<R: Ranker>(ranker: &R, ranklib: f64) {
    let Some(Fold { train, validation, test, .. }) = fold_1() else { return };
    let conventions = Conventions { ties: Ties::Input, ..dialect("paper").unwrap().conventions() };
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
    println!("{}: train {on_train:.4}, validation {on_validation:.4}, test {on_test:.4} in {took:?}", R::NAME);
    assert!(on_test >= ranklib - 0.01, "{on_test}");
}

fn ranklib_preset<R: Ranker>() -> R {
    R::presets().into_iter().find(|preset| preset.name == "ranklib").unwrap().params
}

#[test]
fn exact_coordinate_ascent_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&CoordinateAscent::default(), 0.4811);
}

#[test]
fn step_coordinate_ascent_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&ranklib_preset::<CoordinateAscent>(), 0.4811);
}

#[test]
fn ranknet_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&RankNet::default(), 0.4760);
}

#[test]
fn ranknet_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<RankNet>(), 0.4760);
}

#[test]
fn listnet_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&ListNet::default(), 0.4773);
}

#[test]
fn listnet_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<ListNet>(), 0.4773);
}

/// RankLib's LambdaRank was not run, so the bound is RankLib's RankNet, which has the same
/// network.
#[test]
fn lambdarank_ranks_as_well_as_ranklibs_ranknet() {
    ranks_as_well_as_ranklib(&LambdaRank::default(), 0.4760);
}

#[test]
fn rankboost_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&RankBoost::default(), 0.4826);
}

#[test]
fn rankboost_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<RankBoost>(), 0.4826);
}

#[test]
fn adarank_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&AdaRank::default(), 0.4325);
}

#[test]
fn adarank_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<AdaRank>(), 0.4325);
}

#[test]
fn random_forest_ranks_as_well_as_ranklib() {
    ranks_as_well_as_ranklib(&RandomForest::default(), 0.4893);
}

#[test]
fn random_forest_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<RandomForest>(), 0.4893);
}

#[test]
fn linear_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<Linear>(), 0.4725);
}

/// RankLib was run with 100 trees. The preset has 1000 trees and keeps the best number on the
/// validation part.
#[test]
fn lambdamart_at_ranklib_settings_ranks_as_well() {
    ranks_as_well_as_ranklib(&ranklib_preset::<LambdaMart>(), 0.4906);
}
