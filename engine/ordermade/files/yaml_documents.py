"""A YAML text as plain content, with the line of every entry and every mistake.

The content is built from the parser's events, never by constructors: tags, anchors and aliases are refused where they
stand, so no object is made and nothing is expanded. No call is nested as the text is, however deep that goes.
A text of JSON, where no key stands twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml
from yaml.reader import Reader

from ordermade.errors import quoted
from ordermade.phrases import phrase

Place: TypeAlias = tuple[Any, ...]
"""The keys and list positions that lead to an entry; () is all."""

Said: TypeAlias = tuple[str, str]
"""The fault and the remedy; `{name}` names the subject, `{line}` the line of its first mention."""

PYTHON_PARSER: Any = yaml.BaseLoader
FAST_PARSER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""libyaml's parser where PyYAML was built with it: a hundred times faster on long mappings, its reasons are terser."""

_PARSER_DEPTH = "maximum nesting depth"
"""The reason of libyaml's parser for a text that is nested deeper than it reads: 1,000 mappings and lists."""

_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlWords:
    """The texts of a kind of document, one a mistake. `half`: of a surrogate pair, which no file or hash can store."""

    syntax: Said
    character: Said
    escape: Said
    half: Said
    deep: Said
    second: Said
    alias: Said
    anchor: Said
    tag: Said
    key: Said
    twice: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a kind of document is read.

    `value` and `key`: what a plain (unquoted) scalar stands for as one or the other; a quoted one is its text.
    `deepest`: so many mappings and lists may lie within each other. `first_only`: the first mistake ends the reading.
    """

    value: Callable[[str], Any]
    key: Callable[[str], str | None] = str
    deepest: int
    words: YamlWords
    parser: Any = PYTHON_PARSER
    first_only: bool = False


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: `what` is wrong, what to do `instead`, at which place, on which line (0: unknown)."""

    what: str
    instead: str
    path: Place = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a YAML document, and the line of each entry (first line is 1), of one in a mapping its key's.

    `lines` is empty where there is no document, or none that can be read to its end.
    """

    content: Any
    lines: dict[Place, int]
    mistakes: tuple[Mistake, ...] = ()


def document_of(text: str, dialect: Dialect) -> Document:
    """The one document in `text`, with its mistakes in the order they were found.

    An error of syntax is the only mistake where there is one: it may be the reason for others.
    """
    reading, words = _Reading(dialect), dialect.words
    try:
        for event in yaml.parse(text, Loader=dialect.parser):
            if reading.lines and isinstance(event, yaml.DocumentStartEvent):
                reading.note(event, (), words.second)
                break
            reading.take(event)
    except _Unreadable:
        return Document(None, {}, tuple(reading.mistakes))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        if _PARSER_DEPTH in (error.problem or ""):
            return Document(None, {}, (_mistake(words.deep, line=line),))
        reason = error.problem or error.context or "it cannot be read"
        return Document(None, {}, (_mistake(words.syntax, line=line, name=reason),))
    except yaml.YAMLError:
        # One parser counts bytes up to the character, the other characters.
        found = Reader.NON_PRINTABLE.search(text)
        line = text.count("\n", 0, found.start()) + 1 if found else 0
        return Document(None, {}, (_mistake(words.character, line=line),))
    except (ValueError, OverflowError):
        # An escape such as "\UFFFFFFFF" names no character; a %YAML directive may be too long a number.
        return Document(None, {}, (_mistake(words.escape),))
    return Document(reading.content, reading.lines, tuple(reading.mistakes))


class _Unreadable(Exception):
    """Ends the reading; the mistake is noted already."""


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read; of a mapping, the place of the value that comes next."""

    path: Place
    content: list[Any] | dict[str | None, Any]
    awaits_key: bool
    at: Place = ()
    keeps: bool = True


class _Reading:
    """Builds the content from one event after another and notes every mistake on the way."""

    def __init__(self, dialect: Dialect) -> None:
        self.content: Any = None
        self.lines: dict[Place, int] = {}
        self.mistakes: list[Mistake] = []
        self._dialect = dialect
        self._words = dialect.words
        self._open: list[_Open] = []

    def note(self, event: Any, path: Place, said: Said, name: str = "", first: int = 0) -> None:
        """Note a mistake. Raises _Unreadable where the first one is enough."""
        self.mistakes.append(_mistake(said, path, _line(event), name, first))
        if self._dialect.first_only:
            raise _Unreadable

    def take(self, event: Any) -> None:
        """Take one event of the parser. Raises _Unreadable where nothing after it can be read."""
        if isinstance(event, yaml.NodeEvent):
            into = self._open[-1] if self._open else None
            if into is None:
                self.content = self._value(event, ())
            elif isinstance(into.content, list):
                into.content.append(self._value(event, (*into.path, len(into.content))))
            elif into.awaits_key:
                into.awaits_key = False
                self._take_key(event, into, into.content)
            else:
                into.awaits_key = True
                value = self._value(event, into.at)
                if into.keeps:
                    into.content[into.at[-1]] = value
        elif isinstance(event, yaml.CollectionEndEvent):
            self._open.pop()

    def _value(self, event: Any, path: Place) -> Any:
        """The value, of a mapping or list one that is filled by the events that follow."""
        self.lines.setdefault(path, _line(event))
        self._refuse_references(event, path)
        if isinstance(event, yaml.ScalarEvent):
            return self._dialect.value(event.value) if event.implicit[0] else self._quoted(event, path)
        return None if isinstance(event, yaml.AliasEvent) else self._begin(event, path)

    def _take_key(self, event: Any, into: _Open, content: dict[str | None, Any]) -> None:
        self._refuse_references(event, into.path)
        if not isinstance(event, yaml.ScalarEvent):
            self.note(event, into.path, self._words.key)
            into.at, into.keeps = (*into.path, "?"), False
            if not isinstance(event, yaml.AliasEvent):
                self._begin(event, into.at)
            return
        key = self._dialect.key(event.value) if event.implicit[0] else self._quoted(event, into.path)
        into.at, into.keeps = (*into.path, key), key not in content
        if into.keeps:
            self.lines[into.at] = _line(event)
        else:
            name = "null" if key is None else quoted(key)
            self.note(event, into.at, self._words.twice, name, self.lines[into.at])

    def _begin(self, event: Any, path: Place) -> list[Any] | dict[str | None, Any]:
        if len(self._open) >= self._dialect.deepest:
            self.note(event, path[:4], self._words.deep)
            raise _Unreadable
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        content: list[Any] | dict[str | None, Any] = {} if is_mapping else []
        self._open.append(_Open(path, content, awaits_key=is_mapping))
        return content

    def _quoted(self, event: Any, path: Place) -> str:
        text: str = event.value
        # Escapes can spell half a surrogate pair.
        if not text.isascii() and _HALF.search(text):
            self.note(event, path, self._words.half)
        return text

    def _refuse_references(self, event: Any, path: Place) -> None:
        if isinstance(event, yaml.AliasEvent):
            self.note(event, path, self._words.alias, str(event.anchor))
            return
        if event.anchor:
            self.note(event, path, self._words.anchor, event.anchor)
        if event.tag:
            self.note(event, path, self._words.tag, quoted(event.tag.replace("tag:yaml.org,2002:", "!!")))


def json_content(text: str) -> Any:
    """The content of a text of JSON. Raises ValueError, for a key that stands twice too: people read the first of both.

    Raises RecursionError where it is nested too deep.
    """
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _line(event: Any) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _mistake(said: Said, path: Place = (), line: int = 0, name: str = "", first: int = 0) -> Mistake:
    what, instead = (phrase(each, name=name, line=first) for each in said)
    return Mistake(what, instead, path, line)


def yaml_text(value: str) -> str:
    """The text as a double-quoted YAML scalar."""
    if value.isprintable():
        escaped_marks = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped_marks}"'
    escaped = (_escaped(character) for character in value)
    return f'"{"".join(escaped)}"'


def _escaped(character: str) -> str:
    if character in {'"', "\\"}:
        return "\\" + character
    return character if character.isprintable() else f"\\U{ord(character):08X}"
