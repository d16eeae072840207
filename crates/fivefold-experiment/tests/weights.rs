//! Fusions that learn weights: which weights are taken, what they see, and what is verified.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod common;

use std::fs;
use std::path::Path;

use common::folds::{Document, FOLDS, collection, part};
use common::{files, registry};
use fivefold_experiment::{JobFilter, Plan, RunOptions, VerifyOptions, run, verify};
use fivefold_metrics::ndcg;
use fivefold_results::Experiment;
use fivefold_results::config::learnt_weights;
use fivefold_results::store::{Chosen, Record};

fn text(of: &str, fusion: &str) -> String {
    format!(
        r#"
name = "fused"
[[dataset]]
label = "D"
path = "data"
layout = "fold-dirs"
[[ranker]]
label = "A"
kind = "one"
params = {{ feature = 0, weight = 1.0 }}
[[ranker]]
label = "B"
kind = "one"
params = {{ weight = -1.0 }}
[ranker.tune]
method = "grid"
measure = "ndcg@3"
[ranker.tune.params]
feature = [1, 2]
[[ranker]]
label = "C"
kind = "one"
params = {{ feature = 3, weight = 2.0 }}
[[ranker]]
label = "F"
kind = "fusion"
params = {{ of = {of}, method = "comb-sum", {fusion} }}
[evaluation]
measures = ["ndcg"]
cutoffs = [3]
[query_sets]
uninformative = 2
ideal = 2
"#
    )
}

const BY: &str = "weights_by = \"ndcg@3\"";

fn experiment(at: &Path, text: &str) -> Experiment {
    Experiment::parse("fused.toml", text, vec![at.to_owned()], &registry()).unwrap()
}

fn run_into(out: &Path, experiment: &Experiment, threads: usize) {
    let outcome = run(experiment, &registry(), &RunOptions { threads, ..RunOptions::new(out) }).unwrap();
    assert_eq!(outcome.failed, []);
}

fn chosen(out: &Path, ranker: &str) -> Vec<Chosen> {
    let record = |fold: usize| -> Record {
        serde_json::from_slice(&fs::read(out.join(format!("jobs/D/fold{fold}/{ranker}.json"))).unwrap()).unwrap()
    };
    (1..=FOLDS).map(|fold| record(fold).chosen.unwrap()).collect()
}

/// The scores of a query by min-max and a sum with these weights. A member is a feature and its sign.
fn fused(documents: &[Document], members: &[(usize, f64)], weights: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; documents.len()];
    for ((feature, sign), weight) in members.iter().zip(weights) {
        let own: Vec<f64> = documents.iter().map(|(_, row)| sign * f64::from(row[*feature])).collect();
        let low = own.iter().copied().fold(f64::INFINITY, f64::min);
        let high = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        sums.iter_mut().zip(&own).for_each(|(sum, score)| *sum += weight * (score - low) / (high - low));
    }
    sums
}

fn by_hand(fold: usize, members: &[(usize, f64)], weights: &[f64]) -> f64 {
    let value = |documents: &Vec<Document>| {
        let grades: Vec<u8> = documents.iter().map(|(grade, _)| *grade).collect();
        ndcg(&grades, &fused(documents, members, weights), 3).unwrap().unwrap_or(0.0)
    };
    let values: Vec<f64> = part(&format!("vali{fold}")).iter().map(value).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// Two rankers: all 21 mixtures, on the validation part. The second ranker is tuned.
#[test]
fn weights_of_two_rankers_are_those_of_brute_force_on_the_validation_part() {
    let folder = tempfile::tempdir().unwrap();
    collection(folder.path(), |_| {});
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let experiment = experiment(folder.path(), &text("[\"A\", \"B\"]", BY));
    run_into(&one, &experiment, 1);
    run_into(&two, &experiment, 3);
    assert_eq!(files(&one), files(&two));
    for (fold, (own, tuned)) in (1..).zip(chosen(&one, "F").into_iter().zip(chosen(&one, "B"))) {
        let feature = tuned.setting["feature"].as_u64().unwrap() as usize;
        let members = [(0, 1.0), (feature, -1.0)];
        let mixture = |parts: usize| [parts as f64 / 20.0, (20 - parts) as f64 / 20.0];
        let values: Vec<f64> = (0..=20).map(|parts| by_hand(fold, &members, &mixture(parts))).collect();
        let highest = values.iter().copied().fold(f64::MIN, f64::max);
        let best = (0..=20).rev().filter(|&parts| values[parts] > highest - 1e-12);
        let best = best.min_by_key(|&parts| (parts % 20 != 0, parts.abs_diff(10))).unwrap();
        assert_eq!(learnt_weights(&own.setting).unwrap(), mixture(best), "fold {fold}: {values:?}");
        assert!((own.value - highest).abs() < 1e-12);
        // The test part is fused with these weights.
        let scores = fs::read_to_string(one.join(format!("scores/D/fold{fold}/F.txt"))).unwrap();
        let scores: Vec<f64> = scores.lines().map(|line| line.parse().unwrap()).collect();
        let expected: Vec<f64> = part(&format!("test{fold}"))
            .iter()
            .flat_map(|documents| fused(documents, &members, &mixture(best)))
            .collect();
        assert!(scores.iter().zip(&expected).all(|(own, other)| (own - other).abs() < 1e-12));
    }
    let options = VerifyOptions { folders: Some(vec![folder.path().to_owned()]), ..VerifyOptions::default() };
    let checks = verify(&one, &registry(), &options).unwrap().checks;
    assert!(checks.iter().all(|check| check.differ == 0), "{checks:?}");
}

/// A leak that only a look at test grades can find: on the test parts, a feature equals the grade.
#[test]
fn weights_see_nothing_of_the_test_part() {
    let weights = |at: &Path| {
        let out = at.join("out");
        run_into(&out, &experiment(at, &text("[\"A\", \"B\", \"C\"]", BY)), 2);
        chosen(&out, "F")
    };
    let plain = tempfile::tempdir().unwrap();
    collection(plain.path(), |_| {});
    let expected = weights(plain.path());
    for leak in 0..4 {
        let planted = tempfile::tempdir().unwrap();
        collection(planted.path(), |queries| {
            queries.iter_mut().flatten().for_each(|(grade, features)| features[leak] = 1e4 * f32::from(*grade));
        });
        assert_eq!(weights(planted.path()), expected, "feature {leak}");
    }
    let regraded = tempfile::tempdir().unwrap();
    collection(regraded.path(), |queries| queries.iter_mut().flatten().for_each(|(grade, _)| *grade = 2 - *grade));
    assert_eq!(weights(regraded.path()), expected, "other grades");
}

#[test]
fn weights_that_cannot_be_learnt_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    collection(folder.path(), |_| {});
    let refused = |text: &str| match Experiment::parse("f.toml", text, vec![folder.path().to_owned()], &registry()) {
        Err(error) => error.to_string(),
        Ok(experiment) => Plan::new(&experiment, &JobFilter::All).err().unwrap().to_string(),
    };
    let given = refused(&text("[\"A\", \"B\"]", "weights_by = \"ndcg@3\", weights = [1, 2]"));
    assert!(given.contains("given by `weights` and learnt by `weights_by`"), "{given}");
    let unknown = refused(&text("[\"A\", \"B\"]", "weights_by = \"ndgc@3\""));
    assert!(unknown.contains("ndgc"), "{unknown}");
    let scores = text("[\"A\", \"S\"]", BY)
        + "[[ranker]]\nlabel = \"S\"\nkind = \"scores\"\nparams = { path = \"Fold{fold}.score\" }\n";
    let without_model = refused(&scores);
    assert!(without_model.contains("`S` is of kind `scores`, which keeps no model"), "{without_model}");
    let without_part = text("[\"A\", \"C\"]", BY).replace(
        "layout = \"fold-dirs\"",
        "layout = \"train-test\"\nfiles = [\"Fold1/train.txt\", \"Fold1/test.txt\"]",
    );
    let start = without_part.find("[[ranker]]\nlabel = \"B\"").unwrap();
    let end = without_part.find("[[ranker]]\nlabel = \"C\"").unwrap();
    let without_part = refused(&(without_part[..start].to_owned() + &without_part[end..]));
    assert!(without_part.contains("0 queries of validation, too few for `weights_by`"), "{without_part}");
}
