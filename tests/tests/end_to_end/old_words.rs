//! Tests words that were renamed. The old words still work, a note tells the new word once, and
//! stored jobs keep their keys.

use crate::harness::{directory, run, stderr, stdout};

const OLD: &str = r#"
name = "words"
seed = 1
profile = "ranklib"
[[dataset]]
label = "A"
made = { shape = "mq2007", queries = 10 }
[[dataset]]
label = "B"
made = { shape = "mq2007", queries = 10, seed = 1 }
[[ranker]]
kind = "ranknet"
params = { epochs = 1, level = false }
[[ranker]]
kind = "random"
[evaluation]
gmax = "3"
measures = ["err", "err(gmax=2)"]
cutoffs = [5]
"#;

fn new_words() -> String {
    let words = [("profile", "dialect"), ("made", "synthetic"), ("level", "normalise_by_pairs"), ("gmax", "max_grade")];
    words.into_iter().fold(OLD.to_owned(), |text, (old, new)| text.replace(old, new))
}

fn told(folder: &std::path::Path, command: &str) -> String {
    let output = run(folder, command);
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn an_experiment_in_old_words_has_the_jobs_and_values_of_one_in_new_words() {
    let folder = directory(&[("old.toml", OLD), ("new.toml", &new_words())]);
    let old = told(folder.path(), "run old.toml");
    for (word, new) in
        [("profile", "dialect"), ("made", "synthetic"), ("level", "normalise_by_pairs"), ("gmax", "max_grade")]
    {
        let note = format!("note: `{word}` is now called `{new}`; the old word still works");
        assert_eq!(old.matches(&note).count(), 1, "{word}: {old}");
    }
    let new = told(folder.path(), "run new.toml");
    assert!(new.contains("(20 reused, 0 to do)") && !new.contains("is now called"), "{new}");
    let hash = |text: &str| text.lines().find(|line| line.starts_with("result hash")).map(str::to_owned);
    assert!(hash(&old).is_some());
    assert_eq!(hash(&old), hash(&new));
    // The inputs in the record and the columns of values keep the old names, because the key of a
    // job is the hash of its inputs.
    let record = std::fs::read_to_string(folder.path().join("runs/words/jobs/A/fold1/ranknet.json")).unwrap();
    assert!(record.contains("\"level\"") && !record.contains("normalise_by_pairs"), "{record}");
    let values = std::fs::read_to_string(folder.path().join("runs/words/per_query.csv")).unwrap();
    assert!(
        values.starts_with("dataset,") && values.lines().next().unwrap().ends_with(",err.v2(gmax=2)@5"),
        "{values:.300}"
    );
    stdout(folder.path(), "verify runs/words");
}

#[test]
fn a_word_in_both_forms_is_refused() {
    let both = format!("dialect = \"paper\"\n{OLD}");
    let folder = directory(&[("both.toml", &both)]);
    let message = stderr(folder.path(), "run both.toml", 2);
    assert!(
        message.contains("both `profile` and `dialect` are given, but the first is the old name of the second"),
        "{message}"
    );
}

#[test]
fn commands_options_and_studies_in_old_words_do_the_same() {
    let values = "query,a,b\n1,0.5,0.25\n2,0.5,1\n3,0.75,0.25\n";
    let study = "name = \"s\"\nkind = \"meta\"\nprofile = \"letor4\"\n[systems]\nvalues = [\"v.csv\"]\n";
    let folder = directory(&[("v.csv", values), ("s.toml", study), ("q", "1 0 d 1\n"), ("r", "1 Q0 d 1 1 x\n")]);
    let old = run(folder.path(), "meta v.csv --draws 10 --trials 5");
    let note = String::from_utf8(old.stderr).unwrap();
    assert!(note.contains("note: `meta` is now called `compare`; the old word still works"), "{note}");
    assert_eq!(String::from_utf8(old.stdout).unwrap(), stdout(folder.path(), "compare v.csv --draws 10 --trials 5"));

    let study = told(folder.path(), "run s.toml");
    assert!(study.contains("`meta` is now called `compare`") && study.contains("`profile` is now called `dialect`"));

    let old = told(folder.path(), "eval --qrels q --runs r --measures err(gmax=4) --gmax 4");
    assert!(
        old.contains("`gmax` is now called `max_grade`") && old.contains("`--gmax` is now called `--err-max-grade`"),
        "{old}"
    );
    let shipped = stderr(folder.path(), "compare meta-trec8 --data-dir .", 2);
    assert!(shipped.contains("`meta-trec8` is now called `compare-trec8`"), "{shipped}");
}
