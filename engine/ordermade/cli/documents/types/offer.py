"""The types of the documents of `ordermade request offers`, and of an offer that was accepted of data that changed."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.loss import GeneralizationLoss, MondrianLoss
from ordermade.cli.documents.types.opening import Opening


class Offer(TypedDict):
    """A request near to the refused one that passes, and what it gives up."""

    offer: int
    """Its number, for `request run --offer`."""
    kind: Literal["levels", "column", "suppression", "k", "local", "mondrian"]
    """The part of the request that it changes."""
    gives_up: list[str]
    """The things given up, in words."""
    changes: dict[str, str | int | None]
    """The fields of the request file that differ, with what to write there; null: leave the field out."""
    k: int
    """The k of the release."""
    classes: int
    """The equivalence classes of the release."""
    loss: GeneralizationLoss | MondrianLoss
    """The losses of the release, by metric."""
    levels: dict[str, int]
    """The level of each quasi-identifier; none where rows are at several."""
    level_names: dict[str, str]
    """The same by name."""
    suppressed_rows: int | None
    """The suppressed rows; null where fewer than the least k of the dataset."""
    suppressed_persons: int | None
    """The persons with such a row; null where fewer than the least k, or where a row is a person."""


class OfferList(TypedDict):
    """The offers of a request."""

    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    reason: str | None
    """The reason why nothing is said of the data, or why offers are made anew."""
    offers: list[Offer]
    """The offers, the nearest to the request first."""
    nodes_measured: int
    """The nodes that were measured for them."""
    complete: bool
    """Whether none is missing, but for the most that are shown."""
    left_out: list[str]
    """How the list falls short, in words."""


class RequestOffers(Opening, OfferList):
    """What passes instead of a request."""

    command: Literal["request offers"]
    """`request offers`."""
    status: Literal["refused", "passes", "unknown"]
    """`refused`: these offers there are; `passes`: the request passes as it is; `unknown`: see `reason`."""


class OffersAnew(Opening, OfferList):
    """The offers of data that changed since an offer was made: nothing was released, and the exit status is 1."""

    command: Literal["request run"]
    """`request run`."""
    status: Literal["changed"]
    """`changed`."""
