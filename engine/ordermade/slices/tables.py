"""The names of the workspace's tables of records, and of their columns."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.release.plan import Plan

MICRODATA = "microdata"
"""The records: one row each, in the order of the rows' own numbers (`rowid`)."""
GROUPS = "microdata_groups"
"""The released values of each group of records."""
ASSIGNED = "microdata_assigned"
"""The number of the group of each record, by `rowid`."""


def measured_column(place: int) -> str:
    """The column of an attribute in the tables of records and of groups."""
    return f"a{place + 1}"


def carried_columns(plan: Plan) -> Sequence[tuple[int, str]]:
    """Place and name of every column that is released unchanged: sensitive and kept ones."""
    return list(enumerate(plan.carried))[len(plan.quasi_identifiers) :]
