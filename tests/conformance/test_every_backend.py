"""What every backend does alike: one table, asked of in each kind of source, against counting in Python."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ordermade.counting.coverage import encode_counted, ground_all
from ordermade.counting.dataset import Version, version
from ordermade.counting.encoding import encode_column
from ordermade.counting.frequency_set import count_in_source
from ordermade.counting.oracle import InSource
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.lattice.observation import Observation
from ordermade.release.files import write_statement
from ordermade.release.measure import ReadingPlan, measure_file
from ordermade.release.plan import Plan
from ordermade.release.rows import count_classes, sort_classes, written_statement
from ordermade.sources.backend import row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, dataset, name, opened, the_table
from tests.conformance.persons import (
    COLUMNS,
    PERSONS,
    RULES,
    classes,
    every_node,
    grounded,
    hierarchies,
    lattice,
    observed,
    write_rules,
)
from tests.made import new_engine
from tests.stored_sets import packed

Make = Callable[[Table], Made]
SMALL = Limits(memory="256MB", threads=1)
ENGINE_NAMES = ("keys_1", "frequency_set", "released", "dataset")


def version_of(made: Made) -> Version:
    with opened(made) as backend:
        return version(dataset(backend))


def test_tables_columns_types_and_rows_come_from_the_catalog(make: Make) -> None:
    with opened(make(PERSONS)) as backend:
        table = the_table(backend)
        assert {each.name: each.type for each in table.columns} == COLUMNS
        assert row_count(backend, table.reference) == len(PERSONS.rows)
        assert not backend.changed()


def test_values_and_nulls_arrive_as_they_are(make: Make) -> None:
    with opened(make(PERSONS)) as backend:
        rows = backend.executor.rows(Purpose.CATALOG, dataset(backend).relation)
    assert Counter(rows) == Counter(PERSONS.rows)


FEW = PERSONS.changed(rows=PERSONS.rows[:12])


@pytest.mark.slow
def test_the_version_is_the_same_when_opened_again_and_in_any_order(make: Make) -> None:
    made = make(FEW)
    first = version_of(made)
    assert first.rows == len(FEW.rows)
    assert version_of(made) == first
    assert version_of(make(FEW.changed(rows=FEW.rows[::-1]))) == first
    assert version_of(make(FEW.changed(rows=FEW.rows[7:] + FEW.rows[:7]))) == first


@pytest.mark.slow
def test_every_change_of_a_row_or_a_name_is_another_version(make: Make) -> None:
    rows = [list(row) for row in FEW.rows]

    def edited(place: int, column: int, value: object) -> tuple[tuple[object, ...], ...]:
        copy = [list(row) for row in rows]
        copy[place][column] = value
        return tuple(tuple(row) for row in copy)

    swapped_down = [list(row) for row in rows]
    swapped_down[0][2], swapped_down[1][2] = rows[1][2], rows[0][2]
    swapped_across = [list(row) for row in rows]
    swapped_across[0][0], swapped_across[0][2] = rows[0][2], rows[0][0]
    renamed = {"nr" if column == "id" else column: kind for column, kind in COLUMNS.items()}
    versions = {
        "as it was": version_of(make(FEW)),
        "a cell": version_of(make(FEW.changed(rows=edited(3, 2, 99)))),
        "a cell became NULL": version_of(make(FEW.changed(rows=edited(3, 2, None)))),
        "two cells of a column swapped": version_of(make(FEW.changed(rows=tuple(map(tuple, swapped_down))))),
        "two cells of a row swapped": version_of(make(FEW.changed(rows=tuple(map(tuple, swapped_across))))),
        "a row more": version_of(make(FEW.changed(rows=(*FEW.rows, FEW.rows[0])))),
        "a row less": version_of(make(FEW.changed(rows=FEW.rows[1:]))),
        "a column renamed": version_of(make(FEW.changed(columns=renamed))),
    }
    assert len(set(versions.values())) == len(versions)


@pytest.mark.slow
def test_marginals_and_the_frequency_set_equal_a_count_in_python(make: Make) -> None:
    places = [list(COLUMNS).index(column) for column in RULES]
    with opened(make(PERSONS)) as backend:
        asked = dataset(backend)
        attributes = grounded(asked)
        count_in_source(asked, attributes)
        run = backend.connection.execute
        values = []
        for attribute, place in zip(attributes, places, strict=True):
            marginal = dict(run(f"SELECT key, n FROM {attribute.counted_values}").fetchall())
            assert marginal == Counter(row[place] for row in PERSONS.rows)
            values.append({cell: key for key, cell in run(f"SELECT key, cell FROM {attribute.keys}").fetchall()})
        cells = run("SELECT c1, c2, c3, c4, n FROM frequency_set").fetchall()
    counted = {tuple(of[cell] for of, cell in zip(values, row, strict=False)): row[-1] for row in cells}
    assert len(counted) == len(cells)
    assert counted == Counter(tuple(row[place] for place in places) for row in PERSONS.rows)


@pytest.mark.slow
def test_every_node_measures_alike_with_roll_up_and_without_and_in_python(make: Make) -> None:
    nodes = every_node()[:-1:2]  # all at `*` needs no counting: the oracle knows it
    with opened(make(PERSONS)) as backend:
        asked = dataset(backend)
        attributes = grounded(asked)
        rolled_up = packed(asked, attributes, lattice()).measure(nodes)
        in_source = InSource(asked, attributes, lattice()).measure(nodes[::25])
        assert backend.executor.count([Purpose.FREQUENCY_SET]) == 1
        assert backend.executor.count([Purpose.K_CHECK]) == len(nodes[::25])
    by_hand = {node: observed(PERSONS.rows, node) for node in nodes}
    assert rolled_up == by_hand
    assert in_source == {node: by_hand[node] for node in nodes[::25]}


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_rows_of_a_release_are_the_same_to_the_byte_from_every_source(
    make: Make, tmp_path: Path, ending: str
) -> None:
    node = (0, 2, 1, 1)
    out = tmp_path / f"out{ending}"
    with opened(make(PERSONS), tmp_path) as backend:
        asked = dataset(backend)
        plan = Plan(asked, grounded(asked), node, ("active", "height"), "rows")
        count_classes(plan)
        sort_classes(plan)
        backend.workspace.rows(Purpose.RELEASE, write_statement(written_statement(plan), out, ending))
    assert measure_file(out, ReadingPlan(plan.quasi_identifiers, "rows"), SMALL).classes == observed(PERSONS.rows, node)
    if ending == ".csv":
        assert hashlib.sha256(out.read_bytes()).hexdigest() == hashlib.sha256(_by_hand(node)).hexdigest()


def _by_hand(node: tuple[int, ...]) -> bytes:
    released = []
    for row in PERSONS.rows:
        (generalised,) = classes([row], node)
        released.append((*generalised, row[6], row[5]))
    in_order = sorted(released, key=lambda row: [(cell is not None, cell) for cell in row])
    lines = [",".join((*RULES, "active", "height"))]
    lines += [",".join("" if cell is None else _written(cell) for cell in row) for row in in_order]
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.slow
@pytest.mark.parametrize("node", [(0, 0, 0, 0), (0, 1, 2, 1)])
def test_missing_values_are_stars_from_every_source(make: Make, node: tuple[int, ...]) -> None:
    with opened(make(PERSONS)) as backend:
        asked = dataset(backend)
        outlined = [
            encode_column(asked, position, column, each, 0, missing_as_star=True)
            for position, (column, each) in enumerate(hierarchies().items(), 1)
        ]
        attributes = ground_all(asked, outlined)
        plan = Plan(asked, attributes, node, (), "rows")
        count_classes(plan)
        sort_classes(plan)
        released = Counter(backend.workspace.rows(Purpose.RELEASE, written_statement(plan)))
    by_hand = classes(PERSONS.rows, node)
    assert released == Counter(
        {tuple("*" if each is None else str(each) for each in row): n for row, n in by_hand.items()}
    )
    for place, (attribute, column) in enumerate(zip(attributes, RULES, strict=True)):
        values = [row[list(COLUMNS).index(column)] for row in PERSONS.rows]
        assert attribute.costs.starred == values.count(None) > 0
        if node[place] == 0:
            assert attribute.costs.loss[0] == pytest.approx(values.count(None) / len(values), abs=1e-9)


def _written(cell: object) -> str:
    text = str(cell).lower() if isinstance(cell, bool) else str(cell)
    return f'"{text}"' if "," in text else text


HOSTILE = (
    'a "q"',
    "x;y",
    "県 名",
    "select",
    "with space",
    "it's",
    "key",
    "code",
    "qi",
    "kept",
    "v1",
    "cell",
    "a.b",
    "n",
)


def asked_of(table: Table, made: Made, out: Path) -> list[Observation]:
    """The two observations of a table of small numbers: as they are and grouped; a release of it is written too."""
    hierarchy, _ = parse_yaml("mapping:\n  '0': [low]\n  '1': [low]\n  '2': [high]\n", "h", where="h")
    axes = Lattice(tuple(Axis(column, hierarchy.order, (0, 1, 2)) for column in table.columns))
    nodes = [(level,) * len(table.columns) for level in (0, 1)]
    with opened(made, out.parent) as backend:
        asked = dataset(backend)
        attributes = tuple(encode_counted(asked, i, column, hierarchy, 0) for i, column in enumerate(table.columns, 1))
        measured = packed(asked, attributes, axes).measure(nodes)
        assert InSource(asked, attributes, axes).measure(nodes) == measured
        plan = Plan(asked, attributes, nodes[1], (), "rows")
        count_classes(plan)
        sort_classes(plan)
        backend.workspace.rows(Purpose.RELEASE, write_statement(written_statement(plan), out, ".csv"))
    return [measured[node] for node in nodes]


def small(called: str, columns: tuple[str, ...]) -> Table:
    rows = [tuple((i + place) % 3 for place in range(len(columns))) for i in range(30)]
    return Table(called, dict.fromkeys(columns, "BIGINT"), rows)


@pytest.mark.slow
def test_columns_of_any_name_can_be_asked_of(make: Make, tmp_path: Path) -> None:
    table = small('per"sons; 名', HOSTILE)
    by_hand = Counter(tuple("low" if cell < 2 else "high" for cell in row) for row in table.rows)
    assert asked_of(table, make(table), tmp_path / "out.csv") == [
        Observation.from_histogram(Counter(Counter(table.rows).values()).items()),
        Observation.from_histogram(Counter(by_hand.values()).items()),
    ]
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == HOSTILE
    assert Counter(map(tuple, rows)) == by_hand


@pytest.mark.slow
def test_tables_may_be_called_like_the_tables_of_the_engine(make: Make, tmp_path: Path) -> None:
    expected = [Observation.from_histogram([(10, 3)]), Observation.from_histogram([(10, 1), (20, 1)])]
    for called in ENGINE_NAMES:
        table = small(called, ("x",))
        assert asked_of(table, make(table), tmp_path / "out.csv") == expected, called


@pytest.mark.slow
def test_a_whole_request_gives_the_same_answer_and_leaves_the_source_as_it_was(make: Make, tmp_path: Path) -> None:
    made = make(PERSONS)
    before = made.fingerprint()
    engine = new_engine(tmp_path, limits=SMALL)
    engine.sources.add("s", made.location, allow_inline=True)
    files = write_rules(tmp_path)
    for column in ("sex", "age"):
        engine.hierarchies.add(column, files[column])
    with opened(made) as backend:
        table = dataset(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2)
    request = {
        "dataset": "d",
        "k": 3,
        "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age"}},
        "keep": ["active"],
        "release": {"replace": True, "to": str(tmp_path / "out.parquet")},
    }
    result = engine.run(request)
    passing = [
        (sex, age, 3, 3) for sex in (0, 1) for age in range(4) if observed(PERSONS.rows, (sex, age, 3, 3)).k >= 3
    ]
    best = min(passing, key=lambda node: node[0] / 1 + node[1] / 3)
    seen = observed(PERSONS.rows, best)
    assert (result.status, result.search.source_queries) == ("released", 1)
    assert (tuple(result.levels.values()), result.k, result.divisions) == (best[:2], seen.k, seen.divisions)
    assert made.fingerprint() == before


def test_names_are_quoted_as_sql_wants_them() -> None:
    assert name('a"b') == '"a""b"'
