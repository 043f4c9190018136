"""What users by a token read of a dataset that cannot be used: the same words whatever the fault, and nothing of it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.documents.error import of_error
from ordermade.errors import OrdermadeError
from ordermade.progress.waiting import Sayable
from ordermade.records.printed import json_of
from ordermade.service.permissions import CALLS
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.long import sampled
from tests.made import new_engine, write_hierarchy
from tests.unit.test_errors_by_token import raised_from

REQUEST = """\
dataset: persons
k: 2
quasi_identifiers: {age: {hierarchy: age}}
release: {to: ages.csv}
"""
OTHER = REQUEST.replace("k: 2", "k: 3")
ROWS = [(number, 30 + number % 2, "p") for number in range(40)]


def _csv(folder: Path) -> Path:
    file = folder / "secretfile.csv"
    lines = [f"{number},{age},{plan}" for number, age, plan in ROWS]
    file.write_text("\n".join(["id,age,plan", *lines]) + "\n", encoding="utf-8")
    return file


def _sqlite(folder: Path) -> Path:
    file = folder / "secretfile.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE secrettable (id INTEGER, age INTEGER, plan TEXT)")
        connection.executemany("INSERT INTO secrettable VALUES (?, ?, ?)", ROWS)
        connection.execute("CREATE TABLE othertable (id INTEGER, secretcolumn TEXT)")
        connection.execute("CREATE VIEW secretview AS SELECT s.id, s.age, s.plan FROM secrettable AS s")
    return file


def _run(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


def _moved(engine: Engine, kind: str, location: str) -> None:
    """Says of the source that it is elsewhere, as a server that has moved."""
    with StateFile(engine.state_file.path, SHELL).writing() as connection:
        connection.execute("UPDATE sources SET kind = ?, location = ?", [kind, location])


def _line(_: Engine, file: Path) -> None:
    file.write_text(file.read_text("utf-8").replace("6,30,p\n", "6,30,p,one too many\n"), encoding="utf-8")


def _cast(folder: Path) -> Path:
    file = folder / "secretfile.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE TABLE secrettable AS SELECT i AS id, CAST(30 + i % 2 AS TEXT) AS a FROM range(40) r (i)"
        )
        connection.execute(
            "CREATE VIEW secretview AS SELECT id, CAST(a AS INTEGER) AS age, 'p' AS plan FROM secrettable"
        )
    return file


def _unfit(_: Engine, file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("UPDATE secrettable SET a = 'Zqxname' WHERE id = 6")


@dataclass(frozen=True)
class Fault:
    """A source as it was registered, what becomes of it, and a word of the fault that the provider reads."""

    make: Callable[[Path], Path]
    table: str
    spoil: Callable[[Engine, Path], object]
    read: str


_RENAMED = "ALTER TABLE secrettable RENAME TO t"
_ALTERED = "ALTER TABLE secrettable RENAME age TO years"

FAULTS = {
    "gone": Fault(_csv, "secretfile", lambda _, file: file.unlink(), "no such file"),
    "line": Fault(_csv, "secretfile", _line, "Line"),
    "header": Fault(_csv, "secretfile", lambda _, file: file.write_text("1,2,3\n4,5,6\n"), "first line"),
    "columns": Fault(_csv, "secretfile", lambda _, file: file.write_text("id,secretcolumn\n4,5\n"), "age"),
    "variable": Fault(
        _csv,
        "secretfile",
        lambda engine, _: _moved(
            engine, "postgresql", "postgresql+psycopg://secretrole:${SECRET_PASSWORD}@127.0.0.1:9/x"
        ),
        "SECRET_PASSWORD",
    ),
    "down": Fault(
        _csv,
        "secretfile",
        lambda engine, _: _moved(engine, "postgresql", "postgresql://secretrole@127.0.0.1:9/secretdatabase"),
        "127.0.0.1",
    ),
    "mixed": Fault(
        _sqlite,
        "secrettable",
        lambda _, file: _run(file, "UPDATE secrettable SET age = 'Zqxname' WHERE id = 6"),
        "several kinds",
    ),
    "dropped": Fault(_sqlite, "secrettable", lambda _, file: _run(file, _RENAMED), "table"),
    "stale": Fault(_sqlite, "secretview", lambda _, file: _run(file, _ALTERED), ""),
    "damaged": Fault(_sqlite, "secrettable", lambda _, file: file.write_bytes(b"Zqx" * 4000), ""),
    "unfit": Fault(_cast, "secretview", _unfit, ""),
}
OF_THE_OPENING = ("gone", "line", "variable", "mixed", "dropped", "damaged")
"""Those that keep the columns from being read, of datasets whose columns were never noted."""

SECRETS = (
    "secret",
    "SECRET",
    "127.0.0.1",
    "Line",
    "line",
    "several kinds",
    "Zqx",
    "VARCHAR",
    "othertable",
    "environment",
    "file",
)


def _offices(folder: Path, fault: Fault, *, is_noted: bool) -> tuple[Engine, Path]:
    engine = new_engine(folder)
    file = fault.make(folder)
    engine.sources.add("shop", str(file))
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ["age", "all"], [["30", "*"], ["31", "*"]]))
    engine.datasets.add("persons", "shop", table=fault.table, least_k=2)
    engine.policies.set({"dataset": "persons", "k": 2, "refusals": {"most": 50}})
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        engine.users.add(name, [role])
    assert by(engine, "ann").submissions.submit(REQUEST).id == 1
    if not is_noted:  # as an earlier version registered it
        with StateFile(engine.state_file.path, SHELL).writing() as connection:
            connection.execute("UPDATE datasets SET columns = NULL")
    fault.spoil(engine, file)
    return engine, file


def by(engine: Engine, name: str) -> Engine:
    return Engine(engine.state, token=engine.users.token(name).secret)


def outcome(call: Callable[[], object]) -> tuple[str, ...]:
    """All that a program, a reader of the screen, of the JSON and of the exit status has of a call."""
    try:
        found = call()
    except OrdermadeError as error:
        behind = [repr(each) for each in raised_from(error)]
        words = json.dumps(json_of(of_error(error)))
        return type(error).__name__, error.message, repr(vars(error)), *behind, words, str(error.exit_status)
    return "gave", re.sub(r"\d{4}-\d\d-\d\d[ T][\d:.]*|datetime\([^)]*\)|/[^ ']*/", "", repr(found))


def calls(engine: Engine, folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every call by token, by whom the table of roles lets make it; those that end a request last."""
    ann, rei = by(engine, "ann"), by(engine, "rei")
    of_both: dict[str, Callable[[Any], object]] = {
        "catalogue.list": lambda at: [each.columns for each in at.catalogue.list()],
        "catalogue.get": lambda at: at.catalogue.get("persons").columns,
        "catalogue.releases": lambda at: at.catalogue.releases("persons"),
        "catalogue.release": lambda at: at.catalogue.release(1),
        "catalogue.release_file": lambda at: at.catalogue.release_file(1),
        "check": lambda at: at.check(REQUEST),
        "policies.show": lambda at: at.policies.show("persons").policy,
        "releases.cited": lambda at: at.releases.cited(1, "user"),
        "releases.report": lambda at: at.releases.report(1, "user"),
        **{
            f"submissions.{name}": (lambda at, name=name: getattr(at.submissions, name)())
            for name in ("acting", "due", "expire")
        },
        "submissions.list": lambda at: at.submissions.list(),
        **{
            f"submissions.{name}": (lambda at, name=name: getattr(at.submissions, name)(1))
            for name in ("allowed", "history", "numbered", "where", "get", "progress", "hierarchies")
        },
    }
    yield "submissions.to_review", lambda: rei.submissions.to_review()
    yield "submissions.evidence", lambda: rei.submissions.evidence(1)
    yield "submissions.comment", lambda: rei.submissions.comment(1, "why so fine?", "column:age")
    yield "submissions.comment", lambda: ann.submissions.comment(1, "for the yearbook").text
    yield "submissions.review", lambda: rei.submissions.review(1, "approve")
    for name, call in of_both.items():
        yield name, lambda call=call: call(ann)
        yield name, lambda call=call: call(rei)
    rule = "intervals: {levels: [{width: 10}]}\n"
    yield "catalogue.add_hierarchy", lambda: ann.catalogue.add_hierarchy("persons", "age", "own", rule).name
    yield "catalogue.hierarchies", lambda: [each.name for each in ann.catalogue.hierarchies()]
    yield "catalogue.remove_hierarchy", lambda: ann.catalogue.remove_hierarchy("ann/own").name
    yield "submissions.forecast", lambda: ann.submissions.forecast(OTHER)
    yield "submissions.submit", lambda: ann.submissions.submit(OTHER)
    yield "submissions.revise", lambda: ann.submissions.revise(1, OTHER)
    yield "submissions.rerun", lambda: ann.submissions.rerun(1)
    yield "submissions.accept", lambda: ann.submissions.accept(1)
    yield "submissions.collect", lambda: ann.submissions.collect(1, folder / "c.csv")
    yield "submissions.delivered_file", lambda: ann.submissions.delivered_file(1)
    yield "submissions.certificate", lambda: ann.submissions.certificate(1)
    yield "submissions.withdraw", lambda: ann.submissions.withdraw(1)
    yield "close", ann.close


def outcomes(folder: Path, fault: Fault, *, is_noted: bool) -> tuple[Engine, list[tuple[str, tuple[str, ...]]]]:
    engine, _ = _offices(folder, fault, is_noted=is_noted)
    return engine, [(name, outcome(call)) for name, call in calls(engine, folder)]


@pytest.fixture(scope="module")
def away(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, list[tuple[str, tuple[str, ...]]]]:
    """What users read where the server is down; False: of a dataset that an earlier version registered."""
    down = FAULTS["down"]
    return {each: outcomes(tmp_path_factory.mktemp("away"), down, is_noted=each)[1] for each in (True, False)}


def test_every_call_by_token_is_walked(tmp_path: Path) -> None:
    engine, _ = _offices(tmp_path, FAULTS["gone"], is_noted=True)
    assert {name for name, _ in calls(engine, tmp_path)} == {
        each for each in CALLS if each not in ("catalogue", "policies", "releases", "submissions")
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "is_noted"), [*((each, True) for each in FAULTS), *sampled(((each, False) for each in OF_THE_OPENING), 2)]
)
def test_a_user_reads_the_same_whatever_the_fault(
    tmp_path: Path,
    away: dict[bool, list[tuple[str, tuple[str, ...]]]],
    kind: str,
    is_noted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SECRET_PASSWORD", raising=False)
    engine, found = outcomes(tmp_path, FAULTS[kind], is_noted=is_noted)
    differ = [(each, away[is_noted][at]) for at, each in enumerate(found) if each != away[is_noted][at]]
    assert not differ
    for _, (_, *words) in found:
        assert not [each for each in SECRETS if each in " ".join(words).replace("delivered_file", "")]
    noted = engine.submissions.refused_by_data(1)
    assert bool(noted) is not is_noted  # a vote opens the source of a dataset whose columns were never noted alone
    assert all(FAULTS[kind].read in each.reason for each in noted)
    with pytest.raises(OrdermadeError) as whole:
        engine.check_data(REQUEST)
    assert FAULTS[kind].read in whole.value.message or kind == "unfit"


@pytest.mark.slow
def test_a_fault_of_the_state_reads_so_too(tmp_path: Path) -> None:
    engine, _ = _offices(tmp_path, FAULTS["gone"], is_noted=True)
    ann = by(engine, "ann")
    read = set()
    for spoil in (lambda path: path.write_bytes(b"secret" * 1000), lambda path: path.unlink()):
        spoil(engine.state_file.path)
        for call in (lambda: ann.check(REQUEST), ann.__class__.submissions.fget, lambda: ann.submissions.list()):
            read.add(outcome(call if call is not ann.__class__.submissions.fget else lambda: ann.submissions))
    ((kind, words, *_),) = read
    assert kind == "SourceFault"
    assert str(tmp_path) not in words


def test_whatever_a_user_may_not_read_is_one_error() -> None:
    from ordermade import errors
    from ordermade.service.faults_for_users import for_user

    kinds = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, OrdermadeError)]
    fault = errors.SourceFault("secret")
    made = [
        each("secret", fault)
        if each is errors.DatasetClosed
        else each("secret", "secret")
        if each is errors.UnknownName
        else each("secret")
        for each in kinds
    ]
    read = {type(each): for_user(each) for each in [*made, RuntimeError("secret"), TypeError("secret"), MemoryError()]}
    withheld = {kind for kind, each in read.items() if "secret" not in str(each)}
    assert {str(read[kind]) for kind in withheld} == {str(for_user(fault))}
    said = {kind for kind in read if kind not in withheld}
    assert all(issubclass(kind, errors.InputError | errors.Refused) for kind in said)
    assert TypeError in withheld


def test_a_notice_says_nothing_of_the_providers_machine(tmp_path: Path) -> None:
    engine, _ = _offices(tmp_path, FAULTS["gone"], is_noted=True)
    heard: list[str] = []
    ann = Engine(
        engine.state, token=engine.users.token("ann").secret, notice=heard.append, ask_password=lambda url: url
    )
    within = object.__getattribute__(ann, "_of_provider")
    assert within.limits.ask_password is None
    for notice in (within.notice, within.limits.wait.notice, within.state_file.notice):
        notice("waiting for the state /srv/secret: another process holds it")
        notice(Sayable("The policy allows no finer levels."))
    assert heard == ["The policy allows no finer levels."] * 3
