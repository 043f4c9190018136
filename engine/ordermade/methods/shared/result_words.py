"""A result as it is shown, whatever its method: columns with examples, a few facts in words; the rest for who wants it.

Screens and cards go by the same words. Losses stand as shares, from 0 (as it was) to 1 (all gone), raw figures beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell, counted
from ordermade.loss.shares import given_up, share

if TYPE_CHECKING:
    from ordermade.loss.shares import Extremes, LossShares, LossValues
    from ordermade.methods.shared.result import ColumnResult, Result

LEVEL_HEADINGS = ("quasi-identifier", "level", "level name")

MOST_KEPT = 10
"""Columns released as they were that are listed; of more, only their number is shown."""

COLUMN_HEADINGS = ("column", "level", "example")
ALL_COLUMN_HEADINGS = ("column", "hierarchy", "level", "example", "share lost")
LOSS_HEADINGS = ("loss", "share", "raw")
LOSS_RANGE = "Losses as shares: 0 is the table as it was, 1 all of it gone."

_OF_WHAT: Mapping[str, str] = {"sse_over_sst": "of the variance", "utility": "of the detail"}
_STATUS: Mapping[str, str] = {"released": "Released", "refused": "Refused", "stopped": "Not released"}


def percent(part: float) -> str:
    """A share in percent, to the digits that matter: `98 %`, `1.3 %`, `0.02 %`; never 0 or 100 where it is not."""
    number = 100 * part
    if number in (0, 100):
        return f"{number:.0f} %"
    if number < 0.01:
        return "less than 0.01 %"
    if number > 99:
        return "more than 99 %"
    return f"{number:.0f} %" if number >= 10 else f"{number:.2g} %"


def one_in(risk: float) -> str:
    """A risk in words, never less than it is: `1 in 50`."""
    return f"1 in {max(1, int(1 / risk + 1e-9)):,}" if risk > 0 else "none"


def heading(result: Result) -> str:
    """The first line: the outcome, the request, its title."""
    status = "Released before" if hasattr(result, "returned") else _STATUS.get(result.status, result.status)
    return f"{status}: request {result.request}" + (f", {result.title}" if result.title else "")


def column_rows(columns: Iterable[ColumnResult]) -> list[tuple[Any, ...]]:
    """A row a column: its level, and an example; of many columns released as they were, the first ones."""
    from ordermade.methods.shared.examples import in_words, level_in_words

    listed = list(columns)
    generalised = [each for each in listed if each.role == "quasi-identifier"]
    others = [each for each in listed if each.role != "quasi-identifier"]
    rows = [(each.column, level_in_words(each), in_words(each)) for each in (*generalised, *others[:MOST_KEPT])]
    if len(others) > MOST_KEPT:
        rows.append((f"… {len(others) - MOST_KEPT:,} more", None, "as it was"))
    return rows


def all_column_rows(columns: Iterable[ColumnResult]) -> list[tuple[Any, ...]]:
    """Everything about each column: hierarchy, level by number and name, example, share of its detail lost."""
    from ordermade.methods.shared.examples import in_words, level_in_words

    return [
        (
            each.column,
            each.hierarchy,
            level_in_words(each) if each.level is None else f"{each.level}, {each.level_name}",
            in_words(each),
            None if each.loss_share is None else round(each.loss_share, 4),
        )
        for each in columns
    ]


def facts(result: Result, limit: float | None = None, entity: str | None = None) -> Iterator[tuple[str, Any]]:
    """The few figures of a release that every reader wants: rows, k, risk and loss in words, and its place.

    `limit`: the share of rows (or persons) that may be suppressed; `entity`: the column that identifies persons.
    """
    release = result.release
    gone = result.suppressed_rows
    if result.rows is not None and result.k is not None:
        yield "rows", f"{result.rows - gone:,} of {result.rows:,} released"
        yield "suppressed", _suppressed(result, limit)
    if result.k is not None:
        asked = "" if result.k_requested is None else f"{result.k_requested:,} asked, "
        persons = "" if entity is None else f"; it counts persons, by {entity}"
        yield "k", f"{asked}{result.k:,} measured{persons}"
    yield from models(result)
    yield "risk", risk_in_words(result.risk)
    yield "detail given up", loss_in_words(result.loss_shares)
    yield "release", None if release is None else release.path


def _suppressed(result: Result, limit: float | None) -> str:
    rows, persons = result.suppressed_rows, result.suppressed_persons
    if not rows and not persons:
        words = "none"
    elif persons is None:
        words = counted(rows, "row")
    elif not rows:  # a release that was not written, whose persons alone were counted
        words = counted(persons, "person")
    else:
        words = f"{counted(rows, 'row')} of {counted(persons, 'person')}"
    if limit:
        words += f" (at most {percent(limit)} of the {'rows' if persons is None else 'persons'})"
    return words + (", released as *" if result.release is not None and result.release.star_rows else "")


def risk_in_words(risk: Mapping[str, float]) -> str | None:
    """The risk of the worst class and the average one: `at best 1 in 50 in the smallest class, …`."""
    if "prosecutor" not in risk:
        return None
    worst = f"at best {one_in(risk['prosecutor'])} in the smallest class"
    return worst if "marketer" not in risk else f"{worst}, {one_in(risk['marketer'])} on average"


def loss_in_words(shares: LossShares) -> str | None:
    """The one loss that speaks for a release: `33 %`; of numbers, the part of their variance."""
    found = given_up(shares)
    if found is None:
        return None
    metric, lost = found
    return f"{percent(lost)} {_OF_WHAT[metric]}" if metric == "sse_over_sst" else percent(lost)


def models(result: Result) -> Iterator[tuple[str, Any]]:
    """The measured figure of each model of a sensitive column."""
    for each, figure in zip(result.privacy, privacy_facts(result), strict=True):
        if each.column is not None:
            yield figure


def loss_rows(losses: LossValues, extremes: Extremes) -> list[tuple[str, Any, Any]]:
    """A row a loss: its name, its share and its raw figure; those of an attribute by their names."""
    rows: list[tuple[str, Any, Any]] = []
    for metric, value in losses.items():
        parts = value if isinstance(value, Mapping) else {"": value}
        for of, each in parts.items():
            if each is not None:
                shown = share(metric, float(each), extremes)
                rows.append((f"{metric} of {of}" if of else metric, None if shown is None else round(shown, 4), each))
    return rows


def cost(queries: int, seconds: float, *besides: str) -> str:
    """The statements that ran in the source and the seconds, in words."""
    return ", ".join([counted(queries, "source query", "source queries"), *besides, f"{seconds:.2f} s"])


def privacy_facts(result: Result) -> Iterable[tuple[str, Any]]:
    """The measured figures of each model and risk of the release."""
    for each in result.privacy:
        unmeasured = "holds where it was counted; the release alone does not show it"
        named = each.figure if each.column is None else f"{each.column}: {each.figure}"
        yield named, unmeasured if each.value is None else f"{cell(each.value)} measured"
