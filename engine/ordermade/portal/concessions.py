"""What a request gives up that is offered instead of another: column by column, and in its limits. Pure.

The pages say it in the words of `offers/offer.py`, in their language; a hierarchy is drawn as a ladder of its levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.portal.request_facts import RequestColumn, RequestFacts

if TYPE_CHECKING:
    from ordermade.service.user_catalogue import OfferedDataset, OfferedLevel

NO_SUPPRESSION = "0 %"
"""The suppression limit of a request that says none."""


@dataclass(frozen=True, slots=True)
class LevelSpan:
    """The levels that a request accepts of a column, by their places on the ladder: the finest has place 0."""

    finest: int
    coarsest: int


@dataclass(frozen=True, slots=True)
class ComparedColumn:
    """A column of two requests, None where one has it not.

    `ladder`: the names of the levels of its hierarchy, the finest first; empty where the two have not the same one, or
    it is not one that users see. The spans are None where they are not on it.
    """

    name: str
    asked: RequestColumn | None
    offered: RequestColumn | None
    ladder: tuple[str, ...] = ()
    asked_span: LevelSpan | None = None
    offered_span: LevelSpan | None = None

    @property
    def differs(self) -> bool:
        """Whether it is another in the two."""
        return self.asked != self.offered

    def is_given_up(self, same_method: bool) -> bool:
        """Whether it is named among what is given up: it differs, by one method, or one request has no level of it."""
        return self.differs and (same_method or self.asked is None or self.offered is None)


@dataclass(frozen=True, slots=True)
class ComparedRequests:
    """Two requests, and their columns: those of the first, then what the second has besides."""

    asked: RequestFacts
    offered: RequestFacts
    columns: tuple[ComparedColumn, ...]

    @property
    def same_method(self) -> bool:
        """Whether both are answered by the same method."""
        return self.asked.method == self.offered.method

    @property
    def differs(self) -> bool:
        """Whether anything that is compared differs."""
        return any(each.differs for each in self.columns) or _bounds(self.asked) != _bounds(self.offered)


def _bounds(found: RequestFacts) -> tuple[object, ...]:
    limit = found.suppression or NO_SUPPRESSION
    return (found.k, limit, found.method, found.recoding, found.where, found.shape)


def compared(asked: str, offered: str, dataset: OfferedDataset | None) -> ComparedRequests:
    """Two texts of requests, with the ladders of the hierarchies that `dataset` shows."""
    one, other = RequestFacts.of(asked, dataset), RequestFacts.of(offered, dataset)
    of_one = {each.name.casefold(): each for each in one.columns}
    of_other = {each.name.casefold(): each for each in other.columns}
    return ComparedRequests(
        one,
        other,
        tuple(
            _column((of_one.get(name) or of_other[name]).name, of_one.get(name), of_other.get(name), dataset)
            for name in dict.fromkeys((*of_one, *of_other))
        ),
    )


def _column(
    name: str, asked: RequestColumn | None, offered: RequestColumn | None, dataset: OfferedDataset | None
) -> ComparedColumn:
    named = {each.hierarchy for each in (asked, offered) if each is not None and each.use == "generalised"}
    levels = _levels(named.pop(), dataset) if len(named) == 1 else ()
    return ComparedColumn(
        name, asked, offered, tuple(each.name for each in levels), _span(asked, levels), _span(offered, levels)
    )


def _levels(hierarchy: str, dataset: OfferedDataset | None) -> tuple[OfferedLevel, ...]:
    columns = () if dataset is None else dataset.columns
    return next((each.levels for column in columns for each in column.hierarchies if each.name == hierarchy), ())


def _span(column: RequestColumn | None, levels: tuple[OfferedLevel, ...]) -> LevelSpan | None:
    if column is None or column.use != "generalised" or not levels:
        return None
    places = {str(each.number): each.number for each in levels} | {each.name: each.number for each in levels}
    finest = places.get(column.finest or "0")
    coarsest = places.get(column.coarsest) if column.coarsest else len(levels) - 1
    return None if finest is None or coarsest is None else LevelSpan(finest, max(finest, coarsest))
