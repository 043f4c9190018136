"""The end of a search before its proof: a budget, an interruption, and the outcome as far as it is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.search.problem import Batch, Measure, Outcome, Problem, Search, SoFar, Stopped, drive

AT_ONCE = 16
"""The most nodes that are measured before the clock is read again."""
MOST_LISTED = 1_000_000
"""The nodes up to which the bound is computed over a list of all of them."""
STEPS_AT_THE_END = 20_000
"""The steps towards the bound of a larger lattice: a second or two."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a search may take: `seconds` on a clock, `questions` (nodes measured); None where unlimited."""

    seconds: float | None = None
    questions: int | None = None


@dataclass(slots=True)
class Within:
    """Measures as long as the budget lasts and nobody interrupts; raises Stopped then.

    `clock`: the seconds since the request began. `measured`: how many nodes were counted so far; those that memory
    answers cost nothing. `answers_interrupts`: whether KeyboardInterrupt stops the search, instead of going on up.
    `listener` gets the function that computes how far the search is, before each count.
    """

    measure: Measure
    budget: Budget
    clock: Callable[[], float]
    measured: Callable[[], int]
    answers_interrupts: bool = False
    listener: Callable[[SoFar], None] | None = None

    def __call__(self, nodes: Sequence[Node]) -> Sequence[Observation]:
        """The observation of each node, in order."""
        answered: list[Observation] = []
        while len(answered) < len(nodes):
            left = nodes[len(answered) :]
            some = Batch.of(left[: self._most(len(left), answered)], getattr(nodes, "left", len(nodes)))
            so_far = getattr(nodes, "so_far", None)
            if self.listener is not None and so_far is not None:
                self.listener(so_far)
            try:
                answered += self.measure(some)
            except KeyboardInterrupt:
                if not self.answers_interrupts:
                    raise
                raise Stopped("interrupted", answered) from None
        return answered

    def _most(self, wanted: int, answered: Sequence[Observation]) -> int:
        """How many of the nodes may be measured next. Raises Stopped where none may."""
        if self.budget.seconds is not None:
            if self.clock() >= self.budget.seconds:
                raise Stopped("seconds", answered)
            wanted = min(wanted, AT_ONCE)
        if self.budget.questions is None:
            return wanted
        left = self.budget.questions - self.measured()
        if left <= 0:
            raise Stopped("questions", answered)
        return min(wanted, left)


def searched(problem: Problem, search: Search, measure: Measure) -> Outcome:
    """The outcome of a search; if it is stopped on its way, the best node measured and a bound on the others."""
    seen: dict[Node, Observation] = {}

    def noted(batch: Sequence[Node]) -> Sequence[Observation]:
        try:
            observations = measure(batch)
        except Stopped as stop:
            seen.update(zip(batch, stop.answered, strict=False))
            raise
        seen.update(zip(batch, observations, strict=True))
        return observations

    try:
        return drive(search, noted)
    except Stopped as stop:
        return _so_far(problem, seen, stop.reason)
    except KeyboardInterrupt:
        # While it chose a question: what it had half written of its own state is left behind with it.
        if not (isinstance(measure, Within) and measure.answers_interrupts):
            raise
        return _so_far(problem, seen, "interrupted")


def _so_far(problem: Problem, seen: Mapping[Node, Observation], reason: str) -> Outcome:
    """The outcome of what was measured, by the inferences of a search that proves, whichever chose the questions."""
    if problem.lattice.size > MOST_LISTED and problem.objective.level_costs is not None:
        from ordermade.search.hitting_set import Frontier

        frontier = Frontier(problem)
        for node, observation in seen.items():
            frontier.learn(node, observation)
        return frontier.outcome(reason, STEPS_AT_THE_END)
    from ordermade.search.search_state import search_state

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
    )
