"""The parts that datasets were seen with, by content, and the columns that they were counted by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.state import versions
from ordermade.state.statements import utc_now
from ordermade.state.table import Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A part that a dataset, by its hash, was seen with, by the hash of its content; `rows` that the filter leaves."""

    dataset_hash: str
    content: str
    rows: int
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class PartColumns:
    """Columns, by the hash of names and types, that the parts of a dataset were counted by."""

    dataset_hash: str
    columns: str


PARTS = Table("dataset_parts", StoredPart, key=("dataset_hash", "content"))
PART_COLUMNS = Table("part_columns", PartColumns, key=("dataset_hash", "columns"))


def known(connection: StateConnection, dataset_hash: str) -> dict[str, int]:
    """The rows of each part that a dataset (its row filter in it) was ever seen with, by the part's content."""
    return dict(PARTS.read(connection, ("content", "rows"), dataset_hash=dataset_hash, order_by=("content",)))


def note(connection: StateConnection, dataset_hash: str, found: Mapping[str, int]) -> None:
    """Notes the rows of each part that a dataset is seen with, by content."""
    now = utc_now()
    parts = (StoredPart(dataset_hash, content, number, now) for content, number in found.items())
    PARTS.add_all(connection, parts, of_known_key="ignored")


def note_columns(connection: StateConnection, dataset_hash: str, columns: str) -> None:
    """Notes the hash of columns that the parts of a dataset are counted by, before they are."""
    PART_COLUMNS.add_all(connection, [PartColumns(dataset_hash, columns)], of_known_key="ignored")


def places(connection: StateConnection, dataset_id: int) -> Iterator[str]:
    """The places where counts of a registered dataset's parts may be kept, whatever the row filter."""
    for dataset_hash in versions.identities(connection, dataset_id):
        contents = known(connection, dataset_hash)
        of_columns = PART_COLUMNS.read(connection, ("columns",), dataset_hash=dataset_hash, order_by=("columns",))
        for (columns,) in of_columns:
            yield place_of_whole(dataset_hash, columns)
            yield from (place_of_part(dataset_hash, columns, each) for each in contents)


def place_of_part(dataset_hash: str, columns: str, content: str) -> str:
    """The place where the counts of a part by columns are kept: one at a time."""
    return f"part {dataset_hash} {columns} {content}"


def place_of_whole(dataset_hash: str, columns: str) -> str:
    """The place where the merged counts of a dataset by columns are kept: those of its last version."""
    return f"parts {dataset_hash} {columns}"
