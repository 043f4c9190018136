"""The text of a statement as a page shows it: every value in it is a placeholder, for values may be persons'.

A hierarchy that lists values is written into the statements that group by it, and a page shows no label of one. Pure.
"""

from __future__ import annotations

import re

_TOKENS = re.compile(
    r"""
    (?P<name> "(?:[^"]|"")*" | `(?:[^`]|``)*` )
    | (?P<value> '(?:[^']|'')*' | (?<!\w) \d+ (?:\.\d+)? (?:[eE][+-]?\d+)? (?!\w) )
    """,
    re.VERBOSE,
)
_LISTED = re.compile(r"\?(?:\s*,\s*\?)+")


def without_values(sql: str) -> str | None:
    """The statement with `?` in the place of each value, and of several one after the other.

    None for one with a backslash, which ends a text in one dialect and not in another: what is a value is not sure.
    """
    if "\\" in sql:
        return None
    return _LISTED.sub("?, ...", _TOKENS.sub(lambda found: found["name"] or "?", sql))
