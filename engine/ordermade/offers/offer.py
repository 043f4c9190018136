"""Offers as they are returned: the figures of each, what is given up in words, and the changed request that is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias

from ordermade.errors import InputError, Refused
from ordermade.loss.extremes import Extremes
from ordermade.loss.shapes import GeneralizationLoss, MondrianLoss, TableLoss
from ordermade.loss.shares import LossValues, shares
from ordermade.methods.shared.judged import BesideAnswer
from ordermade.methods.shared.result import LEVEL_HEADINGS, Result, loss_in_words
from ordermade.offers.space import Beyond, Concession, Kind
from ordermade.privacy.least_k import in_words
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import percent
from ordermade.records.printed import CLASSES, NOT_PRINTED, Printed, printed
from ordermade.requests.generalization import GeneralizationRequest, Search
from ordermade.requests.model import Request, SourcePath
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.numbers import decimal_text
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_generalization import Resolved, ResolvedQI

VARIANT = "mondrian.variant"
"""The field of a request for Mondrian that says how it splits."""


@dataclass(frozen=True, slots=True)
class OfferFigures:
    """The figures of a release, as a run of the changed request gives them."""

    k: int
    """The k of the release."""
    divisions: int = field(metadata=CLASSES)
    """The equivalence classes of the release; of tables the published cells."""
    loss: Annotated[LossValues, GeneralizationLoss | MondrianLoss | TableLoss]
    """The losses of the release, by metric."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """The level of each quasi-identifier; none where rows are at several."""
    level_names: Mapping[str, str] = field(default_factory=dict)
    """The same by name."""
    suppressed_rows: int | None = 0
    """The suppressed rows; null where fewer than the least k of the dataset, unless none may be."""
    suppressed_persons: int | None = None
    """The persons with such a row; null where fewer than the least k, or where a row is a person."""


@dataclass(frozen=True, slots=True, repr=False)
class Offer(Printed, HasSummary):
    """A request near to the refused one that passes, and what it gives up."""

    number: int = field(metadata=printed("offer"))
    """Its number, for `request run --offer`."""
    kind: Kind
    """The part of the request that it changes."""
    gives_up: tuple[str, ...]
    """The things given up, in words."""
    changes: Mapping[str, str | int | None]
    """The fields of the request file that differ, with what to write there; null: leave the field out."""
    figures: OfferFigures = field(metadata=printed(spread=True))
    """The figures of its release."""
    concession: Concession = field(metadata=NOT_PRINTED)
    """The concession that it is."""
    read: ReadRequest[Request] = field(metadata=NOT_PRINTED)
    """The changed request."""
    beside: BesideAnswer | None = None
    """Beside what its recipients have: `safe`, `breach`, `undecided`; null: that is judged when it is run."""

    def _card(self) -> Card:
        figures = self.figures
        levels = [(column, level, figures.level_names.get(column)) for column, level in figures.levels.items()]
        facts = (
            ("given up", "; ".join(self.gives_up)),
            ("k", figures.k),
            ("classes", figures.divisions),
            ("detail given up", loss_in_words(shares(figures.loss, Extremes()))),
            ("beside releases", self.beside),
        )
        return Card.of(f"Offer {self.number}: {self.kind}", facts, Grid(LEVEL_HEADINGS, levels))

    def difference(self, result: Result) -> str | None:
        """The name of the first promised figure that a release does not have; None where it has them all."""
        promised = self.figures
        figures: Mapping[str, tuple[Any, Any]] = {
            "k": (promised.k, result.k),
            "classes": (promised.divisions, result.divisions),
            "loss": (dict(promised.loss), {name: result.loss.get(name) for name in promised.loss}),
            "suppressed rows": (promised.suppressed_rows, result.suppressed_rows),
            "suppressed persons": (promised.suppressed_persons, result.suppressed_persons),
        }
        # A release that was returned, not made, has no losses, and a count below the least k is not promised.
        left_out = {"loss"} if not result.loss else set()
        return next(
            (
                name
                for name, (said, given) in figures.items()
                if name not in left_out and said != given and not (name.startswith("suppressed") and said is None)
            ),
            None,
        )


@dataclass(frozen=True, slots=True, repr=False)
class Offers(Printed, HasSummary):
    """The offers of a request."""

    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    status: Annotated[str, Literal["refused", "passes", "unknown", "changed"]]
    """`refused` has the offers; `passes`: the request itself; `unknown`: nothing is said; `changed`: the data are."""
    reason: str | None = None
    """The reason why nothing is said of the data, or why offers are made anew."""
    offers: tuple[Offer, ...] = ()
    """The offers, the nearest to the request first."""
    nodes_measured: int = 0
    """The nodes that were measured for them."""
    complete: bool = True
    """Whether none is missing, but for the most that are shown."""
    left_out: tuple[str, ...] = ()
    """How the list falls short, in words."""
    version_id: int | None = field(default=None, metadata=NOT_PRINTED)
    """The dataset version that they are of; None where that is not known."""
    least_k: int = field(default=0, metadata=NOT_PRINTED)
    """The least k of the dataset."""
    identity: tuple[str, ...] = field(default=(), metadata=NOT_PRINTED)
    """The hash of the request, and that of each hierarchy."""
    list_hash: str = field(default="", metadata=NOT_PRINTED)
    """The hash of all that determines the list."""

    def _card(self) -> Card:

        facts = (
            ("request", self.title),
            ("reason", self.reason),
            ("nodes measured", self.nodes_measured),
            *(("left out", each) for each in self.left_out),
        )
        title = f"Offers: {len(self.offers):,} on {self.dataset}, the request {_STATUS.get(self.status, self.status)}"
        return Card.of(title, facts, Grid(*offer_table(self)))


_STATUS = {"refused": "is refused", "passes": "passes as it is", "unknown": "is not known to pass"}


class OffersChanged(Refused):
    """An offer of earlier data was wanted; `offers` are those of the data as they are."""

    def __init__(self, what: str, offers: Offers, *, where: str = "", next_step: str = "") -> None:
        super().__init__(what, where=where, next_step=next_step)
        self.offers = offers


@dataclass(frozen=True, slots=True)
class Change:
    """A changed request, with its concession, what it gives up in words, and the fields that differ."""

    kind: Kind
    request: Request
    concession: Concession
    gives_up: tuple[str, ...]
    changes: Mapping[str, str | int | None]


Found: TypeAlias = tuple[Change, OfferFigures]
"""An alternative that passes, with the figures of its best release."""


@dataclass(frozen=True, slots=True)
class RequestChanges:
    """The ways to change one request. The changed request is searched to a proof, whatever algorithm it named."""

    resolved: Resolved

    @property
    def _request(self) -> GeneralizationRequest:
        return self.resolved.request

    @property
    def _keys(self) -> tuple[str, ...]:
        """The quasi-identifiers as the request writes them."""
        return tuple(self._request.quasi_identifiers)

    @property
    def are_of_nodes_alone(self) -> bool:
        """Whether the release can be of one node alone.

        A source writes a folder of no other one, and missing values are `*` in no other one.
        """
        starred = any(each.missing_as_star for each in self.resolved.qis)
        return starred or isinstance(self._request.release.to, SourcePath)

    def _nothing(self) -> Concession:
        return Concession((0,) * len(self.resolved.qis))

    def _with(self, **fields: Any) -> GeneralizationRequest:
        search = self._request.search
        proved = Search(objective=search.objective, weights=search.weights)
        return self._request.model_copy(update={"search": proved, **fields})

    def levels(self, beyond: Beyond) -> Change:
        """So many levels beyond those accepted."""
        accepted, changes = dict(self._request.quasi_identifiers), {}
        columns: dict[tuple[str, str | None], list[str]] = {}
        for key, qi, more in zip(self._keys, self.resolved.qis, beyond, strict=True):
            if more:
                last = qi.accepted[-1]
                accepted[key] = accepted[key].model_copy(update={"to_level": last + more})
                changes[f"quasi_identifiers.{key}.to"] = last + more
                columns.setdefault((_raised(qi, last + more), _named(qi, last)), []).append(qi.column)
        words = [_listed(alike, raised, named) for (raised, named), alike in columns.items()]
        request = self._with(quasi_identifiers=accepted)
        return Change("levels", request, Concession(beyond), tuple(words), changes)

    def column(self, place: int, beyond: Beyond) -> Change:
        """One column left out."""
        key, qi = self._keys[place], self.resolved.qis[place]
        left = {name: each for name, each in self._request.quasi_identifiers.items() if name != key}
        search = self._request.search
        weights = {name: each for name, each in search.weights.items() if name.casefold() != key.casefold()}
        proved = Search(objective=search.objective, weights=weights)
        request = self._with(quasi_identifiers=left, search=proved)
        words = (f"{qi.column} left out",)
        return Change("column", request, Concession(beyond), words, {f"quasi_identifiers.{key}": None})

    def limit(self, limit: Fraction) -> Change:
        """A greater suppression limit."""
        decimal = Decimal(limit.numerator) / Decimal(limit.denominator)
        request, asked = self._with(suppression_limit=decimal), self.resolved.limit
        units = "rows" if self.resolved.entity is None else "persons"
        most = f"{_percent(asked)} at most" if asked else "none"
        words = (f"up to {_percent(limit)} of the {units} suppressed instead of {most}",)
        given_up = replace(self._nothing(), more_suppressed=limit - asked)
        return Change("suppression", request, given_up, words, {"suppression_limit": decimal_text(limit)})

    def smaller_k(self, k: int) -> Change:
        """A smaller k."""
        asked = self._request.k
        words = (f"a k of {k:,} instead of {asked:,}",)
        return Change("k", self._with(k=k), replace(self._nothing(), less_k=asked - k), words, {"k": k})

    def local(self) -> Change:
        """Local recoding."""
        words = ("one level a column for all rows (local recoding: rare rows get coarser ones)",)
        request = self._with(recoding="local")
        return Change("local", request, replace(self._nothing(), local=True), words, {"recoding": "local"})

    def mondrian(self) -> Iterator[Change]:
        """Mondrian along the hierarchies; else at medians, where every original value is accepted."""
        given_up = replace(self._nothing(), mondrian=True)
        words = ("one level a column for all rows (Mondrian: each class has its own, up to `*`)",)
        for variant in ("hierarchy", "median"):
            along = variant == "hierarchy"
            if not along and any(qi.base for qi in self.resolved.qis):
                continue
            changes: dict[str, str | int | None] = {"method": "mondrian", VARIANT: variant}
            changes |= {f"quasi_identifiers.{key}.to": None for key in self._keys}
            if not along:
                words = ("one level a column for all rows (Mondrian: each class has ranges or sets of values)",)
            try:
                request = _mondrian(self._request, self.resolved, variant)
            except ValueError:  # a name or a model that requests for Mondrian do not have
                continue
            yield Change("mondrian", request, given_up, words, changes)


def _mondrian(request: GeneralizationRequest, resolved: Resolved, variant: str) -> Request:
    shared = request.model_dump(
        mode="python",
        by_alias=True,
        exclude_unset=True,
        include={"title", "dataset", "where", "k", "identifiers", "keep", "allow_identifying", "release", "sensitive"},
    )
    columns = {
        key: {"hierarchy": each.hierarchy} | ({"from": qi.base} if variant == "hierarchy" and qi.base else {})
        for (key, each), qi in zip(request.quasi_identifiers.items(), resolved.qis, strict=True)
    }
    given = {"method": "mondrian", "quasi_identifiers": columns, "mondrian": {"variant": variant}}
    return MondrianRequest.model_validate(shared | given)


def _raised(qi: ResolvedQI, level: int) -> str:
    return "as `*`" if level == qi.hierarchy.top else f"in {qi.hierarchy.levels[level].name}"


def _named(qi: ResolvedQI, level: int) -> str | None:
    """The name of a level; None for the values themselves."""
    return qi.hierarchy.levels[level].name if level else None


def _listed(columns: Sequence[str], raised: str, named: str | None) -> str:
    """Columns that are raised alike: `age in 10 years instead of 5 years`."""
    *first, last = columns
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{listed} {raised} instead of {named or ('their own values' if first else 'its own values')}"


def _percent(share: Fraction) -> str:
    return f"{decimal_text(share * 100)} %"


def numbered(
    found: Sequence[tuple[Change, OfferFigures]], read: Callable[[Request], ReadRequest[Request]]
) -> tuple[Offer, ...]:
    """The offers of these changes, numbered from 1."""
    return tuple(
        Offer(number, each.kind, each.gives_up, each.changes, figures, each.concession, read(each.request))
        for number, (each, figures) in enumerate(found, start=1)
    )


def offer_of(offers: Offers, number: int) -> Offer:
    """The offer of that number. Raises InputError where there is none."""
    if 1 <= number <= len(offers.offers):
        return offers.offers[number - 1]
    there = "there are none" if not offers.offers else f"there are {len(offers.offers)}"
    if offers.status == "passes":
        there = "the request passes as it is"
    raise InputError(
        f"there is no offer {number:,} of this request: {there}",
        where="--offer",
        next_step="`ordermade request offers FILE` shows them.",
    )


def offer_table(offers: Offers, objective: str | None = None) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The headings and a row an offer: the change, its k, the detail given up, the suppressed rows.

    With an `objective` also the classes and the raw losses, by it and by `loss`. Of tables the published cells, and the
    share of all that are suppressed.
    """
    if any("suppressed_cells" in each.figures.loss for each in offers.offers):
        return ("offer", "instead", "k", "cells published", "cells suppressed"), list(map(_of_tables, offers.offers))
    named = () if objective is None else tuple(dict.fromkeys((objective, "loss")))
    rows = [
        (
            each.number,
            "; ".join(each.gives_up),
            each.figures.k,
            loss_in_words(shares(each.figures.loss, Extremes())),
            _suppressed(each, offers.least_k),
            *(() if objective is None else (each.figures.divisions,)),
            *(each.figures.loss.get(name) for name in named),
        )
        for each in offers.offers
    ]
    more = () if objective is None else ("classes", *named)
    if any(each.beside for each in offers.offers):
        more = (*more, "beside releases")
        rows = [(*row, each.beside) for row, each in zip(rows, offers.offers, strict=True)]
    return ("offer", "instead", "k", "detail given up", "rows suppressed", *more), rows


def _of_tables(offer: Offer) -> tuple[Any, ...]:
    share = offer.figures.loss.get("suppressed_cells")
    suppressed = percent(share) if isinstance(share, int | float) else None
    return (offer.number, "; ".join(offer.gives_up), offer.figures.k, offer.figures.divisions, suppressed)


def _suppressed(offer: Offer, least_k: int) -> str:
    rows = offer.figures.suppressed_rows
    if rows == 0:
        return "0"
    return in_words(0 if rows is None else rows, least_k)


def beneath(offers: Offers, *, cost: bool = True) -> Iterable[str]:
    """The lines beneath the table: how the list falls short, and its `cost`."""
    for each in offers.left_out:
        yield f"{each[:1].upper()}{each[1:]}."
    if cost:
        yield f"Nodes measured for the offers: {offers.nodes_measured:,}."
