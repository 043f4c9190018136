"""A request for microaggregation held against columns and hierarchies: what comes out, and every mistake."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ordermade.errors import RequestError
from ordermade.hierarchies.column_types import measured_as, type_in_words
from ordermade.lattice.lattice import LevelOrder
from ordermade.requests.read import of_microaggregation, read_request
from ordermade.requests.resolve_microaggregation import (
    ResolvedAttribute,
    ResolvedMicroaggregation,
    ResolvedWithin,
    resolve_microaggregation,
)
from tests.named import Named

COLUMNS = {
    "member_id": "BIGINT", "Income": "DECIMAL(18,2)", "age": "INTEGER", "job": "VARCHAR", "plan": "VARCHAR",
    "prefecture": "VARCHAR", "joined": "DATE", "count": "DOUBLE",
}  # fmt: skip
HIERARCHIES = {
    hierarchy.name: hierarchy
    for hierarchy in (
        Named("occupation", ["value", "kind", "*"]),
        Named("prefecture", ["value", "region", "*"]),
        Named("of dates", ["value", "*"], fits="DATE"),
        Named("nothing", ["*"]),
    )
}
REQUEST = """\
dataset: members
method: microaggregation
k: 5
attributes:
  income: {weight: 0.1}
  age: {}
  job: {hierarchy: occupation}
within: {prefecture: {hierarchy: prefecture, level: region}}
identifiers: [member_id]
keep: [plan]
where: AGE > 17
release: {to: out/members.parquet}
"""


def resolved(text: str, entity: str | None = None, **types: str) -> ResolvedMicroaggregation:
    read = of_microaggregation(read_request(text), "test")
    return resolve_microaggregation(read, COLUMNS | types, HIERARCHIES, entity)


def problems(old: str, new: str, entity: str | None = None, **types: str) -> list[str]:
    assert old in REQUEST
    with pytest.raises(RequestError) as caught:
        resolved(REQUEST.replace(old, new, 1), entity, **types)
    return list(caught.value.problems)


def test_columns_as_stored_and_levels_as_numbers():
    found = resolved(REQUEST)
    assert found.attributes == (
        ResolvedAttribute("Income", "DECIMAL(18,2)", Fraction(1, 10), None, "mean"),
        ResolvedAttribute("age", "INTEGER", Fraction(1), None, "mean"),
        ResolvedAttribute("job", "VARCHAR", Fraction(1), HIERARCHIES["occupation"], "mode"),
    )
    assert found.within == (ResolvedWithin("prefecture", "VARCHAR", HIERARCHIES["prefecture"], 1),)
    assert (found.identifiers, found.keep, found.filter_text) == (("member_id",), ("plan",), '"age" > 17')
    assert found.as_they_are == (("plan", ("keep",)),)


def test_what_replaces_values():
    text = REQUEST.replace("keep: [plan]", "microaggregation: {aggregate: median}").replace("level: region", "level: 0")
    found = resolved(text.replace("{hierarchy: occupation}", "{hierarchy: occupation, aggregate: ancestor}"))
    assert [each.aggregate for each in found.attributes] == ["median", "median", "ancestor"]
    assert found.as_they_are == (("prefecture", ("within", "prefecture")),)


@pytest.mark.parametrize(
    "column_type",
    [
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "FLOAT",
        "DOUBLE",
        "DECIMAL(18,9)",
        "DECIMAL(4,0)",
    ],
)
def test_numbers_are_attributes_by_themselves(column_type: str):
    assert resolved(REQUEST, age=column_type).attributes[1].column_type == column_type
    assert measured_as(column_type)


@pytest.mark.parametrize("column_type", ["VARCHAR", "DATE", "BOOLEAN", "INTEGER[]", "STRUCT(a INTEGER)", "UUID"])
def test_others_need_a_hierarchy(column_type: str):
    assert problems("where: AGE > 17\n", "", age=column_type) == [
        (
            f"request:6: attributes.age: the column 'age' is a {type_in_words(column_type)}, and only numbers are "
            "near each other by themselves; cast it to a number in a dataset query, or name a hierarchy (job: "
            "{hierarchy: occupation})"
        )
    ]


def test_the_labels_of_an_enum_are_not_told():
    (told,) = problems("where: AGE > 17\n", "", age="ENUM('young', 'old')")
    assert "is a text, and" in told
    assert "young" not in told


@pytest.mark.parametrize("column_type", ["HUGEINT", "UHUGEINT", "UBIGINT", "DECIMAL(19,2)", "DECIMAL(38,0)"])
def test_numbers_of_too_many_digits(column_type: str):
    assert measured_as(column_type) is None
    assert problems("where: AGE > 17\n", "", age=column_type) == [
        (
            "request:6: attributes.age: the column 'age' is a number, which has more digits than can be "
            "microaggregated exactly; cast it in a dataset query, to BIGINT, DECIMAL(18, 2) or DOUBLE, or name a "
            "hierarchy"
        )
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  age: {}", "  ages: {}", "6: attributes.ages: there is no column 'ages'; did you mean 'age'?"),
        (
            "  age: {}",
            "  Age: {}\n  AGE: {}",
            "7: attributes.AGE: the column 'age' is named twice; name it in one place",
        ),
        (
            "{prefecture: {",
            "{age: {",
            "8: within.age: the column 'age' is named as one of attributes too; name it in one place",
        ),
        ("[plan]", "[age]", "10: keep[0]: the column 'age' is named as one of attributes too; name it in one place"),
        (
            "[member_id]",
            "[prefecture]",
            "9: identifiers[0]: the column 'prefecture' is named as one of within too; name it in one place",
        ),
        (
            "{hierarchy: occupation}",
            "{hierarchy: ocupation}",
            (
                "7: attributes.job.hierarchy: there is no hierarchy 'ocupation'; did you mean 'occupation'? Register "
                "it with `hierarchy add`; `hierarchy suggest` drafts one"
            ),
        ),
        (
            "{hierarchy: occupation}",
            "{hierarchy: of dates}",
            (
                "7: attributes.job.hierarchy: the hierarchy 'of dates' does not fit the column: it needs DATE, not "
                "VARCHAR; name a hierarchy that fits the column's type"
            ),
        ),
        (
            "{hierarchy: occupation}",
            "{hierarchy: nothing}",
            (
                "7: attributes.job.hierarchy: the hierarchy 'nothing' has no level below `*`, so all values are as "
                "near; name a hierarchy with more levels, or leave out the attribute"
            ),
        ),
        (
            "level: region",
            "level: 3",
            ("8: within.prefecture.level: there is no level 3; 'prefecture' has levels 0 value, 1 region, 2 *"),
        ),
        (
            "keep: [plan]",
            "microaggregation: {algorithm: optimal}",
            (
                "10: microaggregation.algorithm: the algorithm optimal takes one attribute, not 3; write one of auto, "
                "mdav, vmdav, npn, fdh"
            ),
        ),
        (
            "out/members.parquet",
            "out/members.parquet, pseudonym: person",
            (
                "12: release.pseudonym: microaggregation groups rows and not persons, so nobody has a "
                "pseudonym; take pseudonym out"
            ),
        ),
        (
            "out/members.parquet",
            "out/members.parquet, shape: table",
            (
                "10: keep: a statistical table has one row a group, so no column is kept as it is; take keep out, or "
                "write shape: rows"
            ),
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    assert problems(old, new) == [f"request:{told}"]


def test_a_statistical_table_has_a_count_of_its_own():
    text = REQUEST.replace("parquet}", "parquet, shape: table}").replace("keep: [plan]\n", "")
    assert resolved(text).request.release.shape == "table"
    with pytest.raises(RequestError, match=r"attributes\.count: a statistical table has a column `count` of its own"):
        resolved(text.replace("  age: {}", "  count: {}"))


@pytest.mark.parametrize("algorithm", ["optimal", "mdav-mil", "vmdav-mil"])
def test_algorithms_for_one_numeric_attribute(algorithm: str):
    head = "dataset: d\nmethod: microaggregation\nk: 2\nrelease: {to: x.csv}\n"
    text = f"{head}microaggregation: {{algorithm: {algorithm}}}\nattributes: "
    assert resolved(text + "{age: }").request.microaggregation.algorithm == algorithm
    with pytest.raises(RequestError, match=f"{algorithm} takes a numeric attribute, not one with a hierarchy"):
        resolved(text + "{job: {hierarchy: occupation}}")


def test_levels_of_a_distance_nest_but_those_of_within_need_not():
    apart = LevelOrder(
        (
            (True, True, True, True),
            (False, True, False, True),
            (False, False, True, True),
            (False, False, False, True),
        )
    )
    parallel = Named("parallel", ["value", "five", "seven", "*"], order=apart)
    read = of_microaggregation(
        read_request(
            REQUEST.replace(
                "prefecture: {hierarchy: prefecture, level: region", "prefecture: {hierarchy: parallel, level: seven"
            )
        ),
        "test",
    )
    found = resolve_microaggregation(read, COLUMNS, HIERARCHIES | {"parallel": parallel})
    assert found.within[0].level == 2
    with pytest.raises(RequestError, match="the levels of the hierarchy 'occupation' do not nest, so it measures no"):
        resolve_microaggregation(read, COLUMNS, {"parallel": parallel, "occupation": parallel})


def test_persons_are_not_microaggregated():
    told = problems("keep: [plan]", "keep: [plan]", entity="member_id")
    assert told == [
        (
            "request:1: dataset: the column 'member_id' identifies persons, so k would count persons, and "
            "microaggregation groups rows; use a dataset query with one row a person, registered without --entity"
        )
    ]


def test_mistakes_of_every_part_at_once():
    text = REQUEST.replace("weight: 0.1", "hierarchy: none").replace("level: region", "level: town")
    text = text.replace("keep: [plan]", "keep: [plans]").replace("AGE > 17", "AGES > 17")
    with pytest.raises(RequestError) as caught:
        resolved(text)
    assert [each.split(": ")[:2] for each in caught.value.problems] == [
        ["request:5", "attributes.income.hierarchy"],
        ["request:8", "within.prefecture.level"],
        ["request:10", "keep[0]"],
        ["request:11", "where"],
    ]
