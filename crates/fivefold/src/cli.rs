//! The command line: the options common to all commands, and exit codes.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, Parser};
use fivefold_core::Registry;
use fivefold_results::config::Bytes;
use fivefold_results::program;

use crate::cluster::in_allocation;
use crate::commands::Command;
use crate::format::{TABLES_IN_FOLDER, VALUES_IN_FOLDER};
use crate::interrupt::TRY_AGAIN;
use crate::screen::{Screen, tell_report};
use crate::{memory, old_words, problem, trec_eval_options};

/// The exit code of a request that cannot be done.
const USER_ERROR: u8 = 2;

/// Learning-to-rank experiments: train on five folds, score under original and UE-normalised
/// measures, print the tables of Feng & Karmaker (IPM 2023).
#[derive(Parser)]
#[command(version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:
  fivefold run quickstart            every table of the paper on synthetic data, in about a minute
  fivefold run mq2008                train on the five folds of a real collection
  fivefold eval --data test.txt --scores s.txt --measures ndcg@10,ap
  fivefold measures ndcg             what a number means and where it comes from

Exit codes: 0 success, 1 a job or check failed, 2 the request cannot be done, 70 a bug, 130 stopped by \
Ctrl-C, 143 by SIGTERM; within a job of Slurm, 75 stopped or busy: try again.")]
struct Common {
    /// When to use colours; `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,

    /// Memory for data and running jobs, such as 6GiB. Larger data are refused, and fewer jobs run
    /// at a time if necessary; no result depends on the limit [default: three quarters of the
    /// memory]
    #[arg(long, global = true, value_name = "SIZE")]
    memory: Option<Bytes>,
}

/// Parses the arguments and runs the command.
pub(crate) fn run(registry: &Registry) -> u8 {
    let arguments: Vec<OsString> = program::arguments();
    let colour = colour_asked(&arguments);
    let forced = match colour {
        ColorChoice::Always => Some(true),
        ColorChoice::Never => Some(false),
        ColorChoice::Auto => None,
    };
    problem::install(forced);
    let arguments = old_words::replace(arguments);
    let (command, common) = match parse(colour, &arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            let printed = print(&error, colour).and_then(|()| std::io::stdout().flush());
            if let Err(unwritten) = printed
                && unwritten.kind() != std::io::ErrorKind::BrokenPipe
                && !error.use_stderr()
            {
                tell_report(&unwritable(&unwritten));
                return USER_ERROR;
            }
            return u8::try_from(error.exit_code()).unwrap_or(USER_ERROR);
        }
    };
    memory::set_budget(common.memory);
    let mut screen = Screen::new(forced);
    let result = command.run(registry, &mut screen);
    let written = screen.finish();
    let result = result.and_then(|outcome| match written {
        Ok(()) => Ok(outcome),
        Err(error) => Err(unwritable(&error)),
    });
    result.map_or_else(
        |report| {
            tell_report(&report);
            // There may be room when the scheduler begins the task again.
            let is_passing = in_allocation() && problem::is_of_full_disk(&report);
            if is_passing { TRY_AGAIN } else { USER_ERROR }
        },
        u8::from,
    )
}

/// Prints an error, or the help or version for which the user asked.
fn print(error: &clap::Error, colour: ColorChoice) -> std::io::Result<()> {
    let mut out = std::io::stdout();
    let is_plain = match colour {
        ColorChoice::Always => false,
        ColorChoice::Never => true,
        ColorChoice::Auto => !out.is_terminal() && std::env::var_os("CLICOLOR_FORCE").is_none(),
    };
    if error.use_stderr() || !is_plain {
        return error.print();
    }
    // At once: clap writes each line of a help, since it looks for colours between them.
    out.write_all(error.render().to_string().as_bytes())
}

/// Parses the arguments. Only the command that they name is defined, unless it cannot be parsed: errors
/// are those of the whole command line, with tips.
fn parse(colour: ColorChoice, arguments: &[OsString]) -> Result<(Command, Common), clap::Error> {
    let parsed = |command: clap::Command| -> Result<_, clap::Error> {
        let matches = command.color(colour).try_get_matches_from(arguments)?;
        Ok((Command::from_arg_matches(&matches)?, Common::from_arg_matches(&matches)?))
    };
    let is_help = |error: &clap::Error| {
        use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
        matches!(error.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion)
    };
    match parsed(outline(arguments)) {
        Err(error) if !is_help(&error) => parsed(command()).map_err(|error| with_tips(error, &command(), arguments)),
        result => result,
    }
}

fn unwritable(error: &std::io::Error) -> miette::Report {
    problem::Problem::new(format!("cannot write to standard output: {error}")).into()
}

/// The whole command line, for completion scripts and errors.
pub(crate) fn command() -> clap::Command {
    Command::add(Common::command(), |_| true, |command, complete| complete(command))
}

/// The part of the command line that these arguments need. The options of a command are defined when it is
/// named: to define those of all commands takes longer than some commands take.
fn outline(arguments: &[OsString]) -> clap::Command {
    let words: Option<Vec<&str>> = arguments.iter().skip(1).map(|word| word.to_str()).collect();
    let first = arguments.get(1).and_then(|word| word.to_str());
    // The version is printed before a command is looked for.
    let is_version = matches!(first, Some("--version" | "-V"));
    // Options, and the help that clap adds, can name any command later.
    let named = first.filter(|word| !word.starts_with('-') && *word != "help");
    let is_asked = |name: &str| !is_version && named.is_none_or(|named| named == name);
    // A help of all commands has no need of the common options in each of them.
    let is_help = matches!(words.as_deref(), Some([] | ["--help" | "-h"]));
    let common = Common::command().mut_args(|option| if is_help { option.global(false) } else { option });
    Command::add(common, is_asked, clap::Command::defer)
}

/// The command that the arguments name.
fn subcommand_of<'c>(command: &'c clap::Command, arguments: &[OsString]) -> Option<&'c clap::Command> {
    arguments.iter().skip(1).filter_map(|word| word.to_str()).find_map(|word| command.find_subcommand(word))
}

/// Returns the error, with a tip for an option that users know from elsewhere.
fn with_tips(error: clap::Error, command: &clap::Command, arguments: &[OsString]) -> clap::Error {
    of_trec_eval(with_forms(error, command, arguments), command, arguments)
}

/// Adds a tip if the error refuses an option of trec_eval.
fn of_trec_eval(mut error: clap::Error, command: &clap::Command, arguments: &[OsString]) -> clap::Error {
    let is_eval = subcommand_of(command, arguments).is_some_and(|own| own.get_name() == "eval");
    let refused = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(refused)) if is_eval && error.kind() == ErrorKind::UnknownArgument => refused,
        _ => return error,
    };
    if let Some(tip) = trec_eval_options::tip(refused.split(['=', ' ']).next().unwrap_or(refused)) {
        // An option with a similar name has another meaning.
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Options that ask for a form of output. Not every command has them.
const FORMS: [&str; 7] = ["--format", "--csv", "--md", "--markdown", "--latex", "--tex", "--text"];

/// Returns the error. If the error refuses a form of output, the function adds a tip. The tip says
/// which forms the command prints, and where the user finds the other forms.
fn with_forms(mut error: clap::Error, command: &clap::Command, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(refused)) = error.get(ContextKind::InvalidArg) else { return error };
    let asks = refused.split(['=', ' ']).next().is_some_and(|option| FORMS.contains(&option));
    let Some(subcommand) = subcommand_of(command, arguments) else { return error };
    let name = subcommand.get_name();
    // A hidden `--format` is a second spelling of `--json`.
    let shown = |argument: &&clap::Arg| !argument.is_hide_set();
    let has = |long: &str| subcommand.get_arguments().filter(shown).any(|own| own.get_long() == Some(long));
    let refused =
        error.kind() == ErrorKind::UnknownArgument || (error.kind() == ErrorKind::InvalidValue && !has("format"));
    if !refused || !asks {
        return error;
    }
    let is_in = |group: &str| subcommand.get_groups().any(|own| own.get_id() == group);
    let tip = match name {
        _ if has("format") => {
            format!("`{name}` takes a form as --format FORM; `fivefold {name} --help` lists the forms")
        }
        _ if is_in(TABLES_IN_FOLDER) || is_in(VALUES_IN_FOLDER) => {
            let json = if has("json") { ", or a summary as JSON with --json" } else { "" };
            let values =
                if is_in(VALUES_IN_FOLDER) { "; per_query.csv there has the values of each query" } else { "" };
            format!(
                "`{name}` prints its tables as text{json}. The results folder (--out DIR) has each table as CSV, Markdown \
                 and LaTeX in tables/{values}. `fivefold report DIR --format csv` prints the tables"
            )
        }
        _ if has("json") => format!("`{name}` prints text, or JSON with --json"),
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// The value of `--color`, needed before the arguments are parsed because errors in them are
/// coloured too.
fn colour_asked(arguments: &[OsString]) -> ColorChoice {
    let words: Vec<&str> = arguments.iter().filter_map(|a| a.to_str()).collect();
    let joined = words.iter().find_map(|word| word.strip_prefix("--color="));
    let separate = words.windows(2).find(|pair| pair[0] == "--color").map(|pair| pair[1]);
    joined.or(separate).and_then(|value| value.parse().ok()).unwrap_or(ColorChoice::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_of_tables_in_a_folder_says_where_other_forms_are() {
        let command = command();
        let refused = |name: &str| {
            let arguments = ["fivefold", name, "--csv"].map(OsString::from);
            let error = command.clone().try_get_matches_from(&arguments).unwrap_err();
            with_forms(error, &command, &arguments).to_string()
        };
        let told = |name: &str, values: bool| {
            let text = refused(name);
            assert!(text.contains("has each table as CSV"), "{name}: {text}");
            assert_eq!(text.contains("per_query.csv there"), values, "{name}: {text}");
        };
        told("run", true);
        let command_of = |kind: &'static str| if kind == "ratings" { "correlate" } else { kind };
        fivefold_studies::STUDIES.iter().for_each(|study| told(command_of(study.kind), false));
        assert!(!refused("make").contains("results folder"));
    }

    /// The options in the usage of trec_eval 10.0, in its order (`getopt_long` of trec_eval.c):
    /// `eval` takes each, or names what to use.
    #[test]
    fn eval_knows_each_option_of_trec_eval() {
        const SHORT: &str = "hvqmclnDJNMRToZ";
        const LONG: &str = "help version query_eval_wanted measure complete_rel_info_wanted level_for_rel nosummary \
            Debug_level Judged_docs_only Number_docs_in_coll Max_retrieved_per_topic Rel_info_format Results_format \
            Output_old_results_format Zscore";
        let command = command();
        let short = SHORT.chars().map(|letter| format!("-{letter}"));
        for option in short.chain(LONG.split_whitespace().map(|word| format!("--{word}"))) {
            let arguments = ["fivefold", "eval", "--qrels", "q", "--runs", "r", &option, "1"].map(OsString::from);
            let error = match command.clone().try_get_matches_from(&arguments) {
                Ok(_) => continue,
                Err(error) => with_tips(error, &command, &arguments),
            };
            let (kind, text) = (error.kind(), error.to_string());
            let taken = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion].contains(&kind);
            assert!(
                taken || text.contains("of trec_eval") || !text.contains(&format!("'{option}'")),
                "{option}: {text}"
            );
        }
        let of_another = ["fivefold", "measures", "-Z"].map(OsString::from);
        let error = command.clone().try_get_matches_from(&of_another).unwrap_err();
        assert!(!with_tips(error, &command, &of_another).to_string().contains("trec_eval"));
    }

    /// The help and the errors of the outline are those of the whole command line.
    #[test]
    fn the_outline_prints_what_the_whole_command_line_prints() {
        let words: Vec<String> = command().get_subcommands().map(|own| own.get_name().to_owned()).collect();
        let mut lines = vec![vec![], vec!["-h"], vec!["--help"], vec!["--version"], vec!["help"], vec!["--measure"]];
        for word in &words {
            lines.extend([vec![word, "-h"], vec![word, "--help"], vec!["help", word], vec![word, "--no-such"]]);
        }
        lines.extend([vec!["--color", "never", "run", "--help"], vec!["--color=never", "eval", "--no-such"]]);
        lines.extend([vec!["lab", "new", "--help"], vec!["help", "lab", "grade"], vec!["evall"]]);
        let told = |error: clap::Error| (error.kind(), error.to_string());
        for line in lines {
            let arguments: Vec<OsString> = [&["fivefold"], &line[..]].concat().iter().map(OsString::from).collect();
            let whole = command().try_get_matches_from(&arguments).map(|_| ());
            let whole = whole.map_err(|error| told(with_tips(error, &command(), &arguments)));
            assert_eq!(parse(ColorChoice::Never, &arguments).map(|_| ()).map_err(told), whole, "{line:?}");
            assert!(whole.is_err(), "{line:?}");
        }
    }

    /// `--json` and `--format json` mean the same in every command that gives JSON.
    #[test]
    fn json_is_asked_for_in_either_spelling() {
        let command = command();
        let mut commands = 0;
        for subcommand in command.get_subcommands() {
            let argument = |long: &str| subcommand.get_arguments().find(|own| own.get_long() == Some(long));
            let is_json =
                |format: &&clap::Arg| format.get_possible_values().iter().any(|value| value.get_name() == "json");
            let spellings = [argument("json").is_some(), argument("format").filter(is_json).is_some()];
            assert_eq!(spellings[0], spellings[1], "{}", subcommand.get_name());
            commands += usize::from(spellings[0]);
        }
        assert!(commands > 15, "{commands}");
    }
}
