"""A request for purchase histories: what its file may say beside what every request says."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, StrictBool, StrictStr, Tag, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from ordermade.requests.model import Request
from ordermade.requests.numbers import Unit, Window
from ordermade.requests.part import LevelReference, Name, Part, defaults_where_bare
from ordermade.requests.paths import absolute_path, checked_path

Match: TypeAlias = Literal["rank", "date", "optimal"]
"""Which purchases of the customers of a cluster become alike."""
Cluster: TypeAlias = Literal["rank", "similar"]
"""Which customers are in a cluster."""

MAP_ENDINGS = (".csv", ".parquet")
MOST_NUMBERS = 20


def _writing_of(numbers: Any) -> str:
    """The tag of columns that are listed, or mapped to what is asked of each."""
    return "mapping" if isinstance(numbers, Mapping) else "list"


def _table_file(path: str) -> str:
    checked_path(path)
    name = path.replace("\\", "/").rsplit("/", maxsplit=1)[-1].lower()
    if not any(name.endswith(ending) and name != ending for ending in MAP_ENDINGS):
        raise PydanticCustomError(
            "path", "a map is written to a .csv or .parquet file; write a path such as private/map.csv"
        )
    return path


class NumberAsked(Part):
    """How the values of one column of numbers are counted."""

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
            Annotated[NumberAsked, BeforeValidator(defaults_where_bare, json_schema_input_type=NumberAsked | None)],
        ],
        Tag("mapping"),
    ],
    Discriminator(_writing_of),
]
"""Columns of numbers: a list of them, or each with what is asked of it."""


class ItemsAsked(Part):
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
    """Whose purchases they are, what is released of one, and how purchases are made alike."""

    customer: Name = Field(description="The column that tells whose purchases they are.", examples=["CustomerID"])
    when: Name = Field(
        description="The column of dates or time stamps (without a time zone) of the purchases, released as days.",
        examples=["Day"],
    )
    item: Name = Field(
        description="The column of what was bought, texts or whole numbers; released as sets.", examples=["GoodsID"]
    )
    numbers: Numbers = Field(
        default=(),
        description="Columns of numbers, such as price and quantity; released as intervals. A list, or a mapping where "
        "a `unit` is asked of some.",
        examples=[["Price", "Quantity"], {"Price": {"unit": 0.01}, "Quantity": {}}],
    )
    sort: tuple[Name, ...] = Field(
        default=(),
        description="Those of the `numbers` that a customer's purchases are put in order by, greatest first; of "
        "`match: optimal` no more than what the search begins with. Left out: all of them, in their order.",
        examples=[["Price"]],
    )
    match: Match = Field(
        default="optimal",
        description="Which purchases of the customers of a cluster become alike. `rank`: those at the same place by "
        "`sort`. `date`: those at the same place in time. `optimal`: those that lose least.",
        examples=["rank"],
    )
    cluster: Cluster = Field(
        default="similar",
        description="Which customers are in a cluster. `rank`: k consecutive ones by number of purchases. `similar`: "
        "those whose histories are most alike among the next ones by number of purchases.",
        examples=["rank"],
    )
    window: Window | None = Field(
        default=None,
        description="Of `cluster: similar` alone: among how many of the next customers the similar ones are looked "
        "for, at least k - 1. Left out: 60, or 10 k if that is more; fewer where customers are very many.",
        examples=[60],
    )
    delete_costly: StrictBool | None = Field(
        default=None,
        description="`true`: a value that would lose more than without it is deleted, of all customers of the cluster. "
        "Left out: `true` of `match: optimal`, else `false`.",
        examples=[True],
    )
    items: ItemsAsked | None = Field(
        default=None,
        description="The categories that are released instead of items. Left out: items are.",
        examples=[{"taxonomy": "categories.csv", "level": 1}],
    )
    map: StrictStr | None = Field(
        default=None,
        exclude=True,  # where the truth lies is nobody's who reads the manifest
        description="A .csv or .parquet file for which purchase each released row was made of, which `ordermade judge` "
        "reads. It is secret. Left out: none is written.",
        examples=["private/map.csv"],
    )

    @field_validator("numbers")
    @classmethod
    def _not_too_many(cls, numbers: Numbers) -> Numbers:
        if len(numbers) > MOST_NUMBERS:
            raise PydanticCustomError("many_numbers", f"has more than {MOST_NUMBERS} columns; ask for fewer")
        return numbers

    @field_validator("window")
    @classmethod
    def _looked_for(cls, window: int | None, info: ValidationInfo) -> int | None:
        if window is not None and info.data.get("cluster") == "rank":
            raise PydanticCustomError(
                "window_unused",
                "no similar customers are looked for in clusters of consecutive ones; "
                "take window out, or write cluster: similar",
            )
        return window

    @field_validator("map")
    @classmethod
    def _of_known_ending(cls, path: str | None) -> str | None:
        return None if path is None else _table_file(path)

    @cached_property
    def map_path(self) -> Path | None:
        """The absolute path of the map, resolved once; None where none is written."""
        return None if self.map is None else absolute_path(self.map)

    @property
    def numbers_asked(self) -> tuple[tuple[str, NumberAsked], ...]:
        """Each column of numbers, as it was written, with what is asked of it."""
        if isinstance(self.numbers, Mapping):
            return tuple(self.numbers.items())
        return tuple((name, NumberAsked()) for name in self.numbers)


class HistoryRequest(Request):
    """A request for histories that k customers or more share: each of them has the same purchases in the release."""

    method: Literal["history"] = Field(
        description="How the release is made: customers are clustered, and their purchases are made alike.",
        examples=["history"],
    )
    history: History = Field(
        description="The columns of the purchases, and how they are made alike.",
        examples=[{"customer": "CustomerID", "when": "Day", "item": "GoodsID", "numbers": ["Price", "Quantity"]}],
    )
