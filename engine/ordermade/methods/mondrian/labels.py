"""Labels of groups: classes of hierarchies, intervals, sets, means or medians, as texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from pyarrow import compute

from ordermade.counting.numeric_records import pulled_table
from ordermade.counting.record_tables import leaves_statement
from ordermade.hierarchies.hierarchy import STAR
from ordermade.methods.microaggregation.algorithm.aggregates import released_numbers
from ordermade.methods.microaggregation.algorithm.columns import Numeric
from ordermade.methods.microaggregation.algorithm.exact_integers import Whole, means
from ordermade.methods.microaggregation.algorithm.groups import Groups
from ordermade.methods.mondrian.algorithm.domains import Codes, Nested, OrderedDomain, Unordered
from ordermade.methods.mondrian.algorithm.partition import Partition
from ordermade.methods.mondrian.coded_columns import TO_WRITE, written_statement
from ordermade.methods.mondrian.open_request import IN_A_DAY, Form, MondrianColumn, Numbers
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.sources.executor import Purpose, arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from ordermade.requests.mondrian import Labels

SPECIAL = r'[,;{}"]|^[*]?$|^[\s\p{Z}]|[\s\p{Z}]$'
"""A value with one of these is no value any more inside a set; an empty one is none, `*` another, outer spaces go.

Releases of earlier versions, and files of the PWSCUP contest, have semicolons for commas: `[a;b]` and `{a;b}`.
"""


def written_codes(records: MondrianRecords, place: int, *codes: Codes) -> tuple[pa.Array, ...]:
    """The values of an `ordered` column with these codes, as texts, each read from one row that has it.

    A zero has no sign.
    """
    standing = records.standing(place)
    wanted, numbers = np.unique(np.concatenate(codes), return_inverse=True)
    workspace = records.plan.dataset.backend.workspace
    to_write = {"place": np.arange(wanted.size), "record": standing.places[wanted]}
    workspace.take(Purpose.RELEASE, TO_WRITE, arrow().table(to_write))
    statement = written_statement(standing.table, standing.column, standing.key)
    texts = _texts(pulled_table(workspace, Purpose.RELEASE, statement))
    texts = compute.if_else(compute.equal(texts, "-0.0"), "0.0", texts)
    ends = np.cumsum([each.size for each in codes])[:-1]
    return tuple(texts.take(arrow().array(each)) for each in np.split(numbers, ends))


def written_values(records: MondrianRecords, column: MondrianColumn) -> pa.Array:
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
    doubled = compute.replace_substring(texts, '"', '""')
    quoted = compute.binary_join_element_wise('"', doubled, '"', "")
    within = compute.if_else(compute.match_substring_regex(texts, SPECIAL), quoted, texts)
    alone = compute.if_else(compute.equal(texts, ""), texts, within)
    large = arrow().large_string()
    return alone.cast(large), compute.fill_null(within, "").cast(large)


def intervals(low: pa.Array, high: pa.Array) -> pa.Array:
    """`[a, b]`; where both ends are one, `a`."""
    between = compute.binary_join_element_wise("[", low, ", ", high, "]", "")
    return compute.if_else(compute.equal(low, high), low, between)


def in_sets(starts: NDArray[np.int64], alone: pa.Array, within: pa.Array) -> pa.Array:
    """`{a, b, c}` of the texts from each start on; of one text that itself, as it stands alone."""
    before, between, after, nothing = (arrow().scalar(each, within.type) for each in ("{", ", ", "}", ""))
    lists = arrow().ListArray.from_arrays(arrow().array(starts, arrow().int32()), within)
    sets = compute.binary_join_element_wise(before, compute.binary_join(lists, between), after, nothing)
    single = np.diff(starts) == 1
    return compute.if_else(arrow().array(single), alone.take(arrow().array(starts[:-1])), sets)


def _texts(table: pa.Table | None) -> pa.Array:
    return arrow().array([], arrow().string()) if table is None else table["label"].combine_chunks()


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedLabels:
    """The released values of one column, one a group.

    `form`: `texts`; `values` of a hierarchy, by their cells; `numbers`, or dates, that are means or medians. `numbers`:
    these as numbers, in the column's own unit, of dates and time stamps in days; None of other forms.
    """

    form: Form
    shown: pa.Array
    numbers: NDArray[np.float64] | None = None


def released(records: MondrianRecords, partition: Partition, labels: Labels = "interval") -> tuple[ReleasedLabels, ...]:
    """The released values of every group, one entry for each column in order.

    Of a `nested` column the class of the group, or its value; where all groups have values, these are released as such,
    else as texts. Of a `tree` or an `unordered` column the set of its values, `*` where that is the whole domain. Of an
    `ordered` one, as `labels` says, the interval from the least to the greatest value of the group (where they are one,
    the value), the set of its values, or their mean or median: of dates rounded down to the day, of time stamps to what
    their type can hold.
    """
    return tuple(_released(records, place, partition, labels) for place in range(len(records.columns)))


def _released(records: MondrianRecords, place: int, partition: Partition, labels: Labels) -> ReleasedLabels:
    column = records.columns[place]
    if isinstance(column.domain, Nested):
        return _classes(records, column, column.domain, partition, place)
    if column.kind == "ordered" and labels in ("mean", "median"):
        return _numbers(column, partition, labels)
    if column.kind == "ordered" and labels == "interval":
        ordered = partition.ascending(column.codes)
        low, high = ordered[partition.starts[:-1]], ordered[partition.starts[1:] - 1]
        return ReleasedLabels("texts", intervals(*written_codes(records, place, low, high)))
    starts, present = partition.present(column.codes)
    if column.kind == "ordered":
        (texts,) = written_codes(records, place, present)
        return ReleasedLabels("texts", in_sets(starts, texts, texts))
    alone, within = apart(written_values(records, column))
    sets = in_sets(starts, alone.take(_array(present)), within.take(_array(present)))
    return ReleasedLabels("texts", _starred(sets, np.diff(starts) == _values(column.domain)))


def _values(domain: OrderedDomain | Unordered) -> int:
    """The number of values; a set of one is no set."""
    values = domain.values if isinstance(domain, Unordered) else int(domain.span) + 1
    return values if values > 1 else 0


def _starred(texts: pa.Array, everything: NDArray[np.bool_]) -> pa.Array:
    return compute.if_else(_array(everything), STAR, texts)


def _classes(
    records: MondrianRecords, column: MondrianColumn, domain: Nested, partition: Partition, place: int
) -> ReleasedLabels:
    """The class of each group at its level, by its label; the values, where all groups are at level 0."""
    first, levels = column.codes[partition.order[partition.starts[:-1]]], partition.levels[:, place]
    if not levels.any():
        return ReleasedLabels("values", _array(column.cells[first]))
    texts = [written_values(records, column) if (levels == 0).any() else arrow().array([], arrow().string())]
    texts += [arrow().array(each, arrow().string()) for each in column.labels[1:]]
    begin = np.cumsum([0, *(len(each) for each in texts)])
    of_class = np.full(first.size, begin[-1])  # `*` comes last
    for level in range(domain.top):
        at = levels == level
        of_class[at] = begin[level] + domain.classes[level, first[at]]
    every = arrow().concat_arrays([*texts, arrow().array([STAR], arrow().string())])
    return ReleasedLabels("texts", every.take(_array(of_class)))


def _numbers(column: MondrianColumn, partition: Partition, labels: Literal["mean", "median"]) -> ReleasedLabels:
    """The mean or the median of each group. Values are added up in their own order, whatever that of the records."""
    codes, weights = partition.weighed(column.codes)
    if labels == "median":  # the mean of the two in the middle
        last = np.cumsum(weights)
        begin = last[partition.starts[1:] - 1] - partition.sizes
        middle = np.stack([begin + (partition.sizes - 1) // 2, begin + partition.sizes // 2], axis=1).ravel()
        codes, weights = codes[np.searchsorted(last, middle, "right")], np.ones(middle.size, dtype=np.int64)
        lengths = sizes = np.full(partition.groups, 2)
    else:
        lengths, sizes = partition.lengths, partition.sizes
    values, kind = cast("Numbers", column.values)[codes], column.wanted.ordered_as
    if kind in ("whole", "float"):
        found = [
            released_numbers(Numeric(each), groups).values for each, groups in _in_rows(values, weights, lengths, sizes)
        ]
        given = np.concatenate(found) / 10**column.wanted.decimals + 0.0  # no -0.0
        return ReleasedLabels("numbers", _array(given), given)
    moments = np.concatenate(
        [means(cast("Whole", each), groups).whole for each, groups in _in_rows(values, weights, lengths, sizes)]
    )
    moments -= moments % column.wanted.moment  # the database would round up, too
    numbers = moments / IN_A_DAY[str(kind)]
    if kind == "day":
        return ReleasedLabels("numbers", arrow().array(moments.astype(np.int32), arrow().date32()), numbers)
    unit = {"microsecond": "us", "nanosecond": "ns"}[str(kind)]
    return ReleasedLabels("numbers", arrow().array(moments, arrow().timestamp(unit)), numbers)


AT_ONCE = 1 << 22
"""The rows to write out at a time, where a record stands for several."""


def _in_rows(
    values: Numbers, weights: NDArray[np.int64], lengths: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Iterator[tuple[Numbers, Groups]]:
    """Values of records, a record of so many rows each, row by row: some groups at a time, so that few are in memory.

    `lengths` and `sizes`: the records and the rows of each group.
    """
    ends, rows = np.cumsum(lengths), np.cumsum(sizes)
    group = record = done = 0
    while group < sizes.size:
        until = max(group + 1, int(np.searchsorted(rows, done + AT_ONCE, "right")))
        last = int(ends[until - 1])
        yield cast("Numbers", np.repeat(values[record:last], weights[record:last])), _as_they_stand(sizes[group:until])
        group, record, done = until, last, int(rows[until - 1])


def _as_they_stand(sizes: NDArray[np.int64]) -> Groups:
    """Groups of records that come one group after another."""
    labels: Codes = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    return Groups(labels, np.arange(labels.size), sizes, np.cumsum(sizes) - sizes)


def _array(values: NDArray[Any]) -> pa.Array:
    return arrow().array(values)
