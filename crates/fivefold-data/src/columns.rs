//! Copies of a data set with other features, or with some features only.

use fivefold_core::Dataset;
use rayon::prelude::*;

use crate::memory;
use crate::normalise::NormaliseError;

/// The same queries with some features only. `columns` are the columns that stay, from 0.
///
/// ```
/// use fivefold_base::Dataset;
/// use fivefold_data::columns::with_columns;
///
/// let data = Dataset::of_queries(3, [(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..], &[0, 1][..])])?;
/// assert_eq!(with_columns(&data, &[0, 2])?.query(0).features(), [1.0, 3.0, 4.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`NormaliseError`] if there is no memory for the features.
///
/// # Panics
/// If the data have no such column.
pub fn with_columns(data: &Dataset, columns: &[usize]) -> Result<Dataset, NormaliseError> {
    let width = data.width().max(1);
    copied(data, columns.len(), |from, to| {
        for (from, to) in from.chunks_exact(width).zip(to.chunks_exact_mut(columns.len().max(1))) {
            columns.iter().zip(to).for_each(|(&column, to)| *to = from[column]);
        }
    })
}

/// The bytes of [`with_columns`].
pub fn bytes_with_columns(data: &Dataset, columns: &[usize]) -> u64 {
    memory::bytes(data.documents(), columns.len())
}

/// The same queries with `width` features, which `fill` computes from the rows of a query.
pub(crate) fn copied(
    data: &Dataset,
    width: usize,
    fill: impl Fn(&[f32], &mut [f32]) + Sync,
) -> Result<Dataset, NormaliseError> {
    let mut share = memory::Share::default();
    let needed = memory::bytes(data.documents(), width);
    if needed > share.most() {
        return Err(NormaliseError::Budget { needed, left: share.most() });
    }
    share.set(needed);
    let mut features = memory::zeros(data.documents(), width).map_err(NormaliseError::Memory)?;
    let mut rest = features.as_mut_slice();
    let mut work = Vec::with_capacity(data.len());
    for query in data.queries() {
        let (rows, after) = rest.split_at_mut(query.len() * width);
        work.push((query.features(), rows));
        rest = after;
    }
    work.into_par_iter().for_each(|(from, to)| fill(from, to));
    data.with_features(memory::Counted::new(features, share), width).map_err(NormaliseError::Dataset)
}
