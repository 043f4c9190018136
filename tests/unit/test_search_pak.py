"""How pak starts and goes on, what its settings change, and what its requests may say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ordermade.errors import RequestError
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import MAX_ROWS, Proofs, placed_in
from ordermade.loss.costs import AttributeCosts
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence
from ordermade.requests.read import read_request
from ordermade.requests.resolving import request_hash
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive, grid
from ordermade.search.bounds import LevelBounds, MostClasses
from ordermade.search.grid import MAX_AT_ONCE, RefinementIndex, ranks
from ordermade.search.guided import GuidedSearch, coarsest, nearest
from ordermade.search.problem import PakSettings
from ordermade.search.search_state import search_state

ROWS = np.random.default_rng(7).integers(0, 8, size=(3, 600))
"""Three columns of eight values; level l of a column groups 2**l neighbouring values."""

FORK = LevelOrder(
    (
        (True, True, True, True),
        (False, True, False, True),
        (False, False, True, True),
        (False, False, False, True),
    )
)


def lattice() -> Lattice:
    return Lattice(tuple(Axis(f"c{i}", LevelOrder.chain(4), (0, 1, 2, 3)) for i in range(3)))


def measure(node: Node) -> Observation:
    classes = Counter(zip(*(ROWS[i] >> level for i, level in enumerate(node)), strict=True))
    return Observation.from_histogram(Counter(classes.values()).items())


def evidence() -> Evidence:
    top = lattice().top
    marginals = tuple({level: measure((*top[:i], level, *top[i + 1 :])).sizes for level in range(4)} for i in range(3))
    return Evidence(lattice(), 600, Proofs(lattice(), 600), marginals=marginals)


def run(
    known: Evidence | None, k: int, told: PakSettings | None = None, name: str = "prec", search: str = "guided"
) -> tuple[Outcome, list[Node]]:
    asked: list[Node] = []

    def answer(batch: Sequence[Node]) -> list[Observation]:
        asked.extend(batch)
        return [measure(node) for node in batch]

    problem = SearchProblem(
        lattice(), Requirement(k), objective(name, lattice(), None, Requirement(k)), known, told or PakSettings()
    )
    return drive(SEARCHES[search].start(problem), answer), asked


def test_where_class_sizes_are_known_the_forecast_chooses_the_first_question():
    outcome, asked = run(evidence(), 20)
    assert outcome.start is None
    problem = SearchProblem(lattice(), Requirement(20), objective("prec", lattice(), None, Requirement(20)), evidence())
    assert asked[:1] == GuidedSearch(problem, evidence()).most_decisive()


def test_the_first_question_by_the_law_is_the_node_nearest_to_the_prediction():
    outcome, asked = run(evidence(), 20, PakSettings(by_law=True))
    start = outcome.start
    assert start is not None
    assert start.predicted is not None
    assert asked[0] == start.node
    assert start.sampled == 0
    off = {node: abs(measure(node).divisions - start.predicted) for node in lattice().nodes()}
    assert off[start.node] == min(off.values())


def test_of_equally_near_nodes_the_first_attribute_keeps_its_detail():
    outcome, _ = run(evidence(), 20, PakSettings(by_law=True))
    assert outcome.start is not None
    same = [node for node in lattice().nodes() if measure(node).divisions == measure(outcome.start.node).divisions]
    assert len(same) > 1
    assert outcome.start.node == min(same)


def test_the_proof_asks_fewer_nodes_than_the_lattice_has():
    outcome, asked = run(evidence(), 20)
    assert outcome.certified
    assert len(asked) <= 16


def test_without_a_proof_it_walks_to_finer_nodes_till_one_fails():
    outcome, asked = run(evidence(), 20, search="pak")
    assert measure(asked[0]).passes(20)
    assert not measure(asked[-1]).passes(20)
    assert all(measure(node).passes(20) for node in asked[:-1])
    assert outcome.best is not None


def test_without_a_proof_it_walks_to_coarser_nodes_till_one_passes():
    known = evidence()
    for k in range(2, 300):
        _, asked = run(known, k, search="pak")
        if not measure(asked[0]).passes(k):
            assert measure(asked[-1]).passes(k)
            assert not any(measure(node).passes(k) for node in asked[:-1])
            return
    pytest.fail("no k whose start fails")


def test_overshoot_exclude_starts_at_or_below_the_prediction():
    for k in (2, 5, 20, 60):
        outcome, _ = run(evidence(), k, PakSettings(overshoot="exclude", by_law=True))
        assert outcome.start is not None
        assert outcome.start.predicted is not None
        assert measure(outcome.start.node).divisions <= outcome.start.predicted


def test_where_nothing_is_known_the_coarsest_nodes_are_sampled_and_told():
    outcome, asked = run(Evidence.nothing(lattice(), 600), 20, PakSettings(sample=5))
    assert outcome.start is not None
    assert outcome.start.sampled == 5
    assert outcome.start.sampled_divisions == sum(measure(node).divisions for node in asked[:5])
    assert outcome.certified


def test_where_not_even_the_rows_are_known_the_last_node_is_asked_first():
    outcome, asked = run(None, 20)
    assert asked[0] == (3, 3, 3)
    assert outcome.certified


def test_a_k_above_the_rows_is_refused_with_the_coarsest_node_failing():
    outcome, asked = run(None, 601)
    assert (outcome.best, outcome.certified, asked) == (None, True, [(3, 3, 3)])


@pytest.mark.parametrize("name", ["prec", "classes"])
def test_what_is_proved_is_not_asked(name: str):
    first, asked = run(evidence(), 20, name=name)
    observed = {node: measure(node) for node in asked}
    known = Evidence(lattice(), 600, Proofs(lattice(), 600, placed_in(lattice(), observed.items())), observed)
    again, asked_again = run(known, 20, name=name)
    assert again.best == first.best
    assert again.observation == first.observation
    assert asked_again == []
    assert again.start is None


def test_a_prediction_beyond_every_node_starts_at_the_last_of_them():
    divisions = np.array([[8.0, 4.0], [2.0, 1.0]])
    every = np.ones((2, 2), dtype=np.bool_)
    for target, place in ((float("inf"), 0), (1e300, 0), (0.0, 3), (3.0, 1), (None, 3)):
        assert nearest(divisions, every, target, overshoot=True) == place
    assert nearest(divisions, every, 3.9, overshoot=False) == 2
    assert nearest(divisions, every, 0.5, overshoot=False) == 3
    assert nearest(divisions, ~every, 3.0, overshoot=True) is None


def test_the_sample_is_the_nodes_of_fewest_divisions():
    found = coarsest(evidence(), 12)
    assert len(set(found)) == 12
    assert (3, 3, 3) not in found
    divisions = [measure(node).divisions for node in found]
    assert divisions == sorted(divisions)
    assert max(divisions) <= min(
        measure(node).divisions for node in lattice().nodes() if node not in [*found, (3, 3, 3)]
    )


def test_ranks_are_the_order_of_the_exact_keys_even_where_floats_nearly_tie():
    costs = tuple(AttributeCosts((0.0, 0.1, 0.2, 0.3), (0.0, 0.1, 0.2, 0.3)) for _ in range(3))
    for name in ("prec", "height", "entropy", "loss"):
        problem = SearchProblem(lattice(), Requirement(2), objective(name, lattice(), costs, Requirement(2)))
        by_key = sorted(lattice().nodes(), key=lambda node: problem.key(node, None))
        assert [int(ranks(problem)[node]) for node in by_key] == list(range(64))


@pytest.mark.parametrize("at_once", [1, 2, MAX_AT_ONCE])
def test_reach_counts_along_forks_as_along_chains(at_once: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(grid, "MAX_AT_ONCE", at_once)
    both = Lattice((Axis("age", FORK, (0, 1, 2, 3)), Axis("sex", LevelOrder.chain(3), (0, 2))))
    flags = np.random.default_rng(3).random(both.shape) < 0.5
    nodes = list(product((0, 1, 2, 3), (0, 2)))
    chosen = [node for node, flag in zip(nodes, flags.ravel(), strict=True) if flag]
    finer = [sum(both.refines(other, node) for other in chosen) for node in nodes]
    coarser = [sum(both.refines(node, other) for other in chosen) for node in nodes]
    reach = RefinementIndex(both)
    assert reach.finer_among(flags).ravel().tolist() == finer
    assert reach.coarser_sums(flags.astype(float)).ravel().tolist() == coarser


def test_persons_may_be_in_more_classes_than_there_are_persons():
    """Two persons with rows in three classes: nothing bounds the classes but what was counted. Rows are in one each."""
    one = Lattice((Axis("c", LevelOrder.chain(2), (0, 1)),))

    def most(persons: bool, rows: int, k: int) -> list[float]:
        required = Requirement(k, persons=persons)
        goal = objective("classes", one, None, required)
        found: list[float] = MostClasses(
            SearchProblem(one, required, goal, Evidence.nothing(one, rows)), RefinementIndex(one)
        ).most.tolist()
        return found

    assert most(True, 2, 2) == [MAX_ROWS, 1]
    assert most(False, 6, 2) == [3, 1]


@pytest.mark.parametrize(("models", "monotone"), [(False, True), (True, True), (True, False)])
def test_suppressed_rows_cost_finer_nodes_as_much_where_what_fails_is_monotone(models: bool, monotone: bool):
    """A class that fails a model which is not monotone may be of finer classes that pass."""
    required = Requirement(20, 60, models=models, monotone=monotone)
    goal = objective("prec_suppressed_as_1", lattice(), None, required)
    problem = SearchProblem(lattice(), required, goal, evidence())
    bounds = LevelBounds(problem, RefinementIndex(lattice()))
    before = bounds.least_scores()
    seen = replace(Observation.from_histogram([(10, 3), (30, 19)]), failing=() if models else None)

    bounds.learn((2, 2, 2), seen)

    costlier = bounds.least_scores() > before
    assert costlier[0, 0, 0] == monotone
    assert not costlier[3, 3, 3]


@pytest.mark.parametrize("name", ["dm", "aecs", "dm_star"])
def test_no_open_node_scores_below_the_bound(name: str):
    required = Requirement(4, 60)
    goal = objective(name, lattice(), None, required)
    state = search_state(SearchProblem(lattice(), required, goal, None))
    scores = {node: goal.score(node, measure(node)) for node in lattice().nodes() if required.passes(measure(node))}

    for node in sorted(lattice().nodes(), key=sum):
        state.learn(node, measure(node))
        still, bound = state.open, state.bound()
        left = [found for each, found in scores.items() if still[each]]
        assert bound is None or all(bound <= found for found in left)


REQUEST = """\
dataset: members
k: 50
quasi_identifiers: {age: {hierarchy: age}}
release: {to: out.csv}
search: SEARCH
"""


def test_the_options_of_pak_are_read():
    text = REQUEST.replace("SEARCH", "{algorithm: pak, then_certify: false, overshoot: exclude, sample: 20}")
    search = read_request(text).request.search
    assert (search.then_certify, search.overshoot, search.sample) == (False, "exclude", 20)


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ("{algorithm: pak}", "{algorithm: guided}"),
        ("{algorithm: pak, then_certify: true, sample: 20}", "{algorithm: guided, sample: 20}"),
        ("{algorithm: pak, objective: divisions}", "{algorithm: guided, objective: classes}"),
        ("{objective: divisions}", "{objective: classes}"),
    ],
)
def test_pak_with_a_proof_is_guided_and_divisions_are_classes(earlier: str, now: str):
    was, request = (read_request(REQUEST.replace("SEARCH", each)).request for each in (earlier, now))
    assert was == request
    assert request_hash(was) == request_hash(request)


def test_an_earlier_search_keeps_its_hash():
    """As the state of earlier requests has it."""
    text = "dataset: members\nk: 5\nsuppression_limit: 0.05\nwithheld: star\n"
    text += "quasi_identifiers: {age: {hierarchy: age}}\nrelease: {to: out.csv}\nsearch: SEARCH"
    hashes = {
        "{algorithm: pak}": "382d220f88803cb736c70e6be81bf6d33c7491c32fc393086ca7895b1a33e4d6",
        "{algorithm: pak, sample: 20, objective: divisions}": (
            "703cc547f7f38ce19089c16fa7253bb63a2fb4b8681acdf38c317f41e60f8b57"
        ),
        "{algorithm: pak, then_certify: false}": "976f57d7b9150d9c34f6f001642d4262f8318bf5fd73cef86124e9a50681a6f7",
    }
    for search, noted in hashes.items():
        assert request_hash(read_request(text.replace("SEARCH", search)).request) == noted


@pytest.mark.parametrize(
    ("search", "told"),
    [
        (
            "{algorithm: ola, sample: 9, overshoot: include}",
            (
                "overshoot and sample can be set for the searches guided and pak alone; "
                "write algorithm: guided, or take it out"
            ),
        ),
        ("{overshoot: include}", "overshoot can be set for the searches guided and pak alone"),
        ("{algorithm: guided, then_certify: false}", "then_certify can be set for the search pak alone"),
        ("{algorithm: pak, sample: 2}", "a power law is fitted to 3 to 1,000 nodes"),
        ("{algorithm: pak, sample: many}", "expected a whole number, not the text 'many'"),
        ("{algorithm: pak, then_certify: 'yes'}", "expected true or false, not the text 'yes'"),
        ("{algorithm: pak, overshoot: maybe}", "write one of include, exclude"),
        ("{algorithm: paper-ola}", "the search paper-ola looks for the most classes alone; write objective: classes"),
    ],
)
def test_wrong_options_are_refused_with_what_to_write(search: str, told: str):
    with pytest.raises(RequestError) as refusal:
        read_request(REQUEST.replace("SEARCH", search))
    assert told in str(refusal.value)


def test_the_papers_searches_refuse_another_objective():
    problem = SearchProblem(lattice(), Requirement(2), objective("prec", lattice(), None, Requirement(2)))
    for name in ("paper-ola", "paper-incognito", "paper-pak"):
        with pytest.raises(RequestError, match="most divisions, not for the least prec"):
            next(SEARCHES[name].start(problem))
