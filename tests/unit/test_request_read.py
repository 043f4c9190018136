"""The request file: what is read, and every mistake told with its line and what to write instead."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from ordermade.errors import RequestError
from ordermade.requests.model import InlineDataset, SourceTable
from ordermade.requests.read import as_json, exact_json, read_mapping, read_request, scalar
from ordermade.requests.written import as_yaml

EXAMPLE = """\
title: Members by sex, age and prefecture
dataset: members
where: "joined >= DATE '2013-10-01'"
k: 50
quasi_identifiers:                                  # their order is the priority that breaks ties
  sex:        {hierarchy: sex}
  age:        {hierarchy: age, from: 1, to: 4}      # what the user accepts; level numbers or names
  prefecture: {hierarchy: prefecture}
identifiers: [member_id, name]                      # never released
keep: [plan]                                        # released as they are
search: {algorithm: ola, objective: prec}
release: {to: out/members.parquet, shape: rows}     # .parquet .csv .csv.gz, or {table: name}
"""


def changed(old: str, new: str) -> str:
    assert old in EXAMPLE
    return EXAMPLE.replace(old, new, 1)


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(RequestError) as caught:
        read_request(text)
    for problem in caught.value.problems:
        assert problem in str(caught.value)
    return caught.value.problems


def test_the_example_is_read_with_its_lines():
    read = read_request(EXAMPLE)
    request = read.request
    assert request.dataset == "members"
    assert request.k == 50
    assert list(request.quasi_identifiers) == ["sex", "age", "prefecture"]
    assert request.quasi_identifiers["age"].from_level == 1
    assert request.quasi_identifiers["age"].to_level == 4
    assert request.quasi_identifiers["sex"].from_level == 0
    assert request.quasi_identifiers["sex"].to_level is None
    assert request.identifiers == ("member_id", "name")
    assert request.search.algorithm == "ola"
    assert request.release.to == "out/members.parquet"
    assert read.text == EXAMPLE
    assert read.path is None
    assert read.lines["quasi_identifiers.age.from"] == 7
    assert read.lines["keep[0]"] == 10
    assert read.line(("search", "objective")) == 11
    assert read.line(("quasi_identifiers", "sex", "to")) == 6


def test_defaults_and_the_other_forms():
    text = """\
dataset: {source: shop, query: SELECT 1 AS age}
k: 2
quasi_identifiers: {age: {hierarchy: age, from: '5 years'}}
release: {to: {table: released}}
"""
    request = read_request(text).request
    assert request.dataset == InlineDataset(source="shop", query="SELECT 1 AS age")
    assert request.release.to == SourceTable(table="released")
    assert request.release.shape == "rows"
    assert request.title == ""
    assert request.where is None
    assert request.search.algorithm is None
    assert request.search.objective == "prec"
    assert request.quasi_identifiers["age"].from_level == "5 years"


def test_a_request_is_frozen():
    request = read_request(EXAMPLE).request
    with pytest.raises(ValueError, match="frozen"):
        request.k = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("k: 1", "k of 1 protects nobody; write a whole number of at least 2, such as 50"),
        ("k: 0", "k must be at least 2; write a whole number of at least 2, such as 50"),
        ("k: -7", "k must be at least 2; write a whole number of at least 2, such as 50"),
        ('k: "50"', "expected a whole number, not the text '50'; write 50 without quotes"),
        ("k: fifty", "expected a whole number, not the text 'fifty'; write for example 50"),
        ("k: 010", "expected a whole number, not the text '010'; write 10 without quotes"),
        ("k: 50.0", "expected a whole number, not 50.0; write 50"),
        ("k: .nan", "expected a whole number, not nan; write for example 50"),
        ("k: true", "expected a whole number, not true; write for example 50"),
        ("k:", "expected a whole number, not nothing; write for example 50"),
        ("k: [2]", "expected a whole number, not a list; write for example 50"),
        ("k: 1000000000001", "k is larger than any table, at most 1,000,000,000,000; write a smaller k"),
        ("k: " + "9" * 9000, "k is larger than any table, at most 1,000,000,000,000; write a smaller k"),
    ],
)
def test_a_wrong_k(written: str, told: str):
    assert problems(changed("k: 50", written)) == (f"request:4: k: {told}",)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[plan]", "plan", "10: keep: expected a list, not the text 'plan'; write [plan]"),
        ("[plan]", "[1]", "10: keep[0]: expected a text, not 1; write it in quotes: '1'"),
        ("[plan]", "['']", "10: keep[0]: is empty; write a name or take the field out"),
        (
            "{hierarchy: sex}",
            "sex",
            "6: quasi_identifiers.sex: expected a mapping, not the text 'sex'; write {hierarchy: sex}",
        ),
        (
            "from: 1",
            "from: 1.5",
            (
                "7: quasi_identifiers.age.from: expected the number or name of a level, not 1.5; "
                "write for example 1 or decade"
            ),
        ),
        (
            "from: 1",
            "from: true",
            (
                "7: quasi_identifiers.age.from: expected the number or name of a level, not true; "
                "write for example 1 or decade"
            ),
        ),
        (
            "algorithm: ola",
            "algorithm: olla",
            (
                "11: search.algorithm: the text 'olla' is not one of the choices; did you mean 'ola'? "
                "write one of exhaustive, guided, hitting-set, incognito, ola, pak, paper-incognito, paper-ola, "
                "paper-pak"
            ),
        ),
        (
            "shape: rows",
            "shape: no",
            "12: release.shape: the text 'no' is not one of the choices; write one of rows, table",
        ),
        (
            "out/members.parquet",
            "out/members.ods",
            (
                "12: release.to: of workbooks only .xlsx is written, which LibreOffice opens, too; "
                "write a path such as out/members.xlsx"
            ),
        ),
        (
            "out/members.parquet",
            "out/members.json",
            (
                "12: release.to: a release is written to a .parquet, .csv, .csv.gz or .xlsx file; "
                "write a path such as out/release.parquet, or {table: name} for a table of the source"
            ),
        ),
        (
            "dataset: members",
            "dataset: {source: shop}",
            (
                "2: dataset: an inline dataset is one table or one query; "
                "write {source: NAME, table: TABLE} or {source: NAME, query: SELECT …}"
            ),
        ),
        ("dataset: members", "dataset: 3", "2: dataset: expected a text, not 3; write it in quotes: '3'"),
        ("keep:", "kep:", "10: kep: there is no field 'kep' here; did you mean 'keep'?"),
        ("dataset: members\n", "", "1: dataset: is missing; write for example dataset: members"),
    ],
)
def test_a_wrong_field(old: str, new: str, told: str):
    assert problems(changed(old, new)) == (f"request:{told}",)


def test_all_mistakes_at_once_in_the_order_of_their_lines():
    text = changed("k: 50", "k: 1").replace("hierarchy: sex", "hierarchi: sex").replace("[plan]", "plan")
    assert problems(text) == (
        "request:4: k: k of 1 protects nobody; write a whole number of at least 2, such as 50",
        "request:6: quasi_identifiers.sex.hierarchy: is missing; write for example hierarchy: age",
        ("request:6: quasi_identifiers.sex.hierarchi: there is no field 'hierarchi' here; did you mean 'hierarchy'?"),
        "request:10: keep: expected a list, not the text 'plan'; write [plan]",
    )


@pytest.mark.slow
def test_thousands_of_mistakes_are_counted_and_not_all_told():
    told = problems("".join(f"field{number}: 1\n" for number in range(3000)))
    assert len(told) == 51
    assert told[-1] == "request: and 2,954 more mistakes; correct these first"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "title: M",
            "title: !!python/object M",
            "1: title: the tag '!!python/object' is not allowed; take it out",
        ),
        ("k: 50", "k: !!int 50", "4: k: the tag '!!int' is not allowed; take it out"),
        ("[plan]", "!own [plan]", "10: keep: the tag '!own' is not allowed; take it out"),
        ("title: M", "title: &a M", "1: title: the anchor &a is not allowed; take it out"),
        ("[plan]", "*a", "10: keep: the alias *a is not allowed; write the value out"),
        ("keep:", "k: 3\nkeep:", "10: k: is given twice, first on line 4; keep one of the two"),
        ("keep:", "? [a]\n: 3\nkeep:", "10: a key must be a plain text; write name: value"),
        ("release:", "---\nrelease:", "12: a second document starts here; keep one document a file"),
        (
            "[plan]",
            "[plan",
            ("11: this is not YAML: expected ',' or ']', but got '<scalar>'; check the indent, colons and quotes here"),
        ),
        (
            "title: M",
            "title: \0M",
            (
                "1: the text holds a character that YAML does not allow, "
                "such as NUL or another control character; "
                "take it out"
            ),
        ),
    ],
)
def test_what_yaml_may_not_hold(old: str, new: str, told: str):
    assert problems(changed(old, new)) == (f"request:{told}",)


def test_a_yaml_bomb_is_refused_before_anything_is_expanded():
    rows = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    told = problems("\n".join(rows))
    assert told[0] == "request:1: a0: the anchor &a0 is not allowed; take it out"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the request is empty"),
        ("# nothing but a comment", "the request is empty"),
        ("- a\n- b\n", "a request is a mapping of fields"),
        ("just a text", "a request is a mapping of fields"),
        ("[" * 100_000, "nested too deeply"),
        ("a: " * 100_000, "this is not YAML"),
        ('title: "\\UFFFFFFFF"', "an escape or directive cannot be read"),
        ('title: "\\ud800"', "half a character"),
        ("%YAML " + "1" * 5000 + ".1\n---\na: b", "an escape or directive cannot be read"),
        ("title: " + "x" * 1_048_576, "larger than 1 MiB"),
    ],
)
def test_what_is_no_request_at_all(text: str, told: str):
    with pytest.raises(RequestError, match=told):
        read_request(text)


def test_a_request_may_be_nested_sixteen_deep_before_that_is_its_mistake():
    """No request needs as much; what is less deep is told for what it is instead."""
    assert "there is no field 'deep' here" in problems(f"deep: {'[' * 15}{']' * 15}")[-1]
    (told,) = problems(f"deep: {'[' * 16}{']' * 16}")
    assert "nested too deeply; write at most four levels" in told


def test_words_that_older_yaml_takes_for_booleans_stay_names():
    text = changed("  sex: ", "  no: ").replace("[plan]", "[on, yes, off, 2013-10-01, 1_000, 0x1F]")
    request = read_request(text).request
    assert "no" in request.quasi_identifiers
    assert request.keep == ("on", "yes", "off", "2013-10-01", "1_000", "0x1F")


def test_hostile_names_are_names():
    names = ["q\"uote'", "semi;colon", "名前", "select", "a.b", "true", "2020", "~"]
    keys = "".join(f"  {key}: {{hierarchy: h}}\n" for key in ("true", "2020", "~", "'a.b'", "名前"))
    text = changed("  sex:        {hierarchy: sex}\n", keys)
    request = read_request(text).request
    assert list(request.quasi_identifiers)[:5] == ["true", "2020", "~", "a.b", "名前"]
    listed = read_request(changed("[plan]", json.dumps(names, ensure_ascii=False))).request.keep
    assert list(listed) == names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("null", None),
        ("TRUE", True),
        ("no", "no"),
        ("12", 12),
        ("-3", -3),
        ("012", "012"),
        ("1e3", Decimal(1000)),
        ("1.", Decimal(1)),
        ("-.inf", Decimal("-inf")),
        ("1_0", "1_0"),
        ("0x10", "0x10"),
        ("2013-10-01", "2013-10-01"),
    ],
)
def test_plain_scalars(text: str, value: object):
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


def test_files(tmp_path: Path):
    file = tmp_path / "request.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.encode())
    read = read_request(file)
    assert read.request.k == 50
    assert read.path == file

    with pytest.raises(RequestError, match=r"reqest\.yaml: there is no such file\. Did you mean 'request\.yaml'\?"):
        read_request(tmp_path / "reqest.yaml")
    with pytest.raises(RequestError, match=r"there is no such file\. Check the folder's name"):
        read_request(tmp_path / "nowhere" / "request.yaml")
    with pytest.raises(RequestError, match="this is a folder, not a request file"):
        read_request(tmp_path)
    file.write_bytes(changed("title: M", "title: 会員 M").encode("cp932"))
    with pytest.raises(RequestError, match=r"request\.yaml:1: the text is not UTF-8; save the file as UTF-8"):
        read_request(file)
    file.write_bytes(EXAMPLE.encode("utf-16"))
    with pytest.raises(RequestError, match="the text is not UTF-8"):
        read_request(file)
    file.write_text(changed("k: 50", "k: 1"), encoding="utf-8")
    with pytest.raises(RequestError, match=rf"{file}:4: k: k of 1 protects nobody"):
        read_request(file)
    file.write_bytes(b"#" + "会".encode() * 400_000)
    with pytest.raises(RequestError, match="larger than 1 MiB"):
        read_request(file)


def test_the_exit_status_is_that_of_malformed_input():
    with pytest.raises(RequestError) as caught:
        read_request("k: 1")
    assert caught.value.exit_status == 2


def test_a_request_that_a_program_made_is_written_as_it_reads() -> None:
    content = {
        "title": 'Mitglieder ¾ \N{SMILING FACE WITH SMILING EYES} "quoted": yes',
        "dataset": "members",
        "k": 5,
        "suppression_limit": Decimal("0.12345678901234567890"),
        "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age", "from": "5 years"}},
        "release": {"to": "members.csv"},
    }
    request = read_mapping(content).request
    for text in (as_json(request), as_yaml(request)):
        assert read_request(text + "\n").request == request
    assert as_yaml(request).splitlines()[-1] == "method: generalization"


def test_equal_contents_have_one_canonical_text() -> None:
    one, other = {"b": [Decimal("0.10"), None], "a": {"y": True, "x": "é"}}, {"a": {"x": "é", "y": True}}
    assert exact_json(one, canonical=True) == '{"a":{"x":"é","y":true},"b":[0.1,null]}'
    assert exact_json(one) == '{"b": [0.1, null], "a": {"y": true, "x": "é"}}'
    assert exact_json({**other, "b": (Decimal("0.1"), None)}, canonical=True) == exact_json(one, canonical=True)
