//! Data for learning, from arrays of numpy or from LETOR files.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use fivefold_base::dataset::IdTable;
use fivefold_base::{DatasetBuilder, Grades};
use fivefold_core::Seed;
use fivefold_data::{ReadOptions, dealt, read_letor, write_letor};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::errors::data;
use crate::work::in_threads;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Dataset>()
}

/// Queries with graded documents and their features.
#[pyclass(frozen, module = "fivefold._fivefold", name = "DatasetCore")]
pub(crate) struct Dataset {
    pub(crate) data: fivefold_core::Dataset,
}

#[pymethods]
impl Dataset {
    /// A data set of a matrix of documents x features, a grade for each document, and for each query
    /// its id and the row after its last document.
    #[staticmethod]
    #[pyo3(signature = (features, grades, bounds, query_ids, document_ids, max_grade))]
    fn of_arrays(
        py: Python<'_>,
        features: PyReadonlyArray2<'_, f32>,
        grades: PyReadonlyArray1<'_, u8>,
        bounds: Vec<usize>,
        query_ids: Vec<String>,
        document_ids: Option<Vec<String>>,
        max_grade: Option<u8>,
    ) -> PyResult<Self> {
        let width = features.as_array().ncols();
        let matrix = matrix::shared(features)?;
        let table = |ids: &[String]| {
            let mut table = IdTable::default();
            ids.iter().for_each(|id| table.push(id));
            table
        };
        let builder = DatasetBuilder {
            features: matrix,
            width,
            grades: Grades::new(grades.as_array().to_vec(), max_grade).map_err(data)?,
            bounds,
            query_ids: table(&query_ids),
            doc_ids: table(&document_ids.unwrap_or_default()),
        };
        Ok(Dataset { data: in_threads(py, 0, |_| builder.build())?.map_err(data)? })
    }

    /// A data set of a file in LETOR's format.
    #[staticmethod]
    #[pyo3(signature = (path, max_grade, threads))]
    fn of_letor(py: Python<'_>, path: PathBuf, max_grade: Option<u8>, threads: usize) -> PyResult<Self> {
        let options = ReadOptions { max_grade, ..ReadOptions::default() };
        let part = in_threads(py, threads, |_| read_letor(&path, &options))?.map_err(data)?;
        Ok(Dataset { data: part.data })
    }

    #[getter]
    fn documents(&self) -> usize {
        self.data.documents()
    }

    #[getter]
    fn width(&self) -> usize {
        self.data.width()
    }

    #[getter]
    fn max_grade(&self) -> u8 {
        self.data.max_grade()
    }

    #[getter]
    fn bounds(&self) -> Vec<usize> {
        self.data.bounds()
    }

    #[getter]
    fn query_ids(&self) -> Vec<String> {
        self.data.queries().map(|query| query.id().to_owned()).collect()
    }

    /// The id of each document. `None` if documents have no ids.
    #[getter]
    fn document_ids(&self) -> Option<Vec<String>> {
        let ids = self.data.queries().flat_map(|query| {
            let view = query.view();
            (0..query.len()).map(move |row| view.doc_id(row).map(str::to_owned)).collect::<Vec<_>>()
        });
        self.data.has_doc_ids().then(|| ids.flatten().collect())
    }

    /// The grade of each document.
    #[getter]
    fn grades<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.data.queries().flat_map(|query| query.grades().to_vec()).collect::<Vec<u8>>().into_pyarray(py)
    }

    /// The features, row after row.
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let rows = self.data.queries().flat_map(|query| query.view().features().to_vec());
        rows.collect::<Vec<f32>>().into_pyarray(py)
    }

    /// Writes the data as text in LETOR's format; every feature has the same bits when it is read.
    fn write_letor(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            let mut out = BufWriter::new(File::create(&path)?);
            write_letor(&self.data, &mut out)?;
            out.flush()
        })
        .map_err(|error| data(format!("{}: {error}", path.display())))
    }

    /// The queries at these places, in this order.
    fn select(&self, py: Python<'_>, places: Vec<usize>) -> PyResult<Self> {
        match places.iter().find(|&&place| place >= self.data.len()) {
            Some(place) => Err(data(format!("there is no query {place} (from 0); there are {}", self.data.len()))),
            None => Ok(Dataset { data: in_threads(py, 1, |_| self.data.select(places))? }),
        }
    }

    /// Training, validation and test part of each fold, as the layout `one-file` deals the queries.
    fn folds(&self, py: Python<'_>, seed: u64) -> PyResult<Vec<(Self, Self, Self)>> {
        let of_fold = |fold: [Vec<usize>; 3]| fold.map(|queries| Dataset { data: self.data.select(queries) }).into();
        let dealt = dealt(self.data.len(), Seed::new(seed)).map_err(data)?;
        in_threads(py, 1, |_| dealt.into_iter().map(of_fold).collect())
    }

    fn __len__(&self) -> usize {
        self.data.len()
    }
}

mod matrix {
    //! An array of numpy as a matrix of ours, without a copy.
    #![allow(unsafe_code)] // in this module only

    use super::*;

    /// The memory of an array, which lives as long as this value.
    struct OfNumpy {
        _array: Py<numpy::PyArray2<f32>>,
        first: *const f32,
        len: usize,
    }

    // SAFETY: the memory is only read, and `_array` keeps it. Dropping `_array` without Python's lock
    // is safe: PyO3 then puts it off. Who changes the array while a data set uses it races, as with
    // every library that shares arrays; the Python package takes the right to write away.
    unsafe impl Send for OfNumpy {}
    // SAFETY: as above.
    unsafe impl Sync for OfNumpy {}

    impl AsRef<[f32]> for OfNumpy {
        fn as_ref(&self) -> &[f32] {
            // SAFETY: `first` is the start of `len` values in a row, which `_array` keeps alive.
            unsafe { std::slice::from_raw_parts(self.first, self.len) }
        }
    }

    /// A C-contiguous array as a matrix.
    pub(super) fn shared(array: PyReadonlyArray2<'_, f32>) -> PyResult<Arc<dyn AsRef<[f32]> + Send + Sync>> {
        let values = array.as_slice().map_err(data)?;
        let (first, len) = (values.as_ptr(), values.len());
        Ok(Arc::new(OfNumpy { _array: (*array).clone().unbind(), first, len }))
    }
}
