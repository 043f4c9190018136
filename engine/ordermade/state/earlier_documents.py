"""Rows of an earlier state whose parts had tables of their own, as rows of now: documents, and numbers of levels. Pure.

A part is a row of such a table, by column; parts come in the order of their table's key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from ordermade.state.documents import Fields, as_text
from ordermade.state.releases import DOCUMENT as RELEASE
from ordermade.state.releases import as_number
from ordermade.state.requests import DOCUMENT as REQUEST
from ordermade.state.tables import SEALED

Parts: TypeAlias = Mapping[str, Sequence[Fields]]
"""The parts of a row by the table that they are of."""

PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "requests": (
            *("request_quasi_identifiers", "request_columns", "request_sensitive", "request_attributes"),
            *("request_splits", "request_history"),
        ),
        "releases": ("release_columns", "release_losses", "release_privacy"),
        "observations": ("observation_levels",),
        "forecasts": ("forecast_levels",),
    }
)
"""The tables that the parts of each table's rows were in."""

KEYS_BEFORE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{name: table.key for name, table in SEALED.items()},
        **dict.fromkeys(PARTS["requests"], ("request_id", "position")),
        "request_columns": ("request_id", "role", "position"),
        "release_columns": ("release_id", "position"),
        "release_losses": ("release_id", "metric"),
        "release_privacy": ("release_id", "position"),
        "observation_levels": ("observation_id", "column_name"),
        "forecast_levels": ("forecast_id", "position"),
    }
)
"""The key of each table of an earlier state whose rows were sealed."""


@dataclass(frozen=True, slots=True)
class EarlierLevels:
    """The levels that nodes are at, each by its row in `measured_levels` without a number; numbered as they come."""

    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def number(self, part: Fields) -> int:
        """The number of the level of an attribute of a node."""
        level = tuple(part[each] for each in ("column_name", "level_hash", "level", "level_name"))
        return self.numbers.setdefault(level, len(self.numbers) + 1)


def row_of_now(table: str, row: Fields, parts: Parts, levels: EarlierLevels) -> Fields:
    """A row of an earlier table with its parts, as the table has it now."""
    return _ROWS[table](row, parts, levels)


def _request(row: Fields, parts: Parts, _: EarlierLevels) -> Fields:
    columns = {name: row.get(name) for name in _REQUEST_COLUMNS}
    said = {name: value for name, value in row.items() if name not in {*_REQUEST_COLUMNS, "withheld"}}
    generalised = parts["request_quasi_identifiers"]
    lists = {
        "suppressed": row.get("withheld"),
        "quasi_identifiers": [
            _named(each, "hierarchy_hash", "from_level", "to_level", column="column_name", hierarchy="hierarchy_name")
            for each in generalised
        ],
        "identifiers": [each["column_name"] for each in parts["request_columns"] if each["role"] == "identifier"],
        "keep": [each["column_name"] for each in parts["request_columns"] if each["role"] == "keep"],
        "sensitive": [_named(each, "models", column="column_name") for each in parts["request_sensitive"]],
        "attributes": [
            _named(each, "weight", "hierarchy_hash", "aggregate", column="column_name", hierarchy="hierarchy_name")
            for each in parts["request_attributes"]
        ],
        "splits": [
            _named(
                each, "kind", "hierarchy_hash", column="column_name", hierarchy="hierarchy_name", finest="finest_level"
            )
            for each in parts["request_splits"]
        ],
        "history": [
            _named(
                each,
                *("role", "unit", "sort_place", "taxonomy_hash"),
                column="column_name",
                taxonomy="taxonomy_file",
                level="taxonomy_level",
            )
            for each in parts["request_history"]
        ],
        "chosen": {
            each["column_name"]: [each["chosen_level"], each["chosen_level_name"]]
            for each in generalised
            if each["chosen_level"] is not None
        },
    }
    said = {name: value for name, value in (said | lists).items() if value not in (None, [], {})}
    return columns | {"record": REQUEST.text(said)}


_REQUEST_COLUMNS = (
    *("id", "request_hash", "dataset_name", "dataset_version_id", "filter", "run", "started_at", "status", "reason"),
    *("finished_at", "interrupted_at", "erased_at", "request"),
)


def _release(row: Fields, parts: Parts, _: EarlierLevels) -> Fields:
    columns = {name: row[name] for name in _RELEASE_COLUMNS}
    said = {name: value for name, value in row.items() if name not in _RELEASE_COLUMNS and value is not None}
    said["columns"] = [
        _named(each, "role", "level", "level_name", "loss_share", column="column_name")
        for each in parts["release_columns"]
    ]
    said["losses"] = {each["metric"]: as_number(each["value"]) for each in parts["release_losses"]}
    said["privacy"] = [
        _named(each, "figure", "model", column="column_name")
        | {
            "value": as_number(each["value"]),
            "parameters": dict(zip(each["parameter_names"] or (), each["parameter_values"] or (), strict=False)),
        }
        for each in parts["release_privacy"]
    ]
    return columns | {"measured": RELEASE.text(said)}


_RELEASE_COLUMNS = ("id", "request_id", "kind", "path", "table_name", "sha256", "released_at")


def _observation(row: Fields, parts: Parts, levels: EarlierLevels) -> Fields:
    at = sorted(parts["observation_levels"], key=lambda each: str(each["column_name"]))
    return row | {"levels": [levels.number(each) for each in at]}


def _forecast(row: Fields, parts: Parts, _: EarlierLevels) -> Fields:
    expected = {each["column_name"]: [each["level"], each["level_name"]] for each in parts["forecast_levels"]}
    return row | {"levels": as_text(expected)}


def _named(part: Fields, *alike: str, **renamed: str) -> Fields:
    """The fields of a part: these as they are called, the others by the column that has them."""
    return {name: part[name] for name in alike} | {name: part[column] for name, column in renamed.items()}


_ROWS: Mapping[str, Callable[[Fields, Parts, EarlierLevels], Fields]] = MappingProxyType(
    {"requests": _request, "releases": _release, "observations": _observation, "forecasts": _forecast}
)
