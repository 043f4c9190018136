"""The languages of reports and pages: texts from a gettext catalogue, and numbers, shares and dates as one has them.

English is the language of the sources; `locale/<language>/LC_MESSAGES/report.po` has every other of a report, and is
compiled in memory. `checks/catalogue.py` extracts the texts and checks that no translation is missing.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from babel import Locale
from babel.dates import format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent
from markupsafe import Markup, escape

from ordermade.errors import UnknownName
from ordermade.records.inert import cut, width
from ordermade.reports.figures import Count

LanguageCode: TypeAlias = Literal["en", "ja"]
LANGUAGES: tuple[LanguageCode, ...] = get_args(LanguageCode)
JAPAN_TIME = timezone(timedelta(hours=9), "JST")
"""The time of Japan, which has no summer time."""
_SHORT = 13
"""Letters of a word that a narrow column does not break."""


def N_(message: str) -> str:  # noqa: N802 (gettext's name for it, which the extraction goes by)
    """The message itself: marks a text that is translated where it is shown."""
    return message


@dataclass(frozen=True, slots=True)
class TextCatalogue:
    """The texts of a room in every language but English: the folder of its languages, and the name of their files."""

    folder: Path
    domain: str

    def file(self, language: str) -> Path:
        """The file of a language."""
        return self.folder / language / "LC_MESSAGES" / f"{self.domain}.po"


REPORT = TextCatalogue(Path(__file__).with_name("locale"), "report")
"""The texts of reports, which other rooms fall back to."""


@cache
def _translations(language: str, catalogue: TextCatalogue) -> gettext.NullTranslations:
    if language == "en":
        return gettext.NullTranslations()
    compiled = io.BytesIO()
    with catalogue.file(language).open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    found = gettext.GNUTranslations(compiled)
    if catalogue != REPORT:
        found.add_fallback(_translations(language, REPORT))
    return found


@dataclass(frozen=True, slots=True)
class Language:
    """A language, for a page (`markup`: figures that are put into a text are escaped) or for plain text."""

    code: str
    markup: bool = True
    catalogue: TextCatalogue = REPORT

    @classmethod
    def of(cls, code: str, *, markup: bool = True, catalogue: TextCatalogue = REPORT) -> Language:
        """The language of that code. Raises UnknownName."""
        if code not in LANGUAGES:
            raise UnknownName("language", code, LANGUAGES)
        return cls(code, markup, catalogue)

    @property
    def locale(self) -> Locale:
        """Babel's locale."""
        return Locale.parse(self.code)

    def text(self, message: str, /, **figures: object) -> str:
        """A text of the catalogue, with its figures."""
        return self._filled(_translations(self.code, self.catalogue).gettext(message), figures)

    def plural(self, one: str, many: str, number: int, /, **figures: object) -> str:
        """The text of the catalogue for this number, `%(n)s` in it, with its further figures."""
        message = _translations(self.code, self.catalogue).ngettext(one, many, number)
        return self._filled(message, {"n": self.number(number), **figures})

    def number(self, value: float, digits: int = 0) -> str:
        """A number with its thousands parted, and at most so many decimals."""
        return format_decimal(value, format="#,##0" + ("." + "#" * digits if digits else ""), locale=self.locale)

    def figure(self, value: float) -> str:
        """A raw figure, to four significant digits."""
        if value and abs(value) < 1000:
            places = max(0, 3 - len(str(int(abs(value)))) + 1) if abs(value) >= 1 else 4
            return self.number(value, places)
        return self.number(value)

    def share(self, value: float) -> str:
        """A share from 0 to 1, with its two decimals."""
        return format_decimal(value, format="0.00", locale=self.locale)

    def percent(self, share: float) -> str:
        """A share as a percentage: with one decimal below 10 %, of what is all but none "less than 0.1 %"."""
        if 0 < share < 0.001:
            return self.text("less than %(share)s", share=self._percent(0.001, 1))
        if 0.999 < share < 1:
            return self._percent(0.999, 1)
        return self._percent(share, 1 if share < 0.0995 else 0)

    def _percent(self, share: float, digits: int) -> str:
        return format_percent(share, format="0" + ("." + "#" * digits if digits else "") + "%", locale=self.locale)

    def chance(self, probability: float) -> str:
        """A probability as "1 in 50"; rounded so that it never looks smaller than it is."""
        if probability <= 0:
            return self.text("none")
        if probability >= 1:
            return self.text("1 in 1 (certain)")
        one_in = int(1 / probability + 1e-9)
        if one_in < 2:
            return self.percent(probability)
        return self.text("1 in %(n)s", n=self.number(one_in))

    def count(self, count: Count) -> str:
        """A count, or "fewer than k"."""
        if count.number is None:
            return self.text("fewer than %(n)s", n=self.number(count.below or 0))
        return self.number(count.number)

    def units(self, count: Count, unit: str) -> str:
        """A count with its unit."""
        if count.number is None:
            below = self.number(count.below or 0)
            if unit == "persons":
                return self.text("fewer than %(n)s persons", n=below)
            return self.text("fewer than %(n)s rows", n=below)
        if unit == "persons":
            return self.plural("%(n)s person", "%(n)s persons", count.number)
        return self.plural("%(n)s row", "%(n)s rows", count.number)

    @property
    def zone(self) -> tzinfo:
        """The time zone of its days: that of Japan in Japanese, else UTC."""
        return JAPAN_TIME if self.code == "ja" else UTC

    def day(self, when: datetime) -> str:
        """A date, in the time zone of the language."""
        pattern = "y年M月d日" if self.code == "ja" else "d MMMM y"
        return self._written(when, pattern)

    def moment(self, when: datetime) -> str:
        """A date with its time to the minute, in the time zone of the language."""
        return self._written(when, "y年M月d日 H:mm" if self.code == "ja" else "d MMMM y, HH:mm 'UTC'")

    def _written(self, when: datetime, pattern: str) -> str:
        return format_datetime(when.astimezone(self.zone), pattern, tzinfo=self.zone, locale=self.locale)

    def value(self, value: object) -> str:
        """A value of the data or a name: inert, cut where it is long, isolated from the direction of its context."""
        text = str(value)
        shown, is_cut = cut(text)
        if not shown.strip():
            shown = self.text("(empty)") if not text else f"“{shown}”"
        length = self.text("%(n)s characters", n=self.number(len(text))) if is_cut else ""
        if not self.markup:
            return f"{shown} ({length})" if length else shown
        after = Markup(' <span class="length">(%s)</span>') % length if length else Markup()
        is_short = max(map(width, shown.split()), default=0) <= _SHORT
        return Markup('<bdi class="%s" dir="auto">%s</bdi>') % ("value short" if is_short else "value", shown) + after

    def listed(self, values: object) -> str:
        """Values one after the other, parted as the language does."""
        return self.parted([self.value(each) for each in cast("tuple[object, ...]", values)])

    def parted(self, shown: list[str]) -> str:
        """Texts one after the other, parted as the language does."""
        comma = "、" if self.code == "ja" else ", "
        return Markup(comma).join(shown) if self.markup else comma.join(shown)

    def joined(self, sentences: list[str]) -> str:
        """Sentences one after the other."""
        gap = "" if self.code == "ja" else " "
        return Markup(gap).join(sentences) if self.markup else gap.join(sentences)

    def _filled(self, message: str, figures: Mapping[str, Any]) -> str:
        if not self.markup:
            return message % figures
        return Markup(message) % {name: escape(each) for name, each in figures.items()}
