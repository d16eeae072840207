//! Against the Python package rouge-score and NLTK's stemmer. `reference.py` makes the
//! reference values.

use std::collections::BTreeSet;

use fivefold_text::settings::{Stemmer, Tokeniser};
use fivefold_text::{Column, Seed, evaluate, stem, tokens};
use serde_json::Value;

use crate::common::{SYSTEMS, assert_close, measures, summeval};

fn reference() -> Value {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

#[test]
fn stems_are_those_of_nltk() {
    let reference = reference();
    let pairs: Vec<&str> = reference["stems"].as_str().unwrap().split(' ').collect();
    assert!(pairs.len() > 1500, "{}", pairs.len());
    for pair in pairs {
        let (word, expected) = pair.split_once(':').unwrap();
        assert_eq!(stem(word), expected, "{word}");
    }
}

/// FNV-1a of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |value, byte| (value ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn stems_of_all_words_of_summeval_are_those_of_nltk() {
    let Some(data) = summeval() else { return };
    let mut words = BTreeSet::new();
    for document in &data.corpus.documents {
        let candidates = document.candidates.iter().flatten();
        for text in document.source.iter().chain(&document.references).chain(candidates) {
            words.extend(tokens(text, Tokeniser::Rouge, Stemmer::None));
        }
    }
    words.retain(|word| word.len() > 3);
    let lines: String = words.iter().map(|word| format!("{word} {}\n", stem(word))).collect();
    let expected = &reference()["summeval_words"];
    assert_eq!(words.len() as u64, expected["count"].as_u64().unwrap());
    assert_eq!(format!("{:016x}", fnv(lines.as_bytes())), expected["fnv1a"].as_str().unwrap());
}

/// The package's recall, precision and F1, by its own formula.
fn score(matches: u64, candidate: u64, reference: u64) -> [f64; 3] {
    let over = |units: u64| matches as f64 / units.max(1) as f64;
    let [recall, precision] = [over(reference), over(candidate)];
    let sum = precision + recall;
    [if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 }, recall, precision]
}

const METRICS: [&str; 3] = ["rouge1", "rouge2", "rougeL"];
const VALUES: [&str; 3] = ["f1", "recall", "precision"];
const REFERENCES: [&str; 3] = ["first", "mean", "max"];

/// All values of all summaries: 12 systems x 100 documents x 3 metrics x 3 values x 3 ways to take
/// references x 2 stemmers.
#[test]
fn values_of_summeval_are_those_of_rouge_score() {
    let Some(data) = summeval() else { return };
    let fixture = reference();
    for stemmer in ["porter", "none"] {
        let mut names = Vec::new();
        for metric in METRICS {
            for references in REFERENCES {
                let name = |value| format!("{metric}(value={value},references={references},stemmer={stemmer},draws=2)");
                names.extend(VALUES.map(name));
            }
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let values = evaluate(&data.corpus, &measures(&names), Seed::new(1)).unwrap();
        let numbers = |value: &Value| -> Vec<u64> {
            value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
        };
        let mut worst = 0.0_f64;
        for (document, expected) in fixture[stemmer]["documents"].as_array().unwrap().iter().enumerate() {
            let (references, candidates) = (numbers(&expected["references"]), numbers(&expected["candidates"]));
            for (metric, name) in METRICS.into_iter().enumerate() {
                let units = |tokens: u64| if name == "rouge2" { tokens.saturating_sub(1) } else { tokens };
                for system in 0..SYSTEMS.len() {
                    let scores: Vec<[f64; 3]> = references
                        .iter()
                        .enumerate()
                        .map(|(reference, &tokens)| {
                            let matches = expected["matches"][metric][reference][system].as_u64().unwrap();
                            score(matches, units(candidates[system]), units(tokens))
                        })
                        .collect();
                    let mean = [0, 1, 2]
                        .map(|place| scores.iter().map(|score| score[place]).sum::<f64>() / scores.len() as f64);
                    // numpy's argmax: the first of the highest.
                    let best = scores.iter().rev().max_by(|one, other| one[0].total_cmp(&other[0])).unwrap();
                    for (way, expected) in [scores[0], mean, *best].into_iter().enumerate() {
                        for (value, expected) in expected.into_iter().enumerate() {
                            let measure = (metric * 3 + way) * 3 + value;
                            let found = values.column(Column::Score, measure, system)[document];
                            worst = worst.max((found - expected).abs());
                            assert_close(found, expected, 1e-12, names[measure]);
                        }
                    }
                }
            }
        }
        println!("{stemmer}: largest difference {worst:e}");
        // The package's own means, which the integers do not go through.
        for (metric, name) in METRICS.into_iter().enumerate() {
            for (way, references) in REFERENCES.into_iter().enumerate() {
                for place in 0..3 {
                    let expected = fixture[stemmer]["means"][format!("{name} {references}")][place].as_f64().unwrap();
                    let measure = (metric * 3 + way) * 3 + place;
                    assert_close(values.mean(Column::Score, measure), expected, 1e-12, names[measure]);
                }
            }
        }
    }
}
