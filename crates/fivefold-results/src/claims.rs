//! Claims on a folder whose file system has no locks.
//!
//! A claim is a folder `.claims/gate` with a file that names its owner. A claim appears by a rename,
//! which fails if another claim is there: of several processes, one succeeds. Processes that share
//! the folder take the gate for a moment only, and leave a file each, `.claims/shared-...`. Who
//! wants the folder alone keeps the gate, and is refused as long as such a file is there.
//!
//! An owner touches its file every few seconds. A claim whose file is older than [`EXPIRY`] is that
//! of a dead owner and is put aside. Ages are measured by the clock of the file system, since clocks
//! of hosts differ. An owner that stood still for longer than that loses its claim. Then two
//! processes may write at the same time, which costs time and no result: every file appears by a
//! rename, and a job has the same bytes each time.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Name of the folder of claims in a results folder.
pub(crate) const CLAIMS: &str = ".claims";
/// The age of a claim whose owner is taken for dead.
pub(crate) const EXPIRY: Duration = Duration::from_secs(120);

const GATE: &str = "gate";
const OWNER: &str = "owner";
const SHARED: &str = "shared-";

/// How a process holds a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// No other process holds the folder.
    Alone,
    /// Other processes may share the folder.
    Shared,
}

/// The name of this host. Empty if the system does not tell.
pub fn host() -> String {
    #[cfg(unix)]
    return nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    #[cfg(not(unix))]
    String::new()
}

/// A claim that this process holds. Dropping the value gives the claim back.
#[derive(Debug)]
pub(crate) struct HeldClaim {
    claims: Claims,
    mode: LockMode,
    /// The file that is touched.
    file: PathBuf,
    /// The name of the owner, which is in the file.
    name: String,
    /// Ends the thread that touches the file.
    _beat: Sender<()>,
}

/// Whether the error of a lock says that the file system has no locks.
pub(crate) fn has_no_locks(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use nix::errno::Errno;
        let code = error.raw_os_error().map(Errno::from_raw);
        matches!(code, Some(Errno::ENOLCK | Errno::ENOSYS | Errno::EOPNOTSUPP))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::Unsupported
    }
}

/// Takes a claim on a folder. `None` if another process has one.
///
/// # Errors
/// If the folder cannot be written.
pub(crate) fn claim(folder: &Path, mode: LockMode) -> io::Result<Option<HeldClaim>> {
    match (Claims { folder: folder.join(CLAIMS), expiry: EXPIRY }).take(mode) {
        // The last owner removed the folder of claims in this moment.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        taken => taken,
    }
}

/// The folder of claims.
#[derive(Debug, Clone)]
struct Claims {
    folder: PathBuf,
    expiry: Duration,
}

impl Claims {
    fn take(&self, mode: LockMode) -> io::Result<Option<HeldClaim>> {
        fs::create_dir_all(&self.folder)?;
        let name = unique();
        if !self.take_gate(&name)? {
            return Ok(None);
        }
        if mode == LockMode::Alone {
            if self.is_shared()? {
                self.leave_gate(&name);
                return Ok(None);
            }
            return Ok(Some(self.held(mode, self.folder.join(GATE).join(OWNER), name)));
        }
        let file = self.folder.join(format!("{SHARED}{name}"));
        let made = fs::write(&file, &name);
        self.leave_gate(&name);
        made.map(|()| Some(self.held(mode, file, name)))
    }

    /// Takes the gate by a rename. `false` if a living process has it.
    fn take_gate(&self, name: &str) -> io::Result<bool> {
        let (new, gate) = (self.folder.join(format!("new-{name}")), self.folder.join(GATE));
        fs::create_dir_all(&new)?;
        fs::write(new.join(OWNER), name)?;
        let dead = fs::read(gate.join(OWNER)).ok();
        if dead.is_some() && self.is_old(&gate.join(OWNER), &new.join(OWNER)) {
            let aside = self.folder.join(format!("old-{name}"));
            // Of several processes, one puts the claim aside.
            if fs::rename(&gate, &aside).is_ok() {
                // Another process may have done so before, and this is its own new claim.
                if fs::read(aside.join(OWNER)).ok() != dead && fs::rename(&aside, &gate).is_ok() {
                    let _ = fs::remove_dir_all(&new);
                    return Ok(false);
                }
                let _ = fs::remove_dir_all(&aside);
            }
        }
        let taken = fs::rename(&new, &gate);
        if taken.is_err() {
            let _ = fs::remove_dir_all(&new);
        }
        match taken {
            Ok(()) => Ok(true),
            // The gate is there: the name of the error differs between file systems.
            Err(_) if gate.is_dir() => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Leaves the gate, unless another process has taken it meanwhile.
    fn leave_gate(&self, name: &str) {
        if !is_of(&self.folder.join(GATE).join(OWNER), name) {
            return;
        }
        let _ = fs::remove_file(self.folder.join(GATE).join(OWNER));
        let _ = fs::remove_dir(self.folder.join(GATE));
    }

    /// Whether a living process shares the folder. Files of dead processes are removed.
    fn is_shared(&self) -> io::Result<bool> {
        let now = self.folder.join(GATE).join(OWNER);
        let mut shared = false;
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let is_shared = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(SHARED));
            if is_shared && self.is_old(&path, &now) {
                let _ = fs::remove_file(&path);
            } else {
                shared |= is_shared;
            }
        }
        Ok(shared)
    }

    /// Whether a file was not touched for long before `now` was written, by the clock of the file
    /// system.
    fn is_old(&self, file: &Path, now: &Path) -> bool {
        let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
        let (Ok(then), Ok(now)) = (time(file), time(now)) else { return false };
        now.duration_since(then).is_ok_and(|age| age > self.expiry)
    }

    fn held(&self, mode: LockMode, file: PathBuf, name: String) -> HeldClaim {
        let (beat, end) = channel::<()>();
        let (touched, owner, pause) = (file.clone(), name.clone(), self.expiry / 8);
        // Without the thread, the claim expires, and the folder is as safe as without any claim.
        let _ = std::thread::Builder::new().name("claim".to_owned()).spawn(move || {
            while end.recv_timeout(pause).is_err_and(|error| error == std::sync::mpsc::RecvTimeoutError::Timeout) {
                // Who lost its claim must not touch that of the next owner. Writing the name again lets the file
                // system set the time, since the clock of this host may be wrong.
                if !is_of(&touched, &owner) {
                    break;
                }
                let opened = File::options().write(true).open(&touched);
                let _ = opened.and_then(|mut file| file.write_all(owner.as_bytes()));
            }
        });
        HeldClaim { claims: self.clone(), mode, file, name, _beat: beat }
    }
}

impl HeldClaim {
    /// Gives the claim back, and does something while no other process has one. Nothing is done if
    /// another process still shares the folder.
    pub(crate) fn release(self, last: impl FnOnce()) {
        let mut name = self.name;
        if self.mode == LockMode::Shared {
            let _ = fs::remove_file(&self.file);
            name = unique();
            if !self.claims.take_gate(&name).unwrap_or(false) {
                return;
            }
        } else if !is_of(&self.file, &name) {
            return;
        }
        let shared = self.claims.is_shared().unwrap_or(true);
        if !shared {
            last();
        }
        self.claims.leave_gate(&name);
        if !shared {
            // This fails if another process has come, as it should.
            let _ = fs::remove_dir(&self.claims.folder);
        }
    }
}

/// Whether a claim's file names this owner.
fn is_of(file: &Path, name: &str) -> bool {
    fs::read(file).is_ok_and(|owner| owner == name.as_bytes())
}

/// A name that no other process on any host has.
fn unique() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{next}", host(), std::process::id())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn claims(folder: &Path, expiry: Duration) -> Claims {
        Claims { folder: folder.join(CLAIMS), expiry }
    }

    #[test]
    fn one_alone_or_several_together_as_with_locks() {
        let folder = tempfile::tempdir().unwrap();
        let claims = claims(folder.path(), EXPIRY);
        let alone = claims.take(LockMode::Alone).unwrap().unwrap();
        for mode in [LockMode::Alone, LockMode::Shared] {
            assert!(claims.take(mode).unwrap().is_none(), "{mode:?}");
        }
        alone.release(|| ());
        let first = claims.take(LockMode::Shared).unwrap().unwrap();
        let second = claims.take(LockMode::Shared).unwrap().unwrap();
        first.release(|| panic!("not the last"));
        assert!(claims.take(LockMode::Alone).unwrap().is_none());
        let mut last = false;
        second.release(|| last = true);
        assert!(last);
        claims.take(LockMode::Alone).unwrap().unwrap().release(|| ());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// A dead owner leaves its claim, and touches it no more.
    #[test]
    fn a_claim_that_nobody_touches_expires() {
        let folder = tempfile::tempdir().unwrap();
        let claims = claims(folder.path(), Duration::from_secs(60));
        for mode in [LockMode::Alone, LockMode::Shared] {
            let dead = claims.take(mode).unwrap().unwrap();
            assert!(claims.take(LockMode::Alone).unwrap().is_none());
            let minutes_ago = SystemTime::now() - Duration::from_secs(120);
            File::options().write(true).open(&dead.file).unwrap().set_modified(minutes_ago).unwrap();
            std::mem::forget(dead);
            claims.take(LockMode::Alone).unwrap().unwrap().release(|| ());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_living_owner_keeps_its_claim_for_as_long_as_it_likes() {
        let folder = tempfile::tempdir().unwrap();
        let claims = claims(folder.path(), Duration::from_secs(2));
        let alone = claims.take(LockMode::Alone).unwrap().unwrap();
        for _ in 0..25 {
            std::thread::sleep(Duration::from_millis(100));
            assert!(claims.take(LockMode::Alone).unwrap().is_none());
        }
        alone.release(|| ());
    }

    /// An owner that stood still for too long neither touches nor removes the claim of the next owner.
    #[test]
    fn who_lost_its_claim_leaves_that_of_the_next_owner() {
        let folder = tempfile::tempdir().unwrap();
        let claims = claims(folder.path(), EXPIRY);
        let slow = claims.take(LockMode::Alone).unwrap().unwrap();
        let minutes_ago = SystemTime::now() - Duration::from_secs(300);
        File::options().write(true).open(&slow.file).unwrap().set_modified(minutes_ago).unwrap();
        let next = claims.take(LockMode::Alone).unwrap().unwrap();
        slow.release(|| panic!("it is not its own any more"));
        assert!(is_of(&next.file, &next.name));
        assert!(claims.take(LockMode::Shared).unwrap().is_none());
        next.release(|| ());
    }

    #[test]
    fn of_many_that_come_and_go_never_two_hold_it_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for number in 0..6 {
                let (claims, holders, taken) = (claims(folder.path(), EXPIRY), &holders, &taken);
                scope.spawn(move || {
                    for _ in 0..60 {
                        let mode = if number % 2 == 0 { LockMode::Alone } else { LockMode::Shared };
                        // The folder of claims may be removed at any time by the last owner.
                        let Ok(Some(claim)) = claims.take(mode) else { continue };
                        if mode == LockMode::Alone {
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            holders.fetch_sub(1, Ordering::SeqCst);
                        }
                        taken.fetch_add(1, Ordering::SeqCst);
                        claim.release(|| ());
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
    }
}
