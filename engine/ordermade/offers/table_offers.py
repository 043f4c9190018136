"""Offers of coarser tables: a column coarser by a level, or left out, tried on cells that were counted once."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeAlias

import numpy as np

from ordermade.counting.counts import units_of
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.shared.beside import found_beside
from ordermade.methods.shared.open_request import RunContext, identifying, opened_request, require_unchanged
from ordermade.methods.shared.recorder import noted_version
from ordermade.methods.shared.usable_cache import UsableCache
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import protected, rare_values, refusal, tabulated
from ordermade.methods.tables.publish import TablesDraft
from ordermade.methods.tables.recorder import tables_as_started
from ordermade.methods.tables.records import CountedCells, CountedRecords, cells_of, counted_records
from ordermade.methods.tables.result import losses_of
from ordermade.methods.tables.shown import shown_tables_of
from ordermade.offers.offer import Change, Found, OfferFigures, Offers, numbered
from ordermade.offers.space import MAX_OFFERS, Concession
from ordermade.policies.enforcement import is_kept
from ordermade.privacy.least_k import too_few
from ordermade.requests.read import ReadRequest, of_table
from ordermade.requests.resolve_table import ResolvedDimension, resolve_table
from ordermade.requests.resolving import request_hash
from ordermade.requests.table import LinkedTable, TableRequest, Tabulated
from ordermade.state import audit, requests
from ordermade.tables.protected import ProtectedTables

MAX_TRIED = 12
"""The most coarser tables that are protected for one list."""
MAX_CELLS = 20_000
"""The most cells of a table that is tried."""
QUICK_LIMITS = 4, 600
"""The same beneath a refusal, which is not to take long."""

_Levels: TypeAlias = tuple[int | None, ...]
"""The finest level of each column of the refused request; None of one that is left out."""


@dataclass(frozen=True, slots=True)
class _Coarser:
    """A coarser request, open, with its cells."""

    levels: _Levels
    change: Change
    open_request: OpenTables
    cells: CountedCells
    number: int


def found_table_offers(
    read: ReadRequest[TableRequest], context: RunContext, *, under_refusal: bool = False, noted: bool = True
) -> Offers:
    """The coarser tables that pass, the most detailed first.

    `noted`, `under_refusal`: as in `found_offers`, and it raises as that does.
    """
    started, tell = time.perf_counter(), context.progress
    limits = QUICK_LIMITS if under_refusal else (MAX_TRIED, MAX_CELLS)
    with opened_request(OpenTables, resolve_table, read, context, tell.statement) as open_request:
        tell.step("dataset version")
        seen = version(open_request.dataset)
        resolved = open_request.resolved
        counted = units_of(open_request.dataset, seen.rows, resolved.request.k)
        hashed = request_hash(resolved.request, resolved.filter_text, resolved.said_by_files)
        offers = Offers(
            resolved.request.title,
            open_request.opened.name,
            "unknown",
            least_k=open_request.dataset.least_k,
            identity=(hashed, *(each.hierarchy.content_hash for each in resolved.dimensions)),
        )
        reason = too_few(resolved.request.k, counted.number, counted.called) or identifying(open_request, counted)
        if reason:
            return replace(offers, reason=reason)
        with context.state.writing() as connection:
            number = noted_version(connection, open_request, seen, counted.persons).id
        tell.step("cells")
        kept = None if context.cache is None else UsableCache(context.cache, number, seen.rows)
        records = counted_records(open_request, kept)
        offers = replace(offers, version_id=number)
        own = cells_of(open_request, records)
        tell.step("coarser tables")
        beside = _Beside(context)
        passing = _passing(open_request, own)
        if passing is not None and not beside.refuses(open_request, own, passing):
            require_unchanged(open_request)
            return replace(offers, status="passes")
        search = _Search(open_request, records, seen, beside, *limits)
        found = sorted(search.offers(), key=lambda each: -each[1].divisions)
        require_unchanged(open_request)
        offers = replace(
            offers,
            status="refused",
            offers=numbered(found, lambda request: ReadRequest(request, read.text, read.path)),
            complete=not search.left_out,
            left_out=tuple(search.left_out),
        )
        if noted and not under_refusal:
            _note(open_request, context, offers, started)
    return offers


def _note(open_request: OpenTables, context: RunContext, offers: Offers, started: float) -> None:
    """Notes the request as refused: its offers are of this dataset version."""
    refused = replace(
        tables_as_started(open_request, offers.version_id, "offers"),
        status="refused",
        reason=f"the tables cannot be released; {len(offers.offers):,} coarser ones were offered",
        seconds=round(time.perf_counter() - started, 4),
    )
    with context.state.writing() as connection:
        number = requests.start(connection, refused).id
        audit.add_audit_entry(connection, "request refused", str(number), refused.reason)


def _passing(open_request: OpenTables, cells: CountedCells) -> ProtectedTables | None:
    """The protected tables, if they may be released. Raises InputError for cells that the request cannot fix."""
    if rare_values(open_request, cells):
        return None
    found = protected(open_request, cells)
    return None if refusal(found, open_request.request) else found


@dataclass(frozen=True, slots=True)
class _Beside:
    """The judgement on tables beside what the recipients of a request have already."""

    context: RunContext

    def refuses(self, open_request: OpenTables, cells: CountedCells, found: ProtectedTables) -> bool:
        """Whether tables that pass by themselves would not be released, or not without a review."""
        own = {each.hierarchy.content_hash: each.hierarchy for each in open_request.resolved.dimensions}
        judged = found_beside(open_request, self.context, shown_tables_of(open_request, cells, found), own)
        return judged is not None and (judged.answer != "safe" or judged.changed)


class _Search:
    """Coarser tables, those of most cells first; one coarser than an offer is not tried."""

    def __init__(
        self,
        open_request: OpenTables,
        records: CountedRecords,
        seen: Version,
        beside: _Beside,
        most: int,
        most_cells: int,
    ) -> None:
        self._refused, self._records, self._seen, self._beside = open_request, records, seen, beside
        self._most, self._most_cells = most, most_cells
        self._dimensions = open_request.resolved.dimensions
        self.left_out: list[str] = []

    def offers(self) -> Iterator[Found]:
        """The coarser tables that pass, each with its figures."""
        order, tried, passed = count(), 0, list[_Levels]()
        waiting: list[tuple[int, int, _Coarser]] = []
        start: _Levels = tuple(each.level for each in self._dimensions)
        known = {start}
        self._push(waiting, order, known, start)
        while waiting and len(passed) < MAX_OFFERS:
            _, _, each = heapq.heappop(waiting)
            if any(self._is_coarser(each.levels, offered) for offered in passed):
                continue
            if each.number > self._most_cells:
                self._leave_out(f"tables of more than {self._most_cells:,} cells were not tried")
                self._push(waiting, order, known, each.levels)
                continue
            if tried == self._most:
                self._leave_out(f"no more than {self._most} coarser tables were tried")
                break
            tried += 1
            try:
                found = _passing(each.open_request, each.cells)
            except InputError:  # it names cells that the coarser table has not
                continue
            if found is None or self._beside.refuses(each.open_request, each.cells, found):
                self._push(waiting, order, known, each.levels)
                continue
            passed.append(each.levels)
            yield each.change, self._figures(each, found)

    def _leave_out(self, words: str) -> None:
        if words not in self.left_out:
            self.left_out.append(words)

    def _figures(self, each: _Coarser, found: ProtectedTables) -> OfferFigures:
        draft = TablesDraft(each.open_request, each.cells, found, 0, self._seen)
        dimensions = each.open_request.resolved.dimensions
        return OfferFigures(
            k=draft.k,
            divisions=draft.published,
            loss=losses_of(found),
            levels={one.column: one.level for one in dimensions},
            level_names={one.column: one.hierarchy.levels[one.level].name for one in dimensions},
            suppressed_persons=draft.suppressed_persons,
        )

    def _is_coarser(self, levels: _Levels, offered: _Levels) -> bool:
        """Whether tables are coarser than others that are offered."""
        pairs = zip(levels, offered, self._dimensions, strict=True)
        return all(
            mine is None or (its is not None and each.hierarchy.order.refines(its, mine)) for mine, its, each in pairs
        )

    def _push(
        self, waiting: list[tuple[int, int, _Coarser]], order: Iterator[int], known: set[_Levels], levels: _Levels
    ) -> None:
        """Adds the tables that are coarser by one step."""
        for place, each in enumerate(self._dimensions):
            level = levels[place]
            if level is None:
                continue
            for coarser in (_next_level(each, level), None):
                wanted = (*levels[:place], coarser, *levels[place + 1 :])
                if wanted not in known and (coarser is not None or sum(one is not None for one in levels) > 1):
                    known.add(wanted)
                    made = self._made(wanted)
                    if made is not None:
                        heapq.heappush(waiting, (-made.number, next(order), made))

    def _made(self, levels: _Levels) -> _Coarser | None:
        """The request of these levels with its cells; None where it cannot be."""
        changed = changed_tables(self._refused.request, self._dimensions, levels)
        if changed is None:
            return None
        terms = self._refused.opened.terms
        hierarchies = _hierarchies(self._refused.request, self._dimensions)
        if not is_kept(terms.policy, changed.request, hierarchies):
            return None
        read = of_table(ReadRequest(changed.request, "", self._refused.read.path))
        types = {each.name: each.type for each in self._refused.dataset.columns}
        try:
            resolved = resolve_table(read, types, hierarchies, self._refused.resolved.entity, terms)
            open_request = replace(self._refused, read=read, resolved=resolved)
            cells = cells_of(open_request, self._records)
            number = int(np.count_nonzero(tabulated(open_request, cells).table.values))
        except InputError:
            return None
        return _Coarser(levels, changed, open_request, cells, number)


def _next_level(dimension: ResolvedDimension, level: int) -> int | None:
    """The finest level below `*` that a level refines, of those after it."""
    hierarchy = dimension.hierarchy
    after = range(level + 1, hierarchy.top)
    return next((each for each in after if hierarchy.order.refines(level, each)), None)


def _hierarchies(request: TableRequest, dimensions: tuple[ResolvedDimension, ...]) -> Mapping[str, Hierarchy]:
    """The hierarchy of each column by the name that the request has for it."""
    names = _names(request, dimensions)
    return {
        options.hierarchy or name: next(each.hierarchy for each in dimensions if names[each.column] == name)
        for name, options in request.tabulated.items()
        if name in names.values()
    }


def _names(request: TableRequest, dimensions: tuple[ResolvedDimension, ...]) -> Mapping[str, str]:
    """The name that the request has for each column as stored."""
    written = tuple(request.tabulated)
    return {
        each.column: each.column
        if each.column in written
        else next(name for name in written if name.casefold() == each.column.casefold())
        for each in dimensions
    }


def changed_tables(
    request: TableRequest, dimensions: tuple[ResolvedDimension, ...], levels: tuple[int | None, ...]
) -> Change | None:
    """The request with these finest levels, None of a column that is left out; None where no table would be left.

    Columns are left out of one table alone: of several, each may need its own.
    """
    names, own = _names(request, dimensions), dict(request.dimensions)
    words, changes = list[str](), dict[str, str | int | None]()
    gone, beyond = set[str](), list[int]()
    dropped: dict[str, int] = {}
    for each, level in zip(dimensions, levels, strict=True):
        name = names[each.column]
        beyond.append((each.hierarchy.top if level is None else level) - each.level)
        if level is None:
            gone.add(name)
            own.pop(name, None)
            words.append(f"{each.column} left out")
            changes[f"dimensions.{name}"] = None
        elif level != each.level:
            own[name] = own.get(name, Tabulated()).model_copy(update={"level": level})
            dropped[name] = level
            finer = each.hierarchy.levels[each.level].name if each.level else "its own values"
            words.append(f"{each.column} in {each.hierarchy.levels[level].name} instead of {finer}")
            changes[f"dimensions.{name}.level"] = level
    if gone and request.tables:
        return None
    rows, columns = (tuple(each for each in some if each not in gone) for some in (request.rows, request.columns))
    if gone and not rows:
        rows, columns = columns[:1], columns[1:]
    if gone:
        changes |= {"rows": _list(rows), "columns": _list(columns)}
    hierarchies = {names[each.column]: each.hierarchy for each in dimensions}

    def totals(wanted: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if wanted is None:
            return None
        return tuple(each for each in wanted if not _is_total_of(each, gone, dropped, hierarchies))

    kept = totals(request.totals)
    if kept != request.totals:
        changes["totals"] = _list(kept or ())
    changed = request.model_copy(
        update={
            "dimensions": own,
            "rows": rows,
            "columns": columns,
            "totals": kept,
            "tables": tuple(_with_totals(each, totals(each.totals)) for each in request.tables),
        }
    )
    return Change("column" if gone else "levels", changed, Concession(tuple(beyond)), tuple(words), changes)


def _with_totals(table: LinkedTable, totals: tuple[str, ...] | None) -> LinkedTable:
    return table.model_copy(update={"totals": totals})


def _list(names: tuple[str, ...]) -> str:
    return f"[{', '.join(names)}]"


def _is_total_of(total: str, gone: set[str], coarser: Mapping[str, int], hierarchies: Mapping[str, Hierarchy]) -> bool:
    """Whether a total is of a column that is left out, or a level no coarser than the finest that is left."""
    columns = {name.casefold(): name for name in hierarchies}
    before, dot, after = total.partition(".")
    if total.casefold() in columns:
        return columns[total.casefold()] in gone
    of_one = columns.get(before.casefold()) if dot else None
    wanted = after if of_one else total
    among = [of_one] if of_one else list(hierarchies)
    found = [(name, level) for name in among if (level := hierarchies[name].level_number(wanted)) is not None]
    return bool(found) and all(name in gone or level <= coarser.get(name, -1) for name, level in found)
