"""A release in the workspace: its cells parsed as intervals and sets, whichever tool wrote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.judging.original import MOST_UNITS, Original, name_elements
from ordermade.judging.reading import carried, drop, keep, row
from ordermade.judging.statements import filled, for_numbers
from ordermade.judging.tables import (
    PSEUDONYMS,
    RELEASE_READ,
    RELEASED_HISTORIES,
    RELEASED_RECORDS,
    RELEASED_SETS,
    SET_SIZES,
)
from ordermade.measuring.dataset import Dataset
from ordermade.sources.door import Door

ITEM_TEXTS, LISTED, TEXT_SETS, ITEM_SETS, SET_OF_TEXT, ROW_TEXTS, CONTENTS, MEANINGS = (
    "item_texts", "listed", "text_sets", "item_sets", "set_of_text", "row_texts", "contents", "meanings"
)  # fmt: skip
_LABELS = "judged_labels"


@dataclass(frozen=True, slots=True)
class Released:
    """A release that was read: its name, the rows of its file, and those that are not `*` throughout."""

    name: str
    written: int
    rows: int
    pseudonyms: int


def read_release(dataset: Dataset, pseudonym: str, columns: Sequence[str], door: Door) -> int:
    """Read the texts of a release into the workspace; return its number of rows. `columns`: when, item, numbers."""
    when, item, *numbers = columns
    tree = sql.with_columns(filled("release"), {"dataset.id": pseudonym, "dataset.qi": item})
    carried(dataset, for_numbers(tree, (when, *numbers), "measured", 1), door, RELEASE_READ)
    return int(row(door, filled("release_rows"))["written"])


def read_cells(door: Door, name: str, written: int, original: Original) -> Released:
    """Parse the texts of a release: units, and sets and pseudonyms by number. `GOODS` must be stored before.

    Raises InputError, with counts only, where cells cannot be read or rows have no pseudonym.
    """
    keep(door, PSEUDONYMS, filled("pseudonyms"))
    keep(door, ITEM_TEXTS, filled("item_texts"))
    keep(door, LISTED, filled("listed"))
    keep(door, _LABELS, cast(exp.Query, sql.template("judging/labels")))
    name_elements(door, _LABELS)
    keep(door, TEXT_SETS, filled("text_sets"))
    keep(door, ITEM_SETS, filled("item_sets"))
    keep(door, RELEASED_SETS, filled("released_sets"))
    keep(door, SET_SIZES, filled("set_sizes"))
    keep(door, SET_OF_TEXT, filled("set_of_text"))
    keep(door, ROW_TEXTS, filled("row_texts", places=original.places))
    units = {name: unit for name, unit in original.unit_of.items() if name != "unit_1"}
    bound = {**units, "most": MOST_UNITS} if units else {}
    keep(door, CONTENTS, filled("contents", places=original.places, of=2), bound)
    _require_readable(name, original, row(door, filled("contents_readable", places=original.places)))
    keep(door, MEANINGS, filled("meanings", places=original.places))
    drop(door, ITEM_TEXTS, LISTED, _LABELS, TEXT_SETS, ITEM_SETS, SET_OF_TEXT, ROW_TEXTS, CONTENTS)
    keep(door, RELEASED_RECORDS, filled("released_records", places=original.places))
    drop(door, RELEASE_READ, MEANINGS)
    counted = row(door, filled("released_readable"))
    _require_owners(name, counted)
    keep(door, RELEASED_HISTORIES, filled("histories"))
    return Released(name, written, int(counted["rows"]), int(counted["pseudonyms"]))


def _require_readable(name: str, original: Original, counted: Mapping[str, int | float]) -> None:
    """Raises InputError for cells that cannot be parsed."""
    roles = original.roles
    unreadable = {roles.item: ("unreadable_item", "an item, a set {a;b;c} of items, or *")}
    for place, column in enumerate((roles.when, *roles.numbers), start=1):
        day = "a day such as 2011-12-31, an interval [2011-12-01;2011-12-31], or *"
        unreadable[column] = (f"unreadable_{place}", day if place == 1 else "a number, an interval [a;b], or *")
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
            f"{int(counted['without_pseudonym']):,} row(s) have cells, but no pseudonym",
            where=name,
            next_step="A deleted row is * in every column; other rows say whose they are. See --pseudonym.",
        )
