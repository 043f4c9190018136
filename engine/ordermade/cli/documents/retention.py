"""The document of `ordermade retention apply`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.cli.documents.types.retention import ErasedOfDataset, RetentionApplied
    from ordermade.service.retention import AppliedRetention


def applied(found: AppliedRetention) -> RetentionApplied:
    """The document of `retention apply`."""
    return {
        "format": FORMAT,
        "command": "retention apply",
        "dry_run": found.dry_run,
        "expired": list(found.expired),
        "datasets": [cast("ErasedOfDataset", plain(each)) for each in found.datasets],
        "old_states": [each.name for each in found.old_states],
    }
