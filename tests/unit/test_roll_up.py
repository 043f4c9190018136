"""How many statements every node of a lattice takes where sets are rolled up: pinned, for the figures never differ.

As of the questions of a search, the numbers claim nothing: look at what changed them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from ordermade import sql
from ordermade.counting import oracle
from ordermade.counting.counts import Counting, ground_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.oracle import RolledUp
from ordermade.hierarchies.read import parse_yaml
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation
from ordermade.privacy.models import DistinctL
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Purpose
from tests.conformance.backends import BACKENDS, Table, dataset, opened
from tests.stored_sets import whole_set

HIERARCHY, _ = parse_yaml("intervals:\n  levels:\n    - {width: 2}\n    - {width: 8}\n", "h", where="h")
WIDTHS = (1, 2, 8, 64)
COLUMNS = ("a", "b", "c")
LATTICE = Lattice(tuple(Axis(column, HIERARCHY.order, (0, 1, 2, 3)) for column in COLUMNS))
NODES = [*list(LATTICE.nodes())[:-1:2], (0, 0, 1)]
"""Every second one, and one more: 33 are one more than two statements check."""
ROWS = [(i % 32, i * i % 31, (i * 7 + i // 9) % 16) for i in range(600)]
"""About 500 combinations of three columns."""


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    made = BACKENDS["duckdb"](tmp_path_factory.mktemp("s"), Table("t", dict.fromkeys(COLUMNS, "BIGINT"), ROWS))
    with opened(made) as backend:
        yield backend


def by_hand(node: Node) -> Observation:
    widths = [WIDTHS[level] for level in node]
    classes = Counter(tuple(value // width for value, width in zip(row, widths, strict=True)) for row in ROWS)
    return Observation.from_histogram(Counter(classes.values()).items())


@dataclass(frozen=True)
class Work:
    """Statements that check nodes; sets that are rolled up, how many of them from the whole one, and their rows."""

    checks: int
    sets: int = 0
    from_the_whole: int = 0
    rows: int = 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("worth", "shrinks", "waits", "kept", "work"),
    [
        (50_000, 8, 0, 48, Work(3)),  # 16 checks a statement, all from the one set
        (0, 8, 0, 48, Work(8, 6, 5, 202)),
        (0, 2, 0, 48, Work(17, 16, 5, 1_345)),
        (0, 1, 0, 48, Work(25, 24, 5, 3_630)),
        (0, 2, 0, 3, Work(4, 2, 2, 529)),  # no more than three sets are kept
        (0, 2, 2, 48, Work(5, 3, 3, 673)),  # for the third node that could use it, not for the first
        (0, 1, 2, 48, Work(7, 5, 3, 1_268)),
        (0, 2, 40, 48, Work(3)),
    ],
)
def test_every_node_takes_as_many_statements_as_it_did(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, worth: int, shrinks: int, waits: int, kept: int, work: Work
) -> None:
    monkeypatch.setattr(oracle, "WORTH_ROLLING_UP", worth)
    monkeypatch.setattr(oracle, "SHRINKS", shrinks)
    monkeypatch.setattr(oracle, "WORTH_WAITING_FOR", waits)
    monkeypatch.setattr(oracle, "MAX_KEPT", kept)
    asked = dataset(backend)
    attributes = tuple(
        encode_counted(asked, place, column, HIERARCHY, 0) for place, column in enumerate(COLUMNS, start=1)
    )
    whole = whole_set(asked, attributes)
    before = len(backend.workspace.ledger)
    assert RolledUp(asked, attributes, LATTICE, lambda: whole).measure(NODES) == {node: by_hand(node) for node in NODES}
    ran = backend.workspace.ledger[before:]
    rolled = [each.text for each in ran if each.purpose is Purpose.ROLL_UP]
    sets = len(rolled) // 3  # it is made, widened and counted
    lengths = [backend.workspace.rows(Purpose.MEASURE, f"FROM roll_up_{at + 1}_wide") for at in range(sets)]
    assert work == Work(
        checks=len(ran) - len(rolled),
        sets=sets,
        from_the_whole=sum(f"FROM {whole.table} " in text for text in rolled),
        rows=sum(map(len, lengths)),
    )


@pytest.mark.parametrize(
    ("length", "batches"),
    [(0, [16, 16, 1]), (62_500, [16, 16, 1]), (62_501, [15, 15, 3]), (1_000_001, [1] * 33)],
)
def test_a_statement_checks_sixteen_nodes_or_as_many_as_keep_a_million_rows(length: int, batches: list[int]) -> None:
    assert [len(each) for each in oracle.batches(NODES, length)] == batches


@pytest.mark.slow
def test_a_set_is_rolled_up_where_it_is_shorter_with_every_sensitive_value(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth of 589 combinations is worth it: 4 by 4 classes by the 9 values of `c` are more, 1 by 4 by 9 are not."""
    monkeypatch.setattr(oracle, "WORTH_ROLLING_UP", 0)
    monkeypatch.setattr(oracle, "SHRINKS", 10)
    monkeypatch.setattr(oracle, "WORTH_WAITING_FOR", 0)
    asked, lattice = dataset(backend), Lattice(LATTICE.axes[:2])
    attributes = tuple(encode_counted(asked, place, column, HIERARCHY, 0) for place, column in enumerate("ab", start=1))
    counting = Counting((ground_sensitive(asked, 3, "c", [DistinctL(2)]),))
    whole = whole_set(asked, attributes, counting)
    measured = RolledUp(asked, attributes, lattice, lambda: whole, counting)
    for node, sets in (((2, 2), 0), ((3, 2), 1)):
        before = len(backend.workspace.ledger)
        measured.measure([node])
        ran = backend.workspace.ledger[before:]
        assert sum(each.purpose is Purpose.ROLL_UP for each in ran) == 3 * sets  # made, widened and counted


@pytest.mark.parametrize(("longest", "inside"), [(len(ROWS), 1), (0, 3)])
def test_a_short_set_is_checked_in_one_thread_until_the_search_ends(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, longest: int, inside: int
) -> None:
    monkeypatch.setattr(oracle, "IN_ONE_THREAD", longest)
    asked = dataset(backend)
    attributes = tuple(
        encode_counted(asked, place, column, HIERARCHY, 0) for place, column in enumerate(COLUMNS, start=1)
    )
    whole = whole_set(asked, attributes)

    def threads() -> int:
        return int(backend.workspace.rows(Purpose.STORE, sql.template("workspace/threads"))[0][0])

    backend.workspace.rows(Purpose.STORE, "SET threads = 3")
    measured = RolledUp(asked, attributes, LATTICE, lambda: whole)

    def search() -> None:
        with measured.searching():
            assert threads() == 3  # nothing is loaded before the first question
            measured.measure(NODES[:1])
            assert threads() == inside
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search()
    assert threads() == 3
    measured.measure(NODES[:1])
    assert threads() == 3
    with measured.searching():
        measured.measure(NODES[:1])
        assert threads() == inside
