"""From a table to its release by one command, nothing kept from before; k counted again by pandas alone.

Adult, customers and two censuses of shared/data, a messy CSV in Shift-JIS, a workbook, a SQLite file, a table of
PostgreSQL where one answers, and 300 columns x 20,000 rows. The seconds are of whole processes, to the printed answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from bench.figure import Figure
from tests.one_command import least_class, messy_shift_jis, sqlite_file, wide_csv, workbook

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SECONDS, SECONDS_OF_ADULT = 20.0, 5.0
K = 5
POSTGRES = os.environ.get("ORDERMADE_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")
TABLE = "ordermade_bench_anonymize"


def show() -> Sequence[Figure]:
    """A line a table: seconds, rows, k by pandas, Loss; and a figure each."""
    figures = []
    with tempfile.TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        print(f"\n{'table':<34} {'seconds':>8} {'rows':>8} {'k':>4} {'Loss':>6}")
        for title, table, options in _tables(folder):
            seconds, rows, k, loss = _timed(folder, title, table, options)
            print(f"{title:<34} {seconds:>8.2f} {rows:>8,} {k:>4} {loss:>6.3f}")
            most = SECONDS_OF_ADULT if title == "Adult" else SECONDS
            figures.append(Figure(f"anonymize {title}", seconds, target=most, unit="s", digits=2))
            figures.append(Figure(f"{K} / k by pandas, {title}", K / k, target=1.0))
    return figures


def _tables(folder: Path) -> Iterator[tuple[str, str, Sequence[str]]]:
    for title, path in (
        ("Adult", DATA / "arx" / "adult" / "adult.csv"),
        ("census of Japan", DATA / "census" / "japan_census_pref_sex_age5.csv"),
        ("census microdata", DATA / "microdata" / "census.csv"),
    ):
        if path.exists():
            yield title, str(path), ()
    retail = DATA / "online_retail" / "online_retail.parquet"
    if retail.exists():
        customers = folder / "customers.csv"
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT CustomerID, any_value(Country) AS country, count(DISTINCT InvoiceNo) AS orders,"
                f" round(sum(Quantity * UnitPrice)) AS spent, min(InvoiceDate)::DATE AS first_order"
                f" FROM '{retail}' WHERE CustomerID IS NOT NULL GROUP BY CustomerID ORDER BY CustomerID)"
                f" TO '{customers}' (HEADER)"
            )
        yield "Online Retail's customers", str(customers), ()
    messy = messy_shift_jis(folder / "messy.csv")
    yield "messy CSV in Shift-JIS", str(messy), ()
    yield ".xlsx workbook", str(workbook(folder / "hospital.xlsx")), ()
    yield "SQLite file", str(sqlite_file(folder / "hospital.sqlite")), ()
    if _in_postgresql(messy):
        yield "table of PostgreSQL", POSTGRES, ("--table", TABLE)
    yield "300 columns x 20,000 rows", str(wide_csv(folder / "wide.csv")), ()


def _in_postgresql(messy: Path) -> bool:
    """Whether a PostgreSQL answers; the persons of the messy CSV file are put into it."""
    try:
        import psycopg
    except ImportError:
        print("PostgreSQL left out: it needs psycopg")
        return False
    try:
        with psycopg.connect(POSTGRES, connect_timeout=3, autocommit=True) as connection:
            lines = messy.read_text(encoding="cp932").splitlines()
            names = lines[0].split(",")
            connection.execute(f"DROP TABLE IF EXISTS {TABLE}")  # type: ignore[arg-type]
            connection.execute(f"CREATE TABLE {TABLE} ({', '.join(f'{name} text' for name in names)})")  # type: ignore[arg-type]
            with connection.cursor().copy(f"COPY {TABLE} FROM STDIN (FORMAT csv)") as copy:  # type: ignore[arg-type]
                copy.write("\n".join(lines[1:]) + "\n")
    except (OSError, psycopg.Error) as error:
        print(f"PostgreSQL left out: {type(error).__name__}")
        return False
    return True


def _timed(folder: Path, title: str, table: str, options: Sequence[str]) -> tuple[float, int, int, float]:
    release = folder / f"{title.replace(' ', '-')}.csv"
    program = [str(Path(sys.executable).parent / "ordermade"), "anonymize", table, "--k", str(K), "--accept-roles"]
    environment = {name: value for name, value in os.environ.items() if name != "ORDERMADE_STATE"}
    began = time.perf_counter()
    ran = subprocess.run(
        [*program, "--to", str(release), "--json", *options],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    seconds = time.perf_counter() - began
    if ran.returncode:
        raise RuntimeError(f"{title}: {ran.stderr}")
    document = json.loads(ran.stdout)
    columns = [each["column"] for each in document["roles"] if each["role"] == "quasi-identifier"]
    return seconds, document["rows"], least_class(release, columns), document["loss"]["loss"]
