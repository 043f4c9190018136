"""Releases of one dataset judged beside each other: what their readers can work out about fewer than k persons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from ordermade.counting.dataset import Version, version
from ordermade.counting.joint_cells import CountedTogether, PartedColumn, counted_together
from ordermade.errors import InputError, Refused, quoted
from ordermade.ledger.beside import Answer, Together, judged_together
from ordermade.ledger.figures import REST, UNBOUNDED, KnownFigures
from ordermade.methods.registry import METHOD_OF
from ordermade.methods.shared.open_request import OpenRequest, RunContext
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import protected
from ordermade.methods.tables.records import MISSING, CountedCells, counted_cells
from ordermade.records.cards import HasSummary
from ordermade.requests.filter_tree import Filter
from ordermade.requests.read import read_recorded
from ordermade.requests.row_filter import row_condition
from ordermade.state import releases, requests, versions
from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import ReleaseRecord
from ordermade.state.versions import DatasetVersion
from ordermade.tables.cells import Whole
from ordermade.tables.protected import ProtectedTables

LARGEST_POOL = 12
"""The most releases that are judged together."""
_JUDGED = ("generalization", "table")
"""The methods whose releases are judged."""


@dataclass(frozen=True, slots=True)
class DerivedFinding:
    """Groups of persons that releases give away together, or may give away: all that the same classes are of."""

    answer: Answer
    """`breach`: it follows from the releases that a group has 1 to k - 1 persons; `undecided`: nothing is proved."""
    groups: int
    """The number of such groups, or of suppressed cells."""
    releases: tuple[int, ...]
    """The numbers of the releases that it takes."""
    classes: tuple[str, ...]
    """The levels whose classes the groups have in common."""
    hidden: bool
    """Whether they are suppressed cells of a table, known to less than k."""


@dataclass(frozen=True, slots=True, repr=False)
class ReleasesTogether(HasSummary):
    """The judgement on several releases of a dataset."""

    releases: tuple[int, ...]
    """Their numbers."""
    k: int
    """The k that groups are judged by."""
    answer: Answer
    """`safe`, `breach` or `undecided`: the worst of the findings."""
    findings: tuple[DerivedFinding, ...]
    """The groups that are not safe."""
    looked_at: int
    """The number of groups and suppressed cells that had to be decided."""
    by_refinement: bool
    """Whether none had to be: the classes that the releases have in common are of k or more each."""
    by_swaps: int
    """The number of groups that other data proved safe, which agree with every release."""
    programs: int
    """The number of integer programs that were solved."""
    left_out: tuple[str, ...]
    """The parts of the releases that were not judged."""


def judged_releases(context: RunContext, numbers: Sequence[int], k: int | None = None) -> ReleasesTogether:
    """What the readers of all these releases can work out about 1 to k - 1 persons; `k`: if left out, the dataset's.

    Raises UnknownName, InputError for releases that cannot be judged together, Refused where the data or a hierarchy is
    no longer that of a release, SourceFault, StateFault.
    """
    wanted = tuple(dict.fromkeys(numbers))
    if not 2 <= len(wanted) <= LARGEST_POOL:
        raise InputError(
            f"{len(wanted)} releases are named",
            where="the releases",
            next_step=f"Name 2 to {LARGEST_POOL} of them, each once: `ordermade release list` shows them.",
        )
    pool = [_read(context, number) for number in wanted]
    if len({each.dataset for each in pool}) > 1:
        raise InputError(
            "the releases are of several datasets",
            where="the releases",
            next_step="Judge the releases of one dataset at a time.",
        )
    with pool[0].opened(context) as first:
        floor = k or first.opened.terms.least_k or min(each.k for each in pool)
        together = counted_together(
            first.opened.filtered(None),
            (column for each in pool for column in each.columns),
            (each.filter for each in pool),
        )
    given = [figures for each in pool for figures in each.figures(together)]
    found = judged_together(given, together.cells, floor)
    return _report(wanted, floor, found, tuple(sorted({part for each in pool for part in each.left_out})))


def _report(numbers: tuple[int, ...], k: int, found: Together, left_out: tuple[str, ...]) -> ReleasesTogether:
    groups: Counter[tuple[Answer, tuple[int, ...], tuple[str, ...], bool]] = Counter()
    for each in found.groups:
        groups[each.answer, each.releases, each.classes, each.hidden] += 1
    findings = tuple(
        DerivedFinding(answer, n, together, classes, hidden)
        for (answer, together, classes, hidden), n in groups.items()
    )
    return ReleasesTogether(
        releases=numbers,
        k=k,
        answer=found.answer,
        findings=tuple(sorted(findings, key=lambda each: (each.answer != "breach", -each.groups, each.releases))),
        looked_at=found.looked_at,
        by_refinement=found.by_refinement,
        by_swaps=found.by_swaps,
        programs=found.programs,
        left_out=left_out,
    )


@dataclass(frozen=True, slots=True)
class _ReadRelease:
    """A release with its records; its request as it fits the dataset, whose identity is `dataset`.

    `tables`: the counted cells of tables with totals, and what is suppressed of them.
    """

    record: ReleaseRecord
    requested: RequestRecord
    resolved: Any
    dataset: str
    filter: Filter | None
    tables: tuple[CountedCells, ProtectedTables] | None

    @property
    def number(self) -> int:
        return self.record.id

    @property
    def k(self) -> int:
        k: int = self.resolved.request.k
        return k

    @property
    def columns(self) -> Iterator[PartedColumn]:
        """Its columns at the levels that it is released at."""
        if self.tables is not None:
            for each in self.resolved.dimensions:
                yield PartedColumn(each.column, each.hierarchy, each.levels)
            return
        for each in self.resolved.qis:
            level = self.requested.chosen[each.column][0]
            yield PartedColumn(each.column, each.hierarchy, (level,), each.missing_as_star)

    @property
    def left_out(self) -> Iterator[str]:
        """The parts of the release that are not judged."""
        if self.tables is None:
            if self.resolved.with_values:
                yield "values of kept and sensitive columns"
        elif self.resolved.amounts:
            yield "sums and means of tables"

    def opened(self, context: RunContext) -> AbstractContextManager[OpenRequest[Any]]:
        """Its request, open again."""
        return _opened(context, self.resolved.request.method, self.requested.request or "")

    def require_as_released(self, seen: DatasetVersion | None, today: Version) -> None:
        """Raises Refused where the data, `seen` then, or a hierarchy is no longer that of the release."""
        if seen is None or not today.is_of(seen):
            raise self._changed("the data has changed since")
        recorded = {each.column: each.hierarchy_hash for each in self.requested.quasi_identifiers}
        for each in self.columns:
            if recorded.get(each.column, each.hierarchy.content_hash) != each.hierarchy.content_hash:
                raise self._changed(f"the hierarchy of {quoted(each.column)} has changed since")

    def figures(self, together: CountedTogether) -> Iterator[KnownFigures]:
        """What the release says of its classes, by partitions of the dataset."""
        if self.tables is None:
            yield from self._of_rows(together)
        else:
            yield from self._of_tables(together, *self.tables)

    def _of_rows(self, together: CountedTogether) -> Iterator[KnownFigures]:
        resolved = self.resolved
        drops = self.record.suppressed_rows > 0
        if drops and (resolved.sensitive or resolved.risk is not None):
            raise _not_judged(self.number, "suppressed classes by more than their size")
        classes, called = {}, []
        for each in self.columns:
            (level,) = each.levels
            if level < each.hierarchy.top:
                classes[together.axes[each.column]] = together.classes(each, level)
                called.append(f"{each.column}: {each.hierarchy.levels[level].name}")
        partition, words = together.partition(classes, self.filter), self._called(called)
        labels, rows = together.counted(partition)
        kept = rows >= self.k if drops else np.ones(len(labels), dtype=np.bool_)
        if int(np.count_nonzero(kept)) != self.record.divisions:
            raise self._changed("its classes cannot be counted again")
        labels, rows = labels[kept], rows[kept]
        yield KnownFigures((self.number,), words, partition, labels, rows, rows, self.k - 1 if drops else 0)
        if drops:
            # The manifest says how many are suppressed where they are k or more; their `*` rows can be counted.
            gone = self.record.star_rows or self.record.suppressed_rows
            is_known = bool(self.record.star_rows) or gone >= self.k
            most = np.array([gone if is_known else self.k - 1], dtype=np.int64)
            least = most if is_known else np.zeros_like(most)
            rest, label = replace(partition, listed=labels), np.array([REST], dtype=np.int64)
            yield KnownFigures((self.number,), f"{words}, suppressed", rest, label, least, most, UNBOUNDED)

    def _of_tables(
        self, together: CountedTogether, counted: CountedCells, found: ProtectedTables
    ) -> Iterator[KnownFigures]:
        codes = {each.column: self._codes(together, counted, each) for each in self.columns}
        names = {each.column: each.hierarchy.levels for each in self.columns}
        for table in self.resolved.tables:
            choices = [(*table.levels[each], *((None,) if each in table.totals else ())) for each in table.every]
            for node in product(*choices):
                levels = {column: level for column, level in zip(table.every, node, strict=True) if level is not None}
                called = self._called([f"{column}: {names[column][level].name}" for column, level in levels.items()])
                yield self._of_node(
                    together, found, {each: codes[each][level] for each, level in levels.items()}, called
                )

    def _of_node(
        self,
        together: CountedTogether,
        found: ProtectedTables,
        codes: Mapping[str, Whole],
        called: str,
    ) -> KnownFigures:
        """The cells of a table with a level of each of some columns, the others at their totals."""
        partition = together.partition({together.axes[column]: own for column, own in codes.items()}, self.filter)
        inside = np.ones(len(found.table.values), dtype=np.bool_)
        for place, dimension in enumerate(found.table.dimensions):
            own = codes.get(dimension.name, np.array(dimension.roots))
            inside &= np.isin(found.table.cells[:, place], own)
        cells = found.table.cells[inside]
        by_axis = {
            together.axes[each.name]: cells[:, place]
            for place, each in enumerate(found.table.dimensions)
            if each.name in codes
        }
        labels = partition.of_classes(by_axis, len(cells))
        order = np.argsort(labels)
        suppressed = np.zeros(len(found.table.values), dtype=np.bool_)
        suppressed[list(found.suppressed)] = True
        hidden, units = suppressed[inside][order], found.tabulation.units[inside][order]
        return KnownFigures(
            (self.number,),
            called,
            partition,
            labels[order],
            np.where(hidden, int(found.rules.zeros == "shown"), units),
            np.where(hidden, UNBOUNDED, units),
            0,
            hidden,
        )

    def _codes(self, together: CountedTogether, counted: CountedCells, column: PartedColumn) -> Mapping[int, Whole]:
        """The code in the tables of each code of the column's axis, by level, or one of no cell."""
        levelled = counted.levelled[column.column]
        dimension, missing = levelled.dimension, MISSING[self.resolved.request.language]
        finest = together.labels[column.key][column.levels[0]] if column.levels[0] < column.hierarchy.top else ()
        found = {}
        for place, level in enumerate(column.levels):
            code_of = {
                dimension.codes[leaf]: code
                for leaf, code in zip(levelled.places[0], levelled.places[place], strict=True)
            }
            found[level] = np.array(
                [code_of.get(missing if each is None else each, len(dimension.codes)) for each in finest],
                dtype=np.int64,
            )
        return found

    def _called(self, classes: Sequence[str]) -> str:
        within = "" if self.filter is None else ", within its filter"
        return (", ".join(classes) or "the total") + within

    def _changed(self, what: str) -> Refused:
        return Refused(
            f"release {self.number} cannot be judged: {what}",
            where=f"release {self.number}",
            next_step="Judge releases of the data of today; a reviewer compares those of other versions.",
        )


def _read(context: RunContext, number: int) -> _ReadRelease:
    with context.state.reading() as connection:
        record = releases.get(connection, number)
        requested = requests.get(connection, record.request_id)
        seen = None if requested.dataset_version_id is None else versions.find(connection, requested.dataset_version_id)
    if requested.method is None or requested.method not in _JUDGED:
        raise _not_judged(number, f"is of the method {requested.method}, whose classes are of no one level")
    if requested.recoding not in (None, "full-domain"):
        raise _not_judged(number, f"is of {requested.recoding} recoding, whose classes are of no one level")
    if requested.request is None:
        raise _not_judged(number, "is of a request whose text was not kept")
    with _opened(context, requested.method, requested.request) as open_request:
        resolved = open_request.resolved
        if resolved.entity is not None:
            raise _not_judged(number, "counts persons, who may have several rows")
        today = version(replace(open_request.dataset, guard=None))
        tables = None
        if isinstance(open_request, OpenTables):
            if not {"count", "rows", "share"} & {each.kind for each in resolved.figures}:
                raise _not_judged(number, "shows no counts")
            counted = counted_cells(open_request, None)
            tables = counted, protected(open_request, counted)
        text, types = resolved.filter_text, {each.name: each.type for each in open_request.opened.columns}
        found = _ReadRelease(
            record,
            requested,
            resolved,
            open_request.opened.identity(None),
            None if text is None else row_condition(text, types)[1],
            tables,
        )
    found.require_as_released(seen, today)
    return found


def _opened(context: RunContext, method: str, request: str) -> AbstractContextManager[OpenRequest[Any]]:
    """A request on record, open again."""
    return METHOD_OF[method].opened(read_recorded(request), context, context.progress.statement)


def _not_judged(number: int, why: str) -> InputError:
    return InputError(
        f"release {number} {why}",
        where=f"release {number}",
        next_step="Judge releases by generalisation of rows or classes, and tables with totals, of counted rows.",
    )
