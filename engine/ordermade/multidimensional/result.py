"""The result of a request for Mondrian: how its classes were made, what they keep, and which rules they serve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ordermade.answering.costs import Costs
from ordermade.answering.result import Result


@dataclass(frozen=True, slots=True)
class SplitAttribute:
    """One quasi-identifier in the release.

    `loss`: the mean share of its domain that the released labels cover, from 0 to 1. `kept`: the rows whose label is
    below `*`. Of one that is split along its hierarchy: `rows` at each level, by its name, finest first.
    """

    column: str
    hierarchy: str | None
    loss: float
    kept: int
    rows: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MondrianReport:
    """The report on how the classes of a release were made.

    `groups` of `smallest` to `largest` rows after so many splits `made`, of the `tried`. `prec` (Sweeney 2002): 1 - the
    mean share of its height that a value was generalised by, higher is better; of an attribute without levels the share
    of the domain that its label covers. `labels`: the released form of numbers and dates; None where there are none.
    """

    variant: str
    split: str
    strict: bool
    labels: str | None
    groups: int
    smallest: int
    largest: int
    made: int
    tried: int
    prec: float
    attributes: tuple[SplitAttribute, ...]


@dataclass(frozen=True, slots=True)
class Service:
    """The service of a table by one rule: `served` rows (or persons) are in classes that lie in it by half or more.

    `recall`: of those whom the rule means, the share that is served; `precision`: of those served, the share that it
    means. None where there is nobody to take the share of.
    """

    served: int
    recall: float | None
    precision: float | None


@dataclass(frozen=True, slots=True)
class RuleReport:
    """One recommendation rule before and after.

    `meant`: the rows (or persons) that it means; `before` and `after`: the service of the original table and of the
    release. Counts in the original are rounded to multiples of k (so are persons served, unless the release has
    pseudonyms), and shares are those of rounded counts: exact counts of two rules that hardly differ could reveal fewer
    than k. All None where the rule means fewer than k, or nobody.
    """

    item: str
    weight: float
    meant: int | None
    before: Service | None
    after: Service | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MondrianResult(Result):
    """The answer to one request for Mondrian; `mondrian` is None where it was refused.

    `recommendation`: one report a rule, in the order of the rules file; empty without rules.
    """

    mondrian: MondrianReport | None = None
    recommendation: tuple[RuleReport, ...] = ()
    cost: Costs
