"""Out of the workspace into arrays: the answer of a statement column by column, some rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import SourceChanged
from ordermade.slices.numbers import Held, Kind
from ordermade.sources.door import Door, Purpose, arrow

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlglot import exp

BATCH = 131_072
"""So many records come at a time."""


def dtype_of(kind: Kind) -> np.dtype[Any]:
    """What an array holds numbers of a kind as."""
    return np.dtype({"float": np.float64, "code": np.int32}.get(kind, np.int64))


def pulled(door: Door, statement: exp.Query, columns: Sequence[Held], rows: int) -> tuple[NDArray[Any], ...]:
    """The `rows` of a statement that gives the columns as numbers, in the order of its answer.

    Raises SourceChanged where a record has none, though every value that was counted had one.
    """
    found: list[NDArray[Any]] = [np.empty(rows, dtype=dtype_of(each.kind)) for each in columns]
    done = 0
    for batch in door.batches(Purpose.RECORDS, statement, BATCH):
        for column, values in zip(found, batch.columns, strict=True):
            if values.null_count:
                raise SourceChanged(
                    "the dataset changed while its records were read", next_step="Run the request again."
                )
            column[done : done + batch.num_rows] = values.to_numpy()
        done += batch.num_rows
    return tuple(found)


def pulled_table(door: Door, purpose: Purpose, statement: exp.Query) -> pa.Table | None:
    """The answer of a statement as one Arrow table; None where it has no row."""
    batches = list(door.batches(purpose, statement, BATCH))
    return arrow().Table.from_batches(batches).combine_chunks() if any(each.num_rows for each in batches) else None
