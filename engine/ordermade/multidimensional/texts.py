"""Values of groups as texts: each as the database writes it; intervals and sets of them, which can be read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Codes
from ordermade.multidimensional.columns import Column
from ordermade.multidimensional.records import Records
from ordermade.multidimensional.statements import TO_WRITE, written_statement
from ordermade.slices.keys import leaves_statement
from ordermade.slices.pull import pulled_table
from ordermade.slices.tables import measured_column
from ordermade.sources.door import Purpose, arrow

if TYPE_CHECKING:
    import pyarrow as pa

SPECIAL = r'[;{}"]|^$|^\*$'
"""A value with one of these is no value any more inside a set; an empty one is none, and `*` another."""


def written_codes(records: Records, place: int, *codes: Codes) -> tuple[pa.Array, ...]:
    """The values of an `ordered` column with these codes, as texts, each read from one record that has it.

    A zero has no sign.
    """
    from pyarrow import compute

    column = records.columns[place]
    wanted, numbers = np.unique(np.concatenate(codes), return_inverse=True)
    record = np.empty(column.values.size, dtype=np.int64)
    record[column.codes] = np.arange(records.rows)
    workspace = records.plan.dataset.backend.workspace
    records_to_write = {"place": np.arange(wanted.size), "record": record[wanted]}
    workspace.take(Purpose.RELEASE, TO_WRITE, arrow().table(records_to_write))
    texts = _texts(pulled_table(workspace, Purpose.RELEASE, written_statement(measured_column(place))))
    texts = compute.if_else(compute.equal(texts, "-0.0"), "0.0", texts)
    ends = np.cumsum([each.size for each in codes])[:-1]
    return tuple(texts.take(arrow().array(each)) for each in np.split(numbers, ends))


def written_values(records: Records, column: Column) -> pa.Array:
    """The texts of all values of a column with a hierarchy, or of an `unordered` one, by their codes."""
    if column.grounded is None or column.wanted.ordered_as is None:
        return arrow().array(column.values, arrow().string())
    workspace = records.plan.dataset.backend.workspace
    table = pulled_table(workspace, Purpose.RELEASE, leaves_statement(column.grounded, ()))
    if table is None:
        raise ValueError(f"{column.column} has no value in its hierarchy")
    return _texts(table).take(arrow().array(np.searchsorted(table["cell"].to_numpy(), column.cells)))


def apart(texts: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Texts as they stand alone, and as they stand in a set: in quotes where they could be mistaken for other things.

    NULL stands alone as NULL, in a set as nothing at all. Sets of them may be more than 2 GiB of text in all.
    """
    from pyarrow import compute

    doubled = compute.replace_substring(texts, '"', '""')
    quoted = compute.binary_join_element_wise('"', doubled, '"', "")
    within = compute.if_else(compute.match_substring_regex(texts, SPECIAL), quoted, texts)
    alone = compute.if_else(compute.equal(texts, ""), texts, within)
    large = arrow().large_string()
    return alone.cast(large), compute.fill_null(within, "").cast(large)


def intervals(low: pa.Array, high: pa.Array) -> pa.Array:
    """`[a;b]`; where both ends are one, `a`."""
    from pyarrow import compute

    between = compute.binary_join_element_wise("[", low, ";", high, "]", "")
    return compute.if_else(compute.equal(low, high), low, between)


def in_sets(starts: NDArray[np.int64], alone: pa.Array, within: pa.Array) -> pa.Array:
    """`{a;b;c}` of the texts from each start on; of one text that itself, as it stands alone."""
    from pyarrow import compute

    before, between, after, nothing = (arrow().scalar(each, within.type) for each in ("{", ";", "}", ""))
    lists = arrow().ListArray.from_arrays(arrow().array(starts, arrow().int32()), within)
    sets = compute.binary_join_element_wise(before, compute.binary_join(lists, between), after, nothing)
    single = np.diff(starts) == 1
    return compute.if_else(arrow().array(single), alone.take(arrow().array(starts[:-1])), sets)


def _texts(table: pa.Table | None) -> pa.Array:
    return arrow().array([], arrow().string()) if table is None else table["label"].combine_chunks()
