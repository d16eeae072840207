//! Tests `diff`: rules worked out by hand, exit codes, results folders.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{directory, json, run, stderr, stdout};

/// Four queries: the first has its only relevant document at rank 2, the second has ties, the third
/// has no relevant document, and the fourth is shorter than the cutoff.
fn queries() -> tempfile::TempDir {
    directory(&[
        (
            "test.txt",
            "0 qid:late 1:0 #docid = a\n2 qid:late 1:0 #docid = b\n0 qid:late 1:0 #docid = c\n\
             1 qid:tied 1:0 #docid = a\n0 qid:tied 1:0 #docid = b\n0 qid:tied 1:0 #docid = c\n\
             0 qid:none 1:0 #docid = a\n0 qid:none 1:0 #docid = b\n0 qid:none 1:0 #docid = c\n\
             1 qid:short 1:0 #docid = a\n0 qid:short 1:0 #docid = b\n",
        ),
        ("s.txt", "3\n2\n1\n1\n1\n1\n3\n2\n1\n2\n1\n"),
        ("other.txt", "2\n3\n1\n1\n1\n1\n3\n2\n1\n2\n1.00000000001\n"),
    ])
}

/// The output as JSON. The exit code 1 says that the sides differ, 0 that they are equal.
fn difference(folder: &Path, arguments: &str, code: i32) -> Value {
    let output = run(folder, &format!("diff {arguments} --json"));
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn two_dialects_differ_by_their_rules() {
    let folder = queries();
    let output = run(folder.path(), "diff letor4 lightgbm --data test.txt --scores s.txt --measures ndcg@3,ap");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

/// The values are 1, 1, 0, 0 in letor4, and 1/log2(3), 1/log2(4), 0, 1 in trec_eval; there, c and b
/// stand before a. The rules that differ are the discount on `late`, ties on `tied` and the short
/// list on `short`. Gain has no effect, because only one grade has a gain.
#[test]
fn shares_of_the_rules_by_hand() {
    let folder = queries();
    let found = difference(folder.path(), "letor4 trec_eval --data test.txt --scores s.txt --measures ndcg@3", 1);
    let value = |cell: &Value| cell["number"]["value"].as_f64().unwrap();
    let rows = found[1]["rows"].as_array().unwrap();
    let share = |rule: &str| value(&rows.iter().find(|row| row[1]["text"] == rule).unwrap()[5]);
    let discount = (1.0 / libm::log2(3.0) - 1.0) / 4.0;
    // With ties by id, the document is at rank 3. The discount is then 1/log2(3) by letor and 1/2
    // by log2. Each of the two rules gets half of their joint effect on this query.
    let (ties, both) = (1.0 / libm::log2(3.0) - 1.0, 0.5 - 1.0);
    let of_discount = (both - ties) / 2.0;
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    near(share("discount"), discount + of_discount / 4.0);
    near(share("ties"), (ties + (both - 0.0)) / 2.0 / 4.0);
    near(share("short_list"), 0.25);
    near(share("gain"), 0.0);
    assert_eq!(found[2]["rows"].as_array().unwrap().len(), 3);
}

/// Under averaged ties, the tied query has (1 + 1/log2(3) + 1/2)/3 in both dialects. Only letor's
/// discount would make a difference.
#[test]
fn options_that_change_both_dialects_are_shown() {
    let folder = queries();
    let files = "--data test.txt --scores s.txt --measures ndcg@3";
    let found = difference(folder.path(), &format!("letor4 trec_eval --ties average {files}"), 1);
    assert_eq!(
        (&found[0]["columns"][1], &found[0]["columns"][2]),
        (&"letor4 (changed)".into(), &"trec_eval (changed)".into())
    );
    let notes: Vec<&str> = found[0]["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    for note in ["dialect: letor4, but ties=average", "dialect: trec_eval, but ties=average"] {
        assert!(notes.contains(&note), "{notes:?}");
    }
    let rules = found[1]["rows"].as_array().unwrap();
    assert!(!rules.is_empty() && rules.iter().all(|row| row[1]["text"] != "ties"), "{rules:?}");
    let eval = json(folder.path(), &format!("eval --dialect letor4 --ties average {files} --json"));
    assert!(eval.to_string().contains(&found[0]["rows"][0][1]["number"]["value"].to_string()), "{eval}");
    let plain = difference(folder.path(), &format!("letor4 trec_eval {files}"), 1);
    assert_eq!(plain[0]["columns"][1], "letor4");

    let error = stderr(folder.path(), &format!("diff letor4 trec_eval --dialect mslr {files}"), 2);
    assert!(error.contains("--dialect has no effect"), "{error}");
    std::fs::create_dir(folder.path().join("a")).unwrap();
    let error = stderr(folder.path(), "diff a a --ties docid --dialect mslr --measures ap", 2);
    assert!(error.contains("--measures and --dialect and an option of a convention have no effect"), "{error}");
    let error = stderr(folder.path(), "diff a a --scores s.txt", 2);
    assert!(
        error.contains("results folders hold their own values and conventions, so that --scores has no effect"),
        "{error}"
    );
    let error = stderr(folder.path(), "diff s.txt other.txt --data test.txt --scores s.txt --without-data", 2);
    assert!(error.contains("--scores and --without-data have no effect"), "{error}");
}

#[test]
fn equal_dialects_and_files_end_with_0() {
    let folder = queries();
    difference(folder.path(), "letor4 letor4 --data test.txt --scores s.txt", 0);
    difference(folder.path(), "s.txt s.txt --data test.txt", 0);
    let said = "no value differs: 4 queries under 2 measures compared\n";
    for arguments in ["letor4 letor4 --data test.txt --scores s.txt", "s.txt s.txt --data test.txt"] {
        let shown = stdout(folder.path(), &format!("diff {arguments}"));
        assert!(shown.contains(said) && !shown.contains("no rows") && !shown.contains("The first queries"), "{shown}");
        // In JSON, every table is in its place, also an empty table.
        let tables = json(folder.path(), &format!("diff {arguments} --json"));
        assert!(tables.as_array().unwrap().last().unwrap()["rows"].as_array().unwrap().is_empty());
    }
    assert!(stdout(folder.path(), "diff s.txt s.txt --data test.txt --format md").starts_with(&format!("- {said}")));
    assert!(stdout(folder.path(), "diff s.txt s.txt --data test.txt --format latex").starts_with(&format!("% {said}")));
    // With `--queries 0`, the queries are not compared, so the output must not say that no value
    // differs.
    let shown = run(folder.path(), "diff s.txt other.txt --data test.txt --queries 0").stdout;
    assert!(!String::from_utf8(shown).unwrap().contains("no value differs"));
}

#[test]
fn two_score_files_part_at_a_rank() {
    let folder = queries();
    let output = run(folder.path(), "diff s.txt other.txt --data test.txt --measures ndcg@3,p@1");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

/// Qrels and runs of four topics. On topic 1, the pool is a, b, c; d has a negative grade and x is
/// not judged. There, a is at rank 3; with 64-bit scores, a is at rank 2, because b does not tie
/// with it. The run lacks topic 2. Topic 3 has no relevant document. On topic 4, both relevant
/// documents are on top.
fn topics() -> tempfile::TempDir {
    directory(&[
        ("qrels.txt", "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 d -1\n2 0 a 1\n3 0 a 0\n4 0 a 1\n4 0 b 1\n"),
        (
            "one.run",
            "1 Q0 x 1 3 t\n1 Q0 a 2 2.0000000001 t\n1 Q0 b 3 2 t\n1 Q0 d 4 1 t\n3 Q0 a 1 1 t\n4 Q0 b 1 1 t\n4 Q0 a 2 1 t\n4 Q0 y 3 0.5 t\n",
        ),
        ("other.run", "1 Q0 a 1 4 t\n1 Q0 x 2 3 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n4 Q0 a 1 1 t\n4 Q0 b 2 1 t\n"),
    ])
}

/// AP by hand: 1/3 / 2, left out, 0, 1 in trec_eval, and 1/2 / 2, 0, 0, 1 in ranx. The first mean
/// is 7/18. With the lacking topic counted as 0, this mean would be (1/6 + 1) / 4.
#[test]
fn dialects_differ_on_a_run_by_topics_that_it_lacks_and_by_32_bit_scores() {
    let folder = topics();
    let found = difference(folder.path(), "trec_eval ranx --qrels qrels.txt --run one.run --measures ap", 1);
    let value = |cell: &Value| cell["number"]["value"].as_f64().unwrap();
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    near(value(&found[0]["rows"][0][1]), 7.0 / 18.0);
    near(value(&found[0]["rows"][0][2]), 1.25 / 4.0);
    let rows = found[1]["rows"].as_array().unwrap();
    let share = |rule: &str| value(&rows.iter().find(|row| row[1]["text"] == rule).unwrap()[5]);
    let sum: f64 = ["ties", "scores", "missing_topics"].map(share).iter().sum();
    near(sum, 1.25 / 4.0 - 7.0 / 18.0);
    // Without the missing topic, there are three topics. The value of one topic rises by 1/12 if
    // scores or ties change.
    near(share("missing_topics"), {
        let mean = |first: f64, topics: f64| (first + 1.0) / topics;
        let effect = |first: f64| mean(first, 4.0) - mean(first, 3.0);
        // The rule is changed first in a third of the orders. In the other orders, one or both of
        // the other two rules are changed before it.
        effect(1.0 / 6.0) / 3.0 + effect(0.25) * 2.0 / 3.0
    });
    let lacking = &found[2]["rows"].as_array().unwrap()[1];
    assert_eq!((lacking[1]["text"].as_str(), lacking[2]["missing"].as_str()), (Some("2"), Some("left out")));
}

#[test]
fn two_runs_part_at_a_rank() {
    let folder = topics();
    let output = run(folder.path(), "diff one.run other.run --qrels qrels.txt --dialect trec_eval --measures ap");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
    // A run with its lines in another order is the same run if ties are averaged.
    let text = std::fs::read_to_string(folder.path().join("one.run")).unwrap();
    let turned: String = text.lines().rev().map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.path().join("turned.run"), turned).unwrap();
    difference(folder.path(), "one.run turned.run --qrels qrels.txt", 0);
    difference(folder.path(), "one.run turned.run --qrels qrels.txt --dialect ranx", 1);
}

#[test]
fn results_folders_differ_in_settings_and_values() {
    let folder = directory(&[(
        "e.toml",
        "name = 'e'\nseed = 1\n[[dataset]]\nlabel = 'made'\nmade = { shape = 'mq2007', queries = 25 }\n\
         [[ranker]]\nlabel = 'R'\nkind = 'linear'\nparams = { lambda = 1.0 }\n\
         [evaluation]\nmeasures = ['ndcg']\ncutoffs = [5]\n",
    )]);
    stdout(folder.path(), "run e.toml --out one");
    let text = std::fs::read_to_string(folder.path().join("e.toml")).unwrap();
    std::fs::write(folder.path().join("e.toml"), text.replace("lambda = 1.0", "lambda = 1000000.0")).unwrap();
    stdout(folder.path(), "run e.toml --out two");
    difference(folder.path(), "one one", 0);
    let shown = stdout(folder.path(), "diff one one");
    assert!(
        shown.starts_with(
            "no setting differs\nno value differs: 75 values in 3 columns of values compared\nA: one; B: one"
        ),
        "{shown}"
    );
    let found = difference(folder.path(), "one two", 1);
    let settings = found[0]["rows"].as_array().unwrap();
    assert!(settings.iter().any(|row| row[0]["text"].as_str().unwrap().ends_with("lambda")), "{settings:?}");
    let rows = found[1]["rows"].as_array().unwrap();
    let rules = found[2]["rows"].as_array().unwrap();
    assert!(
        !rows.is_empty() && rules.len() == 3 && rules.iter().all(|row| row[2]["text"] == "ranker's scores"),
        "{rules:?}"
    );

    // The values are the same, but the second run leaves undefined values out. So only the
    // undefined values differ. Both means have the same sum, divided by 25 or by the number of
    // defined values.
    std::fs::write(folder.path().join("e.toml"), text.replace("cutoffs = [5]", "cutoffs = [5]\nundefined = 'skip'"))
        .unwrap();
    stdout(folder.path(), "run e.toml --out three");
    let found = difference(folder.path(), "one three", 1);
    let number = |row: &Value, column: usize| row[column]["number"]["value"].as_f64().unwrap();
    let count = |row: &Value, column: usize| row[column]["count"].as_u64().unwrap();
    let rows = found[1]["rows"].as_array().unwrap();
    assert!(!rows.is_empty());
    let mut alone = 0;
    for row in rows {
        let (differing, undefined) = (count(row, 6), count(row, 7));
        assert!(differing == undefined && undefined > 0 && undefined == count(row, 8), "{row}");
        alone += undefined;
        let (zero, skip) = (number(row, 3), number(row, 4));
        assert!((zero * 25.0 - skip * (25 - undefined) as f64).abs() < 1e-9, "{row}");
    }
    let rules = found[2]["rows"].as_array().unwrap();
    assert!(!rules.is_empty() && rules.iter().all(|row| row[2]["text"] == "undefined"), "{rules:?}");
    let notes = found[1]["notes"].to_string();
    for note in [
        format!("{alone} values count in the means of A only, because the value is undefined on the other side, which leaves it out"),
        "B: undefined values: skip; mean over: queries; means are over the queries that both sides have; B leaves out queries whose value is undefined in B"
            .to_owned(),
    ] {
        assert!(notes.contains(&note), "{notes}");
    }
    let queries = found[3]["rows"].as_array().unwrap();
    assert!(!queries.is_empty());
    for row in queries {
        assert_eq!(row[5]["missing"], "undefined (0)", "{row}");
        assert_eq!((&row[6]["missing"], &row[7]["text"]), (&"left out".into(), &"undefined".into()), "{row}");
    }
    // The rule `undefined` can be told without the data, and the result is the same.
    let without = difference(folder.path(), "one three --without-data", 1);
    assert_eq!(without, found);
    // If other values differ too, the remaining difference is one entry, `not told`.
    let both = difference(folder.path(), "two three --without-data", 1);
    let rules = both[2]["rows"].as_array().unwrap();
    let names = ["undefined", "not told"];
    assert!(rules.iter().enumerate().all(|(row, rule)| rule[2]["text"] == names[row % 2]), "{rules:?}");
    assert!(
        !rules.is_empty()
            && both[2]["notes"].to_string().contains(
                "made: the effect of rules other than `undefined` and `fold_mean` is unknown (--without-data was given)"
            )
    );
    let shown = String::from_utf8(run(folder.path(), "diff one two --without-data").stdout).unwrap();
    assert!(
        shown.contains("made: the rules that cause the difference are unknown (--without-data was given)"),
        "{shown}"
    );
    assert!(!shown.contains("The rules that cause the difference") && shown.contains("not told"), "{shown}");
}

/// Only query a has two grades above 0. Let d = 1/log2(3). Under exponential gains, its nDCG@3 is
/// (1 + 3d)/(3 + d) for R and (3 + 1/2)/(3 + d) for S. Under linear gains, it is (1 + 2d)/(2 + d)
/// for R and (2 + 1/2)/(2 + d) for S. The other queries have one grade, so the gain cancels except
/// for rounding.
#[test]
fn rules_and_rounding_between_results_folders() {
    let test = "1 qid:a 1:1\n2 qid:a 1:2\n0 qid:a 1:0\n0 qid:b 1:3\n2 qid:b 1:2\n2 qid:b 1:0\n2 qid:b 1:7\n2 qid:c 1:3\n0 qid:c 1:2\n2 qid:c 1:0\n";
    let train = "1 qid:t 1:1\n0 qid:t 1:0\n";
    let experiment = "name = 'e'\nseed = 1\n[[dataset]]\nlabel = 'D'\npath = '.'\nlayout = 'train-test'\nfiles = ['train.txt', 'test.txt']\n\
         [[ranker]]\nlabel = 'R'\nkind = 'scores'\nparams = { path = 'r{fold}.txt' }\n\
         [[ranker]]\nlabel = 'S'\nkind = 'scores'\nparams = { path = 's{fold}.txt' }\n\
         [evaluation]\nmeasures = ['ndcg']\nversions = ['original']\ncutoffs = [3]\n";
    let folder = directory(&[
        ("train.txt", train),
        ("test.txt", test),
        ("r1.txt", "3\n2\n1\n4\n3\n2\n1\n3\n2\n1\n"),
        ("s1.txt", "1\n3\n2\n1\n4\n3\n2\n1\n3\n2\n"),
        ("e.toml", experiment),
        ("f.toml", &experiment.replace("measures", "gain = 'linear'\nmeasures")),
    ]);
    stdout(folder.path(), "run e.toml --out one");
    stdout(folder.path(), "run f.toml --out two");
    let found = difference(folder.path(), "one two", 1);
    let number = |cell: &Value| cell["number"]["value"].as_f64().unwrap();
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    let d = 1.0 / libm::log2(3.0);
    let of_r = (1.0 + 2.0 * d) / (2.0 + d) - (1.0 + 3.0 * d) / (3.0 + d);
    let of_s = 2.5 / (2.0 + d) - 3.5 / (3.0 + d);

    let means = found[1]["rows"].as_array().unwrap();
    assert_eq!(means.len(), 2);
    for (row, difference) in means.iter().zip([of_r, of_s]) {
        near(number(&row[5]), difference / 3.0);
        assert_eq!(row[6]["count"], 1);
    }
    let rules = found[2]["rows"].as_array().unwrap();
    assert_eq!(rules.len(), 1, "{rules:?}");
    let texts: Vec<&str> = (0..5).map(|column| rules[0][column]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["D", "ndcg@3", "gain", "exp2", "linear"]);
    assert_eq!((&rules[0][5]["text"], &rules[0][6]["count"]), (&"all 2".into(), &2.into()));
    near(number(&rules[0][7]), (of_r + of_s) / 2.0 / 3.0);
    let queries = found[3]["rows"].as_array().unwrap();
    assert_eq!((queries.len(), &queries[0][1]["text"], &queries[0][2]["count"]), (1, &"a".into(), &2.into()));
    near(number(&queries[0][6]) - number(&queries[0][5]), if of_r.abs() > of_s.abs() { of_r } else { of_s });
    assert_eq!(queries[0][7]["text"], "gain");
    let notes = found[1]["notes"].to_string();
    assert!(
        notes.contains("by rounding alone, which counts as equal; the first: ndcg@3 of R on query b of D, 0.53"),
        "{notes}"
    );

    // Without the data, and with other data, no rule is told.
    std::fs::write(folder.path().join("test.txt"), test.replace("1 qid:a", "0 qid:a")).unwrap();
    let other = difference(folder.path(), "one two", 1);
    assert!(other[2]["rows"].as_array().unwrap().is_empty());
    assert!(
        other[2]["notes"]
            .to_string()
            .contains("D: the rules that cause the difference are unknown (the data differ from the data of the run")
    );
    std::fs::remove_file(folder.path().join("test.txt")).unwrap();
    let shown = String::from_utf8(run(folder.path(), "diff one two").stdout).unwrap();
    assert!(shown.contains("D: the rules that cause the difference are unknown ("), "{shown}");
    assert!(shown.contains("; --data-dir DIR, or else the variable FIVEFOLD_DATA, says where the data are"), "{shown}");
}

/// Columns that one side lacks are summed up in text, and listed in JSON and CSV.
#[test]
fn results_folders_of_other_measures_and_rankers() {
    let text = "name = 'e'\nseed = 1\n[[dataset]]\nlabel = 'made'\nmade = { shape = 'mq2007', queries = 25 }\n\
         [[ranker]]\nlabel = 'R'\nkind = 'linear'\n[evaluation]\nmeasures = ['ndcg']\ncutoffs = [5, 10]\n";
    let more = text.replace("cutoffs = [5, 10]", "cutoffs = [5, 20, 30]").replace(
        "[evaluation]",
        "[[ranker]]\nlabel = 'Ridge'\nkind = 'linear'\nparams = { lambda = 9.0 }\n[evaluation]",
    );
    let folder = directory(&[("one.toml", text), ("two.toml", &more), ("ap.csv", "query,a,b\n1,.9,.1\n2,.3,.5\n")]);
    for name in ["one", "two"] {
        stdout(folder.path(), &format!("run {name}.toml --out {name}"));
    }
    let found = difference(folder.path(), "one two", 1);
    let notes: Vec<&str> = found[1]["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
    for note in [
        "only A has 3 measures (3 columns of values): ndcg.v1@10, ndcg.v2@10, ndcg@10",
        "only B has 1 ranker (9 columns of values): Ridge",
        "only B has 6 measures (6 columns of values): ndcg.v1@20, ndcg.v1@30, ndcg.v2@20, ndcg.v2@30, ndcg@20, ndcg@30",
    ] {
        assert!(notes.contains(&note), "{notes:?}");
    }
    assert_eq!(found[4]["rows"].as_array().unwrap().len(), 3 + 9 + 6);
    let settings: Vec<&str> =
        found[0]["rows"].as_array().unwrap().iter().map(|row| row[0]["text"].as_str().unwrap()).collect();
    assert_eq!(settings, ["evaluation.measures", "rankers.Ridge"]);
    let shown = String::from_utf8(run(folder.path(), "diff one two").stdout).unwrap();
    assert!(
        shown.contains("--json and --format csv list all") && !shown.contains("Values of one side only"),
        "{shown}"
    );

    stdout(folder.path(), "compare ap.csv --draws 10 --trials 5 --out study");
    let message = stderr(folder.path(), "diff one study", 2);
    assert!(
        message.contains("holds a study of measures, not a run of rankers") && !message.contains("Some("),
        "{message}"
    );
}

#[test]
fn what_is_neither_is_named() {
    let folder = queries();
    assert_snapshot!(stderr(folder.path(), "diff letor trec_eval --data test.txt --scores s.txt", 2));
    assert!(stderr(folder.path(), "diff letor4 trec_eval --data test.txt", 2).contains("--scores"));
    let two_kinds = stderr(folder.path(), "diff letor4 s.txt --data test.txt", 2);
    assert!(two_kinds.contains("`letor4` is a dialect, `s.txt` is a file"), "{two_kinds}");
    assert!(stderr(folder.path(), "diff letor4 nosuch --data test.txt", 2).contains("`nosuch`"));
    assert!(stderr(folder.path(), "diff s.txt other.txt", 2).contains("--data"));
    assert!(stderr(folder.path(), "diff s.txt other.txt", 2).contains("--qrels"));
    assert!(stderr(folder.path(), "diff letor4 trec_eval --run s.txt", 2).contains("--qrels"));
}
