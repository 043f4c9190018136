"""From what was decided to what is written: figures of it, star rows, pseudonyms, order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import cast

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError
from ordermade.hierarchies.hierarchy import STAR
from ordermade.lattice.observation import Observation
from ordermade.measuring.counting import Units
from ordermade.release.columns import sorted_statement
from ordermade.release.plan import (
    DECIDED,
    PERSON,
    SORTED,
    Plan,
    for_each,
    inner,
    spread,
    units,
    without,
)
from ordermade.sources.door import Purpose

PSEUDONYMS = "released_pseudonyms"


@dataclass(frozen=True, slots=True)
class Settled:
    """The figures of a release before it is written, counted from `DECIDED`.

    `classes` that are released, in units (persons if there is an entity column, else rows); `visible`: the classes as a
    reader sees them, in rows where persons are counted but no column of the release identifies them. `rows` of the
    dataset released as they are; `persons` released, and `suppressed_persons`, those with a suppressed row (None
    where a row is a person). `stars`: suppressed rows (in a statistical table: units) that stay as `*`.
    """

    classes: Observation
    visible: Observation
    rows: int
    persons: int | None = None
    suppressed_rows: int = 0
    suppressed_persons: int | None = None
    stars: int = 0

    @property
    def suppressed_units(self) -> int:
        """The number of suppressed units: persons where they are counted, else rows."""
        return self.suppressed_rows if self.suppressed_persons is None else self.suppressed_persons

    @property
    def star_rows(self) -> int:
        """The rows of the dataset that stay as `*`."""
        return self.suppressed_rows if self.stars else 0

    @classmethod
    def of_all(cls, observation: Observation) -> Settled:
        """The figures where nothing is suppressed and a row is a person: those that the search measured."""
        return cls(observation, observation, observation.rows)


def settle(plan: Plan) -> Settled:
    """Keeps what is to be written in `SORTED`; its figures.

    Raises InputError where star rows could be mixed up with a released class.
    """
    workspace = plan.dataset.backend.workspace
    released, suppressed = released_and_withheld(plan)
    persons = released.persons
    stars = 0
    if plan.stars and suppressed.number >= plan.k:
        _require_no_suppressed_class(plan)
        stars = suppressed.number if plan.shape == "table" else suppressed.rows
    if plan.pseudonym is not None:
        workspace.store(Purpose.RELEASE, PSEUDONYMS, pseudonyms_statement(), {"numbers": random_numbers(persons or 0)})
    workspace.store(Purpose.RELEASE, SORTED, sorted_statement(plan, shown_statement(plan, stars)))
    classes = released_classes(plan, persons)
    visible = classes
    if persons is not None and plan.shape == "table":
        visible = Observation.from_histogram(classes.sizes)
    elif persons is not None and plan.pseudonym is None:
        visible = released_classes(plan, None)
    return Settled(classes, visible, released.rows, persons, suppressed.rows, suppressed.persons, stars)


def released_and_withheld(plan: Plan) -> tuple[Units, Units]:
    """Count the rows (and persons with such a row, given an entity column) released, and suppressed."""
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, _withheld(plan))
    figures = {bool(withheld): Units(*(int(n) for n in units)) for withheld, *units in found}
    none = Units(0, None if plan.entity is None else 0)
    return figures.get(False, none), figures.get(True, none)


def released_classes(plan: Plan, persons: int | None) -> Observation:
    """The released classes as a reader of the release sees them: in persons, if their number is known, else in rows."""
    statement = histogram_statement(plan, persons=persons is not None)
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, statement)
    return Observation.from_histogram(((int(size), int(classes)) for size, classes in found), units=persons)


def random_numbers(count: int) -> list[int]:
    """The numbers from 1 to `count` in an order that the operating system's randomness alone decides."""
    drawn = np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
    numbers: list[int] = (np.argsort(drawn, kind="stable") + 1).tolist()
    return numbers


def _withheld(plan: Plan) -> exp.Select:
    return _over_decided(_persons_or_rows(sql.select("released_withheld"), plan))


def shown_statement(plan: Plan, stars: int) -> exp.Query:
    """The statement that gives the rows to write, not yet in order; with `stars` suppressed rows, where they stay."""
    tree = sql.select("released_shown")
    number = tree.expressions[1]
    if plan.pseudonym is None:
        without(tree, "pseudonym.number")
        tree.set("joins", [])
    else:
        number.replace(sql.named(number.copy(), inner(len(plan.carried))))
    units(tree, "n", persons=plan.entity is not None and plan.shape == "table")
    spread(tree, "decided.value", plan.values)
    tree = _over_decided(tree)
    sql.with_relations(tree, {"pseudonyms": exp.to_table(PSEUDONYMS)})
    return _starred(plan, tree, stars) if plan.stars else tree


def _starred(plan: Plan, shown: exp.Select, stars: int) -> exp.Query:
    tree = sql.template("released_starred")
    names = [inner(number) for number in range(len(plan.columns))]
    rows, row = cast(exp.Select, tree.this), cast(exp.Select, tree.expression)
    spread(rows, "shown.value", names)
    if stars == 0:
        return sql.with_relations(rows, {"shown": shown})
    value, count, star = row.expressions
    count = sql.named(exp.Literal.number(stars), "n")
    row.set("expressions", [*(sql.named(value.copy(), name) for name in names), count, star])
    return sql.with_relations(cast(exp.Query, tree), {"shown": shown})


def histogram_statement(plan: Plan, *, persons: bool) -> exp.Select:
    """The statement that gives the sizes of the released classes, in rows or in persons."""
    tree = sql.select("released_histogram")
    inside = tree.args["from_"].this.this
    units(inside, "size", persons=persons)
    spread(inside, "decided.value", plan.labels)
    return _over_decided(tree)


def pseudonyms_statement() -> exp.Select:
    """The statement that gives each person of whom a row is released one of the bound numbers."""
    return _over_decided(sql.select("released_pseudonyms"))


def linked_persons(plan: Plan) -> int:
    """Of how many persons rows in several classes are released."""
    tree = sql.select("released_linkable")
    for inside in tree.find_all(exp.Select):
        if inside.find(exp.Table) is not None and inside.args["from_"].this.name == "decided":
            spread(inside, "decided.value", plan.labels)
    return int(plan.dataset.backend.workspace.rows(Purpose.RELEASE, _over_decided(tree))[0][0])


def suppressed_statement(plan: Plan) -> exp.Select:
    """The statement that counts the released combinations with `*` in every quasi-identifier."""
    tree = sql.select("released_suppressed")
    kept, star = tree.args["where"].this.flatten()
    stars = for_each(star, "decided.value", plan.labels)
    tree.args["where"].set("this", exp.and_(kept, *stars, copy=False))
    return _over_decided(tree)


def _require_no_suppressed_class(plan: Plan) -> None:
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, suppressed_statement(plan))[0][0]
    if found:
        raise InputError(
            f"a released class has {STAR} in every quasi-identifier, so that rows suppressed as {STAR} could not "
            "be distinguished from it",
            where="withheld: star",
            next_step="Write `withheld: drop`.",
        )


def _persons_or_rows(tree: exp.Select, plan: Plan) -> exp.Select:
    return tree if plan.entity is not None else without(tree, f"decided.{PERSON}")


def _over_decided(tree: exp.Select) -> exp.Select:
    return sql.with_relations(tree, {"decided": exp.to_table(DECIDED)})
