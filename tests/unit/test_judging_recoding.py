"""A locally recoded release judged: ten rows by hand, labels of every kind of hierarchy, rounds, and bad input."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, demo
from ordermade.demo.tables import make_members
from ordermade.errors import HierarchyError, InputError, OrdermadeError, Refused, UnknownName
from ordermade.evaluation.recoding import RecodingJudgement
from ordermade.evaluation.rounds import rounds_in
from ordermade.hierarchies.read import parse_yaml
from ordermade.privacy.released_labels import ReleasedColumn, released_column
from tests.made import new_engine
from tests.recoded import unsealed_request

AGE = "mapping:\n" + "".join(f"  {age}: [{'low' if age < 3 else 'high'}, '*']\n" for age in range(1, 5))
PLAN = "mapping:\n  x: ['*']\n  y: ['*']\n"

ORIGINAL = [("1", "x")] * 3 + [("2", "x"), ("3", "y"), ("3", "y"), ("4", "y"), ("3", "x"), ("2", "y"), ("4", "x")]
RELEASE = [("1", "x")] * 3 + [("3", "y")] * 2 + [("high", "x")] * 2 + [("2", "*")] * 2
"""Ten rows (age, plan) at k = 2, as `test_local_recoding.test_ten_rows` has them; (4, y) is suppressed."""
HIERARCHIES = Path(demo.__file__).parent / "data" / "members" / "hierarchies"
ROUNDS = [{"levels": {"age": 0, "plan": 0}}, {"levels": {"age": 1, "plan": 0}}, {"levels": {"age": 0, "plan": 1}}]


def table(path: Path, rows: Sequence[Sequence[Any]], columns: Sequence[str] = ("age", "plan")) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def judged(
    folder: Path,
    release: Sequence[Sequence[Any]] = RELEASE,
    hierarchies: Mapping[str, str] | None = None,
    *,
    header: Sequence[str] = ("age", "plan"),
    original: Sequence[Sequence[Any]] | None = None,
    **options: Any,
) -> RecodingJudgement:
    """The judgement of a release in a CSV file, without a state."""
    written = {}
    for column, text in (hierarchies if hierarchies is not None else {"age": AGE, "plan": PLAN}).items():
        written[column] = folder / f"{column}.yaml"
        written[column].write_text(text, encoding="utf-8")
    if original is not None:
        options["original"] = table(folder / "original.csv", original, header)
    return Engine(folder / "none").judge_recoding(
        table(folder / "release.csv", release, header), written, header=True, **options
    )


@pytest.mark.slow
def test_ten_rows(tmp_path: Path) -> None:
    """(high, x) names ages 3 and 4, and (2, *) plans x and y: 4 of the 9 rows are generalised.

    No class lies within another, and no two share a cell. So nothing is narrowed, and all is as in the original.
    """
    found = judged(tmp_path, original=ORIGINAL, rounds=ROUNDS, k=2)
    assert (found.rows, found.classes, found.rows_generalised, found.rows_narrowed) == (9, 4, 4, 0)
    assert (found.rounds, found.worst, found.not_judged) == (3, (), ())
    assert found.checked is not None
    assert (found.checked.classes, found.checked.right, found.checked.wrong, found.checked.uncovered) == (4, 4, 0, 1)


def test_a_release_narrowed_by_hand(tmp_path: Path) -> None:
    """(1, x), (3, x) and (3, y) have k = 2 by themselves. Of the rest, (low, x) has two rows: age 1 is gone, so both
    are 2. Then (*, y): 3 is gone, which leaves 1, 2, 4 and NULL.

    By labels alone both: (1, x) lies within (low, x), and (3, y) within (*, y).
    """
    before = [("1", "x")] * 2 + [("3", "x")] * 2 + [("3", "y")] * 3 + [("2", "x")] * 2 + [("1", "y"), ("4", "y")]
    after = [("1", "x")] * 2 + [("3", "x")] * 2 + [("3", "y")] * 3 + [("low", "x")] * 2 + [("*", "y")] * 2
    found = judged(tmp_path, after, original=before, k=2)
    assert (found.rows_generalised, found.rows_narrowed, found.share) == (4, 4, 1.0)
    assert (found.classes_narrowed, found.classes_by_labels, found.classes_by_rounds) == (2, 2, 0)
    age, plan = found.columns
    assert (age.rows_generalised, age.rows_narrowed, age.share, age.named, age.left) == (4, 4, 1.0, 3.5, 2.5)
    assert (plan.rows_generalised, plan.rows_narrowed, plan.named) == (0, 0, None)
    assert [(each.labels, each.rows, each.left["age"], each.share) for each in found.worst] == [
        ({"age": "low", "plan": "x"}, 2, 1, 0.5),
        ({"age": "*", "plan": "y"}, 2, 4, 0.8),
    ]
    assert found.checked is not None
    assert (found.checked.right, found.checked.uncovered) == (5, 0)


@pytest.mark.slow
def test_the_rounds_narrow_what_labels_do_not(tmp_path: Path) -> None:
    """(low, x) of the first round and (1, *) of the second share (1, x): the plan of (1, *) is y, or NULL.

    In the other order it is the age of (low, x) that is known: 2.
    """
    release = [("low", "x")] * 2 + [("1", "*")] * 2
    rounds = [{"levels": {"AGE": "level1", "plan": 0}}, {"levels": {"age": 0, "plan": 1}}]
    first = judged(tmp_path, release, rounds=rounds, k=2)
    assert [(each.labels["age"], each.left) for each in first.worst] == [("1", {"age": 1, "plan": 2})]
    assert (first.classes_by_labels, first.classes_by_rounds) == (0, 1)
    second = judged(tmp_path, release, rounds=rounds[::-1], k=2)
    assert [(each.labels["age"], each.left) for each in second.worst] == [("low", {"age": 1, "plan": 1})]
    assert judged(tmp_path, release, k=2).rows_narrowed == 0


WARDS_BEFORE = [
    *[("1", "x", "eyes"), ("1", "x", "eyes"), ("3", "x", "heart"), ("3", "x", "skin")],
    *[("2", "x", "nose"), ("2", "x", "skin"), ("4", "y", "eyes"), ("1", "y", "nose")],
]
WARDS_AFTER = [
    *[("1", "x", "eyes"), ("1", "x", "eyes"), ("3", "x", "heart"), ("3", "x", "skin")],
    *[("low", "x", "nose"), ("low", "x", "skin"), ("*", "y", "eyes"), ("*", "y", "nose")],
]
WARDS = {"age": AGE, "plan": PLAN}


def test_the_sensitive_values_left_for_a_person_by_hand(tmp_path: Path) -> None:
    """Age 1, plan x: (1, x) and (low, x) cover them, so eyes, nose, skin of 4 rows; eyes of 2 rows is left.

    The others lie in one class each: 2 rows of heart and skin, of nose and skin, of eyes and nose.
    """
    found = judged(
        tmp_path,
        WARDS_AFTER,
        WARDS,
        header=("age", "plan", "ward"),
        original=WARDS_BEFORE,
        columns=["age", "plan"],
        sensitive=["WARD"],
        k=2,
    )
    (ward,) = found.sensitive
    assert ward.column == "ward"
    own = ward.possible
    assert (own.values, own.rows, own.rows_narrowed, own.rows_of_one, own.share) == (4, 8, 2, 2, 0.25)
    assert (own.by_labels, own.left) == (18 / 8, 14 / 8)
    assert (own.least_by_labels, own.least_left) == (2, 1)
    assert (own.candidates_by_labels, own.candidates_left, own.least_candidates) == (20 / 8, 2.0, 2)


def test_sensitive_values_need_an_original_and_a_column_that_is_no_quasi_identifier(tmp_path: Path) -> None:
    header, columns = ("age", "plan", "ward"), ["age", "plan"]
    with pytest.raises(InputError, match="which combinations occur"):
        judged(tmp_path, WARDS_AFTER, WARDS, header=header, columns=columns, sensitive=["ward"], k=2)
    with pytest.raises(InputError, match="is a quasi-identifier here"):
        judged(tmp_path, WARDS_AFTER, WARDS, header=header, original=WARDS_BEFORE, sensitive=["age"], k=2)
    with pytest.raises(UnknownName):
        judged(tmp_path, WARDS_AFTER, WARDS, header=header, original=WARDS_BEFORE, sensitive=["wards"], k=2)
    assert judged(tmp_path, WARDS_AFTER, WARDS, header=header, original=WARDS_BEFORE, columns=columns).sensitive == ()


def test_a_class_that_the_original_does_not_bear_out_is_not_right(tmp_path: Path) -> None:
    """The original has three rows (low, x), which are not released finer: another release than the one judged."""
    before = [("1", "x")] * 2 + [("2", "x")]
    found = judged(tmp_path, [("1", "x")] * 1 + [("low", "x")] * 2, original=before)
    assert found.checked is not None
    assert (found.checked.right, found.checked.wrong) == (0, 2)


@pytest.mark.slow
def test_suppressed_rows_are_in_no_class(tmp_path: Path) -> None:
    found = judged(tmp_path, [*RELEASE, ("*", "*")], k=2)
    assert (found.rows, found.star_rows, found.rows_narrowed) == (9, 1, 0)
    alone = judged(tmp_path, [("*", "*")] * 3, k=2)
    assert (alone.rows, alone.star_rows) == (3, 0)
    rounds = [*ROUNDS, {"levels": {"age": 2, "plan": 1}}]
    of_a_round = judged(tmp_path, [*RELEASE, ("*", "*"), ("*", "*")], rounds=rounds, k=2)
    assert (of_a_round.rows, of_a_round.star_rows) == (11, 0)
    assert [each.left for each in of_a_round.worst] == [{"age": 4, "plan": 3}]  # 2 and 3 go with NULL alone


@pytest.mark.slow
def test_columns_without_a_hierarchy_are_never_narrowed(tmp_path: Path) -> None:
    """Mondrian's labels: each stands for itself, whatever it looks like."""
    rows = [("[1;4]", "{x;y}", "1"), ("[1;2]", "x", "1"), ("[1;2]", "*", "2")]
    found = judged(
        tmp_path, rows, {"plan": PLAN.replace("y:", "'{x;y}':")}, columns=["age", "plan"], header=("age", "plan", "n")
    )
    assert found.columns[0].hierarchy is None
    assert (found.columns[0].counted, found.columns[0].rows_generalised) == ("labels", 0)
    assert found.not_judged == ("n",)
    assert found.columns[1].rows_narrowed == 1  # `[1;2]` with `*` holds `[1;2]` with `x`


def test_no_class_below_k_is_listed(tmp_path: Path) -> None:
    """Where k is not known, no class of fewer than five rows is."""
    release = [("1", "x")] * 2 + [("low", "x")] * 4 + [("3", "y")] * 2 + [("high", "y")] * 5
    found = judged(tmp_path, release)
    assert found.rows_narrowed == 9
    assert [each.rows for each in found.worst] == [5]


def column(labels: Sequence[str | None], rules: str) -> ReleasedColumn:
    found = released_column("c", labels, parse_yaml(rules, "c", where="c")[0])
    assert not found.unknown
    return found


def named(found: ReleasedColumn) -> list[list[int]]:
    return [each.tolist() for each in found.attribute.named]


INTERVALS = "intervals:\n  levels:\n    - {width: 5}\n    - {width: 10}\n"


def test_intervals_of_whole_numbers() -> None:
    """From 20 to 29, numbered from 0; `*` names one more, all others."""
    found = column(["23", "[20, 25)", "[20, 30)", "*"], INTERVALS)
    assert found.counted == "whole numbers"
    assert named(found) == [[3], [0, 1, 2, 3, 4], list(range(10)), list(range(11))]
    assert [sorted(each) for each in found.levels] == [[0], [1], [2], [3]]
    assert [found.value_of(text) for text in ("20", "29", "19", "30", "2.5e1", None)] == [0, 9, 10, 10, 5, 10]


def test_intervals_of_other_numbers() -> None:
    """20 up to 22.5, 22.5 itself, beyond it up to 25, from 25 up to 30; all others."""
    found = column(["22.5", "[20, 25)", "[20, 30)", "*", None], INTERVALS)
    assert found.counted == "pieces"
    assert named(found) == [[1], [0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5], [5]]
    assert [found.value_of(text) for text in ("20", "22.5", "24", "25", "30", "19", None)] == [0, 1, 2, 3, 4, 4, 5]


def test_an_interval_of_no_level_is_unknown() -> None:
    hierarchy = parse_yaml(INTERVALS, "c", where="c")[0]
    assert released_column("c", ["[20, 25)", "[21, 26)", "[20, 27)", "x"], hierarchy).unknown == (1, 2, 3)


def test_dates() -> None:
    """29 and 30 December and the quarter that they end: days from 1 October on."""
    found = column(["2019-12-30", "2019-12", "2019-Q4", "2019-12-29 00:00:00"], "date: [month, quarter]")
    assert found.counted == "days"
    assert named(found) == [[90], list(range(61, 92)), list(range(92)), [89]]
    assert [found.value_of(text) for text in ("2019-12-31", "2020-01-01", "2019-12-31 12:00:00")] == [91, 92, 92]


def test_prefixes() -> None:
    """Values: 1234 and the rest of 123, of 12 and all others, in the order 1234, 12, 123."""
    found = column(["1234", "123*", "12**", "*"], "prefix: {keep: [3, 2], length: 4}")
    assert named(found) == [[0], [0, 2], [0, 1, 2], [0, 1, 2, 3]]
    assert [found.value_of(text) for text in ("1234", "1239", "1299", "1999", None)] == [0, 2, 1, 3, 3]
    assert [sorted(each) for each in found.levels] == [[0], [1], [2], [3]]
    once = column(["123*", "12*", "1*"], "prefix: {keep: [3, 2]}")
    assert named(once) == [[2], [1, 2], [0]]  # 1* can only be the value 1, shorter than what is kept


def test_null_is_a_value_where_it_is_released() -> None:
    found = column([None, "x", "*"], PLAN)
    assert named(found) == [[2], [0], [0, 1, 2]]
    assert sorted(found.levels[0]) == [0]
    under_a_star = column(["x", "*"], PLAN)
    assert (under_a_star.value_of(None), named(under_a_star)) == (2, [[0], [0, 1, 2]])


def test_a_label_of_two_levels_may_be_of_either() -> None:
    """`a` is the value a at level 0, and a and b at level 1."""
    found = column(["a", "*"], "mapping:\n  a: [a]\n  b: [a]\n  c: [c]\n")
    assert named(found) == [[0, 1], [0, 1, 2, 3]]
    assert [each.tolist() for each in found.attribute.sure] == [[0], [0, 1, 2, 3]]
    assert sorted(found.levels[0]) == [0, 1]


ONE = "mapping:\n  1: ['1']\n  2: ['1']\n  3: [high]\n  4: [high]\n"
"""The group `1` of ages 1 and 2, called as the value 1."""


@pytest.mark.slow
def test_a_label_of_two_levels_is_read_as_both(tmp_path: Path) -> None:
    """(1, x) is the group, (1, y) the value: beside (2, y) it cannot be the group and have the value 2."""
    release = [("1", "x")] * 4 + [("1", "y")] * 2 + [("2", "y")] * 2
    before = [("1", "x")] * 3 + [("2", "x")] + release[4:]
    found = judged(tmp_path, release, {"age": ONE, "plan": PLAN}, original=before, k=2)
    assert (found.rows_generalised, found.rows_narrowed, found.classes_contradicted) == (6, 2, 0)
    assert [(each.labels, each.left) for each in found.worst] == [({"age": "1", "plan": "y"}, {"age": 1, "plan": 1})]
    assert found.checked is not None
    assert (found.checked.right, found.checked.classes, found.checked.uncovered) == (3, 3, 0)
    # Of another original the inferred set is wrong, and said to be: a row of the value 2 is in the class.
    other = judged(
        tmp_path, release, {"age": ONE, "plan": PLAN}, original=[*before[:4], ("1", "y"), *[("2", "y")] * 3], k=2
    )
    assert other.checked is not None
    assert other.checked.wrong == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"release": [("5", "x")] * 2}, HierarchyError, "column 'age': labels of fewer than 5 rows are in no level"),
        ({"release": [("5", "x")] * 6}, HierarchyError, "column 'age': labels of 6 rows are in no level"),
        ({"release": []}, InputError, "there are no rows in it"),
        ({"k": 3}, Refused, "not 3-anonymous: a class has fewer than 3 rows"),
        ({"k": 1}, InputError, "--k: k is at least 2"),
        ({"hierarchies": {}}, InputError, "no hierarchy says which values the labels name. Give that of each"),
        ({"hierarchies": {"agee": AGE}}, UnknownName, "--hierarchy: there is no column 'agee'. Did you mean 'age'?"),
        ({"columns": ["age", "town"]}, UnknownName, "--columns: there is no column 'town'"),
        ({"where": "age = 1"}, InputError, "--where: there is no original to filter"),
        ({"rounds": []}, InputError, "rounds: no rounds are listed"),
        ({"rounds": [{"classes": 3}]}, InputError, "rounds: round 1 has no `levels` by column"),
        ({"rounds": [{"levels": {"age": 0}}]}, InputError, "round 1 has no level of 'plan' that its hierarchy has"),
        ({"rounds": [{"levels": {"age": 9, "plan": 0}}]}, InputError, "round 1 has no level of 'age'"),
        ({"rounds": [{"levels": {"age": 0, "plan": 0, "x": 0}}]}, InputError, "round 1 has a level of 'x', which is"),
        ({"rounds": ROUNDS[:2]}, InputError, "1 of the 4 classes are at the levels of no round"),
    ],
)
def test_bad_input(tmp_path: Path, options: dict[str, Any], error: type[OrdermadeError], message: str) -> None:
    with pytest.raises(error) as raised:
        judged(tmp_path, **options)
    assert message in raised.value.message


@pytest.mark.slow
def test_rounds_that_leave_a_class_no_row_are_refused(tmp_path: Path) -> None:
    """(low, x) is of the first round, so that (1, x) of the second has no row left."""
    release = [("low", "x")] * 2 + [("1", "x")] * 2
    rounds = [{"levels": {"age": 1, "plan": 0}}, {"levels": {"age": 0, "plan": 0}}]
    with pytest.raises(InputError, match="by these rounds 1 of the 2 classes could have no row"):
        judged(tmp_path, release, rounds=rounds)


def test_without_rounds_a_contradiction_is_counted(tmp_path: Path) -> None:
    release = [("1", "x")] * 2 + [("2", "x")] * 2 + [("low", "x")] * 2
    found = judged(tmp_path, release)
    assert (found.classes_contradicted, found.rows_narrowed) == (1, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the file cannot be read"),
        ("no", "the file is not JSON"),
        ("{}", "no rounds are listed"),
        ('{"rounds": [1]}', "round 1 has no `levels`"),
    ],
)
def test_a_file_without_rounds_is_refused(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "rounds.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        judged(tmp_path, rounds=path)


@pytest.mark.parametrize("within", [lambda each: each, lambda each: {"local": each}])
def test_rounds_are_read_from_a_manifest_or_an_answer(tmp_path: Path, within: Any) -> None:
    path = tmp_path / "rounds.json"
    path.write_text(json.dumps(within({"rounds": ROUNDS})), encoding="utf-8")
    assert judged(tmp_path, rounds=path).rounds == 3


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine that released the members of docs/tasks/local-recoding.md, and its folder as that of the state."""
    folder = tmp_path_factory.mktemp("members")
    make_members(folder / "members.duckdb", 20_000)
    engine = new_engine(folder)
    engine.sources.add("shop", str(folder / "members.duckdb"))
    engine.datasets.add("members", "shop", table="members")
    columns = {"sex": "sex.yaml", "age": "age.yaml", "prefecture": "prefecture.csv"}
    for name, file in columns.items():
        engine.hierarchies.add(name, HIERARCHIES / file)
    request = unsealed_request("members", 20, columns, folder / "local.parquet", suppression_limit=0.01)
    (folder / "run.json").write_text(json.dumps(engine.run(request).as_dict()), encoding="utf-8")
    return engine


def released(engine: Engine) -> Path:
    return Path(str(engine.state)).parents[1] / "local.parquet"


@pytest.mark.slow
def test_the_members_of_the_docs_can_be_narrowed(members: Engine) -> None:
    """A third of the generalised rows, three quarters of the rows with a generalised prefecture; every set is right."""
    run = released(members).with_name("run.json")
    found = members.judge_recoding(released(members), original="shop.members", rounds=run)
    assert (found.rows, found.classes, found.rounds, found.k) == (19_992, 655, 15, 20)
    assert (found.rows_generalised, found.rows_narrowed) == (16_827, 5_556)
    assert round(100 * found.share, 1) == 33.0
    assert {each.column: round(100 * each.share, 1) for each in found.columns} == {
        "sex": 0.0,
        "age": 18.5,
        "prefecture": 76.8,
    }
    assert (found.classes_narrowed, found.classes_by_labels, found.classes_by_rounds) == (177, 125, 52)
    assert (found.classes_given_up, found.classes_contradicted) == (0, 0)
    worst = found.worst[0]
    assert (worst.labels, worst.rows) == ({"sex": "male", "age": "[40, 60)", "prefecture": "East"}, 26)
    assert worst.named == {"sex": 1, "age": 20, "prefecture": 23}
    assert worst.left == {"sex": 1, "age": 10, "prefecture": 2}
    assert found.checked is not None
    assert (found.checked.right, found.checked.classes, found.checked.uncovered) == (655, 655, 8)


@pytest.mark.slow
def test_a_hierarchy_that_changed_since_the_release_is_refused(members: Engine, tmp_path: Path) -> None:
    for path in released(members).parent.glob("local.parquet*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    manifest = tmp_path / "local.parquet.manifest.json"
    content = json.loads(manifest.read_text(encoding="utf-8"))
    content["quasi_identifiers"][1]["hierarchy_hash"] = "0"
    manifest.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(HierarchyError, match="manifest, column 'age': the hierarchy 'age' changed since the release"):
        members.judge_recoding(tmp_path / "local.parquet")
    with pytest.raises(UnknownName, match="manifest, column 'sex': there is no registered hierarchy 'sex'"):
        Engine(tmp_path / "none").judge_recoding(tmp_path / "local.parquet")


ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


@pytest.mark.thorough
def test_adult_is_judged_exactly(tmp_path: Path, shared_data: Path) -> None:
    """Eight columns, k = 5: a quarter of the generalised rows are narrowed, and every inferred set is right."""
    files = shared_data / "arx" / "adult"
    engine = new_engine(tmp_path)
    engine.sources.add("census", str(files / "adult.csv"))
    engine.datasets.add("adult", "census", table="adult")
    for name in ADULT:
        engine.hierarchies.add(name, files / f"adult_hierarchy_{name}.csv")
    to = tmp_path / "adult.parquet"
    request = unsealed_request("adult", 5, ADULT, to, suppression_limit=0.05, search={"objective": "loss"})
    rounds = engine.run(request).as_dict()["local"]["rounds"]
    found = engine.judge_recoding(to, original="census.adult", rounds=rounds)
    assert (found.classes, found.rows_generalised, found.rows_narrowed) == (4_578, 21_973, 5_286)
    assert (found.classes_by_labels, found.classes_by_rounds, found.classes_given_up) == (635, 229, 0)
    assert found.checked is not None
    assert found.checked.wrong == 0


@pytest.mark.slow
def test_a_sealed_release_cannot_be_narrowed(members: Engine, tmp_path: Path) -> None:
    """The same request, sealed: no row is narrowed, whoever knows the nodes, and every set is right."""
    to = tmp_path / "sealed.parquet"
    columns = ("sex", "age", "prefecture")
    request = unsealed_request("members", 20, columns, to, suppression_limit=0.01) | {"recoding": "local"}
    rounds = members.run(request).as_dict()["local"]["rounds"]
    for known in (None, rounds):
        found = members.judge_recoding(to, original="shop.members", rounds=known)
        assert (found.rows_narrowed, found.classes_narrowed, found.classes_contradicted) == (0, 0, 0)
        assert found.checked is not None
        assert found.checked.right == found.checked.classes == found.classes


def test_a_file_of_rounds_is_regular_and_not_too_deep(tmp_path: Path) -> None:
    pipe, deep = tmp_path / "pipe.json", tmp_path / "deep.json"
    os.mkfifo(pipe)
    deep.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(InputError, match="this is no regular file"):
        rounds_in(pipe)
    with pytest.raises(InputError, match="the file is not JSON"):
        rounds_in(deep)


def test_null_is_a_value_under_a_star_that_the_release_has_in_no_other_cell(tmp_path: Path) -> None:
    """All labels below `*` are taken by the rounds before it: what remains of it is NULL, and no contradiction."""
    rounds = [{"levels": {"plan": 0}}, {"levels": {"plan": 1}}]
    found = judged(
        tmp_path,
        [("x",)] * 2 + [("y",)] * 2 + [("*",)] * 2,
        {"plan": PLAN},
        header=("plan",),
        rounds=rounds,
    )
    (plan,) = found.columns
    assert (found.rows_narrowed, plan.named, plan.left) == (2, 3, 1)


def test_the_engine_s_own_csv_is_judged_beside_its_manifest(tmp_path: Path) -> None:
    """All of its cells look like names: those of the first line are in the manifest."""
    engine = new_engine(tmp_path)
    rows = [("x", "p")] * 4 + [("y", "q")] * 4 + [("x", "q")] * 2 + [("y", "p")]
    table(tmp_path / "people.csv", rows, ("plan", "ward"))
    engine.sources.add("s", str(tmp_path / "people.csv"), header=True)
    engine.datasets.add("people", "s", table="people", least_k=2)
    for name, text in (("plan", PLAN), ("ward", "mapping:\n  p: ['*']\n  q: ['*']\n")):
        engine.hierarchies.add(name, text)
    columns = {"plan": {"hierarchy": "plan"}, "ward": {"hierarchy": "ward"}}
    request = {"dataset": "people", "k": 2, "quasi_identifiers": columns, "recoding": {"kind": "local", "seal": False}}
    result = engine.run({**request, "suppression_limit": 0.5, "release": {"to": str(tmp_path / "out.csv")}})
    assert result.released, result.reason
    found = engine.judge_recoding(tmp_path / "out.csv")
    assert [each.column for each in found.columns] == ["plan", "ward"]


def test_the_engine_s_own_csv_is_judged_without_the_apostrophes_that_its_manifest_names(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    rows = [("=x", 1)] * 4 + [("'+y", 2)] * 4 + [("=x", 2)] * 2 + [("'+y", 1)]
    table(tmp_path / "people.csv", rows, ("-plan", "ward"))
    engine.sources.add("s", str(tmp_path / "people.csv"), header=True)
    engine.datasets.add("people", "s", table="people", least_k=2)
    plan = "mapping:\n  '=x': ['@', '*']\n  \"'+y\": ['@', '*']\n"
    for name, text in (("plan", plan), ("ward", "mapping:\n  1: ['*']\n  2: ['*']\n")):
        engine.hierarchies.add(name, text)
    columns = {"-plan": {"hierarchy": "plan"}, "ward": {"hierarchy": "ward"}}
    request = {"dataset": "people", "k": 2, "quasi_identifiers": columns, "recoding": {"kind": "local", "seal": False}}
    judged = []
    for formulas in ("keep", "escape"):
        to = tmp_path / f"{formulas}.csv"
        release = {"to": str(to), "csv": {"formulas": formulas}}
        result = engine.run({**request, "suppression_limit": 0.5, "release": release})
        assert result.released, result.reason
        judged.append(replace(engine.judge_recoding(to), release="", classes_by_rounds=0))
    assert "'=x" in to.read_text(encoding="utf-8")
    assert [each.column for each in judged[1].columns] == ["-plan", "ward"]
    assert judged[0] == judged[1]
