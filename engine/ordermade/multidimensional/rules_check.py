"""Find the rules that no release can serve, with reasons that hold for every partition of a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import quoted
from ordermade.mondrian.domains import Codes
from ordermade.mondrian.servable import Limits, limits
from ordermade.mondrian.served import LEAST, TOLERANCE
from ordermade.multidimensional.columns import Column
from ordermade.multidimensional.rules import guide_of
from ordermade.requests.resolve_rules import ResolvedRules

if TYPE_CHECKING:
    from ordermade.requests.mondrian import Labels


@dataclass(frozen=True, slots=True)
class CheckedRule:
    """A rule of the file, the number it means, and the reasons against it.

    `meant`: the rows (or persons) that it means; None where they are fewer than k, or none.
    `reasons`: why no release can serve anybody whom it means, each with a remedy; empty where none is known.
    """

    item: str
    weight: float
    meant: int | None
    reasons: tuple[str, ...]


def checked_rules(
    rules: ResolvedRules,
    columns: Sequence[Column],
    codes: Codes,
    k: int,
    *,
    persons: Codes | None = None,
    labels: Labels = "interval",
) -> tuple[CheckedRule, ...]:
    """Every rule in the order of the file, over columns as they were pulled (see `Records`).

    `codes`: those of the records, a row a record. `persons`: the number of each record's person, from 0, where k counts
    persons. `labels`: the released form of numbers and dates that are cut.
    """
    guide, domains = guide_of(rules, columns), [column.domain for column in columns]
    found = []
    for number, rule in enumerate(rules.rules):
        known = limits(guide, number, domains, codes, k, persons=persons, intervals=labels == "interval")
        meant = known.meant if known.meant >= k else None
        reasons = tuple(_reasons(known, columns, k, "rows" if persons is None else "persons"))
        found.append(CheckedRule(rule.item, float(rule.weight), meant, reasons))
    return tuple(found)


def _reasons(known: Limits, columns: Sequence[Column], k: int, units: str) -> Iterator[str]:
    """The reasons why a rule of these limits cannot be served.

    Without the shares: those of classes that consist of the values which occur would reveal how many these are.
    """
    if known.meant < k:  # a reason would reveal whether there is anybody
        return
    coarse = [column for share, column in zip(known.shares, columns, strict=True) if _too_little(share)]
    for column in coarse:
        yield (
            f"no class of {quoted(column.column)} from {_finest(column)} up lies half inside it; accept a finer level, "
            "or ask for whole classes"
        )
    if coarse:
        return
    if _too_little(known.together):
        yield (
            "each class may lie half inside it, but no combination of classes does; accept finer levels, or ask for "
            "whole classes"
        )
    elif not known.crowded:
        yield (
            f"fewer than k = {k:,} {units} live in any one combination of classes or intervals that lies half inside "
            "it; ask for more, or accept a smaller k"
        )


def _too_little(share: float) -> bool:
    return share < LEAST - TOLERANCE


def _finest(column: Column) -> str:
    """The finest level of a column with a hierarchy that is accepted."""
    finest = column.wanted.finest
    return f"level {finest}" if column.grounded is None else f"level {column.grounded.hierarchy.levels[finest].name}"
