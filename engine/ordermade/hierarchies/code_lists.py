"""Hierarchies from code lists: a code a row, with its parent or with a label for each level, and with its validity.

Levels of a list of parents are aligned from the roots. A chain that is shorter than the longest one keeps its own label
until the level of its depth, so that every level refines the next. A code without a parent, or with itself for one, is
a root; above several roots is `*` alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date, datetime
from itertools import pairwise
from types import MappingProxyType

from ordermade.errors import CodeListError, HierarchyError, InputError, quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.hierarchies.hierarchy import STAR, VALUE, check_count

Row = Sequence[str | None]
"""The texts of a row of the table, in the order of `CodeList.columns`."""

MAX_ROWS = 1_000_000
"""The most rows of a table that is read as a code list."""

SHOWN = 5
"""So many codes are named for the provider."""

VALID_FROM, VALID_TO = "valid_from", "valid_to"
"""The columns of the validity where none is named."""

_WITHOUT_END = MappingProxyType({"infinity": date.max, "-infinity": date.min})


@dataclass(frozen=True, slots=True)
class CodeList:
    """The table of a source that a hierarchy comes from, by the names of its columns.

    Raises HierarchyError for columns that do not go together.
    """

    source: str
    """The source."""
    table: str
    """Its table or view, as it was named."""
    code: str
    """The column of codes, which are the values of the data."""
    parent: str | None = None
    """The column of the code above each code; null where there is a column a level."""
    levels: tuple[str, ...] = ()
    """The columns of the levels, from finest to coarsest; none where there is a parent."""
    label: str | None = None
    """The column of names; null where codes are the labels."""
    valid_on: date | None = None
    """The day whose codes are taken; null: all are."""
    valid_from: str | None = None
    """The column of the first day of a row."""
    valid_to: str | None = None
    """The column of its last day."""
    valid_before: str | None = None
    """The column of the day after its last one."""
    inner_codes: bool = False
    """Whether codes above others are values, too."""

    def __post_init__(self) -> None:
        if (self.parent is None) == (not self.levels):
            what = "both the parent and the levels are" if self.levels else "neither the parent nor the levels are"
            raise _unclear(f"{what} named", "Name the column of parents, or the columns of the levels.")
        if self.levels and (self.label is not None or self.inner_codes):
            raise _unclear(
                "labels by name and inner codes are for lists of parents",
                "Leave them out, or name the column of parents.",
            )
        if self.valid_to is not None and self.valid_before is not None:
            raise _unclear("both the last day and the day after it are named", "Name one of the two columns.")
        if self.valid_on is None and self.validity:
            raise _unclear("the validity has no day", "Say the day whose codes are taken: --valid-on 2024-04-01.")
        check_count(len(self.levels), where=self.where)

    def in_table(self, stored: Callable[[str], str], names: Collection[str]) -> CodeList:
        """The list by the `stored` names of its columns, which the table has among `names`.

        A day without columns takes `valid_from` and `valid_to`, as far as the table has them. Raises HierarchyError
        where it has neither, and for a column that is named twice.
        """
        first, last = self.valid_from, self.valid_to
        if self.valid_on is not None and not self.validity:
            first, last = (each if each in names else None for each in (VALID_FROM, VALID_TO))
            if first is None and last is None:
                raise _unclear(
                    f"there is no column {VALID_FROM} and none {VALID_TO}, of which the day would be",
                    "Name the columns of the validity: --valid-from, --valid-to or --valid-before.",
                )

        def found(column: str | None) -> str | None:
            return None if column is None else stored(column)

        settled = replace(
            self,
            code=stored(self.code),
            parent=found(self.parent),
            levels=tuple(map(stored, self.levels)),
            label=found(self.label),
            valid_from=found(first),
            valid_to=found(last),
            valid_before=found(self.valid_before),
        )
        if len(set(settled.columns)) < len(settled.columns):
            raise _unclear("a column is named twice", "Name each column once.")
        return settled

    @property
    def where(self) -> str:
        """The place of the list in messages."""
        return f"{self.source}.{self.table}"

    @property
    def validity(self) -> tuple[str, ...]:
        """The columns of the validity, from the first day on."""
        return tuple(each for each in (self.valid_from, self.valid_to, self.valid_before) if each is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read, in the order of a row: the code, those above it, its name, its validity."""
        above = self.levels if self.parent is None else (self.parent,)
        return (self.code, *above, *(() if self.label is None else (self.label,)), *self.validity)

    def text(self) -> str:
        """The list as JSON, which `code_list_of` reads; what is not said is left out."""
        said = {name: each for name, each in asdict(self).items() if each not in (None, (), False)}
        return json.dumps(said, ensure_ascii=False, default=date.isoformat)


_MEND = "Mend the table, or name another one."


def code_list_of(text: str) -> CodeList:
    """The list that `CodeList.text` wrote. Raises ValueError for any other text."""
    said = json.loads(text)
    known = {each.name for each in fields(CodeList)}
    if not isinstance(said, dict) or not set(said) <= known:
        raise ValueError("this is no code list")
    day, levels = said.pop("valid_on", None), tuple(said.pop("levels", ()))
    return CodeList(**said, levels=levels, valid_on=None if day is None else date.fromisoformat(day))


def day_of(text: str, option: str) -> date:
    """The day of an option. Raises InputError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError("this is no day", where=option, next_step="Write it as 2024-04-01.") from None


def code_list_hierarchy(
    name: str, code_list: CodeList, rows: Iterable[Row]
) -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy of the rows of a code list, and notes of what was renumbered or added.

    Rows that are alike count once. Raises CodeListError for codes that are missing, repeated, in a cycle, below a code
    that is not there, or without a label of their own.
    """
    every = sorted(set(map(tuple, rows)), key=_in_order)
    if not every:
        raise _Faults(code_list).error("there are no rows in it")
    _require_codes(code_list, every)
    taken = _valid(code_list, every) if code_list.validity else every
    _require_one_row(code_list, taken)
    if code_list.parent is None:
        leaves, given, notes = _by_columns(code_list, taken)
        value_name = code_list.code
    else:
        tree = _Tree.of(code_list, taken, {row[0] or "" for row in every})
        leaves, given, notes = tree.leaves, tree.levels(), tree.notes
        value_name = VALUE
    found, more = explicit_hierarchy(name, leaves, given, value_name=value_name, where=code_list.where)
    return found, (*notes, *more)


def _in_order(row: Row) -> tuple[tuple[bool, str], ...]:
    return tuple((each is not None, each or "") for each in row)


@dataclass(frozen=True, slots=True)
class _Faults:
    """The errors of a list: their messages count, and name what they are about for the provider's screen alone."""

    code_list: CodeList

    def error(self, what: str, named: Sequence[str] = (), step: str = _MEND) -> CodeListError:
        """The error; `named`: the codes it is about, of which the first are named."""
        more = f" and {len(named) - SHOWN:,} more" if len(named) > SHOWN else ""
        reason = f"{', '.join(named[:SHOWN])}{more}" if named else ""
        return CodeListError(what, where=self.code_list.where, next_step=step, reason=reason)


def _counted(number: int, one: str, several: str) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {several}"


def _require_codes(code_list: CodeList, rows: Sequence[Row]) -> None:
    faults = _Faults(code_list)
    without = sum(not row[0] for row in rows)
    if without:
        raise faults.error(f"{_counted(without, 'row has', 'rows have')} no code")
    texts = slice(len(code_list.columns) - len(code_list.validity))
    starred = [quoted(row[0] or "") for row in rows if STAR in row[texts]]
    if starred:
        raise faults.error(
            f"{_counted(len(starred), 'row has', 'rows have')} the label '*', which stands for suppressed values",
            starred,
            "Give the codes other labels.",
        )


def _valid(code_list: CodeList, rows: Sequence[Row]) -> list[Row]:
    """The rows that are valid on the day, which have one validity for each code. Raises CodeListError."""
    faults, day = _Faults(code_list), code_list.valid_on or date.min
    first = len(code_list.columns) - len(code_list.validity)
    unread = [quoted(row[0] or "") for row in rows if None in map(_day, row[first:], _ends(code_list))]
    if unread:
        raise faults.error(
            f"the validity of {_counted(len(unread), 'row is', 'rows are')} no day",
            unread,
            "Write days as 2024-04-01, and NULL where there is no end.",
        )
    found = [row for row in rows if _is_valid(code_list, row[first:], day)]
    if not found:
        raise faults.error(f"no code is valid on {day}", step="Give another day, or mend the table.")
    times: dict[str, set[tuple[str | None, ...]]] = {}
    for row in found:
        times.setdefault(row[0] or "", set()).add(tuple(row[first:]))
    twice = [quoted(code) for code, each in times.items() if len(each) > 1]
    if twice:
        raise faults.error(
            f"{_counted(len(twice), 'code is', 'codes are')} valid by several rows on {day}", twice, _END_ONE
        )
    return found


_END_ONE = (
    "Let one row end before the next begins: the last day is included (a column of the day after it is --valid-before)."
)


def _ends(code_list: CodeList) -> tuple[date, ...]:
    """What NULL is in each column of the validity."""
    return tuple(date.min if each == code_list.valid_from else date.max for each in code_list.validity)


def _day(text: str | None, without: date) -> date | None:
    """The day of a text, `without` where there is none; None for a text that is no day."""
    if text is None or not text.strip():
        return without
    if text in _WITHOUT_END:
        return _WITHOUT_END[text]
    try:
        return datetime.fromisoformat(text.strip()).date()
    except ValueError:
        return None


def _is_valid(code_list: CodeList, times: Sequence[str | None], day: date) -> bool:
    for column, text, without in zip(code_list.validity, times, _ends(code_list), strict=True):
        bound = _day(text, without) or without
        if column == code_list.valid_from and day < bound:
            return False
        if column == code_list.valid_to and day > bound:
            return False
        if column == code_list.valid_before and day >= bound:
            return False
    return True


def _require_one_row(code_list: CodeList, rows: Sequence[Row]) -> None:
    """Raises CodeListError for a code whose rows differ."""
    known: dict[str, Row] = {}
    differ: dict[str, None] = {}
    for row in rows:
        before = known.setdefault(row[0] or "", row)
        if before is not row:
            differ[quoted(row[0] or "")] = None
    if differ:
        what = "parents or labels" if code_list.parent is not None else "labels"
        raise _Faults(code_list).error(
            f"{_counted(len(differ), 'code has', 'codes have')} several rows with different {what}",
            tuple(differ),
            "Keep one row for each code; of a list of several dates give --valid-on.",
        )


def _by_columns(
    code_list: CodeList, rows: Sequence[Row]
) -> tuple[tuple[str, ...], tuple[ListedLevel, ...], tuple[str, ...]]:
    """The codes, and the labels in the columns of the levels. Raises CodeListError where they do not nest."""
    faults, codes = _Faults(code_list), tuple(row[0] or "" for row in rows)
    columns = [tuple(row[place] for row in rows) for place in range(1, len(code_list.levels) + 1)]
    for column, labels in zip(code_list.levels, columns, strict=True):
        without = [quoted(code) for code, label in zip(codes, labels, strict=True) if not label]
        if without:
            raise faults.error(
                f"{_counted(len(without), 'code has', 'codes have')} no label in the column {quoted(column)}", without
            )
    for (fine, below), (coarse, above) in pairwise(zip(code_list.levels, columns, strict=True)):
        parents: dict[str | None, set[str | None]] = {}
        for label, parent in zip(below, above, strict=True):
            parents.setdefault(label, set()).add(parent)
        split = [quoted(label or "") for label, several in parents.items() if len(several) > 1]
        if split:
            raise faults.error(
                f"{_counted(len(split), 'label', 'labels')} of the column {quoted(fine)} "
                f"{'stands' if len(split) == 1 else 'stand'} under several of {quoted(coarse)}",
                split,
                "Name the levels from finest to coarsest, and columns of codes where names coincide.",
            )
    levels = zip(code_list.levels, columns, strict=True)
    return codes, tuple(ListedLevel(column, labels) for column, labels in levels), ()


@dataclass(frozen=True, slots=True)
class _Tree:
    """The codes of a list of parents. `paths`: of each value, the codes from its root down to itself."""

    code_list: CodeList
    leaves: tuple[str, ...]
    paths: tuple[tuple[str, ...], ...]
    labels: Mapping[str, str]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, code_list: CodeList, rows: Sequence[Row], every: Collection[str]) -> _Tree:
        """The tree of the rows; `every`: the codes of the table, on whatever day. Raises CodeListError."""
        faults = _Faults(code_list)
        parents = {row[0] or "": _parent(row) for row in rows}
        orphans = [code for code, parent in parents.items() if parent is not None and parent not in parents]
        if orphans:
            past = sum(parents[code] in every for code in orphans)
            late = f" (of {past:,} it is in the table, and not valid on that day)" if past else ""
            raise faults.error(
                f"{_counted(len(orphans), 'code has a parent', 'codes have parents')} that the list lacks{late}",
                [f"{quoted(code)} below {quoted(parents[code] or '')}" for code in orphans],
                "Add the parents, or make them NULL.",
            )
        paths, cycles = _paths(parents, code_list.where)
        if cycles:
            raise faults.error(
                f"{_counted(len(cycles), 'cycle of parents leads', 'cycles of parents lead')} to no root",
                [" below ".join(map(quoted, (*each, each[0]))) for each in cycles],
                "Give one code of each cycle no parent, or another one.",
            )
        above = set(parents.values())
        leaves = tuple(code for code in parents if code_list.inner_codes or code not in above)
        names = {row[0] or "": row[2] for row in rows} if code_list.label is not None else {}
        found = tuple(paths[code] for code in leaves)
        return cls(code_list, leaves, found, *_labels(faults, found, names))

    def levels(self) -> tuple[ListedLevel, ...]:
        """The labels of each level above the codes, from finest to coarsest."""
        longest = max(map(len, self.paths))
        return tuple(
            ListedLevel(None, tuple(self.labels[path[min(depth, len(path)) - 1]] for path in self.paths))
            for depth in range(longest - 1, 0, -1)
        )


def _parent(row: Row) -> str | None:
    """The code above a code; None for a root, whose parent is NULL, empty or itself."""
    return None if not row[1] or row[1] == row[0] else row[1]


def _paths(parents: Mapping[str, str | None], where: str) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, ...]]]:
    """The codes from the root down to each code, and the cycles, whose codes have no such path.

    Raises HierarchyError for chains that are too long.
    """
    paths: dict[str, tuple[str, ...]] = {}
    lost: set[str] = set()
    cycles = []
    for code in parents:
        chain: dict[str, None] = {}
        at: str | None = code
        while at is not None and at not in paths and at not in chain and at not in lost:
            chain[at] = None
            at = parents[at]
        if at is not None and at not in paths:
            if at in chain:
                walked = list(chain)
                cycles.append(tuple(walked[walked.index(at) :]))
            lost.update(chain)
            continue
        path = () if at is None else paths[at]
        for each in reversed(chain):
            check_count(len(path), where=where)  # at once: all paths of one chain have the square of its length
            path = (*path, each)
            paths[each] = path
    return paths, cycles


def _labels(
    faults: _Faults, paths: Sequence[tuple[str, ...]], names: Mapping[str, str | None]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The label of each code that is one at some level, and notes. Raises CodeListError where two cannot be told apart.

    A name that stands for different values keeps its code beside it: `Fuchu (13206)`.
    """
    longest = max(map(len, paths))
    values: dict[str, list[int]] = {}
    """The first of the values under each code, and their number: those of no two other sets are both the same."""
    for place, path in enumerate(paths):
        for code in path[: longest - 1]:
            values.setdefault(code, [place, 0])[1] += 1
    if not names:
        return {code: code for code in values}, ()
    unnamed = sum(not names[code] for code in values)
    plain = {code: names[code] or code for code in values}
    shared = _ambiguous(plain, values)
    labels = {code: f"{name} ({code})" if name in shared else name for code, name in plain.items()}
    alike = _ambiguous(labels, values)
    if alike:
        raise faults.error(
            f"{_counted(len(alike), 'label stands', 'labels stand')} for different codes, even with the code beside it",
            [quoted(each) for each in alike],
            "Leave the label out: codes are labels then.",
        )
    notes = []
    if unnamed:
        notes.append(
            f"{_counted(unnamed, 'code has no name and is its', 'codes have no name and are their')} own label"
        )
    if shared:
        notes.append(
            f"{_counted(len(shared), 'name stands', 'names stand')} for different codes: the code is beside it"
        )
    return labels, tuple(notes)


def _ambiguous(labels: Mapping[str, str], values: Mapping[str, list[int]]) -> tuple[str, ...]:
    """The labels of codes with different values under them."""
    known: dict[str, list[int]] = {}
    found: dict[str, None] = {}
    for code, label in labels.items():
        if known.setdefault(label, values[code]) != values[code]:
            found[label] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class ListChanges:
    """What of a code list changed since its hierarchy was taken from it, in numbers of values."""

    added: int
    """The number of values that it did not list before."""
    gone: int
    """The number of values that it lists no more."""
    moved: int | None
    """The number of values that are still listed, with other labels; null where the number of levels changed."""

    @property
    def any(self) -> bool:
        """Whether anything changed."""
        return bool(self.added or self.gone or self.moved is None or self.moved)

    def words(self) -> str:
        """The changes in words."""
        if not self.any:
            return "nothing changed"
        parts = [
            f"{number:,} {what}"
            for number, what in ((self.added, "added"), (self.gone, "gone"), (self.moved, "with other labels"))
            if number
        ]
        if self.moved is None:
            parts.append("another number of levels")
        return f"{'values: ' if self.added or self.gone or self.moved else ''}{', '.join(parts)}"


def changes_between(before: ExplicitHierarchy, after: ExplicitHierarchy) -> ListChanges:
    """What changed from one hierarchy to another of the same list."""
    old, new = _paths_of(before), _paths_of(after)
    alike = len(before.levels) == len(after.levels)
    moved = sum(path != old[leaf] for leaf, path in new.items() if leaf in old) if alike else None
    return ListChanges(len(new.keys() - old.keys()), len(old.keys() - new.keys()), moved)


def _paths_of(hierarchy: ExplicitHierarchy) -> dict[str | None, tuple[str, ...]]:
    return dict(zip(hierarchy.leaves, zip(*hierarchy.labels, strict=True), strict=True))


def _unclear(what: str, step: str) -> HierarchyError:
    return HierarchyError(what, where="the code list", next_step=step)
