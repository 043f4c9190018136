"""The least work of any proof, against every set of tests tried by hand."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from bench.least_proof import least_proof
from bench.service_like import Service, services


def least_by_hand(of: Service, k: int) -> int:
    """The cheapest set of failing nodes that rules out all better nodes, and the best node; the root is free."""
    measured, lattice = of.observations, of.lattice
    passing = [node for node, each in measured.items() if each.k >= k]
    best = max(measured[node].divisions for node in passing)
    better = [node for node, each in measured.items() if each.divisions > best]
    failing = [node for node, each in measured.items() if each.k < k]
    coarsest = [node for node in failing if not any(lattice.refines(node, each) for each in failing if each != node)]
    useful = {node: frozenset(each for each in better if lattice.refines(each, node)) for node in failing}
    # A node that rules out no more than a cheaper one is never needed.
    kept = [
        node
        for node in failing
        if not any(
            useful[node] <= useful[other] and (measured[other].divisions, other) < (measured[node].divisions, node)
            for other in failing
        )
    ]
    assert set(coarsest) & set(kept)
    sets = chain.from_iterable(combinations(kept, size) for size in range(len(kept) + 1))
    enough = (each for each in sets if frozenset().union(*(useful[node] for node in each)) >= frozenset(better))
    return best + min(sum(measured[node].divisions for node in each) for each in enough)


@pytest.mark.parametrize("k", [2, 20, 100])
def test_least_proof(k: int):
    for of in services(3):
        assert least_proof(of.lattice, of.observations, k).divisions == least_by_hand(of, k)


def test_what_the_rows_alone_prove_is_free():
    (smallest,) = services(1)
    assert least_proof(smallest.lattice, smallest.observations, smallest.members + 1).divisions == 0
    assert least_proof(smallest.lattice, smallest.observations, 1).tests == ((0, 0, 0),)
