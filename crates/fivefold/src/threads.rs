//! `--threads`: the number of threads of a command.

use std::env;
use std::num::NonZero;
use std::thread::available_parallelism;

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

/// Whether rayon would give this process one thread. To ask rayon would begin that thread; work on
/// the thread that is there takes less time than work that a second thread does for it.
pub(crate) fn is_single() -> bool {
    let asked = env::var("RAYON_NUM_THREADS").ok().and_then(|number| number.parse().ok());
    match asked {
        None | Some(0) => available_parallelism().is_ok_and(|threads| threads == NonZero::<usize>::MIN),
        Some(threads) => threads == 1,
    }
}
