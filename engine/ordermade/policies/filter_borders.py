"""Whether a user's filter parts ordered values at the borders of a registered hierarchy alone. Pure.

A filter that is moved step by step along a column counts its values one by one: the step at which too few persons pass
tells the value of one. Between two borders of a hierarchy that the provider registered no step is to be taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ordermade.errors import quoted
from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.policies.filter_levels import keeps_together
from ordermade.requests.filter_tree import Filter, comparisons

_ORDER = ("<", "<=", ">", ">=", "BETWEEN")
_WITHOUT_VALUE = ("IS NULL", "IS TRUE", "IS FALSE", "TRUTH")

Off = tuple[str, str, str]
"""A comparison off the borders: its column, what is wrong, what to write instead."""


def off_borders(tree: Filter, borders: Mapping[str, str], hierarchies: Mapping[str, Hierarchy]) -> Iterator[Off]:
    """The comparisons that part a column where no class of its registered hierarchy begins, a column once.

    `borders`: the name of the hierarchy of a column, where that is not the column's own name. Comparisons for equality
    are left to the count of persons, where the hierarchy is a list of values, or there is none.
    """
    found: dict[str, Off] = {}
    for each, negated in comparisons(tree):
        key = each.column.casefold()
        name = next((other for column, other in borders.items() if column.casefold() == key), None)
        hierarchy = _named(hierarchies, (each.column, key) if name is None else (name,))
        is_rule = isinstance(hierarchy, (IntervalHierarchy, DateHierarchy))
        if each.operator in _WITHOUT_VALUE or not (is_rule or each.operator in _ORDER):
            continue
        if hierarchy is None:
            what = f"the filter parts {quoted(each.column)}, of which no hierarchy is registered by which to part it"
            step = "Compare by = or IN, or take it out; the provider can register a hierarchy of the column's name."
            found.setdefault(key, (each.column, what, step))
        elif not any(keeps_together(each, negated, hierarchy, level) for level in range(1, hierarchy.top)):
            what = f"the filter parts {quoted(each.column)} where no class of {quoted(hierarchy.name)} begins"
            step = "Compare by >= and < where a class begins, as 30 of 30 to 39."
            found.setdefault(key, (each.column, what, step))
    yield from found.values()


def border_names(tree: Filter | None, borders: Mapping[str, str]) -> frozenset[str]:
    """The names under which hierarchies of the filter's columns may be registered."""
    columns = set() if tree is None else {each.column for each, _ in comparisons(tree)}
    return frozenset({*columns, *(each.casefold() for each in columns), *borders.values()})


def _named(hierarchies: Mapping[str, Hierarchy], names: tuple[str, ...]) -> Hierarchy | None:
    return next((hierarchies[each] for each in names if hierarchies.get(each) is not None), None)
