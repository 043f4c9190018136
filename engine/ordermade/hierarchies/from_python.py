"""Hierarchies as Python has them: mappings, rules as mappings, columns of a frame, functions of a value."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import yaml

from ordermade.errors import HierarchyError, an, quoted
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.hierarchies.read import KINDS, ReadHierarchy, parse_yaml

Function = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ListedHierarchy:
    """A hierarchy that lists its values: the text of each (None: a missing one), and its labels level by level."""

    leaves: tuple[str | None, ...]
    levels: tuple[ListedLevel, ...]

    def read(self, name: str, where: str) -> ReadHierarchy:
        """The hierarchy, called `name`. Raises HierarchyError."""
        return ReadHierarchy(*explicit_hierarchy(name, self.leaves, self.levels, where=where))

    def content(self, where: str) -> bytes:
        """The same as a CSV file with a header. Raises HierarchyError for the empty text, which it cannot hold."""
        if "" in self.leaves:
            raise HierarchyError(
                "one of its values is the empty text, which a file of a hierarchy cannot list",
                where=where,
                next_step="Replace the empty texts of the column by a missing value, or by a word.",
            )
        _require_texts([*self.leaves, *(label for each in self.levels for label in each.labels)], where)
        file = io.StringIO(newline="")
        lines = csv.writer(file, lineterminator="\r\n")  # so that both are quoted within a text
        names = (each.name or f"level{number}" for number, each in enumerate(self.levels, start=1))
        lines.writerow(["value", *names, *([] if self.levels else ["all"])])
        labels = [each.labels for each in self.levels] or [("*",) * len(self.leaves)]
        lines.writerows(zip((leaf or "" for leaf in self.leaves), *labels, strict=True))
        return file.getvalue().encode("utf-8")


def is_rule(given: Mapping[Any, Any]) -> bool:
    """Whether a mapping is the content of a hierarchy file: a kind of rule, such as {"intervals": {…}}."""
    kinds = [each for each in given if isinstance(each, str) and each in KINDS]
    within = (Mapping, list, tuple) if kinds == ["date"] else Mapping
    return len(kinds) == 1 and set(given) <= {*kinds, "levels"} and isinstance(given[kinds[0]], within)


def rule_text(given: Mapping[Any, Any], where: str) -> str:
    """The text of the YAML file that a rule as a mapping stands for. Raises HierarchyError."""
    try:
        return yaml.safe_dump(_plain(given), allow_unicode=True, sort_keys=False)
    except yaml.YAMLError:
        raise HierarchyError(
            "the rule holds objects that no file of a hierarchy has",
            where=where,
            next_step="Write texts, numbers, lists and mappings.",
        ) from None


def rule(text: str, name: str, where: str) -> ReadHierarchy:
    """The hierarchy of the text of a YAML file. Raises HierarchyError with the line."""
    return ReadHierarchy(*parse_yaml(text, name, where=where))


def listed(given: Mapping[Any, Any], where: str) -> ListedHierarchy:
    """The hierarchy of a mapping from values to a label each, or to a list of labels, coarser and coarser.

    Raises HierarchyError for labels that differ in number, or are missing.
    """
    paths = [_path(each) for each in given.values()]
    if len({len(each) for each in paths}) > 1:
        raise HierarchyError(
            "its values have labels of different number",
            where=where,
            next_step="Give each value one label a level, coarser and coarser.",
        )
    return _of_paths([text_of(each) for each in given], paths, [None] * len(paths[0]) if paths else [], where)


def of_columns(columns: Sequence[tuple[str, Sequence[Any]]], where: str) -> ListedHierarchy:
    """The hierarchy of the columns of a frame: the values first, then a column a level, named as it is.

    Raises HierarchyError for a frame of one column, and labels that are missing.
    """
    if len(columns) < 2:
        raise HierarchyError(
            "the frame has no column of labels",
            where=where,
            next_step="Give the values as the first column, and a column of labels for each level.",
        )
    (_, values), *levels = columns
    paths = [tuple(path) for path in zip(*(each for _, each in levels), strict=True)]
    return _of_paths([text_of(each) for each in values], paths, [name for name, _ in levels], where)


def of_functions(functions: Sequence[Function], values: Iterable[Any], where: str) -> ListedHierarchy:
    """The hierarchy of functions, coarser and coarser, each called once with every one of the different `values`.

    A missing value is not passed on: it stays as it is until it is suppressed. Raises HierarchyError for a function
    that fails, gives nothing or an object that is no label, or parts values that one before it joins.
    """
    present = [each for each in values if text_of(each) is not None]
    names = [_called(each, number) for number, each in enumerate(functions, start=1)]
    results = [
        [_label(each, name, value, where) for value in present] for each, name in zip(functions, names, strict=True)
    ]
    _require_nested(results, names, where)
    paths = [tuple(path) for path in zip(*results, strict=True)]
    return _of_paths([text_of(each) for each in present], paths, [None] * len(functions), where)


def text_of(value: Any) -> str | None:
    """The text of a value as a hierarchy lists it; None for a missing one (None, NaN, NA, NaT)."""
    match value:
        case None:
            return None
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case datetime():
            if value != value:
                return None
            return str(value) if value.tzinfo is None else _instant(value.astimezone(UTC))
        case date() | time():
            return value.isoformat()
        case timedelta():
            return _duration(value // timedelta(microseconds=1))
        case Integral():
            return str(int(value))
        case Decimal():
            return f"{value:f}" if value.is_finite() else None
        case Real():
            return None if math.isnan(value) else repr(float(value))
    # NA of pandas and NaT are neither equal to themselves nor different, and have no other sign that is cheaper.
    name = type(value).__name__
    if name in ("NAType", "NaTType"):
        return None
    return ("true" if value else "false") if name in ("bool_", "bool") else str(value)


def _instant(value: datetime) -> str:
    """An instant as DuckDB writes it in UTC, which is how values with a time zone are compared."""
    return f"{value:%Y-%m-%d %H:%M:%S}{_fraction(value.microsecond)}+00"


def _duration(micros: int) -> str:
    """A duration as DuckDB writes it, which is how durations are compared."""
    seconds, rest = divmod(abs(micros), 1_000_000)
    sign = "-" if micros < 0 else ""
    return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{_fraction(rest)}"


def _fraction(micros: int) -> str:
    return f".{micros:06}".rstrip("0") if micros else ""


def _plain(given: Any) -> Any:
    match given:
        case Mapping():
            return {key: _plain(each) for key, each in given.items()}
        case list() | tuple():
            return [_plain(each) for each in given]
        case Decimal():
            return f"{given:f}"
        case bool() | str() | None:
            return given
        case Integral():
            return int(given)
        case Real():
            return float(given)
        case date():
            return given.isoformat()
    return given


def _path(labels: Any) -> tuple[Any, ...]:
    return tuple(labels) if isinstance(labels, list | tuple) else (labels,)


def _of_paths(
    leaves: Sequence[str | None], paths: Sequence[Sequence[Any]], names: Sequence[str | None], where: str
) -> ListedHierarchy:
    texts = [[text_of(each) for each in path] for path in paths]
    if any(not each for path in texts for each in path):
        raise HierarchyError(
            "a label is missing or empty", where=where, next_step="Give a text, or '*' to hide the value."
        )
    levels = tuple(ListedLevel(name, tuple(path[number] for path in texts)) for number, name in enumerate(names))
    return ListedHierarchy(tuple(leaves), levels)


def _require_texts(texts: Iterable[str | None], where: str) -> None:
    """Raises HierarchyError for a text that no file of texts holds: the byte 0 in it, or half of a surrogate pair."""
    if any(each and ("\0" in each or any("\ud800" <= letter <= "\udfff" for letter in each)) for each in texts):
        raise HierarchyError(
            "a value or a label holds a character that no text has: the byte 0, or half of a surrogate pair",
            where=where,
            next_step="Write it in letters.",
        )


def _called(function: Function, number: int) -> str:
    name = getattr(function, "__name__", "")
    return f"function {number}" if name in ("", "<lambda>") else f"function {number} ({name})"


def _label(function: Function, called: str, value: Any, where: str) -> str:
    try:
        found = function(value)
        text = text_of(found)
    except Exception as error:
        raise HierarchyError(
            f"{called} fails with {type(error).__name__} for a value of the column",
            where=where,
            next_step="Let it give a label for every value, such as '*'.",
        ) from error
    if not isinstance(found, Hashable) or isinstance(found, tuple | frozenset | bytes | Iterator) or callable(found):
        raise HierarchyError(
            f"{called} gives {an(type(found).__name__)}, which is no label",
            where=where,
            next_step="Let it give a text or a number.",
        )
    if not text:
        raise HierarchyError(
            f"{called} gives nothing for a value of the column",
            where=where,
            next_step="Let it give a label for every value, such as '*'.",
        )
    return text


def _require_nested(results: Sequence[Sequence[str]], names: Sequence[str], where: str) -> None:
    """Raises HierarchyError where a function tells values apart that one before it gives one label."""
    for number in range(1, len(results)):
        coarse: dict[str, str] = {}
        for fine, label in zip(results[number - 1], results[number], strict=True):
            if coarse.setdefault(fine, label) != label:
                raise HierarchyError(
                    f"{names[number]} gives two labels to values that {names[number - 1]} gives one, "
                    "so it is not coarser",
                    where=where,
                    next_step="Give the functions from fine to coarse, each made of the one before it.",
                )


def where_of(column: str) -> str:
    """The name by which messages call the hierarchy of a column."""
    return f"the hierarchy of {quoted(column)}"
