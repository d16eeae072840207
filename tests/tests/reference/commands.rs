//! `reference/commands.md`: every command with its arguments and options.

use crate::page::{code, escaped, head, same, sentence, table};

/// The commands by task. A command that stands nowhere is listed at the end.
const GROUPS: &[(&str, &[&str])] = &[
    ("Experiments", &["run", "report", "verify", "jobs", "job", "reproduce", "replay"]),
    ("On a cluster", &["submit", "status", "resubmit", "cancel"]),
    ("Rankers and models", &["rankers", "new-ranker", "train", "tune", "score", "importance", "export", "import"]),
    ("Evaluating rankings", &["eval", "measures", "dialects", "diff", "explain", "fuse", "rbo"]),
    ("Comparing systems", &["compare", "topics", "correlate", "residual", "standardise", "converge"]),
    ("Data", &["datasets", "lint", "make"]),
    ("Teaching and reading", &["book", "lab", "playground"]),
    ("The command line itself", &["completions"]),
];

/// Options that every command has.
const COMMON: [&str; 3] = ["color", "memory", "help"];

fn row(argument: &clap::Arg) -> Vec<String> {
    let values: Vec<String> = argument.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
    let takes = argument.get_action().takes_values();
    let many = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let value =
        if takes { format!(" <{}>{}", values.join("> <"), if many { "..." } else { "" }) } else { String::new() };
    let name = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}{value}"),
        (None, Some(long)) => format!("--{long}{value}"),
        (Some(short), None) => format!("-{short}{value}"),
        (None, None) => format!("{}{}", values.join(" "), if many { "..." } else { "" }),
    };
    let mut meaning = escaped(&argument.get_help().map(ToString::to_string).unwrap_or_default());
    let shown = argument.get_possible_values();
    let words: Vec<String> =
        shown.iter().filter(|value| !value.is_hide_set()).map(|value| code(value.get_name())).collect();
    if takes && !words.is_empty() {
        meaning += &format!(". One of {}", words.join(", "));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
    if takes && !defaults.is_empty() {
        meaning += &format!(". Default: {}", defaults.join(" "));
    }
    if argument.is_required_set() {
        meaning += ". Required";
    }
    vec![code(&name), meaning]
}

/// A command, and the commands below it. `before` is what stands before its name.
fn of_command(command: &clap::Command, before: &str, level: &str) -> String {
    let name = format!("{before}{}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let mut text = format!("{level} fivefold {name}\n\n{}\n\n```text\n{usage}\n```\n", sentence(&escaped(&about)));
    let shown = |argument: &&clap::Arg| !argument.is_hide_set() && !COMMON.contains(&argument.get_id().as_str());
    let mut headings: Vec<Option<&str>> = Vec::new();
    for argument in command.get_arguments().filter(shown) {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    for heading in headings {
        let own = |argument: &&clap::Arg| shown(argument) && argument.get_help_heading() == heading;
        let rows: Vec<Vec<String>> = command.get_arguments().filter(own).map(row).collect();
        let first = heading
            .map_or_else(|| "argument or option".to_owned(), |heading| format!("{} options", heading.to_lowercase()));
        text += &format!("\n{}", table(&[&first, "meaning"], &rows));
    }
    if let Some(after) = command.get_after_help() {
        let after = after.to_string();
        let mut parts = after.trim().split("\n\n");
        if let Some(examples) = parts.next().and_then(|part| part.strip_prefix("Examples:\n")) {
            let lines: Vec<&str> = examples.lines().map(str::trim).collect();
            text += &format!("\nExamples:\n\n```text\n{}\n```\n", lines.join("\n"));
            for part in parts {
                text += &format!("\n```text\n{}\n```\n", part.trim_end());
            }
        } else {
            text += &format!("\n```text\n{}\n```\n", after.trim_end());
        }
    }
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        text += &format!("\n{}", of_command(below, &format!("{name} "), &format!("{level}#")));
    }
    text
}

#[test]
fn commands() {
    let mut whole = fivefold::command_line();
    whole.build();
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    let intro = "`fivefold help` lists all commands, and `fivefold COMMAND --help` prints what stands here. Commands \
        read [LETOR text](letor.md), [TREC files](trec.md), [values per query](values.md) and results folders. \
        [Exit codes](exit-codes.md) are the same for all commands.";
    let mut text = head("Commands", intro);
    let mut listed = Vec::new();
    let groups: Vec<(&str, Vec<&clap::Command>)> = GROUPS
        .iter()
        .map(|(title, names)| (*title, names.iter().filter_map(|name| whole.find_subcommand(name)).collect()))
        .collect();
    for (title, commands) in &groups {
        text += &format!("\n- **{title}**:");
        for (index, command) in commands.iter().enumerate() {
            let name = command.get_name();
            let comma = if index == 0 { "" } else { "," };
            text += &format!("{comma}\n  [{name}](#fivefold-{name})");
            listed.push(name.to_owned());
        }
    }
    let others: Vec<&clap::Command> = whole
        .get_subcommands()
        .filter(shown)
        .filter(|command| !listed.contains(&command.get_name().to_owned()))
        .collect();
    assert!(
        others.is_empty(),
        "put these commands into a group of tests/tests/reference/commands.rs: {:?}",
        others.iter().map(|command| command.get_name()).collect::<Vec<_>>()
    );
    text += "\n\n## Options of all commands\n\n";
    let common = |argument: &&clap::Arg| COMMON.contains(&argument.get_id().as_str());
    text += &table(&["option", "meaning"], &whole.get_arguments().filter(common).map(row).collect::<Vec<_>>());
    for (title, commands) in &groups {
        text += &format!("\n## {title}\n");
        for command in commands {
            text += &format!("\n{}", of_command(command, "", "###"));
        }
    }
    same("reference/commands.md", &text);
}
