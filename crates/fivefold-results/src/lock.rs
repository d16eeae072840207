//! `FOLDER/.lock` says which process writes into a results folder.
//!
//! A run, a study and a report hold the lock alone. Single jobs (`fivefold job`) share the lock.
//! The lock is a system lock on an open file, so the lock ends when its owner ends, even if the
//! owner is killed. A `.lock` file that a killed owner left locks nothing.
//!
//! The file names the owner: its process, its host and, on a cluster, its Slurm job. A process of
//! another host is never taken for alive or dead, since its number says nothing on this host. The
//! system lock alone decides.
//!
//! Readers need no lock. Every file appears whole, and a reader refuses values that do not fit the
//! manifest, such as the values of an unfinished run.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fivefold_data::input;

use crate::claims::{self, HeldClaim, has_no_locks};
pub use crate::claims::{LockMode, host};
use crate::program;
use crate::store::StoreError;

/// Name of the file in a locked results folder.
pub(crate) const LOCK: &str = ".lock";

/// The most bytes that are read: the file holds the words of a command line.
const LONGEST: u64 = 4 << 20;

/// How long to wait for an owner that may be about to let go. Two kinds of owner may let go soon.
/// The last of several owners holds the folder alone while it removes the file. A process that a
/// killed owner was starting keeps the open file for a moment.
///
/// Nobody waits for a living owner that has signed as the only owner, because such an owner removes
/// its name before it lets go.
const PATIENCE: Duration = Duration::from_secs(1);

/// A results folder that a process holds. Dropping the value lets go of the folder.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    folder: PathBuf,
    mode: LockMode,
    /// Stands in place of the lock if the file system has no locks.
    claim: Option<HeldClaim>,
    /// Whether the folder was made for the lock.
    made: bool,
    warning: Option<String>,
}

impl FolderLock {
    /// Takes hold of a folder. The folder is made if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::InUse`] if another process holds the folder. [`StoreError::Io`] if the folder
    /// cannot be made or written.
    pub fn take(folder: &Path, mode: LockMode) -> Result<Self, StoreError> {
        let path = folder.join(LOCK);
        let refused = |action, path: &Path| {
            let path = path.to_owned();
            move |source| StoreError::Io { action, path, source }
        };
        let mut made = false;
        let begun = Instant::now();
        loop {
            if !folder.is_dir() {
                fs::create_dir_all(folder).map_err(refused("make", folder))?;
                made = true;
            }
            // A link is not followed, because its target belongs to somebody else and would be
            // written over.
            let mut options = File::options();
            let opened = input::edit_own(&path, options.read(true).write(true).create(true).truncate(false));
            let file = match opened {
                // Another process made the folder for its lock, wrote nothing, and has already
                // removed the folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.is_dir() => continue,
                opened => opened.map_err(refused("write", &path))?,
            };
            let Some((claim, warning)) = hold(&file, folder, mode)? else {
                let owner = Owner::of(&path);
                if begun.elapsed() < PATIENCE && !owner.stays {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                }
                return Err(StoreError::InUse { folder: folder.to_owned(), by: owner.words });
            };
            // Between opening and locking, the last owner may have removed the file: then nobody
            // would see this lock.
            if is_file_at(&file, &path) {
                let mut lock = FolderLock { file, folder: folder.to_owned(), mode, claim, made, warning };
                lock.sign().map_err(refused("write", &path))?;
                return Ok(lock);
            }
            claim.into_iter().for_each(|claim| claim.release(|| ()));
        }
    }

    /// What protects the folder if its file system has no locks, or why nothing does. `None` if the
    /// lock holds.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Removes the file, and the folder that was made for it.
    fn remove(&self) {
        let _ = fs::remove_file(self.folder.join(LOCK));
        if self.made {
            // This fails if anything was written into the folder, as it should.
            let _ = fs::remove_dir(&self.folder);
        }
    }

    /// Writes the owner into the file. A process that finds the folder locked reads it there.
    fn sign(&mut self) -> io::Result<()> {
        let words: Vec<String> =
            program::arguments().iter().map(|word| word.to_string_lossy().replace('\n', " ")).collect();
        let mark = if self.mode == LockMode::Alone { ALONE } else { "" };
        self.file.set_len(0)?;
        let (process, words, place) = (std::process::id(), words.join(" "), place());
        self.file.write_all(format!("process {process} (`{words}`){place}\n{mark}").as_bytes())
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // An empty file tells a new process that this lock will be released in a moment, so the
        // process waits.
        if self.mode == LockMode::Alone {
            let _ = self.file.set_len(0);
        }
        // The last process that shares the lock removes the file. While another process still
        // shares the lock, `try_lock` fails.
        if let Some(claim) = self.claim.take() {
            claim.release(|| self.remove());
            return;
        }
        let _ = self.file.unlock();
        if self.file.try_lock().is_ok() && is_file_at(&self.file, &self.folder.join(LOCK)) {
            self.remove();
        }
    }
}

/// A claim in place of a lock, and a warning, if there are any.
type Held = (Option<HeldClaim>, Option<String>);

/// Locks an open file or, if its file system has no locks, claims its folder. `None` if another
/// process holds the folder.
fn hold(file: &File, folder: &Path, mode: LockMode) -> Result<Option<Held>, StoreError> {
    let locked = match mode {
        LockMode::Alone => file.try_lock(),
        LockMode::Shared => file.try_lock_shared(),
    };
    match locked {
        Ok(()) => Ok(Some((None, None))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) if has_no_locks(&error) => {
            let refused = |source| StoreError::Io { action: "claim", path: folder.to_owned(), source };
            let claim = claims::claim(folder, mode).map_err(refused)?;
            Ok(claim.map(|claim| (Some(claim), Some(without_locks(folder, &error)))))
        }
        Err(TryLockError::Error(error)) => Ok(Some((None, Some(unlocked(folder, &error))))),
    }
}

fn without_locks(folder: &Path, error: &io::Error) -> String {
    format!(
        "{} is on a file system without locks ({error}): a claim stands in place of a lock, and expires {} s after its \
         owner is dead",
        folder.display(),
        claims::EXPIRY.as_secs()
    )
}

fn unlocked(folder: &Path, error: &io::Error) -> String {
    format!("{} cannot be locked ({error}): make sure that no other program writes there", folder.display())
}

/// The line below the name of an owner that holds the folder alone.
const ALONE: &str = "alone\n";

/// The place of this process: its host and, on a cluster, its Slurm job.
fn place() -> String {
    let job = std::env::var("SLURM_JOB_ID").map(|job| format!(", Slurm job {job}")).unwrap_or_default();
    format!("{ON_HOST}{}{job}", host())
}

/// Stands between the words of an owner and its host.
const ON_HOST: &str = " on host ";

/// Whether an owner is on this host. An owner of an earlier version names no host.
fn is_here(words: &str) -> bool {
    let place = words.rsplit_once("`)").map_or("", |(_, place)| place);
    let host_of_owner = place.strip_prefix(ON_HOST).map(|place| place.split(", Slurm job ").next().unwrap_or_default());
    host_of_owner.is_none_or(|name| name == host())
}

/// The owner of a folder, as the lock file names it.
struct Owner {
    words: String,
    /// Whether the owner holds the folder alone, is alive and has not begun to let go.
    stays: bool,
}

impl Owner {
    fn of(path: &Path) -> Self {
        let text = String::from_utf8(input::read_own(path, LONGEST).unwrap_or_default()).unwrap_or_default();
        let (words, mark) = text.split_once('\n').unwrap_or_default();
        let here = is_here(words);
        let process =
            words.strip_prefix("process ").filter(|_| here).and_then(|rest| rest.split(' ').next()?.parse().ok());
        // The owner may not have written its name yet.
        let words = if words.is_empty() { "another process" } else { words }.to_owned();
        Owner { words, stays: mark == ALONE && process.is_some_and(is_alive) }
    }
}

/// Whether a process with this number exists, whoever its user is. `false` if the system cannot
/// say.
fn is_alive(process: i32) -> bool {
    #[cfg(unix)]
    {
        use nix::errno::Errno;
        use nix::sys::signal::kill;
        use nix::unistd::Pid;
        process > 0 && matches!(kill(Pid::from_raw(process), None), Ok(()) | Err(Errno::EPERM))
    }
    #[cfg(not(unix))]
    {
        let _ = process;
        false
    }
}

#[cfg(unix)]
fn is_file_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// On other systems an open file cannot be removed.
#[cfg(not(unix))]
fn is_file_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_or_several_together() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("runs/x");
        let alone = FolderLock::take(&folder, LockMode::Alone).unwrap();
        for mode in [LockMode::Alone, LockMode::Shared] {
            let error = FolderLock::take(&folder, mode).unwrap_err().to_string();
            assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
        }
        drop(alone);
        assert!(!folder.exists(), "nothing was written");
        fs::create_dir_all(&folder).unwrap();
        let first = FolderLock::take(&folder, LockMode::Shared).unwrap();
        let second = FolderLock::take(&folder, LockMode::Shared).unwrap();
        drop(first);
        assert!(matches!(FolderLock::take(&folder, LockMode::Alone), Err(StoreError::InUse { .. })));
        drop(second);
        drop(FolderLock::take(&folder, LockMode::Alone).unwrap());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn what_a_dead_owner_left_locks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK), "process 1 (`fivefold run a very long time ago`)\n").unwrap();
        let lock = FolderLock::take(folder.path(), LockMode::Alone).unwrap();
        let by = fs::read_to_string(folder.path().join(LOCK)).unwrap();
        assert!(
            by.starts_with(&format!("process {} ", std::process::id()))
                && by.ends_with(&format!("`){}\nalone\n", place())),
            "{by}"
        );
        drop(lock);
    }

    /// Nobody waits for an owner that stays. Any other owner may be gone in a moment.
    #[test]
    #[cfg(unix)]
    fn who_stays_is_told_from_who_may_be_on_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        let stays = |text: &str| {
            fs::write(&path, text).unwrap();
            Owner::of(&path).stays
        };
        let alive = format!("process {} (`fivefold`)\n", std::process::id());
        assert!(stays(&format!("{alive}alone\n")));
        // The texts are: a shared lock, a half-written mark, two processes that cannot exist, no
        // name, an empty file.
        let dead = "process 2147483647 (`fivefold`)\nalone\n";
        for text in [&alive, &format!("{alive}al"), dead, "process -1 (``)\nalone\n", "alone\n", ""] {
            assert!(!stays(text), "{text}");
        }
        assert_eq!(Owner::of(&path).words, "another process");
        for (mode, stays) in [(LockMode::Alone, true), (LockMode::Shared, false)] {
            let lock = FolderLock::take(folder.path(), mode).unwrap();
            assert_eq!(Owner::of(&path).stays, stays, "{mode:?}");
            drop(lock);
        }
    }

    /// A number of a process says nothing on another host.
    #[test]
    #[cfg(unix)]
    fn a_process_of_another_host_is_neither_alive_nor_dead() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        let own = std::process::id();
        for (place, stays) in [
            (format!(" on host {}", host()), true),
            (format!(" on host {}, Slurm job 12", host()), true),
            (" on host elsewhere".to_owned(), false),
            (" on host elsewhere, Slurm job 12".to_owned(), false),
        ] {
            fs::write(&path, format!("process {own} (`fivefold run`){place}\nalone\n")).unwrap();
            let owner = Owner::of(&path);
            assert_eq!((owner.stays, owner.words.ends_with(&place)), (stays, true), "{place}");
        }
        // What stands there locks nothing.
        drop(FolderLock::take(folder.path(), LockMode::Alone).unwrap());
    }

    #[test]
    fn of_many_that_come_and_go_never_two_hold_it_alone() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        if let Ok(lock) = FolderLock::take(folder.path(), LockMode::Alone) {
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            taken.fetch_add(1, Ordering::SeqCst);
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
    }

    #[test]
    #[cfg(unix)]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "precious").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join(LOCK)).unwrap();
        let error = FolderLock::take(folder.path(), LockMode::Alone).unwrap_err();
        assert!(error.to_string().contains(".lock"), "{error}");
        assert_eq!(fs::read_to_string(other).unwrap(), "precious");
    }

    #[test]
    fn those_who_share_it_never_refuse_each_other() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..300).for_each(|_| drop(FolderLock::take(folder.path(), LockMode::Shared).unwrap())));
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
