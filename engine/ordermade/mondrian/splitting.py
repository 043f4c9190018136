"""Mondrian: one group of all records is split, depth first, until no split leaves every part valid.

After K. LeFevre, D. J. DeWitt and R. Ramakrishnan (2006), Mondrian multidimensional k-anonymity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ordermade.mondrian.attributes import attributes_of
from ordermade.mondrian.choice import Choice, Gain, Guided, Precise
from ordermade.mondrian.domains import Codes, Domain
from ordermade.mondrian.looking import Parameters
from ordermade.mondrian.partition import Partition
from ordermade.mondrian.requirement import Requirement
from ordermade.mondrian.rules import met_by_all, no_rules, rules_of
from ordermade.mondrian.scores import GAIN, GUIDED, PRECISE, WIDEST
from ordermade.mondrian.subtrees import Forest, Group


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

    `progress` receives, from time to time, the number of records in finished groups. Ctrl-C ends it within a second.
    """
    n, k = len(codes), requirement.k
    parameters = Parameters(
        attributes=attributes_of(domains),
        rules=rules_of(choice.guide, n // k) if isinstance(choice, Guided) else no_rules(len(domains)),
        choice=_number(choice),
        k=k,
        strict=strict,
    )
    forest = Forest.of(parameters, codes, requirement, choice if isinstance(choice, Gain) else None)
    tree = forest.tree(Group(0, n, 0, parameters.attributes.tops.astype(np.int8)))
    if isinstance(choice, Guided):
        tree.meet(met_by_all(choice.guide, codes))
        threads = 1  # the best split of a group depends on all others
    settled = made = tried = 0
    for more_settled, more_made, more_tried in forest.grown(tree, threads):
        settled, made, tried = settled + more_settled, made + more_made, tried + more_tried
        if progress:
            progress(settled)
    records = forest.records
    finished = records.begins >= 0
    return Partition(
        order=records.order,
        starts=np.append(records.begins[finished], n),
        levels=records.levels[finished],
        made=made,
        tried=tried,
    )


def _number(choice: Choice) -> int:
    if isinstance(choice, Guided):
        return GUIDED
    return GAIN if isinstance(choice, Gain) else PRECISE if isinstance(choice, Precise) else WIDEST
