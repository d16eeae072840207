//! `kind = "compare"` beside numpy and scipy: `compare.py` made `compare.json`. Needs
//! `FIVEFOLD_DATA`.
#![allow(clippy::unwrap_used)] // a test

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fivefold_analysis::{Cell, Table};
use fivefold_studies::{Findings, StudyFile, StudyOptions, run};
use serde_json::Value;

/// Tolerance for sums in another order.
const TOLERANCE: f64 = 1e-9;

fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    // Cargo runs tests in their package's folder, but the variable is given relative to the
    // workspace.
    folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder))
}

fn reference() -> Value {
    serde_json::from_str(include_str!("compare.json")).unwrap()
}

fn findings(text: &str, folders: &[&Path]) -> Findings {
    let file = StudyFile::parse(text).unwrap();
    let folders = folders.iter().map(|folder| folder.to_path_buf()).collect();
    run(&file, &StudyOptions { folders, ..StudyOptions::default() }).unwrap()
}

fn table<'a>(found: &'a Findings, id: &str) -> &'a Table {
    found.tables.iter().find(|table| table.id == id).unwrap()
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Number { value, .. } | Cell::PValue(value) => *value,
        Cell::Count(count) => *count as f64,
        other => panic!("{other:?}"),
    }
}

/// The number in a column of the row with these labels.
fn at(table: &Table, labels: &[&str], column: &str) -> f64 {
    let is_label = |(cell, label): (&Cell, &&str)| *cell == Cell::Text((*label).to_owned());
    let row = table.rows.iter().find(|row| row.iter().zip(labels).all(is_label));
    let place = table.columns.iter().position(|head| head == column);
    number(&row.unwrap_or_else(|| panic!("{} has no {labels:?}", table.id))[place.unwrap()])
}

fn near(found: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= TOLERANCE * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

/// Compares with expected values: means with intervals of all systems, powers, PAD, Friedman's
/// chi-square and the spread of differences.
fn held_to(found: &Findings, measure: &str, column: &str, expected: &Value) {
    let csv = &found.files.iter().find(|(name, _)| name == "scores.csv").unwrap().1;
    let rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[1] == column);
    let mut systems = 0;
    for (system, row) in rows.enumerate() {
        let [mean, low, high] = [3, 4, 5].map(|place| row[place].parse::<f64>().unwrap());
        near(mean, &expected["means"][system], row[2]);
        near((high - low) / 2.0, &expected["half_widths"][system], row[2]);
        systems += 1;
    }
    assert_eq!(systems, expected["means"].as_array().unwrap().len());
    let power = table(found, "power");
    near(at(power, &[measure], "significant"), &expected["power"], "power");
    near(at(power, &[measure], "PAD %"), &expected["pad"], "PAD");
    near(at(table(found, "ranks"), &[column], "chi-square"), &expected["chi_square"], "chi-square");
    near(at(table(found, "queries-needed"), &[column], "median sd"), &expected["median_sd"], "median sd");
}

fn held_to_between(found: &Findings, [one, other]: [&str; 2], expected: &Value) {
    near(at(table(found, "tau"), &[one], other), &expected["tau"], "tau");
    near(at(table(found, "weighted-tau"), &[one], other), &expected["weighted_tau"], "weighted tau");
    near(at(table(found, "tau-ap"), &[one], other), &expected["tau_ap"], "tau-AP");
    near(at(table(found, "tau-ap"), &[other], one), &expected["tau_ap_reversed"], "tau-AP, reversed");
    near(at(table(found, "conflicts"), &[one, other], "conflicts"), &expected["conflicts"], "conflicts");
    let agreement = table(found, "agreement");
    let both = at(agreement, &[one, other], "AA") + at(agreement, &[one, other], "AD");
    near(both, &expected["both"], "significant under both");
}

/// Compares WN, IWN and their ratio of every system with expected values.
fn held_to_winning(found: &Findings, measure: &str, expected: &Value) {
    let table = table(found, "winning-numbers");
    let expected = expected.as_object().unwrap();
    for (name, [wins, ideal]) in expected.iter().map(|(name, numbers)| (name, [&numbers[0], &numbers[1]])) {
        let found = ["WN", "IWN", "NWN"].map(|column| at(table, &[measure, name], column));
        near(found[0], wins, name);
        near(found[1], ideal, name);
        assert!((found[2] - found[0] / found[1]).abs() < 1e-15, "{name}");
    }
    assert_eq!(expected.len(), table.rows.len());
}

fn held_to_classes(found: &Findings, measure: &str, expected: &Value) {
    for (class, power) in expected["power"].as_object().unwrap() {
        near(at(table(found, "class-power"), &[measure, class], "significant"), power, class);
        near(at(table(found, "class-power"), &[measure, class], "PAD %"), &expected["pad"][class], class);
    }
    for (classes, rate) in expected["swaps"].as_object().unwrap() {
        let (first, second) = classes.split_once(' ').unwrap();
        near(at(table(found, "class-swaps"), &[measure, first, second], "swap rate"), rate, classes);
        near(at(table(found, "class-swaps"), &[measure, first, second], "tau-b"), &expected["tau"][classes], classes);
    }
}

#[test]
fn trec8_is_as_numpy_and_scipy_find_it() {
    let Some(data) = data() else { return };
    let expected = &reference()["trec8"];
    let study = |more: &str| {
        format!(
            "name = \"t\"\nkind = \"compare\"\nseed = 1\n{more}\n[systems]\n\
             values = [\"AP=trec/trec8/adhoc8_ap.csv\", \"P10=trec/trec8/adhoc8_p10.csv\"]\n"
        )
    };
    let found = findings(&study("classes = { quantiles = 3 }"), &[&data]);
    held_to(&found, "AP", "AP", &expected["ap"]);
    held_to(&found, "P10", "P10", &expected["p10"]);
    held_to_between(&found, ["AP", "P10"], &expected["between"]);
    held_to_classes(&found, "AP", &expected["by_difficulty"]);
    // The means are of tenths. Many are equal, but few in their last bits.
    held_to_classes(&found, "P10", &expected["p10_by_difficulty"]);
    for (class, tau) in expected["tau_by_difficulty"].as_object().unwrap() {
        near(at(table(&found, "class-tau"), &["AP", "P10"], class), tau, class);
    }
    let conflicts = at(table(&found, "class-conflicts"), &["AP", "P10"], "hardest");
    near(conflicts, &expected["conflicts_of_hardest"], "conflicts of the hardest");
    // The random halves differ: fivefold draws 1,000, and numpy drew 4,000.
    let swaps = at(table(&found, "swap-method"), &["AP"], "swaps %");
    assert!((swaps - expected["swap_method"].as_f64().unwrap()).abs() < 0.3, "{swaps}");

    let folder = tempfile::tempdir().unwrap();
    let classes: String =
        (1..=50).map(|query| format!("{query},{}\n", if query % 2 == 1 { "odd" } else { "even" })).collect();
    std::fs::write(folder.path().join("classes.csv"), format!("query,class\n{classes}")).unwrap();
    let found = findings(&study("classes = { file = \"classes.csv\" }"), &[folder.path(), &data]);
    held_to_classes(&found, "AP", &expected["by_file"]);
}

/// By hand. D1: a .5 > b .4 > c .3. D2: b and c tie at .6, above a .2. D3: a .9 > c .1, without b.
#[test]
fn winning_numbers_of_three_rankers_on_three_data_sets_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "name = \"t\"\nkind = \"compare\"\n".to_owned();
    for (name, values) in [
        ("D1", "query,a,b,c\n1,.4,.3,.2\n2,.6,.5,.4\n"),
        ("D2", "query,a,b,c\n1,.1,.5,.8\n2,.3,.7,.4\n"),
        ("D3", "query,a,c\n1,.8,.2\n2,1,0\n"),
    ] {
        std::fs::write(folder.path().join(format!("{name}.csv")), values).unwrap();
        text += &dataset(name, &format!("values = [\"ap={name}.csv\"]"));
    }
    let found = findings(&text, &[folder.path()]);
    held_to_winning(&found, "ap", &serde_json::json!({"a": [3, 5], "b": [2, 4], "c": [1, 5]}));
}

/// A table of an experiment file.
fn dataset(label: &str, systems: &str) -> String {
    format!("[[dataset]]\nlabel = \"{label}\"\nsystems = {{ {systems} }}\n")
}

/// The odd topics and the even topics are two data sets.
#[test]
fn winning_numbers_are_as_numpy_counts_them() {
    let Some(data) = data() else { return };
    let expected = &reference()["trec8"];
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(data.join("trec/trec8/adhoc8_ap.csv")).unwrap();
    let (head, rows) = text.split_once('\n').unwrap();
    for (name, rest) in [("odd", 0), ("even", 1)] {
        let own = rows.lines().enumerate().filter(|(row, _)| row % 2 == rest);
        let own: String = own.fold(format!("{head}\n"), |text, (_, row)| text + row + "\n");
        std::fs::write(folder.path().join(format!("{name}.csv")), own).unwrap();
    }
    let [odd, even] = ["odd", "even"].map(|name| dataset(name, &format!("values = [\"ap={name}.csv\"]")));
    let found = findings(&format!("name = \"t\"\nkind = \"compare\"\n{odd}{even}"), &[folder.path()]);
    held_to_winning(&found, "ap", &expected["winning"]);
    let swaps = at(table(&found, "swap-datasets"), &["ap", "odd", "even"], "swap rate");
    near(swaps, &expected["by_file"]["swaps"]["odd even"], "swap rate");
}

#[test]
fn mq2008_is_as_numpy_and_scipy_find_it() {
    let Some(data) = data() else { return };
    let expected = &reference()["mq2008"];
    let found = findings(
        "name = \"t\"\nkind = \"compare\"\nmeasures = [\"ndcg@10\", \"p@10\"]\n[systems]\ndataset = { name = \"mq2008\" }\n\
         scores = [\"mq2008-systems/*/Fold{fold}.score\"]\n",
        &[&data],
    );
    held_to(&found, "ndcg", "ndcg@10", &expected["ndcg"]);
    held_to(&found, "p", "p@10", &expected["p"]);
    held_to_between(&found, ["ndcg", "p"], &expected["between"]);

    // The folds become data sets. Each data set lacks a different system.
    let names = expected["systems"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    let systems: Vec<(usize, &str)> = names.enumerate().collect();
    let mut text = "name = \"t\"\nkind = \"compare\"\nmeasures = [\"ndcg@10\"]\n".to_owned();
    for (fold, part) in (1..).zip([5, 1, 2, 3, 4]) {
        let there = systems.iter().filter(|(place, _)| *place != fold);
        let scores: Vec<String> =
            there.map(|(_, name)| format!("\"{name}=mq2008-systems/{name}/Fold{fold}.score\"")).collect();
        let systems = format!("data = \"mq2008/S{part}.txt\", scores = [{}]", scores.join(", "));
        text += &dataset(&fold.to_string(), &systems);
    }
    held_to_winning(&findings(&text, &[&data]), "ndcg", &expected["winning"]);
}

/// The rank lists of part A1 are the systems. By the rules of LETOR's script, a smaller rank is
/// better, and a missing rank is last.
#[test]
fn rank_lists_of_mq2007_are_as_numpy_and_scipy_find_them() {
    let Some(data) = data() else { return };
    let expected = &reference()["mq2007"];
    let folder = tempfile::tempdir().unwrap();
    let part = std::fs::read_to_string(data.join("mq2007-agg/A1.txt")).unwrap();
    let mut files = vec![String::new(); 21];
    for line in part.lines() {
        let features = line.split('#').next().unwrap().split_ascii_whitespace().skip(2);
        for (feature, file) in features.zip(&mut files) {
            let rank = feature.split_once(':').unwrap().1;
            writeln!(file, "{}", if rank == "NULL" { -1e6 } else { -rank.parse::<f64>().unwrap() }).unwrap();
        }
    }
    let names: Vec<String> = (1..=21).map(|number| format!("\"{number}={number}.txt\"")).collect();
    for (number, file) in (1..).zip(&files) {
        std::fs::write(folder.path().join(format!("{number}.txt")), file).unwrap();
    }
    let text = format!(
        "name = \"t\"\nkind = \"compare\"\nmeasures = [\"ap\", \"p@10\"]\ndialect = \"letor4\"\nclasses = {{ quantiles = 2 }}\n\
         [systems]\ndata = \"mq2007-agg/A1.txt\"\nscores = [{}]\n",
        names.join(", ")
    );
    let found = findings(&text, &[folder.path(), &data]);
    held_to(&found, "ap", "ap", &expected["ap"]);
    held_to(&found, "p", "p@10", &expected["p"]);
    held_to_between(&found, ["ap", "p"], &expected["between"]);
    held_to_classes(&found, "ap", &expected["by_difficulty"]);

    // The two halves of the queries become data sets.
    let half = expected["queries"].as_u64().unwrap() as usize / 2;
    let id = |line: &str| line.split_ascii_whitespace().nth(1).unwrap().to_owned();
    let ids: Vec<String> = part.lines().map(id).collect();
    let starts: Vec<usize> = (0..ids.len()).filter(|&row| row == 0 || ids[row] != ids[row - 1]).collect();
    let mut study = "name = \"t\"\nkind = \"compare\"\nmeasures = [\"ap\"]\ndialect = \"letor4\"\n".to_owned();
    for (name, rows) in [("first", 0..starts[half]), ("second", starts[half]..ids.len())] {
        let own = folder.path().join(name);
        std::fs::create_dir(&own).unwrap();
        let cut = |text: &str| {
            let own: Vec<&str> = text.lines().skip(rows.start).take(rows.len()).collect();
            own.join("\n") + "\n"
        };
        std::fs::write(own.join("data.txt"), cut(&part)).unwrap();
        for (number, file) in (1..).zip(&files) {
            std::fs::write(own.join(format!("{number}.txt")), cut(file)).unwrap();
        }
        let scores: Vec<String> = (1..=21).map(|number| format!("\"{number}={name}/{number}.txt\"")).collect();
        study += &dataset(name, &format!("data = \"{name}/data.txt\", scores = [{}]", scores.join(", ")));
    }
    held_to_winning(&findings(&study, &[folder.path()]), "ap", &expected["winning"]);
}

/// Uninformative and ideal queries are the same as in the paper's tables of `fivefold run`, which
/// has code of its own. The test compares power, PAD, conflicts and taus of nDCG and its versions
/// on each set.
#[test]
fn sets_are_those_of_a_run() {
    let Some(data) = data() else { return };
    let of = |measures: &[&str]| {
        let columns: Vec<String> = measures
            .iter()
            .flat_map(|measure| [5, 10, 15, 20, 30].map(|cutoff| format!("\"{measure}@{cutoff}\"")))
            .collect();
        let text = format!(
            "name = \"t\"\nkind = \"compare\"\nmeasures = [{}]\nclasses = {{ sets = 300 }}\n[systems]\ndataset = {{ name = \"mq2008\" }}\n\
             scores = [\"mq2008-systems/*/Fold{{fold}}.score\"]\n",
            columns.join(", ")
        );
        findings(&text, &[&data])
    };
    let found = of(&["ndcg", "ndcg.v1", "ndcg.v2"]);
    // `fivefold run mq2008-systems`, Tables 7 to 10 and 12.
    let powers = [("ndcg", [78.0, 16.0, 74.0]), ("ndcg.v1", [78.0, 14.0, 76.0]), ("ndcg.v2", [76.0, 16.0, 73.0])];
    let pads = [[2.36, 2.77, 3.02], [3.24, 4.11, 3.94], [8.02, -822.19, 7.10]];
    let swaps = [0.393, 0.393, 0.5];
    let classes = ["all", "uninformative", "ideal"];
    for (((measure, powers), pads), swaps) in powers.into_iter().zip(pads).zip(swaps) {
        for ((class, power), pad) in classes.iter().zip(powers).zip(pads) {
            assert_eq!(at(table(&found, "class-power"), &[measure, class], "significant"), power, "{measure} {class}");
            let found = at(table(&found, "class-power"), &[measure, class], "PAD %");
            assert!((found - pad).abs() < 0.0051, "{measure} {class}: {found}");
        }
        let found = at(table(&found, "class-swaps"), &[measure, "uninformative", "ideal"], "swap rate");
        assert!((found - swaps).abs() < 0.00051, "{measure}: {found}");
    }
    let between =
        [("ndcg.v1", [0.0, 4.0, 2.0], [1.0, 0.929, 0.929]), ("ndcg.v2", [2.0, 12.0, 5.0], [0.857, 0.929, 0.857])];
    for (measure, conflicts, taus) in between {
        for ((class, conflicts), tau) in classes.iter().zip(conflicts).zip(taus) {
            assert_eq!(at(table(&found, "class-conflicts"), &["ndcg", measure], class), conflicts, "{measure} {class}");
            assert!((at(table(&found, "class-tau"), &["ndcg", measure], class) - tau).abs() < 0.00051);
        }
    }
    // The classes are always those of the original measure, even if a version comes first, or if
    // the original is not among the measures.
    for measures in [&["ndcg.v2", "ndcg"][..], &["ndcg.v2"]] {
        let found = of(measures);
        let power = table(&found, "class-power");
        for (class, (power_of_class, pad)) in classes.iter().zip(powers[2].1.into_iter().zip(pads[2])) {
            assert_eq!(at(power, &["ndcg.v2", class], "significant"), power_of_class, "{measures:?} {class}");
            assert!((at(power, &["ndcg.v2", class], "PAD %") - pad).abs() < 0.0051, "{measures:?} {class}");
        }
        assert!(
            power
                .notes
                .iter()
                .any(|note| note.starts_with("classes of queries: by the mean ndcg of all systems less E/U"))
        );
    }
}
