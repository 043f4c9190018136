"""Each k that an option lists."""

from __future__ import annotations

import re

_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
_NUMBER = re.compile(r"\d{1,9}")


def ks_of(written: str, most: int) -> tuple[int, ...]:
    """The numbers of a list such as `2,3,5..8`. Raises InputError for any other text, and for more than `most` of them.

    The engine checks whether they protect anybody.
    """
    from ordermade.errors import InputError

    found: set[int] = set()
    for part in written.split(","):
        span = _RANGE.fullmatch(part.strip())
        if span:
            first, last = int(span[1]), int(span[2])
        elif _NUMBER.fullmatch(part.strip()):
            first = last = int(part)
        else:
            raise InputError("a k is a whole number", where="--k", next_step="Write them as 3,5,10 or as 2..15.")
        if last < first:
            raise InputError(
                f"{first}..{last} has no number in it", where="--k", next_step=f"Write it as {last}..{first}."
            )
        if last - first >= most or len(found | set(range(first, last + 1))) > most:
            raise InputError(f"more than {most:,} of them", where="--k", next_step="Give fewer at a time.")
        found.update(range(first, last + 1))
    return tuple(sorted(found))
