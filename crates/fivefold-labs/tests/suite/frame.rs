//! The frame: what happens with folders that are not as they were written.

use std::fs;
use std::path::{Path, PathBuf};

use fivefold_labs::forms::{class_text, classroom, csv, graded_text, gradescope};
use fivefold_labs::{Class, Grader, Key, LABS, State, Student, answers, lab, write_lab};

fn written(at: &Path, student: &str) -> PathBuf {
    let folder = at.join(student);
    write_lab(lab("1").unwrap(), &Student::new(student).unwrap(), &folder).unwrap();
    folder
}

#[test]
fn labs_stand_in_the_order_of_their_numbers() {
    let numbers: Vec<usize> = LABS.iter().map(|lab| lab.about().number).collect();
    assert!(numbers.is_sorted(), "{numbers:?}");
    for one in LABS {
        let about = one.about();
        assert_eq!(lab(about.name).unwrap().about(), about);
        assert!(about.minutes <= 90 && !about.learns.ends_with('.'), "{}", about.name);
    }
}

/// The student finds each place of `answers.toml` on the worksheet, and the worksheet on a screen.
#[test]
fn worksheets_name_every_section_and_lines_are_short() {
    let student = Student::new("s1").unwrap();
    for lab in LABS {
        let (about, handout) = (lab.about(), lab.handout(&student).unwrap());
        let title = format!("# Lab {}: {}\n", about.number, about.title);
        assert!(handout.worksheet.starts_with(&title), "{}", about.name);
        assert!(!handout.worksheet.contains("{{"), "{}", about.name);
        for cell in lab.cells(&student).unwrap() {
            let section = cell.name.split('.').next().unwrap();
            let title = handout.sections.iter().find(|known| known.name == section).map_or("", |known| &known.title);
            let names = |word: &str| !word.is_empty() && handout.worksheet.contains(word);
            assert!(names(title) || names(section), "{}: {section} is not on the worksheet", about.name);
        }
        let prose = handout.worksheet.lines().filter(|line| !line.starts_with('|'));
        prose.for_each(|line| assert!(line.chars().count() <= 100, "{}: {line}", about.name));
    }
}

#[test]
fn a_changed_data_file_is_named_and_changes_no_answer() {
    let at = tempfile::tempdir().unwrap();
    let folder = written(at.path(), "s1");
    fs::write(folder.join(answers::FILE), "[q1]\nrr = 0.5\n").unwrap();
    let before = Grader::default().grade(&folder).unwrap();
    let qrels = fs::read_to_string(folder.join("qrels.txt")).unwrap();
    fs::write(folder.join("qrels.txt"), qrels.replace(" 0\n", " 4\n")).unwrap();
    fs::remove_file(folder.join("run.txt")).unwrap();
    let after = Grader::default().grade(&folder).unwrap();
    assert_eq!(before.cells, after.cells);
    assert!(
        after.remarks[0].starts_with("qrels.txt was changed") && after.remarks[1].starts_with("run.txt is missing")
    );
    // git and editors on Windows change line ends.
    fs::write(folder.join("qrels.txt"), qrels.replace('\n', "\r\n")).unwrap();
    assert_eq!(Grader::default().grade(&folder).unwrap().remarks.len(), 1);
}

/// Each kind of damage is named with what to do, and the other folders are graded.
#[test]
fn folders_that_cannot_be_graded_are_counted_and_stop_no_other() {
    let at = tempfile::tempdir().unwrap();
    let damage: [(&str, &str, &str, &str); 5] = [
        ("a", "lab.toml", "lab = \"measures-by-hand\"\nstudent = \"a\"\nversion = 99\n", "version 99"),
        ("b", "lab.toml", "lab = \"no-such-lab\"\nstudent = \"b\"\nversion = 1\n", "--expected"),
        ("c", "lab.toml", "lab = \"measures-by-hand\"\nversion = 1\n", "missing field `student`"),
        ("e", "lab.toml", "lab = \"measures-by-hand\"\nstudent = \"\"\nversion = 1\n", "cannot be a student's id"),
        ("f", "answers.toml", "", ""),
    ];
    let mut folders = vec![at.path().join("nothing"), written(at.path(), "good")];
    for (name, file, text, _) in damage {
        let folder = written(at.path(), name);
        fs::write(folder.join(file), text).unwrap();
        folders.push(folder);
    }
    fs::remove_file(folders[6].join("answers.toml")).unwrap();
    fs::write(at.path().join("roster.csv"), "id\n").unwrap();
    folders.push(at.path().join("roster.csv"));
    let class = Class::grade(&Grader::default(), &folders);
    assert_eq!((class.graded.len(), class.failed.len()), (1, 7));
    for (failed, (_, _, _, told)) in class.failed[1..].iter().zip(damage) {
        assert!(failed.problem.contains(told), "{}", failed.problem);
    }
    let text = class_text(&class);
    assert!(text.contains("Graded: 1 folder\nNot graded: 7 folders\n"), "{text}");
    assert!(text.contains("roster.csv is not a folder") && text.contains("cannot read"), "{text}");
    assert_eq!(text.matches("guards against copying").count(), 1);
    let table = csv(&class).unwrap();
    assert_eq!(table.lines().count(), 9, "{table}");
}

/// A slip costs its own answer, is named with its line, and gives no right value away.
#[test]
fn an_answer_that_cannot_be_read_costs_no_other() {
    let at = tempfile::tempdir().unwrap();
    let folder = written(at.path(), "s1");
    fs::write(folder.join(answers::FILE), "[q7]\np = 0\nap = undefined\nerr = 0,0\ndcg = 0\n").unwrap();
    let graded = Grader::default().grade(&folder).unwrap();
    assert_eq!((graded.points, graded.remarks.len()), (2.0, 2));
    assert!(graded.remarks[0].starts_with("answers.toml:3: `q7.ap` cannot be read: a word needs quotes"));
    for name in ["q7.ap", "q7.err"] {
        let cell = graded.cells.iter().find(|cell| cell.name == name).unwrap();
        assert_eq!((cell.state, &cell.hint, cell.steps.len()), (State::Unreadable, &None, 0));
    }
    let text = graded_text(&graded);
    assert!(text.contains("q7.ap: cannot be read, undefined\n  line 3: a word needs") && text.contains(": 2 cells"));
    assert!(class_text(&Class::grade(&Grader::default(), &[folder.clone(), folder])).contains("answers.toml:4: "));
}

/// In a class, what is said of many folders is one line, so that the rest is not lost.
#[test]
fn a_remark_on_many_folders_is_one_line() {
    let at = tempfile::tempdir().unwrap();
    let folders: Vec<PathBuf> = (0..5).map(|number| at.path().join(format!("s{number}"))).collect();
    for folder in &folders {
        let student = Student::new(folder.file_name().unwrap().to_str().unwrap()).unwrap();
        write_lab(lab("3").unwrap(), &student, folder).unwrap();
    }
    fs::remove_file(folders[1].join("train.txt")).unwrap();
    let class = Class::grade(&Grader { no_run: true, ..Grader::default() }, &folders);
    let text = class_text(&class);
    assert!(text.contains("5 folders: code was not run (--no-run)"), "{text}");
    assert!(text.contains("s1: train.txt is missing"), "{text}");
    assert_eq!(text.matches("code was not run").count(), 1, "{text}");
}

/// One word without brackets counts where a list is asked, and the report says what a list looks like.
#[test]
fn a_word_for_a_list_of_one_is_told() {
    let at = tempfile::tempdir().unwrap();
    let folder = at.path().join("lab");
    write_lab(lab("3").unwrap(), &Student::new("s1").unwrap(), &folder).unwrap();
    fs::write(folder.join(answers::FILE), "[think]\ngrades = \"ranknet\"\n").unwrap();
    let graded = Grader { no_run: true, ..Grader::default() }.grade(&folder).unwrap();
    assert_eq!(graded.points, 2.0);
    assert!(graded.remarks[0].contains("`think.grades` is read as a list of one word"), "{:?}", graded.remarks);
    assert!(graded.remarks[0].ends_with("[\"ranknet\"]"));
}

/// With points alone, no form of the report has a hint, arithmetic, or a right value.
#[test]
fn points_alone_give_no_right_value_away() {
    let at = tempfile::tempdir().unwrap();
    let folder = written(at.path(), "s1");
    fs::write(folder.join(answers::FILE), "[q7]\np = 0\nerr = 1\nrr = [1]\n[q1]\nrr = 50\n").unwrap();
    let full = Grader::default().grade(&folder).unwrap();
    let points = Grader { points_only: true, ..Grader::default() }.grade(&folder).unwrap();
    assert_eq!((full.points, full.most), (points.points, points.most));
    assert!(full.cells.iter().any(|cell| !cell.steps.is_empty()));
    assert!(points.cells.iter().all(|cell| cell.hint.is_none() && cell.steps.is_empty()));
    let forms = [graded_text(&points), gradescope(&points).to_string(), classroom(&points).to_string()];
    assert!(forms.iter().all(|form| !form.contains("hint") && !form.contains("rank")), "{forms:?}");
    assert!(forms[0].contains("q7.err: wrong, 1\n") && forms[0].contains("is no number"), "{}", forms[0]);
}

/// The worksheet ends with the points, and `answers.toml` names places with more than one.
#[test]
fn points_stand_on_the_worksheet() {
    let at = tempfile::tempdir().unwrap();
    for lab in LABS {
        let folder = at.path().join(lab.about().name);
        write_lab(*lab, &Student::new("s1").unwrap(), &folder).unwrap();
        let most = Grader { no_run: true, ..Grader::default() }.grade(&folder).unwrap().most;
        let worksheet = fs::read_to_string(folder.join("worksheet.md")).unwrap();
        let (_, points) = worksheet.split_once("\n## Points\n").unwrap();
        let of = |row: &str| row.trim_end_matches(" |").rsplit(' ').next().unwrap().parse::<f64>().unwrap();
        // The bonus, which is not in the total, has a table of its own.
        let (points, bonus) = points.split_once("\nA bonus counts").unwrap_or((points, ""));
        assert_eq!(bonus.is_empty(), lab.about().number != 3);
        let rows: Vec<f64> = points.lines().filter(|line| line.starts_with("| `")).map(of).collect();
        assert_eq!((rows.iter().sum::<f64>(), points.contains(&format!("| all | {most} |"))), (most, true), "{points}");
    }
    let answers = fs::read_to_string(at.path().join("is-a-better/answers.toml")).unwrap();
    assert!(answers.contains("sum at least as large; 3 points\n"), "{answers}");
}

#[test]
fn a_copied_folder_shows_as_one_student_twice() {
    let at = tempfile::tempdir().unwrap();
    let one = written(at.path(), "s1");
    let copy = at.path().join("s2");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&one).unwrap().map(|entry| entry.unwrap()) {
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    let class = Class::grade(&Grader::default(), &[one, copy, written(at.path(), "s3")]);
    assert_eq!(class.remarks.len(), 1);
    assert!(class.remarks[0].starts_with("2 folders are of student `s1`"), "{:?}", class.remarks);
}

#[test]
fn a_teachers_rules_replace_points_tolerances_and_hints() {
    let at = tempfile::tempdir().unwrap();
    let folder = written(at.path(), "s1");
    fs::write(folder.join(answers::FILE), "[q7]\np = 0.4\nerr = 0.3\n").unwrap();
    let text = "lab = 'measures-by-hand'\n[[cell]]\nname = 'q7.*'\npoints = 3\ntolerance = 0.35\nhint = 'mine'\n";
    let expected = Some(Key::parse(text, "expected.toml".as_ref()).unwrap());
    let graded = Grader { expected, ..Grader::default() }.grade(&folder).unwrap();
    let of = |name: &str| graded.cells.iter().find(|cell| cell.name == name).unwrap();
    assert_eq!((of("q7.err").points, of("q7.err").state), (3.0, State::Right));
    assert_eq!((of("q7.p").points, of("q7.p").hint.as_deref()), (0.0, Some("mine")));
    assert_eq!(of("q1.p").most, 1.0);
    let other = Key::parse("lab = 'one-run-eleven-programs'\n", "expected.toml".as_ref()).unwrap();
    let error = Grader { expected: Some(other), ..Grader::default() }.grade(&folder).unwrap_err();
    assert!(error.to_string().contains("expected.toml is for lab `one-run-eleven-programs`"), "{error}");
}

/// The shapes that Gradescope and GitHub Classroom read; see the documentation of `forms`.
#[test]
fn results_for_gradescope_and_classroom_add_up() {
    let at = tempfile::tempdir().unwrap();
    let folder = written(at.path(), "s1");
    fs::write(folder.join(answers::FILE), "[q7]\np = 0\nerr = 1\n").unwrap();
    let graded = Grader::default().grade(&folder).unwrap();
    let sum = |tests: &serde_json::Value, key: &str| -> f64 {
        tests.as_array().unwrap().iter().map(|test| test[key].as_f64().unwrap()).sum()
    };
    let found = gradescope(&graded);
    assert_eq!((sum(&found["tests"], "score"), sum(&found["tests"], "max_score")), (1.0, graded.most));
    assert_eq!(found["score"], 1.0);
    let of = |value: &serde_json::Value, name: &str| {
        value["tests"].as_array().unwrap().iter().find(|test| test["name"] == name).unwrap().clone()
    };
    assert_eq!((&of(&found, "q7.p")["status"], &of(&found, "q7.err")["status"]), (&"passed".into(), &"failed".into()));
    assert!(of(&found, "q7.err")["output"].as_str().unwrap().starts_with("wrong\nhint: "));
    let found = classroom(&graded);
    assert_eq!(
        (&found["version"], &found["status"], &found["max_score"]),
        (&1.into(), &"fail".into(), &graded.most.into())
    );
    assert_eq!((&of(&found, "q7.p")["status"], &of(&found, "q7.err")["status"]), (&"pass".into(), &"fail".into()));
    assert_eq!(sum(&found["tests"], "score"), 1.0);
    let text = graded_text(&graded);
    assert!(text.contains("1 of 47 points") && text.contains("q7.err: wrong, 1\n  hint: "), "{text}");
    assert_eq!(text.matches("guards against copying").count(), 1);
}
