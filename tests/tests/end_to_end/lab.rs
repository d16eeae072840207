//! `fivefold lab`: a teacher hands out a lab, students fill it in, and the class is graded by one
//! command.

use std::fs;

use crate::harness::{content, directory, json, run, stderr, stdout};

/// The ids of a class of 30.
fn ids() -> Vec<String> {
    (1..=30).map(|number| format!("s{number:02}")).collect()
}

#[test]
fn labs_are_listed_with_what_one_learns() {
    let folder = directory(&[]);
    let labs = json(folder.path(), "lab --json");
    let labs = labs.as_array().unwrap();
    let text = stdout(folder.path(), "lab");
    for (place, lab) in labs.iter().enumerate() {
        let number = lab["number"].as_u64().unwrap();
        assert!(lab["minutes"].as_u64().unwrap() <= 90 && text.contains(lab["title"].as_str().unwrap()), "{text}");
        let out = format!("lab new {number} lab{place}");
        assert!(stdout(folder.path(), &out).contains("for student anyone"));
        let graded = json(folder.path(), &format!("lab grade lab{place} --no-run --format json"));
        assert_eq!(graded["graded"][0]["points"], 0.0);
    }
    assert!(stderr(folder.path(), "lab new 99 x", 2).contains("there is no lab `99`"));
    assert!(stderr(folder.path(), "lab new 1 lab0", 2).contains("lab0 already exists and was not changed"));
}

#[test]
fn a_class_of_thirty_is_handed_out_and_graded_by_one_command_each() {
    let folder = directory(&[("ids.txt", &(ids().join("\n") + "\n"))]);
    let at = folder.path();
    assert!(stdout(at, "lab new 1 class --students ids.txt").contains("class: 30 folders written"));
    let again = stdout(at, "lab new 1 class --students ids.txt");
    assert!(again.contains("0 folders written") && again.contains("30 folders that existed before"), "{again}");
    let alone = stdout(at, "lab new 1 alone --student s07");
    assert!(alone.contains("for student s07"));
    assert_eq!(content(&at.join("alone")), content(&at.join("class/s07")));

    fs::write(at.join("class/s01/answers.toml"), "[q7]\np = 0\ndcg = 0\nerr = 0\nap = \"undefined\"\n").unwrap();
    fs::write(at.join("class/s02/answers.toml"), "[q7]\np = oops\n").unwrap();
    fs::remove_file(at.join("class/s03/lab.toml")).unwrap();
    fs::remove_file(at.join("class/s05/answers.toml")).unwrap();
    let folders = ids().iter().map(|id| format!("class/{id}")).collect::<Vec<_>>().join(" ");
    let graded = run(at, &format!("lab grade {folders} --csv grades.csv"));
    let text = String::from_utf8(graded.stdout).unwrap();
    assert_eq!(graded.status.code(), Some(1), "{text}");
    assert!(text.contains("Graded: 28 folders\nNot graded: 2 folders\n"), "{text}");
    assert!(text.contains("answers.toml:2") && text.contains("class/s03 has no lab.toml"), "{text}");
    let table = fs::read_to_string(at.join("grades.csv")).unwrap();
    assert!(table.starts_with("folder,student,lab,points,of,bonus,bonus_of,empty,problem,remarks,"), "{table}");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), &rows[1][..5]), (31, &["class/s01", "s01", "measures-by-hand", "4", "47"][..]));

    let graded = run(at, "lab grade class/s04 --csv ids.txt");
    assert_eq!(graded.status.code(), Some(2));
    assert!(stderr(at, "lab grade class/s04 class/s05 --format gradescope", 2).contains("takes one folder"));
    let found = json(at, "lab grade class/s01 --format gradescope");
    assert_eq!((&found["score"], &found["tests"][0]["max_score"]), (&4.0.into(), &1.0.into()));
    let slip = json(at, "lab grade class/s02 --format gradescope");
    assert!(slip["output"].as_str().unwrap().contains("answers.toml:2"), "{slip}");
    let failed = run(at, "lab grade class/s05 --format gradescope");
    let failed: serde_json::Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert!(failed["output"].as_str().unwrap().contains("cannot read"), "{failed}");

    fs::write(at.join("class/s04/answers.toml"), "[q7]\np = 1\n").unwrap();
    assert!(stdout(at, "lab grade class/s04").contains("hint: "));
    let points = stdout(at, "lab grade class/s04 --points");
    assert!(points.contains("0 of 47 points") && points.contains("q7.p: wrong, 1\n") && !points.contains("hint"));
}

#[test]
fn ids_that_cannot_be_folders_are_refused_with_their_line() {
    let folder = directory(&[("a", "s1\n../s2\n"), ("b", "s1\n\nS1\n"), ("c", "\n")]);
    let error = |file: &str| stderr(folder.path(), &format!("lab new 1 class --students {file}"), 2);
    assert!(error("a").contains("a:2: `../s2` cannot be the name of a folder"), "{}", error("a"));
    assert!(error("b").contains("b:3: the id `S1` stands twice"), "{}", error("b"));
    assert!(error("c").contains("c has no id"), "{}", error("c"));
    assert!(!folder.path().join("class").exists());
}

/// A teacher's own lab, from the folder to the grades.
#[test]
fn a_lab_of_ones_own_is_handed_out_and_graded() {
    let expected = "lab = \"stop-words\"\ntitle = \"Stop words\"\nstubs = [\"mine.py\"]\n\n[[cell]]\nname = \"a.count\"\n\
        asks = \"how many\"\nvalue = 3\ntolerance = 0.5\npoints = 2\nhint = \"count again\"\n\n\
        [[cell]]\nname = \"a.words\"\nvalue = [\"the\", \"of\"]\n";
    let folder = directory(&[("wrong.toml", "lab = \"other\"\n")]);
    let at = folder.path();
    fs::create_dir_all(at.join("own/data")).unwrap();
    for (name, text) in [
        ("own/expected.toml", expected),
        ("own/worksheet.md", "# Stop words\n\nCount them.\n"),
        ("own/data/words.txt", "the of a\n"),
        ("own/mine.py", "pass\n"),
    ] {
        fs::write(at.join(name), text).unwrap();
    }
    stdout(at, "lab new own class/s1 --student s1");
    let files: Vec<String> = content(&at.join("class/s1")).into_keys().collect();
    let written = ["answers.toml", "data/words.txt", "lab.toml", "mine.py", "worksheet.ipynb", "worksheet.md"];
    assert_eq!(files, written);
    fs::write(at.join("class/s1/answers.toml"), "[a]\ncount = 4\nwords = [\"the\"]\n").unwrap();
    fs::write(at.join("class/s1/mine.py"), "print(1)\n").unwrap();
    fs::write(at.join("class/s1/data/words.txt"), "changed\n").unwrap();
    let text = stdout(at, "lab grade class/s1 --expected own/expected.toml");
    assert!(text.contains("Stop words, student s1: 0.5 of 3 points"), "{text}");
    assert!(text.contains("a.count: wrong, 4\n  hint: count again") && text.contains("data/words.txt was changed"));
    assert!(!text.contains("mine.py"), "{text}");
    // All students have the same answers.
    assert!(!text.contains("guards against copying"), "{text}");
    let failed = run(at, "lab grade class/s1");
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8(failed.stdout).unwrap().contains("give its key with --expected"));
    let failed = run(at, "lab grade class/s1 --expected wrong.toml");
    assert!(String::from_utf8(failed.stdout).unwrap().contains("is for lab `other`"));
    fs::write(at.join("class/s1/expected.toml"), expected).unwrap();
    assert!(stderr(at, "lab grade class/s1 --expected class/s1/expected.toml", 2).contains("the folder of a student"));
}
