"""Parts and whole are the same: every answer on a dataset in parts is that on the same rows undivided."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError
from tests.long import rounds
from tests.made import new_engine, write_hierarchy

COLUMNS = {"person": "INTEGER", "age": "INTEGER", "place": "VARCHAR", "s": "VARCHAR", "month": "INTEGER"}
AGES, PLACES = 12, 6
METHODS = ("best node", "limit", "table", "local", "mondrian", "microaggregation", "risk")
Row = tuple[int, int | None, str | None, str | None, int]


@dataclass
class Months:
    """Rows by month, kept three ways: one table, the same in parts by a column, a Parquet file a month."""

    folder: Path
    draw: random.Random
    entity: bool
    months: dict[int, list[Row]]

    @classmethod
    def made(cls, folder: Path, draw: random.Random) -> Months:
        found = cls(folder, draw, draw.random() < 0.5, {})
        (folder / "months").mkdir()
        for month in range(draw.randint(1, 4)):
            found.change(month)
        return found

    def change(self, month: int) -> None:
        """Other rows in a month, old or new."""
        draw, nulls = self.draw, self.draw.random() < 0.3
        self.months[month] = [
            (
                draw.randrange(20),
                None if nulls and draw.random() < 0.1 else int(AGES * draw.random() ** 2),
                None if nulls and draw.random() < 0.1 else f"p{int(PLACES * draw.random() ** 2)}",
                draw.choice(("x", "y", "z", None)),
                month,
            )
            for _ in range(draw.randint(1, 60))
        ]
        self.write()

    def write(self) -> None:
        with duckdb.connect() as connection:
            connection.execute(f"ATTACH '{self.folder / 'rows.duckdb'}' AS kept")
            described = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
            connection.execute(f"CREATE OR REPLACE TABLE kept.rows ({described})")
            for month, rows in self.months.items():
                connection.executemany("INSERT INTO kept.rows VALUES (?, ?, ?, ?, ?)", rows)
                file = self.folder / "months" / f"{month}.parquet"
                connection.execute(f"COPY (SELECT * FROM kept.rows WHERE month = {month}) TO '{file}'")

    def remove(self, month: int) -> None:
        del self.months[month]
        (self.folder / "months" / f"{month}.parquet").unlink()
        self.write()

    def register(self) -> Engine:
        engine = new_engine(self.folder)
        engine.sources.add("database", str(self.folder / "rows.duckdb"))
        for name in ("files", "fingerprints"):
            engine.sources.add(name, str(self.folder / "months" / "*.parquet"))
        more: dict[str, Any] = {"least_k": 2, "entity": "person" if self.entity else None}
        engine.datasets.add("whole", "database", table="rows", **more)
        engine.datasets.add("by month", "database", query="SELECT * FROM rows", parts="month", **more)
        by_print: dict[str, Any] = {"file_parts": True, "version": "fingerprint", **more}
        engine.datasets.add("by fingerprint", "fingerprints", table="data", **by_print)
        ages = [(age, f"a{age // 2}", f"b{age // 6}") for age in range(AGES)]
        engine.hierarchies.add("age", write_hierarchy(self.folder / "age.csv", ("age", "a", "b"), ages), "header")
        places = [(f"p{place}", f"q{place // 3}") for place in range(PLACES)]
        place_file = write_hierarchy(self.folder / "place.csv", ("place", "q"), places)
        engine.hierarchies.add("place", place_file, "header")
        return engine

    def request(self, method: str) -> dict[str, Any]:
        draw = self.draw
        attributes: dict[str, Any] = {"age": {"hierarchy": "age"}, "place": {"hierarchy": "place"}}
        found: dict[str, Any] = {"k": draw.randint(2, 5), "quasi_identifiers": attributes}
        if draw.random() < 0.4:
            found["where"] = "s IS NOT NULL AND age >= 1"
        if method in ("limit", "local", "risk"):
            found["suppression_limit"] = draw.choice((0.05, 0.3))
        if method == "risk":
            found["risk"] = {"average": 0.4}
        if method == "local":
            found["recoding"] = "local"
        if method in ("best node", "limit", "local") and draw.random() < 0.5:
            found["sensitive"] = {"s": [{"model": "distinct_l", "l": 2}]}
        if method == "mondrian":
            found |= {"method": "mondrian"}
        if method == "microaggregation":
            del found["quasi_identifiers"]
            found |= {"method": "microaggregation", "attributes": {"age": {}}}
        return found


def answer(engine: Engine, dataset: str, request: dict[str, Any], method: str, to: Path) -> tuple[Any, ...]:
    """The answer of a request, and the bytes of its release; of an error its kind and words."""
    release = {"to": str(to), "replace": True, **({"shape": "table"} if method == "table" else {})}
    try:
        result: Any = engine.run({"dataset": dataset, **request, "release": release}, again=True)
    except OrdermadeError as error:
        return (type(error).__name__, error.what)
    counted = (result.status, result.reason, result.k, result.divisions, getattr(result, "levels", None))
    content = to.read_bytes() if result.status == "released" else b""
    losses = sorted(result.loss.items()) if getattr(result, "loss", None) else None
    return (*counted, getattr(result, "suppressed_rows", None), losses, content)


def same_on_all(months: Months, engine: Engine, request: dict[str, Any], method: str) -> None:
    found = {
        name: answer(engine, name, request, method, months.folder / f"{name}.csv")
        for name in ("whole", "by month", "by fingerprint")
    }
    for name, each in found.items():
        assert each == found["whole"], (name, method, request)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("number", range(rounds(2, 300)))
def test_a_dataset_in_parts_answers_as_the_whole(number: int, tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed + number)
    months = Months.made(tmp_path, draw)
    engine = months.register()
    method = METHODS[number % len(METHODS)]
    request = months.request(method)
    same_on_all(months, engine, request, method)
    months.change(max(months.months) + 1)
    if len(months.months) > 2 and draw.random() < 0.5:
        months.remove(min(months.months))
    if draw.random() < 0.5:
        months.change(max(months.months))
    same_on_all(months, engine, request, method)
