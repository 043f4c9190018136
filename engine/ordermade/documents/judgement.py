"""The documents of `ordermade judge`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from ordermade.evaluation import recoding
from ordermade.tables import judgement as judged_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ordermade.evaluation.attacks import Attacked
    from ordermade.evaluation.judge import Judgement
    from ordermade.evaluation.utility import Month, MostSold, Segments


@dataclass(frozen=True, slots=True)
class JudgedNumber:
    """A column of numbers."""

    column: str
    """Its name."""
    unit: float
    """Its unit."""


@dataclass(frozen=True, slots=True)
class HistoryRoles:
    """The columns of purchase histories."""

    customer: str
    """The column of the customer."""
    when: str
    """The column of days or time stamps."""
    item: str
    """The column of the item."""
    numbers: Sequence[JudgedNumber]
    """The columns of numbers."""
    pseudonym: str
    """The column of pseudonyms in the release."""
    price: str | None
    """The column of the price."""
    quantity: str | None
    """The column of the quantity."""


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """The rows of original and release."""

    original: int
    """Those of the original."""
    release: int
    """Those of the release."""
    kept: int
    """Those of the original that are not deleted."""


@dataclass(frozen=True, slots=True)
class JudgedCustomers:
    """The customers of original and release."""

    original: int
    """Those of the original."""
    released: int
    """Those with a released row."""


@dataclass(frozen=True, slots=True)
class JudgedLoss:
    """The losses: lower is better."""

    utility: float
    """U of the contest: the mean error of a cell."""
    utility_by_column: Mapping[str, float]
    """The same of each column."""
    utility_as_categories: float | None
    """U as the paper scores categories."""
    deleted_share: float
    """The share of the rows that are deleted."""
    deleted_rows: int
    """Their number."""
    deleted_cells: Mapping[str, int]
    """Deleted cells by column."""
    cells_without_the_truth: Mapping[str, int]
    """Cells whose label does not have the original value, by column."""
    safety: float
    """1 / k."""
    total: float
    """`utility` and `safety` together."""


@dataclass(frozen=True, slots=True)
class Understood:
    """The remaining usefulness."""

    sales_by_month: Sequence[Month] | None
    """Sales by month; null without price and quantity."""
    sales_kept: float | None
    """The share of all sales whose month the release keeps."""
    most_sold: Sequence[MostSold]
    """The best-selling items."""
    segments: Segments
    """The segments of customers."""


@dataclass(frozen=True, slots=True)
class JudgedHistory:
    """A judged release of purchase histories."""

    original: str
    """The original."""
    release: str
    """The release."""
    where: str | None
    """The row filter of the original."""
    columns: HistoryRoles
    """The columns."""
    classes: str | None
    """The level of categories that are released instead of items."""
    rows: JudgedRows
    """The rows."""
    customers: JudgedCustomers
    """The customers."""
    pseudonyms: int
    """The pseudonyms of the release."""
    k: int
    """The fewest customers with equal histories."""
    histories: int
    """The different histories of the release."""
    largest: int
    """The most customers with equal histories."""
    loss: JudgedLoss
    """The losses."""
    attacks: Sequence[Attacked] | None
    """The attacks; null with `--no-attacks`."""
    understood: Understood
    """The remaining usefulness."""


@dataclass(frozen=True, slots=True)
class Generalised:
    """Rows whose label names more than one value."""

    rows: int | None
    """Their number; null where fewer than k, but some."""
    classes: int
    """Their classes."""


@dataclass(frozen=True, slots=True)
class NarrowedRows:
    """Rows of which fewer values are possible than their labels name."""

    rows: int | None
    """Their number; null where fewer than k, but some."""
    share: float | None
    """Of the generalised rows."""
    classes: int
    """Their classes."""
    classes_by_labels_alone: int
    """The classes that labels alone narrow."""
    classes_by_rounds_only: int
    """The classes that rounds alone narrow."""
    classes_narrowed_further_by_rounds: int
    """The classes that rounds narrow further."""


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """A column of a locally recoded release."""

    column: str
    """Its name."""
    hierarchy: str | None
    """Its hierarchy."""
    values: str
    """The values that are counted: `listed`, those of the hierarchy, or `original`, those that occur."""
    rows_generalised: int | None
    """The generalised rows; null where fewer than k, but some."""
    rows_narrowed: int | None
    """The narrowed rows; null where fewer than k, but some."""
    share: float | None
    """Narrowed of generalised rows."""
    values_named: float | None
    """The mean number of values that a label names."""
    values_left: float | None
    """The mean number of values that are possible."""


@dataclass(frozen=True, slots=True)
class NarrowedClass:
    """A class of k rows or more that is narrowed."""

    labels: Mapping[str, str | None]
    """Its labels."""
    rows: int
    """Its rows."""
    values_named: Mapping[str, int]
    """The values that each label names."""
    values_left: Mapping[str, int]
    """Those of them that are possible."""


@dataclass(frozen=True, slots=True)
class JudgedSets:
    """The inferred sets, checked against the original."""

    inferred_sets: int
    """Their number."""
    right: int
    """Those that are right."""
    rows_of_no_class: int | None
    """The rows of the original that no class holds."""
    rows_with_unlisted_values: int | None
    """Those of them with values that no hierarchy lists."""
    original_fits: bool
    """Whether the release may be of this original."""


@dataclass(frozen=True, slots=True)
class JudgedPossible:
    """A sensitive column: its values that remain possible for a person whose quasi-identifiers are known.

    Null: figures that fewer rows than k, but some, would change.
    """

    column: str
    """Its name."""
    values: int
    """Its different values in the release."""
    rows: int | None
    """The rows of the original that some class may have."""
    rows_narrowed: int | None
    """Those with fewer values left than the labels allow."""
    rows_of_one_value: int | None
    """Those of them for which one is left."""
    share: float | None
    """The rows with fewer values, of all rows."""
    values_by_labels: float | None
    """The mean number of values that the labels allow."""
    values_left: float | None
    """The mean number of values left."""
    least_by_labels: int | None
    """The least number that the labels allow."""
    least_left: int | None
    """The least number left."""
    candidates_by_labels: float | None
    """The mean number of released rows that may be the person's, by labels."""
    candidates_left: float | None
    """The same after the elimination."""
    least_candidates: int | None
    """The least number of them."""


@dataclass(frozen=True, slots=True)
class JudgedRecoding:
    """A judged release of locally recoded rows."""

    release: str
    """The release."""
    original: str | None
    """The original."""
    where: str | None
    """The row filter of the original."""
    k: int | None
    """The k that the release promises."""
    rows: int | None
    """Its rows; null where fewer than k, but some."""
    suppressed_rows: int | None
    """Its rows of `*`; null where fewer than k, but some."""
    classes: int
    """Its classes."""
    rounds: int | None
    """The rounds; null where they are not known."""
    generalised: Generalised
    """The rows whose label names more than one value."""
    narrowed: NarrowedRows
    """The rows of which fewer values are possible."""
    classes_given_up: int
    """The classes that were too many to work out."""
    classes_contradicted: int
    """The classes that no original could have."""
    columns: Sequence[JudgedColumn]
    """The columns."""
    columns_not_judged: Sequence[str]
    """The columns without a hierarchy."""
    worst: Sequence[NarrowedClass]
    """The classes that are narrowed most."""
    checked: JudgedSets | None
    """The inferred sets, checked against the original; null without one."""
    sensitive: Sequence[JudgedPossible]
    """The sensitive columns; none without the original."""


@dataclass(frozen=True, slots=True)
class JudgedTable:
    """A published table."""

    name: str
    """Its path or name."""
    dimensions: Sequence[str]
    """Its dimensions."""
    published: int
    """Its cells with a value."""
    suppressed: int
    """Its suppressed cells."""
    without_row: int
    """Those of them without a row."""
    few: int
    """Its published cells from 1 to `k` - 1."""


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """A suppressed cell."""

    table: str
    """Its table."""
    codes: Mapping[str, str]
    """Its code in each dimension."""
    least: float
    """The least that it can be."""
    most: float | None
    """The most that it can be; null where nothing bounds it."""
    width: float | None
    """The most less the least."""
    least_alone: float
    """The least by its own table."""
    most_alone: float | None
    """The most by its own table."""
    finding: Literal["recovered", "narrow", "below k", "wide", "not audited"]
    """`recovered`: one value is left; `narrow`: the width is below `k`; `below k`: the most is; else `wide`."""
    by_difference: bool
    """Whether its own table would have left it wide."""
    published_in: str | None
    """Another table that publishes it."""


@dataclass(frozen=True, slots=True)
class JudgedSum:
    """A sum that cannot hold."""

    codes: Mapping[str, str]
    """The codes of the total."""
    dimension: str
    """The dimension that is summed over."""
    total: float | None
    """The total; null where it is suppressed."""
    parts: float
    """The sum of the published parts."""
    suppressed_parts: int
    """The number of the others."""
    tables: Sequence[str]
    """The tables that publish its cells."""


@dataclass(frozen=True, slots=True)
class JudgedConflict:
    """A cell that tables publish with different values."""

    codes: Mapping[str, str]
    """Its codes."""
    values: Mapping[str, float]
    """Its value by table."""


@dataclass(frozen=True, slots=True)
class JudgedTables:
    """Judged tables of one population."""

    tables: Sequence[JudgedTable]
    """The tables."""
    k: int
    """The least width that is safe."""
    least: int
    """No suppressed cell is below this."""
    absent: Literal["empty", "suppressed"]
    """What cells without a row were taken for."""
    sums: int
    """The number of sums to a cell of a table."""
    recovered: int
    """The suppressed cells of which one value is left."""
    narrow: int
    """Those of an interval that is narrower than `k`."""
    below_k: int
    """The others that are certainly below `k`."""
    by_difference: int
    """The cells of these three that their own table would have left wide."""
    not_audited: int
    """The cells for which the linear programs ran out."""
    linear_programs: int
    """The linear programs that were solved for all tables together."""
    is_outer: bool
    """Whether there are too many finest cells, so that intervals may be narrower than they are here."""
    cells: Sequence[JudgedCell]
    """The suppressed cells."""
    wrong_sums: Sequence[JudgedSum]
    """The sums that cannot hold; intervals are found without them."""
    conflicts: Sequence[JudgedConflict]
    """The cells that tables publish with different values."""
    microdata: judged_tables.ComparedMicrodata | None
    """The findings beside the microdata that the tables were counted from; null where none are given."""


def tables(found: judged_tables.TableJudgement) -> JudgedTables:
    """The judgement of published tables."""
    return JudgedTables(
        tables=tuple(
            JudgedTable(each.name, each.dimensions, each.published, each.suppressed, each.without_row, each.few)
            for each in found.tables
        ),
        k=found.k,
        least=found.least,
        absent=found.absent,
        sums=found.sums,
        recovered=found.number(judged_tables.RECOVERED),
        narrow=found.number(judged_tables.NARROW),
        below_k=found.number(judged_tables.FEW),
        by_difference=found.by_difference,
        not_audited=found.number(judged_tables.UNFINISHED),
        linear_programs=found.programs,
        is_outer=found.is_outer,
        cells=tuple(
            JudgedCell(
                table=each.table,
                codes=each.codes,
                least=each.least,
                most=each.most,
                width=each.width,
                least_alone=each.least_alone,
                most_alone=each.most_alone,
                finding=each.finding,
                by_difference=each.by_difference,
                published_in=each.published_in,
            )
            for each in found.cells
        ),
        wrong_sums=tuple(
            JudgedSum(each.codes, each.dimension, each.total, each.parts, each.suppressed_parts, each.tables)
            for each in found.wrong_sums
        ),
        conflicts=tuple(JudgedConflict(each.codes, each.values) for each in found.conflicts),
        microdata=found.microdata,
    )


def history(found: Judgement) -> JudgedHistory:
    """The judgement of purchase histories."""
    roles, loss, use = found.roles, found.loss, found.understood
    return JudgedHistory(
        original=found.original,
        release=found.release,
        where=found.where,
        columns=HistoryRoles(
            customer=roles.customer,
            when=roles.when,
            item=roles.item,
            numbers=tuple(
                JudgedNumber(name, float(unit or 1)) for name, unit in zip(roles.numbers, roles.units, strict=True)
            ),
            pseudonym=found.pseudonym,
            price=found.price,
            quantity=found.quantity,
        ),
        classes=found.classes,
        rows=JudgedRows(loss.records, found.released.written, loss.records - loss.deleted_rows),
        customers=JudgedCustomers(found.histories.customers, found.histories.named),
        pseudonyms=found.released.pseudonyms,
        k=found.histories.k,
        histories=found.histories.histories,
        largest=found.histories.largest,
        loss=JudgedLoss(
            utility=loss.utility,
            utility_by_column={each.name: each.utility for each in loss.columns},
            utility_as_categories=loss.utility_as_categories,
            deleted_share=loss.deleted_share,
            deleted_rows=loss.deleted_rows,
            deleted_cells={each.name: each.deleted for each in loss.columns},
            cells_without_the_truth={each.name: each.untrue for each in loss.columns},
            safety=found.safety,
            total=found.total,
        ),
        attacks=found.attacks,
        understood=Understood(use.months, use.sales_kept, use.most_sold, use.segments),
    )


def recoded(found: recoding.RecodingJudgement) -> JudgedRecoding:
    """The judgement of local recoding; null where fewer rows than k, but some, would be shown."""
    some, narrowed_is_shown = partial(recoding.some, found), recoding.is_shown(found, found.rows_narrowed)
    return JudgedRecoding(
        release=found.release,
        original=found.original,
        where=found.where,
        k=found.k,
        rows=some(found.rows),
        suppressed_rows=some(found.star_rows),
        classes=found.classes,
        rounds=found.rounds,
        generalised=Generalised(some(found.rows_generalised), found.classes_generalised),
        narrowed=NarrowedRows(
            rows=some(found.rows_narrowed),
            share=found.share if narrowed_is_shown else None,
            classes=found.classes_narrowed,
            classes_by_labels_alone=found.classes_by_labels,
            classes_by_rounds_only=found.classes_by_rounds,
            classes_narrowed_further_by_rounds=found.classes_further,
        ),
        classes_given_up=found.classes_given_up,
        classes_contradicted=found.classes_contradicted,
        columns=tuple(_column(found, each) for each in found.columns),
        columns_not_judged=found.not_judged,
        worst=tuple(NarrowedClass(each.labels, each.rows, each.named, each.left) for each in found.worst),
        checked=None if found.checked is None else _checked(found, found.checked),
        sensitive=tuple(_possible(found, each) for each in found.sensitive),
    )


def _possible(found: recoding.RecodingJudgement, each: recoding.ColumnPossible) -> JudgedPossible:
    own, some = each.possible, partial(recoding.of_original, found)
    is_possible_shown = recoding.is_possible_shown(found, own)
    return JudgedPossible(
        column=each.column,
        values=own.values,
        rows=some(own.rows),
        rows_narrowed=some(own.rows_narrowed),
        rows_of_one_value=some(own.rows_of_one),
        share=own.share if is_possible_shown else None,
        values_by_labels=own.by_labels if is_possible_shown else None,
        values_left=own.left if is_possible_shown else None,
        least_by_labels=own.least_by_labels if is_possible_shown else None,
        least_left=own.least_left if is_possible_shown else None,
        candidates_by_labels=own.candidates_by_labels if is_possible_shown else None,
        candidates_left=own.candidates_left if is_possible_shown else None,
        least_candidates=own.least_candidates if is_possible_shown else None,
    )


def _checked(found: recoding.RecodingJudgement, checked: recoding.CheckedSets) -> JudgedSets:
    return JudgedSets(
        inferred_sets=checked.classes,
        right=checked.right,
        rows_of_no_class=recoding.of_original(found, checked.uncovered),
        rows_with_unlisted_values=recoding.of_original(found, checked.unnamed),
        original_fits=checked.fits,
    )


def _column(found: recoding.RecodingJudgement, each: recoding.ColumnNarrowed) -> JudgedColumn:
    is_shown = recoding.is_shown(found, each.rows_narrowed)
    return JudgedColumn(
        column=each.column,
        hierarchy=each.hierarchy,
        values=each.counted,
        rows_generalised=recoding.some(found, each.rows_generalised),
        rows_narrowed=recoding.some(found, each.rows_narrowed),
        share=each.share if is_shown else None,
        values_named=each.named,
        values_left=each.left if is_shown else None,
    )
