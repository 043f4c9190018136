"""The document of `ordermade measure`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from ordermade.cli.documents.types.measurement import Measurement


def measurement(figures: Mapping[str, Any]) -> Measurement:
    """The document of `measure`, of all measured figures by name."""
    return cast("Measurement", {"format": FORMAT, "command": "measure", **figures})
