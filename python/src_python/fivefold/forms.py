"""Forms of data: files, dicts, and frames of pandas, known by what they can do, so that pandas stays optional."""

import math
import os
from collections.abc import Mapping

from ._fivefold import DataError

#: Columns of topics, documents and numbers, as ir_measures, ranx and pandas users name them.
TOPIC = ("query_id", "q_id", "qid", "topic", "topic_id", "query")
DOCUMENT = ("doc_id", "docno", "docid", "document", "doc")
GRADE = ("relevance", "score", "rel", "grade", "label")
SCORE = ("score",)


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


def plain(table):
    """A mapping of mappings as dicts of Python's own type, which is not copied if it is one."""
    if type(table) is dict and all(type(documents) is dict for documents in table.values()):
        return table
    return {topic: dict(own) if isinstance(own, Mapping) else own for topic, own in table.items()}


def as_file(source, folder, name, numbers):
    """The path of a TREC file: the source itself, or a file in the folder with its qrels or run.

    `numbers` is GRADE or SCORE. A number that is read again has the same bits.
    """
    if isinstance(source, (str, os.PathLike)):
        return source
    if is_frame(source):
        lines = zip(*columns_of(source, TOPIC, DOCUMENT, numbers))
    elif isinstance(source, Mapping):
        lines = ((topic, *pair) for topic, documents in source.items() for pair in documents.items())
    else:
        raise DataError(f"qrels and runs are paths, dicts or frames, not {type(source).__name__}")
    form = "{0} 0 {1} {2}\n" if numbers is GRADE else "{0} Q0 {1} 0 {2} {3}\n"
    path = folder / name
    with open(path, "w", encoding="utf-8", newline="") as file:
        for topic, document, number in lines:
            number = _whole(number, topic, document) if numbers is GRADE else repr(float(number))
            file.write(form.format(_id(topic, "topic"), _id(document, "document"), number, name))
    return path


def _whole(grade, topic, document):
    if not math.isfinite(grade) or grade != int(grade):
        raise DataError(f"topic {topic}: the grade of document {document} is {grade}, not a whole number")
    return int(grade)


def _id(own, what):
    text = str(own)
    if text.split() != [text] or (what == "topic" and text.startswith("#")):
        raise DataError(f"the id {text!r} of a {what} cannot stand in a TREC file: blanks separate fields there, and # begins a comment")
    return text
