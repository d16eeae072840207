//! Tests `export`, `import` and `importance`: models go to other programs and come back.

use std::path::Path;

use crate::harness::{directory, json, stderr, stdout};

/// The first feature is the grade plus a constant. The second feature is noise.
const TRAIN: &str =
    "2 qid:1 1:7 2:3\n1 qid:1 1:6 2:1\n0 qid:1 1:5 2:2\n2 qid:2 1:7 2:1\n0 qid:2 1:5 2:3\n1 qid:2 1:6 2:2\n";

fn train(at: &Path, ranker: &str, options: &str) {
    stdout(at, &format!("train --ranker {ranker} {options} --train train.txt -o model.json"));
}

#[test]
fn a_model_goes_out_and_comes_back_with_the_same_scores() {
    let folder = directory(&[("train.txt", TRAIN)]);
    let at = folder.path();
    for ranker in ["mart", "lambdamart"] {
        train(at, ranker, "--param trees=5 --param min_documents=1");
        let before = stdout(at, "score --model model.json --data train.txt");
        assert!(before.lines().collect::<std::collections::BTreeSet<_>>().len() > 1, "{before}");
        for (format, features) in [("ranklib", "--features 2"), ("lightgbm", ""), ("lightgbm --first-feature-id 1", "")]
        {
            stdout(at, &format!("export model.json --format {format} -o out.txt --replace"));
            let first = format.split_once(' ').map_or("", |(_, option)| option);
            let told = stdout(at, &format!("import out.txt {features} {first} -o back.json"));
            assert!(told.starts_with(&format!("back.json: {ranker} read from out.txt as ")), "{told}");
            assert_eq!(stdout(at, "score --model back.json --data train.txt"), before, "{ranker} {format}");
        }
    }
}

#[test]
fn a_normaliser_is_not_lost_in_silence() {
    let folder = directory(&[("train.txt", TRAIN)]);
    let at = folder.path();
    train(at, "mart", "--param trees=2 --normalise min-max");
    let note = stderr(at, "export model.json --format ranklib -o out.txt", 0);
    assert!(note.contains("note: the model was trained on features that were normalised within each query"), "{note}");
    train(at, "mart", "--param trees=2 --normalise min-max:train");
    let note = stderr(at, "export model.json --format ranklib -o out.txt", 0);
    assert!(note.contains("note: the normaliser is in the thresholds"), "{note}");
    train(at, "mart", "--param trees=2");
    assert_eq!(stderr(at, "export model.json --format ranklib -o out.txt", 0), "");
}

#[test]
fn what_cannot_be_exchanged_is_explained() {
    let folder = directory(&[
        ("train.txt", TRAIN),
        ("net.txt", "## RankNet\n## Epochs = 1\n"),
        ("cut.txt", "tree\nversion=v4\n"),
        ("weights.txt", "## AdaRank\n1:2 2:x\n"),
    ]);
    let at = folder.path();
    train(at, "linear", "");
    let message = stderr(at, "export model.json --format lightgbm -o out.txt", 2);
    assert!(message.contains("model.json: lightgbm has no linear models"), "{message}");
    assert!(message.contains("formats with linear models: ranklib, solr"), "{message}");
    assert!(!at.join("out.txt").exists());
    for (file, expected) in [
        ("net.txt", "net.txt:1: models of `RankNet` cannot be read"),
        ("cut.txt", "cut.txt:2: the file ends before `end of trees`"),
        ("weights.txt", "weights.txt:2: expected a number, found `x`"),
        ("train.txt", "train.txt: the first line is of no known format"),
    ] {
        let message = stderr(at, &format!("import {file} --features 2 -o back.json"), 2);
        assert!(message.contains(expected), "{message}");
    }
    assert!(
        stderr(at, "import weights.txt --format lightgbm -o back.json", 2).contains("weights.txt:2: the file ends")
    );
}

#[test]
fn importance_puts_the_feature_that_matters_first() {
    let folder = directory(&[("train.txt", TRAIN)]);
    let at = folder.path();
    for (ranker, options) in [("mart", "--param trees=5 --param min_documents=1"), ("linear", "")] {
        train(at, ranker, options);
        let features = json(at, "importance model.json --json");
        assert_eq!((&features[0]["feature"], features.as_array().unwrap().len()), (&1.into(), 2));
        assert!(features[0]["share"].as_f64().unwrap() > 0.9, "{features}");
        let text = stdout(at, "importance model.json");
        let mut lines = text.lines();
        assert!(lines.next().unwrap().starts_with("Feature"), "{text}");
        assert!(lines.next().unwrap().starts_with("1 "), "{text}");
    }
    stdout(at, "train --ranker random --train train.txt -o model.json");
    assert!(stderr(at, "importance model.json", 2).contains("models of `random` have no feature importance"));
    // Files of other kinds that are JSON, or that begin like JSON.
    for (text, found) in
        [("1 Q0 d 1 0.5 t\n", "integer `1`"), ("[1]", "integer `1`"), ("{\"header\":3,\"model\":1}", "integer `3`")]
    {
        std::fs::write(at.join("run.txt"), text).unwrap();
        let said = stderr(at, "importance run.txt", 2).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("run.txt: not a model file:") && said.contains(found), "{said}");
        let wanted =
            ["the JSON object that `fivefold train`, `fivefold import` or a run writes", "the header of a model file"];
        assert!(wanted.iter().any(|wanted| said.contains(wanted)) && !said.contains("struct"), "{said}");
    }
}
