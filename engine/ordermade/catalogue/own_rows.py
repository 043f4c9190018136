"""Proof that each row of a provider's query belongs to one person: from the query, and by counting at its joins."""

from __future__ import annotations

from sqlglot import exp

from ordermade import sql
from ordermade.release.plan import spread
from ordermade.requests.query_rows import Lookup, rows_proved, still_repeated
from ordermade.requests.query_tables import Known, KnownTable
from ordermade.sources.backend import Backend
from ordermade.sources.door import Purpose


def require_own_rows(backend: Backend, query: exp.Expr, entity: str | None) -> None:
    """Raises FilterError where a row may be repeated and no `entity` column identifies persons, or it is computed.

    Joins are counted each time, for the data may have changed: the columns joined on have to be unique.
    """
    for lookup in rows_proved(query, _known(backend), entity):
        if backend.door.rows(Purpose.CATALOG, repeated_statement(lookup))[0][0]:
            raise still_repeated(lookup)


def repeated_statement(lookup: Lookup) -> exp.Select:
    """The statement that counts the keys of a lookup that have several rows."""
    tree = sql.select("lookup_repeated")
    for counted in tree.find_all(exp.Subquery):
        if isinstance(counted.this, exp.Select):
            spread(counted.this, "dataset.qi", lookup.keys)
    return sql.with_relations(tree, {"dataset": lookup.relation})


def _known(backend: Backend) -> Known:
    tables = tuple(
        KnownTable(
            each.reference.catalog,
            each.reference.db,
            each.reference.name,
            {column.name: column.type for column in each.columns},
            each.is_view,
        )
        for each in backend.tables()
    )
    return Known(tables, backend.capabilities.collates)
