"""A search problem, its options, its solution, and the run of a search to its end or to where it is stopped.

A search is a generator. It yields batches of distinct nodes that it wants measured, is sent their
observations in the same order, and returns an `Outcome`. It never yields a node twice. Besides accepted
nodes it may yield nodes where attributes are at `*`, accepted or not (Incognito's subsets of attributes).

`ola` and `incognito` rest on two facts: a node coarser than a passing one passes (`Requirement.monotone`), and
coarsening never lowers an objective's score (`Objective.monotone`). So the best passing node is among the minimal
passing ones. `guided` and `exhaustive` need neither. Ties are broken by the levels in the order of the attributes: the
first listed attribute keeps its detail.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import Proofs
from ordermade.loss.objectives import Objective, Score
from ordermade.prediction.prediction import Evidence

Overshoot = Literal["include", "exclude"]

AT_ONCE = 16
"""The most nodes that are measured before the clock is read again."""
MAX_LISTED = 1_000_000
"""The nodes up to which the bound is computed over a list of all of them."""
STEPS_AT_THE_END = 20_000
"""The steps towards the bound of a larger lattice: a second or two."""


@dataclass(frozen=True, slots=True)
class PakSettings:
    """The way `pak` starts, and `guided` where it starts by the power law.

    `overshoot`: whether a node with more classes than predicted may be the start. `sample`: how many of the coarsest
    nodes are measured for the fit where table C does not have three numbers of classes yet. `by_law`: whether `guided`
    starts by the law even where the class sizes of the attributes are known.
    """

    overshoot: Overshoot = "include"
    sample: int = 9
    by_law: bool = False


@dataclass(frozen=True, slots=True)
class SearchProblem:
    """Find the node of `lattice` that meets the requirement and minimises `objective`.

    `evidence`: what is known before anything is counted (None: nothing). It may save questions; it never changes the
    answer of a search that certifies.
    """

    lattice: Lattice
    requirement: Requirement
    objective: Objective
    evidence: Evidence | None = None
    settings: PakSettings = field(default_factory=PakSettings)

    @property
    def k(self) -> int:
        """The least size of a released class."""
        return self.requirement.k

    @property
    def proofs(self) -> Proofs:
        """The proofs of nodes before the search; empty without evidence."""
        if self.evidence is None:
            return Proofs(self.lattice, None, most_suppressed=self.requirement.most_suppressed)
        return self.evidence.proofs

    def decides(self, observation: Observation) -> bool:
        """True if an observation determines whether its node passes, and if so its score."""
        if not self.requirement.decides(observation):
            return False
        if not self.objective.needs_suppressed or not self.requirement.passes(observation):
            return True
        return self.requirement.suppressed_figures(observation, len(self.lattice.axes)) is not None

    def exact(self, node: Node) -> Observation | None:
        """The observation of a node as far as it is proved before the search, if it decides the node."""
        known = self.proofs.exact(node, self.requirement)
        return known if known is not None and self.decides(known) else None

    def key(self, node: Node, observation: Observation | None) -> tuple[Score, Node]:
        """The key that the searches minimise: the score, then the levels in the order of the attributes."""
        return self.objective.score(node, observation), node


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search is: the `score` of its best node, and the `bound` that no node is below which may be better.

    Both are None as long as unknown. `score_proved`: no node scores less than the best; one that scores as well and
    comes first may be left.
    """

    score: Score | None
    bound: Score | None
    score_proved: bool = False


SoFar: TypeAlias = Callable[[], SearchProgress]
"""Computes how far a search is."""


class Batch(tuple[Node, ...]):
    """Nodes to be measured together, and for progress: how many are unsettled (`left`, these included), and `so_far`.

    `left` is None where the search does not list them, `so_far` where it does not follow its bound.
    """

    left: int | None
    so_far: SoFar | None

    @classmethod
    def of(cls, nodes: Iterable[Node], left: int | None, so_far: SoFar | None = None) -> Batch:
        """A batch of these nodes."""
        batch = cls(nodes)
        batch.left, batch.so_far = left, so_far
        return batch


@dataclass(frozen=True, slots=True)
class SearchStart:
    """Where `guided` or `pak` started and why.

    `predicted`: the divisions x* at which the power law meets k (eq. 2), None where no law could be fitted. `alpha`,
    `beta`, `r` are the law's. `sampled` nodes with `sampled_divisions` were measured for the fit (not counted in the
    paper's work); `node` is the start node.
    """

    node: Node
    predicted: float | None = None
    alpha: float | None = None
    beta: float | None = None
    r: float | None = None
    sampled: int = 0
    sampled_divisions: int = 0


class Stopped(Exception):
    """Raised by what measures, where a search is to end: its budget is spent, or it was interrupted.

    `reason`: `seconds`, `questions`, or `interrupted`. `answered`: the observations of the first nodes of the batch
    that were measured before.
    """

    def __init__(self, reason: str, answered: Sequence[Observation] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.answered = tuple(answered)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a search.

    `best`: the passing node with the lowest score, and its `observation`; both None if no accepted node
    passes. `observation` is None too where table C proves that `best` passes and its score needed no measuring.
    `passing_minimal`: the passing nodes that no other passing node refines, in the order of their levels, as far as
    the search looked. `certified`: whether `best` is proved to be the optimum. `start`: where a search by prediction
    started. `stopped`: why a search ended without a proof that it would have found: a reason of `Stopped`, or `memory`.
    `bound`: what no node can score less than that may be better than `best`; None where none may be, or nothing bounds
    them. `score_proved`: of a `best` that is not certified, whether no node scores less: one that scores as well and
    comes first may be left.
    """

    best: Node | None
    observation: Observation | None
    passing_minimal: tuple[Node, ...]
    certified: bool = True
    start: SearchStart | None = None
    stopped: str | None = None
    bound: Score | None = None
    score_proved: bool = False


Search: TypeAlias = Generator[Batch, Sequence[Observation], Outcome]
Measure: TypeAlias = Callable[[Sequence[Node]], Sequence[Observation]]

Nodes = TypeVar("Nodes", bound=Sequence[Node])
Result = TypeVar("Result")


def drive(
    search: Generator[Nodes, Sequence[Observation], Result], measure: Callable[[Nodes], Sequence[Observation]]
) -> Result:
    """Run a search to its end, answering every batch with `measure`. Returns what the search returns.

    Raises ValueError if `measure` does not give one observation a node; lets its own errors through and
    closes the search. A search that is stopped may end with what it knows, else Stopped is let through.
    """
    try:
        batch = next(search)
        while True:
            try:
                observations = measure(batch)
            except Stopped as stop:
                search.throw(stop)
                raise
            if len(observations) != len(batch):
                raise ValueError(f"{len(batch)} nodes were to be measured, {len(observations)} observations were given")
            batch = search.send(observations)
    except StopIteration as finished:
        result: Result = finished.value
        return result
    finally:
        search.close()


class Incumbent:
    """The best passing node measured so far; holds one observation, however many nodes are measured."""

    def __init__(self, problem: SearchProblem) -> None:
        self._problem = problem
        self._key: tuple[Score, Node] | None = None
        self._observation: Observation | None = None

    def offer(self, node: Node, observation: Observation) -> bool:
        """Return whether an accepted node passes; if it does and beats the best so far, it becomes the best."""
        if not self._problem.requirement.passes(observation):
            return False
        key = self._problem.key(node, observation)
        if self._key is None or key < self._key:
            self._key, self._observation = key, observation
        return True

    def outcome(self, passing_minimal: tuple[Node, ...]) -> Outcome:
        """The outcome of a search that has measured every minimal passing node."""
        return Outcome(None if self._key is None else self._key[1], self._observation, passing_minimal)


def conclusion(
    problem: SearchProblem, best: Incumbent, passing_minimal: tuple[Node, ...], proved: Sequence[Node]
) -> Generator[Batch, Sequence[Observation], Outcome]:
    """The outcome, given every minimal passing node; `best` is that of those measured, `proved` are the others.

    An objective of the levels alone follows from the levels: a best node that was not measured has no observation. Any
    other needs the observations of the proved nodes, which are measured unless the proofs hold them.
    """
    if proved and problem.objective.needs_observation:
        exact = {node: found for node in proved if (found := problem.exact(node)) is not None}
        for node, observation in exact.items():
            best.offer(node, observation)
        left = [node for node in proved if node not in exact]
        if left:
            for node, observation in zip(left, (yield Batch.of(left, left=len(left))), strict=True):
                best.offer(node, observation)
    measured = best.outcome(passing_minimal)
    if not proved or problem.objective.needs_observation:
        return measured
    optimum = min(passing_minimal, key=lambda node: problem.key(node, None))
    return measured if measured.best == optimum else Outcome(optimum, None, passing_minimal)


@dataclass(frozen=True, slots=True)
class MeasuringBudget:
    """The most that a search may take: `seconds` on a clock, `questions` (nodes measured); None where unlimited."""

    seconds: float | None = None
    questions: int | None = None


@dataclass(slots=True)
class WithinBudget:
    """Measures as long as the budget lasts and nobody interrupts; raises Stopped then.

    `clock`: the seconds since the request began. `measured`: how many nodes were counted so far; those that memory
    answers cost nothing. `answers_interrupts`: whether KeyboardInterrupt stops the search, instead of going on up.
    `listener` gets the function that computes how far the search is, before each count; `notice`, once, the words that
    no proof is expected to come.
    """

    measure: Measure
    budget: MeasuringBudget
    clock: Callable[[], float]
    measured: Callable[[], int]
    answers_interrupts: bool = False
    listener: Callable[[SoFar], None] | None = None
    notice: Callable[[str], None] | None = None
    _each: float = field(init=False, default=0.0)
    """The seconds that each of the latest nodes took."""

    def __call__(self, nodes: Sequence[Node]) -> Sequence[Observation]:
        """The observation of each node, in order."""
        answered: list[Observation] = []
        while len(answered) < len(nodes):
            left = nodes[len(answered) :]
            some = Batch.of(left[: self._most(len(left), answered)], getattr(nodes, "left", len(nodes)))
            so_far = getattr(nodes, "so_far", None)
            if self.listener is not None and so_far is not None:
                self.listener(so_far)
            began = self.clock()
            try:
                answered += self.measure(some)
                self._each = (self.clock() - began) / len(some)
            except KeyboardInterrupt:
                if not self.answers_interrupts:
                    raise
                raise Stopped("interrupted", answered) from None
        return answered

    def _most(self, wanted: int, answered: Sequence[Observation]) -> int:
        """How many of the nodes may be measured next. Raises Stopped where none may."""
        if self.budget.seconds is not None:
            seconds = self.budget.seconds - self.clock()
            if seconds <= 0:
                raise Stopped("seconds", answered)
            wanted = min(wanted, AT_ONCE)
            if wanted * self._each > seconds:
                wanted = max(1, int(seconds / self._each))
        if self.budget.questions is None:
            return wanted
        left = self.budget.questions - self.measured()
        if left <= 0:
            raise Stopped("questions", answered)
        return min(wanted, left)
