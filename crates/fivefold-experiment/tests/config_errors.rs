//! Errors of an experiment file, as a user sees them.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod common;

use std::fmt::Write as _;

use common::registry;
use fivefold_results::Experiment;
use miette::{GraphicalReportHandler, GraphicalTheme};

/// A correct file. Each case replaces a piece of this file.
const GOOD: &str = r#"name = "good"
seed = 7
dialect = "paper"
normalise = { method = "z-score", over = "query" }

[[dataset]]
label = "A"
synthetic = { shape = "mq2007", queries = 20 }
queries = 10
allow = ["query-overlap"]

[[dataset]]
name = "mq2008"

[[ranker]]
label = "First"
kind = "one"
[ranker.params]
feature = 1

[[ranker]]
kind = "scores"
params = { path = "x/Fold{fold}.score" }

[evaluation]
measures = ["ndcg", "ap"]
cutoffs = [5, 10]
versions = ["original", "v2"]
ties = "input"

[query_sets]
uninformative = 500
distance = "signed"

[tables]
alpha = 0.05
pad = "abs"

[guards]
allow = ["identical-vectors", "label-sorted-ties"]
"#;

fn parse(text: &str) -> Result<Experiment, fivefold_results::ConfigError> {
    Experiment::parse("experiment.toml", text, Vec::new(), &registry())
}

/// Names of other programs are read at each cutoff, keep the number of their program there, and are
/// noted.
#[test]
fn measures_of_other_programs_are_read_and_noted() {
    let measures = |measures: &str| {
        let text = GOOD.replace("[\"ndcg\", \"ap\"]", measures).replace("[\"original\", \"v2\"]", "[\"original\"]");
        let experiment = parse(&text).unwrap();
        let names: Vec<String> = experiment.evaluation.measures.iter().map(ToString::to_string).collect();
        (names.join(" "), experiment.measure_notes().to_vec())
    };
    assert_eq!(measures("[\"ndcg\", \"p\"]"), ("ndcg@5 ndcg@10 p@5 p@10".to_owned(), Vec::new()));
    let (names, notes) = measures("[\"precision\", \"map\", \"hit\", \"set_P\"]");
    assert_eq!(names, "p@5 p@10 ap(denominator=relevant)@5 ap(denominator=relevant)@10 success@5 success@10 set_p");
    assert_eq!(notes[0], "`precision@5` is read as `p@5` (ranx)");
    assert_eq!(notes.len(), 4);
    assert_eq!(measures("[\"nDCG\", \"P\"]").0, "ndcg(gain=linear)@5 ndcg(gain=linear)@10 p@5 p@10");
}

fn render(text: &str) -> String {
    let error = match parse(text) {
        Ok(_) => return "no error".to_owned(),
        Err(error) => error,
    };
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(110);
    handler.render_report(&mut out, &error).unwrap();
    out
}

/// The screen with the first name alone of the list of tests, so that a new test leaves the screen
/// as it is. `fivefold-stats` tests that its message names all tests.
fn without_names_of_tests(screen: &str) -> String {
    const LIST: &str = "(there are t, ";
    let (before, rest) = screen.split_once(LIST).unwrap();
    let (_, after) = rest.split_once(')').unwrap();
    format!("{before}{LIST}...){after}")
}

#[test]
fn the_good_file_is_good() {
    let experiment = parse(GOOD).unwrap();
    let settings = serde_json::to_string_pretty(&experiment).unwrap();
    // This is the hash of the test program itself.
    let (before, after) = settings.split_once("\"executable\": \"").unwrap();
    insta::assert_snapshot!(format!("{before}\"executable\": \"HASH{}", &after[64..]));
}

/// Tukey's test itself corrects for all pairs (ranx #61). So its default correction is `none`, and
/// any other correction is an error.
#[test]
fn a_correction_is_chosen_by_the_test_where_none_is_named() {
    let of = |tables: &str| parse(&GOOD.replace("pad = \"abs\"", tables)).unwrap().tables.correction;
    assert_eq!(of(""), "holm");
    assert_eq!(of("test = \"tukey-hsd\""), "none");
    let twice = GOOD.replace("pad = \"abs\"", "test = \"tukey-hsd\"\ncorrection = \"holm\"");
    let error = parse(&twice).unwrap_err().to_string();
    assert!(error.contains("already corrects its p-values"), "{error}");
    assert_eq!(of("test = \"permutation\"\ncorrection = \"maxt\""), "maxt");
}

#[test]
fn errors_underline_the_place_and_suggest_the_nearest() {
    let cases = [
        ("not TOML", "seed = 7", "seed = = 7"),
        ("a key twice", "seed = 7", "seed = 7\nseed = 8"),
        ("unknown key at the top", "dialect =", "dialct ="),
        ("unknown section", "[tables]", "[table]"),
        ("no name", "name = \"good\"\n", ""),
        ("empty name", "name = \"good\"", "name = \"\""),
        ("wrong type of seed", "seed = 7", "seed = \"seven\""),
        ("negative seed", "seed = 7", "seed = -7"),
        ("unknown dialect", "dialect = \"paper\"", "dialect = \"papers\""),
        ("unknown key of normalise", "over = \"query\"", "ovr = \"query\""),
        ("unknown normaliser", "\"z-score\"", "\"zscore\""),
        ("dataset is one table", "[[dataset]]\nname = \"mq2008\"", "[ds]"),
        ("unknown key of a data set", "queries = 10", "querys = 10"),
        ("no queries", "queries = 10", "queries = 0"),
        ("unknown collection", "\"mq2008\"", "\"mq208\""),
        ("a data set of nothing", "name = \"mq2008\"", "label = \"x\""),
        ("unknown shape", "shape = \"mq2007\"", "shape = \"mq2077\""),
        ("unknown key of synthetic", "queries = 20", "query = 20"),
        ("a layout that is not known", "name = \"mq2008\"", "path = \"x\"\nlayout = \"foo\""),
        ("a layout by a wrong name", "name = \"mq2008\"", "path = \"x\"\nlayout = \"train_test\""),
        ("a layout without its files", "name = \"mq2008\"", "path = \"x\"\nlayout = \"train-test\""),
        ("a path without a name", "name = \"mq2008\"", "path = \".\"\nlayout = \"fold-dirs\""),
        ("two data sets of one label", "label = \"A\"", "label = \"MQ2008\""),
        ("unknown key of a ranker", "label = \"First\"", "lable = \"First\""),
        ("unknown kind", "kind = \"one\"", "kind = \"on\""),
        ("unknown parameter", "feature = 1", "features = 1"),
        ("wrong type of parameter", "feature = 1", "feature = \"one\""),
        ("no kind", "kind = \"one\"\n", ""),
        ("two rankers of one label", "label = \"First\"", "label = \"Scores\""),
        ("scores without path", "{ path = \"x/Fold{fold}.score\" }", "{}"),
        ("scores for all folds", "Fold{fold}", "Fold1"),
        ("scores with an unknown place", "{fold}", "{fold}{flod}"),
        ("unknown key of scores", "{ path =", "{ paht ="),
        ("normalised scores", "kind = \"scores\"", "kind = \"scores\"\nnormalise = { method = \"none\" }"),
        ("unknown measure", "\"ndcg\"", "\"ndgc\""),
        ("unknown parameter of a measure", "\"ndcg\"", "\"ndcg(gian=linear)\""),
        ("a measure twice", "\"ap\"", "\"ap@5\", \"ap\""),
        ("no measure", "[\"ndcg\", \"ap\"]", "[]"),
        ("cutoff 0", "[5, 10]", "[5, 0]"),
        ("cutoff twice", "[5, 10]", "[5, 5]"),
        ("unknown version", "\"v2\"", "\"v3\""),
        ("unknown key of evaluation", "ties = ", "tie = "),
        ("unknown tie policy", "\"input\"", "\"inputs\""),
        ("unknown key of query sets", "uninformative", "uninformativ"),
        ("negative size", "uninformative = 500", "uninformative = -1"),
        ("unknown distance", "\"signed\"", "\"sined\""),
        ("alpha out of range", "alpha = 0.05", "alpha = 5"),
        ("unknown test", "pad = \"abs\"", "test = \"wilcoxn\""),
        ("unknown correction", "pad = \"abs\"", "correction = \"hollm\""),
        ("a correction without its test", "pad = \"abs\"", "correction = \"maxt\""),
        ("no draws", "pad = \"abs\"", "draws = 0"),
        ("unknown divisor of PAD", "pad = \"abs\"", "pad = \"absolute\""),
        ("unknown guard of a data set", "\"query-overlap\"", "\"querry-overlap\""),
        ("unknown guard", "\"label-sorted-ties\"", "\"label-sorted\""),
        ("a guard that is no list", "[\"identical-vectors\", \"label-sorted-ties\"]", "\"identical-vectors\""),
        ("unknown key of guards", "allow = [\"identical", "alow = [\"identical"),
    ];
    let mut screen = String::new();
    for (what, from, to) in cases {
        assert!(GOOD.contains(from), "{what}: {from}");
        writeln!(screen, "== {what}\n{}", render(&GOOD.replacen(from, to, 1))).unwrap();
    }
    assert!(!screen.contains("no error"), "{screen}");
    insta::assert_snapshot!(without_names_of_tests(&screen));
}

#[test]
fn nothing_to_do_is_an_error() {
    let datasets = GOOD.find("[[dataset]]").unwrap();
    let rankers = GOOD.find("[[ranker]]").unwrap();
    let evaluation = GOOD.find("[evaluation]").unwrap();
    let without_datasets = format!("{}{}", &GOOD[..datasets], &GOOD[rankers..]);
    let without_rankers = format!("{}{}", &GOOD[..rankers], &GOOD[evaluation..]);
    assert!(render(&without_datasets).contains("the experiment has no data sets"));
    assert!(render(&without_rankers).contains("the experiment has no rankers"));
}
