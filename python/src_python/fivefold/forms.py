"""Forms of data: frames of pandas, known by what they can do, so that pandas stays optional."""

from ._fivefold import DataError


def is_frame(value):
    """Whether a value is a DataFrame."""
    return hasattr(value, "columns") and hasattr(value, "groupby")


def columns_of(frame, *wanted):
    """The columns of a frame, each under the first of its usual names, as lists.

    Ids are texts: a number of pandas is written as Python writes it.
    """
    found = []
    for names in wanted:
        known = [name for name in names if name in frame.columns and name not in [own for own, _ in found]]
        if not known:
            have = ", ".join(map(str, frame.columns))
            raise DataError(f"the frame has no column {' or '.join(names)}; it has {have}")
        found.append((known[0], frame[known[0]]))
    (_, topics), (_, documents), (name, numbers) = found
    if numbers.isna().any():
        raise DataError(f"column {name} has a missing value in row {int(numbers.isna().to_numpy().argmax())} (from 0)")
    return topics.tolist(), documents.tolist(), numbers.tolist()
