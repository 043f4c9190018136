"""The slots of a cluster: the values that their purchases share, the loss, and the released values."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.purchases.placed import view
from ordermade.purchases.records import Purchases
from ordermade.purchases.tables import SHOWN, SLOTS, error_column, high_column, low_column
from ordermade.purchases.units import Measure, as_text
from ordermade.release.plan import inner
from ordermade.sources.door import Purpose

_ITEM = 1
"""The place of the item among the released columns: after the day, before the numbers."""


def fill_slots(purchases: Purchases, *, delete_costly: bool) -> None:
    """Store the shared values of the purchases in PLACED, slot by slot, as SLOTS; as texts, as SHOWN.

    With `delete_costly`, a number whose summed error in a slot is greater than the slot's purchases is deleted there.
    """
    workspace = purchases.plan.dataset.backend.workspace
    spreads = {_spread(place): sd for place, sd in enumerate(purchases.sds)}
    statement = slots_statement(purchases.measures, delete_costly=delete_costly)
    workspace.store(Purpose.RELEASE, SLOTS, statement, spreads)
    view(workspace, SHOWN, shown_statement(purchases.measures))


def slots_statement(measures: Sequence[Measure], *, delete_costly: bool) -> exp.Select:
    """The statement that computes the shared values of each slot; `$spread_1`, …: sds of the measures."""
    tree = sql.select("history/slots")
    cluster, slot, n, items, *fragments = tree.expressions
    if not delete_costly:
        fragments = [exp.column(each, table="part") for each in ("low", "high", "error")]
    error = tree.args["from_"].this
    tree.set("expressions", [cluster, slot, n, items, *_of_measures(fragments, measures)])
    whole = error.this.args["from_"].this.this
    *kept, low, high, lost = error.this.expressions
    error.this.set("expressions", [*kept, *_of_measures([low, high, lost], measures)])
    *grouped, least, greatest, total, squares = whole.expressions
    whole.set("expressions", [*grouped, *_of_measures([least, greatest, total, squares], measures)])
    return tree


def shown_statement(measures: Sequence[Measure]) -> exp.Select:
    """The statement that gives the slots as they are released: the day, the item, the numbers."""
    tree = sql.select("history/shown")
    *kept, item, value = tree.expressions
    columns = []
    for place, each in enumerate(measures):
        filled = value.copy()
        for cast in list(filled.find_all(exp.Cast)):
            cast.replace(as_text(each, cast.this))
        columns.append(_of_place(filled, place).unalias())
    columns.insert(_ITEM, item.unalias())
    tree.set("expressions", [*kept, *(sql.named(each, inner(place)) for place, each in enumerate(columns))])
    return tree


def _of_measures(fragments: Sequence[exp.Expr], measures: Sequence[Measure]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for place, each in enumerate(measures):
        for fragment in fragments:
            filled = sql.with_columns(_of_place(fragment.copy(), place), {"placed.measured": each.name})
            found.append(sql.named(filled, f"{fragment.alias_or_name}_{place + 1}"))
    return found


def _of_place(fragment: exp.Expr, place: int) -> exp.Expr:
    """A fragment with the columns and the spread of the measure at a place."""
    named = {"low": low_column(place), "high": high_column(place), "error": error_column(place)}
    named |= {each: f"{each}_{place + 1}" for each in ("total", "squares")}
    columns = {f"{table}.{name}": column for table in ("part", "one", "slots") for name, column in named.items()}
    filled = sql.with_columns(fragment, columns)
    for node in filled.find_all(exp.Parameter, exp.Placeholder):
        node.set("this", exp.var(_spread(place)) if isinstance(node, exp.Parameter) else _spread(place))
    return filled


def _spread(place: int) -> str:
    return f"spread_{place + 1}"
