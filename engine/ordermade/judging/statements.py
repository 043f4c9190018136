"""Fill the templates of judging: a fragment for one column is repeated for every column of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from sqlglot import exp

from ordermade import sql

_NUMBERED = re.compile(r"(?P<name>[a-z_]+?)(?P<place>[12])")


def filled(name: str, tables: Mapping[str, str] | None = None, *, places: int = 0, of: int = 1) -> exp.Select:
    """A template of `sql/judging/` with every column whose name ends in the number `of` once for each up to `places`.

    `tables`: which tables of the workspace stand in for those it names otherwise. With fewer `places` than `of` these
    columns are left out.
    """
    tree = sql.select(f"judging/{name}")
    if places:
        for_columns(tree, of, places)
    return sql.with_relations(tree, {known: exp.to_table(table) for known, table in (tables or {}).items()})


def for_columns(tree: exp.Expr, of: int, places: int) -> None:
    """Repeat the fragments about column `of`, in every list and condition, for each column from it to `places`."""
    for key, value in list(tree.args.items()):
        if isinstance(value, list):
            tree.set(key, [each for item in value for each in _for_each(item, of, places)])
        elif isinstance(value, exp.And | exp.Or):
            joined: Callable[..., exp.Expr] = exp.and_ if isinstance(value, exp.And) else exp.or_
            parts = [each for part in value.flatten() for each in _for_each(part, of, places, whole=True)]
            tree.set(key, joined(*parts, copy=False) if parts else None)
        elif isinstance(value, exp.Expr):
            for_columns(value, of, places)


def _for_each(item: object, of: int, places: int, *, whole: bool = False) -> Iterable[object]:
    """The item for each column, if it is a column of that number or is called so, or a condition that has one."""
    if not isinstance(item, exp.Expr):
        return [item]
    named = item.this if isinstance(item, exp.Ordered) else item
    about = _place_of(named.alias_or_name) == of if isinstance(named, exp.Column | exp.Alias) else False
    if whole:
        about = about or any(_place_of(each.name) == of for each in item.find_all(exp.Column))
    if about:
        return [_renumbered(item.copy(), of, place) for place in range(of, places + 1)]
    for_columns(item, of, places)
    return [item]


def _renumbered(item: exp.Expr, of: int, place: int) -> exp.Expr:
    for node in item.find_all(exp.Identifier, exp.Placeholder):
        if _place_of(node.name) == of and not node.args.get("quoted"):
            node.set("this", f"{node.name[:-1]}{place}")
    return item


def _place_of(name: str) -> int | None:
    found = _NUMBERED.fullmatch(name)
    return int(found["place"]) if found else None


def for_numbers(tree: exp.Select, numbers: Sequence[str], stand_in: str, first: int) -> exp.Select:
    """The tree with its item about the column `dataset.<stand_in>` once for each of these columns of a table as it is.

    The resulting columns are numbered from `first` on.
    """
    found: list[exp.Expr] = []
    for item in tree.expressions:
        if not any(each.name == stand_in for each in item.find_all(exp.Column)):
            found.append(item)
            continue
        name = item.alias[:-1]
        for place, column in enumerate(numbers, start=first):
            filled = sql.with_columns(item.copy(), {f"dataset.{stand_in}": column})
            found.append(exp.alias_(filled.unalias(), f"{name}{place}"))
    tree.set("expressions", found)
    return tree
