"""Counts that a server gave while its content was, by a proof, what it is now: the same statement is not sent again.

They are counts of personal data, so they are kept where the twins of CSV files are, in a file of their own a source.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from ordermade.sources.limits import Twins

KEPT_STATES = 16
"""So many states of a source are kept: that of its snapshot, and those that version queries vouch for."""
LARGEST_ANSWER = 1 << 20
"""No longer answer is kept, in characters."""

_KEY = "repeated counts"
_NOTE = "1"
"""The version of the form in which counts are kept; others are read as none."""

Rows = Sequence[Sequence[Any]]


@dataclass(slots=True)
class RepeatedCounts:
    """The counts of one state of a source: `state` is a text that no other content of it has.

    `place`: the location of the source, by which the file is found and purged; `folder`: where it is copied to and
    made; `twins`: what keeps it, None where nothing is kept. `is_of_snapshot`: a snapshot of the server proves the
    state, and no query of the provider. Nothing is read before the first statement.
    """

    twins: Twins | None
    place: str
    state: str
    folder: Path
    is_of_snapshot: bool
    _known: dict[str, str] | None = None
    _new: dict[str, str] = field(default_factory=dict)

    def find(self, text: str, bound: Mapping[str, object]) -> list[tuple[Any, ...]] | None:
        """The rows that a statement gave before; None where it was not sent in this state."""
        if self._known is None:
            self._known = self._states().get(self._name, {})
        key = _statement_hash(text, bound)
        found = self._new.get(key) or self._known.get(key)
        return None if found is None else [tuple(_read(each) for each in row) for row in json.loads(found)]

    def note(self, text: str, bound: Mapping[str, object], rows: Rows) -> None:
        """Notes what a statement gave, unless it is long, or has values of a type that is not counted by."""
        try:
            written = json.dumps([[_written(each) for each in row] for row in rows])
        except TypeError:
            return
        if len(written) <= LARGEST_ANSWER:
            self._new[_statement_hash(text, bound)] = written

    def keep(self) -> None:
        """Keeps what was noted, beside what other processes kept meanwhile."""
        if self.twins is None or not self._new:
            return
        states = self._states()
        own = states.pop(self._name, {}) | self._new
        listed = [*list(states.items())[1 - KEPT_STATES :], (self._name, own)]
        made = self.folder / "counts_to_keep"
        made.write_text(json.dumps(dict(listed)), encoding="utf-8")
        try:
            self.twins.keep_twin(self.place, _KEY, _NOTE, made)
        finally:
            made.unlink()
        self._known, self._new = own, {}

    @property
    def _name(self) -> str:
        return hashlib.sha256(self.state.encode()).hexdigest()

    def _states(self) -> dict[str, dict[str, str]]:
        """What is kept of each state of the source, the one that was noted last at the end."""
        if self.twins is None:
            return {}
        copied = self.folder / "counts_that_were_kept"
        try:
            if self.twins.twin(self.place, _KEY, copied) != _NOTE:
                return {}
            found: dict[str, dict[str, str]] = json.loads(copied.read_text(encoding="utf-8"))
            return found
        finally:
            copied.unlink(missing_ok=True)


def _statement_hash(text: str, bound: Mapping[str, object]) -> str:
    """A hash of a statement and of the values that are bound to its parameters."""
    parts = [text, *(f"{name}={value!r}" for name, value in sorted(bound.items()))]
    return hashlib.sha256("\n".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


def _written(value: object) -> object:
    """A value as JSON has it. Raises TypeError for one of another type."""
    match value:
        case None | bool() | int() | str():
            return value
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"moment": value.isoformat()}
        case date():
            return {"day": value.isoformat()}
    raise TypeError(type(value).__name__)


def _read(value: object) -> object:
    match value:
        case {"decimal": str(text)}:
            return Decimal(text)
        case {"moment": str(text)}:
            return datetime.fromisoformat(text)
        case {"day": str(text)}:
            return date.fromisoformat(text)
    return value
