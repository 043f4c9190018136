"""The types of the document of `ordermade retention apply`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class ReleaseLeft(TypedDict):
    """A release whose time is over and which was left."""

    release: int
    """Its number."""
    reason: str
    """Why it was left."""


class ErasedOfDataset(TypedDict):
    """What of one dataset was erased, or would be."""

    dataset: str
    """Name of the dataset."""
    releases: list[int]
    """Numbers of the releases whose files went."""
    requests: list[int]
    """Numbers of the requests whose texts and columns went."""
    submitted: list[int]
    """Numbers of the submitted requests whose texts went."""
    frequency_sets: int
    """Frequency sets dropped from the cache."""
    marginals: int
    """Levels whose marginals were dropped from the cache."""
    counts: int
    """Columns whose counts of values were dropped from the cache."""
    twins: int
    """CSV files, or parts, whose rows were dropped from the cache."""
    left: list[ReleaseLeft]
    """Releases whose time is over and which were left."""


class RetentionApplied(Opening):
    """What was erased by the policies of datasets."""

    command: Literal["retention apply"]
    """`retention apply`."""
    dry_run: bool
    """Whether nothing was changed, and this is what would be erased."""
    expired: list[int]
    """Numbers of the submitted requests that expired."""
    datasets: list[ErasedOfDataset]
    """What was erased of each dataset that has a policy."""
    old_states: list[str]
    """Files of states of before, left by `state restore` and `state convert`, that went."""
