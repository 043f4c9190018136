"""A view or query that cannot be calculated in some row closes its dataset, whichever row a filter reaches."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.counting.dataset import EVALUATED
from ordermade.errors import DatasetClosed, OrdermadeError
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.sources.limits import Limits
from ordermade.state import versions
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.conformance.backends import Made, Table, in_mariadb, in_postgresql
from tests.long import sampled
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

BAD, NOBODY, SECRET = 77, 500, "4711"
"""The person whose row fails, one who is not there, and what the row of the first stores."""
ROWS = [(i, i % 2, str(i), i, 1) for i in range(1, 101)]
SPOILT = f"UPDATE persons SET b = '{SECRET}x', big = {2**63 - 1}, h = 211 WHERE id = {BAD}"
"""What happens to the row after the dataset was registered."""
PERSONS = Table("persons", {"id": "BIGINT", "a": "BIGINT", "b": "VARCHAR", "big": "BIGINT", "h": "BIGINT"}, ROWS)
CLOSED = (
    "DatasetClosed: dataset 'd': the dataset is closed: some of it cannot be calculated. "
    "Its provider mends it; then run the request again."
)
LEFT_OUT = f"JOIN (SELECT DISTINCT id AS kept FROM persons WHERE id <> {BAD}) AS g ON g.kept = persons.id"
"""A join that leaves the row out whose calculation fails."""


@dataclass(frozen=True)
class Kind:
    """What fails in one kind of source: calculations of a column `n`, by what they are called."""

    failing: Mapping[str, str]


KINDS = {
    "duckdb": Kind({"cast": "CAST(b AS INTEGER)", "overflow": "big * 2"}),
    "sqlite": Kind({"overflow": "abs(-big - 1)", "json": "json_array_length(b)"}),
    "postgresql": Kind({"cast": "CAST(b AS INTEGER)", "division": "100 / (h - 211)", "overflow": "big * 2"}),
    "mariadb": Kind({"overflow": "big * 2", "division": "big DIV (CASE WHEN h = 211 THEN 0.0000000001 ELSE 1 END)"}),
}
CASES = [(kind, called) for kind, each in KINDS.items() for called in each.failing]


def made(request: pytest.FixtureRequest, folder: Path, kind: str, view: str) -> Made:
    """The persons in a source of that kind, with the view `v`."""
    statement = f"CREATE VIEW v AS SELECT {view}"
    if kind == "duckdb":
        with duckdb.connect(str(folder / "s.duckdb")) as connection:
            connection.execute("CREATE TABLE persons (id BIGINT, a BIGINT, b VARCHAR, big BIGINT, h BIGINT)")
            connection.executemany("INSERT INTO persons VALUES (?, ?, ?, ?, ?)", ROWS)
            connection.execute(statement)
        return Made(str(folder / "s.duckdb"), "duckdb", ())
    if kind == "sqlite":
        with contextlib.closing(sqlite3.connect(folder / "s.sqlite")) as file, file:
            file.execute("CREATE TABLE persons (id BIGINT, a BIGINT, b VARCHAR, big BIGINT, h BIGINT)")
            file.executemany("INSERT INTO persons VALUES (?, ?, ?, ?, ?)", ROWS)
            file.execute(statement)
        return Made(str(folder / "s.sqlite"), "sqlite", ())
    postgres = kind == "postgresql"
    schema = request.getfixturevalue("postgres_schema" if postgres else "mariadb_schema")
    found = (in_postgresql if postgres else in_mariadb)(schema, PERSONS)
    schema.run(statement.replace("%", "%%"))
    return found


def spoilt(source: Made) -> None:
    if source.kind == "duckdb":
        with duckdb.connect(source.location) as connection:
            connection.execute(SPOILT)
    elif source.kind == "sqlite":
        with contextlib.closing(sqlite3.connect(source.location)) as file, file:
            file.execute(SPOILT)
    elif source.schema is not None:
        source.schema.run(SPOILT)


def registered(folder: Path, source: Made, **more: object) -> Engine:
    """An engine with the view as its dataset `d`, in which a calculation fails for one row."""
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    engine.sources.add("s", source.location)
    engine.datasets.add("d", "s", table="v", least_k=2, **more)  # type: ignore[arg-type]
    engine.hierarchies.add("a", write_hierarchy(folder / "a.csv", ("value", "top"), [("0", "*"), ("1", "*")]))
    spoilt(source)
    return engine


def asked(engine: Engine, where: str | None = None) -> dict[str, object]:
    """A request with that filter, released to a file of its own."""
    to = engine.state.parent / f"{len(list(engine.state.parent.iterdir()))}.csv"
    attributes = {"a": {"hierarchy": "a"}}
    request = {"dataset": "d", "k": 5, "quasi_identifiers": attributes, "release": {"to": str(to)}}
    return {**request, **({} if where is None else {"where": where})}


def outcome(engine: Engine, where: str | None) -> str:
    """What a user gets for a request with that filter, in full."""
    try:
        result = engine.run(asked(engine, where))
    except OrdermadeError as error:
        return f"{type(error).__name__}: {error.message}"
    return f"{result.status}: {getattr(result, 'reason', '')}"


def filters(condition: str) -> list[str]:
    """Filters that name the row that fails, or nobody, or many rows."""
    return [*(f"id = {each} AND {condition}" for each in (BAD, NOBODY)), "a = 0"]


def marked(kinds: list[tuple[str, str]]) -> list[object]:
    return [
        pytest.param(
            *each, marks=[pytest.mark.services] if each[0] in ("postgresql", "mariadb") else [], id="-".join(each)
        )
        for each in kinds
    ]


@pytest.mark.parametrize(("kind", "called"), sampled(marked(CASES), 2))
def test_a_calculation_that_fails_in_one_row_closes_the_dataset_to_every_filter(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, called: str
) -> None:
    view = f"id, a, {KINDS[kind].failing[called]} AS n FROM persons"
    engine = registered(tmp_path, made(request, tmp_path, kind, view))
    said = {outcome(engine, where) for where in (None, *filters("n IS NOT NULL"))}
    assert said == {CLOSED}
    with pytest.raises(DatasetClosed) as caught:
        engine.check_data(asked(engine))
    assert caught.value.reason
    assert SECRET not in caught.value.reason


@pytest.mark.parametrize(("kind", "called"), sampled(marked(CASES), 2))
def test_a_row_that_a_view_leaves_out_fails_under_no_filter(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, called: str
) -> None:
    view = f"id, a, {KINDS[kind].failing[called]} AS n FROM persons {LEFT_OUT}"
    engine = registered(tmp_path, made(request, tmp_path, kind, view))
    by_person = [outcome(engine, f"n IS NOT NULL AND id = {each}") for each in (BAD, NOBODY)]
    assert by_person[0] == by_person[1]
    assert by_person[0].startswith("refused: ")
    assert outcome(engine, "n IS NOT NULL").startswith("released: ")


def test_a_version_that_is_vouched_for_is_evaluated_once_and_the_record_says_so(tmp_path: Path) -> None:
    source = made(None, tmp_path, "duckdb", f"id, a, big * 2 AS n FROM persons WHERE id <> {BAD}")  # type: ignore[arg-type]
    engine = registered(tmp_path, source, version_query="SELECT max(id) FROM persons")
    assert [each.title for each in engine.explain(asked(engine))].index(EVALUATED) == 1
    results = [engine.run(asked(engine, where)) for where in (None, "a = 0", None)]
    counts = [each.search.version_queries for each in results if isinstance(each, GeneralizationResult)]
    assert counts == [3, 2, 2]
    with StateFile(engine.state, SHELL).reading() as connection:
        for each in versions.listed(connection):
            noted = connection.execute(
                "SELECT column_name, evaluated_over FROM dataset_version_columns WHERE dataset_version_id = ? "
                "ORDER BY position",
                [each.id],
            ).fetchall()
            assert [name for name, _ in noted] == ["id", "a", "n"]
            assert len({over for _, over in noted}) == 1
            assert None not in {over for _, over in noted}


def test_what_is_vouched_for_closes_the_dataset_too(tmp_path: Path) -> None:
    source = made(None, tmp_path, "duckdb", "id, a, CAST(b AS INTEGER) AS n FROM persons")  # type: ignore[arg-type]
    engine = registered(tmp_path, source, version_query="SELECT max(id) FROM persons")
    assert {outcome(engine, where)[:13] for where in (None, *filters("n IS NOT NULL"))} == {"DatasetClosed"}
