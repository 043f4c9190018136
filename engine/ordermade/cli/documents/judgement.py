"""The documents of `ordermade judge`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.cli.documents.types.judgement import HistoryJudgement, RecodingJudgement


def history(figures: Mapping[str, Any]) -> HistoryJudgement:
    """The document of `judge history`, of its figures by name."""
    return cast("HistoryJudgement", {"format": FORMAT, "command": "judge history", **figures})


def recoding(figures: Mapping[str, Any]) -> RecodingJudgement:
    """The document of `judge recoding`, of its figures by name."""
    return cast("RecodingJudgement", {"format": FORMAT, "command": "judge recoding", **figures})
