"""The documents of `ordermade dataset opt-out`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.opt_outs import OptedOut
    from ordermade.cli.documents.types.opt_out import OptOutAdded, OptOutList, OptOutRemoved, OptOutsOfDataset


def added(dataset: str, unmatched: int | None) -> OptOutAdded:
    """The document of `dataset opt-out add`."""
    return {"format": FORMAT, "command": "dataset opt-out add", "dataset": dataset, "unmatched": unmatched}


def listed(found: Sequence[OptedOut]) -> OptOutList:
    """The document of `dataset opt-out list`."""
    return {
        "format": FORMAT,
        "command": "dataset opt-out list",
        "datasets": [cast("OptOutsOfDataset", plain(each)) for each in found],
    }


def removed(dataset: str) -> OptOutRemoved:
    """The document of `dataset opt-out remove`."""
    return {"format": FORMAT, "command": "dataset opt-out remove", "dataset": dataset}
