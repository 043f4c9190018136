"""The documents of `ordermade taxonomy`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.cli.documents.types.taxonomy import Keywords, TaxonomyChecked, TaxonomySuggested


def suggested(figures: Mapping[str, Any]) -> TaxonomySuggested:
    """The document of `taxonomy suggest`, of the draft's figures by name."""
    return cast("TaxonomySuggested", {"format": FORMAT, "command": "taxonomy suggest", **figures})


def checked(figures: Mapping[str, Any]) -> TaxonomyChecked:
    """The document of `taxonomy check`, of the check's figures by name."""
    return cast("TaxonomyChecked", {"format": FORMAT, "command": "taxonomy check", **figures})


def keywords(text: str, file: Path | None) -> Keywords:
    """The document of `taxonomy keywords`."""
    return {
        "format": FORMAT,
        "command": "taxonomy keywords",
        "file": None if file is None else str(file),
        "text": text if file is None else None,
    }
