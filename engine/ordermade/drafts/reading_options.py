"""What the person who opens a table says of its texts, where the texts alone do not show how they are to be read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, TypeVar

from ordermade.errors import InputError, UnknownName
from ordermade.requests.columns import stored_column

DecimalSign: TypeAlias = Literal["comma", "point"]
"""The sign before the decimals of a number."""
DateOrder: TypeAlias = Literal["dmy", "mdy", "ymd"]
"""The order of day, month and year."""
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class DateFormat:
    """The order of the parts of dates; `since`: the first of the hundred years that years of two digits are of."""

    order: DateOrder
    since: int | None = None

    @classmethod
    def of(cls, text: str) -> DateFormat:
        """The format of a text such as `dmy` or `dmy:1925`. Raises InputError."""
        found = re.fullmatch(r"(dmy|mdy|ymd)(?::([12][0-9]{3}))?", text.strip().casefold())
        if found is None:
            raise InputError(
                "a date format is dmy, mdy or ymd",
                where="--date-format",
                next_step="Write dmy for 31.12.2024, and dmy:1925 where years of two digits are of 1925 to 2024.",
            )
        order: DateOrder = found[1]  # type: ignore[assignment]
        return cls(order, None if found[2] is None else int(found[2]))


def decimal_sign(text: str) -> DecimalSign:
    """The sign of that name. Raises InputError."""
    match text.strip().casefold():
        case "comma" | ",":
            return "comma"
        case "point" | ".":
            return "point"
    raise InputError(
        "the sign before decimals is a comma or a point", where="--decimal", next_step="Write comma or point."
    )


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """The options of one column, as those of `ReadingOptions`."""

    missing: tuple[str, ...] = ()
    date: DateFormat | None = None
    decimal: DecimalSign | None = None
    at_bounds: bool = False


PLAIN = ColumnOptions()
"""Nothing is said of a column."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How the texts of a table are to be read, by column; None stands for every column that is not named.

    `missing`: the texts, or numbers, that mean a missing value, beside those that clearly do. `dates`: the order of day
    and month. `decimals`: the sign before decimals. `at_bounds`: the columns in which numbers such as `<0.1` and `>100`
    are taken for their bound.
    """

    missing: Mapping[str | None, tuple[str, ...]] = field(default_factory=dict)
    dates: Mapping[str | None, DateFormat] = field(default_factory=dict)
    decimals: Mapping[str | None, DecimalSign] = field(default_factory=dict)
    at_bounds: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return bool(self.missing or self.dates or self.decimals or self.at_bounds)

    def of_table(self, columns: Collection[str]) -> ReadingOptions:
        """The same with every column by its stored name. Raises InputError (UnknownName)."""
        return replace(
            self,
            missing=_stored(self.missing, columns, "--missing"),
            dates=_stored(self.dates, columns, "--date-format"),
            decimals=_stored(self.decimals, columns, "--decimal"),
            at_bounds=tuple(_column(each, columns, "--at-bounds") for each in self.at_bounds),
        )

    def of(self, column: str) -> ColumnOptions:
        """The options of a column, by its stored name."""
        return ColumnOptions(
            tuple(dict.fromkeys((*self.of_every_column(), *self.missing.get(column, ())))),
            self.dates.get(column, self.dates.get(None)),
            self.decimals.get(column, self.decimals.get(None)),
            column in self.at_bounds,
        )

    def of_every_column(self) -> tuple[str, ...]:
        """The texts that mean a missing value in columns that are not named."""
        return self.missing.get(None, ())

    def names(self, column: str) -> bool:
        """Whether something is said of this column, by its name, that changes its values."""
        return column in self.missing or column in self.at_bounds


NO_OPTIONS = ReadingOptions()
"""Nothing is said of any column."""


def reading_options(
    missing: Iterable[tuple[str | None, Sequence[str]]] = (),
    dates: Iterable[tuple[str | None, str]] = (),
    decimals: Iterable[tuple[str | None, str]] = (),
    at_bounds: Sequence[str] = (),
) -> ReadingOptions:
    """The options of texts, each with its column. Raises InputError for a text that is none of what it may be."""
    markers: dict[str | None, tuple[str, ...]] = {}
    for column, texts in missing:
        markers[column] = (*markers.get(column, ()), *texts)
    return ReadingOptions(
        markers,
        {column: DateFormat.of(text) for column, text in dates},
        {column: decimal_sign(text) for column, text in decimals},
        tuple(at_bounds),
    )


def _stored(given: Mapping[str | None, Value], columns: Collection[str], option: str) -> Mapping[str | None, Value]:
    return {None if each is None else _column(each, columns, option): value for each, value in given.items()}


def _column(name: str, columns: Collection[str], option: str) -> str:
    try:
        return stored_column(name, columns)
    except UnknownName:
        raise UnknownName("column", name, columns, where=option) from None


ReadingLike: TypeAlias = Mapping[str, Any] | ReadingOptions
"""The options, or as a program gives them: `missing`, `date_format` and `decimal`, each a value for every column or a
mapping by column, and `at_bounds`, a list of columns."""
KEYS = ("missing", "date_format", "decimal", "at_bounds")


def reading_of(given: ReadingLike) -> ReadingOptions:
    """The options that a program gives. Raises InputError for another key, or a value that cannot be."""
    if isinstance(given, ReadingOptions):
        return given
    unknown = [each for each in given if each not in KEYS]
    if unknown:
        raise UnknownName("key", str(unknown[0]), KEYS, where="reading")
    return reading_options(
        [(column, _texts(value)) for column, value in _by_column(given.get("missing", {}))],
        [(column, str(value)) for column, value in _by_column(given.get("date_format", {}))],
        [(column, str(value)) for column, value in _by_column(given.get("decimal", {}))],
        _texts(given.get("at_bounds", ())),
    )


def _by_column(given: object) -> Iterable[tuple[str | None, object]]:
    return given.items() if isinstance(given, Mapping) else [(None, given)]


def _texts(given: object) -> tuple[str, ...]:
    """One value or several as texts."""
    listed = given if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    return tuple(map(str, listed))
