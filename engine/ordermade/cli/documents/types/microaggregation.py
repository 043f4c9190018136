"""The types of the documents of `ordermade microaggregation`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class GroupingMethod(TypedDict):
    """A method of making groups."""

    name: str
    """Its name in requests."""
    words: str
    """The method in one sentence."""
    source: str
    """The paper that it is from."""
    takes: str
    """The attributes that it takes."""
    options: list[str]
    """The options of a request that it alone reads."""


class MethodList(Opening):
    """The methods of making groups."""

    command: Literal["microaggregation methods"]
    """`microaggregation methods`."""
    methods: list[GroupingMethod]
    """The methods."""


class ComparedOptions(TypedDict):
    """The options of every method."""

    gamma: float
    """Of vmdav: how readily a group takes a near record."""
    anchors: int
    """Of fdh: the records at the centres of regions."""
    seed: int
    """The seed of the random choices."""
    improve: bool
    """Whether groups are improved."""
    seconds: float
    """The most seconds of each method at each k."""


class ComparedMethod(TypedDict):
    """One method at one k."""

    algorithm: str
    """The method."""
    k: int
    """The k."""
    loss: float
    """SSE / SST, from 0 to 1."""
    groups: int
    """The number of groups."""
    largest: int
    """The records of the largest."""
    seconds: float
    """The seconds."""
    chosen: str
    """The method whose groups they are: another one for `auto` alone."""


class Comparison(Opening):
    """The losses of methods on a table; nothing is released."""

    command: Literal["microaggregation compare"]
    """`microaggregation compare`."""
    table: str
    """The table."""
    where: str | None
    """The row filter."""
    rows: int
    """Its rows."""
    attributes: list[str]
    """The columns that groups are made by."""
    standardised: bool
    """Whether each column counts as if its variance were 1."""
    options: ComparedOptions
    """The options."""
    outcomes: list[ComparedMethod]
    """The outcome of each method at each k."""
