//! The program that runs: how it is started again, and the words of its command line.
//!
//! Usually the program is the executable of this process. The command of the Python package is a
//! library in the process of an interpreter, whose path and words say nothing of fivefold. There,
//! [`host`] says what is true.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A program that another executable holds.
#[derive(Debug, Clone)]
pub struct Hosted {
    /// The file that starts the program, such as a script that the package installs.
    pub starter: PathBuf,
    /// The file with the code.
    pub code: PathBuf,
    /// The words of the command line, after the name of the program.
    pub arguments: Vec<OsString>,
}

static HOSTED: OnceLock<Hosted> = OnceLock::new();

/// Says that another executable holds the program. Only the first call has an effect.
pub fn host(hosted: Hosted) {
    let _ = HOSTED.set(hosted);
}

/// The file that starts the program.
///
/// # Errors
/// If the system does not tell where the program is.
pub fn starter() -> io::Result<PathBuf> {
    HOSTED.get().map_or_else(std::env::current_exe, |hosted| Ok(hosted.starter.clone()))
}

/// The words of the command line; the first word is the name of the program.
pub fn arguments() -> Vec<OsString> {
    match HOSTED.get() {
        None => std::env::args_os().collect(),
        Some(hosted) => [OsString::from("fivefold")].into_iter().chain(hosted.arguments.iter().cloned()).collect(),
    }
}

/// The file with the code of the program.
///
/// # Errors
/// As [`starter`].
pub fn code() -> io::Result<PathBuf> {
    HOSTED.get().map_or_else(std::env::current_exe, |hosted| Ok(hosted.code.clone()))
}

/// The code of the running program.
pub(crate) fn running_code() -> io::Result<File> {
    // The link leads to the running program, even if another file has taken its place since.
    match File::open("/proc/self/exe") {
        Ok(file) if HOSTED.get().is_none() => Ok(file),
        _ => File::open(code()?),
    }
}
