//! Wall and CPU time of a stretch of work, and numbers from files.

use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::Result;

/// A stretch of work that has begun.
pub struct Clock {
    wall: Instant,
    cpu: f64,
}

impl Clock {
    pub fn start() -> Result<Self> {
        Ok(Clock { wall: Instant::now(), cpu: cpu_seconds()? })
    }

    /// Seconds of wall and of CPU time since the start.
    pub fn stop(self) -> Result<(f64, f64)> {
        Ok((self.wall.elapsed().as_secs_f64(), cpu_seconds()? - self.cpu))
    }
}

/// Wall and CPU seconds of short work, as the mean of 10 runs, since the system counts CPU time by
/// ticks of some milliseconds.
pub fn often(mut work: impl FnMut() -> Result<()>) -> Result<(f64, f64)> {
    const TIMES: u32 = 10;
    let clock = Clock::start()?;
    for _ in 0..TIMES {
        work()?;
    }
    let (wall, cpu) = clock.stop()?;
    Ok((wall / f64::from(TIMES), cpu / f64::from(TIMES)))
}

/// CPU time of all threads so far. A thread that has ended is not counted, so work must stay in its
/// pool.
fn cpu_seconds() -> Result<f64> {
    let mut nanoseconds = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += text.split_whitespace().next().unwrap_or_default().parse::<f64>()?;
    }
    Ok(nanoseconds / 1e9)
}

/// The f64 numbers of a file, little endian.
pub fn floats(path: &Path) -> Result<Vec<f64>> {
    let bytes = fs::read(path)?;
    Ok(bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
}
