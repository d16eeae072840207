"""The figures of `scaling`: one panel a work, logarithmic on both axes, as SVG.

    python scaling_plots.py growth.json docs/book/pages/images/performance
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update(
    {
        "svg.hashsalt": "fivefold",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)
import matplotlib.pyplot as plt  # noqa: E402

COLUMNS = 5
SHORTEST = 0.002  # seconds; the clock is no finer
LABELS = {"cpu": "CPU time, s", "wall": "wall time, s", "peak": "peak memory, MB"}
FIGURES = [(axis, key, name) for axis in ("documents", "features") for key, name in (("cpu", "time"), ("peak", "memory"))]
FIGURES += [("threads", "wall", "time"), ("threads", "peak", "memory")]
DOCUMENTS_OF_WIDTHS, FEATURES = 1e5, 136


def matrix(axis, size):
    """MB of the f32 matrix."""
    return size * (FEATURES if axis == "documents" else DOCUMENTS_OF_WIDTHS) * 4 / 1e6


def figure(axis, key, works, path):
    rows = -(-len(works) // COLUMNS)
    plot, panels = plt.subplots(
        rows, COLUMNS, figsize=(2.4 * COLUMNS, 2.2 * rows), sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for panel in panels.flat[len(works) :]:
        panel.set_visible(False)
    for number, (panel, (name, points)) in enumerate(zip(panels.flat, works.items())):
        points = [point for point in points if key != "cpu" or point["cpu"] >= SHORTEST]
        sizes, values = [point["size"] for point in points], [point[key] for point in points]
        ends = [sizes[0], sizes[-1]]
        if axis == "threads":
            if key == "wall":
                panel.plot(ends, [values[0] / size for size in ends], "--", color="0.6", label="time / threads")
        elif key == "peak":
            panel.plot(ends, [matrix(axis, size) for size in ends], "--", color="0.6", label="the f32 matrix")
        else:
            panel.plot(ends, [values[-1] * size / sizes[-1] for size in ends], "--", color="0.6", label="linear")
        panel.plot(sizes, values, "o-", color="#1b6ca8", markersize=3.5, label="measured")
        panel.set(xscale="log", yscale="log", title=name)
        panel.title.set_fontsize(9)
        if axis == "threads":
            panel.set_xticks(sizes, [str(size) for size in sizes])
            panel.minorticks_off()
        panel.grid(True, color="0.92")
        if number % COLUMNS == 0:
            panel.set_ylabel(LABELS[key])
        if number + COLUMNS >= len(works):
            panel.set_xlabel(axis)
            panel.tick_params(labelbottom=True)
    panels.flat[0].legend(frameon=False, fontsize=8)
    plot.savefig(path, metadata={"Date": None})
    plt.close(plot)


def main():
    growth, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for axis, key, name in FIGURES:
        works = {work: points for work, points in growth.get(axis, {}).items() if len(points) > 1}
        if works:
            figure(axis, key, works, folder / f"{name}-{axis}.svg")


if __name__ == "__main__":
    main()
