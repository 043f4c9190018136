"""The documents of `ordermade dataset`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.state.datasets import RegisteredDataset


@dataclass(frozen=True, slots=True)
class DatasetAdded:
    """A dataset was registered."""

    dataset: RegisteredDataset
    """The dataset."""


@dataclass(frozen=True, slots=True)
class DatasetList:
    """The registered datasets."""

    datasets: Sequence[RegisteredDataset]
    """The datasets, by name."""


@dataclass(frozen=True, slots=True)
class DatasetRemoved:
    """A dataset was taken out of use."""

    dataset: RegisteredDataset
    """The dataset."""


@dataclass(frozen=True, slots=True)
class ChangeLogUsed:
    """A change log vouches for the versions of a dataset."""

    dataset: RegisteredDataset
    """The dataset."""
