"""The types of the documents of `ordermade judge`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class JudgedNumber(TypedDict):
    """A column of numbers."""

    column: str
    """Its name."""
    unit: float
    """Its unit."""


class HistoryRoles(TypedDict):
    """The columns of purchase histories."""

    customer: str
    """The column of the customer."""
    when: str
    """The column of days or time stamps."""
    item: str
    """The column of the item."""
    numbers: list[JudgedNumber]
    """The columns of numbers."""
    pseudonym: str
    """The column of pseudonyms in the release."""
    price: str | None
    """The column of the price."""
    quantity: str | None
    """The column of the quantity."""


class JudgedRows(TypedDict):
    """The rows of original and release."""

    original: int
    """Those of the original."""
    release: int
    """Those of the release."""
    kept: int
    """Those of the original that are not deleted."""


class JudgedCustomers(TypedDict):
    """The customers of original and release."""

    original: int
    """Those of the original."""
    released: int
    """Those with a released row."""


class JudgedLoss(TypedDict):
    """The losses: lower is better."""

    utility: float
    """U of the contest: the mean error of a cell."""
    utility_by_column: dict[str, float]
    """The same of each column."""
    utility_as_categories: float | None
    """U as the paper scores categories."""
    deleted_share: float
    """The share of the rows that are deleted."""
    deleted_rows: int
    """Their number."""
    deleted_cells: dict[str, int]
    """Deleted cells by column."""
    cells_without_the_truth: dict[str, int]
    """Cells whose label does not have the original value, by column."""
    safety: float
    """1 / k."""
    total: float
    """`utility` and `safety` together."""


class Attack(TypedDict):
    """An attack that was run."""

    name: str
    """The part of the purchases that it compares."""
    attempts: int
    """The customers for whom a pseudonym was named."""
    hits: int
    """The pseudonyms that were theirs."""
    expected: float
    """The hits that 1/k predicts."""
    deviation: float
    """The standard deviation of that number."""
    most: float
    """`expected` and three deviations."""
    within: bool
    """Whether there are no more hits than that."""
    unsafe_from: int | None
    """The hits from which the contest calls a release unsafe."""
    unsafe: bool
    """Whether it calls this one so."""


class MonthlySales(TypedDict):
    """The sales of one month, as shares of all sales of the original."""

    month: str
    """The month."""
    before: float
    """In the original."""
    after: float
    """In the release."""


class MostSold(TypedDict):
    """The best-selling items."""

    most: int
    """So many of the original."""
    found: int
    """Those of them that are among as many of the release."""


class Segments(TypedDict):
    """The share of customers in the same fifth as before."""

    customers: int
    """The customers that are compared."""
    recency: float
    """By the day of the last purchase."""
    frequency: float
    """By the number of purchases."""
    monetary: float | None
    """By sales; null without price and quantity."""
    all_of_them: float
    """By all of these."""


class Understood(TypedDict):
    """The remaining usefulness."""

    sales_by_month: list[MonthlySales] | None
    """Sales by month; null without price and quantity."""
    sales_kept: float | None
    """The share of all sales whose month the release keeps."""
    most_sold: list[MostSold]
    """The best-selling items."""
    segments: Segments
    """The segments of customers."""


class HistoryJudgement(Opening):
    """A judged release of purchase histories."""

    command: Literal["judge history"]
    """`judge history`."""
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
    attacks: list[Attack] | None
    """The attacks; null with `--no-attacks`."""
    understood: Understood
    """The remaining usefulness."""


class Generalised(TypedDict):
    """Rows whose label names more than one value."""

    rows: int | None
    """Their number; null where fewer than k, but some."""
    classes: int
    """Their classes."""


class NarrowedRows(TypedDict):
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


class JudgedColumn(TypedDict):
    """A column of a locally recoded release."""

    column: str
    """Its name."""
    hierarchy: str
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


class NarrowedClass(TypedDict):
    """A class of k rows or more that is narrowed."""

    labels: dict[str, str | None]
    """Its labels."""
    rows: int
    """Its rows."""
    values_named: dict[str, int]
    """The values that each label names."""
    values_left: dict[str, int]
    """Those of them that are possible."""


class CheckedSets(TypedDict):
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


class RecodingJudgement(Opening):
    """A judged release of locally recoded rows."""

    command: Literal["judge recoding"]
    """`judge recoding`."""
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
    columns: list[JudgedColumn]
    """The columns."""
    columns_not_judged: list[str]
    """The columns without a hierarchy."""
    worst: list[NarrowedClass]
    """The classes that are narrowed most."""
    checked: CheckedSets | None
    """The inferred sets, checked against the original; null without one."""
