//! Tests the rankers of linfa and smartcore, in builds with and without the feature `adapters`.

#[cfg(feature = "adapters")]
use crate::blind_validation::refuse_training_data_of_one_grade;
#[cfg(feature = "adapters")]
use crate::export::{onnxruntime_scores, refuse_to_export};
#[cfg(not(feature = "adapters"))]
use crate::harness::stderr;
use crate::harness::{directory, stdout};

const TRAIN: &str = "2 qid:1 1:5 2:3\n1 qid:1 1:4 2:7\n0 qid:1 1:5 2:1\n0 qid:1 1:2 2:3\n";

#[cfg(not(feature = "adapters"))]
#[test]
fn a_ranker_of_the_feature_is_named_with_it() {
    let model = |text: String| text.replacen("\"linear\"", "\"linfa-logistic\"", 1);
    let folder = directory(&[
        ("train.txt", TRAIN),
        (
            "x.toml",
            "name = 'x'\n[[dataset]]\nlabel = 'A'\nmade = { shape = 'mq2007', queries = 20 }\n[[ranker]]\nkind = 'smartcore-forest'\n[evaluation]\nmeasures = ['ap']\n",
        ),
    ]);
    let at = folder.path();
    stdout(at, "train --ranker linear --train train.txt -o m.json");
    let mut altered: serde_json::Value =
        serde_json::from_str(&model(std::fs::read_to_string(at.join("m.json")).unwrap())).unwrap();
    altered.as_object_mut().unwrap().remove("hash");
    std::fs::write(at.join("m.json"), altered.to_string()).unwrap();
    let words = |text: String| text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    for (ranker, command) in [
        ("linfa-logistic", "train --ranker linfa-logistic --train train.txt -o n.json"),
        ("linfa-logistic", "rankers linfa-logistic"),
        ("linfa-logistic", "score --model m.json --data train.txt"),
        ("smartcore-forest", "run x.toml --out r"),
    ] {
        let told = words(stderr(at, command, 2));
        let expected = format!("`{ranker}` is in the feature `adapters`: cargo build --features adapters");
        assert!(told.contains(&expected), "{command}: {told}");
    }
    let listed = stdout(at, "rankers");
    for ranker in ["linfa-logistic", "smartcore-forest"] {
        assert!(listed.contains(&format!("Not in this build: `{ranker}` is in the feature `adapters`")), "{listed}");
    }
    // The export to other programs needs only the model file, not the ranker.
    assert!(stdout(at, "export m.json --format ranklib").contains("## Linear Regression"));
}

#[cfg(feature = "adapters")]
#[test]
fn adapted_rankers_are_listed_and_refuse_training_data_of_one_grade() {
    let folder = directory(&[]);
    let listed = stdout(folder.path(), "rankers");
    assert!(listed.contains("\nlinfa-logistic ") && listed.contains("\nsmartcore-forest "), "{listed}");
    assert!(!listed.contains("Not in this build"), "{listed}");
    refuse_training_data_of_one_grade(&["linfa-logistic", "smartcore-forest"]);
}

#[cfg(feature = "adapters")]
#[test]
fn an_adapted_linear_model_is_exported_and_an_adapted_forest_is_not() {
    let folder = directory(&[("train.txt", TRAIN)]);
    refuse_to_export(folder.path(), "smartcore-forest");
    onnxruntime_scores(&[("linfa-logistic", "")]);
}
