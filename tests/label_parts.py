"""Labels of releases read back letter by letter: intervals, sets, quoted values, ours and those of earlier versions."""

from __future__ import annotations

from itertools import pairwise


def ends_of(label: str) -> tuple[str, str] | None:
    """The ends of `[a, b]` or `[a;b]`; None for any other label."""
    if not (label.startswith("[") and label.endswith("]")):
        return None
    parts = _parts(label[1:-1])
    return (parts[0], parts[1]) if len(parts) == 2 else None


def values_of(label: str) -> list[str]:
    """The texts of `{a, b, c}` or `{a;b;c}`, as they were before they were quoted; of another label the one it names.

    NULL in a set is an empty text, as is the empty text itself.
    """
    if label.startswith("{") and label.endswith("}"):
        return [_unquoted(each) for each in _parts(label[1:-1])]
    return [_unquoted(label)]


def _parts(inner: str) -> list[str]:
    """The parts between semicolons that stand in no quotes; if there are none, between commas, without one space."""
    at = _outside(inner, ";")
    apart = at or _outside(inner, ",")
    cuts = [-1, *apart, len(inner)]
    found = [inner[start + 1 : end] for start, end in pairwise(cuts)]
    return found if at else [found[0], *(each.removeprefix(" ") for each in found[1:])]


def _outside(inner: str, sought: str) -> list[int]:
    """The places of a letter outside of quotes."""
    within, found = False, []
    for place, letter in enumerate(inner):
        within ^= letter == '"'
        if letter == sought and not within:
            found.append(place)
    return found


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text
