"""The documents of `ordermade rules`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.cli.documents.types.rules import RulesChecked, RulesSuggested


def checked(figures: Mapping[str, Any]) -> RulesChecked:
    """The document of `rules check`, of its figures by name."""
    return cast("RulesChecked", {"format": FORMAT, "command": "rules check", **figures})


def suggested(figures: Mapping[str, Any]) -> RulesSuggested:
    """The document of `rules suggest`, of its figures by name."""
    return cast("RulesSuggested", {"format": FORMAT, "command": "rules suggest", **figures})
