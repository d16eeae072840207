//! `--memory`: what the data and the jobs at work may take, and what this process can have.

use fivefold_experiment::config::Bytes;

/// Sets what data and jobs may take: what was asked for, else three quarters of what there is, where the system tells it.
pub(crate) fn set_budget(asked: Option<Bytes>) {
    if let Some(bytes) = asked.map(|bytes| bytes.0).or_else(|| Some(available()? / 4 * 3)) {
        fivefold_data::set_memory_budget(bytes);
    }
}

/// The memory of the machine, the container or the session (`ulimit`), whichever has least (Linux only).
fn available() -> Option<u64> {
    of_machine().into_iter().chain(of_session()).min()
}

/// What the address space and the data of this process are limited to.
fn of_session() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
        let limit = |resource| Some(getrlimit(resource).ok()?.0).filter(|&bytes| bytes != RLIM_INFINITY);
        [Resource::RLIMIT_AS, Resource::RLIMIT_DATA].into_iter().filter_map(limit).min()
    }
    #[cfg(not(target_os = "linux"))]
    None
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
