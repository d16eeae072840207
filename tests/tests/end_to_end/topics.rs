//! Tests `fivefold topics`, and `fivefold run` on a study of queries needed.

use crate::harness::{assert_same_content, directory, json, stderr, stdout, summary_of};

const VALUES: &str = "query,a,b,c\n1,.9,.1,.5\n2,.8,.3,.5\n3,.9,.2,.4\n4,.7,.2,.6\n5,.8,.1,.5\n";
const STUDY: &str =
    "name = \"small\"\nkind = \"topics\"\ndifferences = [0.05, 0.5]\n[systems]\nvalues = [\"ap.csv\"]\n";
const OPTIONS: &str = "topics --values ap.csv --difference 0.05 0.5";

/// By hand: a - b is .8, .5, .7, .5 and .7 with variance .018. a - c is .4, .3, .5, .1 and .3 with
/// variance .022. c - b is .4, .2, .2, .4 and .4 with variance .012. So the mean is .0173. The
/// queries are those of statsmodels, as in the tests of the study:
/// `TTestPower().solve_power(.05 / .022 ** .5, power=.8, alpha=.05)`, and so on.
#[test]
fn options_and_a_file_say_the_same() {
    let folder = directory(&[("ap.csv", VALUES), ("small.toml", STUDY)]);
    let options = stdout(folder.path(), &format!("{OPTIONS} --out one --tables all"));
    assert_eq!(options, stdout(folder.path(), "topics small.toml --out two --tables all"));
    let rows: Vec<String> = options.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for row in [
        "ap mean 0.0173 57 3",
        "ap largest 0.0220 72 3",
        "ap mean 0.0173 0.102 1.000",
        "ap largest 0.0220 0.091 1.000",
        "ap a b 0.6400 0.0180 1.000 3",
        "ap a c 0.3200 0.0220 0.942 4",
        "ap c b 0.3200 0.0120 0.997 4",
    ] {
        assert!(rows.iter().any(|own| own == row), "{row}\n{options}");
    }
    let all = std::fs::read_to_string(folder.path().join("one/pairs.csv")).unwrap();
    assert_eq!(all.lines().count(), 1 + 3);
    let said = summary_of(&folder.path().join("one/report.html"));
    for sentence in [
        "The per-query differences of two systems have a variance of 0.0173 on average over 3 pairs, and of 0.0220 at most.",
        "3 of 3 observed differences need no more queries than the 5 at hand.",
    ] {
        assert!(said.contains(sentence), "{sentence}\n{said}");
    }
    assert!(folder.path().join("one/figures/queries-by-difference.svg").is_file());
}

#[test]
fn a_second_run_and_any_number_of_threads_write_the_same_bytes() {
    let folder = directory(&[("ap.csv", VALUES), ("small.toml", STUDY)]);
    stdout(folder.path(), "run small.toml --threads 1 --out one");
    for _ in 0..2 {
        stdout(folder.path(), "run small.toml --threads 4 --out four");
        assert_same_content(&folder.path().join("one"), &folder.path().join("four"));
    }
    assert_eq!(json(folder.path(), "run small.toml --json")["kind"], "topics");
    stdout(folder.path(), "verify one");
}

#[test]
fn mistakes_are_underlined() {
    let folder = directory(&[("ap.csv", VALUES), ("small.toml", STUDY)]);
    let says = |from: &str, to: &str, words: [&str; 2]| {
        std::fs::write(folder.path().join("wrong.toml"), STUDY.replace(from, to)).unwrap();
        let told = stderr(folder.path(), "run wrong.toml", 2);
        assert!(words.iter().all(|word| told.contains(word)), "{words:?}\n{told}");
    };
    says("differences", "diferences", ["did you mean `differences`?", "diferences = "]);
    says("0.05,", "-0.05,", ["must be above 0 each, not -0.05", "differences = [-0.05"]);
    says("kind = \"topics\"", "kind = \"topic\"", ["did you mean \"topics\"?", "kind = \"topic\""]);
    assert!(stderr(folder.path(), "topics --values ap.csv --power 1", 2).contains("between 0 and 1"));
    assert!(stderr(folder.path(), "topics small.toml --power 0.9", 2).contains("cannot be used with"));
    assert!(stderr(folder.path(), "topics", 2).contains("does not say where the systems come from"));
}
