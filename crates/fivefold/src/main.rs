//! The `fivefold` program: the command line with the built-in rankers.

fn main() -> std::process::ExitCode {
    fivefold::main_with(fivefold::builtin())
}
