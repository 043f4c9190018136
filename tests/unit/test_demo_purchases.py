"""The demo's purchases are the same ones every time; what is shown of its releases is what was judged."""

from __future__ import annotations

import io
import stat
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from ordermade.demo.purchases import PurchasesDemo
from ordermade.demo.story import play
from ordermade.demo.tables import make_purchases
from ordermade.sources.limits import Limits

CUSTOMERS = 40


def content(path: Path) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute("SELECT * FROM purchases").fetchall()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_purchases_on_any_number_of_threads(tmp_path: Path) -> None:
    make_purchases(tmp_path / "one.duckdb", CUSTOMERS, limits=Limits(threads=1))
    make_purchases(tmp_path / "four.duckdb", CUSTOMERS, limits=Limits(threads=4))
    rows = content(tmp_path / "one.duckdb")
    assert rows == content(tmp_path / "four.duckdb")
    assert len({row[0] for row in rows}) == CUSTOMERS
    assert 20 * CUSTOMERS < len(rows) < 60 * CUSTOMERS
    assert len({(row[2], row[3]) for row in rows}) == len({row[2] for row in rows})  # one description an item


@pytest.mark.slow
@pytest.mark.thorough
def test_three_releases_are_shown_side_by_side_within_80_columns(tmp_path: Path) -> None:
    screen = io.StringIO()
    play(PurchasesDemo, tmp_path / "demo", CUSTOMERS, kept=True, console=Console(file=screen, width=80))
    lines = screen.getvalue().splitlines()
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 80
    by_rank, default, categories = (float(each) for each in figures_of(" U, utility (lower is better)", lines))
    assert default < categories
    assert default < by_rank
    for attack in ("number of purchases", "items", "dates", "price and quantity", "all together"):
        assert any(line.startswith(f" {attack} ") for line in lines)
    assert sum("the best k" in line for line in lines) == 2
    for kept in ("out/rank.csv", "out/default.csv", "out/categories.csv", "categories.csv"):
        assert (tmp_path / "demo" / kept).is_file()
    assert stat.S_IMODE((tmp_path / "demo" / "map" / "rank.csv").stat().st_mode) == 0o600


def figures_of(name: str, lines: list[str]) -> list[str]:
    """The figures after a name in the one line that begins with it."""
    (line,) = (each for each in lines if each.startswith(name))
    return line.removeprefix(name).split()
