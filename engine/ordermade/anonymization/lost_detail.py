"""The columns of a release that lost half of their detail or more, and what would keep more of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from ordermade.anonymization.options import DEFAULT_LIMIT
from ordermade.errors import OrdermadeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ordermade.anonymization.options import AnonymizeOptions
    from ordermade.drafts.request import DraftedMethod
    from ordermade.methods.shared.result import Result

RANKED_BY = "loss"
HALF = 0.5
WORTH_IT = 0.01
"""The share of all detail below which nothing is said of it."""


@dataclass(frozen=True, slots=True)
class LostDetail:
    """The detail that a release by one level a column gave up: the columns that lost all of it, or half and more.

    `loss`: of all columns. `with_limit`: what would be given up instead where so large a share may be suppressed, as
    far as that is known and less.
    """

    whole: tuple[str, ...]
    half: tuple[str, ...]
    loss: float | None = None
    with_limit: tuple[tuple[Decimal, float], ...] = field(default=())


def lost_detail(
    result: Result, method: DraftedMethod, wanted: AnonymizeOptions, loss_of: Callable[[AnonymizeOptions], float | None]
) -> LostDetail | None:
    """The lost detail of a release, if there is some; None for other methods, which mix levels.

    `loss_of`: the loss of the release by other options, None where nothing passes. It is looked for only below the
    usual limit of suppression, and what was counted for the release answers most of it.
    """
    if not result.released or method != "full-domain":
        return None
    shares = {each.column: each.loss_share or 0.0 for each in result.columns if each.role == "quasi-identifier"}
    whole = tuple(column for column, share in shares.items() if share >= 1)
    half = tuple(column for column, share in shares.items() if HALF <= share < 1)
    if not whole and not half:
        return None
    loss = result.loss.get(RANKED_BY)
    found = float(loss) if isinstance(loss, int | float) else None
    return LostDetail(whole, half, found, tuple(_instead(found, wanted, loss_of)))


def _instead(
    loss: float | None, wanted: AnonymizeOptions, loss_of: Callable[[AnonymizeOptions], float | None]
) -> Iterator[tuple[Decimal, float]]:
    if loss is None or wanted.suppression_limit >= DEFAULT_LIMIT:
        return
    try:
        other = loss_of(replace(wanted, suppression_limit=DEFAULT_LIMIT))
    except OrdermadeError:  # the release stands, whatever becomes of the question
        return
    if other is not None and other <= loss - WORTH_IT:
        yield DEFAULT_LIMIT, other
