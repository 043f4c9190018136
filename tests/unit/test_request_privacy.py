"""What a request asks beyond k, read: exact numbers, models, risks, weights; and every mistake in them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from ordermade.errors import RequestError
from ordermade.privacy.models import AlphaKModel, DistinctLModel, EntropyLModel, RecursiveCLModel, TClosenessModel
from ordermade.requests import numbers
from ordermade.requests.generalization import GeneralizationRequest, Risks
from ordermade.requests.read import read_mapping, read_request

EXAMPLE = """\
dataset: members
k: 5
suppression_limit: 0.05
suppressed: star
recoding: local
quasi_identifiers: {age: {hierarchy: age}, sex: {hierarchy: sex}}
sensitive:
  diagnosis: [{model: t_closeness, t: 0.2, distance: equal}, {model: distinct_l, l: 3}]
  income:    [{model: t_closeness, t: 0.15, distance: ordered}]
  job:       [{model: t_closeness, t: 0, distance: hierarchical, hierarchy: occupation}]
  stage:     [{model: entropy_l, l: 2.5}, {model: recursive_cl, c: 3, l: 2}, {model: alpha_k, alpha: 0.5}]
risk: {sampling_fraction: 0.1, highest: 0.05, average: 0.01}
search: {objective: loss, weights: {age: 2, sex: 0.5}}
release: {to: out/members.parquet, pseudonym: person}
"""


def problems(old: str, new: str) -> tuple[str, ...]:
    assert old in EXAMPLE
    with pytest.raises(RequestError) as caught:
        read_request(EXAMPLE.replace(old, new, 1))
    return caught.value.problems


def limit_of(written: object) -> Decimal:
    content = {
        "dataset": "d",
        "k": 2,
        "suppression_limit": written,
        "quasi_identifiers": {"a": {"hierarchy": "a"}},
        "release": {"to": "x.csv"},
    }
    return read_mapping(content).request.suppression_limit


def test_the_example_is_read_as_written():
    request = read_request(EXAMPLE).request
    assert (request.suppression_limit, request.suppressed, request.recoding) == (Decimal("0.05"), "star", "local")
    assert request.sensitive == {
        "diagnosis": (
            TClosenessModel(model="t_closeness", t=Decimal("0.2"), distance="equal"),
            DistinctLModel(model="distinct_l", l=3),
        ),
        "income": (TClosenessModel(model="t_closeness", t=Decimal("0.15"), distance="ordered"),),
        "job": (TClosenessModel(model="t_closeness", t=Decimal(0), distance="hierarchical", hierarchy="occupation"),),
        "stage": (
            EntropyLModel(model="entropy_l", l=Decimal("2.5")),
            RecursiveCLModel(model="recursive_cl", c=Decimal(3), l=2),
            AlphaKModel(model="alpha_k", alpha=Decimal("0.5")),
        ),
    }
    assert list(request.sensitive) == ["diagnosis", "income", "job", "stage"]
    assert request.risk == Risks(sampling_fraction=Decimal("0.1"), highest=Decimal("0.05"), average=Decimal("0.01"))
    assert request.search.weights == {"age": 2, "sex": Decimal("0.5")}
    assert request.release.pseudonym == "person"
    assert request.hierarchy_names == {"age", "sex", "occupation"}


def test_left_out_nothing_is_suppressed_and_nothing_asked_beyond_k():
    request = read_request("dataset: d\nk: 2\nquasi_identifiers: {a: {hierarchy: h}}\nrelease: {to: x.csv}").request
    assert (request.suppression_limit, request.suppressed, request.recoding) == (0, "drop", "full-domain")
    assert (request.sensitive, request.risk, request.search.weights) == ({}, None, {})
    assert request.hierarchy_names == {"h"}


@pytest.mark.parametrize(
    ("written", "rows", "suppressed"),
    [
        ("0.29", 100, 29), ("0.07", 100, 7), ("0.57", 100, 57), ("0.1", 30, 3), ("1", 7, 7), ("1.0", 7, 7),
        ("0", 7, 0), ("0.0", 7, 0), ("-0.0", 7, 0), (".5", 7, 3), ("5e-1", 8, 4), ("1e-30", 10**12, 0),
        ("0.99999999999999999999", 10, 9),
    ],
)  # fmt: skip
def test_a_limit_is_the_decimal_that_is_written(written: str, rows: int, suppressed: int):
    limit = read_request(EXAMPLE.replace("0.05", written, 1)).request.suppression_limit
    assert int(Fraction(limit) * rows) == suppressed


@given(st.integers(0, 10**15).map(lambda digits: Decimal(digits).scaleb(-15)))
def test_a_float_of_python_is_the_decimal_that_it_was_written_as(written: Decimal):
    assert limit_of(float(str(written))) == written
    assert limit_of(written) == written


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("-1", "a limit is a share of the rows, at least 0; write a number such as 0.05"),
        ("-1e-30", "a limit is a share of the rows, at least 0; write a number such as 0.05"),
        ("2", "a limit is a share of the rows, at most 1; write 0.02 for 2 percent"),
        ("1.5", "a limit is a share of the rows, at most 1; write 0.015 for 1.5 percent"),
        ("1000", "a limit is a share of the rows, at most 1; write a number such as 0.05"),
        ("text", "expected a number, not the text 'text'; write for example 0.05"),
        ("5 %", "expected a number, not the text '5 %'; write for example 0.05"),
        ("'0.05'", "expected a number, not the text '0.05'; write 0.05 without quotes"),
        ("true", "expected a number, not true; write for example 0.05"),
        ("", "expected a number, not nothing; write for example 0.05"),
        ("[0.05]", "expected a number, not a list; write for example 0.05"),
        ("{rows: 5}", "expected a number, not a mapping; write for example 0.05"),
        (".nan", "expected a number, not nan; write for example 0.05"),
        (".inf", "expected a number, not inf; write for example 0.05"),
        ("-.inf", "expected a number, not -inf; write for example 0.05"),
        ("1e-999999", "has more than 100 digits; write a shorter number"),
        ("1e999999", "has more than 100 digits; write a shorter number"),
        ("0." + "1" * 101, "has more than 100 digits; write a shorter number"),
    ],
)
def test_a_wrong_limit(written: str, told: str):
    assert problems("0.05", written) == (f"request:3: suppression_limit: {told}",)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), Fraction(1, 3), 1 + 0j, "0.05", True])
def test_what_is_no_number_in_python_either(value: object):
    with pytest.raises(RequestError, match="suppression_limit: expected a number"):
        limit_of(value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "suppressed: star",
            "suppressed: keep",
            "4: suppressed: the text 'keep' is not one of the choices; write one of drop, star",
        ),
        (
            "recoding: local",
            "recoding: locl",
            (
                "5: recoding: the text 'locl' is not one of the choices; did you mean 'local'? "
                "write one of full-domain, local"
            ),
        ),
        (
            "model: distinct_l",
            "model: distinkt_l",
            (
                "8: sensitive.diagnosis[1]: the text 'distinkt_l' is not one of the choices; "
                "did you mean 'distinct_l'? write one of distinct_l, entropy_l, recursive_cl, t_closeness, alpha_k"
            ),
        ),
        (
            "model: distinct_l",
            "model: 7",
            (
                "8: sensitive.diagnosis[1]: 7 is not one of the choices; "
                "write one of distinct_l, entropy_l, recursive_cl, t_closeness, alpha_k"
            ),
        ),
        (
            "{model: distinct_l, l: 3}",
            "{l: 3}",
            "8: sensitive.diagnosis[1]: model is missing; write for example {model: distinct_l, l: 3}",
        ),
        (
            "{model: distinct_l, l: 3}",
            "distinct_l",
            (
                "8: sensitive.diagnosis[1]: expected a mapping, not the text 'distinct_l'; "
                "write for example {model: distinct_l, l: 3}"
            ),
        ),
        (
            "[{model: t_closeness, t: 0.15, distance: ordered}]",
            "{model: t_closeness, t: 0.15, distance: ordered}",
            (
                "9: sensitive.income: expected a list, not a mapping; "
                "write it between [ and ], such as [{model: distinct_l, l: 3}]"
            ),
        ),
        (
            "[{model: t_closeness, t: 0.15, distance: ordered}]",
            "t_closeness",
            "9: sensitive.income: expected a list, not the text 't_closeness'; write it between [ and ]",
        ),
        (
            "[{model: t_closeness, t: 0.15, distance: ordered}]",
            "[]",
            ("9: sensitive.income: is empty; write for example [{model: distinct_l, l: 3}], or keep the column"),
        ),
        (
            "[{model: t_closeness, t: 0.15, distance: ordered}]",
            "[t_closeness]",
            (
                "9: sensitive.income[0]: expected a mapping, not the text 't_closeness'; "
                "write for example {model: distinct_l, l: 3}"
            ),
        ),
        (
            "l: 3}",
            "l: 3, t: 1}",
            "8: sensitive.diagnosis[1].t: there is no field 't' here; known: 'l', 'missing', 'model'",
        ),
        (", l: 3}", "}", "8: sensitive.diagnosis[1].l: is missing; write for example l: 3"),
        (
            "l: 3}",
            "l: 1}",
            (
                "8: sensitive.diagnosis[1].l: an l of 1 or less requires nothing; "
                "write a whole number of at least 2, such as 3"
            ),
        ),
        ("l: 3}", "l: 2.5}", "8: sensitive.diagnosis[1].l: expected a whole number, not 2.5; write for example 3"),
        ("l: 3}", "l: 3.0}", "8: sensitive.diagnosis[1].l: expected a whole number, not 3.0; write 3"),
        ("l: 3}", "l: 1000001}", "8: sensitive.diagnosis[1].l: is more than 1,000,000; write a smaller number"),
        (
            "t: 0.2,",
            "t: 1,",
            (
                "8: sensitive.diagnosis[0].t: no distance is greater than 1, so it requires nothing; "
                "write a t below 1, such as 0.2"
            ),
        ),
        (
            "t: 0.2,",
            "t: -0.1,",
            "8: sensitive.diagnosis[0].t: a distance is at least 0; write a t of at least 0 and below 1, such as 0.2",
        ),
        (
            "t: 0.2,",
            "t: 0.1234567890123,",
            "8: sensitive.diagnosis[0].t: has more than 12 decimals, and could not be decided exactly; write fewer",
        ),
        (", distance: equal", "", "8: sensitive.diagnosis[0].distance: is missing; write for example distance: equal"),
        (
            "distance: equal",
            "distance: equals",
            (
                "8: sensitive.diagnosis[0].distance: the text 'equals' is not one of the choices; "
                "did you mean 'equal'? write one of equal, ordered, hierarchical"
            ),
        ),
        (
            "distance: equal",
            "distance: hierarchical",
            "8: sensitive.diagnosis[0]: the hierarchical distance needs a hierarchy; write hierarchy: NAME beside it",
        ),
        (
            "distance: ordered",
            "distance: ordered, hierarchy: income",
            (
                "9: sensitive.income[0]: the distance ordered uses no hierarchy; "
                "write distance: hierarchical, or take hierarchy out"
            ),
        ),
        (
            "l: 2.5",
            "l: 1",
            "11: sensitive.stage[0].l: an l of 1 or less requires nothing; write an l above 1, such as 2.5",
        ),
        ("c: 3", "c: 0", "11: sensitive.stage[1].c: no class passes a c of 0 or less; write a c above 0, such as 3"),
        ("c: 3", "c: 1e7", "11: sensitive.stage[1].c: is more than 1,000,000; write a smaller number"),
        (
            "alpha: 0.5",
            "alpha: 0",
            "11: sensitive.stage[2].alpha: every class has some value; write an alpha above 0 and below 1, such as 0.5",
        ),
        (
            "alpha: 0.5",
            "alpha: 1",
            (
                "11: sensitive.stage[2].alpha: no share is greater than 1, so it requires nothing; "
                "write one below 1, such as 0.5"
            ),
        ),
        (
            "sampling_fraction: 0.1",
            "sampling_fraction: 0",
            (
                "12: risk.sampling_fraction: a sample is a part of the population; "
                "write a number above 0 and at most 1, such as 0.1"
            ),
        ),
        (
            "sampling_fraction: 0.1",
            "sampling_fraction: 1.01",
            (
                "12: risk.sampling_fraction: a sample is a part of the population; "
                "write a number above 0 and at most 1, such as 0.1"
            ),
        ),
        (
            "highest: 0.05",
            "highest: 0",
            "12: risk.highest: no release is without risk; write a number above 0 and at most 1, such as 0.05",
        ),
        (
            "average: 0.01",
            "average: 1.5",
            "12: risk.average: no risk is greater than 1; write a number above 0 and at most 1, such as 0.05",
        ),
        ("highest", "higest", "12: risk.higest: there is no field 'higest' here; did you mean 'highest'?"),
        (
            "{age: 2, sex: 0.5}",
            "[age]",
            "13: search.weights: expected a mapping, not a list; write for example {age: 2, sex: 0.5}",
        ),
        (
            "age: 2,",
            "age: -2,",
            "13: search.weights.age: a weight is at least 0; write 0 for a column whose loss does not matter",
        ),
        (
            "age: 2,",
            "age: much,",
            "13: search.weights.age: expected a number, not the text 'much'; write for example 2",
        ),
        ("pseudonym: person", "pseudonym: ''", "14: release.pseudonym: is empty; write a name or take the field out"),
        (
            "objective: loss",
            "objective: prec_supressed_as_1",
            (
                "13: search.objective: the text 'prec_supressed_as_1' is not one of the choices; "
                "did you mean 'prec_suppressed_as_1'? write one of prec, prec_suppressed_as_1, height, loss, dm, "
                "dm_star, aecs, c_avg, entropy, entropy_ignoring_suppression, classes"
            ),
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    assert problems(old, new) == (f"request:{told}",)


LARGE = "is more than 1,000,000"
FINE = "has more than 12 decimals"
ENDS = {
    "Limit": (["0", "1", "0." + "9" * 100], {"-0.1": "at least 0", "1.1": "at most 1", "0." + "9" * 101: "100 digits"}),
    "Distance": (["0", "0." + "9" * 12], {"1": "below 1", "0." + "9" * 13: FINE}),
    "Alpha": (["1e-12", "0." + "9" * 12], {"0": "above 0", "1": "below 1", "1e-13": FINE}),
    "Multiple": (["1e-12", "1000000"], {"0": "above 0", "1000000.1": LARGE, "1e-13": FINE}),
    "Effective": (
        ["1.000000000001", "1000000"],
        {"1": "requires nothing", "1000000.1": LARGE, "1.0000000000001": FINE},
    ),
    "SamplingFraction": (["1e-13", "1"], {"0": "above 0", "1.1": "at most 1"}),
    "Risk": (["1e-13", "1"], {"0": "without risk", "1.1": "greater than 1"}),
    "Weight": (["0", "1e-12", "1000000"], {"-1": "at least 0", "1000000.1": LARGE, "1e-13": FINE}),
    "Importance": (["1e-12", "1000000"], {"0": "above 0", "1000000.1": LARGE, "1e-13": FINE}),
    "Gamma": (["0", "1e-12", "1000000"], {"-1": "at least 0", "1000000.1": LARGE, "1e-13": FINE}),
    "Divisor": (["1", "1000000"], {"0.9": "at least 1", "1000000.1": LARGE, "1.0000000000001": FINE}),
    "Seconds": (["1e-12", "86400"], {"0": "above 0", "86400.1": "86,400 seconds", "1e-13": FINE}),
    "Unit": (["1e-12", "1000000"], {"0": "above 0", "1000000.1": LARGE, "1e-13": FINE}),
    "Several": ([2, 10**6], {1: "requires nothing", 10**6 + 1: LARGE}),
    "Anchors": ([1, 62], {0: "1 to 62", 63: "1 to 62"}),
    "Seed": ([0, 2**32 - 1], {-1: "from 0", 2**32: "4,294,967,295"}),
    "Window": ([1, 10**6], {0: "at least 1", 10**6 + 1: LARGE}),
    "Rounds": ([0, 10**6], {-1: "at least 0", 10**6 + 1: LARGE}),
}
"""Of every kind of number: the ends of its range, and what is said of the next number beyond each."""


@pytest.mark.parametrize("name", ENDS)
def test_a_number_is_taken_to_the_ends_of_its_range_and_no_further(name: str):
    kind: TypeAdapter[object] = TypeAdapter(getattr(numbers, name))

    def read(value: str | int) -> object:
        return kind.validate_python(Decimal(value) if isinstance(value, str) else value)

    taken, refused = ENDS[name]
    assert [read(each) for each in taken] == [Decimal(each) for each in taken]
    for beyond, told in refused.items():
        with pytest.raises(ValidationError, match=told):
            read(beyond)


def test_a_model_written_over_several_lines_is_told_with_its_own_lines():
    models = "diagnosis:\n    - model: distinct_l\n      l: 1\n    - model: alpha_k\n      alpha: 2\n"
    told = problems("diagnosis: [{model: t_closeness, t: 0.2, distance: equal}, {model: distinct_l, l: 3}]\n", models)
    assert [each.split(": ")[:2] for each in told] == [
        ["request:10", "sensitive.diagnosis[0].l"],
        ["request:12", "sensitive.diagnosis[1].alpha"],
    ]


def test_mistakes_of_every_part_at_once():
    text = EXAMPLE.replace("limit: 0.05", "limit: -1").replace("l: 3}", "l: 1}").replace("t: 0.15", "t: 2")
    text = text.replace("average: 0.01", "average: 0").replace("age: 2,", "age: -2,")
    with pytest.raises(RequestError) as caught:
        read_request(text)
    assert [each.split(": ")[:2] for each in caught.value.problems] == [
        ["request:3", "suppression_limit"],
        ["request:8", "sensitive.diagnosis[1].l"],
        ["request:9", "sensitive.income[0].t"],
        ["request:12", "risk.average"],
        ["request:13", "search.weights.age"],
    ]


def test_how_much_may_be_asked_is_limited():
    many = "".join(f"  s{number}: [{{model: distinct_l, l: 2}}]\n" for number in range(21))
    told = problems("  income:", many + "  income:")
    assert told == ("request:7: sensitive: has more than 20 columns; list fewer sensitive attributes",)
    models = ", ".join(["{model: distinct_l, l: 2}"] * 11)
    told = problems("[{model: t_closeness, t: 0.15, distance: ordered}]", f"[{models}]")
    assert told == ("request:9: sensitive.income: has more than 10 models; list fewer",)


def test_hostile_column_names_are_names():
    names = ["q'uote", "distinct_l", "名前", "a.b", "model"]
    sensitive = {name: [{"model": "distinct_l", "l": 2}] for name in names}
    content = {"dataset": "d", "k": 2, "quasi_identifiers": {"a": {"hierarchy": "a"}}, "release": {"to": "x.csv"}}
    assert list(read_mapping({**content, "sensitive": sensitive}).request.sensitive) == names
    with pytest.raises(RequestError, match=r"request: sensitive\.distinct_l\[0\]\.l: an l of 1 or less"):
        read_mapping({**content, "sensitive": {"distinct_l": [{"model": "distinct_l", "l": 1}]}})


def test_a_request_written_out_is_read_as_the_same_request():
    request = read_request(EXAMPLE).request
    assert GeneralizationRequest.model_validate(request.model_dump(by_alias=True, exclude_unset=True)) == request
