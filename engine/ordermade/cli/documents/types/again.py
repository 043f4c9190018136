"""The types of the documents of `ordermade request rerun`, `diff` and `schedule`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class RequestRerun(Opening):
    """A request that was answered again."""

    command: Literal["request rerun"]
    """`request rerun`."""
    again: int
    """The number of the earlier request."""
    request: int
    """The number of the request now; the one that the release came from where the data has not changed."""
    status: str
    """`released` or `refused`."""
    reason: str | None
    """Why it was refused; null where it was released."""


class RequestDifference(TypedDict):
    """One thing in which two requests differ."""

    where: Literal["asked", "came out"]
    """Whether the key is of the request or of its outcome."""
    what: str
    """The thing."""
    first: str | None
    """How it is in the first; null where it has none."""
    second: str | None
    """How it is in the second; null where it has none."""


class RequestsCompared(Opening):
    """Two requests compared."""

    command: Literal["request diff"]
    """`request diff`."""
    first: int
    """The number of the first."""
    second: int
    """The number of the second."""
    differences: list[RequestDifference]
    """What differs."""


class Scheduled(Opening):
    """What runs a request again and again."""

    command: Literal["request schedule"]
    """`request schedule`."""
    request: int
    """The number of the request."""
    cron: str
    """A line of a crontab."""
    service: str
    """A unit of systemd."""
    timer: str
    """The timer of the unit."""
