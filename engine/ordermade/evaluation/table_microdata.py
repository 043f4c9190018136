"""Published tables beside the microdata that they were counted from: what is wrong, too small, and known to whom.

Every cell is counted again, in rows or in persons. Nothing here leaves with a figure below k: cells are counted, and
named by their codes, which the table itself publishes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.errors import InputError
from ordermade.evaluation.tables import label_classes
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile
from ordermade.tables.cells import Whole
from ordermade.tables.codes import CodeTree, folded
from ordermade.tables.judgement import MAX_ATTACKERS, ComparedMicrodata, DifferentCell, NamedCell

if TYPE_CHECKING:
    from ordermade.tables.cells import Relation
    from ordermade.tables.intervals import AuditedCells, CellInterval
    from ordermade.tables.published import LinkedTables

MAX_ENTRIES = 5_000_000
"""The most pairs of a cell and a class of rows, or a person's rows, in it."""


@dataclass(frozen=True, slots=True, eq=False)
class CountedMicrodata:
    """What microdata have in each cell: `rows`, and `persons` where a column identifies them.

    `sole`: the number of the person who is alone in a cell, else -1. `strange`: rows with a value that no code has.
    """

    rows: Whole
    persons: Whole | None
    sole: Whole | None
    strange: int

    def units(self, *, in_rows: bool) -> Whole:
        """The figures of the cells."""
        return self.rows if in_rows or self.persons is None else self.persons


def counted_microdata(
    microdata: AnyTable,
    linked: LinkedTables,
    hierarchies: Mapping[str, Hierarchy],
    entity: str | None,
    state: StateFile,
    limits: Limits,
) -> CountedMicrodata:
    """The cells of the tables, counted from microdata. Raises InputError (UnknownName), Refused, SourceFault."""
    names = [tree.dimension.name for tree in linked.trees]
    with microdata.dataset(state, limits) as (dataset, _):
        stored = [each.name for each in dataset.columns]
        columns = [column_named("--microdata", _stored(name, stored), stored) for name in names]
        if entity is not None:
            columns.append(column_named("--entity", entity, stored))
        classes, sizes = label_classes(dataset, columns)
    given = {folded(column): each for column, each in hierarchies.items()}
    codes_of = [_Codes(tree, given.get(folded(tree.dimension.name))) for tree in linked.trees]
    number = {cell: place for place, cell in enumerate(linked.cells)}
    rows = np.zeros(len(number), dtype=np.int64)
    people: dict[str | None, int] = {}
    cells: list[int] = []
    whose: list[int] = []
    strange = entries = 0
    for labels, size in zip(classes, sizes.tolist(), strict=True):
        own = [codes.of(label) for codes, label in zip(codes_of, labels, strict=False)]
        strange += size * any(len(each) == 1 for each in own)
        entries += prod(map(len, own))
        _require_few(entries, microdata.named)
        found = [number[cell] for cell in product(*own) if cell in number]
        rows[found] += size
        if entity is not None:
            cells += found
            whose += [people.setdefault(labels[-1], len(people))] * len(found)
    persons, sole = _persons(cells, whose, len(rows)) if entity is not None else (None, None)
    return CountedMicrodata(rows, persons, sole, strange)


def _stored(name: str, stored: Sequence[str]) -> str:
    """The column of a dimension: of the same name but for width, case and spaces."""
    return next((each for each in stored if folded(each) == folded(name)), name)


def _require_few(entries: int, where: str) -> None:
    if entries > MAX_ENTRIES:
        raise InputError(
            f"its rows are in more than {MAX_ENTRIES:,} cells with all totals",
            where=where,
            next_step="Judge fewer dimensions at a time, or leave --entity out.",
        )


def _persons(cells: Sequence[int], whose: Sequence[int], number: int) -> tuple[Whole, Whole]:
    """The persons of each cell, and the one who is alone in it."""
    pairs = np.unique(np.array([cells, whose], dtype=np.int64).reshape(2, -1), axis=1)
    persons = np.bincount(pairs[0], minlength=number).astype(np.int64)
    last = np.full(number, -1, dtype=np.int64)
    last[pairs[0]] = pairs[1]
    return persons, np.where(persons == 1, last, -1)


class _Codes:
    """The codes of a dimension that a value of the microdata counts to: its own, those above it, and the total."""

    def __init__(self, tree: CodeTree, hierarchy: Hierarchy | None) -> None:
        self._tree, self._known = tree, dict[str, tuple[int, ...]]()
        self._above: dict[str, list[str]] = {}
        if isinstance(hierarchy, ExplicitHierarchy):
            for leaf, value in enumerate(hierarchy.leaves):
                self._above[folded(value)] = [folded(labels[leaf]) for labels in hierarchy.labels]

    def of(self, label: str | None) -> tuple[int, ...]:
        """The numbers of the codes, the total first; it alone where no other code has the value."""
        text = folded(label)
        if text not in self._known:
            found = {0}
            for each in (text, *self._above.get(text, ())):
                code = self._tree.numbers.get(each, 0)
                while code > 0:
                    found.add(code)
                    code = self._tree.dimension.parents[code]
            self._known[text] = tuple(sorted(found))
        return self._known[text]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCells:
    """The cells of published tables: those published, and the suppressed ones with their intervals.

    `values`: of published cells, in units of 1; `relations`: the sums that hold. `most_programs`: for each attack.
    """

    linked: LinkedTables
    relations: Sequence[Relation]
    audit: AuditedCells
    lower: Whole
    most_programs: int

    @property
    def published(self) -> list[int]:
        """The cells with a value in some table."""
        unknown = {*self.linked.suppressed, *self.linked.unpublished}
        return [cell for cell in range(len(self.linked.cells)) if cell not in unknown]


def compared_microdata(named: str, judged: JudgedCells, counted: CountedMicrodata, k: int) -> ComparedMicrodata:
    """The findings on published tables beside the microdata that were counted."""
    linked, published = judged.linked, judged.published
    values = linked.values[published]
    in_rows = counted.persons is None or int(np.count_nonzero(counted.rows[published] != values)) < int(
        np.count_nonzero(counted.persons[published] != values)
    )
    units = counted.units(in_rows=in_rows)
    people = units if counted.persons is None else counted.persons
    different = [cell for cell in published if units[cell] != linked.values[cell]]
    few = [cell for cell in published if 0 < people[cell] < k]
    suppressed = list(linked.suppressed)
    sole = None if counted.sole is None else counted.sole
    places = Counter(_place(judged, cell, int(units[cell])) for cell in suppressed)
    attack = None
    if sole is not None and not different:
        attack = _attacked(judged, units, sole, k)
    return ComparedMicrodata(
        name=named,
        counted="rows" if in_rows else "persons",
        compared=len(published),
        different=tuple(_different(linked, cell, int(units[cell]), k) for cell in different),
        few=tuple(NamedCell(_codes(linked, cell), int(linked.values[cell])) for cell in few),
        primary=sum(0 < people[cell] < k for cell in suppressed),
        secondary=sum(people[cell] >= k for cell in suppressed),
        empty=sum(not people[cell] for cell in suppressed),
        inside=places["inside"],
        at_an_end=places["at an end"],
        outside=places["outside"],
        strange=counted.strange if counted.strange >= k or not counted.strange else None,
        sole=None if sole is None else int(np.count_nonzero(sole[[*published, *suppressed]] >= 0)),
        attackers=None if attack is None else attack.attackers,
        recovered=None if attack is None else attack.recovered,
        narrow=None if attack is None else attack.narrow,
    )


def _place(judged: JudgedCells, cell: int, value: int) -> str:
    """Where the true value of a suppressed cell is in its interval."""
    found = judged.audit.intervals[cell]
    if value < found.least or (found.most is not None and value > found.most):
        return "outside"
    return "at an end" if value in (found.least, found.most) else "inside"


def _codes(linked: LinkedTables, cell: int) -> dict[str, str]:
    return linked.codes(cell, [tree.dimension.name for tree in linked.trees])


def _different(linked: LinkedTables, cell: int, units: int, k: int) -> DifferentCell:
    is_few = 0 < units < k or 0 < abs(units - int(linked.values[cell])) < k <= units
    return DifferentCell(_codes(linked, cell), int(linked.values[cell]), None if is_few else units)


@dataclass(frozen=True, slots=True)
class _Attack:
    attackers: int
    recovered: int
    narrow: int


def _attacked(judged: JudgedCells, units: Whole, sole: Whole, k: int) -> _Attack:
    """What the first sole contributors of suppressed cells can compute, each of whom knows the own cells."""
    own = dict(_known(judged.linked.suppressed, sole))
    recovered: set[int] = set()
    narrow: set[int] = set()
    before = judged.audit.intervals
    for cells in list(own.values())[:MAX_ATTACKERS]:
        found = _seen_by(judged, units, cells)
        for cell, interval in found.items():
            if cell in cells or interval.width is None or before[cell].width == interval.width:
                continue
            if interval.width == 0:
                recovered.add(cell)
            elif interval.width < k - 1:
                narrow.add(cell)
    return _Attack(min(len(own), MAX_ATTACKERS), len(recovered), len(narrow - recovered))


def _known(suppressed: Sequence[int], sole: Whole) -> Iterator[tuple[int, list[int]]]:
    """The suppressed cells of each person who is alone in some."""
    for person in dict.fromkeys(int(sole[cell]) for cell in suppressed if sole[cell] >= 0):
        yield person, [cell for cell in suppressed if sole[cell] == person]


def _seen_by(judged: JudgedCells, units: Whole, cells: Sequence[int]) -> Mapping[int, CellInterval]:
    """The intervals of the suppressed cells for a reader who knows some of them."""
    from ordermade.tables.intervals import audited

    values = judged.linked.values.copy()
    values[list(cells)] = units[list(cells)]
    return audited(
        judged.relations,
        values,
        judged.linked.suppressed,
        judged.lower,
        fixed=cells,
        unpublished=judged.linked.unpublished,
        most_programs=judged.most_programs,
    ).intervals
