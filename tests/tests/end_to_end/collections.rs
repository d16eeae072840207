//! Tests `make` and `datasets`.

use crate::harness::{assert_same_content, content, directory, json, stderr, stdout};

#[test]
fn a_made_collection_is_written_in_five_folds_and_depends_on_its_seed_alone() {
    let folder = directory(&[]);
    let at = folder.path();
    for (out, seed) in [("a", 1), ("b", 1), ("c", 2)] {
        stdout(at, &format!("make --shape mq2007 --queries 10 --seed {seed} -o {out}"));
    }
    assert_same_content(&at.join("a"), &at.join("b"));
    assert_ne!(content(&at.join("a")), content(&at.join("c")));
    let mut files: Vec<String> = content(&at.join("a")).into_keys().collect();
    files.sort();
    let expected: Vec<String> =
        (1..=5).flat_map(|n| ["test", "train", "vali"].map(|part| format!("Fold{n}/{part}.txt"))).collect();
    assert_eq!(files, expected);
}

#[test]
fn too_few_queries_are_an_error() {
    let folder = directory(&[]);
    assert!(stderr(folder.path(), "make --queries 4 -o a", 2).contains("4 queries cannot be cut into 5 folds"));
}

#[test]
fn known_collections_say_where_to_get_them() {
    let folder = directory(&[]);
    let at = folder.path();
    let all = json(at, "datasets --json");
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|d| d["name"].as_str().unwrap()).collect();
    for name in names {
        let one = json(at, &format!("datasets {name} --json"));
        assert!(!one["get"].as_str().unwrap().is_empty() && one["folder"].is_null(), "{name}");
        assert!(stdout(at, "datasets").contains(name));
    }
    assert!(stderr(at, "datasets mq208", 2).contains("did you mean `mq2008`?"));
    assert!(stderr(at, "datasets mq2008 --verify", 2).contains("is not here"));
}

#[test]
fn a_file_that_differs_from_its_checksum_is_found() {
    let folder = directory(&[]);
    let data = folder.path().join("mq2008");
    std::fs::create_dir(&data).unwrap();
    for part in 1..=5 {
        std::fs::write(data.join(format!("S{part}.txt")), format!("1 qid:{part} 1:0\n")).unwrap();
    }
    assert_eq!(json(folder.path(), "datasets mq2008 --data-dir . --json")["folder"], "./mq2008");
    stderr(folder.path(), "datasets mq2008 --data-dir . --verify", 1);
}
