"""The registries of the program: all that is asked for by a name. Docstrings take their lists from here."""

import json
import textwrap

from . import _fivefold

#: Registry -> its entries, each with a name and what the program says of it.
REGISTRIES = json.loads(_fivefold.registries())

#: The longest line of a docstring.
WIDTH = 100


def summaries(registry):
    """The names of a registry, with a line about each."""
    return {entry["name"]: entry["summary"] for entry in REGISTRIES[registry]}


def with_registries(described):
    """Puts the entries of a registry in the place of each line `[[REGISTRY]]` of a docstring."""
    lines = []
    for line in (described.__doc__ or "").splitlines():
        name = line.strip().removeprefix("[[").removesuffix("]]")
        if line.strip() == f"[[{name}]]":
            indent = line[: len(line) - len(line.lstrip())]
            lines += [own for entry in REGISTRIES[name] for own in _entry(entry, indent)]
        else:
            lines.append(line)
    described.__doc__ = "\n".join(lines)
    return described


def parameter_lines(name, default, about, indent):
    """The lines about a parameter: its name, its default, and its range and meaning."""
    more = indent + "    "
    return [f"{indent}{name} : default {default}", *wrapped(about, more, more)]


def _entry(entry, indent):
    if "help" in entry:
        return parameter_lines(entry["name"], entry["default"], entry["help"], indent)
    lines = wrapped(f"{entry['name']} : {entry['summary']}", indent, indent + "    ")
    if "cutoff" in entry:
        lines += wrapped(f"Cutoff: {entry['cutoff']}.", indent + "    ", indent + "    ")
    for own in entry["parameters"]:
        about = "; ".join(filter(None, [own["help"], own["values"]]))
        lines += parameter_lines(own["name"], own["default"], about, indent + "    ")
    return lines


def wrapped(text, first, rest):
    plain = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, **plain)
