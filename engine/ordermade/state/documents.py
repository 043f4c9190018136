"""Documents of the state: what is read whole, as JSON text with the version of its fields. Pure.

A new field needs no migration: what a document does not say is at its default. A field that is renamed, or means
something else, is another version, with the upgrade of the one before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ordermade.errors import StateDamaged, StateNewer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Fields: TypeAlias = dict[str, Any]
Upgrade: TypeAlias = Callable[[Fields], Fields]


@dataclass(frozen=True, slots=True)
class JsonFields:
    """A kind of document, by the noun that it is of.

    `column`: that of its text. `in_columns`: the fields of its records that have columns of their own. `parts`: what
    makes fields of other types than JSON's of what is stored, by name. `upgrades` make the fields of each version, from
    1 on, those of the next.
    """

    noun: str
    column: str
    in_columns: frozenset[str]
    parts: Mapping[str, Callable[[Any], object]] = field(default_factory=dict, compare=False)
    upgrades: tuple[Upgrade, ...] = ()

    @property
    def version(self) -> int:
        """The version that is written."""
        return 1 + len(self.upgrades)

    def fields(self, record: DataclassInstance) -> Fields:
        """The fields of a record that its document says: those that are not empty, and have no column."""
        return {
            each.name: value
            for each in self.of(type(record))
            if (value := getattr(record, each.name)) not in (None, (), {})
        }

    def of(self, kind: type[DataclassInstance]) -> Iterator[Field[Any]]:
        """The fields of a class of records that its document says."""
        return (each for each in fields(kind) if each.name not in self.in_columns and each.metadata.get("stored", True))

    def values(self, text: str) -> Fields:
        """The fields of its record that a stored document says. Raises as `read` does."""
        said = self.read(text)
        for name, value in said.items():
            if (made := self.parts.get(name)) is not None:
                said[name] = made(value)
            elif isinstance(value, list):
                said[name] = tuple(value)
        return said

    def text(self, said: Mapping[str, Any]) -> str:
        """The document of these fields as the state stores it."""
        return as_text({"version": self.version, **said})

    def read(self, text: str) -> Fields:
        """The fields that a stored document says.

        Raises StateNewer for a version that a later engine wrote, StateDamaged for a text that is no such document.
        """
        try:
            said: Fields = json.loads(text)
            version = said.pop("version")
        except (ValueError, AttributeError, KeyError, TypeError):
            raise _damaged(self.noun) from None
        if version == self.version:
            return said
        if not isinstance(version, int) or version < 1:
            raise _damaged(self.noun)
        if version > self.version:
            raise StateNewer(
                f"a {self.noun} of this state was written by a later ordermade",
                next_step="Use the ordermade that wrote it, or a later one.",
            )
        for upgrade in self.upgrades[version - 1 :]:
            said = upgrade(said)
        return said


def tuple_of(kind: Callable[..., object]) -> Callable[[Iterable[Fields]], tuple[object, ...]]:
    """Makes a tuple of records of their fields."""
    return lambda stored: tuple(kind(**each) for each in stored)


def as_text(said: Mapping[str, Any]) -> str:
    """Fields as JSON text. Raises ValueError for a number that JSON has no words for."""
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    raise TypeError(f"no document holds a {type(value).__name__}")


def _damaged(noun: str) -> StateDamaged:
    return StateDamaged(
        f"the document of a {noun} is not as it was written",
        next_step="`ordermade state verify` names the row; restore a backup with `state restore`.",
    )
