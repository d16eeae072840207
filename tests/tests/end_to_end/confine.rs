//! Tests which files and sockets a `command` can reach. On a kernel without Landlock, the tests of
//! confined commands are skipped, and say so.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{content, directory, fivefold, json, run, skipped, stderr, stdout};

/// A LETOR file with 30 queries of four documents, which is cut into folds.
fn letor() -> String {
    let document = |i: usize| format!("{} qid:{} 1:{} 2:{}\n", i % 3, i / 4, (i * 7919) % 1000, (i * 104_729) % 997);
    (0..120).map(document).collect()
}

fn experiment(script: &str, params: &str) -> String {
    format!(
        r#"
name = "x"
[[dataset]]
label = "D"
path = "data/d.txt"
layout = "one-file"
[[ranker]]
kind = "linear"
[[ranker]]
label = "theirs"
kind = "command"
[ranker.params]
argv = ["sh", "{script}", "{{train}}", "{{test}}", "{{scores}}"]
files = ["{script}"]
{params}
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 5
ideal = 5
"#
    )
}

/// Makes a folder with data, an experiment and its script. The script writes the names of all
/// things that it could reach into `got`.
fn case(params: &str, script: &str) -> TempDir {
    let folder = directory(&[
        ("x.toml", &experiment("rank.sh", params)),
        ("rank.sh", &format!("{script}\nif [ -s got ]; then cat got >&2; exit 9; fi\nsed 's/.*/1/' \"$2\" > \"$3\"\n")),
    ]);
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("data/d.txt"), letor()).unwrap();
    folder
}

/// Whether this kernel can confine commands. If it cannot, the test says so.
pub fn confines() -> bool {
    let folder = case("", "");
    let stamps = &json(folder.path(), "run x.toml --json")["stamps"];
    let confines = stamps.as_array().unwrap().is_empty();
    if !confines {
        skipped(&format!("this kernel does not confine: {stamps}"));
    }
    confines
}

/// The error of the first job of the command; empty if the job did not fail.
fn failure(at: &Path, arguments: &str) -> String {
    let output = run(at, arguments);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    let record = fs::read_to_string(at.join("runs/x/jobs/D/fold1/theirs.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    record["error"].as_str().unwrap_or_default().to_owned()
}

/// A script that looks for files of other jobs, which run at the same time for other folds. With
/// such files, a program would know all grades of its test part. In ucbepic/DataAgentBench #54,
/// programs read the answers of a benchmark in this way.
const SPY: &str = r#"
sleep 0.5
for f in ../*/train.txt ../*/vali*.txt; do [ -f "$f" ] && [ ! "$f" -ef train.txt ] && echo "$f" >> got; done
true
"#;

#[test]
fn other_folds_are_not_beside_a_command_confined_or_not() {
    for unconfined in ["", " --unconfined"] {
        let folder = case("", SPY);
        assert_eq!(failure(folder.path(), &format!("run x.toml --threads 2{unconfined}")), "", "{unconfined}");
        assert!(!folder.path().join("runs/x/.work").exists());
    }
}

/// A script that writes a line to `got` for each thing that it can reach.
const REACH: &str = r#"
try() { name=$1; shift; ("$@") > /dev/null 2>&1 && echo "$name" >> got; }
try data         cat "$ROOT/data/d.txt"
try list         ls "$ROOT/data"
try linked       sh -c 'ln -s "$0" link && cat link' "$ROOT/data/d.txt"
try hard-linked  ln "$ROOT/data/d.txt" hard
try moved        mv "$ROOT/movable" moved
try cached       sh -c 'cat "$0"/cache/*' "$ROOT"
try manifest     cat "$ROOT/runs/x/manifest.json"
try scores       sh -c 'cat "$0"/runs/x/scores/D/*/*' "$ROOT"
try above        sh -c 'cat ../../../scores/D/*/*'
try works        sh -c 'ls ../..'
try siblings     sh -c 'cat ../../*/*/train.txt'
# Root may read what memory holds by another right (CAP_PERFMON).
[ "$(id -u)" = 0 ] || try environment cat /proc/$PPID/environ
try open-files   readlink /proc/$PPID/fd/0
try root         cat "/proc/$PPID/root/$ROOT/data/d.txt"
try directory    ls /proc/$PPID/cwd/
try memory       sh -c ': < /proc/$0/mem' $PPID
try written      sh -c ': > "$0/written"' "$ROOT"
try appended     sh -c 'echo 1 >> "$0/runs/x/tables.md"' "$ROOT"
try made         mkdir "$ROOT/made"
try beside       sh -c ': > ../beside'
try cut          truncate -s 0 "$ROOT/victim"
try removed      rm "$ROOT/victim"
try device       mknod disk b 254 0
try temporary    sh -c ': > /tmp/of-a-command-$0 && rm /tmp/of-a-command-$0' $$
try shared       sh -c ': > /dev/shm/of-a-command-$0 && rm /dev/shm/of-a-command-$0' $$
[ -n "$FIVEFOLD_DATA$FIVEFOLD_CACHE$OLDPWD" ] && echo told >> got
[ "$HOME" = "$(pwd)" ] || echo "home $HOME" >> got
echo fine > "$HOME/own" && mkdir -p a/b && mv own a/b/own && ln -s a/b/own l && cat l > /dev/null && rm -r a || echo no own folder >> got
true
"#;

fn reaching(params: &str) -> TempDir {
    let folder = case(params, "");
    let root = folder.path().canonicalize().unwrap();
    // The kernel blocks signals only since Linux 6.12.
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let numbers: Vec<u32> = release.split('.').filter_map(|part| part.parse().ok()).collect();
    let signal = if numbers >= vec![6, 12] { "try signal kill -0 $PPID" } else { "" };
    let script = format!("ROOT='{}'\n{REACH}\n{signal}\ntrue", root.display());
    let scoring = "\nif [ -s got ]; then cat got >&2; exit 9; fi\nsed 's/.*/1/' \"$2\" > \"$3\"\n";
    fs::write(folder.path().join("rank.sh"), script + scoring).unwrap();
    fs::write(folder.path().join("victim"), "precious").unwrap();
    fs::write(folder.path().join("movable"), "precious").unwrap();
    // Make results and a cache beforehand. The test waits first, because text that was written just
    // now is not cached.
    let (ours, plain) = (r#""rank.sh", "{train}", "{test}", "{scores}""#, r#""-c", "sed s/.*/1/ {test} > {scores}""#);
    fs::write(folder.path().join("plain.toml"), experiment("rank.sh", "").replace(ours, plain)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2100));
    stdout(folder.path(), "run plain.toml --cache cache");
    folder
}

#[test]
fn a_confined_command_reaches_its_own_folder_alone() {
    if !confines() {
        return;
    }
    let folder = reaching("");
    let at = folder.path();
    let before = content(&at.join("data"));
    let output = fivefold(at)
        .args("run x.toml --cache cache --threads 2".split_whitespace())
        .env("FIVEFOLD_DATA", at.join("data"))
        .env("FIVEFOLD_CACHE", at.join("cache"))
        .env("OLDPWD", at)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(content(&at.join("data")), before);
    assert_eq!(fs::read_to_string(at.join("victim")).unwrap(), "precious");
    assert!(!at.join("written").exists() && !at.join("made").exists());
    let manifest = fs::read_to_string(at.join("runs/x/manifest.json")).unwrap();
    assert!(!manifest.contains("unconfined") && !manifest.contains("confine"), "nothing tells of it");
}

/// The same script without confinement reaches these things. So the script can tell the difference.
#[test]
fn an_unconfined_command_reaches_data_and_every_form_says_so() {
    let stamp =
        "UNCONFINED: ranker theirs could read and write all that its user may, data, other folds and results included";
    for (params, option, why) in [
        ("", " --unconfined", "the operating system of the run could not confine the program"),
        ("confine = false", "", "`confine = false`"),
    ] {
        let folder = reaching(params);
        let at = folder.path();
        let reached = failure(at, &format!("run x.toml --cache cache{option}"));
        for what in ["\ndata\n", "linked", "hard-linked", "cached", "manifest", "written", "open-files", "root"] {
            assert!(reached.contains(what), "{what}: {reached}");
        }
        assert!(!reached.contains("told") && !reached.contains("home"), "{reached}");
        fs::write(at.join("rank.sh"), "sed 's/.*/1/' \"$2\" > \"$3\"\n").unwrap();
        let output = run(at, &format!("run x.toml{option}"));
        let (shown, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let stamp = format!("{stamp} ({why})");
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line(&shown).contains(&stamp) && one_line(&said).contains(&stamp), "{shown}{said}");
        let folder = at.join("runs/x");
        let told = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
        for file in ["tables.md", "tables.json"] {
            // Markdown escapes some characters with a backslash.
            assert!(told(file).replace('\\', "").contains(&stamp), "{file}: {}", told(file));
        }
        assert!(told("report.html").contains("UNCONFINED: ranker theirs could read and write"));
        let manifest: Value = serde_json::from_str(&told("manifest.json")).unwrap();
        let job = manifest["jobs"].as_array().unwrap().iter().find(|job| job["id"] == "D/fold2/theirs").unwrap();
        assert_eq!(job["unconfined"], serde_json::json!(["files", "truncation", "network"]));
        stdout(at, "verify runs/x");
        assert!(one_line(&stdout(at, "compare runs/x --measure ndcg@5 --trials 3")).contains(&stamp));
        // If the line is taken out of the record, `verify` notices it.
        let record = folder.join("jobs/D/fold2/theirs.json");
        let text = fs::read_to_string(&record).unwrap();
        let start = text.find("  \"unconfined\"").unwrap();
        let end = start + text[start..].find("],\n").unwrap() + 3;
        fs::write(&record, format!("{}{}", &text[..start], &text[end..])).unwrap();
        assert!(String::from_utf8_lossy(&run(at, "verify runs/x").stdout).contains("`unconfined`"));
    }
}

#[test]
fn what_ran_unconfined_is_done_again_where_it_can_be_confined() {
    if !confines() {
        return;
    }
    let folder = case("", "");
    let at = folder.path();
    stdout(at, "run x.toml --unconfined");
    assert_eq!(json(at, "run x.toml --unconfined --json")["reused"], 10);
    let why = stdout(at, "run x.toml --explain-cache");
    assert!(why.contains("5 jobs, because the program was not confined as it would be now"), "{why}");
    let again = json(at, "run x.toml --json");
    assert_eq!((&again["reused"], &again["done"]), (&5.into(), &5.into()));
    assert_eq!(again["stamps"], serde_json::json!([]));
    // A confined result is also valid for an unconfined run.
    let other = json(at, "run x.toml --unconfined --json");
    assert_eq!((&other["reused"], &other["stamps"]), (&10.into(), &serde_json::json!([])));
    let fresh = directory(&[]);
    crate::harness::copy(at, fresh.path());
    fs::remove_dir_all(fresh.path().join("runs")).unwrap();
    stdout(fresh.path(), "run x.toml");
    crate::harness::assert_same_content(&at.join("runs/x"), &fresh.path().join("runs/x"));
}

#[test]
fn what_the_experiment_allows_is_never_data_cache_or_results() {
    let folder = case("", "");
    let at = folder.path();
    fs::create_dir(at.join("more")).unwrap();
    fs::create_dir(at.join("cache")).unwrap();
    std::os::unix::fs::symlink("../data", at.join("more/link")).unwrap();
    stdout(at, "run x.toml --cache cache");
    let refused = |key: &str, path: &str| {
        fs::write(at.join("x.toml"), experiment("rank.sh", &format!("{key} = [{path:?}]"))).unwrap();
        let said = stderr(at, "run x.toml --cache cache", 2);
        said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
    };
    for key in ["read", "write"] {
        for (path, words) in [
            ("data", "which holds"),
            ("data/d.txt", "which holds"),
            ("more/link", "which holds"),
            (".", "which holds"),
            ("/", "which holds"),
            ("runs", "which holds"),
            ("runs/x/scores", "which lies in"),
            ("cache", "which holds"),
            ("nowhere", "which cannot be found"),
        ] {
            let said = refused(key, path);
            assert!(said.contains(&format!("ranker theirs is given `{path}`, {words}")), "{said}");
        }
    }
    fs::write(at.join("x.toml"), experiment("rank.sh", "confine = false\nnetwork = true")).unwrap();
    assert!(stderr(at, "run x.toml", 2).contains("`network` has no effect beside `confine = false`"));
}

#[test]
fn what_the_experiment_allows_is_reached_and_counts_for_the_key() {
    if !confines() {
        return;
    }
    let outside = directory(&[("weights.txt", "1\n")]);
    let place: PathBuf = outside.path().canonicalize().unwrap();
    let script = format!(
        "cat '{0}/weights.txt' > /dev/null || echo unread >> got\n(: > '{0}/new') 2> /dev/null && echo written >> got\n",
        place.display()
    );
    let folder = case(&format!("read = [{place:?}]"), &script);
    let at = folder.path();
    let first = json(at, "run x.toml --json");
    assert_eq!((&first["failed"], &first["stamps"]), (&serde_json::json!([]), &serde_json::json!([])));
    fs::write(at.join("x.toml"), experiment("rank.sh", "")).unwrap();
    let unread = failure(at, "run x.toml");
    assert!(unread.contains("unread") && unread.contains("`read = [...]` under [ranker.params]"), "{unread}");
    fs::write(at.join("x.toml"), experiment("rank.sh", &format!("write = [{place:?}]\nnetwork = true"))).unwrap();
    fs::write(at.join("rank.sh"), format!("echo 1 >> '{}/new'; sed 's/.*/1/' \"$2\" > \"$3\"\n", place.display()))
        .unwrap();
    let stamps = json(at, "run x.toml --json")["stamps"].clone();
    let expected = "UNCONFINED: ranker theirs could use the network (`network = true`) and write to places that its jobs share (`write`)";
    assert_eq!(stamps, serde_json::json!([expected]));
    assert_eq!(fs::read_to_string(place.join("new")).unwrap().lines().count(), 5);
}

/// denoland/deno #2738, yarrick/iodine #133. The guard and the run read and write in a folder in
/// which the program can make any file, link or pipe.
#[test]
fn links_and_pipes_that_a_command_leaves_are_not_followed() {
    let victim = "runs/x/jobs/D/fold1/linear.json";
    for option in ["", " --unconfined"] {
        for (name, make) in
            [("end.json", "ln -s"), ("room", "ln -s"), ("stderr.txt", "ln -sf"), ("stdout.txt", "ln -sf")]
        {
            let folder = case("", &format!("rm -f {name}; {make} \"$(cat where)\" {name}; echo said >&2; exit 3"));
            let at = folder.path();
            let toml = experiment("rank.sh", "").replace("files = [\"rank.sh\"]", "files = [\"rank.sh\", \"where\"]");
            fs::write(at.join("x.toml"), toml).unwrap();
            fs::write(at.join("where"), at.join("precious").to_str().unwrap()).unwrap();
            fs::write(at.join("precious"), "secret").unwrap();
            let failure = failure(at, &format!("run x.toml{option}"));
            assert!(failure.contains("exit status: 3") && !failure.contains("secret"), "{name}: {failure}");
            assert_eq!(fs::read_to_string(at.join("precious")).unwrap(), "secret", "{name}");
            assert!(at.join(victim).exists());
            for (file, bytes) in content(&at.join("runs")) {
                assert!(!bytes.windows(6).any(|bytes| bytes == b"secret"), "{file}");
            }
        }
        for name in ["end.json", "room", "stderr.txt", "stdout.txt", "scores.txt"] {
            let folder = case("", &format!("rm -f {name}; mkfifo {name}; exit 3"));
            assert!(failure(folder.path(), &format!("run x.toml{option}")).contains("exit status: 3"), "{name}");
        }
        // In place of the score file, there is a link to other scores, a pipe or a folder.
        for (make, what) in
            [("ln -s \"$1\" \"$3\"", "a symbolic link"), ("mkfifo \"$3\"", "a pipe"), ("mkdir \"$3\"", "a folder")]
        {
            let folder = case("", &format!("{make}; exit 0"));
            let failure = failure(folder.path(), &format!("run x.toml{option}"));
            assert!(failure.starts_with("scores.txt: cannot be read: is ") && failure.contains(what), "{failure}");
        }
    }
}

#[test]
fn a_file_beyond_the_limit_and_a_crash_are_told() {
    let folder = case("output_limit = \"1MiB\"", "exec head -c 3000000 /dev/zero > big");
    let long = failure(folder.path(), "run x.toml");
    assert!(long.contains("wrote more than 1.0 MiB into its folder and was stopped"), "{long}");
    let folder = case("", "ulimit -c > limit; [ \"$(cat limit)\" = 0 ] || echo core >> got");
    assert_eq!(failure(folder.path(), "run x.toml"), "");
}

/// Tests TCP in Python, if Python is installed. Python may be found through shims and `env`
/// (nolabs-ai/nono #1393, unslothai/unsloth #7248).
#[test]
fn the_network_is_closed_and_python_runs_confined() {
    let there = std::process::Command::new("python3").args(["-c", ""]).status();
    if !there.is_ok_and(|status| status.success()) {
        return skipped("no python3");
    }
    if !confines() {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = r#"
import json, os, random, socket, ssl, sys, tempfile
try:
    socket.create_connection(("127.0.0.1", PORT), 5)
    reached = 1
except OSError:
    reached = 0
with tempfile.TemporaryFile() as f:
    f.write(b"x")
with open(sys.argv[2], "w") as out:
    for _ in open(sys.argv[1]):
        print(reached, file=out)
"#;
    for (params, expected) in [("", "0.0"), ("network = true", "1.0")] {
        // A shell script starts Python, which is a common way.
        let folder = case(params, "");
        fs::write(folder.path().join("net.py"), script.replace("PORT", &port.to_string())).unwrap();
        fs::write(folder.path().join("rank.sh"), "python3 net.py \"$2\" \"$3\"\n").unwrap();
        let toml = experiment("rank.sh", params).replace("files = [\"rank.sh\"]", "files = [\"rank.sh\", \"net.py\"]");
        fs::write(folder.path().join("x.toml"), toml).unwrap();
        assert_eq!(failure(folder.path(), "run x.toml"), "", "{params}");
        let scores = fs::read_to_string(folder.path().join("runs/x/scores/D/fold1/theirs.txt")).unwrap();
        assert_eq!(scores.lines().next(), Some(expected), "{params}");
    }
}
