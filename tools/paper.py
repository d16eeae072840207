"""The tables of the book's page on the paper's conclusions: do the paper's conclusions hold in our runs?

    python3 tools/paper.py runs/conclusions

Runs the experiments of RUNS into the folder (a second run trains nothing anew), reads the tables.json of each, and judges every
conclusion by the same rule on our numbers and on the printed ones (published/feng-karmaker-2023). Needs Python 3.11, the program
`fivefold` (or the one that FIVEFOLD names) and the data in the folder that FIVEFOLD_DATA names.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

ROOT = Path(__file__).resolve().parent.parent

# The collections that stand for the paper's in `paper` and `paper-tuned`, and that `paper-per-fold` has.
HERE = """
[[dataset]]
name = "mq2008"
label = "MQ2008"
uninformative = 300
ideal = 300

[[dataset]]
name = "ohsumed"
label = "OHSUMED"
uninformative = 40
ideal = 40
"""


def as_shipped(text):
    return text


def here(text):
    """The experiment with its collections exchanged for HERE."""
    return re.sub(r"\[\[dataset\]\]\n(?:.+\n)+\n", "", text) + HERE


def skip(text):
    """The experiment with means over the queries where a value is defined."""
    return text.replace("[evaluation]\n", '[evaluation]\nundefined = "skip"\n')


# Label, experiment, change of it.
RUNS = [
    ("paper", "paper", here),
    ("paper-tuned", "paper-tuned", here),
    ("paper-per-fold", "paper-per-fold", as_shipped),
    ("mq2008", "mq2008", as_shipped),
    ("ohsumed", "ohsumed", as_shipped),
    ("mq2008-systems", "mq2008-systems", as_shipped),
    ("quickstart", "quickstart", as_shipped),
    ("paper, skip", "paper", lambda text: skip(here(text))),
    ("paper-tuned, skip", "paper-tuned", lambda text: skip(here(text))),
    ("paper-per-fold, skip", "paper-per-fold", skip),
    ("mq2008, skip", "mq2008", skip),
    ("mq2008-systems, skip", "mq2008-systems", skip),
]

# The runs that differ in the settings of the eight methods alone.
SETTINGS = ["paper", "paper-tuned", "paper-per-fold"]

# How a table's id ends, and what derived.toml calls it.
STATISTICS = {
    "kendall-tau": "kendall_tau",
    "conflicts": "conflicts",
    "discriminative-power": "discriminative_power",
    "pad": "pad_percent",
    "swap-data-sets": "swap_rate_across_datasets",
    "swap-uninformative-ideal": "swap_rate_uninformative_vs_ideal",
}
VERDICTS = {True: "holds", False: "**no**", None: "cannot tell"}
VERSIONS = ["ndcg.v1", "ndcg.v2", "ap.v1", "ap.v2"]


def published():
    """{(run, data sets): {(statistic, measure, query set): value}} of the printed tables."""
    rows = {}
    tables = tomllib.loads((ROOT / "published/feng-karmaker-2023/derived.toml").read_text())
    for row in tables["derived"]:
        values = rows.setdefault(("printed", row["dataset"].upper().replace(" VS ", " : ")), {})
        for column in ("all", "uninformative", "ideal", "value"):
            if column in row:
                values[row["statistic"], row["metric"], column] = row[column]
    return rows


PRINTED = published()
LOWEST_TAU = min(value for row in PRINTED.values() for key, value in row.items() if key[::2] == ("kendall_tau", "all"))


def number(cell):
    return cell["count"] if "count" in cell else cell.get("number", {}).get("value")


def ours(label, folder):
    """The same of a results folder. A percentage that rests on negative scores is left out: it measures no difference."""
    rows = {}
    for table in json.loads((folder / "tables.json").read_text())["tables"]:
        statistic = next((name for end, name in STATISTICS.items() if table["id"].endswith(end)), None)
        if statistic is None:
            continue
        negative = [note.rsplit("): ")[-1] for note in table["notes"] if note.startswith("negative scores")]
        negative = "".join(negative).split("; ")
        labels, columns = table["label_columns"], table["columns"]
        for row in table["rows"]:
            for column, cell in zip(columns[labels:], row[labels:]):
                # Two label columns are data set and measure; with one, the data sets are the columns.
                data, measure = (row[0]["text"], row[1]["text"]) if labels == 2 else (column, row[0]["text"])
                value, query_set = number(cell), column if labels == 2 else "value"
                if value is not None and f"{data}, {query_set}, {measure}" not in negative:
                    rows.setdefault((label, data), {})[statistic, measure, query_set] = value
    return rows


def run(folder, label, experiment, change):
    place = folder / label.replace(", ", "-")
    place.with_suffix(".toml").write_text(change((ROOT / "experiments" / f"{experiment}.toml").read_text()))
    program = os.environ.get("FIVEFOLD", "fivefold")
    subprocess.run([program, "run", place.with_suffix(".toml"), "--out", place], check=True, stdout=subprocess.DEVNULL)
    return ours(label, place)


def count(results):
    """How many hold, do not, cannot tell."""
    verdicts = [result[0] for result in results]
    return ", ".join(str(verdicts.count(verdict)) for verdict in VERDICTS)


def show(value):
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:.2f}"


def same_order(values, version):
    tau = values.get(("kendall_tau", version, "all"))
    return None if tau is None else (tau >= LOWEST_TAU, [tau])


def order_changes_where_uninformative(values, version):
    over_all, uninformative = (values.get(("kendall_tau", version, s)) for s in ("all", "uninformative"))
    if over_all is None:
        return None
    return (None if over_all == uninformative else uninformative < over_all), [over_all, uninformative]


def conflicts_where_uninformative(values, version):
    over_all, uninformative, ideal = (values.get(("conflicts", version, s)) for s in ("all", "uninformative", "ideal"))
    if over_all is None:
        return None
    holds = uninformative > max(over_all, ideal) if over_all + uninformative + ideal > 0 else None
    return holds, [over_all, uninformative, ideal]


def rises(statistic, query_set):
    def judge(values, version):
        before, after = (values.get((statistic, m, query_set)) for m in (version.split(".")[0], version))
        if before is None:
            return None
        return (None if after is None or before == after == 0 else after > before), [before, after]

    return judge


def does_not_rise(statistic, query_set):
    def judge(values, version):
        before, after = (values.get((statistic, m, query_set)) for m in (version.split(".")[0], version))
        return None if before is None else (after <= before, [before, after])

    return judge


CONCLUSIONS = [
    ("1. Over all queries the order of the methods changes little",
     "Kendall's tau against the original measure, all queries; holds when not lower than the lowest printed tau over all queries.",
     same_order),
    ("2. The order changes more on uninformative queries",
     "tau over all queries, over uninformative ones; equal values cannot tell.",
     order_changes_where_uninformative),
    ("3. Conflicts in significance are mostly on uninformative queries",
     "Conflicts over all, uninformative, ideal queries; holds when the second is the greatest.",
     conflicts_where_uninformative),
    ("4. On uninformative queries the UE versions tell more pairs apart",
     "Significant differences on uninformative queries, original and version.",
     rises("discriminative_power", "uninformative")),
    ("5. Percentage absolute difference rises, all queries",
     "PAD over all queries, original and version.",
     rises("pad_percent", "all")),
    ("6. Percentage absolute difference rises, uninformative queries",
     "PAD over uninformative queries, original and version; `-`: not defined, because a mean score is negative.",
     rises("pad_percent", "uninformative")),
    ("7. The swap rate between uninformative and ideal queries does not rise",
     "Swap rate, original and version.",
     does_not_rise("swap_rate_uninformative_vs_ideal", "value")),
    ("8. The swap rate between data sets does not rise, all queries",
     "Swap rate, original and version; only runs with two data sets.",
     does_not_rise("swap_rate_across_datasets", "all")),
]


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rows = dict(PRINTED)
    for label, experiment, change in RUNS:
        rows |= run(folder, label, experiment, change)

    summary, settings, tables = [], [], []
    for title, rule, judge in CONCLUSIONS:
        table = [f"### {title}\n\n{rule}\n", f"| run | data | {' | '.join(VERSIONS)} |", f"|---|---|{'---|' * len(VERSIONS)}"]
        groups = {"printed": [], "zero": [], "skip": []}
        by_settings = {label: [] for label in SETTINGS}
        for (label, data), values in rows.items():
            results = [judge(values, version) for version in VERSIONS]
            if all(result is None for result in results):
                continue
            group = "printed" if label == "printed" else "skip" if label.endswith(", skip") else "zero"
            groups[group] += [result for result in results if result is not None]
            if label in by_settings:
                by_settings[label] += [result for result in results if result is not None]
            cells = ["" if r is None else f"{VERDICTS[r[0]]} {', '.join(map(show, r[1]))}" for r in results]
            table.append(f"| {label} | {data} | {' | '.join(cells)} |")
        summary.append(f"| {title} | {' | '.join(map(count, groups.values()))} |")
        settings.append(f"| {title} | {' | '.join(map(count, by_settings.values()))} |")
        tables.append("\n".join(table))
    print("| conclusion | printed | ours | ours, skip |\n|---|---|---|---|")
    print("\n".join(summary) + "\n")
    print(f"| conclusion | {' | '.join(SETTINGS)} |\n|---|{'---|' * len(SETTINGS)}")
    print("\n".join(settings) + "\n")
    print("\n\n".join(tables))


if __name__ == "__main__":
    main()
