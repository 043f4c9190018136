"""Where the frequency set of a request comes from: the cache if it has one, else one query in the source."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import PLAIN, Counting
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.frequency_set import count_in_source, widen
from ordermade.measuring.widening import NARROW, StoredSet
from ordermade.sources.door import Purpose
from ordermade.state.cache import Cache
from ordermade.state.cached_set import OF_PERSONS, CachedSet, GroundedColumn

_LOADED = "cached_frequency_set"


def frequency_set(
    dataset: Dataset,
    attributes: Sequence[Attribute],
    cache: Cache | None,
    cached: CachedSet | None,
    version_id: int,
    rows: int,
    counting: Counting = PLAIN,
) -> StoredSet:
    """The widened frequency set of the attributes, in the workspace; counted in the source if the cache has none.

    The counted set is offered to the cache, which may decline.
    """
    connection = dataset.backend.connection
    if cache and cached and cache.load(connection, cached, _LOADED):
        dataset.backend.workspace.store(Purpose.ROLL_UP, NARROW, _renamed(attributes, cached, counting))
        return widen(dataset, attributes, counting)
    count_in_source(dataset, attributes, counting)
    if cache and not dataset.backend.changed():  # what was counted may be of another content than the version's
        columns = [GroundedColumn(each.column, each.hierarchy.content_hash, each.base) for each in attributes]
        cache.store(connection, NARROW, version_id, [*columns, *counting.cached_columns], rows)
    return widen(dataset, attributes, counting)


def _renamed(attributes: Sequence[Attribute], cached: CachedSet, counting: Counting) -> exp.Select:
    """The loaded set with its columns called as in this request."""
    stored = {each.column: f"c{number}" for number, each in enumerate(cached.columns, start=1)}
    tree = sql.select("cached_columns")
    cell, count = tree.expressions
    called = {each.column: each.cell_column for each in attributes}
    called |= {each.column: each.cell_column for each in counting.sensitive}
    columns = [
        exp.alias_(sql.with_columns(cell.copy(), {"frequency_set.cell": stored[column]}).unalias(), name)
        for column, name in called.items()
    ]
    of_persons = [] if counting.entity is None else [exp.column(name, table=NARROW) for name in OF_PERSONS]
    tree.set("expressions", [*columns, *of_persons, count])
    return sql.with_relations(tree, {NARROW: exp.to_table(_LOADED)})
