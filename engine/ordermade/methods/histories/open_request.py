"""An open request for histories, with its plan."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ordermade.counting.counts import Units, counted_persons
from ordermade.counting.dataset import Dataset
from ordermade.methods.shared.open_request import OpenRequest, opened_request
from ordermade.privacy.least_k import too_few
from ordermade.release.plan import Plan
from ordermade.requests.history import HistoryRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_history import ResolvedHistory, resolve_history
from ordermade.sources.executor import Listener
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile

CUSTOMERS = "customers"


@dataclass(frozen=True, slots=True)
class OpenHistory(OpenRequest[ResolvedHistory]):
    """A request for histories that fits its dataset, with the dataset's source open.

    `registered`: the dataset as it was registered; in `dataset` the customer column identifies persons.
    """

    registered: Dataset

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


def customers_of(question: OpenHistory) -> Units:
    """The rows of a dataset and its customers, counted in the source; rows without a customer count for none."""
    counted, _ = counted_persons(question.dataset)
    return counted


def none_can_be(question: OpenHistory, k: int) -> str | None:
    """The reason, in a refusal's words, why there is no cluster of k customers; None where there is one."""
    return too_few(k, customers_of(question).number, CUSTOMERS)


@contextlib.contextmanager
def open_request(
    state: StateFile, limits: Limits, read: ReadRequest[HistoryRequest], listener: Listener | None = None
) -> Iterator[OpenHistory]:
    """The request with its dataset open. Raises RequestError with every mistake, UnknownName, SourceFault."""
    with opened_request(state, limits, read, resolve_history, listener) as held:
        dataset = replace(held.dataset, entity=held.resolved.customer.column)
        yield OpenHistory(held.read, held.resolved, held.opened, dataset, held.run, held.standing, held.dataset)
