//! Values that were computed apart: by enumeration in exact arithmetic, by the package rouge-score,
//! and by hand.

use std::fs;

use fivefold_text::value;
use serde_json::Value;

use crate::common::{assert_close, data, of_one};

/// E of the matches, from E of F1 at a fixed length.
fn expected_matches(metric: &str, model: &str, draws: u32, source: &str, reference: &str, m: usize) -> [f64; 2] {
    let name = format!("{metric}(model={model},length=fixed:{m},draws={draws})");
    let [_, expected, error, ..] = of_one(&name, source, &[reference], "a");
    let tokens = reference.split(' ').count();
    let units = if metric == "rouge2" { tokens + m - 2 } else { tokens + m } as f64;
    [expected * units / 2.0, error * units / 2.0]
}

/// Source, reference, m; E of the matches of ROUGE-1, ROUGE-2 and ROUGE-L for `unigram` and for
/// `sample`, by enumeration.
type Row = (&'static str, &'static str, usize, [f64; 3], [f64; 3]);
const BY_ENUMERATION: [Row; 7] = [
    ("a a b c", "a b a d", 3, [1.953125, 0.5, 1.828125], [2.25, 0.666667, 2.083333]),
    ("a b b c a", "b b a a c", 4, [3.3808, 1.392, 2.5296], [4.0, 1.466667, 2.7]),
    ("a b c d e", "a b c", 4, [1.7712, 0.2368, 1.44], [2.4, 0.3, 1.7]),
    ("a a a b", "a a a b a", 4, [3.683594, 2.425781, 3.4375], [4.0, 3.0, 3.5]),
    ("a a b b c", "a b a b a a", 5, [3.57504, 1.71264, 3.36512], [4.0, 2.0, 3.666667]),
    (CATS, "the cat on the mat", 3, [2.0625, 0.3125, 1.787109], [2.232143, 0.357143, 1.892857]),
    (CATS, "the cat on the mat", 5, [2.984436, 0.604492, 2.375885], [3.571429, 0.714286, 2.588393]),
];
const CATS: &str = "the cat sat on the mat the end";

#[test]
fn expected_matches_of_small_texts() {
    for (source, reference, m, unigram, sample) in BY_ENUMERATION {
        for (model, expected) in [("unigram", unigram), ("sample", sample)] {
            for (metric, expected) in ["rouge1", "rouge2", "rougeL"].into_iter().zip(expected) {
                let draws = if (metric, model) == ("rougeL", "sample") { 100_000 } else { 2 };
                let [found, error] = expected_matches(metric, model, draws, source, reference, m);
                let what = format!("{metric} {model} {source} / {reference}, {m}");
                // Only ROUGE-L of `sample` is drawn here.
                assert_eq!(error > 0.0, draws > 2, "{what}: {error}");
                assert_close(found, expected, if draws == 2 { 6e-7 } else { 5.0 * error }, &what);
            }
        }
    }
}

#[test]
fn the_cat_sat() {
    for (metric, [a, e, v1, v2]) in [
        ("rouge1", [0.5, 0.515625, 0.246154, -0.030303]),
        ("rouge2", [0.333333, 0.104167, 0.253968, 0.255814]),
        ("rougeL", [0.5, 0.446777, 0.264054, 0.096205]),
    ] {
        let name = format!("{metric}(length=candidate)");
        let found = of_one(&name, CATS, &["the cat on the mat"], "the cat sat");
        let expected = [a, e, 0.0, 1.0, v1, v2];
        for (found, expected) in found.into_iter().zip(expected) {
            assert_close(found, expected, 6e-7, &name);
        }
        let [.., v2] = of_one(metric, CATS, &["the cat on the mat"], "the cat on the mat");
        assert_eq!(v2, 1.0, "{metric} of the reference");
    }
}

/// Two lines of the package's own tests, in all values, with and without stems.
#[test]
fn lines_of_rouge_score() {
    let Some(folder) = data() else { return };
    let lines = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(folder.join("rouge").join(name)).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let (targets, predictions) = (lines("target.txt"), lines("prediction.txt"));
    let expected: Value = serde_json::from_str(&lines("expected.json").join("\n")).unwrap();
    let mut compared = 0;
    for (key, stemmer) in [("plain", "none"), ("stemmed", "porter")] {
        for (metric, rows) in expected[key].as_object().unwrap() {
            for (line, row) in rows.as_array().unwrap().iter().enumerate() {
                for (place, of) in ["recall", "precision", "f1"].into_iter().enumerate() {
                    let name = format!("{metric}(value={of},stemmer={stemmer})");
                    let found = value(&name, &predictions[line], &[&targets[line]], None).unwrap().unwrap();
                    assert_close(found, row[place].as_f64().unwrap(), 5.1e-6, &format!("{name}, line {}", line + 1));
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 30);
}

#[test]
fn bounds_of_the_source_by_hand() {
    // The source has two of the reference's four tokens; the reference has `a` twice, the source once.
    let name = "rouge1.v2(upper=source)";
    let [a, e, _, u, _, v2] = of_one(name, "a b x y", &["a a b c"], "a b b b");
    assert_eq!((a, u), (0.5, 0.5));
    assert_eq!((v2, e < u), (1.0, true));
    // Several references: mean, and the best.
    let [.., u, _, _] = of_one("rouge1(upper=source,references=mean)", "a b x y", &["a a b c", "x"], "a");
    assert_eq!(u, 0.75);
    let [.., u, _, _] = of_one("rouge1(upper=source,references=max)", "a b x y", &["a a b c", "x"], "a");
    assert_eq!(u, 1.0);
    let [.., u, _, _] = of_one("rouge1(upper=source,references=pool,value=recall)", "a b x y", &["a a b c", "x"], "a");
    assert_eq!(u, 0.6);
}

#[test]
fn clipping_takes_values_below_chance_to_zero() {
    let of = |clip: &str, candidate: &str| {
        let name = format!("rouge1(clip={clip})");
        of_one(&name, CATS, &["the cat on the mat"], candidate)[5]
    };
    assert!(of("none", "dogs") == -1.0 && of("zero", "dogs") == 0.0);
    assert_eq!(of("none", "the cat on"), of("zero", "the cat on"));
}
