//! Lab 3, solved from its files: the slopes by hand are finite differences of the losses, and the code
//! is what a student would write in Python or in Rust.

use std::fs;
use std::path::Path;
use std::process::Command;

use fivefold_labs::forms::{class_text, classroom, csv, graded_text, gradescope};
use fivefold_labs::{Class, GradedCell, Grader, State, Student, lab, write_lab};

use crate::common::{Files, STUDENTS, Solution, check, number, remarks};

const PYTHON: &str = "
import math

def squared(scores, grades):
    return [2 * (s - g) for s, g in zip(scores, grades)]

def of_pairs(scores, grades, weight):
    slopes = [0.0] * len(scores)
    for i in range(len(scores)):
        for j in range(len(scores)):
            if grades[i] > grades[j]:
                push = weight(i, j) / (1 + math.exp(scores[i] - scores[j]))
                slopes[i] -= push
                slopes[j] += push
    return slopes

def ranknet(scores, grades):
    return of_pairs(scores, grades, lambda i, j: 1)

def softmax(values):
    powers = [math.exp(v) for v in values]
    return [power / sum(powers) for power in powers]

def listnet(scores, grades):
    return [q - p for p, q in zip(softmax(grades), softmax(scores))]

def lambdas(scores, grades):
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    rank = {document: place + 1 for place, document in enumerate(order)}
    gain = [2 ** g - 1 for g in grades]
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gain, reverse=True)))
    def change(i, j):
        return abs((gain[i] - gain[j]) * (1 / math.log2(rank[i] + 1) - 1 / math.log2(rank[j] + 1))) / ideal
    return of_pairs(scores, grades, change)
";

const RUST: &str = "
pub fn squared(s: &[f64], g: &[f64]) -> Vec<f64> {
    s.iter().zip(g).map(|(s, g)| 2.0 * (s - g)).collect()
}
fn of_pairs(s: &[f64], g: &[f64], weight: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut slopes = vec![0.0; s.len()];
    for i in 0..s.len() {
        for j in (0..s.len()).filter(|&j| g[i] > g[j]) {
            let push = weight(i, j) / (1.0 + (s[i] - s[j]).exp());
            slopes[i] -= push;
            slopes[j] += push;
        }
    }
    slopes
}
pub fn ranknet(s: &[f64], g: &[f64]) -> Vec<f64> {
    of_pairs(s, g, |_, _| 1.0)
}
fn softmax(v: &[f64]) -> Vec<f64> {
    let sum: f64 = v.iter().map(|v| v.exp()).sum();
    v.iter().map(|v| v.exp() / sum).collect()
}
pub fn listnet(s: &[f64], g: &[f64]) -> Vec<f64> {
    softmax(s).iter().zip(softmax(g)).map(|(q, p)| q - p).collect()
}
pub fn lambdas(s: &[f64], g: &[f64]) -> Vec<f64> {
    let gain: Vec<f64> = g.iter().map(|g| g.exp2() - 1.0).collect();
    let discount = |i: usize| 1.0 / (s.iter().filter(|other| **other > s[i]).count() as f64 + 2.0).log2();
    let mut best = gain.clone();
    best.sort_by(|a, b| b.total_cmp(a));
    let ideal: f64 = best.iter().enumerate().map(|(i, gain)| gain / (i as f64 + 2.0).log2()).sum();
    of_pairs(s, g, |i, j| ((gain[i] - gain[j]) * (discount(i) - discount(j))).abs() / ideal)
}
";

fn has_python() -> bool {
    Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A loss of the worksheet, with RankNet as the logarithm of a share.
fn loss(name: &str, s: &[f64], g: &[f64]) -> f64 {
    let n = s.len();
    match name {
        "squared" => (0..n).map(|i| (s[i] - g[i]).powi(2)).sum(),
        "ranknet" => {
            let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| g[i] > g[j]);
            // log(1 + exp(b - a)) = -log(exp(a) / (exp(a) + exp(b)))
            pairs.map(|(i, j)| -libm::log(libm::exp(s[i]) / (libm::exp(s[i]) + libm::exp(s[j])))).sum()
        }
        _ => {
            let share =
                |values: &[f64], i: usize| libm::exp(values[i]) / values.iter().map(|v| libm::exp(*v)).sum::<f64>();
            -(0..n).map(|i| share(g, i) * libm::log(share(s, i))).sum::<f64>()
        }
    }
}

fn solve(files: &Files) -> Solution {
    let rows: Vec<Vec<f64>> = files["by_hand.csv"]
        .lines()
        .skip(1)
        .map(|line| line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let [s, g] = [0, 1].map(|column| rows.iter().map(|row| row[column]).collect::<Vec<f64>>());
    let mut solution = Solution::new();
    for name in ["squared", "ranknet", "listnet"] {
        for document in 0..3 {
            let moved = |step: f64| {
                let mut s = s.clone();
                s[document] += step;
                loss(name, &s, &g)
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            solution.insert(format!("hand-{name}.d{}", document + 1), number(Some(slope)));
        }
    }
    for (name, value) in
        [("shift", "[\"listnet\", \"ranknet\"]"), ("sum", "0"), ("grades", "[\"ranknet\"]"), ("perfect", "\"squared\"")]
    {
        solution.insert(format!("think.{name}"), value.to_owned());
    }
    solution
}

/// What the question `think.perfect` and its hint say, by finite differences: squared error and
/// ListNet push d1 down, and squared error alone pushes both down.
#[test]
fn one_loss_alone_pushes_both_documents_down() {
    let (s, g) = ([9.0, 1.0], [2.0, 0.0]);
    let down = |name: &str| {
        let slope = |document: usize| {
            let moved = |step: f64| {
                let mut s = s;
                s[document] += step;
                loss(name, &s, &g)
            };
            (moved(1e-4) - moved(-1e-4)) / 2e-4
        };
        [slope(0) > 1e-6, slope(1) > 1e-6]
    };
    assert_eq!(["squared", "ranknet", "listnet"].map(down), [[true, true], [false, true], [true, false]]);
}

fn write_code(folder: &Path) {
    let (file, code) = if has_python() { ("gradients.py", PYTHON) } else { ("gradients.rs", RUST) };
    fs::write(folder.join(file), code).unwrap();
}

#[test]
fn finite_differences_and_code_solve_the_lab_of_every_student() {
    check(lab("3").unwrap(), solve, write_code);
}

/// The graded cells of a folder with this code.
fn graded(file: &str, code: Option<&str>) -> Vec<GradedCell> {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("3").unwrap(), &Student::new(STUDENTS[0]).unwrap(), &folder).unwrap();
    if let Some(code) = code {
        fs::write(folder.join(file), code).unwrap();
    }
    Grader::default().grade(&folder).unwrap().cells
}

fn cell<'a>(cells: &'a [GradedCell], name: &str) -> &'a GradedCell {
    cells.iter().find(|cell| cell.name == name).unwrap()
}

#[test]
fn rust_is_compiled_and_one_wrong_function_loses_only_its_own_points() {
    let wrong = RUST.replace("|(q, p)| q - p", "|(q, p)| p - q");
    let cells = graded("gradients.rs", Some(&wrong));
    let code: Vec<&GradedCell> = cells.iter().filter(|cell| cell.state != State::Empty).collect();
    assert_eq!(code.len(), 12);
    for own in code {
        let is_right = !own.name.starts_with("listnet");
        assert_eq!(own.state == State::Right, is_right, "{own:?}");
    }
    let told = cell(&cells, "listnet.gradient").told.join("\n");
    assert!(
        told.contains("0 of 6 queries are right") && told.contains("finite differences of the loss are ["),
        "{told}"
    );
    assert!(cell(&cells, "listnet.trained").told[0].contains("a random order has 0"));
    let told = cell(&cells, "listnet.rules").told.join("\n");
    assert!(told.contains("breaks the rule \"learns\""), "{told}");
    // One cause has one hint.
    assert!(cell(&cells, "listnet.gradient").told.contains(&"each number has the wrong sign".to_owned()));
    assert!(cell(&cells, "listnet.gradient").hint.is_some());
    assert!(["listnet.trained", "listnet.rules"].iter().all(|name| cell(&cells, name).hint.is_none()));
    // So has a file that the compiler refuses: the message is told once.
    let cells = graded("gradients.rs", Some("pub fn squared() {"));
    let told = cell(&cells, "squared.gradient").told.join("\n");
    assert!(told.starts_with("gradients.rs does not compile\n"), "{told}");
    assert!(told.contains("error"), "the compiler's message is shown: {told}");
    let code = cells.iter().filter(|cell| cell.state == State::Wrong && cell.name != "squared.gradient");
    let code: Vec<&GradedCell> = code.collect();
    assert_eq!(code.len(), 11);
    assert!(code.iter().all(|cell| cell.told == ["see squared.gradient"] && cell.hint.is_none()), "{code:?}");
}

#[test]
fn stubs_have_no_points_and_what_fails_says_why() {
    let untouched = graded("gradients.py", None);
    assert!(cell(&untouched, "squared.gradient").told[0].contains("as they were handed out"));
    if !has_python() {
        eprintln!("skipped: no python3");
        return;
    }
    // Both are filled in: the report says which was run.
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("3").unwrap(), &Student::new(STUDENTS[0]).unwrap(), &folder).unwrap();
    fs::write(folder.join("gradients.py"), "def squared(:\n").unwrap();
    fs::write(folder.join("gradients.rs"), RUST).unwrap();
    let both = Grader::default().grade(&folder).unwrap();
    assert_eq!(remarks(&both), ["gradients.py was run; gradients.rs is filled in too, and was not run"]);
    let broken = cell(&both.cells, "squared.gradient").told.join("\n");
    assert!(broken.starts_with("gradients.py cannot be loaded\n") && broken.contains("SyntaxError"), "{broken}");
    // The right gradient, none, half of the right one, and a stub.
    let stub = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/three_losses/stubs/gradients.py")).unwrap();
    let bodies = [
        "    return [2 * (s - g) for s, g in zip(scores, grades)]",
        "    return []",
        "    p, q = ([math.exp(v) for v in values] for values in (grades, scores))\n    \
         return [(b / sum(q) - a / sum(p)) / 2 for a, b in zip(p, q)]",
    ];
    let code = bodies.iter().fold(stub, |code, body| code.replacen("    raise NotImplementedError", body, 1));
    let cells = graded("gradients.py", Some(&code));
    assert_eq!(cell(&cells, "squared.gradient").state, State::Right);
    assert_eq!(cell(&cells, "squared.trained").state, State::Right);
    let told = cell(&cells, "ranknet.gradient").told.join("\n");
    assert!(told.contains("returned 0 numbers for"), "{told}");
    // A factor of 2 is a wrong gradient of a ranker that learns.
    assert_eq!(cell(&cells, "listnet.gradient").state, State::Wrong);
    assert!(cell(&cells, "listnet.gradient").told.contains(&"each number is half of the right one".to_owned()));
    assert_eq!(cell(&cells, "listnet.trained").state, State::Right);
    for part in ["gradient", "trained", "rules"] {
        let open = cell(&cells, &format!("lambdas.{part}"));
        assert_eq!((open.state, &open.told[..]), (State::Empty, &["is not filled in".to_owned()][..]), "{open:?}");
    }
}

#[test]
fn a_rust_stub_is_an_empty_place() {
    let stub = include_str!("../../src/three_losses/stubs/gradients.rs.txt");
    let filled = "scores.iter().zip(grades).map(|(s, g)| 2.0 * (s - g)).collect()\n}";
    let (head, rest) = stub.split_once("    todo!(\"squared").unwrap();
    let code = format!("{head}{filled}{}", rest.split_once("}\n").map(|(_, rest)| rest).unwrap());
    let cells = graded("gradients.rs", Some(&code));
    assert_eq!(cell(&cells, "squared.gradient").state, State::Right, "{code}");
    for part in ["gradient", "trained", "rules"] {
        assert_eq!(cell(&cells, &format!("lambdas.{part}")).state, State::Empty);
    }
}

/// `--no-run`: nothing is said of code that was not looked at.
#[test]
fn code_that_was_not_run_has_no_hint() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("3").unwrap(), &Student::new(STUDENTS[0]).unwrap(), &folder).unwrap();
    let graded = Grader { no_run: true, ..Grader::default() }.grade(&folder).unwrap();
    let code: Vec<&GradedCell> = graded.cells.iter().filter(|cell| cell.state == State::NotRun).collect();
    assert_eq!(code.len(), 12);
    assert!(code.iter().all(|cell| cell.hint.is_none()), "{code:?}");
}

/// Gradients that are right on every graded query, in a ranker that breaks a rule.
#[test]
fn a_right_gradient_loses_the_points_of_a_rule_that_it_breaks() {
    let alone = "pub fn squared(s: &[f64], g: &[f64]) -> Vec<f64> {\n    assert!(s.len() > 1);";
    let begin = "pub fn squared(s: &[f64], g: &[f64]) -> Vec<f64> {";
    // A counter that outlives a fit, and moves the slopes by less than the grader's tolerance.
    let counted = "static CALLS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);\n\
        pub fn ranknet(s: &[f64], g: &[f64]) -> Vec<f64> {\n    \
        let calls = CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as f64;\n    \
        of_pairs(s, g, |_, _| 1.0 + 1e-12 * calls)\n}\npub fn unused_ranknet";
    let code = RUST.replacen(begin, alone, 1).replacen("pub fn ranknet", counted, 1);
    let cells = graded("gradients.rs", Some(&code));
    for (loss, rule) in [("squared", "degenerate data"), ("ranknet", "threads")] {
        assert_eq!(cell(&cells, &format!("{loss}.gradient")).state, State::Right, "{loss}");
        assert_eq!(cell(&cells, &format!("{loss}.trained")).state, State::Right, "{loss}");
        let broken = cell(&cells, &format!("{loss}.rules"));
        assert_eq!((broken.state, broken.points), (State::Wrong, 0.0), "{loss}");
        let told = broken.told.join("\n");
        assert!(told.contains("breaks the rule") && told.contains("found: ") && told.contains("to do: "), "{told}");
        assert!(told.contains(&format!("\"{rule}\"")), "{told}");
        assert!(!told.contains("FitError") && !told.contains("`params`") && broken.hint.is_none(), "{told}");
    }
    for loss in ["listnet", "lambdas"] {
        assert_eq!(cell(&cells, &format!("{loss}.rules")).state, State::Right, "{loss}");
    }
}

#[test]
fn python_keeps_and_breaks_the_same_rules() {
    if !has_python() {
        eprintln!("skipped: no python3");
        return;
    }
    // The rank is the place in the list: the training order alters the model.
    let wrong = PYTHON.replace("key=lambda i: -scores[i]", "key=lambda i: i");
    let cells = graded("gradients.py", Some(&wrong));
    for loss in ["squared", "ranknet", "listnet"] {
        assert_eq!(cell(&cells, &format!("{loss}.rules")).state, State::Right, "{loss}");
    }
    let lambdas = cell(&cells, "lambdas.rules");
    assert!(lambdas.bonus && lambdas.told.join("\n").contains("\"training order\""), "{lambdas:?}");
}

/// Lambdas are a bonus: points beyond the total, in all forms of the report.
#[test]
fn lambdas_count_beyond_the_total() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("3").unwrap(), &Student::new(STUDENTS[0]).unwrap(), &folder).unwrap();
    fs::write(folder.join("gradients.rs"), RUST).unwrap();
    let graded = Grader::default().grade(&folder).unwrap();
    // 3 x (12 + 4 + 4) for code; parts 1 and 3 are empty.
    assert_eq!((graded.points, graded.most), (60.0, 86.0));
    assert_eq!((graded.bonus, graded.most_bonus), (10.0, 10.0));
    assert_eq!(remarks(&graded), ["gradients.rs was run"]);
    assert!(graded.remarks.len() > 1, "what is not confined is told: {:?}", graded.remarks);
    let text = graded_text(&graded);
    assert!(text.contains("60 of 86 points, and 10 of 10 bonus points") && text.contains("lambdas (bonus)"), "{text}");
    let sum = |tests: &serde_json::Value, key: &str| -> f64 {
        tests["tests"].as_array().unwrap().iter().map(|test| test[key].as_f64().unwrap()).sum()
    };
    let found = gradescope(&graded);
    assert_eq!((found["score"].as_f64(), sum(&found, "score")), (Some(70.0), 70.0));
    assert!(found["output"].as_str().unwrap().contains("10 of 10 bonus points"));
    let found = classroom(&graded);
    assert_eq!((found["max_score"].as_f64(), sum(&found, "score"), sum(&found, "max_score")), (Some(86.0), 70.0, 96.0));
    assert!(found["tests"].as_array().unwrap().iter().any(|test| test["name"] == "lambdas.rules (bonus)"));
    let class = Class::grade(&Grader { no_run: true, ..Grader::default() }, &[folder]);
    let table = csv(&class).unwrap();
    assert!(table.starts_with("folder,student,lab,points,of,bonus,bonus_of,empty,"), "{table}");
    assert!(table.contains(",0,86,0,10,"), "{table}");
    assert!(class_text(&class).lines().next().unwrap().ends_with("points  of  bonus  empty"));
}

/// Code that is a link would let a confined program read what the link leads to.
#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("3").unwrap(), &Student::new(STUDENTS[0]).unwrap(), &folder).unwrap();
    fs::write(at.path().join("secret.py"), "secret = 1\n").unwrap();
    fs::remove_file(folder.join("gradients.py")).unwrap();
    std::os::unix::fs::symlink(at.path().join("secret.py"), folder.join("gradients.py")).unwrap();
    let cells = Grader::default().grade(&folder).unwrap().cells;
    assert!(cell(&cells, "squared.gradient").told[0].contains("no plain file"), "{cells:?}");
}
