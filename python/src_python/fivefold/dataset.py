"""Queries with graded documents and their features."""

import os

import numpy as np

from . import _fivefold
from .forms import is_frame

#: The least size of a copy that is said, in bytes.
LARGE_COPY = 100 << 20


class Dataset:
    """Queries with graded documents and their features.

    `Dataset(X, y, qid)` takes a matrix of documents x features, a grade for each document, and the
    query of each document. Documents of a query stand together. A C-contiguous matrix of float32 is
    not copied: do not change it while the data set is in use.
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
    def from_letor(cls, path, max_grade=None):
        """A data set of a file in LETOR's format (SVMlight with `qid:`), plain or compressed."""
        return cls._of(_fivefold.DatasetCore.of_letor(os.fspath(path), max_grade))

    @classmethod
    def from_npz(cls, path, max_grade=None):
        """A data set of an .npz file with the arrays X, y, and qid or group."""
        with np.load(path, allow_pickle=False) as arrays:
            lacking = [name for name in ("X", "y") if name not in arrays]
            if lacking or not {"qid", "group"} & set(arrays):
                raise _fivefold.DataError(f"{path}: the arrays X, y, and qid or group are wanted; there are {', '.join(arrays)}")
            queries = {name: arrays[name] for name in ("qid", "group") if name in arrays}
            return cls(arrays["X"], arrays["y"], max_grade=max_grade, **queries)

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

    def select(self, queries):
        """The queries at these places, in this order."""
        return Dataset._of(self._core.select([int(query) for query in queries]))

    def __len__(self):
        return len(self._core)

    def __repr__(self):
        return f"Dataset({len(self)} queries, {self.documents} documents, {self.width} features)"


def _matrix(X):
    if hasattr(X, "tocsr"):
        X = X.toarray()
    given = np.asarray(X)
    if given.ndim != 2:
        raise _fivefold.DataError(f"features are documents x features, not an array of shape {given.shape}")
    if not np.issubdtype(given.dtype, np.number):
        raise _fivefold.DataError(f"features are numbers, not {given.dtype}")
    matrix = np.ascontiguousarray(given, dtype=np.float32)
    if matrix is not given and matrix.nbytes > LARGE_COPY:
        import warnings

        what = f"{given.dtype}, {'C' if given.flags.c_contiguous else 'not C'}-contiguous"
        warnings.warn(
            f"the features ({what}) were copied: {matrix.nbytes >> 20} MiB. A C-contiguous float32 array is not copied",
            stacklevel=3,
        )
    wrong = np.argwhere(~np.isfinite(matrix))
    if len(wrong):
        row, column = wrong[0]
        raise _fivefold.DataError(f"feature {column} of document {row} (both from 0) is {matrix[row, column]}")
    return matrix


def _grades(y, rows):
    given = np.asarray(y)
    if given.shape != (rows,):
        raise _fivefold.DataError(f"{given.shape} grades for {rows} documents")
    wrong = np.flatnonzero(~((given >= 0) & (given <= 255) & (given == np.floor(given))))
    if len(wrong):
        raise _fivefold.DataError(f"the grade of document {wrong[0]} (from 0) is {given[wrong[0]]}, not a whole number from 0")
    return given.astype(np.uint8).tolist()


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
