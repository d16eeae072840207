//! `--threads`: the number of threads of a command.

use clap::builder::RangedU64ValueParser;

/// More threads than any machine can use. The limit exists so that a mistyped number does not
/// exhaust the memory.
const MOST: u64 = 4096;

/// How many threads.
#[derive(clap::Args)]
pub(crate) struct ThreadArgs {
    /// Number of threads; 0: a thread for each processor. No result depends on the number
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST))]
    pub(crate) threads: usize,
}
