"""Hierarchies in the state, by name; an old one of the same name stays in history, out of use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from ordermade.display.cards import Carded
from ordermade.errors import UnknownName
from ordermade.hierarchies.stored import StoredHierarchy, StoredLabels, StoredLevel
from ordermade.state.connection import statement
from ordermade.state.seals import seal_rows_of
from ordermade.state.statements import Row, checked_name, find, new_id, rows, run, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True, repr=False)
class HierarchyRecord(Carded):
    """A registered hierarchy in a list: `levels` counts its levels, `leaves` the values it lists."""

    id: int
    name: str
    kind: str
    content_hash: str
    levels: int
    leaves: int
    added_at: datetime
    removed_at: datetime | None


@dataclass(frozen=True, slots=True)
class SavedHierarchy:
    """The outcome of `save`: `outcome` is `added`, `unchanged` (same content, nothing written) or `replaced`."""

    id: int
    outcome: str


def save(
    connection: StateConnection,
    name: str,
    stored: StoredHierarchy,
    content_hash: str,
    refinements: Iterable[tuple[int, int]],
) -> SavedHierarchy:
    """Register a hierarchy. `refinements` are pairs (finer level, coarser level), for reading by hand.

    The same content under the same name changes nothing; other content replaces the old one, which stays in
    history. Raises InputError for an unusable name.
    """
    checked_name("hierarchy", name)
    known = rows(connection, "state/hierarchy_by_name", name=name)
    if known and known[0][1:] == (stored.kind, content_hash):
        return SavedHierarchy(int(known[0][0]), "unchanged")
    now = utc_now()
    if known:
        run(connection, "state/hierarchy_remove", id=known[0][0], removed_at=now)
    number = new_id(
        connection,
        "state/hierarchy_insert",
        name=name,
        kind=stored.kind,
        content_hash=content_hash,
        added_at=now,
    )
    _insert(connection, "state/hierarchy_levels_insert", number, _columns(StoredLevel, stored.levels))
    for each in stored.labels:
        _insert_labels(connection, number, each)
    if stored.labels:
        seal_rows_of(connection, "hierarchy_values", number)
    pairs = sorted(set(refinements))
    if pairs:
        finer, coarser = ([pair[side] for pair in pairs] for side in (0, 1))
        _insert(connection, "state/hierarchy_refinements_insert", number, {"finer": finer, "coarser": coarser})
    return SavedHierarchy(number, "replaced" if known else "added")


def load(connection: StateConnection, name: str) -> StoredHierarchy:
    """The registered hierarchy of that name, as it was saved. Raises UnknownName."""
    found = rows(connection, "state/hierarchy_by_name", name=name)
    if not found:
        known = [str(row[0]) for row in rows(connection, "state/hierarchy_names")]
        raise UnknownName(
            "hierarchy", name, known, next_step="" if known else "Add one with `ordermade hierarchy add`."
        )
    number, kind, _ = found[0]
    return _loaded(connection, {number: kind})[number]


def of_records(connection: StateConnection, records: Sequence[HierarchyRecord]) -> dict[str, StoredHierarchy]:
    """The hierarchies of records of `listed`, as they were saved, by name."""
    found = _loaded(connection, {each.id: each.kind for each in records})
    return {each.name: found[each.id] for each in records}


def with_levels(connection: StateConnection, level_hashes: Iterable[str]) -> tuple[StoredHierarchy, ...]:
    """Hierarchies, in use or not, that together have all the levels with these hashes that any hierarchy has."""
    found = rows(connection, "state/hierarchies_with_levels", level_hashes=sorted(level_hashes))
    return tuple(_loaded(connection, {number: kind for _, number, kind in found}).values())


def _loaded(connection: StateConnection, kinds: Mapping[int, str]) -> dict[int, StoredHierarchy]:
    """The hierarchies of these numbers, whose kinds are known: two statements, however many there are."""
    numbers = list(kinds)
    levels = _by_hierarchy(rows(connection, "state/hierarchy_levels", hierarchy_ids=numbers))
    labels = _by_hierarchy(rows(connection, "state/hierarchy_values", hierarchy_ids=numbers))
    return {
        number: StoredHierarchy(
            kind=str(kind),
            levels=tuple(StoredLevel(*row) for row in levels.get(number, ())),
            labels=_labels(labels.get(number, ())),
        )
        for number, kind in kinds.items()
    }


def _by_hierarchy(found: Iterable[Row]) -> dict[int, list[Row]]:
    """Rows that begin with the number of their hierarchy, without it."""
    return {number: [row[1:] for row in of_one] for number, of_one in groupby(found, key=itemgetter(0))}


def listed(connection: StateConnection) -> tuple[HierarchyRecord, ...]:
    """The registered hierarchies, by name."""
    return tuple(HierarchyRecord(*row) for row in rows(connection, "state/hierarchies"))


def refinements(connection: StateConnection, number: int) -> tuple[tuple[int, int], ...]:
    """The stored pairs (finer level, coarser level) of a hierarchy."""
    found = rows(connection, "state/hierarchy_refinements", hierarchy_id=number)
    return tuple((int(finer), int(coarser)) for finer, coarser in found)


def remove(connection: StateConnection, name: str) -> HierarchyRecord:
    """Take a hierarchy out of use; history keeps it. Raises UnknownName. Gives it as it was."""
    record = find("hierarchy", name, listed(connection))
    run(connection, "state/hierarchy_remove", id=record.id, removed_at=utc_now())
    return record


def _columns(record: type[Any], records: Sequence[Any]) -> dict[str, list[object]]:
    """Records of one kind as parallel lists, by field."""
    return {field.name: list(map(attrgetter(field.name), records)) for field in fields(record)}


def _labels(found: Iterable[Row]) -> tuple[StoredLabels, ...]:
    by_level = groupby(found, key=itemgetter(0))
    turned = ((level, zip(*(row[1:] for row in of_level), strict=True)) for level, of_level in by_level)
    return tuple(StoredLabels(level, *columns) for level, columns in turned)


def _insert_labels(connection: StateConnection, hierarchy_id: int, labels: StoredLabels) -> None:
    """Past `run`, which would seal row by row: there may be a million labels."""
    each = zip(labels.leaf_numbers, labels.leaves, labels.labels, strict=True)
    values = (
        {"hierarchy_id": hierarchy_id, "level": labels.level, "leaf_no": number, "leaf": leaf, "label": label}
        for number, leaf, label in each
    )
    connection.executemany(statement("state/hierarchy_values_insert"), values)


def _insert(connection: StateConnection, name: str, hierarchy_id: int, columns: dict[str, list[Any]]) -> None:
    run(connection, name, hierarchy_id=hierarchy_id, **columns)
