//! Tests help, lists, and the ways in which the program ends.

use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::harness::{directory, json, program, stderr, stdout};

fn here() -> &'static std::path::Path {
    std::path::Path::new(".")
}

/// The list of commands in the help of the program.
fn listed(help: &str) -> &str {
    help.split("Commands:\n").nth(1).unwrap().split("\nOptions:").next().unwrap()
}

/// The help without its list of commands, which the next tests read. So a new command leaves the
/// snapshot as it is.
#[test]
fn help_of_the_program() {
    let help = stdout(here(), "--help");
    assert_snapshot!(help.replace(listed(&help), "  [the commands]\n"));
}

/// A summary takes at most two lines, which begin in one column.
#[test]
fn every_command_is_listed_with_a_summary() {
    let help = stdout(here(), "--help");
    let lines: Vec<&str> = listed(&help).lines().collect();
    let column = lines[0].len() - lines[0].trim_start_matches(|c: char| c == ' ' || c.is_lowercase()).len();
    let mut further = 0;
    for line in lines {
        let (name, summary) = line.split_at(column);
        further = if name.trim().is_empty() { further + 1 } else { 0 };
        assert!(further < 2 && name.ends_with("  ") && line.len() <= 100, "{line}");
        assert!(further > 0 || summary.starts_with(|c: char| c.is_uppercase()), "{line}");
        assert!(!summary.ends_with('.'), "{line}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let help = stdout(here(), "--help");
    let commands: Vec<&str> = listed(&help)
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty())
        .collect();
    assert!(commands.len() > 10, "{commands:?}");
    for command in commands.iter().filter(|command| **command != "help") {
        assert!(stdout(here(), &format!("{command} --help")).contains("Examples:\n  fivefold "), "{command}");
    }
}

#[test]
fn no_command_is_a_user_error_that_shows_help() {
    assert!(stderr(here(), "", 2).contains("Usage: "));
}

#[test]
fn a_wrong_option_is_a_user_error() {
    assert!(stderr(here(), "rankers --jsno", 2).contains("--json"));
}

#[test]
fn a_ranker_is_described_with_its_defaults() {
    assert_snapshot!(stdout(here(), "rankers slow"), @r"
    slow: sleeps 10 ms a step, then uses the first feature
    version 1; at the defaults the seed has no effect

    Parameter  Default  Meaning
    steps      20       how many steps
    ");
}

#[test]
fn an_unknown_ranker_is_a_user_error_with_a_suggestion() {
    assert_snapshot!(stderr(here(), "rankers slwo", 2), @r"
    error: there is no ranker `slwo`
    help: did you mean `slow`?
    ");
}

#[test]
fn rankers_as_json() {
    let all = json(here(), "rankers --json");
    let slow = json(here(), "rankers slow --json");
    assert!(all.as_array().unwrap().contains(&slow));
    assert_eq!(slow["parameters"][0], serde_json::json!({"name": "steps", "default": 20, "help": "how many steps"}));
}

#[test]
fn measures_are_explained() {
    let all = json(here(), "measures --json");
    for measure in all.as_array().unwrap() {
        let name = measure["name"].as_str().unwrap();
        assert_eq!(json(here(), &format!("measures {name} --json")), *measure);
        let text = stdout(here(), &format!("measures {name}"));
        assert!(text.contains(measure["source"].as_str().unwrap()), "{name}");
        for parameter in measure["parameters"].as_array().unwrap() {
            assert!(text.contains(parameter["name"].as_str().unwrap()), "{name}");
        }
    }
    assert_snapshot!(stdout(here(), "measures ap"));
    assert!(stderr(here(), "measures nddcg", 2).contains("did you mean `ndcg`?"));
}

#[test]
fn dialects_are_complete_sets_of_conventions() {
    let all = json(here(), "dialects --json");
    let letor4 = json(here(), "dialects letor4 --json");
    assert!(all.as_array().unwrap().contains(&letor4));
    assert_snapshot!(stdout(here(), "dialects letor4"));
    assert!(stderr(here(), "dialects letor", 2).contains("did you mean `letor4`?"));
}

/// `replay` counts the printed cells that follow from the printed scores, and the printed cells
/// that do not.
#[test]
fn the_paper_is_replayed() {
    let tables = json(here(), "replay --format json");
    let differing = tables.as_array().unwrap().iter().find(|table| table["id"] == "replay-not-following").unwrap();
    assert_eq!(differing["rows"].as_array().unwrap().len(), 10);
    assert!(stdout(here(), "replay").contains("Printed cells by verdict"));
    assert!(stderr(here(), "replay no-such.toml", 2).contains("no-such.toml"));
}

/// Printed tables can come from a folder, or from one file with both parts. Mistakes are underlined
/// in their file.
#[test]
fn printed_tables_of_ones_own_are_replayed() {
    let shipped = |name: &str| {
        let path = format!("{}/../published/feng-karmaker-2023/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let (scores, derived) = (shipped("scores.toml"), shipped("derived.toml"));
    let broken = derived.replacen("kendall_tau", "kendal_tau", 1);
    let files = [
        ("scores.toml", scores.as_str()),
        ("derived.toml", &derived),
        ("both.toml", &format!("{scores}\n{derived}")),
        ("broken.toml", &format!("{scores}\n{broken}")),
    ];
    let folder = directory(&files);
    let shown = stdout(folder.path(), "replay");
    assert_eq!(stdout(folder.path(), "replay ."), shown);
    assert_eq!(stdout(folder.path(), "replay both.toml"), shown);
    assert_snapshot!(stderr(folder.path(), "replay broken.toml", 2));
    assert_snapshot!(stderr(folder.path(), "replay scores.toml", 2));
}

#[test]
fn completion_scripts_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(stdout(here(), &format!("completions {shell}")).contains("rankers"), "{shell}");
    }
}

/// As in `fivefold rankers | head`, with a reader that ends at once.
#[test]
fn a_closed_standard_output_is_no_failure() {
    let mut child = Command::new(program())
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]));
}

/// As in `fivefold run ... 2>&1 | head`.
#[test]
fn a_closed_standard_error_is_no_failure_either() {
    let mut child =
        Command::new(program()).args(["rankers", "slwo"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn colours_only_when_asked() {
    let plain = stderr(here(), "rankers slwo", 2);
    let coloured = stderr(here(), "--color always rankers slwo", 2);
    assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'));
}

/// Values per query of three systems under two measures.
fn compared() -> tempfile::TempDir {
    let table = |scale: f64| {
        let row = |query: u32| {
            let value = |system: u32| scale * f64::from(30 * (3 - system) + query * (7 + 4 * system) % 23) / 120.0;
            format!("q{query},{},{},{}\n", value(0), value(1), value(2))
        };
        format!("query,A,B,C\n{}", (0..40).map(row).collect::<String>())
    };
    directory(&[("ndcg.csv", &table(1.0)), ("ap.csv", &table(0.5))])
}

#[test]
fn the_overview_in_a_pipe_has_no_colour() {
    let folder = compared();
    let command = "compare ndcg@10=ndcg.csv ap@10=ap.csv --correction holm";
    let piped = stdout(folder.path(), command);
    assert!(!piped.contains('\u{1b}'));
    assert_snapshot!(piped);
    // Colours add nothing but themselves.
    let coloured = stdout(folder.path(), &format!("--color always {command}"));
    let escapes = coloured.split('\u{1b}').skip(1).count();
    let plain: String = coloured
        .split('\u{1b}')
        .enumerate()
        .map(|(i, part)| if i > 0 { part.split_once('m').unwrap().1 } else { part })
        .collect();
    assert!(escapes > 10 && plain == piped, "{coloured}");
    assert_snapshot!(stdout(folder.path(), &format!("{command} --json")));
}
