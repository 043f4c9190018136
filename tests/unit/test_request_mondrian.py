"""A request for Mondrian, read: what it says, its defaults, its hash, and every mistake with its line."""

from __future__ import annotations

import pytest

from ordermade.errors import RequestError
from ordermade.privacy.models import DistinctLModel
from ordermade.requests.mondrian import Mondrian, MondrianRequest, SplitOptions
from ordermade.requests.read import (
    of_generalization,
    of_mondrian,
    predictable,
    read_mapping,
    read_request,
)
from ordermade.requests.resolving import request_hash

EXAMPLE = """\
dataset: members
method: mondrian
k: 10
quasi_identifiers:
  sex: {hierarchy: sex}
  birth: {hierarchy: birth, from: 1}
  height:
sensitive: {plan: [{model: distinct_l, l: 2}, {model: t_closeness, t: 0.3, distance: hierarchical, hierarchy: plans}]}
mondrian: {variant: hierarchy, split: tf-idf, rules: rules.yaml}
release: {to: out/members.parquet}
"""
SEX, BIRTH = "  sex: {hierarchy: sex}\n", "  birth: {hierarchy: birth, from: 1}\n"
OPTIONS = "{variant: hierarchy, split: tf-idf, rules: rules.yaml}"


def read(text: str) -> MondrianRequest:
    return of_mondrian(read_request(text), "test").request


def problems(old: str, new: str) -> tuple[str, ...]:
    assert old in EXAMPLE
    with pytest.raises(RequestError) as caught:
        read_request(EXAMPLE.replace(old, new, 1))
    return caught.value.problems


def with_options(written: str) -> Mondrian:
    return read(EXAMPLE.replace(OPTIONS, written)).mondrian


def test_the_example_is_read_as_written():
    request = read(EXAMPLE)
    assert list(request.quasi_identifiers) == ["sex", "birth", "height"]
    assert request.quasi_identifiers["height"] == SplitOptions()
    assert (request.quasi_identifiers["birth"].hierarchy, request.quasi_identifiers["birth"].from_level) == ("birth", 1)
    assert request.sensitive["plan"][0] == DistinctLModel(model="distinct_l", l=2)
    assert request.hierarchy_names == {"sex", "birth", "plans"}
    asked = request.mondrian
    assert (asked.variant, asked.split, asked.rules, asked.strict, asked.labels, asked.target) == (
        "hierarchy",
        "tf-idf",
        "rules.yaml",
        True,
        "interval",
        None,
    )
    assert MondrianRequest.model_validate(request.model_dump(by_alias=True, exclude_unset=True)) == request
    assert read_mapping(request.model_dump(by_alias=True, exclude_unset=True)).request == request


@pytest.mark.parametrize(
    ("written", "split"),
    [
        ("{}", "width"),
        ("{variant: median}", "width"),
        ("{variant: hierarchy}", "prec"),
        ("{variant: hierarchy, split: width}", "width"),
        ("{split: prec}", "prec"),
        ("{split: information-gain, target: plan}", "information-gain"),
    ],
)
def test_each_variant_has_a_split_of_its_own(written: str, split: str):
    assert with_options(written).split == split


def test_what_is_left_out():
    request = read("dataset: d\nmethod: mondrian\nk: 2\nquasi_identifiers: {age: }\nrelease: {to: x.csv}")
    assert request.mondrian == Mondrian(variant="median", strict=True, split="width", labels="interval")
    assert (request.sensitive, request.hierarchy_names) == ({}, frozenset())


def test_nothing_is_predicted_and_other_commands_say_so():
    read_as = read_request(EXAMPLE)
    with pytest.raises(
        RequestError, match=r"request:2: method: `x` is for requests whose method is generalization, not"
    ):
        of_generalization(read_as, "x")
    other = "dataset: d\nk: 2\nquasi_identifiers: {a: {hierarchy: h}}\nrelease: {to: x.csv}"
    with pytest.raises(RequestError, match=r"request:1: method: `x` is for requests whose method is mondrian, not gen"):
        of_mondrian(read_request(other), "x")
    with pytest.raises(RequestError) as caught:
        predictable(read_as)
    assert (
        "is predicted of a Mondrian, because no levels are searched: it passes wherever the dataset has 10 rows"
        in (caught.value.problems[0])
    )


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("height:", "height: {}", True),
        ("height:", "height: {hierarchy: height}", False),
        ("from: 1", "from: 2", False),
        ("{hierarchy: sex}", "{hierarchy: sex, from: 0}", True),
        (SEX + BIRTH, BIRTH + SEX, False),
        ("rules: rules.yaml", "rules: rules.yaml, strict: true, labels: interval", True),
        ("variant: hierarchy", "variant: median", False),
        ("split: tf-idf", "split: width", False),
        ("rules: rules.yaml", "rules: other.yaml", False),
    ],
)
def test_what_is_asked_counts_and_not_its_spelling(old: str, new: str, same: bool):
    assert old in EXAMPLE
    one, other = read(EXAMPLE), read(EXAMPLE.replace(old, new, 1))
    assert (request_hash(one) == request_hash(other)) is same


@pytest.mark.parametrize(("variant", "split"), [("median", "width"), ("hierarchy", "prec")])
def test_the_default_spelled_out_is_the_same_request(variant: str, split: str):
    one, other = (read(EXAMPLE.replace(OPTIONS, f"{{variant: {variant}{more}}}")) for more in ("", f", split: {split}"))
    assert request_hash(one) == request_hash(other)


def test_the_hash_stays_and_rules_count_by_what_they_say():
    request = read(EXAMPLE)
    assert request_hash(request) == "406984787379d19037a74a6e7d1b6ccdccf492f49e7cdb2c3ddc02ae0cfc51d1"
    moved = read(EXAMPLE.replace("rules.yaml", "elsewhere/rules.yaml"))
    same, other = {("mondrian", "rules"): "ab"}, {("mondrian", "rules"): "cd"}
    assert request_hash(request, None, same) == request_hash(moved, None, same) != request_hash(request, None, other)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "method: mondrian",
            "method: mondrain",
            (
                "2: method: the text 'mondrain' is not one of the choices; did you mean 'mondrian'? write one of "
                "generalization, microaggregation, mondrian, history, table"
            ),
        ),
        ("k: 10", "k: 1", "3: k: k of 1 protects nobody; write a whole number of at least 2, such as 50"),
        (
            "height:",
            "height: 5",
            "7: quasi_identifiers.height: expected a mapping, not 5; write {hierarchy: height}",
        ),
        (
            "height:",
            "height: {form: 1}",
            "7: quasi_identifiers.height.form: there is no field 'form' here; did you mean 'from'?",
        ),
        (
            "height:",
            "height: {hierarchy: height, to: 3}",
            ("7: quasi_identifiers.height.to: there is no field 'to' here; known: 'from', 'hierarchy'"),
        ),
        (
            "height:",
            "height: {hierarchy: h, from: 1.5}",
            (
                "7: quasi_identifiers.height.from: expected the number or name of a level, not 1.5; write for example "
                "1 or decade"
            ),
        ),
        (
            OPTIONS,
            "{variant: relaxed}",
            "9: mondrian.variant: the text 'relaxed' is not one of the choices; write one of median, hierarchy",
        ),
        (
            OPTIONS,
            "{split: tfidf}",
            (
                "9: mondrian.split: the text 'tfidf' is not one of the choices; did you mean 'tf-idf'? write one of "
                "prec, width, tf-idf, information-gain"
            ),
        ),
        (
            OPTIONS,
            "{labels: mode}",
            "9: mondrian.labels: the text 'mode' is not one of the choices; write one of interval, set, mean, median",
        ),
        (
            OPTIONS,
            "{strict: no}",
            "9: mondrian.strict: expected true or false, not the text 'no'; write for example false",
        ),
        (
            OPTIONS,
            "hierarchy",
            "9: mondrian: expected a mapping, not the text 'hierarchy'; write for example {variant: hierarchy}",
        ),
        (
            OPTIONS,
            "{split: tf-idf}",
            ("9: mondrian: the split tf-idf goes by rules; write rules: FILE beside it, or name another split"),
        ),
        (
            OPTIONS,
            "{split: information-gain}",
            "9: mondrian: the split information-gain needs a target; write target: COLUMN beside it",
        ),
        (
            OPTIONS,
            "{variant: hierarchy, target: plan}",
            ("9: mondrian: the split prec looks at no target; write split: information-gain, or take target out"),
        ),
        (
            OPTIONS,
            "{split: information-gain, target: plan, strict: false}",
            (
                "9: mondrian: information-gain cuts where it gains most information on the target, so no equal values "
                "are dealt out; take strict: false out, or name another split"
            ),
        ),
        (
            f"mondrian: {OPTIONS}",
            "search: {algorithm: ola}",
            "9: search: is of method generalization; take it out, or take method out",
        ),
        (
            f"mondrian: {OPTIONS}",
            "suppression_limit: 0.1",
            "9: suppression_limit: is of method generalization or table; take it out, or take method out",
        ),
        (
            f"mondrian: {OPTIONS}",
            "attributes: {income: }",
            (
                "9: attributes: is of method microaggregation; write method: microaggregation, or name the columns in "
                "quasi_identifiers"
            ),
        ),
        (
            f"mondrian: {OPTIONS}",
            "within: {}",
            "9: within: is of method microaggregation; take it out, or write method: microaggregation",
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    assert problems(old, new) == (f"request:{told}",)


def test_keys_of_mondrian_are_none_of_the_others():
    told = problems("method: mondrian\n", "")
    assert "request:8: mondrian: is of method mondrian; take it out, or write method: mondrian" in told
    told = problems("method: mondrian", "method: microaggregation")
    assert "request:8: sensitive: is of method generalization or mondrian; take it out, or take method out" in told
