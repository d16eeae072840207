//! Tests the cache of collections and the memory budget. The screen may show their effect, but the
//! results never depend on them.

use crate::harness::{content, directory, run, stderr, stdout};

const EXPERIMENT: &str = r#"
name = "small"
[[dataset]]
path = "data"
layout = "fold-dirs"
label = "made"
[[ranker]]
kind = "linear"
normalise = { method = "z-score", over = "query" }
[[ranker]]
kind = "feature"
params = { feature = 1 }
"#;

#[test]
fn results_are_the_same_with_and_without_a_cache_and_with_little_memory() {
    let directory = directory(&[("x.toml", EXPERIMENT)]);
    let path = directory.path();
    stdout(path, "make --shape mq2007 --queries 20 --out data");
    // Text that changed less than two seconds ago is not cached.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let first = stderr(path, "run x.toml --out plain --no-cache", 0);
    assert!(!first.contains("cache"), "{first}");
    let second = stderr(path, "run x.toml --out written --cache kept", 0);
    assert!(second.contains("note: made: kept in the cache kept/"), "{second}");
    let third = stderr(path, "run x.toml --out mapped --cache kept --memory 1KiB", 1);
    assert!(
        third.contains("note: made: from the cache kept/") && third.contains("within 1.0 KiB of memory"),
        "{third}"
    );
    // A job that never fits is refused before it takes memory. The next run with a larger budget
    // does the job.
    assert!(
        third.contains("FAILED made/fold1/linear: the job needs about ") && third.contains("raise --memory"),
        "{third}"
    );
    stdout(path, "run x.toml --out mapped --cache kept --memory 8MiB");
    let plain = content(&path.join("plain"));
    assert!(plain.len() > 20);
    assert!(plain == content(&path.join("written")) && plain == content(&path.join("mapped")));

    // A change of the text is noticed.
    let file = path.join("data/Fold1/train.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen(" 1:0.", " 1:1.", 1)).unwrap();
    let fourth = stderr(path, "jobs x.toml --cache kept", 0);
    assert!(!fourth.contains("from the cache"), "{fourth}");
}

#[test]
fn sizes_without_a_unit_are_refused() {
    let output = run(directory(&[]).path(), "run quickstart --memory 6");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("6GiB"));
}
