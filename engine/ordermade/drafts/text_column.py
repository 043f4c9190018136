"""A column of texts on its way to a reading, and the trees that a reading is made of.

They are of few functions that DuckDB and PostgreSQL have, and that the modules of the other sources print or calculate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from sqlglot import exp

from ordermade import sql
from ordermade.drafts import text_formats
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.reading_options import NO_OPTIONS, ReadingOptions
from ordermade.drafts.text_formats import FORMS, OR_MISSING
from ordermade.privacy.least_k import DEFAULT_LEAST_K

Dialect = Literal["duckdb", "sqlite", "postgres", "mysql"]
"""The dialect of a source, by sqlglot's name."""


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """The reading of a column of messy texts.

    `form`: the name of the form that covers it. `type`: the SQL type that it gets. `expression`: over the column, of
    functions that dataset queries may call. `reason`: one line without values of the data. `text_of`: what is cast of
    a text, where the reading knows.
    """

    column: str
    form: str
    type: str
    expression: exp.Expr
    reason: str
    text_of: Callable[[str], str] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Unread:
    """A column of texts that is left as it is."""

    column: str
    """Its name."""
    reason: str
    """The reason why it is not read otherwise."""


def option_of(option: str, column: str, value: str) -> str:
    """The option that decides how a column is read, as the end of a sentence."""
    name = column if re.fullmatch(r"[\w.-]+", column) else f'"{column}"'
    return f"{option} {name}={value} says which"


def translated(value: exp.Expr, characters: str, to: str) -> exp.Expr:
    """The value with each of the characters replaced by the one at its place in `to`, deleted where there is none."""
    if not characters:
        return value.copy()
    if len(characters) == 1:
        return replaced(value, characters, to)
    arguments = exp.Literal.string(characters), exp.Literal.string(to)
    return exp.Translate(this=value.copy(), from_=arguments[0], to=arguments[1])


def replaced(value: exp.Expr, text: str, by: str) -> exp.Expr:
    """The value with every occurrence of a text replaced."""
    return exp.Replace(this=value.copy(), expression=exp.Literal.string(text), replacement=exp.Literal.string(by))


def part_of(value: exp.Expr, delimiter: str, number: int) -> exp.Expr:
    """The part of a text between two delimiters, the first by 1."""
    return exp.SplitPart(
        this=value.copy(), delimiter=exp.Literal.string(delimiter), part_index=exp.Literal.number(number)
    )


def concatenated(*parts: exp.Expr, between: str) -> exp.Expr:
    """The texts one after the other, with a text between two."""
    found = parts[0]
    for each in parts[1:]:
        found = exp.DPipe(this=found, expression=exp.Literal.string(between), safe=True)
        found = exp.DPipe(this=found, expression=each, safe=True)
    return found


def without_missing(value: exp.Expr, text: exp.Expr, markers: Sequence[str]) -> exp.Expr:
    """The value, NULL where a text is one of the markers."""
    if len(markers) == 1 and value == text:
        return exp.Nullif(this=value.copy(), expression=exp.Literal.string(markers[0]))
    among = exp.In(this=text.copy(), expressions=[exp.Literal.string(each) for each in markers])
    return exp.Case(ifs=[exp.If(this=among, true=exp.Null())], default=value.copy())


@cache
def pattern_of(form: str) -> re.Pattern[str]:
    """The form of that name, for Python."""
    return re.compile(FORMS[form])


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What is known of every column of a table that is read.

    `dialect`: that of its source. `least_k`: no smaller count is in a reason. `typed_here`: types are those that the
    engine found in a file of texts, so that no one chose text for what could be a number. `options`: what the person
    who opened the table says of it.
    """

    dialect: Dialect = "duckdb"
    least_k: int = DEFAULT_LEAST_K
    typed_here: bool = False
    options: ReadingOptions = NO_OPTIONS


NO_CONTEXT = ReadingContext()
"""A DuckDB database, of which nothing is said."""


class TextColumn:
    """A column of texts on its way to a reading: `value` is what has the texts of the profile."""

    def __init__(self, profile: ColumnProfile, context: ReadingContext, value: exp.Expr) -> None:
        self.profile = profile
        self.context = context
        self.options = context.options.of(profile.name)
        self.texts = [each.value for each in profile.values]
        self.characters = frozenset("".join(self.texts)) if profile.lists_all else None
        self.value = value

    def covered_by(self, form: str) -> str | None:
        """The name of the form, or of the form with texts for missing values, that covers all texts; else None."""
        present = [each for each in self.texts if not is_missing(each)]
        pattern = pattern_of(form)
        if not present or not all(pattern.fullmatch(each) for each in present):
            return None
        if self.profile.lists_all:
            return form if len(present) == len(self.texts) else form + OR_MISSING
        shares = self.profile.forms
        return next((each for each in (form, form + OR_MISSING) if shares.get(each) == 1.0), None)

    def seen(self, characters: str) -> str:
        """Those of the characters that may occur."""
        if self.characters is None:
            return characters
        return "".join(each for each in characters if each in self.characters)

    def may_have(self, text: str) -> bool:
        """Whether a text may occur within those of the column."""
        return self.characters is None or any(text in each for each in self.texts)

    def missing_rows(self, covering: str) -> int:
        """The rows whose text means a missing value."""
        if not covering.endswith(OR_MISSING):
            return 0
        if self.profile.lists_all:
            return sum(each.rows for each in self.profile.values if is_missing(each.value))
        present = self.profile.forms.get(covering.removesuffix(OR_MISSING), 0.0)
        return round((1.0 - present) * (self.profile.rows - self.profile.nulls))

    def markers(self) -> list[str]:
        """The texts that may mean a missing value."""
        return (
            [each for each in self.texts if is_missing(each)] if self.profile.lists_all else list(text_formats.MISSING)
        )

    def mapped(self, characters: Mapping[str, str], deleted: str) -> tuple[exp.Expr, dict[int, str | None]]:
        """The column with characters mapped and deleted, as far as they may occur; and the same for Python."""
        wanted = "".join(dict.fromkeys(self.seen("".join(characters))))
        left_out = "".join(dict.fromkeys(self.seen(deleted)))
        table: dict[int, str | None] = {ord(each): characters[each] for each in wanted}
        table |= {ord(each): None for each in left_out}
        return translated(self.value, wanted + left_out, "".join(characters[each] for each in wanted)), table

    def reading(
        self,
        covering: str,
        kind: str,
        tree: exp.Expr,
        reason: str,
        text: exp.Expr,
        texts_of: Callable[[str], str],
    ) -> ColumnReading:
        """The reading, in which texts for missing values become NULL.

        They are known by `text`, a tree over the column that makes `texts_of(each)` of each text.
        """
        missing = self.missing_rows(covering)
        if covering.endswith(OR_MISSING):
            tree = without_missing(tree, text, sorted({texts_of(each) for each in self.markers()}))
            least_k = self.context.least_k
            count = f"{missing:,}" if missing >= least_k else f"fewer than {least_k}"
            reason += f"; {count} {'row that says' if missing == 1 == least_k else 'rows that say'} "
            reason += "that there is no value become NULL"
        if kind != "VARCHAR":
            tree = exp.cast(tree, kind, dialect=sql.DIALECT)
        form = covering.removesuffix(OR_MISSING)
        return ColumnReading(self.profile.name, form, kind, tree, reason, texts_of)


def is_missing(text: str) -> bool:
    """Whether a text clearly means that there is no value."""
    return text.strip(text_formats.BLANKS) in _MISSING


_MISSING = frozenset(text_formats.MISSING)
