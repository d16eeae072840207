//! `FOLDER/.lock` says which process writes into a results folder.
//!
//! A run, a study and a report hold the lock alone. Single jobs (`fivefold job`) share the lock.
//! The lock is a system lock on an open file, so the lock ends when its owner ends, even if the
//! owner is killed. A `.lock` file that a killed owner left locks nothing.
//!
//! Readers need no lock. Every file appears whole, and a reader refuses values that do not fit the
//! manifest, such as the values of an unfinished run.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fivefold_data::input;

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

/// How a process holds a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// No other process holds the folder.
    Alone,
    /// Other processes may share the folder.
    Shared,
}

/// A results folder that a process holds. Dropping the value lets go of the folder.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    folder: PathBuf,
    mode: LockMode,
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
            let locked = match mode {
                LockMode::Alone => file.try_lock(),
                LockMode::Shared => file.try_lock_shared(),
            };
            let warning = match locked {
                Ok(()) => None,
                Err(TryLockError::WouldBlock) => {
                    let owner = Owner::of(&path);
                    if begun.elapsed() < PATIENCE && !owner.stays {
                        std::thread::sleep(Duration::from_millis(10));
                        continue;
                    }
                    return Err(StoreError::InUse { folder: folder.to_owned(), by: owner.words });
                }
                Err(TryLockError::Error(error)) => Some(format!(
                    "{} cannot be locked ({error}): make sure that no other program writes there",
                    folder.display()
                )),
            };
            // Between opening and locking, the last owner may have removed the file: then nobody
            // would see this lock.
            if is_file_at(&file, &path) {
                let mut lock = FolderLock { file, folder: folder.to_owned(), mode, made, warning };
                lock.sign().map_err(refused("write", &path))?;
                return Ok(lock);
            }
        }
    }

    /// Why the folder is not protected from other processes: its file system has no locks. `None`
    /// if the lock holds.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Writes the owner into the file. A process that finds the folder locked reads it there.
    fn sign(&mut self) -> io::Result<()> {
        let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().replace('\n', " ")).collect();
        let mark = if self.mode == LockMode::Alone { ALONE } else { "" };
        self.file.set_len(0)?;
        self.file.write_all(format!("process {} (`{}`)\n{mark}", std::process::id(), words.join(" ")).as_bytes())
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
        let _ = self.file.unlock();
        if self.file.try_lock().is_ok() && is_file_at(&self.file, &self.folder.join(LOCK)) {
            let _ = fs::remove_file(self.folder.join(LOCK));
            if self.made {
                // This fails if anything was written into the folder, as it should.
                let _ = fs::remove_dir(&self.folder);
            }
        }
    }
}

/// The line below the name of an owner that holds the folder alone.
const ALONE: &str = "alone\n";

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
        let process = words.strip_prefix("process ").and_then(|rest| rest.split(' ').next()?.parse().ok());
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
        assert!(by.starts_with(&format!("process {} ", std::process::id())) && by.ends_with("`)\nalone\n"), "{by}");
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
