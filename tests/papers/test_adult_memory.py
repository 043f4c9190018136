"""What earlier requests measured of ARX's Adult set spares a search questions; it costs none, but for chance."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.objectives import objective
from ordermade.search import SEARCHES, SearchProblem, drive, rounds
from tests.papers.adult_table import Adult
from tests.papers.test_lattice_adult import DATA, configuration, read_truth

CHANCE = 4
"""Questions that a search may be off by chance alone: one that asks for the most telling node next is greedy."""

Asked = tuple[int, float, str]


def after(adult: Adult, memory: dict[Node, Observation], required: Requirement, name: str) -> tuple[Node | None, int]:
    """The best node and how many nodes were asked for; what was measured is added to the memory."""
    first = adult.evidence(required.most_suppressed)
    placed = [*first.proofs.every, *placed_in(adult.lattice, memory.items())]
    evidence = dataclasses.replace(
        first, proofs=Proofs(adult.lattice, adult.rows, placed, required.most_suppressed), observed=dict(memory)
    )
    goal = objective(name, adult.lattice, adult.costs, required)
    measured: dict[Node, Observation] = {}

    def measure(batch: Sequence[Node]) -> list[Observation]:
        found = [adult.measure_for(node, required, None, figures=goal.needs_suppressed) for node in batch]
        measured.update(zip(batch, found, strict=True))
        return found

    outcome = drive(SEARCHES["guided"].start(SearchProblem(adult.lattice, required, goal, evidence)), measure)
    assert outcome.certified
    memory.update(measured)
    return outcome.best, len(measured)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(
    "requests",
    [
        pytest.param(
            [(2, 0, "prec"), (2, 0, "dm"), (2, 0, "loss"), (2, 0, "entropy"), (2, 0.01, "prec")],
            marks=pytest.mark.whole,
        ),
        [(2, 0.05, "prec"), (100, 0.05, "prec"), (100, 0.01, "prec"), (10, 0.01, "prec")],
        pytest.param([(100, 0, "loss"), (10, 0, "dm"), (2, 0, "prec"), (10, 0.01, "loss")], marks=pytest.mark.whole),
    ],
)
def test_memory_costs_a_search_no_questions(requests: list[Asked], monkeypatch: pytest.MonkeyPatch):
    """One question after the other: a round asks some more, with memory or without."""
    monkeypatch.setattr(rounds, "MAX_ROUND", 1)
    truth = read_truth("adult8")
    adult = Adult(DATA / "adult", truth)
    memory: dict[Node, Observation] = {}
    with_memory, without = [], []
    for k, limit, name in requests:
        required = Requirement(k, configuration(truth, k, limit)["max_suppressed_rows"])
        best, count = after(adult, memory, required, name)
        alone, count_alone = after(adult, {}, required, name)
        assert best == alone
        with_memory.append(count)
        without.append(count_alone)
    assert all(count <= alone + CHANCE for count, alone in zip(with_memory, without, strict=True)), with_memory
    assert sum(with_memory) < 0.95 * sum(without)
