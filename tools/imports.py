#!/usr/bin/env python3
"""Draws which crates import which, and which files of a crate import each other in circles.

    python3 tools/imports.py CHECKOUT DRAWING.svg     writes the drawing
    python3 tools/imports.py CHECKOUT                 prints a table: crate, files, lines, largest circle

Reads `use crate::`, `use super::` and `fivefold_*::` in the sources, without their tests. A file's
imports are counted as in `tests/tests/end_to_end/structure.rs`: a name that a module passes on by
`pub use` leads to the module that it comes from. A circle is a strongly connected component: files
each of which can be reached from each other one by imports.
"""

import math
import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

# They use what they try, so that an arrow to them says nothing of the design.
LEFT_OUT = {"fivefold-bench", "fivefold-fuzz"}


# Files and what they import.


def sources(crate):
    """The code of each module of a crate, by its path within the crate; the root is ()."""
    found = {}
    for file in sorted((crate / "src").rglob("*.rs")):
        place = file.relative_to(crate / "src").with_suffix("").parts
        module = place[:-1] if place[-1] in ("lib", "main", "mod") else place
        if {"tests", "testing"} & set(module):
            continue
        code = file.read_text().split("#[cfg(test)]\nmod tests {")[0]
        lines = [line.split("//")[0] for line in code.splitlines()]
        found.setdefault(module, []).extend(lines)
    return found


def expanded(before, tree):
    """`a::{b, c::d}` as [a, b] and [a, c, d]."""
    names = lambda text: [name.strip() for name in text.split("::") if name.strip()]
    head, brace, rest = tree.strip().partition("{")
    if not brace:
        return [before + names(head.split(" as ")[0])]
    rest = rest[:-1] if rest.endswith("}") else rest
    depth, items = 0, [""]
    for letter in rest:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    inner = before + names(head)
    return [path for item in items if item.strip() for path in expanded(inner, item)]


def imports(lines):
    """The paths that a module imports or names, and those that it passes on by `pub use`."""
    own, passed_on = [], []
    lines = iter(lines)
    for line in lines:
        line = line.strip()
        visibility, is_use, statement = line.partition("use ")
        if is_use and visibility.strip() in ("", "pub", "pub(crate)", "pub(super)"):
            while not statement.endswith(";"):
                statement += next(lines).strip()
            (passed_on if visibility else own).extend(expanded([], statement.rstrip(";")))
        else:
            words = re.split(r"[^\w:]", line)
            own.extend(
                path
                for word in words
                if word.startswith(("crate::", "super::"))
                for path in expanded([], word)
            )
    return own, passed_on


def edges(code):
    """Which modules of a crate each of its modules imports from."""
    found = {module: imports(lines) for module, lines in code.items()}
    passed_on = {
        (module, path[-1]): path for module, (_, public) in found.items() for path in public
    }

    def resolve(module, path, depth=0):
        at, rest = module, path
        if path[0] == "crate":
            at, rest = (), path[1:]
        elif path[0] == "self":
            rest = path[1:]
        elif path[0] == "super":
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
        elif module + (path[0],) not in code:
            return None
        while rest and at + (rest[0],) in code:
            at, rest = at + (rest[0],), rest[1:]
        further = passed_on.get((at, rest[0])) if rest and depth < 5 else None
        return (resolve(at, further, depth + 1) if further else None) or at

    reached = {}
    for module, (own, _) in found.items():
        ends = {resolve(module, path) for path in own if path}
        reached[module] = ends - {None, module}
    return reached


def circles(graph):
    """The files that can be reached from each other, largest circle first; single files are none."""

    def reach(start):
        seen, open_ = set(), [start]
        while open_:
            for end in graph[open_.pop()]:
                if end not in seen:
                    seen.add(end)
                    open_.append(end)
        return seen

    reached = {module: reach(module) for module in graph}
    found = {
        frozenset(other for other in reached[module] if module in reached[other])
        for module in graph
    }
    return sorted((sorted(circle) for circle in found if len(circle) > 1), key=lambda c: (-len(c), c))


class Crate:
    """A crate: its name without `fivefold-`, files, lines, circles, and the crates that it imports."""

    def __init__(self, folder):
        code = sources(folder)
        self.name = folder.name.removeprefix("fivefold-")
        self.files = len(code)
        self.lines = sum(map(len, code.values()))
        self.circles = circles(edges(code))
        text = "\n".join(line for lines in code.values() for line in lines)
        named = set(re.findall(r"\bfivefold_(\w+)::", text))
        self.imports = {name.replace("_", "-") for name in named} - {self.name}


def crates(checkout):
    folders = sorted(path for path in (checkout / "crates").iterdir() if (path / "src").is_dir())
    found = {c.name: c for c in (Crate(f) for f in folders if f.name not in LEFT_OUT)}
    for crate in found.values():
        crate.imports &= found.keys()
    return found


# The drawing.

WIDTH, DOT, PITCH, MARGIN = 1500, 4.2, 12, 14
STYLE = """text { font: 14px sans-serif; fill: #222 } .name { font-weight: bold; font-size: 16px }
.small { font-size: 12px; fill: #555 } .box { fill: #fff; stroke: #888 }
.import { stroke: #7a8ca0; fill: none; stroke-width: 1.3 } .file { fill: #b8c4d0 }
.circle { fill: none; stroke: #e08a3c; stroke-width: 1.4 } .in { fill: #e08a3c }
.large { stroke: #c0222b; stroke-width: 2 } .in.large { fill: #c0222b; stroke: none }"""


def heights(found):
    """How far each crate is above the one that imports none."""
    known = {}

    def height(name):
        if name not in known:
            known[name] = 1 + max((height(other) for other in found[name].imports), default=-1)
        return known[name]

    return {name: height(name) for name in found}


def drawn_imports(found):
    """The imports that no chain of others implies."""

    def below(name):
        return {name}.union(*(below(other) for other in found[name].imports))

    for crate in found.values():
        for to in crate.imports:
            if not any(to in below(other) for other in crate.imports - {to}):
                yield crate.name, to


def rings(crate, most):
    """Places of the dots of a crate: circles as rings, then the other files in rows."""
    x = y = row = 0.0
    shapes = []
    for circle in crate.circles:
        radius = max(7.0, len(circle) * 11 / (2 * math.pi))
        if x and x + 2 * radius + 2 * DOT > most:
            x, y, row = 0.0, y + row, 0.0
        centre = (x + radius + DOT, y + radius + DOT)
        shapes.append(("ring", centre, radius, len(circle)))
        x, row = x + 2 * radius + 3 * DOT, max(row, 2 * radius + 3 * DOT)
    y, left = y + row, crate.files - sum(map(len, crate.circles))
    across = int(most // PITCH)
    for file in range(left):
        shapes.append(("dot", ((file % across + 0.5) * PITCH, y + (file // across + 0.5) * PITCH)))
    return shapes, y + math.ceil(left / across) * PITCH


def ways(found):
    """Each drawn import as a way down: its crates, and between them a lane in each level it passes."""
    above = heights(found)
    for one, other in sorted(drawn_imports(found)):
        lanes = [(one, other, level) for level in range(above[one] - 1, above[other], -1)]
        yield [one, *lanes, other]


def placed(found):
    """The box of each crate and lane (x, y, width, height, shapes), and the height of the drawing."""
    above, importers = heights(found), {}
    levels = {name: level for name, level in above.items()}
    for way in ways(found):
        for upper, lower in zip(way, way[1:]):
            importers.setdefault(lower, []).append(upper)
            levels.setdefault(lower, lower[-1])
    y, boxes = 62.0, {}
    middle = lambda box: box[0] + box[2] / 2
    for level in range(max(above.values()), -1, -1):
        row = [name for name, of in levels.items() if of == level]
        wish = {n: [middle(boxes[m]) for m in importers.get(n, [])] or [WIDTH / 2] for n in row}
        row.sort(key=lambda n: (sum(wish[n]) / len(wish[n]), str(n)))
        widths = [20 if n not in found else 170 if found[n].files <= 40 else 250 for n in row]
        free = (WIDTH - sum(widths)) / (len(row) + 1)
        x, tallest = free, 0.0
        for name, width in zip(row, widths):
            shapes, height = rings(found[name], width - 2 * MARGIN) if name in found else ([], 0)
            boxes[name] = [x, y, width, height + 62, shapes]
            x, tallest = x + width + free, max(tallest, height + 62)
        for name in row:
            if name not in found:
                boxes[name][3] = tallest
        y += tallest + 58
    return boxes, y - 30


def line(way, boxes):
    """The path of an import, from the lower edge of its crate to the upper edge of the other one."""
    x, y, width, height, _ = boxes[way[0]]
    at = (x + width / 2, y + height)
    path = f"M{at[0]:.0f} {at[1]:.0f}"
    for name in way[1:]:
        x, y, width, height, _ = boxes[name]
        end, bend = x + width / 2, max(26, (y - at[1]) / 2)
        path += f" C{at[0]:.0f} {at[1] + bend:.0f} {end:.0f} {y - bend:.0f} {end:.0f} {y:.0f}"
        at = (end, y + height)
        if name != way[-1]:
            path += f" V{at[1]:.0f}"
    return path


def svg(found, title):
    boxes, height = placed(found)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}">',
        f"<style>{STYLE}</style><rect width='{WIDTH}' height='{height:.0f}' fill='#f6f8fa'/>",
        f'<text x="20" y="30" class="name">{escape(title)}</text>',
        '<text x="20" y="48" class="small">A dot is a file, a ring files that import each other in a '
        "circle (red: more than four). A line: the upper crate imports the lower one; what a chain of "
        "lines implies is not drawn.</text>",
    ]
    out += [f'<path class="import" d="{line(way, boxes)}"/>' for way in ways(found)]
    for name, crate in found.items():
        x, y, w, h, shapes = boxes[name]
        sizes = f"{crate.files} files, {crate.lines} lines"
        out.append(f'<rect class="box" x="{x:.0f}" y="{y:.0f}" width="{w}" height="{h:.0f}" rx="5"/>')
        out.append(f'<text class="name" x="{x + MARGIN:.0f}" y="{y + 22:.0f}">{escape(name)}</text>')
        out.append(f'<text class="small" x="{x + MARGIN:.0f}" y="{y + 40:.0f}">{sizes}</text>')
        for kind, (cx, cy), *ring in shapes:
            cx, cy = cx + x + MARGIN, cy + y + 50
            if kind == "dot":
                out.append(f'<circle class="file" cx="{cx:.1f}" cy="{cy:.1f}" r="{DOT}"/>')
                continue
            radius, files = ring
            large = " large" if files > 4 else ""
            out.append(f'<circle class="circle{large}" cx="{cx:.1f}" cy="{cy:.1f}" r="{radius:.1f}"/>')
            for file in range(files):
                turn = 2 * math.pi * file / files
                at = (cx + radius * math.cos(turn), cy + radius * math.sin(turn))
                out.append(f'<circle class="in{large}" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{DOT}"/>')
    return "\n".join(out + ["</svg>\n"])


def main(checkout, drawing=None):
    found = crates(Path(checkout))
    if drawing:
        title = f"{len(found)} crates, {sum(c.files for c in found.values())} files"
        Path(drawing).write_text(svg(found, title))
        return
    print("| crate | files | lines | largest circle |\n|---|---|---|---|")
    for crate in found.values():
        largest = max(map(len, crate.circles), default=1)
        print(f"| {crate.name} | {crate.files} | {crate.lines} | {largest} |")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
