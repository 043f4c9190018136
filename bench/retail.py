"""The purchases of PWSCUP 2018, round 1, as a table: 81,776 purchases of 1,000 customers, out of the public data."""

from __future__ import annotations

from pathlib import Path

import duckdb

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "online_retail"
TABLE = "purchases"
MADE = f"""
CREATE TABLE {TABLE} AS
SELECT CustomerID, CAST(InvoiceDate AS DATE) AS Day, StockCode AS GoodsID, UnitPrice AS Price, Quantity
FROM read_parquet($purchases, file_row_number = true)
WHERE CustomerID IN (SELECT customer_id FROM read_csv($customers) WHERE round = 1)
  AND Quantity > 0 AND UnitPrice > 0 AND InvoiceDate < TIMESTAMP '2011-12-01' AND StockCode <> 'BANK CHARGES'
ORDER BY file_row_number
"""
CATEGORIES = """
COPY (SELECT StockCode AS item, category_paper_sizes AS category FROM read_csv($categories, all_varchar = true))
TO '{}' (HEADER)
"""
HISTORY = {"customer": "CustomerID", "when": "Day", "item": "GoodsID", "numbers": ["Price", "Quantity"]}
"""The columns of the table, as a request names them."""


def make(folder: Path) -> Path:
    """The table in a database of its own, `retail.duckdb`, and `categories.csv` beside it; the path of the database.

    Raises FileNotFoundError where the public data does not lie beside the repository.
    """
    if not DATA.exists():
        raise FileNotFoundError("shared/data/online_retail does not lie beside the repository")
    files = {
        "purchases": str(DATA / "online_retail.parquet"),
        "customers": str(DATA / "pwscup2018_customers.csv"),
    }
    with duckdb.connect(str(folder / "retail.duckdb")) as connection:
        connection.execute(MADE, files)
        connection.execute(
            CATEGORIES.format(folder / "categories.csv"), {"categories": str(DATA / "product_categories.csv")}
        )
    return folder / "retail.duckdb"
