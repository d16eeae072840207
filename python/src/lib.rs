//! The extension module `fivefold._fivefold`: measures, tests and rankers for the Python package
//! `fivefold`, which turns dicts, frames and arrays into the plain arguments that are taken here.
//!
//! Long work runs without Python's lock, in a pool of threads of its own: after a fork, no pool of
//! the parent is waited for. The library sets no signal handler; while a fit runs, Python's own
//! handlers are asked, so that Ctrl-C stops the fit.

mod command;
mod dataset;
mod dicts;
mod errors;
mod evaluate;
mod rankers;
mod registries;
mod tests_of_significance;
mod trec;
mod work;

use pyo3::prelude::*;

/// What the Python package reaches.
#[pymodule]
#[pyo3(name = "_fivefold")]
fn fivefold_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    command::add(module)?;
    dicts::add(module)?;
    errors::add(module)?;
    evaluate::add(module)?;
    dataset::add(module)?;
    rankers::add(module)?;
    registries::add(module)?;
    tests_of_significance::add(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
