"""The columns of a release that lost half of their detail or more, and what would keep more of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.anonymization.options import DEFAULT_LIMIT
from ordermade.errors import OrdermadeError
from ordermade.methods.generalization.lost_detail import RANKED_BY, WORTH_IT, LostDetail, columns_lost

if TYPE_CHECKING:
    from collections.abc import Callable

    from ordermade.anonymization.options import AnonymizeOptions
    from ordermade.drafts.request import DraftedMethod
    from ordermade.methods.shared.result import Result


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
    whole, half = columns_lost(shares)
    if not whole and not half:
        return None
    loss = result.loss.get(RANKED_BY)
    found = float(loss) if isinstance(loss, int | float) else None
    return LostDetail(whole, half, found, _instead(found, wanted, loss_of))


def _instead(
    loss: float | None, wanted: AnonymizeOptions, loss_of: Callable[[AnonymizeOptions], float | None]
) -> dict[str, float]:
    if loss is None or wanted.suppression_limit >= DEFAULT_LIMIT:
        return {}
    try:
        other = loss_of(replace(wanted, suppression_limit=DEFAULT_LIMIT))
    except OrdermadeError:  # the release stands, whatever becomes of the question
        return {}
    return {str(DEFAULT_LIMIT): other} if other is not None and other <= loss - WORTH_IT else {}
