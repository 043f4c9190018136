"""Local recoding of rows as plain as they come, without a search: counted, released in rounds, decided, read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ordermade.counting.counts import ground_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.attempts import Recoded
from ordermade.methods.generalization.local_counting import COMBOS, COUNTED, PLACED
from ordermade.methods.generalization.local_recoding import local_recoding
from ordermade.methods.generalization.sealed_recoding import sealed_recoding
from ordermade.privacy.models import Model
from ordermade.release.plan import DECISIONS, Plan
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.limits import Limits
from tests.made import Row, Value, label, write_table

LIMITS = Limits("512MB", 1)


@dataclass(frozen=True)
class Released:
    """What one row of the dataset is released as; `row` is its place, `labels` None where it is suppressed."""

    row: int
    labels: tuple[Value, ...] | None


@dataclass(frozen=True)
class Table:
    """A table that is open: `id` counts its rows, `s` is sensitive, `who` tells persons apart."""

    backend: DuckDBFile
    plan: Plan
    lattice: Lattice
    rows: Sequence[Row]
    hierarchies: Sequence[ExplicitHierarchy]

    def recode(
        self, requirement: Requirement, full_domain: Node | None, weights: Mapping[str, Fraction] | None = None
    ) -> Recoded:
        """The local recoding of the table."""
        return local_recoding(self.plan, self.lattice, requirement, full_domain, weights)

    def seal(
        self, requirement: Requirement, full_domain: Node | None, weights: Mapping[str, Fraction] | None = None
    ) -> Recoded:
        """The sealed local recoding of the table."""
        return sealed_recoding(self.plan, self.lattice, requirement, full_domain, weights)

    def placed(self, found: Recoded) -> list[Node | None]:
        """The node that each row was placed at, by the number of its round."""
        cells = ", ".join(each.cell_column for each in self.plan.attributes)
        place = f"v{len(self.plan.carried)}"
        rounds = self.backend.connection.execute(
            f"SELECT round FROM {COUNTED} JOIN {COMBOS} USING ({cells}) LEFT JOIN {PLACED} USING (combo) "
            f"ORDER BY {place}"
        ).fetchall()
        return [None if number is None else found.rounds[number - 1].node for (number,) in rounds]

    def released(self) -> list[Released]:
        """What every row of the table was decided to be released as, in the order of the rows."""
        names = ", ".join(self.plan.labels)
        place = f"v{len(self.plan.carried)}"
        found = self.backend.connection.execute(
            f"SELECT {place}, suppressed, n, {names} FROM {DECISIONS} ORDER BY {place}"
        ).fetchall()
        assert all(n == 1 for _, _, n, *_ in found)
        return [Released(row, None if suppressed else tuple(labels)) for row, suppressed, _, *labels in found]

    def labelled(self, row: int, node: Node) -> tuple[Value, ...]:
        """What a row is at a node, as texts, by hand."""
        return tuple(
            text(label(each, value, level))
            for each, value, level in zip(self.hierarchies, self.rows[row], node, strict=False)
        )


def text(value: Value) -> str | None:
    return None if value is None else str(value)


@contextmanager
def opened(
    folder: Path,
    kinds: Mapping[str, str],
    rows: Sequence[Row],
    hierarchies: Sequence[ExplicitHierarchy],
    k: int,
    *,
    accepted: Sequence[tuple[int, int]] | None = None,
    models: tuple[Model, ...] = (),
    entity: bool = False,
) -> Iterator[Table]:
    """The rows as a table of a source: generalised columns first, then `s` and `who` where they are asked for."""
    columns = {**kinds, "id": "INTEGER"}
    numbered = [(*row, number) for number, row in enumerate(rows)]
    write_table(folder / "s.duckdb", columns, numbered)
    backend = DuckDBFile(folder / "s.duckdb", writable=False, limits=LIMITS)
    try:
        (table,) = backend.tables()
        dataset = Dataset("persons", backend, relation(table.reference, None), table.columns, "who" if entity else None)
        spans = accepted or [(0, each.top) for each in hierarchies]
        own = list(kinds)[: len(hierarchies)]
        attributes = tuple(
            encode_counted(dataset, place, column, each, low)
            for place, (column, each, (low, _)) in enumerate(zip(own, hierarchies, spans, strict=True), 1)
        )
        lattice = Lattice(
            tuple(
                Axis(column, each.order, tuple(range(low, high + 1)))
                for column, each, (low, high) in zip(own, hierarchies, spans, strict=True)
            )
        )
        plan = Plan(
            dataset=dataset,
            attributes=attributes,
            node=lattice.top,
            kept=("id",),
            shape="rows",
            sensitive=(ground_sensitive(dataset, len(own) + 1, "s", models),) if models else (),
            entity="who" if entity else None,
            k=k,
            suppresses=True,
            local=True,
        )
        yield Table(backend, plan, lattice, rows, hierarchies)
    finally:
        backend.close()


def check(table: Table, found: Recoded, k: int) -> Counter[tuple[Value, ...]]:
    """The released classes, counted by hand; every row is in one of them or suppressed, at labels of a round."""
    released = table.released()
    assert [each.row for each in released] == list(range(len(table.rows)))
    classes = Counter(tuple(map(text, each.labels)) for each in released if each.labels is not None)
    nodes = [each.node for each in found.rounds]
    for each in released:
        if each.labels is not None:
            assert tuple(map(text, each.labels)) in {table.labelled(each.row, node) for node in nodes}
    if table.plan.entity is None:
        assert all(size >= k for size in classes.values())
    assert found.suppressed_rows == len(table.rows) - classes.total()
    assert sum(each.rows for each in found.rounds) == classes.total()
    return classes


def loss(table: Table, nodes: Sequence[Node | None]) -> float:
    """The Loss of the release by hand: row by row, the share of the leaves that its labels may be."""
    total = Fraction(0)
    for row, node in enumerate(nodes):
        for place, each in enumerate(table.hierarchies):
            total += share(table, each, place, row, each.top if node is None else node[place])
    cells = len(table.rows) * len(table.hierarchies)
    return float(total / cells) if cells else 0.0


def assigned(table: Table, found: Recoded) -> list[Node | None]:
    """The node that each row is released at: gone through the rounds by hand."""
    nodes: list[Node | None] = [None] * len(table.rows)
    for each in found.rounds:
        left = [row for row, node in enumerate(nodes) if node is None]
        classes = Counter(table.labelled(row, each.node) for row in left)
        sure = [row for row in left if classes[table.labelled(row, each.node)] >= table.plan.k]
        for row in sure:
            nodes[row] = each.node
    return nodes


def share(table: Table, hierarchy: ExplicitHierarchy, place: int, row: int, level: int) -> Fraction:
    """(leaves under the label - 1) / (leaves - 1); NULL is a leaf where it occurs, listed or not."""
    occurs = any(each[place] is None for each in table.rows) and None not in hierarchy.leaves
    leaves: list[Value] = [*hierarchy.leaves, *([None] if occurs else [])]
    if len(leaves) == 1 or level == 0 or hierarchy.top == 0:
        return Fraction(0)
    mine = label(hierarchy, table.rows[row][place], level)
    under = sum(1 for leaf in leaves if label(hierarchy, leaf, level) == mine)
    return Fraction(under - 1, len(leaves) - 1)
