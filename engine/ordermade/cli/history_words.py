"""What `ordermade request` tells of a request for histories: checked, answered, refused, on record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.requests.resolved_history import ResolvedHistory
    from ordermade.state.records import RequestDetails

ASKED_HEADINGS = ("column", "is", "unit", "sorted", "taxonomy", "level")


def sound(file: str, resolved: ResolvedHistory) -> str:
    """That a request has no mistakes, and what it asks for, in one line."""
    columns = ", ".join(each.column for each in resolved.columns)
    customers = f"{resolved.request.k:,} customers or more, told apart by {resolved.customer.column},"
    parts = [f"{file} is sound: {customers} share each history of {columns}"]
    parts.append(f"matched by {resolved.match}, clustered by {resolved.cluster}")
    if resolved.taxonomy is not None:
        parts.append(f"items at the level {resolved.taxonomy.level_name} of {resolved.taxonomy.file}")
    if resolved.map is not None:
        parts.append(f"{resolved.map} will tell whose purchases are released, and is secret")
    return "; ".join(parts)


def checked_document(file: str, resolved: ResolvedHistory) -> dict[str, Any]:
    """The same as JSON."""
    taxonomy, truth = resolved.taxonomy, resolved.map
    return {
        "request": file,
        "sound": True,
        "problems": [],
        "method": resolved.request.method,
        "customer": resolved.customer.column,
        "when": resolved.when.column,
        "item": resolved.item.column,
        "numbers": [
            {"column": each.column, "unit": None if each.unit is None else float(each.unit)}
            for each in resolved.numbers
        ],
        "sort": resolved.sort,
        "match": resolved.match,
        "cluster": resolved.cluster,
        "window": resolved.window,
        "delete_costly": resolved.delete_costly,
        "taxonomy": None
        if taxonomy is None
        else {
            "file": taxonomy.file,
            "level": taxonomy.level,
            "level_name": taxonomy.level_name,
            "sha256": taxonomy.content_hash,
        },
        "map": None if truth is None else str(truth),
        "pseudonym": resolved.pseudonym,
        "entity": resolved.entity,
    }


def asked_rows(details: RequestDetails) -> list[tuple[Any, ...]]:
    """The columns of a request on record."""
    return [
        (
            each.column,
            each.role,
            each.unit,
            None if each.sort_place is None else each.sort_place + 1,
            each.taxonomy,
            each.level,
        )
        for each in details.history
    ]
