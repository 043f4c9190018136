"""The documents of `ordermade request run`: an answer, with what was wanted besides; one for each kind of answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ordermade.certificates.certify import WrittenCertificate
    from ordermade.methods.generalization.live_view import LiveView
    from ordermade.methods.generalization.result import GeneralizationResult
    from ordermade.methods.histories.result import HistoryResult
    from ordermade.methods.microaggregation.result import MicroaggregationResult
    from ordermade.methods.mondrian.result import MondrianResult
    from ordermade.methods.shared.existing_release import ReturnedResult
    from ordermade.methods.shared.result import Result
    from ordermade.methods.tables.result import TablesResult
    from ordermade.offers.offer import Offer, Offers


@dataclass(frozen=True, slots=True, kw_only=True)
class OffersOfRefusal:
    """The offers beside a refusal."""

    offers: Sequence[Offer]
    """Of a refusal: what passes instead."""
    complete: bool = field(metadata=printed("offers_complete"))
    """Of a refusal: whether no offer is missing, but for the most that are shown."""
    nodes_measured: int = field(metadata=printed("nodes_measured_for_offers"))
    """Of a refusal: the nodes that were measured for the offers."""

    @classmethod
    def of(cls, found: Offers | None) -> OffersOfRefusal | None:
        """The offers of a refused request; None where there are none to show."""
        if found is None:
            return None
        return cls(offers=found.offers, complete=found.complete, nodes_measured=found.nodes_measured)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRun:
    """A request was run."""

    result: Result = field(metadata=printed(spread=True))
    """The answer."""
    view: LiveView | None = field(default=None, metadata=printed(optional=True))
    """With `--as-view`: the view."""
    offers: OffersOfRefusal | None = field(default=None, metadata=printed(spread=True))
    """Of a refusal: what passes instead."""
    certificate: WrittenCertificate | None = field(default=None, metadata=printed(optional=True))
    """With `--certify`: the certificate."""
    report: Path | None = field(default=None, metadata=printed(optional=True))
    """With `--html`: the page of the report, where one was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizationRun(RequestRun):
    """A request with `method: generalization` was run."""

    result: GeneralizationResult = field(metadata=printed(spread=True))
    """The answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MondrianRun(RequestRun):
    """A request with `method: mondrian` was run."""

    result: MondrianResult = field(metadata=printed(spread=True))
    """The answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroaggregationRun(RequestRun):
    """A request with `method: microaggregation` was run."""

    result: MicroaggregationResult = field(metadata=printed(spread=True))
    """The answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRun(RequestRun):
    """A request with `method: history` was run."""

    result: HistoryResult = field(metadata=printed(spread=True))
    """The answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablesRun(RequestRun):
    """A request with `method: table` was run."""

    result: TablesResult = field(metadata=printed(spread=True))
    """The answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedRun(RequestRun):
    """An earlier release of the same request still verifies: nothing was searched or written."""

    result: ReturnedResult = field(metadata=printed(spread=True))
    """The answer."""
