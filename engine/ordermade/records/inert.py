"""Values of the data as a page shows them: hostile until shown so, for a label may be anything that a person typed.

Characters without a picture of their own (controls, marks of direction, of zero width, unassigned) stand as escapes, so
that no text reverses its surroundings or hides in them. A long text is cut, and its length stands beside it.
"""

from __future__ import annotations

import unicodedata

LONGEST = 80
"""Characters of one value on a page."""
_WITHOUT_PICTURE = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))
_MAX_MARKS = 2
"""Combining marks on one letter: of a pile of them, which would run over the lines around it, the first."""


def inert(text: str) -> str:
    """The text in characters that have a picture, at most two marks on a letter. Markup is left to the template."""
    if text.isascii() and text.isprintable():
        return text
    shown, marks = [], 0
    for character in text:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category in _WITHOUT_PICTURE:
            shown.append(character.encode("unicode_escape").decode("ascii"))
        elif marks <= _MAX_MARKS:
            shown.append(character)
    return "".join(shown)


def cut(text: str, most: int = LONGEST) -> tuple[str, bool]:
    """The inert beginning of a text, and whether more follows."""
    beginning = inert(text[: most * 8])
    return (
        (beginning, False) if len(text) <= most * 8 and len(beginning) <= most else (beginning[: most - 1] + "…", True)
    )


def width(text: str) -> float:
    """About how many letters wide a text is: letters of East Asia count as 1.8."""
    return sum(1.8 if unicodedata.east_asian_width(each) in "WF" else 1.0 for each in text)


def fitted(text: str, most: float) -> str:
    """The inert beginning of a text that is at most so many letters wide."""
    shown = inert(text[: int(most) + 1])
    if len(text) <= most and width(shown) <= most:
        return shown
    while shown and width(shown) > most - 1:
        shown = shown[:-1]
    return shown + "…"
