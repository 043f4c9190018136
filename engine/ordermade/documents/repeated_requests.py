"""The documents of `ordermade request rerun`, `diff` and `schedule`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.catalogue.repeated_requests import Difference


@dataclass(frozen=True, slots=True)
class RequestRerun:
    """A request that was answered again."""

    again: int
    """The number of the earlier request."""
    request: int
    """The number of the request now; the one that the release came from where the data has not changed."""
    status: str
    """`released` or `refused`."""
    reason: str | None
    """Why it was refused; null where it was released."""
    release: str | None
    """The file or table of the release; null where it was refused."""


@dataclass(frozen=True, slots=True)
class RequestsCompared:
    """Two requests compared."""

    first: int
    """The number of the first."""
    second: int
    """The number of the second."""
    differences: Sequence[Difference]
    """What differs."""
