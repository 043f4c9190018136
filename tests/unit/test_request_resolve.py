"""A request held against columns and hierarchies: what comes out, and every mistake with its line."""

from __future__ import annotations

import json

import pytest

from ordermade.errors import RequestError
from ordermade.lattice.lattice import LevelOrder
from ordermade.requests.read import read_request
from ordermade.requests.resolve_generalization import Resolved, resolve
from tests.named import Named

COLUMNS = {
    "member_id": "BIGINT", "name": "VARCHAR", "sex": "VARCHAR", "Age": "INTEGER", "prefecture": "VARCHAR",
    "plan": "VARCHAR", "joined": "DATE", "Town": "VARCHAR", "TOWN": "VARCHAR",
}  # fmt: skip
HIERARCHIES = {
    hierarchy.name: hierarchy
    for hierarchy in (
        Named("sex", ["value", "*"]),
        Named("age", ["value", "5 years", "decade", "half", "*"], fits="INTEGER"),
        Named("prefecture", ["value", "region", "*"]),
        Named("long", [f"level {number}" for number in range(30)]),
    )
}
REQUEST = """\
dataset: members
k: 50
quasi_identifiers:
  sex: {hierarchy: sex}
  age: {hierarchy: age, from: 1, to: half}
  prefecture: {hierarchy: prefecture, from: region}
identifiers: [member_id, NAME]
keep: [plan]
where: JOINED >= DATE '2013-10-01' and age > 17
release: {to: out/members.parquet}
"""


def resolved(text: str) -> Resolved:
    return resolve(read_request(text), COLUMNS, HIERARCHIES)


def problems(old: str, new: str) -> list[str]:
    assert old in REQUEST
    with pytest.raises(RequestError) as caught:
        resolved(REQUEST.replace(old, new, 1))
    return list(caught.value.problems)


def test_columns_as_stored_and_levels_as_numbers():
    found = resolved(REQUEST)
    assert [(qi.column, qi.column_type, qi.accepted, qi.base) for qi in found.qis] == [
        ("sex", "VARCHAR", (0, 1), 0),
        ("Age", "INTEGER", (1, 2, 3), 1),
        ("prefecture", "VARCHAR", (1, 2), 1),
    ]
    assert [axis.column for axis in found.lattice.axes] == ["sex", "Age", "prefecture"]
    assert found.lattice.size == 12
    assert found.identifiers == ("member_id", "name")
    assert found.keep == ("plan",)
    assert found.filter_text == '"joined" >= CAST(\'2013-10-01\' AS DATE) AND "Age" > 17'
    assert found.filter is not None
    assert found.request.k == 50


def test_no_filter_is_no_tree():
    found = resolved(REQUEST.replace("where: JOINED >= DATE '2013-10-01' and age > 17\n", ""))
    assert found.filter is None
    assert found.filter_text is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "  sex:",
            "  sx:",
            "4: quasi_identifiers.sx: there is no column 'sx'; did you mean 'sex'?",
        ),
        (
            "[plan]",
            "[plam]",
            "8: keep[0]: there is no column 'plam'; did you mean 'plan'?",
        ),
        (
            "member_id,",
            "membre_id,",
            "7: identifiers[0]: there is no column 'membre_id'; did you mean 'member_id'?",
        ),
        (
            "[plan]",
            "[town]",
            (
                "8: keep[0]: 'town' may be any of the columns 'Town', 'TOWN'; "
                "write the name with the same capitals as the column"
            ),
        ),
        (
            "hierarchy: sex",
            "hierarchy: sexe",
            (
                "4: quasi_identifiers.sex.hierarchy: there is no hierarchy 'sexe'; "
                "did you mean 'sex'? Register it with `hierarchy add`; `hierarchy suggest` drafts one"
            ),
        ),
        (
            "  prefecture: {hierarchy: prefecture, from: region}",
            "  prefecture: {hierarchy: age}",
            (
                "6: quasi_identifiers.prefecture.hierarchy: the hierarchy 'age' does not fit the column: "
                "it needs INTEGER, not VARCHAR; name a hierarchy that fits the column's type"
            ),
        ),
        (
            "to: half",
            "to: 9",
            (
                "5: quasi_identifiers.age.to: there is no level 9; "
                "'age' has levels 0 value, 1 5 years, 2 decade, 3 half, 4 *"
            ),
        ),
        (
            "from: 1",
            "from: -1",
            (
                "5: quasi_identifiers.age.from: there is no level -1; "
                "'age' has levels 0 value, 1 5 years, 2 decade, 3 half, 4 *"
            ),
        ),
        (
            "from: region",
            "from: regoin",
            (
                "6: quasi_identifiers.prefecture.from: there is no level 'regoin'; "
                "'prefecture' has levels 0 value, 1 region, 2 *"
            ),
        ),
        (
            "from: 1",
            "from: 4",
            "5: quasi_identifiers.age.from: from, level 4, is coarser than to, level 3; write from: 3, to: 4",
        ),
        (
            "[plan]",
            "[plan, PLAN]",
            "8: keep[1]: the column 'plan' is named twice; name it in one place",
        ),
        (
            "[plan]",
            "[age]",
            "8: keep[0]: the column 'Age' is named as one of quasi_identifiers too; name it in one place",
        ),
        (
            "member_id,",
            "SEX,",
            ("7: identifiers[0]: the column 'sex' is named as one of quasi_identifiers too; name it in one place"),
        ),
        (
            "[plan]",
            "[name]",
            "8: keep[0]: the column 'name' is named as one of identifiers too; name it in one place",
        ),
        (
            "  sex: {hierarchy: sex}",
            "  Age: {hierarchy: age}",
            "5: quasi_identifiers.age: the column 'Age' is named twice; name it in one place",
        ),
        (
            "age > 17",
            "agee > 17",
            "9: where: there is no column 'agee'; did you mean 'Age'?",
        ),
        (
            "where: JOINED >= DATE '2013-10-01' and age > 17",
            "where: 1=1; DROP TABLE x",
            (
                "9: where: the filter holds a semicolon, and is one expression only; "
                "write one expression such as age >= 18 AND sex = 'f'"
            ),
        ),
        (
            "out/members.parquet}",
            "out/members.parquet, shape: table}",
            (
                "8: keep: a statistical table has one row a class, so no column is kept as it is; "
                "take keep out, or write shape: rows"
            ),
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    assert problems(old, new) == [f"request:{told}"]


def test_a_statistical_table_has_a_count_of_its_own():
    text = REQUEST.replace("parquet}", "parquet, shape: table}").replace("keep: [plan]\n", "")
    text = text.replace("sex: {hierarchy: sex}", "COUNT: {hierarchy: sex}")
    with pytest.raises(RequestError, match=r"4: quasi_identifiers\.COUNT: a statistical table has a column `count`"):
        resolve(read_request(text), COLUMNS | {"Count": "VARCHAR"}, HIERARCHIES)


def test_all_mistakes_at_once():
    text = REQUEST.replace("sex: {hierarchy: sex}", "sx: {hierarchy: xes}").replace("to: half", "to: 5")
    text = text.replace("[plan]", "[plam]").replace("age > 17", "age + 17")
    with pytest.raises(RequestError) as caught:
        resolved(text)
    assert [problem.split(": ")[0:2] for problem in caught.value.problems] == [
        ["request:4", "quasi_identifiers.sx"],
        ["request:4", "quasi_identifiers.sx.hierarchy"],
        ["request:5", "quasi_identifiers.age.to"],
        ["request:8", "keep[0]"],
        ["request:9", "where"],
    ]
    assert str(caught.value).startswith("the request has 5 mistakes:\n  request:4: ")


def test_a_long_list_of_levels_is_shortened():
    (told,) = problems("hierarchy: sex}", "hierarchy: long, to: 99}")
    assert "9 level 9, 10 level 10, …, 29 level 29" in told


def test_more_than_sixty_quasi_identifiers_are_refused():
    many = "".join(f"  c{number}: {{hierarchy: sex}}\n" for number in range(61))
    assert problems("  sex: {hierarchy: sex}\n", many) == [
        "request:3: quasi_identifiers: has more than 60 columns; list fewer quasi-identifiers"
    ]


def test_levels_that_do_not_nest_are_accepted_by_number():
    apart = LevelOrder(
        (
            (True, True, True, True),
            (False, True, False, True),
            (False, False, True, True),
            (False, False, False, True),
        )
    )
    hierarchies = {**HIERARCHIES, "age": Named("age", ["value", "age1", "age2", "*"], order=apart)}
    text = REQUEST.replace("from: 1, to: half", "from: age1")
    found = resolve(read_request(text), COLUMNS, hierarchies)
    assert found.qis[1].accepted == (1, 2, 3)
    assert found.lattice.not_nested == ("Age",)


def test_hostile_column_names_resolve():
    names = ['q"uote', "semi;colon", "名前", "select", "a.b", "a'b", "line\nbreak"]
    columns = dict.fromkeys(names, "VARCHAR")
    quoted = "".join(f"  {json.dumps(name)}: {{hierarchy: sex}}\n" for name in names)
    text = f"dataset: d\nk: 2\nquasi_identifiers:\n{quoted}release: {{to: x.csv}}\n"
    found = resolve(read_request(text), columns, HIERARCHIES)
    assert [qi.column for qi in found.qis] == names
    with pytest.raises(RequestError, match=r"request:10: quasi_identifiers\.'line\\nbreak': there is no column"):
        resolve(read_request(text), dict.fromkeys(names[:-1], "VARCHAR"), HIERARCHIES)


def test_without_columns_names_are_taken_as_written_and_levels_are_still_checked() -> None:
    found = resolve(read_request(REQUEST), None, HIERARCHIES)

    assert [(qi.column, qi.column_type, qi.accepted) for qi in found.qis] == [
        ("sex", "", (0, 1)), ("age", "", (1, 2, 3)), ("prefecture", "", (1, 2)),
    ]  # fmt: skip
    assert (found.identifiers, found.keep) == (("member_id", "NAME"), ("plan",))
    assert (found.filter, found.filter_text) == (None, None)


def test_without_columns_what_needs_none_is_still_refused() -> None:
    wrong = REQUEST.replace("to: half", "to: century").replace("keep: [plan]", "keep: [sex]")

    with pytest.raises(RequestError) as refused:
        resolve(read_request(wrong), None, HIERARCHIES)

    assert len(refused.value.problems) == 2
    assert "there is no level 'century'" in str(refused.value.problems)
    assert "'sex' is named as one of quasi_identifiers too" in str(refused.value.problems)
