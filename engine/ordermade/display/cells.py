"""Values and names as they are shown: times, numbers and lists in words, and nothing that acts on a terminal."""

from __future__ import annotations

from datetime import datetime
from typing import Any


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
