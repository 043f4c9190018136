"""The guided search by itself: its questions and its thinking, on Adult and on random lattices.

The frequency set of Adult is in the workspace and table C is empty, so that nothing is left but the search: choosing a
question, and measuring it in SQL. Seconds of choosing and measuring are those of the processor, in one thread of
numpy's; seconds beside ARX are those of the clock. ARX, where there is a build of it, searches in a process that is
warm: the median of runs after the first five. So is ordermade, after a search that is not counted.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from bench import arx_tables, beside_arx
from bench.figure import Figure, print_rows
from bench.local import DATA, ROWS, adult
from bench.made_lattices import made_lattice
from ordermade.counting.frequency_set import count_in_source
from ordermade.counting.oracle import Packed
from ordermade.lattice.lattice import Lattice, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence
from ordermade.search import SEARCHES, SearchProblem, drive

KS = (2, 5, 10, 50, 100)
LIMITS = {"0": 0, "1 %": ROWS // 100, "5 %": ROWS // 20}
WANTED = {"0": (27, 29, 14, 12, 6), "1 %": (80, 95, 88, 42, 42), "5 %": (60, 70, 62, 45, 45)}
SMALLEST_PROOF = {"0": (18, 23, 15, 15, 10), "1 %": (62, 73, 62, 30, 30), "5 %": (45, 49, 47, 34, 37)}
"""The smallest proofs known by tests of nodes alone, single columns not known beforehand."""
MILLISECONDS_A_QUESTION = 5.0
LATTICES = range(200)
QUESTIONS_BEFORE = 22.415
"""The mean questions on these lattices of the search that rated every open node the same."""
QUESTIONS_WANTED = 0.95


OF_ARX = {"0": 8.0, "1 %": 1.0, "5 %": 0.6}
"""The most that the seconds of the five searches may be of those of ARX."""


@dataclass(frozen=True)
class Searched:
    """One search: its questions, the processor's seconds of choosing and of measuring them, and the clock's of both."""

    questions: int
    choosing: float
    measuring: float
    seconds: float


def show() -> Sequence[Figure]:
    """Prints the tables; choosing a question, and the questions against what is wanted."""
    return [*_on_adult(), _on_random_lattices()]


def _on_adult() -> list[Figure]:
    if not DATA.exists():
        print(f"\nthe search alone: no data in {DATA}")
        return []
    rows: list[tuple[object, ...]] = []
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        plan, lattice = adult(Path(folder))
        theirs = _of_arx()
        count_in_source(plan.dataset, plan.attributes)
        marginals = tuple(dict(each.marginal) for each in plan.attributes)
        for limit, most_suppressed in LIMITS.items():
            measurer = Packed(plan.dataset, plan.attributes, lattice, lambda: None)
            evidence = _evidence(lattice, marginals, most_suppressed)
            _searched(lattice, Requirement(KS[0], most_suppressed), evidence, measurer)  # warm, as ARX is
            found = [_searched(lattice, Requirement(k, most_suppressed), evidence, measurer) for k in KS]
            for k, each, wanted, least in zip(KS, found, WANTED[limit], SMALLEST_PROOF[limit], strict=True):
                rows.append((limit, k, each.questions, wanted, least, each.choosing, each.measuring))
            questions = sum(each.questions for each in found)
            choosing, measuring = sum(each.choosing for each in found), sum(each.measuring for each in found)
            rows.append((limit, "all", questions, sum(WANTED[limit]), sum(SMALLEST_PROOF[limit]), choosing, measuring))
            figures += _figures(limit, questions, choosing, measuring)
            if theirs is not None:
                seconds = sum(each.seconds for each in found)
                name = f"Adult, limit {limit}: seconds of the five searches / ARX's, warm"
                note = f"{seconds:.2f} s against {theirs[limit]:.2f} s"
                figures.append(Figure(name, seconds / theirs[limit], OF_ARX[limit], note=note))
        plan.dataset.backend.close()
    headings = ("limit", "k", "questions", "wanted", "smallest proof known", "s choosing", "s measuring")
    print_rows(f"the search alone: Adult, {ROWS:,} rows x 8, by Prec", headings, rows)
    return figures


def _of_arx() -> Mapping[str, float] | None:
    """The seconds of ARX's five searches at each limit; None where no build of it is named, or the data is lacking."""
    class_path, table = os.environ.get(beside_arx.ARX), arx_tables.adult()
    if not class_path or table is None:
        return None
    shares = [most_suppressed / ROWS for most_suppressed in LIMITS.values()]
    found = beside_arx.warm_searches(class_path, table, KS, shares)
    return {limit: sum(each) for limit, each in zip(LIMITS, found, strict=True)}


def _figures(limit: str, questions: int, choosing: float, measuring: float) -> list[Figure]:
    a_question = 1000 * choosing / questions
    enough = max(MILLISECONDS_A_QUESTION, 1000 * measuring / questions)
    return [
        Figure(f"Adult, limit {limit}: choosing a question", a_question, enough, "ms", digits=1),
        Figure(f"Adult, limit {limit}: questions for the five k", questions, sum(WANTED[limit]), ""),
    ]


def _searched(lattice: Lattice, required: Requirement, evidence: Evidence, measurer: Packed) -> Searched:
    problem = SearchProblem(lattice, required, objective("prec", lattice, None, required), evidence)
    questions, measuring = 0, 0.0

    def measure(batch: Sequence[Node]) -> list[Observation]:
        nonlocal questions, measuring
        begun = time.process_time()
        measured = measurer.measure(batch)
        measuring += time.process_time() - begun
        questions += len(batch)
        return [measured[node] for node in batch]

    started, begun = time.perf_counter(), time.process_time()
    with measurer.searching():
        outcome = drive(SEARCHES["guided"].start(problem), measure)
    taken, seconds = time.process_time() - begun, time.perf_counter() - started
    assert outcome.certified
    return Searched(questions, taken - measuring, measuring, seconds)


def _evidence(lattice: Lattice, marginals: Sequence[Mapping[int, object]], most_suppressed: int) -> Evidence:
    """The knowledge of a first request: the rows, and the class sizes of each column."""
    top = lattice.top
    alone = [
        ((*top[:place], level, *top[place + 1 :]), Observation.from_histogram(sizes))  # type: ignore[arg-type]
        for place, of_levels in enumerate(marginals)
        for level, sizes in of_levels.items()
    ]
    proofs = Proofs(lattice, ROWS, placed_in(lattice, alone), most_suppressed)
    return Evidence(lattice, ROWS, proofs, marginals=tuple(marginals))  # type: ignore[arg-type]


def _on_random_lattices() -> Figure:
    """The mean questions, of lattices that nothing was tuned on."""
    asked: dict[int, list[int]] = {}
    for seed in LATTICES:
        made = made_lattice(seed)
        outcome, questions = made.searched()
        assert outcome.certified
        asked.setdefault(round(100 * made.required.most_suppressed / made.rows), []).append(questions)
    every = [each for some in asked.values() for each in some]
    rows = [(f"{limit} %", len(some), fmean(some), max(some)) for limit, some in sorted(asked.items())]
    print_rows(
        "the search alone: random lattices",
        ("limit", "lattices", "mean questions", "most"),
        [*rows, ("all", len(every), fmean(every), max(every))],
    )
    share = fmean(every) / QUESTIONS_BEFORE
    note = f"{fmean(every):.2f}, {QUESTIONS_BEFORE:.2f} before"
    return Figure("200 random lattices: mean questions / those before", share, QUESTIONS_WANTED, note=note, digits=3)
