"""Releases made elsewhere, taken into the ledger: what they show, and what is wrong with a file, never with a value."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordermade import Engine, HierarchyError, ImportOptions, InputError, Refused, UnknownName
from ordermade.errors import FilterError, OrdermadeError, SourceFault, StateDamaged, StateFault
from ordermade.ledger.entries import ShownClasses
from ordermade.ledger.figures import UNBOUNDED
from ordermade.state import audit
from ordermade.state.ledger import Ledger
from tests.made import new_engine, write_hierarchy

pytest.importorskip("scipy")

SIZES = {
    ("oslo", "f", 21): 12,
    ("oslo", "f", 52): 11,
    ("oslo", "m", 21): 9,
    ("oslo", "m", 52): 13,
    ("bergen", "f", 21): 10,
    ("bergen", "f", 52): 2,
    ("bergen", "m", 21): 14,
    ("rome", "m", 52): 12,
}
RARE = "bergen"
"""A value of a small class, which no message has."""
NAMED = {"town": "town", "sex": "sex", "age": "age"}


def written(path: Path, header: str, rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])
    return path


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    people = [(*each, "flu" if place % 2 else "gout") for each, n in SIZES.items() for place in range(n)]
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(written(tmp_path / "people.csv", "town,sex,age,ill", people)))
    engine.datasets.add("people", "s", table="people", least_k=3)
    towns = [("oslo", "north", "*"), ("bergen", "north", "*"), ("rome", "south", "*")]
    engine.hierarchies.add("town", write_hierarchy(tmp_path / "town.csv", ["value", "region", "all"], towns))
    engine.hierarchies.add("sex", write_hierarchy(tmp_path / "sex.csv", ["value", "all"], [("f", "*"), ("m", "*")]))
    engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 20}]}})
    return engine


REGIONS = {"oslo": "north", "bergen": "north", "rome": "south"}


def regions(*, without: Sequence[str] = ()) -> list[tuple[str, str, str, str]]:
    """The rows at regions, all ages and sexes, with their ills."""
    return [
        (REGIONS[town], sex, "*", "flu" if place % 2 else "gout")
        for (town, sex, _), n in SIZES.items()
        for place in range(n)
        if town not in without
    ]


def shown(engine: Engine, number: int = 1) -> tuple[ShownClasses, ...]:
    return Ledger(engine.state_file.path.with_name("ledger.sqlite")).entry(number).shown.classes


def of_label(classes: ShownClasses) -> dict[tuple[str | None, ...], int]:
    return {
        tuple(own[code] for own, code in zip(classes.labels, codes, strict=True)): int(n)
        for codes, n in zip(classes.codes.tolist(), classes.least.tolist(), strict=True)
    }


def options(**more: Any) -> ImportOptions:
    return ImportOptions(**{"hierarchies": NAMED, **more})


def test_rows_are_classes_at_the_levels_of_their_labels(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path / "old.csv", "town,sex,age,ill", regions())
    found = engine.import_release(file, "people", ["a", "b"], options(k=5))
    assert (found.entry, found.is_new, found.recipients) == (1, True, ("a", "b"))
    assert found.levels == ("town: region", "sex: value")
    assert (found.rows, found.classes, found.small_classes, found.agrees) == (83, 3, 0, True)
    assert (found.answer, found.values) == ("safe", ("ill",))
    classes, with_values = shown(engine)
    assert of_label(classes) == {("north", "f"): 35, ("north", "m"): 36, ("south", "m"): 12}
    assert len(with_values.least) == 6
    (entry,) = engine.ledger.list()
    assert (entry.release, entry.method, entry.status) == (None, "import", "released")
    assert (entry.recipients, entry.k, entry.unjudged) == (("a", "b"), 5, "")
    with engine.state_file.reading() as connection:
        (noted,) = (each for each in audit.audit_entries(connection) if each.action == "ledger import")
    assert (noted.subject, str(file) in (noted.detail or "")) == ("people", True)


def test_the_same_content_is_there_once_for_the_same_recipients(engine: Engine, tmp_path: Path) -> None:
    rows = regions()
    first = engine.import_release(written(tmp_path / "a.csv", "town,sex,age,ill", rows), "people", ["a"], options())
    other = written(tmp_path / "b.csv", "town,sex,age,ill", rows[::-1])
    again = engine.import_release(other, "people", ["a"], options())
    assert (again.entry, again.is_new) == (first.entry, False)
    another = engine.import_release(other, "people", ["b"], options())
    assert another.is_new
    assert another.entry != first.entry
    engine.ledger.destroyed(first.entry)
    assert not engine.import_release(other, "people", ["a"], options()).is_new
    assert [each.status for each in engine.ledger.list()] == ["released", "released"]


def test_a_file_that_is_not_k_anonymous_is_named_and_counts(engine: Engine, tmp_path: Path) -> None:
    rows = [
        (town, sex, "*" if town == "x" else "[20, 40)" if age < 40 else "[40, 60)")
        for (town, sex, age), n in SIZES.items()
        for _ in range(n)
    ]
    found = engine.import_release(written(tmp_path / "a.csv", "town,sex,age", rows), "people", (), options(k=3))
    assert (found.answer, found.small_classes, found.classes) == ("breach", None, 8)
    assert found.warning == "It is not 3-anonymous: fewer than 3 of its classes have fewer than 3 rows."
    assert RARE not in str(found)
    assert engine.ledger.list()[0].status == "released"
    assert of_label(shown(engine)[0])["bergen", "f", "[40, 60)"] == 2


def test_the_promised_k_decides_where_the_dataset_has_a_smaller_one(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", HEADER, regions())
    found = engine.import_release(file, "people", (), options(k=13))
    assert (found.answer, found.agrees) == ("breach", True)
    assert found.reasons == ("fewer than 13 of its classes have fewer than k rows",)


def test_suppressed_rows_that_stayed_are_known_by_their_number(engine: Engine, tmp_path: Path) -> None:
    rows = [
        (town, sex, "*") if (town, sex) != ("rome", "m") else ("*", "*", "*")
        for (town, sex, _), n in SIZES.items()
        for _ in range(n)
    ]
    found = engine.import_release(written(tmp_path / "a.csv", "town,sex,age", rows), "people", (), options(k=13))
    (classes,) = shown(engine)
    assert (classes.rest, classes.others_most, found.classes) == ((12, 12), 12, 4)
    assert found.agrees


def test_classes_that_are_left_out_are_found_by_the_data_of_today(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "town,sex,age,ill", regions(without=["rome"]))
    found = engine.import_release(file, "people", (), options(k=20))
    assert (found.agrees, {each.others_most for each in shown(engine)}) == (True, {19})
    complete = engine.import_release(file, "people", (), options(k=20, dropped=False))
    assert (complete.agrees, complete.answer) == (False, "undecided")
    assert complete.reasons == ("its figures are not those of the data of today",)


TABLE = [
    *(("north", "f", 35), ("north", "m", 36), ("north", "Total", 71)),
    *(("south", "f", 0), ("south", "m", 12), ("south", "Total", 12)),
    *(("Total", "f", 35), ("Total", "m", 48), ("Total", "Total", 83)),
]


def test_a_table_with_totals_is_a_partition_for_each_combination_of_levels(engine: Engine, tmp_path: Path) -> None:
    hierarchies = {"town": "town", "sex": "sex"}
    file = written(tmp_path / "t.csv", "town,sex,count", TABLE)
    found = engine.import_release(file, "people", (), ImportOptions(hierarchies, count="count"))
    assert (found.classes, found.rows, found.agrees, found.answer) == (9, 83, True, "safe")
    assert sorted(len(each.least) for each in shown(engine)) == [1, 2, 2, 4]
    rows = [(*each[:2], "X") if each[:2] in {("south", "f"), ("south", "m")} else each for each in TABLE]
    hidden = engine.import_release(
        written(tmp_path / "h.csv", "town,sex,count", rows), "people", (), ImportOptions(hierarchies, count="count")
    )
    assert hidden.answer == "breach"  # each is what is left of its totals
    finest = max(shown(engine, 2), key=lambda each: len(each.least))
    assert (finest.hidden.sum(), finest.most[finest.hidden].tolist()) == (2, [UNBOUNDED] * 2)


def test_subtotals_are_levels(engine: Engine, tmp_path: Path) -> None:
    rows = [("oslo", 45), ("bergen", 26), ("rome", 12), ("north", 71), ("south", 12), ("Total", 83)]
    file = written(tmp_path / "t.csv", "town,n", rows)
    found = engine.import_release(file, "people", (), ImportOptions({"town": "town"}, count="n"))
    assert sorted(len(each.least) for each in shown(engine)) == [1, 2, 3]
    assert (found.levels, found.agrees) == (("town: value, region",), True)


def test_sums_that_do_not_hold_are_refused(engine: Engine, tmp_path: Path) -> None:
    rows = [*TABLE[:2], ("north", "Total", 72), *TABLE[3:]]
    file = written(tmp_path / "t.csv", "town,sex,count", rows)
    with pytest.raises(Refused, match="2 sums do not add up, over 'sex', 'town'") as caught:
        engine.import_release(file, "people", (), ImportOptions({"town": "town", "sex": "sex"}, count="count"))
    assert not engine.ledger.list()
    assert "72" not in str(caught.value)


def released(engine: Engine, folder: Path, **more: Any) -> Path:
    file = folder / "own.csv"
    levels = {"town": 1, "sex": 0, "age": 2}
    wanted = {each: {"hierarchy": each, "from": level, "to": level} for each, level in levels.items()}
    request = {"dataset": "people", "k": 3, "quasi_identifiers": wanted, "release": {"to": str(file)}}
    assert engine.run({**request, **more}).released
    return file


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"keep": ["ill"]},
        {"k": 13, "suppression_limit": 0.2},
        {"k": 13, "suppression_limit": 0.2, "suppressed": "star"},
        {"where": "age < 40"},
        {"sensitive": {"ill": [{"model": "distinct_l", "l": 2}]}},
    ],
)
def test_a_file_with_its_manifest_is_taken_in_as_it_was_released(
    engine: Engine, tmp_path: Path, more: dict[str, Any]
) -> None:
    file = released(engine, tmp_path, **more)
    found = engine.import_release(file, "people")
    own, taken = Ledger(engine.state_file.path.with_name("ledger.sqlite")).entries()
    assert found.agrees
    assert (own.filter, own.k, own.shown.levels) == (taken.filter, taken.k, taken.shown.levels)
    assert (own.shown.values, own.shown.required) == (taken.shown.values, taken.shown.required)
    for one, other in zip(own.shown.classes, taken.shown.classes, strict=True):
        assert (one.columns, one.others_most, one.rest) == (other.columns, other.others_most, other.rest)
        assert of_label(one) == of_label(other)
        assert np.array_equal(np.sort(one.most), np.sort(other.most))


def test_a_release_of_classes_with_its_manifest_is_taken_in_too(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "classes.csv"
    wanted = {each: {"hierarchy": each, "from": 0, "to": 0} for each in ("town", "sex")}
    request = {"dataset": "people", "k": 13, "quasi_identifiers": wanted, "suppression_limit": 0.3}
    assert engine.run({**request, "release": {"to": str(file), "shape": "table"}}).released
    found = engine.import_release(file, "people")
    own, taken = (shown(engine, number)[0] for number in (1, 2))
    assert (own.rest, own.others_most, of_label(own)) == (taken.rest, taken.others_most, of_label(taken))
    assert found.agrees


def test_a_file_that_is_not_that_of_its_manifest_is_refused(engine: Engine, tmp_path: Path) -> None:
    file = released(engine, tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace("south", "north"), encoding="utf-8")
    with pytest.raises(Refused, match="not the one that its manifest is of"):
        engine.import_release(file, "people")
    assert len(engine.ledger.list()) == 1


def test_another_version_of_a_hierarchy_is_named(engine: Engine, tmp_path: Path) -> None:
    file = released(engine, tmp_path)
    towns = [("oslo", "coast", "*"), ("bergen", "coast", "*"), ("rome", "south", "*")]
    engine.hierarchies.add("town", write_hierarchy(tmp_path / "town2.csv", ["value", "region", "all"], towns))
    with pytest.raises(HierarchyError, match="'town' is another version than that of the release"):
        engine.import_release(file, "people")
    given = ImportOptions({"town": tmp_path / "town.csv"})
    assert engine.import_release(file, "people", (), given).agrees
    shutil.copy(file, tmp_path / "plain.csv")
    with pytest.raises(HierarchyError, match="labels of 71 rows are in no level"):
        engine.import_release(tmp_path / "plain.csv", "people", (), options())


def test_a_release_of_no_levels_is_remembered_as_such(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    request = {"dataset": "people", "k": 3, "method": "mondrian", "release": {"to": str(file)}, "keep": ["ill"]}
    assert engine.run({**request, "quasi_identifiers": {"town": {"hierarchy": "town"}}}).released
    found = engine.import_release(file, "people")
    assert (found.answer, found.agrees, found.classes) == ("undecided", None, 0)
    assert "of no one level" in engine.ledger.list()[0].unjudged
    assert engine.ledger.list()[0].values == ("ill",)


HEADER = "town,sex,age,ill"


@pytest.mark.parametrize(
    ("header", "rows", "more", "error", "message"),
    [
        (HEADER, [("atlantis", "f", "*", "flu")] * 5, {}, HierarchyError, "column 'town': labels of 5 rows are in no"),
        (HEADER, [("atlantis", "f", "*", "flu")], {"k": 3}, HierarchyError, "labels of fewer than 3 rows are in no"),
        (
            HEADER,
            [("north", "f", "*", "flu"), ("oslo", "f", "*", "flu")],
            {},
            HierarchyError,
            "column 'town': its labels are of several levels: 'value', 'region'",
        ),
        (HEADER, [("north", "f", "*", "flu"), ("*", "f", "*", "flu")], {}, HierarchyError, "of several levels"),
        (
            "town,sex,years",
            [("north", "f", "*")],
            {"hierarchies": {"town": "town"}},
            InputError,
            "as none of the dataset",
        ),
        ("town,years", [("north", 7)], {"hierarchies": {"town": "town"}}, UnknownName, "'years'"),
        (HEADER, [("north", "f", "*", "flu")], {"hierarchies": {"tawn": "town"}}, UnknownName, "'tawn'"),
        (HEADER, [("north", "f", "*", "flu")], {"hierarchies": {"town": "towns"}}, UnknownName, "'towns'"),
        (HEADER, [("north", "f", "*", "flu")], {"hierarchies": {}}, InputError, "no hierarchy says"),
        (HEADER, [("north", "f", "*", "flu")], {"levels": {"town": "country"}}, UnknownName, "'country'"),
        (HEADER, [("north", "f", "*", "flu")], {"levels": {"town": 0}}, HierarchyError, "of the level 'value'"),
        (HEADER, [("north", "f", "*", "flu")], {"levels": {"ill": 0}}, InputError, "'ill' has no hierarchy"),
        (HEADER, [("north", "f", "*", "flu")], {"k": 1}, InputError, "at least 2"),
        (HEADER, [("north", "f", "*", "flu")], {"where": "height > 3"}, FilterError, "height"),
        (HEADER, [], {}, InputError, "no rows"),
        ("town,TOWN,age", [("north", "south", "*")], {"hierarchies": {"town": "town"}}, OrdermadeError, "share a name"),
        (
            "town,n",
            [("north", 5), ("north", 6)],
            {"hierarchies": {"town": "town"}, "count": "n"},
            InputError,
            "more than once",
        ),
        (
            "town,n",
            [("north", "many")],
            {"hierarchies": {"town": "town"}, "count": "n"},
            InputError,
            "neither a number",
        ),
        (
            "town,ill,n",
            [("north", "flu", 5)],
            {"hierarchies": {"town": "town"}, "count": "n"},
            InputError,
            "column 'ill'",
        ),
        (
            "town,n",
            [("north", 5), ("atlantis", 7)],
            {"hierarchies": {"town": "town"}, "count": "n"},
            HierarchyError,
            "labels of 7 rows",
        ),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_taken_in(
    engine: Engine,
    tmp_path: Path,
    header: str,
    rows: list[tuple[object, ...]],
    more: dict[str, Any],
    error: type[OrdermadeError],
    message: str,
) -> None:
    file = written(tmp_path / "bad.csv", header, rows)
    with pytest.raises(error, match=message) as caught:
        engine.import_release(file, "people", (), options(**more))
    assert "atlantis" not in str(caught.value)
    assert not engine.ledger.list()


def test_an_unknown_dataset_or_file_is_named(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", HEADER, regions())
    with pytest.raises(UnknownName, match="persons"):
        engine.import_release(file, "persons", (), options())
    with pytest.raises(InputError, match="neither a file"):
        engine.import_release(tmp_path / "none.csv", "people", (), options())
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises((InputError, SourceFault)):
        engine.import_release(tmp_path / "empty.csv", "people", (), options())
    assert not engine.ledger.list()


def test_a_first_line_that_may_be_data_is_not_listed(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "bergen,f", [("oslo", "f")] * 5 + [("oslo", "m")] * 5)
    with pytest.raises(OrdermadeError) as caught:
        engine.import_release(file, "people", (), ImportOptions({"town": "town"}))
    assert RARE not in caught.value.message
    named = written(tmp_path / "b.csv", "town,bergen", [("oslo", "f")] * 5 + [("oslo", "m")] * 5)
    with pytest.raises(InputError, match="may be data, so it is not listed") as caught:
        engine.import_release(named, "people", (), ImportOptions({"town": "town"}))
    assert RARE not in caught.value.message


def test_labels_of_two_levels_alike_take_a_level(engine: Engine, tmp_path: Path) -> None:
    twice = [("f", "f", "*"), ("m", "m", "*")]
    hierarchy = write_hierarchy(tmp_path / "twice.csv", ["value", "again", "all"], twice)
    file = written(tmp_path / "a.csv", "sex", [("f",)] * 35 + [("m",)] * 48)
    with pytest.raises(InputError, match="of the levels 'value', 'again' alike"):
        engine.import_release(file, "people", (), ImportOptions({"sex": hierarchy}))
    found = engine.import_release(file, "people", (), ImportOptions({"sex": hierarchy}, {"sex": "again"}))
    assert (found.levels, found.agrees) == (("sex: again",), True)


def test_a_release_of_persons_with_several_rows_is_not_judged(engine: Engine, tmp_path: Path) -> None:
    engine.datasets.add("by ill", "s", table="people", entity="ill", least_k=2)
    file = written(tmp_path / "a.csv", HEADER, regions())
    found = engine.import_release(file, "by ill", (), options())
    assert (found.answer, found.agrees) == ("undecided", None)
    assert engine.ledger.list()[0].unjudged == "counts persons, who may have several rows"


def test_a_ledger_that_cannot_be_written_takes_nothing_in(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "a.csv", HEADER, regions())

    def failing(*_: object, **__: object) -> None:
        raise StateFault("the ledger is full", where="ledger.sqlite")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "add", failing)
        with pytest.raises(StateFault, match="full"):
            engine.import_release(file, "people", (), options())
    assert not engine.ledger.list()
    assert engine.import_release(file, "people", (), options()).is_new
    with engine.state_file.reading() as connection:
        noted = [each for each in audit.audit_entries(connection) if each.action == "ledger import"]
    assert len(noted) == 2  # the audit has it before the ledger: never an entry that nobody noted


def test_beside_a_damaged_ledger_nothing_is_taken_in(engine: Engine, tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", HEADER, regions())
    engine.import_release(file, "people", (), options())
    ledger = engine.state_file.path.with_name("ledger.sqlite")
    ledger.write_bytes(b"no database at all, but a text of some length")
    with pytest.raises(StateDamaged, match="ledger"):
        engine.import_release(file, "people", (), options())
