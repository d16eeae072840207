//! Tests `fivefold converge` and experiments of its kind.

use crate::harness::{assert_same_content, directory, json, stderr, stdout, summary_of};

const SMALL: &str = "converge --measure ndcg@10 ndcg(discount=power:0.5) ap.v2@20 --documents 600 --step 50 --from 100 \
                     --trials 3 --angle 0 60 240";

#[test]
fn the_folder_is_the_same_for_any_number_of_threads_and_for_a_file_of_the_same_settings() {
    let file = "name = \"converge\"\nkind = \"converge\"\nseed = 7\ndocuments = 600\nstep = 50\nfrom = 100\ntrials = 3\n\
                angles = [0, 60, 240]\nmeasures = [\"ndcg@10\", \"ndcg(discount=power:0.5)\", \"ap.v2@20\"]\n";
    let directory = directory(&[("mine.toml", file)]);
    let here = directory.path();
    let summary = json(here, &format!("{SMALL} --threads 1 --out one --json"));
    assert_eq!(summary["kind"], "converge");
    assert_eq!(summary["figures"].as_array().unwrap().len(), 4);
    let shown = stdout(here, &format!("{SMALL} --threads 3 --out three"));
    assert!(shown.contains("How often 3 pairs of rankers change places from n = 100 on"), "{shown}");
    stdout(here, "run mine.toml --out file");
    stdout(here, "converge mine.toml --out same");
    for other in ["three", "file", "same"] {
        assert_same_content(&here.join("one"), &here.join(other));
    }
    // The summary says the same as the table, column by column: the crossings, the pairs and the
    // last crossing.
    let table = std::fs::read_to_string(here.join("one/tables/convergence-summary.csv")).unwrap();
    let said = summary_of(&here.join("one/report.html"));
    for line in table.lines().filter(|line| line.contains('@')) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!((cells[2], cells[3]), ("1", "1"), "{table}");
        let words = format!("1 of 3 pairs of rankers changes places, once in all, the last time at n = {}.", cells[4]);
        assert!(
            said.contains(&format!("Under {} (its discount lets the top decide: type 1), {words}", cells[0])),
            "{said}"
        );
    }
    assert!(said.contains(
        "least often under ndcg(discount=power:0.5) (never) and most often under ndcg@10 and ap.v2@20 (once)"
    ));
    assert!(said.contains(
        "no pair of rankers changes places from n = 100 on; at n = 600 no mean is farther than 0.0328 from its limit."
    ));
    for file in ["manifest.json", "tables/convergence-limits.csv", "figures/convergence-ndcg-discount-power-0.5.svg"] {
        assert!(here.join("one").join(file).is_file(), "{file}");
    }
    stdout(here, &format!("{SMALL} --seed 8 --out other"));
    let values = |folder: &str| std::fs::read(here.join(folder).join("tables/convergence-values.csv")).unwrap();
    assert_ne!(values("one"), values("other"));
}

#[test]
fn score_files_are_measured_on_growing_lists() {
    let data: String = (0..40).map(|d| format!("{} qid:1 1:{d}\n", d % 3)).collect();
    let scores: String = (0..40).map(|d| format!("{}\n", d % 3)).collect();
    let constant = "1\n".repeat(40);
    let directory = directory(&[("data.txt", &data), ("best.txt", &scores), ("flat.txt", &constant)]);
    let shown = stdout(
        directory.path(),
        "converge --data data.txt --scores best=best.txt flat=flat.txt --documents 40 --step 10 --from 10 --measure ndcg",
    );
    assert!(shown.contains("1 query with at least 40 documents of 1; 10 random orders"), "{shown}");
}

#[test]
fn what_makes_no_sense_is_said() {
    let directory = directory(&[]);
    let here = directory.path();
    assert!(stderr(here, "converge --step 0", 2).contains("`step` must be at least 1, not 0"));
    assert!(stderr(here, "converge --measure ndgc", 2).contains("did you mean `ndcg`?"));
    assert!(stderr(here, "converge --discount zip", 2).contains("unknown discount `zip`"));
    assert!(stderr(here, "converge quickstart", 2).contains("is not a study of kind \"converge\""));
}
