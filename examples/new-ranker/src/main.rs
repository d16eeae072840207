//! All of fivefold's commands, with one ranker more.

use std::process::ExitCode;

use example_ranker::ExampleRanker;

fn main() -> ExitCode {
    fivefold::main_with(fivefold::builtin().with::<ExampleRanker>())
}
