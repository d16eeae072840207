//! Tries faults that users of other evaluation and ranking programs reported in public.
//!
//! Each test names the report. The right value is worked out by hand in the test, or is the value
//! on which the thread agrees. `fivefold book public-reports` lists the reports with their outcome.

use serde_json::Value;

use crate::harness::{directory, json, stderr, stdout};

/// The discount of the second position.
const LOG2_3: f64 = 1.584962500721156;

/// The mean of a measure of a system, as `eval --json` gives it.
fn mean(output: &Value, system: &str, measure: &str) -> f64 {
    let rows = output["means"].as_array().unwrap();
    let row = rows.iter().find(|row| row["system"] == system && row["measure"] == measure);
    row.unwrap_or_else(|| panic!("{system} {measure}: {output:#}"))["mean"].as_f64().unwrap()
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 5e-7, "{value}, not {expected}");
}

/// elixir-nx/scholar #360: tied scores were put in the order of the grades, so that a constant
/// scorer had nDCG 1.
#[test]
fn a_constant_scorer_has_no_perfect_ndcg_scholar_360() {
    let data = "10 qid:1 1:1\n0 qid:1 1:2\n0 qid:1 1:3\n1 qid:1 1:4\n5 qid:1 1:5\n";
    let folder = directory(&[("d", data), ("one", "1\n1\n1\n1\n1\n"), ("two", "1\n1\n1\n.5\n.5\n")]);
    let command = "eval --data d --scores one two --measures ndcg(gain=linear),ndcg.v2(gain=linear) --json";
    let output = json(folder.path(), command);
    // scikit-learn's values, as the report gives them.
    near(mean(&output, "one", "ndcg(gain=linear)"), 0.690979);
    near(mean(&output, "two", "ndcg(gain=linear)"), 0.699812);
    assert_eq!(mean(&output, "one", "ndcg.v2(gain=linear)"), 0.0);
}

/// usnistgov/trec_eval #22: the names of tied documents decide their order. Here, names decide only
/// in trec_eval's dialect.
#[test]
fn names_of_tied_documents_decide_in_trec_eval_s_dialect_only_trec_eval_22() {
    let qrels = "1 Q0 a 0\n1 Q0 b 1\n1 Q0 c 0\n";
    let files = [("q", qrels), ("r1", "1 0 b 1 1.0 r1\n1 0 a 2 1.0 r1\n"), ("r2", "1 0 b 1 1.0 r2\n1 0 c 2 1.0 r2\n")];
    let folder = directory(&files);
    let trec = json(folder.path(), "eval --qrels q --runs r1 r2 --measures ndcg --dialect trec_eval --json");
    near(mean(&trec, "r1", "ndcg"), 1.0);
    near(mean(&trec, "r2", "ndcg"), 1.0 / LOG2_3);
    let ours = json(folder.path(), "eval --qrels q --runs r1 r2 --measures ndcg --json");
    // The mean of the two orders.
    near(mean(&ours, "r1", "ndcg"), (1.0 + 1.0 / LOG2_3) / 2.0);
    assert_eq!(mean(&ours, "r1", "ndcg"), mean(&ours, "r2", "ndcg"));
}

/// cvangysel/pytrec_eval #49: a topic without relevant documents altered the values of the topics
/// after it.
#[test]
fn a_topic_without_relevant_documents_alters_no_other_pytrec_eval_49() {
    let run = "q1 0 d2 1 1 r\nq1 0 d1 2 .5 r\nq2 0 d1 1 1 r\nq3 0 d1 1 1 r\nq3 0 d9 2 .5 r\nq3 0 d2 3 .4 r\n";
    let with = "q1 0 d1 0\nq1 0 d2 1\nq2 0 d1 0\nq3 0 d2 1\nq3 0 d1 1\n";
    let without = "q1 0 d1 0\nq1 0 d2 1\nq3 0 d2 1\nq3 0 d1 1\n";
    let folder = directory(&[("with", with), ("without", without), ("r", run)]);
    let values = |qrels: &str| {
        let command =
            format!("eval --qrels {qrels} --runs r --measures ap,ndcg --per-query --dialect trec_eval --json");
        let output = json(folder.path(), &command);
        let kept = output["values"].as_array().unwrap().iter().filter(|row| row["query"] != "q2").cloned();
        (kept.collect::<Vec<_>>(), output)
    };
    let (one, output) = values("with");
    assert_eq!(one, values("without").0);
    let q3 = one.iter().find(|row| row["query"] == "q3" && row["measure"] == "ap").unwrap();
    near(q3["value"].as_f64().unwrap(), (1.0 + 2.0 / 3.0) / 2.0);
    let undefined: Vec<&Value> = output["means"].as_array().unwrap().iter().map(|row| &row["undefined"]).collect();
    assert_eq!(undefined, [1, 1]);
}

/// AmenRa/ranx #31, irgroup/repro_eval #5: topics for which a run retrieved nothing gave wrong
/// means, or a crash. The mean was .5 or .25, depending on the empty topic. The right mean counts
/// three of four topics.
#[test]
fn a_topic_for_which_nothing_was_retrieved_counts_as_0_and_is_counted_ranx_31() {
    let qrels = "q1 0 a 1\nq2 0 b 1\nq2 0 c 1\nq2 0 d 1\nq3 0 e 1\nq4 0 f 1\n";
    let run = |missing: &str| {
        let lines = ["q1 0 a 1 1 r\n", "q2 0 d 1 1 r\n", "q3 0 e 1 1 r\n", "q4 0 f 1 1 r\n"];
        lines.iter().filter(|line| !line.starts_with(missing)).copied().collect::<String>()
    };
    let folder = directory(&[("q", qrels), ("no2", &run("q2")), ("no3", &run("q3"))]);
    let output = json(folder.path(), "eval --qrels q --runs no2 no3 --measures p@1 --json");
    assert_eq!([mean(&output, "no2", "p@1"), mean(&output, "no3", "p@1")], [0.75, 0.75]);
    let notes = output["notes"].to_string();
    assert!(notes.contains("no2: 1 of 4 topics is missing from the run"), "{notes}");
    let trec = json(folder.path(), "eval --qrels q --runs no2 no3 --measures p@1 --dialect trec_eval --json");
    assert_eq!(mean(&trec, "no2", "p@1"), 1.0);
    assert_eq!(trec["means"][0]["queries"], 3);
}

/// terrier-org/pyterrier #64: systems whose topics stand in different orders were compared row by
/// row.
#[test]
fn systems_are_joined_by_topic_not_by_row_pyterrier_64() {
    let qrels = "q1 0 a 1\nq2 0 a 1\nq3 0 b 1\n";
    let lines = ["q1 0 a 1 2 A", "q1 0 b 2 1 A", "q2 0 b 1 2 A", "q2 0 a 2 1 A", "q3 0 b 1 1 A"];
    let backwards: Vec<&str> = lines.iter().rev().copied().collect();
    let text = |lines: &[&str]| lines.join("\n") + "\n";
    let folder = directory(&[("q", qrels), ("one", &text(&lines)), ("two", &text(&backwards))]);
    stdout(folder.path(), "compare --qrels q --runs one two --measure ap --out compare");
    // The columns are the difference, the interval, the test, the statistic and p.
    let pairs = std::fs::read_to_string(folder.path().join("compare/pairs.csv")).unwrap();
    assert!(pairs.lines().nth(1).unwrap().starts_with(",ap,one,two,0,0,0,t,0,1,"), "{pairs}");
}

/// scikit-learn #17639: negative grades gave an nDCG of 396.
#[test]
fn negative_grades_are_refused_or_counted_scikit_learn_17639() {
    let files = [
        ("d", "-1 qid:1 1:1\n1 qid:1 1:2\n"),
        ("s", "1\n2\n"),
        ("q", "q1 0 a -2\nq1 0 b 1\n"),
        ("r", "q1 0 a 1 2 A\nq1 0 b 2 1 A\n"),
    ];
    let folder = directory(&files);
    let message = stderr(folder.path(), "eval --data d --scores s --measures ndcg", 2);
    assert!(message.contains("d:1:1: grade `-1` is not a whole number from 0 to 30"), "{message}");
    let output = json(folder.path(), "eval --qrels q --runs r --measures ndcg --json");
    near(mean(&output, "r", "ndcg"), 1.0 / LOG2_3);
    let notes = output["notes"].to_string();
    assert!(notes.contains("1 grade is negative and counts as not judged"), "{notes}");
}

/// scikit-learn #29521, LightGBM #6823: a query without relevant documents counted as 0 (or 1) in
/// the mean, without a message.
#[test]
fn queries_without_relevant_documents_are_counted_and_can_be_left_out_scikit_learn_29521() {
    let folder = directory(&[("d", "2 qid:1 1:1\n0 qid:1 1:2\n0 qid:2 1:1\n0 qid:2 1:3\n"), ("s", "2\n1\n1\n2\n")]);
    let of = |options: &str| {
        let output = json(folder.path(), &format!("eval --data d --scores s --measures ndcg {options} --json"));
        (mean(&output, "s", "ndcg"), output["means"][0]["undefined"].as_u64().unwrap())
    };
    assert_eq!(of(""), (0.5, 1));
    assert_eq!(of("--undefined skip"), (1.0, 1));
    assert_eq!(of("--undefined one"), (1.0, 1));
}

/// LightGBM #2205 (values of cutoffs that do not rise were wrong), pytrec_eval #41 and #22 (a
/// cutoff given twice crashed, a second measure of one name got lost).
#[test]
fn cutoffs_in_any_order_and_twice_are_the_same_values_lightgbm_2205() {
    let data = "0 qid:1 1:1\n2 qid:1 1:2\n1 qid:1 1:3\n0 qid:1 1:4\n3 qid:1 1:5\n0 qid:1 1:9\n";
    let folder = directory(&[("d", data), ("s", "3\n1\n2\n5\n4\n0\n")]);
    let of = |measures: &str| json(folder.path(), &format!("eval --data d --scores s --measures {measures} --json"));
    let (rising, mixed) = (of("ndcg@1,ndcg@3,ndcg@5"), of("ndcg@5,ndcg@1,ndcg@3,ndcg@1"));
    for measure in ["ndcg@1", "ndcg@3", "ndcg@5"] {
        assert_eq!(mean(&rising, "s", measure), mean(&mixed, "s", measure), "{measure}");
    }
    // By hand: the grades in the order of the scores are 0 3 0 1 2 0.
    let ideal = 7.0 + 3.0 / LOG2_3 + 1.0 / 2.0;
    near(mean(&mixed, "s", "ndcg@3"), 7.0 / LOG2_3 / ideal);
}

/// LightGBM #2091: with tied scores the value depended on the order of the rows.
#[test]
fn the_order_of_rows_alters_no_value_lightgbm_2091() {
    let rows = ["0 qid:1 1:1\n", "1 qid:1 1:2\n", "1 qid:1 1:3\n"];
    let backwards: String = rows.iter().rev().copied().collect();
    let folder = directory(&[("a", &rows.concat()), ("b", &backwards), ("s", "1\n1\n1\n")]);
    let of = |data: &str, dialect: &str| {
        let command = format!("eval --data {data} --scores s --measures ndcg@3 --dialect {dialect} --json");
        mean(&json(folder.path(), &command), "s", "ndcg@3")
    };
    assert_eq!(of("a", "paper"), of("b", "paper"));
    // In LightGBM's dialect, the order of rows decides.
    near(of("a", "lightgbm"), (1.0 / LOG2_3 + 0.5) / (1.0 + 1.0 / LOG2_3));
    assert_eq!(of("b", "lightgbm"), 1.0);
}

/// uma-pi1/kge #220 (scores that are not numbers won), tira-io/tira #603 (a run with `nan` scores).
#[test]
fn scores_that_are_no_numbers_are_refused_with_their_line_kge_220() {
    let files = [
        ("d", "0 qid:1 1:1\n2 qid:1 1:2\n"),
        ("s", "1\nnan\n"),
        ("q", "q1 0 a 1\n"),
        ("r", "q1 0 a 1 nan A\nq1 0 b 2 1 A\n"),
    ];
    let folder = directory(&files);
    let message = stderr(folder.path(), "eval --data d --scores s --measures ndcg", 2);
    assert!(message.contains("s:2:1: `nan` is not a finite number"), "{message}");
    let message = stderr(folder.path(), "eval --qrels q --runs r --measures ap", 2);
    assert!(message.contains("r:1: score `nan` is not a finite number"), "{message}");
}

/// cvangysel/pytrec_eval #50, TREMA-UNH/trec-car-tools #9: a document that stands twice in a
/// ranking.
#[test]
fn a_document_twice_in_a_ranking_is_refused_with_both_lines_pytrec_eval_50() {
    let folder = directory(&[("q", "q1 0 a 1\n"), ("r", "q1 0 a 1 2 A\nq1 0 a 2 1 A\n")]);
    let message = stderr(folder.path(), "eval --qrels q --runs r --measures ndcg", 2);
    assert!(message.contains("r:2: document `a` of topic `q1` stands on line 1 already"), "{message}");
    let first = json(folder.path(), "eval --qrels q --runs r --measures ndcg --duplicates first --json");
    assert_eq!(mean(&first, "r", "ndcg"), 1.0);
}

/// LightGBM #392 (group sizes that do not add up), LightGBM #4078 (grades above 30),
/// dotnet/machinelearning #4689 (a feature with too large an id got lost). Here, each of these is
/// an error that names its place.
#[test]
fn what_cannot_be_kept_is_refused_lightgbm_392_and_4078_machinelearning_4689() {
    let files = [
        ("g.train", "1 1:1\n0 1:2\n1 1:3\n"),
        ("g.train.query", "2\n2\n"),
        ("high", "31 qid:1 1:1\n1 qid:1 1:2\n"),
        ("wide", "1 qid:1 1:1\n0 qid:1 2147483648:2\n"),
    ];
    let folder = directory(&files);
    let train = |data: &str| stderr(folder.path(), &format!("train --ranker linear --train {data} -o m.json"), 2);
    let message = train("g.train");
    assert!(message.contains("g.train.query: the sizes add up to 4 documents, but the data file has 3"), "{message}");
    let message = train("high");
    assert!(message.contains("high:1:1: grade `31` is not a whole number from 0 to 30"), "{message}");
    let message = train("wide");
    assert!(message.contains("wide:2:9: feature id 2147483648 is above"), "{message}");
}

/// scikit-learn #5269: query ids beyond 2^53 became other ids, or were refused.
#[test]
fn query_ids_are_text_of_any_length_scikit_learn_5269() {
    let data = "0 qid:72048431380967004 1:1\n1 qid:72048431380967008 1:1\n1 qid:18446744073709551617 1:1\n";
    let folder = directory(&[("d", data), ("s", "1\n2\n3\n")]);
    let output = json(folder.path(), "eval --data d --scores s --measures ndcg --per-query --json");
    let queries: Vec<&str> =
        output["values"].as_array().unwrap().iter().map(|row| row["query"].as_str().unwrap()).collect();
    assert_eq!(queries, ["72048431380967004", "72048431380967008", "18446744073709551617"]);
}

/// scipy #20179 (equal samples gave NaN), AndreasMadsen/ttest #1 (constant samples).
/// HomericIntelligence/Scylla PR #288: a corrected p-value must not be smaller than the uncorrected
/// p-value, and the order must stay.
#[test]
fn equal_systems_have_p_1_and_holm_keeps_the_order_scipy_20179() {
    let values = "query,a,b,c\n1,.1,.1,.3\n2,.2,.2,.1\n3,.5,.5,.2\n4,.3,.3,.9\n5,.7,.7,.1\n";
    let folder = directory(&[("v.csv", values)]);
    stdout(folder.path(), "compare v.csv --test t --correction holm --out compare");
    let pairs = std::fs::read_to_string(folder.path().join("compare/pairs.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(pairs.as_bytes());
    let heads = rows.headers().unwrap().clone();
    let column = |name: &str| heads.iter().position(|head| head == name).unwrap_or_else(|| panic!("{name}: {pairs}"));
    let (p, corrected) = (column("p"), column("corrected p"));
    let found: Vec<(f64, f64)> = rows
        .records()
        .map(|row| row.unwrap())
        .map(|row| (row[p].parse().unwrap(), row[corrected].parse().unwrap()))
        .collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], (1.0, 1.0));
    // scipy 1.17: ttest_rel(a, c).pvalue
    assert!((found[1].0 - 0.8557757513229884).abs() < 1e-12, "{found:?}");
    assert!(found.iter().all(|(p, corrected)| corrected >= p), "{found:?}");
}

/// ranx #61 and PyTerrier #99: Tukey's HSD is the alternative to a correction, and is refused
/// beside one.
#[test]
fn tukey_hsd_is_not_corrected_again_ranx_61() {
    let folder =
        directory(&[("ident.csv", "query,A,B,C\nq1,0.1,0.1,0.4\nq2,0.2,0.2,0.3\nq3,0.35,0.35,0.9\nq4,0.3,0.3,0.2\n")]);
    for correction in ["holm", "bh", "bonferroni", "maxt"] {
        let error = stderr(folder.path(), &format!("compare ident.csv --test tukey-hsd --correction {correction}"), 2);
        assert!(error.contains("already corrects its p-values"), "{error}");
    }
    let shown = stdout(folder.path(), "compare ident.csv --test tukey-hsd --trials 20 --tables all");
    assert!(shown.contains("correction: the test's own"), "{shown}");
}

/// pingouin #143, mlr3benchmark #34: if all queries agree, p of Friedman's test was 0. Here, p is
/// exact, and the output says so.
#[test]
fn friedman_s_p_of_small_tables_is_exact_pingouin_143() {
    let five = "query,A,B\nq1,0.1,0.2\nq2,0.3,0.5\nq3,0.2,0.25\nq4,0.4,0.9\nq5,0.15,0.3\n";
    let folder = directory(&[("fr5.csv", five), ("perf23.csv", "query,A,B,C\nq1,0.1,0.2,0.4\nq2,0.2,0.25,0.3\n")]);
    for (file, p) in [("fr5.csv", "0.0625"), ("perf23.csv", "0.1667")] {
        let shown = stdout(folder.path(), &format!("compare {file} --trials 20 --tables all"));
        assert!(shown.contains("p: exact; critical difference"), "{shown}");
        let ranks = shown.split("Average ranks").nth(1).unwrap();
        assert!(ranks.contains(p), "{p}: {ranks}");
    }
}

/// scipy #26082 and #17667: equal differences between values near .5 must tie, although their last
/// bits differ.
#[test]
fn close_values_tie_scipy_26082() {
    let values = "query,A,B\nq1,0.57079,0.57078\nq2,0.44845,0.44844\nq3,0.92071,0.92070\nq4,0.34926,0.34925\n\
                  q5,0.52324,0.52323\nq6,0.37302,0.37301\nq7,0.61192,0.61191\nq8,0.72877,0.72878\n";
    let folder = directory(&[("tie5.csv", values)]);
    for test in ["wilcoxon", "permutation", "sign"] {
        stdout(folder.path(), &format!("compare tie5.csv --test {test} --trials 20 --out {test}"));
        let pairs = std::fs::read_to_string(folder.path().join(test).join("pairs.csv")).unwrap();
        assert!(pairs.contains(",0.0703125,0.0703125,"), "{test}: {pairs}");
    }
}

/// Topics and systems may have any name. From the output of `eval`, `compare` reads the same values
/// as from the runs.
#[test]
fn what_eval_prints_reads_back_whatever_topics_are_called() {
    let ids = [
        "all", "mean", "amean", "average", "#1", "\"q\"", "a,b", "query", "MAP", "std", "nan", "-", "=1+1", "'=1", "0",
        "-1", "é",
    ];
    let qrels: String = ids.iter().map(|id| format!("{id} 0 a 1\n{id} 0 b 0\n")).collect();
    // In qrels and runs, a line that starts with `#1` is a comment.
    let run = |every: usize| -> String {
        let order = |place: usize| if place.is_multiple_of(every) { [2, 1] } else { [1, 2] };
        let line = |(place, id): (usize, &&str)| {
            let [a, b] = order(place);
            format!("{id} Q0 a 1 {a} t\n{id} Q0 b 2 {b} t\n")
        };
        ids.iter().enumerate().map(line).collect()
    };
    let folder = directory(&[("qrels", &qrels), ("fold", &run(2)), ("queries", &run(3))]);
    let csv =
        stdout(folder.path(), "eval --qrels qrels --runs fold queries --measures rr,ap.v1 --per-query --format csv");
    std::fs::write(folder.path().join("pq.csv"), csv).unwrap();
    stdout(folder.path(), "compare pq.csv --trials 20 --out back");
    stdout(folder.path(), "compare --qrels qrels --runs fold queries --measure rr ap.v1 --trials 20 --out there");
    let pairs = |out: &str| {
        let text = std::fs::read_to_string(folder.path().join(out).join("pairs.csv")).unwrap();
        // The lines without the name of the data set.
        text.lines().skip(1).map(|line| line.split_once(',').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(pairs("back"), pairs("there"));
}

/// scipy #26113: some values are so small or large that their squares overflow or vanish. In a
/// t-test, their p was 0 or 1, only because of their scale.
#[test]
fn values_whose_squares_are_lost_are_refused_scipy_26113() {
    let table =
        |scale: f64| format!("query,a,b\n1,{:e},0\n2,{:e},0\n3,{:e},0\n", 2.0 * scale, 3.0 * scale, 4.0 * scale);
    let scaled = |power| table(2f64.powi(power));
    let files =
        [("one.csv", scaled(0)), ("low.csv", scaled(-400)), ("tiny.csv", scaled(-600)), ("huge.csv", scaled(600))];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = directory(&files);
    let p = |file: &str| {
        stdout(folder.path(), &format!("compare {file} --test t --out {file}.compare"));
        let pairs = std::fs::read_to_string(folder.path().join(format!("{file}.compare/pairs.csv"))).unwrap();
        let row: Vec<&str> = pairs.lines().nth(1).unwrap().split(',').collect();
        row[9].parse::<f64>().unwrap()
    };
    // The report's value.
    for file in ["one.csv", "low.csv"] {
        assert!((p(file) - 0.03509871864598465).abs() < 1e-12, "{file}");
    }
    for file in ["tiny.csv", "huge.csv"] {
        let message = stderr(folder.path(), &format!("compare {file} --test t"), 2);
        assert!(message.contains("the square of such a number is lost"), "{message}");
    }
}
