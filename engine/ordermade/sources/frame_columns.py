"""Frames as they were given to a request: their columns as they enter, and those that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from ordermade.sources import arrow_columns
from ordermade.sources.arrow_columns import FrameColumn


@dataclass(frozen=True, slots=True)
class CallerFrame:
    """A frame as it was given, of one `kind`: `pandas`, `polars`, `lazy` (of polars), `arrow` or `reader` (of Arrow).

    `inside`: its columns as they enter, without those that are refused.
    """

    kind: str
    columns: tuple[FrameColumn, ...]
    inside: pa.Table = field(repr=False)

    @property
    def refused(self) -> Mapping[str, arrow_columns.Unreadable]:
        """The columns that cannot be read, each with the reason."""
        return {each.name: each.refused for each in self.columns if each.refused is not None}


@dataclass(frozen=True, slots=True)
class FrameTables:
    """The frames that a request is about, by name; `entity`: the column of a person, where one may have several rows.

    `least_k`: that of the datasets on them. `registered`: the state knows them as a source, with its datasets.
    """

    tables: Mapping[str, CallerFrame]
    entity: str | None = None
    least_k: int = 0
    registered: bool = False
