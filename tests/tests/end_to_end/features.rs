//! Tests the names of features, and the features that a ranker chooses.

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

/// Rankers of each kind of model: weights, trees, a network; with and without a normaliser.
const RANKERS: &str = r#"
    [[ranker]]
    kind = "linear"
    normalise = { method = "z-score", over = "train" }
    [[ranker]]
    kind = "mart"
    params = { trees = 3, leaves = 3, min_documents = 1 }
    normalise = { method = "min-max", over = "query" }
    [[ranker]]
    kind = "ranknet"
    params = { epochs = 3 }
    [[ranker]]
    kind = "random-forest"
    params = { bags = 3, features = 0.6 }
"#;

fn experiment(rankers: &str) -> String {
    let (head, rest) = EXPERIMENT.split_once("[[ranker]]").unwrap();
    let (_, evaluation) = rest.split_once("[evaluation]").unwrap();
    format!("{head}{rankers}[evaluation]{evaluation}")
}

/// A chosen feature counts as if the files had no other feature: scores are the same, bit for bit.
#[test]
fn a_choice_of_features_is_the_same_as_a_file_of_these_features() {
    let full = folder(&documents());
    let narrow = folder(&documents().replace(" 2:7", "").replace(" 3:", " 2:").replace(" 4:", " 3:"));
    let chosen = RANKERS.replace("[[ranker]]", "[[ranker]]\nfeatures = { without = [\"language\"] }");
    std::fs::write(full.path().join("data/features.txt"), NAMES).unwrap();
    std::fs::write(full.path().join("mine.toml"), experiment(&chosen)).unwrap();
    std::fs::write(narrow.path().join("mine.toml"), experiment(RANKERS)).unwrap();
    for at in [full.path(), narrow.path()] {
        stdout(at, "run mine.toml");
    }
    let scores = |at: &Path, ranker: &str, fold: usize| {
        std::fs::read_to_string(at.join(format!("runs/mine/scores/mine/fold{fold}/{ranker}.txt"))).unwrap()
    };
    for ranker in ["linear", "mart", "ranknet", "random-forest"] {
        for fold in 1..=5 {
            assert_eq!(scores(full.path(), ranker, fold), scores(narrow.path(), ranker, fold), "{ranker} {fold}");
        }
    }
    // The saved models score documents with all features, and have the numbers of the file.
    let at = full.path();
    stdout(at, "verify runs/mine");
    let importance = json(at, &format!("importance {MODEL} --json"));
    let of = |id: u32| importance.as_array().unwrap().iter().find(|feature| feature["feature"] == id).unwrap();
    assert_eq!((importance.as_array().unwrap().len(), &of(2)["importance"]), (4, &0.0.into()));
    let text = stdout(at, &format!("explain {} --data data/all.txt --query 3", MODEL.replace("linear", "mart")));
    assert!(text.contains("1 (click rate)") || text.contains("3 (click rate of the last month)"), "{text}");
    // A model for another program has all features too.
    stdout(at, &format!("export {MODEL} --format ranklib -o linear.txt"));
    let written = std::fs::read_to_string(at.join("linear.txt")).unwrap();
    assert!(written.contains("4:"), "{written}");
}

#[test]
fn jobs_of_other_rankers_stay_when_a_ranker_chooses_features() {
    let folder = folder(&documents());
    let at = folder.path();
    stdout(at, "run mine.toml");
    let one = "[[ranker]]\nkind = \"linear\"\n";
    let second = format!("{one}{one}label = \"chosen\"\nfeatures = {{ only = [4, \"1-2\"] }}\n");
    std::fs::write(at.join("mine.toml"), experiment(&second)).unwrap();
    let done = json(at, "run mine.toml --json");
    assert_eq!((&done["reused"], &done["done"]), (&5.into(), &5.into()), "{done}");
    let record = std::fs::read_to_string(at.join("runs/mine/jobs/mine/fold1/chosen.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["inputs"]["features"], serde_json::json!([1, 2, 4]));
    let page = std::fs::read_to_string(at.join("runs/mine/report.html")).unwrap();
    assert!(page.contains("only feature 4 and features 1-2"));
}

#[test]
fn a_command_gets_the_chosen_features_under_their_numbers() {
    let folder = folder(&documents());
    let at = folder.path();
    let command = r#"[[ranker]]
    kind = "command"
    label = "last"
    features = { only = [1, 4] }
    params = { argv = ["sh", "-c", "! grep -q ' [23]:' \"$0\" && sed 's/.* 4:\\([0-9.]*\\).*/\\1/' \"$0\" > \"$1\"", "{test}", "{scores}"] }
"#;
    std::fs::write(at.join("mine.toml"), experiment(command)).unwrap();
    stdout(at, "run mine.toml");
}

#[test]
fn a_choice_of_features_that_do_not_exist_is_underlined() {
    let folder = folder(&documents());
    let at = folder.path();
    std::fs::write(at.join("data/features.txt"), NAMES).unwrap();
    for (ranker, expected) in [
        ("kind = \"linear\"\nfeatures = { only = [1, \"langage\"] }", ["`langage`", "did you mean `language`?"]),
        ("kind = \"linear\"\nfeatures = { without = [\"group:links\"] }", ["`links`", "clicks"]),
        ("kind = \"linear\"\nfeatures = { without = [5] }", ["there is no feature 5 of data set `mine`", "1 to 4"]),
        ("kind = \"linear\"\nfeatures = { only = [] }", ["`only` names no feature", "or leave out"]),
        ("kind = \"linear\"\nfeatures = { onyl = [1] }", ["onyl", "only"]),
        (
            "kind = \"feature\"\nparams = { feature = 1 }\nfeatures = { only = [1] }",
            ["its parameter `feature`", "leave out"],
        ),
        (
            "kind = \"scores\"\nparams = { path = \"{fold}\" }\nfeatures = { only = [1] }",
            ["sees no features", "features"],
        ),
    ] {
        std::fs::write(at.join("mine.toml"), experiment(&format!("[[ranker]]\n{ranker}\n"))).unwrap();
        let text = stderr(at, "run mine.toml", 2);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(expected.iter().all(|part| words.contains(part)), "{ranker}\n{text}");
        assert!(text.contains("mine.toml:"), "{text}");
    }
}
