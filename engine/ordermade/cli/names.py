"""Names that an option lists, and levels that one names."""

from __future__ import annotations

import csv
from collections.abc import Sequence


def listed_names(option: str, given: Sequence[str]) -> tuple[str, ...]:
    """The names in lists such as `a,"last, first",b`. Raises InputError for one that is empty or not closed."""
    from ordermade.errors import InputError

    try:
        names = [name for record in csv.reader(given, skipinitialspace=True, strict=True) for name in record]
    except csv.Error:
        raise InputError(
            "a double quote is not closed", where=option, next_step='Write names as a,"last, first",b.'
        ) from None
    if not all(name.strip() for name in names) or not all(each.strip() for each in given):
        raise InputError("a name is empty", where=option, next_step="Write names as a,b,c.")
    return tuple(names)


def level_of(written: str) -> int | str:
    """A level by number, where digits are written, else by name."""
    return int(written) if written.isdecimal() and len(written) < 4 else written
