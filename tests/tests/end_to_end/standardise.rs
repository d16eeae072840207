//! Tests `fivefold standardise`, its factors applied to other systems, and the shipped study of
//! TREC-8.

use crate::harness::{assert_same_content, directory, fivefold, json, real_data, stderr, stdout, summary_of};

const VALUES: &str = "a,b,c,d\n.1,.2,.4,.9\n.3,.3,.3,.3\n.5,.4,.8,.1\n.2,.2,.1,.6\n.9,.7,.3,.2\n.4,.5,.6,.7\n";
const OTHERS: &str = "b,e\n.2,.4\n.3,.3\n.4,.8\n.2,.1\n.7,.3\n.5,.6\n";
const FEW: &str = "--draws 10 --partitions 10";
/// Options for a quick study that writes into `runs/standardise`, and replaces any content.
const KEPT: &str = "--draws 10 --partitions 10 --out runs/standardise --replace";

#[test]
fn factors_are_exported_and_applied_to_other_systems() {
    let folder = directory(&[("ap.csv", VALUES)]);
    let shown = stdout(folder.path(), &format!("standardise --values ap.csv {KEPT}"));
    assert!(shown.contains("Comparability over random halves") && shown.contains("5 of 6 queries"), "{shown}");
    // By hand: the means of the queries are .4, .45, .275, .525, .55, and their standard deviation
    // is .110. Query 2 has no factors.
    let said = summary_of(&folder.path().join("runs/standardise/report.html"));
    for sentence in [
        "1 of 6 queries has no value in some form, as where all systems are equal, and is left out.",
        "The queries' means have a standard deviation of 0.110 under raw scores and of 0.014 under standardised scores.",
        "Raw and standardised scores both put d first; Kendall's tau-b of the two orders is 0.667.",
        "different from themselves under raw scores and",
    ] {
        assert!(said.contains(&sentence.replace('\'', "&#x27;")), "{sentence}\n{said}");
    }
    let own = std::fs::read_to_string(folder.path().join("runs/standardise/standardised.csv")).unwrap();
    std::fs::rename(folder.path().join("runs/standardise/factors/ap.json"), folder.path().join("f.json")).unwrap();
    std::fs::write(folder.path().join("ap.csv"), OTHERS).unwrap();
    stdout(folder.path(), &format!("standardise --values ap.csv --factors f.json {FEW} --out other"));
    let other = std::fs::read_to_string(folder.path().join("other/standardised.csv")).unwrap();
    // The system in both files has the same scores, although the other systems are absent and give
    // no factors.
    let of_b: Vec<&str> = other.lines().filter(|line| line.contains(",b,")).collect();
    assert_eq!(of_b.len(), 6);
    assert!(of_b.iter().all(|line| own.contains(line)), "{own}\n{other}");
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = directory(&[("ap.csv", VALUES)]);
    stdout(folder.path(), &format!("standardise --values ap.csv {FEW} --threads 1 --out one"));
    stdout(folder.path(), &format!("standardise --values ap.csv {FEW} --threads 4 --out four"));
    assert_same_content(&folder.path().join("one"), &folder.path().join("four"));
    let summary = json(folder.path(), &format!("standardise --values ap.csv {KEPT} --json"));
    assert_eq!(summary["kind"].as_str(), Some("standardise"));
}

#[test]
fn mistakes_are_explained() {
    let folder = directory(&[("ap.csv", VALUES), ("f.json", "{}")]);
    let says = |arguments: &str, words: &str| {
        let message = stderr(folder.path(), arguments, 2);
        assert!(message.contains(words), "{arguments}\n{message}");
    };
    says("standardise --values ap.csv --measure app", "did you mean `ap`?");
    says("standardise --values ap.csv --standardising a x", "which is no system");
    says("standardise --values ap.csv --standardising a", "at least two standardising systems");
    says("standardise --values ap.csv --factors f.json", "not factors of `fivefold standardise`");
    says("standardise --values no.csv", "there is no no.csv");
    std::fs::create_dir(folder.path().join("run")).unwrap();
    says("standardise run", "give the values of a results folder as --results run");
    says("standardise --values ap.csv --partitions 0", "`partitions` must be at least 1");
}

/// The values of a run are read from its results folder, for every version of a measure.
#[test]
fn a_results_folder_gives_values() {
    let experiment = "name = \"small\"\nseed = 3\n[[dataset]]\nlabel = \"made\"\nmade = { shape = \"mq2007\", queries = 25 }\n\
                      [[ranker]]\nkind = \"linear\"\n[[ranker]]\nkind = \"random\"\n[evaluation]\ncutoffs = [5]\n\
                      [query_sets]\nuninformative = 5\nideal = 5\n";
    let folder = directory(&[("small.toml", experiment)]);
    stdout(folder.path(), "run small.toml");
    let shown = stdout(folder.path(), &format!("standardise --results runs/small --measure ndcg@5 {KEPT}"));
    for form in ["raw", "V1", "V2", "standardised", "linear"] {
        assert!(shown.lines().any(|line| line.starts_with("ndcg@5") && line.contains(form)), "{form}\n{shown}");
    }
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("values of runs/small were computed under dialect: paper; ndcg: gain=exp2"), "{shown}");
    let page = std::fs::read_to_string(folder.path().join("runs/standardise/report.html")).unwrap();
    assert!(page.contains("mcsherry2008computing"));
    let message = stderr(folder.path(), "standardise --results runs/small --results-dataset mad", 2);
    assert!(message.contains("no data set `mad`") && message.contains("made"), "{message}");
}

/// Webber, Moffat & Zobel (SIGIR 2008): quartiles of the 6,450 standardised AP scores of TREC-8.
#[test]
fn trec8_is_as_published() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    let output = fivefold(folder.path())
        .args(["standardise", "--values", "trec/trec8/adhoc8_ap.csv", "--data-dir"])
        .arg(&data)
        .args(FEW.split(' '))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let row: Vec<&str> = text.lines().find(|line| line.contains("standardised")).unwrap().split_whitespace().collect();
    assert_eq!(row[..6], ["adhoc8_ap", "standardised", "6450", "0.263", "0.497", "0.736"]);
}
