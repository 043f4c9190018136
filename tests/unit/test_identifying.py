"""Columns that would identify: refused by every method, before anything is written, unless the request allows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import HierarchyError, Refused, RequestError
from ordermade.requests.read import read_like
from ordermade.requests.resolving import request_hash
from tests.made import new_engine, write_hierarchy

METHODS: dict[str, dict[str, Any]] = {
    "generalization": {"quasi_identifiers": {"sex": {"hierarchy": "sex"}}},
    "microaggregation": {"attributes": {"age": {}}},
    "mondrian": {"quasi_identifiers": {"age": {}}},
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """40 rows of 10 persons: 氏名 has 21 values, half has 20, age 9."""
    folder = tmp_path_factory.mktemp("identifying")
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS id, i // 4 AS person, i % 2 AS sex, i % 9 AS age, "
            "'n' || LEAST(i, 20) AS 氏名, 'h' || LEAST(i, 19) AS half, i < 10 AS few FROM RANGE(40) AS t(i)"
        )
    made = new_engine(folder)
    made.sources.add("s", str(folder / "s.duckdb"))
    made.datasets.add("d", "s", table="t", least_k=2)
    made.datasets.add("persons", "s", table="t", entity="person", least_k=2)
    made.hierarchies.add("sex", write_hierarchy(folder / "sex.csv", ["sex", "all"], [("0", "*"), ("1", "*")]), "header")
    made.hierarchies.add("half", write_hierarchy(folder / "half.csv", ["sex", "all"], [("0", "*")]), "header")
    return made


def asked(folder: Path, method: str, **more: Any) -> dict[str, Any]:
    to = {"to": str(folder / "out.csv"), "replace": True}
    return {"dataset": "d", "method": method, "k": 2, "release": to, **METHODS[method], **more}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_a_kept_column_with_more_than_half_as_many_values_as_rows_is_refused(
    engine: Engine, tmp_path: Path, method: str
) -> None:
    request = asked(tmp_path, method, keep=["氏名", "half"])
    result = engine.run(request)
    assert (result.status, result.release) == ("refused", None)
    assert result.reason is not None
    assert "values as rows are in '氏名', and" in result.reason
    assert "allow_identifying: [氏名]" in result.reason
    with pytest.raises(Refused, match="'氏名'"):
        engine.check_data(request)
    assert list(tmp_path.iterdir()) == []
    assert engine.check_data(asked(tmp_path, method, keep=["half"])).rows == 40
    assert engine.run(request | {"allow_identifying": ["氏名"]}).released


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["median", "hierarchy"])
def test_texts_whose_sets_would_name_persons_are_held_to_it_too(engine: Engine, tmp_path: Path, variant: str) -> None:
    """A class of k names and one exact age would say how old each of them is."""
    engine.hierarchies.add(
        "names", write_hierarchy(tmp_path / "n.csv", ["n", "*"], [[f"n{i}", "*"] for i in range(21)])
    )
    for options in ({}, {"hierarchy": "names"}):
        request = asked(tmp_path, "mondrian") | {"mondrian": {"variant": variant}}
        request |= {"quasi_identifiers": {"age": {}, "氏名": options}}
        nested = bool(options) and variant == "hierarchy"  # then each class has one label of the hierarchy
        result = engine.run(request)
        assert result.released == nested, result.reason
        if not nested:
            assert "more than half as many values as rows are in '氏名'" in str(result.reason)
            assert engine.run(request | {"allow_identifying": ["氏名"]}).released
        assert engine.run(request | {"quasi_identifiers": {"age": {}, "half": {}}}).released


@pytest.mark.slow
@pytest.mark.parametrize("method", ["generalization", "mondrian"])
def test_a_sensitive_column_is_held_to_it_too(engine: Engine, tmp_path: Path, method: str) -> None:
    request = asked(tmp_path, method, sensitive={"氏名": [{"model": "distinct_l", "l": 2}]})
    result = engine.run(request)
    assert "'氏名'" in str(result.reason)
    assert "'氏名'" not in str(engine.run(request | {"allow_identifying": ["氏名"]}).reason)


@pytest.mark.slow
def test_it_is_the_rows_that_the_filter_leaves_and_persons_where_they_are_told_apart(
    engine: Engine, tmp_path: Path
) -> None:
    kept = asked(tmp_path, "generalization", keep=["age"])
    assert engine.check_data(kept).rows == 40
    with pytest.raises(Refused, match="values as rows are in 'age'"):
        engine.check_data(kept | {"where": "few"})
    with pytest.raises(Refused, match="values as persons are in 'age'"):
        engine.check_data(kept | {"dataset": "persons"})


@pytest.mark.slow
def test_what_is_allowed_is_released_as_it_is(engine: Engine, tmp_path: Path) -> None:
    said = r"allow_identifying.*'sex' is neither kept, sensitive, a text in sets nor an item of a history"
    with pytest.raises(RequestError, match=said):
        engine.check(asked(tmp_path, "generalization", allow_identifying=["sex"]))


def test_a_request_that_allows_nothing_keeps_its_hash(tmp_path: Path) -> None:
    plain = asked(tmp_path, "generalization", keep=["half"])
    same, other = ({**plain, "allow_identifying": allowed} for allowed in ([], ["half"]))
    hashes = [request_hash(read_like(each).request) for each in (plain, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.slow
def test_a_check_of_the_data_holds_hierarchies_against_their_columns(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, "generalization", quasi_identifiers={"sex": {"hierarchy": "half"}})
    engine.check(request)
    with pytest.raises(HierarchyError):
        engine.check_data(request)
    assert engine.requests.list() == () or all(each.status != "failed" for each in engine.requests.list())
