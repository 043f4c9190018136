"""The rows of a statistical table: by the values of their labels, prefectures by JIS X 0401, never by their texts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ordermade import Engine
from tests.made import new_state

pytestmark = pytest.mark.slow

PLACES = ("沖縄県", "東京都", "北海道", "大阪府")
AGES = "intervals: {unit: 歳, levels: [{bounds: [5, 10, 15, 100]}]}\n"


def test_rows_of_a_table_stand_by_ages_and_prefectures(tmp_path: Path) -> None:
    """The fault: 10～14歳 before 5～9歳, and 北海道 before 大阪府 only by the codes of their characters."""
    with (tmp_path / "persons.csv").open("w", encoding="utf-8") as file:
        file.write("place,age\n")
        file.writelines(f"{place},{age}\n" for place in PLACES for age in (1, 7, 12, 20, 101) for _ in range(5))
    (tmp_path / "age.yaml").write_text(AGES, encoding="utf-8")
    (tmp_path / "place.csv").write_text("place,all\n" + "".join(f"{each},*\n" for each in PLACES), encoding="utf-8")
    engine = Engine(new_state(tmp_path / "state.sqlite"))
    engine.sources.add("persons", str(tmp_path / "persons.csv"))
    engine.datasets.add("persons", "persons", table="persons")
    engine.hierarchies.add("age", tmp_path / "age.yaml")
    engine.hierarchies.add("place", tmp_path / "place.csv", "header")

    columns = {"place": {"hierarchy": "place", "to": 0}, "age": {"hierarchy": "age", "from": 1, "to": 1}}
    to = tmp_path / "table.csv"
    request = {"dataset": "persons", "k": 5, "quasi_identifiers": columns, "release": {"to": str(to), "shape": "table"}}
    assert engine.run(request).released

    with to.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(dict.fromkeys(row["place"] for row in rows)) == ["北海道", "東京都", "大阪府", "沖縄県"]
    assert [row["age"] for row in rows[:5]] == ["5歳未満", "5～9歳", "10～14歳", "15～99歳", "100歳以上"]
