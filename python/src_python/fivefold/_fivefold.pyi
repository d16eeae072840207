"""The extension module."""

import os
from typing import Any

import numpy as np
import numpy.typing as npt

__version__: str

class DataError(ValueError): ...
class ConfigError(ValueError): ...
class FitError(RuntimeError): ...

def main(starter: str, code: str, arguments: list[str]) -> int: ...

class Evaluated:
    measures: list[str]
    systems: list[str]
    queries: list[str]
    notes: list[str]
    def values(self) -> npt.NDArray[np.float64]: ...
    def left_out(self) -> list[list[bool]]: ...
    def mean(self, system: int, measure: int) -> tuple[float, int, int]: ...
    def counted(self, system: int, measure: int) -> list[float | None]: ...

def read_dicts_from_memory(wanted: bool) -> bool: ...
def evaluate_runs(
    qrels: Any,
    runs: list[tuple[str, Any]],
    measures: list[str],
    dialect: str,
    overrides: str,
    max_grade: int | None,
    duplicates: str,
    seed: int,
    threads: int,
) -> Evaluated: ...
def evaluate_scores(
    dataset: DatasetCore,
    scores: list[tuple[str, npt.NDArray[np.float64]]],
    measures: list[str],
    dialect: str,
    overrides: str,
    max_grade: int | None,
    seed: int,
    threads: int,
) -> Evaluated: ...

class DatasetCore:
    documents: int
    width: int
    max_grade: int
    bounds: list[int]
    query_ids: list[str]
    document_ids: list[str] | None
    grades: npt.NDArray[np.uint8]
    features: npt.NDArray[np.float32]
    @staticmethod
    def of_arrays(
        features: npt.NDArray[np.float32],
        grades: npt.NDArray[np.uint8],
        bounds: list[int],
        query_ids: list[str],
        document_ids: list[str] | None,
        max_grade: int | None,
    ) -> DatasetCore: ...
    @staticmethod
    def of_letor(path: str | os.PathLike[str], max_grade: int | None, threads: int) -> DatasetCore: ...
    def write_letor(self, path: str | os.PathLike[str]) -> None: ...
    def select(self, places: list[int]) -> DatasetCore: ...
    def folds(self, seed: int) -> list[tuple[DatasetCore, DatasetCore, DatasetCore]]: ...
    def __len__(self) -> int: ...

class Model:
    ranker: str
    features: int
    importance: list[float] | None
    def predict(self, dataset: DatasetCore, threads: int) -> npt.NDArray[np.float64]: ...
    def to_text(self) -> str: ...

def fit(
    kind: str, params: str, train: DatasetCore, valid: DatasetCore | None, seed: int, threads: int
) -> tuple[Model, list[str]]: ...
def load(text: str) -> Model: ...
def compare(
    values: list[list[float]],
    baseline: int | None,
    test_name: str,
    correction_name: str,
    draws: int,
    confidence: float,
    seed: int,
    threads: int,
) -> list[tuple[Any, ...]]: ...
def registries() -> str: ...
