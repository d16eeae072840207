//! Qrels and runs from files, from dicts of dicts, or from three columns.

use std::path::PathBuf;

use fivefold_data::trec::{Duplicates, Qrels, Run, read_qrels, read_run};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::errors::data;
use crate::work::in_threads;

/// Rows of ids with a value, which keep the strings of Python.
type Rows<'py, T> = Vec<(Bound<'py, PyString>, Bound<'py, PyString>, T)>;

/// Qrels from a path, a dict `{topic: {document: grade}}`, or the columns (topics, documents, grades).
pub(crate) fn qrels_of(source: &Bound<'_, PyAny>, duplicates: Duplicates) -> PyResult<Qrels> {
    if let Some(path) = path_of(source)? {
        return in_threads(source.py(), 1, |_| read_qrels(&path, duplicates))?.map_err(data);
    }
    let rows = rows_of(source, |grade| grade.extract::<i32>())?;
    Qrels::of("qrels", texts(&rows)?, duplicates).map_err(data)
}

/// A run, as [`qrels_of`] reads qrels, with scores in place of grades.
pub(crate) fn run_of(name: &str, source: &Bound<'_, PyAny>, duplicates: Duplicates) -> PyResult<Run> {
    if let Some(path) = path_of(source)? {
        return in_threads(source.py(), 1, |_| read_run(&path, duplicates))?.map_err(data);
    }
    let rows = rows_of(source, |score| score.extract::<f64>())?;
    Run::of(name, texts(&rows)?, duplicates).map_err(data)
}

/// The path, if a source is one (a string or an `os.PathLike`).
fn path_of(source: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    let is_path = source.is_instance_of::<PyString>() || source.hasattr("__fspath__")?;
    is_path.then(|| source.extract::<PathBuf>()).transpose()
}

/// The rows as texts.
fn texts<'r, T: Copy>(rows: &'r Rows<'_, T>) -> PyResult<Vec<(&'r str, &'r str, T)>> {
    rows.iter().map(|(topic, document, value)| Ok((topic.to_str()?, document.to_str()?, *value))).collect()
}

fn rows_of<'py, T>(
    source: &Bound<'py, PyAny>,
    number: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Rows<'py, T>> {
    let mut rows = Vec::new();
    if let Ok(topics) = source.cast::<PyDict>() {
        for (topic, documents) in topics {
            let topic = topic.str()?;
            let documents = documents
                .cast::<PyDict>()
                .map_err(|_| PyTypeError::new_err(format!("topic `{topic}` is no dict of documents and numbers")))?;
            for (document, value) in documents {
                rows.push((topic.clone(), document.str()?, number(&value)?));
            }
        }
        return Ok(rows);
    }
    let columns = source.cast::<PyTuple>()?;
    let [topics, documents, values] = [0, 1, 2].map(|column| columns.get_item(column));
    let (topics, documents, values) = (topics?.try_iter()?, documents?.try_iter()?, values?.try_iter()?);
    for ((topic, document), value) in topics.zip(documents).zip(values) {
        rows.push((topic?.str()?, document?.str()?, number(&value?)?));
    }
    Ok(rows)
}
