"""Cells that keep a column of texts from being read: most others are numbers or dates.

They are values of persons: what is found is for the screen of the person who opened the table, and for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ordermade.drafts import text_formats
from ordermade.drafts.missing_values import BOUNDS
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.text_column import ColumnReading, ReadingContext, is_missing, pattern_of
from ordermade.drafts.text_formats import FORMS, OR_MISSING, UNITS
from ordermade.drafts.text_parsers import examined

LEAST_SHARE = 0.5
"""The share of the cells with a value that must be of a form, for the others to be odd."""
MAX_TEXTS = 5
"""So many different texts are named at most."""

TOTALS = (
    *("total", "totals", "grand total", "sum", "summe", "gesamt", "insgesamt", "gesamtsumme", "totale", "somme"),
    *("suma", "total general", "totaal", "som", "soma", "razem", "ogółem", "合計", "総計", "総数", "計", "小計"),
)
"""The words of a row that sums up the others, in small letters."""
TOTAL = "(?i)\\s*(?:" + "|".join(re.escape(each) for each in TOTALS) + ")\\s*:?\\s*"
"""A text that is such a word, as a regular expression of RE2 and of Python."""


@dataclass(frozen=True, slots=True)
class OddCells:
    """The cells of a column that keep it a column of texts.

    `called`: what the others are: numbers or dates. `pattern`: the texts that are not odd, as a regular expression of
    RE2 and of Python. `texts`: the odd ones, the most frequent first, some of them. `rows`: of how many rows; `of`: the
    rows with a value.
    """

    column: str
    called: str
    pattern: str
    texts: tuple[str, ...]
    rows: int
    of: int

    @property
    def are_bounds(self) -> bool:
        """Whether each of the texts is a number with the sign of a bound before it."""
        return all(each[:1] in BOUNDS and any(sign.isdigit() for sign in each) for each in self.texts)

    @property
    def lists_all(self) -> bool:
        """Whether there are no more texts than those that are named."""
        return len(self.texts) < MAX_TEXTS


@dataclass(frozen=True, slots=True)
class OddLines:
    """Odd cells of a column, or, where `cells` is None, a word of a total, with the first of the lines they are in."""

    column: str
    cells: OddCells | None
    lines: tuple[int, ...] = ()


def odd_cells(profile: ColumnProfile, context: ReadingContext) -> OddCells | None:
    """The cells that keep a column from being read; None where none does.

    `profile`: that of the column by what is said of it; `context`: as for `examined`, which reads it not.
    """
    if profile.type != "VARCHAR" or not profile.values:
        return None
    found = max(_shares(profile), key=lambda each: each.rows, default=None)
    if found is None or not LEAST_SHARE * found.of <= found.rows < found.of:
        return None
    pattern = pattern_of(found.form)
    regular = tuple(each for each in profile.values if pattern.fullmatch(each.value) and not is_missing(each.value))
    odd = tuple(each for each in profile.values if not pattern.fullmatch(each.value) and not is_missing(each.value))
    if not regular or not _would_be_read(replace(profile, values=regular, distinct=len(regular)), context):
        return None
    texts = [each.value for each in odd] or list(profile.unlike.get(found.form, ()))
    rows = found.of - found.rows
    return OddCells(profile.name, _called(found.form), _accepting(found.form), tuple(texts[:MAX_TEXTS]), rows, found.of)


@dataclass(frozen=True, slots=True)
class _Share:
    """The rows of a column that are of a form, among those with a value that does not mean a missing one."""

    form: str
    rows: int
    of: int


def _shares(profile: ColumnProfile) -> Iterator[_Share]:
    if profile.lists_all:
        present = [each for each in profile.values if not is_missing(each.value)]
        of = sum(each.rows for each in present)
        for form in _TRIED:
            pattern = pattern_of(form)
            if not any(pattern.fullmatch(each.value) for each in present[:_FIRST]):
                continue
            yield _Share(form, sum(each.rows for each in present if pattern.fullmatch(each.value)), of)
        return
    every = profile.rows - profile.nulls
    for form in _TRIED:
        share = profile.forms.get(form)
        if share is not None:
            missing = profile.forms.get(form + OR_MISSING, share) - share
            yield _Share(form, round(share * every), round((1.0 - missing) * every))


_FIRST = 40
"""A form that none of so many of the most frequent texts has is none of most of them."""
_TRIED = (
    *(text_formats.decimal(each) for each in UNITS),
    *(text_formats.decimal_comma(each) for each in UNITS),
    *(form for form in FORMS if form.startswith(text_formats.DATES) and not form.endswith(OR_MISSING)),
)
"""The forms of numbers and dates; of several that as many texts are of, the first is taken."""


def _would_be_read(profile: ColumnProfile, context: ReadingContext) -> bool:
    """Whether a column of the other texts alone is read as something else than text."""
    found = examined(profile, context)
    return isinstance(found, ColumnReading) and found.type != "VARCHAR"


def _called(form: str) -> str:
    return "numbers" if "numbers" in form else "dates"


def _accepting(form: str) -> str:
    """The texts that are of a form or mean a missing value, as a regular expression."""
    return FORMS[form + OR_MISSING]
