"""What `ordermade measure` tells of a table: facts, tables, one JSON object. Counts only, no value of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ordermade.cli.screen import cell

if TYPE_CHECKING:
    from ordermade.measuring.table_figures import MeasuredTable, Risks, SensitiveFigures

BELOW_HEADINGS = ("k", "classes below", "in them", "share")
SIZE_HEADINGS = ("size", "classes", "in them", "share")
BINS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""The least sizes of the bins of the histogram, as it is shown; past them, 2, 5, 10 times so much."""


def document(found: MeasuredTable, fraction: Fraction) -> dict[str, Any]:
    """Everything that was measured, as one object."""
    return {
        "table": found.name,
        "where": found.filter,
        "unit": found.unit,
        "rows": found.rows,
        "persons": None if found.entity is None else found.units,
        "entity": found.entity,
        "quasi_identifiers": found.quasi_identifiers,
        "k": found.k,
        "classes": found.classes.divisions,
        "classes_of_one": found.classes_of_one,
        "average_class": found.average_class,
        "largest_class": found.largest_class,
        "class_sizes": [{"size": size, "classes": classes} for size, classes in found.classes.sizes],
        "below": found.below(),
        "risks": {
            "sampling_fraction": float(fraction),
            "prosecutor": _risks(found.risks()),
            "journalist": _risks(found.risks(fraction)),
            "marketer": float(found.marketer(fraction)),
        },
        "sensitive": [_sensitive(each) for each in found.sensitive],
    }


def facts(found: MeasuredTable) -> Iterator[tuple[str, Any]]:
    """The table and its classes in a few lines."""
    yield "table", found.name
    yield "where", found.filter
    yield "rows", found.rows
    if found.entity is not None:
        yield "persons", f"{found.units:,} (told apart by {found.entity})"
    yield "quasi-identifiers", [f"{each.name} ({each.values:,})" for each in found.quasi_identifiers]
    yield "k", found.k
    yield "classes", found.classes.divisions
    yield "classes of one", f"{found.classes_of_one:,} ({_percent(found.classes_of_one / found.classes.divisions)})"
    yield "class sizes", f"{found.k:,} to {found.largest_class:,}, {cell(found.average_class)} on average"


def below_title(found: MeasuredTable) -> str:
    """What stands above the table of classes smaller than k."""
    return f"What falls short of k ({found.unit}):"


def below_rows(found: MeasuredTable) -> list[tuple[Any, ...]]:
    """Classes smaller than each k, and what is in them."""
    return [(each.k, each.classes, each.units, _percent(each.share)) for each in found.below()]


def size_rows(found: MeasuredTable) -> list[tuple[Any, ...]]:
    """The histogram of class sizes in bins; those without classes are left out."""
    rows = []
    for low, high in bins(found.largest_class):
        classes = sum(classes for size, classes in found.classes.sizes if low <= size <= high)
        units = sum(units for size, units in found.units_by_size if low <= size <= high)
        if classes:
            name = f"{low:,}" if low == high else f"{low:,}-{high:,}"
            rows.append((name, classes, units, _percent(units / found.units)))
    return rows


def bins(largest: int) -> list[tuple[int, int]]:
    """The least and the greatest size of each bin, up to the one that the largest class falls into."""
    lows = list(BINS)
    while lows[-1] <= largest:
        lows += [lows[-1] * 2, lows[-1] * 5, lows[-1] * 10]
    return [(low, following - 1) for low, following in pairwise(lows) if low <= largest]


def risk_headings(fraction: Fraction) -> tuple[str, ...]:
    """Whose risks are told: the journalist's only where the table is a sample."""
    return ("risk", "prosecutor", *(("journalist",) if fraction != 1 else ()), "marketer")


def risk_rows(found: MeasuredTable, fraction: Fraction) -> list[tuple[Any, ...]]:
    """The risks of who knows that a person is in the table, who does not, and who links all that can be linked."""
    told = [found.risks(each) for each in ((Fraction(1), fraction) if fraction != 1 else (Fraction(1),))]
    rows: list[tuple[Any, ...]] = [
        ("highest", *(float(each.highest) for each in told), None),
        ("average", *(float(each.average) for each in told), float(found.marketer(fraction))),
    ]
    for at, (threshold, _) in enumerate(told[0].above):
        rows.append((f"share of {found.unit} above {_plain(threshold)}", *(each.above[at][1] for each in told), None))
    for at, (percent, _) in enumerate(told[0].percentiles):
        name = "median" if percent == 50 else f"percentile {percent}"
        rows.append((name, *(float(each.percentiles[at][1]) for each in told), None))
    return rows


def sensitive_headings(found: MeasuredTable) -> tuple[str, ...]:
    """The sensitive columns."""
    return ("worst class", *(each.column.name for each in found.sensitive))


def sensitive_rows(found: MeasuredTable) -> list[tuple[Any, ...]]:
    """Each figure of each sensitive column."""
    figures: tuple[tuple[str, Callable[[SensitiveFigures], Any]], ...] = (
        ("values in the table", lambda each: each.column.values),
        ("distinct l", lambda each: each.distinct_l),
        ("entropy l", lambda each: each.entropy_l),
        ("recursive (c, 2), c above", lambda each: each.recursive_c[0][1] if each.recursive_c else None),
        ("t, equal distances", lambda each: each.t_equal),
        ("t, ordered", lambda each: each.t_ordered),
        ("alpha", lambda each: each.alpha),
        ("beta, basic", lambda each: each.beta_basic),
        ("beta, enhanced", lambda each: each.beta_enhanced),
        ("delta", lambda each: each.delta),
    )
    return [(name, *(figure(each) for each in found.sensitive)) for name, figure in figures]


def notes(found: MeasuredTable) -> Iterator[str]:
    """What one would not expect of the columns."""
    columns = (*found.quasi_identifiers, *(each.column for each in found.sensitive))
    empty = [each.name for each in columns if each.nulls == found.rows]
    if empty:
        yield f"Every row is NULL in {cell(empty)}: measured as one value like others."
    for each in found.sensitive:
        if 0 < each.column.values < 2 and each.column.name not in empty:
            yield f"Every row has the same value in {each.column.name}: whoever knows the table knows it."


def _sensitive(each: SensitiveFigures) -> dict[str, Any]:
    return {
        "column": each.column.name,
        "type": each.column.type,
        "values": each.column.values,
        "nulls": each.column.nulls,
        "distinct_l": each.distinct_l,
        "entropy_l": each.entropy_l,
        "recursive_cl": [{"l": length, "c_above": c} for length, c in each.recursive_c],
        "t_equal": each.t_equal,
        "t_ordered": each.t_ordered,
        "alpha": each.alpha,
        "beta_basic": each.beta_basic,
        "beta_enhanced": each.beta_enhanced,
        "delta": each.delta,
    }


def _risks(risks: Risks) -> dict[str, Any]:
    return {
        "highest": float(risks.highest),
        "average": float(risks.average),
        "share_above": {_plain(threshold): share for threshold, share in risks.above},
        "percentiles": {str(percent): float(risk) for percent, risk in risks.percentiles},
    }


def _percent(share: float) -> str:
    """With two decimals, and neither 0 nor 100 where it is not."""
    if 0 < share < 0.00005:
        return "< 0.01 %"
    return "> 99.99 %" if 0.99995 < share < 1 else f"{100 * share:.2f} %"


def risk_title(found: MeasuredTable, fraction: Fraction) -> str:
    """What the risks are of."""
    sample = "" if fraction == 1 else f", a sample of {_plain(fraction)} of the population"
    return f"Risk of being recognised ({found.unit}{sample}):"


def _plain(share: Fraction) -> str:
    return f"{float(share):g}"
