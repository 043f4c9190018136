"""Values and names as they are shown: times, shares, numbers, lists in words, and nothing that acts on a terminal."""

from __future__ import annotations

import os
import shutil
import unicodedata
from datetime import datetime
from typing import Any, TextIO


def cell(value: Any) -> str:
    """A value as a table shows it: times in local time to the minute, thousands parted, `-` for nothing."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.4g}" if abs(value) < 9_999.5 else f"{value:,.0f}"
        case datetime():
            return f"{value.astimezone():%Y-%m-%d %H:%M}"
        case tuple() | list():
            return ", ".join(cell(each) for each in value)
        case _:
            return literal(str(value))


def counted(number: int, noun: str, several: str | None = None) -> str:
    """A number with its noun, in the singular for one: `1 class`, `1,200 rows`; `several`: an irregular plural."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {several or noun + ('es' if noun.endswith('s') else 's')}"


def percent(part: float) -> str:
    """A share in percent, to the digits that matter: `98 %`, `1.3 %`, `0.02 %`; never 0 or 100 where it is not."""
    number = 100 * part
    if number in (0, 100):
        return f"{number:.0f} %"
    if number < 0.01:
        return "less than 0.01 %"
    if number > 99:
        return "more than 99 %"
    return f"{number:.0f} %" if number >= 10 else f"{number:.2g} %"


def one_in(risk: float) -> str:
    """A risk in words, never less than it is: `1 in 50`."""
    return f"1 in {max(1, int(1 / risk + 1e-9)):,}" if risk > 0 else "none"


def literal(text: str) -> str:
    """The text with every character that a terminal would act on shown as an escape; lines stay lines."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character == "\n" or character.isprintable()
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def is_number(value: Any) -> bool:
    """True for whole and other numbers, which tables set to the right."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def width_of(text: str) -> int:
    """The columns of a terminal that a text takes: East Asian wide characters take two, marks on others none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


def columns_of(stream: TextIO) -> int:
    """The columns of the terminal behind a stream, at least 20; those of COLUMNS or 80 where it does not say."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        columns = 0
    return max(columns or shutil.get_terminal_size().columns, 20)
