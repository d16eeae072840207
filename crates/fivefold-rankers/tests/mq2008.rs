//! Rankers on fold 1 of MQ2008 (LETOR 4.0), against the programs that users have today.
//!
//! Needs the real data: `FIVEFOLD_DATA` names the folder that holds `mq2008/`. Skipped only where it is unset.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::Instant;

use fivefold_core::{Dataset, FitContext, Model, Ranker, Seed};
use fivefold_data::{ReadOptions, read_letor};
use fivefold_metrics::{Objective, Scratch, dialect};
use fivefold_rankers::coordinate_ascent::{CoordinateAscent};
use fivefold_rankers::l2_logistic::L2Logistic;

struct Fold {
    train: Dataset,
    validation: Dataset,
    test: Dataset,
}

fn fold_1() -> Option<Fold> {
    let Some(folder) = std::env::var_os("FIVEFOLD_DATA") else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return None;
    };
    let part = |files: &[&str]| {
        let text: String = files.iter().map(|f| std::fs::read_to_string(PathBuf::from(&folder).join("mq2008").join(f)).unwrap()).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        read_letor(file.path(), &ReadOptions::default()).unwrap().data
    };
    Some(Fold { train: part(&["S1.txt", "S2.txt", "S3.txt"]), validation: part(&["S4.txt"]), test: part(&["S5.txt"]) })
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

#[test]
fn coordinate_ascent_ranks_as_well_as_ranklib() {
    let Some(Fold { train, validation, test }) = fold_1() else { return };
    // RankLib's coordinate ascent has test nDCG@10 .4811 here (2^y - 1, log2, ties by file order, undefined = 0).
    let conventions = (dialect("paper").unwrap().conventions)();
    let measure = "ndcg@10".parse().unwrap();
    let value = |data: &Dataset, model: &dyn Model| {
        let mut scores = vec![0.0; data.documents()];
        let mut rest = &mut scores[..];
        for query in data.queries() {
            let (own, others) = rest.split_at_mut(query.len());
            model.score(query.view(), own);
            rest = others;
        }
        let objective = Objective::new(&measure, &conventions, data, Seed::new(1)).unwrap();
        objective.mean(&scores, &mut Scratch::default()).unwrap()
    };
    let ranklib = CoordinateAscent::presets().remove(0).params;
    for (name, ranker) in [("default", CoordinateAscent::default()), ("ranklib", ranklib)] {
        for seed in 0..seeds() {
            for context in [FitContext::new(Seed::new(seed)), FitContext::new(Seed::new(seed)).with_validation(&validation)] {
                let start = Instant::now();
                let model = ranker.fit(&train, &context).unwrap();
                let took = start.elapsed();
                let [on_train, on_validation, on_test] = [&train, &validation, &test].map(|data| value(data, &model));
                println!("{name} seed {seed} validation {}: nDCG@10 {on_train:.4} {on_validation:.4} {on_test:.4} in {took:?}", context.validation().is_some());
            }
        }
    }
}
fn seeds() -> u64 { std::env::var("SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(1) }
