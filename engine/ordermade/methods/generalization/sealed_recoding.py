"""Sealed local recoding: disjoint regions, so that each row of a region is released under its label and no other.

The dataset is counted once in the source (`local_counting`), its combinations are parted in memory at the least loss
(`algorithm.sealed_partition`), and the regions of each node are released as a round would be. Persons and models decide
in memory, too (`algorithm.region_counts`), and again in SQL on the release. Labels of an unsealed
release mislead: a class that reaches k by itself is not in the coarser ones around it, and a reader who knows the
hierarchies rules it out there (Cohen, "Attacks on Deidentification's Defenses", USENIX Security 2022). Of disjoint
regions, labels and hierarchies rule nothing out.

Loss is that of the release with suppressed rows as `*`, each attribute by its weight; Prec where the Loss of an
accepted level is not known. Under a suppression limit the price of a suppressed row is raised until no more are
suppressed than may be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ordermade.counting.counts import branches_of_values
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.algorithm.region_counts import RegionCounts, SensitiveRecords, counts_of
from ordermade.methods.generalization.algorithm.sealed_partition import (
    FIRST_PRICES,
    Deciding,
    Integers,
    Partitions,
    Reals,
    Sealed,
    SealedLevels,
    dearer_prices,
    prices_between,
)
from ordermade.methods.generalization.attempts import Attempts, Recoded, at_most, nothing_released
from ordermade.methods.generalization.local_counting import LocalCombinations, RemainingRows, count, place
from ordermade.methods.generalization.local_rounds import CellClasses, Round, check_size
from ordermade.privacy.least_k import numbered
from ordermade.release.plan import Plan
from ordermade.sources.executor import Purpose


def sealed_recoding(
    plan: Plan,
    lattice: Lattice,
    requirement: Requirement,
    full_domain: Node | None,
    weights: Mapping[str, Fraction] | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    counted: bool = False,
) -> Recoded:
    """Counts the dataset, parts it and fills `DECIDED`, from which `settle(plan)` goes on.

    Parameters and errors as of `local_recoding`. It is never worse than the full-domain release of the same request, by
    Loss with suppressed rows as `*` where no column has a weight: where a partition is, under a limit, that release is
    taken, which is sealed, too.
    """
    check_size(lattice)
    if not counted:
        count(plan)
    attempts = Attempts.of(plan, lattice, requirement, progress)
    bound = None if full_domain is None else attempts.loss_of_node(full_domain)
    combinations = attempts.combinations
    columns = [each.column for each in plan.attributes]
    levels = tuple(
        _levels(place, axis, classes, combinations, share)
        for place, (axis, classes, share) in enumerate(
            zip(lattice.axes, attempts.cells, _shares(columns, weights), strict=True)
        )
    )
    counts = _counts(plan, lattice, requirement, combinations)
    last = None
    for each in _of_greater_classes(requirement):
        deciding = None if counts is None else replace(counts, k=each.k)
        for sealed in cheapest_first(levels, combinations.rows, each, progress, deciding):
            last = attempts.figures("sealed", _placed(plan, lattice, combinations, sealed), bound)
            # Loss is compared without weights; with them the partition is the best by its own.
            if last.refusal is None and (weights or at_most(last, bound)):
                return last
            if last.refusal is None:
                break
    if full_domain is not None:
        return attempts.attempt("full-domain alone", [full_domain], bound)
    return last or nothing_released("sealed", attempts.rows, attempts.units, bound, _refusal(plan, requirement))


def _of_greater_classes(requirement: Requirement) -> Iterator[Requirement]:
    """The requirement; then, for an average risk, with classes so large that each of them is below it."""
    yield requirement
    if requirement.average_risk:
        yield replace(requirement, k=max(requirement.k, math.ceil(1 / requirement.average_risk)))


def _refusal(plan: Plan, requirement: Requirement) -> str:
    what = "person" if requirement.persons else "row"
    most = numbered(requirement.most_suppressed, what, f"{what}s", plan.dataset.least_k)
    if requirement.most_suppressed == 0:
        return f"no partition into disjoint classes of accepted nodes that pass releases every {what}"
    return f"no partition into disjoint classes of accepted nodes was found that suppresses at most {most}"


def cheapest_first(
    levels: Sequence[SealedLevels],
    rows: Integers,
    requirement: Requirement,
    progress: Callable[[int], None] | None = None,
    deciding: Deciding | None = None,
) -> Iterator[Sealed]:
    """Partitions within the limit, the cheapest first; of persons all, as how many are suppressed is not known here."""

    def parted(prices: Sequence[float]) -> list[tuple[float, Sealed]]:
        partitions = Partitions(levels, rows, requirement.k, prices, progress, deciding)
        found = ((price, partitions.partition(number)) for number, price in enumerate(prices))
        return [(price, each) for price, each in found if each is not None]

    most = requirement.most_suppressed
    if not most:
        yield from (each for _, each in parted([math.inf]))
        return
    first = parted(FIRST_PRICES)
    if requirement.persons:
        yield from (each for _, each in first)
        for price in dearer_prices(int(rows.sum())):
            yield from (each for _, each in parted([price]))
        return
    within = [each for each in first if each[1].suppressed <= most]
    beyond = [price for price, each in first if each.suppressed > most]
    if beyond:
        steps = prices_between(beyond, [price for price, _ in within])
        within = [*(each for each in parted(steps) if each[1].suppressed <= most), *within]
    # Where not every row can be released, the price that suppresses few enough is looked for.
    for price in () if within else dearer_prices(int(rows.sum())):
        within = [each for each in parted([price]) if each[1].suppressed <= most]
        if within:
            break
    yield from (each for _, each in sorted(within, key=lambda pair: pair[0]))


def _counts(
    plan: Plan, lattice: Lattice, requirement: Requirement, combinations: LocalCombinations
) -> RegionCounts | None:
    """The persons and the sensitive values of the combinations; None where nothing but rows decides."""
    if not (requirement.persons or requirement.models):
        return None
    units = RemainingRows.of(plan, lattice, requirement.k).units_of_combinations()
    workspace = plan.dataset.backend.workspace
    columns = []
    for each, values in zip(plan.sensitive, units.values, strict=True):
        branches = branches_of_values(workspace, Purpose.ROLL_UP, each)
        along = {identity: np.array(levels, dtype=np.int64) for identity, levels in branches.items()}
        columns.append(SensitiveRecords(values, each.models, along))
    places = np.searchsorted(combinations.numbers, units.combinations)
    return counts_of(places, units.rows, requirement.k, units.persons, columns)


def _shares(columns: Sequence[str], weights: Mapping[str, Fraction] | None) -> list[float]:
    """The weight of each attribute, of 1 for all together."""
    each = [float((weights or {}).get(column, 1)) for column in columns]
    return [weight / (sum(each) or 1.0) for weight in each]


def _levels(
    place: int, axis: Axis, attribute: CellClasses, combinations: LocalCombinations, share: float
) -> SealedLevels:
    """The accepted levels of an attribute, with the cost of a row in each class."""
    classes, costs = [], []
    for level in axis.accepted:
        of_cells = combinations.classes_of_cells(place, attribute, level)
        values, numbered = np.unique(of_cells, return_inverse=True)
        classes.append(numbered.astype(np.int64))
        costs.append(share * _costs(attribute, axis, level, values))
    return SealedLevels.of_cells(
        place, combinations.cells[place], classes, [_next_below(axis, level) for level in axis.accepted], costs
    )


def _costs(attribute: CellClasses, axis: Axis, level: int, classes: Integers) -> Reals:
    """The Loss of a row in each of the classes of a level; the share of its Prec where it is not known."""
    domain, leaves = attribute.costs.domain_leaves, attribute.leaves.get(level)
    if attribute.top == 0 or level == 0:
        return np.zeros(len(classes))
    if level == attribute.top:
        return np.ones(len(classes))
    known = all(attribute.leaves.get(each) is not None for each in axis.accepted if 0 < each < attribute.top)
    if domain is None or leaves is None or not known:
        return np.full(len(classes), level / attribute.top)
    above = [leaves.get(int(each), 1) - 1 for each in classes]
    return np.array(above, dtype=np.float64) / max(domain - 1, 1)


def _next_below(axis: Axis, level: int) -> list[int]:
    """The places of the accepted levels that refine one, with none between; of levels alike the first is the finer."""

    def below(one: int, other: int) -> bool:
        return one < other and axis.order.refines(one, other)

    finer = [each for each in axis.accepted if below(each, level)]
    nearest = [each for each in finer if not any(below(each, other) for other in finer)]
    return [axis.accepted.index(each) for each in nearest]


def _placed(plan: Plan, lattice: Lattice, combinations: LocalCombinations, sealed: Sealed) -> tuple[Round, ...]:
    """Notes the node of each combination as the number of a round; the rounds, those of the most rows first."""
    released = sealed.node_of >= 0
    rows = np.bincount(sealed.node_of[released], weights=combinations.rows[released], minlength=len(sealed.nodes))
    order = sorted(range(len(sealed.nodes)), key=lambda node: (-rows[node], sealed.nodes[node]))
    number_of = np.zeros(len(order) + 1, dtype=np.int64)  # the last is of those that no node releases
    number_of[order] = np.arange(1, len(order) + 1)
    place(plan, combinations, number_of[sealed.node_of])
    return tuple(
        Round(
            tuple(axis.accepted[at] for axis, at in zip(lattice.axes, sealed.nodes[node], strict=True)),
            sealed.regions[node],
            int(rows[node]),
        )
        for node in order
    )
