"""The parts that datasets were seen with, by content, and the columns that they were counted by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ordermade.state.statements import rows, run, utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


def known(connection: StateConnection, dataset_hash: str) -> dict[str, int]:
    """The rows of each part that a dataset (its row filter in it) was ever seen with, by the part's content."""
    return {str(content): int(number) for content, number in rows(connection, "state/parts", dataset_hash=dataset_hash)}


def note(connection: StateConnection, dataset_hash: str, found: Mapping[str, int]) -> None:
    """Notes the rows of each part that a dataset is seen with, by content."""
    if found:
        contents, numbers = list(found), list(found.values())
        run(
            connection,
            "state/parts_insert",
            dataset_hash=dataset_hash,
            content=contents,
            rows=numbers,
            seen_at=utc_now(),
        )


def note_columns(connection: StateConnection, dataset_hash: str, columns: str) -> None:
    """Notes the hash of columns that the parts of a dataset are counted by, before they are."""
    run(connection, "state/part_columns_insert", dataset_hash=dataset_hash, columns=columns)


def places(connection: StateConnection, dataset_id: int) -> Iterator[str]:
    """The places where counts of a registered dataset's parts may be kept, whatever the row filter."""
    for dataset_hash, _ in rows(connection, "state/dataset_identities", dataset_id=dataset_id):
        contents = known(connection, dataset_hash)
        for (columns,) in rows(connection, "state/part_columns", dataset_hash=dataset_hash):
            yield place_of_whole(dataset_hash, columns)
            yield from (place_of_part(dataset_hash, columns, each) for each in contents)


def place_of_part(dataset_hash: str, columns: str, content: str) -> str:
    """The place where the counts of a part by columns are kept: one at a time."""
    return f"part {dataset_hash} {columns} {content}"


def place_of_whole(dataset_hash: str, columns: str) -> str:
    """The place where the merged counts of a dataset by columns are kept: those of its last version."""
    return f"parts {dataset_hash} {columns}"
