"""What is released for groups of records goes back into the database: the table `DECIDED`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordermade import sql
from ordermade.answering.refusal import mismatch
from ordermade.mondrian.partition import Partition
from ordermade.multidimensional.labels import Released
from ordermade.multidimensional.records import Records
from ordermade.multidimensional.statements import by_record, decided_statement
from ordermade.release.decide import Counted, failing_classes_statement, number_classes
from ordermade.release.plan import DECIDED, Plan
from ordermade.slices.tables import ASSIGNED, GROUPS, measured_column
from ordermade.sources.door import Purpose, arrow


def decide(records: Records, partition: Partition, given: Sequence[Released]) -> None:
    """Keeps what is released for the groups in the workspace, as `DECIDED`, by the contract of `release.plan`.

    One row is a group, or a record where something of its own is released. `given`: what `labels.released` gave. Raises
    ReleaseMismatch where the release will not tell persons apart, so that it cannot be measured again, and a class that
    is about to be released has fewer than k or fails a model.
    """
    plan, workspace = records.plan, records.plan.dataset.backend.workspace
    table: dict[str, Any] = {"number": np.arange(partition.groups, dtype=np.int32), "n": partition.sizes}
    table |= {measured_column(place): each.shown for place, each in enumerate(given)}
    workspace.take(Purpose.RELEASE, GROUPS, arrow().table(table))
    if by_record(plan):
        assigned = {"record": np.arange(records.rows, dtype=np.int32), "number": partition.labels}
        workspace.take(Purpose.RELEASE, ASSIGNED, arrow().table(assigned))
    wanted = [each.wanted for each in records.columns]
    workspace.store(Purpose.RELEASE, DECIDED, decided_statement(plan, wanted, [each.form for each in given]))
    if plan.checks_classes:
        _require_classes(plan)


def _require_classes(plan: Plan) -> None:
    """Raises ReleaseMismatch unless every class, counted once more, has k and passes the models."""
    workspace = plan.dataset.backend.workspace
    counted = replace(Counted.of(plan), table=DECIDED)
    number_classes(workspace, counted)
    failing = {"dataset": failing_classes_statement(counted, plan.k)}
    found = workspace.rows(Purpose.RELEASE, sql.with_relations(sql.template("row_count"), failing))[0][0]
    if found:
        raise mismatch("has classes that are smaller than k, or fail a model")
