"""The counts that rules are mined from: persons with each combination of classes and each value of a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.errors import SourceChanged
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import Counting
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.entity import units
from ordermade.measuring.frequency_set import count_in_source
from ordermade.measuring.grounding import figures, outline, require_coverage, store_keys
from ordermade.measuring.sensitive import Sensitive, ground_sensitive
from ordermade.measuring.widening import NARROW, length
from ordermade.mondrian.frequent import Combinations
from ordermade.multidimensional.wording import Wording, wording, wording_of_values
from ordermade.release.plan import spread
from ordermade.slices.numbers import Held, numbers_statement
from ordermade.slices.pull import pulled
from ordermade.slices.tables import MICRODATA
from ordermade.sources.door import Door, Purpose


@dataclass(frozen=True, slots=True, eq=False)
class RuleCounts:
    """The counts of a dataset: `units` persons (rows, where every row is somebody else's) in all.

    `wordings`: of each column its classes, as rules say them. `items`: the text of each value of the target; one that
    no rule could name has the number -1 in `combinations`.
    """

    units: int
    combinations: Combinations
    wordings: tuple[Wording, ...]
    items: tuple[str | None, ...]


def rule_counts(dataset: Dataset, columns: Sequence[tuple[str, Hierarchy | None]], target: str) -> RuleCounts:
    """The counts of all columns, each with its hierarchy if it has one, and of the target.

    In the source a statement each, for its values alone, one for the persons if there are any, and one for all columns.
    The classes of rules are counted from level 1 up, those of hierarchies that list their values from level 0. Raises
    HierarchyError where one does not cover every value, InputError where rows have no person, SourceChanged.
    """
    persons = None if dataset.entity is None else units(dataset)
    workspace = dataset.backend.workspace
    counted: list[Attribute | Sensitive] = []
    wordings: list[Wording] = []
    for position, (column, hierarchy) in enumerate(columns, start=1):
        if hierarchy is None:
            values = ground_sensitive(dataset, position, column, ())
            counted.append(values)
            wordings.append(wording_of_values(_texts(workspace, values)))
            continue
        attribute = outline(dataset, position, column, hierarchy, 0 if hierarchy.enumerated else 1)
        grounding = store_keys(dataset, attribute)
        require_coverage(figures(workspace, attribute), attribute, dataset.least_k)
        counted.append(attribute)
        wordings.append(wording(hierarchy, dataset.type_of(column), grounding))
    items = ground_sensitive(dataset, len(columns) + 1, target, ())
    texts = _texts(workspace, items)
    counting = Counting(tuple(each for each in (*counted, items) if isinstance(each, Sensitive)), dataset.entity)
    count_in_source(dataset, [each for each in counted if isinstance(each, Attribute)], counting)
    if dataset.backend.changed():
        raise SourceChanged("the dataset changed while it was counted", where=dataset.name, next_step="Run it again.")
    combinations = _combinations(workspace, [*counted, items], texts, persons=persons is not None)
    whole = int(combinations.rows.sum()) if persons is None else persons.number
    return RuleCounts(whole, combinations, tuple(wordings), texts)


def _texts(workspace: Door, values: Sensitive) -> tuple[str | None, ...]:
    """Every value of a column as a text, in the order of their numbers."""
    tree = sql.with_relations(
        spread(sql.select("slices/leaves"), "keys.level", ()), {"keys": exp.to_table(values.values)}
    )
    return tuple(text for _, text in workspace.rows(Purpose.COVERAGE, tree))


def _combinations(
    workspace: Door, counted: Sequence[Attribute | Sensitive], items: Sequence[str | None], *, persons: bool
) -> Combinations:
    """The frequency set from the workspace; the target is the last column."""
    held = [Held(each.cell_column, each.column, "code") for each in counted]
    held.append(Held("n", "n", "whole"))
    if persons:
        held.append(Held("person", "person", "code"))
    statement = sql.with_relations(numbers_statement(held), {MICRODATA: exp.to_table(NARROW)})
    arrays = pulled(workspace, statement, held, length(workspace, NARROW))
    *cells, target = arrays[: len(counted)]
    named = np.array([bool(text) for text in items], dtype=np.bool_)
    targets = np.where(named[target], target, np.int32(-1))
    return Combinations(tuple(cells), targets, arrays[len(counted)], arrays[-1] if persons else None)
