//! Tests changes of code. A ranker that is not built in is trained again after a change, whatever
//! its VERSION says. Every run says how it recognises the code of such rankers.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::harness::{directory, program};

const EXPERIMENT: &str = r#"
name = "own"
[[dataset]]
label = "A"
synthetic = { shape = "mq2007", queries = 10 }
[[ranker]]
kind = "linear"
[[ranker]]
label = "Sources"
kind = "slow"
params = { steps = 1 }
[[ranker]]
label = "Executable"
kind = "faulty"
params = { how = "chatter" }
isolate = true
[[ranker]]
label = "Shell"
kind = "command"
params = { argv = ["sh", "first.sh", "{test}", "{scores}"], files = ["first.sh"] }
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 2
ideal = 2
"#;

/// The hash in `tests/src/main.rs`.
const SOURCES: &str = "50f7ce5050f7ce5050f7ce5050f7ce5050f7ce5050f7ce5050f7ce5050f7ce50";
const OTHER: &str = "07he57te07he57te07he57te07he57te07he57te07he57te07he57te07he57te";

/// Copies the program into a folder and alters the copy by a shell command.
fn built(at: &Path, name: &str, change: &str) -> PathBuf {
    let path = at.join(name);
    std::fs::copy(program(), &path).unwrap();
    let changed =
        std::process::Command::new("sh").args(["-c", change, "sh"]).arg(&path).env("LC_ALL", "C").status().unwrap();
    assert!(changed.success(), "{change}");
    path
}

fn run(program: &Path, at: &Path, arguments: &str) -> Output {
    let mut command = std::process::Command::new(program);
    command.args(arguments.split(' ')).current_dir(at).env_remove("FIVEFOLD_DATA").env_remove("FIVEFOLD_CACHE");
    command.output().unwrap()
}

fn said(output: &Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    (out, err)
}

/// python-cachier/cachier #88, streamlit/streamlit #2728 and snakemake/snakemake #3213: the code
/// changed, but results of the old code were used. Another build of the same sources counts as the
/// same code. Only a ranker that is known by the executable alone is then trained again.
#[test]
fn a_ranker_whose_code_changed_is_trained_anew_and_no_other() {
    let folder = directory(&[("own.toml", EXPERIMENT), ("first.sh", crate::outside::FIRST)]);
    let at = folder.path();
    let first = built(at, "first", "true");
    let rebuilt = built(at, "rebuilt", "echo >> \"$1\"");
    let changed = built(at, "changed", &format!("grep -q {SOURCES} \"$1\" && sed -i s/{SOURCES}/{OTHER}/g \"$1\""));
    let (_, told) = said(&run(&first, at, "run own.toml --out out"), 0);
    for line in [
        "note: `slow` is known by its sources (50f7ce5050f7)\n",
        "note: `faulty` is known by this executable (",
        "): any rebuild trains it anew\n",
        "note: Shell is known by its arguments and first.sh; trusted unseen: `sh` and all files that `sh` loads (its version, its packages)\n",
        "note: trusted unseen, because no job key holds it: the platform (processor, operating system and its libraries)\n",
    ] {
        assert_eq!(told.matches(line).count(), 1, "{line}\n{told}");
    }
    let manifest = std::fs::read_to_string(at.join("out/manifest.json")).unwrap();
    assert!(manifest.contains("\"trusted\"") && manifest.contains("`slow` is known by its sources"), "{manifest}");

    let (_, told) = said(&run(&first, at, "run own.toml --out out"), 0);
    assert!(told.contains("(20 reused, 0 to do)"), "{told}");
    // Another build of the same sources.
    let (explained, _) = said(&run(&rebuilt, at, "run own.toml --out out --explain-cache"), 0);
    assert!(
        explained.contains("20 jobs, 15 reused, 5 to do") && explained.contains("because code.executable changed"),
        "{explained}"
    );
    assert!(explained.contains("(hash of the executable)") && explained.contains("A: Executable"), "{explained}");
    // The sources change, and so does the executable. One job of each ranker is asked for alone.
    let (explained, _) = said(&run(&changed, at, "run own.toml --out out --explain-cache"), 0);
    assert!(
        explained.contains("20 jobs, 10 reused, 10 to do") && explained.contains("because code.sources changed"),
        "{explained}"
    );
    assert!(explained.contains("code.sources: 50f7ce5050f7… -> \"07he57te"), "{explained}");
    let (done, _) = said(&run(&changed, at, "job own.toml A/fold1/Sources --out out"), 0);
    assert_eq!(done, "done A/fold1/Sources\n");
    let (_, told) = said(&run(&changed, at, "run own.toml --out out"), 0);
    assert!(told.contains("(11 reused, 9 to do)"), "{told}");
    assert!(
        told.contains("done again: 5 jobs because code.executable changed, 4 jobs because code.sources changed"),
        "{told}"
    );

    // The folder is intact, but `verify` cannot know whether this program would give the same
    // results.
    let (_, told) = said(&run(&changed, at, "verify out"), 0);
    assert_eq!(told, "");
    let (checked, _) = said(&run(&first, at, "verify out"), 2);
    assert!(
        checked
            .contains("not checked: 5 of inputs of jobs: the code of `slow` (its sources, or the executable) changed since the run"),
        "{checked}"
    );
    assert!(
        checked.contains(
            "not checked: 5 of inputs of jobs: the code of `faulty` (its sources, or the executable) changed"
        ),
        "{checked}"
    );
}
