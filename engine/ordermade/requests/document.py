"""The YAML of a request or rules file, with the line of every field.

The document is built from the parser's events, never by constructors: tags, anchors and aliases are refused
where they stand, so no object is made and nothing is expanded. Keys are always text as written. Of plain
scalars only `true`/`false`, `null`/`~`, decimal integers and decimal fractions are not text: `no`, `on` and
dates stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from ordermade.errors import RequestError, did_you_mean, quoted
from ordermade.requests.problems import FieldPath, Problem, refusal

LARGEST_DOCUMENT = 1_048_576
DEEPEST = 16
_MOST_DIGITS = 100

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FRACTION = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]{1,6})?|[-+]?\.(inf|nan)")
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """The name of a kind of document in messages, and advice on a missing one."""

    name: str
    least: str
    begins: str


REQUEST = Kind(
    "request",
    "write at least dataset, k, quasi_identifiers, release",
    "write dataset: NAME, k: 50 and so on, one a line",
)


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a YAML document, plain Python values, and the line of each field (first line is 1)."""

    content: Any
    lines: dict[FieldPath, int]


@dataclass(slots=True)
class _Builder:
    """Builds one document from parser events and notes every mistake on the way."""

    events: Iterator[yaml.Event]
    lines: dict[FieldPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def note(self, event: yaml.Event, path: FieldPath, what: str, instead: str) -> None:
        self.problems.append(Problem(what=what, instead=instead, path=path, line=_line(event)))

    def value(self, event: yaml.Event, path: FieldPath) -> Any:
        self.lines.setdefault(path, _line(event))
        self.refuse_references(event, path)
        if isinstance(event, yaml.AliasEvent):
            return None
        if isinstance(event, yaml.ScalarEvent):
            self.refuse_halves(event, path)
            plain = bool(event.implicit[0]) and event.style is None
            return scalar(event.value) if plain else event.value
        if len(path) >= DEEPEST:
            self.note(event, path[:4], "the document is nested too deeply", "write at most four levels")
            raise _TooDeep
        return self.mapping(path) if isinstance(event, yaml.MappingStartEvent) else self.sequence(path)

    def mapping(self, path: FieldPath) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            self.refuse_references(event, path)
            if not isinstance(event, yaml.ScalarEvent):
                self.note(event, path, "a key must be a plain text", "write name: value")
                if not isinstance(event, yaml.AliasEvent):
                    self.value(event, (*path, "?"))
                self.value(next(self.events), (*path, "?"))
                continue
            self.refuse_halves(event, path)
            key, at = event.value, (*path, event.value)
            if key in entries:
                first = self.lines[at]
                self.note(event, at, f"is given twice, first on line {first}", "keep one of the two")
                self.value(next(self.events), at)
                continue
            self.lines[at] = _line(event)
            entries[key] = self.value(next(self.events), at)
        return entries

    def sequence(self, path: FieldPath) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.value(event, (*path, len(items))))
        return items

    def refuse_references(self, event: yaml.Event, path: FieldPath) -> None:
        if isinstance(event, yaml.AliasEvent):
            self.note(event, path, f"the alias *{event.anchor} is not allowed", "write the value out")
        elif anchor := getattr(event, "anchor", None):
            self.note(event, path, f"the anchor &{anchor} is not allowed", "take it out")
        if tag := getattr(event, "tag", None):
            tag = str(tag).replace("tag:yaml.org,2002:", "!!")
            self.note(event, path, f"the tag {quoted(tag)} is not allowed", "take it out")

    def refuse_halves(self, event: yaml.ScalarEvent, path: FieldPath) -> None:
        """Escapes can spell half a surrogate pair, which no file, catalog or hash can store."""
        if any("\ud800" <= character <= "\udfff" for character in event.value):
            self.note(
                event,
                path,
                "the text holds half a character (\\ud800 to \\udfff)",
                "write the character itself",
            )


class _TooDeep(Exception):
    """Stops the building; the problem is noted already."""


def scalar(text: str) -> bool | int | Decimal | str | None:
    """The value of a plain (unquoted) scalar. A fraction is the decimal as written, not the nearest float."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        # Python reads no integer of thousands of digits; past a hundred, a larger number stands for it.
        return int(text) if len(text) <= _MOST_DIGITS else (-1 if text[0] == "-" else 1) * 10**_MOST_DIGITS
    if _FRACTION.fullmatch(text):
        return Decimal(text.replace(".inf", "inf").replace(".nan", "nan"))
    return text


def read_document(text: str, where: str, kind: Kind = REQUEST) -> Document:
    """The one mapping in `text`; `where` names the file in messages, `kind` its content.

    Raises:
        RequestError: every tag, anchor, alias and duplicate key, or the first syntax error.
    """
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST_DOCUMENT:
        raise RequestError(f"the {kind.name} is larger than 1 MiB", where=where, next_step="Write a shorter one.")
    builder = _Builder(events=_events(text))
    try:
        content = _single(builder, kind)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = f"this is not YAML: {error.problem or error.context or 'it cannot be read'}"
        instead = "check the indent, colons and quotes here"
        raise refusal([Problem(what, instead, line=mark.line + 1 if mark else 1)], where) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = "the text holds a character that YAML does not allow, such as NUL or another control character"
        raise refusal([Problem(what, "take it out", line=line)], where) from error
    except (ValueError, OverflowError) as error:
        # An escape such as "\UFFFFFFFF" names no character; a %YAML directive may be too long a number.
        raise refusal([Problem("an escape or directive cannot be read", "write the text out")], where) from error
    if builder.problems:
        raise refusal(builder.problems, where, kind.name)
    return Document(content=content, lines=builder.lines)


def _events(text: str) -> Iterator[yaml.Event]:
    """The parser's events; the text is not looked at before the first one is requested."""
    loader = yaml.SafeLoader(text)
    try:
        # The parser is written without annotations; `iter` with a sentinel keeps it so behind one typed name.
        events: Iterator[yaml.Event] = iter(loader.get_event, None)
        yield from events
    finally:
        loader.dispose()


def _single(builder: _Builder, kind: Kind) -> Any:
    """The content of the only document; any second one, or a document that is no mapping, is a problem."""
    next(builder.events)
    event = next(builder.events)
    if isinstance(event, yaml.StreamEndEvent):
        builder.problems.append(Problem(f"the {kind.name} is empty", kind.least))
        return None
    event = next(builder.events)
    try:
        content = builder.value(event, ())
    except _TooDeep:
        return None
    if not isinstance(event, yaml.MappingStartEvent):
        builder.note(event, (), f"a {kind.name} is a mapping of fields", kind.begins)
    next(builder.events)
    event = next(builder.events)
    if not isinstance(event, yaml.StreamEndEvent):
        builder.note(event, (), "a second document starts here", "keep one document a file")
    return content


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def file_text(path: Path, kind: str = "request") -> str:
    """The text of the file, UTF-8 with or without a byte order mark, cut off where it is too long for a document.

    `kind` of file, for messages. Raises RequestError where it cannot be read.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_DOCUMENT + 4)
    except FileNotFoundError as error:
        raise RequestError("there is no such file", where=where, next_step=_nearest_file(path)) from error
    except IsADirectoryError as error:
        step = f"Name the {kind} file in it."
        raise RequestError(f"this is a folder, not a {kind} file", where=where, next_step=step) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        step = "Check the name and that the file may be read."
        raise RequestError(f"the file cannot be read ({reason})", where=where, next_step=step) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= LARGEST_DOCUMENT:
            return content[: error.start].decode("utf-8-sig") + " "
        line = content.count(b"\n", 0, error.start) + 1
        problem = Problem("the text is not UTF-8", "save the file as UTF-8", line=line)
        raise refusal([problem], where) from error


def _nearest_file(path: Path) -> str:
    """A near-miss name among the YAML files beside the missing one, or what to do without one."""
    if not path.parent.is_dir():
        return "Check the folder's name."
    beside = [each.name for each in path.parent.iterdir() if each.suffix in (".yaml", ".yml")]
    return did_you_mean(path.name, beside) or "Check the name."
