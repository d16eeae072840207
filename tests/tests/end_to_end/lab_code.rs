//! `fivefold lab grade` runs the code of students, confined as the commands of an experiment are.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::confine::confines;
use crate::harness::{directory, json, skipped, stdout};

/// Code that tells what it could reach, and has the right gradient of one loss.
fn nosy(readable: &[&Path], writable: &Path) -> String {
    format!(
        "reached = []
for path in {readable:?}:
    try:
        open(path).read()
        reached.append('read ' + path)
    except PermissionError:
        pass
try:
    open({writable:?}, 'w').close()
    reached.append('wrote a file')
except PermissionError:
    pass
if reached:
    raise SystemExit(' and '.join(reached))

def squared(scores, grades):
    return [2 * (s - g) for s, g in zip(scores, grades)]

ranknet = listnet = lambdas = squared
"
    )
}

fn cell<'g>(graded: &'g Value, name: &str) -> &'g Value {
    graded["graded"][0]["cells"].as_array().unwrap().iter().find(|cell| cell["name"] == name).unwrap()
}

#[test]
fn code_of_a_student_reaches_nothing_beside_its_folder() {
    if !std::process::Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skipped("no python3");
    }
    if !confines() {
        return;
    }
    let folder = directory(&[("secret.txt", "grades of others")]);
    let at = fs::canonicalize(folder.path()).unwrap();
    stdout(&at, "lab new 3 lab");
    let code = nosy(&[&at.join("secret.txt"), &at.join("lab/answers.toml")], &at.join("lab/written"));
    fs::write(at.join("lab/gradients.py"), code).unwrap();
    let graded = json(&at, "lab grade lab --format json");
    assert_eq!(cell(&graded, "squared.gradient")["state"], "right", "{}", cell(&graded, "squared.gradient"));
    assert_eq!(cell(&graded, "squared.trained")["state"], "right");
    assert_eq!(cell(&graded, "ranknet.gradient")["state"], "wrong");
    assert_eq!(cell(&graded, "squared.rules")["state"], "right", "{}", cell(&graded, "squared.rules"));
    let remarks = graded["graded"][0]["remarks"].to_string();
    assert_eq!(remarks, "[\"gradients.py was run\"]", "confined code has no stamp");

    let graded = json(&at, "lab grade lab --format json --no-run");
    assert_eq!(cell(&graded, "squared.gradient")["state"], "not-run");
}

/// A compiler reads files that code names, so it is confined, too.
#[test]
fn the_compiler_of_a_students_code_reaches_nothing_beside_its_folder() {
    if !std::process::Command::new("rustc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return skipped("no rustc");
    }
    if !confines() {
        return;
    }
    let folder = directory(&[("secret.txt", "grades of others")]);
    let at = fs::canonicalize(folder.path()).unwrap();
    stdout(&at, "lab new 3 lab");
    let code = "pub fn squared(scores: &[f64], grades: &[f64]) -> Vec<f64> {
    scores.iter().zip(grades).map(|(s, g)| 2.0 * (s - g)).collect()
}
pub use self::squared as ranknet;
pub use self::squared as listnet;
pub use self::squared as lambdas;
";
    fs::write(at.join("lab/gradients.rs"), code).unwrap();
    let graded = json(&at, "lab grade lab --format json");
    for part in ["gradient", "trained", "rules"] {
        let cell = cell(&graded, &format!("squared.{part}"));
        assert_eq!(cell["state"], "right", "{cell}");
    }
    assert_eq!(cell(&graded, "ranknet.gradient")["state"], "wrong");
    let remarks = graded["graded"][0]["remarks"].to_string();
    assert_eq!(remarks, "[\"gradients.rs was run\"]", "confined code has no stamp");

    let secret = at.join("secret.txt");
    let nosy = format!("{code}\npub const SECRET: &str = include_str!({:?});\n", secret.display().to_string());
    fs::write(at.join("lab/gradients.rs"), nosy).unwrap();
    let graded = json(&at, "lab grade lab --format json");
    let told = cell(&graded, "squared.gradient").to_string();
    assert!(told.contains("gradients.rs does not compile") && told.contains("Permission denied"), "{told}");
}
