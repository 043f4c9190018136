"""Searches for the best passing node: pure generators over an oracle. One registry: `SEARCHES`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from ordermade.errors import RequestError, UnknownName, quoted
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.observation import Requirement
from ordermade.loss.metrics import METRICS
from ordermade.search.incognito import graph_size
from ordermade.search.problem import Batch, Measure, Outcome, Search, SearchProblem, drive

__all__ = [
    "SEARCHES",
    "Algorithm",
    "Batch",
    "Measure",
    "Outcome",
    "Search",
    "SearchProblem",
    "choose",
    "drive",
]

MAX_NODES = 20_000_000
MAX_NODES_FORECAST = 1_000_000
"""Searches that forecast every node keep some dozen numbers for each."""
MAX_NODES_BY_DEFAULT = 100_000
"""Beyond, forecasting every node takes longer than the counts that it saves, unless counting is slow."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A search: its name, what it does, and what it needs.

    `needs_nested`: the accepted levels of every attribute must form a chain. `size`: the number of nodes it
    keeps track of for a lattice, at most `max_nodes`. `certifies`: whether it can prove that nothing is better.
    `needs_monotone`: nodes coarser than a passing one must pass, and never score less. `needs_costs`: the
    objective must bound a node's score by a sum over its levels. `k_alone`: it knows of nothing but k.
    """

    name: str
    meaning: str
    start: Callable[[SearchProblem], Search]
    needs_nested: bool
    size: Callable[[Lattice], int]
    max_nodes: int = MAX_NODES
    certifies: bool = True
    needs_monotone: bool = False
    needs_costs: bool = False
    k_alone: bool = False


def _start(module: str, name: str) -> Callable[[SearchProblem], Search]:
    """The search of that name; its module is imported when it starts: a request runs one of them."""

    def start(problem: SearchProblem) -> Search:
        found: Search = getattr(import_module(f"ordermade.search.{module}"), name)(problem)
        return found

    return start


def _paper(name: str, meaning: str) -> Algorithm:
    return Algorithm(
        name,
        meaning,
        _start("paper", name.replace("-", "_")),
        needs_nested=False,
        size=lambda lattice: lattice.size,
        max_nodes=MAX_NODES_FORECAST,
        certifies=False,
        k_alone=True,
    )


SEARCHES: dict[str, Algorithm] = {
    each.name: each
    for each in (
        Algorithm(
            "guided",
            "prove the optimum with the questions that a forecast finds most decisive (Oguri et al. 2016, carried to a "
            "proof)",
            _start("guided", "guided"),
            needs_nested=False,
            size=lambda lattice: lattice.size,
            max_nodes=MAX_NODES_FORECAST,
        ),
        Algorithm(
            "ola",
            "binary search on generalisation strategies with predictive tagging (El Emam et al. 2009)",
            _start("ola", "ola"),
            needs_nested=True,
            size=lambda lattice: lattice.size,
            needs_monotone=True,
        ),
        Algorithm(
            "incognito",
            "breadth first over subsets of attributes, subset and roll-up pruning (LeFevre et al. 2005)",
            _start("incognito", "incognito"),
            needs_nested=False,
            size=graph_size,
            needs_monotone=True,
        ),
        Algorithm(
            "hitting-set",
            "from the cheapest node that no failing one rules out to the border of passing, again and again; for a "
            "lattice of any size (implicit hitting sets, Moreno-Centeno and Karp 2013)",
            _start("hitting_set", "hitting_set"),
            needs_nested=False,
            size=lambda _: 0,
            needs_costs=True,
        ),
        Algorithm(
            "exhaustive",
            "every node",
            _start("exhaustive", "exhaustive"),
            needs_nested=False,
            size=lambda lattice: lattice.size,
        ),
        Algorithm(
            "pak",
            "start at the node that a power law predicts, then walk as the paper does: it stops without a proof "
            "(Oguri et al. 2016)",
            _start("pak", "pak"),
            needs_nested=False,
            size=lambda lattice: lattice.size,
            max_nodes=MAX_NODES_FORECAST,
            certifies=False,
        ),
        _paper("paper-pak", "the paper's PAK, its work counted as the paper does: it stops without a proof"),
        _paper("paper-ola", "the paper's OLA: from the most divisions down to the first pass"),
        _paper(
            "paper-incognito",
            "the paper's Incognito: from the fewest divisions up, without the nodes that refine a failing one",
        ),
    )
}
"""Every search a request may name, in the order of preference."""


def choose(
    name: str | None, lattice: Lattice, requirement: Requirement | None = None, objective: str | None = None
) -> Algorithm:
    """The search of that name; without one `guided`, and for large lattices `hitting-set` where levels have costs.

    For objectives of the classes it is `ola` there where levels nest, else `incognito`.

    `objective` is the name of a registered one; left out, of one that never falls when coarsening. Those two searches
    only where they can honour what is required and what is to be minimised; else `guided`. Raises UnknownName for a
    name that is not registered, RequestError where the search needs nested levels and they are not, where it cannot
    honour requirement or objective, or where the lattice has more nodes than it can keep track of.
    """
    if name is not None and name not in SEARCHES:
        raise UnknownName("search", name, SEARCHES, where="search.algorithm")
    not_nested = lattice.not_nested
    algorithm = SEARCHES[name or _default_search(lattice, requirement, objective)]
    if algorithm.needs_nested and not_nested:
        raise _must_nest(algorithm, not_nested)
    _require_honoured(algorithm, requirement, objective)
    if algorithm.size(lattice) > algorithm.max_nodes:
        raise _too_large(algorithm, lattice)
    return algorithm


def _default_search(lattice: Lattice, requirement: Requirement | None, objective: str | None) -> str:
    """The name of the search for a request that names none: beyond a size the one that lists no nodes, if it can."""
    most = MAX_NODES_FORECAST if _not_monotone(requirement, objective) else MAX_NODES_BY_DEFAULT
    if lattice.size <= most:
        return "guided"
    if objective is None or METRICS[objective].weighted:
        return "hitting-set"
    if _not_monotone(requirement, objective):
        return "guided"
    return "incognito" if lattice.not_nested else "ola"


def _require_honoured(algorithm: Algorithm, requirement: Requirement | None, objective: str | None) -> None:
    """Raise RequestError where the search would not do what the request requires."""
    if algorithm.needs_monotone and (reason := _not_monotone(requirement, objective)):
        raise _not_honoured(algorithm, f"{algorithm.name} looks no further than the finest nodes that pass; {reason}")
    if algorithm.needs_costs and objective is not None and not METRICS[objective].weighted:
        raise _not_honoured(
            algorithm,
            f"{algorithm.name} needs an objective that is bounded by a sum over the levels, and {objective} is not",
        )
    if algorithm.k_alone and requirement is not None and (beyond := _beyond_k(requirement)):
        raise _not_honoured(algorithm, f"{algorithm.name} does what the paper does, which knows no {beyond}")


def _not_monotone(requirement: Requirement | None, objective: str | None) -> str | None:
    """Return why a coarser node than a passing one may fail, or be better; None where it cannot."""
    if requirement is not None and not requirement.monotone:
        return "the requirement may fail at a coarser node than one that passes"
    if requirement is not None and objective is not None and not METRICS[objective].monotone(requirement):
        return f"by {objective} a coarser node than one that passes may be the better one"
    return None


def _beyond_k(requirement: Requirement) -> str | None:
    if requirement.most_suppressed:
        return "suppression limit"
    if requirement.models:
        return "privacy models"
    return None if requirement.average_risk is None else "average risk"


def _not_honoured(algorithm: Algorithm, what: str) -> RequestError:
    fits = (each.name for each in SEARCHES.values() if each.certifies and not (each.needs_monotone or each.needs_costs))
    alternatives = " or ".join(f"`algorithm: {name}`" for name in fits if name != algorithm.name)
    return RequestError(what, where="search.algorithm", next_step=f"Use {alternatives}.")


def _must_nest(algorithm: Algorithm, columns: tuple[str, ...]) -> RequestError:
    listed = ", ".join(quoted(column) for column in columns)
    fits = (each.name for each in SEARCHES.values() if each.certifies and not each.needs_nested)
    alternatives = " or ".join(f"`algorithm: {name}`" for name in fits)
    return RequestError(
        f"{algorithm.name} needs levels that nest, and not every accepted level of {listed} refines the next",
        where="search.algorithm",
        next_step=f"Use {alternatives}, or accept nested levels only.",
    )


def _too_large(algorithm: Algorithm, lattice: Lattice) -> RequestError:
    most = sorted(lattice.axes, key=lambda axis: -len(axis.accepted))[:3]
    listed = ", ".join(f"{quoted(axis.column)} ({len(axis.accepted)} levels)" for axis in most)
    limit = f"{algorithm.max_nodes:,}"
    return RequestError(
        f"{algorithm.name} would keep track of {algorithm.size(lattice):,} nodes, more than {limit}",
        where="quasi_identifiers",
        next_step=f"Narrow `from` and `to`, first of {listed}, or leave attributes out.",
    )
