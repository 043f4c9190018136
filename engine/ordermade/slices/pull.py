"""Read the answer of a statement into arrays, column by column, in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
"""The number of records of a batch."""

_DTYPES: Mapping[Kind, type[np.generic]] = {"float": np.float64, "code": np.int32, "value": np.int32}


def pulled(
    door: Door, statement: exp.Query, columns: Sequence[Held], rows: int, texts: Mapping[str, pa.Array] | None = None
) -> tuple[NDArray[Any], ...]:
    """The `rows` of a statement that gives the columns as numbers, in the order of its answer.

    `texts`: of the columns of any values, by name, the texts that these may be; the arrays hold their places there.
    Raises SourceChanged where a record has no number, though every value that was counted had one.
    """
    known = [(texts or {}).get(each.name) for each in columns]
    found: list[NDArray[Any]] = [np.empty(rows, dtype=_DTYPES.get(each.kind, np.int64)) for each in columns]
    done = 0
    for batch in door.batches(Purpose.RECORDS, statement, BATCH):
        for column, values, listed in zip(found, batch.columns, known, strict=True):
            part = values if listed is None else _places(values, listed)
            if part.null_count:
                raise SourceChanged(
                    "the dataset changed while its records were read", next_step="Run the request again."
                )
            column[done : done + batch.num_rows] = part.to_numpy()
        done += batch.num_rows
    return tuple(found)


def _places(values: pa.Array, listed: pa.Array) -> pa.Array:
    """The place of each text among those that are listed."""
    from pyarrow import compute

    short = values.dictionary_encode(null_encoding="encode")
    return compute.index_in(short.dictionary, listed).take(short.indices)


def pulled_table(door: Door, purpose: Purpose, statement: exp.Query) -> pa.Table | None:
    """The answer of a statement as one Arrow table; None where it has no row."""
    batches = list(door.batches(purpose, statement, BATCH))
    return arrow().Table.from_batches(batches).combine_chunks() if any(each.num_rows for each in batches) else None
