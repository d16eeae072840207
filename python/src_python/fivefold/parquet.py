"""Parquet files, by the package pyarrow, which is optional."""

import json
import os

from ._fivefold import ConfigError, DataError


def _pyarrow():
    try:
        import pyarrow.parquet
    except ImportError:
        raise ConfigError("Parquet files need the package pyarrow: pip install pyarrow") from None
    return pyarrow


def read_parquet(path):
    """The table of a file."""
    pyarrow = _pyarrow()
    try:
        return pyarrow.parquet.read_table(os.fspath(path))
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise DataError(f"{path}: {error}") from None


def write_parquet(path, columns, **about):
    """Writes columns, a dict of lists or arrays. What else is given is kept as the metadata `fivefold`, in JSON."""
    pyarrow = _pyarrow()
    table = pyarrow.table(dict(columns))
    if about:
        table = table.replace_schema_metadata({"fivefold": json.dumps(about)})
    pyarrow.parquet.write_table(table, os.fspath(path))
