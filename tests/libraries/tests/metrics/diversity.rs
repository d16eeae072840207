//! Measures of subtopics: the check values of their definitions, every order of small topics by
//! brute force, and the values of ndeval (`diversity.py`).
#![allow(clippy::unwrap_used)] // a test

use fivefold_metrics::diversity::{DiversityEvaluator, PoolDocument};
use fivefold_metrics::{Conventions, MeasureSpec, dialect};
use serde_json::Value;

use crate::common::{close, exact, orders, tied_scores};

fn evaluator(names: &[&str], conventions: &Conventions) -> DiversityEvaluator {
    let specs: Vec<MeasureSpec> = names.iter().map(|name| name.parse().unwrap()).collect();
    DiversityEvaluator::new(&specs, conventions, fivefold_base::Seed::new(1)).unwrap()
}

fn pool(documents: &[(&str, &[usize])]) -> Vec<PoolDocument> {
    documents.iter().map(|(id, subtopics)| PoolDocument::new(id, subtopics.to_vec())).collect()
}

const CHECKED: [(&str, &[usize]); 5] = [("d1", &[1, 2]), ("d2", &[2]), ("d3", &[]), ("d4", &[1, 3]), ("d5", &[3])];
const RUN: [&str; 4] = ["d2", "d3", "d1", "d4"];

/// Worked by hand from the formulas, and printed by ndeval.
#[test]
fn check_values() {
    let checked = [
        ("alpha_ndcg@3", 0.5474918, Some(0.7482933)),
        ("alpha_dcg@3", 0.4049619, None),
        ("err_ia@3", 0.375, None),
        ("nerr_ia@3", 0.5142857, Some(0.7190476)),
        ("strec@2", 0.3333333, Some(0.7222222)),
        ("p_ia@3", 0.3333333, Some(0.4166667)),
        ("nrbp", 0.390625, Some(0.5286458)),
        ("nnrbp", 0.5319149, None),
        ("ap_ia", 0.4583333, Some(0.5405093)),
    ];
    let names: Vec<&str> = checked.iter().map(|(name, ..)| *name).collect();
    let evaluator = evaluator(&names, &exact());
    let topic = evaluator.topic("1", &pool(&CHECKED));
    let values = evaluator.evaluate(&topic, &RUN, &[4.0, 3.0, 2.0, 1.0]).unwrap();
    let expected = evaluator.expected(&topic, &RUN);
    for (((name, value, mean), found), found_mean) in checked.into_iter().zip(values).zip(expected) {
        assert!((found - value).abs() < 5e-8, "{name}: {found}");
        assert!(mean.is_none_or(|mean| (found_mean - mean).abs() < 5e-8), "E of {name}: {found_mean}");
    }
}

#[test]
fn ties_are_means_over_their_orders() {
    let evaluator = evaluator(&["alpha_ndcg@4", "strec@1"], &exact());
    let topic = evaluator.topic("1", &pool(&CHECKED));
    let values = evaluator.evaluate(&topic, &RUN, &[2.0, 2.0, 1.0, 1.0]).unwrap();
    assert!((values[0] - 0.6532782).abs() < 5e-8 && (values[1] - 0.1666667).abs() < 5e-8, "{values:?}");
}

/// A ranking can be better than the greedy order; ndeval prints the same two values.
#[test]
fn the_greedy_order_is_not_always_the_best() {
    let evaluator = evaluator(&["nerr_ia@2", "alpha_ndcg@2", "nerr_ia.v2@2"], &exact());
    let topic = evaluator.topic("1", &pool(&[("a", &[1, 3]), ("b", &[0, 2]), ("c", &[0, 3])]));
    let values = evaluator.evaluate(&topic, &["a", "b"], &[2.0, 1.0]).unwrap();
    assert!((values[0] - 1.0909091).abs() < 5e-8 && (values[1] - 1.1070681).abs() < 5e-8, "{values:?}");
    // Both orders of the run have one value, which U does not reach.
    assert!(values[2].is_nan(), "{values:?}");
}

/// The topic of the test above: with the best order as U, no value is above 1.
#[test]
fn the_best_order_is_no_worse_than_any() {
    let evaluator = evaluator(&["nerr_ia(upper=exact)@2", "alpha_ndcg(upper=exact)@2"], &exact());
    let topic = evaluator.topic("1", &pool(&[("a", &[1, 3]), ("b", &[0, 2]), ("c", &[0, 3])]));
    assert_eq!(evaluator.evaluate(&topic, &["a", "b"], &[2.0, 1.0]).unwrap(), [1.0, 1.0]);
}

/// Made topics: numbers that look random, from a linear congruential generator.
fn made_topic(number: usize, documents: usize, subtopics: usize) -> Vec<(String, Vec<usize>)> {
    let mut state = number as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let document = |place: usize| {
        let own = (0..subtopics).filter(|_| next().is_multiple_of(2)).collect();
        (format!("d{place}"), own)
    };
    (0..documents).map(document).collect()
}

/// With `upper=exact`, U is the highest value of all orders of the judged documents.
#[test]
fn the_exact_upper_bound_is_the_highest_value_of_all_orders() {
    let mut above_greedy = 0;
    for number in 0..300 {
        let made = made_topic(number, 3 + number % 3, 3 + number % 4);
        if made.iter().all(|(_, own)| own.is_empty()) {
            continue;
        }
        let documents: Vec<(&str, &[usize])> = made.iter().map(|(id, own)| (id.as_str(), own.as_slice())).collect();
        let judged = pool(&documents);
        let ids: Vec<&str> = documents.iter().map(|(id, _)| *id).collect();
        for (name, alpha, beta) in
            [("alpha_ndcg", 0.5, 0.5), ("nerr_ia", 0.3, 0.5), ("nnrbp", 0.5, 0.8), ("strec", 1.0, 0.5)]
        {
            for k in if name == "nnrbp" { 6..7 } else { 1..4 } {
                let values: Vec<f64> = (orders(ids.len()).iter())
                    .map(|order| {
                        let run: Vec<&[usize]> = order.iter().map(|&row| documents[row].1).collect();
                        by_formula(name, k, &run, &documents, alpha, beta)
                    })
                    .collect();
                let highest = values.iter().copied().fold(0.0, f64::max);
                let place = values.iter().position(|&value| value == highest).unwrap();
                let mut scores = vec![0.0; ids.len()];
                orders(ids.len())[place].iter().enumerate().for_each(|(place, &row)| scores[row] = -(place as f64));
                let spec = match name {
                    "nnrbp" => "nnrbp.v2(beta=0.8,upper=exact)".to_owned(),
                    "strec" => format!("strec.v2(upper=exact)@{k}"),
                    _ => format!("{name}.v2(alpha={alpha},upper=exact)@{k}"),
                };
                let [exact, greedy] = [spec.clone(), spec.replace("exact", "greedy")].map(|spec| {
                    let evaluator = evaluator(&[&spec], &exact());
                    evaluator.evaluate(&evaluator.topic("1", &judged), &ids, &scores).unwrap()[0]
                });
                assert!(exact.is_nan() || close(exact, 1.0, 1e-12), "{spec} on {made:?}: {exact}");
                above_greedy += usize::from(greedy > 1.0 + 1e-9);
            }
        }
    }
    assert!(above_greedy > 5, "{above_greedy}");
}

#[test]
fn a_topic_of_more_than_20_documents_has_no_exact_upper_bound() {
    let evaluator = evaluator(&["alpha_ndcg(upper=exact)@10", "alpha_ndcg@10", "nnrbp(upper=exact)"], &exact());
    let values = |documents: usize| {
        let mut made = made_topic(7, 40, 8);
        made.retain(|(_, own)| !own.is_empty());
        let documents: Vec<(&str, &[usize])> =
            made[..documents].iter().map(|(id, own)| (id.as_str(), own.as_slice())).collect();
        evaluator.evaluate(&evaluator.topic("1", &pool(&documents)), &[documents[0].0], &[0.0]).unwrap()
    };
    let (most, beyond) = (values(20), values(21));
    assert!(most[0] > 0.0 && most[0] <= most[1] && most[2] > 0.0, "{most:?}");
    assert!(beyond[0].is_nan() && beyond[1] > 0.0 && beyond[2].is_nan(), "{beyond:?}");
}

/// The sum over subtopics of one order, from the formula.
fn by_formula(name: &str, k: usize, run: &[&[usize]], pool: &[(&str, &[usize])], alpha: f64, beta: f64) -> f64 {
    let mut subtopics: Vec<usize> = pool.iter().flat_map(|(_, subtopics)| subtopics.to_vec()).collect();
    subtopics.sort_unstable();
    subtopics.dedup();
    let count = subtopics.len() as f64;
    let of_subtopic = |s: &usize| {
        let (mut seen, mut sum) = (0, 0.0);
        for (rank, _) in (1..=k.min(run.len())).zip(run).filter(|(_, document)| document.contains(s)) {
            let novelty = (1.0 - alpha).powi(seen);
            seen += 1;
            sum += match name {
                "alpha_ndcg" | "alpha_dcg" => novelty / libm::log2(rank as f64 + 1.0),
                "err_ia" | "nerr_ia" => novelty / rank as f64,
                "nrbp" | "nnrbp" => novelty * beta.powi(rank as i32 - 1),
                "p_ia" => 1.0,
                "strec" => f64::from(u8::from(seen == 1)),
                _ => {
                    let relevant = pool.iter().filter(|(_, subtopics)| subtopics.contains(s)).count();
                    f64::from(seen) / rank as f64 / relevant as f64
                }
            };
        }
        sum
    };
    let sum: f64 = subtopics.iter().map(of_subtopic).sum();
    let in_each = |discount: fn(f64) -> f64| {
        count * (1..=k).map(|i| (1.0 - alpha).powi(i as i32 - 1) * discount(i as f64)).sum::<f64>()
    };
    match name {
        "alpha_dcg" => sum / in_each(|i| 1.0 / libm::log2(i + 1.0)),
        "err_ia" => sum / in_each(|i| 1.0 / i),
        "nrbp" => sum * (1.0 - (1.0 - alpha) * beta) / count,
        "p_ia" => sum / (k as f64 * count),
        "strec" | "ap_ia" => sum / count,
        _ => sum,
    }
}

/// Values of all orders, their mean E, and values of ties, of topics with unjudged documents.
#[test]
fn values_ties_and_expected_values_are_those_of_all_orders() {
    let topics: [&[(&str, &[usize])]; 4] = [
        &[("a", &[1, 3]), ("b", &[0, 2]), ("c", &[0, 3]), ("d", &[]), ("e", &[2, 3])],
        &[("a", &[7]), ("b", &[7]), ("c", &[7, 9])],
        &[("a", &[0, 1, 2]), ("b", &[1]), ("c", &[])],
        &CHECKED,
    ];
    let runs: [&[&str]; 4] = [&["d", "a", "x", "c", "e"], &["b", "c"], &["c", "x", "a", "b"], &RUN];
    for (alpha, beta) in [(0.5, 0.5), (0.3, 0.8), (1.0, 0.6)] {
        for name in ["alpha_ndcg", "alpha_dcg", "err_ia", "nerr_ia", "nrbp", "nnrbp", "p_ia", "strec", "ap_ia"] {
            let takes_alpha = !["p_ia", "strec", "ap_ia"].contains(&name);
            let given = match name {
                "nrbp" | "nnrbp" => format!("(alpha={alpha},beta={beta})"),
                _ if takes_alpha => format!("(alpha={alpha})"),
                _ => String::new(),
            };
            for k in [1, 2, 3, 6] {
                let whole = ["nrbp", "nnrbp", "ap_ia"].contains(&name);
                let cutoff = if whole { String::new() } else { format!("@{k}") };
                for (documents, run) in topics.iter().zip(runs) {
                    let spec = format!("{name}{given}{cutoff}");
                    let k = if whole { run.len() } else { k };
                    check(&spec, name, k, documents, run, [alpha, beta]);
                }
            }
        }
    }
}

fn check(spec: &str, name: &str, k: usize, documents: &[(&str, &[usize])], run: &[&str], [alpha, beta]: [f64; 2]) {
    let parsed: MeasureSpec = spec.parse().unwrap();
    let versions = if name == "ap_ia" { &["original"][..] } else { &["original", "v1", "v2"] };
    let specs: Vec<String> =
        versions.iter().map(|version| parsed.with_version(version.parse().unwrap()).to_string()).collect();
    let evaluator = evaluator(&specs.iter().map(String::as_str).collect::<Vec<_>>(), &exact());
    let topic = evaluator.topic("1", &pool(documents));
    let subtopics_of = |id: &str| documents.iter().find(|(other, _)| *other == id).map_or(&[][..], |(_, all)| all);
    let of_order = |order: &[usize]| {
        let ranked: Vec<&[usize]> = order.iter().map(|&row| subtopics_of(run[row])).collect();
        by_formula(name, k, &ranked, documents, alpha, beta)
    };
    let divided = ["alpha_ndcg", "nerr_ia", "nnrbp"].contains(&name);
    let greedy = greedy(name, k, documents, alpha, beta);
    let original = |sum: f64| if divided { sum / greedy } else { sum };
    let orders = orders(run.len());
    let mean = |orders: &[&Vec<usize>]| orders.iter().map(|order| of_order(order)).sum::<f64>() / orders.len() as f64;
    let all: Vec<&Vec<usize>> = orders.iter().collect();
    let (u, e) = (greedy, mean(&all));
    let expected = evaluator.expected(&topic, run)[0];
    assert!(close(expected, original(e), 1e-12), "E of {spec}: {expected}, not {}", original(e));
    for scores in tied_scores(run.len()) {
        let fits = |order: &&Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
        let fitting: Vec<&Vec<usize>> = orders.iter().filter(fits).collect();
        let a = mean(&fitting);
        let found = evaluator.evaluate(&topic, run, &scores).unwrap();
        assert!(close(found[0], original(a), 1e-12), "{spec} {scores:?}: {}, not {}", found[0], original(a));
        if versions.len() > 1 && u - e > 1e-12 * u {
            let v1 = if a == 0.0 { 0.0 } else { a / u * (a / (a + e)) };
            let v2 = if a >= e - 1e-14 { (a - e) / (u - e) } else { (a - e) / e };
            assert!(close(found[1], v1, 1e-12) && close(found[2], v2, 1e-12), "{spec}: {found:?}, not {v1} {v2}");
        }
    }
}

/// The value of the greedy order, by trying all documents at each rank.
fn greedy(name: &str, k: usize, documents: &[(&str, &[usize])], alpha: f64, beta: f64) -> f64 {
    let alpha_of = match name {
        "strec" => 1.0,
        "p_ia" | "ap_ia" => 0.0,
        _ => alpha,
    };
    let mut left = documents.to_vec();
    left.sort_by(|one, other| other.0.cmp(one.0));
    let mut chosen: Vec<&[usize]> = Vec::new();
    let whole = ["nrbp", "nnrbp"].contains(&name);
    while !left.is_empty() && (whole || chosen.len() < k) {
        let gain = |document: &(&str, &[usize])| -> f64 {
            let seen = |s: &usize| chosen.iter().filter(|other| other.contains(s)).count() as i32;
            document.1.iter().map(|s| (1.0_f64 - alpha_of).powi(seen(s))).sum()
        };
        let gains: Vec<f64> = left.iter().map(gain).collect();
        let best = gains.iter().copied().fold(0.0, f64::max);
        let place = gains.iter().position(|&gain| gain > best - 1e-12).unwrap();
        chosen.push(left.remove(place).1);
    }
    by_formula(name, if whole { chosen.len() } else { k }, &chosen, documents, alpha, beta)
}

#[test]
fn the_values_of_ndeval() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dialects/ndeval.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    let names: Vec<&str> = fixture["measures"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let conventions = dialect("trec_eval").unwrap().conventions();
    let ours: Vec<String> = names
        .iter()
        .map(|name| fivefold_metrics::spelling::read(name, &conventions).unwrap().spec.to_string())
        .collect();
    let evaluator = evaluator(&ours.iter().map(String::as_str).collect::<Vec<_>>(), &conventions);
    let mut compared = 0;
    for case in fixture["cases"].as_array().unwrap() {
        let documents: Vec<PoolDocument> = case["pool"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(id, subtopics)| {
                let subtopics = subtopics.as_array().unwrap().iter().map(|s| s.as_u64().unwrap() as usize).collect();
                PoolDocument::new(id, subtopics)
            })
            .collect();
        let run: Vec<&str> = case["run"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
        let scores: Vec<f64> = (0..run.len()).map(|place| -(place as f64)).collect();
        let topic = evaluator.topic("1", &documents);
        let found = evaluator.evaluate(&topic, &run, &scores).unwrap();
        for ((name, found), theirs) in names.iter().zip(found).zip(case["values"].as_array().unwrap()) {
            let theirs = theirs.as_f64().unwrap_or(0.0);
            let found = if found.is_nan() { 0.0 } else { found };
            assert!((found - theirs).abs() < 1e-12, "{name}: {found}, not {theirs}, for {case}");
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn measures_of_subtopics_and_others_do_not_mix() {
    let specs: [MeasureSpec; 2] = ["alpha_ndcg@20".parse().unwrap(), "ap".parse().unwrap()];
    let error = DiversityEvaluator::new(&specs, &exact(), fivefold_base::Seed::new(1)).err().unwrap().to_string();
    assert!(error.contains("`ap` does not look at subtopics"), "{error}");
    let seed = fivefold_base::Seed::new(1);
    let error = fivefold_metrics::Evaluator::new(&specs, &exact(), 1, seed).err().unwrap().to_string();
    assert!(error.contains("`alpha_ndcg@20` needs subtopics"), "{error}");
    assert!("ap_ia.v2".parse::<MeasureSpec>().unwrap_err().to_string().contains("no upper bound"));
}
