"""A request for Mondrian held against the dataset's columns and the registered hierarchies: nothing is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from ordermade.hierarchies.column_types import is_date, is_number
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.requests.mondrian import Labels, MondrianRequest, SplitChoice, Variant
from ordermade.requests.problems import FieldPath
from ordermade.requests.resolving import ResolvedRequest
from ordermade.requests.sensitive import ResolvedSensitive

if TYPE_CHECKING:
    from ordermade.requests.resolve_rules import ResolvedRules

Kind: TypeAlias = Literal["nested", "ordered", "tree", "unordered"]
"""How the values of an attribute are split.

`nested`: into the children of a class in the hierarchy. `ordered`: numbers and dates, cut in two. `tree`: values of a
hierarchy, cut in two in the order of its leaves. `unordered`: parted into two sets.
"""


@dataclass(frozen=True, slots=True)
class ResolvedSplit:
    """One quasi-identifier: the column as stored, its SQL type, its hierarchy (None: it has none), how it is split.

    `finest`: the finest level accepted, by number; 0 of every kind but `nested`.
    """

    column: str
    column_type: str
    hierarchy: Hierarchy | None
    finest: int
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedMondrian(ResolvedRequest):
    """A request for Mondrian that fits its dataset: quasi-identifiers in the order of the request.

    `target`: the column that information gain looks at, as stored. `rules`: None where the request names no file.
    """

    request: MondrianRequest
    qis: tuple[ResolvedSplit, ...]
    sensitive: tuple[ResolvedSensitive, ...] = ()
    target: str | None = None
    rules: ResolvedRules | None = None

    @property
    def variant(self) -> Variant:
        """Whether groups are cut at medians or split along hierarchies."""
        return self.request.mondrian.variant

    @property
    def strict(self) -> bool:
        """Whether values equal to a median stay together."""
        return self.request.mondrian.strict

    @property
    def split(self) -> SplitChoice:
        """What the attribute is chosen by that a group is split on."""
        return self.request.mondrian.split

    @property
    def labels(self) -> Labels:
        """What numbers and dates that are cut are released as."""
        return self.request.mondrian.labels

    @property
    def as_they_are(self) -> tuple[tuple[str, FieldPath], ...]:
        """Kept and sensitive columns, and those that are split along their hierarchy down to level 0.

        Intervals and sets are texts, also where they have one value.
        """
        return (
            *((each, ("keep",)) for each in self.keep),
            *((each.column, ("sensitive", each.column)) for each in self.sensitive),
            *(
                (each.column, ("quasi_identifiers", each.column))
                for each in self.qis
                if each.kind == "nested" and each.finest == 0
            ),
        )


def kind_of(variant: Variant, column_type: str, *, hierarchy: bool) -> Kind:
    """How the values of a column of this SQL type are split, with a hierarchy or without."""
    if hierarchy and variant == "hierarchy":
        return "nested"
    if is_number(column_type) or is_date(column_type):
        return "ordered"
    return "tree" if hierarchy else "unordered"
