//! `--memory`: what the data and the jobs at work may take, and what this machine has.

use fivefold_experiment::config::Bytes;

/// How much memory.
#[derive(clap::Args)]
pub(crate) struct MemoryArgs {
    /// Memory for the data and the jobs at work, such as 6GiB: fewer jobs run at a time if need be; no result depends on
    /// it [default: three quarters of what the machine has]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
}

impl MemoryArgs {
    /// Bytes; `None` where nothing was asked for and the machine does not tell what it has.
    pub(crate) fn budget(&self) -> Option<u64> {
        self.memory.map(|bytes| bytes.0).or_else(|| Some(of_machine()? / 4 * 3))
    }
}

/// The machine's memory, or that of the container where it has less (Linux only).
fn of_machine() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    limits.chain(total(&info)).min()
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total(info: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_tells_its_memory() {
        let info = "MemTotal:       16384 kB\nMemFree:  3 kB\n";
        assert_eq!(total(info), Some(16 << 20));
        assert_eq!(total("MemFree:  3 kB\n"), None);
        if cfg!(target_os = "linux") {
            assert!(of_machine().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
