"""How searches are chosen, driven and refused, and what they ask for on small lattices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from ordermade.errors import RequestError, UnknownName
from ordermade.lattice import proofs
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.objectives import objective
from ordermade.search import SEARCHES, SearchProblem, choose, drive
from ordermade.search.search_state import search_state

CERTIFYING = [each.name for each in SEARCHES.values() if each.certifies]

PASSES = Observation.from_histogram([(10, 1)])
FAILS = Observation.from_histogram([(1, 10)])

FORK = LevelOrder(
    (
        (True, True, True, True),
        (False, True, False, True),
        (False, False, True, True),
        (False, False, False, True),
    )
)


def chains(*levels: int) -> Lattice:
    return Lattice(
        tuple(Axis(f"column {i}", LevelOrder.chain(each), tuple(range(each))) for i, each in enumerate(levels))
    )


def problem(lattice: Lattice, k: int = 2) -> SearchProblem:
    return SearchProblem(lattice, Requirement(k), objective("prec", lattice, None, Requirement(k)))


class Oracle:
    """Passes what is coarser than one of some nodes, and keeps what was asked."""

    def __init__(self, lattice: Lattice, *minimal: Node) -> None:
        self.lattice = lattice
        self.minimal = minimal
        self.batches: list[list[Node]] = []

    def __call__(self, batch: Sequence[Node]) -> list[Observation]:
        self.batches.append(list(batch))
        return [PASSES if any(self.lattice.refines(each, node) for each in self.minimal) else FAILS for node in batch]

    @property
    def asked(self) -> list[Node]:
        return [node for batch in self.batches for node in batch]


@pytest.mark.parametrize("name", CERTIFYING)
def test_the_best_of_the_minimal_passing_nodes_is_found(name):
    lattice = chains(3, 3, 4)
    oracle = Oracle(lattice, (0, 2, 1), (2, 0, 2))
    outcome = drive(SEARCHES[name].start(problem(lattice)), oracle)
    assert outcome.best == (0, 2, 1)
    assert outcome.observation == PASSES
    assert outcome.certified
    if name in ("guided", "hitting-set"):  # they look no further than the best
        assert (0, 2, 1) in outcome.passing_minimal
    else:
        assert outcome.passing_minimal == ((0, 2, 1), (2, 0, 2))
    assert len(oracle.asked) == len(set(oracle.asked))


@pytest.mark.parametrize("name", CERTIFYING)
def test_of_equal_scores_the_attribute_asked_for_first_keeps_its_detail(name):
    lattice = chains(3, 3)
    outcome = drive(SEARCHES[name].start(problem(lattice)), Oracle(lattice, (2, 0), (1, 1), (0, 2)))
    assert outcome.best == (0, 2)


@pytest.mark.parametrize("name", CERTIFYING)
def test_where_nothing_passes_there_is_no_best(name):
    lattice = chains(3, 3)
    outcome = drive(SEARCHES[name].start(problem(lattice)), Oracle(lattice))
    assert (outcome.best, outcome.observation, outcome.passing_minimal) == (None, None, ())


@pytest.mark.parametrize("name", CERTIFYING)
def test_where_everything_passes_the_finest_node_is_best(name):
    lattice = chains(3, 2)
    assert drive(SEARCHES[name].start(problem(lattice)), Oracle(lattice, (0, 0))).best == (0, 0)


@pytest.mark.parametrize("name", CERTIFYING)
def test_a_lattice_of_one_node(name):
    lattice = Lattice((Axis("sex", LevelOrder.chain(3), (1,)),))
    oracle = Oracle(lattice, (1,))
    assert drive(SEARCHES[name].start(problem(lattice)), oracle).best == (1,)
    assert oracle.asked == [(1,)]


def test_ola_learns_from_the_coarsest_node_that_nothing_passes():
    lattice = chains(3, 3)
    oracle = Oracle(lattice)
    drive(SEARCHES["ola"].start(problem(lattice)), oracle)
    assert oracle.asked == [(2, 2)]


def test_ola_tags_what_follows_from_an_answer():
    lattice = chains(9)
    oracle = Oracle(lattice, (3,))
    assert drive(SEARCHES["ola"].start(problem(lattice)), oracle).best == (3,)
    assert oracle.asked == [(8,), (4,), (2,), (3,)]


def test_incognito_puts_absent_attributes_at_the_top_even_where_it_is_not_accepted():
    lattice = Lattice((Axis("a", LevelOrder.chain(3), (0, 1)), Axis("b", LevelOrder.chain(3), (0, 1))))
    oracle = Oracle(lattice, (1, 1))
    assert drive(SEARCHES["incognito"].start(problem(lattice)), oracle).best == (1, 1)
    assert oracle.batches == [[(0, 2), (2, 0)], [(1, 2), (2, 1)], [(1, 1)]]


def test_incognito_does_not_conclude_across_levels_that_do_not_nest():
    lattice = Lattice((Axis("age", FORK, (0, 1, 2, 3)),))
    oracle = Oracle(lattice, (1,))
    outcome = drive(SEARCHES["incognito"].start(problem(lattice)), oracle)
    assert outcome.passing_minimal == ((1,),)
    assert set(oracle.asked) == {(0,), (1,), (2,)}


def test_exhaustive_asks_in_the_order_of_the_levels_and_counts_down():
    lattice = chains(5, 5, 5)
    search = SEARCHES["exhaustive"].start(problem(lattice))
    first = next(search)
    assert len(first) == 64
    assert first.left == 125
    second = search.send([PASSES] * 64)
    assert second.left == len(second) == 61
    assert [*first, *second] == list(lattice.nodes())
    search.close()


def test_the_driver_refuses_a_wrong_number_of_observations():
    with pytest.raises(ValueError, match="observations were given"):
        drive(SEARCHES["ola"].start(problem(chains(3))), lambda batch: [])


def test_the_driver_lets_errors_of_the_measure_through_and_closes_the_search():
    search = SEARCHES["ola"].start(problem(chains(3)))

    def broken(batch: Sequence[Node]) -> list[Observation]:
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError, match="gone"):
        drive(search, broken)
    with pytest.raises(StopIteration):
        next(search)


def test_the_default_is_guided_and_for_large_lattices_a_search_that_can():
    large = chains(*[10] * 5).axes
    nested, forked = Lattice((*large, Axis("age", FORK, (0, 2, 3)))), Lattice((*large, Axis("age", FORK, (0, 1, 2))))
    assert choose(None, chains(3, 2)).name == "guided"
    assert choose(None, Lattice(large)).name == "guided"
    assert choose(None, nested).name == "hitting-set"
    assert choose(None, forked, Requirement(2), "loss").name == "hitting-set"
    assert choose(None, nested, Requirement(2), "classes").name == "ola"
    assert choose(None, forked, Requirement(2), "classes").name == "incognito"
    assert choose("exhaustive", chains(3)).name == "exhaustive"


def test_ola_is_refused_where_levels_do_not_nest_and_the_alternative_is_named():
    lattice = Lattice((Axis("sex", LevelOrder.chain(2), (0, 1)), Axis("age", FORK, (0, 1, 2, 3))))
    with pytest.raises(RequestError) as refusal:
        choose("ola", lattice)
    message = str(refusal.value)
    assert "'age'" in message
    assert "'sex'" not in message
    assert "`algorithm: incognito`" in message
    assert "`algorithm: guided`" in message
    assert "`algorithm: exhaustive`" in message
    assert "paper" not in message


NOT_MONOTONE = Requirement(2, 3, models=True, monotone=False)


@pytest.mark.parametrize("name", ["ola", "incognito"])
def test_what_rests_on_monotony_is_refused_without_it_and_the_alternatives_are_named(name):
    lattice = chains(3, 2)
    with pytest.raises(RequestError, match=f"{name} .*may fail at a coarser node") as refusal:
        choose(name, lattice, NOT_MONOTONE, "prec")
    assert "`algorithm: guided` or `algorithm: exhaustive`" in str(refusal.value)
    with pytest.raises(RequestError, match=f"{name} .*by loss a coarser node"):
        choose(name, lattice, Requirement(2, 3), "loss")
    assert choose(name, lattice, Requirement(2, 3), "prec").name == name
    assert choose(name, lattice, Requirement(2, models=True), "loss").name == name
    for other in ("guided", "exhaustive"):
        assert choose(other, lattice, NOT_MONOTONE, "loss").name == other


@pytest.mark.parametrize("name", ["prec", "dm"])
def test_a_model_that_is_not_monotone_fails_its_own_node_only_and_k_every_finer_one(name):
    lattice = chains(4)
    now = search_state(SearchProblem(lattice, NOT_MONOTONE, objective(name, lattice, None, NOT_MONOTONE)))
    now.learn((2,), replace(PASSES, failing=PASSES.sizes))
    assert now.tags.tolist() == [proofs.UNKNOWN, proofs.UNKNOWN, proofs.FAILS, proofs.UNKNOWN]
    now.learn((1,), replace(FAILS, failing=()))
    assert now.tags.tolist() == [proofs.FAILS, proofs.FAILS, proofs.FAILS, proofs.UNKNOWN]
    now.learn((3,), replace(PASSES, failing=()))
    assert now.tags.tolist() == [proofs.FAILS, proofs.FAILS, proofs.FAILS, proofs.PASSES]


@pytest.mark.parametrize("name", ["prec", "dm"])
@pytest.mark.parametrize("search", ["guided", "exhaustive"])
def test_a_fine_node_is_found_where_all_coarser_ones_fail_a_model(search, name):
    lattice = chains(3, 3)

    def measure(batch: Sequence[Node]) -> list[Observation]:
        return [replace(PASSES, failing=() if node == (0, 1) else PASSES.sizes) for node in batch]

    problem = SearchProblem(lattice, NOT_MONOTONE, objective(name, lattice, None, NOT_MONOTONE))
    outcome = drive(SEARCHES[search].start(problem), measure)
    assert (outcome.best, outcome.certified) == ((0, 1), True)


@pytest.mark.parametrize("name", ["paper-pak", "paper-ola", "paper-incognito"])
@pytest.mark.parametrize(
    ("requirement", "what"),
    [
        (Requirement(2, 3), "suppression limit"),
        (Requirement(2, models=True), "privacy models"),
        (Requirement(2, average_risk=Fraction(1, 10)), "average risk"),
    ],
)
def test_the_papers_searches_know_nothing_but_k(name, requirement, what):
    with pytest.raises(RequestError, match=f"{name} does what the paper does, which knows no {what}"):
        choose(name, chains(3, 2), requirement, "classes")


def test_unasked_a_large_lattice_is_searched_by_what_can():
    large = chains(*[10] * 5, 2)
    assert choose(None, large, Requirement(2, 3), "prec").name == "hitting-set"
    assert choose(None, large, Requirement(2, 3), "loss").name == "guided"
    assert choose(None, large, NOT_MONOTONE, "prec").name == "guided"
    assert choose(None, chains(*[10] * 7), NOT_MONOTONE, "prec").name == "hitting-set"
    with pytest.raises(RequestError, match="guided would keep track of"):
        choose(None, chains(*[10] * 7), NOT_MONOTONE, "dm")


def test_a_search_that_needs_costs_of_levels_is_refused_without_them():
    with pytest.raises(RequestError, match="hitting-set needs an objective that is bounded by a sum over the levels"):
        choose("hitting-set", chains(3), Requirement(2), "dm")


def test_an_average_risk_under_a_limit_cannot_be_said_to_be_monotone():
    with pytest.raises(ValueError, match="not monotone"):
        Requirement(2, 3, average_risk=Fraction(1, 10))


def test_a_search_of_no_known_name():
    with pytest.raises(UnknownName, match="Did you mean 'incognito'"):
        choose("incognitto", chains(3))


@pytest.mark.parametrize("name", [None, *(name for name in SEARCHES if name != "hitting-set")])
def test_a_lattice_too_large_is_refused_with_what_to_narrow(name):
    lattice = chains(*[10] * 8)
    with pytest.raises(RequestError, match="Narrow") as refusal:
        choose(name, lattice, Requirement(2), "classes")
    assert "'column 0' (10 levels)" in str(refusal.value)
