"""Hierarchies from code lists: the tree of the rows, their validity, and what is no hierarchy."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue import code_lists
from ordermade.cli.exit_status import exit_status_of
from ordermade.cli.main import app
from ordermade.errors import CodeListError, HierarchyError, InputError, StateDamaged, UnknownName
from ordermade.hierarchies.code_lists import (
    CodeList,
    changes_between,
    code_list_hierarchy,
    code_list_of,
    day_of,
)
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.state.sources import SOURCES
from ordermade.state.statements import utc_now
from tests.made import new_engine

PARENTS = CodeList("db", "codes", "code", "parent")
NAMES = CodeList("db", "codes", "code", "parent", label="name")
DAYS = CodeList(
    "db", "codes", "code", "parent", valid_on=date(2020, 4, 1), valid_from="valid_from", valid_to="valid_to"
)
LEVELS = CodeList("db", "codes", "code", levels=("town", "country"))

Row = tuple[str | None, ...]


def taken(code_list: CodeList, *rows: Row) -> ExplicitHierarchy:
    return code_list_hierarchy("h", code_list, rows)[0]


def paths(hierarchy: ExplicitHierarchy) -> dict[str | None, tuple[str, ...]]:
    """The labels of each value at the levels between the value and `*`."""
    return dict(zip(hierarchy.leaves, zip(*hierarchy.labels[:-1], strict=True), strict=True))


def fault(code_list: CodeList, *rows: Row) -> tuple[str, str]:
    with pytest.raises(CodeListError) as caught:
        taken(code_list, *rows)
    assert caught.value.exit_status == 2
    return caught.value.what, caught.value.reason


def test_a_short_chain_keeps_its_own_label_up_to_the_level_of_its_depth() -> None:
    rows: list[Row] = [("r", None), ("r1", "r"), ("r11", "r1"), ("r111", "r11"), ("r2", "r"), ("s", None)]
    found = taken(PARENTS, *rows)
    assert paths(found) == {"r111": ("r11", "r1", "r"), "r2": ("r2", "r2", "r"), "s": ("s", "s", "s")}
    assert found.order.is_chain()


def test_null_the_empty_text_and_the_code_itself_are_no_parent() -> None:
    found = taken(PARENTS, ("a", None), ("b", ""), ("c", "c"), ("a1", "a"), ("b1", "b"), ("c1", "c"))
    assert paths(found) == {"a1": ("a",), "b1": ("b",), "c1": ("c",)}


def test_one_root_is_the_star() -> None:
    found, notes = code_list_hierarchy("h", PARENTS, [("all", None), ("a", "all"), ("b", "all"), ("a1", "a")])
    assert paths(found) == {"a1": ("a",), "b": ("b",)}
    assert notes == ("the level given as number 2 has one label, 'all': it is now '*'",)


def test_a_list_without_anything_above_has_values_and_the_star() -> None:
    assert [each.name for each in taken(PARENTS, ("a", None), ("b", None)).levels] == ["value", "*"]


def test_codes_above_others_are_values_where_that_is_said() -> None:
    rows: list[Row] = [("a", None), ("a1", "a"), ("a11", "a1")]
    assert taken(PARENTS, *rows, ("b", None)).leaves == ("a11", "b")
    with_inner = CodeList("db", "codes", "code", "parent", inner_codes=True)
    assert paths(taken(with_inner, *rows, ("b", None))) == {
        "a": ("a", "a"),
        "a1": ("a1", "a"),
        "a11": ("a1", "a"),
        "b": ("b", "b"),
    }


def test_the_tree_of_random_lists_is_that_of_their_parents() -> None:
    draw = random.Random(8)
    for _ in range(200):
        parents: dict[str, str | None] = {}
        for number in range(draw.randrange(1, 30)):
            parents[f"c{number}"] = draw.choice([None, *parents])
        rows: list[Row] = list(parents.items())
        draw.shuffle(rows)
        found = taken(PARENTS, *rows, *rows[:3])
        chains = {code: [code] for code in parents}
        for chain in chains.values():
            while (above := parents[chain[0]]) is not None:
                chain.insert(0, above)
        leaves = [code for code in parents if code not in parents.values()]
        longest = max(len(chains[each]) for each in leaves)
        by_hand = {
            leaf: tuple(chains[leaf][: depth + 1][-1] for depth in range(longest - 2, -1, -1)) for leaf in leaves
        }
        roots = {chains[leaf][0] for leaf in leaves}
        assert found.order.is_chain()
        if len(roots) > 1 and longest > 1:
            assert paths(found) == by_hand


def test_a_name_of_different_codes_keeps_the_code_and_no_other_does() -> None:
    rows: list[Row] = [
        ("1", None, "Tokyo"), ("2", None, "Hiroshima"), ("11", "1", "Fuchu"), ("21", "2", "Fuchu"),
        ("12", "1", "Mitaka"),
        ("111", "11", "east"), ("211", "21", "east"), ("121", "12", "all"), ("3", None, "Kyoto"), ("31", "3", "Kyoto"),
        ("311", "31", "x"), ("22", "2", None), ("221", "22", "y"),
    ]  # fmt: skip
    found, notes = code_list_hierarchy("h", NAMES, rows)
    assert paths(found) == {
        "111": ("Fuchu (11)", "Tokyo"),
        "121": ("Mitaka", "Tokyo"),
        "211": ("Fuchu (21)", "Hiroshima"),
        "221": ("22", "Hiroshima"),
        "311": ("Kyoto", "Kyoto"),
    }
    assert notes[:2] == (
        "1 code has no name and is its own label",
        "1 name stands for different codes: the code is beside it",
    )


def test_a_name_with_a_code_that_another_has_is_no_label() -> None:
    rows: list[Row] = [("1", None, "a"), ("2", None, "a"), ("3", None, "a (1)"), ("11", "1", "x"), ("21", "2", "x")]
    what, reason = fault(NAMES, *rows)
    assert what == "1 label stands for different codes, even with the code beside it"
    assert reason == "'a (1)'"


def test_faults_count_and_the_reason_names_the_codes() -> None:
    assert fault(PARENTS) == ("there are no rows in it", "")
    assert fault(PARENTS, (None, "a"), ("", "a"), ("a", None)) == ("2 rows have no code", "")
    assert fault(PARENTS, ("a", None), ("b", "x")) == ("1 code has a parent that the list lacks", "'b' below 'x'")
    several = [(f"b{number}", "x") for number in range(7)]
    what, reason = fault(PARENTS, *several)
    assert what == "7 codes have parents that the list lacks"
    assert reason.endswith("'b4' below 'x' and 2 more")
    what, reason = fault(PARENTS, ("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("e", None))
    assert (what, reason) == ("1 cycle of parents leads to no root", "'a' below 'b' below 'c' below 'a'")
    assert fault(PARENTS, ("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"))[0] == "2 cycles of parents lead to no root"
    what, reason = fault(PARENTS, ("a", None), ("b", None), ("a1", "a"), ("a1", "b"))
    assert (what, reason) == ("1 code has several rows with different parents or labels", "'a1'")
    assert fault(NAMES, ("a", None, "x"), ("a", None, "y"))[1] == "'a'"
    for starred in (("*", None, "x"), ("a", None, "*")):
        what, _ = fault(NAMES, starred)
        assert what == "1 row has the label '*', which stands for suppressed values"


def test_rows_that_are_alike_count_once() -> None:
    assert taken(PARENTS, ("a", None), ("a", None), ("b", None)).leaves == ("a", "b")


def test_a_chain_may_be_as_long_as_there_may_be_levels() -> None:
    def chain(length: int) -> list[Row]:
        return [(str(number), str(number - 1) if number else None) for number in range(length)]

    assert taken(PARENTS, *chain(65), ("x", None)).top == 65
    with pytest.raises(HierarchyError, match="65 levels"):
        taken(PARENTS, *chain(66), ("x", None))
    with pytest.raises(HierarchyError, match="65 levels"):
        taken(PARENTS, *chain(200_000))


def test_the_codes_of_a_day_are_those_whose_first_and_last_day_are_around_it() -> None:
    rows: list[Row] = [
        ("ever", None, None, None), ("first", None, "2020-04-01", None), ("later", None, "2020-04-02", None),
        ("last", None, None, "2020-04-01"), ("gone", None, None, "2020-03-31"),
        ("stamp", None, "2020-04-01 09:30:00", ""),
        ("numbers", None, "20200401", "20200401"), ("endless", None, "-infinity", "infinity"),
        ("moved", "ever", "2019-01-01", "2020-03-31"), ("moved", "first", "2020-04-01", "9999-12-31"),
    ]  # fmt: skip
    found = taken(DAYS, *rows)
    assert set(found.leaves) == {"ever", "last", "stamp", "numbers", "endless", "moved"}
    assert paths(found)["moved"] == ("first",)
    before = CodeList(
        "db", "codes", "code", "parent", valid_on=date(2020, 4, 1), valid_from="valid_from", valid_before="until"
    )
    assert set(taken(before, *(each for each in rows if each[0] != "moved")).leaves) == {
        "ever", "first", "stamp", "endless",
    }  # fmt: skip


def test_faults_of_the_validity() -> None:
    assert fault(DAYS, ("a", None, "soon", None))[0] == "the validity of 1 row is no day"
    assert fault(DAYS, ("a", None, None, "2020-03-31"))[0] == "no code is valid on 2020-04-01"
    overlapping = [("a", None, None, "2020-04-01"), ("a", None, "2020-04-01", None)]
    assert fault(DAYS, *overlapping) == ("1 code is valid by several rows on 2020-04-01", "'a'")
    what, _ = fault(DAYS, ("a", None, None, "2020-03-31"), ("b", "a", None, None))
    assert what == ("1 code has a parent that the list lacks (of 1 it is in the table, and not valid on that day)")


def test_columns_of_levels_are_taken_as_they_are() -> None:
    found = taken(LEVELS, ("1", "Uji", "Japan"), ("2", "Otsu", "Japan"), ("3", "Lyon", "France"))
    assert paths(found) == {"1": ("Uji", "Japan"), "2": ("Otsu", "Japan"), "3": ("Lyon", "France")}
    assert [each.name for each in found.levels] == ["code", "town", "country", "*"]
    what, reason = fault(LEVELS, ("1", "Paris", "France"), ("2", "Paris", "USA"), ("3", "Lyon", "France"))
    assert what == "1 label of the column 'town' stands under several of 'country'"
    assert reason == "'Paris'"
    assert fault(LEVELS, ("1", None, "France")) == ("1 code has no label in the column 'town'", "'1'")
    assert fault(LEVELS, ("1", "a", "x"), ("1", "b", "x"))[0] == "1 code has several rows with different labels"


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({}, "neither the parent nor the levels are named"),
        ({"parent": "p", "levels": ("a",)}, "both the parent and the levels are named"),
        ({"levels": ("a",), "label": "n"}, "labels by name and inner codes are for lists of parents"),
        ({"levels": ("a",), "inner_codes": True}, "labels by name and inner codes are for lists of parents"),
        ({"parent": "p", "valid_from": "f"}, "the validity has no day"),
        (
            {"parent": "p", "valid_on": date(2020, 1, 1), "valid_to": "t", "valid_before": "b"},
            "both the last day and the day after it are named",
        ),
        ({"levels": tuple(map(str, range(65)))}, "there are 65 levels"),
    ],
)
def test_columns_that_do_not_go_together(options: dict[str, Any], what: str) -> None:
    with pytest.raises(HierarchyError, match=what):
        CodeList("db", "codes", "code", **options)


def test_a_list_is_written_and_read_as_it_is() -> None:
    for each in (PARENTS, NAMES, DAYS, LEVELS):
        assert code_list_of(each.text()) == each
    assert day_of("2020-04-01", "--valid-on") == date(2020, 4, 1)
    with pytest.raises(InputError, match="this is no day"):
        day_of("1 April", "--valid-on")
    with pytest.raises(ValueError, match="no code list"):
        code_list_of('{"schema": "db"}')


def test_changes_are_counted() -> None:
    before = taken(PARENTS, ("a", None), ("b", None), ("1", "a"), ("2", "a"), ("3", "b"))
    after = taken(PARENTS, ("a", None), ("b", None), ("1", "b"), ("2", "a"), ("4", "b"), ("5", "b"))
    assert changes_between(before, after).words() == "values: 2 added, 1 gone, 1 with other labels"
    assert changes_between(before, before).words() == "nothing changed"
    moved = taken(PARENTS, ("a", None), ("b", None), ("1", "b"), ("2", "a"), ("3", "b"))
    assert changes_between(before, moved).words() == "values: 1 with other labels"
    flat = taken(PARENTS, ("1", None), ("2", None), ("3", None))
    assert changes_between(before, flat).words() == "another number of levels"


ROWS = [("t", None, "Tokyo"), ("k", None, "Kyoto"), ("t1", "t", "Mitaka"), ("t2", "t", "Fuchu"), ("k1", "k", "Uji")]


@pytest.fixture
def codes(tmp_path: Path) -> Path:
    return write(tmp_path / "codes.sqlite", ROWS)


def write(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    """A SQLite file with the table of codes, and a table of persons with their towns."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            "DROP TABLE IF EXISTS town; DROP TABLE IF EXISTS person;"
            "CREATE TABLE town (code TEXT, parent TEXT, name TEXT); CREATE TABLE person (town TEXT, plan TEXT);"
        )
        connection.executemany("INSERT INTO town VALUES (?, ?, ?)", rows)
        connection.executemany(
            "INSERT INTO person VALUES (?, 'x')", [(each,) for each in ("t1", "t2", "k1") for _ in "abcde"]
        )
    return path


@pytest.fixture
def engine(codes: Path, tmp_path: Path) -> Engine:
    engine = new_engine(tmp_path, use_cache=False)
    engine.sources.add("db", str(codes))
    engine.datasets.add("persons", "db", table="person", least_k=2)
    engine.hierarchies.add_code_list("town", "db", "town", code="CODE", parent="parent", label="name")
    return engine


def request(tmp_path: Path) -> dict[str, Any]:
    towns = {"town": {"hierarchy": "town"}}
    return {
        "dataset": "persons",
        "k": 5,
        "quasi_identifiers": towns,
        "release": {"to": str(tmp_path / "r.csv"), "replace": True},
    }


def test_the_hierarchy_knows_its_table_and_takes_it_again(engine: Engine, codes: Path) -> None:
    (record,) = engine.hierarchies.list()
    assert record.code_list == "db.town"
    write(codes, [*ROWS[:-1], ("k2", "k", "Otsu"), ("k3", "k", "Joyo")])
    assert engine.hierarchies.get("town").leaves == ("k1", "t1", "t2")  # type: ignore[attr-defined]
    refreshed = engine.hierarchies.refresh("town")
    assert refreshed.outcome == "replaced"
    assert refreshed.changes is not None
    assert (refreshed.changes.added, refreshed.changes.gone, refreshed.changes.moved) == (2, 1, 0)
    assert refreshed.code_list == CodeList("db", "town", "code", "parent", label="name")
    assert engine.hierarchies.refresh("town").outcome == "unchanged"


def test_a_file_of_the_same_content_takes_the_place_of_a_list(engine: Engine) -> None:
    same = engine.hierarchies.add("town", {"k1": ["Kyoto"], "t1": ["Tokyo"], "t2": ["Tokyo"]})
    assert same.outcome == "replaced"
    with pytest.raises(HierarchyError, match="it comes from no code list"):
        engine.hierarchies.refresh("town")


def test_requests_and_checks_say_what_changed_and_go_on(engine: Engine, codes: Path, tmp_path: Path) -> None:
    said: list[str] = []
    listening = Engine(engine.state, use_cache=False, notice=said.append)
    assert listening.run(request(tmp_path)).warnings == ()
    write(codes, [*ROWS, ("k2", "k", "Otsu")])
    sentence = (
        "The code list of the hierarchy 'town' changed since it was taken (values: 1 added): "
        "`ordermade hierarchy refresh town` takes it as it is now."
    )
    assert listening.run(request(tmp_path), again=True).warnings == (sentence,)
    assert said == []
    listening.check(request(tmp_path))
    listening.check_data(request(tmp_path))
    assert said == [sentence] * 2
    assert engine.hierarchies.check("town", "persons", "town").notes == (sentence,)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([("a", "b", "x"), ("b", "a", "y")], "db.town: 1 cycle of parents leads to no root."),
        ([], "db.town: there are no rows in it."),
    ],
)
def test_a_list_that_is_none_any_more_is_said_and_names_no_code(
    engine: Engine, codes: Path, tmp_path: Path, rows: list[tuple[Any, ...]], why: str
) -> None:
    write(codes, rows)
    (warning,) = engine.run(request(tmp_path)).warnings
    assert warning.startswith(
        f"The code list of the hierarchy 'town' cannot be taken again, and the hierarchy stays as it is: {why}"
    )
    assert "'a'" not in warning
    with pytest.raises(CodeListError):
        engine.hierarchies.refresh("town")
    assert engine.hierarchies.list()[0].levels == 3


def test_the_source_of_a_code_list_is_not_removed(engine: Engine, tmp_path: Path) -> None:
    engine.sources.add("lists", str(write(tmp_path / "other.sqlite", ROWS)))
    for name in ("town", "place"):
        engine.hierarchies.add_code_list(name, "lists", "town", code="code", parent="parent")
    with pytest.raises(InputError, match=r"'lists' is used by 2 hierarchies: 'place', 'town'.*hierarchy remove"):
        engine.sources.remove("lists")
    engine.hierarchies.remove("place")
    with pytest.raises(InputError, match="'lists' is used by the hierarchy 'town'"):
        engine.sources.remove("lists")
    engine.hierarchies.remove("town")
    assert engine.sources.remove("lists").removed_at is not None


def test_a_source_that_is_gone_is_said(engine: Engine, tmp_path: Path) -> None:
    engine.sources.add("lists", str(write(tmp_path / "other.sqlite", ROWS)))
    engine.hierarchies.add_code_list("town", "lists", "town", code="code", parent="parent")
    with engine.state_file.writing() as connection:  # as an earlier version let it
        SOURCES.update(connection, {"name": "lists"}, removed_at=utc_now())
    (warning,) = engine.run(request(tmp_path)).warnings
    assert "there is no source 'lists'" in warning


def test_commands_say_what_changed(engine: Engine, codes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> tuple[int, str]:
        status = exit_status_of(lambda: app(["--state", str(engine.state), *words], prog_name="ordermade"), words)
        printed = capsys.readouterr()
        return status, " ".join(f"{printed.err} {printed.out}".split())

    write(codes, [*ROWS[:-1], ("k2", "k", "Otsu")])
    status, words = said("hierarchy", "check", "town", "--dataset", "persons", "--column", "town")
    assert status == 0
    assert "'town' changed since it was taken (values: 1 added, 1 gone)" in words
    status, words = said("hierarchy", "refresh", "town")
    assert status == 0
    assert "Changes of the code list: values: 1 added, 1 gone. Replaced the hierarchy 'town'" in words
    status, words = said("hierarchy", "check", "town", "--dataset", "persons", "--column", "town")
    assert (status, "k1" in words) == (2, False)
    status, words = said("hierarchy", "check", "town", "--dataset", "persons", "--column", "town", "--show-values")
    assert (status, "k1" in words) == (2, True)


def test_a_table_that_is_gone_is_said(engine: Engine, codes: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(codes)) as connection, connection:
        connection.execute("DROP TABLE town")
    (warning,) = engine.run(request(tmp_path)).warnings
    assert "there is no table 'town'" in warning
    with pytest.raises(UnknownName, match="there is no table 'town'"):
        engine.hierarchies.refresh("town")


def test_a_list_of_another_source_is_looked_at_too(engine: Engine, tmp_path: Path) -> None:
    other = write(tmp_path / "other.sqlite", ROWS)
    engine.sources.add("lists", str(other))
    engine.hierarchies.add_code_list("town", "lists", "town", code="code", parent="parent", label="name")
    write(other, ROWS[:-1])
    assert "1 gone" in engine.run(request(tmp_path)).warnings[0]


def test_the_list_is_read_in_one_statement(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", "ordermade.sql"):
        engine.hierarchies.refresh("town")
    assert sum("source: code list in" in each.getMessage() for each in caplog.records) == 1


@pytest.mark.parametrize("by_token", [False, True])
def test_the_codes_of_a_fault_are_named_to_the_provider_alone(
    by_token: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_token:
        monkeypatch.setenv("ORDERMADE_TOKEN", "x")

    def command() -> None:
        taken(PARENTS, ("a", None), ("b", "lost"))

    assert exit_status_of(command, ["hierarchy", "add"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "1 code has a parent that the list lacks" in said
    assert ("For the provider alone: 'b' below 'lost'" in said) is not by_token


def test_no_such_table_column_or_source(engine: Engine) -> None:
    def add(source: str, table: str, **columns: Any) -> None:
        engine.hierarchies.add_code_list("h", source, table, **{"code": "code", "parent": "parent"} | columns)

    with pytest.raises(UnknownName, match="there is no source 'd'"):
        add("d", "town")
    with pytest.raises(UnknownName, match="there is no table 'towns'"):
        add("db", "towns")
    for column in ("code", "parent", "label"):
        with pytest.raises(UnknownName, match=r"db\.town: there is no column 'codes'"):
            add("db", "town", **{column: "codes"})
    with pytest.raises(HierarchyError, match="a column is named twice"):
        add("db", "town", parent="CODE")
    with pytest.raises(HierarchyError, match="no column valid_from and none valid_to"):
        add("db", "town", valid_on=datetime(2020, 4, 1, 12))
    with pytest.raises(InputError, match="'valid_on' is a str"):
        add("db", "town", valid_on="2020-04-01")
    assert [each.name for each in engine.hierarchies.list()] == ["town"]


def test_a_table_of_more_rows_than_a_list_has_is_not_read(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_lists, "MAX_ROWS", 5)
    assert engine.hierarchies.refresh("town").outcome == "unchanged"
    monkeypatch.setattr(code_lists, "MAX_ROWS", 4)
    with pytest.raises(CodeListError, match="there are 5 rows in it, and a code list has at most 4"):
        engine.hierarchies.refresh("town")


def test_a_damaged_list_of_the_state_is_said(engine: Engine) -> None:
    with pytest.raises(StateDamaged, match="hierarchy 'town'"):
        code_lists.registered_list("town", "[]")
    with pytest.raises(StateDamaged, match="hierarchy 'town'"):
        code_lists.registered_list("town", '{"source": "db", "table": "t"}')
