"""The clusters of customers and the slots of their purchases: views and tables of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.history.histories import NONE
from ordermade.purchases.records import Purchases
from ordermade.purchases.tables import CLUSTERS, MATCHED, PLACED
from ordermade.purchases.units import Measure
from ordermade.release.plan import spread
from ordermade.sources.door import Door, Purpose, arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ordermade.history.histories import Clusters, Slots


def cluster_by_rank(purchases: Purchases, k: int) -> None:
    """Store clusters of each k customers in rank order as CLUSTERS; those left over are in none."""
    _workspace(purchases).store(Purpose.RELEASE, CLUSTERS, clusters_statement(k))


def cluster_as(purchases: Purchases, clusters: Clusters) -> None:
    """Store the clusters of the customers, by number, as CLUSTERS."""
    customers = np.flatnonzero(clusters != NONE).astype(np.int32)
    _take(purchases, CLUSTERS, {"customer": customers, "cluster": clusters[customers]})


def place_by_rank(purchases: Purchases) -> None:
    """Assign the purchases of each cluster's customers to slots in their order, as PLACED."""
    view(_workspace(purchases), PLACED, placed_by_rank_statement(purchases.measures))


def place_as(purchases: Purchases, slots: Slots) -> None:
    """Assign the purchases to slots, each by its number, as PLACED."""
    records = np.flatnonzero(slots != NONE)
    _take(purchases, MATCHED, {"record": records, "slot": slots[records]})
    view(_workspace(purchases), PLACED, placed_as_matched_statement(purchases.measures))


def clusters_statement(k: int) -> exp.Select:
    """The statement that clusters each k customers after one another."""
    tree = sql.select("history/clusters_by_rank")
    for node in tree.find_all(exp.Literal):
        node.set("this", str(k))
    return tree


def placed_by_rank_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the purchases that are released, by their place in their customer's history."""
    return spread(sql.select("history/placed_by_rank"), "purchases.measured", [each.name for each in measures])


def placed_as_matched_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the purchases that are released, as they were matched."""
    return spread(sql.select("history/placed_as_matched"), "purchases.measured", [each.name for each in measures])


def viewed(name: str, query: exp.Query) -> exp.Expr:
    """The statement that keeps a query as the temporary view `name`."""
    tree = sql.template("history/view")
    tree.set("this", sql.table(name))
    tree.set("expression", query)
    return tree


def view(door: Door, name: str, query: exp.Query) -> None:
    """Create a temporary view of a query: data that is read once, or in small part, needs no table."""
    door.rows(Purpose.RELEASE, viewed(name, query))


def _workspace(purchases: Purchases) -> Door:
    return purchases.plan.dataset.backend.workspace


def _take(purchases: Purchases, table: str, columns: dict[str, Any]) -> None:
    _workspace(purchases).take(Purpose.RELEASE, table, arrow().table(columns))
