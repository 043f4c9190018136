"""Records and groups of a table made by hand: what is pulled, and what a release of their groups must be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.hierarchies.read import parse_yaml
from ordermade.methods.microaggregation.algorithm.groups import Groups, groups_of
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.release.plan import Plan


def grounded(asked: Dataset, position: int, column: str, rule: str, base: int = 0) -> EncodedColumn:
    """A column made countable by a hierarchy written as YAML."""
    return encode_counted(asked, position, column, parse_yaml(rule, column, where=column)[0], base)


def plan_of(
    asked: Dataset,
    aggregated: Sequence[Aggregated],
    within: Sequence[tuple[EncodedColumn, int]] = (),
    kept: Sequence[str] = (),
) -> Plan:
    """A plan of groups of two."""
    return Plan(
        asked,
        tuple(attribute for attribute, _ in within),
        tuple(level for _, level in within),
        tuple(kept),
        "rows",
        k=2,
        aggregated=tuple(each.column for each in aggregated),
    )


def in_order(sizes: Sequence[int], k: int = 2) -> Groups:
    """Of each class the first k records as they stand, the next k, and so on; what is left joins the last ones."""
    labels: list[int] = []
    for size in sizes:
        first = labels[-1] + 1 if labels else 0
        labels += [first + min(place // k, size // k - 1) for place in range(size)]
    return groups_of(np.array(labels, dtype=np.int32), len(labels))


def to_14_digits(value: Any) -> Any:
    """A float without the digits that the order of sums decides; anything else as it is."""
    return float(f"{value:.14g}") if isinstance(value, float) else value
