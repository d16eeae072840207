//! Tests `fivefold compare`: scores of other programs, and the shipped studies.

use crate::harness::{
    assert_same_content, directory, json, overview_of, real_data, stderr, stdout, stdout_with_data, summary_of,
};

const VALUES: &str = "query,a,b,c\n1,.9,.1,.5\n2,.8,.3,.5\n3,.9,.2,.4\n4,.7,.2,.6\n5,.8,.1,.5\n";
const FEW: &str = "--draws 100 --trials 20 --tables all";
/// Options for a quick comparison that writes into `runs/compare`, and replaces any content.
const KEPT: &str = "--draws 100 --trials 20 --out runs/compare --replace --tables all";

/// The output of `trec_eval -q` for one system. `all` is a summary row, never a query.
fn trec_eval(values: &[&str]) -> String {
    let lines = values.iter().enumerate().map(|(query, value)| format!("map\t{}\t{value}\n", query + 1));
    lines.chain(["map\tall\t0.9\n".to_owned()]).collect()
}

#[test]
fn every_table_of_a_table_of_values() {
    let folder = directory(&[("ap.csv", VALUES)]);
    let shown = stdout(folder.path(), &format!("compare ap.csv {KEPT}"));
    for title in [
        "Systems by ap",
        "Differences of systems",
        "Discriminative power",
        "Queries needed",
        "Swap method",
        "Average ranks",
    ] {
        assert!(shown.contains(title), "{title}\n{shown}");
    }
    let pairs = std::fs::read_to_string(folder.path().join("runs/compare/pairs.csv")).unwrap();
    assert_eq!(pairs.lines().count(), 1 + 3);
    for figure in ["means-ap", "p-values-ap", "critical-difference-ap", "achieved-significance-levels", "swap-rates"] {
        for form in ["svg", "csv"] {
            assert!(folder.path().join(format!("runs/compare/figures/{figure}.{form}")).exists(), "{figure}.{form}");
        }
    }
    let page = std::fs::read_to_string(folder.path().join("runs/compare/report.html")).unwrap();
    assert!(page.contains("Means of ap with their 95 % intervals") && page.contains("p-values of all pairs under ap"));
    assert!(shown.contains("not defined with one measure: Kendall's tau"), "{shown}");
}

/// By hand: the means of the queries over the systems are .5, .533, .5, .5, .467. So the hard
/// queries are query 5 and the first query with .5.
#[test]
fn queries_are_classed_by_difficulty_or_by_a_file() {
    let folder = directory(&[
        ("ap.csv", VALUES),
        ("classes.csv", "query,class\n1,short\n2,short\n3,long\n4,long\n5,long\n5,short\n9,long\n"),
    ]);
    // The CSV files are read, because their lines are not wrapped.
    let table =
        |id: &str| std::fs::read_to_string(folder.path().join(format!("runs/compare/tables/{id}.csv"))).unwrap();
    stdout(folder.path(), &format!("compare ap.csv --quantiles 2 {KEPT}"));
    let power = table("class-power");
    assert!(power.contains("by the mean ap of all systems: hardest 0.467 to 0.500, easiest 0.500 to 0.533"), "{power}");
    let queries: Vec<&str> = power.lines().filter(|line| line.starts_with("ap,")).collect();
    let begins = ["ap,all,5,3,", "ap,hardest,2,3,", "ap,easiest,3,3,"];
    assert!(queries.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{queries:?}");
    stdout(folder.path(), &format!("compare ap.csv --classes classes.csv {KEPT}"));
    let swaps = table("class-swaps");
    assert!(swaps.contains("0 of 5 queries are in no class, 1 of its lines is about other queries"), "{swaps}");
    assert!(swaps.contains("ap,short,long,0,1,yes"), "{swaps}");
    let manifest = std::fs::read_to_string(folder.path().join("runs/compare/manifest.json")).unwrap();
    assert!(manifest.contains("classes.csv"), "the file of classes is an input");
}

#[test]
fn labels_make_data_sets() {
    let other = "query,a,b,c\n1,.1,.9,.5\n2,.3,.8,.5\n3,.2,.9,.4\n";
    let folder = directory(&[("one.csv", VALUES), ("two.csv", other), ("a:b.csv", VALUES)]);
    let shown = stdout(folder.path(), &format!("compare T7:ap=one.csv T8:ap=two.csv {KEPT}"));
    assert!(shown.contains("Winning numbers over data sets") && shown.contains("Systems by ap: T7"), "{shown}");
    // The order is a > c > b on one data set, and b > c > a on the other.
    let swaps = std::fs::read_to_string(folder.path().join("runs/compare/tables/swap-datasets.csv")).unwrap();
    assert!(swaps.contains("ap,T7,T8,3,1"), "{swaps}");
    // If a file with a colon in its name exists, the name is not split into a label and a file.
    stdout(folder.path(), &format!("compare a:b.csv {KEPT}"));
    let says = |arguments: &str, words: &str| {
        let message = stderr(folder.path(), arguments, 2);
        assert!(message.contains(words), "{arguments}\n{message}");
    };
    says("compare T7:one.csv T8:two.csv", "the data sets have no measure in common: T7 has one; T8 has two");
    says("compare T7:one.csv two.csv", "`two.csv` has no label");
}

#[test]
fn systems_are_joined_by_query_and_a_missing_one_is_settled_by_a_policy() {
    let (one, other) = (trec_eval(&["0.5", "0.25", "0.75", "0.5"]), trec_eval(&["0.25", "0.5", "0.25"]));
    // The second file has its queries in another order.
    let mut lines: Vec<&str> = other.lines().collect();
    lines.reverse();
    let folder = directory(&[("one.txt", &one), ("other.txt", &(lines.join("\n") + "\n"))]);
    let message = stderr(folder.path(), &format!("compare bm25=one.txt other.txt {KEPT}"), 2);
    assert!(message.contains("other") && message.contains('4'), "{message}");
    let shown = stdout(folder.path(), &format!("compare bm25=one.txt other.txt --missing-queries drop {KEPT}"));
    assert!(shown.contains("1 of 4 queries is left out") && shown.contains("2 systems, 3 queries"), "{shown}");
    let scores = std::fs::read_to_string(folder.path().join("runs/compare/scores.csv")).unwrap();
    // (.5 + .25 + .75) / 3, without the summary row.
    assert!(scores.lines().any(|line| line.starts_with(",map,bm25,0.5,")), "{scores}");
    assert!(shown.contains("2 values of summary rows were left out"), "{shown}");
    let zero = stdout(folder.path(), &format!("compare bm25=one.txt other.txt --missing-queries zero {KEPT}"));
    assert!(zero.contains("1 missing value counts as 0") && zero.contains("2 systems, 4 queries"), "{zero}");
}

/// Two runs have the same tag, so the names given by the user tell them apart.
#[test]
fn a_name_that_is_given_stands_above_the_tag_of_a_run() {
    let text = format!("runid\tall\tours\n{}", trec_eval(&["0.5", "0.25"]));
    let folder = directory(&[("one.txt", &text), ("two.txt", &text)]);
    let shown = stdout(folder.path(), &format!("compare one=one.txt two=two.txt {KEPT}"));
    assert!(shown.contains("2 systems, 2 queries") && !shown.contains("ours"), "{shown}");
    let message = stderr(folder.path(), "compare one.txt two.txt", 2);
    assert!(message.contains("`ours` has values of map in two files") && message.contains("NAME=FILE"), "{message}");
}

/// Values are read from a file in an archive as from the file itself.
#[test]
fn values_are_read_from_members_of_archives() {
    let folder = directory(&[("ap.csv", VALUES)]);
    let mut archive = zip::ZipWriter::new(std::fs::File::create(folder.path().join("all.zip")).unwrap());
    for (name, text) in [("other.txt", "nothing"), ("t/ap.csv", VALUES)] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut archive, text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    let scores = |arguments: &str| {
        stdout(folder.path(), &format!("compare {arguments} {KEPT}"));
        std::fs::read_to_string(folder.path().join("runs/compare/scores.csv")).unwrap()
    };
    assert_eq!(scores("ap=all.zip:t/ap.csv"), scores("ap=ap.csv"));
    stdout(folder.path(), &format!("compare ap=all.zip:t/ap.csv {KEPT}"));
    stdout(folder.path(), "verify runs/compare");
    let message = stderr(folder.path(), "compare ap=all.zip:none.csv", 2);
    assert!(message.contains("no member `none.csv`"), "{message}");
}

/// AP by hand, for a and b: 1 and 1/2 on topic 1, 1/2 and 1 on topic 3. On topic 2, a has 1 and b
/// has no value.
#[test]
fn a_topic_that_a_run_lacks_is_settled_by_a_policy_and_counted() {
    let folder = directory(&[
        ("qrels", "1 0 x 1\n1 0 y 0\n2 0 x 1\n2 0 y 0\n3 0 x 1\n3 0 y 0\n"),
        ("a", "1 Q0 x 1 2 a\n1 Q0 y 2 1 a\n2 Q0 x 1 1 a\n3 Q0 y 1 2 a\n3 Q0 x 2 1 a\n"),
        ("b", "1 Q0 y 1 2 b\n1 Q0 x 2 1 b\n3 Q0 x 1 2 b\n3 Q0 y 2 1 b\n"),
    ]);
    let compare = |options: &str| {
        let shown = stdout(folder.path(), &format!("compare --qrels qrels --runs a b --measure ap {options} {KEPT}"));
        let scores = std::fs::read_to_string(folder.path().join("runs/compare/scores.csv")).unwrap();
        let mean = |system: &str| -> f64 {
            let row = scores.lines().find(|line| line.split(',').nth(2) == Some(system)).unwrap();
            row.split(',').nth(3).unwrap().parse().unwrap()
        };
        (shown, mean("a"), mean("b"))
    };
    let (shown, a, b) = compare("");
    assert!((a - 2.5 / 3.0).abs() < 1e-12 && (b - 0.5).abs() < 1e-12, "{a} {b}");
    assert!(shown.contains("b: 1 of 3 topics is missing from the run") && shown.contains("2 systems, 3 queries"));
    for options in ["--dialect trec_eval", "--missing-topics skip"] {
        let (shown, a, b) = compare(options);
        assert_eq!((a, b), (0.75, 0.75), "{options}");
        assert!(shown.contains("1 of 3 topics is left out: a run lacks it (missing topics: skip)"), "{shown}");
        assert!(shown.contains("2 systems, 2 queries"), "{shown}");
    }
    let message = stderr(folder.path(), "compare --qrels qrels --runs a b --missing-queries drop", 2);
    assert!(message.contains("the convention `missing_topics` says it"), "{message}");
}

/// The values of a are 0.9, undefined, 0.3; the values of b are 0.1, 0.5, 0.2. The means are by
/// hand.
#[test]
fn undefined_values_are_settled_by_a_policy_and_counted() {
    let folder = directory(&[("ap.csv", "query,a,b\n1,.9,.1\n2,nan,.5\n3,.3,.2\n")]);
    for (policy, means, note) in [
        ("zero", [0.4, 0.8 / 3.0], "3 queries, 1 with undefined values, which count as zero"),
        ("one", [2.2 / 3.0, 0.8 / 3.0], "3 queries, 1 with undefined values, which count as one"),
        ("skip", [0.6, 0.15], "2 of 3 queries: 1 with an undefined value"),
    ] {
        let shown = stdout(folder.path(), &format!("compare ap.csv --undefined {policy} {KEPT}"));
        assert!(shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(note), "{policy}\n{shown}");
        let scores = std::fs::read_to_string(folder.path().join("runs/compare/scores.csv")).unwrap();
        for (system, mean) in ["a", "b"].iter().zip(means) {
            let row = scores.lines().find(|line| line.split(',').any(|cell| cell == *system)).unwrap();
            let near = |cell: &str| cell.parse::<f64>().is_ok_and(|value| (value - mean).abs() < 1e-12);
            assert!(row.split(',').any(near), "{policy}: {row}");
        }
    }
    let message = stderr(folder.path(), "compare ap.csv --gain linear", 2);
    assert!(message.contains("can set `undefined` alone"), "{message}");
}

#[test]
fn a_baseline_a_test_and_a_correction() {
    let folder = directory(&[("ap.csv", VALUES)]);
    let arguments = format!("compare ap.csv --against c --test permutation --correction holm {KEPT}");
    let shown = stdout(folder.path(), &arguments);
    assert!(shown.contains("Differences from c") && shown.contains("corrected"), "{shown}");
    // For five queries, the permutation test is exact, whatever number of draws is asked for. A
    // test that does draw says so.
    assert!(shown.contains("test: permutation (exact), two-sided; correction: holm"), "{shown}");
    assert!(!shown.contains("Agreement of conclusions"));
    let page = |of: &str| std::fs::read_to_string(folder.path().join(of).join("report.html")).unwrap();
    let exact = page("runs/compare");
    assert!(exact.contains("paired permutation test over queries (exact), p &lt; 0.05") && !exact.contains("draws)"));
    stdout(folder.path(), &format!("compare ap.csv --test tukey-hsd {FEW} --out drawn"));
    let drawn = page("drawn");
    assert!(drawn.contains("over queries (100 draws), p &lt;") && !drawn.contains("over queries (exact"));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = directory(&[("ap.csv", VALUES)]);
    for (threads, out) in [(1, "one"), (4, "four")] {
        stdout(folder.path(), &format!("compare ap.csv --test bootstrap {FEW} --threads {threads} --out {out}"));
    }
    assert_same_content(&folder.path().join("one"), &folder.path().join("four"));
    let summary = json(folder.path(), &format!("compare ap.csv {KEPT} --json"));
    assert_eq!(summary["kind"].as_str(), Some("compare"));
}

#[test]
fn a_results_folder_of_several_data_sets_gives_winning_numbers() {
    let experiment = "name = \"small\"\nseed = 3\n[[dataset]]\nlabel = \"A\"\nmade = { shape = \"mq2007\", queries = 25 }\n\
                      [[dataset]]\nlabel = \"B\"\nmade = { shape = \"mq2007\", queries = 20, seed = 2 }\n\
                      [[ranker]]\nkind = \"linear\"\n[[ranker]]\nkind = \"random\"\n[evaluation]\ncutoffs = [5, 10]\n\
                      measures = [\"ndcg\"]\n[query_sets]\nuninformative = 5\nideal = 5\n";
    let folder = directory(&[("small.toml", experiment)]);
    stdout(folder.path(), "run small.toml");
    let shown = stdout(folder.path(), &format!("compare runs/small {KEPT}"));
    for text in [
        "Winning numbers over data sets",
        "Swap rates: pairs of systems",
        "Systems by ndcg.v2: B",
        "Agreement of conclusions: A",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    // The tables of fivefold itself count the same: two rankers at two cutoffs.
    let power = std::fs::read_to_string(folder.path().join("runs/compare/tables/a-power.csv")).unwrap();
    assert!(power.lines().any(|line| line.starts_with("ndcg,2,2,")), "{power}");
}

/// A small experiment under a dialect and a policy for undefined values.
fn small_run(name: &str, dialect: &str, undefined: &str) -> String {
    format!(
        "name = \"{name}\"\ndialect = \"{dialect}\"\nseed = 3\n[[dataset]]\nlabel = \"made\"\n\
         synthetic = {{ shape = \"mq2007\", queries = 40 }}\n[[ranker]]\nkind = \"linear\"\n[[ranker]]\nkind = \"random\"\n[evaluation]\n\
         cutoffs = [5]\nmeasures = [\"ndcg\"]\nundefined = \"{undefined}\"\n[query_sets]\nuninformative = 5\nideal = 5\n"
    )
}

/// Wherever values of a run are compared, the conventions in its manifest are shown. If the
/// conventions of two runs differ, the output says so.
#[test]
fn conventions_of_a_run_stand_under_its_values() {
    let folder = directory(&[
        ("a.toml", &small_run("a", "paper", "zero")),
        ("b.toml", &small_run("b", "letor4", "zero")),
        ("c.toml", &small_run("c", "paper", "skip")),
    ]);
    let at = folder.path();
    let read = |file: &str| std::fs::read_to_string(at.join(file)).unwrap();
    for name in ["a", "b", "c"] {
        stdout(at, &format!("run {name}.toml"));
    }
    let page_of = |inputs: &str| {
        stdout(at, &format!("compare {inputs} {FEW} --out m --replace"));
        read("m/report.html").replace("&#x2f;", "/")
    };
    let manifest: serde_json::Value = serde_json::from_str(&read("runs/a/manifest.json")).unwrap();
    let lines: Vec<&str> =
        manifest["conventions"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(lines.len() > 2, "{lines:?}");
    let said = format!("values of runs/a were computed under {}", lines.join("; "));
    let page = page_of("runs/a");
    // The conventions are under a table, and in the text to be quoted.
    assert!(
        page.contains(&format!("<li>{said}</li>"))
            && page.contains(&format!("Conventions and policies: made: {said};"))
    );
    for form in ["csv", "md", "tex"] {
        let table = read(&format!("m/tables/scores-ndcg.{form}"));
        assert!(table.contains("values of runs/a were computed under dialect: paper; ndcg"), "{table}");
    }
    assert!(page.contains("mcsherry2008computing") && !page.contains("CONVENTIONS DIFFER"));
    // For the file of values alone, the output says the same.
    assert!(
        page_of("runs/a/per_query.csv").contains("values of runs/a/per_query.csv were computed under dialect: paper;")
    );
    // No paper describes ties by file order, so none is cited.
    let page = page_of("runs/b");
    assert!(page.contains("were computed under dialect: letor4;") && !page.contains("mcsherry2008computing"));

    page_of("runs/a runs/b");
    let loud = "CONVENTIONS DIFFER between values that are compared: ";
    let of_ties = "ties average in runs/a, input in runs/b";
    let found = overview_of(&at.join("m/report.html"));
    assert_eq!(found.matches(loud).count(), 1, "{found}");
    let said = summary_of(&at.join("m/report.html"));
    assert!(said.contains("a (made)") && said.contains("b (made)"), "{said}");
    assert!(found.contains(of_ties) && found.contains("discount "), "{found}");
    for entry in std::fs::read_dir(at.join("m/tables")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "csv") {
            // A table within one folder compares no values of different conventions.
            let across =
                ["winning-numbers", "swap-datasets"].iter().any(|id| path.file_stem().is_some_and(|own| own == *id));
            assert_eq!(std::fs::read_to_string(&path).unwrap().contains(loud), across, "{}", path.display());
        }
    }
    // Conventions that the values do not contain are chosen by the study. If the run chose
    // otherwise, the output says that the means are not those of the run.
    let shown = stdout(at, &format!("compare runs/c {FEW} --out m --replace"));
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("MEANS ARE NOT THOSE OF runs/c: here undefined values: zero, not skip"), "{shown}");
    assert!(!stdout(at, &format!("compare runs/c --undefined skip {FEW} --out m --replace")).contains("MEANS ARE NOT"));
}

#[test]
fn mistakes_are_explained() {
    let folder = directory(&[("ap.csv", VALUES), ("one.csv", "query,a\n1,.5\n2,.5\n")]);
    let says = |arguments: &str, words: &str| {
        let message = stderr(folder.path(), arguments, 2);
        assert!(message.contains(words), "{arguments}\n{message}");
    };
    says("compare", "does not say where the systems come from");
    says("compare ap.csv --measure app", "did you mean `ap`?");
    says("compare ap.csv --trials 1000000000000", "`trials` must be from 1 to 1000000, not 1000000000000");
    says("compare ap.csv --draws 4000000000 --test bootstrap", "`draws` must be from 1 to 10000000, not 4000000000");
    says("compare ap.csv --trials 0", "must be from 1 to 1000000, not 0");
    says("compare ap.csv --against d", "no system is called `d`");
    says("compare ap.csv --test tt", "possible values: t, wilcoxon");
    says("compare ap.csv --correction maxt", "`correction` is wrong");
    says("compare one.csv", "1 system cannot be compared");
    says("compare ap.csv .", "is a folder and `ap.csv` is not a folder");
    says("compare compare-trec8 --alpha 0.01", "so its settings cannot be given as options");
    says("compare residual-dl19", "is not a study of kind");
    says("compare ap.csv --sets 2", "the values of ap have no E/U for the classes uninformative and ideal");
    says("compare ap.csv --quantiles 1", "needs `quantiles` of at least 2");
    says("compare ap.csv --quantiles 3", "5 queries cannot be cut into 3 classes");
    says(
        "compare ap.csv --quantiles 2 --classes-by app",
        "classes are by `app`, but the measures are ap; did you mean `ap`?",
    );
    std::fs::write(folder.path().join("twice.csv"), "1,a\n1,a\n").unwrap();
    says("compare ap.csv --classes twice.csv", "twice.csv:2: query `1` stands in class `a` already");
}

#[test]
fn the_shipped_studies_find_what_their_page_says() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    let shown = |name: &str| stdout_with_data(folder.path(), &data, &["compare", name, "--tables", "all"]);
    let trec8 = shown("compare-trec8");
    assert!(trec8.contains("45 of 8256 comparisons are shown") && trec8.contains("129 systems, 50 queries"), "{trec8}");
    // The output has 45 rows of comparisons, not 8,256.
    assert!(trec8.lines().count() < 150);
    let figure = |name: &str| {
        std::fs::read_to_string(folder.path().join(format!("runs/compare-trec8/figures/{name}.csv"))).unwrap()
    };
    assert!(figure("means-adhoc8-ap").contains("the best 40 of 129 systems; scores.csv and pairs.csv have all"));
    assert!(figure("critical-difference-adhoc8-ap").contains("the best 24 of 129 systems"));
    assert!(shown("compare-dl19").contains("38 systems, 43 queries"));
    assert!(shown("compare-mq2008-systems").contains("8 systems, 784 queries, 220 with undefined values"));
}
