"""The PWSCUP paper's utility on its own data, by the statements of the engine: U of its algorithm, and of categories.

Expected figures: shared/papers/README.md, section PWSCUP. The data: shared/data/online_retail/README.md.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ordermade.measuring.dataset import Dataset, relation
from ordermade.purchases.records import Purchases
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.workspace import Limits
from tests.made import write_hierarchy
from tests.online_retail import DATA
from tests.purchases import by_rank, plan_of, resolved_of

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
    "match": "rank",
    "cluster": "rank",
}
AS_THE_PAPER = {2: 0.348, 6: 0.615, 20: 0.833}
OF_CATEGORIES = {2: (0.324, 0.468), 6: (0.590, 0.653), 20: (0.812, 0.844)}
"""As the paper scores them, and against the goods."""


@pytest.fixture(scope="module")
def round_1(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dataset]:
    if not DATA.exists():
        pytest.skip("the shared data set online_retail is not beside the repository")
    path = tmp_path_factory.mktemp("retail") / "retail.duckdb"
    with duckdb.connect(str(path)) as connection:
        files = {"purchases": f"{DATA}/online_retail.parquet", "customers": f"{DATA}/pwscup2018_customers.csv"}
        connection.execute(ROUND_1, files)
    backend = DuckDBFile(path, writable=False, limits=Limits("1GB", 2))
    (table,) = backend.tables()
    yield Dataset("retail", backend, relation(table.reference, None), table.columns)
    backend.close()


def of(dataset: Dataset, **asked: object) -> Purchases:
    resolved = resolved_of({each.name: each.type for each in dataset.columns}, HISTORY | asked)
    return Purchases.stored(plan_of(dataset, resolved), resolved)


def test_the_utility_of_the_paper_s_algorithm_is_the_one_that_it_prints(round_1: Dataset) -> None:
    purchases = of(round_1)
    assert (purchases.rows, purchases.customers) == (81_776, 1_000)
    for k, expected in AS_THE_PAPER.items():
        assert by_rank(purchases, k).utility == pytest.approx(expected, abs=0.001)


def test_categories_lose_less_as_the_paper_scores_them_and_more_against_the_goods(
    round_1: Dataset, tmp_path: Path
) -> None:
    with (DATA / "product_categories.csv").open(encoding="utf-8", newline="") as file:
        paths = [(row["StockCode"], row["category_paper_sizes"]) for row in csv.DictReader(file)]
    file_of_categories = write_hierarchy(tmp_path / "categories.csv", ["StockCode", "category"], paths)
    purchases = of(round_1, items={"taxonomy": str(file_of_categories)})
    for k, (as_categories, against_goods) in OF_CATEGORIES.items():
        lost = by_rank(purchases, k)
        assert lost.utility_as_categories == pytest.approx(as_categories, abs=0.002)
        assert lost.utility == pytest.approx(against_goods, abs=0.001)
