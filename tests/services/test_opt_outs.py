"""Persons who opted out of a table of a server: every answer is that of a DuckDB table without their rows."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from ordermade import Engine
from ordermade.errors import InputError
from ordermade.methods.shared.result import Result
from ordermade.sources.limits import Limits
from tests.conformance.backends import BACKENDS, Table, in_mariadb, in_postgresql
from tests.made import new_engine
from tests.services.servers import KINDS, POSTGRES, Schema

pytestmark = pytest.mark.services

ROWS_OF_A_PERSON = 4
QIS = {"age": {"hierarchy": "age"}, "place": {"hierarchy": "place"}}
REQUESTS: dict[str, dict[str, Any]] = {
    "rows": {"quasi_identifiers": QIS},
    "filtered": {"quasi_identifiers": QIS, "where": "place <> 'p3'", "suppression_limit": 0.1},
    "mondrian": {"quasi_identifiers": {"age": {}, "place": {"hierarchy": "place"}}, "method": "mondrian"},
    "refused": {"quasi_identifiers": {"age": {"hierarchy": "age", "to": 0}}, "k": 9},
}
UUIDS = [UUID(int=0xABCDEF << 100 | each) for each in range(12)]
DAYS = [date(2024, 2, each + 1) for each in range(12)]
MOMENTS = [datetime(1969, 12, 31, 23, 59, 54 + each // 2, each % 2 * 120_001) for each in range(12)]


@dataclass(frozen=True)
class Case:
    """Persons as values of a column, and the texts by which some opted out: the values `out`.

    `kind` is its type in DuckDB, `kinds` the types of servers that are called otherwise.
    """

    kind: str
    persons: Sequence[Any]
    given: Sequence[str]
    out: Sequence[Any]
    kinds: Mapping[str, str] = field(default_factory=dict)


ALIKE = ["p1", "P1", "p1 ", "é", "É", "e\u0301", "p2", "p3", "p4", "p5"]
"""Texts that some collations of MariaDB take for one another, and one citext of PostgreSQL; the engine takes none."""
CASES = {
    "texts": Case(
        "VARCHAR",
        [*ALIKE, "雪", "😀", "a'b", 'a"b', "a\\b", "%s", "%(opted_out_rows)s", "", "x" * 800, "x" * 801],
        ["p1", "É", "😀", "a'b", "a\\b", "%s", "nobody", "x" * 800],
        ["p1", "É", "😀", "a'b", "a\\b", "%s", "x" * 800],
    ),
    "collated": Case(
        "VARCHAR",
        ALIKE,
        ["p1", "É"],
        ["p1", "É"],
        {"postgres": "VARCHAR(20)", "mariadb": "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"},
    ),
    "padded": Case(
        "VARCHAR",
        [each for each in ALIKE if each == each.strip()],
        ["p1", "É ", "p2        "],
        ["p1", "É", "p2"],
        {"postgres": "CHAR(10)", "mariadb": "CHAR(10)"},
    ),
    "uuids": Case("UUID", UUIDS, [str(UUIDS[0]), str(UUIDS[1]).upper(), f"{{{UUIDS[2]}}}", UUIDS[3].hex], UUIDS[:4]),
    "whole": Case("BIGINT", range(-2, 10), ["7", "008", "-1"], [7, 8, -1]),
    "decimal": Case("DECIMAL(9,2)", [Decimal(each) / 4 for each in range(12)], ["1.5", "2"], [Decimal("1.5"), 2]),
    "double": Case("DOUBLE", [each / 8 + 0.1 for each in range(12)], ["0.1", "0.225"], [0.1, 0.225]),
    "days": Case("DATE", DAYS, ["2024-02-03"], [DAYS[2]]),
    "moments": Case(
        "TIMESTAMP", MOMENTS, ["1969-12-31 23:59:55.120001", "1969-12-31T23:59:56"], [MOMENTS[3], MOMENTS[4]]
    ),
    "instants": Case(
        "TIMESTAMPTZ",
        [each.replace(year=1999, tzinfo=UTC) for each in MOMENTS],
        ["2000-01-01 01:59:55.120001+02"],
        [MOMENTS[3].replace(year=1999, tzinfo=UTC)],
    ),
}


@pytest.fixture(params=[kind.name for kind in KINDS])
def schema(request: pytest.FixtureRequest) -> Schema:
    given: Schema = request.getfixturevalue(f"{request.param}_schema")
    return given


def visits(case: Case, out: Sequence[Any] = ()) -> Table:
    """Four rows of each person, without those of the values `out`."""
    every = [(who, f"p{i % 4}", i * 7 % 20) for i, who in enumerate([*case.persons] * ROWS_OF_A_PERSON)]
    left = [row for row in every if row[0] not in out]
    return Table("visits", {"who": case.kind, "place": "VARCHAR", "age": "INTEGER"}, left)


def engine_on(folder: Path, location: str) -> Engine:
    """An engine with the dataset `visits` of persons `who`."""
    folder.mkdir(exist_ok=True)
    engine = new_engine(folder, limits=Limits("256MB", 1))
    (folder / "age.csv").write_text("".join(f"{i};{i // 5};*\n" for i in range(20)), encoding="utf-8")
    (folder / "place.csv").write_text("".join(f"p{i};{'ab'[i // 2]};*\n" for i in range(4)), encoding="utf-8")
    for each in ("age", "place"):
        engine.hierarchies.add(each, folder / f"{each}.csv")
    engine.sources.add("clinic", location)
    engine.datasets.add("visits", "clinic", table="visits", entity="who", least_k=2)
    return engine


def on_server(schema: Schema, case: Case, folder: Path) -> Engine:
    """The engine on everybody's rows in the server."""
    server = schema.server.kind
    types = {case.kind: case.kinds[server.name]} if server.name in case.kinds else {}
    put = in_postgresql if server is POSTGRES else in_mariadb
    return engine_on(folder / "server", put(schema, visits(case), types).location)


def without(case: Case, folder: Path) -> Engine:
    """The engine on a DuckDB table that never had the persons who opted out."""
    (folder / "made").mkdir()
    return engine_on(folder / "oracle", BACKENDS["duckdb"](folder / "made", visits(case, case.out)).location)


def asked(engine: Engine, named: str, dataset: str = "visits") -> Result:
    to = {"to": str(engine.state_file.path.parent / f"{dataset}-{named}.csv"), "replace": True}
    return engine.run({"dataset": dataset, "k": 2, "identifiers": ["who"], "release": to, **REQUESTS[named]})


def answer(engine: Engine, named: str, dataset: str = "visits") -> object:
    """The released rows in order with the figures, or why there are none."""
    result = asked(engine, named, dataset)
    path = engine.state_file.path.parent / f"{dataset}-{named}.csv"
    rows = sorted(path.read_text(encoding="utf-8").splitlines()) if result.released else None
    return result.status, result.reason, result.k, result.rows, result.loss, rows


def measured(engine: Engine, after: int = 0) -> dict[tuple[str, str | None], tuple[int, ...]]:
    """The counts of table C by node and row filter, of the requests after one of that number."""
    return {
        (each.node, each.filter): (each.rows, each.divisions, each.k, each.sum_of_squares)
        for each in engine.observations.list("visits")
        if (each.request_id or 0) > after
    }


@pytest.mark.parametrize("named", [each for each in CASES if each != "texts"])
def test_persons_are_matched_as_the_type_of_their_column_reads_them(named: str, schema: Schema, tmp_path: Path) -> None:
    case = CASES[named]
    engine, oracle = on_server(schema, case, tmp_path), without(case, tmp_path)

    unmatched = engine.datasets.opt_outs.add("visits", case.given)

    assert unmatched is None  # below the least k
    assert engine.datasets.show("visits").rows == ROWS_OF_A_PERSON * (len(case.persons) - len(case.out))
    assert answer(engine, "rows") == answer(oracle, "rows")
    engine.datasets.opt_outs.remove("visits", case.given)
    assert engine.datasets.opt_outs.list() == ()


def test_every_answer_is_of_those_who_are_left(schema: Schema, tmp_path: Path) -> None:
    case = CASES["texts"]
    engine, oracle = on_server(schema, case, tmp_path), without(case, tmp_path)
    before = {each: answer(engine, each) for each in REQUESTS}  # fills the cache with counts of everybody

    engine.datasets.opt_outs.add("visits", case.given)

    wanted = {each: answer(oracle, each) for each in REQUESTS}
    assert {each: answer(engine, each) for each in REQUESTS} == wanted
    assert not [each for each in REQUESTS if before[each] == wanted[each]]
    found, expected = measured(engine, after=len(REQUESTS)), measured(oracle)
    both = found.keys() & expected.keys()  # each search asks for nodes by what it has learned
    assert len(both) > 4
    assert {each: found[each] for each in both} == {each: expected[each] for each in both}
    for dataset, more in (
        ("query", {"query": "SELECT who AS whom, who, place, age FROM visits", "entity": "Whom"}),
        ("parts", {"table": "visits", "entity": "who", "parts": "place"}),
        ("vouched", {"table": "visits", "entity": "who", "version_query": "SELECT count(*) AS n FROM visits"}),
    ):
        engine.datasets.add(dataset, "clinic", least_k=2, **more)  # type: ignore[arg-type]
        engine.datasets.opt_outs.add(dataset, case.given)
        if dataset != "query":
            assert answer(engine, "rows", dataset) == wanted["rows"]
        assert engine.datasets.show(dataset).rows == engine.datasets.show("visits").rows


def test_bytes_are_matched(schema: Schema, tmp_path: Path) -> None:
    """No request may count by them on servers, but the rows of the dataset are shown."""
    persons = [bytes([0, 255, 92, each]) for each in range(12)]
    case = Case("BLOB", persons, [r"\x00\xFF\x5C\x03"], persons[3:4], {"postgres": "BYTEA", "mariadb": "BINARY(4)"})
    engine = on_server(schema, case, tmp_path)
    engine.datasets.opt_outs.add("visits", case.given)
    assert engine.datasets.show("visits").rows == 44


def test_nobody_and_everybody_may_opt_out(schema: Schema, tmp_path: Path) -> None:
    case = CASES["padded"]
    engine = on_server(schema, case, tmp_path)
    everybody = answer(engine, "rows")

    engine.datasets.opt_outs.add("visits", ["nobody"])
    assert answer(engine, "rows") == everybody
    engine.datasets.opt_outs.add("visits", [str(each) for each in case.persons])
    assert engine.datasets.show("visits").rows == 0
    assert "fewer than 2 persons" in str(asked(engine, "rows").reason)


@pytest.mark.parametrize(("named", "wrong"), [("uuids", "abcdef"), ("whole", "7.6"), ("days", "2024-02-30")])
def test_what_is_no_value_of_the_column_is_refused_and_not_told(
    named: str, wrong: str, schema: Schema, tmp_path: Path
) -> None:
    engine = on_server(schema, CASES[named], tmp_path)
    with pytest.raises(InputError, match="no value of the entity column") as caught:
        engine.datasets.opt_outs.add("visits", [wrong])
    assert wrong not in f"{caught.value}{caught.value.next_step}"


def test_a_person_stays_out_when_numbers_get_more_digits(postgres_schema: Schema, tmp_path: Path) -> None:
    """The digits of a column that is declared without them are those of its values."""
    case = Case("NUMERIC", range(12), ["7", "8.0"], [7, 8])
    engine = on_server(postgres_schema, case, tmp_path)
    engine.datasets.opt_outs.add("visits", case.given)
    assert engine.datasets.show("visits").rows == 40

    postgres_schema.run("INSERT INTO visits VALUES (99.25, 'p1', 3)")

    assert engine.datasets.show("visits").rows == 41


def test_no_statement_log_or_file_has_a_person(
    schema: Schema, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    case = Case("VARCHAR", [f"Zqxname{each}" for each in range(12)], ["Zqxname1", "Zqxname7"], ["Zqxname1", "Zqxname7"])
    engine = on_server(schema, case, tmp_path)
    with caplog.at_level(logging.DEBUG, "ordermade"):
        engine.datasets.opt_outs.add("visits", case.given)
        asked(engine, "rows")
        steps = engine.explain({"dataset": "visits", "k": 2, "release": {"to": "x.csv"}, **REQUESTS["rows"]})

    joined = [each.sql for each in steps if each.runs_in == "source" and "opted_out" in each.sql]
    assert joined
    assert "Zqxname" not in "".join(joined)
    assert "opted_out" in caplog.text
    assert "Zqxname" not in caplog.text
    assert not [each for each in (tmp_path / "server").rglob("*") if each.is_file() and b"Zqxname" in each.read_bytes()]
