"""A request for histories at one k after another: purchases are pulled once, and clustered anew for each k."""

from __future__ import annotations

from dataclasses import replace

from ordermade.counting.counts import Units
from ordermade.methods.histories.open_request import CUSTOMERS, OpenHistory, customers_of
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.release import kept, none_is_left, slot_classes
from ordermade.methods.histories.result import losses_of
from ordermade.methods.histories.slots import SharedHistories, losses
from ordermade.methods.shared.sweep import Curve, Point
from ordermade.privacy.least_k import shown, too_few


class HistoryCurve(Curve[OpenHistory]):
    """The loss of histories that k customers share. No node of a lattice is measured, so the state learns nothing."""

    metric = "utility"
    meaning = "U of the PWSCUP contest: the mean error of a cell over all purchases, a deleted one counting 1"
    called = CUSTOMERS
    alike: SharedHistories

    def count(self, least: int) -> Units:  # noqa: ARG002 - customers are counted however few they are
        """Count the purchases and the customers."""
        self.context.progress.step("purchases")
        return customers_of(self.open_request)

    def prepare(self) -> None:
        """Pull the purchases."""
        self.alike = SharedHistories.of(
            Purchases.stored(self.open_request.plan, self.open_request.resolved), self.context
        )

    def point(self, open_request: OpenHistory) -> Point:
        """Cluster the customers anew, and return what their slots lose."""
        alike, k = self.alike, open_request.request.k
        purchases = alike.purchases
        refusal = too_few(k, purchases.customers, CUSTOMERS)
        if refusal:
            return Point(k=k, reason=refusal)
        alike.fill(k)
        lost, figures = losses(purchases), kept(purchases.plan)
        refusal = none_is_left(figures)
        if refusal:
            return Point(k=k, reason=refusal)
        least_k = purchases.plan.dataset.least_k
        classes = slot_classes(replace(purchases.plan, k=k))
        return Point(
            k=k,
            loss=lost.utility,
            losses=losses_of(lost, k),
            measured_k=classes.k,
            divisions=classes.divisions,
            suppressed_rows=shown(figures.deleted, least_k),
            suppressed_persons=shown(figures.incomplete, least_k),
        )
