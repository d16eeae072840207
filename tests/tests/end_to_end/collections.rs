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

/// A newcomer gives data in place of an experiment, leaves out the layout, or takes a wrong one. The
/// message says what to write.
#[test]
fn a_newcomer_learns_what_to_write() {
    let rest = "[[ranker]]\nkind = \"linear\"\n[evaluation]\nmeasures = [\"ndcg\"]\n";
    let experiment = |lines: &str| format!("name = \"x\"\n[[dataset]]\n{lines}\n{rest}");
    let folder = directory(&[
        ("data.txt", "# made\n2 qid:1 1:0.5\n"),
        ("lightgbm.txt", "0 3:0.5 7:1\n"),
        ("bm25.run", "q1 Q0 d1 1 2.5 bm25\n"),
        ("qrels.txt", "q1 0 d1 1\n"),
        ("no-layout.toml", &experiment("path = \"data.txt\"")),
        ("wrong-layout.toml", &experiment("path = \"data\"\nlayout = \"fold-dirs\"")),
    ]);
    let at = folder.path();
    for data in ["data.txt", "lightgbm.txt"] {
        let told = stderr(at, &format!("run {data}"), 2);
        assert!(told.contains(&format!("{data} holds data (LETOR text), and is not an experiment")), "{told}");
    }
    assert!(stderr(at, "run bm25.run", 2).contains("bm25.run holds data (a TREC run or qrels)"));
    for (data, what) in [("bm25.run", "a TREC run"), ("qrels.txt", "TREC qrels")] {
        let told = stderr(at, &format!("compare {data}"), 2);
        assert!(told.contains(&format!("the file holds {what}, not values per query")), "{told}");
        assert!(told.contains("--qrels QRELS --runs RUN"), "{told}");
    }
    let told = stderr(at, "run no-layout.toml", 2);
    assert!(fivefold_data::LAYOUTS.iter().all(|layout| told.contains(&format!("`{}`", layout.name))), "{told}");
    for fold in 1..=5 {
        let inside = at.join(format!("data/Fold{fold}"));
        std::fs::create_dir_all(&inside).unwrap();
        for part in ["trainingset", "validationset", "testset"] {
            std::fs::write(inside.join(format!("{part}.txt")), format!("1 qid:{fold} 1:0\n")).unwrap();
        }
    }
    let told = stderr(at, "run wrong-layout.toml", 2);
    assert!(told.contains("the files of this folder fit `layout = \"fold-sets\"`"), "{told}");
}
