//! Tests `fivefold correlate`, values of any metric from a file, and `fivefold run` on a study of
//! ratings.

use crate::harness::{assert_same_content, directory, json, real_data, stderr, stdout, stdout_with_data, summary_of};

const VALUES: &str = "item,system,score,expected,upper\n\
    1,a,.9,.3,1\n1,b,.5,.3,1\n1,c,.1,.3,1\n2,a,.8,.5,1\n2,b,.6,.5,1\n2,c,.2,.5,1\n\
    3,a,.7,.1,1\n3,b,.9,.1,1\n3,c,.3,.1,1\n";
const RATINGS: &str = "item,system,rater,fluency,content\n\
    1,a,x,5,1\n1,b,x,3,2\n1,c,x,1,3\n2,a,x,4,2\n2,b,x,4,2\n2,c,x,2,2\n3,a,x,5,\n3,b,x,4,1\n3,c,x,1,4\n";
const STUDY: &str = "name = \"small\"\nkind = \"ratings\"\ndraws = 100\n[systems]\nvalues = [\"rouge1.csv\"]\n\
    [ratings]\nfiles = [\"ratings.csv\"]\n";
const OPTIONS: &str = "correlate rouge1.csv --ratings ratings.csv --draws 100";

fn rows(shown: &str) -> Vec<String> {
    shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// By hand: the means of rouge1 are .8, .6667 and .2, those of fluency 4.6667, 3.6667 and 1.3333.
#[test]
fn options_and_a_file_say_the_same() {
    let folder = directory(&[("rouge1.csv", VALUES), ("ratings.csv", RATINGS), ("small.toml", STUDY)]);
    let options = stdout(folder.path(), &format!("{OPTIONS} --out one --tables all"));
    assert_eq!(options, stdout(folder.path(), "correlate small.toml --out two --tables all"));
    let rows = rows(&options);
    assert!(rows.iter().any(|row| row.starts_with("rouge1 Kendall's tau-b 1.000")), "{options}");
    for title in [
        "Agreement with people, system level",
        "Agreement with people, pooled",
        "Differences to the original measure",
        "Items without a correlation",
        "Pairs of systems in the opposite order",
        "Agreement of the raters",
    ] {
        assert!(options.contains(title), "{title}\n{options}");
    }
    let one = folder.path().join("one");
    for file in ["correlations.csv", "differences.csv", "pairs.csv", "systems.csv", "figures/differences-item.svg"] {
        assert!(one.join(file).is_file(), "{file}");
    }
    let differences = std::fs::read_to_string(one.join("differences.csv")).unwrap();
    assert!(differences.contains("\nrouge1.v2,rouge1,fluency,item,kendall,0,0,0,100,1,100,,,0\n"), "{differences}");
    let said = summary_of(&one.join("report.html"));
    assert!(said.contains("rouge1, rouge1.v1 and rouge1.v2 agree best with fluency"), "{said}");
    stdout(folder.path(), "verify one");
}

#[test]
fn a_second_run_and_any_number_of_threads_write_the_same_bytes() {
    let folder = directory(&[("rouge1.csv", VALUES), ("ratings.csv", RATINGS), ("small.toml", STUDY)]);
    stdout(folder.path(), "run small.toml --threads 1 --out one");
    for _ in 0..2 {
        stdout(folder.path(), "run small.toml --threads 4 --out four");
        assert_same_content(&folder.path().join("one"), &folder.path().join("four"));
    }
    let told = json(folder.path(), &format!("{OPTIONS} --json"));
    assert_eq!((&told["kind"], &told["files"][0]), (&"ratings".into(), &"correlations.csv".into()));
}

/// Any metric with its expected value and upper bound is a measure with its versions.
#[test]
fn values_of_any_metric_are_compared_and_standardised() {
    let folder =
        directory(&[("rouge1.csv", VALUES), ("bleu.csv", "item,system,score\n1,a,.5\n1,b,.25\n2,a,.5\n2,b,.125\n")]);
    let shown = stdout(folder.path(), "compare rouge1.csv --draws 100 --trials 20 --tables all");
    assert!(shown.contains("Systems by rouge1.v2") && shown.contains("Systems by rouge1.v1"), "{shown}");
    let means = stdout(folder.path(), "compare rouge1.csv --measure rouge1.v2 --trials 20 --out runs/v2");
    assert!(means.contains("3 queries, 3 systems"), "{means}");
    let scores = std::fs::read_to_string(folder.path().join("runs/v2/scores.csv")).unwrap();
    // System c: (.1 - .3) / .3, (.2 - .5) / .5 and (.3 - .1) / .9.
    let mean: f64 =
        scores.lines().find(|line| line.contains(",c,")).unwrap().split(',').nth(3).unwrap().parse().unwrap();
    assert!((mean - (-2.0 / 3.0 - 0.6 + 2.0 / 9.0) / 3.0).abs() < 1e-12, "{mean}");
    // `standardise` compares halves of the queries, so it needs more of them.
    let more: String = (4..9)
        .flat_map(|item| (0..3).map(move |k| (item, k)))
        .map(|(item, k)| format!("{item},{},.{},.{item},1\n", ["a", "b", "c"][k], (item * 37 + k * 23) % 80 + 10))
        .collect();
    std::fs::write(folder.path().join("more.csv"), format!("{VALUES}{more}")).unwrap();
    stdout(folder.path(), "standardise --values more.csv --measure more --out runs/z");
    let told = stderr(folder.path(), "compare bleu.csv --measure bleu.v2", 2);
    for part in ["`bleu.v2` cannot be computed", "bleu.csv has no column `expected`", "add the column"] {
        assert!(told.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part}\n{told}");
    }
    assert!(stdout(folder.path(), "compare bleu.csv --trials 20 --tables all").contains("bleu has no V1 and V2"));
    std::fs::write(folder.path().join("wrong.csv"), VALUES.replace("3,c,.3", "3,c,1.3")).unwrap();
    let told = stderr(folder.path(), "compare wrong.csv", 2);
    assert!(told.contains("wrong.csv:10: `score` is 1.3, above `upper`, which is 1"), "{told}");
}

#[test]
fn a_printed_table_stands_beside_a_measure_that_there_is() {
    let with =
        |table: &str, measure: &str| format!("{STUDY}[[printed]]\ntable = \"{table}\"\nmeasure = \"{measure}\"\n");
    let folder = directory(&[
        ("rouge1.csv", VALUES),
        ("ratings.csv", RATINGS),
        ("measure.toml", &with("9.1", "rogue1")),
        ("table.toml", &with("9.9", "rouge1")),
    ]);
    let told = stderr(folder.path(), "run measure.toml --out out", 2);
    assert!(told.contains("names `rogue1`") && told.contains("did you mean `rouge1`?"), "{told}");
    assert!(stderr(folder.path(), "run table.toml --out out", 2).contains("there are 8.1, 8.2, 8.3, 9.1"));
}

#[test]
fn the_upper_bound_holds_only_if_it_is_given() {
    let values: String = VALUES.lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect();
    let folder = directory(&[("rouge1.csv", &values), ("ratings.csv", RATINGS)]);
    let told = stderr(folder.path(), &format!("{OPTIONS} --measure rouge1.v1"), 2);
    assert!(told.contains("no column `upper`") && told.contains("--upper 1"), "{told}");
    stdout(folder.path(), &format!("{OPTIONS} --measure rouge1.v1 --upper 1"));
    assert!(stderr(folder.path(), &format!("{OPTIONS} --upper 0"), 2).contains("an upper bound is above 0"));
}

const QRELS: &str = "1 0 d1 2\n1 0 d2 1\n1 0 d3 0\n2 0 d1 0\n2 0 d2 1\n2 0 d3 2\n3 0 d1 1\n3 0 d2 0\n3 0 d3 0\n";

fn run_of(orders: [&str; 3]) -> String {
    let lines = orders.iter().zip(1..).flat_map(|(order, topic)| {
        order.chars().zip(1..).map(move |(d, rank)| format!("{topic} Q0 d{d} {rank} {} x\n", 10 - rank))
    });
    lines.collect()
}

fn rankings() -> tempfile::TempDir {
    let folder = directory(&[("qrels.txt", QRELS)]);
    for (name, orders) in
        [("good", ["123", "321", "123"]), ("fair", ["213", "231", "213"]), ("poor", ["321", "123", "321"])]
    {
        std::fs::write(folder.path().join(format!("{name}.run")), run_of(orders)).unwrap();
    }
    folder
}

/// Topic-level ratings of rankings: people rate the runs as nDCG does.
#[test]
fn rankings_are_correlated_with_ratings_of_topics() {
    let folder = rankings();
    let ratings = "topic,system,rating\n1,good,5\n1,fair,4\n1,poor,1\n\
        2,good,5\n2,fair,3\n2,poor,2\n3,good,4\n3,fair,3\n3,poor,1\n";
    std::fs::write(folder.path().join("topics.csv"), ratings).unwrap();
    let command =
        "correlate --qrels qrels.txt --runs *.run --measure ndcg@3 ndcg.v2@3 --ratings topics.csv --draws 50 --out r";
    stdout(folder.path(), command);
    let found = std::fs::read_to_string(folder.path().join("r/correlations.csv")).unwrap();
    for row in [
        "ndcg@3,rating,system,kendall,1,3,0",
        "ndcg@3,rating,item,kendall,1,3,0",
        "ndcg.v2@3,rating,item,spearman,1,3,0",
    ] {
        assert!(found.lines().any(|line| line == row), "{row}\n{found}");
    }
    let differences = std::fs::read_to_string(folder.path().join("r/differences.csv")).unwrap();
    assert!(differences.contains("ndcg.v2@3,ndcg@3,rating,system,kendall,0,"), "{differences}");
}

/// By hand: nDCG orders good > fair > poor on each topic. People agree on topics 1 and 2, and not on
/// topic 3.
#[test]
fn preferences_are_held_against_ndcg() {
    let folder = rankings();
    let sides = "topic,a,b,preferred\n1,good,poor,good\n2,fair,poor,a\n3,good,fair,b\n3,good,poor,tie\n";
    std::fs::write(folder.path().join("sides.csv"), sides).unwrap();
    let command =
        "correlate --qrels qrels.txt --runs *.run --measure ndcg@3 --preferences sides.csv --out p --tables all";
    let shown = stdout(folder.path(), command);
    let rows = rows(&shown);
    for row in ["ndcg@3 item 0.667 2 1 0 1", "ndcg@3 system 0.667 2 1 0 0"] {
        assert!(rows.iter().any(|own| own == row), "{row}\n{shown}");
    }
    let said = summary_of(&folder.path().join("p/report.html"));
    assert!(said.contains("ndcg@3 orders 66.7 % of the preferred pairs on items as people do"), "{said}");
}

#[test]
fn mistakes_say_what_to_do() {
    let folder = directory(&[("rouge1.csv", VALUES), ("ratings.csv", RATINGS), ("small.toml", STUDY)]);
    let says = |arguments: &str, words: &[&str]| {
        let told = stderr(folder.path(), arguments, 2);
        let told = told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(words.iter().all(|word| told.contains(word)), "{arguments}: {words:?}\n{told}");
    };
    says("correlate rouge1.csv", &["there are no ratings to correlate with", "--ratings", "--preferences"]);
    says(&format!("{OPTIONS} --level sytem"), &["system, item, pooled"]);
    says(&format!("{OPTIONS} --dimension fluncy"), &["no dimension `fluncy`", "did you mean `fluency`?"]);
    says(&format!("{OPTIONS} --against rouge"), &["`against` names `rouge`", "did you mean `rouge1`?"]);
    says(&format!("{OPTIONS} --measure rouge1.v3"), &["the values have no measure `rouge1.v3`"]);
    says("correlate small.toml --draws 5", &["is an experiment file"]);
    says("correlate --ratings ratings.csv", &["does not say where the systems come from"]);
    says("correlate rouge1.csv --ratings no.csv", &["there is no no.csv"]);
    std::fs::write(folder.path().join("odd.csv"), RATINGS.replace("2,b,x,4,2", "2,b,x,good,2")).unwrap();
    says("correlate rouge1.csv --ratings odd.csv", &["odd.csv:6: the rating of fluency is `good`, not a number"]);
    std::fs::write(folder.path().join("wrong.toml"), STUDY.replace("files", "file")).unwrap();
    says("run wrong.toml", &["did you mean `files`?"]);
}

/// The worked example of the book's page on SummEval: tau x 66 of ROUGE-1 is 22, 18, 36 and 34.
#[test]
fn summeval_from_a_file_of_values() {
    let Some(data) = real_data() else { return };
    let fixture = include_str!("../../../crates/fivefold-studies/tests/summeval/rouge1.csv");
    let score = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cells[place].parse::<f64>().unwrap();
        let score = 2.0 * number(2) / (number(3) + number(4));
        format!("{},{},{score},{}\n", cells[0], cells[1], number(5) / number(4))
    };
    let values: String = fixture.lines().skip(1).map(score).collect();
    let folder = directory(&[("rouge1.csv", &format!("item,system,score,expected\n{values}"))]);
    let ratings = "text/summeval/model_output_annotations/*_outputs_annotations.jsonl";
    let arguments =
        ["correlate", "rouge1.csv", "--upper", "1", "--ratings", ratings, "--draws", "200", "--tables", "all"];
    let shown = stdout_with_data(folder.path(), &data, &arguments);
    let rows = rows(&shown);
    for row in [
        "rouge1 Kendall's tau-b 0.333 0.273 0.545 0.515",
        "rouge1.v2 Kendall's tau-b 0.273 0.273 0.545 0.455",
        "rouge1 0 4 2 0",
        "rouge1 coherence 66 22 0.333 0",
        "coherence 3 3600 0.161 0.574 0.576",
    ] {
        assert!(rows.iter().any(|own| own == row), "{row}\n{shown}");
    }
}
