"""What a request asks beyond k, held against columns, hierarchies and persons: what comes out, and every mistake."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import pytest

from ordermade.errors import RequestError
from ordermade.lattice.lattice import LevelOrder
from ordermade.loss.metrics import METRICS
from ordermade.requests.generalization import WEIGHABLE, Objective
from ordermade.requests.read import read_request
from ordermade.requests.resolve_generalization import Resolved, resolve
from tests.named import Named

COLUMNS = {
    "member": "BIGINT", "name": "VARCHAR", "sex": "VARCHAR", "Age": "INTEGER", "plan": "VARCHAR",
    "Diagnosis": "VARCHAR", "income": "INTEGER", "job": "VARCHAR",
}  # fmt: skip
REQUEST = """\
dataset: members
k: 5
suppression_limit: 0.05
suppressed: star
quasi_identifiers:
  sex: {hierarchy: sex}
  age: {hierarchy: age}
identifiers: [name]
keep: [plan]
sensitive:
  diagnosis: [{model: t_closeness, t: 0.2, distance: equal}, {model: distinct_l, l: 3}]
  income: [{model: t_closeness, t: 0.15, distance: ordered}]
  job: [{model: t_closeness, t: 0.2, distance: hierarchical, hierarchy: occupation}]
risk: {sampling_fraction: 0.1, highest: 0.05}
search: {objective: loss, weights: {Age: 2}}
release: {to: out/members.parquet}
"""


APART = LevelOrder(
    (
        (True, True, True, True),
        (False, True, False, True),
        (False, False, True, True),
        (False, False, False, True),
    )
)
HIERARCHIES = {
    hierarchy.name: hierarchy
    for hierarchy in (
        Named("sex", ["0", "1"]),
        Named("age", ["0", "1", "2", "3"], fits="INTEGER"),
        Named("occupation", ["0", "1", "2"], fits="VARCHAR"),
        Named("apart", ["0", "1", "2", "3"], order=APART),
    )
}


def resolved(text: str, *, entity: str | None = None, columns: dict[str, str] | None = COLUMNS) -> Resolved:
    return resolve(read_request(text), columns, HIERARCHIES, entity)


def problems(old: str, new: str, *, entity: str | None = None) -> tuple[str, ...]:
    assert old in REQUEST
    with pytest.raises(RequestError) as caught:
        resolved(REQUEST.replace(old, new, 1), entity=entity)
    return caught.value.problems


def test_what_is_asked_beyond_k():
    found = resolved(REQUEST)
    assert found.limit == Fraction(1, 20)
    assert [(each.column, each.column_type) for each in found.sensitive] == [
        ("Diagnosis", "VARCHAR"), ("income", "INTEGER"), ("job", "VARCHAR"),
    ]  # fmt: skip
    assert [[model.model for model in each.models] for each in found.sensitive] == [
        ["t_closeness", "distinct_l"], ["t_closeness"], ["t_closeness"],
    ]  # fmt: skip
    assert [dict(each.hierarchies) for each in found.sensitive] == [{}, {}, {"occupation": HIERARCHIES["occupation"]}]
    assert found.weights == {"sex": 1, "Age": 2}
    assert found.risk is found.request.risk
    assert found.entity is None
    assert found.identifiers == ("name",)


def test_nothing_beyond_k():
    text = "dataset: d\nk: 2\nquasi_identifiers: {sex: {hierarchy: sex}}\nrelease: {to: x.csv}\n"
    found = resolved(text)
    assert (found.limit, found.sensitive, found.weights, found.risk, found.entity) == (0, (), {}, None, None)


def test_a_limit_is_exact():
    assert resolved(REQUEST.replace("0.05", "0.29", 1)).limit == Fraction(29, 100)
    assert 0 < resolved(REQUEST.replace("0.05", "1e-30", 1)).limit < Fraction(1, 10**29)


def test_the_column_that_tells_persons_apart_is_an_identifier():
    assert resolved(REQUEST, entity="member").identifiers == ("name", "member")
    listed = REQUEST.replace("[name]", "[MEMBER, name]")
    assert resolved(listed, entity="member").identifiers == ("member", "name")
    named = REQUEST.replace("members.parquet}", "members.parquet, pseudonym: member}")
    assert resolved(named, entity="member").entity == "member"


def test_without_columns_what_needs_none_is_still_told():
    found = resolved(REQUEST, columns=None)
    assert [(each.column, each.column_type) for each in found.sensitive] == [
        ("diagnosis", ""), ("income", ""), ("job", ""),
    ]  # fmt: skip
    assert found.weights == {"sex": 1, "age": 2}
    with pytest.raises(RequestError, match="'sex' is named as one of quasi_identifiers too"):
        resolved(REQUEST.replace("  diagnosis:", "  sex:"), columns=None)


def test_models_and_objectives_are_those_there_are():
    assert set(WEIGHABLE) == {
        "prec", "prec_suppressed_as_1", "height", "loss", "entropy", "entropy_ignoring_suppression",
    }  # fmt: skip
    assert sorted(get_args(Objective)) == sorted(METRICS)


PERSONS = "the column 'member' identifies persons, so it is never released; take it out"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "  diagnosis:",
            "  diagnosys:",
            "11: sensitive.diagnosys: there is no column 'diagnosys'; did you mean 'Diagnosis'?",
        ),
        (
            "  diagnosis:",
            "  SEX:",
            "11: sensitive.SEX: the column 'sex' is named as one of quasi_identifiers too; name it in one place",
        ),
        (
            "  diagnosis:",
            "  name:",
            "11: sensitive.name: the column 'name' is named as one of identifiers too; name it in one place",
        ),
        (
            "[plan]",
            "[plan, job]",
            "9: keep[1]: the column 'job' is named as one of sensitive too; name it in one place",
        ),
        (
            "  income:",
            "  DIAGNOSIS:",
            "12: sensitive.DIAGNOSIS: the column 'Diagnosis' is named twice; name it in one place",
        ),
        ("  diagnosis:", "  Member:", f"11: sensitive.Member: {PERSONS}"),
        ("[plan]", "[member]", f"9: keep[0]: {PERSONS}"),
        ("  sex:", "  member:", f"6: quasi_identifiers.member: {PERSONS}"),
        (
            "{model: distinct_l, l: 3}]",
            "{model: distinct_l, l: 3}, {model: distinct_l, l: 2}]",
            "11: sensitive.diagnosis[2]: the model distinct_l is named twice; keep the stricter of the two",
        ),
        (
            "{model: distinct_l, l: 3}]",
            "{model: t_closeness, t: 0.3, distance: equal}]",
            (
                "11: sensitive.diagnosis[1]: the model t_closeness with distance equal is named twice; "
                "keep the stricter of the two"
            ),
        ),
        (
            "hierarchy: occupation",
            "hierarchy: ocupation",
            (
                "13: sensitive.job[0].hierarchy: there is no hierarchy 'ocupation'; did you mean 'occupation'? "
                "Register it with `hierarchy add`; `hierarchy suggest` drafts one"
            ),
        ),
        (
            "hierarchy: occupation",
            "hierarchy: age",
            (
                "13: sensitive.job[0].hierarchy: the hierarchy 'age' does not fit the column: "
                "it needs INTEGER, not VARCHAR; name a hierarchy that fits the column's type"
            ),
        ),
        (
            "hierarchy: occupation",
            "hierarchy: apart",
            (
                "13: sensitive.job[0].hierarchy: the levels of the hierarchy 'apart' do not nest, "
                "so it measures no distance; name a hierarchy whose levels nest, or write distance: equal"
            ),
        ),
        (
            "suppression_limit: 0.05\n",
            "",
            (
                "3: suppressed: nothing is suppressed without a suppression_limit; "
                "write suppression_limit: 0.05, or take suppressed out"
            ),
        ),
        (
            "highest: 0.05",
            "highest: 1e-14",
            (
                "14: risk.highest: every class would have to be of more than 1,000,000,000,000 rows; "
                "write a greater risk, such as 0.05"
            ),
        ),
        (
            "{Age: 2}",
            "{job: 2}",
            "15: search.weights.job: 'job' is no quasi-identifier; known: 'Age', 'sex'",
        ),
        (
            "{Age: 2}",
            "{agee: 2}",
            "15: search.weights.agee: 'agee' is no quasi-identifier; did you mean 'Age'?",
        ),
        (
            "{Age: 2}",
            "{Age: 2, age: 3}",
            "15: search.weights.age: the column 'Age' is named twice; name it in one place",
        ),
        (
            "{Age: 2}",
            "{age: 0, sex: 0.0}",
            "15: search.weights: every weight is 0, so no release is better; give some column a weight",
        ),
        (
            "objective: loss",
            "objective: dm",
            (
                "15: search.weights: the objective dm is no sum over the quasi-identifiers, so weights would change "
                "nothing; take weights out, or name one of the objectives prec, prec_suppressed_as_1, height, loss, "
                "entropy, entropy_ignoring_suppression"
            ),
        ),
        (
            "members.parquet}",
            "members.parquet, pseudonym: PLAN}",
            "16: release.pseudonym: a column 'PLAN' is released already; give the pseudonym another name",
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    assert problems(old, new, entity="member") == (f"request:{told}",)


def test_a_pseudonym_needs_persons():
    told = problems("members.parquet}", "members.parquet, pseudonym: person}")
    (only,) = told
    assert only == (
        "request:16: release.pseudonym: the dataset has no entity column, so nobody has a pseudonym; "
        "register it with `dataset add --entity COLUMN`, or take pseudonym out"
    )
    for column in ("sex", "diagnosis", "age"):
        told = problems("members.parquet}", f"members.parquet, pseudonym: {column}}}", entity="member")
        assert told[0].startswith(f"request:16: release.pseudonym: a column '{column}' is released already")


def test_a_statistical_table_holds_counts_alone():
    text = REQUEST.replace("members.parquet}", "members.parquet, shape: table, pseudonym: p}")
    with pytest.raises(RequestError) as caught:
        resolved(text.replace("suppressed: star", "recoding: {kind: local, seal: false}"), entity="member")
    assert [problem.split(": ")[:2] for problem in caught.value.problems] == [
        ["request:4", "recoding"],
        ["request:9", "keep"],
        ["request:10", "sensitive"],
        ["request:16", "release.pseudonym"],
    ]
    assert "so no sensitive attribute is released in it; write shape: rows" in caught.value.problems[2]


@pytest.mark.parametrize(
    "text",
    [
        REQUEST.replace("suppression_limit: 0.05\nsuppressed: star", "recoding: local\nsuppressed: star"),
        REQUEST.replace("0.05", "0", 1),
        REQUEST.replace("suppressed: star\n", ""),
        REQUEST.replace(
            "{model: distinct_l, l: 3}]",
            "{model: t_closeness, t: 0.1, distance: ordered}, {model: entropy_l, l: 2}]",
        ),
        REQUEST.replace("{Age: 2}", "{Age: 0}"),
    ],
)
def test_what_is_no_mistake(text: str):
    resolved(text)


def test_all_mistakes_at_once():
    text = REQUEST.replace("  diagnosis:", "  sex:").replace("hierarchy: occupation", "hierarchy: none")
    text = text.replace("suppression_limit: 0.05\n", "").replace("{Age: 2}", "{agee: 2}")
    text = text.replace("members.parquet}", "members.parquet, pseudonym: person}")
    with pytest.raises(RequestError) as caught:
        resolved(text)
    assert [problem.split(": ")[:2] for problem in caught.value.problems] == [
        ["request:3", "suppressed"],
        ["request:10", "sensitive.sex"],
        ["request:12", "sensitive.job[0].hierarchy"],
        ["request:14", "search.weights.agee"],
        ["request:15", "release.pseudonym"],
    ]
