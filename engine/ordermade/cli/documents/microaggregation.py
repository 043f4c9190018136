"""The documents of `ordermade microaggregation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.cli.documents.types.microaggregation import Comparison, GroupingMethod, MethodList
    from ordermade.methods.microaggregation.algorithm.methods import Method


def methods(listed: Sequence[Method]) -> MethodList:
    """The document of `microaggregation methods`."""
    return {
        "format": FORMAT,
        "command": "microaggregation methods",
        "methods": [cast("GroupingMethod", plain(each)) for each in listed],
    }


def comparison(figures: Mapping[str, Any]) -> Comparison:
    """The document of `microaggregation compare`, of its figures by name."""
    return cast("Comparison", {"format": FORMAT, "command": "microaggregation compare", **figures})
