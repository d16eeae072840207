//! The command `fivefold` of the wheel: the program with its own options, signals and exit codes.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(main, module)?)
}

/// Does the command; returns its exit code. `starter` is the file that starts the command again, and
/// `code` is the extension module. The process must be for the command alone: its signal handlers
/// replace those of Python.
#[pyfunction]
fn main(py: Python<'_>, starter: PathBuf, code: PathBuf, arguments: Vec<OsString>) -> u8 {
    py.detach(|| fivefold::main_hosted(&fivefold::builtin(), fivefold::Hosted { starter, code, arguments }))
}
