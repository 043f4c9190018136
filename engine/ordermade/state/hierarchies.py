"""Hierarchies in the state, by name; an old one of the same name stays in history, out of use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.hierarchies.code_lists import code_list_of
from ordermade.hierarchies.owner import HierarchyOwner
from ordermade.hierarchies.stored import StoredHierarchy, StoredLabels, StoredLevel
from ordermade.records.cards import HasSummary
from ordermade.state.statements import Row, checked_name, find, rows, utc_now
from ordermade.state.table import PRESENT, Among, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True, repr=False)
class HierarchyRecord(HasSummary):
    """A registered hierarchy."""

    id: int
    """Its number."""
    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    content_hash: str
    """The hash of its content."""
    levels: int
    """The number of its levels, the values themselves and `*` included."""
    leaves: int
    """The number of values that it lists; 0 of a rule."""
    added_at: datetime
    """The time it was registered."""
    removed_at: datetime | None
    """The time it was taken out of use."""
    code_list: str | None = None
    """The source and the table of its code list, `SOURCE.TABLE`; null where it came from a file or a program."""


@dataclass(frozen=True, slots=True)
class HierarchyRow:
    """The row of a hierarchy; one that was replaced by another of its name was removed then.

    `code_list`: the table that it comes from, as `CodeList.text` writes it; None where it comes from none.
    """

    id: int
    name: str
    kind: str
    content_hash: str
    added_at: datetime
    removed_at: datetime | None
    code_list: str | None = None


@dataclass(frozen=True, slots=True)
class UserHierarchyRow:
    """The row of a hierarchy that a user uploaded, for one column of one dataset."""

    hierarchy_id: int
    user_name: str
    dataset_name: str
    column_name: str
    text: str
    size: int
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class NamedHierarchies:
    """Hierarchies as they were saved, by name; the owners of those of users; the names of all that one reads."""

    found: Mapping[str, StoredHierarchy]
    owners: Mapping[str, HierarchyOwner]
    known: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HierarchyLevel:
    """A level of a hierarchy, `level` from 0: that of a `StoredLevel`, which says what the rest is."""

    hierarchy_id: int
    level: int
    name: str
    content_hash: str
    origin: str | None
    width: str | None
    part: str | None
    keep: int | None
    mask: str | None
    length: int | None
    below: str | None
    above: str | None
    bounds: Sequence[str] | None
    unit: str | None


@dataclass(frozen=True, slots=True)
class HierarchyValue:
    """A label of an explicit hierarchy, under the first leaf of its class; `leaf` None: the path of NULL."""

    hierarchy_id: int
    leaf_no: int
    leaf: str | None
    level: int
    label: str | None


@dataclass(frozen=True, slots=True)
class HierarchyRefinement:
    """Two levels of a hierarchy, by number, of which the finer refines the coarser."""

    hierarchy_id: int
    finer: int
    coarser: int


HIERARCHIES = Table("hierarchies", HierarchyRow)
LEVELS = Table("hierarchy_levels", HierarchyLevel, key=("hierarchy_id", "level"))
VALUES = Table(
    "hierarchy_values", HierarchyValue, key=("hierarchy_id", "leaf_no", "level"), together=("level", "leaf_no")
)
REFINEMENTS = Table("hierarchy_refinements", HierarchyRefinement, key=("hierarchy_id", "finer", "coarser"))
OF_USERS = Table("user_hierarchies", UserHierarchyRow, key=("hierarchy_id",))


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
    code_list: str | None = None,
    *,
    of_user: bool = False,
) -> SavedHierarchy:
    """Register a hierarchy; `of_user`: one that a user uploads.

    `refinements` are pairs (finer level, coarser level), for reading by hand.
    `code_list`: the table that it comes from, as text. The same content of the same table or of none under the same
    name changes nothing; else it replaces the old one, which stays in history. Raises InputError for an unusable name,
    and for that of a user's own hierarchy.
    """
    checked_name("hierarchy", name)
    known = HIERARCHIES.find(connection, name=name, removed_at=None)
    if known is not None and not of_user and OF_USERS.find(connection, hierarchy_id=known.id) is not None:
        raise InputError(f"the hierarchy {quoted(name)} is a user's own", next_step="Choose another name.")
    wanted = (stored.kind, content_hash, code_list)
    if known is not None and (known.kind, known.content_hash, known.code_list) == wanted:
        return SavedHierarchy(known.id, "unchanged")
    now = utc_now()
    if known is not None:
        HIERARCHIES.update(connection, {"id": known.id}, removed_at=now)
    row = {"kind": stored.kind, "content_hash": content_hash, "code_list": code_list}
    number = HIERARCHIES.insert(connection, name=name, added_at=now, **row).id
    LEVELS.add_all(connection, (HierarchyLevel(number, *_rule(each)) for each in stored.levels))
    if stored.labels:
        VALUES.fill(connection, _values(number, stored.labels), number)
    REFINEMENTS.add_all(connection, (HierarchyRefinement(number, *pair) for pair in sorted(set(refinements))))
    return SavedHierarchy(number, "added" if known is None else "replaced")


def load(connection: StateConnection, name: str) -> StoredHierarchy:
    """The registered hierarchy of that name, as it was saved. Raises UnknownName."""
    found = HIERARCHIES.find(connection, name=name, removed_at=None)
    if found is None:
        known = [str(each) for (each,) in HIERARCHIES.read(connection, ("name",), removed_at=None, order_by=("name",))]
        raise UnknownName(
            "hierarchy", name, known, next_step="" if known else "Add one with `ordermade hierarchy add`."
        )
    return _loaded(connection, {found.id: found.kind})[found.id]


def code_lists(connection: StateConnection, names: Collection[str]) -> dict[str, str]:
    """The code lists, as text, of the registered hierarchies of these names that come from one, by name."""
    columns, among = ("name", "code_list"), Among(sorted(names))
    return dict(
        HIERARCHIES.read(connection, columns, name=among, removed_at=None, code_list=PRESENT, order_by=("name",))
    )


def taken_from(connection: StateConnection, source: str) -> tuple[str, ...]:
    """The names of the registered hierarchies that come from a code list of the source of that name."""
    lists = HIERARCHIES.read(connection, ("name", "code_list"), removed_at=None, code_list=PRESENT, order_by=("name",))
    return tuple(str(name) for name, text in lists if code_list_of(text).source == source)


def of_records(connection: StateConnection, records: Sequence[HierarchyRecord]) -> dict[str, StoredHierarchy]:
    """The hierarchies of records of `listed`, as they were saved, by name."""
    found = _loaded(connection, {each.id: each.kind for each in records})
    return {each.name: found[each.id] for each in records}


def named(connection: StateConnection, names: Collection[str]) -> NamedHierarchies:
    """The hierarchies of these names, as they were saved; for the service those of others are not there."""
    found = rows(connection, "state/hierarchies_named", names=sorted(names), reader=_reader(connection))
    kinds = {number: kind for *_, kind, number, level in (row[:7] for row in found) if level is not None}
    of_names = {number: name for name, _, number in (row[3:6] for row in found)}
    owners = {name: HierarchyOwner(*of_user) for *of_user, name in (row[:4] for row in found) if of_user[0] is not None}
    levels = _by_hierarchy(row[5:] for row in found if row[5] in kinds)
    loaded = {of_names[number]: each for number, each in _with_labels(connection, kinds, levels).items()}
    return NamedHierarchies(loaded, owners, tuple(dict.fromkeys(of_names.values())))


def of_users(connection: StateConnection, names: Collection[str]) -> frozenset[str]:
    """Those of these names that users gave to hierarchies of their own, in use or not."""
    found = HIERARCHIES.read(connection, ("id", "name"), name=Among(sorted(names)))
    own = {
        number for (number,) in OF_USERS.read(connection, ("hierarchy_id",), hierarchy_id=Among([n for n, _ in found]))
    }
    return frozenset(name for number, name in found if number in own)


def _reader(connection: StateConnection) -> str | None:
    """The user whose own hierarchies alone are read beside the registered ones; None: those of every user."""
    bounds = connection.bounds
    return None if bounds is None or bounds.reads_all else bounds.name


def with_levels(connection: StateConnection, level_hashes: Iterable[str]) -> tuple[StoredHierarchy, ...]:
    """Hierarchies, in use or not, that together have all the levels with these hashes that any hierarchy has."""
    found = rows(connection, "state/hierarchies_with_levels", level_hashes=sorted(level_hashes))
    return tuple(_loaded(connection, {number: kind for _, number, kind in found}).values())


def _loaded(connection: StateConnection, kinds: Mapping[int, str]) -> dict[int, StoredHierarchy]:
    """The hierarchies of these numbers, whose kinds are known: two statements, however many there are."""
    found = LEVELS.read(connection, LEVELS.columns, hierarchy_id=Among(list(kinds)), order_by=("hierarchy_id", "level"))
    return _with_labels(connection, kinds, _by_hierarchy(found))


def _with_labels(
    connection: StateConnection, kinds: Mapping[int, str], levels: Mapping[int, list[Row]]
) -> dict[int, StoredHierarchy]:
    """The hierarchies of these numbers, whose kinds and levels are known."""
    labels = _labels(
        VALUES.read(
            connection,
            ("hierarchy_id", "level", "leaf_no", "leaf", "label"),
            hierarchy_id=Among(list(kinds)),
            order_by=("hierarchy_id", "level", "leaf_no"),
        )
    )
    return {
        number: StoredHierarchy(
            kind=str(kind),
            levels=tuple(StoredLevel(*row) for row in levels.get(number, ())),
            labels=tuple(labels.get(number, ())),
        )
        for number, kind in kinds.items()
    }


def _by_hierarchy(found: Iterable[Row]) -> dict[int, list[Row]]:
    """Rows that begin with the number of their hierarchy, without it."""
    return {number: [row[1:] for row in of_one] for number, of_one in groupby(found, key=itemgetter(0))}


def listed(connection: StateConnection) -> tuple[HierarchyRecord, ...]:
    """The registered hierarchies, by name, with those of users; for the service without those of others."""
    found = rows(connection, "state/hierarchies", reader=_reader(connection))
    return tuple(HierarchyRecord(*row) for row in found)


def refinements(connection: StateConnection, number: int) -> tuple[tuple[int, int], ...]:
    """The stored pairs (finer level, coarser level) of a hierarchy."""
    pair = ("finer", "coarser")
    return tuple(REFINEMENTS.read(connection, pair, hierarchy_id=number, order_by=pair))


def remove(connection: StateConnection, name: str) -> HierarchyRecord:
    """Take a hierarchy out of use; history keeps it. Raises UnknownName. Gives it as it was."""
    record = find("hierarchy", name, listed(connection))
    HIERARCHIES.update(connection, {"id": record.id}, removed_at=utc_now())
    return record


def _labels(found: Iterable[Row]) -> dict[int, list[StoredLabels]]:
    """The labels of each hierarchy by its number; one that many values have is one text."""
    labels: dict[int, list[StoredLabels]] = {}
    once: dict[str | None, str | None] = {}
    for (hierarchy_id, level), of_level in groupby(found, key=itemgetter(0, 1)):
        listed = list(of_level)
        numbers, leaves, named = (tuple(map(itemgetter(place), listed)) for place in (2, 3, 4))
        of_one = StoredLabels(level, numbers, leaves, tuple(map(once.setdefault, named, named)))
        labels.setdefault(hierarchy_id, []).append(of_one)
    return labels


def _rule(level: StoredLevel) -> tuple[Any, ...]:
    """The fields of a level, in their order."""
    return tuple(getattr(level, each.name) for each in fields(level))


def _values(hierarchy_id: int, labels: Iterable[StoredLabels]) -> Iterator[Row]:
    """The rows of the labels of a hierarchy, of which there may be a million."""
    for each in labels:
        rows = len(each.labels)
        of_each = repeat(hierarchy_id, rows), each.leaf_numbers, each.leaves, repeat(each.level, rows), each.labels
        yield from zip(*of_each, strict=True)
