"""A search driven to its end, or stopped on its way: then the best node measured so far, and a bound on the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.machine.linear_algebra import one_blas_thread
from ordermade.search.hitting_set import Frontier
from ordermade.search.problem import (
    MAX_LISTED,
    STEPS_AT_THE_END,
    Measure,
    Outcome,
    Search,
    SearchProblem,
    Stopped,
    WithinBudget,
    drive,
)
from ordermade.search.proof_size import Outlook
from ordermade.search.search_state import search_state


@one_blas_thread()
def searched(problem: SearchProblem, search: Search, measure: Measure) -> Outcome:
    """The outcome of a search; if it is stopped on its way, the best node measured and a bound on the others."""
    seen: dict[Node, Observation] = {}
    outlook = Outlook(problem, measure) if isinstance(measure, WithinBudget) else None

    def noted(batch: Sequence[Node]) -> Sequence[Observation]:
        try:
            observations = measure(batch)
        except Stopped as stop:
            seen.update(zip(batch, stop.answered, strict=False))
            raise
        seen.update(zip(batch, observations, strict=True))
        if outlook is not None:
            outlook.look(seen)
        return observations

    try:
        return drive(search, noted)
    except Stopped as stop:
        return _so_far(problem, seen, stop.reason)
    except KeyboardInterrupt:
        # While it chose a question: what it had half written of its own state is left behind with it.
        if not (isinstance(measure, WithinBudget) and measure.answers_interrupts):
            raise
        return _so_far(problem, seen, "interrupted")


def _so_far(problem: SearchProblem, seen: Mapping[Node, Observation], reason: str) -> Outcome:
    """The outcome of what was measured, by the inferences of a search that proves, whichever chose the questions."""
    if problem.lattice.size > MAX_LISTED and problem.objective.level_costs is not None:
        frontier = Frontier(problem)
        for node, observation in seen.items():
            frontier.learn(node, observation)
        return frontier.outcome(reason, STEPS_AT_THE_END)
    found = search_state(problem)
    for node, observation in seen.items():
        found.learn(node, observation)
    best, of_best, minimal, certified = found.outcome_parts()
    return Outcome(
        best,
        of_best,
        minimal,
        certified,
        stopped=None if certified else reason,
        bound=None if certified else found.bound(),
        score_proved=not certified and found.score_proved,
    )
