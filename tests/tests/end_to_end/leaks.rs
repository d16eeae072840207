//! Tests leak guards. Each guard stops a run before its first job, and says what to do. If the user
//! overrides a guard, every table bears a stamp.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::harness::{content, directory, json, real_data, run, stderr, stdout};

/// The flaw in the data, if any.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    None,
    Overlap,
    Validation,
    Label,
    Permuted,
    Vectors,
    Sorted,
}

/// Writes a fold of twelve queries with five documents each, and the experiment `x.toml` on this
/// fold. The data set contains the line `allow`.
fn prepare(at: &Path, flaw: Flaw, more: &str, allow: &str) {
    let mut parts = [String::new(), String::new(), String::new()];
    for query in 0..12 {
        let part = [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2][query];
        for document in 0..5 {
            let grade = match flaw {
                Flaw::Sorted => [2, 1, 1, 0, 0][document],
                _ => [0, 2, 1, 0, 1][(document + query) % 5],
            };
            let (one, two) = match (flaw, query, document) {
                (Flaw::Vectors, 1 | 9, 0..3) => (90 + document, 4),
                _ => (10 * query + document, (query * 7 + document * 3) % 11),
            };
            let three = match flaw {
                Flaw::Label => 5 - 2 * grade,
                Flaw::Permuted => [7, 3, 5][grade as usize],
                _ => (query + document) as i32 % 2,
            };
            let id = match (flaw, query) {
                (Flaw::Overlap, 8) => 2,
                (Flaw::Validation, 8) => 6,
                _ => query,
            };
            writeln!(parts[part], "{grade} qid:{id} 1:{one} 2:{two} 3:{three} # docid = D{query}-{document}").unwrap();
        }
    }
    for (name, text) in ["train.txt", "vali.txt", "test.txt"].iter().zip(&parts) {
        std::fs::write(at.join(name), text).unwrap();
    }
    let experiment = format!(
        "name = 'x'\nseed = 1\n[[dataset]]\nlabel = 'D'\npath = '.'\nlayout = 'train-test'\n\
         files = ['train.txt', 'vali.txt', 'test.txt']\n{allow}\n\
         [[ranker]]\nlabel = 'One'\nkind = 'feature'\nparams = {{ feature = 1 }}\n\
         [[ranker]]\nlabel = 'Three'\nkind = 'feature'\nparams = {{ feature = 3 }}\n\
         [query_sets]\nuninformative = 2\nideal = 2\n{more}"
    );
    std::fs::write(at.join("x.toml"), experiment).unwrap();
}

const INPUT: &str = "[evaluation]\nties = 'input'\n";

/// The flaws, each with its guard and with parts of the error message.
const FLAWS: [(Flaw, &str, &str, &str); 5] = [
    (Flaw::Overlap, "query-overlap", "", "1 in fold 1; the first is `2` of fold 1 (./test.txt:1 and ./train.txt:11)"),
    (
        Flaw::Validation,
        "validation-overlap",
        "",
        "validation part: 1 in fold 1; the first is `6` of fold 1 (./test.txt:1 and ./vali.txt:1)",
    ),
    (
        Flaw::Label,
        "label-feature",
        "",
        "feature 3 tells the grade: in all documents it is 5 for grade 0, 3 for grade 1, 1 for grade 2",
    ),
    (
        Flaw::Permuted,
        "label-feature",
        "",
        "feature 3 tells the grade: in all documents it is 7 for grade 0, 3 for grade 1, 5 for grade 2",
    ),
    (
        Flaw::Vectors,
        "identical-vectors",
        "",
        "3 of 20 in fold 1 (15.0 %); the first is of document `D9-0` of query `9` of fold 1, and of query `1`",
    ),
];

fn plain(text: &str) -> String {
    let without_frame = text.replace(['│', '·'], " ");
    without_frame.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn clean_data_pass_and_bear_no_stamp() {
    let folder = directory(&[]);
    prepare(folder.path(), Flaw::None, "", "");
    let output = run(folder.path(), "run x.toml --json");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("warning"));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stamps"], serde_json::json!([]));
    for (name, bytes) in content(&folder.path().join("runs/x")) {
        assert!(!String::from_utf8_lossy(&bytes).contains("OVERRIDDEN"), "{name}");
    }
}

#[test]
fn each_guard_stops_the_run_before_the_first_job_and_says_how_to_override_it() {
    for (flaw, guard, more, what) in FLAWS {
        let folder = directory(&[]);
        prepare(folder.path(), flaw, more, "");
        for command in ["run x.toml", "run x.toml --only One"] {
            let error = plain(&stderr(folder.path(), command, 2));
            for part in
                [what, &format!("{guard} of data set D:"), &format!("`allow = [\"{guard}\"]`"), "every table will say"]
            {
                assert!(error.contains(part), "{guard}: {part}\n{error}");
            }
        }
        assert!(!folder.path().join("runs/x/jobs").exists(), "{guard}");
        // `--explain-cache` says that the run would stop before its first job.
        let output = run(folder.path(), "run x.toml --explain-cache");
        let error = plain(&String::from_utf8(output.stderr).unwrap());
        assert!(output.status.code() == Some(2) && error.contains(what) && error.contains("allow = "), "{error}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("x: 2 jobs, 0 reused, 2 to do"), "{text}");
        assert!(
            text.ends_with("the run would do nothing of this plan: the run would stop before its first job\n"),
            "{text}"
        );
        let output = run(folder.path(), "run x.toml --explain-cache --json");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.code() == Some(2) && found["stopped"].as_str().unwrap().contains(guard), "{found}");
    }
}

/// The texts of the files that show tables, by file name.
fn tables(folder: &Path) -> BTreeMap<String, String> {
    let shows = |name: &String| name.starts_with("tables/") || name.starts_with("figures/") && name.ends_with(".csv");
    let files = content(folder).into_iter().filter(|(name, _)| shows(name));
    files.map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect()
}

#[test]
fn an_overridden_guard_is_stamped_on_every_table_in_every_form() {
    for (flaw, guard, more, what) in FLAWS {
        for everywhere in [false, true] {
            let folder = directory(&[]);
            let at = folder.path();
            let allow = format!("allow = ['{guard}']");
            match everywhere {
                true => prepare(at, flaw, &format!("{more}[guards]\n{allow}\n"), ""),
                false => prepare(at, flaw, more, &allow),
            }
            let output = run(at, "run x.toml --tables all");
            let said = plain(&String::from_utf8(output.stderr).unwrap());
            let stamp = format!("GUARD OVERRIDDEN: {guard} on D:");
            assert!(output.status.success() && said.contains(&format!("warning: {stamp}")), "{said}");
            assert!(!said.contains("overrides nothing"), "{said}");
            let shown = String::from_utf8(output.stdout).unwrap();
            let count = json(at, "run x.toml --json")["tables"].as_array().unwrap().len();
            // Once in the overview, and on every table.
            assert_eq!(shown.matches(&stamp).count(), 1 + count);
            assert!(count > 10 && plain(&shown).contains(what), "{shown}");
            let files = tables(&at.join("runs/x"));
            for form in [".csv", ".md", ".tex"] {
                assert!(files.keys().any(|name| name.ends_with(form)), "{form}");
            }
            for (name, text) in &files {
                let plain = text.replace('\\', "");
                assert!(plain.contains(&stamp), "{name}\n{text}");
            }
            let stamps = &json(at, "run x.toml --json")["stamps"];
            assert!(stamps[0].as_str().unwrap().starts_with(&stamp) && stamps.as_array().unwrap().len() == 1);
            let page = std::fs::read_to_string(at.join("runs/x/report.html")).unwrap();
            assert!(page.contains(&format!("<p class=\"stamp\" role=\"alert\">{stamp}")), "{guard}");
            let manifest: serde_json::Value =
                serde_json::from_slice(&std::fs::read(at.join("runs/x/manifest.json")).unwrap()).unwrap();
            let fact = &manifest["guards"][0];
            assert_eq!((&fact["dataset"], &fact["guard"], &fact["stops"]), (&"D".into(), &guard.into(), &true.into()));
            // A report from the folder alone has the stamp too.
            for format in ["text", "md", "latex", "csv", "json"] {
                let again = stdout(at, &format!("report runs/x --format {format}")).replace('\\', "");
                assert!(again.matches(&stamp).count() >= count, "{format}");
            }
        }
    }
}

#[test]
fn overriding_one_guard_leaves_the_others_and_a_needless_override_is_said() {
    let folder = directory(&[]);
    let at = folder.path();
    prepare(at, Flaw::Label, "", "allow = ['query-overlap']");
    assert!(stderr(at, "run x.toml", 2).contains("label-feature"));
    prepare(at, Flaw::Label, "[guards]\nallow = ['identical-vectors']\n", "allow = ['label-feature', 'query-overlap']");
    let said = stderr(at, "run x.toml", 0);
    assert!(
        said.contains("warning: `identical-vectors` of `[guards]` overrides nothing: leave it out of `allow`"),
        "{said}"
    );
    assert!(
        said.contains("warning: `query-overlap` of data set D overrides nothing: leave it out of `allow`"),
        "{said}"
    );
    assert!(!said.contains("`label-feature` of data set D overrides nothing"), "{said}");
}

#[test]
fn overrides_alter_no_job() {
    let folder = directory(&[]);
    let at = folder.path();
    prepare(at, Flaw::None, "", "");
    stdout(at, "run x.toml");
    prepare(at, Flaw::None, "[guards]\nallow = ['label-feature']\n", "");
    assert_eq!(json(at, "run x.toml --json")["done"], 0);
}

#[test]
fn equal_scores_on_sorted_rows_refuse_the_evaluation_and_lose_no_job() {
    let folder = directory(&[]);
    let at = folder.path();
    // Averaged ties do not depend on the order of rows.
    prepare(at, Flaw::Sorted, "", "");
    stdout(at, "run x.toml --out averaged");
    // Feature 1 has no equal values; feature 3 has some.
    prepare(at, Flaw::Sorted, INPUT, "");
    let error = plain(&stderr(at, "run x.toml", 2));
    let early = "warning: D: rows are sorted by grade, the highest first, in 4 of 4 queries with several grades; with `ties = \"input\"`, \
                 equal scores will stop the evaluation";
    assert!(error.contains(early), "{error}");
    let late = "label-sorted-ties of data set D: rows are sorted by grade, the highest first, in 4 of 4 queries with several grades, and \
                documents of different grades have equal scores, which `ties = \"input\"` ranks by row: 4 queries in 1 lists of scores, \
                the first `8` of D/fold1/Three";
    assert!(error.contains(late), "{error}");
    assert!(at.join("runs/x/scores/D/fold1/Three.txt").exists() && !at.join("runs/x/report.html").exists());
    prepare(at, Flaw::Sorted, INPUT, "allow = ['label-sorted-ties']");
    let report = json(at, "run x.toml --json");
    assert_eq!((&report["done"], &report["reused"]), (&0.into(), &2.into()));
    let stamp = "GUARD OVERRIDDEN: label-sorted-ties on D:";
    assert!(report["stamps"][0].as_str().unwrap().starts_with(stamp));
    for (name, text) in tables(&at.join("runs/x")) {
        assert!(text.replace('\\', "").contains(stamp), "{name}");
    }
    // Without equal scores, the guard does not fire.
    let text = std::fs::read_to_string(at.join("x.toml")).unwrap();
    let text = text.replace(
        "label = 'Three'\nkind = 'feature'\nparams = { feature = 3 }",
        "label = 'Two'\nkind = 'feature'\nparams = { feature = 2 }",
    );
    std::fs::write(at.join("x.toml"), text.replace("allow = ['label-sorted-ties']", "")).unwrap();
    stdout(at, "run x.toml");
}

#[cfg(unix)]
#[test]
fn a_program_may_not_be_given_the_test_part() {
    let folder = directory(&[("copy.sh", "awk '{print NR}' \"$1\" > \"$2\"\n")]);
    let at = folder.path();
    let command = |argument: &str, files: &str, allow: &str| {
        prepare(at, Flaw::None, "", allow);
        let mut text = std::fs::read_to_string(at.join("x.toml")).unwrap();
        write!(
            text,
            "[[ranker]]\nlabel = 'C'\nkind = 'command'\n[ranker.params]\n\
             argv = ['sh', 'copy.sh', '{{test}}', '{{scores}}', '{argument}']\nfiles = ['copy.sh', {files}]\n"
        )
        .unwrap();
        std::fs::write(at.join("x.toml"), text).unwrap();
    };
    command("plain", "", "");
    std::fs::create_dir(at.join("sub")).unwrap();
    std::fs::copy(at.join("test.txt"), at.join("sub/copied.txt")).unwrap();
    stdout(at, "run x.toml --out plain");
    for pack in ["gzip -k sub/copied.txt", "cd sub && python3 -m zipfile -c all.zip ../train.txt copied.txt"] {
        assert!(std::process::Command::new("sh").args(["-c", pack]).current_dir(at).status().unwrap().success());
    }
    let whole = at.canonicalize().unwrap();
    let absolute = whole.join("test.txt");
    let place = format!("`{}`", absolute.display());
    for (argument, files, given) in [
        ("plain", "'sub/copied.txt'", "`sub/copied.txt`".to_owned()),
        ("plain", "'sub/copied.txt.gz'", "`sub/copied.txt.gz`".to_owned()),
        ("plain", "'sub/all.zip'", "`sub/all.zip`".to_owned()),
        (absolute.to_str().unwrap(), "", place.clone()),
        (&format!("--data={}", whole.display()), "", format!("`{}`", whole.display())),
        (&format!("cut -d\\\" -f1 {}; true", absolute.display()), "", place),
    ] {
        command(argument, files, "");
        let error = plain(&stderr(at, "run x.toml", 2));
        assert!(error.contains("test-file of data set D: ranker C is given"), "{error}");
        let squeezed = |text: &str| text.replace(' ', "");
        assert!(squeezed(&error).contains(&squeezed(&given)), "{given}\n{error}");
        command(argument, files, "allow = ['test-file']");
        let stamps = json(at, "run x.toml --json")["stamps"].clone();
        assert!(stamps[0].as_str().unwrap().starts_with("GUARD OVERRIDDEN: test-file on D:"), "{stamps}");
    }
}

/// A model never depends on the test part: with other test documents, each model file has the same
/// bytes.
#[test]
fn no_model_or_normaliser_depends_on_the_test_part() {
    let models = |change: bool| {
        let folder = directory(&[]);
        let at = folder.path();
        prepare(at, Flaw::None, "", "");
        let rankers = "[[ranker]]\nlabel = 'L'\nkind = 'linear'\nnormalise = { method = 'z-score', over = 'train' }\n\
                       [[ranker]]\nlabel = 'T'\nkind = 'lambdamart'\nparams = { trees = 5 }\n\
                       [[ranker]]\nlabel = 'N'\nkind = 'ranknet'\nnormalise = { method = 'min-max', over = 'train' }\nparams = { epochs = 3 }\n";
        let text = std::fs::read_to_string(at.join("x.toml")).unwrap() + rankers;
        std::fs::write(at.join("x.toml"), text).unwrap();
        if change {
            let test = std::fs::read_to_string(at.join("test.txt")).unwrap();
            std::fs::write(at.join("test.txt"), test.replace(" 1:", " 1:77").replace(" 2:", " 2:-8")).unwrap();
        }
        stdout(at, "run x.toml");
        let files = content(&at.join("runs/x"));
        let of = |folder: &str| -> BTreeMap<String, Vec<u8>> {
            files.iter().filter(|(name, _)| name.starts_with(folder)).map(|(n, b)| (n.clone(), b.clone())).collect()
        };
        (of("models/"), of("scores/"))
    };
    let ((models_one, scores_one), (models_two, scores_two)) = (models(false), models(true));
    assert_eq!(models_one.len(), 5);
    assert!(models_one == models_two && scores_one != scores_two);
}

#[test]
fn real_collections_pass() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    let at = folder.path();
    let mut text = "name = 'real'\n".to_owned();
    for name in ["mq2008", "ohsumed", "clueweb09", "mslr-sample", "mq2007-agg"] {
        writeln!(text, "[[dataset]]\nname = '{name}'").unwrap();
    }
    std::fs::write(
        at.join("real.toml"),
        text + "[[ranker]]\nkind = 'feature'\nparams = { feature = 1 }\n[evaluation]\nties = 'input'\n",
    )
    .unwrap();
    let said = stderr(at, &format!("run real.toml --json --data-dir {}", data.display()), 0);
    let found: Vec<&str> = said.lines().filter(|line| line.starts_with("warning")).collect();
    let expected = [
        "clueweb09: identical-vectors: vectors of the test part",
        "mq2007-agg: identical-vectors: vectors of the test part",
    ];
    assert!(found.len() == 2 && found.iter().zip(expected).all(|(line, part)| line.contains(part)), "{said}");
}

#[test]
fn a_collection_is_linted_by_the_same_guards() {
    for (flaw, guard, _, what) in FLAWS {
        let folder = directory(&[]);
        let at = folder.path();
        prepare(at, flaw, "", "");
        // The data are written as fold directories, which `lint` recognises.
        for fold in 1..=5 {
            let to = at.join(format!("data/Fold{fold}"));
            std::fs::create_dir_all(&to).unwrap();
            for part in ["train", "vali", "test"] {
                std::fs::copy(at.join(format!("{part}.txt")), to.join(format!("{part}.txt"))).unwrap();
            }
        }
        let output = run(at, "lint data");
        let text = String::from_utf8(output.stdout).unwrap();
        let found = text.lines().find(|line| line.trim().starts_with(&format!("{guard}: "))).unwrap_or_default();
        let start = what.split(';').next().unwrap().replace("./", "data/Fold1/");
        let start = start.trim_start_matches("validation part: ");
        assert!(found.contains(start) && found.ends_with("(would stop a run)"), "{guard}: {start}\n{text}");
        assert_eq!(output.status.code(), Some(1));
        let report: serde_json::Value = serde_json::from_slice(&run(at, "lint data --json").stdout).unwrap();
        assert_eq!(report["guards"][0]["findings"][0]["guard"], guard);
    }
    let folder = directory(&[]);
    prepare(folder.path(), Flaw::None, "", "");
    for (from, to) in [("train", "S1"), ("vali", "S2"), ("test", "S3"), ("none", "S4"), ("none", "S5")] {
        let text = std::fs::read_to_string(folder.path().join(format!("{from}.txt")));
        let text = text.unwrap_or_else(|_| format!("1 qid:{to} 1:-{} 2:3 3:1 # docid = X\n", &to[1..]));
        std::fs::create_dir_all(folder.path().join("parts")).unwrap();
        std::fs::write(folder.path().join(format!("parts/{to}.txt")), text).unwrap();
    }
    assert!(stdout(folder.path(), "lint parts").contains("Leak guards of parts: nothing found."));
}

#[test]
fn eval_refuses_equal_scores_on_sorted_rows() {
    let (mut data, mut tied, mut apart) = (String::new(), String::new(), String::new());
    for query in 0..6 {
        for (document, grade) in [2, 2, 1, 1, 0, 0].into_iter().enumerate() {
            writeln!(data, "{grade} qid:{query} 1:{document}").unwrap();
            writeln!(tied, "{}", document / 3).unwrap();
            writeln!(apart, "{document}").unwrap();
        }
    }
    let folder = directory(&[("test.txt", &data), ("tied.txt", &tied), ("apart.txt", &apart)]);
    let at = folder.path();
    let eval = "eval --data test.txt --measures ndcg@5 --scores";
    let error = plain(&stderr(at, &format!("{eval} apart.txt tied.txt --dialect letor4"), 2));
    assert!(
        error.contains(
            "stopped by a leak guard: label-sorted-ties: rows are sorted by grade, the highest first, in 6 of 6"
        ),
        "{error}"
    );
    assert!(error.contains("6 queries in 1 lists of scores, the first `0` of tied.txt"), "{error}");
    stdout(at, &format!("{eval} apart.txt --dialect letor4"));
    stdout(at, &format!("{eval} tied.txt --ties average"));
    let allowed = stdout(at, &format!("{eval} tied.txt --dialect letor4 --allow label-sorted-ties"));
    assert!(allowed.contains("GUARD OVERRIDDEN: label-sorted-ties: rows are sorted"), "{allowed}");
    let notes = &json(at, &format!("{eval} tied.txt --dialect letor4 --allow label-sorted-ties --json"))["notes"];
    assert!(notes.to_string().contains("GUARD OVERRIDDEN"), "{notes}");
}

#[test]
fn train_and_score_warn_of_what_the_guards_would_stop() {
    let folder = directory(&[]);
    let at = folder.path();
    prepare(at, Flaw::Label, "", "");
    let said = stderr(at, "train --ranker linear --train train.txt --valid train.txt -o m.json", 0);
    assert!(said.contains("warning: label-feature: feature 3 tells the grade"), "{said}");
    assert!(said.contains("warning: query-overlap: 6 queries of --valid (first: `0`) are in --train too"), "{said}");
    assert!(stderr(at, "score --model m.json --data train.txt", 0).contains("trained on exactly these documents"));
    assert!(!stderr(at, "score --model m.json --data test.txt", 0).contains("warning"));
    prepare(at, Flaw::None, "", "");
    assert!(!stderr(at, "train --ranker linear --train train.txt --valid vali.txt -o m.json", 0).contains("warning"));
}

/// Everything that is made from the results of a stamped run bears its stamps.
#[test]
fn studies_of_a_stamped_run_are_stamped() {
    let folder = directory(&[]);
    let at = folder.path();
    prepare(at, Flaw::Label, "", "allow = ['label-feature']");
    stdout(at, "run x.toml");
    stdout(at, "run x.toml --out again");
    let stamp = "GUARD OVERRIDDEN: label-feature on D:";
    for command in [
        "compare runs/x --out of-folder",
        "compare runs/x/per_query.csv --out of-file",
        "standardise --results runs/x --out standardised",
        "standardise --values runs/x/per_query.csv --out standardised-file",
        "diff runs/x again",
        "diff runs/x again --format md",
        "diff runs/x again --format csv",
    ] {
        let shown = stdout(at, command);
        assert!(shown.contains(stamp), "{command}: {shown}");
    }
    for study in ["of-folder", "of-file", "standardised", "standardised-file"] {
        let files = tables(&at.join(study));
        assert!(!files.is_empty());
        for (name, text) in files {
            assert!(text.replace('\\', "").contains(stamp), "{study}/{name}: {text}");
        }
    }
    let differences = json(at, "diff runs/x again --json");
    for table in differences.as_array().unwrap() {
        let note = table["notes"][0].as_str().unwrap();
        assert!(note.starts_with(stamp) && note.ends_with(" (in A and B)"), "{table}");
    }
    // In a comparison with a clean run, the stamp is shown for one side only. Clean runs alone have
    // no stamp.
    prepare(at, Flaw::None, "", "");
    stdout(at, "run x.toml --out clean");
    let output = run(at, "diff clean again");
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains(stamp) && shown.contains(" (in B)"), "{shown}");
    for command in ["diff clean clean", "compare clean/per_query.csv --out clean-study"] {
        assert!(!stdout(at, command).contains("GUARD OVERRIDDEN"), "{command}");
    }
    // If the manifest cannot be read, it is unknown whether guards were overridden.
    std::fs::write(at.join("runs/x/manifest.json"), "{}").unwrap();
    let shown = stdout(at, "compare runs/x/per_query.csv --out unknown");
    assert!(shown.contains("unknown: whether leak guards were overridden"), "{shown}");
}
