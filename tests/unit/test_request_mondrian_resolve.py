"""A request for Mondrian held against columns and hierarchies: what comes out, and every mistake."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ordermade.errors import RequestError
from ordermade.hierarchies.column_types import type_in_words
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.lattice import LevelOrder
from ordermade.privacy.models import MODELS
from ordermade.requests.read import of_mondrian, read_request
from ordermade.requests.resolve_mondrian import ResolvedMondrian, ResolvedSplit, resolve_mondrian
from ordermade.requests.resolving import request_hash
from tests.named import Named

COLUMNS = {
    "member_id": "BIGINT", "sex": "VARCHAR", "Birth": "DATE", "height": "DOUBLE", "job": "VARCHAR", "plan": "VARCHAR",
    "town": "VARCHAR", "count": "INTEGER", "shop": "VARCHAR",
}  # fmt: skip
NOT_NESTED = LevelOrder(
    ((True, True, True, True), (False, True, False, True), (False, False, True, True), (False, False, False, True))
)
CAST = "cast it in a dataset query, to {} or DOUBLE, or split it along a hierarchy (variant: hierarchy)"
TWICE = "the column 'town' is named as one of quasi_identifiers too; name it in one place"
HIERARCHIES: dict[str, Hierarchy] = {
    hierarchy.name: hierarchy
    for hierarchy in (
        Named("sex", ["value", "*"]),
        Named("birth", ["day", "year", "decade", "*"], fits="DATE"),
        Named("occupation", ["value", "kind", "*"]),
        Named("parallel", ["value", "five", "seven", "*"], order=NOT_NESTED),
        Named("nothing", ["*"]),
    )
}
REQUEST = """\
dataset: members
method: mondrian
k: 10
quasi_identifiers:
  sex: {hierarchy: sex}
  birth: {hierarchy: birth, from: year}
  height: {}
  town: {}
sensitive: {plan: [{model: distinct_l, l: 2}]}
identifiers: [member_id]
keep: [shop]
where: HEIGHT > 100
mondrian: {variant: hierarchy}
release: {to: out/members.parquet}
"""
MEDIAN = REQUEST.replace("variant: hierarchy", "variant: median").replace(", from: year", "")


def resolved(text: str, entity: str | None = None, **types: str) -> ResolvedMondrian:
    read = of_mondrian(read_request(text), "test")
    return resolve_mondrian(read, COLUMNS | types, HIERARCHIES, entity)


def problems(old: str, new: str, text: str = REQUEST, entity: str | None = None, **types: str) -> list[str]:
    assert old in text
    with pytest.raises(RequestError) as caught:
        resolved(text.replace(old, new, 1), entity, **types)
    return list(caught.value.problems)


def test_a_group_is_split_along_hierarchies_and_cut_or_parted_where_there_is_none():
    found = resolved(REQUEST)
    assert found.qis == (
        ResolvedSplit("sex", "VARCHAR", HIERARCHIES["sex"], 0, "nested"),
        ResolvedSplit("Birth", "DATE", HIERARCHIES["birth"], 1, "nested"),
        ResolvedSplit("height", "DOUBLE", None, 0, "ordered"),
        ResolvedSplit("town", "VARCHAR", None, 0, "unordered"),
    )
    assert (found.variant, found.split, found.strict, found.labels) == ("hierarchy", "prec", True, "interval")
    assert [(each.column, [model.model for model in each.models]) for each in found.sensitive] == [
        ("plan", ["distinct_l"])
    ]
    assert (found.identifiers, found.keep, found.filter_text) == (("member_id",), ("shop",), '"height" > 100')
    assert (found.target, found.rules, found.rules_hash) == (None, None, None)
    assert found.as_they_are == (
        ("shop", ("keep",)),
        ("plan", ("sensitive", "plan")),
        ("sex", ("quasi_identifiers", "sex")),
    )
    assert found.in_words == "strict true, labels interval"


def test_medians_cut_numbers_dates_and_the_leaves_of_a_tree():
    found = resolved(MEDIAN)
    assert [(each.column, each.kind) for each in found.qis] == [
        ("sex", "tree"),
        ("Birth", "ordered"),
        ("height", "ordered"),
        ("town", "unordered"),
    ]
    assert found.qis[1].hierarchy is HIERARCHIES["birth"]
    assert (found.split, found.as_they_are[2:]) == ("width", ())


@pytest.mark.parametrize(
    ("column_type", "kind"),
    [
        ("TINYINT", "ordered"),
        ("BIGINT", "ordered"),
        ("FLOAT", "ordered"),
        ("DECIMAL(18,9)", "ordered"),
        ("TIMESTAMP", "ordered"),
        ("BOOLEAN", "unordered"),
        ("ENUM('a', 'b')", "unordered"),
        ("UUID", "unordered"),
        ("TIME", "unordered"),
    ],
)
def test_what_a_column_without_a_hierarchy_is(column_type: str, kind: str):
    for text in (REQUEST, MEDIAN):
        assert resolved(text, town=column_type).qis[3].kind == kind


@pytest.mark.parametrize(
    ("column_type", "told"),
    [
        *(
            (column_type, f"which has more digits than can be cut exactly; {CAST.format('BIGINT, DECIMAL(18, 2)')}")
            for column_type in ("HUGEINT", "UBIGINT", "DECIMAL(19,2)")
        ),
        *(
            (column_type, "whose values have no one text; cast it to a text in a dataset query")
            for column_type in ("BLOB", "INTEGER[]", "STRUCT(a INTEGER)")
        ),
        (
            "TIMESTAMP WITH TIME ZONE",
            "whose date depends on the time zone of who reads it; cast it to a date in a dataset query",
        ),
    ],
)
def test_columns_that_only_a_hierarchy_or_a_cast_makes_fit(column_type: str, told: str):
    expected = [f"request:8: quasi_identifiers.town: the column 'town' is a {type_in_words(column_type)}, {told}"]
    assert problems("town: {}", "town: {}", town=column_type) == expected
    assert problems("town: {}", "town: {}", MEDIAN, town=column_type) == expected


def test_many_digits_are_no_matter_along_a_hierarchy_but_parquet_must_hold_them():
    found = resolved(REQUEST.replace("town: {}", "town: {hierarchy: occupation}"), town="HUGEINT")
    assert found.qis[3].kind == "nested"
    assert ("town", ("quasi_identifiers", "town")) in found.as_they_are
    assert problems("town: {}", "town: {hierarchy: occupation}", MEDIAN, town="HUGEINT")


def test_levels_nest_where_groups_are_split_along_them():
    told = (
        "request:{}: quasi_identifiers.{}.hierarchy: the levels of the hierarchy 'parallel' do not nest, so its "
        "classes have no children; name a hierarchy whose levels nest, or take hierarchy out"
    )
    assert problems("town: {}", "town: {hierarchy: parallel}") == [told.format(8, "town")]
    assert problems("height: {}", "height: {hierarchy: parallel}") == [told.format(7, "height")]
    assert problems("town: {}", "town: {hierarchy: parallel}", MEDIAN) == [told.format(8, "town")]
    # Of numbers that are cut, a hierarchy only says how much is covered.
    assert resolved(MEDIAN.replace("height: {}", "height: {hierarchy: parallel}")).qis[2].kind == "ordered"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "height: {}",
            "heigth: {}",
            "7: quasi_identifiers.heigth: there is no column 'heigth'; did you mean 'height'?",
        ),
        (
            "height: {}",
            "member_id: {}",
            "10: identifiers[0]: the column 'member_id' is named as one of quasi_identifiers too; name it in one place",
        ),
        ("[shop]", "[town]", f"11: keep[0]: {TWICE}"),
        ("{plan: [", "{town: [", f"9: sensitive.town: {TWICE}"),
        (
            "{hierarchy: sex}",
            "{hierarchy: sexes}",
            (
                "5: quasi_identifiers.sex.hierarchy: there is no hierarchy 'sexes'; did you mean 'sex'? Register it "
                "with `hierarchy add`; `hierarchy suggest` drafts one"
            ),
        ),
        (
            "{hierarchy: sex}",
            "{hierarchy: birth}",
            (
                "5: quasi_identifiers.sex.hierarchy: the hierarchy 'birth' does not fit the column: it needs DATE, not "
                "VARCHAR; name a hierarchy that fits the column's type"
            ),
        ),
        (
            "{hierarchy: sex}",
            "{hierarchy: nothing}",
            (
                "5: quasi_identifiers.sex.hierarchy: the hierarchy 'nothing' has no level below `*`, so there is "
                "nothing to split into; name a hierarchy with more levels, or leave out the column"
            ),
        ),
        (
            "from: year",
            "from: month",
            (
                "6: quasi_identifiers.birth.from: there is no level 'month'; 'birth' has levels 0 day, 1 year, "
                "2 decade, 3 *"
            ),
        ),
        (
            "height: {}",
            "height: {from: 0}",
            (
                "7: quasi_identifiers.height.from: a column without a hierarchy has no levels; write hierarchy: NAME, "
                "or take from out"
            ),
        ),
        (
            "variant: hierarchy",
            "variant: median",
            (
                "6: quasi_identifiers.birth.from: groups are cut at medians, and not split along levels; write "
                "mondrian: {variant: hierarchy}, or take from out"
            ),
        ),
        (
            "distinct_l, l: 2}",
            "distinct_l, l: 2}, {model: distinct_l, l: 3}",
            "9: sensitive.plan[1]: the model distinct_l is named twice; keep the stricter of the two",
        ),
        (
            "variant: hierarchy",
            "split: information-gain, target: height",
            (
                "13: mondrian.target: the column 'height' is a quasi-identifier, so its values are split and not "
                "separated; take it out of quasi_identifiers, or name another target"
            ),
        ),
        (
            "variant: hierarchy",
            "split: information-gain, target: member_id",
            "13: mondrian.target: the column 'member_id' identifies, so it is never looked at; name another target",
        ),
        (
            "variant: hierarchy",
            "split: information-gain, target: paln",
            "13: mondrian.target: there is no column 'paln'; did you mean 'plan'?",
        ),
        (
            "parquet}",
            "parquet, pseudonym: Shop}",
            "14: release.pseudonym: a column 'Shop' is released already; give the pseudonym another name",
        ),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    entity = "count" if "pseudonym" in new else None
    text = REQUEST.replace(", from: year", "") if "target" in new else REQUEST
    assert problems(old, new, text, entity) == [f"request:{told}"]


@pytest.mark.parametrize("column", ["plan", "shop", "job"])
def test_a_target_may_be_released_or_not(column: str):
    found = resolved(MEDIAN.replace("{variant: median}", f"{{split: information-gain, target: {column.upper()}}}"))
    assert found.target == column
    assert found.in_words == f"strict true, labels interval, target {column}"


def test_persons_may_have_several_rows():
    found = resolved(REQUEST.replace("parquet}", "parquet, pseudonym: person}"), "member_id")
    assert (found.entity, found.identifiers) == ("member_id", ("member_id",))
    (told,) = problems(
        "variant: hierarchy", "split: information-gain, target: count", MEDIAN.replace("median", "hierarchy"), "count"
    )
    assert "the column 'count' identifies" in told
    (told,) = problems("parquet}", "parquet, pseudonym: person}")
    assert "14: release.pseudonym: the dataset has no entity column" in told


def test_options_of_what_is_not_done_are_mistakes():
    alone = REQUEST.replace("  height: {}\n", "")
    strict = "mondrian.strict: no attribute is cut at a median, so there are no values equal to it; take strict out"
    labels = "mondrian.labels: no number or date is cut, so there is nothing to release as its {}; take labels out"
    assert resolved(alone).in_words == ""
    for given in ("true", "false"):
        told = problems("variant: hierarchy", f"variant: hierarchy, strict: {given}", alone)
        assert told == [f"request:12: {strict}"]
    for given in ("interval", "set", "mean", "median"):
        told = problems("variant: hierarchy", f"variant: hierarchy, labels: {given}", alone)
        assert told == [f"request:12: {labels.format(given)}"]
    trees = alone.replace("  birth: {hierarchy: birth, from: year}\n", "")
    assert resolved(trees.replace("variant: hierarchy", "strict: false, labels: set")).in_words == "strict false"
    told = problems("variant: hierarchy", "labels: mean", trees)
    assert told == [f"request:11: {labels.format('mean')}"]
    assert resolved(MEDIAN.replace("median", "median, strict: false, labels: mean")).in_words == (
        "strict false, labels mean"
    )


def test_a_statistical_table_has_one_row_a_class():
    table = REQUEST.replace("parquet}", "parquet, shape: table}")
    told = problems("parquet}", "parquet, shape: table}", REQUEST)
    assert [each.split(": ")[1] for each in told] == ["sensitive", "keep"]
    bare = "".join(line for line in table.splitlines(True) if not line.startswith(("sensitive", "keep")))
    assert resolved(bare).request.release.shape == "table"
    (told_of,) = problems("town: {}", "count: {}", bare)
    assert "quasi_identifiers.count: a statistical table has a column `count` of its own" in told_of
    (told_of,) = problems("variant: hierarchy", "variant: hierarchy, strict: false", bare)
    assert told_of == (
        "request:11: mondrian.strict: equal values are dealt out to both halves, so the cells of a statistical table "
        "would overlap; write shape: rows, or take strict: false out"
    )


def test_equal_values_are_not_dealt_out_where_models_count_persons():
    relaxed = MEDIAN.replace("median}", "median, strict: false}")
    assert not resolved(relaxed, "member_id").strict  # classes that are released as one have no fewer values
    others = relaxed.replace("model: distinct_l, l: 2}", "model: alpha_k, alpha: 0.5}")
    assert not resolved(others).strict
    (told,) = problems("k: 10", "k: 11", others, "member_id")
    assert told == (
        "request:13: mondrian.strict: equal values are dealt out to both halves, so classes that pass models of "
        "persons may fail together; take strict: false out, or require distinct_l alone"
    )


def test_a_model_that_has_no_kernel_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(MODELS, "distinct_l", replace(MODELS["distinct_l"], kernel=False))
    assert problems("k: 10", "k: 11") == [
        (
            "request:9: sensitive.plan[0]: the model distinct_l cannot be decided while groups are split; "
            "take it out, or write method: generalization"
        )
    ]


RULES = """\
rules:
  - item: Magazine
    when: {sex: male, height: [167, 188]}
  - {item: Guide, weight: 2, when: {town: [a, b]}}
"""


def test_rules_stand_beside_the_request_and_count_by_what_they_say(tmp_path: Path):
    asks = REQUEST.replace("hierarchy}\n", "hierarchy, split: tf-idf, rules: of/rules.yaml}\n")
    request, rules = tmp_path / "request.yaml", tmp_path / "of" / "rules.yaml"
    rules.parent.mkdir()
    request.write_text(asks, encoding="utf-8")

    def found() -> ResolvedMondrian:
        return resolve_mondrian(of_mondrian(read_request(request), "test"), COLUMNS, HIERARCHIES)

    with pytest.raises(RequestError, match=r"rules\.yaml: there is no such file"):
        found()
    rules.write_text(RULES, encoding="utf-8")
    first = found()
    assert first.rules is not None
    assert first.in_words == f"strict true, labels interval, 2 rules of sha256 {first.rules_hash}"
    rules.write_text(RULES.replace("167", "167.0").replace("Guide, weight: 2", "Guide, weight: 2.0"), encoding="utf-8")
    assert found().rules_hash == first.rules_hash
    rules.write_text(RULES.replace("167", "168"), encoding="utf-8")
    other = found()
    assert other.rules_hash != first.rules_hash
    assert request_hash(other.request, None, other.said_by_files) != request_hash(
        first.request, None, first.said_by_files
    )
    rules.write_text(RULES.replace("sex: male", "sex: []").replace("town", "twon"), encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        found()
    assert caught.value.problems[0].startswith(f"{rules}:3: rules[0].when.sex: ")
    # What is wrong with the request itself is told first: rules are held against what it asks for.
    request.write_text(asks.replace("town: {}", "twon: {}"), encoding="utf-8")
    with pytest.raises(RequestError) as caught:
        found()
    assert caught.value.problems == (
        f"{request}:8: quasi_identifiers.twon: there is no column 'twon'; did you mean 'town'?",
    )
