"""Whether a user's filter parts ordered values at the borders of a registered hierarchy alone. Pure.

A filter that is moved step by step along a column counts its values one by one: the step at which too few persons pass
tells the value of one. Between two borders of a hierarchy that the provider registered no step is to be taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from ordermade.errors import quoted
from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.phrases import phrase
from ordermade.policies.filter_levels import keeps_together
from ordermade.requests.filter_tree import Filter, comparisons

_ORDER = ("<", "<=", ">", ">=", "BETWEEN")
_UNPARTED = phrase(
    "Compare by = or IN, or take it out; the provider can register a hierarchy of intervals or dates of the column's "
    "name, or name one under filters.borders."
)
_WITHOUT_VALUE = ("IS NULL", "IS TRUE", "IS FALSE", "TRUTH")

_Given = TypeVar("_Given")

Off = tuple[str, str, str]
"""A comparison off the borders: its column, what is wrong, what to write instead."""


def off_borders(
    tree: Filter,
    borders: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    finest: Mapping[str, int | str],
) -> Iterator[Off]:
    """The comparisons that part a column where no class of its registered hierarchy begins, a column once.

    `borders`: the name of the hierarchy of a column, where that is not the column's own name; `finest`: the level of a
    column below which no class is a border. A hierarchy that lists its values has no borders: where they lie between
    the values of persons is what a user would find. Comparisons for equality are left to the count of persons, where
    the hierarchy is such a list, or there is none.
    """
    found: dict[str, Off] = {}
    for each, negated in comparisons(tree):
        key = each.column.casefold()
        name = _of_column(borders, key)
        hierarchy = _named(hierarchies, (each.column, key) if name is None else (name,))
        if each.operator in _WITHOUT_VALUE:
            continue
        if not isinstance(hierarchy, (IntervalHierarchy, DateHierarchy)):
            if each.operator in _ORDER:
                what = phrase(
                    "the filter parts %(column)s, of which no intervals or dates are registered",
                    column=quoted(each.column),
                )
                found.setdefault(key, (each.column, what, _UNPARTED))
        elif not any(keeps_together(each, negated, hierarchy, level) for level in _open(hierarchy, finest, key)):
            what = phrase(
                "the filter parts %(column)s where no class of %(hierarchy)s begins",
                column=quoted(each.column),
                hierarchy=quoted(hierarchy.name),
            )
            step = phrase("Compare by >= and < where a class begins, as 30 of 30 to 39.")
            found.setdefault(key, (each.column, what, step))
    yield from found.values()


def border_names(tree: Filter | None, borders: Mapping[str, str]) -> frozenset[str]:
    """The names under which hierarchies of the filter's columns may be registered."""
    columns = set() if tree is None else {each.column for each, _ in comparisons(tree)}
    return frozenset({*columns, *(each.casefold() for each in columns), *borders.values()})


def _open(hierarchy: Hierarchy, finest: Mapping[str, int | str], column: str) -> Iterator[int]:
    """The levels of a hierarchy whose classes are borders: those that the finest one of the column refines."""
    level = _of_column(finest, column)
    number = None if level is None else hierarchy.level_number(level)
    return (each for each in range(1, hierarchy.top) if number is None or hierarchy.order.refines(number, each))


def _of_column(given: Mapping[str, _Given], column: str) -> _Given | None:
    """What a mapping by column has for one, whose name is casefolded."""
    return next((each for name, each in given.items() if name.casefold() == column), None)


def _named(hierarchies: Mapping[str, Hierarchy], names: tuple[str, ...]) -> Hierarchy | None:
    return next((hierarchies[each] for each in names if hierarchies.get(each) is not None), None)
