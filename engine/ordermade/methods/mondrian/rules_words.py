"""Drafted and checked rules as they are shown: their figures, rounded to multiples of k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell

if TYPE_CHECKING:
    from ordermade.methods.mondrian.rule_wording import Said
    from ordermade.methods.mondrian.rules import CheckedRules
    from ordermade.methods.mondrian.suggest import Suggestion


def facts(found: Suggestion) -> Iterator[tuple[str, Any]]:
    """The dataset and the thresholds, in a few lines."""
    thresholds = found.thresholds
    yield "dataset", found.dataset
    yield "where", found.filter
    yield "target", found.target
    yield "columns", [f"{each} ({found.hierarchies.get(each, 'values')})" for each in found.columns]
    yield found.unit, f"about {found.everybody:,}"
    yield (
        "thresholds",
        f"lift {cell(thresholds.lift)}, support {cell(thresholds.support)}, k {thresholds.k:,}",
    )
    yield "rules", f"{len(found.rules):,} of {found.found:,}"


def rule_headings(found: Suggestion) -> tuple[str, ...]:
    """The figures of each drafted rule."""
    return ("item", "when", "lift", "confidence", "support", f"{found.unit}, about")


def rule_rows(found: Suggestion) -> list[tuple[Any, ...]]:
    """One row a rule."""
    return [
        (each.item, " and ".join(_when(each.when)), each.lift, each.confidence, each.support, each.persons)
        for each in found.rules
    ]


def _when(when: Mapping[str, Said]) -> Iterator[str]:
    from ordermade.methods.mondrian.rule_wording import Between

    for column, said in when.items():
        if not isinstance(said, Between):
            yield f"{column} {said}"
        else:
            yield f"{column} {said.low}" if said.low == said.high else f"{column} {said.low} to {said.high}"


def document(found: Suggestion) -> dict[str, Any]:
    """All figures as one object; the condition on a column is written like in a rules file."""
    thresholds = found.thresholds
    return {
        "dataset": found.dataset,
        "where": found.filter,
        "target": found.target,
        "columns": found.columns,
        "hierarchies": found.hierarchies,
        "thresholds": {
            "k": thresholds.k,
            "support": thresholds.support,
            "lift": thresholds.lift,
            "attributes": thresholds.conditions,
        },
        "unit": found.unit,
        "everybody": found.everybody,
        "found": found.found,
        "rules": [
            {
                "item": each.item,
                "when": {column: _in_json(said) for column, said in each.when.items()},
                "lift": each.lift,
                "confidence": each.confidence,
                "support": each.support,
                "about": each.persons,
            }
            for each in found.rules
        ],
    }


def checked_headings(found: CheckedRules) -> tuple[str, ...]:
    """The figures of each rule of a request."""
    return ("rule", "item", "weight", f"{found.unit} meant, about", "can be served")


def checked_rows(found: CheckedRules) -> list[tuple[Any, ...]]:
    """One row a rule, numbered as in the file."""
    fewer = f"fewer than {found.k:,}"
    return [
        (place, each.item, each.weight, fewer if each.meant is None else each.meant, "no" if each.reasons else "maybe")
        for place, each in enumerate(found.rules, start=1)
    ]


def reasons(found: CheckedRules) -> Iterator[str]:
    """The reasons why rules cannot be served, a line each, and the number of such rules."""
    yield ""
    for place, each in enumerate(found.rules, start=1):
        yield from (f"Rule {place}, {each.item}: {reason}." for reason in each.reasons)
    yield f"{found.unserved:,} of {len(found.rules):,} rules cannot be served by any release of this request."


def checked_document(found: CheckedRules) -> dict[str, Any]:
    """The figures of the rules of a request, as one object; an audience below k has no number."""
    return {
        "dataset": found.dataset,
        "k": found.k,
        "unit": found.unit,
        "rules": [
            {
                "item": each.item,
                "weight": each.weight,
                "about": each.meant,
                "fewer_than_k": each.meant is None,
                "can_be_served": not each.reasons,
                "reasons": each.reasons,
            }
            for each in found.rules
        ],
    }


def _in_json(said: Said) -> Any:
    from ordermade.methods.mondrian.rule_wording import Between
    from ordermade.requests.read import scalar

    if not isinstance(said, Between):
        return said
    low, high = (float(end) if isinstance(end, Decimal) else end for end in (scalar(said.low), scalar(said.high)))
    return low if low == high else [low, high]
