"""Forms that texts have: numbers with signs, separators and units, dates in several spellings, codes of persons.

Each form is a regular expression that the whole text fits, of characters and classes alone, which RE2 and Python read
alike. A form of a number or a date has a second one beside it, in which a text may also mean that a value is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

OR_MISSING = " or missing"
"""The end of the name of a form in which a text may also mean that a value is missing."""

WIDE_DIGITS = "０１２３４５６７８９"
DIGITS = "0123456789"
BLANKS = " \u3000\u00a0\t"
MINUS_SIGNS = "−－▲△"
PLUS_SIGNS = "+＋"

_D = "[0-9０-９]"
_B = f"[{BLANKS}]*"
_SIGN = f"(?:[-{MINUS_SIGNS}{PLUS_SIGNS}]{_B})?"

MISSING = (
    *("", "-", "--", "---", "ー", "—", "–", "－", "‐", ".", "..", "...", "…", "?", "？"),
    *("N/A", "n/a", "NA", "na", "#N/A", "NaN", "nan", "NULL", "null", "Null", "None", "none", "<NA>"),
    *("unknown", "Unknown", "UNKNOWN", "missing", "Missing", "MISSING"),
    *("不明", "未回答", "無回答", "未入力", "未記入", "欠測", "欠損", "該当なし"),
)
"""Texts that clearly mean a missing value, in a column of numbers or dates, without the blanks around them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that is written beside numbers: its name in forms, and its spellings before and after them."""

    name: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """All spellings, the longest first."""
        return tuple(sorted({*self.before, *self.after}, key=lambda each: (-len(each), each)))


UNITS = (
    Unit("without unit"),
    Unit("of yen", ("¥", "￥", "\\", "JPY", "JP¥"), ("円", "圓", "JPY")),
    Unit("of dollars", ("$", "＄", "US$", "USD"), ("$", "USD", "ドル")),
    Unit("of euros", ("€", "EUR"), ("€", "EUR", "ユーロ")),
    Unit("of pounds", ("£", "GBP"), ("£", "GBP")),
    Unit("of per cent", (), ("%", "％", "percent", "パーセント")),
    Unit("of years", (), ("歳", "才", "years old", "years", "year", "yrs", "yr", "y/o", "y.o.", "yo")),
    Unit("of cm", (), ("cm", "㎝", "ｃｍ")),
    Unit("of mm", (), ("mm", "㎜", "ｍｍ")),
    Unit("of m", (), ("m", "ｍ")),
    Unit("of km", (), ("km", "㎞", "ｋｍ")),
    Unit("of kg", (), ("kg", "㎏", "ｋｇ", "Kg", "KG")),
    Unit("of lb", (), ("lbs", "lb")),
    Unit("of mg/dL", (), ("mg/dL", "mg/dl")),
    Unit("of mmHg", (), ("mmHg", "mmhg")),
    Unit("of m²", (), ("㎡", "m2", "m²")),
    Unit("of 万円", (), ("万円",)),
    Unit("of persons", (), ("人", "名", "persons", "people")),
    Unit("of times", (), ("回", "件", "times")),
    Unit("of pieces", (), ("個", "枚", "台", "本", "pcs")),
    Unit("of days", (), ("日間", "日", "days", "day")),
    Unit("of months", (), ("か月", "ヶ月", "カ月", "ヵ月", "months", "month")),
    Unit("of hours", (), ("時間", "hours", "hour", "hrs", "h")),
    Unit("of minutes", (), ("分", "minutes", "minute", "min")),
    Unit("of points", (), ("点", "points", "pts")),
)
"""Units that numbers are read without, one of them in a column."""

_SPECIAL = ".$?*+()[]\\"


def _literal(text: str) -> str:
    """The text as a regular expression: blanks in it may be of any kind and number."""
    return "".join(f"\\{each}" if each in _SPECIAL else f"[{BLANKS}]+" if each == " " else each for each in text)


def _any(texts: tuple[str, ...]) -> str:
    return "(?:" + "|".join(_literal(each) for each in texts) + ")"


def _number(unit: Unit, digits: str) -> str:
    before = f"(?:{_any(unit.before)}{_B})?" if unit.before else ""
    after = f"(?:{_B}{_any(unit.after)})?" if unit.after else ""
    core = f"{_SIGN}{before}{_SIGN}{digits}{after}"
    return f"{_B}(?:{core}|[(（]{_B}{before}{digits}{after}{_B}[)）]){_B}"


_WHOLE = f"(?:{_D}{{1,3}}(?:[,，]{_D}{{3}}){{1,5}}|{_D}{{1,18}})"
_DECIMAL = f"(?:{_D}{{1,3}}(?:[,，]{_D}{{3}}){{1,4}}|{_D}{{1,15}})(?:[.．]{_D}{{1,15}})?"
_DECIMAL_COMMA = f"(?:{_D}{{1,3}}(?:[.']{_D}{{3}}){{1,4}}|{_D}{{1,15}})(?:[,，]{_D}{{1,15}})?"


def whole(unit: Unit) -> str:
    """The name of the form of whole numbers with a unit."""
    return f"whole numbers {unit.name}"


def decimal(unit: Unit) -> str:
    """The name of the form of numbers with a unit and a decimal point."""
    return f"numbers {unit.name}"


def decimal_comma(unit: Unit) -> str:
    """The name of the form of numbers with a unit and a decimal comma."""
    return f"numbers {unit.name}, with a decimal comma"


_YEAR = f"[12１２]{_D}{{3}}"
_MONTH = "(?:[0０]?[1-9１-９]|[1１][0-2０-２])"
_DAY = "(?:[0０]?[1-9１-９]|[12１２][0-9０-９]|[3３][01０１])"
_MONTH_2 = "(?:[0０][1-9１-９]|[1１][0-2０-２])"
_DAY_2 = "(?:[0０][1-9１-９]|[12１２][0-9０-９]|[3３][01０１])"
ERAS = {"明治": "M", "大正": "T", "昭和": "S", "平成": "H", "令和": "R"}
"""The eras of Japan since 1868, by the letter that is written for each."""
BEFORE_ERA = {"M": 1867, "T": 1911, "S": 1925, "H": 1988, "R": 2018}
"""The year before the first of each era, by its letter."""
_ERA_YEAR = f"(?:{'|'.join(ERAS)}|[MTSHR]){_B}(?:元|[0０]?[1-9１-９]|[1-9１-９]{_D})"
SEPARATORS = "/／.．－"
"""Characters that part a date besides the hyphen."""


def _parted(*parts: str) -> str:
    """The parts of a date with one separator between them, the same each time."""
    return "(?:" + "|".join(f"{_B}{each}{_B}".join(parts) for each in ("-", "－", "[/／]", "[.．]")) + ")"


_JAPANESE = f"{_YEAR}{_B}年{_B}{_MONTH}{_B}月{_B}{_DAY}{_B}日?"
_YEAR_FIRST = f"(?:{_parted(_YEAR, _MONTH, _DAY)}|{_JAPANESE})"
_OF_ERA = f"{_parted(_ERA_YEAR, _MONTH, _DAY)}|{_ERA_YEAR}{_B}年{_B}{_MONTH}{_B}月{_B}{_DAY}{_B}日?"
_COMPACT = f"{_YEAR}{_MONTH_2}{_DAY_2}"
_DAY_FIRST = _parted(_DAY, _MONTH, _YEAR)
_MONTH_FIRST = "(?:" + "|".join(f"{_MONTH}{each}{_DAY}{each}{_YEAR}" for each in ("-", "[/／]")) + ")"
_EITHER_FIRST = "(?:" + "|".join(f"{_MONTH}{each}{_MONTH}{each}{_YEAR}" for each in ("-", "[/／]")) + ")"
_CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6})?)?"
_MOMENT = f"[12][0-9]{{3}}[-/]{_MONTH}[-/]{_DAY}[ T]{_CLOCK}"

DATES = "dates"
DATES_EITHER_FIRST = "dates, day or month first"
DATES_DAY_FIRST = "dates, day first"
DATES_MONTH_FIRST = "dates, month first"
AND_ERAS = ", also by era or without separators"
"""The end of the name of a form of dates that has these spellings, too."""
MOMENTS = "dates with a time"
WITHOUT_SEPARATORS = (
    "1[89][0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])|20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
)
"""Dates from 1800 to 2099 as whole numbers of 8 digits."""

JAPANESE_POSTCODES = "Japanese postcodes"
ZIP_CODES = "ZIP codes"
TELEPHONE_NUMBERS = "telephone numbers"
EMAIL_ADDRESSES = "e-mail addresses"
IP_ADDRESSES = "IP addresses"
UUIDS = "UUIDs"

HYPHENS = "-－‐ーｰ−–"


def _codes() -> dict[str, str]:
    hyphen = f"[{HYPHENS[1:]}-]"
    international = f"[+＋]{_D}{{1,3}}(?:[ ().-]{{0,2}}{_D}{{1,4}}){{2,6}}"
    japanese = f"[0０]{_D}{{1,4}}{hyphen}{_D}{{1,4}}{hyphen}{_D}{{3,4}}|[0０]{_D}{{9,10}}"
    bracketed = f"[(（]{_D}{{2,5}}[)）][ -]?{_D}{{1,4}}{hyphen}{_D}{{3,4}}"
    american = "(?:1[-. ])?[2-9][0-9]{2}[-. ][0-9]{3}[-. ][0-9]{4}"
    return {
        EMAIL_ADDRESSES: f"{_B}[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+{_B}",
        UUIDS: "[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}",
        IP_ADDRESSES: "(?:[0-9]{1,3}\\.){3}[0-9]{1,3}|(?:[0-9A-Fa-f]{0,4}:){3,7}[0-9A-Fa-f]{1,4}",
        JAPANESE_POSTCODES: f"{_B}〒?{_B}{_D}{{3}}{hyphen}?{_D}{{4}}{_B}",
        ZIP_CODES: f"{_B}[0-9]{{5}}(?:-[0-9]{{4}})?{_B}",
        TELEPHONE_NUMBERS: f"{_B}(?:{international}|{japanese}|{bracketed}|{american}){_B}",
    }


def _days() -> dict[str, str]:
    found = {}
    orders = {
        DATES: "",
        DATES_EITHER_FIRST: f"|{_EITHER_FIRST}",
        DATES_DAY_FIRST: f"|{_DAY_FIRST}",
        DATES_MONTH_FIRST: f"|{_MONTH_FIRST}",
    }
    for end, more in (("", ""), (AND_ERAS, f"|{_OF_ERA}|{_COMPACT}")):
        for name, other in orders.items():
            found[name + end] = f"{_B}(?:{_YEAR_FIRST}{other}{more}){_B}"
    found[MOMENTS] = f"{_B}{_MOMENT}{_B}"
    return found


def _amounts() -> dict[str, str]:
    found = {}
    for number, unit in enumerate(UNITS):
        found[whole(unit)] = _number(unit, _WHOLE)
        found[decimal(unit)] = _number(unit, _DECIMAL)
        if number < _WITH_DECIMAL_COMMA:
            found[decimal_comma(unit)] = _number(unit, _DECIMAL_COMMA)
    return found


_WITH_DECIMAL_COMMA = 6
"""So many of the units, the first, stand beside numbers with a decimal comma, too."""


_NEVER_MISSING = (EMAIL_ADDRESSES, UUIDS, IP_ADDRESSES, ZIP_CODES, TELEPHONE_NUMBERS)


def _forms() -> dict[str, str]:
    found = {}
    or_missing = f"|{_B}{_any(MISSING)}{_B}"
    for name, form in {**_codes(), **_days(), **_amounts()}.items():
        found[name] = form
        if name not in _NEVER_MISSING:
            found[name + OR_MISSING] = form + or_missing
    return found


FORMS: Mapping[str, str] = _forms()
"""The forms by name, each a regular expression that a whole text fits.

Of forms of which a text may be both, the stricter is first: numbers without a unit before those with one.
"""
