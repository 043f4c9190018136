"""An open request for histories, with its plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ordermade.counting.counts import Units, counted_persons
from ordermade.counting.dataset import Dataset
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.privacy.least_k import too_few
from ordermade.release.plan import Plan
from ordermade.requests.history import HistoryRequest
from ordermade.requests.resolve_history import ResolvedHistory
from ordermade.sources.limits import Limits

CUSTOMERS = "customers"


@dataclass(frozen=True, slots=True)
class OpenHistory(OpenRequest[ResolvedHistory]):
    """A request for histories that fits its dataset, with the dataset's source open.

    `registered`: the dataset as it was registered; in `dataset` the customer column identifies persons.
    """

    registered: Dataset

    @classmethod
    def of(cls, found: OpenRequest[ResolvedHistory], limits: Limits) -> OpenHistory:  # noqa: ARG003
        """The request, with its customers as persons."""
        dataset = replace(found.dataset, entity=found.resolved.customer.column)
        return cls(found.read, found.resolved, found.opened, dataset, found.run, found.standing, found.dataset)

    @property
    def versioned(self) -> Dataset:
        """The dataset as it was registered."""
        return self.registered

    @property
    def request(self) -> HistoryRequest:
        """The request that was resolved."""
        return self.resolved.request

    @property
    def plan(self) -> Plan:
        """The released columns: those of a purchase, and a pseudonym."""
        resolved = self.resolved
        return Plan(
            dataset=self.dataset,
            attributes=(),
            node=(),
            kept=(),
            shape="rows",
            entity=resolved.customer.column,
            pseudonym=resolved.pseudonym,
            pseudonyms=resolved.request.release.kind_of_pseudonyms,
            k=self.request.k,
            aggregated=tuple(each.column for each in resolved.columns),
            by_history=True,
        )


def customers_of(open_request: OpenHistory) -> Units:
    """The rows of a dataset and its customers, counted in the source; rows without a customer count for none."""
    counted, _ = counted_persons(open_request.dataset)
    return counted


def none_can_be(open_request: OpenHistory, k: int) -> str | None:
    """The reason, in a refusal's words, why there is no cluster of k customers; None where there is one."""
    return too_few(k, customers_of(open_request).number, CUSTOMERS)
