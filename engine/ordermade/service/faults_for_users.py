"""What the user of a token reads of an error: the one place that decides it, for every call and every command."""

from __future__ import annotations

from ordermade.errors import InputError, Refused, SourceFault

WITHHELD = "this cannot be answered now, and the reason is the provider's"
NEXT_STEP = "Try again later, or ask the provider."


def for_user(fault: BaseException) -> Exception:
    """The error that a user reads in the place of another one.

    A mistake in a request and a refusal by policy or role are said as they are: their words come of the request, the
    policy and the registered names. All else, whose words or kind come of the data or of the provider's machine, is one
    error in the same words, so that what one value led to reads as an outage does.
    """
    if not isinstance(fault, InputError | Refused):
        return SourceFault(WITHHELD, next_step=NEXT_STEP)
    fault.__cause__ = fault.__context__ = None
    fault.__dict__.pop("__notes__", None)
    return fault.with_traceback(None)
