"""Makes tests/end_to_end/formats: a made run with its qrels, and what ndeval, gdeval.pl and ir_measures print for them.

    python3 -m venv venv && venv/bin/pip install ir_measures==0.4.3 pyndeval==0.0.8
    venv/bin/python formats.py

ndeval's program is in the library of pyndeval, and gdeval.pl (perl) is a file of ir_measures.
"""

import random
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "tests/end_to_end/formats"
MEASURES = ["nDCG@10", "AP", "P(rel=2)@5", "RR", "R@10", "Rprec", "Success@1", "Bpref", "Judged@10", "nDCG(dcg='exp-log2')@20", "ERR@20"]
MEASURES += ["IPrec@0.5", "SetP", "SetR", "SetF", "NumQ", "NumRet", "NumRel", "NumRelRet", "Compat(p=0.8)"]


def run_ndeval(*arguments):
    """Prints what the program prints; in a process of its own, since C writes at its end."""
    code = "import ctypes, sys, _pyndeval\nwords = [b'ndeval'] + [word.encode() for word in sys.argv[1:]]\n"
    code += "ctypes.CDLL(_pyndeval.__file__).main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))\n"
    code += "ctypes.CDLL(None).fflush(None)\n"
    return subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout


def make(rng):
    qrels, subtopics, run = [], [], []
    for topic in [20, 3, 100, 7, 51]:
        ids = [f"D{rng.randint(0, 99999):05}" for _ in range(40)]
        ids = list(dict.fromkeys(ids))
        for document in ids[:25]:
            grade = 0 if topic == 7 else rng.choice([-1, 0, 0, 0, 1, 1, 2, 4])
            qrels.append(f"{topic} 0 {document} {grade}")
            for subtopic in range(1, 5):
                if rng.random() < 0.5:
                    subtopics.append(f"{topic} {subtopic} {document} {0 if topic == 7 else rng.choice([0, 0, 1, 2])}")
        if topic != 51:
            shown = rng.sample(ids, 30)
            scores = sorted((round(rng.random() * 12) / 4 for _ in shown), reverse=True)
            run += [f"{topic} Q0 {document} {rank} {score} made" for rank, (document, score) in enumerate(zip(shown, scores), 1)]
    run += ["999 Q0 D00001 1 1.0 made"]
    return {"qrels.txt": qrels, "subtopics.txt": subtopics, "run.txt": run}


import ir_measures

for name, lines in make(random.Random(7)).items():
    (FOLDER / name).write_text("".join(f"{line}\n" for line in lines))
files = [str(FOLDER / name) for name in ("qrels.txt", "run.txt")]
(FOLDER / "ndeval.csv").write_text(run_ndeval("-traditional", str(FOLDER / "subtopics.txt"), files[1]))
gdeval = Path(ir_measures.__file__).parent / "bin/gdeval.pl"
(FOLDER / "gdeval.csv").write_text(subprocess.run(["perl", str(gdeval), *files, "20"], check=True, capture_output=True, text=True).stdout)
for name, options in [("ir_measures.txt", []), ("ir_measures-q.txt", ["-q"])]:
    command = [sys.executable, "-m", "ir_measures", *options, *files, *MEASURES]
    (FOLDER / name).write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
