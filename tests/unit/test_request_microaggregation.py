"""A request for microaggregation, read: what it says, its defaults, its hash, and every mistake with its line."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ordermade.errors import RequestError
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options
from ordermade.methods.microaggregation.algorithm.paths import MAX_ANCHORS
from ordermade.requests import numbers
from ordermade.requests.methods import REQUESTS
from ordermade.requests.microaggregation import AttributeOptions, Budget, Microaggregation, MicroaggregationRequest
from ordermade.requests.read import of_generalization, of_microaggregation, read_mapping, read_request
from ordermade.requests.resolving import request_hash

EXAMPLE = """\
dataset: members
method: microaggregation
k: 5
attributes:
  income: {}
  age: {weight: 2}
  job: {hierarchy: occupation, aggregate: ancestor}
within: {prefecture: {hierarchy: prefecture, level: 2}}
keep: [plan]
microaggregation: {algorithm: auto, gamma: 1.1, budget: {seconds: 60}}
release: {to: out/members.parquet}
"""
OPTIONS = "{algorithm: auto, gamma: 1.1, budget: {seconds: 60}}"
A_WEIGHT = "a weight is above 0; write a number such as 2, or leave out what does not matter"
A_SEED = "a seed is from 0 to 4,294,967,295; write a whole number between them, such as 1"


def read(text: str) -> MicroaggregationRequest:
    return of_microaggregation(read_request(text), "test").request


def problems(old: str, new: str) -> tuple[str, ...]:
    assert old in EXAMPLE
    with pytest.raises(RequestError) as caught:
        read_request(EXAMPLE.replace(old, new, 1))
    return caught.value.problems


def with_options(written: str) -> Microaggregation:
    return read(EXAMPLE.replace(OPTIONS, written)).microaggregation


def test_the_example_is_read_as_written():
    request = read(EXAMPLE)
    assert list(request.attributes) == ["income", "age", "job"]
    assert request.attributes["income"] == AttributeOptions()
    assert request.attributes["age"].weight == Decimal(2)
    assert (request.attributes["job"].hierarchy, request.attributes["job"].aggregate) == ("occupation", "ancestor")
    assert (request.within["prefecture"].hierarchy, request.within["prefecture"].level) == ("prefecture", 2)
    assert request.hierarchy_names == {"occupation", "prefecture"}
    assert request.microaggregation.options == Options(gamma=1.1, seconds=60.0)
    assert MicroaggregationRequest.model_validate(request.model_dump(by_alias=True, exclude_unset=True)) == request


def test_what_is_left_out():
    request = read("dataset: d\nmethod: microaggregation\nk: 2\nattributes: {income: }\nrelease: {to: x.csv}")
    assert request.attributes == {"income": AttributeOptions()}
    assert request.microaggregation.options == Options()
    assert request.within == {}
    assert request.hierarchy_names == frozenset()


def test_each_request_says_its_method():
    assert set(REQUESTS) == {"generalization", "microaggregation", "mondrian", "history", "table"}
    read_as = read_request(EXAMPLE)
    assert read_as.request.method == "microaggregation"
    with pytest.raises(RequestError, match=r"request:2: method: `request predict` is for requests whose method is gen"):
        of_generalization(read_as, "request predict")
    other = "dataset: d\nk: 2\nquasi_identifiers: {a: {hierarchy: h}}\nrelease: {to: x.csv}"
    with pytest.raises(RequestError, match=r"request:1: method: `x` is for requests whose method is microagg"):
        of_microaggregation(read_request(other), "x")


@pytest.mark.parametrize(
    ("written", "seconds", "rounds"),
    [
        ("{}", 10, None),
        ("{seconds: 86400}", 86_400, None),
        ("{seconds: 0.5, rounds: 3}", 0.5, 3),
        ("{rounds: 0}", None, 0),
        ("{rounds: 1000000}", None, 1_000_000),
    ],
)
def test_rounds_alone_need_no_clock(written: str, seconds: float | None, rounds: int | None):
    options = with_options(f"{{budget: {written}}}").options
    assert (options.seconds, options.rounds) == (seconds, rounds)


def test_the_registry_says_which_algorithms_there_are():
    for name, method in METHODS.items():
        for option, written in (("gamma", 0.5), ("anchors", 4), ("radius_divisor", 2), ("radius", "median")):
            asked = {"algorithm": name, option: written}
            if option in method.options:
                assert Microaggregation.model_validate(asked).algorithm == name
            else:
                with pytest.raises(ValueError, match=f"the algorithm {name} does not read {option}"):
                    Microaggregation.model_validate(asked)
    assert numbers.MAX_ANCHORS == MAX_ANCHORS


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (
            "{}",
            (
                "gamma 0.2, anchors 3, radius_divisor 1, radius mean, seed 1, improve true, seconds 10, "
                "standardise true, aggregate mean, round keep"
            ),
        ),
        ("{algorithm: optimal, round: integer}", "seed 1, standardise true, aggregate mean, round integer"),
        (
            "{algorithm: mdav, improve: false, seed: 7, standardise: false}",
            "seed 7, improve false, standardise false, aggregate mean, round keep",
        ),
        (
            "{algorithm: vmdav, gamma: 0.50, budget: {rounds: 9}, aggregate: median}",
            "gamma 0.5, seed 1, improve true, rounds 9, standardise true, aggregate median, round keep",
        ),
    ],
)
def test_the_options_in_words(written: str, told: str):
    assert sorted(with_options(written).in_words.split(", ")) == sorted(told.split(", "))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("income: {}", "income: ", True),
        ("income: {}", "income: {weight: 1.0}", True),
        ("income: {}", "income: {weight: 1.5}", False),
        ("aggregate: ancestor", "aggregate: mode", False),
        ("  income: {}\n  age: {weight: 2}\n", "  age: {weight: 2}\n  income: {}\n", False),
        ("gamma: 1.1", "gamma: 1.10, seed: 1, round: keep, improve: true, anchors: 3", True),
        ("seconds: 60", "seconds: 60.0", True),
        ("seconds: 60", "seconds: 60, rounds: 5", False),
        ("algorithm: auto, ", "", True),
        ("level: 2", "level: 1", False),
        (f"microaggregation: {OPTIONS}\n", "", False),
    ],
)
def test_what_is_asked_counts_and_not_its_spelling(old: str, new: str, same: bool):
    assert old in EXAMPLE
    one, other = read(EXAMPLE), read(EXAMPLE.replace(old, new, 1))
    assert (request_hash(one) == request_hash(other)) is same


def test_the_hash_is_a_sha256_that_stays():
    assert request_hash(read(EXAMPLE)) == "8eb76b07e0a8655496302522ed60e0079e39447e32c01cfdbfdda6e8c4905507"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("k: 5", "k: 1", "3: k: k of 1 protects nobody; write a whole number of at least 2, such as 50"),
        (
            "method: microaggregation",
            "method: microagregation",
            (
                "2: method: the text 'microagregation' is not one of the choices; did you mean 'microaggregation'? "
                "write one of generalization, microaggregation, mondrian, history, table"
            ),
        ),
        (
            "method: microaggregation",
            "method: 5",
            (
                "2: method: 5 is not one of the choices; "
                "write one of generalization, microaggregation, mondrian, history, table"
            ),
        ),
        (
            "keep: [plan]",
            "quasi_identifiers: {age: {hierarchy: age}}",
            (
                "9: quasi_identifiers: is of method generalization or mondrian; name the columns in attributes, or "
                "take method out"
            ),
        ),
        (
            "keep: [plan]",
            "search: {algorithm: ola}",
            "9: search: is of method generalization; take it out, or take method out",
        ),
        (
            "keep: [plan]",
            "suppression_limit: 0.1",
            "9: suppression_limit: is of method generalization or table; take it out, or take method out",
        ),
        ("keep: [plan]", "wihtin: {}", "9: wihtin: there is no field 'wihtin' here; did you mean 'within'?"),
        (
            "{weight: 2}",
            "{weight: 0}",
            f"6: attributes.age.weight: {A_WEIGHT}",
        ),
        (
            "{weight: 2}",
            "{weight: -1}",
            f"6: attributes.age.weight: {A_WEIGHT}",
        ),
        (
            "{weight: 2}",
            "{weight: .nan}",
            "6: attributes.age.weight: expected a number, not nan; write for example 2",
        ),
        (
            "{weight: 2}",
            "{weight: heavy}",
            "6: attributes.age.weight: expected a number, not the text 'heavy'; write for example 2",
        ),
        (
            "{weight: 2}",
            "{weight: 1000001}",
            "6: attributes.age.weight: is more than 1,000,000; write a smaller number",
        ),
        (
            "{weight: 2}",
            "{wieght: 2}",
            "6: attributes.age.wieght: there is no field 'wieght' here; did you mean 'weight'?",
        ),
        ("{weight: 2}", "2", "6: attributes.age: expected a mapping, not 2; write for example {weight: 2}"),
        (
            "{weight: 2}",
            "ages",
            "6: attributes.age: expected a mapping, not the text 'ages'; write {hierarchy: ages}",
        ),
        (
            "{weight: 2}",
            "{aggregate: mode}",
            (
                "6: attributes.age: aggregate mode is of attributes with a hierarchy; write hierarchy: NAME beside it, "
                "or take aggregate out (the aggregate of numbers is microaggregation.aggregate)"
            ),
        ),
        (
            "aggregate: ancestor",
            "aggregate: mean",
            "7: attributes.job.aggregate: the text 'mean' is not one of the choices; write one of mode, ancestor",
        ),
        ("level: 2}", "}", "8: within.prefecture.level: is missing; write for example level: 2"),
        (
            "level: 2}",
            "level: 1.5}",
            (
                "8: within.prefecture.level: expected the number or name of a level, not 1.5; write for example 1 or "
                "decade"
            ),
        ),
        (
            "{hierarchy: prefecture, level: 2}",
            "region",
            (
                "8: within.prefecture: expected a mapping, not the text 'region'; write for example "
                "{hierarchy: prefecture, level: 2}"
            ),
        ),
        (
            OPTIONS,
            "{algorithm: vdmav}",
            (
                "10: microaggregation.algorithm: the text 'vdmav' is not one of the choices; did you mean 'vmdav'? "
                f"write one of {', '.join(METHODS)}"
            ),
        ),
        (
            OPTIONS,
            "mdav",
            "10: microaggregation: expected a mapping, not the text 'mdav'; write for example {algorithm: mdav}",
        ),
        (
            "gamma: 1.1",
            "gamma: -0.1",
            "10: microaggregation.gamma: a gamma is at least 0; write a number such as 0.2",
        ),
        (
            "gamma: 1.1",
            "anchors: 0",
            "10: microaggregation.anchors: there are 1 to 62 anchors; write a whole number between them, such as 3",
        ),
        (
            "gamma: 1.1",
            "anchors: 1000",
            "10: microaggregation.anchors: there are 1 to 62 anchors; write a whole number between them, such as 3",
        ),
        (
            "gamma: 1.1",
            "anchors: 2.5",
            "10: microaggregation.anchors: expected a whole number, not 2.5; write for example 5",
        ),
        (
            "gamma: 1.1",
            "radius_divisor: .5",
            "10: microaggregation.radius_divisor: a radius divisor is at least 1; write a number such as 2",
        ),
        (
            "gamma: 1.1",
            "radius: max",
            "10: microaggregation.radius: the text 'max' is not one of the choices; write one of mean, median",
        ),
        (
            "gamma: 1.1",
            "seed: -1",
            f"10: microaggregation.seed: {A_SEED}",
        ),
        (
            "gamma: 1.1",
            "seed: 4294967296",
            f"10: microaggregation.seed: {A_SEED}",
        ),
        (
            "gamma: 1.1",
            "improve: yes",
            "10: microaggregation.improve: expected true or false, not the text 'yes'; write for example false",
        ),
        (
            "seconds: 60",
            "seconds: 0",
            (
                "10: microaggregation.budget.seconds: a budget is above 0 seconds; write a number such as 10, or "
                "improve: false to look for no better groups"
            ),
        ),
        (
            "seconds: 60",
            "seconds: .inf",
            "10: microaggregation.budget.seconds: expected a number, not inf; write for example 60",
        ),
        (
            "seconds: 60",
            "seconds: 86401",
            (
                "10: microaggregation.budget.seconds: a budget is at most 86,400 seconds, a day; write a smaller "
                "number, such as 3600"
            ),
        ),
        (
            "seconds: 60",
            "seconds: ",
            "10: microaggregation.budget: the budget has no end; write {seconds: 10} or {rounds: 50}",
        ),
        (
            "seconds: 60",
            "rounds: -1",
            (
                "10: microaggregation.budget.rounds: rounds are at least 0; write a whole number such as 50, or 0 to "
                "improve once"
            ),
        ),
        (
            OPTIONS,
            "{algorithm: mdav, gamma: 0.2, anchors: 3}",
            (
                "10: microaggregation: the algorithm mdav does not read gamma or anchors; name an algorithm that does "
                "(auto), or take them out"
            ),
        ),
        (
            OPTIONS,
            "{algorithm: npn, radius: median}",
            (
                "10: microaggregation: the algorithm npn does not read radius; name an algorithm that does (auto, "
                "fdh), or take it out"
            ),
        ),
        (
            OPTIONS,
            "{algorithm: optimal, improve: true, budget: {seconds: 1}}",
            (
                "10: microaggregation: nothing is better than what the algorithm optimal finds; take improve and "
                "budget out"
            ),
        ),
        (
            OPTIONS,
            "{algorithm: mdav, improve: false, budget: {seconds: 1}}",
            (
                "10: microaggregation: nothing is improved, so there is nothing to spend a budget on; take budget or "
                "improve: false out"
            ),
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    assert problems(old, new) == (f"request:{told}",)


def test_keys_of_microaggregation_are_none_of_generalisation():
    told = problems("method: microaggregation\n", "")
    instead = "write method: microaggregation, or"
    assert told == (
        (
            "request:1: quasi_identifiers: is missing; write for example quasi_identifiers: "
            "{age: {hierarchy: age, from: 1, to: 4}}"
        ),
        f"request:3: attributes: is of method microaggregation; {instead} name the columns in quasi_identifiers",
        "request:7: within: is of method microaggregation; take it out, or write method: microaggregation",
        "request:9: microaggregation: is of method microaggregation; take it out, or write method: microaggregation",
    )


@pytest.mark.parametrize(
    ("attributes", "told"),
    [
        ({}, "is empty; name at least one column, such as income: {}"),
        ({f"a{number}": {} for number in range(61)}, "has more than 60 columns; list fewer attributes"),
        (["income"], "expected a mapping, not a list; write for example {income: {}, age: {weight: 2}}"),
        (None, "expected a mapping, not nothing; write for example {income: {}, age: {weight: 2}}"),
    ],
)
def test_how_many_attributes_there_may_be(attributes: object, told: str):
    content = {"dataset": "d", "method": "microaggregation", "k": 2, "release": {"to": "x.csv"}}
    with pytest.raises(RequestError) as caught:
        read_mapping({**content, "attributes": attributes})
    assert caught.value.problems == (f"request: attributes: {told}",)
    with pytest.raises(RequestError, match="request: attributes: is missing; write for example attributes: "):
        read_mapping(content)


def test_a_budget_from_python():
    assert Budget(rounds=5) == Budget.model_validate({"rounds": 5, "seconds": None})
    assert Budget(seconds=Decimal(10)) == Budget()
