"""What table C knows of columns that a request does not ask for, as a prediction learns from it."""

from __future__ import annotations

from collections.abc import Mapping

from ordermade.lattice.lattice import Axis, LevelOrder, Node, NodeKey
from ordermade.lattice.observation import Observation, Sizes
from ordermade.methods.generalization.search_problem import Known
from ordermade.prediction.prediction import Beyond, Marginal
from ordermade.requests.resolve import Resolved
from ordermade.state.cache_contents import LevelSizes

MOST_NODES = 5_000
"""Nodes that are placed: those of few other columns first."""


def beyond(known: Known, resolved: Resolved, marginals: LevelSizes) -> Beyond:
    """The nodes of the version that group by other columns, too, as far as the class sizes of their levels are known.

    A node at a level of the request's columns that its own hierarchy does not have is left out.
    """
    own = [{level.content_hash: number for number, level in enumerate(each.hierarchy.levels)} for each in resolved.qis]
    places = {each.column: place for place, each in enumerate(resolved.qis)}
    nodes = [
        (key, each)
        for key, each in known.observations.items()
        if each.rows == known.rows and _is_usable(key, places, own, marginals)
    ]
    nodes.sort(key=lambda node: sum(column not in places for column, _ in node[0]))
    nodes = nodes[:MOST_NODES]
    others: dict[str, dict[str, int]] = {}
    for key, _ in nodes:
        for column, level in sorted(key):
            if column not in places:
                levels = others.setdefault(column, {})
                levels.setdefault(level, len(levels))
    columns = sorted(others)
    axes = tuple(Axis(each, LevelOrder.chain(len(others[each]) + 1), (len(others[each]),)) for each in columns)
    tops = [each.hierarchy.top for each in resolved.qis]
    return Beyond(axes, _observed(nodes, own, places, others, tops), _marginals(columns, others, marginals))


def _is_usable(key: NodeKey, places: Mapping[str, int], own: list[dict[str, int]], marginals: LevelSizes) -> bool:
    """Whether a node groups by another column, with levels whose class sizes are known."""
    if all(column in places for column, _ in key):
        return False
    return all(
        level in own[places[column]] if column in places else (column, level) in marginals for column, level in key
    )


def _observed(
    nodes: list[tuple[NodeKey, Observation]],
    own: list[dict[str, int]],
    places: Mapping[str, int],
    others: Mapping[str, Mapping[str, int]],
    tops: list[int],
) -> dict[Node, Observation]:
    columns = sorted(others)
    found: dict[Node, Observation] = {}
    for key, observation in nodes:
        levels = dict(key)
        of_request = [
            own[place][levels[column]] if column in levels else tops[place] for column, place in places.items()
        ]
        of_others = [others[each][levels[each]] if each in levels else len(others[each]) for each in columns]
        found[(*of_request, *of_others)] = observation
    return found


def _marginals(
    columns: list[str], others: Mapping[str, Mapping[str, int]], marginals: LevelSizes
) -> tuple[Marginal, ...]:
    def of(column: str) -> dict[int, Sizes]:
        return {number: marginals[column, level] for level, number in others[column].items()}

    return tuple(of(each) for each in columns)
