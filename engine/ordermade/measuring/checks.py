"""K-checks that count more than rows: classes that fail a model, persons, and suppressed rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation, PersonSizes, Sizes, Withheld
from ordermade.lattice.requirement import Requirement
from ordermade.loss.costs import information
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.classes import NodeRows, checked
from ordermade.measuring.counting import Counting

CLASSES = 0
"""The mark of a check's rows that are of the histogram of classes; the others are of persons."""


def check_statement(rows: NodeRows, counting: Counting, number: int) -> exp.Select:
    """The statement of all that is counted of one node: rows of (number, which histogram, size, other, how many)."""
    query: exp.Query = _of_node(sql.select("k_check_failing"), number)
    if counting.least_classes:
        owner = exp.cast(exp.Null(), "BIGINT") if rows.owner is None else rows.owner
        units = exp.Literal.number(1) if rows.units is None else rows.units
        least = _of_node(sql.select("least_classes"), number)
        query = exp.union(query, least, distinct=False, dialect=sql.DIALECT, copy=False)
        query = query.with_("owned", as_=rows.parts(rows.owned, owner=owner, n=units), copy=False)
    tree = sql.select("checked_node")
    tree.args["from_"].this.set("this", checked(query, rows, counting))
    return tree


def observations(nodes: Sequence[Node], answer: Iterable[Sequence[int]], counting: Counting) -> dict[Node, Observation]:
    """The observations in the answer of a batch of checks, in the order of their numbers."""
    histograms: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    persons: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    for number, part, size, other, count in answer:
        if count:  # where combinations add up, nobody may be left to be in classes of some size
            (histograms if part == CLASSES else persons)[int(number)][int(size), int(other)] = int(count)
    return {
        node: replace(
            Observation.from_histogram(_added_up(histograms[number], 0), units=counting.persons),
            failing=_failing(histograms[number]) if counting.has_models else None,
            persons=_persons(persons[number], counting) if counting.least_classes else None,
        )
        for number, node in enumerate(nodes)
    }


def withheld_statement(rows: NodeRows, requirement: Requirement, counting: Counting, number: int) -> exp.Select:
    """The statement of the suppressed rows of one node: (number, place among `rows.classes`, class, rows).

    Where no attribute is below `*`, the suppressed rows are one class of place 0.
    """
    names = [f"q{place}" for place in range(len(rows.classes))]
    parts = rows.parts(rows.whole, n=rows.rows, **dict(zip(names, rows.classes, strict=True)))
    query = sql.union_all(_figures(number, place, name) for place, name in enumerate(names or ["class"]))
    query = checked(query, rows, counting).with_("withheld", as_=_withheld_classes(requirement), copy=False)
    query = query.with_("kept", as_=_kept(parts, names), copy=False)
    tree = sql.select("withheld_of_node")
    tree.args["from_"].this.set("this", query)
    return tree


def withheld_of(
    nodes: Sequence[Node], answer: Iterable[Sequence[int]], attributes: Sequence[Attribute], lattice: Lattice
) -> dict[Node, Withheld]:
    """The suppressed rows of each node, from the answer of a batch of statements in the order of their numbers."""
    found: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for number, place, each, n in answer:
        found[int(number), int(place)][int(each)] = int(n)
    return {
        node: _withheld(node, {place: found[number, place] for place in range(len(node))}, attributes, lattice)
        for number, node in enumerate(nodes)
    }


def _withheld(
    node: Node, classes: Mapping[int, Mapping[int, int]], attributes: Sequence[Attribute], lattice: Lattice
) -> Withheld:
    """The figures of suppressed rows; `classes` are of the attributes below `*`, in order, by class number."""
    rows = sum(classes[0].values())
    leaves: list[int | None] = []
    bits: list[float] = []
    place = 0
    for attribute, level, top in zip(attributes, node, lattice.top, strict=True):
        if level == top:
            domain = attribute.costs.domain_leaves
            leaves.append(None if domain is None else rows * domain)
            bits.append(information([rows]))
            continue
        of_level = classes[place]
        place += 1
        under = attribute.leaves.get(level)
        leaves.append(rows if level == 0 else _leaves(of_level, under))
        bits.append(information(of_level.values()))
    return Withheld(rows, tuple(leaves), tuple(bits))


def _leaves(classes: Mapping[int, int], under: Mapping[int, int] | None) -> int | None:
    return None if under is None else sum(n * under[number] for number, n in classes.items())


def _figures(number: int, place: int, name: str) -> exp.Select:
    tree = _of_node(sql.select("withheld_figures"), number)
    _, at, called, _ = tree.expressions
    at.set("this", exp.Literal.number(place))
    column = exp.column(name, table="part")
    called.set("this", column)
    tree.set("group", exp.Group(expressions=[column.copy()]))
    return sql.with_relations(tree, {"frequency_set": exp.to_table("kept")})


def _withheld_classes(requirement: Requirement) -> exp.Select:
    tree = sql.select("withheld_classes")
    too_small = next(iter(tree.find_all(exp.LT)))
    too_small.set("expression", exp.Literal.number(requirement.k))
    return tree


def _kept(parts: exp.Select, names: Sequence[str]) -> exp.Select:
    tree = sql.select("withheld_rows")
    count = tree.expressions[0]
    join = tree.args["joins"][0]
    tree.set("expressions", [count, *(exp.column(name, table="part") for name in (*names, "class"))])
    on = join.args["on"]
    on.expression.set("this", exp.to_identifier("class"))
    return sql.with_relations(tree, {"frequency_set": parts, "failing": exp.to_table("withheld")})


def _of_node(tree: exp.Select, number: int) -> exp.Select:
    """The template with its rows marked as the node's of this number."""
    tree.expressions[0].set("this", exp.Literal.number(number))
    return tree


def _added_up(pairs: Mapping[tuple[int, int], int], place: int) -> Sizes:
    """The histogram of one of two sizes."""
    histogram: defaultdict[int, int] = defaultdict(int)
    for sizes, count in pairs.items():
        histogram[sizes[place]] += count
    return tuple(sorted(histogram.items()))


def _failing(pairs: Mapping[tuple[int, int], int]) -> Sizes:
    return tuple(sorted((size, count) for (size, fails), count in pairs.items() if fails))


def _persons(pairs: Mapping[tuple[int, int], int], counting: Counting) -> PersonSizes:
    return PersonSizes(_added_up(pairs, 0), _added_up(pairs, 1) if counting.has_models else None)
