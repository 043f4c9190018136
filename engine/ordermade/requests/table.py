"""A request for tables with totals: the fields that it has beside those of every request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, StrictStr, model_validator

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
from ordermade.requests.numbers import Contributors, Limit, Percentage, RoundingBase
from ordermade.requests.problems import FieldPath, mistake
from ordermade.requests.table_options import Costs, Layout, Zeros

MAX_DIMENSIONS = 8
"""The most columns of one table."""
MAX_TABLES = 20
"""The most linked tables of a request."""
MAX_FIGURES = 4
MAX_FIXED = 1_000
"""The most cells that are to be published, or suppressed, by name."""

Kind: TypeAlias = Literal["count", "rows", "share", "sum", "mean"]
"""A figure of a cell: units that k counts, rows, the share of the units, the sum of a column, its mean."""
Language: TypeAlias = Literal["en", "ja"]
MAX_MARK = 8

_OF_COLUMN = re.compile(r"(sum|mean) of (\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of every cell: its kind, and the column that is added up, None of counts and shares."""

    kind: Kind
    column: str | None = None


def _figure(text: str) -> str:
    if text in ("count", "rows", "share") or _OF_COLUMN.fullmatch(text):
        return text
    raise mistake(
        "figure",
        phrase("a figure of a cell is count, rows, share, sum of COLUMN or mean of COLUMN"),
        phrase("write for example count"),
    )


def figure_of(text: str) -> Figure:
    """The figure that a text of `cells` names, which is one."""
    found = _OF_COLUMN.fullmatch(text)
    if found is None:
        return Figure("rows" if text == "rows" else "share" if text == "share" else "count")
    return Figure("sum" if found[1] == "sum" else "mean", found[2])


def _as_list(given: Any) -> Any:
    """One text stands for a list of it."""
    return (given,) if isinstance(given, str) else given


def _table_file(path: str) -> str:
    return _ending(path, (".csv", ".csv.gz"), "intervals.csv")


def _page_file(path: str) -> str:
    return _ending(path, (".html",), "table.html")


def _ending(path: str, endings: tuple[str, ...], example: str) -> str:
    checked_path(path)
    name = path.rstrip().replace("\\", "/").rsplit("/", maxsplit=1)[-1].lower()
    if not any(name.endswith(each) and name != each for each in endings):
        raise mistake(
            "path",
            phrase("this file is a %(ending)s file", ending=endings[0]),
            phrase("write a path such as out/%(example)s", example=example),
        )
    return path


def _one_mark(mark: str) -> str:
    if not mark.strip() or len(mark) > MAX_MARK or mark.strip()[0].isdigit():
        raise mistake(
            "mark",
            phrase("the mark of suppressed cells is 1 to 8 characters, and no number"),
            phrase("write for example X"),
        )
    return mark


FigureText = Annotated[StrictStr, AfterValidator(_figure)]
TableFile = Annotated[StrictStr, AfterValidator(_table_file)]
PageFile = Annotated[StrictStr, AfterValidator(_page_file)]
Mark = Annotated[StrictStr, AfterValidator(_one_mark)]
Columns = Annotated[tuple[Name, ...], Field(max_length=MAX_DIMENSIONS)]


class Tabulated(Part):
    """The hierarchy of a column of the tables, and the finest level that they show."""

    hierarchy: Name | None = Field(
        default=None,
        description="Name of the registered generalisation hierarchy. Left out: that of the column's name.",
        examples=["prefecture"],
    )
    level: LevelReference = Field(
        default=0,
        description="The finest level of the tables, by number or name (a number in quotes is a name). 0 is the "
        "original value.",
        examples=["5 years"],
    )


class LinkedTable(Part):
    """One of several tables of the same rows, protected together."""

    name: StrictStr = Field(default="", description="Its name in the release.", examples=["by prefecture"])
    rows: Columns = Field(default=(), description="Columns down the side.", examples=[["prefecture"]])
    columns: Columns = Field(default=(), description="Columns across the top.", examples=[["sex", "age"]])
    totals: tuple[Name, ...] | None = Field(
        default=None,
        description="Its totals: as `totals` of the request, which it has where left out.",
        examples=[["region", "sex"]],
    )

    @property
    def every(self) -> tuple[str, ...]:
        """Its columns in order, as they are written."""
        return (*self.rows, *self.columns)


class Dominance(Part):
    """The rule that a cell is not published in which few contributors have most of a sum."""

    largest: Contributors = Field(default=1, description="The number of contributors, 1 to 10.", examples=[2])
    percent: Percentage = Field(
        default=Decimal(75), description="The share of the sum that they may have at most, in percent.", examples=[85]
    )


class IntervalFiles(Part):
    """Files of the interval of every suppressed cell."""

    provider: TableFile | None = Field(
        default=None,
        description="The exact intervals, for the provider alone: a .csv file.",
        examples=["out/intervals.csv"],
    )
    user: TableFile | None = Field(
        default=None,
        description="The intervals rounded outwards to multiples of k, which may go with the release: a .csv file.",
        examples=["out/ranges.csv"],
    )

    @property
    def provider_path(self) -> Path | None:
        """The absolute path of the provider's file."""
        return None if self.provider is None else absolute_path(self.provider)

    @property
    def user_path(self) -> Path | None:
        """The absolute path of the users' file."""
        return None if self.user is None else absolute_path(self.user)

    @property
    def files(self) -> tuple[Path, ...]:
        """The absolute paths of those that are wanted."""
        return tuple(each for each in (self.provider_path, self.user_path) if each is not None)


class TableRequest(Request):
    """A request for tables with totals, in which every suppressed cell is proved to be k wide or more."""

    method: Literal["table"] = Field(
        default="table",
        description="The way the release is made: tables with totals, whose small cells are suppressed, and others "
        "with them, until no suppressed cell can be calculated.",
        examples=["table"],
    )
    rows: Columns = Field(default=(), description="Columns down the side of the table.", examples=[["prefecture"]])
    columns: Columns = Field(default=(), description="Columns across its top.", examples=[["sex", "age"]])
    totals: tuple[Name, ...] | None = Field(
        default=None,
        description="Totals: a column for its grand total, a level of a hierarchy for subtotals (`COLUMN.LEVEL` where "
        "two columns have such a level). Left out: the grand total of every column.",
        examples=[["region", "sex"]],
    )
    tables: Annotated[tuple[LinkedTable, ...], Field(max_length=MAX_TABLES)] = Field(
        default=(),
        description="Several tables of the same rows, protected together, in place of `rows` and `columns`.",
        examples=[[{"rows": ["prefecture"], "columns": ["sex"]}, {"rows": ["age"], "columns": ["sex"]}]],
    )
    dimensions: Mapping[
        Name, Annotated[Tabulated, BeforeValidator(defaults_where_bare, json_schema_input_type=Tabulated | None)]
    ] = Field(
        default={},
        description="Hierarchy and finest level of columns. One that is left out is shown as it is, with the hierarchy "
        "of its name.",
        examples=[{"age": {"level": "5 years"}}],
    )
    cells: Annotated[
        tuple[FigureText, ...],
        BeforeValidator(_as_list, json_schema_input_type=FigureText | tuple[FigureText, ...]),
        Field(min_length=1, max_length=MAX_FIGURES),
    ] = Field(
        default=("count",),
        description="The figures of a cell, one or a list: `count` of what k counts, `rows`, `share` of all, "
        "`sum of COLUMN`, `mean of COLUMN`.",
        examples=[["count", "mean of income"]],
    )
    zeros: Zeros = Field(
        default="shown",
        description="`shown`: empty cells are 0, so that each suppressed one is known to be 1 or more. `hidden`: empty "
        "cells have the mark of suppressed ones.",
        examples=["hidden"],
    )
    dominance: Dominance | None = Field(
        default=None,
        description="Of sums and means: cells are suppressed in which few contributors have most of the sum.",
        examples=[{"largest": 2, "percent": 85}],
    )
    p_percent: Percentage = Field(
        default=Decimal(10),
        description="Of sums and means: cells are suppressed in which the second largest contributor knows the largest "
        "to within so many percent.",
        examples=[15],
    )
    suppression_limit: Limit | None = Field(
        default=None,
        description="The share of the cells that may be suppressed, from 0 to 1; where more would be, the request is "
        "refused, and coarser tables are offered. Left out: any.",
        examples=[0.25],
    )
    costs: Costs = Field(
        default="inner",
        description="The cells that are suppressed beside the small ones are few, and: `inner` small ones before "
        "totals, `equal` any, `units` of as few units as possible.",
        examples=["units"],
    )
    publish: Annotated[tuple[Mapping[Name, StrictStr], ...], Field(max_length=MAX_FIXED)] = Field(
        default=(),
        description="Cells that must be published, each by the labels of its columns; a column left out is its total.",
        examples=[[{"prefecture": "東京都"}]],
    )
    suppress: Annotated[tuple[Mapping[Name, StrictStr], ...], Field(max_length=MAX_FIXED)] = Field(
        default=(),
        description="Cells that must not be published, in the same form.",
        examples=[[{"prefecture": "島根県", "sex": "男"}]],
    )
    rounding: RoundingBase | None = Field(
        default=None,
        description="The base to which counts, rows and sums of published cells and totals are rounded, 2 to 1,000. It "
        "protects nothing by itself. Left out: figures are exact.",
        examples=[5],
    )
    language: Language = Field(
        default="en", description="The language of heads and of interval labels: `en`, `ja`.", examples=["ja"]
    )
    layout: Layout | None = Field(
        default=None,
        description="`long`: a row a cell. `crossed`: columns across the top. Left out: crossed in a workbook, else "
        "long.",
        examples=["crossed"],
    )
    mark: Mark = Field(default="X", description="The one mark of every suppressed cell.", examples=["＊"])
    page: PageFile | None = Field(
        default=None, description="A page of the tables beside the release: a .html file.", examples=["out/table.html"]
    )
    intervals: IntervalFiles = Field(
        default_factory=IntervalFiles,
        description="Files of the interval of every suppressed cell (秘匿インターバル).",
        examples=[{"provider": "out/intervals.csv"}],
    )

    @model_validator(mode="before")
    @classmethod
    def _shape_of_a_table(cls, given: Any) -> Any:
        release = given.get("release") if isinstance(given, Mapping) else None
        if isinstance(release, Mapping) and "shape" not in release:
            return {**given, "release": {**release, "shape": "table"}}
        return given

    @model_validator(mode="after")
    def _one_table_or_several(self) -> TableRequest:
        if bool(self.rows or self.columns) == bool(self.tables):
            raise mistake(
                "table_or_tables",
                phrase("a request has one table by rows and columns, or several by tables"),
                phrase("write rows: [COLUMN]"),
            )
        if any(not each.rows for each in self.linked):
            raise mistake(
                "empty_table", phrase("a table has nothing down its side"), phrase("write rows: [COLUMN] in it")
            )
        if self.release.shape != "table":
            raise mistake(
                "shape_of_table",
                phrase("tables with totals have no rows of the dataset"),
                phrase("write shape: table, or leave it out"),
            )
        return self

    @property
    def linked(self) -> tuple[LinkedTable, ...]:
        """The tables of the request: those that are linked, or the only one."""
        return self.tables or (LinkedTable(rows=self.rows, columns=self.columns),)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of every cell, in order."""
        return tuple(map(figure_of, self.cells))

    @property
    def tabulated(self) -> Mapping[str, Tabulated]:
        """The columns of all tables as they are written, each once, with hierarchy and level."""
        return {name: self.dimensions.get(name) or Tabulated() for name, _ in self.places}

    @property
    def places(self) -> Iterator[tuple[str, FieldPath]]:
        """Every column of a table with the field that names it, in order; a column of several tables each time."""
        for number, table in enumerate(self.linked):
            within: FieldPath = ("tables", number) if self.tables else ()
            for key in ("rows", "columns"):
                for place, name in enumerate(getattr(table, key)):
                    yield name, (*within, key, place)

    @property
    def is_crossed(self) -> bool:
        """Whether the release has columns across its top."""
        return self.release.is_workbook if self.layout is None else self.layout == "crossed"

    @property
    def page_path(self) -> Path | None:
        """The absolute path of the page beside the release."""
        return None if self.page is None else absolute_path(self.page)

    @property
    def files_beside(self) -> tuple[Path, ...]:
        """The files that are written beside the release and its manifest."""
        return (*(() if self.page_path is None else (self.page_path,)), *self.intervals.files)

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names, or means by the name of a column."""
        return frozenset(options.hierarchy or name for name, options in self.tabulated.items())
