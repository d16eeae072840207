//! Values of any metric with expected value and upper bound: `score, expected, upper`.

#![allow(clippy::unwrap_used)]

use std::fs;

use fivefold_data::per_query::{self, PerQueryOptions, Remark, SystemValues};
use tempfile::TempDir;

fn read(name: &str, text: &str, options: &PerQueryOptions) -> Result<SystemValues, String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let folder = format!("{}/", folder.path().display());
    per_query::read(&path, options).map_err(|error| error.to_string().replace(&folder, ""))
}

fn values(text: &str) -> Result<SystemValues, String> {
    read("rouge1.csv", text, &PerQueryOptions::default())
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

/// The check of the text definitions, section 4: source "the cat sat on the mat the end", reference
/// "the cat on the mat", candidate "the cat sat". ROUGE-1: A .5, E .515625, U 1, V1 .246154,
/// V2 -.030303; ROUGE-2: A 1/3, E .104167, V1 .253968, V2 .255814.
#[test]
fn a_measure_has_its_two_versions() {
    for text in [
        "item,system,score,expected,upper\ncat,M8,.5,.515625,1\n",
        "document\tmetric\tsystem\tupper\texpected\tscore\ncat\trouge1\tM8\t1\t.515625\t.5\n",
        "{\"id\": \"cat\", \"system\": \"M8\", \"score\": 0.5, \"expected\": 0.515625, \"upper\": 1}\n\n",
    ] {
        let found = values(text).unwrap();
        assert_eq!(found.measures, ["rouge1", "rouge1.v1", "rouge1.v2"], "{text}");
        assert_eq!((&found.systems, &found.queries), (&names(&["M8"]), &names(&["cat"])));
        for (value, expected) in found.values.iter().zip([0.5, 0.246154, -0.030303]) {
            assert!((value - expected).abs() < 5e-7, "{value} {expected}");
        }
        assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    }
    let second = values("item,system,score,expected,upper\ncat,M8,.333333333333,.1041666666667,1\n").unwrap();
    for (value, expected) in second.values[1..].iter().zip([0.253968, 0.255814]) {
        assert!((value - expected).abs() < 5e-7, "{value} {expected}");
    }
}

#[test]
fn several_measures_and_systems_in_one_file() {
    let text = "measure,query,system,score,expected,upper\n\
        ap,1,a,.5,.25,1\nap,1,b,.25,.25,1\nndcg@10,1,a,.5,.25,1\nndcg@10,1,b,1,.25,1\n";
    let found = values(text).unwrap();
    assert_eq!(found.measures, ["ap", "ap.v1", "ap.v2", "ndcg@10", "ndcg.v1@10", "ndcg.v2@10"]);
    assert_eq!(found.of(2, 1), [0.0], "V2 of E is 0");
    assert_eq!(found.of(5, 1), [1.0], "V2 of U is 1");
    // One system, whose name is the file's; the user's name stands above the file's.
    let one = "item,score,expected,upper\nx,.5,.25,1\ny,.75,.25,1\n";
    assert_eq!(values(one).unwrap().systems, ["rouge1"]);
    assert_eq!(values(one).unwrap().measures, ["score", "score.v1", "score.v2"]);
    let named = PerQueryOptions { system: Some("m".into()), measure: Some("m".into()), ..PerQueryOptions::default() };
    assert_eq!(read("a.csv", one, &named).unwrap().systems, ["m"]);
    let many = "item,system,score\nx,a,.5\nx,b,.75\n";
    assert_eq!(read("a.csv", many, &named).unwrap().measures, ["m"]);
}

#[test]
fn without_a_column_there_are_no_versions_and_a_remark() {
    let remark = |column| Remark::NoVersions { measure: "rouge1".into(), file: String::new(), column };
    let check = |text: &str, expected: Remark| {
        let found = values(text).unwrap();
        assert_eq!(found.measures, ["rouge1"], "{text}");
        let [Remark::NoVersions { measure, file, column }] = found.remarks.as_slice() else {
            panic!("{:?}", found.remarks)
        };
        assert!(file.ends_with("rouge1.csv"), "{file}");
        assert_eq!(Remark::NoVersions { measure: measure.clone(), file: String::new(), column }, expected);
    };
    check("item,system,score\nx,a,.5\n", remark("expected"));
    check("item,system,score,upper\nx,a,.5,1\n", remark("expected"));
    check("item,system,score,expected\nx,a,.5,.25\n", remark("upper"));
    // The upper bound is 1 only if the user says so.
    let one = PerQueryOptions { upper: Some(1.0), ..PerQueryOptions::default() };
    let found = read("rouge1.csv", "item,system,score,expected\nx,a,.5,.25\n", &one).unwrap();
    assert_eq!(found.of(2, 0), [(0.5 - 0.25) / 0.75]);
}

/// U - E within 1e-12 of U, an undefined E, and an undefined score.
#[test]
fn undefined_versions_are_counted() {
    let text = "item,system,score,expected,upper\n\
        a,s,1,1,1\nb,s,.5,.9999999999999,1\nc,s,.5,nan,1\nd,s,nan,.5,1\ne,s,.5,.25,1\nf,s,0,0,0\n";
    let found = values(text).unwrap();
    assert_eq!(found.undefined_count(), 1 + 5 + 5);
    assert_eq!(found.of(0, 0).iter().filter(|value| value.is_nan()).count(), 1);
    let told: Vec<String> = found.remarks.iter().map(ToString::to_string).collect();
    let versions =
        "V1 and V2 of 4 scores of rouge1 are undefined, because `upper` and `expected` are equal or missing there";
    assert_eq!(told, [versions, "11 values are undefined"]);
}

#[test]
fn impossible_rows_are_errors_with_their_line() {
    let head = "item,system,score,expected,upper\nx,a,.5,.25,1\n";
    for (row, fault) in [
        ("y,a,1.5,.25,1", "`score` is 1.5, above `upper`, which is 1;"),
        ("y,a,.5,1.25,1", "`expected` is 1.25, above `upper`, which is 1;"),
        ("y,a,.5,.25,-1", "`upper` is -1, below 0;"),
        ("y,a,.5,-.25,1", "`expected` is -0.25, below 0;"),
        ("y,a,-.5,.25,1", "`score` is -0.5, below 0,"),
        ("y,a,high,.25,1", "value `high` is not a finite number;"),
        ("x,a,.5,.25,1", "query `x` has a second value of rouge1 for `a`;"),
    ] {
        let error = values(&format!("{head}{row}\n")).unwrap_err();
        assert!(error.starts_with(&format!("rouge1.csv:3: {fault}")), "{row}: {error}");
    }
    // Rounding is no fault, and a score may be below 0 without versions.
    let sum = values("item,system,score,expected,upper\nx,a,1.0000000000000002,.25,1\n").unwrap();
    assert_eq!(sum.values[2], 1.0);
    assert_eq!(values("item,system,score\nx,a,-.5\n").unwrap().values, [-0.5]);
}

#[test]
fn wrong_columns_and_keys_are_errors() {
    let says = |text: &str, words: &str| {
        let error = values(text).unwrap_err();
        assert!(error.contains(words), "{words}\n{error}");
    };
    says("item,system,score,expected,uper\nx,a,1,1,1\n", "rouge1.csv:1: `uper` is none of the columns item, system,");
    says("item,id,system,score\nx,x,a,1\n", "rouge1.csv:1: column `id` stands twice (columns 1 and 2)");
    let line = "{\"id\": \"x\", \"system\": \"a\", \"score\": 1, \"expected\": 0.5, \"upper\": 1}\n";
    says(&format!("{line}{{\"id\": \"y\", \"system\": \"a\"}}\n"), "rouge1.csv:2: there is no `score`");
    says(
        &format!("{line}{{\"id\": \"y\", \"score\": 1}}\n"),
        "rouge1.csv:2: there is no `expected`, which other lines",
    );
    says(&format!("{line}{{\"score\": 1}}\n"), "rouge1.csv:2: there is no column of items; it may be called item,");
    says(&format!("{line}{{\"id\": [1], \"score\": 1}}\n"), "rouge1.csv:2: `id` is `[1]`, which is neither");
    says(&format!("{line}not JSON\n"), "rouge1.csv:2: no object of JSON:");
    says(&format!("{line}{{\"id\": \"y\", \"skore\": 1}}\n"), "rouge1.csv:2: `skore` is none of the columns");
}

/// Files of other formats keep their format.
#[test]
fn other_formats_are_still_recognised() {
    let ranx = "{\"ndcg\": {\"q1\": 0.5}, \"map\": {\"q1\": 0.5}}";
    assert_eq!(read("a.json", ranx, &PerQueryOptions::default()).unwrap().measures, ["ndcg", "map"]);
    let study = "query,system,ap,score\n1,a,.5,.25\n";
    assert_eq!(read("a.csv", study, &PerQueryOptions::default()).unwrap().measures, ["ap", "score"]);
    let matrix = "query,score\n1,.5\n";
    assert_eq!(read("ap.csv", matrix, &PerQueryOptions::default()).unwrap().systems, ["score"]);
}
