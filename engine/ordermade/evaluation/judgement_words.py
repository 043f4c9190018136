"""A judgement of a release as it is shown: counts and shares, no customer, no item, no amount."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.evaluation.attacks import Attacked
    from ordermade.evaluation.judge import Judgement
    from ordermade.evaluation.utility import Month, Understood

LOSS_HEADINGS = ("column", "U", "deleted cells", "without the truth")
ATTACK_HEADINGS = ("by", "attempts", "hits", "1/k predicts", "at most", "", "unsafe from", "verdict")
USE_HEADINGS = ("what", "after", "of")
MONTH_HEADINGS = ("month", "before", "after", "share of after")


def document(found: Judgement) -> dict[str, Any]:
    """The whole judgement as one object."""
    roles, loss, use = found.roles, found.loss, found.understood
    return {
        "original": found.original,
        "release": found.release,
        "where": found.where,
        "columns": {
            "customer": roles.customer,
            "when": roles.when,
            "item": roles.item,
            "numbers": [
                {"column": name, "unit": float(unit or 1)}
                for name, unit in zip(roles.numbers, roles.units, strict=True)
            ],
            "pseudonym": found.pseudonym,
            "price": found.price,
            "quantity": found.quantity,
        },
        "classes": found.classes,
        "rows": {"original": loss.records, "release": found.released.written, "kept": loss.records - loss.deleted_rows},
        "customers": {"original": found.histories.customers, "released": found.histories.named},
        "pseudonyms": found.released.pseudonyms,
        "k": found.histories.k,
        "histories": found.histories.histories,
        "largest": found.histories.largest,
        "loss": {
            "utility": loss.utility,
            "utility_by_column": {each.name: each.utility for each in loss.columns},
            "utility_as_categories": loss.utility_as_categories,
            "deleted_share": loss.deleted_share,
            "deleted_rows": loss.deleted_rows,
            "deleted_cells": {each.name: each.deleted for each in loss.columns},
            "cells_without_the_truth": {each.name: each.untrue for each in loss.columns},
            "safety": found.safety,
            "total": found.total,
        },
        "attacks": found.attacks,
        "understood": {
            "sales_by_month": use.months,
            "sales_kept": use.sales_kept,
            "most_sold": use.most_sold,
            "segments": use.segments,
        },
    }


def facts(found: Judgement) -> Iterator[tuple[str, Any]]:
    """The judged release, and the figures of the contest."""
    loss, histories = found.loss, found.histories
    yield "original", found.original
    yield "where", found.where
    yield "release", found.release
    yield "rows", f"{loss.records:,}, of which {loss.deleted_rows:,} deleted ({_percent(loss.deleted_share)})"
    yield "customers", f"{histories.customers:,}, of whom {histories.named:,} in the release"
    if found.released.pseudonyms != histories.named:
        yield "pseudonyms", found.released.pseudonyms
    if found.classes is not None:
        yield "items", f"as categories: {found.classes}"
    yield "k", histories.k
    sizes = f"{histories.k:,}" + (f" to {histories.largest:,}" if histories.largest != histories.k else "")
    yield "histories", f"{histories.histories:,}, each of {sizes} customers"
    yield "utility U", _figure(loss.utility)
    if loss.utility_as_categories is not None:
        yield "U as scored in the paper", _figure(loss.utility_as_categories)
    yield "safety 1/k", _figure(found.safety)
    yield "total", _figure(found.total)


def loss_rows(found: Judgement) -> list[tuple[Any, ...]]:
    """The utility of each column, and the fate of its cells."""
    return [(each.name, _figure(each.utility), each.deleted, each.untrue) for each in found.loss.columns]


def attack_rows(attacks: Sequence[Attacked]) -> list[tuple[Any, ...]]:
    """Each attack, its hits beside what 1/k predicts, and the verdict of the threshold table."""
    return [
        (
            each.name,
            each.attempts,
            each.hits,
            round(each.expected, 1),
            round(each.most, 1),
            "within" if each.within else "MORE",
            each.unsafe_from,
            "unsafe" if each.unsafe else "safe",
        )
        for each in attacks
    ]


def use_rows(use: Understood) -> list[tuple[str, str, str]]:
    """Common analyses of purchases, and the share of each that the release preserves."""
    rows = []
    if use.sales_kept is not None:
        rows.append(("sales, by the middle of each cell", _percent(use.sales_kept), "100 %"))
    rows += [(f"the {each.most} items sold most", f"{each.found}", f"{each.most}") for each in use.most_sold]
    segments = use.segments
    fifths = (
        ("recency", segments.recency),
        ("frequency", segments.frequency),
        ("monetary value", segments.monetary),
        ("all of these", segments.all_of_them),
    )
    rows += [
        (f"customers in the same fifth by {name}", _percent(share), f"{segments.customers:,}")
        for name, share in fifths
        if share is not None
    ]
    return rows


def month_rows(months: Sequence[Month]) -> list[tuple[str, ...]]:
    """Each month's sales before and after, and its share of all released sales."""
    released = sum(each.after for each in months) or 1
    return [
        (each.month, _percent(each.before), _percent(each.after), _percent(each.after / released)) for each in months
    ]


def notes(found: Judgement) -> Iterator[str]:
    """Notes on the limits of these figures."""
    from ordermade.methods.histories.algorithm.loss_estimate import ARTEFACT

    if found.loss.untrue:
        yield (
            f"\n{found.loss.untrue:,} released cells do not hold the truth; they are scored by the same formula, which "
            "is made for cells that do."
        )
    if found.loss.utility_as_categories is not None:
        yield f"\n{ARTEFACT}"
    if found.understood.months is None:
        yield "\nNo sales are computed: they need a price and a quantity among the numbers (--price, --quantity)."


def _figure(value: float) -> str:
    return f"{value:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
