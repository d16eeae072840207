//! The fivefold command line as a library.

/// Built-in rankers.
pub fn builtin() -> fivefold_core::Registry {
    fivefold_core::Registry::default()
}

/// Runs the program.
pub fn main_with(_registry: fivefold_core::Registry) -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
