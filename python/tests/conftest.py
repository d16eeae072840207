"""Made data, and the program beside which the package is tested."""

import json
import os
import random
import subprocess

import pytest

#: The program beside which the package is tested. The package itself takes the command that the wheel installed.
PROGRAM = os.environ.pop("FIVEFOLD_PROGRAM", None)


@pytest.fixture(scope="session")
def program():
    """Runs the program with `--json`; returns what it prints."""
    path = PROGRAM or pytest.fail("FIVEFOLD_PROGRAM says where the program is")

    def call(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    return call


@pytest.fixture(scope="session")
def made():
    """Qrels and two runs with ties, unjudged documents, a missing topic and a topic without relevant documents."""
    rng = random.Random(7)
    qrels, runs = {}, {"a": {}, "b": {}}
    for topic in range(1, 13):
        top = 1 if topic == 5 else 4
        judged = {f"d{topic}-{number}": rng.randrange(top) for number in range(14)}
        qrels[f"q{topic}"] = judged
        for name, run in runs.items():
            if name == "b" and topic == 8:
                continue
            documents = [*rng.sample(sorted(judged), 11), f"x{topic}-1", f"x{topic}-2"]
            run[f"q{topic}"] = {document: rng.randrange(9) / 4 for document in documents}
    return qrels, runs


@pytest.fixture(scope="session")
def files(made, tmp_path_factory):
    """The made data as TREC files."""
    qrels, runs = made
    folder = tmp_path_factory.mktemp("trec")
    lines = [f"{topic} 0 {document} {grade}" for topic, own in qrels.items() for document, grade in own.items()]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, run in runs.items():
        lines = [f"{topic} Q0 {document} 0 {score} {name}" for topic, own in run.items() for document, score in own.items()]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="session")
def letor(tmp_path_factory):
    """Two LETOR files of graded documents with a signal."""
    rng = random.Random(3)
    folder = tmp_path_factory.mktemp("letor")
    for name, queries in [("train", 30), ("valid", 15)]:
        lines = []
        for query in range(queries):
            for _ in range(12):
                grade = rng.randrange(3)
                features = [grade + rng.gauss(0, 1), rng.gauss(0, 1), grade * rng.random(), rng.random()]
                numbers = " ".join(f"{place}:{value:.6g}" for place, value in enumerate(features, 1))
                lines.append(f"{grade} qid:{query + 1} {numbers}")
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return folder
