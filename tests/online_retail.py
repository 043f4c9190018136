"""The PWSCUP 2018 round 1 as purchase histories: 81,776 purchases of 1,000 customers, out of the shared data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pytest

from ordermade.methods.histories.algorithm.histories import HistoryArrays

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "online_retail"
ROUND_1 = """
SELECT CustomerID AS customer, CAST(InvoiceDate AS DATE) - DATE '1970-01-01' AS day, StockCode AS item,
       ROUND(UnitPrice * 100) AS price, Quantity AS quantity, file_row_number AS row
FROM read_parquet($purchases, file_row_number = true)
WHERE CustomerID IN (SELECT customer_id FROM read_csv($customers) WHERE round = 1)
  AND Quantity > 0 AND UnitPrice > 0 AND InvoiceDate < TIMESTAMP '2011-12-01' AND StockCode <> 'BANK CHARGES'
ORDER BY file_row_number
"""


@cache
def round_1(order: str = "rank") -> HistoryArrays:
    """The histories: by `rank` (ties of customers by their first day, of records by day and item), by `file` (ties of
    both in the order of the file, as the paper has it)."""
    if not DATA.exists():
        pytest.skip("the shared data set online_retail is not beside the repository")
    files = {"purchases": f"{DATA}/online_retail.parquet", "customers": f"{DATA}/pwscup2018_customers.csv"}
    with duckdb.connect() as connection:
        found = connection.execute(ROUND_1, files).fetchnumpy()
    numbers = np.column_stack([found[name].astype(np.float64) for name in ("day", "price", "quantity")])
    _, items = np.unique(np.asarray(found["item"], dtype=str), return_inverse=True)
    ids, firsts, owners, lengths = np.unique(
        found["customer"], return_index=True, return_inverse=True, return_counts=True
    )
    first_days = np.full(ids.size, np.inf)
    np.minimum.at(first_days, owners, numbers[:, 0])
    by_rank = np.lexsort((firsts, -lengths) if order == "file" else (ids, first_days, -lengths))
    ranks = np.empty(ids.size, dtype=np.int64)
    ranks[by_rank] = np.arange(ids.size)
    file, days, amounts = np.arange(items.size), numbers[:, 0], (-numbers[:, 2], -numbers[:, 1])
    rows = np.lexsort((*((file,) if order == "file" else (items, days)), *amounts, ranks[owners]))
    return HistoryArrays(
        starts=np.concatenate(([0], np.cumsum(lengths[by_rank]))).astype(np.int64),
        numbers=np.ascontiguousarray(numbers[rows]),
        items=items[rows].astype(np.int32),
        sds=numbers.std(axis=0),
    )


def some_of(histories: HistoryArrays, first: int, end: int) -> HistoryArrays:
    """The histories of some customers alone."""
    rows = slice(histories.starts[first], histories.starts[end])
    return HistoryArrays(
        starts=histories.starts[first : end + 1] - histories.starts[first],
        numbers=histories.numbers[rows],
        items=histories.items[rows],
        sds=histories.sds,
    )
