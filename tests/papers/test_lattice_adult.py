"""The certified optima of ARX's Adult set: every node, score and loss, under limits and privacy models."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.metrics import METRICS, losses
from ordermade.loss.objectives import objective
from ordermade.search import choose
from tests.long import sampled
from tests.papers.adult_table import Adult, Fails, Keeps

OPTIMA = {name: "c_avg_released" if name == "c_avg" else name for name in METRICS if name != "classes"}
"""The name of each objective in the ground truth."""

LEVEL_METRICS = ("prec", "height", "entropy_ignoring_suppression")
FAST = {(10, 0.01, "prec"), (10, 0.05, "loss"), (100, 0.01, "entropy"), (100, 0.01, "dm")}
"""Of the configurations, those that are run whenever the fast tests are."""

Counts = npt.NDArray[np.int64]


DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "arx"


def read_truth(part: str) -> dict[str, Any]:
    if not DATA.is_dir():
        pytest.skip("needs shared/data/arx beside the repository")
    found: dict[str, Any] = json.loads((DATA / "ground_truth_adult8.json").read_text(encoding="utf-8"))[part]
    return found


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    return read_truth("adult8")


@pytest.fixture(scope="module")
def adult(truth: dict[str, Any]) -> Adult:
    return Adult(DATA / "adult", truth)


@pytest.fixture(scope="module")
def models_truth() -> dict[str, Any]:
    return read_truth("adult7_models")


@pytest.fixture(scope="module")
def with_occupation(models_truth: dict[str, Any]) -> Adult:
    return Adult(DATA / "adult", models_truth)


def configuration(truth: dict[str, Any], k: int, limit: float = 0) -> dict[str, Any]:
    return next(each for each in truth["configurations"] if each["k"] == k and each["suppression_limit"] == limit)


def requirement(certified: dict[str, Any], models: bool = False, monotone: bool = True) -> Requirement:
    return Requirement(certified["k"], certified["max_suppressed_rows"], models=models, monotone=monotone)


def assert_among_optima(
    adult: Adult, required: Requirement, optimum: dict[str, Any], best: Node, observation: Observation, name: str
) -> None:
    """Our node is one of the optima, with their score, classes and rows suppressed."""
    listed = {tuple(each["levels"]): each for each in optimum["nodes"]}
    assert len(listed) == optimum["ties"]
    assert best == min(listed), "of equal nodes the first in the order of the levels"
    figures = losses(adult.lattice, best, observation, required, adult.costs)
    assert figures[name] == pytest.approx(optimum["score"], rel=1e-9, abs=1e-9)
    released = required.released(observation)
    assert released.classes == listed[best]["classes"]
    assert released.suppressed == listed[best]["suppressed_rows"]


CELLS: dict[str, tuple[tuple[int, float], ...]] = {
    "prec": ((2, 0), (10, 0.05)),
    "prec_suppressed_as_1": ((100, 0), (2, 0.05)),
    "height": ((100, 0), (10, 0.05)),
    "dm": ((10, 0), (10, 0.01)),
    "dm_star": ((2, 0), (10, 0.01)),
    "c_avg": ((100, 0), (10, 0.01)),
    "aecs": ((10, 0), (100, 0.05)),
    "entropy": ((2, 0), (10, 0.05)),
    "entropy_ignoring_suppression": ((10, 0), (10, 0.05)),
    "loss": ((2, 0), (100, 0.05)),
}
"""k and limits that are tried beside FAST: each metric without a limit and, where it is thorough, under one."""


def cases() -> Iterator[Any]:
    assert set(CELLS) == set(OPTIMA)
    for k in (2, 10, 100):
        for limit in (0, 0.01, 0.05):
            for name in OPTIMA:
                marks = () if (k, limit, name) in FAST else (pytest.mark.slow,)
                if (k, limit, name) not in FAST and (k, limit) not in CELLS[name]:
                    marks = (*marks, pytest.mark.whole)
                elif limit and (k, limit, name) not in FAST:
                    marks = (*marks, pytest.mark.thorough)
                yield pytest.param(k, limit, name, marks=marks)


def rest(*values: Any) -> Any:
    """A case that only fills up the table."""
    return pytest.param(*values, marks=pytest.mark.whole)


def thorough(*values: Any) -> Any:
    """A case like another that is always run."""
    return pytest.param(*values, marks=pytest.mark.thorough)


@pytest.mark.slow
def test_the_lattice_is_the_one_of_the_ground_truth(truth: dict[str, Any], adult: Adult):
    assert adult.lattice.size == truth["lattice_nodes"] == 6_480
    assert list(adult.lattice.top) == truth["heights"]


@pytest.mark.parametrize(
    ("algorithm", "k", "pinned"),
    [
        ("ola", 2, 136),
        ("ola", 10, 80),
        ("ola", 100, 31),
        ("incognito", 2, 151),
        ("incognito", 10, 105),
        ("incognito", 100, 32),
    ],
)
def test_the_optimum_by_prec_and_every_minimal_node(
    truth: dict[str, Any], adult: Adult, algorithm: str, k: int, pinned: int
):
    """The nodes that were measured are our own figure, pinned so that a change is looked at; the rest is ARX's."""
    certified = configuration(truth, k)
    best, minimal, measured = adult.find(algorithm, "prec", k)
    assert best in [tuple(each["levels"]) for each in certified["optima"]["prec"]["nodes"]]
    assert ["".join(map(str, node)) for node in minimal] == certified["minimal_node_levels"]
    assert measured == pinned


@pytest.mark.parametrize("name", sampled(["prec", "height", "loss", "dm", "aecs", "c_avg", "entropy"], 3))
@pytest.mark.parametrize("k", [2, 10, 100])
def test_the_optimum_by_every_metric_and_its_losses(truth: dict[str, Any], adult: Adult, k: int, name: str):
    optimum = configuration(truth, k)["optima"][OPTIMA[name]]
    by_levels = {tuple(each["levels"]): each for each in optimum["nodes"]}
    found = {algorithm: adult.find(algorithm, name, k)[0] for algorithm in ("ola", "incognito")}
    assert found["ola"] == found["incognito"] == min(by_levels)
    node = min(by_levels)
    figures = losses(adult.lattice, node, adult.measure(node), Requirement(k), adult.costs)
    assert figures[name] == pytest.approx(optimum["score"], rel=1e-9, abs=1e-9)
    assert figures["classes"] == by_levels[node]["classes"]


@pytest.mark.parametrize(("k", "limit", "name"), sampled(list(cases()), 3))
@pytest.mark.slow
def test_pak_proves_the_optimum_under_a_limit(truth: dict[str, Any], adult: Adult, k: int, limit: float, name: str):
    certified = configuration(truth, k, limit)
    required = requirement(certified)
    problem, outcome, _ = adult.solve("guided", name, required)
    assert outcome.certified
    assert outcome.best is not None
    seen = adult.measure_for(outcome.best, required, None, figures=True)
    assert_among_optima(adult, required, certified["optima"][OPTIMA[name]], outcome.best, seen, name)
    score = problem.key(outcome.best, seen)[0]
    assert float(score) == pytest.approx(certified["optima"][OPTIMA[name]]["score"], rel=1e-9)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "limit"),
    [
        (100, 0.01), thorough(2, 0), thorough(10, 0.05),
        *(rest(*each) for each in ((2, 0.01), (2, 0.05), (10, 0), (10, 0.01), (100, 0), (100, 0.05))),
    ],
)  # fmt: skip
def test_every_node_counted(truth: dict[str, Any], adult: Adult, k: int, limit: float):
    certified = configuration(truth, k, limit)
    required = requirement(certified)
    passing = [node for node in adult.lattice.nodes() if required.passes(adult.measure(node))]
    assert len(passing) == certified["passing_nodes"]
    for name in ("prec", "aecs", "dm"):
        _, outcome, asked = adult.solve("exhaustive", name, required)
        assert len(asked) == 6_480
        assert ["".join(map(str, node)) for node in outcome.passing_minimal] == certified["minimal_node_levels"]
        assert outcome.best is not None
        seen = adult.measure(outcome.best)
        assert_among_optima(adult, required, certified["optima"][OPTIMA[name]], outcome.best, seen, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prec", "height", "entropy_ignoring_suppression", "dm_star"])
@pytest.mark.parametrize("algorithm", ["ola", "incognito"])
def test_what_is_monotone_under_a_limit_can_be_asked_of_ola_and_incognito(
    truth: dict[str, Any], adult: Adult, algorithm: str, name: str
):
    certified = configuration(truth, 10, 0.01)
    required = requirement(certified)
    _, outcome, _ = adult.solve(algorithm, name, required)
    assert choose(algorithm, adult.lattice, required, name).name == algorithm
    assert outcome.best in [tuple(each["levels"]) for each in certified["optima"][OPTIMA[name]]["nodes"]]
    assert ["".join(map(str, node)) for node in outcome.passing_minimal] == certified["minimal_node_levels"]


@pytest.mark.parametrize("name", sorted(set(OPTIMA) - {*LEVEL_METRICS, "dm_star"}))
def test_what_is_not_is_refused_by_name(truth: dict[str, Any], adult: Adult, name: str):
    required = requirement(configuration(truth, 10, 0.01))
    assert not objective(name, adult.lattice, adult.costs, required).monotone
    with pytest.raises(RequestError, match=rf"ola .* by {name} .*`algorithm: guided` or `algorithm: exhaustive`"):
        choose("ola", adult.lattice, required, name)


SMALLEST_PROOF = {
    301: {2: 62, 5: 73, 10: 62, 50: 30, 100: 30},
    1508: {2: 45, 5: 49, 10: 47, 50: 34, 100: 37},
}
"""Nodes of the smallest proof known, by rows that may be suppressed and k: the upper ends of the design page."""

PROTOTYPE = {
    301: {2: 108, 5: 128, 10: 118, 50: 59, 100: 44},
    1508: {2: 73, 5: 95, 10: 75, 50: 59, 100: 57},
}
"""Nodes that the prototype of the design page asked for."""


@pytest.mark.slow
@pytest.mark.parametrize("limit", PROTOTYPE)
@pytest.mark.parametrize("ks", [(5, 100), rest((2, 10, 50))])
def test_proofs_under_a_limit_ask_less_than_the_prototype_and_twice_the_smallest(
    adult: Adult, limit: int, ks: tuple[int, ...]
):
    """In all we ask less than the prototype: 79, 99, 79, 43 and 37 under 301, and 58, 71, 58, 52 and 58 under 1,508.

    Not in each: for k = 100 under 1,508 it asked 57. Each is 1.2 to 1.6 times the smallest proof that is known.
    """
    asked = {}
    for k in ks:
        _, outcome, nodes = adult.solve("guided", "prec", Requirement(k, limit))
        assert outcome.certified
        asked[k] = len(nodes)
    assert all(asked[k] <= 2 * SMALLEST_PROOF[limit][k] for k in ks), asked
    assert sum(asked.values()) <= sum(PROTOTYPE[limit][k] for k in ks), asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "most"),
    [rest(2, 450), rest(10, 480), (100, 260)],
)
def test_a_proof_by_dm_under_a_limit_asks_about_few_nodes(adult: Adult, k: int, most: int):
    """387, 412 and 226 of 6,480; 488, 543 and 291 where coarser nodes did not bound the squares of finer ones."""
    _, outcome, asked = adult.solve("guided", "dm", Requirement(k, 1_508))
    assert outcome.certified
    assert len(asked) <= most


def distinct(least: int) -> Fails:
    return lambda counts: (counts > 0).sum(axis=1) < least


def entropy_below(least: int) -> Fails:
    def fails(counts: Counts) -> npt.NDArray[np.bool_]:
        sizes = counts.sum(axis=1)
        shares = counts / sizes[:, None]
        bits = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
        below: npt.NDArray[np.bool_] = bits < math.log(least) - 1e-9
        return below

    return fails


def further_than(t: Fraction) -> Fails:
    """Half the L1 distance to the whole table, in whole numbers: sum of |n N - P size| > 2 t N size."""

    def fails(counts: Counts) -> npt.NDArray[np.bool_]:
        sizes, table = counts.sum(axis=1), counts.sum(axis=0)
        rows = int(table.sum())
        distance = np.abs(counts * rows - sizes[:, None] * table).sum(axis=1)
        over: npt.NDArray[np.bool_] = distance * t.denominator > 2 * t.numerator * rows * sizes
        return over

    return fails


def keeps_within(t: Fraction) -> Keeps:
    """The largest parts of classes that are t close as a whole, in whole numbers."""

    def keeps(counts: Counts) -> Counts:
        table, sizes = counts[-1], counts.sum(axis=1)
        order = np.argsort(counts / table, axis=1, kind="stable")
        shares = np.where(counts > 0, table, 0)
        rarest = np.cumsum(np.take_along_axis(counts, order, axis=1), axis=1)
        common = np.take_along_axis(shares, order, axis=1)
        others = shares.sum(axis=1, keepdims=True) - np.cumsum(common, axis=1)
        room = int(table.sum()) * (t.denominator - t.numerator) - others * t.denominator
        most = np.where(room > 0, rarest * int(table.sum()) * t.denominator // np.maximum(room, 1), sizes[:, None])
        none = int(table.sum()) * (t.denominator - t.numerator) > shares.sum(axis=1) * t.denominator
        kept: Counts = np.where(none, 0, np.minimum(most.min(axis=1), sizes))
        return kept

    return keeps


def keeps_entropy(least: int) -> Keeps:
    """The largest parts of classes whose entropy is ln `least`, but for rounding: by halving the cap of all values."""

    def keeps(counts: Counts) -> Counts:
        low, high = np.zeros(len(counts)), counts.max(axis=1).astype(np.float64)
        for _ in range(60):
            middle = (low + high) / 2
            parts = np.minimum(counts, middle[:, None])
            shares = parts / parts.sum(axis=1, keepdims=True)
            bits = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
            enough = bits >= math.log(least) - 2e-9
            low, high = np.where(enough, middle, low), np.where(enough, high, middle)
        kept: Counts = np.floor(np.minimum(counts, high[:, None]).sum(axis=1) + 1e-6).astype(np.int64)
        return kept

    return keeps


def within(t: str) -> tuple[Fails, Keeps]:
    return further_than(Fraction(t)), keeps_within(Fraction(t))


def entropy(least: int) -> tuple[Fails, Keeps]:
    return entropy_below(least), keeps_entropy(least)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "best", "most"),
    [
        (within("0.3"), (0, 4, 1, 0, 3, 1, 2), 200),
        (within("0.4"), (0, 4, 0, 0, 3, 1, 2), 150),
        rest(within("0.2"), (1, 4, 1, 0, 3, 2, 2), 100),
        (entropy(3), (0, 4, 0, 0, 3, 0, 0), 40),
        rest(entropy(5), (0, 2, 0, 0, 3, 1, 2), 150),
    ],
)
def test_a_proof_of_models_under_a_limit_asks_about_few_nodes(
    with_occupation: Adult, model: tuple[Fails, Keeps], best: Node, most: int
):
    """149, 111, 69, 28 and 111 of 2,160. Where a node decides for itself alone: 1,462, 812, 1,873, 42 and 442.

    The optima are those found so, too.
    """
    required = Requirement(5, 1_508, models=True, monotone=False)
    _, outcome, asked = with_occupation.solve("guided", "prec", required, model[0], keeps=model[1])
    assert outcome.certified
    assert outcome.best == best
    assert len(asked) <= most


def model_of(certified: dict[str, Any]) -> tuple[Fails, bool]:
    """The classes that fail, and whether the model is monotone under a limit."""
    parameter = certified["parameter"]
    if certified["model"] == "distinct_l_diversity":
        return distinct(int(parameter)), True
    if certified["model"] == "entropy_l_diversity":
        return entropy_below(int(parameter)), certified["suppression_limit"] == 0
    assert certified["model"] == "t_closeness_equal"
    return further_than(Fraction(str(parameter))), certified["suppression_limit"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("place", [1, *map(thorough, (3, 6)), *(rest(each) for each in (0, 2, 4, 5, 7))])
def test_models_are_honoured_with_proof(models_truth: dict[str, Any], with_occupation: Adult, place: int):
    certified = models_truth["configurations"][place]
    fails, monotone = (None, True) if certified["model"] == "none" else model_of(certified)
    required = requirement(certified, models=fails is not None, monotone=monotone)
    for algorithm in ("guided", "exhaustive"):
        for name in ("prec", "prec_suppressed_as_1"):
            _, outcome, asked = with_occupation.solve(algorithm, name, required, fails)
            assert outcome.certified
            assert outcome.best is not None
            seen = with_occupation.measure_for(outcome.best, required, fails, figures=False)
            assert_among_optima(with_occupation, required, certified["optima"][name], outcome.best, seen, name)
            assert algorithm == "exhaustive" or not monotone or len(asked) < with_occupation.lattice.size / 20
    nodes = list(with_occupation.lattice.nodes())
    seen_all = [with_occupation.measure_for(node, required, fails, figures=False) for node in nodes]
    assert sum(map(required.passes, seen_all)) == certified["passing_nodes"]
