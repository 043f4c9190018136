"""What comments on a submitted request are about, by code and in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WHOLE = "request"
"""What a comment is about that is about nothing else."""
PARTS: Mapping[str, str] = MappingProxyType(
    {
        WHOLE: "the whole request",
        "k": "k",
        "suppression": "the suppression limit",
        "filter": "the row filter",
        "check:policy": "the check of the policy",
        "check:forecast": "the forecast",
        "check:ledger": "the judgement beside earlier releases",
        "check:release": "the release that came out",
    }
)
"""What a comment may be about, whatever the request; beside it each column of the request, as `column:NAME`."""
COLUMN = "column:"
"""What the code of a column begins with."""


def in_words(about: str) -> str:
    """What a comment is about, in words."""
    return f"column {about.removeprefix(COLUMN)}" if about.startswith(COLUMN) else PARTS.get(about, about)
