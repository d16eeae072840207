//! Tests `fivefold residual`, and `fivefold run` on a study of residual gain.

use crate::harness::{assert_same_content, directory, fivefold, json, real_data, run, stderr, stdout, summary_of};

const QRELS: &str = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 0\n2 0 d 2\n";
const X: &str = "1 Q0 a 1 3.0 x\n1 Q0 b 2 2.0 x\n2 Q0 d 1 1.0 x\n";
const Y: &str = "1 Q0 c 1 3.0 y\n1 Q0 a 2 2.0 y\n";
const STUDY: &str = "name = \"small\"\nkind = \"residual\"\nmeasures = [\"p@2\"]\n[systems]\nqrels = \"qrels.txt\"\n\
                     runs = [\"x.run\", \"y.run\"]\n";

const FILES: [(&str, &str); 4] = [("qrels.txt", QRELS), ("x.run", X), ("y.run", Y), ("small.toml", STUDY)];

#[test]
fn options_and_a_file_say_the_same() {
    let folder = directory(&FILES);
    let options = stdout(folder.path(), "residual --qrels qrels.txt --runs x.run y.run --measure p@2 --out one");
    let file = stdout(folder.path(), "residual small.toml --out two");
    assert_eq!(options, file);
    assert!(options.contains("NRG leave-one-out"), "{options}");
    assert_eq!(stdout(folder.path(), "report one"), options);
    let table = std::fs::read_to_string(folder.path().join("one/tables/p-2-beside.csv")).unwrap();
    assert_eq!(stdout(folder.path(), "report one --table p-2-beside --format csv"), table);
    assert!(stderr(folder.path(), "report one --table p-2-besides", 2).contains("did you mean"));
    stdout(folder.path(), "report one --write new");
    let page = |of: &str| std::fs::read_to_string(folder.path().join(of).join("report.html")).unwrap();
    assert_eq!(page("new"), page("one"));
    assert!(
        page("one").contains("Conventions and policies")
            && page("one").contains("&quot;kind&quot;: &quot;residual&quot;")
    );
    // By hand: after y, x adds nothing to topic 1 and everything to topic 2. After x, y adds the
    // whole rest of topic 1.
    let row = |system: &str| options.lines().find(|line| line.contains(system)).unwrap().to_owned();
    assert!(row("x.run").contains("0.5000") && row("y.run").contains("0.5000"), "{options}");
    // Alone, x has half of topic 1 and all of topic 2. After x, y has the whole rest of topic 1.
    // After y, nothing of topic 1 is left for x.
    let said = summary_of(&folder.path().join("one/report.html"));
    for sentence in [
        "x.run and y.run are the best of 2 systems under p@2 alone (0.5000).",
        "After every earlier system (chronological) x.run adds most (0.7500) and y.run least (0.5000).</li>",
        "After all others (leave-one-out) all systems add the same (0.5000). Nothing was left to add in 1 of 4 queries x systems.",
        "Differences are not tested for significance here.",
    ] {
        assert!(said.contains(sentence), "{sentence}\n{said}");
    }
    for form in ["tables/p-2-residual.csv", "tables/p-2-residual.tex", "figures/p-2-scatter-leave-one-out.svg"] {
        assert!(folder.path().join("one").join(form).is_file(), "{form}");
    }
}

#[test]
fn a_second_run_and_any_number_of_threads_write_the_same_bytes() {
    let folder = directory(&FILES);
    stdout(folder.path(), "run small.toml --threads 1 --out one");
    stdout(folder.path(), "run small.toml --threads 4 --out four");
    assert_same_content(&folder.path().join("one"), &folder.path().join("four"));
    stdout(folder.path(), "run small.toml --out four");
    assert_same_content(&folder.path().join("one"), &folder.path().join("four"));
    let summary = json(folder.path(), "run small.toml --json");
    assert_eq!((summary["kind"].as_str(), summary["folder"].as_str()), (Some("residual"), Some("runs/small")));
    let manifest = std::fs::read_to_string(folder.path().join("one/manifest.json")).unwrap();
    assert!(!manifest.contains(&folder.path().display().to_string()), "{manifest}");
}

#[test]
fn mistakes_are_explained() {
    let folder = directory(&FILES);
    let says = |arguments: &str, words: &str| {
        let message = stderr(folder.path(), arguments, 2);
        assert!(message.contains(words), "{arguments}\n{message}");
    };
    std::fs::write(folder.path().join("wrong.toml"), STUDY.replace("measures", "mesures")).unwrap();
    says("run wrong.toml", "did you mean `measures`?");
    says("run wrong.toml", "mesures = ");
    std::fs::write(folder.path().join("kind.toml"), STUDY.replace("\"residual\"", "\"residul\"")).unwrap();
    says("run kind.toml", "did you mean \"residual\"?");
    says("residual --qrels qrels.txt --runs x.run y.run --measure ap@10", "no sum of gain x discount");
    says("residual --qrels qrels.txt --runs x.run z.run", "there is no z.run");
    says("residual --qrels qrels.txt", "has `qrels` but no `runs`");
    says("residual", "does not say where the systems come from");
    says("residual small.toml --qrels qrels.txt --runs x.run", "cannot be used with");
    says("standardise small.toml", "not a study of kind \"standardise\"");
    says("jobs small.toml", "trains nothing and has no jobs");
    says("run small.toml --only x", "a study has no jobs");
    std::fs::write(folder.path().join("x.run"), format!("{X}2 Q0 d 2 0.5 x\n")).unwrap();
    says("run small.toml", "x.run:4");
}

#[test]
fn the_results_of_something_else_are_not_overwritten() {
    let folder = directory(&FILES);
    std::fs::create_dir(folder.path().join("out")).unwrap();
    let manifest = "{\"format\": \"fivefold-results/1\", \"experiment\": {\"name\": \"x\"}}";
    std::fs::write(folder.path().join("out/manifest.json"), manifest).unwrap();
    let message = stderr(folder.path(), "run small.toml --out out", 2);
    assert!(message.contains("out holds the results of a run of rankers, `x`"), "{message}");
}

#[test]
fn the_shipped_studies_run_on_real_data() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    for name in ["residual-dl19", "residual-mq2008"] {
        let output = fivefold(folder.path()).args(["run", name, "--data-dir"]).arg(&data).output().unwrap();
        assert!(output.status.success(), "{name}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let table = std::fs::read_to_string(folder.path().join("runs/residual-mq2008/tables/ndcg-10-orders.csv")).unwrap();
    assert!(table.contains("NRG leave-one-out,0.0714"), "{table}");
    assert!(run(folder.path(), "run residual-dl19").status.code() == Some(2), "without data");
}
