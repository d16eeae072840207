//! All commands of fivefold, with one more ranker.

use std::process::ExitCode;

use example_ranker::ExampleRanker;

fn main() -> ExitCode {
    fivefold::main_with(fivefold::builtin().with::<ExampleRanker>())
}
