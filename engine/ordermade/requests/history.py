"""A request for purchase histories: its fields beside those of every request."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, StrictBool, StrictStr, Tag, ValidationInfo, field_validator

from ordermade.phrases import phrase
from ordermade.requests.model import (
    LevelReference,
    Name,
    Part,
    Request,
    absolute_path,
    checked_path,
    defaults_where_bare,
)
from ordermade.requests.numbers import Unit, Window
from ordermade.requests.problems import mistake

Match: TypeAlias = Literal["rank", "date", "optimal"]
"""The way in which purchases of a cluster's customers are matched."""
Cluster: TypeAlias = Literal["rank", "similar"]
"""The way in which customers are clustered."""

MAP_ENDINGS = (".csv", ".parquet")
MAX_NUMBERS = 20


def _writing_of(numbers: Any) -> str:
    """The tag of the form in which columns of numbers are written: a list, or a mapping to options."""
    return "mapping" if isinstance(numbers, Mapping) else "list"


def _table_file(path: str) -> str:
    checked_path(path)
    name = path.replace("\\", "/").rsplit("/", maxsplit=1)[-1].lower()
    if not any(name.endswith(ending) and name != ending for ending in MAP_ENDINGS):
        raise mistake(
            "path",
            phrase("a map is written to a .csv or .parquet file"),
            phrase("write a path such as private/map.csv"),
        )
    return path


class NumberOptions(Part):
    """The options of one column of numbers."""

    unit: Unit | None = Field(
        default=None,
        description="Least step between two values of a DECIMAL, DOUBLE or FLOAT column: intervals are measured in it. "
        "Left out: the last digit of a DECIMAL; of the others the finest of at most 6 decimals that every value has.",
        examples=[0.01],
    )


Numbers: TypeAlias = Annotated[
    Annotated[tuple[Name, ...], Tag("list")]
    | Annotated[
        Mapping[
            Name,
            Annotated[NumberOptions, BeforeValidator(defaults_where_bare, json_schema_input_type=NumberOptions | None)],
        ],
        Tag("mapping"),
    ],
    Discriminator(_writing_of),
]
"""Columns of numbers: a list of them, or a mapping of each to its options."""


class ItemOptions(Part):
    """The categories that are released instead of items."""

    taxonomy: Name = Field(
        description="File of a generalisation hierarchy of the items, CSV or YAML, that lists each item: looked up "
        "from the folder of the request file.",
        examples=["categories.csv"],
    )
    level: LevelReference = Field(
        default=1,
        description="The level of it that is released, by number or name (a number in quotes is a name): from 1, as "
        "0 is the item itself.",
        examples=[1, "category"],
    )


class History(Part):
    """The customer, the released columns of a purchase, and the grouping of purchases."""

    customer: Name = Field(description="The column that identifies the customer.", examples=["CustomerID"])
    when: Name = Field(
        description="The column of dates or time stamps (without a time zone) of the purchases, released as days.",
        examples=["Day"],
    )
    item: Name = Field(
        description="The column of the item bought, texts or whole numbers; released as sets.", examples=["GoodsID"]
    )
    numbers: Numbers = Field(
        default=(),
        description="Columns of numbers, such as price and quantity; released as intervals. A list, or a mapping where "
        "some have a `unit`.",
        examples=[["Price", "Quantity"], {"Price": {"unit": 0.01}, "Quantity": {}}],
    )
    sort: tuple[Name, ...] = Field(
        default=(),
        description="The `numbers` that a customer's purchases are sorted by, greatest first; with `match: optimal` "
        "only the start of the search. Left out: all of them, in their order.",
        examples=[["Price"]],
    )
    match: Match = Field(
        default="optimal",
        description="Matching of the purchases in a cluster, which become equal. `rank`: those at the same place by "
        "`sort`. `date`: those at the same place in time. `optimal`: those that lose least.",
        examples=["rank"],
    )
    cluster: Cluster = Field(
        default="similar",
        description="Clustering of customers. `rank`: k consecutive ones by number of purchases. `similar`: "
        "those with the most similar histories among the next ones by number of purchases.",
        examples=["rank"],
    )
    window: Window | None = Field(
        default=None,
        description="With `cluster: similar` alone: the number of next customers among which similar ones are "
        "searched, at least k - 1. Left out: 60, or 10 k if that is more; fewer where customers are very many.",
        examples=[60],
    )
    delete_costly: StrictBool | None = Field(
        default=None,
        description="`true`: a value whose deletion loses less than keeping it is deleted, for all customers of the "
        "cluster. Left out: `true` with `match: optimal`, else `false`.",
        examples=[True],
    )
    items: ItemOptions | None = Field(
        default=None,
        description="The categories that are released instead of items. Left out: items are.",
        examples=[{"taxonomy": "categories.csv", "level": 1}],
    )
    map: StrictStr | None = Field(
        default=None,
        exclude=True,  # the manifest must not reveal where the map is
        description="A .csv or .parquet file that maps each released row to its original purchase, for `ordermade "
        "judge`. It is secret. Left out: none is written.",
        examples=["private/map.csv"],
    )

    @field_validator("numbers")
    @classmethod
    def _not_too_many(cls, numbers: Numbers) -> Numbers:
        if len(numbers) > MAX_NUMBERS:
            raise mistake(
                "many_numbers",
                phrase("has more than %(maxnumbers)s columns", maxnumbers=MAX_NUMBERS),
                phrase("list fewer"),
            )
        return numbers

    @field_validator("window")
    @classmethod
    def _looked_for(cls, window: int | None, info: ValidationInfo) -> int | None:
        if window is not None and info.data.get("cluster") == "rank":
            raise mistake(
                "window_unused",
                phrase("no similar customers are looked for in clusters of consecutive ones"),
                phrase("take window out, or write cluster: similar"),
            )
        return window

    @field_validator("map")
    @classmethod
    def _of_known_ending(cls, path: str | None) -> str | None:
        return None if path is None else _table_file(path)

    @cached_property
    def map_path(self) -> Path | None:
        """The absolute path of the map; None if none is written."""
        return None if self.map is None else absolute_path(self.map)

    @property
    def number_options(self) -> tuple[tuple[str, NumberOptions], ...]:
        """Each column of numbers, by its name in the request, with its options."""
        if isinstance(self.numbers, Mapping):
            return tuple(self.numbers.items())
        return tuple((name, NumberOptions()) for name in self.numbers)


class HistoryRequest(Request):
    """A request for histories shared by k or more customers: each of them has the same purchases in the release."""

    method: Literal["history"] = Field(
        description="The way the release is made: customers are clustered, and their purchases become equal.",
        examples=["history"],
    )
    history: History = Field(
        description="The columns of the purchases, and the way purchases become equal.",
        examples=[{"customer": "CustomerID", "when": "Day", "item": "GoodsID", "numbers": ["Price", "Quantity"]}],
    )

    @property
    def files_beside(self) -> tuple[Path, ...]:
        """The map, if one is written."""
        return () if self.history.map_path is None else (self.history.map_path,)
