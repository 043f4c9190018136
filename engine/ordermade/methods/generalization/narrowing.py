"""How far readers can narrow the labels of local recoding that is not sealed: the attack, run on a release to be.

The elimination that `ordermade judge recoding` runs on a file (`privacy.elimination`), by the labels, the hierarchies
and the order of the rounds. Of many classes a sample is taken, so that it costs little beside the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ordermade import sql
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Node
from ordermade.privacy.elimination import ClassLabels, Eliminations
from ordermade.privacy.released_labels import Label, in_order, numbered, spans_of
from ordermade.records.printed import NOT_PRINTED, printed_as
from ordermade.release.plan import DECISIONS, Plan, expand_columns
from ordermade.sources.executor import Purpose

MAX_CLASSES = 1_000
"""Of so many classes every one is judged; of more, as many are drawn."""
SEED = 20_220_810


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

    @property
    @printed_as("share")
    def share(self) -> float:
        """The share of generalised rows, from 0 to 1."""
        return round(self.rows_narrowed / self.rows_generalised, 4) if self.rows_generalised else 0.0


def narrowed(plan: Plan, hierarchies: Sequence[Hierarchy], nodes: Sequence[Node]) -> Narrowed:
    """Runs the attack on the rows that `DECISIONS` releases, in rounds of these nodes, in their order."""
    tree = sql.select("local/label_classes")
    names = plan.labels
    (label, n) = tree.expressions
    columns = [sql.named(sql.with_columns(label.copy(), {"decided.value": name}).unalias(), name) for name in names]
    tree.set("expressions", [*columns, n])
    tree.set("group", expand_columns(sql.select("local/label_classes"), "decided.value", names).args["group"])
    tree = sql.with_relations(tree, {"decided": sql.table(DECISIONS)})
    found = plan.dataset.backend.workspace.rows(Purpose.ROLL_UP, tree)
    combinations: list[tuple[Label, ...]] = sorted((tuple(each[:-1]) for each in found), key=in_order)
    rows_of = {tuple(each[:-1]): int(each[-1]) for each in found}
    released, labels = numbered(names, dict(zip(names, hierarchies, strict=True)), combinations)
    first, last = spans_of(nodes, released, labels)
    eliminations = Eliminations(ClassLabels(tuple(each.attribute for each in released), labels, first, last), True)
    judged: Sequence[int] = range(len(combinations))
    if len(combinations) > MAX_CLASSES:
        judged = np.random.default_rng(SEED).choice(len(combinations), MAX_CLASSES, replace=False).tolist()
    generalised = narrower = 0
    for each in judged:
        named = [column.attribute.named[label] for column, label in zip(released, labels[each].tolist(), strict=True)]
        if any(len(values) > 1 for values in named):
            rows = rows_of[combinations[each]]
            left = eliminations.left(each).values
            generalised += rows
            narrower += rows * any(len(now) < len(values) for now, values in zip(left, named, strict=True))
    return Narrowed(len(combinations), len(judged), generalised, narrower)
