"""The documents of `ordermade request rerun`, `diff` and `schedule`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.again import Difference, Schedule
    from ordermade.cli.documents.types.again import RequestDifference, RequestRerun, RequestsCompared, Scheduled
    from ordermade.methods.shared.result import Result


def rerun(number: int, result: Result) -> RequestRerun:
    """The document of `request rerun`."""
    return {
        "format": FORMAT,
        "command": "request rerun",
        "again": number,
        "request": result.request,
        "status": result.status,
        "reason": result.reason,
    }


def compared(first: int, second: int, found: Sequence[Difference]) -> RequestsCompared:
    """The document of `request diff`."""
    return {
        "format": FORMAT,
        "command": "request diff",
        "first": first,
        "second": second,
        "differences": [cast("RequestDifference", plain(each)) for each in found],
    }


def scheduled(number: int, made: Schedule) -> Scheduled:
    """The document of `request schedule`."""
    return {
        "format": FORMAT,
        "command": "request schedule",
        "request": number,
        "cron": made.cron,
        "service": made.service,
        "timer": made.timer,
    }
