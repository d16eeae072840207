//! Looks at the processes below a process, through `/proc` on Linux: reads their memory, and ends
//! them. On other systems these functions find no processes. There only the process group holds the
//! processes of a program.
//!
//! A process that adopts orphans ([`adopt_orphans`]) is the ancestor of all processes started below
//! it, until it ends. A move to another group or session changes nothing.

/// Makes this process adopt the orphans below it, if the system can.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    // On a kernel that cannot do this, processes that leave the group are not found.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{end_descendants, own_peak, private_memory};

#[cfg(not(target_os = "linux"))]
pub(crate) fn end_descendants(_: u32) {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn private_memory(_: u32) -> u64 {
    0
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn own_peak() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;
    use std::time::Duration;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    /// A process that has not ended.
    #[derive(Debug, Clone, Copy)]
    struct Process {
        id: i32,
        parent: i32,
        group: i32,
    }

    fn all() -> Vec<Process> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let of_entry = |entry: fs::DirEntry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name may contain any character. After the name come state, parent and group.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let ended = matches!(fields.next()?, "Z" | "X");
            let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            (!ended).then_some(Process { id, parent, group })
        };
        entries.flatten().filter_map(of_entry).collect()
    }

    /// The processes for which `is_root` holds, and all their descendants.
    fn family(is_root: impl Fn(&Process) -> bool) -> Vec<Process> {
        let mut others = all();
        let mut family: Vec<Process> = others.extract_if(.., |process| is_root(process)).collect();
        let mut known: HashSet<i32> = family.iter().map(|process| process.id).collect();
        loop {
            let children: Vec<Process> = others.extract_if(.., |process| known.contains(&process.parent)).collect();
            if children.is_empty() {
                return family;
            }
            known.extend(children.iter().map(|process| process.id));
            family.extend(children);
        }
    }

    /// Kills all descendants of a process, but not the process itself.
    pub(crate) fn end_descendants(ancestor: u32) {
        // The number of looks is limited, because a process that hangs in a system call ends only
        // when the system lets it go.
        const MOST_LOOKS: usize = 500;
        let Ok(ancestor) = i32::try_from(ancestor) else { return };
        for _ in 0..MOST_LOOKS {
            let left = family(|process| process.parent == ancestor);
            if left.is_empty() {
                return;
            }
            // An error means that the process has already ended.
            for process in left {
                let _ = kill(Pid::from_raw(process.id), Signal::SIGKILL);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The private memory in bytes of a group's processes and their descendants. Pages of mapped
    /// files do not count, because the system can drop them.
    pub(crate) fn private_memory(group: u32) -> u64 {
        let of_process =
            |process: &Process| private_bytes(&fs::read_to_string(format!("/proc/{}/status", process.id)).ok()?);
        family(|process| u32::try_from(process.group) == Ok(group)).iter().filter_map(of_process).sum()
    }

    /// `RssAnon` and `RssShmem` of `/proc/PID/status`, in bytes.
    fn private_bytes(status: &str) -> Option<u64> {
        Some(field(status, "RssAnon:")? + field(status, "RssShmem:").unwrap_or(0))
    }

    fn field(status: &str, name: &str) -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    }

    /// Returns at most the peak of this process's private memory. Pages of mapped files do not
    /// count. All files that are mapped now are taken as fully in memory at the peak, so the result
    /// may be too low.
    pub(crate) fn own_peak() -> Option<u64> {
        let all = field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")?;
        let maps = fs::read_to_string("/proc/self/maps").ok()?;
        Some(all.saturating_sub(maps.lines().filter_map(mapped_file).sum()))
    }

    /// The bytes of a mapped file, from a line of `/proc/PID/maps`. `None` if the line maps no
    /// file.
    fn mapped_file(line: &str) -> Option<u64> {
        let mut fields = line.split_whitespace();
        let (from, to) = fields.next()?.split_once('-')?;
        // The next fields are permissions, offset, device and inode.
        let inode = fields.nth(3)?;
        let place = |text: &str| u64::from_str_radix(text, 16).ok();
        if inode == "0" { None } else { place(to)?.checked_sub(place(from)?) }
    }

    #[cfg(test)]
    mod tests {
        use std::os::unix::process::CommandExt as _;
        use std::process::Command;
        use std::time::Instant;

        use super::*;

        fn patiently(what: &str, mut is_so: impl FnMut() -> bool) {
            let patience = Instant::now() + Duration::from_secs(20);
            while !is_so() {
                assert!(Instant::now() < patience, "{what}");
            }
        }

        #[test]
        fn memory_is_that_of_the_whole_group_and_of_what_has_left_it() {
            let status = "VmRSS:\t  900 kB\nRssAnon:\t     120 kB\nRssFile:\t 700 kB\nRssShmem:\t  80 kB\n";
            assert_eq!(private_bytes(status), Some(200 << 10));
            for script in ["sleep 60 & wait", "setsid sleep 60 & wait"] {
                let mut shell = Command::new("sh").args(["-c", script]).process_group(0).spawn().unwrap();
                let status = format!("/proc/{}/status", shell.id());
                let own = || private_bytes(&fs::read_to_string(&status).unwrap()).unwrap();
                patiently(script, || private_memory(shell.id()) > own());
                end_descendants(shell.id());
                assert!(shell.wait().unwrap().code().is_some(), "it was not killed itself");
                assert_eq!(private_memory(shell.id()), 0);
            }
        }

        #[test]
        fn a_peak_is_remembered_and_mapped_files_are_no_part_of_it() {
            let line = "7f0000000000-7f0000003000 r--s 00000000 08:01 1234 /a b";
            assert_eq!(mapped_file(line), Some(0x3000));
            assert_eq!(mapped_file("7f0000000000-7f0000003000 rw-p 00000000 00:00 0 [heap]"), None);
            let hoard = vec![1u8; 200 << 20];
            assert!(std::hint::black_box(&hoard).iter().step_by(4096).all(|byte| *byte == 1));
            drop(hoard);
            assert!(own_peak().unwrap() > 100 << 20);
        }
    }
}
