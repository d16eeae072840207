//! `--threads`: how many threads a command uses.

use clap::builder::RangedU64ValueParser;

/// More than any machine has use for; a mistyped number must not exhaust its memory.
const MOST: u64 = 4096;

/// How many threads.
#[derive(clap::Args)]
pub(crate) struct ThreadArgs {
    /// Threads; 0: one a processor. No result depends on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST))]
    pub(crate) threads: usize,
}
