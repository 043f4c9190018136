"""Made rows in Parquet parts, as an office's table grows: six quasi-identifiers of small whole numbers.

A value v of a column with n values has the share ((v + 1) / n)^e - (v / n)^e of the rows, so small values are the more
common. The rows are hashes of their numbers: the same on every machine.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import duckdb

from ordermade import Engine, initialise

SIZES = {
    10_000: (2, 4, 5, 5, 5, 10),
    100_000: (4, 5, 5, 10, 10, 10),
    1_584_000: (5, 8, 10, 12, 15, 22),
    10_000_000: (8, 10, 10, 10, 25, 50),
}
"""The values of each column, by the number of their combinations."""
SHAPE = 0.7
K = 50
STATE = "state"


@dataclass(frozen=True)
class MadeParts:
    """`parts` Parquet files of so many `rows` each in a folder, of at most so many `combinations`."""

    folder: Path
    parts: int
    rows: int
    combinations: int = 1_584_000

    @property
    def glob(self) -> str:
        return str(self.folder / "parts" / "*.parquet")

    @property
    def sizes(self) -> tuple[int, ...]:
        return SIZES[self.combinations]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"q{number}" for number in range(1, len(self.sizes) + 1))

    def make(self) -> None:
        """Writes the parts, and the hierarchies of their columns."""
        (self.folder / "parts").mkdir(parents=True)
        for number in range(self.parts):
            self.make_part(number)
        for column, size in zip(self.columns, self.sizes, strict=True):
            with (self.folder / f"{column}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(("value", "pairs", "fours"))
                writer.writerows((value, f"{value // 2 * 2}-", f"{value // 4 * 4}-") for value in range(size))

    def make_part(self, number: int, seed: int = 0) -> Path:
        """Writes one part, in the place of one of its number; `seed`: other rows of the same kind."""
        path = self.folder / "parts" / f"{number:04}.parquet"
        first = (number + 1_000 * seed) * self.rows
        values = ", ".join(
            f"CAST(FLOOR({size} * POW(HASH(i * 6 + {place}) / {2.0**64}, {1 / SHAPE})) AS UTINYINT) AS {column}"
            for place, (column, size) in enumerate(zip(self.columns, self.sizes, strict=True))
        )
        with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
            connection.execute("SET preserve_insertion_order = false")
            source = f"FROM RANGE({first}, {first + self.rows}) AS row(i)"
            connection.execute(f"COPY (SELECT {values} {source}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 1000000)")
        return path

    def register(self) -> Engine:
        """A new state with the parts as a dataset, `rows`, whose fingerprints vouch for them."""
        engine = Engine(self.folder / STATE / "state.sqlite")
        initialise(engine.state_file.path)
        engine.sources.add("made", self.glob)
        engine.datasets.add("rows", "made", table="data", least_k=2, file_parts=True, version="fingerprint")
        for column in self.columns:
            engine.hierarchies.add(column, self.folder / f"{column}.csv", "header")
        return engine

    def request(self, limit: str) -> dict[str, object]:
        """The request for the best node by Prec under a suppression limit."""
        return {
            "title": "benchmark",
            "dataset": "rows",
            "k": K,
            "suppression_limit": float(limit),
            "quasi_identifiers": {column: {"hierarchy": column} for column in self.columns},
            "release": {"to": str(self.folder / "release.parquet")},
        }
