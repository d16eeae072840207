//! `eval --format ndeval`, `gdeval` and `ir_measures`: what these programs print for a made run
//! (`tests/formats.py`), which has equal scores, documents and topics without judgements, topics
//! that it lacks, negative grades, and a topic without a relevant document.

use std::path::Path;

use crate::harness::{stderr, stdout};

const MEASURES: &str = "nDCG@10 AP P(rel=2)@5 RR R@10 Rprec Success@1 Bpref Judged@10 nDCG(dcg='exp-log2')@20 ERR@20 \
                        IPrec@0.5 SetP SetR SetF NumQ NumRet NumRel NumRelRet Compat(p=0.8)";

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/end_to_end/formats"))
}

fn expected(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

#[test]
fn the_bytes_are_those_of_ndeval() {
    let ours = stdout(folder(), "eval --qrels subtopics.txt --runs run.txt --format ndeval");
    assert_eq!(ours, expected("ndeval.csv"));
}

#[test]
fn the_bytes_are_those_of_gdeval() {
    let ours = stdout(folder(), "eval --qrels qrels.txt --runs run.txt --format gdeval");
    // Version 1.2a has no line of means; version 1.3 has this one.
    assert_eq!(ours, expected("gdeval.csv") + "made,amean,0.11615,0.10486\n");
}

/// The lines of a query stand in the order of the measures here; there, in no order.
#[test]
fn the_lines_are_those_of_ir_measures() {
    let arguments = format!("eval --qrels qrels.txt --runs run.txt --format ir_measures --measures {MEASURES}");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(stdout(folder(), &arguments), expected("ir_measures.txt"));
    let ours = stdout(folder(), &format!("{arguments} -q"));
    assert_eq!(sorted(&ours), sorted(&expected("ir_measures-q.txt")));
}

#[test]
fn values_of_diversity_are_printed_as_a_table_and_in_full() {
    let files = "eval --qrels subtopics.txt --runs run.txt --measures alpha_ndcg@20,strec@10,alpha_ndcg.v2@20";
    let table = stdout(folder(), files);
    assert!(table.contains("alpha_ndcg.v2@20") && table.contains("upper=greedy"), "{table}");
    assert!(table.contains("1 of 5 topics is missing from the run"), "{table}");
    let of_ndeval: Vec<Vec<String>> =
        expected("ndeval.csv").lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let column = of_ndeval[0].iter().position(|name| name == "alpha-nDCG@20").unwrap();
    let by_id = stdout(folder(), &format!("{files} --ties docid --json -q"));
    let json: serde_json::Value = serde_json::from_str(&by_id).unwrap();
    let values = json["values"].as_array().unwrap();
    for row in of_ndeval[1..].iter().filter(|row| ["3", "20", "100"].contains(&row[1].as_str())) {
        let own = values.iter().find(|value| value["query"] == row[1].as_str() && value["measure"] == "alpha_ndcg@20");
        let (ours, theirs) = (own.unwrap()["value"].as_f64().unwrap(), row[column].parse::<f64>().unwrap());
        assert!((ours - theirs).abs() < 1e-6, "{row:?}: {ours}");
    }
}

#[test]
fn what_does_not_fit_a_format_is_said() {
    let wrong = |arguments: &str| stderr(folder(), &format!("eval --qrels qrels.txt --runs run.txt {arguments}"), 2);
    assert!(wrong("--format ndeval --measures ap").contains("always prints the same measures"));
    assert!(wrong("--format gdeval --dialect ranx").contains("the conventions of gdeval"));
    assert!(wrong("--format ir_measures --depth 5").contains("--depth needs --format trec_eval"));
    assert!(wrong("--measures alpha_ndcg@10,ap").contains("`ap` does not look at subtopics"));
    assert!(wrong("--format ir_measures --measures NumRet(rel=x)").contains("NumRet(rel=2)"));
}

/// `gm_map` of trec_eval, which the fixture of DL19 has for every run, is the geometric mean of AP.
#[test]
fn geometric_means_have_a_floor_that_is_named() {
    let files = "eval --qrels qrels.txt --runs run.txt --dialect trec_eval --measures map,bpref";
    let table = stdout(folder(), &format!("{files} --mean geometric"));
    assert!(table.contains("geometric, exp(mean ln max(value, 0.00001))"), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&stdout(folder(), &format!("{files} --mean geometric --json"))).unwrap();
    let of_trec_eval = stdout(folder(), "eval --qrels qrels.txt --runs run.txt --format trec_eval -m gm_map gm_bpref");
    for (place, line) in of_trec_eval.lines().enumerate() {
        let theirs: f64 = line.rsplit('\t').next().unwrap().parse().unwrap();
        let ours = json["means"][place]["mean"].as_f64().unwrap();
        assert!((ours - theirs).abs() < 0.5001e-4, "{line}: {ours}");
    }
    let wrong = |arguments: &str| stderr(folder(), &format!("{files} {arguments}"), 2);
    assert!(wrong("ap.v2 --mean geometric").contains("`ap.v2` can be negative"));
    assert!(wrong("--mean geometric --format trec_eval").contains("the means are those of trec_eval"));
    assert!(
        stderr(folder(), "eval --qrels qrels.txt --runs run.txt --measures gm_map", 2).contains("--mean geometric")
    );
}

/// A topic that the run lacks counts as 0 also where the value of an empty list is undefined.
#[test]
fn missing_topics_count_as_zero_in_measures_of_sets() {
    let value = |options: &str| {
        let files = "eval --qrels qrels.txt --runs run.txt --measures set_p";
        let text = stdout(folder(), &format!("{files} --missing-topics zero {options} --json"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        (json["means"][0]["mean"].as_f64().unwrap(), json["means"][0]["queries"].as_u64().unwrap())
    };
    // 29 relevant of 120 documents in four topics of 30 documents each, and a topic without any.
    let (mean, queries) = value("--undefined skip");
    assert!((mean - 29.0 / 30.0 / 5.0).abs() < 1e-12 && queries == 5, "{mean} {queries}");
}
