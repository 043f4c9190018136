"""The items of a table, each with what it is called most often. SQL counts; nothing else of a record is read."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.any_table import column_named
from ordermade.counting.dataset import Dataset
from ordermade.errors import InputError, quoted
from ordermade.hierarchies.column_types import has_no_text, is_text, is_whole, without_labels
from ordermade.sources.executor import Purpose

DESCRIPTIONS = "item_descriptions"


@dataclass(frozen=True, slots=True)
class Item:
    """An item by its text, its most frequent description (empty if it has none), and its records."""

    name: str
    description: str
    records: int


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a table in the order of their texts. `without`: records that name no item (NULL or empty)."""

    items: tuple[Item, ...]
    without: int

    @property
    def records(self) -> int:
        """The records that name an item."""
        return sum(each.records for each in self.items)


def item_column(dataset: Dataset, name: str) -> str:
    """The stored name of the column that names items. Raises InputError (UnknownName) for one that cannot."""
    column = column_named("--item", name, [each.name for each in dataset.columns])
    kind = dataset.type_of(column)
    if not is_text(kind) and not is_whole(kind):
        raise InputError(
            f"the column {quoted(column)} is a {without_labels(kind)}: items are texts or whole numbers",
            where="--item",
            next_step="Name another column.",
        )
    return column


def described_items(dataset: Dataset, item: str, description: str) -> Items:
    """The items of a table that is open, counted in one statement in the source.

    Raises InputError (UnknownName) for columns that are none, or the same; SourceFault.
    """
    item = item_column(dataset, item)
    words = column_named("--description", description, [each.name for each in dataset.columns])
    if words == item:
        raise InputError(
            f"{quoted(item)} is the item too", where="--description", next_step="Name the column of descriptions."
        )
    if has_no_text(dataset.type_of(words)):
        raise InputError(
            f"the column {quoted(words)} is a {without_labels(dataset.type_of(words))}: descriptions are texts",
            where="--description",
            next_step="Name another column.",
        )
    named = sql.with_columns(sql.select("taxonomies/counted"), {"dataset.qi": item, "dataset.kept": words})
    statement = sql.with_relations(named, {"dataset": dataset.relation})
    dataset.backend.keep(Purpose.COVERAGE, DESCRIPTIONS, statement, part="described")
    tree = sql.with_relations(sql.select("taxonomies/items"), {DESCRIPTIONS: exp.to_table(DESCRIPTIONS)})
    rows = dataset.backend.workspace.rows(Purpose.COVERAGE, tree)
    without = sum(int(n) for name, _, n in rows if name is None)
    return Items(tuple(Item(name, words or "", int(n)) for name, words, n in rows if name is not None), without)


def with_share(number: int, of: int) -> str:
    """A number with its share of all."""
    return f"{number:,} ({percent(number, of)})"


def percent(number: int, of: int) -> str:
    """The share of all in percent, a dash where there are none."""
    return f"{100 * number / of:.1f} %" if of else "-"
