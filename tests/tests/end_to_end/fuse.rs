//! Tests `fuse` against ranx on real runs, and by hand.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::harness::{assert_same_content, directory, json, real_data, run, stderr, stdout};

/// Two runs: document b has the ranks 2 and 1, and c stands in the second run alone.
const FIRST: &str = "1 Q0 a 1 9.0 x\n1 Q0 b 2 5.0 x\n2 Q0 a 1 1.0 x\n";
const SECOND: &str = "1 Q0 b 1 0.8 y\n1 Q0 c 2 0.2 y\n";

/// The fused scores of a run, by topic and document.
fn scores(run: &str) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut topics: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for line in run.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let earlier =
            topics.entry(fields[0].to_owned()).or_default().insert(fields[2].to_owned(), fields[4].parse().unwrap());
        assert_eq!(earlier, None, "{line}");
    }
    topics
}

#[test]
fn two_runs_by_hand() {
    let at = directory(&[("first.run", FIRST), ("second.run", SECOND)]);
    let fused = stdout(at.path(), "fuse first.run second.run --k 1 --tag mine");
    let (a, b, c) = (0.5, 1.0 / 3.0 + 0.5, 1.0 / 3.0);
    assert_eq!(fused, format!("1 Q0 b 1 {b} mine\n1 Q0 a 2 {a} mine\n1 Q0 c 3 {c} mine\n2 Q0 a 1 0.5 mine\n"));
    // Min-max: a 1, b 0 in the first run; b 1, c 0 in the second. Equal scores: descending ids.
    let fused = stdout(at.path(), "fuse first.run second.run --method comb-sum --weights 1,1 --depth 2");
    assert_eq!(fused, "1 Q0 b 1 1 comb-sum\n1 Q0 a 2 1 comb-sum\n2 Q0 a 1 0 comb-sum\n");
    // A run of weight 0 is left out, and its documents too.
    let fused = stdout(at.path(), "fuse first.run second.run --method borda --weights 0,2");
    assert_eq!(fused, "1 Q0 b 1 4 borda\n1 Q0 c 2 2 borda\n");
}

#[test]
fn ties_follow_the_rule_that_is_asked_for() {
    let at = directory(&[("first.run", "1 Q0 a 1 2 x\n1 Q0 b 2 2 x\n"), ("second.run", "1 Q0 z 1 2 x\n")]);
    let of = |ties: &str| {
        let fused = scores(&stdout(at.path(), &format!("fuse first.run second.run --k 0 --ties {ties}")));
        (fused["1"]["a"], fused["1"]["b"])
    };
    assert_eq!((of("average"), of("file"), of("trec_eval")), ((0.75, 0.75), (1.0, 0.5), (0.5, 1.0)));
}

#[test]
fn what_was_done_is_told() {
    let at = directory(&[("first.run", FIRST), ("second.run", SECOND)]);
    let output = run(at.path(), "fuse first.run second.run -o fused.run --method comb-mnz --normalise z-score");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "note: second.run: 1 topic of the other runs is missing\n");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "fused.run: 2 runs fused by comb-mnz of z-score scores, 2 topics, 4 lines\n"
    );
    let told = json(at.path(), "fuse first.run second.run -o fused.run --phi 0.5 --method rbc --json");
    assert_eq!((&told["method"], &told["parameter"], &told["topics"]), (&"rbc".into(), &0.5.into(), &2.into()));
    assert_eq!(told["remarks"][0], "second.run: 1 topic of the other runs is missing");
}

#[test]
fn settings_that_would_have_no_effect_are_refused() {
    let at = directory(&[("first.run", FIRST), ("second.run", SECOND), ("other.txt", "keep me\n")]);
    for (arguments, expected) in [
        ("first.run", "give two or more runs"),
        ("first.run second.run --weights 1", "1 weight for 2 runs"),
        ("first.run second.run --weights 0,0", "all weights are 0"),
        ("first.run second.run --weights=1,-1", "the weight -1 is not a number of at least 0"),
        ("first.run second.run --method isr --k 3", "`k` has no effect on isr; it belongs to rrf"),
        ("first.run second.run --normalise max", "rrf uses ranks"),
        ("first.run second.run --method rbc --phi 2", "must lie between 0 and 1"),
        ("first.run second.run --json", "say where the run goes"),
        ("first.run second.run -o first.run", "is an input of this command"),
        ("first.run second.run -o other.txt", "is not a TREC run"),
        ("first.run second.run --tag=a\u{7}b", "one word"),
        ("first.run second.run --method rff", "a similar value exists: 'rrf'"),
        ("first.run missing.run", "missing.run"),
    ] {
        let text = stderr(at.path(), &format!("fuse {arguments}"), 2).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{arguments}\n{text}");
    }
    assert_eq!(std::fs::read_to_string(at.path().join("other.txt")).unwrap(), "keep me\n");
    let negative = directory(&[("first.run", "1 Q0 a 1 -2 x\n"), ("second.run", SECOND)]);
    let text = stderr(negative.path(), "fuse first.run second.run --method comb-sum --normalise max", 2);
    assert!(text.contains("topic 1") && text.contains("take min-max or z-score"), "{text}");
}

fn near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found} {expected}");
}

/// Compares with what ranx printed of a topic: the number of documents, the sum of the scores, the
/// sum of their squares, and for some topics the best documents.
fn compare(found: &BTreeMap<String, f64>, expected: &Value, what: &str) {
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(found.len() as u64, expected[0].as_u64().unwrap(), "{what}");
    near(found.values().sum(), number(&expected[1]), what);
    near(found.values().map(|score| score * score).sum(), number(&expected[2]), what);
    for best in expected[3].as_array().unwrap() {
        near(found[best[0].as_str().unwrap()], number(&best[1]), what);
    }
}

/// ranx 0.3.21 on six runs of TREC 2019 deep learning; `fuse/reference.py` made `ranx.json`.
#[test]
fn methods_give_the_scores_of_ranx() {
    let Some(data) = real_data() else { return };
    let reference: Value = serde_json::from_str(include_str!("fuse/ranx.json")).unwrap();
    let folder = data.join("trec/dl19/runs");
    let runs: Vec<String> = reference["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| folder.join(run.as_str().unwrap()).display().to_string())
        .collect();
    let methods = reference["fused"].as_object().unwrap();
    assert_eq!((runs.len(), methods.len()), (6, 17));
    for (method, topics) in methods {
        let at = directory(&[]);
        let fused = scores(&stdout(at.path(), &format!("fuse {} --method {method} --depth 100000", runs.join(" "))));
        let topics = topics.as_object().unwrap();
        assert_eq!((fused.len(), topics.len()), (43, 43), "{method}");
        topics.iter().for_each(|(topic, expected)| compare(&fused[topic], expected, &format!("{method} {topic}")));
    }
}

const EXPERIMENT: &str = r#"
name = "fused"
[[dataset]]
label = "made"
synthetic = { shape = "mq2007", queries = 20 }
[[ranker]]
label = "Fused"
kind = "fusion"
params = { of = ["Ridge", "Feature"], method = "rrf", k = 10 }
[[ranker]]
label = "Ridge"
kind = "linear"
[[ranker]]
label = "Feature"
kind = "feature"
params = { feature = 25 }
[evaluation]
measures = ["ndcg"]
cutoffs = [10]
"#;

fn lines(path: &Path) -> Vec<f64> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}

/// The mean of 1 / (10 + rank) over the ranks that a score shares, computed pair by pair.
fn reciprocal(scores: &[f64], own: f64) -> f64 {
    let before = scores.iter().filter(|other| **other > own).count();
    let same = scores.iter().filter(|other| **other == own).count();
    (before + 1..=before + same).map(|rank| 1.0 / (10.0 + rank as f64)).sum::<f64>() / same as f64
}

/// The number of documents of each query of a LETOR file, in order.
fn sizes(letor: &Path) -> Vec<usize> {
    let text = std::fs::read_to_string(letor).unwrap();
    let queries: Vec<&str> = text.lines().map(|line| line.split(' ').nth(1).unwrap()).collect();
    queries.chunk_by(|one, next| one == next).map(<[&str]>::len).collect()
}

#[test]
fn a_fusion_is_a_ranker_of_an_experiment() {
    let at = directory(&[("fused.toml", EXPERIMENT)]);
    let listed = stdout(at.path(), "jobs fused.toml");
    assert_eq!(listed.lines().filter(|line| line.contains("stage 1") && line.contains("Fused")).count(), 5, "{listed}");
    let out = stdout(at.path(), "run fused.toml --out one --threads 1");
    assert!(out.contains("15 jobs, 0 failed"), "{out}");
    stdout(at.path(), "run fused.toml --out two --threads 3");
    assert_same_content(&at.path().join("one"), &at.path().join("two"));

    stdout(at.path(), "make --shape mq2007 --queries 20 --out made");
    for fold in 1..=5 {
        let scores = |label: &str| lines(&at.path().join(format!("one/scores/made/fold{fold}/{label}.txt")));
        let (fused, members) = (scores("Fused"), [scores("Ridge"), scores("Feature")]);
        let mut first = 0;
        for size in sizes(&at.path().join(format!("made/Fold{fold}/test.txt"))) {
            for document in first..first + size {
                let points = |own: &Vec<f64>| reciprocal(&own[first..first + size], own[document]);
                near(fused[document], members.iter().map(points).sum(), "fused");
            }
            first += size;
        }
        assert_eq!(first, fused.len());
    }
    let verified = stdout(at.path(), "verify one");
    assert!(verified.contains("scores from models  15   0"), "{verified}");
}

#[test]
fn a_fusion_is_done_again_if_one_of_its_rankers_changes() {
    let at = directory(&[("fused.toml", EXPERIMENT)]);
    stdout(at.path(), "run fused.toml --out out");
    let reused = |text: &str| {
        std::fs::write(at.path().join("fused.toml"), text).unwrap();
        let run = json(at.path(), "jobs fused.toml --out out --json");
        let done = |job: &&Value| job["state"] == "done";
        run.as_array()
            .unwrap()
            .iter()
            .filter(done)
            .map(|job| job["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let altered = EXPERIMENT.replace("kind = \"linear\"", "kind = \"linear\"\nparams = { lambda = 3.0 }");
    let left = reused(&altered);
    assert!(left.len() == 5 && left.iter().all(|id| id.ends_with("/Feature")), "{left:?}");
    // A new setting of the fusion alters no other job.
    let left = reused(&EXPERIMENT.replace("k = 10", "k = 11"));
    assert!(left.len() == 10 && !left.iter().any(|id| id.ends_with("/Fused")), "{left:?}");
}

#[test]
fn a_fusion_alone_says_which_results_it_lacks() {
    let at = directory(&[("fused.toml", EXPERIMENT)]);
    let output = run(at.path(), "job fused.toml made/fold1/Fused --out out");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("made/fold1/Ridge, which it combines, has no result yet; run that job first"), "{text}");
    for job in ["Ridge", "Feature", "Fused"] {
        stdout(at.path(), &format!("job fused.toml made/fold1/{job} --out out"));
    }
}

#[test]
fn wrong_members_and_settings_of_a_fusion_are_underlined() {
    for (from, to, expected) in [
        (r#"["Ridge", "Feature"]"#, r#"["Ridge", "Featur"]"#, "no ranker has this label; there are Ridge, Feature"),
        (r#"["Ridge", "Feature"]"#, r#"["Ridge", "Fused"]"#, "which is a fusion itself"),
        (r#"["Ridge", "Feature"]"#, r#"["Ridge"]"#, "two or more rankers"),
        (r#"["Ridge", "Feature"]"#, r#"["Ridge", "Ridge"]"#, "names `Ridge` twice"),
        ("k = 10", "phi = 0.5", "`phi` has no effect on rrf; it belongs to rbc"),
        ("k = 10", "weights = [1.0]", "`weights` has 1 numbers for the 2 rankers"),
        ("k = 10", r#"normalise = "max""#, "rrf uses ranks"),
        ("k = 10", "depth = 10", "unknown key `depth`"),
        ("\"rrf\"", "\"rff\"", "did you mean `rrf`?"),
        (
            "kind = \"fusion\"",
            "kind = \"fusion\"\nnormalise = { method = \"z-score\", over = \"query\" }",
            "which sees no features",
        ),
    ] {
        assert!(EXPERIMENT.contains(from));
        let at = directory(&[("fused.toml", &EXPERIMENT.replacen(from, to, 1))]);
        let text = stderr(at.path(), "run fused.toml", 2).replace(['│', '·', '╭', '╰', '─'], " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected) && text.contains("fused.toml"), "{to}\n{text}");
    }
}
