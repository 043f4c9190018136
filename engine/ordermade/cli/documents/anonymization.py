"""The document of `ordermade anonymize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ordermade.cli.documents.opening import FORMAT


def anonymized(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The document of `anonymize`, of the answer's figures by name: one of the three, by its method."""
    return {"format": FORMAT, "command": "anonymize", **figures}
