//! Lab 3, solved from its files: the slopes by hand are finite differences of the losses, and the code
//! is what a student would write in Python or in Rust.

use std::fs;
use std::path::Path;
use std::process::Command;

use fivefold_labs::{GradedCell, Grader, State, Student, lab, write_lab};

use crate::common::{Files, STUDENTS, Solution, check, number};

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
    assert_eq!(code.len(), 8);
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
    let told = cell(&graded("gradients.rs", Some("pub fn squared() {")), "squared.gradient").told.join("\n");
    assert!(told.contains("error"), "the compiler's message is shown: {told}");
}

#[test]
fn stubs_have_no_points_and_what_fails_says_why() {
    let untouched = graded("gradients.py", None);
    assert!(cell(&untouched, "squared.gradient").told[0].contains("as they were handed out"));
    if !has_python() {
        eprintln!("skipped: no python3");
        return;
    }
    let stub = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/three_losses/stubs/gradients.py")).unwrap();
    let half =
        stub.replacen("    raise NotImplementedError", "    return [2 * (s - g) for s, g in zip(scores, grades)]", 1);
    let cells = graded("gradients.py", Some(&half));
    assert_eq!(cell(&cells, "squared.gradient").state, State::Right);
    assert_eq!(cell(&cells, "squared.trained").state, State::Right);
    let told = cell(&cells, "ranknet.gradient").told.join("\n");
    assert!(told.contains("NotImplementedError"), "{told}");
    let short = stub.replacen("    raise NotImplementedError", "    return []", 1);
    let told = cell(&graded("gradients.py", Some(&short)), "squared.gradient").told.join("\n");
    assert!(told.contains("returned 0 numbers for"), "{told}");
    // A factor of 2 is a wrong gradient of a ranker that learns.
    let scaled =
        stub.replacen("    raise NotImplementedError", "    return [s - g for s, g in zip(scores, grades)]", 1);
    let cells = graded("gradients.py", Some(&scaled));
    assert_eq!(cell(&cells, "squared.gradient").state, State::Wrong);
    assert_eq!(cell(&cells, "squared.trained").state, State::Right);
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
