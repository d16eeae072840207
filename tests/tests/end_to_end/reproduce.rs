//! Tests `fivefold reproduce`: a run beside printed tables.

use crate::harness::{directory, stderr, stdout};

const EXPERIMENT: &str = r#"
name = "small"
seed = 3
[[dataset]]
label = "A"
synthetic = { shape = "mq2007", queries = 30 }
[[ranker]]
label = "Ridge"
kind = "linear"
[[ranker]]
label = "Random"
kind = "random"
[evaluation]
measures = ["ndcg"]
cutoffs = [5, 10]
[query_sets]
uninformative = 5
ideal = 5
"#;

/// Printed scores and figures in one file. The paper calls ridge regression Linear.
const PUBLISHED: &str = r#"
[map]
Ridge = "Linear"

[[scores]]
table = 1
dataset = "a"
metric = "ndcg"
cutoffs = [5, 10]
values.Linear = [0.61, 0.65]
values.Random = [0.21, 0.25]

[[derived]]
table = 2
statistic = "discriminative_power"
dataset = "a"
metric = "ndcg"
all = 2
uninformative = 0

[[derived]]
table = 2
statistic = "discriminative_power"
dataset = "a"
metric = "ndcg.v2"
all = 2
uninformative = 1
"#;

#[test]
fn a_run_is_made_and_put_beside_the_paper() {
    let folder = directory(&[("small.toml", EXPERIMENT), ("paper.toml", PUBLISHED)]);
    let shown = stdout(folder.path(), "reproduce small.toml --against paper.toml --cells");
    for text in [
        "same winner",
        "Linear 0.6300",
        "0 → 1",
        "4 printed scores are compared with scores of the run",
        "Scores beside the paper's",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    // From the results folder, the output is the same.
    assert_eq!(stdout(folder.path(), "reproduce runs/small --against paper.toml --cells"), shown);
    let csv = stdout(folder.path(), "reproduce runs/small --against paper.toml --cells --format csv");
    let row = csv.lines().find(|line| line.starts_with("1,A,ndcg@5,Linear,0.61,")).unwrap();
    let numbers: Vec<f64> = row.split(',').skip(4).map(|cell| cell.parse().unwrap()).collect();
    assert!((numbers[1] - numbers[0] - numbers[2]).abs() < 1e-12, "{row}");
    // The figure of the run is the figure in its own table.
    let scores = std::fs::read_to_string(folder.path().join("runs/small/tables/table-03-ndcg-scores-a.csv")).unwrap();
    assert!(scores.lines().any(|line| line.starts_with(&format!("all,Ridge,{},", numbers[1]))), "{scores}\n{row}");
}

/// A method is also known by its kind, unless the run has two methods of this kind.
#[test]
fn methods_are_matched_by_kind_where_labels_differ() {
    let published = PUBLISHED.replace("Ridge =", "linear =");
    let twice = format!("{EXPERIMENT}[[ranker]]\nlabel = 'Ridge 2'\nkind = 'linear'\nparams = {{ lambda = 9.0 }}\n");
    let folder = directory(&[("small.toml", EXPERIMENT), ("twice.toml", &twice), ("paper.toml", &published)]);
    let shown = stdout(folder.path(), "reproduce small.toml --against paper.toml");
    assert!(shown.contains("our methods and the paper's: Ridge is Linear"), "{shown}");
    assert!(shown.contains("Linear 0.6300"), "{shown}");
    let shown = stdout(folder.path(), "reproduce twice.toml --out twice --against paper.toml");
    assert!(shown.contains("methods of the paper that the run has not: Linear"), "{shown}");
}

#[test]
fn another_data_set_stands_for_the_papers_with_a_warning() {
    let published = PUBLISHED.replace("\"a\"", "\"other\"");
    let folder = directory(&[("small.toml", EXPERIMENT), ("paper.toml", &published)]);
    let message = stderr(folder.path(), "reproduce small.toml --against paper.toml", 2);
    assert!(
        message.contains("no data set of the run (A) has the name of a data set of the paper (other)"),
        "{message}"
    );
    assert!(message.contains("--map OURS=THEIRS"), "{message}");
    let shown = stdout(folder.path(), "reproduce runs/small --against paper.toml --map A=other");
    assert!(shown.contains("A stands for the paper's other") && shown.contains("no score is compared"), "{shown}");
    assert!(shown.contains("A (for other)"), "{shown}");
    let wrong = stderr(folder.path(), "reproduce runs/small --against paper.toml --map B=other", 2);
    assert!(wrong.contains("the mapping `B=other` names nothing"), "{wrong}");
}
