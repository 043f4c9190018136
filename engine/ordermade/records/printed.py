"""The printed form of records: what `--json` prints of a dataclass, key by key.

A record is one frozen dataclass: a method returns it, the state stores it, Python shows it, and `--json` prints it. The
string beneath a field describes it, in the source and in the JSON Schema; `printed` says where the key differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any, Final, TypeVar

FORMAT: Final = "ordermade-output/1"
"""The version of all documents: it rises when a key goes or changes its meaning, not when a key is added."""
_METADATA = "printing"
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a printed record, with the `attribute` that it shows.

    `optional`: the key is missing where the value is None. `spread`: the keys of the value, itself a record, stand in
    its place; none where it is None.
    """

    attribute: str
    name: str
    optional: bool = False
    spread: bool = False


def printed(name: str = "", *, optional: bool = False, spread: bool = False) -> Mapping[str, Any]:
    """The metadata of a field whose key has another name, may be missing, or is one of the keys of a record."""
    return MappingProxyType({_METADATA: (name, optional, spread)})


NOT_PRINTED: Mapping[str, Any] = MappingProxyType({_METADATA: None})
"""The metadata of a field that is not printed."""
CLASSES = printed("classes")
"""The metadata of the paper's divisions, which are equivalence classes everywhere else."""
CLASSES_MEASURED = printed("classes_measured")
"""The same of the divisions that were measured."""


def printed_as(name: str) -> Callable[[Method], Method]:
    """Marks the method beneath a `property` as the key `name` of the printed record; its docstring describes it."""

    def marked(method: Method) -> Method:
        method.__dict__[_METADATA] = name
        return method

    return marked


@cache
def keys(kind: Any) -> tuple[Key, ...]:
    """The keys of a record: those of its fields in their order, then those of its properties that are printed."""
    found = []
    for each in fields(kind):
        printing = each.metadata.get(_METADATA, ("", False, False))
        if printing is not None:
            name, optional, spread = printing
            found.append(Key(each.name, name or each.name, optional, spread))
    properties = {
        name: each
        for base in reversed(kind.__mro__)
        for name, each in vars(base).items()
        if isinstance(each, property) and _METADATA in vars(each.fget)
    }
    return (*found, *(Key(name, vars(each.fget)[_METADATA]) for name, each in properties.items()))


def json_of(value: Any) -> Any:
    """A record in JSON's types: dataclasses as objects, times in ISO 8601, other values as text or null."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(key): json_of(each) for key, each in value.items()}
        case tuple() | list() | frozenset():
            return [json_of(each) for each in value]
        case datetime():
            return value.isoformat()
        case _ if is_dataclass(value):
            return _object(value)
        case _:
            return str(value)


def _object(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    kind: Any = type(record)
    for key in keys(kind):
        value = getattr(record, key.attribute)
        if key.spread:
            found |= {} if value is None else json_of(value)
        elif not (key.optional and value is None):
            found[key.name] = json_of(value)
    return found


class Printed:
    """A record that programs may have as `--json` prints it."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """The keys that `--json` prints of the record, in JSON's types."""
        return _object(self)
