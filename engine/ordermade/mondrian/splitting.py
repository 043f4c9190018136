"""Mondrian: one group of all records is split, depth first, until no split leaves every part valid.

After K. LeFevre, D. J. DeWitt and R. Ramakrishnan (2006), Mondrian multidimensional k-anonymity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ordermade.mondrian.choice import Choice
from ordermade.mondrian.domains import Codes, Domain
from ordermade.mondrian.partition import Partition

if TYPE_CHECKING:
    from ordermade.mondrian.requirement import Requirement


def partitioned(
    domains: Sequence[Domain],
    codes: Codes,
    choice: Choice,
    requirement: Requirement,
    *,
    strict: bool = True,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Partition:
    """The groups of records that no valid split is left of, in the order in which they are finished, depth first.

    `codes`: one row a record, one column an attribute (of `domains`), contiguous rows. All records together are taken
    to pass the requirement (`root_fails`). A split is valid if every child that has records passes it; of an attribute
    that is cut or parted it has two children, so that a group with one value of it is not split there, `strict` or not.
    Ties among splits go to the first attribute. `strict`: equal values stay together; else the records that are equal
    to the median go, by row, to the half that lacks records. Whatever `threads` says, the partition is the same.

    `progress` is told, from time to time, how many records are in finished groups. Ctrl-C ends it within a second.
    """
    raise NotImplementedError
