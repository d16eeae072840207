"""Tables of the program: for a notebook, a paper, or pandas."""

from html import escape


class Table:
    """A table.

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

    @property
    def frame(self):
        """A DataFrame, with NaN for a missing number."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self.columns)

    def _shown(self):
        return [[_shown(cell) for cell in row] for row in self._cells]

    def to_markdown(self):
        """The table in Markdown, with its notes below."""
        return markdown(self.columns, self._shown(), self.notes)

    def to_html(self):
        """The table in HTML, with its title and notes as a caption."""
        return html(self.columns, self._shown(), [self.title, *self.notes])

    _repr_html_ = to_html

    def to_latex(self):
        """The table in LaTeX (booktabs), with its notes as comments."""
        return latex(self.columns, self._shown(), self.notes, "l" * len(self.columns))

    def __len__(self):
        return len(self.rows)

    def __repr__(self):
        cells = [self.columns, *self._shown()]
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


def _shown(cell):
    ((kind, value),) = cell.items()
    if kind == "number":
        return f"{value['value']:.{value['digits']}f}"
    return f"{value:.4g}" if kind == "p_value" else str(value)


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
