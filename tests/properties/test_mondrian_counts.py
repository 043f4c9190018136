"""Mondrian on counts is Mondrian on rows: of random tables the same classes, labels, losses and released rows."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ordermade.counting.counts import ground_sensitive, units
from ordermade.counting.dataset import Dataset, relation
from ordermade.methods.mondrian.algorithm.check import SensitiveCodes, SplitRequirement
from ordermade.methods.mondrian.algorithm.partition import Partition, coverage
from ordermade.methods.mondrian.algorithm.split_scoring import Choice, Gain, Precise, Widest
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from ordermade.methods.mondrian.answer import decide, none_can_be
from ordermade.methods.mondrian.counted_combinations import counted
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.methods.mondrian.result import original_extremes
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, TCloseness
from ordermade.release.plan import DECISIONS, Plan
from ordermade.requests.resolve_mondrian import Kind
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.long import rounds
from tests.microdata import grounded
from tests.properties.test_mondrian_properties import Asked, asked


@dataclass(frozen=True, eq=False)
class Combined:
    """The different records of a table, each with its rows."""

    codes: np.ndarray
    choice: Choice
    requirement: SplitRequirement
    number: np.ndarray
    """The combination of each row."""

    @classmethod
    def of(cls, rows: Asked) -> Combined:
        required, choice = rows.requirement, rows.choice
        columns = [np.array(rows.plain.codes, dtype=np.int64), *(each.codes[:, None] for each in required.sensitive)]
        if required.persons is not None:
            columns.append(required.persons[:, None])
        if isinstance(choice, Gain):
            columns.append(choice.target[:, None])
        _, first, number, weights = np.unique(
            np.column_stack(columns), axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        shuffled = np.random.default_rng(0).permutation(first.size)
        place = np.empty_like(shuffled)
        place[shuffled] = np.arange(first.size)
        first, weights = first[shuffled], weights[shuffled]

        def only(sensitive: SensitiveCodes) -> SensitiveCodes:
            pairs = None if sensitive.pairs is None else sensitive.pairs[first]
            return replace(sensitive, codes=sensitive.codes[first], pairs=pairs)

        return cls(
            np.array(rows.plain.codes, dtype=np.int32)[first],
            Gain(choice.target[first], choice.values) if isinstance(choice, Gain) else choice,
            SplitRequirement(
                required.k,
                None if required.persons is None else required.persons[first],
                tuple(map(only, required.sensitive)),
                weights.astype(np.int64),
            ),
            place[number.reshape(-1)],
        )


def classes_of(partition: Partition, number: np.ndarray | None = None) -> list[tuple[Any, ...]]:
    """The rows of each group with its levels and its size, in the order of the groups."""
    labels = partition.labels if number is None else partition.labels[number]
    rows = [tuple(np.flatnonzero(labels == group).tolist()) for group in range(partition.groups)]
    return list(zip(rows, map(tuple, partition.levels.tolist()), partition.sizes.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.long
@settings(deadline=None, max_examples=rounds(3, 80))
@given(asked(most=80, strict=True), st.integers(1, 2))
def test_the_groups_of_combinations_are_those_of_their_rows(asked: Asked, threads: int) -> None:
    few = replace(asked, plain=replace(asked.plain, codes=[[code % 3 for code in row] for row in asked.plain.codes]))
    for each in (asked, few):
        by_rows, whole = each.partitioned(), Combined.of(each)
        found = partitioned(each.plain.domains, whole.codes, whole.choice, whole.requirement, threads=threads)
        assert classes_of(found, whole.number) == classes_of(by_rows)
        assert (found.made, found.tried) == (by_rows.made, by_rows.tried)
        assert (found.levels == by_rows.levels).all()


def test_equal_rows_are_not_dealt_out_by_counts() -> None:
    requirement = SplitRequirement(2, weights=np.array([3, 4]))
    with pytest.raises(ValueError, match="deals out"):
        partitioned([], np.zeros((2, 0), dtype=np.int32), Widest(), requirement, strict=False)


JOBS = "mapping:\n  nurse: [care, '*']\n  smith: [craft, '*']\n  carer: [care, '*']\n  baker: [craft, '*']\n"
KINDS: tuple[tuple[str, str, Kind], ...] = (
    ("small", "UTINYINT", "ordered"),
    ("price", "DECIMAL(9,2)", "ordered"),
    ("real", "DOUBLE", "ordered"),
    ("born", "DATE", "ordered"),
    ("seen", "TIMESTAMP", "ordered"),
    ("born", "DATE", "nested"),
    ("job", "VARCHAR", "nested"),
    ("job", "VARCHAR", "tree"),
    ("word", "VARCHAR", "unordered"),
    ("yes", "BOOLEAN", "unordered"),
)
HIERARCHIES = {"job": JOBS, "born": "date: [month, year]\n"}
MODELS = (DistinctL(2), EntropyL(Fraction("1.2")), AlphaK(Fraction("0.8")), TCloseness(Fraction("0.5")))


def _table(chance: random.Random, rows: int) -> list[tuple[Any, ...]]:
    few = chance.choice([2, 5, 30])
    return [
        (
            chance.randrange(few),
            chance.randrange(-few, few) * 0.25,
            chance.choice([0.0, -0.0, 0.1, 1e9, chance.randrange(few) / 3][: few + 1]),
            date(1969, 12, 28) + timedelta(days=chance.randrange(few * 9)),
            f"2020-01-01 00:00:{chance.randrange(few):02}.5",
            chance.choice(["nurse", "smith", "carer", "baker"]),
            chance.choice(["b", "B", "", "ä", "a;b"]),
            chance.random() < 0.5,
            chance.choice(["x", "x", "y", "z", None]),
            chance.randrange(max(2, rows // 2)),
            chance.randrange(3) or None,
        )
        for _ in range(rows)
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counts") / "s.duckdb"


@pytest.mark.slow
@pytest.mark.long
@settings(deadline=None, max_examples=rounds(3, 12), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32))
def test_a_release_from_counts_is_that_from_rows(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t (small UTINYINT, price DECIMAL(9,2), real DOUBLE, born DATE, seen TIMESTAMP, job VARCHAR, "
            "word VARCHAR, yes BOOLEAN, ill VARCHAR, person INTEGER, kept INTEGER)"
        )
        rows = _table(chance, chance.randrange(8, 70))
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 11)})", rows)
    backend = DuckDBFile(path, writable=False, limits=Limits("256MB", 1))
    try:
        (table,) = backend.tables()
        entity = chance.choice([None, "person"])
        dataset = Dataset("t", backend, relation(table.reference, None), table.columns, entity=entity)
        _compare(dataset, chance)
    finally:
        backend.close()


def _compare(dataset: Dataset, chance: random.Random) -> None:
    if dataset.entity is not None:
        units(dataset)
    named: dict[str, tuple[str, str, Kind]] = {}
    for each in chance.sample(KINDS, chance.randrange(1, 5)):
        named.setdefault(each[0], each)
    wanted = []
    for position, (column, column_type, kind) in enumerate(named.values(), start=1):
        listed = column in HIERARCHIES and (kind in ("nested", "tree") or chance.random() < 0.5)
        attribute = grounded(dataset, position, column, HIERARCHIES[column]) if listed else None
        wanted.append(PlannedColumn(column, column_type, kind, attribute))
    sensitive = ()
    if chance.random() < 0.5:
        models = tuple(chance.sample(MODELS, chance.randrange(3)))
        sensitive = (ground_sensitive(dataset, len(wanted) + 1, "ill", models),)
    target = chance.choice([None, "ill", "yes", "kept"])
    plan = Plan(
        dataset,
        (),
        (),
        chance.choice([(), ("kept",), ("kept", "word")]),
        chance.choice(["rows", "table"]),
        sensitive=sensitive,
        entity=dataset.entity,
        k=chance.randrange(1, 5),
        aggregated=tuple(each.column for each in wanted),
    )
    by_rows = MondrianRecords.stored(plan, wanted, ordered=False, target=target)
    by_counts = counted(plan, wanted, target=target)
    refused = none_can_be(by_rows)
    assert none_can_be(by_counts) == refused
    assume(refused is None)
    assert original_extremes(by_counts, plan.k) == original_extremes(by_rows, plan.k)
    labels = chance.choice(["interval", "set", "mean", "median"])
    plain: Choice = chance.choice([Widest(), Precise()])
    said = []
    for records in (by_rows, by_counts):
        choice = plain if records.target is None else Gain(records.target, records.target_values)
        partition = partitioned(records.domains, records.codes, choice, records.requirement)
        given = released(records, partition, labels)
        decide(records, partition, given)
        decided = backend_rows(dataset, plan)
        covered = coverage(records.domains, records.codes, partition)
        said.append(
            (
                decided,
                [each.shown.to_pylist() for each in given],
                partition.sizes.tolist(),
                (partition.made, partition.tried),
                covered.loss.tolist(),
                covered.prec,
                covered.kept.tolist(),
            )
        )
    assert said[1] == said[0]


def backend_rows(dataset: Dataset, plan: Plan) -> Counter[Any]:
    """What is decided, with persons by their identifier."""
    joined, person = "", ""
    if plan.entity is not None:
        joined, person = " JOIN persons ON code = person", "key, "
    columns = ", ".join(plan.values)
    found: Counter[Any] = Counter()
    answer = dataset.backend.connection.execute(f"SELECT {person}{columns}, {DECISIONS}.n FROM {DECISIONS}{joined}")
    for *row, n in answer.fetchall():
        found[tuple(map(repr, row))] += n
    return found
