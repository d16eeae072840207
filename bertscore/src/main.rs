//! The program `fivefold-bertscore`.

use clap::Parser as _;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(fivefold_bertscore::run(&fivefold_bertscore::Options::parse()))
}
