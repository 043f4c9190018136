"""The documents of `ordermade rules`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.methods.mondrian.suggest import Suggestion, condition_in_json

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least figures of a drafted rule."""

    k: int
    """The least number of persons (or rows) behind it."""
    support: float
    """The least support."""
    lift: float
    """The least lift."""
    attributes: int
    """The most columns of a rule."""


@dataclass(frozen=True, slots=True)
class DraftedRule:
    """A drafted rule."""

    item: str
    """Its item."""
    when: Mapping[str, str | float | Sequence[str | float]]
    """Its condition on each column: a label, or the least and the greatest value."""
    lift: float
    """The share of its audience that has the item, against that of everybody."""
    confidence: float
    """The share of its audience that has the item."""
    support: float
    """The share of everybody in the audience with the item."""
    about: int
    """Its audience, rounded to a multiple of k."""


@dataclass(frozen=True, slots=True)
class RulesSuggested:
    """Rules were drafted from a dataset."""

    dataset: str
    """The dataset."""
    where: str | None
    """The row filter."""
    target: str
    """The column of items."""
    columns: Sequence[str]
    """The columns that rules may use."""
    hierarchies: Mapping[str, str]
    """The hierarchies whose classes conditions use, by column."""
    thresholds: Thresholds
    """The least figures of a rule."""
    unit: str
    """`persons` or `rows`."""
    everybody: int
    """Their number, rounded to a multiple of k."""
    found: int
    """The number of rules that there are."""
    rules: Sequence[DraftedRule]
    """The best of them."""


def suggested(found: Suggestion) -> RulesSuggested:
    """The drafted rules, the condition on a column written like in a rules file."""
    least = found.thresholds
    return RulesSuggested(
        dataset=found.dataset,
        where=found.filter,
        target=found.target,
        columns=found.columns,
        hierarchies=found.hierarchies,
        thresholds=Thresholds(least.k, least.support, least.lift, least.conditions),
        unit=found.unit,
        everybody=found.everybody,
        found=found.found,
        rules=tuple(
            DraftedRule(
                item=each.item,
                when={column: condition_in_json(said) for column, said in each.when.items()},
                lift=each.lift,
                confidence=each.confidence,
                support=each.support,
                about=each.persons,
            )
            for each in found.rules
        ),
    )
