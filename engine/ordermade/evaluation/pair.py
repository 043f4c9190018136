"""An original and its release in the workspace: purchases by number, released cells as intervals and sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset
from ordermade.counting.numeric_records import ENDS, FINEST, uneven_rows, unit_of_values
from ordermade.errors import InputError, quoted
from ordermade.evaluation.options import JudgedRoles
from ordermade.evaluation.tables import (
    CUSTOMERS,
    ELEMENTS,
    GOODS,
    ORIGINAL_READ,
    ORIGINAL_RECORDS,
    PSEUDONYMS,
    RELEASE_READ,
    RELEASED_HISTORIES,
    RELEASED_RECORDS,
    RELEASED_SETS,
    SET_SIZES,
    carried,
    drop,
    filled,
    for_numbers,
    keep,
    no_rows,
    row,
)
from ordermade.hierarchies.column_types import (
    decimals_of,
    has_no_text,
    is_date,
    is_text,
    is_whole,
    measured_as,
    without_labels,
)
from ordermade.privacy.least_k import numbered
from ordermade.requests.numbers import plain
from ordermade.sources.backend import row_count
from ordermade.sources.executor import Executor

MAX_UNITS = 2**53
"""The largest number up to which a float64 holds every whole number."""
_GOOD_TEXTS = "good_texts"


@dataclass(frozen=True, slots=True)
class JudgedOriginal:
    """An original that was read: its name, its roles with their SQL types, its rows, and the units of its numbers."""

    name: str
    roles: JudgedRoles
    types: Mapping[str, str]
    records: int
    units: tuple[Decimal, ...]

    @property
    def places(self) -> int:
        """The number of columns of days or numbers."""
        return 1 + len(self.roles.numbers)

    @property
    def unit_of(self) -> dict[str, object]:
        """The parameters of statements: the unit of each column of days or numbers by its place."""
        return {f"unit_{place}": float(unit) for place, unit in enumerate((Decimal(1), *self.units), start=1)}


def read_original(dataset: Dataset, roles: JudgedRoles, executor: Executor) -> JudgedOriginal:
    """The original, read into the workspace.

    Raises InputError for columns of types that do not fit, rows with missing values, and numbers without a unit or
    that are no whole number of it; SourceFault.
    """
    types = {each.name: each.type for each in dataset.columns}
    if not row_count(dataset.backend, dataset.relation):  # before the types: a CSV file without rows has texts alone
        raise no_rows(dataset.name)
    _check_types(roles, types)
    tree = filled("judging/pair/original")
    sql.with_columns(tree, {"dataset.id": roles.customer, "dataset.qi": roles.item, "dataset.moment": roles.when})
    carried(dataset, for_numbers(tree, roles.numbers, "measured", 2), executor, ORIGINAL_READ)
    counted = row(executor, filled("judging/pair/original_missing", places=1 + len(roles.numbers)))
    _require_values(roles, types, counted, dataset.least_k)
    units = tuple(_unit(executor, roles, types, place) for place in range(len(roles.numbers)))
    for place, unit in enumerate(units, start=2):
        if Decimal(counted[f"largest_{place}"]) > MAX_UNITS * unit:
            raise InputError(
                f"the column {quoted(roles.numbers[place - 2])} has numbers too large to be counted in its unit",
                where="--unit",
                next_step="Leave such rows out with --where, or give a larger unit.",
            )
    _require_even(executor, roles, types, dataset.least_k)
    keep(executor, CUSTOMERS, _numbered(ORIGINAL_READ, "customer"))
    keep(executor, _GOOD_TEXTS, _numbered(ORIGINAL_READ, "item"))
    return JudgedOriginal(dataset.name, roles, types, int(counted["records"]), units)


def name_goods(executor: Executor, classes: Mapping[str, str] | None) -> int:
    """Store the name of each good in the release: its own, or its class; return the number of goods without a class."""
    if classes is None:
        keep(executor, GOODS, filled("judging/pair/goods", {"numbered_texts": _GOOD_TEXTS}))
        return 0
    listed = {"leaves": list(classes), "classes": list(classes.values())}
    keep(executor, GOODS, filled("judging/pair/goods_of_classes", {"numbered_texts": _GOOD_TEXTS}), listed)
    return int(row(executor, filled("judging/pair/goods_without_class"))["goods"])


def count_in_units(executor: Executor, original: JudgedOriginal) -> tuple[float, ...]:
    """Store the records of the original by number and in units; return the standard deviations of days and numbers.

    The names of the goods in the release (`ELEMENTS`) must be stored before.
    """
    keep(executor, ORIGINAL_RECORDS, filled("judging/pair/original_records", places=original.places), original.unit_of)
    drop(executor, ORIGINAL_READ)
    found = row(executor, filled("judging/pair/deviations", places=original.places))
    return tuple(float(found[f"sd_{place}"]) for place in range(1, original.places + 1))


def name_elements(executor: Executor, labels: str) -> None:
    """Store all names of goods in the original or the release, by number; `labels`: the table of their names."""
    keep(executor, _ELEMENT_TEXTS, _numbered(labels, "label"))
    keep(executor, ELEMENTS, filled("judging/pair/elements", {"numbered_texts": _ELEMENT_TEXTS}))
    drop(executor, _ELEMENT_TEXTS)


_ELEMENT_TEXTS = "element_texts"


def _check_types(roles: JudgedRoles, types: Mapping[str, str]) -> None:
    """Raises InputError for a column whose type cannot be used in its role."""
    for option, name in (("--customer", roles.customer), ("--item", roles.item)):
        if has_no_text(types[name]):
            raise _unusable(option, name, types, "whose values have no one text")
    if "TIME ZONE" in types[roles.when].upper():
        raise _unusable("--when", roles.when, types, "whose day depends on the time zone of who reads it")
    if not (is_date(types[roles.when]) or is_text(types[roles.when])):
        raise _unusable("--when", roles.when, types, "and no date")
    for name in roles.numbers:
        if measured_as(types[name]) is None:
            raise _unusable("--numbers", name, types, "and no number that is counted exactly")


def _unusable(option: str, name: str, types: Mapping[str, str], why: str) -> InputError:
    return InputError(
        f"the column {quoted(name)} is a {without_labels(types[name])}, {why}",
        where=option,
        next_step="Name another column, or cast it in the file.",
    )


def _require_values(roles: JudgedRoles, types: Mapping[str, str], counted: Mapping[str, float], least_k: int) -> None:
    """Raises InputError, with no count below `least_k`, where rows lack a customer, an item, a day or a number."""
    lacking = {roles.customer: counted["without_customer"], roles.item: counted["without_item"]}
    for place, name in enumerate((roles.when, *roles.numbers), start=1):
        lacking[name] = counted[f"without_{place}"]
    for name, number in lacking.items():
        if not number:
            continue
        column = sql.text(sql.column(name))
        as_text = name == roles.when and not is_date(types[name])
        step = f"Leave them out with --where '{column} IS NOT NULL', and those that are NaN or infinite."
        if name == roles.when:
            kept = f"`{column} between {ENDS[0]} and {ENDS[1]}`"
            step = "Mend them in the file." if as_text else f"Leave them out with --where: {kept} keeps all others."
        raise InputError(
            f"{numbered(int(number), 'row of the original has', 'rows of the original have', least_k)} no value "
            f"that can be used in {quoted(name)}" + (": no date such as 2011-12-31" if as_text else ""),
            where=name,
            next_step=step,
        )


def _require_even(executor: Executor, roles: JudgedRoles, types: Mapping[str, str], least_k: int) -> None:
    """Raises InputError, with no count below `least_k`, where a number is no whole number of the units wanted."""
    for place, (name, unit) in enumerate(zip(roles.numbers, roles.units, strict=True), start=2):
        if unit is None or is_whole(types[name]):
            continue
        (count,) = uneven_rows(executor, ORIGINAL_READ, f"raw_{place}", types[name], [unit])
        if count:
            raise InputError(
                f"{numbered(count, 'row', 'rows', least_k)} of the column {quoted(name)} "
                f"{'is' if count == 1 and least_k <= 1 else 'are'} no whole number of units of {plain(unit)}",
                where="--unit",
                next_step=f"Give a unit that divides all its values, such as --unit {name}=0.01 if they are cents.",
            )


def _unit(executor: Executor, roles: JudgedRoles, types: Mapping[str, str], place: int) -> Decimal:
    """The unit of a column of numbers: the requested one, else its type's, else the finest decimal of its values."""
    name, requested = roles.numbers[place], roles.units[place]
    if is_whole(types[name]):
        return Decimal(1)
    if requested is not None:
        return requested
    if measured_as(types[name]) == "whole":
        return Decimal(1).scaleb(-decimals_of(types[name]))
    unit = unit_of_values(executor, ORIGINAL_READ, f"raw_{place + 2}", types[name])
    if unit is None:
        raise InputError(
            f"the column {quoted(name)} has values of more than {FINEST} decimals, and so no unit of its own",
            where="--unit",
            next_step=f"Name the unit: --unit {name}=0.01.",
        )
    return unit


def _numbered(table: str, column: str) -> exp.Select:
    return sql.with_columns(filled("judging/pair/numbered", {"texts": table}), {"texts.label": column})


ITEM_TEXTS, LISTED, TEXT_SETS, ITEM_SETS, SET_OF_TEXT, ROW_TEXTS, CONTENTS, MEANINGS = (
    "item_texts", "listed", "text_sets", "item_sets", "set_of_text", "row_texts", "contents", "meanings"
)  # fmt: skip
_LABELS = "judged_labels"


@dataclass(frozen=True, slots=True)
class JudgedRelease:
    """A release that was read: its name, the rows of its file, and those that are not `*` throughout."""

    name: str
    written: int
    rows: int
    pseudonyms: int


def read_release(dataset: Dataset, pseudonym: str, columns: Sequence[str], executor: Executor) -> int:
    """Read the texts of a release into the workspace; return its number of rows. `columns`: when, item, numbers."""
    when, item, *numbers = columns
    tree = sql.with_columns(filled("judging/pair/release"), {"dataset.id": pseudonym, "dataset.qi": item})
    carried(dataset, for_numbers(tree, (when, *numbers), "measured", 1), executor, RELEASE_READ)
    return int(row(executor, filled("judging/pair/release_rows"))["written"])


def read_cells(executor: Executor, name: str, written: int, original: JudgedOriginal) -> JudgedRelease:
    """Parse the texts of a release: units, and sets and pseudonyms by number. `GOODS` must be stored before.

    Raises InputError, with counts only, where cells cannot be read or rows have no pseudonym.
    """
    keep(executor, PSEUDONYMS, filled("judging/pair/pseudonyms"))
    keep(executor, ITEM_TEXTS, filled("judging/pair/item_texts"))
    keep(executor, LISTED, filled("judging/pair/listed"))
    keep(executor, _LABELS, cast("exp.Query", sql.template("judging/pair/labels")))
    name_elements(executor, _LABELS)
    keep(executor, TEXT_SETS, filled("judging/pair/text_sets"))
    keep(executor, ITEM_SETS, filled("judging/pair/item_sets"))
    keep(executor, RELEASED_SETS, filled("judging/pair/released_sets"))
    keep(executor, SET_SIZES, filled("judging/pair/set_sizes"))
    keep(executor, SET_OF_TEXT, filled("judging/pair/set_of_text"))
    keep(executor, ROW_TEXTS, filled("judging/pair/row_texts", places=original.places))
    units = {name: unit for name, unit in original.unit_of.items() if name != "unit_1"}
    bound = {**units, "most": MAX_UNITS} if units else {}
    keep(executor, CONTENTS, filled("judging/pair/contents", places=original.places, of=2), bound)
    _require_readable(name, original, row(executor, filled("judging/pair/contents_readable", places=original.places)))
    keep(executor, MEANINGS, filled("judging/pair/meanings", places=original.places))
    drop(executor, ITEM_TEXTS, LISTED, _LABELS, TEXT_SETS, ITEM_SETS, SET_OF_TEXT, ROW_TEXTS, CONTENTS)
    keep(executor, RELEASED_RECORDS, filled("judging/pair/released_records", places=original.places))
    drop(executor, RELEASE_READ, MEANINGS)
    counted = row(executor, filled("judging/pair/released_readable"))
    _require_owners(name, counted)
    keep(executor, RELEASED_HISTORIES, filled("judging/pair/histories"))
    return JudgedRelease(name, written, int(counted["rows"]), int(counted["pseudonyms"]))


def _require_readable(name: str, original: JudgedOriginal, counted: Mapping[str, int | float]) -> None:
    """Raises InputError for cells that cannot be parsed."""
    roles = original.roles
    unreadable = {roles.item: ("unreadable_item", "an item, a set {a, b, c} of items, or *")}
    for place, column in enumerate((roles.when, *roles.numbers), start=1):
        day = "a day such as 2011-12-31, an interval [2011-12-01, 2011-12-31], or *"
        unreadable[column] = (f"unreadable_{place}", day if place == 1 else "a number, an interval [a, b], or *")
    wrong = [
        f"{int(counted[figure]):,} of {quoted(column)} ({accepted})"
        for column, (figure, accepted) in unreadable.items()
        if counted[figure]
    ]
    if wrong:
        raise InputError(
            f"cells that cannot be read: {'; '.join(wrong)}",
            where=name,
            next_step="Write the forms in brackets; an interval begins with its lower end.",
        )


def _require_owners(name: str, counted: Mapping[str, int | float]) -> None:
    """Raises InputError if no row is left, or a row has no pseudonym."""
    if not counted["rows"]:
        raise InputError("every row is deleted", where=name, next_step="There is nothing to be judged.")
    if counted["without_pseudonym"]:
        raise InputError(
            f"{numbered(int(counted['without_pseudonym']), 'row has', 'rows have')} cells, but no pseudonym",
            where=name,
            next_step="A deleted row is * in every column; other rows say whose they are. See --pseudonym.",
        )
