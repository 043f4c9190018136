"""The columns of a request for histories, as the state stores them."""

from __future__ import annotations

from ordermade.requests.numbers import plain
from ordermade.requests.resolved_history import ResolvedHistory, ResolvedNumber
from ordermade.state.requested import HistoryColumn


def columns_of(resolved: ResolvedHistory) -> tuple[HistoryColumn, ...]:
    """The customer, when, the item, then the numbers in the order of the request."""
    taxonomy = resolved.taxonomy
    item = HistoryColumn(resolved.item.column, "item")
    if taxonomy is not None:
        item = HistoryColumn(
            resolved.item.column,
            "item",
            taxonomy=taxonomy.file,
            taxonomy_hash=taxonomy.content_hash,
            level=taxonomy.level,
        )
    return (
        HistoryColumn(resolved.customer.column, "customer"),
        HistoryColumn(resolved.when.column, "when"),
        item,
        *(_number(each, resolved.sort) for each in resolved.numbers),
    )


def _number(number: ResolvedNumber, sort: tuple[str, ...]) -> HistoryColumn:
    place = sort.index(number.column) if number.column in sort else None
    return HistoryColumn(number.column, "number", None if number.unit is None else plain(number.unit), place)
