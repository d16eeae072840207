"""Queries with graded documents and their features."""

import os
import zipfile
from typing import NamedTuple

import numpy as np

from . import _fivefold
from .forms import is_frame
from .parquet import read_parquet, write_parquet

#: The least size of a copy that is said, in bytes.
LARGE_COPY = 100 << 20

#: How many features are checked at a time.
CHECKED = 1 << 20


class Dataset:
    """Queries with graded documents and their features.

    `Dataset(X, y, qid)` takes a matrix of documents x features, a grade for each document, and the
    query of each document, or as `group` the number of documents of each query. Documents of a query
    stand together. A C-contiguous matrix of float32 is not copied: do not change it while the data
    set is in use. Any other matrix of numbers, also a sparse one of scipy, is converted.

    Parameters
    ----------
    X : array or sparse matrix, documents x features
    y : array
        The grade of each document, a whole number from 0.
    qid : array, optional
        The query of each document.
    group : array, optional
        In place of `qid`: how many documents each query has.
    document_ids : list, optional
        The id of each document.
    max_grade : int, optional
        The highest possible grade; by default the highest grade in the data.

    Raises
    ------
    DataError
        If the parts do not fit together, or a number is not finite.
    """

    def __init__(self, X, y, qid=None, *, group=None, document_ids=None, max_grade=None):
        matrix = _matrix(X)
        grades = _grades(y, len(matrix))
        bounds, ids = _queries(qid, group, len(matrix))
        documents = None if document_ids is None else [str(own) for own in document_ids]
        self._core = _fivefold.DatasetCore.of_arrays(matrix, grades, bounds, ids, documents, max_grade)

    @classmethod
    def _of(cls, core):
        made = cls.__new__(cls)
        made._core = core
        return made

    @classmethod
    def from_frame(cls, frame, qid="qid", grade="grade", features=None, document_ids=None, max_grade=None):
        """A data set of a DataFrame: columns of queries and grades, and features (default: all others)."""
        if not is_frame(frame):
            raise _fivefold.DataError(f"a frame is wanted, not {type(frame).__name__}")
        taken = [qid, grade] + ([] if document_ids is None else [document_ids])
        for column in taken + list(features or []):
            if column not in frame.columns:
                raise _fivefold.DataError(f"the frame has no column {column!r}; it has {', '.join(map(str, frame.columns))}")
        names = [column for column in frame.columns if column not in taken] if features is None else list(features)
        matrix = frame[names].to_numpy(dtype=np.float32)
        ids = None if document_ids is None else frame[document_ids].tolist()
        return cls(matrix, frame[grade].to_numpy(), frame[qid].to_numpy(), document_ids=ids, max_grade=max_grade)

    @classmethod
    def from_letor(cls, path, max_grade=None, threads=0):
        """A data set of a file in LETOR's format (SVMlight with `qid:`), plain or compressed.

        `threads` read it (0: one for each processor). One thread takes longer, and less CPU time in all.
        """
        return cls._of(_fivefold.DatasetCore.of_letor(os.fspath(path), max_grade, int(threads)))

    @classmethod
    def from_npz(cls, path, max_grade=None):
        """A data set of an .npz file with the arrays X, y, and qid or group, and perhaps document_ids."""
        try:
            arrays = np.load(path, allow_pickle=False)
        except (OSError, ValueError, zipfile.BadZipFile) as error:
            raise _fivefold.DataError(f"{path}: {error}; an .npz file of numpy is wanted") from None
        if not hasattr(arrays, "files"):
            raise _fivefold.DataError(f"{path} holds one array; an .npz file with X, y, and qid or group is wanted")
        with arrays:
            lacking = [name for name in ("X", "y") if name not in arrays]
            if lacking or not {"qid", "group"} & set(arrays):
                raise _fivefold.DataError(f"{path}: the arrays X, y, and qid or group are wanted; there are {', '.join(arrays)}")
            queries = {name: arrays[name] for name in ("qid", "group", "document_ids") if name in arrays}
            return cls(arrays["X"], arrays["y"], max_grade=max_grade, **queries)

    @classmethod
    def from_parquet(cls, path, qid="qid", grade="grade", features=None, document_ids=None, max_grade=None):
        """A data set of a Parquet file: columns of queries and grades, and features (default: all others).

        A column document_id holds the ids of documents, unless another column is named. The package pyarrow reads the file; pandas is not needed.
        """
        table = read_parquet(path)
        if document_ids is None and "document_id" in table.column_names:
            document_ids = "document_id"
        taken = [qid, grade] + ([] if document_ids is None else [document_ids])
        for column in taken + list(features or []):
            if column not in table.column_names:
                raise _fivefold.DataError(f"{path} has no column {column!r}; it has {', '.join(table.column_names)}")
        names = [column for column in table.column_names if column not in taken] if features is None else list(features)
        matrix = np.empty((table.num_rows, len(names)), dtype=np.float32)
        for place, name in enumerate(names):
            values = table[name].to_numpy()
            if not (np.issubdtype(values.dtype, np.number) or values.dtype == bool):
                raise _fivefold.DataError(f"{path}: column {name!r} holds {table[name].type}, not numbers; name the features")
            matrix[:, place] = values
        ids = None if document_ids is None else table[document_ids].to_pylist()
        return cls(matrix, table[grade].to_numpy(), table[qid].to_numpy(), document_ids=ids, max_grade=max_grade)

    @property
    def documents(self):
        """How many documents there are."""
        return self._core.documents

    @property
    def width(self):
        """How many features a document has."""
        return self._core.width

    @property
    def max_grade(self):
        """The highest grade."""
        return self._core.max_grade

    @property
    def query_ids(self):
        """The id of each query."""
        return self._core.query_ids

    @property
    def document_ids(self):
        """The id of each document; None if documents have no ids."""
        return self._core.document_ids

    @property
    def bounds(self):
        """The first document of each query, and the number of documents."""
        return self._core.bounds

    @property
    def y(self):
        """The grade of each document."""
        return self._core.grades

    @property
    def X(self):
        """The features: documents x features."""
        return self._core.features.reshape(self.documents, self.width)

    @property
    def group(self):
        """The number of documents of each query."""
        return np.diff(self.bounds)

    def to_letor(self, path):
        """Writes a file in LETOR's format. A feature that is read again has the same bits."""
        self._core.write_letor(os.fspath(path))

    def to_npz(self, path):
        """Writes an .npz file with the arrays X, y, qid and, if there are any, document_ids; `from_npz` reads it."""
        ids = self.document_ids
        more = {} if ids is None else {"document_ids": np.array(ids)}
        np.savez(path, X=self.X, y=self.y, qid=np.repeat(self.query_ids, self.group), **more)

    def to_parquet(self, path):
        """Writes a Parquet file with the columns qid, grade, document_id if there are ids, and f1, f2, ...

        The package pyarrow writes the file, and `from_parquet` reads it to the same bits.
        """
        matrix = self.X
        columns = {"qid": np.repeat(self.query_ids, self.group).tolist(), "grade": self.y}
        if (ids := self.document_ids) is not None:
            columns["document_id"] = ids
        columns |= {f"f{place}": matrix[:, place - 1] for place in range(1, self.width + 1)}
        write_parquet(path, columns)

    def select(self, queries):
        """The queries at these places, in this order."""
        return Dataset._of(self._core.select([int(query) for query in queries]))

    def folds(self, seed=0):
        """Five folds: a seeded draw deals the queries to five parts, which take turns as test part.

        An experiment deals the queries of one file so (`layout = "one-file"`, `fold_seed = 0`).

        Returns
        -------
        list of Fold
            Each with its parts `train`, `valid` and `test`.
        """
        return [Fold(*map(Dataset._of, parts)) for parts in self._core.folds(seed)]

    @property
    def train(self):
        """The training part of the first of `folds()`: three fifths of the queries."""
        return self.folds()[0].train

    @property
    def valid(self):
        """The validation part of the first of `folds()`: a fifth of the queries."""
        return self.folds()[0].valid

    @property
    def test(self):
        """The test part of the first of `folds()`: a fifth of the queries."""
        return self.folds()[0].test

    def __len__(self):
        return len(self._core)

    def __repr__(self):
        return f"Dataset({len(self)} queries, {self.documents} documents, {self.width} features)"


class Fold(NamedTuple):
    """The parts of a fold."""

    train: Dataset
    valid: Dataset
    test: Dataset


def _matrix(X):
    is_sparse = hasattr(X, "tocsr")
    # A sparse matrix is changed to float32 first, while it is small.
    given = X.astype(np.float32).toarray() if is_sparse else np.asarray(X)
    if given.ndim != 2:
        raise _fivefold.DataError(f"features are documents x features, not an array of shape {given.shape}")
    if not np.issubdtype(given.dtype, np.number) or np.issubdtype(given.dtype, np.complexfloating):
        raise _fivefold.DataError(f"features are numbers, not {given.dtype}")
    matrix = np.ascontiguousarray(given, dtype=np.float32)
    if (is_sparse or matrix is not given) and matrix.nbytes > LARGE_COPY:
        import warnings

        layout = "sparse" if is_sparse else "C-contiguous" if given.flags.c_contiguous else "not C-contiguous"
        warnings.warn(
            f"the features ({X.dtype if is_sparse else given.dtype}, {layout}) were copied: {matrix.nbytes >> 20} MiB. "
            "A C-contiguous float32 array is not copied",
            stacklevel=3,
        )
    _check_finite(matrix)
    return matrix


def _check_finite(matrix):
    """Refuses a feature that is no finite number. Few rows at a time, so that no large array is made."""
    rows = max(1, CHECKED // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), rows):
        finite = np.isfinite(matrix[start : start + rows])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            row += start
            raise _fivefold.DataError(f"feature {column} of document {row} (both from 0) is {matrix[row, column]}")


def _grades(y, rows):
    given = np.asarray(y)
    if given.shape != (rows,):
        raise _fivefold.DataError(f"{given.shape} grades for {rows} documents")
    if not (np.issubdtype(given.dtype, np.number) or given.dtype == bool):
        raise _fivefold.DataError(f"grades are whole numbers, not {given.dtype}")
    wrong = np.flatnonzero(~((given >= 0) & (given <= 255) & (given == np.floor(given))))
    if len(wrong):
        raise _fivefold.DataError(f"the grade of document {wrong[0]} (from 0) is {given[wrong[0]]}, not a whole number from 0")
    return given.astype(np.uint8)


def _queries(qid, group, rows):
    if (qid is None) == (group is None):
        raise _fivefold.DataError("give qid, the query of each document, or group, the number of documents of each query")
    if group is not None:
        sizes = np.asarray(group)
        if sizes.ndim != 1 or sizes.sum() != rows:
            raise _fivefold.DataError(f"group adds up to {sizes.sum()}, and there are {rows} documents")
        return [0, *np.cumsum(sizes).tolist()], [str(number + 1) for number in range(len(sizes))]
    ids = np.asarray(qid)
    if ids.shape != (rows,):
        raise _fivefold.DataError(f"{ids.shape} query ids for {rows} documents")
    starts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]]) if rows else np.array([], dtype=int)
    names = [str(own) for own in ids[starts].tolist()]
    seen = {}
    for place, name in enumerate(names):
        if name in seen:
            raise _fivefold.DataError(
                f"query {name} begins at document {starts[seen[name]]} and again at {starts[place]} (from 0); "
                "sort the documents by query first"
            )
        seen[name] = place
    return [*starts.tolist(), rows], names
