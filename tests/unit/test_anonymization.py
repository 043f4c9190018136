"""The pure parts of anonymising by one call: short models, drafted requests, levels within a size, names."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
import yaml

from ordermade.anonymization.options import METHODS, AnonymizeOptions, roles_given
from ordermade.anonymization.short_models import column_and_model, short_model
from ordermade.anonymization.tables import free_name
from ordermade.drafts.hierarchies import DraftedHierarchy, drafted_hierarchy
from ordermade.drafts.lattices import MIN_LEVELS, drafted_hierarchies, levels_within
from ordermade.drafts.request import RequestDraft, drafted_request
from ordermade.errors import InputError, UnknownName
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import read_request
from tests.drafted import profile_of

HOSTILE = (
    'a "b"',
    "it's",
    "*",
    "key: [v, {x}]",
    "- item # no",
    "null",
    "12",
    "1.5",
    "true",
    "line\nbreak",
    " pad ",
    "…x",
)


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("distinct_l 3", {"model": "distinct_l", "l": 3}),
        ("entropy_l 2.5", {"model": "entropy_l", "l": Decimal("2.5")}),
        ("recursive_cl 3 2", {"model": "recursive_cl", "c": 3, "l": 2}),
        ("t_closeness 0.2", {"model": "t_closeness", "t": Decimal("0.2"), "distance": "equal"}),
        ("t_closeness 0.2 ordered", {"model": "t_closeness", "t": Decimal("0.2"), "distance": "ordered"}),
    ],
)
def test_short_models(text: str, model: dict[str, object]) -> None:
    assert short_model(text) == model


def test_a_short_model_with_a_wrong_name_or_number_says_what_to_write() -> None:
    with pytest.raises(UnknownName, match="distinct_l"):
        short_model("distinct_m 3")
    with pytest.raises(InputError, match="<l>"):
        short_model("distinct_l")
    with pytest.raises(InputError, match="takes l"):
        short_model("distinct_l 3 4")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("diagnosis: distinct_l 3", ("diagnosis", "distinct_l 3")),
        ('"a: ""b"": c":distinct_l 3', ('a: "b": c', "distinct_l 3")),
        ("diagnosis", None),
        ("a,b", None),
        ('"a: distinct_l 3"', None),
    ],
)
def test_a_column_with_its_model(text: str, found: tuple[str, str] | None) -> None:
    assert column_and_model(text) == found


def test_hostile_names_are_read_back_as_they_are() -> None:
    draft = RequestDraft(
        dataset=HOSTILE[0],
        k=5,
        hierarchies={name: f"of {name}" for name in HOSTILE},
        to="out/r.csv",
        title=HOSTILE[3],
        suppression_limit=Decimal("0.02"),
        sensitive={"x": [{"model": "distinct_l", "l": 2}]},
        identifiers=HOSTILE,
        keep=tuple(f"kept {number}" for number in range(60)),
    )

    request = read_request(drafted_request(draft)).request

    assert isinstance(request, GeneralizationRequest)
    assert tuple(request.quasi_identifiers) == HOSTILE
    assert [each.hierarchy for each in request.quasi_identifiers.values()] == [f"of {name}" for name in HOSTILE]
    assert request.identifiers == HOSTILE
    assert (request.dataset, request.title, len(request.keep)) == (HOSTILE[0], HOSTILE[3], 60)


@pytest.mark.parametrize("method", ["full-domain", "local", "mondrian", "microaggregation"])
def test_every_method_has_a_request(method: str) -> None:
    assert method in METHODS
    draft = RequestDraft(dataset="d", k=5, hierarchies={"age": "age"}, to="r.csv", method=method)  # type: ignore[arg-type]

    assert read_request(drafted_request(draft)).request.k == 5


def test_levels_are_taken_from_the_longest_until_the_lattice_is_small() -> None:
    levels = {"a": 10, "b": 7, "c": 2}

    assert levels_within(levels, 1_000) == levels
    found = levels_within(levels, 50)
    assert math.prod(found.values()) <= 50
    assert found == {"a": 5, "b": 5, "c": 2}
    assert levels_within(dict.fromkeys("abcdefgh", 9), 1) == dict.fromkeys("abcdefgh", MIN_LEVELS)


def test_of_levels_that_must_go_the_most_useful_stay() -> None:
    """One level of ages has four classes, not two; of two levels the finer has eight."""
    ages = profile_of({str(age): 100 for age in range(16, 80)}, "BIGINT", name="age")
    drafts = [drafted_hierarchy(ages, least_rows=5, most_levels=most) for most in (6, 5, 4, 3)]
    classes = [[len(level) + 1 for level in bounds_of(each)] for each in drafts]
    assert classes[:1] + classes[2:] == [[16, 8, 4, 2], [8, 2], [4]]
    lands = {"United States": 900, "Japan": 60, "China": 40, "Germany": 60, "France": 50, "Mexico": 40, "Brazil": 30}
    (level,) = labels_of(drafted_hierarchy(profile_of(lands, name="country"), least_rows=5, most_levels=3))
    assert len(level) >= 3


def bounds_of(draft: object) -> list[list[int]]:
    assert isinstance(draft, DraftedHierarchy)
    return [each["bounds"] for each in yaml.safe_load(draft.text)["intervals"]["levels"]]


def labels_of(draft: object) -> list[set[str]]:
    assert isinstance(draft, DraftedHierarchy)
    return [set(each) for each in zip(*yaml.safe_load(draft.text)["mapping"].values(), strict=True)]


def test_a_drafted_file_speaks_of_its_own_bounds() -> None:
    draft = drafted_hierarchy(profile_of({str(n): 10 for n in range(300, 340)}, "BIGINT"), least_rows=5)
    assert isinstance(draft, DraftedHierarchy)
    finest = bounds_of(draft)[0]
    assert f"< {finest[0]} and {finest[-1]}+" in draft.text


@pytest.mark.slow
def test_texts_by_frequency_lose_levels_before_ranges_of_numbers() -> None:
    ages = profile_of({str(age): 100 for age in range(16, 32)}, "BIGINT", name="age")
    jobs = profile_of({name: 400 - 20 * n for n, name in enumerate("abcdefghijklmn")}, name="job")
    whole = drafted_hierarchies([ages, jobs], least_rows=5)
    size = math.prod(each.levels for each in whole.values() if isinstance(each, DraftedHierarchy))
    levels = {name: each.levels for name, each in whole.items() if isinstance(each, DraftedHierarchy)}
    assert levels["job"] == 4
    fewer = drafted_hierarchies([ages, jobs], least_rows=5, most_nodes=min(size, 16) - 1)
    assert {name: getattr(each, "levels", 0) for name, each in fewer.items()} == {"age": 4, "job": 3}


def test_a_free_name_is_printable_and_new() -> None:
    assert free_name("ages", ["age"]) == "ages"
    assert free_name("age", ["age", "age 2"]) == "age 3"
    assert free_name("\n \t", []) == "table"
    assert len(free_name("x" * 500, [])) <= 200


def test_a_column_has_one_role() -> None:
    with pytest.raises(InputError, match="in --keep too"):
        roles_given([("kept", ["a"]), ("identifier", ["a"])])
    with pytest.raises(InputError, match="twice"):
        roles_given([("kept", ["a", "a"])])
    with pytest.raises(InputError, match="in --keep too"):
        AnonymizeOptions(5, roles={"A": "kept", "a ": "kept"}, entity="a").of_table(["a", "a "])


@pytest.mark.parametrize("k", [1, 0, -3, True])
def test_a_k_that_protects_nobody_is_refused(k: int) -> None:
    with pytest.raises(InputError, match="from 2 to"):
        AnonymizeOptions(k)
