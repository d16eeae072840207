//! Lab 4, solved from its files: the leak is looked for in the text, and the experiment files are run
//! as a student would run and change them. (That the runs give the values of the rankers alone is
//! tested beside `runs`.)

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_core::Registry;
use fivefold_experiment::{RunOptions, run};
use fivefold_labs::{Grader, LABS, State, Student, lab, write_lab};
use fivefold_results::Experiment;

use crate::common::{Files, Solution, check, number};

/// Mean nDCG@5 by data set and ranker.
type Means = BTreeMap<(String, String), f64>;

fn run_file(folder: &Path, text: &str) -> Means {
    run_under(folder, text, "ndcg@5")
}

fn run_under(folder: &Path, text: &str, measure: &str) -> Means {
    let registry = Registry::new(&[fivefold_rankers::RANKERS]);
    let experiment = Experiment::parse("e.toml", text, vec![folder.to_owned()], &registry).unwrap();
    let out = tempfile::tempdir().unwrap();
    let results = run(&experiment, &registry, &RunOptions::new(out.path().join("out"))).unwrap().results.unwrap();
    // From the file that a student would open.
    let mut reader = csv::Reader::from_path(out.path().join("out/per_query.csv")).unwrap();
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let column = |name: &str| head.iter().position(|own| own == name).unwrap();
    let (dataset, ranker, value) = (column("dataset"), column("ranker"), column(measure));
    let documents = column("documents");
    let mut sums: BTreeMap<(String, String), (f64, f64)> = BTreeMap::new();
    for row in reader.records().map(|row| row.unwrap()).filter(|row| row[documents] == *"all") {
        let sum = sums.entry((row[dataset].to_owned(), row[ranker].to_owned())).or_default();
        *sum = (sum.0 + row[value].parse::<f64>().unwrap(), sum.1 + 1.0);
    }
    assert!(!results.evaluation.datasets.is_empty());
    sums.into_iter().map(|(name, (sum, count))| (name, sum / count)).collect()
}

/// The features of each row by its query: the text behind `qid:ID `.
fn rows(text: &str) -> Vec<(&str, &str)> {
    text.lines().map(|line| line.split_once("qid:").unwrap().1.split_once(' ').unwrap()).collect()
}

/// A grade and its features.
type Row = (f64, Vec<f64>);

/// The number of the feature that a single-feature ranking shows to be the grade, by the correlation
/// of feature and grade.
fn best_feature(text: &str) -> usize {
    let parsed: Vec<Row> = text
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let value = |word: &&str| word.split_once(':').unwrap().1.parse().unwrap();
            (words[0].parse().unwrap(), words[2..].iter().map(value).collect())
        })
        .collect();
    let correlation = |feature: usize| {
        let n = parsed.len() as f64;
        let mean = |of: &dyn Fn(&Row) -> f64| parsed.iter().map(of).sum::<f64>() / n;
        let (x, y) = (mean(&|row| row.1[feature]), mean(&|row| row.0));
        let product = mean(&|row| (row.1[feature] - x) * (row.0 - y));
        product / (mean(&|row| (row.1[feature] - x).powi(2)) * mean(&|row| (row.0 - y).powi(2))).sqrt()
    };
    (0..9).max_by(|&a, &b| correlation(a).total_cmp(&correlation(b))).unwrap() + 1
}

fn solve(files: &Files) -> Solution {
    let mut solution = Solution::new();
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    files.iter().for_each(|(path, text)| write(path, text));
    let experiment = |file: &str| run_file(folder.path(), &files[file]);
    let of = |means: &Means, dataset: &str, ranker: &str| means[&(dataset.to_owned(), ranker.to_owned())];
    let mut put = |name: &str, value: f64| {
        solution.insert(name.to_owned(), number(Some(value)));
    };

    let (train, test) = (&files["data/shop/train.txt"], &files["data/shop/test.txt"]);
    let learnt: BTreeMap<&str, &str> = rows(train).into_iter().map(|(query, row)| (row, query)).collect();
    let shared: Vec<(&str, &str)> =
        rows(test).into_iter().filter_map(|(query, row)| Some((query, *learnt.get(row)?))).collect();
    let mut repeated: Vec<&str> = shared.iter().map(|(query, _)| *query).collect();
    repeated.dedup();
    let leaking = &files["leak.toml"].replace("files =", "allow = [\"identical-vectors\"]\nfiles =");
    let with = run_file(folder.path(), leaking);
    let (kind, place, without) = if repeated.is_empty() {
        let feature = best_feature(train);
        let text =
            files["leak.toml"].replace("[[ranker]]", &format!("[[ranker]]\nfeatures = {{ without = [{feature}] }}"));
        ("feature", format!("[\"{feature}\"]"), run_file(folder.path(), &text))
    } else {
        let kept = train.lines().filter(|line| !shared.iter().any(|(_, copy)| line.contains(&format!("qid:{copy} "))));
        write("data/shop/train.txt", &kept.map(|line| format!("{line}\n")).collect::<String>());
        ("queries", format!("{repeated:?}"), experiment("leak.toml"))
    };
    for (name, means, ranker) in [
        ("leak.linear", &with, "Linear"),
        ("leak.trees", &with, "Trees"),
        ("leak.clean-linear", &without, "Linear"),
        ("leak.clean-trees", &without, "Trees"),
    ] {
        put(name, of(means, "shop", ranker));
    }

    let (overfit, report) = (experiment("overfit.toml"), experiment("report.toml"));
    for leaves in ["2", "16"] {
        for part in ["training", "validation"] {
            put(&format!("overfit.{part}-{leaves}"), of(&overfit, part, &format!("Leaves{leaves}")));
        }
    }
    put("overfit.gap", of(&overfit, "training", "Leaves16") - of(&overfit, "validation", "Leaves16"));
    let curve = experiment("curve.toml");
    put("curve.queries", 6.0);
    for (name, ranker) in [("first", "Trees_0.2"), ("second", "Trees_0.4"), ("last", "Trees")] {
        put(&format!("curve.{name}"), of(&curve, "validation", ranker));
    }
    let ablation = experiment("ablation.toml");
    let group = |group: &str| of(&ablation, "validation", &format!("Linear without {group}"));
    let all = of(&ablation, "validation", "Linear");
    let worst = ["text", "page", "other"].into_iter().min_by(|a, b| group(a).total_cmp(&group(b))).unwrap();
    put("ablation.all", all);
    put("ablation.cost", all - group(worst));
    put("ablation.other", group("other"));

    let leaves = [2, 4, 8, 16];
    let printed = |means: &Means, part: &str, leaves: usize| {
        format!("{:.4}", of(means, part, &format!("Leaves{leaves}"))).parse::<f64>().unwrap()
    };
    let most =
        |means: &Means, part: &str| leaves.map(|leaves| printed(means, part, leaves)).into_iter().fold(0.0, f64::max);
    let chosen =
        *leaves.iter().find(|&&own| printed(&overfit, "validation", own) == most(&overfit, "validation")).unwrap();
    let test = printed(&report, "test", chosen);
    put("report.leaves", chosen as f64);
    put("report.test", test);
    put("report.optimism", printed(&overfit, "validation", chosen) - test);
    put("report.forbidden", most(&report, "test"));
    put("report.gained", most(&report, "test") - test);

    solution.insert("leak.kind".to_owned(), format!("\"{kind}\""));
    solution.insert("leak.place".to_owned(), place);
    solution.insert("ablation.group".to_owned(), format!("\"{worst}\""));
    solution
}

/// The faults of the protocols, by words of their texts.
fn faults(worksheet: &str) -> Vec<(String, String)> {
    let fault = |text: &str| match text {
        text if text.contains("highest.") || text.contains("every week") => "test-choice",
        text if text.contains("best of the ten") || text.contains("we report the run") => "best-seed",
        text if text.contains("judges who") || text.contains("double queries") => "leak",
        text if text.contains("measured once") || text.contains("mean of the five") => "sound",
        text => panic!("{text}"),
    };
    let lines = worksheet.lines().filter(|line| line.starts_with("| `p"));
    lines.map(|line| (format!("protocol.{}", &line[3..5]), format!("\"{}\"", fault(line)))).collect()
}

#[test]
fn experiments_and_a_look_at_the_text_solve_the_lab_of_every_student() {
    let solution = |files: &Files| {
        let mut solution = solve(files);
        // The protocols stand on the worksheet alone.
        let student = crate::common::STUDENTS
            .into_iter()
            .find(|student| crate::common::files(lab("4").unwrap(), student) == *files);
        let student = fivefold_labs::Student::new(student.unwrap()).unwrap();
        solution.extend(faults(&lab("4").unwrap().handout(&student).unwrap().worksheet));
        solution
    };
    assert!(LABS.iter().any(|lab| lab.about().number == 4));
    check(lab("4").unwrap(), solution, |_| {});
}

/// A value of the column beside nDCG is wrong, and the report says which column it is from.
#[test]
fn a_value_of_the_column_v1_is_told() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("4").unwrap(), &Student::new("s1").unwrap(), &folder).unwrap();
    let text = std::fs::read_to_string(folder.join("overfit.toml")).unwrap();
    let beside = run_under(&folder, &text, "ndcg.v1@5");
    let of = |leaves: usize| beside[&("validation".to_owned(), format!("Leaves{leaves}"))];
    let answers = format!("[overfit]\nvalidation-2 = {:.4}\nvalidation-16 = {:.4}\n", of(2), of(16));
    std::fs::write(folder.join("answers.toml"), answers).unwrap();
    let graded = Grader::default().grade(&folder).unwrap();
    for name in ["overfit.validation-2", "overfit.validation-16"] {
        let cell = graded.cells.iter().find(|cell| cell.name == name).unwrap();
        assert_eq!((cell.state, cell.points), (State::Wrong, 0.0));
        assert!(cell.told[0].contains("the column ndcg.v1"), "{cell:?}");
    }
}
