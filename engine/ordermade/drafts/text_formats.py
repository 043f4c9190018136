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
BLANKS = " \u3000\u00a0\u202f\u2009\t"
MINUS_SIGNS = "−－▲△"
PLUS_SIGNS = "+＋"

_D = "[0-9０-９]"
_B = f"[{BLANKS}]*"
_SIGN = f"(?:[-{MINUS_SIGNS}{PLUS_SIGNS}]{_B})?"

MISSING = (
    *("", "-", "--", "---", "ー", "—", "–", "－", "‐", ".", "..", "...", "…", "?", "？"),
    *("N/A", "n/a", "NA", "na", "#N/A", "NaN", "nan", "NULL", "null", "Null", "None", "none", "<NA>"),
    *("unknown", "Unknown", "UNKNOWN", "missing", "Missing", "MISSING"),
    *("NaT", "nil", "N.A.", "n.a.", "n/d", "N/D", "(null)", "(blank)", "#VALUE!", "#DIV/0!", "#REF!", "#NUM!"),
    *("k.A.", "k. A.", "keine Angabe", "unbekannt", "inconnu", "non renseigné", "desconocido", "sin dato"),
    *("sconosciuto", "non noto", "onbekend", "desconhecido", "sem informação", "nieznany", "brak", "brak danych"),
    *("不明", "未回答", "無回答", "未入力", "未記入", "欠測", "欠損", "該当なし"),
)
"""Texts that clearly mean a missing value, in a column of numbers or dates, without the blanks around them."""


_YEARS = ("Jahre", "Jahr", "J.", "ans", "an", "años", "año", "anni", "anno", "jaar", "anos", "ano", "lat", "lata")


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
    Unit("of francs", ("CHF", "Fr."), ("CHF", "Fr.")),
    Unit("of złoty", ("PLN",), ("zł", "PLN")),
    Unit("of kroner", ("kr", "SEK", "NOK", "DKK"), ("kr", "SEK", "NOK", "DKK")),
    Unit("of reais", ("R$", "BRL"), ("BRL",)),
    Unit("of years", (), ("歳", "才", "years old", "years", "year", "yrs", "yr", "y/o", "y.o.", "yo", *_YEARS)),
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


_BETWEEN = " \u00a0\u202f\u2009'’"
"""Characters between thousands besides comma and point."""


def _thousands(sign: str, most: int) -> str:
    """Digits in threes, the same character between all of them."""
    parted = "|".join(f"(?:{each}{_D}{{3}}){{1,{most}}}" for each in (sign, *(f"[{each}]" for each in _BETWEEN)))
    return f"{_D}{{1,3}}(?:{parted})"


_POWER = "(?:[eE][-+]?[0-9]{1,3})?"
_WHOLE = f"(?:{_thousands('[,，]', 5)}|{_D}{{1,18}})"
_DECIMAL = f"(?:{_thousands('[,，]', 4)}|{_D}{{1,15}})(?:[.．]{_D}{{1,15}})?"
_DECIMAL_COMMA = f"(?:{_thousands('[.]', 4)}|{_D}{{1,15}})(?:[,，]{_D}{{1,15}})?"


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


_NAMES_OF_MONTHS = (
    "january jan januar jänner janvier janv enero ene gennaio gen januari janeiro stycznia sty",
    "february feb februar février févr fév febrero febbraio februari fevereiro fev lutego lut",
    "march mar märz mär mrz mars marzo maart mrt março marca",
    "april apr avril avr abril abr aprile kwietnia kwi",
    "may mai mayo maggio mag mei maio maja maj",
    "june jun juni juin junio giugno giu junho czerwca cze",
    "july jul juli juillet juil julio luglio lug julho lipca lip",
    "august aug août agosto ago augustus sierpnia sie",
    "september sept sep septembre septiembre setiembre settembre set setembro września wrz",
    "october oct oktober okt octobre octubre ottobre ott outubro out października paź",
    "november nov novembre noviembre novembro listopada lis",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudnia gru",
)
"""The names of the months in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish."""
MONTHS: Mapping[str, int] = {
    name: number for number, names in enumerate(_NAMES_OF_MONTHS, start=1) for name in names.split()
}
"""The number of the month that each name means, in small letters: the same in every language."""


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
_CLOCK = "(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6})?)?"
_MOMENT = f"[12][0-9]{{3}}[-/]{_MONTH}[-/]{_DAY}[ T]{_CLOCK}"
_IN_ZONE = f"[12][0-9]{{3}}-{_MONTH_2}-{_DAY_2}[ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?:[.][0-9]{{1,9}})?"
_ZONE = "(?: ?(?:Z|UTC|GMT|[-+][0-9]{2}(?::?[0-9]{2})?))"
_SHORT = _parted(f"{_D}{{1,2}}", f"{_D}{{1,2}}", f"{_D}{{1,2}}")
_ANY_DAY = f"(?:{_D}{{1,4}}[-/.]{_D}{{1,2}}[-/.]{_D}{{1,4}})"
_TWELVE_HOURS = f"{_ANY_DAY},? {_D}{{1,2}}:[0-5][0-9](?::[0-5][0-9])? ?[AaPp][.]?[Mm][.]?"

DATES = "dates"
DATES_EITHER_FIRST = "dates, day or month first"
DATES_DAY_FIRST = "dates, day first"
DATES_MONTH_FIRST = "dates, month first"
AND_ERAS = ", also by era or without separators"
"""The end of the name of a form of dates that has these spellings, too."""
MOMENTS = "dates with a time"
MOMENTS_IN_ZONES = "dates with a time and a zone"
MOMENTS_EITHER_FIRST = "dates with a time, day or month first"
MOMENTS_DAY_FIRST = "dates with a time, day first"
MOMENTS_MONTH_FIRST = "dates with a time, month first"
TWELVE_HOURS = "dates with a time by a clock of twelve hours"
SHORT_YEARS = "dates, years of two digits"
MONTH_NAMES = "dates, months by name"
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
    found[MOMENTS_IN_ZONES] = f"{_IN_ZONE}{_ZONE}?"
    for name, day in (
        (MOMENTS_EITHER_FIRST, _EITHER_FIRST),
        (MOMENTS_DAY_FIRST, _DAY_FIRST),
        (MOMENTS_MONTH_FIRST, _MONTH_FIRST),
    ):
        found[name] = f"{_B}(?:{day}),? {{1,2}}{_CLOCK}{_B}"
    found[TWELVE_HOURS] = f"{_B}{_TWELVE_HOURS}{_B}"
    found[SHORT_YEARS] = f"{_B}{_SHORT}{_B}"
    names = "|".join(sorted(MONTHS, key=lambda each: (-len(each), each)))
    found[MONTH_NAMES] = f"{_B}{_DAY}[ ./-]*(?i:{names})[ ./,-]*(?:{_YEAR}|{_D}{{2}}){_B}"
    return found


def _amounts() -> dict[str, str]:
    found = {}
    for unit in UNITS:
        power = "" if unit.spellings else _POWER
        found[whole(unit)] = _number(unit, _WHOLE)
        found[decimal(unit)] = _number(unit, _DECIMAL + power)
        found[decimal_comma(unit)] = _number(unit, _DECIMAL_COMMA + power)
    return found


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
