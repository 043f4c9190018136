"""What the state keeps of the columns of a request for histories."""

from __future__ import annotations

from ordermade.requests.numbers import plain
from ordermade.requests.resolved_history import ResolvedHistory, ResolvedNumber
from ordermade.state.requested import HistoryColumn


def columns_asked(resolved: ResolvedHistory) -> tuple[HistoryColumn, ...]:
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


def _number(asked: ResolvedNumber, sort: tuple[str, ...]) -> HistoryColumn:
    place = sort.index(asked.column) if asked.column in sort else None
    return HistoryColumn(asked.column, "number", None if asked.unit is None else plain(asked.unit), place)
