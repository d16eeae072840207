//! `--memory`: how much memory the data and the running jobs may take, and how much this process
//! can get.

#[cfg(target_os = "linux")]
mod cgroup;

use fivefold_data::memory::{set_memory_budget, set_memory_budget_by};
use fivefold_results::config::Bytes;

/// Sets the memory budget of data and jobs: the size that the user asked for, else three quarters
/// of the available memory. If the system does not tell its memory, there is no budget.
pub(crate) fn set_budget(asked: Option<Bytes>) {
    match asked {
        Some(Bytes(bytes)) => set_memory_budget(bytes),
        None => set_memory_budget_by(|| Some(available()? / 4 * 3)),
    }
}

/// The available memory: the least of the memory of the machine, of the cgroup and of the
/// session (`ulimit`) (Linux only).
fn available() -> Option<u64> {
    of_machine().into_iter().chain(of_session()).min()
}

/// How much is left of this process's limits on address space and data.
fn of_session() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
        let limit = |resource| Some(getrlimit(resource).ok()?.0).filter(|&bytes| bytes != RLIM_INFINITY);
        let most = [Resource::RLIMIT_AS, Resource::RLIMIT_DATA].into_iter().filter_map(limit).min()?;
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        Some(most.saturating_sub(kibibytes(&status, "VmSize:")?))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The memory of the machine, or of the cgroup of this process if that is less (Linux only).
fn of_machine() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let info = std::fs::read_to_string("/proc/meminfo").ok()?;
        cgroup::limit().into_iter().chain(kibibytes(&info, "MemTotal:")).min()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The number of bytes in a line `NAME 12 kB` of a file in `/proc`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_its_memory() {
        let info = "MemTotal:       16384 kB\nMemFree:  3 kB\n";
        assert_eq!(kibibytes(info, "MemTotal:"), Some(16 << 20));
        assert_eq!(kibibytes("MemFree:  3 kB\n", "MemTotal:"), None);
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
