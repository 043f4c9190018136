"""Readings of messy texts: what a column of texts really holds, and the expression of a dataset query that reads it.

A reading is offered only if a form covers every text of a column, or every one that does not clearly mean a missing
value, which becomes NULL. The expression is made of few functions that DuckDB and PostgreSQL have, and the modules of
the other sources print or calculate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from sqlglot import exp

from ordermade import sql
from ordermade.drafts import text_formats
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.text_formats import FORMS, OR_MISSING, UNITS, Unit
from ordermade.hierarchies.column_types import is_whole
from ordermade.privacy.least_k import DEFAULT_LEAST_K


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


Dialect = Literal["duckdb", "sqlite", "postgres", "mysql"]
"""The dialect of a source, by sqlglot's name."""

MAX_DECIMALS = 6
"""A column with more digits after the point is read as DOUBLE."""

MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """The reading of a column of messy texts.

    `form`: the name of the form that covers it. `type`: the SQL type that it gets. `expression`: over the column, of
    functions that dataset queries may call. `reason`: one line without values of the data.
    """

    column: str
    form: str
    type: str
    expression: exp.Expr
    reason: str


@dataclass(frozen=True, slots=True)
class Unread:
    """A column of texts that is left as it is."""

    column: str
    """Its name."""
    reason: str
    """The reason why it is not read otherwise."""


def reading_of(
    profile: ColumnProfile, dialect: Dialect = "duckdb", *, least_k: int = DEFAULT_LEAST_K
) -> ColumnReading | None:
    """The reading of a column; None where it is taken as it is. `least_k`: no smaller count is in the reason."""
    found = examined(profile, dialect, least_k=least_k)
    return found if isinstance(found, ColumnReading) else None


def examined(
    profile: ColumnProfile, dialect: Dialect = "duckdb", *, least_k: int = DEFAULT_LEAST_K
) -> ColumnReading | Unread | None:
    """The reading of a column, or the reason that texts which look like something else have none."""
    if not profile.values:
        return None
    if is_whole(profile.type):
        return _days_as_numbers(profile)
    if profile.type != "VARCHAR":
        return None
    column = _Texts(profile, dialect, least_k)
    for examine in (_numbers, _dates, _moments, _postcodes, _blanks):
        found = examine(column)
        if found is not None:
            return found
    return None


def dataset_query(
    table: exp.Table | str, columns: Iterable[str], readings: Sequence[ColumnReading], dialect: str = sql.DIALECT
) -> str:
    """The SELECT of a table for `dataset add --query`: columns that are read, the others as they are, in order."""
    by_column = {each.column: each for each in readings}
    selected = [
        sql.named(by_column[each].expression.copy(), each) if each in by_column else sql.column(each)
        for each in columns
    ]
    named = exp.to_table(table, dialect=dialect) if isinstance(table, str) else table.copy()
    return exp.Select(expressions=selected, from_=exp.From(this=named)).sql(dialect=sql.DIALECT)


@cache
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(FORMS[form])


class _Texts:
    """A column of texts on its way to a reading."""

    def __init__(self, profile: ColumnProfile, dialect: Dialect, least_k: int) -> None:
        self.profile = profile
        self.dialect = dialect
        self.least_k = least_k
        self.texts = [each.value for each in profile.values]
        self.characters = frozenset("".join(self.texts)) if profile.lists_all else None
        self.value = sql.column(profile.name)

    def covered_by(self, form: str) -> str | None:
        """The name of the form, or of the form with texts for missing values, that covers all texts; else None."""
        present = [each for each in self.texts if not _is_missing(each)]
        pattern = _pattern(form)
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
            return sum(each.rows for each in self.profile.values if _is_missing(each.value))
        present = self.profile.forms.get(covering.removesuffix(OR_MISSING), 0.0)
        return round((1.0 - present) * (self.profile.rows - self.profile.nulls))

    def markers(self) -> list[str]:
        """The texts that may mean a missing value."""
        return (
            [each for each in self.texts if _is_missing(each)] if self.profile.lists_all else list(text_formats.MISSING)
        )

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
            count = f"{missing:,}" if missing >= self.least_k else f"fewer than {self.least_k}"
            reason += f"; {count} {'row that says' if missing == 1 == self.least_k else 'rows that say'} "
            reason += "that there is no value become NULL"
        if kind != "VARCHAR":
            tree = exp.cast(tree, kind, dialect=sql.DIALECT)
        form = covering.removesuffix(OR_MISSING)
        return ColumnReading(self.profile.name, form, kind, tree, reason)


def _is_missing(text: str) -> bool:
    return text.strip(text_formats.BLANKS) in _MISSING


_MISSING = frozenset(text_formats.MISSING)


def _numbers(column: _Texts) -> ColumnReading | Unread | None:
    for unit in UNITS:
        if unit.spellings and not any(each in text for each in unit.spellings for text in column.texts):
            continue
        for form in (text_formats.whole(unit), text_formats.decimal(unit), text_formats.decimal_comma(unit)):
            covering = column.covered_by(form) if form in FORMS else None
            if covering is not None:
                return _number(column, unit, form, covering)
    return None


def _number(column: _Texts, unit: Unit, form: str, covering: str) -> ColumnReading | Unread | None:
    present = [_ascii(each) for each in column.texts if not _is_missing(each)]
    has_comma = form == text_formats.decimal_comma(unit)
    if unit == UNITS[0] and form == text_formats.whole(unit):
        if any(re.match(r"[^0-9]*0[0-9]", each) for each in present):
            return _codes(column)
        plain = all(each.isdigit() for each in column.texts if not _is_missing(each) and each.isascii())
        plain = plain and all(each.isascii() for each in column.texts if not _is_missing(each))
        if plain and len({len(each) for each in present}) == 1 and len(present[0]) > 3:
            return None  # all of one length: they may as well be codes
        if plain and len(present) > 1 and len({len(each) for each in present}) == 1 and not _counts(column):
            return None
    if form == text_formats.decimal(unit) and _ambiguous(unit, present):
        return Unread(column.profile.name, "a point may part thousands or decimals: left as text")
    if has_comma and not any(re.search(r",[0-9]", each) for each in present):
        return Unread(column.profile.name, "a point may part thousands or decimals: left as text")
    kind = "BIGINT"
    if form != text_formats.whole(unit):
        kind = _decimal_type(column, present, "," if has_comma else ".")
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    mapped |= dict.fromkeys(text_formats.MINUS_SIGNS + "(（", "-")
    deleted = text_formats.PLUS_SIGNS + ")）" + text_formats.BLANKS
    if has_comma:
        mapped |= dict.fromkeys(",，", ".")
        deleted += ".'"
    else:
        mapped["．"] = "."
        deleted += ",，"
    symbols = [each for each in unit.spellings if (len(each) == 1 and not each.isascii()) or each in ("$", "%", "\\")]
    tree, table = _translated(column, mapped, deleted + "".join(symbols))
    words = [each for each in unit.spellings if each not in symbols and column.may_have(each)]
    words = sorted({each.translate(table) for each in words}, key=lambda each: (-len(each), each))
    for word in words:
        tree = replaced(tree, word, "")

    def text_of(text: str) -> str:
        text = text.translate(table)
        for word in words:
            text = text.replace(word, "")
        return text

    reason = _number_reason(unit, present, column, has_comma=has_comma)
    return column.reading(covering, kind, tree, reason, tree, text_of)


def _counts(column: _Texts) -> bool:
    """Whether the name of a column says that its digits are a number and no code."""
    return re.search(r"(?i)(^|[^a-z])age([^a-z]|$)|年齢|歳", column.profile.name) is not None


def _ascii(text: str) -> str:
    return text.translate(_NARROW).strip(text_formats.BLANKS)


_NARROW = str.maketrans(dict(zip(text_formats.WIDE_DIGITS + "，．（）", text_formats.DIGITS + ",.()", strict=True)))


def _ambiguous(unit: Unit, present: Sequence[str]) -> bool:
    """Whether every point parts three digits from one to three others, and may stand between thousands."""
    pointed = [each for each in present if "." in each]
    if unit.name not in ("without unit", "of euros") or not pointed:
        return False
    return all(re.search(r"(?<![0-9.])[1-9][0-9]{0,2}(\.[0-9]{3})+(?![0-9])", each) for each in pointed) and not any(
        "," in each for each in present
    )


def _decimal_type(column: _Texts, present: Sequence[str], point: str) -> str:
    """DECIMAL where all values are known to fit it, else DOUBLE, which takes any number of digits."""
    if not column.profile.lists_all or column.dialect == "sqlite":
        return "DOUBLE"
    parts = [re.sub(r"[^0-9" + re.escape(point) + "]", "", each).partition(point) for each in present]
    decimals = max(len(each[2]) for each in parts)
    digits = max(len(each[0].lstrip("0")) for each in parts)
    return f"DECIMAL({MAX_DIGITS},{decimals})" if decimals <= MAX_DECIMALS and digits + decimals <= 15 else "DOUBLE"


def _number_reason(unit: Unit, present: Sequence[str], column: _Texts, *, has_comma: bool) -> str:
    """The reason of a reading, by what was seen."""
    seen = []
    if has_comma:
        seen.append("with a decimal comma")
    elif any(re.search(r"[0-9],[0-9]", each) for each in present):
        seen.append("with thousands separators")
    if any(each in text for each in unit.spellings for text in present):
        seen.append(_CALLED.get(unit.name, "with a unit beside them"))
    if column.seen(text_formats.WIDE_DIGITS) and column.profile.lists_all:
        seen.append("in full-width digits")
    if any("(" in each for each in present):
        seen.append("negative in brackets")
    return "numbers" + (" " + ", ".join(seen) if seen else " stored as text")


_CALLED: Mapping[str, str] = {
    "of yen": "of yen",
    "of dollars": "of dollars",
    "of euros": "of euros",
    "of pounds": "of pounds",
    "of per cent": "of per cent",
    "of 万円": "of ten thousand yen",
}


def _codes(column: _Texts) -> ColumnReading | None:
    """Digits with zeros before them: codes, which are texts; read in one width where they are written in two."""
    wide = column.seen(text_formats.WIDE_DIGITS + text_formats.BLANKS)
    if not wide or column.characters is None:
        return None
    tree, _ = _translated(
        column, dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True)), text_formats.BLANKS
    )
    return ColumnReading(column.profile.name, "codes", "VARCHAR", tree, "codes in digits of two widths")


def _translated(column: _Texts, mapped: Mapping[str, str], deleted: str) -> tuple[exp.Expr, dict[int, str | None]]:
    """The column with characters mapped and deleted, as far as they may occur; and the same for Python."""
    wanted = "".join(dict.fromkeys(column.seen("".join(mapped))))
    left_out = "".join(dict.fromkeys(column.seen(deleted)))
    table: dict[int, str | None] = {ord(each): mapped[each] for each in wanted}
    table |= {ord(each): None for each in left_out}
    return translated(column.value, wanted + left_out, "".join(mapped[each] for each in wanted)), table


def _dates(column: _Texts) -> ColumnReading | Unread | None:
    for more in ("", text_formats.AND_ERAS):
        covering = column.covered_by(text_formats.DATES + more)
        if covering is not None:
            return _date(column, covering, None, eras=bool(more))
        if column.covered_by(text_formats.DATES_EITHER_FIRST + more) is not None:
            return Unread(column.profile.name, "dates in which day and month cannot be told apart: left as text")
        for form, order in ((text_formats.DATES_DAY_FIRST, (3, 2, 1)), (text_formats.DATES_MONTH_FIRST, (3, 1, 2))):
            covering = column.covered_by(form + more)
            if covering is not None:
                return _date(column, covering, order, eras=bool(more))
    return None


def _date(column: _Texts, covering: str, order: tuple[int, int, int] | None, *, eras: bool) -> ColumnReading:
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    mapped |= dict.fromkeys(text_formats.SEPARATORS + "年月", "-")
    deleted = "日" + text_formats.BLANKS
    if eras:
        mapped |= {name[0]: letter for name, letter in text_formats.ERAS.items()} | {"元": "1"}
        deleted += "".join(name[1] for name in text_formats.ERAS)
    text, table = _translated(column, mapped, deleted)
    present = [each.translate(table) for each in column.texts if not _is_missing(each)]
    everything = column.characters is None
    tree = text
    spellings = []
    if order is not None:
        tree = concatenated(*(part_of(text, "-", each) for each in order), between="-")
        if everything or any(re.match(r"[0-9]{4}-", each) for each in present):
            year_first = exp.Like(this=part_of(text, "-", 1), expression=exp.Literal.string("____"))
            tree = exp.Case(ifs=[exp.If(this=year_first, true=text.copy())], default=tree)
        spellings.append("day first" if order[1] == 2 else "month first")
    if eras:
        tree = _with_eras(
            text, tree, [each for each in text_formats.BEFORE_ERA if everything or _starts(present, each)]
        )
        if everything or any(each.isdigit() for each in present):
            tree = _with_compact(text, tree)
        if any(_starts(present, each) for each in text_formats.BEFORE_ERA):
            spellings.append("years of Japanese eras")
        if any(each.isdigit() for each in present):
            spellings.append("without separators")
    mixed = len({re.sub(r"[0-9]+", "", each) for each in column.texts if not _is_missing(each)}) > 1
    reason = "dates" + (", " + ", ".join(spellings) if spellings else "")
    reason += ", in several spellings" if mixed else ""
    return column.reading(covering, "DATE", tree, reason, text, lambda each: each.translate(table))


def _starts(texts: Sequence[str], letter: str) -> bool:
    return any(each.startswith(letter) for each in texts)


def _with_eras(text: exp.Expr, tree: exp.Expr, letters: Sequence[str]) -> exp.Expr:
    """The date with the year of its era counted from the year 1."""
    if not letters:
        return tree
    letter = exp.Substring(this=text.copy(), start=exp.Literal.number(1), length=exp.Literal.number(1))
    first = exp.Substring(this=part_of(text, "-", 1), start=exp.Literal.number(2))
    year = exp.cast(first, "BIGINT", dialect=sql.DIALECT)
    rest = [part_of(text, "-", each) for each in (2, 3)]
    cases = []
    for each in letters:
        since = exp.Add(this=year.copy(), expression=exp.Literal.number(text_formats.BEFORE_ERA[each]))
        parts = [exp.cast(since, "VARCHAR", dialect=sql.DIALECT), *(part.copy() for part in rest)]
        condition = exp.EQ(this=letter.copy(), expression=exp.Literal.string(each))
        cases.append(exp.If(this=condition, true=concatenated(*parts, between="-")))
    return exp.Case(ifs=cases, default=tree)


def _with_compact(text: exp.Expr, tree: exp.Expr) -> exp.Expr:
    """The date where it may have no separators."""
    parted = exp.Like(this=text.copy(), expression=exp.Literal.string("%-%"))
    return exp.Case(ifs=[exp.If(this=parted, true=tree)], default=_compact(text))


def _compact(text: exp.Expr) -> exp.Expr:
    pieces = [
        exp.Substring(this=text.copy(), start=exp.Literal.number(start), length=exp.Literal.number(length))
        for start, length in ((1, 4), (5, 2), (7, 2))
    ]
    return concatenated(*pieces, between="-")


def _days_as_numbers(profile: ColumnProfile) -> ColumnReading | None:
    """Whole numbers such as 20240105 that are days, each of them."""
    if not profile.lists_all or profile.distinct < 5:
        return None
    if not all(re.fullmatch(text_formats.WITHOUT_SEPARATORS, each.value) for each in profile.values):
        return None
    text = exp.cast(sql.column(profile.name), "VARCHAR", dialect=sql.DIALECT)
    tree = exp.cast(_compact(text), "DATE", dialect=sql.DIALECT)
    return ColumnReading(profile.name, text_formats.DATES, "DATE", tree, "dates without separators, stored as numbers")


def _moments(column: _Texts) -> ColumnReading | None:
    covering = column.covered_by(text_formats.MOMENTS)
    if covering is None:
        return None
    tree, table = _translated(column, {"/": "-", "T": " "}, "\t\u3000\u00a0")
    if any(each != each.strip(" ") for each in column.texts) or column.characters is None:
        tree = exp.Trim(this=tree, expression=exp.Literal.string(" "))
    reason = "dates with a time, stored as text"
    return column.reading(covering, "TIMESTAMP", tree, reason, tree, lambda each: each.translate(table).strip(" "))


def _postcodes(column: _Texts) -> ColumnReading | None:
    """Postcodes of Japan in one spelling, where they have several."""
    covering = column.covered_by(text_formats.JAPANESE_POSTCODES)
    if covering is None or (
        column.characters is not None
        and (
            len({len(each) for each in column.texts if not _is_missing(each)}) == 1
            and column.characters <= set("0123456789-")
        )
    ):
        return None
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    tree, table = _translated(column, mapped, text_formats.HYPHENS + "〒" + text_formats.BLANKS)
    reason = "Japanese postcodes in several spellings"
    return column.reading(covering, "VARCHAR", tree, reason, tree, lambda each: each.translate(table))


def _blanks(column: _Texts) -> ColumnReading | None:
    """Texts with blanks before or after them."""
    around = [each for each in column.texts if each != each.strip(text_formats.BLANKS)]
    if not around or (column.profile.words or 1) > 4:
        return None
    blanks = "".join(each for each in text_formats.BLANKS if any(each in text for text in around))
    trimmed: exp.Expr = column.value.copy()
    for each in blanks if len(blanks) == 1 or not any(_mixes(text) for text in around) else "":
        trimmed = exp.Trim(this=trimmed, expression=exp.Literal.string(each))
    if trimmed == column.value:
        return None
    return ColumnReading(column.profile.name, "texts", "VARCHAR", trimmed, "texts with blanks before or after them")


def _mixes(text: str) -> bool:
    """Whether several kinds of blanks are at one end of a text."""
    ends = text[: len(text) - len(text.lstrip(text_formats.BLANKS))], text[len(text.rstrip(text_formats.BLANKS)) :]
    return any(len(set(each)) > 1 for each in ends)


__all__ = [
    "FORMS",
    "ColumnReading",
    "Dialect",
    "Unread",
    "dataset_query",
    "examined",
    "reading_of",
]
