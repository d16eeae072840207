//! Tests names that are markup, formulas, commands or escape codes in other programs. In every form
//! of output they must be plain text.

use super::{good, refused_with, run};
use crate::harness::directory;
use crate::latex::overfull;

/// Labels that are markup, formulas, commands or paths if they are not escaped.
const LABELS: [&str; 9] = [
    "<script>alert(1)</script>",
    "]]></text><script>",
    "\\input{/etc/passwd} 50% $x$",
    "a|b `c` *d* [e](f)",
    "=cmd()",
    "@SUM(A1)",
    "+1",
    "../../up",
    "CON",
];

fn hostile_run() -> tempfile::TempDir {
    let rankers: String = LABELS
        .iter()
        .map(|label| format!("[[ranker]]\nlabel = {}\nkind = \"random\"\n", serde_json::to_string(label).unwrap()))
        .collect();
    let mut data = String::new();
    for query in 0..12 {
        let id = ["=1+1", "<script>", "\\input{x}", "../x", "%", "$|"]
            .get(query)
            .map_or(format!("q{query}"), |id| (*id).to_owned());
        for row in 0..4 {
            data += &format!("{} qid:{id} 1:{} # =d{row}<b>\n", (query + row) % 3, query * row % 5);
        }
    }
    let experiment = format!(
        "name = \"<i>=x\"\n[[dataset]]\nlabel = \"=data</script>%|\"\npath = \"data.txt\"\nlayout = \"one-file\"\n{rankers}\
         [evaluation]\ncutoffs = [2]\n[query_sets]\nuninformative = 3\nideal = 3\n"
    );
    let folder = directory(&[("x.toml", &experiment), ("data.txt", &data)]);
    let output = run(folder.path(), &["run", "x.toml", "--out", "out"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'));
    folder
}

#[test]
fn labels_and_ids_are_text_in_every_form() {
    let folder = hostile_run();
    let out = folder.path().join("out");
    let mut forms = std::collections::BTreeSet::new();
    for (name, bytes) in crate::harness::content(&out) {
        let part = |part: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.%".contains(&byte);
            !part.starts_with('.') && !part.is_empty() && part.bytes().all(plain)
        };
        assert!(name.split('/').all(part) && !name.contains("/CON."), "{name}");
        let ending = name.rsplit('.').next().unwrap().to_owned();
        let Ok(text) = String::from_utf8(bytes) else { continue };
        match ending.as_str() {
            "tex" => {
                assert!(!text.contains("\\input") && !text.contains("$x$"), "{name}: {text}");
                assert!(!text.contains("50% "), "{name}: a bare % hides the rest of its line");
            }
            // In Markdown, a backslash before the tag makes it text.
            "md" => assert!(
                !text.contains("<script") || text.matches("<script").count() == text.matches("\\<script").count(),
                "{name}"
            ),
            "svg" => {
                assert!(!text.contains("<script"), "{name}");
            }
            // The page contains scripts of its own, and the scripts show data.
            "html" => {
                assert!(!text.contains("<script>alert") && !text.contains("</text><script"), "{name}");
            }
            "csv" if name.starts_with("tables/") || name.starts_with("figures/") => {
                let cells = text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(','));
                for cell in cells {
                    let cell = cell.trim_start_matches('"');
                    let number = cell.parse::<f64>().is_ok();
                    assert!(number || !cell.starts_with(['=', '+', '-', '@']), "{name}: {cell}");
                }
            }
            _ => continue,
        }
        forms.insert(ending);
    }
    assert_eq!(forms.into_iter().collect::<Vec<_>>(), ["csv", "html", "md", "svg", "tex"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "x.toml, data.txt, out, out.log.json");
}

/// Names must be safe in those files of a study that people open. Values per query keep the names
/// unchanged.
#[test]
fn names_of_systems_are_no_formulas() {
    let folder = directory(&[("v.csv", "query,=cmd(),@SUM(A1),-b\nq1,0.1,0.2,0.3\nq2,0.4,0.1,0.9\nq3,0.3,0.5,0.4\n")]);
    let output = run(folder.path(), &["compare", "v.csv", "--out", "out"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut guarded = 0;
    for (name, bytes) in crate::harness::content(&folder.path().join("out")) {
        if !name.ends_with(".csv") {
            continue;
        }
        let text = String::from_utf8(bytes).unwrap();
        for cell in text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(',')) {
            let cell = cell.trim_start_matches('"');
            assert!(cell.parse::<f64>().is_ok() || !cell.starts_with(['=', '+', '-', '@']), "{name}: {cell}");
            guarded += usize::from(cell.starts_with("'=cmd()"));
        }
        assert!(!["scores.csv", "pairs.csv"].contains(&name.as_str()) || text.contains("'=cmd()"), "{name}: {text}");
    }
    assert!(guarded > 5, "{guarded}");
}

#[test]
fn hostile_tables_compile() {
    overfull(&hostile_run().path().join("out"));
}

#[test]
fn what_files_hold_cannot_act_on_a_terminal() {
    let folder = good();
    std::fs::write(
        folder.path().join("act"),
        "1 qid:\u{1b}[2J\u{202e} 1:1\n0 qid:b 1:1\n0 qid:\u{1b}[2J\u{202e} 1:1\n",
    )
    .unwrap();
    refused_with(
        folder.path(),
        "eval --data act --scores scores.txt --measures ap",
        &["act:1:7: found the character U+001B (a control character)"],
    );
    let lint = run(folder.path(), &["lint", "act"]);
    let shown = String::from_utf8(lint.stdout).unwrap();
    assert!(
        shown.contains("act:1:7: found the character U+001B") && !shown.contains(['\u{1b}', '\u{202e}']),
        "{shown}"
    );
    std::fs::write(folder.path().join("act.toml"), "name = \"x\\u001b[2J\"\nseed = 1\n").unwrap();
    refused_with(folder.path(), "run act.toml", &["contains a control character"]);
    std::fs::write(folder.path().join("act.toml"), "name = 'x'\nnmae = '\u{202e}'\n").unwrap();
    for colour in ["always", "never"] {
        let output = run(folder.path(), &["run", "act.toml", "--color", colour]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("\\u{202e}") && !said.contains('\u{202e}'), "{said}");
        assert_eq!(said.contains("\u{1b}["), colour == "always", "{said}");
    }
}
