"""YAML as plain text: mappings, lists and the scalars exactly as written, each with its line.

A leaf written `yes` or `01` stays `yes` or `01`: nothing is turned into a boolean or a number; only `null`,
`~` and nothing at all, unquoted, are None. Dangerous or ambiguous YAML is refused: anchors and
aliases, tags, several documents, repeated keys, deep nesting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from ordermade.errors import HierarchyError, quoted

Plain: TypeAlias = "str | list[Plain] | dict[str | None, Plain] | None"
Path: TypeAlias = tuple[str | int | None, ...]

DEEPEST = 20
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
# libyaml's parser where PyYAML was built with it: a hundred times faster on long mappings.
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True, slots=True)
class PlainYaml:
    """A document's content, and the line of each entry by its path of keys and positions."""

    content: Plain
    lines: dict[Path, int]


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read."""

    path: Path
    content: list[Plain] | dict[str | None, Plain]
    key: str | None = None
    awaits_key: bool = field(default=True)


def plain_yaml(text: str, where: str) -> PlainYaml:
    """The one document in `text`. Raises HierarchyError with the line of what is refused."""
    reading = _Reading(where)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            reading.take(event)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise HierarchyError(
            f"it is not YAML: {fault.problem or fault.context}",
            where=f"{where}:{mark.line + 1}" if mark else where,
            next_step="Check indentation, quotes and brackets there.",
        ) from fault
    except yaml.YAMLError as fault:
        raise HierarchyError(
            "it holds characters that YAML does not allow",
            where=where,
            next_step="Remove the control characters.",
        ) from fault
    return PlainYaml(reading.content, reading.lines)


class _Reading:
    """Builds the plain content from the parser's events, without recursion."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.content: Plain = None
        self.lines: dict[Path, int] = {}
        self._open: list[_Open] = []
        self._documents = 0

    def take(self, event: Any) -> None:
        """Take one event of the parser."""
        line = event.start_mark.line + 1 if event.start_mark else 1
        self._refuse(event, line)
        if isinstance(event, yaml.ScalarEvent):
            is_null = event.implicit[0] and event.value in NULLS
            self._add(None if is_null else event.value, line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            content: dict[str | None, Plain] | list[Plain] = {} if isinstance(event, yaml.MappingStartEvent) else []
            path = self._add(content, line)
            self._open.append(_Open(path, content))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._open.pop()

    def _refuse(self, event: Any, line: int) -> None:
        refused = ""
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            refused = "anchors and aliases (& and *) are not allowed"
        elif getattr(event, "tag", None):
            refused = "tags (!) are not allowed"
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            refused = "there is a second document" if self._documents > 1 else ""
        elif len(self._open) > DEEPEST:
            refused = f"it is nested more than {DEEPEST} deep"
        if refused:
            raise HierarchyError(
                refused,
                where=f"{self.where}:{line}",
                next_step="Write it out; quote a text that starts with &, * or !.",
            )

    def _add(self, value: Plain, line: int) -> Path:
        """Put a value where it belongs; its path."""
        path: Path = ()
        if self._open:
            into = self._open[-1]
            if isinstance(into.content, list):
                path = (*into.path, len(into.content))
                into.content.append(value)
            elif into.awaits_key:
                return self._take_key(into, into.content, value, line)
            else:
                into.content[into.key] = value
                into.awaits_key = True
                # The line of an entry of a mapping is that of its key.
                return (*into.path, into.key)
        else:
            self.content = value
        self.lines[path] = line
        return path

    def _take_key(self, into: _Open, content: dict[str | None, Plain], key: Plain, line: int) -> Path:
        if isinstance(key, (list, dict)):
            raise HierarchyError(
                "a key is a list or a mapping",
                where=f"{self.where}:{line}",
                next_step="Use a text as the key.",
            )
        path = (*into.path, key)
        if key in content:
            raise HierarchyError(
                f"{'null' if key is None else quoted(key)} is listed twice",
                where=f"{self.where}:{line}",
                next_step=f"It is on line {self.lines[path]} too: keep one of them.",
            )
        into.key, into.awaits_key = key, False
        self.lines[path] = line
        return path
