"""The hash of a request and the JSON Schema of the request file."""

from __future__ import annotations

import json

import pytest

from ordermade.errors import RequestError
from ordermade.methods.microaggregation.algorithm.methods import METHODS
from ordermade.requests.read import read_request
from ordermade.requests.resolving import request_hash
from ordermade.requests.schema import json_schema, request_reference
from tests.conftest import REPOSITORY

REQUEST = """\
title: First
dataset: members
where: a = 1
k: 50
quasi_identifiers:
  sex: {hierarchy: sex}
  age: {hierarchy: age, from: 1}
identifiers: [member_id, name]
release: {to: out/members.parquet}
"""


def hashed(old: str = "", new: str = "") -> str:
    assert old in REQUEST
    return request_hash(read_request(REQUEST.replace(old, new, 1)).request)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: First", "title: Second"),
        ("title: First\n", ""),
        ("out/members.parquet", "elsewhere.csv"),
        ("out/members.parquet", "{table: released}"),
        ("parquet}", "parquet, shape: rows}"),
        ("[member_id, name]", "[name, member_id]"),
        ("where: a = 1", "where: ' a = 1 '"),
        ("{hierarchy: sex}", "{hierarchy: sex, from: 0}"),
        ("k: 50", "k: 50\nkeep: []\nsearch: {objective: prec}\nmethod: generalization"),
        (
            "k: 50",
            "k: 50\nsuppression_limit: 0.0\nsuppressed: drop\nrecoding: full-domain\nsensitive: {}",
        ),
        (
            "k: 50",
            "k: 50\nsearch: {weights: {}}",
        ),
    ],
)
def test_what_does_not_change_a_request(old: str, new: str):
    assert hashed(old, new) == hashed()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dataset: members", "dataset: others"),
        ("dataset: members", "dataset: {source: s, table: members}"),
        ("k: 50", "k: 51"),
        ("where: a = 1", "where: a = 2"),
        ("where: a = 1\n", ""),
        ("from: 1", "from: 2"),
        ("parquet}", "parquet, shape: table}"),
        ("[member_id, name]", "[member_id]"),
        (
            "  sex: {hierarchy: sex}\n  age: {hierarchy: age, from: 1}",
            "  age: {hierarchy: age, from: 1}\n  sex: {hierarchy: sex}",
        ),
        ("k: 50", "k: 50\nkeep: [plan]"),
        ("k: 50", "k: 50\nsearch: {algorithm: ola}"),
        ("k: 50", "k: 50\nsuppression_limit: 0.05"),
        ("k: 50", "k: 50\nsuppressed: star"),
        ("k: 50", "k: 50\nrecoding: local"),
        ("k: 50", "k: 50\nsensitive: {plan: [{model: distinct_l, l: 2}]}"),
        ("k: 50", "k: 50\nrisk: {highest: 0.05}"),
        ("k: 50", "k: 50\nsearch: {weights: {age: 2}}"),
        ("parquet}", "parquet, pseudonym: person}"),
        ("dataset: members", "dataset: {source: s, table: members, entity: member_id}"),
    ],
)
def test_what_makes_another_request(old: str, new: str):
    assert hashed(old, new) != hashed()


def test_the_hash_is_a_sha256_that_stays():
    request = read_request(REQUEST).request
    assert request_hash(request) == "c0f798bf3e8faf496deba968933fdb5d96306fc370a9adabf0c582d2677fd9a3"
    one, other = (read_request(REQUEST.replace("a = 1", text)).request for text in ("a = 1", "A  =  1"))
    assert request_hash(one) != request_hash(other)
    assert request_hash(one, '"a" = 1') == request_hash(other, '"a" = 1')


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("suppression_limit: 0.05", "suppression_limit: 0.050", True),
        ("suppression_limit: 0.05", "suppression_limit: 5e-2", True),
        ("suppression_limit: 0.05", "suppression_limit: 0.051", False),
        (
            "sensitive: {a: [{model: entropy_l, l: 2.50}]}",
            "sensitive: {a: [{l: 2.5, model: entropy_l}]}",
            True,
        ),
        (
            "sensitive: {a: [{model: entropy_l, l: 2}, {model: distinct_l, l: 2}]}",
            "sensitive: {a: [{model: distinct_l, l: 2}, {model: entropy_l, l: 2}]}",
            True,
        ),
        (
            "sensitive: {a: [{model: distinct_l, l: 2}], b: [{model: distinct_l, l: 2}]}",
            "sensitive: {b: [{model: distinct_l, l: 2}], a: [{model: distinct_l, l: 2}]}",
            False,
        ),
        ("search: {weights: {age: 2, sex: 1}}", "search: {weights: {sex: 1.0, age: 2.0}}", True),
        ("risk: {highest: 0.5}", "risk: {highest: 0.5, sampling_fraction: 1}", True),
    ],
)
def test_what_is_asked_counts_and_not_its_spelling(one: str, other: str, same: bool):
    assert (hashed("k: 50", f"k: 50\n{one}") == hashed("k: 50", f"k: 50\n{other}")) is same


EARLIER = """\
dataset: members
k: 5
suppression_limit: 0.05
withheld: star
quasi_identifiers: {age: {hierarchy: age}}
release: {to: out.csv}
"""
"""A request in the words that it could be written in once."""


def test_an_earlier_key_is_read_and_is_the_same_request():
    read, earlier = read_request(EARLIER.replace("withheld", "suppressed")), read_request(EARLIER)
    assert earlier.request == read.request
    assert earlier.line(("suppressed",)) == 4
    # As the state of earlier requests has it.
    noted = "cd1b3b19d583988660379db672c8c71e36eae7a1b1308d6318a2761cfe98ca6a"
    assert request_hash(read.request) == request_hash(earlier.request) == noted


def test_a_key_and_its_earlier_name_are_not_read_together():
    with pytest.raises(RequestError, match="request:5: withheld: there is no field 'withheld' here"):
        read_request(EARLIER.replace("withheld: star", "suppressed: star\nwithheld: star"))


SHARED = {"title", "dataset", "where", "method", "k", "allow_identifying", "identifiers", "keep", "release"}


def test_the_schema_describes_every_key_of_the_example():
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(schema)) == schema
    parts = schema["$defs"]
    request = parts["GeneralizationRequest"]
    assert set(request["required"]) == {"dataset", "k", "quasi_identifiers", "release"}
    assert set(request["properties"]) == SHARED | {
        "quasi_identifiers",
        "suppression_limit",
        "suppressed",
        "recoding",
        "sensitive",
        "risk",
        "search",
    }
    k = request["properties"]["k"]
    assert (k["type"], k["minimum"], k["maximum"]) == ("integer", 2, 10**12)
    assert set(parts["QuasiIdentifier"]["properties"]) == {"hierarchy", "from", "to", "missing"}
    assert {each.get("type") for each in parts["QuasiIdentifier"]["properties"]["from"]["anyOf"]} == {
        "integer",
        "string",
    }
    assert parts["Release"]["properties"]["shape"]["enum"] == ["rows", "table"]
    assert "classes" in parts["Search"]["properties"]["objective"]["enum"]
    qis = request["properties"]["quasi_identifiers"]
    assert (qis["minProperties"], qis["maxProperties"]) == (1, 60)
    assert request["properties"]["keep"]["items"]["type"] == "string"
    limit = request["properties"]["suppression_limit"]
    assert (limit["type"], limit["minimum"], limit["maximum"], limit["default"]) == ("number", 0, 1, 0)
    told_apart = request["properties"]["sensitive"]["additionalProperties"]["items"]["discriminator"]
    assert told_apart["propertyName"] == "model"
    assert set(told_apart["mapping"]) == {"distinct_l", "entropy_l", "recursive_cl", "t_closeness", "alpha_k"}
    assert parts["TClosenessModel"]["required"] == ["model", "t", "distance"]


def test_the_schema_of_a_request_depends_on_its_method():
    schema = json_schema()
    methods = ["generalization", "microaggregation", "mondrian", "history", "table"]
    assert schema["properties"]["method"]["enum"] == methods
    assert schema["then"] == {"$ref": "#/$defs/TableRequest"}
    named, implied = schema["if"]["anyOf"]
    assert named == {"properties": {"method": {"const": "table"}}, "required": ["method"]}
    assert implied["not"] == {"required": ["method"]}
    found = schema["else"]
    for method, kind in (("history", "History"), ("mondrian", "Mondrian"), ("microaggregation", "Microaggregation")):
        assert found["if"] == {"properties": {"method": {"const": method}}, "required": ["method"]}
        assert found["then"] == {"$ref": f"#/$defs/{kind}Request"}
        found = found["else"]
    assert found == {"$ref": "#/$defs/GeneralizationRequest"}
    parts = schema["$defs"]
    request = parts["MicroaggregationRequest"]
    assert set(request["required"]) == {"dataset", "method", "k", "attributes", "release"}
    assert set(request["properties"]) == SHARED | {"attributes", "microaggregation", "within"}
    bare = {"type": "null"}
    assert bare in request["properties"]["attributes"]["additionalProperties"]["anyOf"]
    options = parts["Microaggregation"]["properties"]
    assert options["algorithm"]["enum"] == list(METHODS)
    assert (options["gamma"]["minimum"], options["gamma"]["default"]) == (0, 0.2)
    assert (options["anchors"]["minimum"], options["anchors"]["maximum"]) == (1, 62)
    assert parts["AttributeOptions"]["properties"]["weight"]["exclusiveMinimum"] == 0
    assert parts["Within"]["required"] == ["hierarchy", "level"]
    request = parts["MondrianRequest"]
    assert set(request["required"]) == {"dataset", "method", "k", "quasi_identifiers", "release"}
    assert set(request["properties"]) == SHARED | {"quasi_identifiers", "sensitive", "mondrian"}
    assert bare in request["properties"]["quasi_identifiers"]["additionalProperties"]["anyOf"]
    assert set(parts["SplitOptions"]["properties"]) == {"hierarchy", "from"}
    options = parts["Mondrian"]["properties"]
    assert options["split"]["enum"] == ["prec", "width", "tf-idf", "information-gain"]
    assert {name for name, option in options.items() if option["default"] is None} == {"target", "rules"}
    request = parts["HistoryRequest"]
    assert set(request["required"]) == {"dataset", "method", "k", "history", "release"}
    assert set(request["properties"]) == SHARED | {"history"}
    history = parts["History"]
    assert set(history["required"]) == {"customer", "when", "item"}
    assert {each["type"] for each in history["properties"]["numbers"]["oneOf"]} == {"array", "object"}
    assert parts["NumberOptions"]["properties"]["unit"]["anyOf"][0]["exclusiveMinimum"] == 0


def test_every_key_is_described():
    for part in json_schema()["$defs"].values():
        assert part["description"]
        assert part["additionalProperties"] is False
        for name, field in part["properties"].items():
            assert field["description"], name


def test_the_reference_page_is_what_the_code_says():
    page = (REPOSITORY / "docs" / "reference" / "request.md").read_text(encoding="utf-8")
    assert request_reference() in page
