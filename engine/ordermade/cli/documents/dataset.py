"""The documents of `ordermade dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.datasets import DatasetDescription
    from ordermade.cli.documents.types.dataset import (
        DatasetAdded,
        DatasetList,
        DatasetRemoved,
        DatasetShown,
        RegisteredDataset,
    )
    from ordermade.cli.documents.types.opening import TypedColumn
    from ordermade.state.datasets import Dataset


def added(dataset: Dataset) -> DatasetAdded:
    """The document of `dataset add`."""
    return {"format": FORMAT, "command": "dataset add", "dataset": cast("RegisteredDataset", plain(dataset))}


def listed(datasets: Sequence[Dataset]) -> DatasetList:
    """The document of `dataset list`."""
    return {
        "format": FORMAT,
        "command": "dataset list",
        "datasets": [cast("RegisteredDataset", plain(each)) for each in datasets],
    }


def shown(found: DatasetDescription) -> DatasetShown:
    """The document of `dataset show`."""
    return {
        "format": FORMAT,
        "command": "dataset show",
        "dataset": cast("RegisteredDataset", plain(found.dataset)),
        "columns": [cast("TypedColumn", plain(each)) for each in found.columns],
        "rows": found.rows,
    }


def removed(dataset: Dataset) -> DatasetRemoved:
    """The document of `dataset remove`."""
    return {"format": FORMAT, "command": "dataset remove", "dataset": cast("RegisteredDataset", plain(dataset))}
