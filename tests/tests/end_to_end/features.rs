//! Tests the names of features: where they come from, and where they are shown.

use std::path::Path;

use crate::harness::{directory, json, real_data, stderr, stdout};

/// Ten queries of three documents: feature 1 equals the grade, feature 2 is constant, feature 3 equals
/// feature 1.
fn documents() -> String {
    let query = |query: usize| {
        let line = |grade: usize| {
            format!("{grade} qid:{query} 1:{grade}.5 2:7 3:{grade}.5 4:{}\n", (query * 7 + grade * 5) % 11)
        };
        (0..3).map(line).collect::<String>()
    };
    (0..10).map(query).collect()
}

const EXPERIMENT: &str = r#"
    name = "mine"
    [[dataset]]
    path = "data/all.txt"
    layout = "one-file"
    label = "mine"
    allow = ["label-feature", "identical-vectors"]
    [[ranker]]
    kind = "linear"
    [evaluation]
    measures = ["ndcg"]
    cutoffs = [2]
"#;

const NAMES: &str = "1\tclick rate\tclicks\n2\tlanguage\n3\tclick rate of the last month\tclicks\n";

/// A folder with data and an experiment.
fn folder(data: &str) -> tempfile::TempDir {
    let folder = directory(&[("mine.toml", EXPERIMENT)]);
    std::fs::create_dir(folder.path().join("data")).unwrap();
    std::fs::write(folder.path().join("data/all.txt"), data).unwrap();
    folder
}

const MODEL: &str = "runs/mine/models/mine/fold1/linear.json";

#[test]
fn features_have_the_names_of_a_file_beside_the_data() {
    let folder = folder(&documents());
    let at = folder.path();
    std::fs::write(at.join("data/features.txt"), NAMES).unwrap();
    stdout(at, "run mine.toml");
    let features = json(at, &format!("importance {MODEL} --json"));
    let of = |id: u32| features.as_array().unwrap().iter().find(|feature| feature["feature"] == id).unwrap();
    assert_eq!((&of(1)["name"], of(4).get("name")), (&"click rate".into(), None));
    let text = stdout(at, &format!("importance {MODEL}"));
    assert!(text.lines().next().unwrap().ends_with("Name") && text.contains("click rate of the last month"), "{text}");
    let text = stdout(at, &format!("explain {MODEL} --data data/all.txt --query 3"));
    assert!(text.contains("1 (click rate)"), "{text}");
    let text = stdout(at, "lint data/all.txt");
    assert!(text.contains("1: 2 (language)"), "{text}");
    assert!(text.contains("1 (click rate) = 3 (click rate of the last month)"), "{text}");
    // A model without a run takes the names that the user gives.
    stdout(at, "train --ranker linear --train data/all.txt -o model.json");
    assert!(!stdout(at, "importance model.json").contains("click"));
    let text = stdout(at, "importance model.json --feature-names data/features.txt");
    assert!(text.contains("click rate"), "{text}");
    assert!(stdout(at, "importance model.json --feature-names mq2008").contains("TF of body"));
    let message = stderr(at, "importance model.json --feature-names letter4", 2);
    assert!(message.contains("`letter4` names no features") && message.contains("letor4, mslr"), "{message}");
}

#[test]
fn comments_at_the_head_of_the_data_name_features() {
    let folder = folder(&format!("# 1: click rate\n# 2: language\n{}", documents()));
    let at = folder.path();
    stdout(at, "run mine.toml");
    assert!(stdout(at, &format!("importance {MODEL}")).contains("click rate"));
    assert!(stdout(at, "lint data/all.txt").contains("2 (language)"));
}

#[test]
fn a_file_that_names_nothing_is_told_and_a_list_that_was_asked_for_must_exist() {
    let folder = folder(&documents());
    let at = folder.path();
    std::fs::write(at.join("data/features.txt"), "1\ta\n1\tb\n").unwrap();
    let text = stderr(at, "run mine.toml", 0);
    assert!(text.contains("features.txt does not name the features: line 2: feature 1 has a name already"), "{text}");
    let asked = EXPERIMENT.replace("label = \"mine\"", "label = \"mine\"\nfeature_names = \"letor5\"");
    std::fs::write(at.join("asked.toml"), asked).unwrap();
    let text = stderr(at, "run asked.toml --out other", 2);
    assert!(text.contains("did you mean \"letor4\"?"), "{text}");
}

/// The names of LETOR 4.0 beside its data: the inverse document frequencies are the same for all
/// documents of a query, so LETOR's scaling by query made them constant.
#[test]
fn known_collections_have_the_names_of_their_publishers() {
    let Some(data) = real_data() else { return };
    let text = stdout(Path::new(&data), "lint mq2008");
    assert!(text.contains("6 (IDF of body), 7 (IDF of anchor)"), "{text}");
    let text = stdout(Path::new(&data), "datasets mslr-web10k");
    assert!(text.contains("LMIR.ABS"), "{text}");
}
