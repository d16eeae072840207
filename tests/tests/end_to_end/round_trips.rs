//! Tests that fivefold reads back the values per query and the scores that it writes, with the same
//! names and bits.
//!
//! The writers are a results folder, a study and `fivefold eval --per-query --format csv`. The
//! names consist of characters and words that have a meaning in one of the formats.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use fivefold_analysis::evaluation::{DatasetValues, Evaluation, QueryInfo};
use fivefold_data::per_query::{PerQueryOptions, SystemValues, read};
use fivefold_data::read_scores;
use fivefold_experiment::scoring::scores_text;
use fivefold_results::store::Store;
use fivefold_results::values::{self, DataShape};
use fivefold_studies::Findings;
use proptest::prelude::*;

use crate::harness::{directory, fivefold};

/// Names that some program takes for something else.
const WORDS: [&str; 28] = [
    "all",
    "ALL",
    "mean",
    "amean",
    "average",
    "Mean",
    "map",
    "std",
    "max",
    "nan",
    "NaN",
    "null",
    "None",
    "inf",
    "0",
    "-1",
    "1e5",
    "007",
    "runid",
    "query",
    "system",
    "fold",
    "queries",
    "undefined",
    "left out",
    "=1+1",
    "#1",
    "\"",
];
/// Characters that separate, quote, begin a comment or begin a formula in some format, and some
/// characters beyond ASCII.
const CHARACTERS: &str = "aZ09.,;:'\"#=+-@/\\%*()[]{}<>|_~`!?&$^éßı汉😀\u{200c}\u{301}";

/// Distinct names. Only a name from `WORDS` can contain a blank.
fn names(count: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<String>> {
    let character = prop::sample::select(CHARACTERS.chars().collect::<Vec<_>>());
    let name = prop_oneof![
        3 => prop::collection::vec(character, 1..6).prop_map(String::from_iter),
        1 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
    ];
    prop::collection::btree_set(name, count).prop_map(|names| names.into_iter().collect::<Vec<_>>()).prop_shuffle()
}

/// Numbers whose squares do not overflow, zeros of both signs, and undefined values.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![5 => 0.0..=1.0, 1 => -1e9..1e9, 1 => Just(0.1 + 0.2), 1 => Just(-0.0), 1 => Just(f64::NAN)]
}

/// The bits of the values by measure, system and query; NaN is undefined. Bits can be compared,
/// also those of NaN.
type Table = BTreeMap<[String; 3], u64>;

fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

fn table(values: &SystemValues) -> Table {
    let mut table = Table::new();
    for (m, measure) in values.measures.iter().enumerate() {
        for (s, system) in values.systems.iter().enumerate() {
            for (query, value) in values.queries.iter().zip(values.of(m, s)) {
                table.insert([measure, system, query].map(String::clone), bits(*value));
            }
        }
    }
    table
}

fn system_values() -> impl Strategy<Value = SystemValues> {
    (1..=2usize, names(1..=3), names(1..=5)).prop_flat_map(|(measures, systems, queries)| {
        let size = measures * systems.len() * queries.len();
        prop::collection::vec(value(), size).prop_map(move |values| SystemValues {
            measures: ["ndcg@10", "ndcg.v2(gain=linear)@5"][..measures].iter().map(|&name| name.to_owned()).collect(),
            systems: systems.clone(),
            queries: queries.clone(),
            undefined: values.iter().map(|value| value.is_nan()).collect(),
            values,
            remarks: Vec::new(),
        })
    })
}

fn recognised(path: &Path) -> SystemValues {
    let text = std::fs::read_to_string(path).unwrap();
    read(path, &PerQueryOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Writes the values as a results folder of one data set and reads the folder back, also as a file
/// of values.
fn through_a_results_folder(values: &SystemValues, folder: &Path) -> SystemValues {
    let store = Store::new(folder);
    let [measures, queries] = [values.measures.len(), values.queries.len()];
    let info = |id: &String| QueryInfo { fold: 1, id: id.clone(), documents: 3, relevant: 1, graded2: 0 };
    let of_query = |system: usize, query: usize| (0..measures).map(move |m| values.of(m, system)[query]);
    let of_system = |system: usize| (0..queries).flat_map(move |query| of_query(system, query));
    let evaluation = Evaluation {
        measures: values.measures.iter().map(|name| name.parse().unwrap()).collect(),
        datasets: vec![DatasetValues {
            name: "#1, \"set\"".to_owned(),
            rankers: values.systems.clone(),
            failed: vec![false; values.systems.len()],
            queries: values.queries.iter().map(info).collect(),
            all: (0..values.systems.len()).flat_map(of_system).collect(),
            left: Vec::new(),
            right: Vec::new(),
            expected: vec![0.5; queries * measures],
        }],
    };
    values::write(&store, &evaluation).unwrap();
    let shape = |dataset: &DatasetValues| DataShape {
        name: dataset.name.clone(),
        rankers: dataset.rankers.clone(),
        failed: dataset.failed.clone(),
        halves: false,
    };
    let again = values::read(&store, &evaluation.datasets.iter().map(shape).collect::<Vec<_>>()).unwrap();
    let all = |evaluation: &Evaluation| evaluation.datasets[0].all.iter().map(|v| bits(*v)).collect::<Vec<_>>();
    assert_eq!(all(&again), all(&evaluation));
    assert_eq!(again.datasets[0].queries, evaluation.datasets[0].queries);
    recognised(&folder.join(values::PER_QUERY))
}

/// Writes the values as a study and reads them back.
fn through_a_study(values: &SystemValues, folder: &Path) -> SystemValues {
    let head: Vec<String> = ["query", "system"].map(str::to_owned).into_iter().chain(values.measures.clone()).collect();
    let row = |(query, system): (usize, usize)| {
        let numbers = (0..values.measures.len()).map(|measure| values.of(measure, system)[query].to_string());
        [values.queries[query].clone(), values.systems[system].clone()].into_iter().chain(numbers).collect()
    };
    let places = (0..values.queries.len()).flat_map(|q| (0..values.systems.len()).map(move |s| (q, s)));
    let mut findings = Findings::default();
    findings.add_values("per_query.csv", &head, places.map(row));
    let path = folder.join("study.csv");
    std::fs::write(&path, &findings.files[0].1).unwrap();
    recognised(&path)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// The report behind this test: a topic named `all` was lost when fivefold read its own file.
    #[test]
    fn values_of_the_library_come_back_through_every_pair_of_formats(values in system_values()) {
        let folder = directory(&[]);
        let expected = table(&values);
        let writers = [through_a_results_folder, through_a_study];
        for first in writers {
            let once = first(&values, folder.path());
            prop_assert_eq!(&table(&once), &expected);
            for second in writers {
                prop_assert_eq!(&table(&second(&once, folder.path())), &expected);
            }
        }
    }

    #[test]
    fn every_score_comes_back(scores in prop::collection::vec(any::<f64>(), 1..40)) {
        let scores: Vec<f64> = scores.into_iter().filter(|score| score.is_finite()).collect();
        let folder = directory(&[]);
        let path = folder.path().join("scores.txt");
        std::fs::write(&path, scores_text(&scores)).unwrap();
        let again = read_scores(&path, scores.len()).unwrap();
        prop_assert!(again.iter().map(|s| s.to_bits()).eq(scores.iter().map(|s| s.to_bits())), "{scores:?}");
    }
}

/// Writes qrels and two runs for some topics. The second run ranks the document that is not
/// relevant first.
fn write_runs(folder: &Path, topics: &[String]) {
    let (mut qrels, mut runs) = (String::new(), [String::new(), String::new()]);
    for (number, topic) in topics.iter().enumerate() {
        // Every third topic has no relevant document.
        let grade = usize::from(number % 3 != 2);
        qrels += &format!("{topic} 0 d1 {grade}\n{topic} 0 d2 0\n");
        for (run, scores) in runs.iter_mut().zip([[2, 1], [1, 2]]) {
            *run += &format!("{topic} Q0 d1 1 {} tag\n{topic} Q0 d2 2 {} tag\n", scores[0], scores[1]);
        }
    }
    std::fs::write(folder.join("qrels"), qrels).unwrap();
    runs.iter().enumerate().for_each(|(n, run)| std::fs::write(folder.join(format!("run{n}")), run).unwrap());
}

proptest! {
    // Each case runs the program twice.
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_of_eval_come_back_and_go_on_through_other_formats(topics in names(1..=5), systems in names(2..=2)) {
        let without = |name: &String, none: &[char]| name.replace(none, "_");
        // Qrels and runs have blanks between fields, and a line that starts with `#` is a comment.
        // A label ends at the first `=`. A text with `/` before the `=` is a path.
        let topics: Vec<String> = topics.iter().map(|topic| without(topic, &[' ', '#'])).collect();
        let systems: Vec<String> = systems.iter().map(|system| without(system, &['=', '/'])).collect();
        prop_assume!(systems[0] != systems[1] && topics.iter().collect::<HashSet<_>>().len() == topics.len());
        let folder = directory(&[]);
        write_runs(folder.path(), &topics);
        let labelled: Vec<String> = systems.iter().enumerate().map(|(n, name)| format!("--runs={name}=run{n}")).collect();
        let eval = |form: &str| {
            let mut command = fivefold(folder.path());
            command.args(["eval", "--qrels", "qrels", "--measures", "ndcg@10,rr", "--per-query", form]);
            let output = command.args(&labelled).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let path = folder.path().join("eval.csv");
        std::fs::write(&path, eval("--format=csv")).unwrap();
        let values = recognised(&path);
        let expected = table(&values);

        // The JSON output has the same values.
        let told: serde_json::Value = serde_json::from_str(&eval("--format=json")).unwrap();
        let told = told["values"].as_array().unwrap().iter().flat_map(|row| {
            let name = |key: &str| row[key].as_str().unwrap().to_owned();
            let value = bits(row["value"].as_f64().unwrap_or(f64::NAN));
            [([name("measure"), name("system"), name("query")], value)]
        });
        prop_assert_eq!(&told.collect::<Table>(), &expected);
        for writer in [through_a_results_folder, through_a_study] {
            prop_assert_eq!(&table(&writer(&values, folder.path())), &expected);
        }
    }
}
