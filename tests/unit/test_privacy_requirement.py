"""From the parts of a request to one requirement, one hash, and the risks of a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pytest

from ordermade.errors import InputError, UnknownName
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.lattice.observation import Observation
from ordermade.methods.mondrian.algorithm.check import KERNELS
from ordermade.privacy.decisions import DECIDERS
from ordermade.privacy.models import MODELS, AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness, model_of
from ordermade.privacy.requirement import Risk, models_hash, most_of, requirement_of, risk_figures, risk_of
from ordermade.requests.numbers import as_fraction, decimal_text
from tests.privacy_by_hand import nested

JOBS = nested({"nurse": ("nurse", "care"), "cook": ("cook", "food"), "baker": ("baker", "food")})
OTHER = nested({"nurse": ("nurse", "food"), "cook": ("cook", "food"), "baker": ("baker", "care")})


@pytest.mark.parametrize(
    ("given", "model", "written"),
    [
        ({"l": 3}, DistinctL(3), "distinct_l {l: 3}"),
        ({"l": 2.5}, EntropyL(Fraction(5, 2)), "entropy_l {l: 2.5}"),
        ({"c": 3, "l": 2}, RecursiveCL(Fraction(3), 2), "recursive_cl {c: 3, l: 2}"),
        (
            {"t": Decimal("0.10"), "distance": "equal"},
            TCloseness(Fraction(1, 10)),
            "t_closeness {t: 0.1, distance: equal}",
        ),
        ({"alpha": 0.29}, AlphaK(Fraction(29, 100)), "alpha_k {alpha: 0.29}"),
        (
            {"t": 0.15, "distance": "hierarchical", "hierarchy": "jobs"},
            TCloseness(Fraction(3, 20), "hierarchical", JOBS),
            "t_closeness {t: 0.15, distance: hierarchical}",
        ),
    ],
)
def test_a_part_of_a_request_file_becomes_a_model(given: dict[str, object], model: Model, written: str) -> None:
    found = model_of(model.name, given, {"jobs": JOBS})
    assert found == model
    assert found.written == written


def test_a_model_is_parsed_from_what_is_kept_of_it() -> None:
    for model in ALL:
        assert model_of(model.name, model.given, {JOBS.name: JOBS}) == model


def test_what_a_part_names_must_be_there() -> None:
    with pytest.raises(UnknownName, match=r"no hierarchy 'job'. Did you mean 'jobs'"):
        model_of("t_closeness", {"t": 0.1, "distance": "hierarchical", "hierarchy": "job"}, {"jobs": JOBS})
    with pytest.raises(UnknownName, match=r"no model 'distinct'. Did you mean 'distinct_l'"):
        model_of("distinct", {}, {})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DistinctL(1), "l must be a whole number of at least 2"),
        (lambda: DistinctL(True), "l must be a whole number of at least 2"),
        (lambda: DistinctL(10**7), "l must be at most 1,000,000"),
        (lambda: EntropyL(Fraction(1)), "l must be greater than 1"),
        (lambda: RecursiveCL(Fraction(0), 2), "c must be greater than 0"),
        (lambda: RecursiveCL(Fraction(1), 1), "l must be a whole number of at least 2"),
        (lambda: TCloseness(Fraction(-1)), "t must be at least 0 and less than 1"),
        (lambda: TCloseness(Fraction(1)), "t must be at least 0 and less than 1"),
        (lambda: TCloseness(Fraction(1, 10**30)), "t has more decimals than can be decided exactly. Write t with 12"),
        (lambda: TCloseness(Fraction(0), "hierarchical"), "needs a hierarchy"),
        (lambda: TCloseness(Fraction(0), "equal", JOBS), "no other distance has one"),
        (lambda: AlphaK(Fraction(0)), "alpha must be greater than 0 and less than 1"),
        (lambda: AlphaK(Fraction(1)), "alpha must be greater than 0 and less than 1"),
        (lambda: Risk(Fraction(0)), "sampling_fraction must be greater than 0 and at most 1"),
        (lambda: Risk(highest=Fraction(2)), "highest must be greater than 0 and at most 1"),
    ],
)
def test_parameters_out_of_their_range_are_refused(make: type, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


MILLION, TRILLIONTH = Fraction(10**6), Fraction(1, 10**12)
"""The greatest parameter, and the last decimal that one may have."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: DistinctL(10**6),
        lambda: EntropyL(MILLION),
        lambda: EntropyL(1 + TRILLIONTH),
        lambda: RecursiveCL(MILLION, 10**6),
        lambda: RecursiveCL(TRILLIONTH, 2),
        lambda: TCloseness(TRILLIONTH),
        lambda: AlphaK(1 - TRILLIONTH),
    ],
)
def test_parameters_at_the_end_of_their_range_are_taken(make: Callable[[], Model]) -> None:
    make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DistinctL(10**6 + 1), "l must be at most 1,000,000"),
        (lambda: EntropyL(MILLION + TRILLIONTH), "l must be at most 1,000,000"),
        (lambda: RecursiveCL(MILLION + TRILLIONTH, 2), "c must be at most 1,000,000"),
        (lambda: RecursiveCL(MILLION, 10**6 + 1), "l must be at most 1,000,000"),
        (lambda: EntropyL(1 + TRILLIONTH / 10), "l has more decimals than can be decided exactly"),
        (lambda: RecursiveCL(TRILLIONTH / 10, 2), "c has more decimals than can be decided exactly"),
        (lambda: TCloseness(TRILLIONTH / 10), "t has more decimals than can be decided exactly. Write t with 12"),
        (lambda: AlphaK(1 - TRILLIONTH / 10), "alpha has more decimals than can be decided exactly"),
    ],
)
def test_parameters_one_step_beyond_their_range_are_refused(make: Callable[[], Model], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_hierarchy_whose_levels_do_not_nest_measures_no_distance() -> None:
    crossing = [("a", "a", "b", "b"), ("x", "y", "x", "y"), ("*",) * 4]
    hierarchy = explicit_hierarchy("crossed", ["1", "2", "3", "4"], [ListedLevel(None, level) for level in crossing])[0]
    with pytest.raises(InputError, match=r"levels of the hierarchy 'crossed' do not nest.* Choose a hierarchy"):
        TCloseness(Fraction(0), "hierarchical", hierarchy)


def test_numbers_are_the_decimals_they_were_written_as() -> None:
    assert as_fraction(0.1) == as_fraction("0.1") == as_fraction(Decimal("0.10")) == Fraction(1, 10)
    assert [decimal_text(Fraction(text)) for text in ("0", "7", "0.29", "1e-12", "123456.75")] == [
        "0",
        "7",
        "0.29",
        "0.000000000001",
        "123456.75",
    ]
    assert decimal_text(Fraction(1, 3)) == "1/3"
    digits = "0." + "123456789" * 11
    assert decimal_text(Fraction(digits)) == digits


def test_the_limit_is_floored_as_an_exact_decimal() -> None:
    """0.29 x 100 is 28.999999999999996 in floating point."""
    assert most_of(as_fraction(0.29), 100) == 29
    assert most_of(as_fraction("0.299"), 100) == 29
    assert most_of(as_fraction("1e-30"), 10**6) == 0
    assert most_of(Fraction(1), 7) == 7


def test_every_model_says_what_it_is() -> None:
    assert list(MODELS) == ["distinct_l", "entropy_l", "recursive_cl", "t_closeness", "alpha_k"]
    assert {name for name, each in MODELS.items() if each.monotone_under_limit} == {"distinct_l"}
    assert {name for name, each in MODELS.items() if each.monotone_of_persons} == {"distinct_l"}
    assert all(type(model).name == model.definition.name for model in ALL)
    assert set(KERNELS) == {model.template for model in ALL if model.definition.kernel}
    assert set(DECIDERS) == {model.template for model in ALL}


DISTINCT, *OTHERS = ALL = (
    DistinctL(2),
    EntropyL(Fraction(2)),
    RecursiveCL(Fraction(1), 2),
    TCloseness(Fraction("0.1")),
    TCloseness(Fraction("0.1"), "ordered"),
    TCloseness(Fraction("0.1"), "hierarchical", JOBS),
    AlphaK(Fraction("0.5")),
)
NOTHING, SOME = Fraction(0), Fraction("0.1")
AVERAGE = Risk(average=Fraction("0.1"))


def monotone(models: list[Model], limit: Fraction, *, risk: Risk | None = None, persons: bool = False) -> bool:
    return requirement_of(2, limit=limit, units=100, models=models, risk=risk, persons=persons).monotone


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("limit", [NOTHING, SOME])
def test_k_and_distinct_l_are_monotone_whatever_is_suppressed_or_counted(limit: Fraction, persons: bool) -> None:
    assert monotone([], limit, persons=persons)
    assert monotone([DISTINCT, DistinctL(9)], limit, persons=persons)


@pytest.mark.parametrize("model", OTHERS, ids=lambda each: each.written)
def test_other_models_are_monotone_while_nothing_is_suppressed_and_rows_are_counted(model: Model) -> None:
    assert monotone([DISTINCT, model], NOTHING)
    assert monotone([DISTINCT, model], Fraction("0.001")), "a limit of no whole row suppresses nothing"
    assert not monotone([DISTINCT, model], SOME)
    assert not monotone([DISTINCT, model], NOTHING, persons=True)
    assert not monotone([DISTINCT, model], SOME, persons=True)


def test_the_average_risk_is_monotone_while_nothing_is_suppressed() -> None:
    assert monotone([], NOTHING, risk=AVERAGE)
    assert monotone([], NOTHING, risk=AVERAGE, persons=True)
    assert not monotone([], SOME, risk=AVERAGE)
    assert monotone([], SOME, risk=Risk(highest=Fraction("0.1")))


@pytest.mark.parametrize(
    ("risk", "k"),
    [
        (None, 5),
        (Risk(), 5),
        (Risk(highest=Fraction("0.05")), 20),
        (Risk(highest=Fraction("0.3")), 5),
        (Risk(highest=Fraction("0.15")), 7),  # 6.67
        (Risk(Fraction("0.1"), highest=Fraction("0.01")), 10),
        (Risk(Fraction("0.1"), highest=Fraction("0.009")), 12),  # 11.1
    ],
)
def test_the_highest_risk_is_a_k(risk: Risk | None, k: int) -> None:
    requirement = requirement_of(5, limit=Fraction("0.05"), units=101, risk=risk)
    assert (requirement.k, requirement.most_suppressed, requirement.models) == (k, 5, False)


def test_the_average_risk_bounds_the_classes_a_unit() -> None:
    """Of a tenth of a population, 3 classes of 30 rows: a mean risk of 0.1 x 3/30 = 0.01."""
    observation = Observation.from_histogram([(10, 3)])
    assert requirement_of(2, units=30, risk=Risk(Fraction("0.1"), average=Fraction("0.01"))).passes(observation)
    assert not requirement_of(2, units=30, risk=Risk(Fraction("0.1"), average=Fraction("0.0099"))).passes(observation)


def test_the_risks_of_a_release() -> None:
    figures = risk_figures(((5, 10), (15, 30)), Fraction("0.1"))
    assert figures is not None
    assert (figures.prosecutor, figures.journalist, figures.marketer) == (
        Fraction(1, 5),
        Fraction(1, 50),
        Fraction(1, 100),
    )
    assert risk_figures(()) is None


def test_risks_are_read_from_a_part_of_a_request_file() -> None:
    @dataclass
    class Asked:
        sampling_fraction: float = 0.1
        highest: Decimal | None = Decimal("0.05")
        average: float | None = None

    assert risk_of(Asked()) == Risk(Fraction(1, 10), Fraction(1, 20), None)
    assert risk_of(None) is None


def test_what_is_asked_of_sensitive_attributes_has_one_name() -> None:
    t = TCloseness(Fraction("0.2"), "hierarchical", JOBS)
    asked = models_hash({"job": [t, DistinctL(2)], "income": [DistinctL(3)]})
    assert len(asked) == 64
    assert asked == models_hash({"income": [DistinctL(3)], "job": [DistinctL(2), t, DistinctL(2)]})
    assert models_hash({}) == models_hash({"job": []}) == ""
    others = [
        {"job": [t], "income": [DistinctL(3)]},
        {"job": [t, DistinctL(3)], "income": [DistinctL(3)]},
        {"job": [t, DistinctL(2)], "wage": [DistinctL(3)]},
        {"job": [t, DistinctL(2), DistinctL(3)]},
        {"job": [TCloseness(Fraction("0.3"), "hierarchical", JOBS), DistinctL(2)], "income": [DistinctL(3)]},
        {"job": [TCloseness(Fraction("0.2")), DistinctL(2)], "income": [DistinctL(3)]},
        {"job": [TCloseness(Fraction("0.2"), "ordered"), DistinctL(2)], "income": [DistinctL(3)]},
        {"job": [TCloseness(Fraction("0.2"), "hierarchical", OTHER), DistinctL(2)], "income": [DistinctL(3)]},
    ]
    assert len({asked, *map(models_hash, others)}) == len(others) + 1


def test_hashes_stay_the_same_between_versions() -> None:
    """States hold them."""
    asked = {
        "a": [
            DistinctL(2),
            EntropyL(Fraction("2.5")),
            RecursiveCL(Fraction(3), 2),
            TCloseness(Fraction("0.2")),
            AlphaK(Fraction("0.5")),
        ]
    }
    assert models_hash(asked) == "bd9a7d751230a8f707cec7ab25058e5056f461f20e3cdce13393d0fc5c13af20"
