"""How far readers can narrow the labels of local recoding that is not sealed: the attack, run on a release to be.

The elimination that `ordermade judge recoding` runs on a file (`privacy.elimination`), by the labels, the hierarchies
and the order of the rounds. Of many classes a sample is taken, so that it costs little beside the release.

Of sensitive and kept columns it counts the rows whose persons have fewer values left than the labels allow
(`privacy.possible_values`), by what the release alone shows: a class with a value less than the classes around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ordermade import sql
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Node
from ordermade.privacy.elimination import ClassLabels, Eliminations, Places
from ordermade.privacy.released_labels import Label, in_order, numbered, spans_of
from ordermade.records.printed import NOT_PRINTED, printed_as
from ordermade.release.plan import DECISIONS, Plan, expand_columns
from ordermade.sources.executor import Purpose

MAX_CLASSES = 1_000
"""Of so many classes every one is judged; of more, as many are drawn."""
SEED = 20_220_810
MAX_VALUES = 1_000
"""A sensitive or kept column with more values is not judged."""


@dataclass(frozen=True, slots=True)
class NarrowedValues:
    """A sensitive or kept column, and the rows whose persons have fewer values of it left than the labels allow."""

    column: str
    """Its name."""
    share: float | None
    """At least this share of the rows, from 0 to 1; null where they are fewer than k, but some."""


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The part of the generalised rows whose labels readers of the release can narrow."""

    classes: int
    """The classes of the release."""
    judged: int
    """Those judged: all, or a sample."""
    rows_generalised: int = field(metadata=NOT_PRINTED)
    """The rows of these classes whose label in some column names more than one value."""
    rows_narrowed: int = field(metadata=NOT_PRINTED)
    """Those of them of which fewer values remain possible."""
    sensitive: tuple[NarrowedValues, ...] = ()
    """Sensitive and kept columns."""

    @property
    @printed_as("share")
    def share(self) -> float:
        """The share of generalised rows, from 0 to 1."""
        return round(self.rows_narrowed / self.rows_generalised, 4) if self.rows_generalised else 0.0


def narrowed(plan: Plan, hierarchies: Sequence[Hierarchy], nodes: Sequence[Node]) -> Narrowed:
    """Runs the attack on the rows that `DECISIONS` releases, in rounds of these nodes, in their order."""
    rows_of = _classes(plan, plan.labels)
    combinations: list[tuple[Label, ...]] = sorted(rows_of, key=in_order)
    released, labels = numbered(plan.labels, dict(zip(plan.labels, hierarchies, strict=True)), combinations)
    first, last = spans_of(nodes, released, labels)
    eliminations = Eliminations(ClassLabels(tuple(each.attribute for each in released), labels, first, last), True)
    judged: Sequence[int] = range(len(combinations))
    if len(combinations) > MAX_CLASSES:
        judged = np.random.default_rng(SEED).choice(len(combinations), MAX_CLASSES, replace=False).tolist()
    rows = np.array([rows_of[each] for each in combinations], dtype=np.intp)
    generalised = narrower = 0
    for each in judged:
        named = [column.attribute.named[label] for column, label in zip(released, labels[each].tolist(), strict=True)]
        if any(len(values) > 1 for values in named):
            left = eliminations.left(each).values
            generalised += int(rows[each])
            narrower += int(rows[each]) * any(len(now) < len(values) for now, values in zip(left, named, strict=True))
    sensitive = tuple(_values(plan, combinations, rows, judged, eliminations))
    return Narrowed(len(combinations), len(judged), generalised, narrower, sensitive)


def _classes(plan: Plan, names: Sequence[str]) -> dict[tuple[Label, ...], int]:
    """The released rows by their texts in these columns of `DECISIONS`."""
    tree = sql.select("local/label_classes")
    (label, n) = tree.expressions
    columns = [sql.named(sql.with_columns(label.copy(), {"decided.value": name}).unalias(), name) for name in names]
    tree.set("expressions", [*columns, n])
    tree.set("group", expand_columns(sql.select("local/label_classes"), "decided.value", names).args["group"])
    tree = sql.with_relations(tree, {"decided": sql.table(DECISIONS)})
    return {tuple(each[:-1]): int(each[-1]) for each in plan.dataset.backend.workspace.rows(Purpose.ROLL_UP, tree)}


def _values(
    plan: Plan,
    combinations: Sequence[tuple[Label, ...]],
    rows: Places,
    judged: Sequence[int],
    eliminations: Eliminations,
) -> Iterator[NarrowedValues]:
    """The sensitive and kept columns, each with the share of the rows of the judged classes."""
    columns = list(zip(plan.carried, plan.values, strict=True))[len(plan.quasi_identifiers) :]
    number = {labels: place for place, labels in enumerate(combinations)}
    around = [eliminations.around(each) for each in judged] if columns else []
    for column, name in columns:
        known: dict[Label, int] = {}
        found = _classes(plan, [*plan.labels, name])
        pairs = [(number[labels], known.setdefault(value, len(known))) for *of, value in found if (labels := tuple(of))]
        if len(known) > MAX_VALUES:
            continue
        values = np.zeros((len(combinations), len(known)), dtype=np.bool_)
        values[tuple(np.array(pairs, dtype=np.intp).T)] = True
        fewer = [
            int(rows[each])
            for each, coarser in zip(judged, around, strict=True)
            if np.any(values[coarser].any(axis=0) & ~values[each])
        ]
        share = sum(fewer) / int(rows[list(judged)].sum())
        yield NarrowedValues(column, None if 0 < sum(fewer) < plan.k else round(share, 4))
