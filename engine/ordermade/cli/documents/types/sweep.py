"""The types of the document of `ordermade sweep`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.costs import Costs
from ordermade.cli.documents.types.loss import GeneralizationLoss, HistoryLoss, MicroaggregationLoss, MondrianLoss
from ordermade.cli.documents.types.opening import Opening


class Point(TypedDict):
    """The request with one k."""

    k: int
    """The requested k."""
    seconds: float
    """The seconds that it took."""
    loss: float | None
    """The loss of the release, by `metric`; null where it is refused."""
    losses: GeneralizationLoss | MondrianLoss | MicroaggregationLoss | HistoryLoss
    """Every loss of the release, by metric; none where it is refused."""
    measured_k: int | None
    """The k of the release."""
    classes: int | None
    """Its equivalence classes."""
    suppressed_rows: int | None
    """The suppressed rows; null where fewer than the least k of the dataset, or it is refused."""
    suppressed_persons: int | None
    """The persons with such a row; null where a row is a person."""
    reason: str | None
    """The reason of a refusal."""
    risk: float | None
    """1 / `measured_k`: the highest risk; null where it is refused."""


class SweepAnswer(Opening):
    """A request with one k after another; nothing is released."""

    command: Literal["sweep"]
    """`sweep`."""
    request: str
    """The request file."""
    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    method: Literal["generalization", "mondrian", "microaggregation", "history"]
    """The method of the request."""
    metric: str
    """The name of the loss that points go by."""
    meaning: str
    """The same in words."""
    rows: int | None
    """The rows of the dataset; null where fewer than the least requested k."""
    persons: int | None
    """Its persons; null where a row is a person."""
    points: list[Point]
    """A point for each k, ascending."""
    cost: Costs
    """The cost of all of them together."""
