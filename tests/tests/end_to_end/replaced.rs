//! Tests outputs to paths at which a file already exists. A command never writes over its input. A
//! command writes over a file of its own kind, and over any other file only if asked.

use std::path::Path;

use crate::harness::{content, directory, stderr, stdout};

const DATA: &str = "2 qid:1 1:0.5 2:0.25\n0 qid:1 1:0.125 2:0.5\n1 qid:2 1:0.75 2:0.5\n0 qid:2 1:0.25 2:0.75\n";

fn unchanged(at: &Path, before: &std::collections::BTreeMap<String, Vec<u8>>, command: &str) {
    assert_eq!(content(at), *before, "{command}");
}

/// mapequation/infomap #907: an output was written over the run's own input.
#[test]
fn no_command_writes_over_its_inputs() {
    let folder = directory(&[("d.txt", DATA), ("v.txt", DATA), ("p.toml", "lambda = 2.0\n")]);
    let at = folder.path();
    stdout(at, "train --ranker mart --param trees=2 --param min_documents=1 --train d.txt -o t.json");
    stdout(at, "export t.json --format ranklib -o r.txt");
    std::fs::hard_link(at.join("d.txt"), at.join("hard.txt")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("d.txt", at.join("link.txt")).unwrap();
    let before = content(at);
    let mut commands = vec![
        "score --model t.json --data d.txt -o d.txt",
        "score --model t.json --data d.txt -o ./d.txt",
        "score --model t.json --data d.txt -o hard.txt",
        "score --model t.json --data d.txt -o t.json",
        "train --ranker linear --train d.txt -o d.txt",
        "train --ranker linear --train d.txt --valid v.txt -o v.txt",
        "train --ranker linear --params p.toml --train d.txt -o p.toml",
        "export t.json --format lightgbm -o t.json",
        "import r.txt --features 2 -o r.txt",
    ];
    if cfg!(unix) {
        commands.push("score --model t.json --data d.txt -o link.txt");
    }
    for command in commands {
        for asked in ["", " --replace"] {
            let told = stderr(at, &format!("{command}{asked}"), 2);
            assert!(
                told.contains("an input of this command") && told.contains("give another file"),
                "{command}: {told}"
            );
            unchanged(at, &before, command);
        }
    }
}

/// aws/aws-encryption-sdk-cli #18, MRtrix3/mrtrix3 #169: existing files were written over without a
/// message.
#[test]
fn only_our_own_kind_is_replaced_unasked() {
    let folder = directory(&[("d.txt", DATA), ("notes.txt", "dear diary\n"), ("groups.txt", "2\n2\n")]);
    let at = folder.path();
    stdout(at, "train --ranker mart --param trees=2 --param min_documents=1 --train d.txt -o t.json");
    stdout(at, "export t.json --format ranklib -o r.txt");
    for (command, foreign) in [
        ("train --ranker linear --train d.txt -o FILE", "notes.txt"),
        ("import r.txt --features 2 -o FILE", "notes.txt"),
        ("score --model t.json --data d.txt -o FILE", "notes.txt"),
        ("score --model t.json --data d.txt -o FILE", "groups.txt"),
        ("export t.json --format ranklib -o FILE", "notes.txt"),
        ("export t.json --format lightgbm -o FILE", "r.txt"),
    ] {
        let before = content(at);
        let told = stderr(at, &command.replace("FILE", foreign), 2);
        assert!(
            told.contains(&format!("{foreign} exists and is not a")) && told.contains("--replace"),
            "{command}: {told}"
        );
        unchanged(at, &before, command);
        // A command writes over a file of its own kind, so it runs twice; then `--replace` is
        // tried.
        for _ in 0..2 {
            stdout(at, &command.replace("FILE", "new"));
        }
        std::fs::copy(at.join(foreign), at.join("copy")).unwrap();
        stdout(at, &format!("{} --replace", command.replace("FILE", "copy")));
        assert_eq!(content(at)["copy"], content(at)["new"], "{command}");
        std::fs::remove_file(at.join("new")).unwrap();
    }
    let told = stderr(at, "score --model t.json --data d.txt -o /dev/null --replace", 2);
    assert!(told.contains("a device or a pipe"), "{told}");
}

#[test]
fn made_parts_are_written_over_only_by_the_same_parts() {
    let folder = directory(&[]);
    let at = folder.path();
    std::fs::create_dir_all(at.join("made/Fold3")).unwrap();
    std::fs::write(at.join("made/Fold3/test.txt"), DATA).unwrap();
    let before = content(at);
    let told = stderr(at, "make --queries 10 -o made", 2);
    assert!(told.contains("made/Fold3/test.txt exists and is not the part that would be written"), "{told}");
    unchanged(at, &before, "nothing of a set that is refused");
    stdout(at, "make --queries 10 -o made --replace");
    stdout(at, "make --queries 10 -o made");
    stderr(at, "make --queries 11 -o made", 2);
}

const EXPERIMENT: &str = "name = \"x\"\n[[dataset]]\nlabel = \"A\"\nmade = { shape = \"mq2007\", queries = 8 }\n[[ranker]]\nkind = \"linear\"\n\
                          [evaluation]\ncutoffs = [5]\n[query_sets]\nuninformative = 2\nideal = 2\n";

/// Users of zenml, dvc and mlflow lose runs of the same name in this way.
/// aws/aws-encryption-sdk-cli #18 is a fault of this kind.
#[test]
fn results_of_another_experiment_are_never_replaced_in_silence() {
    let other = EXPERIMENT.replace("queries = 8", "queries = 9");
    let named = EXPERIMENT.replace("\"x\"", "\"y\"");
    let files = [
        ("a.toml", EXPERIMENT),
        ("b.toml", &other),
        ("y.toml", &named),
        ("v.csv", "query,a,b\n1,0.5,0.25\n2,0.75,0.5\n3,0.1,0.2\n"),
    ];
    let folder = directory(&files);
    let at = folder.path();
    stdout(at, "run a.toml");
    let before = content(at);
    for command in [
        "run b.toml",
        "run y.toml --out runs/x",
        "job b.toml A/fold1/linear",
        "compare v.csv --out runs/x",
        "run a.toml --out .",
    ] {
        let told = stderr(at, command, 2);
        assert!(told.contains(" holds ") && told.contains("--replace"), "{command}: {told}");
        unchanged(at, &before, command);
    }
    // The experiment file is given by another path, then as a copy. Its jobs are reused.
    std::fs::copy(at.join("a.toml"), at.join("copy.toml")).unwrap();
    for command in ["run ./runs/../a.toml", "run copy.toml"] {
        assert!(stderr(at, command, 0).contains("(5 reused, 0 to do)"), "{command}");
    }
    // The same file is accepted even if all its jobs changed.
    std::fs::write(at.join("copy.toml"), &other).unwrap();
    assert!(stderr(at, "run copy.toml", 0).contains("(0 reused, 5 to do)"));
    stdout(at, "run y.toml --out runs/x --replace");
    stdout(at, "verify runs/x");
}

#[test]
fn a_folder_that_is_no_results_folder_is_left_alone() {
    let files = [("a.toml", EXPERIMENT), ("v.csv", "query,a,b\n1,0.5,0.25\n2,0.75,0.5\n3,0.1,0.2\n")];
    let folder = directory(&files);
    let at = folder.path();
    std::fs::create_dir(at.join("thesis")).unwrap();
    std::fs::write(at.join("thesis/report.html"), "mine").unwrap();
    stdout(at, "run a.toml --out whole");
    let before = content(at);
    for command in ["run a.toml --out thesis", "compare v.csv --out thesis", "report whole --write thesis"] {
        let told = stderr(at, command, 2);
        assert!(told.contains("thesis") && told.contains("--replace"), "{command}: {told}");
        unchanged(at, &before, command);
    }
    // Beside the folder lies a log that no run wrote.
    std::fs::write(at.join("new.log.json"), "{\"mine\": 1}").unwrap();
    let told = stderr(at, "run a.toml --out new", 0);
    assert!(
        told.contains("warning: ") && told.contains("new.log.json: is no log of a run and was not changed"),
        "{told}"
    );
    assert_eq!(std::fs::read_to_string(at.join("new.log.json")).unwrap(), "{\"mine\": 1}");
}

/// The run reads score files at the paths to which it would write its own score files.
#[test]
fn an_experiment_that_reads_what_it_would_write_is_refused() {
    let folder = directory(&[("a.toml", EXPERIMENT)]);
    let at = folder.path();
    stdout(at, "run a.toml");
    let scores = "kind = \"scores\"\nlabel = \"linear\"\nparams = { path = \"runs/x/scores/A/fold{fold}/linear.txt\" }";
    std::fs::write(at.join("a.toml"), EXPERIMENT.replace("kind = \"linear\"", scores)).unwrap();
    let before = content(at);
    let told = stderr(at, "run a.toml", 2);
    assert!(told.contains("is an input of this experiment") && told.contains("--out"), "{told}");
    unchanged(at, &before, "run");
    stdout(at, "run a.toml --out other");
}
