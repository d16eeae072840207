//! One check for all labs: the sample solution has all points, an empty folder none, and each wrong
//! cell loses its own points and gets its hint.

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_labs::{Answer, Cell, Graded, GradedCell, Grader, Lab, State, Student, answers, write_lab};

/// Ids of three students.
pub const STUDENTS: [&str; 3] = ["s1234567", "Ada Lovelace", "группа 7"];

/// The files of a lab's folder, by path.
pub type Files = BTreeMap<String, String>;

/// A sample solution: TOML values by the names of cells.
pub type Solution = BTreeMap<String, String>;

/// The files that a student gets.
pub fn files(lab: &'static dyn Lab, student: &str) -> Files {
    let handout = lab.handout(&Student::new(student).unwrap()).unwrap();
    handout.files.into_iter().map(|file| (file.path, String::from_utf8(file.content).unwrap())).collect()
}

/// Writes answers into a folder.
pub fn fill_in(folder: &Path, solution: &Solution) {
    let mut alone = String::new();
    let mut tables: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in solution {
        match name.split_once('.') {
            None => alone.push_str(&format!("{name} = {value}\n")),
            Some((section, key)) => tables.entry(section).or_default().push_str(&format!("{key} = {value}\n")),
        }
    }
    tables.iter().for_each(|(section, lines)| alone.push_str(&format!("[{section}]\n{lines}")));
    std::fs::write(folder.join(answers::FILE), alone).unwrap();
}

/// Checks a lab with its sample solution. `code` puts right code into a folder, if the lab asks for
/// code.
pub fn check(lab: &'static dyn Lab, solve: impl Fn(&Files) -> Solution, code: impl Fn(&Path)) {
    let about = lab.about();
    assert!(about.minutes <= 90, "{}", about.name);
    let is_long =
        ["FIVEFOLD_LONG_PROOFS", "CI"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    // One student's lab in a short run; the bytes of the others are compared below.
    for student in &STUDENTS[..if is_long { STUDENTS.len() } else { 1 }] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("lab");
        let id = Student::new(student).unwrap();
        write_lab(lab, &id, &folder).unwrap();
        let grade = || Grader::default().grade(&folder).unwrap();

        let empty = Grader { no_run: true, ..Grader::default() }.grade(&folder).unwrap();
        assert_eq!(empty.points, 0.0, "{}", about.name);
        assert!(empty.cells.iter().all(|cell| matches!(cell.state, State::Empty | State::NotRun)));

        let solution = solve(&files(lab, student));
        fill_in(&folder, &solution);
        code(&folder);
        let full = grade();
        let wrong: Vec<_> = full.cells.iter().filter(|cell| cell.state != State::Right).collect();
        assert!(wrong.is_empty(), "{} {student}: {wrong:#?}", about.name);
        assert!(full.most > 0.0 && full.points == full.most && full.bonus == full.most_bonus, "{}", full.points);
        // Which file was run, if the lab asks for code, and nothing else.
        assert!(remarks(&full).iter().all(|remark| remark.ends_with(" was run")), "{:?}", full.remarks);

        for cell in lab.cells(&id).unwrap().iter().filter(|cell| cell.answer != Answer::Code) {
            let mut changed = solution.clone();
            assert!(changed.insert(cell.name.clone(), wrong_answer(cell)).is_some(), "{} has no solution", cell.name);
            fill_in(&folder, &changed);
            let graded = Grader { no_run: true, ..Grader::default() }.grade(&folder).unwrap();
            check_loss(&full, &graded, &cell.name);
        }
    }
    check_bytes(lab, &solve);
}

/// The remarks but for the stamps: without a worker, no code is confined.
pub fn remarks(graded: &Graded) -> Vec<&str> {
    graded.remarks.iter().map(String::as_str).filter(|remark| !remark.starts_with("UNCONFINED: ")).collect()
}

/// The cell that is graded if a student writes this answer and no other.
pub fn answered(lab: &'static dyn Lab, student: &str, name: &str, value: &str) -> GradedCell {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("lab");
    write_lab(lab, &Student::new(student).unwrap(), &folder).unwrap();
    fill_in(&folder, &Solution::from([(name.to_owned(), value.to_owned())]));
    let graded = Grader { no_run: true, ..Grader::default() }.grade(&folder).unwrap();
    graded.cells.into_iter().find(|cell| cell.name == name).unwrap()
}

/// An answer that has no points.
fn wrong_answer(cell: &Cell) -> String {
    match &cell.answer {
        Answer::Number(Some(right)) => (right + 1.0).to_string(),
        Answer::Number(None) => "0.5".to_owned(),
        Answer::Word(_) => "\"no such word\"".to_owned(),
        Answer::Set(_) => "[\"no such word\"]".to_owned(),
        Answer::Code => String::new(),
    }
}

/// One cell is wrong, and has lost its points. Cells of code were not run.
fn check_loss(full: &Graded, graded: &Graded, name: &str) {
    for (before, after) in full.cells.iter().zip(&graded.cells).filter(|(_, after)| after.state != State::NotRun) {
        if after.name == name {
            assert_eq!((after.points, after.state), (0.0, State::Wrong), "{name}");
            assert!(after.hint.as_ref().is_some_and(|hint| !hint.is_empty()), "{name} has no hint");
            assert!(after.most > 0.0, "{name} has no points");
        } else {
            assert_eq!(after, before, "{name} is wrong");
        }
    }
}

/// The same id gives the same bytes, and two ids give different data and different answers.
fn check_bytes(lab: &'static dyn Lab, solve: &impl Fn(&Files) -> Solution) {
    let written = |student: &str| {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("lab");
        write_lab(lab, &Student::new(student).unwrap(), &folder).unwrap();
        read_all(&folder)
    };
    let [one, other, _] = STUDENTS;
    assert_eq!(written(one), written(one));
    assert_ne!(files(lab, one), files(lab, other));
    assert_ne!(solve(&files(lab, one)), solve(&files(lab, other)));
}

/// All files of a folder, by path.
pub fn read_all(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for path in std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().display().to_string();
                    found.insert(name, std::fs::read(path).unwrap());
                }
            }
        }
    }
    found
}

/// A number as a student writes it: four decimals, or "undefined".
pub fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "\"undefined\"".to_owned(), |value| format!("{value:.4}"))
}
