"""A request on its way to be resolved: its columns, and every mistake noted with its field and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ordermade.errors import InputError, UnknownName, quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.requests.columns import stored_column
from ordermade.requests.problems import FieldPath, Problem
from ordermade.requests.read import ReadRequest


@dataclass(slots=True)
class Resolving:
    """Looks up the names of one request and notes every mistake on the way.

    `columns` of the dataset, name as stored: SQL type, None where they are not known; `entity`: the column that tells
    whose rows they are, None where the dataset has none.
    """

    read: ReadRequest
    columns: Mapping[str, str] | None
    hierarchies: Mapping[str, Hierarchy]
    entity: str | None = None
    problems: list[Problem] = field(default_factory=list)
    uses: dict[str, FieldPath] = field(default_factory=dict)

    def note(self, path: FieldPath, what: str, instead: str) -> None:
        """Notes a mistake: what is wrong at the field, and what to write instead."""
        self.problems.append(Problem(what, instead, path, self.read.line(path)))

    def note_error(self, path: FieldPath, error: InputError) -> None:
        """Notes an error of the engine as a mistake of the field."""
        self.note(path, error.what, error.next_step)

    def column(self, name: str, path: FieldPath) -> str | None:
        """The stored name; a problem if there is none, if it is named twice, or if it would tell whose row it is."""
        try:
            stored = name if self.columns is None else stored_column(name, self.columns)
        except InputError as error:
            self.note_error(path, error)
            return None
        if stored == self.entity and path[0] != "identifiers":
            what = f"the column {quoted(stored)} tells whose rows they are, so it identifies and is never released"
            self.note(path, what, "take it out")
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
        """The stored names of a list of columns, those left out that are mistakes."""
        found = [self.column(name, (key, position)) for position, name in enumerate(names)]
        return tuple(name for name in found if name is not None)

    def type_of(self, column: str) -> str:
        """The SQL type of a stored column, empty where it is not known."""
        return "" if self.columns is None else self.columns[column]

    def hierarchy(self, name: str, path: FieldPath) -> Hierarchy | None:
        """The registered hierarchy of that name; a problem if there is none."""
        found = self.hierarchies.get(name)
        if found is None:
            step = "Register it with `hierarchy add`."
            self.note_error(path, UnknownName("hierarchy", name, self.hierarchies, next_step=step))
        return found

    def fits(self, hierarchy: Hierarchy, name: str, column: str, path: FieldPath) -> bool:
        """Whether a hierarchy, by the name the request has for it, fits the type of a column; a problem if not."""
        column_type = self.type_of(column)
        unfit = hierarchy.check_type(column_type) if column_type else None
        if unfit:
            what = f"the hierarchy {quoted(name)} does not fit the column: {unfit}"
            self.note(path, what, "name a hierarchy that fits the column's type")
        return not unfit
