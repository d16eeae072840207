//! Tests a validation part that cannot tell models apart. In dmlc/xgboost #2208 and #2704, boosting
//! stopped by a metric that no model alters.

use std::fmt::Write as _;
use std::path::Path;

use crate::harness::{assert_same_content, content, directory, json, run, stderr, stdout};

/// Writes a training, a validation and a test file with 20 queries each. All documents of a
/// validation query have the grade that `blind` returns for the query.
fn data(at: &Path, blind: impl Fn(usize) -> usize) {
    for (part, name) in ["train", "vali", "test"].iter().enumerate() {
        let mut text = String::new();
        for query in 0..20 {
            for document in 0..8 {
                let [one, two] = [37, 53].map(|step| (query * step + document * (step + part) + part) % 29);
                let grade =
                    if part == 1 { blind(query) } else { usize::from(one > 12) + usize::from(one > 22 && two > 9) };
                let id = part * 100 + query;
                writeln!(text, "{grade} qid:{id} 1:{one} 2:{two} 3:{} # docid = D{id}-{document}", document % 3)
                    .unwrap();
            }
        }
        std::fs::write(at.join(format!("{name}.txt")), text).unwrap();
    }
}

const SAID: &str = "the validation part cannot tell models apart";

#[test]
fn training_goes_on_as_without_it_and_says_so() {
    let folder = directory(&[]);
    let at = folder.path();
    for blind in [|_| 1, |query: usize| query % 3] {
        data(at, blind);
        for (ranker, params) in [
            ("lambdamart", "--param min_documents=2 --param trees=30"),
            ("mart", "--param min_documents=2 --param trees=30"),
            ("adarank", ""),
            ("listnet", "--param epochs=30"),
            ("rankboost", "--param early_stopping=5 --param rounds=30"),
            ("coordinate-ascent", ""),
        ] {
            let train = format!("train --ranker {ranker} {params} --train train.txt");
            stdout(at, &format!("{train} -o without.json"));
            let told = stderr(at, &format!("{train} --valid vali.txt -o with.json"), 0);
            assert!(told.contains("warning: ") && told.contains(SAID), "{ranker}: {told}");
            let [with, without] = ["with.json", "without.json"].map(|name| std::fs::read(at.join(name)).unwrap());
            assert!(with == without, "{ranker}: another model than without a validation part");
        }
    }
}

/// A validation part is used if at least one of its queries can tell models apart.
#[test]
fn a_part_with_one_useful_query_is_used_in_silence() {
    let folder = directory(&[]);
    let at = folder.path();
    data(at, |_| 1);
    let text = std::fs::read_to_string(at.join("vali.txt")).unwrap().replacen("1 qid:100 ", "0 qid:100 ", 1);
    std::fs::write(at.join("vali.txt"), text).unwrap();
    let told =
        stderr(at, "train --ranker mart --param min_documents=2 --train train.txt --valid vali.txt -o m.json", 0);
    assert!(!told.contains(SAID), "{told}");
}

#[test]
fn a_run_says_it_of_each_job_once_of_reused_jobs_again_and_keeps_it() {
    let folder = directory(&[]);
    let at = folder.path();
    data(at, |_| 0);
    let experiment = |isolate: &str| {
        format!(
            "name = 'x'\n[[dataset]]\nlabel = 'D'\npath = '.'\nlayout = 'train-test'\nallow = ['identical-vectors']\n\
             files = ['train.txt', 'vali.txt', 'test.txt']\n\
             [[ranker]]\nlabel = 'M'\nkind = 'mart'\nparams = {{ trees = 20, min_documents = 2 }}\n{isolate}\n\
             [[ranker]]\nlabel = 'One'\nkind = 'feature'\nparams = {{ feature = 1 }}\n\
             [query_sets]\nuninformative = 2\nideal = 2\n"
        )
    };
    std::fs::write(at.join("x.toml"), experiment("")).unwrap();
    let first = stderr(at, "run x.toml --out a", 0);
    assert_eq!(first.matches(SAID).count(), 1, "{first}");
    assert!(first.contains("warning: D/fold1/M: "), "{first}");
    let again = stderr(at, "run x.toml --out a", 0);
    assert!(again.contains("2 reused") && again.matches(SAID).count() == 1, "{again}");
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(at.join("a/manifest.json")).unwrap()).unwrap();
    let told = |job: usize| manifest["jobs"][job]["warnings"].clone();
    assert!(told(0)[0].as_str().unwrap().starts_with(SAID) && told(1).is_null(), "{manifest:#}");
    let under_tables = content(&at.join("a/tables"));
    assert!(under_tables.values().any(|text| String::from_utf8_lossy(text).contains(SAID)), "under the tables");
    assert!(run(at, "verify a").status.success());

    // A fit in a process of its own gives the same warning, and the same records.
    std::fs::write(at.join("x.toml"), experiment("isolate = true")).unwrap();
    let apart = stderr(at, "run x.toml --out b --threads 1", 0);
    assert_eq!(apart.matches(SAID).count(), 1, "{apart}");
    assert_same_content(&at.join("a/jobs"), &at.join("b/jobs"));
    assert!(json(at, "run x.toml --out b --json")["reused"] == 2);
}

/// All rankers that learn refuse training data of one grade with the same message.
#[test]
fn training_data_of_one_grade_are_refused_in_the_same_words() {
    /// Controls, the rankers of the test program, kinds that an experiment alone can use, and the
    /// rankers of the feature `adapters`, which have a test of their own.
    const LEFT_OUT: [&str; 11] = [
        "feature",
        "random",
        "slow",
        "broken",
        "faulty",
        "scores",
        "fusion",
        "command",
        "python",
        "linfa-logistic",
        "smartcore-forest",
    ];
    let listed = json(Path::new("."), "rankers --json");
    let names = listed.as_array().unwrap().iter().map(|ranker| ranker["name"].as_str().unwrap());
    let learning: Vec<&str> = names.filter(|name| !LEFT_OUT.contains(name)).collect();
    assert!(learning.len() > 10, "{learning:?}");
    refuse_training_data_of_one_grade(&learning);
}

/// Checks that these rankers refuse training data of one grade. The ranker `feature` accepts such
/// data, because it does not learn.
pub fn refuse_training_data_of_one_grade(rankers: &[&str]) {
    let folder = directory(&[]);
    let at = folder.path();
    let text: String = (0..12).map(|i| format!("1 qid:{} 1:{i} 2:{}\n", i / 4, i % 5)).collect();
    std::fs::write(at.join("train.txt"), text).unwrap();
    for ranker in rankers {
        let told = stderr(at, &format!("train --ranker {ranker} --train train.txt -o m.json"), 1);
        // Remove the frame of a long message.
        let words: Vec<&str> = told.split_whitespace().filter(|word| *word != "│").collect();
        assert!(words.join(" ").contains("12 documents is 1, so that no order"), "{ranker}: {told}");
        assert!(!at.join("m.json").exists());
    }
    stdout(at, "train --ranker feature --param feature=1 --train train.txt -o m.json");
}
