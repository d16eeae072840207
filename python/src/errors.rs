//! Errors as Python exceptions, with the text of the program.

use std::fmt::Display;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(fivefold, DataError, PyValueError, "Data that cannot be read or do not fit together.");
pyo3::create_exception!(
    fivefold,
    ConfigError,
    PyValueError,
    "A measure, convention, test or parameter that is not known or does not fit."
);
pyo3::create_exception!(fivefold, FitError, PyRuntimeError, "A fit that made no model.");

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("DataError", py.get_type::<DataError>())?;
    module.add("ConfigError", py.get_type::<ConfigError>())?;
    module.add("FitError", py.get_type::<FitError>())
}

/// An error of the data.
pub(crate) fn data(error: impl Display) -> PyErr {
    DataError::new_err(error.to_string())
}

/// An error of the request.
pub(crate) fn config(error: impl Display) -> PyErr {
    ConfigError::new_err(error.to_string())
}
