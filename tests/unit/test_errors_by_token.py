"""What an error has with it that a user of a token catches: nothing of what it was raised from, and no frame of it."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import DatasetClosed, InputError, OrdermadeError, SourceFault
from ordermade.service.faults_for_users import WITHHELD
from ordermade.service.submissions import Submissions
from tests.made import new_engine, write_hierarchy

SECRET = "Zqxname77"
REQUEST = """\
dataset: {dataset}
k: 2
quasi_identifiers: {{age: {{hierarchy: age}}}}
release: {{to: ages.csv}}
"""
CASTS = ("CAST(name AS INTEGER)", "strptime(name, '%Y')", "CAST(name AS UUID)", "json_extract('{' || name, '$')")


def raised_from(error: BaseException) -> Iterator[BaseException]:
    """The error, and whatever stands behind it."""
    waiting, found = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) not in found:
            found.add(id(each))
            yield each
            waiting += [behind for behind in (each.__cause__, each.__context__) if behind is not None]


def shown(error: BaseException) -> str:
    """All that a program finds in an error: words, attributes, what stands behind it, and values of frames."""
    found: list[str] = []
    for each in raised_from(error):
        found += [str(each), repr(each), repr(vars(each))]
        frames = [frame for frame, _ in traceback.walk_tb(each.__traceback__) if frame.f_code.co_filename != __file__]
        found += [repr(value) for frame in frames for value in list(frame.f_locals.values())]
    return "\n".join(found)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """A data user and a reviewer, and datasets with a column that cannot be calculated, named by numbers."""
    database = tmp_path / "persons.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE persons AS SELECT i, '{SECRET}' || i AS name FROM range(40) AS r (i)")
        for number, cast in enumerate(CASTS):
            connection.execute(f"CREATE VIEW v{number} AS SELECT i, {cast} AS age FROM persons")
    made = new_engine(tmp_path)
    made.sources.add("shop", str(database))
    made.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ["age", "all"], [["1", "*"]]))
    for number in range(len(CASTS)):
        made.datasets.add(f"d{number}", "shop", table=f"v{number}", least_k=2)
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        made.users.add(name, [role])
    return made


def by_token(engine: Engine, name: str) -> Engine:
    return Engine(engine.state, token=engine.users.token(name).secret)


@pytest.mark.slow
def test_no_error_has_a_value_behind_it(engine: Engine) -> None:
    ann, rei = by_token(engine, "ann"), by_token(engine, "rei")
    for number in range(len(CASTS)):
        request = ann.submissions.submit(REQUEST.format(dataset=f"d{number}")).id
        rei.submissions.review(request, "approve")
        with pytest.raises(DatasetClosed):
            engine.submissions.run(request)
        for user in (ann, rei):
            assert SECRET not in f"{user.submissions.get(request)} {user.submissions.history(request)}"
            with pytest.raises(OrdermadeError) as refused:
                user.submissions.run(request)
            assert list(raised_from(refused.value)) == [refused.value]
            assert SECRET not in shown(refused.value)


def test_an_error_of_another_library_is_not_said(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = by_token(engine, "ann")

    def failing(*_: object) -> None:
        name = SECRET  # a frame has it as well
        raise duckdb.ConversionException(f"Could not convert string '{name}' to INT32")

    monkeypatch.setattr(Submissions, "list", failing)
    with pytest.raises(SourceFault, match=WITHHELD) as fault:
        ann.submissions.list()
    assert SECRET not in shown(fault.value)

    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Submissions, "list", full)
    with pytest.raises(SourceFault, match=WITHHELD):
        ann.submissions.list()


def test_a_mistake_in_a_request_is_said_as_before(engine: Engine) -> None:
    ann = by_token(engine, "ann")
    for call in (ann.check, ann.submissions.submit):
        with pytest.raises(InputError, match="there is no dataset 'd77'") as mistake:
            call(REQUEST.format(dataset="d77"))
        assert list(raised_from(mistake.value)) == [mistake.value]
    assert ann.submissions.submit.__name__ == "submit"
    for call in (ann.submissions.submit, ann.check, ann.close):
        assert not hasattr(call, "__self__")


@pytest.mark.parametrize("given", [3, None, [1], object(), b"x"], ids=lambda each: type(each).__name__)
def test_a_check_of_what_is_no_request_is_named_as_without_a_token(engine: Engine, given: object) -> None:
    for each in (by_token(engine, "ann"), by_token(engine, "rei"), engine):
        with pytest.raises(
            InputError, match=r"Engine.check: the argument 'request' is (an? \w+|None)\. Give a request"
        ):
            each.check(given)  # type: ignore[arg-type]
