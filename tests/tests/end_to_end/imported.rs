//! Tests imported models of LightGBM: they give the same scores as LightGBM for any text, whatever
//! digits or missing values the text holds.

use std::path::Path;
use std::process::Command;

use crate::harness::{directory, python, real_data, stderr, stdout};

/// The text of a LightGBM model with one cut: values up to the threshold go left.
fn stump(threshold: &str, decision: u8) -> String {
    format!(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=0\nobjective=regression\n\n\
         Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=inf\nthreshold={threshold}\ndecision_type={decision}\n\
         left_child=-1\nright_child=-2\nleaf_value=0 1\nis_linear=0\nshrinkage=1\n\n\nend of trees\n"
    )
}

/// The scores that an imported model gives a text.
fn scores(at: &Path, options: &str) -> String {
    stdout(at, "import model.txt -o model.json");
    stdout(at, &format!("score --model model.json --data data.txt {options}"))
}

/// uxlfoundation/scikit-learn-intelex #3351 and dmlc/treelite #115 report values at a midpoint;
/// dmlc/treelite #98 and #95 report times.
#[test]
fn every_digit_of_a_text_counts_for_lightgbm() {
    let folder =
        directory(&[("model.txt", &stump("0.15000000000000002", 2)), ("data.txt", "0 qid:1 1:0.15\n0 qid:1 1:0.16\n")]);
    assert_eq!(scores(folder.path(), ""), "0.0\n1.0\n");
    let times = "0 qid:1 1:1609459201\n1 qid:1 1:1609459261\n";
    let folder = directory(&[("model.txt", &stump("1609459231", 2)), ("data.txt", times)]);
    let at = folder.path();
    assert_eq!(scores(at, ""), "0.0\n1.0\n");
    let explained = stdout(at, "explain model.json --data data.txt --query 1 --document 2");
    assert!(explained.contains("score 1.0000, rank 1 of 2"), "{explained}");
    assert!(explained.contains("feature 1 > ") && explained.contains("1609459231"), "{explained}");
    assert!(explained.contains("the model compares all digits of the text"), "{explained}");
    // A normaliser would round values to `f32`, so a model with a normaliser is refused.
    let model = std::fs::read_to_string(at.join("model.json")).unwrap();
    let (start, _) = model.rsplit_once(",\"hash\"").unwrap();
    let normaliser = "\"normaliser\":{\"method\":\"min-max\",\"over\":\"query\",\"scales\":[]}";
    std::fs::write(at.join("model.json"), format!("{start}}}").replace("\"normaliser\":null", normaliser)).unwrap();
    let message = stderr(at, "score --model model.json --data data.txt", 2);
    assert!(message.contains("normaliser"), "{message}");
}

/// microsoft/LightGBM #2738, #6139: each cut has a side for NaN. For other models, the advice in
/// the error works.
#[test]
fn missing_values_go_where_the_training_sent_them() {
    let folder =
        directory(&[("model.txt", &stump("0.15", 8)), ("data.txt", "0 qid:1 1:nan\n1 qid:1 1:0.1\n0 qid:1 1:NULL\n")]);
    let at = folder.path();
    assert_eq!(scores(at, ""), "1.0\n0.0\n1.0\n");
    assert_eq!(scores(at, "--missing as-trained"), "1.0\n0.0\n1.0\n");
    assert_eq!(scores(at, "--missing zero"), "0.0\n0.0\n0.0\n");
    assert_eq!(scores(at, "--missing query-min"), "0.0\n0.0\n0.0\n");
    let message = stderr(at, "score --model model.json --data data.txt --missing error", 2);
    assert!(message.contains("data.txt:1:") && message.contains("give --missing zero"), "{message}");
    // microsoft/LightGBM #2933: infinite gains.
    let message = stderr(at, "importance model.json", 2);
    assert!(message.contains("the gains of the splits are not known"), "{message}");
    // fivefold trains this model on data without missing values.
    std::fs::write(at.join("train.txt"), "0 qid:1 1:1\n1 qid:1 1:2\n").unwrap();
    stdout(at, "train --ranker feature --param feature=1 --train train.txt -o own.json");
    assert!(stderr(at, "score --model own.json --data data.txt", 2).contains("give --missing zero"));
    assert_eq!(stdout(at, "score --model own.json --data data.txt --missing zero").lines().count(), 3);
}

/// A byte order mark before a model is skipped, in LightGBM's, RankLib's and fivefold's format.
#[test]
fn a_byte_order_mark_is_passed_over() {
    let ranklib = "\u{feff}## MART\n<ensemble><tree weight=\"1\"><split><output>1</output></split></tree></ensemble>\n";
    let folder = directory(&[("data.txt", "0 qid:1 1:2\n"), ("ranklib.txt", ranklib)]);
    let at = folder.path();
    std::fs::write(at.join("model.txt"), format!("\u{feff}{}", stump("0.5", 2))).unwrap();
    assert_eq!(scores(at, ""), "1.0\n");
    let json = std::fs::read_to_string(at.join("model.json")).unwrap();
    std::fs::write(at.join("model.json"), format!("\u{feff}{json}")).unwrap();
    assert_eq!(stdout(at, "score --model model.json --data data.txt"), "1.0\n");
    stdout(at, "import ranklib.txt --features 1 -o model.json");
    assert_eq!(stdout(at, "score --model model.json --data data.txt"), "1.0\n");
    let utf16: Vec<u8> = std::iter::once(0xfeff).chain("tree\n".encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(at.join("model.txt"), utf16).unwrap();
    assert!(stderr(at, "import model.txt -o model.json", 2).contains("UTF-16"));
}

/// A Python program that trains a model on LETOR text, and writes the model and its scores for
/// another text. Values are Python's floats.
const LIGHTGBM: &str = r##"
import sys
# LightGBM takes these packages if they are there, and does the same without them: half of its start.
sys.modules.update(dict.fromkeys(["pandas", "sklearn"]))
import lightgbm as lgb
import numpy as np

train, test, model, scores, missing = sys.argv[1:]


def read(path):
    grades, groups, rows, last = [], [], [], None
    sizes = None
    try:
        sizes = [int(line) for line in open(path + ".query")]
    except OSError:
        pass
    for line in open(path):
        parts = line.split("#")[0].split()
        grades.append(float(parts[0]))
        if parts[1].startswith("qid:"):
            if parts[1] != last:
                groups.append(0)
                last = parts[1]
            groups[-1] += 1
        rows.append({int(k): float(v) for k, v in (p.split(":") for p in parts[1:] if not p.startswith("qid:"))})
    return grades, sizes or groups, rows


def dense(rows, width):
    matrix = np.zeros((len(rows), width))
    for row, values in zip(matrix, rows):
        for k, v in values.items():
            row[k - 1] = v
    return matrix


grades, groups, rows = read(train)
_, _, other = read(test)
width = max(max(row, default=1) for row in rows + other)
options = dict(objective="lambdarank", min_data_in_leaf=5, verbose=-1, num_threads=1, deterministic=True)
options |= {"none": dict(use_missing=False), "zero": dict(zero_as_missing=True), "nan": {}}[missing]
booster = lgb.train(options, lgb.Dataset(dense(rows, width), grades, group=groups), 100)
booster.save_model(model)
with open(scores, "w") as out:
    out.writelines(f"{score!r}\n" for score in booster.predict(dense(other, width), raw_score=True).tolist())
"##;

/// Returns how many documents of `test` get another score in fivefold than in LightGBM, and the
/// number of all documents.
fn wrong(python: &str, at: &Path, train: &Path, test: &Path, missing: &str) -> (usize, usize) {
    let mut command = Command::new(python);
    command.current_dir(at).args(["-c", LIGHTGBM]).args([train, test]).args(["model.txt", "theirs.txt", missing]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    stdout(at, "import model.txt -o model.json");
    let ours = stdout(at, &format!("score --pad --model model.json --data {}", test.display()));
    let theirs = std::fs::read_to_string(at.join("theirs.txt")).unwrap();
    assert_eq!(ours.lines().count(), theirs.lines().count());
    let number = |text: &str| text.parse::<f64>().unwrap();
    let pairs = ours.lines().zip(theirs.lines());
    (pairs.filter(|(our, their)| number(our) != number(their)).count(), theirs.lines().count())
}

/// Makes LETOR text of `rows` rows. With one decimal in the training data and two in the test data,
/// many test values lie at a midpoint.
fn made(rows: u32, decimals: u32, seed: u32) -> String {
    let mut state = seed;
    let mut text = String::new();
    for row in 0..rows {
        let mut next = |range: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % range
        };
        let scale = 10u32.pow(decimals);
        let values: Vec<u32> = (0..5).map(|_| next(4 * scale)).collect();
        let grade = (values[0] * 2 / scale + values[1] / scale + next(2)) / 4;
        text.push_str(&format!("{grade} qid:{}", row / 20));
        for (value, id) in values.iter().zip(1..) {
            let missing = next(25) == 0;
            let (whole, rest, width) = (value / scale, value % scale, decimals as usize);
            text.push_str(&if missing { format!(" {id}:nan") } else { format!(" {id}:{whole}.{rest:0width$}") });
        }
        text.push('\n');
    }
    text
}

/// uxlfoundation/scikit-learn-intelex #3351, dmlc/treelite #115: every document gets the score of
/// LightGBM. The data are LightGBM's own example, a sample of MSLR-WEB10K and a synthetic
/// collection. When values were rounded to `f32`, 5 of 768 and 2 of 1,900 scores differed.
#[test]
fn imported_models_score_every_document_as_lightgbm_does() {
    let Some(python) = python("lightgbm, numpy") else { return };
    let folder = directory(&[("train.txt", &made(3000, 1, 1)), ("test.txt", &made(3000, 2, 2))]);
    let at = folder.path();
    let mut sets = vec![(at.join("train.txt"), at.join("test.txt"))];
    if let Some(data) = real_data() {
        sets.push((data.join("lightgbm-rank/rank.train"), data.join("lightgbm-rank/rank.test")));
        sets.push((data.join("mslr-sample/S1.txt"), data.join("mslr-sample/S5.txt")));
    }
    for (train, test) in sets {
        for missing in ["nan", "zero", "none"] {
            let (wrong, of) = wrong(&python, at, &train, &test, missing);
            println!("{} {missing}: {wrong} of {of} documents", test.display());
            assert_eq!(wrong, 0, "{} {missing}: of {of} documents", test.display());
        }
    }
}
