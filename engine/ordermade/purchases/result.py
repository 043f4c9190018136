"""The result of a request for histories: customers clustered, purchases deleted, and the values each column keeps."""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.answering.costs import Costs
from ordermade.answering.result import Result
from ordermade.purchases.losses import ColumnLoss


@dataclass(frozen=True, slots=True)
class HistoryReport:
    """The report on how the histories of a release were made.

    `customers` of the dataset, of whom all but the `dropped` are in `clusters` of k, whose purchases were put together
    by `match` and `cluster`; from `fewest` to `most` purchases of a customer are released. `taxonomy_level`: the
    categories that are released instead of items; `map`: the file of the truth; each None where there is none.
    """

    match: str
    cluster: str
    delete_costly: bool
    customers: int
    dropped: int
    clusters: int
    fewest: int
    most: int
    columns: tuple[ColumnLoss, ...]
    taxonomy_level: str | None = None
    map: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryResult(Result):
    """The answer to one request for histories; `history` is None where it was refused."""

    history: HistoryReport | None = None
    cost: Costs
