"""The forecast that a data user reads while choosing: likely, open or unlikely, by what recipients received. Pure.

It is no oracle: it is a function of the request, the hierarchies and the figures that a pool received, so it is the
same for any two datasets that answered the pool alike. Neither a measured node that was not released, nor the version
of the data, nor a count of a row filter that no release of the pool has goes into it. Released figures may be of
earlier data, so nothing is proved: the last release that decides says `likely` or `unlikely`.

By the order of levels first: what a release shows is added up at the levels in question. Classes that are coarser than
passing ones pass, those finer than failing ones fail. Then by the fitted models of this room, from released class sizes
alone; for the whole dataset only, and for requirements of k only. Where a column was never released at such a level,
too little is known: `open`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from ordermade.errors import TooLittleKnown
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import Axis, Lattice, Node
from ordermade.lattice.observation import Observation, Sizes
from ordermade.ledger.entries import ShownColumn
from ordermade.ledger.received import ClassSums, ReceivedClasses, reaches
from ordermade.ledger.simulatable import refines
from ordermade.prediction.prediction import Evidence
from ordermade.prediction.predictors import PREDICTORS, use_best_predictor

Outlook: TypeAlias = Literal["likely", "open", "unlikely"]
"""What is forecast; `open`: either way."""
Ground: TypeAlias = Literal["released", "estimated", "unknown", "filter", "method", "models", "earlier"]
"""What it goes by, or why it is open.

`released`: figures of releases decide; `estimated`: a fitted model; `unknown`: too little was released; `filter`: no
release has its rows; `method`: its classes are of no levels; `models`: more is required than k; `earlier`: earlier
releases of the same recipients decide.
"""

LIKELY, UNLIKELY = 0.8, 0.2
"""The chance by a fitted model from which on a release is likely, and up to which it is unlikely."""
MOST_LEARNT = 40
"""The most releases that a model learns from, the latest."""
MOST_UNKNOWN = Fraction(1, 20)
"""The greatest share of persons in classes that a release does not list, where a model goes by the others."""
_KINDS = tuple(PREDICTORS[name] for name in ("dependence", "independence"))
_RANKS: tuple[Outlook, ...] = ("unlikely", "open", "likely")


@dataclass(frozen=True, slots=True)
class ForetoldLevels:
    """What a forecast is of: columns at their levels (those at `*` left out), under a row filter, k and a limit.

    `finest`: at the finest levels accepted, `coarsest` at the coarsest; None where one column has several of them or
    its classes are of no levels. `only_k`: whether nothing is required besides k.
    """

    filter: str | None
    k: int
    limit: Fraction
    finest: tuple[ShownColumn, ...] | None
    coarsest: tuple[ShownColumn, ...] | None
    only_k: bool = True


@dataclass(frozen=True, slots=True)
class Foretold:
    """Whether a request is released, why that is forecast, and whether its finest levels pass."""

    answer: Outlook
    why: Ground
    at_finest: Outlook


OPEN = Foretold("open", "method", "open")
"""Of a request whose classes are of no levels."""


def foretold(
    wanted: ForetoldLevels, received: Sequence[ReceivedClasses], hierarchies: Mapping[str, Hierarchy]
) -> Foretold:
    """The forecast by the releases that a pool received, the latest first; `hierarchies` by their contents' hashes."""
    if wanted.coarsest is None:
        return OPEN
    of_filter = [each for each in received if each.filter == wanted.filter]
    answer, why = _at(wanted.coarsest, wanted, of_filter, hierarchies)
    finest = "open" if wanted.finest is None else _at(wanted.finest, wanted, of_filter, hierarchies)[0]
    if finest == "likely" and answer != "likely":  # what is coarser passes, too
        answer, why = finest, "released"
    return Foretold(answer, why, min(finest, answer, key=_RANKS.index))


def _at(
    levels: tuple[ShownColumn, ...],
    wanted: ForetoldLevels,
    received: Sequence[ReceivedClasses],
    hierarchies: Mapping[str, Hierarchy],
) -> tuple[Outlook, Ground]:
    """The forecast of one node."""
    passes = next((each for each in _decided(levels, wanted, received, hierarchies) if each is not None), None)
    why: Ground = "released"
    if passes is None and wanted.filter is not None:
        return "open", "filter"
    if passes is None:
        chance = _chance(levels, wanted, received, hierarchies)
        if chance is None:
            return "open", "unknown"
        passes, why = (chance >= LIKELY if not UNLIKELY < chance < LIKELY else None), "estimated"
    if passes is None:
        return "open", why
    if passes and not wanted.only_k:
        return "open", "models"
    return "likely" if passes else "unlikely", why


def _decided(
    levels: tuple[ShownColumn, ...],
    wanted: ForetoldLevels,
    received: Sequence[ReceivedClasses],
    hierarchies: Mapping[str, Hierarchy],
) -> Iterator[bool | None]:
    """Whether each release decides by the order of levels that the node passes, or that it fails; None: neither."""
    for each in received:
        sums = each.towards(levels, hierarchies)
        yield _passes(sums, levels, wanted, hierarchies)
        if sums is not each.own:
            yield _passes(each.own, levels, wanted, hierarchies)


def _passes(
    sums: ClassSums, levels: tuple[ShownColumn, ...], wanted: ForetoldLevels, hierarchies: Mapping[str, Hierarchy]
) -> bool | None:
    least, most = sums.persons
    certain, possible = sums.below(wanted.k)
    if reaches(sums, levels, hierarchies) and possible <= wanted.limit * least and least - possible >= wanted.k:
        return True
    if refines(levels, sums.columns, hierarchies) and (certain > wanted.limit * most or most < wanted.k):
        return False
    return None


def _chance(
    levels: tuple[ShownColumn, ...],
    wanted: ForetoldLevels,
    received: Sequence[ReceivedClasses],
    hierarchies: Mapping[str, Hierarchy],
) -> float | None:
    """The chance that a node passes for k by a model of released class sizes; None where they do not carry one."""
    learnt = received[:MOST_LEARNT]
    marginals: list[dict[int, Sizes]] = []
    persons = 0
    if not levels:
        return None
    for column in levels:
        of_column = next((each for each in (_alone(column, one, hierarchies) for one in learnt) if each), None)
        if of_column is None:
            return None
        sizes, of_release = of_column
        persons = persons or of_release
        marginals.append({column.level: sizes})
    axes = tuple(Axis(each.column, hierarchies[each.hierarchy].order, (each.level,)) for each in levels)
    observed = dict(_observed(levels, axes, learnt, hierarchies, persons))
    for place, column in enumerate(levels):
        for level in {node[place] for node in observed} - {column.level, axes[place].top}:
            at_level = replace(column, level=level)
            of_level = next((each for each in (_alone(at_level, one, hierarchies) for one in learnt) if each), None)
            marginals[place] |= {} if of_level is None else {level: of_level[0]}
    nothing = Evidence.nothing(Lattice(axes), persons, int(wanted.limit * persons))
    evidence = replace(nothing, marginals=tuple(marginals), observed=observed)
    node = tuple(each.level for each in levels)
    try:
        _, found = use_best_predictor(evidence, lambda predictor: predictor.predict([node])[0], _KINDS)
    except TooLittleKnown:
        return None
    return found.chance(wanted.k)


def _alone(
    column: ShownColumn, released: ReceivedClasses, hierarchies: Mapping[str, Hierarchy]
) -> tuple[Sizes, int] | None:
    """The class sizes of a column at its level and all persons, by a release that has it there or finer; else None."""
    sums = released.towards((column,), hierarchies)
    if sums.columns != (column,) or sums.rest[1] > MOST_UNKNOWN * sums.persons[0]:
        return None
    return _sizes(sums), sums.persons[1]


def _observed(
    levels: tuple[ShownColumn, ...],
    axes: tuple[Axis, ...],
    received: Sequence[ReceivedClasses],
    hierarchies: Mapping[str, Hierarchy],
    persons: int,
) -> Iterator[tuple[Node, Observation]]:
    """The nodes of these columns that releases show whole, of as many persons; the latest of each comes last."""
    for released in reversed(received):
        sums = released.towards(levels, hierarchies)
        if len(sums.columns) < 2 or not sums.is_exact or sums.persons[0] != persons:
            continue
        at = {each.key: each.level for each in sums.columns}
        if set(at) <= {each.key for each in levels}:
            node = tuple(at.get(each.key, axis.top) for each, axis in zip(levels, axes, strict=True))
            yield node, Observation.from_histogram(_sizes(sums))


def _sizes(sums: ClassSums) -> Sizes:
    """The histogram of the listed classes."""
    sizes, classes = np.unique(sums.least, return_counts=True)
    return tuple(zip(sizes.tolist(), classes.tolist(), strict=True))
