//! Whether rankers need as much memory as they say: compares `fit_bytes` with the count of an
//! allocator.

use std::fmt;

use super::trial::{SEED, make};
use super::{Case, data};
use crate::{Checkpoints, Dataset, FitContext, RankerEntry, Seed};

/// The largest ratio of estimate and peak, either way.
const FACTOR: f64 = 1.5;
/// How often a fit on several threads is repeated, at most, until its threads overlapped.
const REPEATS: usize = 50;
/// Bytes that no estimate counts: for a thread pool, an error, a name.
const SMALL: f64 = (192 << 10) as f64;

/// One fit: its estimated memory and its measured memory.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The ranker's registered name.
    pub ranker: &'static str,
    /// The parameters of its case.
    pub params: &'static str,
    /// The name of the data.
    pub data: &'static str,
    /// Threads of the pool.
    pub threads: usize,
    /// The estimate, `fit_bytes`.
    pub estimate: u64,
    /// The most bytes that the fit held at a time, in any of its repetitions.
    pub peak: u64,
}

impl Measured {
    /// Whether estimate and peak are within a factor of 1.5 of each other.
    pub fn is_near(&self) -> bool {
        let (estimate, peak) = (self.estimate as f64, self.peak as f64);
        !self.is_above() && peak <= FACTOR * estimate + SMALL
    }

    /// Whether the estimate is too large for the peak.
    fn is_above(&self) -> bool {
        self.estimate as f64 > FACTOR * self.peak as f64 + SMALL
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { ranker, data, threads, estimate, peak, .. } = self;
        let params = self.params.replace('\n', ", ");
        let ratio = *estimate as f64 / (*peak).max(1) as f64;
        write!(f, "{ranker} ({params}), {data}, threads {threads}: estimate {estimate}, peak {peak}, ratio {ratio:.2}")
    }
}

/// Gives a test binary a counting allocator and the function `peak_of`.
///
/// `peak_of(work)` runs `work` and returns the most bytes that were allocated at a time during the
/// work. Bytes that were allocated before do not count. The crate of the test needs `peak_alloc`.
/// No other thread may allocate during the work, so the binary has one test.
#[macro_export]
macro_rules! counting_allocator {
    () => {
        #[global_allocator]
        static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

        fn peak_of(work: &mut (dyn FnMut() + Send)) -> u64 {
            let before = ALLOCATOR.current_usage();
            ALLOCATOR.reset_peak_usage();
            work();
            ALLOCATOR.peak_usage().saturating_sub(before) as u64
        }
    };
}

/// Fails a test if a ranker's `fit_bytes` differs from the peak of its fit by more than a factor of
/// 1.5.
///
/// Each case is fitted with a validation part on wide data (60 documents of 5,000 features) and on
/// long data (24,000 documents of 8 features). Both fits run on one thread and on four. `peak_of`
/// is the function of [`counting_allocator`](crate::counting_allocator), or a similar one.
///
/// The estimate covers the worst order of the threads, in which all of them hold their memory at
/// once. On busy cores the threads may run one after the other. A fit on four threads that stays
/// far below its estimate is therefore repeated, and the largest peak counts.
///
/// # Panics
/// If an estimate is wrong, or a fit fails.
pub fn check_memory(entries: &[RankerEntry], cases: &[Case], peak_of: impl Fn(&mut (dyn FnMut() + Send)) -> u64) {
    let sets = [
        ("60 documents x 5000 features", data::sized(6, 10, 5000, 1), data::sized(3, 10, 5000, 2)),
        ("24000 documents x 8 features", data::sized(800, 30, 8, 3), data::sized(200, 30, 8, 4)),
    ];
    let mut wrong = Vec::new();
    for case in cases {
        let Some(entry) = entries.iter().find(|entry| entry.name == case.name) else {
            panic!("there is a case for `{}`, but no ranker of that name", case.name);
        };
        for (name, train, validation) in &sets {
            for threads in [1, 4] {
                let fit = || {
                    let found = measured(entry, case, (train, validation), threads, &peak_of);
                    found.unwrap_or_else(|error| panic!("`{}` on {name}: {error}", case.name))
                };
                let (estimate, peak) = fit();
                let Case { name: ranker, params, .. } = *case;
                let mut measured = Measured { ranker, params, data: name, threads, estimate, peak };
                for _ in 0..if threads > 1 { REPEATS } else { 0 } {
                    if !measured.is_above() {
                        break;
                    }
                    measured.peak = measured.peak.max(fit().1);
                }
                println!("{measured}");
                if !measured.is_near() {
                    wrong.push(measured.to_string());
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "`fit_bytes` is not within a factor {FACTOR} of the measured memory of a fit:\n{}\n",
        wrong.join("\n")
    );
}

/// Checkpoints that are made ready but not kept.
struct NeverDue;

impl Checkpoints for NeverDue {
    fn load(&self) -> Option<Vec<u8>> {
        None
    }

    fn is_due(&self) -> bool {
        false
    }

    fn save(&self, _: &[u8]) {}
}

/// Estimate and peak of one fit.
fn measured(
    entry: &RankerEntry,
    case: &Case,
    (train, validation): (&Dataset, &Dataset),
    threads: usize,
    peak_of: &impl Fn(&mut (dyn FnMut() + Send)) -> u64,
) -> Result<(u64, u64), String> {
    let ranker = make(entry, case.params)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| format!("the system gives no pool of {threads} threads: {error}"))?;
    let estimate = pool.install(|| ranker.fit_bytes(train, Some(validation)));
    let mut result = Ok(());
    let peak = peak_of(&mut || {
        // A run always has checkpoints.
        let context = FitContext::new(Seed::new(SEED)).with_validation(validation).with_checkpoints(&NeverDue);
        result = pool.install(|| ranker.fit(train, &context)).map(drop);
    });
    result.map_err(|error| error.to_string())?;
    Ok((estimate, peak))
}
