"""What the user of a request reads where the data decide: which part failed, and what the policy allows.

The words are made of the request and the policy alone. Whatever was measured, the reason in full and the statement that
failed are the provider's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.errors import (
    DatasetClosed,
    NeedsReviewFirst,
    OrdermadeError,
    ReleasedMeanwhile,
    SourceFault,
    StateFault,
    UnfitValue,
)
from ordermade.machine.exhaustion import exhausted
from ordermade.policies.scales import allowed_in_words

if TYPE_CHECKING:
    from ordermade.policies.policy import Policy
    from ordermade.requests.model import Request


def is_of_data(fault: Exception) -> bool:
    """Whether some value may have led to an error, so that its user learns of it: whatever is not known as an outage.

    A source says of what values lead to that it is UnfitValue; else it is away, full, locked, or closed to everybody.
    Nor is it a value where others' rows were released meanwhile, or a reviewer is needed whatever the data are.
    """
    is_away = isinstance(fault, SourceFault | StateFault | OSError) and not isinstance(fault, UnfitValue)
    return not (is_away or isinstance(fault, ReleasedMeanwhile | NeedsReviewFirst)) and exhausted(fault) is None


def said(fault: Exception) -> str:
    """The reason of an error as the state may keep it: in full where the engine wrote it, else its kind."""
    if isinstance(fault, DatasetClosed):
        return f"{fault.message} Why: {fault.reason}"
    return fault.message if isinstance(fault, OrdermadeError) else type(fault).__name__


def of_refusal(request: Request, result: Any, policy: Policy) -> str:
    """Why a request was refused that ran: the part that failed, and what the policy allows of it."""
    return f"{_failed(request, result)}; {'; '.join(_allowed(request, policy))}"


def _failed(request: Request, result: Any) -> str:
    if getattr(result, "beside", None) is not None:
        return "beside what was released before, it could tell about fewer than k persons"
    if getattr(result, "rows", None) is None:  # no method counts any further
        return f"fewer than k of {request.k:,} remain in the rows that it asks for"
    parts = ["k"]
    parts += ["suppression_limit"] if hasattr(request, "suppression_limit") else []
    parts += [key for key in ("sensitive", "risk") if getattr(request, key, None)]
    joined = " with ".join((parts[0], " and ".join(parts[1:]))) if parts[1:] else parts[0]
    return f"nothing that it accepts passes by {joined}"


def _allowed(request: Request, policy: Policy) -> Iterator[str]:
    if policy.ks:
        yield f"k may be {', '.join(f'{each:,}' for each in sorted(policy.ks))}"
    elif policy.k is not None:
        yield f"k may be {policy.k:,} or more"
    else:
        yield "k may be the least of the dataset or more"
    yield from allowed_in_words(policy.scales, request, policy.suppression, policy.models)
