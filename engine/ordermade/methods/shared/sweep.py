"""A sweep over k: the loss of a request with one k after another."""

from __future__ import annotations

import numbers
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal

from ordermade.counting.counts import Units
from ordermade.errors import InputError, RequestError
from ordermade.loss.shapes import GeneralizationLoss, HistoryLoss, MicroaggregationLoss, MondrianLoss, TableLoss
from ordermade.loss.shares import LossValues
from ordermade.methods.shared.open_request import Costs, Held, RunContext, with_k
from ordermade.plots.plot_files import require_matplotlib
from ordermade.policies import enforcement
from ordermade.privacy.least_k import DatasetTerms, too_few
from ordermade.progress.waiting import Progress
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import one_in
from ordermade.records.printed import CLASSES, Printed, printed_as
from ordermade.requests.model import LARGEST_K, SMALLEST_K

if TYPE_CHECKING:
    import pandas

    from ordermade.plots.figures import Picture

MAX_KS = 1_000
"""So many at a time: a curve of more is read by nobody, and each takes the time of a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The request with one k.

    Rows and persons would be left out, whatever the method calls that (suppressed, deleted): of purchase histories,
    persons are customers who may have other rows released. Figures shared by all, and counted only when needed, take
    their seconds where they were needed first.
    """

    k: int
    """The requested k."""
    seconds: float = 0.0
    """The seconds that it took."""
    loss: float | None = None
    """The loss of the release, by `metric`; null where it is refused."""
    losses: Annotated[
        LossValues, GeneralizationLoss | MondrianLoss | MicroaggregationLoss | HistoryLoss | TableLoss
    ] = field(default_factory=dict)
    """Every loss of the release, by metric; none where it is refused."""
    measured_k: int | None = None
    """The k of the release."""
    divisions: int | None = field(default=None, metadata=CLASSES)
    """Its equivalence classes."""
    suppressed_rows: int | None = 0
    """The suppressed rows; null where fewer than the least k of the dataset, or it is refused."""
    suppressed_persons: int | None = None
    """The persons with such a row; null where a row is a person."""
    reason: str | None = None
    """The reason of a refusal."""

    @property
    @printed_as("risk")
    def risk(self) -> float | None:
        """1 / k measured, the highest risk of the release, from 0 to 0.5; None where it is refused."""
        return None if self.loss is None else 1 / (self.measured_k or self.k)

    def since(self, began: float) -> Point:
        """The same with its seconds, those since `began` (by `time.perf_counter`)."""
        return replace(self, seconds=round(time.perf_counter() - began, 4))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sweep(Printed, HasSummary):
    """A request with one k after another; nothing is released."""

    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    method: Annotated[str, Literal["generalization", "mondrian", "microaggregation", "history", "table"]]
    """The method of the request."""
    metric: str
    """The name of the loss that points go by."""
    meaning: str
    """The same in words."""
    rows: int | None
    """The rows of the dataset; null where fewer than the least requested k."""
    persons: int | None
    """Its persons; null where a row is a person."""
    points: tuple[Point, ...]
    """A point for each k, ascending."""
    cost: Costs
    """The cost of all of them together."""

    @property
    def loss_name(self) -> str:
        """The short name of the loss: `loss (prec)`."""
        return "loss" if self.metric == "loss" else f"loss ({self.metric})"

    @property
    def passes(self) -> bool:
        """Whether the request passes with some k."""
        return any(each.loss is not None for each in self.points)

    def frame(self) -> pandas.DataFrame:
        """The points as a frame of pandas, a row a k; `points` have every loss besides.

        Returns:
            The frame with the columns `k`, `risk`, `loss`, `measured_k`, `classes`, `suppressed_rows`,
            `suppressed_persons`, `reason` and `seconds`. Counts are of the dtype `Int64`; what a refused k lacks, and
            persons where a row is a person, is missing.

        Example:
            >>> found = sweep(df, [5, 20], quasi_identifiers=["age", "sex"])
            >>> found.frame()["k"].tolist()
            [5, 20]
        """
        import pandas as pd  # a third of a second, for this alone

        found = pd.DataFrame(
            {
                "k": [each.k for each in self.points],
                "risk": [each.risk for each in self.points],
                "loss": [each.loss for each in self.points],
                "measured_k": [each.measured_k for each in self.points],
                "classes": [each.divisions for each in self.points],
                "suppressed_rows": [None if each.loss is None else each.suppressed_rows for each in self.points],
                "suppressed_persons": [each.suppressed_persons for each in self.points],
                "reason": [each.reason for each in self.points],
                "seconds": [each.seconds for each in self.points],
            }
        )
        counts = dict.fromkeys(("k", "measured_k", "classes", "suppressed_rows", "suppressed_persons"), "Int64")
        return found.astype({**counts, "risk": "float64", "loss": "float64"})

    def plot(self) -> Picture:
        """Draws loss and risk against k, one above the other.

        Returns:
            The picture, which a notebook shows and `save` writes.

        Raises:
            InputError: Every k is refused, or matplotlib is not installed (the extra `plot`).

        Example:
            >>> sweep(df, [5, 20], quasi_identifiers=["age", "sex"]).plot().save("sweep.svg").name
            'sweep.svg'
        """
        require_matplotlib("plot")
        from ordermade.plots.sweep_plot import sweep_picture

        if not self.passes:
            raise InputError("every k is refused", where="plot", next_step="Ask for smaller ks.")
        return sweep_picture(self)

    def _card(self) -> Card:

        title = f"Sweep on {self.dataset}: {len(self.points):,} values of k, {self.method}"
        beside = {name: value for name, value in facts(self) if name not in ("dataset", "method")}
        return Card.of(title, (*beside.items(), *outcome(self)), Grid(headings(self), rows(self)))


def _is_whole(k: object) -> bool:
    return isinstance(k, numbers.Integral) and not isinstance(k, bool)


def each_k(requested: Iterable[int], most: int | None = None) -> tuple[int, ...]:
    """Each k once, ascending. Raises InputError unless there is one, all protect somebody, and `most` at most."""
    given = tuple(requested)
    ks = tuple(sorted(set(given))) if all(map(_is_whole, given)) else ()
    if not ks or ks[0] < SMALLEST_K or ks[-1] > LARGEST_K:
        raise InputError(
            f"every k is a whole number of at least {SMALLEST_K}", where="--k", next_step="For example 3,5,10."
        )
    if most is not None and len(ks) > most:
        raise InputError(f"more than {most:,} of them", where="--k", next_step="Ask for fewer at a time.")
    return ks


def admitted(ks: Sequence[int], terms: DatasetTerms, dataset: str) -> tuple[tuple[int, ...], tuple[Point, ...]]:
    """The ks that the dataset allows, and a refused point for each that is below its least k or against its policy.

    Raises RequestError where it allows none of them.
    """
    refusals = {k: refusal for k in ks if (refusal := _refusal(k, terms, dataset)) is not None}
    allowed = tuple(k for k in ks if k not in refusals)
    if not allowed:
        raise refusals[ks[0]]
    return allowed, tuple(Point(k=k, reason=each.what) for k, each in refusals.items())


def _refusal(k: int, terms: DatasetTerms, dataset: str) -> RequestError | None:
    if terms.policy is not None and (refusal := enforcement.refusal_of_k(terms.policy, k)) is not None:
        return refusal
    breach = terms.of_k(k, dataset)
    if breach is None:
        return None
    return RequestError(breach.what, where="--k", next_step=f"{breach.instead.capitalize()}.")


def in_order(points: Iterable[Point]) -> tuple[Point, ...]:
    """The points by their k, ascending."""
    return tuple(sorted(points, key=lambda each: each.k))


def none_remain(ks: Sequence[int], units: int, called: str) -> tuple[Point, ...] | None:
    """A refused point for each k where so few units remain that even the least k has not enough; else None."""
    if units >= ks[0]:
        return None
    return tuple(Point(k=k, reason=too_few(k, units, called)) for k in ks)


def each_point(ks: Sequence[int], progress: Progress, point: Callable[[int], Point]) -> tuple[Point, ...]:
    """The point of each k, with its seconds; `k = 5 (4 of 19)` is what its step is called on the way."""
    points = []
    for place, k in enumerate(ks, start=1):
        progress.step(f"k = {k:,} ({place:,} of {len(ks):,})")
        began = time.perf_counter()
        points.append(point(k).since(began))
    return tuple(points)


class Curve(ABC, Generic[Held]):
    """The loss of one request by its k: what every k goes by, counted once, and the point of each.

    `metric`: the name of the loss that points go by; `meaning`: the same in words. `called`: the name of its units in
    refusals, where that is neither `rows` nor `persons`.
    """

    metric: str
    meaning: str
    called: str | None = None

    def __init__(self, open_request: Held, context: RunContext) -> None:
        self.open_request = open_request
        self.context = context

    @abstractmethod
    def count(self, least: int) -> Units:
        """Count the rows of the dataset, and its persons where they count. `least`: the smallest k."""

    def points(self, ks: Sequence[int]) -> tuple[Point, ...]:
        """The point of each k, after `prepare`. Raises InputError, SourceFault, StateFault."""
        return each_point(ks, self.context.progress, lambda k: self.point(with_k(self.open_request, k)))

    @abstractmethod
    def prepare(self) -> None:
        """Count, or pull, what the points of all ks share; there are units enough for the smallest."""

    @abstractmethod
    def point(self, open_request: Held) -> Point:
        """The outcome of the request with its k, without releasing anything."""


def facts(found: Sweep) -> Iterator[tuple[str, Any]]:
    """The request common to every k, in a few lines."""
    yield "request", found.title or None
    yield "dataset", found.dataset
    yield "method", found.method
    yield "rows", found.rows
    yield "persons", found.persons
    yield found.loss_name, found.meaning


CHOICE = (
    "k is what the law and the provider require, at least. Above that, take the greatest k whose loss you can bear: "
    "a larger k lowers the risk, and costs detail."
)
"""How to choose among the rows of a sweep; none of them is the best."""


def headings(found: Sweep, *, everything: bool = False) -> tuple[str, ...]:
    """Risk and loss of each k, apart; suppressed rows only where there are any."""
    more = ("k measured", "classes", "seconds") if everything else ()
    return ("k", "risk", "chance", found.loss_name, *_suppressed(found), *more, "")


def rows(found: Sweep, *, everything: bool = False) -> list[tuple[Any, ...]]:
    """A row a k; the last cell has in short the reason of its refusal. `everything`: raw figures and seconds too."""
    named = _suppressed(found)
    return [
        (
            each.k,
            *_risk_and_loss(each),
            *(None if each.loss is None else number for number in _figures(each, len(named))),
            *((each.measured_k, each.divisions, round(each.seconds, 3)) if everything else ()),
            "" if each.reason is None else f"refused: {_gist(each.reason)}",
        )
        for each in found.points
    ]


def _risk_and_loss(point: Point) -> tuple[Any, ...]:
    """The risk of the smallest class, in words too, and the loss: those of JSON and plot."""
    if point.risk is None or point.loss is None:
        return None, None, None
    return round(point.risk, 4), one_in(point.risk), round(point.loss, 4)


def outcome(found: Sweep) -> Iterator[tuple[str, Any]]:
    """How to choose, and the whole reason of the first k that is refused."""
    if found.passes:
        yield "to choose", CHOICE
    refused = next((each for each in found.points if each.reason is not None), None)
    if refused is not None:
        yield "refused", f"k = {refused.k:,}: {refused.reason}"


def under_the_table(found: Sweep, *, everything: bool = False) -> Iterator[tuple[str, Any]]:
    """The outcome, and with `everything` the cost of every k together."""
    yield from outcome(found)
    if not everything:
        return
    yield "source queries", found.cost.source_queries
    yield "seconds", round(found.cost.seconds, 2)


def _gist(reason: str) -> str:
    """A reason without its details, which every k would repeat."""
    return re.split(r": |; |\. ", reason, maxsplit=1)[0]


def _suppressed(found: Sweep) -> tuple[str, ...]:
    if not any(each.suppressed_rows for each in found.points):
        return ()
    if all(each.suppressed_persons is None for each in found.points):
        return ("rows suppressed",)
    if found.method == "history":  # a customer with a deleted purchase may be released with the others
        return "rows deleted", "customers incomplete"
    return "rows suppressed", "persons suppressed"


def _figures(point: Point, many: int) -> tuple[int | None, ...]:
    return (point.suppressed_rows, point.suppressed_persons)[:many]
