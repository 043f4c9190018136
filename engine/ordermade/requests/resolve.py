"""A request held against the dataset's columns and the registered hierarchies: pure, nothing is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.errors import FilterError, InputError, UnknownName, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.requests.columns import stored_column
from ordermade.requests.model import QuasiIdentifier, Request
from ordermade.requests.problems import FieldPath, Problem
from ordermade.requests.read import ReadRequest

if TYPE_CHECKING:
    from sqlglot import exp

_LEVELS_LISTED = 12


@dataclass(frozen=True, slots=True)
class ResolvedQI:
    """One quasi-identifier: the column as stored, its SQL type, its hierarchy, the level numbers accepted.

    Where the columns of the dataset are not known, the column is as written and its type empty.
    """

    column: str
    column_type: str
    hierarchy: Hierarchy
    accepted: tuple[int, ...]

    @property
    def base(self) -> int:
        """The finest level accepted, by number."""
        return min(self.accepted)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A request that fits its dataset: columns as stored, levels as numbers, the filter as tree and text."""

    request: Request
    lattice: Lattice
    qis: tuple[ResolvedQI, ...]
    identifiers: tuple[str, ...]
    keep: tuple[str, ...]
    filter: exp.Expression | None
    filter_text: str | None


def resolve(read: ReadRequest, columns: Mapping[str, str] | None, hierarchies: Mapping[str, Hierarchy]) -> Resolved:
    """The request over `columns` (name as stored: SQL type as DuckDB names it) and registered `hierarchies`.

    Where the columns are not known (None), names are taken as written, and neither they nor their types are checked;
    the row filter is not read.

    Raises:
        RequestError: every mistake found, each with its field and line, in `problems`.
    """
    resolving = _Resolving(read, columns, hierarchies)
    resolved = resolving.all()
    if resolving.problems:
        raise read.refusal(resolving.problems)
    return resolved


@dataclass(slots=True)
class _Resolving:
    """Resolves one request field by field and notes every mistake on the way."""

    read: ReadRequest
    columns: Mapping[str, str] | None
    hierarchies: Mapping[str, Hierarchy]
    problems: list[Problem] = field(default_factory=list)
    uses: dict[str, FieldPath] = field(default_factory=dict)

    def all(self) -> Resolved:
        request = self.read.request
        qis = [self.quasi_identifier(name, asked) for name, asked in request.quasi_identifiers.items()]
        found = tuple(qi for qi in qis if qi)
        identifiers = self.listed("identifiers", request.identifiers)
        keep = self.listed("keep", request.keep)
        if request.release.shape == "table" and request.keep:
            what = "a statistical table has one row a class, so no column is kept as it is"
            self.note(("keep",), what, "take keep out, or write shape: rows")
        for qi in found:
            if request.release.shape == "table" and qi.column.casefold() == "count":
                what = "a statistical table has a column `count` of its own"
                self.note(("quasi_identifiers", qi.column), what, "rename the column in a dataset query")
        tree, text = self.filter()
        axes = tuple(Axis(qi.column, qi.hierarchy.order, qi.accepted) for qi in found)
        return Resolved(request, Lattice(axes), found, identifiers, keep, tree, text)

    def note(self, path: FieldPath, what: str, instead: str) -> None:
        self.problems.append(Problem(what, instead, path, self.read.line(path)))

    def note_error(self, path: FieldPath, error: InputError) -> None:
        self.note(path, error.what, error.next_step)

    def column(self, name: str, path: FieldPath) -> str | None:
        """The stored name; a problem if there is none, or if the request names the column twice."""
        try:
            stored = name if self.columns is None else stored_column(name, self.columns)
        except InputError as error:
            self.note_error(path, error)
            return None
        if stored in self.uses:
            first = self.uses[stored]
            same = first[0] == path[0]
            role = "twice" if same else f"as one of {first[0]} too"
            self.note(path, f"the column {quoted(stored)} is named {role}", "name it in one place")
            return None
        self.uses[stored] = path
        return stored

    def listed(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        found = [self.column(name, (key, position)) for position, name in enumerate(names)]
        return tuple(name for name in found if name is not None)

    def quasi_identifier(self, name: str, asked: QuasiIdentifier) -> ResolvedQI | None:
        path: FieldPath = ("quasi_identifiers", name)
        column = self.column(name, path)
        hierarchy = self.hierarchies.get(asked.hierarchy)
        if hierarchy is None:
            step = "Register it with `hierarchy add`."
            error = UnknownName("hierarchy", asked.hierarchy, self.hierarchies, next_step=step)
            self.note_error((*path, "hierarchy"), error)
            return None
        accepted = self.accepted(asked, hierarchy, path)
        if column is None:
            return None
        column_type = "" if self.columns is None else self.columns[column]
        unfit = hierarchy.check_type(column_type) if column_type else None
        if unfit:
            what = f"the hierarchy {quoted(asked.hierarchy)} does not fit the column: {unfit}"
            self.note((*path, "hierarchy"), what, "name a hierarchy that fits the column's type")
            return None
        return ResolvedQI(column, column_type, hierarchy, accepted) if accepted else None

    def accepted(self, asked: QuasiIdentifier, hierarchy: Hierarchy, path: FieldPath) -> tuple[int, ...]:
        """The numbers of the levels from `from` to `to`; none if one of them is wrong."""
        finest = self.level(asked.from_level, hierarchy, (*path, "from"))
        to_level = hierarchy.top if asked.to_level is None else asked.to_level
        coarsest = self.level(to_level, hierarchy, (*path, "to"))
        if finest is None or coarsest is None:
            return ()
        if finest > coarsest:
            what = f"from, level {finest}, is coarser than to, level {coarsest}"
            self.note((*path, "from"), what, f"write from: {coarsest}, to: {finest}")
            return ()
        return tuple(range(finest, coarsest + 1))

    def level(self, level: int | str, hierarchy: Hierarchy, path: FieldPath) -> int | None:
        number = hierarchy.level_number(level)
        if number is None:
            shown = quoted(level) if isinstance(level, str) else str(level)
            self.note(path, f"there is no level {shown}", f"{quoted(hierarchy.name)} has {levels_of(hierarchy)}")
        return number

    def filter(self) -> tuple[exp.Expression | None, str | None]:
        """The row filter as a tree and as canonical text."""
        # sqlglot is slow to import, and most requests have no filter.
        from ordermade.requests.where import canonical, parse_filter

        if self.read.request.where is None or self.columns is None:
            return None, None
        try:
            tree = parse_filter(self.read.request.where, tuple(self.columns))
        except FilterError as error:
            self.note_error(("where",), error)
            return None, None
        return tree, canonical(tree)


def levels_of(hierarchy: Hierarchy) -> str:
    """The levels that exist, for messages: `levels 0 value, 1 decade, 2 *`, shortened past a dozen."""
    levels = [f"{number} {level.name}" for number, level in enumerate(hierarchy.levels)]
    if len(levels) > _LEVELS_LISTED:
        levels = [*levels[: _LEVELS_LISTED - 1], "…", levels[-1]]
    return f"levels {', '.join(levels)}"
