"""Tables of the program: for a notebook, a paper, or pandas."""

import csv
import io
from collections.abc import Sequence
from html import escape

from .parquet import write_parquet


class Tabular:
    """A table that can be shown, written into a paper, or kept in a file.

    Attributes
    ----------
    title : str
    columns : list of str
    notes : list of str
        The conventions of the numbers, a line each.
    """

    title: str = ""
    columns: Sequence[str] = ()
    notes: Sequence[str] = ()

    def _values(self):
        """Rows of texts, numbers with all digits, and None for a missing number."""
        raise NotImplementedError

    def _texts(self, digits):
        """Rows of texts, with so many digits after the point of a number."""
        return [[text_of(value, digits) for value in row] for row in self._values()]

    @property
    def frame(self):
        """A DataFrame, with NaN for a missing number."""
        import pandas as pd

        return pd.DataFrame(self._values(), columns=list(self.columns))

    def to_markdown(self, digits=4):
        """The table in Markdown, with its notes below."""
        return markdown(self.columns, self._texts(digits), self.notes)

    def to_html(self, digits=4):
        """The table in HTML, with its title and notes as a caption."""
        return html(self.columns, self._texts(digits), [*filter(None, [self.title]), *self.notes])

    def _repr_html_(self):
        return self.to_html()

    def to_latex(self, digits=4):
        """The table in LaTeX (booktabs), with its notes as comments."""
        numbers = [all(isinstance(value, (int, float, type(None))) for value in column) for column in zip(*self._values())]
        spec = "".join("r" if is_number else "l" for is_number in numbers) or "l" * len(self.columns)
        return latex(self.columns, self._texts(digits), self.notes, spec)

    def to_csv(self, path=None):
        """The table as CSV, with all digits of a number: into a file, or returned if no path is given.

        A missing number is an empty field. The notes are not part of CSV.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([["" if value is None else value for value in row] for row in self._values()])
        if path is None:
            return text.getvalue()
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())
        return None

    def to_parquet(self, path):
        """Writes a Parquet file, with title and notes in its metadata `fivefold`.

        The package pyarrow writes the file. A column that has texts and numbers is written as texts.
        """
        columns = {}
        for name, *values in zip(self.columns, *self._values()):
            if any(isinstance(value, str) for value in values):
                values = [value if value is None or isinstance(value, str) else repr(value) for value in values]
            # Two columns of one name would be one column.
            columns[name if name not in columns else f"{name} ({len(columns) + 1})"] = values
        write_parquet(path, columns, title=self.title, notes=list(self.notes))

    def __len__(self):
        return len(self._values())


class Table(Tabular):
    """A table of the program.

    Attributes
    ----------
    id, title : str
    columns : list of str
    rows : list of list
        Texts, numbers with all digits, and None for a missing number.
    notes : list of str
    """

    def __init__(self, told):
        self.id, self.title, self.columns, self.notes = told["id"], told["title"], told["columns"], told["notes"]
        self._cells = told["rows"]
        self.rows = [[_value(cell) for cell in row] for row in told["rows"]]

    def _values(self):
        return self.rows

    def _texts(self, digits):
        return [[_shown(cell, digits) for cell in row] for row in self._cells]

    def to_markdown(self, digits=None):
        """The table in Markdown, with its notes below; `digits` in place of the program's."""
        return super().to_markdown(digits)

    def to_html(self, digits=None):
        """The table in HTML, with its title and notes as a caption; `digits` in place of the program's."""
        return super().to_html(digits)

    def to_latex(self, digits=None):
        """The table in LaTeX (booktabs), with its notes as comments; `digits` in place of the program's."""
        return super().to_latex(digits)

    def __repr__(self):
        cells = [self.columns, *self._texts(None)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(self.columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells]
        return "\n".join([self.title, *lines, *(f"  {note}" for note in self.notes)])


class Tables(tuple):
    """Tables, in their order; `tables["means"]` is that with the id."""

    def __new__(cls, told):
        return super().__new__(cls, [own if isinstance(own, Table) else Table(own) for own in told])

    @property
    def ids(self):
        """The id of each table."""
        return [table.id for table in self]

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        for table in self:
            if table.id == key:
                return table
        raise KeyError(f"no table {key!r}; there are {', '.join(self.ids)}")

    def _repr_html_(self):
        return "".join(table.to_html() for table in self)

    def __repr__(self):
        return "\n\n".join(map(repr, self))


def _value(cell):
    ((kind, value),) = cell.items()
    if kind == "number":
        return value["value"]
    return None if kind == "missing" else value


def _shown(cell, digits):
    ((kind, value),) = cell.items()
    if kind == "number":
        return f"{value['value']:.{value['digits'] if digits is None else digits}f}"
    return f"{value:.4g}" if kind == "p_value" else str(value)


def text_of(value, digits):
    """A value of a table as a text."""
    if value is None or value != value:
        return "undefined"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def markdown(columns, cells, notes):
    """Cells in Markdown, with notes below."""
    rows = [columns, ["---"] * len(columns), *cells]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([*lines, "", *(f"- {note}" for note in notes)])


def html(columns, cells, notes):
    """Cells in HTML, with notes as a caption."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
    caption = escape("; ".join(notes))
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def latex(columns, cells, notes, spec):
    """Cells in LaTeX (booktabs), with notes as comments."""
    head, *lines = [" & ".join(map(_latex, row)) + r" \\" for row in [columns, *cells]]
    comments = [f"% {note}" for note in notes]
    begin = rf"\begin{{tabular}}{{{spec}}}"
    return "\n".join([*comments, begin, r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"])


def _latex(text):
    """A text in which nothing is a command of LaTeX."""
    special = {letter: "\\" + letter for letter in "&%$#_{}"}
    special |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(letter, letter) for letter in text)
