"""The report of a method beside its labels or its path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ordermade.microaggregation.arrays import Labels


@dataclass(frozen=True, slots=True)
class Report:
    """How many groups there are, how many records the smallest and the largest of them have.

    `figures`: the method's own figures by name: `judgements`, `sse`, `moves`, ...
    """

    groups: int
    smallest: int
    largest: int
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PathReport:
    """The length of a path (the sum of the distances from each record to the next). `figures` as in `Report`."""

    length: float
    figures: Mapping[str, float] = field(default_factory=dict)


def report_of(labels: Labels, **figures: float) -> Report:
    """The report of labels."""
    sizes = np.bincount(labels)
    return Report(int(sizes.size), int(sizes.min()), int(sizes.max()), figures)
