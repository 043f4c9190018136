"""The hash of a request and the JSON Schema of the request file."""

from __future__ import annotations

import json

import pytest

from ordermade.requests.identity import request_hash
from ordermade.requests.read import read_request
from ordermade.requests.reference import request_reference
from ordermade.requests.schema import json_schema
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
        ("k: 50", "k: 50\nkeep: []\nsearch: {objective: prec}"),
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


def test_the_schema_describes_every_key_of_the_example():
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert json.loads(json.dumps(schema)) == schema
    assert set(schema["required"]) == {"dataset", "k", "quasi_identifiers", "release"}
    assert set(schema["properties"]) == {
        "title",
        "dataset",
        "where",
        "k",
        "quasi_identifiers",
        "identifiers",
        "keep",
        "suppression_limit",
        "withheld",
        "recoding",
        "sensitive",
        "risk",
        "search",
        "release",
    }
    assert schema["additionalProperties"] is False
    k = schema["properties"]["k"]
    assert (k["type"], k["minimum"], k["maximum"]) == ("integer", 2, 10**12)
    parts = schema["$defs"]
    assert set(parts["QuasiIdentifier"]["properties"]) == {"hierarchy", "from", "to"}
    assert {each.get("type") for each in parts["QuasiIdentifier"]["properties"]["from"]["anyOf"]} == {
        "integer",
        "string",
    }
    assert parts["Release"]["properties"]["shape"]["enum"] == ["rows", "table"]
    assert "divisions" in parts["Search"]["properties"]["objective"]["enum"]
    qis = schema["properties"]["quasi_identifiers"]
    assert (qis["minProperties"], qis["maxProperties"]) == (1, 60)
    assert schema["properties"]["keep"]["items"]["type"] == "string"


def test_every_key_is_described():
    schema = json_schema()
    for part in (schema, *schema["$defs"].values()):
        assert part["description"]
        assert part["additionalProperties"] is False
        for name, field in part["properties"].items():
            assert field["description"], name


def test_the_reference_page_is_what_the_code_says():
    page = (REPOSITORY / "docs" / "reference" / "request.md").read_text(encoding="utf-8")
    assert request_reference() in page
