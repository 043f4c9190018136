"""The types of the documents of `ordermade rules`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class CheckedRule(TypedDict):
    """A recommendation rule of a request."""

    item: str
    """Its item."""
    weight: float
    """Its weight."""
    about: int | None
    """The persons (or rows) that it means, rounded to a multiple of k; null where fewer than k."""
    fewer_than_k: bool
    """Whether they are fewer than k."""
    can_be_served: bool
    """Whether some release may serve it."""
    reasons: list[str]
    """The reasons why none can."""


class RulesChecked(Opening):
    """The audience of each rule of a request."""

    command: Literal["rules check"]
    """`rules check`."""
    dataset: str
    """The dataset."""
    k: int
    """The k of the request."""
    unit: str
    """`persons` or `rows`."""
    rules: list[CheckedRule]
    """The rules, in the order of their file."""


class Thresholds(TypedDict):
    """The least figures of a drafted rule."""

    k: int
    """The least number of persons (or rows) behind it."""
    support: float
    """The least support."""
    lift: float
    """The least lift."""
    attributes: int
    """The most columns of a rule."""


class DraftedRule(TypedDict):
    """A drafted rule."""

    item: str
    """Its item."""
    when: dict[str, str | float | list[str | float]]
    """Its condition on each column: a label, or the least and the greatest value."""
    lift: float
    """The share of its audience that has the item, against that of everybody."""
    confidence: float
    """The share of its audience that has the item."""
    support: float
    """The share of everybody in the audience with the item."""
    about: int
    """Its audience, rounded to a multiple of k."""


class RulesSuggested(Opening):
    """Rules were drafted from a dataset."""

    command: Literal["rules suggest"]
    """`rules suggest`."""
    dataset: str
    """The dataset."""
    where: str | None
    """The row filter."""
    target: str
    """The column of items."""
    columns: list[str]
    """The columns that rules may use."""
    hierarchies: dict[str, str]
    """The hierarchies whose classes conditions use, by column."""
    thresholds: Thresholds
    """The least figures of a rule."""
    unit: str
    """`persons` or `rows`."""
    everybody: int
    """Their number, rounded to a multiple of k."""
    found: int
    """The number of rules that there are."""
    rules: list[DraftedRule]
    """The best of them."""
