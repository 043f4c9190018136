"""Readings of texts as numbers: signs, separators between thousands, decimal commas, units, digits of two widths."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ordermade.drafts import text_formats
from ordermade.drafts.reading_options import DecimalSign
from ordermade.drafts.text_column import ColumnReading, TextColumn, Unread, is_missing, option_of, replaced
from ordermade.drafts.text_formats import UNITS, Unit

MAX_DECIMALS = 6
"""A column with more digits after the point is read as DOUBLE."""

MAX_DIGITS = 18


def numbers(column: TextColumn) -> ColumnReading | Unread | None:
    """The reading of a column of numbers, or the reason that it has none; None where it holds others."""
    for unit in UNITS:
        if unit.spellings and not any(each in text for each in unit.spellings for text in column.texts):
            continue
        for form in _forms(unit, column.options.decimal):
            covering = column.covered_by(form)
            if covering is not None:
                return _number(column, unit, form, covering)
    return None


def _forms(unit: Unit, decimal: DecimalSign | None) -> tuple[str, ...]:
    """The forms that are tried, those of the stricter before others."""
    whole, point, comma = text_formats.whole(unit), text_formats.decimal(unit), text_formats.decimal_comma(unit)
    match decimal:
        case "comma":
            return (comma,)
        case "point":
            return whole, point
    return whole, point, comma


def _number(column: TextColumn, unit: Unit, form: str, covering: str) -> ColumnReading | Unread | None:
    present = [_ascii(each) for each in column.texts if not is_missing(each)]
    has_comma = form == text_formats.decimal_comma(unit)
    if unit == UNITS[0] and form == text_formats.whole(unit):
        if any(re.match(r"[^0-9]*0[0-9]", each) for each in present):
            return _codes(column)
        plain = not column.context.typed_here and all(
            each.isdigit() and each.isascii() for each in column.texts if not is_missing(each)
        )
        if plain and len({len(each) for each in present}) == 1 and len(present[0]) > 3:
            return None  # all of one length: they may as well be codes
        are_alike = len(present) > 1 and len({len(each) for each in present}) == 1
        if plain and are_alike and not are_ages(column.profile.name):
            return None
    if column.options.decimal is None:
        is_ambiguous = form == text_formats.decimal(unit) and _ambiguous(unit, present)
        parts_thousands = any(re.search(r",[0-9]", each) or each.count(".") > 1 for each in present)
        if is_ambiguous or (has_comma and not parts_thousands):
            return Unread(column.profile.name, f"{_AMBIGUOUS}{option_of('--decimal', column.profile.name, 'comma')}")
    kind = "BIGINT"
    if form != text_formats.whole(unit) and not (has_comma and not any("," in each for each in present)):
        kind = _decimal_type(column, present, "," if has_comma else ".")
    mapped = dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True))
    mapped |= dict.fromkeys(text_formats.MINUS_SIGNS + "(（", "-")
    deleted = text_formats.PLUS_SIGNS + ")）'’" + text_formats.BLANKS
    if has_comma:
        mapped |= dict.fromkeys(",，", ".")
        deleted += "."
    else:
        mapped["．"] = "."
        deleted += ",，"
    symbols = [each for each in unit.spellings if (len(each) == 1 and not each.isascii()) or each in ("$", "%", "\\")]
    tree, table = column.mapped(mapped, deleted + "".join(symbols))
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


_AMBIGUOUS = "a point may part thousands or decimals: left as text; "


def are_ages(name: str) -> bool:
    """Whether the name of a column says that it has ages: its digits are a number and no code, its unit is 歳."""
    return re.search(r"(?i)(^|[^a-z])age([^a-z]|$)|年齢|年令|歳", name) is not None


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


def _decimal_type(column: TextColumn, present: Sequence[str], point: str) -> str:
    """DECIMAL where all values are known to fit it, else DOUBLE, which takes any number of digits."""
    if not column.profile.lists_all or column.context.dialect == "sqlite":
        return "DOUBLE"
    if any("e" in each.casefold() for each in present):  # a power of ten
        return "DOUBLE"
    parts = [re.sub(r"[^0-9" + re.escape(point) + "]", "", each).partition(point) for each in present]
    decimals = max(len(each[2]) for each in parts)
    digits = max(len(each[0].lstrip("0")) for each in parts)
    return f"DECIMAL({MAX_DIGITS},{decimals})" if decimals <= MAX_DECIMALS and digits + decimals <= 15 else "DOUBLE"


def _number_reason(unit: Unit, present: Sequence[str], column: TextColumn, *, has_comma: bool) -> str:
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
    "of francs": "of francs",
    "of złoty": "of złoty",
    "of kroner": "of kroner",
    "of reais": "of reais",
    "of 万円": "of ten thousand yen",
}


def _codes(column: TextColumn) -> ColumnReading | None:
    """Digits with zeros before them: codes, which are texts; read in one width where they are written in two."""
    around = any(each != each.strip(text_formats.BLANKS) for each in column.texts)
    if column.characters is None or not (column.seen(text_formats.WIDE_DIGITS) or around):
        return None
    tree, _ = column.mapped(dict(zip(text_formats.WIDE_DIGITS, text_formats.DIGITS, strict=True)), text_formats.BLANKS)
    return ColumnReading(column.profile.name, "codes", "VARCHAR", tree, "codes in digits of two widths")
