"""The benchmark beside ARX: hierarchies of the members as ARX reads them, and the part where there is no ARX."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from bench import beside_arx
from bench.arx_tables import Table, members
from ordermade import Engine

ROWS = 2_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return members(ROWS, tmp_path_factory.mktemp("members"))


def lines_for_arx(made: Table, column: str) -> dict[str, list[str]]:
    (attribute,) = (each for each in made.attributes if each.column == column)
    with attribute.for_arx.open(encoding="utf-8", newline="") as file:
        return {value: labels for value, *labels in csv.reader(file, delimiter=";")}


@pytest.mark.parametrize(
    ("column", "value", "labels"),
    [
        ("sex", "female", ["*"]),
        ("age", "37", ["[35, 40)", "[30, 40)", "[20, 40)", "[0, 40)", "*"]),
        ("prefecture", "Hokkaido", ["Hokkaido", "East", "*"]),
        ("occupation", "sales", ["services", "working", "*"]),
        ("plan", "plus", ["paid", "*"]),
    ],
)
def test_a_value_has_the_labels_of_its_hierarchy_for_arx(
    made: Table, column: str, value: str, labels: list[str]
) -> None:
    assert lines_for_arx(made, column)[value] == labels


def test_a_day_has_its_month_quarter_year_and_decade_for_arx(made: Table) -> None:
    day, labels = next(iter(lines_for_arx(made, "joined").items()))

    assert labels[0] == day[:7]
    assert labels[2:] == [day[:4], f"{day[:3]}0s", "*"]


def test_arx_has_every_value_that_occurs_in_the_csv_file(made: Table) -> None:
    with made.csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=made.delimiter))

    assert len(rows) == ROWS
    for each in made.attributes:
        lines = lines_for_arx(made, each.column)
        assert set(lines) == {row[each.column] for row in rows}
        assert {len(labels) for labels in lines.values()} == {each.top}


@pytest.mark.slow
def test_registered_state_keeps_no_row_of_a_csv_file(made: Table, tmp_path: Path) -> None:
    (source,) = (each for each in made.sources if each.name == "CSV")

    made.registered(source, tmp_path)

    contents = Engine(tmp_path / "state" / "state.sqlite").cache.contents()
    assert not contents.sets
    assert not contents.marginals
    assert not contents.twins


def test_a_program_that_fails_once_meets_no_target() -> None:
    passed, failed = beside_arx.Finished(1.0, 0.1, ""), beside_arx.Finished(0.5, 0.1, "", "exit status 3: no memory")
    runs = beside_arx.Runs([passed, failed, passed])

    assert runs.seconds == math.inf
    assert runs.described == "exit status 3: no memory"


def test_without_a_class_path_the_part_says_so_and_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(beside_arx.ARX, raising=False)

    assert list(beside_arx.show()) == []
    assert f"left out, {beside_arx.ARX} names no class path" in capsys.readouterr().out
