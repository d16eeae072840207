//! A ranker that fails in a chosen way: it panics, hangs, takes all memory, and so on.

use std::io::Write as _;
use std::time::Duration;

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamHelp, QueryView, Ranker};
use serde::{Deserialize, Serialize};

/// A ranker that fails in the way that `how` names.
#[derive(Serialize, Deserialize)]
#[serde(default)]
pub struct Faulty {
    how: How,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum How {
    Panic,
    Nan,
    Hang,
    Memory,
    Spike,
    Abort,
    Overflow,
    Exit,
    Chatter,
}

impl Default for Faulty {
    fn default() -> Self {
        Faulty { how: How::Panic }
    }
}

/// A model that scores by the first feature. If `nan` is true, the first document gets NaN.
#[derive(Serialize, Deserialize)]
pub struct FaultyModel {
    nan: bool,
}

impl Model for FaultyModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        out.iter_mut().zip(query.rows()).for_each(|(score, row)| *score = f64::from(row[0]));
        if self.nan {
            out[0] = f64::NAN;
        }
    }
}

impl Ranker for Faulty {
    const NAME: &'static str = "faulty";
    const SUMMARY: &'static str = "fails as it is told";
    const PARAMS: &'static [ParamHelp] = &[ParamHelp {
        name: "how",
        help: "panic, nan, hang, memory, spike, abort, overflow, exit, or chatter, which is no failure",
    }];
    type Model = FaultyModel;

    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<FaultyModel, FitError> {
        match self.how {
            How::Panic => panic!("faulty on purpose"),
            How::Nan => return Ok(FaultyModel { nan: true }),
            // The loop never asks whether to stop.
            How::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            How::Memory => {
                // The memory is written to, so that the system really provides it. The loop ends,
                // so that the machine survives if the limit is not enforced.
                let mut hoard = Vec::new();
                for _ in 0..200 {
                    hoard.push(vec![1u8; 16 << 20]);
                    std::thread::sleep(Duration::from_millis(5));
                }
                return Err(FitError::Other(format!("nobody stopped it at {} blocks", hoard.len())));
            }
            // The run is paused, so that it does not measure the memory meanwhile.
            How::Spike => {
                signal_the_run("STOP");
                let mut hoard = vec![0u8; 200 << 20];
                hoard.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
                drop(std::hint::black_box(hoard));
                signal_the_run("CONT");
            }
            How::Abort => {
                eprintln!("about to abort");
                std::process::abort()
            }
            How::Overflow => println!("{}", deep(&[0; 4096])),
            How::Exit => std::process::exit(7),
            // The run must not take the output of a ranker for a message of the worker.
            How::Chatter => {
                println!("{{\"Failed\":\"not at all\"}}");
                eprintln!("noise");
                let _ = std::io::stdout().flush();
            }
        }
        Ok(FaultyModel { nan: false })
    }
}

/// Sends a signal to the process that started this one.
fn signal_the_run(name: &str) {
    #[cfg(unix)]
    let _ = std::process::Command::new("kill")
        .args([&format!("-{name}"), &std::os::unix::process::parent_id().to_string()])
        .status();
    #[cfg(not(unix))]
    let _ = name;
}

/// Recurses deeper than any stack. The compiler cannot turn this recursion into a loop.
fn deep(of: &[u64]) -> u64 {
    if of[0] == u64::MAX {
        return 0;
    }
    let mut copy = [0; 4096];
    copy.copy_from_slice(of);
    copy[0] += 1;
    std::hint::black_box(deep(std::hint::black_box(&copy))) + copy[1]
}
