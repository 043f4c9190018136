"""Adult with 8 quasi-identifiers, through the whole engine: the certified optima, k in 2, 10, 100, Prec."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.methods.generalization.result import GeneralizationResult
from tests.long import sampled
from tests.made import new_engine

pytestmark = pytest.mark.slow

SLOW = pytest.mark.slow
LOSSES = {"dm": "dm", "aecs": "aecs", "c_avg": "c_avg_released", "entropy": "entropy", "loss": "loss"}


@pytest.fixture(scope="module")
def truth(shared_data: Path) -> dict[str, Any]:
    content = json.loads((shared_data / "arx" / "ground_truth_adult8.json").read_text())
    found: dict[str, Any] = content["adult8"]
    return found


@pytest.fixture(scope="module")
def adult(shared_data: Path, truth: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder, data = tmp_path_factory.mktemp("adult"), shared_data / "arx" / "adult"
    engine = new_engine(folder)
    engine.sources.add("adult", str(data / "adult.csv"))
    engine.datasets.add("adult", "adult", table="adult", least_k=2)
    for column in truth["quasi_identifiers"]:
        engine.hierarchies.add(column, data / f"adult_hierarchy_{column}.csv")
    return engine


def ask(
    engine: Engine, truth: dict[str, Any], k: int, algorithm: str, objective: str, folder: Path
) -> GeneralizationResult:
    """The answer from a state of its own, so that no search lives on what another measured."""
    own = shutil.copy(engine.state_file.path, folder / "state.sqlite")
    return Engine(own, use_cache=False).run(
        {
            "dataset": "adult",
            "k": k,
            "quasi_identifiers": {column: {"hierarchy": column} for column in truth["quasi_identifiers"]},
            "search": {"algorithm": algorithm, "objective": objective},
            "release": {"replace": True, "to": str(folder / "adult.parquet")},
        }
    )


def optima(truth: dict[str, Any], k: int) -> dict[str, Any]:
    found: dict[str, Any] = next(
        each["optima"] for each in truth["configurations"] if each["k"] == k and each["suppression_limit"] == 0
    )
    return found


@pytest.mark.parametrize(
    ("algorithm", "k"),
    [
        *(("ola", k) for k in (2, 10, 100)),
        pytest.param("incognito", 10, marks=SLOW),
        *(pytest.param("incognito", k, marks=pytest.mark.thorough) for k in (2, 100)),
        pytest.param("exhaustive", 10, marks=pytest.mark.thorough),
        # Every node of the lattice is asked of whatever the k is.
        *(pytest.param("exhaustive", k, marks=pytest.mark.whole) for k in (2, 100)),
    ],
)
def test_the_optimum_by_prec_is_the_certified_one(
    adult: Engine, truth: dict[str, Any], k: int, algorithm: str, tmp_path: Path
) -> None:
    expected = optima(truth, k)["prec"]
    result = ask(adult, truth, k, algorithm, "prec", tmp_path)
    assert result.loss["prec"] == pytest.approx(expected["score"], abs=1e-9)
    levels = [result.levels[column] for column in truth["quasi_identifiers"]]
    node = next(each for each in expected["nodes"] if each["levels"] == levels)
    assert result.divisions == node["classes"]
    assert result.rows == truth["rows"]
    assert result.loss["height"] == sum(levels)


@pytest.mark.slow
@pytest.mark.parametrize("objective", sampled(LOSSES, 2))
@pytest.mark.parametrize("k", [10, *(pytest.param(k, marks=pytest.mark.thorough) for k in (2, 100))])
def test_every_loss_of_an_optimum_is_the_certified_one(
    adult: Engine, truth: dict[str, Any], k: int, objective: str, tmp_path: Path
) -> None:
    expected = optima(truth, k)[LOSSES[objective]]
    result = ask(adult, truth, k, "ola", objective, tmp_path)
    assert result.loss[objective] == pytest.approx(expected["score"], abs=1e-9)
    assert [result.levels[column] for column in truth["quasi_identifiers"]] in [
        node["levels"] for node in expected["nodes"]
    ]
