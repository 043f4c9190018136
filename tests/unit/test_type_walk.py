"""Every type of column in every role: released, and read back equal, or refused by name before anything is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import RequestError
from ordermade.hierarchies.column_types import type_in_words
from ordermade.sources.executor import Executor, Purpose
from tests.long import rounds
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

STAMP = "2020-01-01 10:00:00"
TYPES = {
    "BOOLEAN": ("true", "false"),
    **{f"{sign}{size}": ("1", "2") for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER")},
    "BIGINT": ("9007199254740993", "-1"),
    "UBIGINT": ("18446744073709551615", "1"),
    "HUGEINT": ("9007199254740993", "-9007199254740995"),
    "UHUGEINT": ("340282366920938463463374607431768211455", "1"),
    "BIGNUM": ("1", "2"),
    "FLOAT": ("1.5", "-0.5"),
    "DOUBLE": ("1.5", "0.5"),
    "DECIMAL(4,1)": ("1.5", "2.5"),
    "DECIMAL(18,3)": ("1.5", "2.5"),
    "DECIMAL(38,10)": ("1.5", "2.5"),
    "VARCHAR": ("x", "y"),
    "BLOB": ("ab", "\\xFF\\x00"),
    "BIT": ("101", "010"),
    "UUID": ("00000000-0000-0000-0000-000000000001", "80000000-0000-0000-0000-000000000002"),
    "DATE": ("2020-01-01", "1969-12-30"),
    "TIME": ("10:00:00", "10:00:00.123456"),
    "TIME_NS": ("10:00:00", "10:00:00.123456789"),
    "TIMETZ": ("10:00:00+00", "11:00:00+09"),
    "TIMESTAMP": (STAMP, f"{STAMP}.123456"),
    "TIMESTAMP_S": (STAMP, "2021-01-01 10:00:00"),
    "TIMESTAMP_MS": (STAMP, f"{STAMP}.123"),
    "TIMESTAMP_NS": (STAMP, f"{STAMP}.123456789"),
    "TIMESTAMPTZ": (f"{STAMP}+00", f"{STAMP}.123456+09"),
    "INTERVAL": ("1 month", "30 days"),
    "ENUM('a','b')": ("a", "b"),
    "INTEGER[]": ("[1]", "[1, 2]"),
    "INTEGER[2]": ("[1, 2]", "[2, 1]"),
    "HUGEINT[]": ("[1]", "[2]"),
    "TIME_NS[]": ("[10:00:00.123456789]", "[]"),
    "TIMETZ[]": ("[10:00:00+00]", "[11:00:00+09]"),
    "BIGNUM[]": ("[1]", "[2]"),
    "STRUCT(a INTEGER)": ("{'a': 1}", "{'a': 2}"),
    "MAP(VARCHAR, INTEGER)": ("{a=1}", "{a=2}"),
    "UNION(n INTEGER, s VARCHAR)": ("1", "x"),
    "JSON": ("{}", "[1]"),
    "VARIANT": ("1", "x"),
    "GEOMETRY": ("POINT (1 2)", "POINT (3 4)"),
}  # fmt: skip
NAMES = {kind: f"v{place}_" for place, kind in enumerate(TYPES)}
"""A column of each type."""
TOGETHER = 10
"""How many columns one request has: more are slow to search."""
COUNTING = frozenset({Purpose.K_CHECK, Purpose.FREQUENCY_SET, Purpose.RECORDS, Purpose.COVERAGE, Purpose.IDENTIFYING})
AS_THEY_ARE = ("explicit", "keep", "sensitive", "nested")
"""The roles whose columns are released with their values."""
SEVERAL: dict[str, Any] = {
    "explicit": lambda names: {"quasi_identifiers": {each: {"hierarchy": each, "from": 0, "to": 0} for each in names}},
    "prefix": lambda names: {"quasi_identifiers": {each: {"hierarchy": "prefix", "from": 1} for each in names}},
    "keep": lambda names: {"quasi_identifiers": {"a": {"hierarchy": "a"}}, "keep": names},
    "sensitive": lambda names: {
        "quasi_identifiers": {"a": {"hierarchy": "a"}},
        "sensitive": {each: [{"model": "distinct_l", "l": 2}] for each in names},
    },
    "attributes": lambda names: {
        "method": "microaggregation",
        "attributes": {each: {} for each in names},
        "microaggregation": {"algorithm": "mdav", "improve": False},
    },
    "mondrian": lambda names: {"method": "mondrian", "quasi_identifiers": {each: {} for each in names}},
    "nested": lambda names: {
        "method": "mondrian",
        "quasi_identifiers": {each: {"hierarchy": each} for each in names},
        "mondrian": {"variant": "hierarchy"},
    },
    "numbers": lambda names: {
        "method": "history",
        "history": {
            "customer": "n", "when": "d", "item": "i",
            "numbers": {each: {"unit": 0.5} if each in (NAMES["FLOAT"], NAMES["DOUBLE"]) else {} for each in names},
        },
    },
}  # fmt: skip
"""The requests that take columns in one role, as many at once as there are."""
# A column in one of the other roles is refused or not whatever the format is.
ENDINGS = {
    **dict.fromkeys(SEVERAL, ("csv",)),
    **dict.fromkeys(AS_THEY_ARE, ("parquet", "csv")[: rounds(1, 2)]),
    "keep": ("parquet", "csv"),
}
"""The formats that each role is released in."""
ALONE: dict[str, Any] = {
    "entity": lambda name: {"dataset": name, "quasi_identifiers": {"a": {"hierarchy": "a"}}},
    **{
        role: lambda name, role=role: {
            "method": "history",
            "history": {"customer": "c", "when": "d", "item": "i", "numbers": ["n"]} | {role: name},
        }
        for role in ("customer", "when", "item")
    },
}
"""The requests that take one column in their role."""


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Engine, Path]:
    """An engine on one table of 12 rows with a column of each type, two values in each."""
    folder = tmp_path_factory.mktemp("types")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = ", ".join(
            f"CAST(CASE WHEN r % 2 = 0 THEN '{_quoted(one)}' ELSE '{_quoted(other)}' END AS {kind}) AS {NAMES[kind]}"
            for kind, (one, other) in TYPES.items()
        )
        connection.execute(
            "CREATE TABLE t AS SELECT 1 AS a, r % 2 AS c, DATE '2020-01-01' + CAST(r AS INTEGER) AS d, "
            f"'i' || r % 2 AS i, r AS n, {columns} FROM RANGE(12) AS rows(r)"
        )
        texts = {
            name: connection.execute(f"SELECT DISTINCT CAST({name} AS VARCHAR) FROM t").fetchall()
            for name in NAMES.values()
        }
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("d", "s", table="t")
    engine.datasets.add("p", "s", table="t", least_k=2)
    listed = {"a": [("1",)], **texts}
    for name, values in listed.items():
        path = write_hierarchy(folder / f"{name}.csv", ["value", "g1"], [(value, "g") for (value,) in values])
        engine.hierarchies.add(name, path, "header")
    (folder / "prefix.yaml").write_text("prefix: {keep: [1]}\n")
    engine.hierarchies.add("prefix", folder / "prefix.yaml")
    return engine, folder


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Purpose]:
    """The statements that read data, by what they were for."""
    seen: list[Purpose] = []
    rows = Executor.rows

    def noted(executor: Executor, purpose: Purpose, *arguments: Any) -> list[Any]:
        if purpose in COUNTING:
            seen.append(purpose)
        return rows(executor, purpose, *arguments)

    monkeypatch.setattr(Executor, "rows", noted)
    return seen


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _shown(kind: str) -> str:
    """How a message names a type, where it depends on more than its kind."""
    named = {"TIMETZ": "TIME WITH TIME ZONE", "TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE", "ENUM('a','b')": "ENUM"}
    return named.get(kind, kind.replace("TIMETZ[", "TIME WITH TIME ZONE[").partition("(")[0])


def _refused(engine: Engine, request: dict[str, Any], counted: list[Purpose]) -> set[str]:
    """The types of the columns that a request is refused for, which `run` refuses as `check` does; none if it fits."""
    try:
        engine.check(request)
    except RequestError as found:
        error = found
    else:
        return set()
    finally:
        assert not counted
    with pytest.raises(RequestError, match=re.escape(error.problems[0])):
        engine.run(request)
    assert not counted
    kinds = set()
    for problem in error.problems:
        (kind,) = (kind for kind, name in NAMES.items() if name in problem)
        assert _shown(kind) in problem or re.search(rf"\ba {type_in_words(kind)}\b", problem), problem
        assert re.search(r"\b(cast|release|name|write)\b", problem), problem
        kinds.add(kind)
    return kinds


def _texts(folder: Path, name: str, source: str) -> list[Any]:
    with duckdb.connect(str(folder / "s.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(f"SELECT CAST({name} AS VARCHAR) AS v FROM {source} ORDER BY v").fetchall()


def _cases() -> Iterator[Any]:
    """Roles, formats and the first of the types: every role and every type is in a third of its cases always run."""
    named = [(role, ending) for role in SEVERAL for ending in ("parquet", "csv") if ending in ENDINGS[role]]
    for place, (role, ending) in enumerate(named):
        for turn, start in enumerate(range(0, len(NAMES), TOGETHER)):
            marks = [pytest.mark.thorough] if (place + turn) % 3 else []
            yield pytest.param(role, ending, start, marks=marks)


@pytest.mark.parametrize(("role", "ending", "start"), list(_cases()))
def test_columns_of_every_type_are_released_as_they_were_or_refused_by_name(
    walked: tuple[Engine, Path], counted: list[Purpose], role: str, ending: str, start: int
) -> None:
    engine, folder = walked
    left = dict(list(NAMES.items())[start : start + TOGETHER])
    path = folder / f"{role}{start}.{ending}"
    request = {"dataset": "d", "k": 5, "release": {"to": str(path)}}
    while left and (refused := _refused(engine, request | SEVERAL[role](list(left.values())), counted)):
        left = {kind: name for kind, name in left.items() if kind not in refused}
    if not left:
        return
    engine.run(request | SEVERAL[role](list(left.values())))
    assert path.exists()
    if role in AS_THEY_ARE:
        released = f"read_csv('{path}', all_varchar = true)" if ending == "csv" else f"'{path}'"
        for kind, name in left.items():
            assert _texts(folder, name, released) == _texts(folder, name, "t"), kind


@pytest.mark.long
@pytest.mark.parametrize("role", ALONE)
def test_a_column_of_every_type_alone_in_its_role_is_served_or_refused_by_name(
    walked: tuple[Engine, Path], counted: list[Purpose], role: str
) -> None:
    engine, folder = walked
    for place, (kind, name) in enumerate(list(NAMES.items())[:: rounds(12, 1)]):
        if role == "entity":
            engine.datasets.add(name, "s", table="t", least_k=2, entity=name)
        path = folder / f"{role}{place}.{('csv', 'parquet')[place % 2]}"
        request = {"dataset": "p", "k": 2, "release": {"to": str(path)}, **ALONE[role](name)}
        counted.clear()
        if _refused(engine, request, counted):
            continue
        assert engine.run(request).request, kind
        assert path.exists(), kind
