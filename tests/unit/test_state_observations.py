from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ordermade.lattice.observation import Observation, PersonSizes
from ordermade.state import observations, requests, versions
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from ordermade.state.observations import Levels
from ordermade.state.records.observations import MeasuredLevel
from tests.made import new_state
from tests.noted import a_request

COLUMNS = {"age": "BIGINT", "sex": "VARCHAR"}
REQUEST = a_request()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state.sqlite")


def node(levels: dict[str, int], *histogram: tuple[int, int]) -> tuple[Levels, Observation]:
    return (
        tuple(
            MeasuredLevel(column, level, f"level {level}", f"hash of {column} {level}")
            for column, level in levels.items()
        ),
        Observation.from_histogram(histogram),
    )


def key(**levels: int) -> frozenset[tuple[str, str]]:
    return frozenset((column, f"hash of {column} {level}") for column, level in levels.items())


@pytest.mark.slow
def test_table_c_round_trip(state: Path) -> None:
    measured = [
        node({"age": 0, "sex": 0}, (1, 3), (2_000, 1)),
        node({"sex": 0, "age": 1}, (500, 2), (1_003, 1)),
        node({}, (2_003, 1)),
        node({"age": 2}, (10**9, 4)),
    ]
    with StateFile(state, SHELL).writing() as connection:
        version = versions.register(connection, "d1", None, None, 2_003, 5, "c", COLUMNS).id
        other = versions.register(connection, "d2", None, None, 2_003, 5, "c", COLUMNS).id
        number = requests.start(connection, REQUEST).id
        assert observations.record(connection, version, number, measured[:2]) == 2
        assert observations.record(connection, version, None, [*measured, measured[3]]) == 2
        assert observations.record(connection, version, number, measured) == 0
    with StateFile(state, SHELL).reading() as connection:
        assert observations.known(connection, version) == {
            key(age=0, sex=0): measured[0][1],
            key(age=1, sex=0): measured[1][1],
            key(): measured[2][1],
            key(age=2): measured[3][1],
        }
        assert observations.known(connection, other) == {}
        assert observations.counts(connection) == {version: 4}
    assert verify(state, SHELL) == ()


@pytest.mark.slow
def test_a_version_is_forgotten_in_one_transaction_and_can_be_learnt_again(state: Path) -> None:
    measured = [node({"age": 0, "sex": 0}, (3, 2)), node({}, (6, 1))]
    with StateFile(state, SHELL).writing() as connection:
        version = versions.register(connection, "d1", None, None, 6, 5, "c", COLUMNS).id
        other = versions.register(connection, "d2", None, None, 6, 5, "c", COLUMNS).id
        for each in (version, other):
            observations.record(connection, each, None, measured)
    with StateFile(state, SHELL).writing() as connection:
        assert len(observations.known(connection, version)) == 2
        observations.forget(connection, version)
        assert observations.known(connection, version) == {}
    with StateFile(state, SHELL).writing() as connection:
        assert observations.record(connection, version, None, measured) == 2
    with StateFile(state, SHELL).reading() as connection:
        assert observations.counts(connection) == {version: 2, other: 2}
        assert len(observations.known(connection, version)) == 2
    assert verify(state, SHELL) == ()


@pytest.mark.slow
def test_what_models_and_persons_tell_is_known_by_the_hash_of_the_models(state: Path) -> None:
    plain = node({"age": 0}, (2, 3), (5, 1))
    alone = PersonSizes(((2, 6), (5, 5)))
    of_models = (
        plain[0],
        replace(plain[1], failing=((2, 1),), persons=PersonSizes(alone.alone, ((0, 2), (2, 4), (5, 5)))),
    )
    kept = (of_models[0], replace(of_models[1], keepable=((0, 1), (4, 2))))
    of_others = (plain[0], replace(plain[1], failing=()))
    with StateFile(state, SHELL).writing() as connection:
        version = versions.register(connection, "d1", None, None, 11, 5, "c", COLUMNS, 7).id
        assert versions.get(connection, version).units == 7
        assert observations.record(connection, version, None, [plain]) == 1
        assert observations.known(connection, version) == {key(age=0): plain[1]}
        assert observations.record(connection, version, None, [of_others], "b2") == 0
        assert observations.record(connection, version, None, [of_models], "b1") == 0
        assert observations.known(connection, version, "b1")[key(age=0)].keepable is None
        assert observations.record(connection, version, None, [kept], "b1") == 0
        assert observations.record(connection, version, None, [plain, of_others], "b1") == 0
    with StateFile(state, SHELL).reading() as connection:
        known = {each: observations.known(connection, version, each)[key(age=0)] for each in ("", "b1", "b2", "b3")}
    assert known["b1"] == kept[1]
    assert known[""] == known["b3"] == replace(plain[1], persons=alone)
    assert known["b2"] == replace(plain[1], failing=(), persons=alone)
    with StateFile(state, SHELL).writing() as connection:
        observations.forget(connection, version)
        assert connection.execute("SELECT COUNT(*) FROM observation_models").fetchone() == (0,)
    assert verify(state, SHELL) == ()


@pytest.mark.slow
def test_a_histogram_that_was_cut_off_is_made_whole(state: Path) -> None:
    whole = node({"age": 0}, (1, 3), (2_000, 2))
    cut_off = (whole[0], replace(whole[1], sizes=((1, 3),)))
    with StateFile(state, SHELL).writing() as connection:
        version = versions.register(connection, "d1", None, None, 4_003, 5, "c", COLUMNS).id
        observations.record(connection, version, None, [cut_off])
        assert observations.known(connection, version) == {key(age=0): cut_off[1]}
        assert observations.record(connection, version, None, [whole]) == 0
        assert observations.known(connection, version) == {key(age=0): whole[1]}
        observations.record(connection, version, None, [cut_off])
        assert observations.known(connection, version) == {key(age=0): whole[1]}
    assert verify(state, SHELL) == ()


def test_class_sizes_are_left_out_where_they_are_not_read(state: Path) -> None:
    whole = node({"age": 0}, (1, 3), (2_000, 2))
    with StateFile(state, SHELL).writing() as connection:
        version = versions.register(connection, "d1", None, None, 4_003, 5, "c", COLUMNS).id
        observations.record(connection, version, None, [whole])
        found = observations.known(connection, version, sizes_read=False)[key(age=0)]
    assert found == replace(whole[1], sizes=())
    assert found.k_within(0) == 1
    assert not any((found.determines_below(2), found.determines_within(1)))


def test_node_hash_knows_columns_apart() -> None:
    one = [("a", "x"), ("b", "y")]
    assert observations.node_hash(one) == observations.node_hash(reversed(one))
    assert observations.node_hash([("a=x\n1:b", "y")]) != observations.node_hash(one)
    assert observations.node_hash([]) != observations.node_hash(one)


@pytest.mark.slow
def test_table_c_holds_a_whole_lattice(state: Path) -> None:
    histogram = tuple((size, 1 + size % 3) for size in range(1, 40))
    measured = [
        node({f"column {c}": (n // 3**c) % 3 for c in range(8)} | {"column 8": n // 3**8}, *histogram)
        for n in range(13_000)
    ]
    with StateFile(state, SHELL).writing() as connection:
        version = versions.register(connection, "d1", None, None, 2_003, 5, "c", COLUMNS).id
        assert observations.record(connection, version, None, measured) == 13_000
    with StateFile(state, SHELL).reading() as connection:
        assert len(observations.known(connection, version)) == 13_000
