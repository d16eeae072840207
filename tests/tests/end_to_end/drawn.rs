//! Values that are means over random orders: wherever they are shown, their standard error is too.

use serde_json::Value;

use crate::harness::{directory, json, stdout};

const SAID: &str = "are means over 1000 random orders; their standard error is at most";

/// Six queries of 24 documents with grades 0, 1 and 2, and scores with ties: `inst` has no exact
/// mean.
fn data() -> (String, String) {
    let grade = |row: usize| row * row % 3 % 2 + usize::from(row.is_multiple_of(5));
    let document = |row: usize| (format!("{} qid:{} 1:{row}\n", grade(row), row / 24), format!("{}\n", row % 24 / 6));
    (0..144).map(document).unzip()
}

#[test]
fn eval_explain_and_compare_print_the_standard_errors_of_drawn_values() {
    let (letor, scores) = data();
    let folder = directory(&[("test.txt", &letor), ("a.txt", &scores), ("b.txt", &scores.replace('3', "9"))]);
    let at = folder.path();
    let files = "eval --data test.txt --scores a.txt --measures inst,inst.v2,nerr8@5,ndcg@5,iprec.v2,bpm.v1@5";
    // In CSV, a note is not broken into lines.
    let table = stdout(at, &format!("{files} --format csv"));
    let line = table.lines().find(|line| line.contains("inst: some") && line.contains(SAID));
    let line = line.unwrap_or_else(|| panic!("{table}"));
    assert!(line.contains("for inst,") && line.contains("for inst.v2"), "{line}");
    // These have exact means.
    assert!(
        !table.lines().any(|line| line.contains(SAID) && (line.contains("iprec") || line.contains("bpm"))),
        "{table}"
    );
    let found = json(at, &format!("{files} --json"));
    let error = |measure: &str| {
        let means = found["means"].as_array().unwrap();
        means.iter().find(|mean| mean["measure"] == measure).unwrap()["standard_error"].clone()
    };
    let drawn = error("inst.v2").as_f64().unwrap();
    assert!(drawn > 0.0 && drawn < 0.02, "{found}");
    assert_eq!((error("ndcg@5"), error("iprec.v2")), (Value::Null, Value::Null));

    let told = stdout(at, "explain test.txt a.txt --measure inst.v2 --query 3 --format csv");
    assert!(told.contains(SAID), "{told}");
    stdout(at, "compare --data test.txt --scores a.txt b.txt --measure inst.v2 ndcg@5 --out m");
    let read = |file: &str| std::fs::read_to_string(at.join(file)).unwrap();
    assert!(read("m/report.html").contains(SAID));
    assert!(read("m/tables/scores-inst.v2.md").contains(SAID));
}

#[test]
fn the_tables_the_page_and_the_manifest_of_a_run_have_the_standard_errors() {
    let experiment = "name = \"drawn\"\nseed = 3\n[[dataset]]\nlabel = \"made\"\n\
         synthetic = { shape = \"mq2007\", queries = 30 }\n[[ranker]]\nkind = \"linear\"\n[[ranker]]\nkind = \"random\"\n\
         [evaluation]\ncutoffs = [5]\nmeasures = [\"ndcg\", \"inst\"]\n[query_sets]\nuninformative = 5\nideal = 5\n";
    let folder = directory(&[("e.toml", experiment)]);
    let at = folder.path();
    let shown = stdout(at, "run e.toml").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("on made are means over 1000 random orders"), "{shown}");
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(at.join("runs/drawn/manifest.json")).unwrap()).unwrap();
    let errors = manifest["datasets"][0]["standard_errors"].as_array().unwrap();
    assert!(errors.iter().any(|own| own["measure"] == "inst.v2" && own["value"].as_f64().unwrap() > 0.0), "{errors:?}");
    assert!(errors.iter().all(|own| own["measure"].as_str().unwrap().starts_with("inst")), "{errors:?}");
    let page = std::fs::read_to_string(at.join("runs/drawn/report.html")).unwrap();
    assert!(page.contains(SAID));
    for entry in std::fs::read_dir(at.join("runs/drawn/tables")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".md") && (name.contains("-inst") || name.contains("-ndcg")) {
            let has = std::fs::read_to_string(&path).unwrap().contains(SAID);
            assert_eq!(has, name.contains("-inst"), "{name}");
        }
    }
    let verified = stdout(at, "verify runs/drawn");
    assert!(!verified.contains("differ"), "{verified}");
}
