//! The memory limit of the control group (cgroup) that this process is in (Linux).
//!
//! A scheduler or a container gives each job a cgroup. The limit of a process is the least limit on
//! the way from its own cgroup up to the root. `/proc/self/cgroup` names the cgroup, and
//! `/proc/self/mountinfo` says where the tree of cgroups is mounted. Version 2 has one tree, with
//! `memory.max`; version 1 has a tree of its own for memory, with `memory.limit_in_bytes`. A system
//! may mount both.

use std::fs;
use std::path::{Path, PathBuf};

/// A way in which a tree of cgroups tells its limits.
struct Version {
    /// The type of its file system.
    mounted_as: &'static str,
    /// The file with a limit.
    file: &'static str,
}

const V1: Version = Version { mounted_as: "cgroup", file: "memory.limit_in_bytes" };
const V2: Version = Version { mounted_as: "cgroup2", file: "memory.max" };

/// The memory limit of this process in bytes. `None` if the system sets no limit.
pub(super) fn limit() -> Option<u64> {
    let read = |name: &str| fs::read_to_string(Path::new("/proc/self").join(name)).ok();
    limit_in(Path::new("/"), &read("cgroup")?, &read("mountinfo")?)
}

/// The least limit of the cgroups that `groups` names, in the mounts that `mounts` lists below
/// `root`. The two texts are those of `/proc/self/cgroup` and `/proc/self/mountinfo`.
fn limit_in(root: &Path, groups: &str, mounts: &str) -> Option<u64> {
    let of_group = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        let version = match controllers {
            "" => V2,
            several if several.split(',').any(|one| one == "memory") => V1,
            _ => return None,
        };
        let mount = mounts.lines().filter_map(Mount::parse).find(|mount| mount.holds(&version))?;
        mount.least(root, group, version.file)
    };
    groups.lines().filter_map(of_group).min()
}

/// A line of `/proc/self/mountinfo`.
struct Mount<'m> {
    /// The cgroup that is at the mount point.
    group: &'m str,
    /// Where the tree is mounted.
    place: PathBuf,
    file_system: &'m str,
    options: &'m str,
}

impl<'m> Mount<'m> {
    fn parse(line: &'m str) -> Option<Self> {
        let (place, source) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let mut source = source.split(' ');
        Some(Mount {
            group: place.next()?,
            // The kernel writes a blank as its octal number.
            place: place.next()?.replace("\\040", " ").into(),
            file_system: source.next()?,
            options: source.nth(1)?,
        })
    }

    fn holds(&self, version: &Version) -> bool {
        let memory = || self.options.split(',').any(|option| option == "memory");
        self.file_system == version.mounted_as && (version.mounted_as == V2.mounted_as || memory())
    }

    /// The least limit from a cgroup up to the mount point. A cgroup outside the mount counts as the
    /// mount point itself: in a container, the process may be shown by a path of the host.
    fn least(&self, root: &Path, group: &str, file: &str) -> Option<u64> {
        let top = root.join(self.place.strip_prefix("/").unwrap_or(&self.place));
        let inner = Path::new(group).strip_prefix(self.group).ok().filter(|inner| !inner.starts_with(".."));
        let own = inner.map_or_else(|| top.clone(), |inner| top.join(inner));
        let folders = own.ancestors().take_while(|folder| folder.starts_with(&top));
        // "max", which is no number, stands for no limit.
        folders.filter_map(|folder| fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2_MOUNT: &str = "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1_MOUNTS: &str = "40 32 0:35 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
                             41 32 0:36 / /sys/fs/cgroup/memory rw,relatime shared:13 - cgroup cgroup rw,memory\n";

    /// Makes a tree of files, and looks for the limit there.
    fn limit(files: &[(&str, &str)], groups: &str, mounts: &str) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text}\n")).unwrap();
        }
        limit_in(root.path(), groups, mounts)
    }

    /// Slurm with version 2: the job and the step have limits, the task has none.
    #[test]
    fn the_least_limit_on_the_way_to_the_root_holds_in_version_2() {
        let files = [
            ("sys/fs/cgroup/system.slice/memory.max", "max"),
            ("sys/fs/cgroup/system.slice/slurm/job_7/memory.max", "4096"),
            ("sys/fs/cgroup/system.slice/slurm/job_7/step_batch/memory.max", "8192"),
            ("sys/fs/cgroup/system.slice/slurm/job_7/step_batch/user/task_0/memory.max", "max"),
            ("sys/fs/cgroup/system.slice/slurm/job_8/memory.max", "1"),
        ];
        let task = "0::/system.slice/slurm/job_7/step_batch/user/task_0\n";
        assert_eq!(limit(&files, task, V2_MOUNT), Some(4096));
        assert_eq!(limit(&files, "0::/system.slice\n", V2_MOUNT), None);
        assert_eq!(limit(&files, "0::/\n", V2_MOUNT), None);
    }

    #[test]
    fn version_1_has_a_tree_for_memory() {
        let files = [
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/slurm/uid_1/memory.limit_in_bytes", "9223372036854771712"),
            ("sys/fs/cgroup/memory/slurm/uid_1/job_7/memory.limit_in_bytes", "2048"),
            ("sys/fs/cgroup/cpuset/slurm/uid_1/memory.limit_in_bytes", "1"),
        ];
        let groups = "9:cpuset:/slurm/uid_1\n4:cpu,memory:/slurm/uid_1/job_7/step_0\n0::/\n";
        assert_eq!(limit(&files, groups, V1_MOUNTS), Some(2048));
        // Both versions are mounted, and the empty tree of version 2 has no files.
        let both = format!("{V1_MOUNTS}42 32 0:37 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        assert_eq!(limit(&files, groups, &both), Some(2048));
    }

    /// A container sees its own cgroup at the mount point.
    #[test]
    fn a_container_has_the_limit_of_its_mount_point() {
        let inside = [("sys/fs/cgroup/memory.max", "512"), ("sys/fs/cgroup/inner/memory.max", "1024")];
        assert_eq!(limit(&inside, "0::/\n", V2_MOUNT), Some(512));
        assert_eq!(limit(&inside, "0::/inner\n", V2_MOUNT), Some(512));
        assert_eq!(limit(&inside, "0::/../other\n", V2_MOUNT), Some(512));
        let of_host = "41 32 0:36 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let files = [("sys/fs/cgroup/memory/memory.limit_in_bytes", "256")];
        for group in ["/docker/ab", "/docker/ab/inner", "/docker/other", "/"] {
            assert_eq!(limit(&files, &format!("4:memory:{group}\n"), of_host), Some(256), "{group}");
        }
    }

    #[test]
    fn where_nothing_is_mounted_there_is_no_limit() {
        assert_eq!(limit(&[], "0::/a\n4:memory:/b\n", ""), None);
        assert_eq!(limit(&[], "", V2_MOUNT), None);
        assert_eq!(limit(&[], "no colons\n", "no mount\n"), None);
        let blank = V2_MOUNT.replace("/sys/fs/cgroup ", "/with\\040blank ");
        assert_eq!(limit(&[("with blank/memory.max", "7")], "0::/x\n", &blank), Some(7));
    }
}
