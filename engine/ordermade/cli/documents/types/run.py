"""The documents of `ordermade request run`: an answer, with the keys of its run."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ordermade.cli.documents.types.certificate import Certificate
from ordermade.cli.documents.types.loss import (
    GeneralizationLoss,
    HistoryLoss,
    MicroaggregationLoss,
    MondrianLoss,
    NoLoss,
)
from ordermade.cli.documents.types.offer import Offer
from ordermade.cli.documents.types.opening import Opening
from ordermade.cli.documents.types.result import (
    Answer,
    GeneralizationAnswer,
    HistoryAnswer,
    MicroaggregationAnswer,
    MondrianAnswer,
    ReleaseReport,
)


class LiveView(TypedDict):
    """A view that follows the table at the released levels."""

    name: str
    """Its name."""
    statement: str
    """The statement that makes it."""
    created: bool
    """Whether it was made in the source."""


class Run(Opening):
    """The keys of every run of a request beside its answer."""

    command: Literal["request run"]
    """`request run`."""
    release: ReleaseReport | None
    """The release; null of a refusal."""
    report: NotRequired[str]
    """With `--html`: the page of the report, where one was written."""


class GeneralizationRun(Run, GeneralizationAnswer):
    """A request with `method: generalization` was run."""

    method: Literal["generalization"]
    """`generalization`."""
    view: NotRequired[LiveView]
    """With `--as-view`: the view."""
    offers: NotRequired[list[Offer]]
    """Of a refusal: what passes instead."""
    offers_complete: NotRequired[bool]
    """Of a refusal: whether no offer is missing, but for the most that are shown."""
    nodes_measured_for_offers: NotRequired[int]
    """Of a refusal: the nodes that were measured for the offers."""
    certificate: NotRequired[Certificate]
    """With `--certify`: the certificate."""


class MondrianRun(Run, MondrianAnswer):
    """A request with `method: mondrian` was run."""

    method: Literal["mondrian"]
    """`mondrian`."""


class MicroaggregationRun(Run, MicroaggregationAnswer):
    """A request with `method: microaggregation` was run."""

    method: Literal["microaggregation"]
    """`microaggregation`."""


class HistoryRun(Run, HistoryAnswer):
    """A request with `method: history` was run."""

    method: Literal["history"]
    """`history`."""


class ReturnedRun(Run, Answer):
    """An earlier release of the same request still verifies: nothing was searched or written."""

    method: Literal["generalization", "mondrian", "microaggregation", "history"]
    """The method of the request."""
    loss: GeneralizationLoss | MondrianLoss | MicroaggregationLoss | HistoryLoss | NoLoss
    """The losses of the release, by metric."""
    returned: int
    """The number of the release."""
    levels: dict[str, int]
    """The level of each generalised column, where it has one."""
    level_names: dict[str, str]
    """The same by name."""
    view: NotRequired[LiveView]
    """With `--as-view`: the view."""
    certificate: NotRequired[Certificate]
    """With `--certify`: the certificate."""
