"""Models and persons measured alike in every kind of source, rolled up and not, and as counted in Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from ordermade.counting import classes
from ordermade.counting.counts import Counting, ground_sensitive, units
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.frequency_set import narrow, widen
from ordermade.counting.oracle import InSource, RolledUp
from ordermade.errors import InputError
from ordermade.lattice.observation import Requirement
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, TCloseness
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Purpose
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import GroundedColumn
from tests.conformance.backends import BACKENDS, Made, Table, dataset, in_turn, opened
from tests.conformance.persons import COLUMNS, PERSONS, every_node, grounded, hierarchies, label, lattice
from tests.conformance.units import (
    Fails,
    alpha,
    distinct_l,
    distinct_l_of_values,
    entropy_l,
    t_equal,
    t_hierarchical,
    t_ordered,
)
from tests.conformance.units import Table as Counted
from tests.stored_sets import whole_set

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]
QIS = ("sex", "age")
PLACES = {column: place for place, column in enumerate(COLUMNS)}


def with_visits(person_of: Callable[[int], int | None]) -> Table:
    """The persons of all tests, their rows given to fewer persons."""
    rows = tuple(
        (f"p{person}" if (person := person_of(row[0])) is not None else None, *row[1:]) for row in PERSONS.rows
    )
    return Table("visits", {**COLUMNS, "id": "VARCHAR"}, rows)


VISITS = with_visits(lambda i: i * 7 % 23)
"""About three rows a person."""
SOME_WITH_MANY = with_visits(lambda i: 0 if i % 2 else i % 9)
"""One of the persons has thirty rows."""
ONE_ROW_EACH = with_visits(lambda i: i)

ONLY_HIERARCHY = hierarchies()["code"]
SENSITIVE: dict[str, list[tuple[Model, Fails]]] = {
    "active": [
        (DistinctL(2), distinct_l(2)),
        (DistinctL(2, "no value"), distinct_l_of_values(2)),
        (TCloseness(Fraction("0.3")), t_equal(Fraction("0.3"))),
        (AlphaK(Fraction("0.6")), alpha(Fraction("0.6"))),
    ],
    "height": [
        (TCloseness(Fraction("0.2"), "ordered"), t_ordered(Fraction("0.2"), lambda v: (v is None, v or 0))),
        (EntropyL(Fraction(2)), entropy_l(Fraction(2))),
    ],
    "code": [
        (
            TCloseness(Fraction("0.4"), "hierarchical", ONLY_HIERARCHY),
            t_hierarchical(Fraction("0.4"), [lambda v, i=i: label("code", v, i) for i in range(3)]),
        )
    ],
}


def counted(table: Table, node: Sequence[int], *, of_persons: bool, columns: Sequence[str] = ()) -> Counted:
    """The table's rows in the classes of a node of sex, age and (always at `*`) the others."""
    return Counted(
        [
            (
                tuple(label(column, row[PLACES[column]], level) for column, level in zip(QIS, node, strict=False)),
                row[0] if of_persons else number,
                [row[PLACES[column]] for column in columns],
            )
            for number, row in enumerate(table.rows)
        ]
    )


def asked_of(backend: Backend, *, of_persons: bool) -> tuple[Dataset, tuple[EncodedColumn, ...]]:
    asked = dataset(backend)
    asked = Dataset(asked.name, asked.backend, asked.relation, asked.columns, "id" if of_persons else None)
    return asked, grounded(asked)


def measurers(
    asked: Dataset,
    attributes: tuple[EncodedColumn, ...],
    columns: Sequence[str],
    *,
    least: bool,
    keepable: bool = False,
) -> tuple[RolledUp, InSource, Counting]:
    persons = units(asked).persons if asked.entity else None
    sensitive = tuple(
        ground_sensitive(asked, position, column, [model for model, _ in SENSITIVE[column]])
        for position, column in enumerate(columns, start=len(attributes) + 1)
    )
    counting = Counting(sensitive, asked.entity, persons, least, keepable)
    rolled = RolledUp(
        asked,
        attributes,
        lattice(),
        partial(whole_set, asked, attributes, counting),
        counting,
    )
    return rolled, InSource(asked, attributes, lattice(), counting), counting


NODES = [node for node in every_node() if node[2:] == (3, 3)]


@in_turn(
    "table, columns",
    {
        "rows-three": (None, ("code", "active", "height")),
        "few-two": (VISITS, ("height", "code")),
        "rows-one": (None, ("active",)),
        "few-three": (VISITS, ("code", "active", "height")),
        "many-one": (SOME_WITH_MANY, ("active",)),
        "many-two": (SOME_WITH_MANY, ("height", "code")),
        "one-two": (ONE_ROW_EACH, ("active", "code")),
    },
)
def test_models_are_measured_as_in_python(make: Make, table: Table | None, columns: Sequence[str]) -> None:
    of_persons = table is not None
    table = table or PERSONS
    models = [(place, fails) for place, column in enumerate(columns) for _, fails in SENSITIVE[column]]
    by_hand = {
        node: counted(table, node, of_persons=of_persons, columns=columns).observed(models, least=of_persons)
        for node in NODES
    }
    with opened(make(table)) as backend:
        asked, attributes = asked_of(backend, of_persons=of_persons)
        rolled, in_source, _ = measurers(asked, attributes, columns, least=of_persons)
        assert rolled.measure(NODES) == by_hand
        assert in_source.measure(NODES) == by_hand


@in_turn("columns", {each: ((each,),) for each in SENSITIVE} | {"three": (tuple(SENSITIVE),)}, first="csv")
def test_finer_nodes_suppress_no_less_than_is_measured_to_be_certain(make: Make, columns: Sequence[str]) -> None:
    """Of rows, with the models of one column and with all: no failing class is left out, and some are bounded."""
    models = [(place, fails) for place, column in enumerate(columns) for _, fails in SENSITIVE[column]]
    with opened(make(PERSONS)) as backend:
        asked, attributes = asked_of(backend, of_persons=False)
        rolled, in_source, _ = measurers(asked, attributes, columns, least=False, keepable=True)
        measured = rolled.measure(NODES)
        assert in_source.measure(NODES) == measured
    required = {k: Requirement(k, 20, models=True, monotone=False) for k in (1, 2, 3, 5)}
    tables = {node: counted(PERSONS, node, of_persons=False, columns=columns) for node in NODES}
    suppressed = {
        (node, k): len(table.suppressed(each, models)) for node, table in tables.items() for k, each in required.items()
    }
    bounded = 0
    for coarse, fine in itertools.product(NODES, NODES):
        seen = measured[coarse]
        assert seen.keepable is not None
        assert sum(n for _, n in seen.keepable) == sum(n for _, n in seen.failing or ())
        if not lattice().refines(fine, coarse):
            continue
        for k, each in required.items():
            assert each.least_suppressed(seen) <= suppressed[fine, k]
            bounded += seen.below(k) < each.least_suppressed(seen)
    assert bounded


@in_turn(
    "table, least",
    {
        f"{called}-{'least' if least else 'classes'}": (table, least)
        for called, table in {"few": VISITS, "many": SOME_WITH_MANY, "one": ONE_ROW_EACH}.items()
        for least in (True, False)
    },
    first="csv",
)
def test_persons_are_counted_as_in_python(make: Make, table: Table, least: bool) -> None:
    by_hand = {node: counted(table, node, of_persons=True).observed(least=least) for node in NODES[:-1]}
    with opened(make(table)) as backend:
        asked, attributes = asked_of(backend, of_persons=True)
        rolled, in_source, _ = measurers(asked, attributes, (), least=least)
        assert rolled.measure(NODES[:-1]) == by_hand
        assert in_source.measure(NODES[:-1]) == by_hand


@in_turn(
    "table, columns",
    {
        f"{called}-{'model' if columns else 'k'}": (table, columns)
        for called, table in {"rows": None, "few": VISITS, "many": SOME_WITH_MANY}.items()
        for columns in (("active",), ())
    },
    first="parquet",
)
def test_what_is_suppressed_is_figured_as_in_python(make: Make, table: Table | None, columns: Sequence[str]) -> None:
    of_persons = table is not None
    table = table or PERSONS
    models = [(place, fails) for place, column in enumerate(columns) for _, fails in SENSITIVE[column]]
    requirement = Requirement(6, 20, models=bool(models), persons=of_persons)
    with opened(make(table)) as backend:
        asked, attributes = asked_of(backend, of_persons=of_persons)
        rolled, in_source, _ = measurers(asked, attributes, columns, least=False)
        found, from_source = (each.suppressed(NODES, requirement) for each in (rolled, in_source))
    assert found == from_source
    some = False
    for node in NODES:
        at = counted(table, node, of_persons=of_persons, columns=columns)
        rows = [table.rows[place] for place in at.suppressed(requirement, models)]
        some |= bool(rows)
        assert found[node].rows == len(rows)
        for place, column in enumerate(("sex", "age", "joined", "code")):
            labels = [label(column, row[PLACES[column]], node[place]) for row in rows]
            bits = sum(n * math.log2(n) for n in {each: labels.count(each) for each in labels}.values())
            assert found[node].information[place] == pytest.approx(bits)
    assert some


def test_classes_too_many_to_be_numbered_by_arithmetic_are_ranked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "LARGEST_NUMBER", 1)
    models = [(0, fails) for _, fails in SENSITIVE["active"]]
    by_hand = {
        node: counted(VISITS, node, of_persons=True, columns=("active",)).observed(models, least=True) for node in NODES
    }
    with opened(BACKENDS["duckdb"](tmp_path, VISITS)) as backend:
        asked, attributes = asked_of(backend, of_persons=True)
        rolled, in_source, _ = measurers(asked, attributes, ("active",), least=True)
        assert rolled.measure(NODES) == by_hand
        assert in_source.measure(NODES) == by_hand


@pytest.mark.parametrize("of_persons", [False, True])
def test_a_cached_set_with_sensitive_values_serves_requests_with_them_and_without(
    tmp_path: Path, of_persons: bool
) -> None:
    cache = Cache(tmp_path / "cache.duckdb")
    made = BACKENDS["duckdb"](tmp_path, VISITS)
    for columns in (("active", "height"), ("height",), ()):
        models = [(place, fails) for place, column in enumerate(columns) for _, fails in SENSITIVE[column]]
        by_hand = {
            node: counted(VISITS, node, of_persons=of_persons, columns=columns).observed(models) for node in NODES[:-1]
        }
        with opened(made) as backend:
            asked, attributes = asked_of(backend, of_persons=of_persons)
            counting = measurers(asked, attributes, columns, least=False)[2]
            wanted = [GroundedColumn(each.column, each.hierarchy.content_hash, each.base) for each in attributes]
            cached = cache.find(1, [*wanted, *counting.cached_columns])
            assert (cached is None) == (len(columns) == 2)
            narrow(asked, attributes, cache, cached, 1, 60, counting)
            stored = widen(asked, attributes, counting)
            rolled = RolledUp(asked, attributes, lattice(), lambda: stored, counting)  # noqa: B023
            assert rolled.measure(NODES[:-1]) == by_hand
            assert backend.executor.count([Purpose.FREQUENCY_SET]) == (len(columns) == 2)


def test_rows_without_a_person_are_refused_with_their_number(make: Make) -> None:
    with opened(make(with_visits(lambda i: None if i % 10 == 0 else i))) as backend:
        asked, _ = asked_of(backend, of_persons=True)
        with pytest.raises(InputError, match=r"6 rows have no person.*where"):
            units(asked)


def test_rows_and_persons_of_a_dataset(make: Make) -> None:
    with opened(make(VISITS)) as backend:
        asked, _ = asked_of(backend, of_persons=True)
        found = units(asked)
    assert (found.rows, found.persons, found.number) == (60, 23, 23)
