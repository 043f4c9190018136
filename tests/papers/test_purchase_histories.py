"""The PWSCUP paper's utility on its own data, by whole requests: of its algorithm, of categories, of the default.

Expected figures: shared/papers/README.md, section PWSCUP. The data: shared/data/online_retail/README.md.
"""

from __future__ import annotations

import csv
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from tests.made import new_engine, write_hierarchy
from tests.online_retail import DATA

pytestmark = pytest.mark.slow

ROUND_1 = """
CREATE TABLE purchases AS
SELECT CustomerID, InvoiceDate, StockCode, UnitPrice, Quantity
FROM read_parquet($purchases)
WHERE CustomerID IN (SELECT customer_id FROM read_csv($customers) WHERE round = 1)
  AND Quantity > 0 AND UnitPrice > 0 AND InvoiceDate < TIMESTAMP '2011-12-01' AND StockCode <> 'BANK CHARGES'
"""
HISTORY = {
    "customer": "CustomerID",
    "when": "InvoiceDate",
    "item": "StockCode",
    "numbers": ["UnitPrice", "Quantity"],
}
PAPER = {"match": "rank", "cluster": "rank"}
AS_THE_PAPER = {2: 0.348, 6: 0.615, 20: 0.833}
AT_MOST = {2: 0.23, 6: 0.47, 20: 0.64}
"""By default."""
OF_CATEGORIES = {2: (0.324, 0.468), 6: (0.590, 0.653), 20: (0.812, 0.844)}
"""As the paper scores them, and against the goods."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    if not DATA.exists():
        pytest.skip("the shared data set online_retail is not beside the repository")
    folder = tmp_path_factory.mktemp("retail")
    with duckdb.connect(str(folder / "retail.duckdb")) as connection:
        files = {"purchases": f"{DATA}/online_retail.parquet", "customers": f"{DATA}/pwscup2018_customers.csv"}
        connection.execute(ROUND_1, files)
    engine = new_engine(folder)
    engine.sources.add("shop", str(folder / "retail.duckdb"))
    engine.datasets.add("purchases", "shop", table="purchases", least_k=2)
    return engine


def asked(to: Path, k: int, **more: object) -> dict[str, object]:
    """A request for the histories, made alike in the default way unless `more` says otherwise."""
    release = {"replace": True, "to": str(to / "out.parquet")}
    return {"dataset": "purchases", "method": "history", "k": k, "history": HISTORY | more, "release": release}


def test_the_utility_of_the_paper_s_algorithm_is_the_one_that_it_prints(engine: Engine, tmp_path: Path) -> None:
    swept = engine.sweep(asked(tmp_path, 2, **PAPER), range(2, 21))
    losses = {point.k: point.loss for point in swept.points}
    assert (swept.rows, swept.persons) == (81_776, 1_000)
    assert {k: losses[k] for k in AS_THE_PAPER} == pytest.approx(AS_THE_PAPER, abs=0.001)
    scored = [(each.loss + 1 / each.k, each.k) for each in swept.points if each.loss is not None]
    assert min(scored)[1] == 6


def test_categories_lose_less_as_the_paper_scores_them_and_more_against_the_goods(
    engine: Engine, tmp_path: Path
) -> None:
    with (DATA / "product_categories.csv").open(encoding="utf-8", newline="") as file:
        paths = [(row["StockCode"], row["category_paper_sizes"]) for row in csv.DictReader(file)]
    taxonomy = write_hierarchy(tmp_path / "categories.csv", ["StockCode", "category"], paths)
    request = asked(tmp_path, 2, **PAPER, items={"taxonomy": str(taxonomy)})
    for point in engine.sweep(request, list(OF_CATEGORIES)).points:
        as_categories, against_goods = OF_CATEGORIES[point.k]
        assert point.losses["utility_as_categories"] == pytest.approx(as_categories, abs=0.002)
        assert point.losses["utility"] == pytest.approx(against_goods, abs=0.001)


@pytest.mark.thorough
@pytest.mark.parametrize("k", [each if each == 20 else pytest.param(each, marks=pytest.mark.whole) for each in AT_MOST])
def test_by_default_less_is_lost_than_by_the_paper_s_algorithm(engine: Engine, tmp_path: Path, k: int) -> None:
    result = engine.run(asked(tmp_path, k))
    assert result.loss["utility"] <= AT_MOST[k] < AS_THE_PAPER[k]
    assert result.k is not None
    assert result.k >= k
    assert result.release is not None
    assert result.release.persons == 1_000 - 1_000 % k
