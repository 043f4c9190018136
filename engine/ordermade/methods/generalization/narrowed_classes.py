"""`hold: narrowed`: k and every model, verified on the rows that narrowed labels of an unsealed release still hold.

The attack (`privacy.elimination`) is run on every class before anything is published, by a reader who knows more than
any: the hierarchies, the order of the rounds, and which values occur. Each class has a region then, of each column the
values that are left. The released rows of the class that lie in its region are counted again, by their labels as in any
release, and k and the models are decided on them.

They are expected to hold: the attack rules out what rows of a class cannot be, so that all of them lie in its region,
and on them k and the models were decided. Regions of different classes have no cell in common, since a class that came
first takes its cells from all later ones. A suppressed row is in no class: it has `*` in every released column, or is
not there, and nothing sensitive beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ordermade import sql
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.local_counting import (
    Integers,
    LocalCombinations,
    classes_of_cells,
    decide_by_rounds,
    place,
)
from ordermade.methods.generalization.local_rounds import CellClasses
from ordermade.privacy.elimination import ClassLabels, Eliminations, LabelledAttribute, Left
from ordermade.records.printed import NOT_PRINTED
from ordermade.release.plan import DECISIONS, Plan
from ordermade.release.suppress import Counted, failing_classes_statement, number_classes
from ordermade.sources.executor import Purpose

SEEN = "local_seen"


@dataclass(frozen=True, slots=True)
class NarrowedRegions:
    """The classes whose k and models were verified for what their labels can be narrowed to."""

    classes: int
    """The classes of the release."""
    narrowed: int
    """Those narrowed in some column."""
    given_up: int
    """Those taken as not narrowed."""
    failing: int = field(metadata=NOT_PRINTED)
    """Those of whose regions the rows are fewer than k, or fail a model."""


def held_regions(plan: Plan, nodes: Sequence[Node], requirement: Requirement) -> NarrowedRegions:
    """Runs the attack on the rounds of these nodes, which filled `PLACED` and `DECISIONS`, and verifies every region.

    Both tables are as before in the end.
    """
    combinations, cells = LocalCombinations.of(plan), classes_of_cells(plan)
    round_of = _rounds_of(plan, combinations)
    released = np.flatnonzero(round_of)
    attributes, labels = [], []
    for at, each in enumerate(cells):
        attribute, own = _labelled(combinations, at, each, [node[at] for node in nodes], round_of)
        attributes.append(attribute)
        labels.append(own[released])
    classes, class_of = np.unique(np.stack(labels, axis=1), axis=0, return_inverse=True)
    class_of = np.asarray(class_of, dtype=np.int64).reshape(-1)
    spans = _spans(class_of, round_of[released], len(classes))
    left = list(Eliminations(ClassLabels.of(attributes, classes, spans), with_rounds=True).all_left())
    inside = _inside(combinations, released, class_of, left)
    if not inside.all():
        within = round_of.copy()
        within[released[~inside]] = 0
        place(plan, combinations, within)
        decide_by_rounds(plan, nodes)
    failing = failing_as_seen(plan, requirement.k)
    if not inside.all():
        place(plan, combinations, round_of)
        decide_by_rounds(plan, nodes)
        # A region without a single row is in no table that could fail.
        failing += len(classes) - len(np.unique(class_of[inside]))
    fewer = [
        any(len(now) < len(own.named[label]) for now, own, label in zip(each.values, attributes, row, strict=True))
        for each, row in zip(left, classes.tolist(), strict=True)
    ]
    return NarrowedRegions(len(classes), sum(fewer), sum(each.given_up for each in left), failing)


def _rounds_of(plan: Plan, combinations: LocalCombinations) -> Integers:
    """The number of the round of each combination, 0 of one that is suppressed."""
    found = plan.dataset.backend.workspace.read(Purpose.ROLL_UP, sql.select("local/placed")).read_all()
    numbers, rounds = (np.asarray(column.to_numpy(), dtype=np.int64) for column in found.columns)
    order = np.argsort(combinations.numbers)
    round_of = np.zeros(len(combinations.numbers), dtype=np.int64)
    round_of[order[np.searchsorted(combinations.numbers, numbers, sorter=order)]] = rounds
    return round_of


def _labelled(
    combinations: LocalCombinations, at: int, own: CellClasses, levels: Sequence[int], round_of: Integers
) -> tuple[LabelledAttribute, Integers]:
    """An attribute of the cells that occur, and the label of each combination by number; -1 where it has none.

    Labels that name the same cells are one.
    """
    occurring, cell_of = np.unique(combinations.cells[at], return_inverse=True)
    number: dict[bytes, int] = {}
    named: list[Integers] = []
    label_of: dict[int, Integers] = {}
    for level in sorted(set(levels)):
        classes = combinations.classes_of_cells(at, own, level)[occurring]
        of_level = np.empty(len(occurring), dtype=np.int64)
        for value in np.unique(classes):
            places = np.flatnonzero(classes == value)
            known = number.setdefault(places.tobytes(), len(named))
            if known == len(named):
                named.append(places)
            of_level[places] = known
        label_of[level] = of_level
    labels = np.full(len(round_of), -1, dtype=np.int64)
    for number_of_round, level in enumerate(levels, start=1):
        inside = round_of == number_of_round
        labels[inside] = label_of[level][np.asarray(cell_of).reshape(-1)[inside]]
    return LabelledAttribute.of(len(occurring), [each.tolist() for each in named]), labels


def _spans(class_of: Integers, rounds: Integers, classes: int) -> list[tuple[int, int]]:
    first = np.full(classes, np.iinfo(np.int64).max)
    last = np.zeros(classes, dtype=np.int64)
    np.minimum.at(first, class_of, rounds)
    np.maximum.at(last, class_of, rounds)
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _inside(combinations: LocalCombinations, released: Integers, class_of: Integers, left: Sequence[Left]) -> Any:
    """Whether each released combination lies in the region of its class."""
    inside = np.ones(len(released), dtype=np.bool_)
    order = np.argsort(class_of, kind="stable")
    ends = np.searchsorted(class_of[order], np.arange(1, len(left) + 1))
    for at, cells in enumerate(combinations.cells):
        cell_of = np.asarray(np.unique(cells, return_inverse=True)[1]).reshape(-1)[released]
        start = 0
        for each, end in zip(left, ends.tolist(), strict=True):
            own = order[start:end]
            inside[own] &= np.isin(cell_of[own], each.values[at])
            start = end
    return inside


def failing_as_seen(plan: Plan, k: int) -> int:
    """The classes of what `DECISIONS` releases, as a reader sees them, that are smaller than k or fail a model."""
    workspace = plan.dataset.backend.workspace
    seen = sql.with_relations(sql.select("local/seen"), {"decided": sql.table(DECISIONS)})
    workspace.store(Purpose.RELEASE, SEEN, seen)
    counted = replace(Counted.of(plan), table=SEEN)
    number_classes(workspace, counted)
    return len(set(workspace.rows(Purpose.RELEASE, failing_classes_statement(counted, k))))
