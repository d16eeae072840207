#!/usr/bin/env python3
"""Links the program with the functions of its start side by side, so that commands begin sooner.

    python3 tools/start_order.py                    the profile release
    python3 tools/start_order.py --profile dist

A command uses some 3,000 of 130,000 functions, all over the program. The system maps 16 pages
around each place that is used, and that is a third of the time of a short command. The script:

1. builds the program with the names of its functions;
2. notes the functions that short commands use, on runs and files that it makes (valgrind);
3. links the program again, with these functions in front;
4. compares what both programs print, and times both in turns.

The program then lies where cargo puts it (target/release/fivefold) until the next build: copy it
from there. Needs Linux on x86-64, valgrind, and Rust's own linker (lld). Nothing but the places of
functions differs, so results have the same bits.
"""

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TURNS = 100
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def build(profile, arguments):
    """The program, built with further arguments for rustc."""
    command = ["cargo", "rustc", "-q", "--locked", "--profile", profile, "-p", "fivefold", "--bin", "fivefold", "--"]
    subprocess.run([*command, *arguments], cwd=ROOT, check=True)
    metadata = subprocess.check_output(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT)
    folder = "debug" if profile == "dev" else profile
    return Path(json.loads(metadata)["target_directory"]) / folder / "fivefold"


def make_files(folder):
    """Qrels and a run as of a TREC track, and a LETOR file with scores."""
    numbers = random.Random("start_order")
    qrels, run, letor, scores = [], [], [], []
    for topic in range(40):
        ids = numbers.sample(range(8_800_000), 300)
        qrels += [f"{1000 + topic} 0 {document} {numbers.choice([0, 0, 0, 1, 2, 3])}" for document in ids[:250]]
        for rank, document in enumerate(ids[150:250] + ids[250:], 1):
            run.append(f"{1000 + topic} Q0 {document} {rank} {10 / rank + numbers.random() / 1e6!r} tag")
        for _ in range(20):
            features = " ".join(f"{feature}:{numbers.random():.6f}" for feature in range(1, 11))
            letor.append(f"{numbers.choice([0, 0, 1, 2])} qid:{topic} {features}")
            scores.append(repr(numbers.random()))
    for name, lines in [("qrels", qrels), ("run", run), ("letor", letor), ("scores", scores)]:
        (folder / name).write_text("\n".join(lines) + "\n")


def commands():
    """Short commands. That which the last one uses stands first in the program."""
    yield from (["--version"], ["--help"], ["eval", "--help"], ["measures", "ndcg"], ["rankers"], ["datasets"])
    yield ["eval", "--data", "letor", "--scores", "scores"]
    yield ["compare", "--qrels", "qrels", "--runs", "run", "other=run"]
    runs = ["eval", "--qrels", "qrels", "--runs", "run"]
    yield from ([*runs, "--per-query"], [*runs, "--format", "json"], [*runs, "--format", "trec_eval"], runs)


def used(program, arguments, folder):
    """The functions that a command uses, by their names in the program."""
    profile = folder / "callgrind"
    options = ["--tool=callgrind", "--demangle=no", "--compress-strings=no", f"--callgrind-out-file={profile}"]
    subprocess.run(["valgrind", *options, program, *arguments], cwd=folder, check=True, **QUIET)
    # `'2` stands behind the name of a function that calls itself.
    return re.findall(r"^fn=([^'\s]+)", profile.read_text(), re.MULTILINE)


def cpu_ms(program, arguments, folder):
    """User and system time of a command."""
    # Not by `subprocess`, whose own work between fork and start would count.
    actions = [(os.POSIX_SPAWN_OPEN, output, os.devnull, os.O_WRONLY, 0) for output in (1, 2)]
    process = os.posix_spawn(program, [str(program), *arguments], os.environ, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{program} {' '.join(arguments)} failed")
    return 1e3 * (usage.ru_utime + usage.ru_stime), usage.ru_minflt


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="release", help="the cargo profile [default: release]")
    profile = parser.parse_args().profile
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not there; install the package of this name")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder)
        # Help has the name of the program's file.
        before, after, order = folder / "before/fivefold", folder / "after/fivefold", folder / "order"
        before.parent.mkdir()
        after.parent.mkdir()
        shutil.copy(build(profile, ["-C", "strip=none"]), before)
        functions = {}
        for arguments in reversed(list(commands())):
            functions.update(dict.fromkeys(used(before, arguments, folder)))
        order.write_text("\n".join(functions) + "\n")
        options = [f"--symbol-ordering-file={order}", "--no-warn-symbol-ordering"]
        program = build(profile, [f"-Clink-arg=-Wl,{option}" for option in options])
        shutil.copy(program, after)
        os.chdir(folder)
        print(f"{len(functions)} functions in front\n")
        print(f"{'command':44} {'before, ms':>10} {'after, ms':>10} {'page faults':>15}")
        for arguments in commands():
            print_of = [subprocess.check_output([one, *arguments], stderr=subprocess.STDOUT) for one in (before, after)]
            if print_of[0] != print_of[1]:
                sys.exit(f"fivefold {' '.join(arguments)}: both programs do not print the same")
            turns = [[cpu_ms(one, arguments, folder) for one in (before, after)] for _ in range(TURNS)]
            times = [statistics.median(turn[which][0] for turn in turns) for which in (0, 1)]
            faults = [turns[-1][which][1] for which in (0, 1)]
            print(f"{' '.join(arguments):44} {times[0]:10.2f} {times[1]:10.2f} {faults[0]:7} {faults[1]:7}")
    print(f"\nthe program: {program}")


if __name__ == "__main__":
    main()
