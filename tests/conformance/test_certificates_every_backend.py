"""Certificates on every source: the same answer and evidence as on a DuckDB file, verified by counts of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.certificates.document import Certificate, read_certificate
from tests.conformance.backends import BACKENDS, Made, Table
from tests.conformance.test_commands_every_backend import _registered
from tests.conformance.test_every_method_in_sqlite import COLUMNS, QIS, RULES, _rows
from tests.made import new_engine

pytestmark = pytest.mark.slow

ILL = [{"model": "t_closeness", "t": 0.3, "distance": "equal"}]
REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "rows": {"k": 5, "quasi_identifiers": QIS},
    "filtered": {"k": 3, "quasi_identifiers": QIS, "where": "joined >= DATE '2020-06-01' AND ill <> 'Flu' OR kept"},
    "entropy": {"k": 4, "quasi_identifiers": QIS, "suppression_limit": 0.1, "search": {"objective": "entropy"}},
    "models": {"k": 4, "quasi_identifiers": QIS, "suppression_limit": 0.1, "sensitive": {"ill": ILL}},
    "persons": {"dataset": "persons", "k": 4, "quasi_identifiers": QIS, "suppression_limit": 0.05},
    "classes": {"k": 6, "quasi_identifiers": QIS, "search": {"objective": "dm"}},
}


@dataclass(frozen=True)
class Asked:
    """An engine with the datasets `rows` and `persons` in a source of some kind, and one in a DuckDB file."""

    engine: Engine
    beside: Engine
    folder: Path


@pytest.fixture(scope="module")
def asked(make_once: Callable[[Table], Made], tmp_path_factory: pytest.TempPathFactory) -> Asked:
    folder = tmp_path_factory.mktemp("certificates")
    table = Table("t", COLUMNS, _rows())
    (folder / "duckdb").mkdir()
    engines = []
    for name, made in (("kind", make_once(table)), ("beside", BACKENDS["duckdb"](folder / "duckdb", table))):
        (folder / name).mkdir()
        engine = new_engine(folder / name, use_cache=False)
        called = _registered(engine, "rows", made.location).split(".", 1)[1]
        engine.datasets.add("persons", "rows", table=called, entity="who", least_k=2)
        for column, text in RULES.items():
            (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
            engine.hierarchies.add(column, folder / f"{column}.yaml")
        engines.append(engine)
    return Asked(*engines, folder)


def certificate(engine: Engine, folder: Path, named: str) -> Certificate:
    request = {"dataset": "rows", **REQUESTS[named], "release": {"to": str(folder / f"{named}.csv"), "replace": True}}
    path = folder / f"{named}.json"
    path.unlink(missing_ok=True)
    engine.certify(request, engine.run(request, again=True), path)
    engine.verify_certificate(path)
    return read_certificate(path)


@pytest.mark.parametrize(
    "named",
    [pytest.param(each, marks=[pytest.mark.thorough] * (each not in ("entropy", "persons"))) for each in REQUESTS],
)
def test_the_evidence_is_that_of_a_duckdb_file(asked: Asked, named: str) -> None:
    found = certificate(asked.engine, asked.folder / "kind", named)
    expected = certificate(asked.beside, asked.folder / "beside", named)
    assert found.answer is not None
    assert (found.answer, found.evidence) == (expected.answer, expected.evidence)
